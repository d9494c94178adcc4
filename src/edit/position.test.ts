// Positions as text and as objects (D19): one table of what they say, one of what is wrong with them.

import { describe, expect, it } from 'vitest'

import { PactError } from '../errors/index.js'
import { parsePosition, type ParsedPosition, type Sentinel } from './position.js'

function at(
  depth: number,
  hops: readonly number[],
  rest: Readonly<{ offset?: number; sentinel?: Sentinel }> = {},
): ParsedPosition {
  return { kind: 'coordinate', depth, hops, offset: rest.offset, sentinel: rest.sentinel }
}

const START = { sentinel: { kind: 'start' } } as const
const END = { sentinel: { kind: 'end' } } as const
const after = (n: number): { sentinel: Sentinel } => ({ sentinel: { kind: 'after', n } })
const before = (n: number): { sentinel: Sentinel } => ({ sentinel: { kind: 'before', n } })

describe('a position', () => {
  it.each<[position: unknown, parsed: ParsedPosition]>([
    ['(d0)', at(0, [])],
    ['(d2,)', at(2, [], START)],
    ['(d2, )', at(2, [], START)],
    ['(d2, end)', at(2, [], END)],
    ['(d2,end)', at(2, [], END)],
    ['  ( d2 ,\tend )\n', at(2, [], END)],
    ['(d-1, end)', at(-1, [], END)],
    ['(d12, +3)', at(12, [], after(3))],
    ['(d12, -3)', at(12, [], before(3))],
    ['(d1, +10)', at(1, [], after(10))],
    ['(d1, +01)', at(1, [], after(1))],
    ['(d1, 5)', at(1, [], { offset: 5 })],
    ['(d1, 0)', at(1, [], { offset: 0 })],
    ['(d1, 9007199254740991)', at(1, [], { offset: Number.MAX_SAFE_INTEGER })],
    ['(d0, 0,)', at(0, [0], START)],
    ['(d0, 0, end)', at(0, [0], END)],
    ['(d0, 0, +1)', at(0, [0], after(1))],
    ['(d0, 0, -1)', at(0, [0], before(1))],
    ['(d0, 0, 3)', at(0, [0], { offset: 3 })],
    // On the way a sign is part of the offset; only the last number is a sentinel with one.
    ['(d0, -1, 4, end)', at(0, [-1, 4], END)],
    ['(d0, -1, -4, -2)', at(0, [-1, -4], before(2))],
    ['(d0, +1, +2)', at(0, [1], after(2))],
    ['(d0, -9007199254740991,)', at(0, [-Number.MAX_SAFE_INTEGER], START)],
    [{ depth: 0 }, { kind: 'depth', depth: 0, zone: undefined }],
    [{ depth: -1 }, { kind: 'depth', depth: -1, zone: undefined }],
    [
      { depth: 3, zone: 'core' },
      { kind: 'depth', depth: 3, zone: 'core' },
    ],
    [
      { depth: 0, zone: 'pre' },
      { kind: 'depth', depth: 0, zone: 'pre' },
    ],
    [
      { depth: 0, zone: undefined, parent: undefined },
      { kind: 'depth', depth: 0, zone: undefined },
    ],
    [{ parent: 'cont:1-0' }, { kind: 'parent', parent: 'cont:1-0', offset: undefined, zone: undefined }],
    [{ parent: '' }, { kind: 'parent', parent: '', offset: undefined, zone: undefined }],
    [
      { parent: 'x', offset: -2 },
      { kind: 'parent', parent: 'x', offset: -2, zone: undefined },
    ],
    [
      { parent: 'x', zone: 'post', depth: undefined },
      { kind: 'parent', parent: 'x', offset: undefined, zone: 'post' },
    ],
  ])('%j is read as it is meant (D19)', (position, parsed) => {
    expect(parsePosition(position)).toEqual(parsed)
  })

  it.each<[position: unknown, code: string, message: RegExp, details: Readonly<Record<string, unknown>>]>([
    // No position at all.
    [undefined, 'E_PLACEMENT_INVALID', /'\(d2, end\)'.*\{ depth \}.*\{ parent \}/, {}],
    [null, 'E_PLACEMENT_INVALID', /not null/, {}],
    [0, 'E_PLACEMENT_INVALID', /not 0/, {}],
    [Number.NaN, 'E_PLACEMENT_INVALID', /A position is text/, {}],
    [true, 'E_PLACEMENT_INVALID', /A position is text/, {}],
    [7n, 'E_PLACEMENT_INVALID', /A position is text/, {}],
    [Symbol('d0'), 'E_PLACEMENT_INVALID', /A position is text/, {}],
    [() => '(d0, end)', 'E_PLACEMENT_INVALID', /A position is text/, {}],
    [['d0', 'end'], 'E_PLACEMENT_INVALID', /no "0"/, { name: '0' }],
    [[], 'E_PLACEMENT_INVALID', /names a parent/, {}],
    [{}, 'E_PLACEMENT_INVALID', /names a parent by its id/, {}],
    // Objects.
    [{ parent: 7 }, 'E_PLACEMENT_INVALID', /names a parent by its id/, {}],
    [{ parent: null }, 'E_PLACEMENT_INVALID', /names a parent by its id/, {}],
    [{ depth: 0, parent: 'ah' }, 'E_PLACEMENT_INVALID', /no "parent"/, { name: 'parent' }],
    [{ depth: 0, offset: 2 }, 'E_PLACEMENT_INVALID', /no "offset"/, { name: 'offset' }],
    [{ parent: 'ah', index: 2 }, 'E_PLACEMENT_INVALID', /parent, offset, zone, and no "index"/, { name: 'index' }],
    [{ parent: 'ah', offset: 1.5 }, 'E_PLACEMENT_INVALID', /An offset is an integer, not 1\.5/, { name: 'offset' }],
    [{ parent: 'ah', offset: '2' }, 'E_PLACEMENT_INVALID', /An offset is an integer/, { name: 'offset' }],
    [{ parent: 'ah', offset: null }, 'E_PLACEMENT_INVALID', /An offset is an integer/, { name: 'offset' }],
    [{ parent: 'ah', offset: 2 ** 53 }, 'E_PLACEMENT_INVALID', /An offset is an integer/, { name: 'offset' }],
    [{ depth: 0, zone: 'middle' }, 'E_PLACEMENT_INVALID', /'pre', 'core' or 'post'/, { name: 'zone' }],
    [{ parent: 'ah', zone: 1 }, 'E_PLACEMENT_INVALID', /'pre', 'core' or 'post'/, { name: 'zone' }],
    [{ depth: -2 }, 'E_DEPTH_INVALID', /-1 for \^sys, 0 for the active head/, { depth: -2 }],
    [{ depth: 1.5 }, 'E_DEPTH_INVALID', /A depth is a whole number/, { depth: 1.5 }],
    [{ depth: '1' }, 'E_DEPTH_INVALID', /A depth is a whole number/, { depth: '1' }],
    [{ depth: null }, 'E_DEPTH_INVALID', /A depth is a whole number/, { depth: null }],
    [{ depth: Infinity }, 'E_DEPTH_INVALID', /A depth is a whole number/, { depth: Infinity }],
    // Text.
    ['', 'E_PLACEMENT_INVALID', /it is in parentheses/, { token: '' }],
    ['end', 'E_PLACEMENT_INVALID', /it is in parentheses/, { token: 'end' }],
    ['d2, end', 'E_PLACEMENT_INVALID', /it is in parentheses/, { token: 'd2, end' }],
    ['(d2, end', 'E_PLACEMENT_INVALID', /it is in parentheses/, { token: '(d2, end' }],
    ['()', 'E_PLACEMENT_INVALID', /it begins with a depth/, { token: '()' }],
    ['(,)', 'E_PLACEMENT_INVALID', /it begins with a depth/, { token: '(,)' }],
    ['(2, end)', 'E_PLACEMENT_INVALID', /it begins with a depth/, { token: '(2, end)' }],
    ['(d, end)', 'E_PLACEMENT_INVALID', /it begins with a depth/, { token: '(d, end)' }],
    ['(D2, end)', 'E_PLACEMENT_INVALID', /it begins with a depth/, { token: '(D2, end)' }],
    ['(d1.5, end)', 'E_PLACEMENT_INVALID', /it begins with a depth/, { token: '(d1.5, end)' }],
    ['(d-2, end)', 'E_DEPTH_INVALID', /A depth is a whole number/, { depth: -2 }],
    ['(d9007199254740992,)', 'E_DEPTH_INVALID', /A depth is a whole number/, {}],
    ['(d0, start)', 'E_PLACEMENT_INVALID', /it ends in an offset, a comma, end, \+N or -N/, { token: '(d0, start)' }],
    ['(d0, END)', 'E_PLACEMENT_INVALID', /it ends in an offset/, { token: '(d0, END)' }],
    ['(d0, 1.5)', 'E_PLACEMENT_INVALID', /it ends in an offset/, { token: '(d0, 1.5)' }],
    ['(d0, +)', 'E_PLACEMENT_INVALID', /it ends in an offset/, { token: '(d0, +)' }],
    ['(d0, 0x1)', 'E_PLACEMENT_INVALID', /it ends in an offset/, { token: '(d0, 0x1)' }],
    ['(d0, 9007199254740992)', 'E_PLACEMENT_INVALID', /it ends in an offset/, {}],
    ['(d0, +0)', 'E_PLACEMENT_INVALID', /children are counted from 1/, { token: '(d0, +0)' }],
    ['(d0, -0)', 'E_PLACEMENT_INVALID', /children are counted from 1/, { token: '(d0, -0)' }],
    ['(d0,,)', 'E_PLACEMENT_INVALID', /"" is no offset/, { token: '(d0,,)' }],
    ['(d0, end, end)', 'E_PLACEMENT_INVALID', /"end" is no offset/, { token: '(d0, end, end)' }],
    ['(d0, 9007199254740992, end)', 'E_PLACEMENT_INVALID', /is no offset/, {}],
    ['(d0, 0 0, end)', 'E_PLACEMENT_INVALID', /"0 0" is no offset/, {}],
    ['((d0, end))', 'E_PLACEMENT_INVALID', /it begins with a depth/, {}],
  ])('%o is refused with %s and a reason (D19)', (position, code, message, details) => {
    let error: unknown
    try {
      parsePosition(position)
    } catch (thrown) {
      error = thrown
    }
    expect(PactError.is(error)).toBe(true)
    expect(error).toMatchObject({ code, details })
    expect((error as PactError).message).toMatch(message)
  })

  it('shows no more of a long text than its beginning', () => {
    const text = `(d0, ${'x'.repeat(5000)})`
    expect(() => parsePosition(text)).toThrow(expect.objectContaining({ code: 'E_PLACEMENT_INVALID' }))
    expect(() => parsePosition(text)).toThrow(/^.{1,250}$/s)
  })
})

it('a long text is cut in the message', () => {
  const error = refusalOf(`(x${'y'.repeat(5000)})`)
  expect(error?.message).toContain(`"(x${'y'.repeat(70)}`)
  expect(error?.message.length).toBeLessThan(300)
})

describe('a position of an older draft (001 §3.9, D44)', () => {
  it.each([
    ['(d0, seg, cont[offset=0], end)', '(d0, 0, end)'],
    ['(d0, cont[offset=0], end)', '(d0, 0, end)'],
    ['(d0, seg, cont[offset=0], +1)', '(d0, 0, +1)'],
    ['(d0, seg, cont[offset=0],)', '(d0, 0,)'],
    ['(d2, seg, end)', '(d2, end)'],
    ['(d1, c@0, end)', '(d1, 0, end)'],
  ])('%s leads to %s', (position, suggestion) => {
    const error = refusalOf(position)
    expect(error?.code).toBe('E_SELECTOR_LEGACY')
    expect(error?.details).toMatchObject({ token: position, suggestion })
    expect(parsePosition(suggestion).kind).toBe('coordinate')
  })
})

function refusalOf(position: unknown): PactError | undefined {
  try {
    parsePosition(position)
  } catch (error) {
    if (PactError.is(error)) return error
    throw error
  }
  return undefined
}

// Bad input by rows: each with its code, its place and the token at fault; the sentence where it helps in a special way.

import { describe, expect, it, test } from 'vitest'

import { PactError } from '../../errors/index.js'
import type { Dialect } from '../../core/index.js'
import rows from './invalid.cases.json' with { type: 'json' }
import { SELECTOR_LIMITS } from '../limits.js'
import { parseSelector } from './selector.js'

type Row = Readonly<{
  selector: string
  dialect: Dialect
  error: string
  pos: number
  token: string
  section: string
  reason: string
  /** A part of the message. */
  says?: string
  suggestion?: string
}>

describe('parseSelector refuses', () => {
  test.each(rows as Row[])('$selector in $dialect: $reason ($section)', (row) => {
    const { selector, dialect, pos, token, suggestion } = row
    const error = refusal(() => parseSelector(selector, { dialect }))
    const { code, details } = error
    const expected = { pos, token, selector, ...(suggestion === undefined ? {} : { suggestion }) }
    expect({ code, details }).toEqual({ code: row.error, details: expected })
    expect(error.message).toContain(row.says ?? '')
    if (suggestion !== undefined) expect(() => parseSelector(suggestion, { dialect })).not.toThrow()
  })

  test.each(rows as Row[])('$selector with one sentence and a caret line (D40)', ({ selector, dialect, pos }) => {
    const [sentence, line, carets] = refusal(() => parseSelector(selector, { dialect })).message.split('\n')
    expect(sentence).toMatch(/^["A-Z].*[.?]$|Write: /)
    expect(line).toHaveLength(2 + selector.length)
    expect(carets?.indexOf('^')).toBe(2 + pos)
  })
})

describe('the printed error', () => {
  it('has one sentence, also where it repeats a part with line breaks', () => {
    for (const selector of ["[a in (\nx, 'y')]", "[a='x'\nor b='y']", "[a='x' and\r\n b='y']"]) {
      expect(refusal(() => parseSelector(selector)).message.split('\n'), selector).toHaveLength(3)
    }
  })

  it('shows the place (D40)', () => {
    expect(refusal(() => parseSelector('^ah :cor .cb')).message).toBe(
      ['Unknown predicate ":cor". Did you mean ":core"?', '  ^ah :cor .cb', '      ^^^^'].join('\n'),
    )
  })

  it('shows a part of a long selector', () => {
    const text = `${'.abc '.repeat(60)}:cor${' .abc'.repeat(60)}`
    const [, line, carets] = refusal(() => parseSelector(text)).message.split('\n')
    expect(line).toMatch(/^ {2}….{48}:cor.{40}…$/)
    expect(carets).toBe(`${' '.repeat(2 + 1 + 48)}^^^^`)
  })

  it('shows one line of several, and counts a pair of surrogates as one place', () => {
    const [, line, carets] = refusal(() => parseSelector('.a\n+🔥\t:cor\n.b')).message.split('\n')
    expect([line, carets]).toEqual(['  +🔥 :cor', '     ^^^^'])
  })

  it('is refused whatever is given', () => {
    for (const value of [undefined, null, 5, {}, Symbol('x')]) {
      expect(refusal(() => parseSelector(value as string)).code).toBe('E_SELECTOR_INVALID')
    }
  })
})

describe('a selector is too large (E_SELECTOR_TOO_LARGE)', () => {
  const { text, groups, nesting, conditions } = SELECTOR_LIMITS
  const nested = (depth: number) => `${'('.repeat(depth)}.a .b${')'.repeat(depth)}`
  const rows: [what: string, fits: string, exceeds: string, pos: number][] = [
    ['units of text', `.${'a'.repeat(text - 1)}`, `.${'a'.repeat(text)}`, text],
    ['groups', list('.a', groups), list('.a', groups + 1), groups * 3],
    ['choices', list('.a', groups, ' ?? '), list('.a', groups + 1, ' ?? '), groups * 6],
    ['coordinates', `(${list('(d1)', groups - 1)})`, `(${list('(d1)', groups)})`, 1 + (groups - 1) * 5],
    ['nested parentheses', nested(nesting), nested(nesting + 1), nesting],
    ['conditions', '[a]'.repeat(conditions), '[a]'.repeat(conditions + 1), conditions * 3],
    ['tests', `[${list('a', conditions)}]`, `[${list('a', conditions + 1)}]`, 0],
    ['types', '.a'.repeat(conditions), '.a'.repeat(conditions + 1), 0],
    ['filters behind spaces', list('[a]', conditions, ' '), list('[a]', conditions + 1, ' '), conditions * 4],
    ['filters behind a group', `(.a .b)${'[a]'.repeat(conditions - 1)}`, `(.a .b)${'[a]'.repeat(conditions)}`, 772],
  ]

  test.each(rows)('too many %s', (_, fits, exceeds, pos) => {
    expect(() => parseSelector(fits)).not.toThrow()
    const { code, details } = refusal(() => parseSelector(exceeds))
    expect({ code, pos: details['pos'] }).toEqual({ code: 'E_SELECTOR_TOO_LARGE', pos })
  })

  it('keeps only the start of a text that is too long', () => {
    const { message, details } = refusal(() => parseSelector('.a '.repeat(1_000_000)))
    expect(message.length).toBeLessThan(300)
    expect(JSON.stringify(details).length).toBeLessThan(300)
  })
})

function list(item: string, count: number, separator = ','): string {
  return Array.from({ length: count }, () => item).join(separator)
}

function refusal(act: () => unknown): PactError {
  try {
    act()
  } catch (error) {
    if (PactError.is(error)) return error
    throw error
  }
  throw new Error('It was not refused.')
}

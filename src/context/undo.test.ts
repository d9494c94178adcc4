// Taking back edits of the open cycle, one call at a time (D30, D37).

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { createContext, type Context } from '../index.js'
import { runs } from '../../test/support/runs.js'

const SEED = Number(process.env['PACT_SEED'] ?? 20261116)

type Call = Readonly<{
  do: 'user' | 'pre' | 'post' | 'group' | 'system' | 'bad' | 'commit' | 'undo'
  ttl: number | null
}>

const calls: fc.Arbitrary<readonly Call[]> = fc.array(
  fc.record({
    do: fc.constantFrom('user', 'user', 'pre', 'post', 'group', 'system', 'bad', 'commit', 'undo', 'undo'),
    ttl: fc.constantFrom(null, null, 0, 2),
  }),
  { maxLength: 40 },
)

function contextOf(): Context {
  let now = 0n
  return createContext({ clock: () => (now += 1_000n) })
}

/** No two nodes share one, for overlap has tests of its own. */
let keys = 0

/** True if the call wrote something. */
function run(ctx: Context, { do: name, ttl }: Call): boolean {
  if (name === 'user' || name === 'pre' || name === 'post') ctx[name](name, { ttl, key: `${name}${keys++}` })
  else if (name === 'group') ctx.add(undefined, { zone: 'post', children: [{ content: 'a', ttl }, { content: 'b' }] })
  else if (name === 'system') ctx.system.add('rule', { ttl })
  else return false
  return true
}

describe('undo', () => {
  test('gives back the state before the call, any number of calls back to the last commit (D30)', () => {
    fc.assert(
      fc.property(calls, (program) => {
        const ctx = contextOf()
        let states = [stateOf(ctx)]
        for (const call of program) {
          if (call.do === 'commit') {
            ctx.commit()
            states = [stateOf(ctx)]
          } else if (call.do === 'undo') {
            expect(ctx.undo()).toBe(states.length > 1)
            if (states.length > 1) states.pop()
          } else if (call.do === 'bad') {
            expect(() => ctx.user('x', { ttl: -1 })).toThrow('ttl')
          } else if (run(ctx, call)) states.push(stateOf(ctx))
          expect(stateOf(ctx)).toEqual(states.at(-1))
        }
        while (ctx.undo()) states.pop()
        expect(stateOf(ctx)).toEqual(states.at(-1))
        expect(states).toHaveLength(1)
      }),
      { numRuns: runs(200), seed: SEED },
    )
  })

  test('gives no id back, and never takes back a commit (D37)', () => {
    const ctx = contextOf()
    expect(ctx.undo()).toBe(false)
    const first = ctx.user('one')
    expect(ctx.undo()).toBe(true)
    const second = ctx.user('two')
    expect(second.id).not.toBe(first.id)
    expect(ctx.select('.block')).toEqual([second.id])
    const { cycle } = ctx.commit()
    expect(ctx.undo()).toBe(false)
    expect(ctx.snapshot().cycle).toBe(cycle)
    expect(ctx.fork('working').undo()).toBe(false)
  })

  test('shows in what is selected, in diffs and in the next commit', () => {
    const ctx = contextOf()
    ctx.user('kept')
    ctx.commit()
    const before = ctx.threadBytes()
    ctx.user('taken back')
    expect(ctx.count('^ah .block')).toBe(1)
    ctx.undo()
    expect(ctx.count('^ah .block')).toBe(0)
    expect(ctx.diff('@t0', 'working')).toEqual({ added: [], removed: [], changed: [] })
    ctx.commit()
    expect(ctx.threadBytes('@t0')).toEqual(before)
  })

  test('is refused while a write is going on (N14)', () => {
    const ctx: Context = createContext({
      clock: () => {
        ctx.undo()
        return 1n
      },
    })
    expect(() => ctx.user('x')).toThrow('in the middle of a write')
    expect(ctx.count('.block')).toBe(0)
  })
})

function stateOf(ctx: Context): unknown {
  return [new TextDecoder().decode(ctx.export('working')), ctx.select('*')]
}

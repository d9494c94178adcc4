// The playground of the documentation site, without its page: `site/test` plays it in a browser.

import { describe, expect, test } from 'vitest'

import { LONGEST_DATA, readState, writeState } from '../../site/playground/link.js'
import { contextOf, Playground } from '../../site/playground/playground.js'
import { SAMPLES } from '../../site/playground/samples.js'

async function story(): Promise<Playground> {
  return new Playground(await SAMPLES[0]!.open())
}

describe('the playground', () => {
  test('opens every sample, and shows a tree at every cycle', async () => {
    for (const sample of SAMPLES) {
      const playground = new Playground(await sample.open())
      for (const cycle of playground.cycles) {
        const rows = playground.rows(cycle)
        expect(rows.filter(({ what }) => what === 'region').map(({ label }) => label)).toEqual([
          'system',
          'history',
          'active head',
        ])
        expect(rows.some(({ what, text }) => what === 'node' && text !== '')).toBe(true)
      }
    }
  })

  test('a row is a node with its zone, key and ttl; a core has none of its own', async () => {
    const rows = (await story()).rows(5)
    const plan = rows.find(({ key }) => key === 'plan')!
    expect(plan).toMatchObject({ what: 'node', zone: 'post', level: 3, mark: '' })
    expect(rows.filter(({ mark }) => mark === '+').map(({ label }) => label)).toEqual([
      'turn 5',
      'assistant call',
      'tool result',
    ])
    expect(rows.some(({ id }) => id.startsWith('cont:'))).toBe(false)
  })

  test('a step says what left and why', async () => {
    const playground = await story()
    expect(playground.step(1)).toBeUndefined()
    const causes = playground.cycles.flatMap((cycle) => playground.step(cycle)?.left.map(({ cause }) => cause) ?? [])
    expect(new Set(causes)).toEqual(new Set(['expired', 'superseded', 'redacted', 'pruned']))
  })

  test('a selector is answered at the cycle in view, or at its own time', async () => {
    const playground = await story()
    expect(playground.ask('#plan', 4)).toMatchObject({
      kind: 'nodes',
      ids: ['block:4-3'],
      elsewhere: undefined,
      advice: [],
    })
    expect(playground.ask('#plan', 3)).toMatchObject({ kind: 'nodes', ids: [] })
    expect(playground.ask('@c4 #plan', 3)).toMatchObject({ kind: 'nodes', ids: ['block:4-3'], elsewhere: '@c4' })
    const range = playground.ask('@history #plan', 3)
    expect(range.kind === 'range' && range.blocks.some(({ added }) => added.includes('block:4-3'))).toBe(true)
    expect(playground.ask(' ', 3)).toEqual({ kind: 'none' })
  })

  test('a fault has its caret and its fix, and a readable selector gets advice', async () => {
    const playground = await story()
    expect(playground.ask('.block :frist', 4)).toMatchObject({
      kind: 'fault',
      fault: { line: '.block :frist', carets: expect.stringMatching(/^ +\^+$/), fix: ':first' },
    })
    const advised = playground.ask("[rol='tool']", 4)
    expect(advised).toMatchObject({
      kind: 'nodes',
      ids: [],
      advice: [{ message: expect.stringContaining('Did you mean "role"?') }],
    })
  })

  test('completes with the names of the tree in view', async () => {
    const playground = await story()
    expect(playground.completions('#pl', 3, 4).map(({ text }) => text)).toEqual(['#plan'])
    expect(playground.completions('#pl', 3, 3)).toEqual([])
  })

  test('explains a node that is there, and one that has left', async () => {
    const playground = await story()
    expect(playground.details('block:4-3', 4)).toMatchObject({
      sentences: expect.arrayContaining([expect.stringMatching(/^block:4-3 was made by /)]),
      coordinate: '(d1, 1)',
      facts: expect.arrayContaining([['key', 'plan']]),
    })
    const expired = playground.cycles
      .flatMap((cycle) => playground.step(cycle)?.left ?? [])
      .find(({ cause }) => cause === 'expired')!
    expect(playground.details(expired.id, playground.newest)).toMatchObject({
      sentences: expect.arrayContaining([expect.stringContaining('a ttl ran out')]),
      coordinate: undefined,
      facts: [],
    })
    expect(playground.details('block:99-9', 4)).toBeUndefined()
  })

  test('reads a request of a provider and an exported snapshot, and refuses the rest in a sentence', async () => {
    const request = {
      model: 'm',
      messages: [
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: 'Hi.' },
      ],
    }
    const made = contextOf(JSON.stringify(request))
    expect(new Playground(made).ask("[role='user']", 1)).toMatchObject({ kind: 'nodes', ids: [expect.any(String)] })
    const exported = new TextDecoder().decode(made.snapshot('@t0').export())
    expect(new Playground(contextOf(exported)).ask('.block', 1)).toMatchObject({
      kind: 'nodes',
      ids: [expect.any(String), expect.any(String)],
    })
    expect(() => contextOf('{')).toThrow(/^This is not JSON: /)
    expect(() => contextOf('{"a":1}')).toThrow(/It has no list of "messages"/)
  })
})

describe('the link of the playground', () => {
  const CASES = [
    { from: 'story', json: undefined, cycle: undefined, selector: '', node: undefined },
    {
      from: 'airline',
      json: undefined,
      cycle: 3,
      selector: "^seq .block[role='tool'] & x=1 + 50 %",
      node: 'block:2-1',
    },
    {
      from: 'story',
      json: '{"messages":[{"role":"user","content":"Grüße 🚆"}]}',
      cycle: 1,
      selector: '+a',
      node: undefined,
    },
  ]
  test.each(CASES)('gives the same state again: %#', async (state) => {
    const { hash, isWhole } = await writeState(state)
    expect(isWhole).toBe(true)
    expect(await readState(hash)).toEqual(state)
  })

  test('leaves out JSON that is too large, and says so', async () => {
    const json = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 10_007))
    const { hash, isWhole } = await writeState({ ...CASES[2]!, json })
    expect(isWhole).toBe(false)
    expect(hash.length).toBeLessThan(LONGEST_DATA)
  })

  test.each(['', '#', '#at=c0&json=%%%', '#json=AAAA', '#at=cx&%E0%A4%A'])(
    'reads %j without an error',
    async (hash) => {
      expect(await readState(hash)).toMatchObject({ from: 'story', json: undefined, cycle: undefined })
    },
  )
})

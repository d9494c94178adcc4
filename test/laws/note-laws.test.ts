// The note of pruning (D60): the names in calls against the naive rule, and a note that goes on wherever the context goes. That the tree is the one
// of the naive model is part of the laws of shedding and of the lifecycle.

import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { toBedrock } from '../../src/adapters/bedrock/index.js'
import { namesOfCall } from '../../src/core/index.js'
import { createContext, importSnapshot, type Context } from '../../src/index.js'
import { openStore } from '../../src/store/index.js'
import { namesOf } from '../oracle/editing-note.js'
import { runs } from '../support/runs.js'

const PIECES = [
  'src/',
  'a',
  'Z9',
  '.ts',
  '.',
  '/',
  '#',
  'W12',
  '1234',
  ' ',
  ',',
  '"',
  '-',
  ':',
  '%',
  '=',
  'ü',
  '𝒳',
  '\n',
  '(',
  ']',
  '~',
]
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join(''))
const value = fc.oneof(
  text,
  fc.string(),
  fc.nat(99_999),
  fc.array(text, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('path', 'id'), text),
)
const call = fc.oneof(
  value,
  value.map((input) => ({ type: 'tool_use', id: 'toolu_01ab', name: 'read', input })),
  value.map((args) => ({
    type: 'function',
    id: 'call_9x',
    function: { name: 'read', arguments: JSON.stringify(args) },
  })),
  value.map((args) => ({ functionCall: { name: 'read', args } })),
  value.map((input) => ({ toolUse: { toolUseId: 'tooluse_1a', input } })),
  text.map((said) => ({ function: { arguments: said } })),
)

test('the names in a call are those of the naive rule', () => {
  let found = 0
  fc.assert(
    fc.property(call, (content) => {
      const names = namesOfCall(content)
      found += names.length
      expect(names).toEqual(namesOf(content))
    }),
    { numRuns: runs(400) },
  )
  expect(found).toBeGreaterThan(100)
})

/** Steps of an agent that reads one file after the other. */
function work(ctx: Pick<Context, 'user' | 'assistant' | 'tool'>, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    if (i % 5 === 0) ctx.user(`Question ${i}`)
    const input = { path: `src/part-${i}/file.ts`, text: 'x'.repeat(201) }
    const id = `call-${i}`
    ctx.assistant({ type: 'tool_use', id, name: 'read', input }, { kind: 'call', data_call_id: id })
    ctx.tool(
      { type: 'tool_result', tool_use_id: id, content: `${'y'.repeat(300)} z${i}9.ts` },
      { kind: 'result', data_call_id: id },
    )
  }
}

const NOTE = "@t0 .block[kind='pruned']"
const options = { prune: { maxTokens: 6000, target: 0.2, names: 6 }, countTokens: (said: string) => said.length }

function played(from: number, to: number, ctx: Context): Context {
  for (let i = from; i < to; i++) {
    work(ctx, i, i + 1)
    ctx.commit()
  }
  return ctx
}

test('the note has the last names, is at the beginning, and no request begins with a reply', () => {
  const ctx = played(0, 40, createContext(options))
  const [note, ...others] = ctx.nodes(NOTE)
  expect(others).toEqual([])
  const left = ctx
    .nodes("@t0 .block[kind='call']")
    .map(({ content }) => (content as { input: { path: string } }).input.path)
  const first = Number(/part-(\d+)/.exec(left[0]!)![1])
  const names = Array.from({ length: 6 }, (_, i) => `src/part-${first - 6 + i}/file.ts`)
  expect(note!.content).toBe(`[earlier messages were pruned; their calls named: ${names.join(', ')}]`)
  expect(ctx.thread('@t0')[0]!.id).toBe(note!.id)
  const { messages } = toAnthropic(ctx.snapshot('@t0'))
  expect(JSON.stringify(messages[0])).toContain('earlier messages were pruned')
  expect(messages[0]!.role).toBe('user')
  expect(toBedrock(ctx.snapshot('@t0')).messages[0]!.role).toBe('user')
  expect(String(ctx.explain(note!.id))).toContain('made by pruning')
})

test('the note goes on in forks, imports and reopened contexts', async () => {
  const whole = played(0, 40, createContext(options))
  const content = (ctx: Pick<Context, 'nodes'>): unknown => ctx.nodes(NOTE).map((each) => each.content)
  const half = played(0, 20, createContext(options))
  expect(content(half)).not.toEqual(content(whole))
  expect(content(played(20, 40, half.fork('@t0')))).toEqual(content(whole))
  expect(content(played(20, 40, importSnapshot(half.export('@t0'), options)))).toEqual(content(whole))
  const store = await openStore('memory:')
  await store.put(half, 'a')
  const opened = await store.open('a', options)
  for (let i = 20; i < 40; i++) {
    work(opened, i, i + 1)
    await opened.commit()
  }
  expect(content(opened as unknown as Context)).toEqual(content(whole))
  await store.close()
})

test('without the option there is no note', () => {
  expect(played(0, 40, createContext({ ...options, prune: { ...options.prune, names: undefined } })).count(NOTE)).toBe(
    0,
  )
})

test('a note that would pass the limit is not written, and the one before stays', () => {
  // Pruning frees what it must and no more, so there is room for a note only now and then.
  const ctx = createContext({ ...options, prune: { maxTokens: 3000, target: 1, names: 60 }, onWarning: () => {} })
  let [cuts, written] = [0, 0]
  for (let i = 0; i < 40; i++) {
    played(i, i + 1, ctx)
    const { receipt, cycle } = ctx.snapshot()
    cuts += receipt.removed.length > 0 ? 1 : 0
    written += ctx.nodes(NOTE).some((note) => note.cycle === cycle) ? 1 : 0
    for (const { limit, after } of receipt.limits) expect(after).toBeLessThanOrEqual(limit)
  }
  expect(written).toBeGreaterThan(0)
  expect(written).toBeLessThan(cuts)
})

// The saver next to LangGraph's own MemorySaver, which keeps whole copies: generated histories with forks, changed and removed messages, and writes
// must read the same from both, whichever checkpoint is asked for.

import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages'
import { MemorySaver, uuid6, type Checkpoint, type CheckpointTuple } from '@langchain/langgraph-checkpoint'
import fc from 'fast-check'
import { PactSaver } from 'pact-context/langgraph'
import { openStore } from 'pact-context/store'
import { expect, test } from 'vitest'

type Step = Readonly<{
  /** The parent, counted from the newest checkpoint; 0 goes on from there, more is a fork. */
  back: number
  edits: readonly Edit[]
  note: string | undefined
  writes: number
  reopens: boolean
}>
type Edit = Readonly<{ kind: 'add' | 'change' | 'remove' | 'first'; at: number; text: string }>

const TEXT = fc.oneof(fc.string({ unit: 'binary', maxLength: 6 }), fc.constantFrom('', '\ud800', '{"a":1}'))
const STEP: fc.Arbitrary<Step> = fc.record({
  back: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(5) }),
  edits: fc.array(
    fc.record({ kind: fc.constantFrom('add', 'add', 'change', 'remove', 'first'), at: fc.nat(9), text: TEXT }),
    { maxLength: 4 },
  ),
  note: fc.option(TEXT, { nil: undefined }),
  writes: fc.nat(3),
  reopens: fc.boolean(),
})

test('reads the same as the saver that keeps whole copies', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 1, maxLength: 8 }), async (steps) => {
      const store = await openStore('memory:')
      const twin = new MemorySaver()
      let saver = new PactSaver(store)
      const made: Checkpoint[] = []
      for (const [number, step] of steps.entries()) {
        const parent = made.at(-1 - step.back) ?? made.at(-1)
        const [checkpoint, changed] = next(parent, step, number)
        const config = {
          configurable: { thread_id: 't', checkpoint_ns: '', ...(parent && { checkpoint_id: parent.id }) },
        }
        const metadata = { source: 'loop', step: number, parents: {} } as const
        const at = await saver.put(config, checkpoint, metadata, changed)
        expect(await twin.put(config, checkpoint, metadata)).toEqual(at)
        made.push(checkpoint)
        for (let task = 0; task < step.writes; task++) {
          const write = ['messages', messageFor('add', step.note ?? '', `w${number}-${task}`)] as [string, unknown]
          for (const each of [saver, twin]) await each.putWrites(at, [write, ['__error__', task]], `task-${task % 2}`)
        }
        if (step.reopens) saver = new PactSaver(store)
      }
      const everywhere = [undefined, ...made.map(({ id }) => id)]
      for (const id of everywhere) {
        const config = { configurable: { thread_id: 't', checkpoint_ns: '', ...(id && { checkpoint_id: id }) } }
        expect(plain(await saver.getTuple(config))).toEqual(plain(await twin.getTuple(config)))
      }
      const config = { configurable: { thread_id: 't' } }
      expect(await all(saver.list(config))).toEqual(await all(twin.list(config)))
      expect((await store.fsck()).problems).toEqual([])
      await store.close()
    }),
    { numRuns: 60 },
  )
})

function next(
  parent: Checkpoint | undefined,
  { edits, note }: Step,
  number: number,
): [Checkpoint, Record<string, number>] {
  const messages = [...((parent?.channel_values['messages'] as readonly BaseMessage[] | undefined) ?? [])]
  for (const [index, { kind, at, text }] of edits.entries()) {
    const place = messages.length === 0 ? 0 : at % messages.length
    const old = messages[place]
    if (kind === 'remove') messages.splice(place, 1)
    else if (kind === 'change' && old?.id !== undefined) messages[place] = messageFor(kind, text, old.id)
    else if (kind === 'first') messages.unshift(messageFor(kind, text, `m${number}-${index}`))
    else messages.push(messageFor(kind, text, `m${number}-${index}`))
  }
  const values: Record<string, unknown> = { ...parent?.channel_values, messages }
  const versions: Record<string, number> = { ...(parent?.channel_versions as Record<string, number> | undefined) }
  const changed: Record<string, number> = {}
  const touch = (name: string): void => {
    changed[name] = versions[name] = (versions[name] ?? 0) + 1
  }
  if (parent === undefined || edits.length > 0) touch('messages')
  if (note !== undefined) {
    values['note'] = { note, bytes: new Uint8Array([0, 255]), deep: new Map([['a', new Set([1])]]) }
    touch('note')
  } else if (number % 3 === 2 && 'note' in values) {
    delete values['note']
    touch('note')
  }
  const checkpoint = { v: 4, id: uuid6(number), ts: '2026-01-01T00:00:00.000Z', versions_seen: {} }
  return [{ ...checkpoint, channel_values: values, channel_versions: versions }, changed]
}

function messageFor(kind: Edit['kind'], text: string, id: string): BaseMessage {
  const parts = [
    { type: 'text' as const, text },
    { type: 'image_url' as const, image_url: { url: 'data:,x' } },
  ]
  const forms = [
    new HumanMessage({ id, content: text }),
    new AIMessage({ id, content: text, tool_calls: [{ id: 'c', name: 'look', args: { text, '': null } }] }),
    new HumanMessage({ id, content: parts, additional_kwargs: { kind } }),
    new ToolMessage({ id, content: text, tool_call_id: 'c', artifact: { b: 1, a: [text] } }),
    new SystemMessage({ id, content: text }),
  ]
  return forms[(text.length + id.length + kind.length) % forms.length]!
}

/** Writes by task: an error that replaces another one may move behind the writes of other tasks. */
function plain(tuple: CheckpointTuple | undefined): unknown {
  const pendingWrites = tuple?.pendingWrites?.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return tuple && { ...tuple, pendingWrites }
}

async function all(tuples: AsyncIterable<CheckpointTuple>): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const tuple of tuples) found.push(plain(tuple))
  return found
}

// The saver as a store sees it: conversations, several writers, forks and orphans, redaction, deletion.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { uuid6, type BaseCheckpointSaver, type Checkpoint, type CheckpointTuple } from '@langchain/langgraph-checkpoint'
import { PactSaver } from 'pact-context/langgraph'
import { openStore, type Store } from 'pact-context/store'
import { afterAll, expect, test } from 'vitest'

import { refusal } from '../support/postgres.js'

type Config = CheckpointTuple['config']

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-langgraph-'))
afterAll(() => {
  fs.rmSync(folder, { recursive: true, force: true })
})

const THREAD: Config = { configurable: { thread_id: 't', checkpoint_ns: '' } }
const METADATA = { source: 'loop', step: 1, parents: {} } as const
let clock = 0

/** Puts values that all changed; `version` is the version of each. */
async function put(saver: BaseCheckpointSaver, config: Config, values: object, version = 1): Promise<Config> {
  const versions = Object.fromEntries(Object.keys(values).map((name) => [name, version]))
  return saver.put(config, checkpointOf({ ...values }, versions), METADATA, versions)
}

function checkpointOf(values: Record<string, unknown>, versions: Record<string, number>): Checkpoint {
  const id = uuid6(clock++)
  return { v: 4, id, ts: '2026-01-01', channel_values: values, channel_versions: versions, versions_seen: {} }
}

async function valuesAt(saver: BaseCheckpointSaver, config: Config): Promise<unknown> {
  return (await saver.get(config))?.channel_values
}

test('messages are the conversation; other channels are not in it', async () => {
  const store = await openStore('memory:')
  const saver = new PactSaver(store)
  const asked = new HumanMessage({ id: 'h', content: 'Where is it?' })
  const one = await put(saver, THREAD, { messages: [asked], budget: 7 })
  const calls = [{ id: 'c', name: 'look', args: {} }]
  await put(saver, one, { messages: [asked, new AIMessage({ id: 'a', content: '', tool_calls: calls })], budget: 7 }, 2)
  const ctx = await store.open('langgraph/t/@root')
  expect(ctx.thread('@t0').map(({ role, content }) => [role, content])).toEqual([
    ['user', 'Where is it?'],
    ['assistant', ''],
  ])
  expect(ctx.count('@t-1 .block')).toBe(1)
  expect(ctx.diff('@t-1', '@t0', '.block')).toMatchObject({ added: [expect.anything()], removed: [], changed: [] })
  expect(ctx.nodes("@t0 ^sys .channel[data_channel='budget']")).toHaveLength(1)
  expect(ctx.count('@t0 #langgraph:checkpoint[data_step=1]')).toBe(1)
})

test('the channel of messages can have another name, and what is no message is kept as it is', async () => {
  const store = await openStore('memory:')
  const saver = new PactSaver(store, { messages: 'chat' })
  const values = { messages: [new HumanMessage('a')], chat: [{ role: 'user', content: 'b' }] }
  const config = await put(saver, THREAD, values)
  expect(await valuesAt(saver, config)).toEqual(values)
  expect((await store.open('langgraph/t/@root')).thread('@t0')).toEqual([])
  expect(() => new PactSaver(store, { message: 'chat' } as object)).toThrow('did you mean "messages"')
})

test('a fork shows its own branch, although both have the same versions', async () => {
  const store = await openStore('memory:')
  const saver = new PactSaver(store)
  const root = await put(saver, THREAD, { messages: [new HumanMessage({ id: '1', content: 'one' })], plan: 'root' })
  const left = await put(saver, root, { plan: 'left' }, 2)
  const right = checkpointOf({ plan: 'right' }, { messages: 1, plan: 2 })
  const forked = await saver.put(root, right, METADATA, { plan: 2 })
  const after = await saver.put(forked, checkpointOf({}, { messages: 1, plan: 2 }), METADATA, {})
  expect(await valuesAt(saver, left)).toEqual({ plan: 'left' })
  for (const config of [forked, after, THREAD])
    expect(await valuesAt(saver, config)).toMatchObject({ plan: 'right', messages: [{ content: 'one' }] })
})

test('an update of one channel leaves the others, at an old checkpoint too', async () => {
  const store = await openStore('memory:')
  const saver = new PactSaver(store)
  const first = await put(saver, THREAD, { messages: [new HumanMessage({ id: '1', content: 'one' })], note: 'a' })
  const second = await saver.put(first, checkpointOf({}, { messages: 2, note: 1 }), METADATA, { messages: 2 })
  expect(await valuesAt(saver, second)).toEqual({ note: 'a' })
  const updated = await saver.put(first, checkpointOf({ note: 'b' }, { messages: 1, note: 2 }), METADATA, { note: 2 })
  expect(await valuesAt(saver, updated)).toMatchObject({ note: 'b', messages: [{ content: 'one' }] })
})

test('a checkpoint whose parent was thinned out keeps all values that it was given', async () => {
  const store = await openStore('memory:')
  const saver = new PactSaver(store)
  const first = await put(saver, THREAD, { note: 'a', plan: 'p' })
  for (const note of ['b', 'c']) await put(saver, first, { note }, 2)
  await store.retain('langgraph/t/@root', { keep: { newest: 1 } })
  expect(await saver.getTuple(first)).toBeUndefined()
  const orphan = checkpointOf({ note: 'd', plan: 'p' }, { note: 2, plan: 1 })
  expect(await valuesAt(saver, await saver.put(first, orphan, METADATA, { note: 2 }))).toEqual({ note: 'd', plan: 'p' })
})

test('channels may have the names of members of every object', async () => {
  const store = await openStore('memory:')
  const saver = new PactSaver(store)
  const values = JSON.parse('{"__proto__":1,"constructor":2,"":3,"a\\nb":4}') as object
  const first = await put(saver, THREAD, values)
  expect(await valuesAt(saver, first)).toEqual(values)
  const second = await saver.put(first, checkpointOf({ toString: 5 }, { toString: 1, constructor: 1 }), METADATA, {})
  expect(await valuesAt(saver, second)).toEqual({ constructor: 2 })
})

test('the newest checkpoint has the largest id, whichever was put last', async () => {
  const store = await openStore('memory:')
  const saver = new PactSaver(store)
  const older = checkpointOf({ n: 1 }, { n: 1 })
  const newer = checkpointOf({ n: 2 }, { n: 1 })
  for (const each of [newer, older]) await saver.put(THREAD, each, METADATA, { n: 1 })
  expect(await valuesAt(saver, THREAD)).toEqual({ n: 2 })
})

test('a repeated put is answered, another checkpoint with the same id is refused', async () => {
  const store = await openStore('memory:')
  const saver = new PactSaver(store)
  const checkpoint = checkpointOf({ n: 1 }, { n: 1 })
  const config = await saver.put(THREAD, checkpoint, METADATA, { n: 1 })
  for (const each of [saver, new PactSaver(store)])
    expect(await each.put(THREAD, checkpoint, METADATA, { n: 1 })).toEqual(config)
  expect((await store.find('langgraph/t/@root'))?.cycle).toBe(1)
  const other = await refusal(saver.put(THREAD, { ...checkpoint, ts: '2027' }, METADATA, { n: 1 }))
  expect(other.code).toBe('E_CONFLICT')
})

test('writers of two processes lose nothing, in parallel and opened again', async () => {
  const url = `sqlite:${path.join(folder, 'parallel.db')}`
  const stores: Store[] = [await openStore(url), await openStore(url)]
  const savers = stores.map((store) => new PactSaver(store))
  const root = await put(savers[0]!, THREAD, { n: 0 })
  const jobs = Array.from({ length: 12 }, async (_, n) => {
    const saver = savers[n % 2]!
    await saver.putWrites(root, [['n', n]], `task-${n}`)
    return put(saver, root, { n }, 2)
  })
  const configs = await Promise.all(jobs)
  for (const store of stores) await store.close()

  const again = await openStore(url)
  const saver = new PactSaver(again)
  for (const [n, config] of configs.entries()) expect(await valuesAt(saver, config)).toEqual({ n })
  const writes = (await saver.getTuple(root))?.pendingWrites?.map(([, , value]) => value as number)
  expect(writes?.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n))
  expect((await again.fsck()).problems).toEqual([])
  await again.close()
})

test('a message that was redacted in the context is redacted for the graph', async () => {
  const store = await openStore('memory:')
  const saver = new PactSaver(store)
  const config = await put(saver, THREAD, { messages: [new HumanMessage({ id: 'h', content: 'My number is 4711.' })] })
  const ctx = await store.open('langgraph/t/@root')
  ctx.redact('.block', { match: '4711' })
  await ctx.commit()
  for (const each of [THREAD, config]) expect(JSON.stringify(await valuesAt(saver, each))).not.toContain('4711')
})

test('a message that is the same as before is not serialized again, and one that a node changed in place is', async () => {
  const store = await openStore('memory:')
  const { serde: plain } = new PactSaver(store)
  let written = 0
  const serde: typeof plain = {
    dumpsTyped: (value) => {
      written++
      return plain.dumpsTyped(value)
    },
    loadsTyped: (type, bytes) => plain.loadsTyped(type, bytes),
  }
  const saver = new PactSaver(store, { serde })
  const first = Array.from({ length: 50 }, (_, n) => new HumanMessage({ id: `${n}`, content: `${n}` }))
  let config = await put(saver, THREAD, { messages: first })
  const again = (await valuesAt(saver, config)) as { messages: HumanMessage[] }
  written = 0
  config = await put(saver, config, { messages: [...again.messages, new AIMessage('new')] }, 2)
  // The new message, the checkpoint and its metadata.
  expect(written).toBe(3)
  const ctx = await store.open('langgraph/t/@root')
  expect(ctx.diff('@t-1', '@t0', '.block')).toMatchObject({ added: [expect.anything()], removed: [], changed: [] })

  again.messages[7]!.additional_kwargs['mood'] = ['calm']
  again.messages[8]!.content = 'eight'
  config = await put(saver, config, { messages: again.messages }, 3)
  again.messages[7]!.additional_kwargs['mood'] = ['upset']
  config = await put(saver, config, { messages: again.messages }, 4)
  expect(written).toBe(3 + 4 + 3)
  const read = (await valuesAt(new PactSaver(store), config)) as { messages: HumanMessage[] }
  expect(JSON.stringify(read)).toBe(JSON.stringify({ messages: again.messages }))
})

test('what others do to the context between two puts is seen, and their draft stays a draft', async () => {
  const store = await openStore('memory:')
  const saver = new PactSaver(store)
  const messages = ['a', 'b', 'c'].map((id) => new HumanMessage({ id, content: id }))
  let config = await put(saver, THREAD, { messages, n: 1 })
  const other = await store.open('langgraph/t/@root')
  other.update(".block[content='b']", { ttl: 1 })
  await other.commit()
  // The message leaves with this put.
  config = await put(saver, config, { messages, n: 2 }, 2)
  for (const each of [saver, new PactSaver(store)])
    expect(await valuesAt(each, config)).toMatchObject({ messages: [{ id: 'a' }, { id: 'c' }] })
  await other.rebase()
  other.user('A draft')
  await other.save()
  config = await put(saver, config, { messages: messages.slice(0, 1), n: 3 }, 3)
  for (const each of [saver, new PactSaver(store)])
    expect(await valuesAt(each, config)).toMatchObject({ messages: [{ id: 'a' }], n: 3 })
  expect((await store.open('langgraph/t/@root', { draft: 'leave' })).thread('@t0')).toHaveLength(1)
})

test('deleting a thread deletes its namespaces and writes, and no other thread', async () => {
  const store = await openStore('memory:')
  const saver = new PactSaver(store)
  const threads = ['t', 't2', 't/x', 'ü t']
  for (const thread_id of threads)
    for (const checkpoint_ns of ['', 'agent:1|tool:2', 'a/b']) {
      const config = await put(saver, { configurable: { thread_id, checkpoint_ns } }, { thread_id, checkpoint_ns })
      await saver.putWrites(config, [['n', 1]], 'task')
    }
  const left = async (): Promise<Set<unknown>> => {
    const found = new Set<unknown>()
    for await (const { checkpoint } of saver.list({})) found.add(checkpoint.channel_values['thread_id'])
    return found
  }
  expect(await left()).toEqual(new Set(threads))
  await saver.deleteThread('t')
  expect(await left()).toEqual(new Set(['t2', 't/x', 'ü t']))
  expect((await store.list()).contexts).toHaveLength(18)
  expect(await saver.getTuple(THREAD)).toBeUndefined()
  await put(saver, THREAD, { n: 1 })
  expect(await valuesAt(saver, THREAD)).toEqual({ n: 1 })
})

test('a serializer of your own is asked for every value', async () => {
  const store = await openStore('memory:')
  const secret = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => byte ^ 0xff)
  const plain = new PactSaver(store).serde
  const serde: typeof plain = {
    dumpsTyped: async (value) => {
      const [type, bytes] = await plain.dumpsTyped(value)
      return [`${type}+secret`, secret(bytes)]
    },
    loadsTyped: async (type, bytes) => plain.loadsTyped(type.replace('+secret', ''), secret(Buffer.from(bytes))),
  }
  const saver = new PactSaver(store, { serde })
  const config = await put(saver, THREAD, { messages: [new HumanMessage({ id: 'h', content: 'hush' })] })
  await saver.putWrites(config, [['messages', 'hush']], 'task')
  expect(await saver.getTuple(config)).toMatchObject({
    checkpoint: { channel_values: { messages: [{ content: 'hush' }] } },
    pendingWrites: [['task', 'messages', 'hush']],
  })
  for (const { id } of (await store.list()).contexts)
    expect(Buffer.from((await store.open(id)).export('@t0')).toString()).not.toContain('hush')
})

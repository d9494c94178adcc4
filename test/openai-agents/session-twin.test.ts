// A session in a store and the SDK's own MemorySession: the same calls, the same items.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { MemorySession, RequestUsage, type AgentInputItem, type SessionHistoryTransaction } from '@openai/agents-core'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'

import { applyOperations } from 'pact-context'
import { createSession, type StoreSession } from 'pact-context/openai-agents'
import { toOpenAIResponses } from 'pact-context/openai'
import { openStore, type Store } from 'pact-context/store'

import { runs } from '../support/runs.js'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-agents-'))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const STORES: Readonly<Record<string, () => Promise<Store>>> = {
  memory: () => openStore('memory:'),
  sqlite: () => openStore(`sqlite:${path.join(folder, 'twin.db')}`, { durability: 'relaxed' }),
}

const text = fc.string({ maxLength: 12 })
const callId = fc.constantFrom('c1', 'c2', 'c3')
const data = fc.dictionary(
  fc.string({ maxLength: 6 }).filter((key) => key !== '__proto__'),
  fc.oneof(text, fc.integer(), fc.constant(null), fc.boolean(), fc.array(fc.integer(), { maxLength: 2 })),
  { maxKeys: 2 },
)
const shared = { id: fc.string({ minLength: 1, maxLength: 6 }), providerData: data }
const status = fc.constantFrom('in_progress' as const, 'completed' as const, 'incomplete' as const)
const inputText = fc.record(
  { type: fc.constant('input_text' as const), text, providerData: data },
  { requiredKeys: ['type', 'text'] },
)
const outputText = fc.record(
  { type: fc.constant('output_text' as const), text, providerData: data },
  { requiredKeys: ['type', 'text'] },
)
const image = fc.record({ type: fc.constant('input_image' as const), image: fc.webUrl() })

/** Items of every kind that a run makes. */
const item: fc.Arbitrary<AgentInputItem> = fc.oneof(
  fc.record(
    {
      ...shared,
      type: fc.constant('message' as const),
      role: fc.constant('user' as const),
      content: fc.oneof(text, fc.array(fc.oneof(inputText, image), { maxLength: 3 })),
    },
    { requiredKeys: ['role', 'content'] },
  ),
  fc.record({ ...shared, role: fc.constant('system' as const), content: text }, { requiredKeys: ['role', 'content'] }),
  fc.record(
    {
      ...shared,
      type: fc.constant('message' as const),
      role: fc.constant('assistant' as const),
      status,
      content: fc.array(fc.oneof(outputText, fc.record({ type: fc.constant('refusal' as const), refusal: text })), {
        maxLength: 3,
      }),
    },
    { requiredKeys: ['role', 'status', 'content'] },
  ),
  fc.record(
    { ...shared, type: fc.constant('function_call' as const), callId, name: text, arguments: text, status },
    { requiredKeys: ['type', 'callId', 'name', 'arguments'] },
  ),
  fc.record(
    {
      ...shared,
      type: fc.constant('function_call_result' as const),
      callId,
      name: text,
      status,
      output: fc.oneof(
        text,
        fc.record({ type: fc.constant('text' as const), text }),
        fc.array(fc.record({ type: fc.constant('input_text' as const), text }), { maxLength: 2 }),
      ),
    },
    { requiredKeys: ['type', 'callId', 'name', 'status', 'output'] },
  ),
  fc.record(
    { ...shared, type: fc.constant('reasoning' as const), content: fc.array(inputText, { maxLength: 2 }) },
    { requiredKeys: ['type', 'content'] },
  ),
  fc.record(
    { ...shared, type: fc.constant('hosted_tool_call' as const), name: text, arguments: text, output: text },
    { requiredKeys: ['type', 'name'] },
  ),
  fc.record(
    { ...shared, type: fc.constant('compaction' as const), encrypted_content: text },
    {
      requiredKeys: ['type', 'encrypted_content'],
    },
  ),
  fc
    .record({ type: fc.constant('unknown' as const), providerData: data })
    .map((value): AgentInputItem => ({ ...value, type: 'unknown' })),
)
const items = fc.array(item, { maxLength: 4 })
const call = fc.record({ type: fc.constant('function_call' as const), callId, name: text, arguments: text })

type Step = Readonly<{ name: string; run: (session: MemorySession | StoreSession) => Promise<unknown> }>

/** A suffix to replace: as many of the newest items as there are, or some that are not there. */
function suffixStep(count: number, replacement: AgentInputItem[], operationId: string): Step {
  return {
    name: `replace ${count}`,
    run: async (session) => {
      const now = await session.getItems()
      const expectedSuffix = count === 0 ? [] : now.slice(-count)
      const transaction: SessionHistoryTransaction = { type: 'replace_suffix', expectedSuffix, replacement }
      await session.applyHistoryTransaction({ operationId, transaction })
      // Again: the suffix is another one now, and nothing happens.
      await session.applyHistoryTransaction({ operationId, transaction })
    },
  }
}

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: items.map((added): Step => ({ name: 'add', run: (session) => session.addItems(added) })) },
  fc.constant<Step>({ name: 'pop', run: (session) => session.popItem() }),
  {
    weight: 2,
    arbitrary: fc.integer({ min: -1, max: 6 }).map((n): Step => ({ name: 'get', run: (s) => s.getItems(n) })),
  },
  fc
    .array(fc.record({ type: fc.constant('replace_function_call' as const), callId, replacement: call }), {
      maxLength: 3,
    })
    .map((mutations): Step => ({ name: 'mutate', run: (session) => session.applyHistoryMutations({ mutations }) })),
  fc.tuple(items, fc.constantFrom('o1', 'o2', 'o3')).map(([added, operationId]): Step => ({
    name: `append ${operationId}`,
    run: (s) => s.applyHistoryTransaction({ operationId, transaction: { type: 'append_items', items: added } }),
  })),
  fc.tuple(fc.nat({ max: 3 }), items, fc.uuid()).map(([count, made, id]) => suffixStep(count, made, id)),
  fc.tuple(items, fc.uuid()).map(([made, operationId]): Step => ({
    name: 'a suffix that is not there',
    run: (session) =>
      session.applyHistoryTransaction({
        operationId,
        transaction: {
          type: 'replace_suffix',
          expectedSuffix: [{ role: 'user', content: 'never said' }],
          replacement: made,
        },
      }),
  })),
)

/** The result of a step; of an error only that there is one. */
async function outcome(step: Step, session: MemorySession | StoreSession): Promise<unknown> {
  try {
    return { gives: await step.run(session) }
  } catch {
    return 'refused'
  }
}

describe.each(Object.entries(STORES))('on a %s store', (_name, open) => {
  test('a session gives what MemorySession gives, after every call', async () => {
    const store = await open()
    let count = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), fc.boolean(), async (steps, clears) => {
        const sessionId = `s${count++}`
        const twin = new MemorySession({ sessionId })
        for (const each of steps) {
          // A session object of its own for each call, as after a restart.
          expect(await outcome(each, createSession(store, sessionId)), each.name).toEqual(await outcome(each, twin))
          expect(await createSession(store, sessionId).getItems(), each.name).toEqual(await twin.getItems())
        }
        if (clears) await createSession(store, sessionId).clearSession()
        expect(await createSession(store, sessionId).getItems()).toEqual(clears ? [] : await twin.getItems())
        expect(await createSession(store, sessionId).getSessionId()).toBe(await twin.getSessionId())
      }),
      { numRuns: runs(60) },
    )
    await store.close()
  })

  test('sessions that write at once lose nothing, and write nothing twice', async () => {
    const store = await open()
    const said = Array.from({ length: 6 }, (_, writer) => Array.from({ length: 5 }, (_, n) => `${writer}.${n}`))
    await Promise.all(
      said.map(async (texts) => {
        const session = createSession(store, 'shared')
        for (const content of texts) {
          const transaction = { type: 'append_items' as const, items: [{ role: 'user' as const, content }] }
          await session.applyHistoryTransaction({ operationId: content, transaction })
          await session.applyHistoryTransaction({ operationId: content, transaction })
        }
      }),
    )
    const kept = (await createSession(store, 'shared').getItems()).map((entry) =>
      'content' in entry && typeof entry.content === 'string' ? entry.content : '',
    )
    expect(kept.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(said.flat())
    for (const texts of said) expect(kept.filter((entry) => texts.includes(entry))).toEqual(texts)
    await store.close()
  })
})

const user = (content: string): AgentInputItem => ({ role: 'user', content })
const compaction: AgentInputItem = { type: 'compaction', encrypted_content: 'sealed' }

test('a compaction is one commit, keeps what others added meanwhile, and the past keeps the originals', async () => {
  const store = await openStore('memory:')
  const session = createSession(store, 's')
  await session.addItems([user('one'), user('two'), user('three')])
  await session.getItems()
  await createSession(store, 's').addItems([user('from elsewhere')])
  const before = (await store.find('s'))!.cycle
  await session.replaceHistoryWithCompaction([compaction, user('three')])
  expect(await session.getItems()).toEqual([compaction, user('three'), user('from elsewhere')])
  expect((await store.find('s'))!.cycle).toBe(before + 1)
  const ctx = await store.open('s', { history: 'all' })
  expect(ctx.thread('@c1').map(({ content }) => content)).toEqual(['one', 'two', 'three'])
})

test('a session compacts with a function of its own, and says what it cost', async () => {
  const store = await openStore('memory:')
  const usage = new RequestUsage({ inputTokens: 3, outputTokens: 1, totalTokens: 4 })
  const session = createSession(store, 's', {
    compact: async ({ items: given }) => {
      await createSession(store, 's').addItems([user('meanwhile')])
      return given.length < 2 ? undefined : { items: [compaction, user('a'), user('b'), user('c')], usage }
    },
  })
  await session.addItems([user('one')])
  expect(await session.runCompaction()).toBeNull()
  expect(await session.runCompaction()).toEqual({ usage })
  // More items than there were: all are written again.
  expect(await session.getItems()).toEqual([compaction, user('a'), user('b'), user('c'), user('meanwhile')])
  expect(await createSession(store, 's').runCompaction()).toBeNull()
})

test('items are nodes that selectors and adapters know, and text by other means is a message', async () => {
  const store = await openStore('memory:')
  const said: AgentInputItem[] = [
    user('Weather in Turin?'),
    {
      type: 'function_call',
      callId: 'c1',
      name: 'weather',
      arguments: '{"city":"Turin"}',
      status: 'completed',
      providerData: { a: 1 },
    },
    {
      type: 'function_call_result',
      callId: 'c1',
      name: 'weather',
      status: 'completed',
      output: { type: 'text', text: 'Sunny' },
    },
    {
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'It is sunny.', providerData: { annotations: [] } }],
    },
  ]
  await createSession(store, 's').addItems(said)
  const ctx = await store.open('s')
  expect(ctx.nodes('@t0 [kind=call]').map(({ attributes }) => attributes['data_call_id'])).toEqual(['c1'])
  const { input, repairs } = toOpenAIResponses(ctx)
  expect(repairs).toEqual([])
  expect(input).toEqual([
    { role: 'user', content: 'Weather in Turin?' },
    { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Turin"}', status: 'completed' },
    { type: 'function_call_output', call_id: 'c1', output: 'Sunny', status: 'completed' },
    {
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'It is sunny.' }],
    },
  ])
  ctx.user('Typed by hand')
  ctx.assistant('And answered')
  await ctx.commit()
  expect((await createSession(store, 's').getItems()).slice(said.length)).toEqual([
    user('Typed by hand'),
    { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'And answered' }] },
  ])
})

test('a replaced item leaves none of its keys behind, and what was shed or redacted reads so', async () => {
  const store = await openStore('memory:')
  const session = createSession(store, 's')
  const result: AgentInputItem = {
    type: 'function_call_result',
    callId: 'c1',
    name: 'read',
    status: 'completed',
    output: 'a long secret '.repeat(400),
  }
  await session.addItems([
    { type: 'message', id: 'm', role: 'user', content: 'one', providerData: { a: 1 } },
    { type: 'function_call', callId: 'c0', name: 'x', arguments: '{}' },
    { type: 'function_call', callId: 'c1', name: 'read', arguments: '{}' },
    result,
  ])
  const rest = (await session.getItems()).slice(2)
  await session.replaceHistoryWithCompaction([user('summary'), { ...user('and'), id: 'n' }, ...rest])
  expect(await session.getItems()).toEqual([user('summary'), { ...user('and'), id: 'n' }, ...rest])
  const ctx = await store.open('s')
  ctx.redact('^seq .block', { match: 'secret', with: 'word' })
  await ctx.commit()
  expect((await session.getItems()).at(-1)).toEqual({ ...result, output: 'a long word '.repeat(400) })
  const id = ctx.first('^seq .block[kind=result]')!.id
  applyOperations(ctx, [{ op: 'shed', results: [{ id, tokens: 1000 }] }])
  await ctx.commit()
  expect((await session.getItems()).at(-1)).toEqual({ ...result, output: expect.stringContaining('1,000 tokens') })
})

test('what is not JSON is refused, and nothing changes; an operation stays applied after the session was cleared', async () => {
  const store = await openStore('memory:')
  const session = createSession(store, 's')
  const bytes: AgentInputItem = { type: 'unknown', providerData: { bytes: new Uint8Array([1]) } }
  await expect(session.addItems([user('one'), bytes])).rejects.toMatchObject({ code: 'E_CONTENT_INVALID' })
  const transaction = { type: 'append_items' as const, items: [user('one')] }
  await session.applyHistoryTransaction({ operationId: 'o', transaction })
  await session.clearSession()
  await session.applyHistoryTransaction({ operationId: 'o', transaction })
  expect(await session.getItems()).toEqual([])
  await expect(session.applyHistoryTransaction({ operationId: '', transaction })).rejects.toThrow()
})

// Faults that first users made without any sign of them. Each is refused now, or warned of.

import { createContext, PactError, type Context } from 'pact-context'
import { fromAnthropic, receiveAnthropic, toAnthropic } from 'pact-context/anthropic'
import { receiveBedrock } from 'pact-context/bedrock'
import { receiveGemini } from 'pact-context/gemini'
import { receiveOpenAIChat, receiveOpenAIResponses } from 'pact-context/openai'
import { openStore } from 'pact-context/store'
import { expect, test } from 'vitest'

function talk(): Context {
  const ctx = createContext()
  ctx.user('Which files changed?', { tags: ['question'] })
  ctx.tool('src/a.ts', { kind: 'result' })
  ctx.commit()
  return ctx
}

function refusal(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (PactError.is(error)) return error.message.split('\n')[0]!
  }
  return 'not refused'
}

test.each([
  ['.user', `a role is .block[role='user']`],
  ['.question', 'a tag is +question, a key is #question'],
  ['#block:1-1', `An id is { id='block:1-1' }`],
  ['.blok', 'Did you mean ".block"?'],
  ['[rol=user]', 'Did you mean "role"?'],
  ["@t0 .tool[content~'a']", `a role is .block[role='tool']`],
  ['[size>100]', 'Sizes are no attribute'],
  ['[tokens>100]', 'ctx.tokens(lens'],
  ["[kind='tool_result']", "[kind='result']"],
  ["[name='read']", "[content~'read_file']"],
])('a selector that finds nothing says why: %s', (selector, advice) => {
  const ctx = talk()
  const before = ctx.warnings.length
  expect(ctx.select(selector)).toEqual([])
  expect(ctx.warnings.slice(before).map(({ message }) => message)).toEqual([expect.stringContaining(advice)])
  ctx.select(selector)
  expect(ctx.warnings).toHaveLength(before + 1)
})

test('results of Claude are found by their kind, and their missing role is explained', () => {
  const call = { type: 'tool_use', id: 'c1', name: 'read', input: {} }
  const result = { type: 'tool_result', tool_use_id: 'c1', content: 'A text.' }
  const ctx = fromAnthropic({
    messages: [
      { role: 'user', content: 'Read it.' },
      { role: 'assistant', content: [call] },
      { role: 'user', content: [result] },
    ],
  })
  expect(ctx.select(".block[role='tool']")).toEqual([])
  expect(ctx.warnings.at(-1)?.message).toContain("[kind='result'] finds all results")
  expect(ctx.count("[kind='result']")).toBe(1)
})

test('a selector that finds something, and one that is just empty, say nothing', () => {
  const ctx = createContext()
  ctx.add('A note.', { nodeType: 'note' })
  expect(ctx.select('.note')).toHaveLength(1)
  expect(ctx.select('.block[role=user]')).toEqual([])
  expect(ctx.warnings).toEqual([])
})

test.each([
  ['user', `Did you mean ".block[role='user']"?`],
  ['result', `Did you mean ".block[kind='result']"?`],
  ["[content*='x']", "a text inside is [content~'text']"],
  ["[content~='x']", "a text inside is [content~'text']"],
  ["[content^='x']", "a text inside is [content~'text']"],
  [":contains('x')", "a text inside is [content~'text']"],
])('a selector of another language is answered with ours: %s', (selector, advice) => {
  expect(refusal(() => talk().select(selector))).toContain(advice)
})

test.each(['tool_call_id', 'callId', 'tool_use_id'])('the header %s is data_call_id', (name) => {
  expect(refusal(() => talk().tool('x', { [name]: 'a' }))).toContain('did you mean "data_call_id"?')
})

test('a message in the place of the content is refused, data with other keys is not', () => {
  const ctx = createContext()
  expect(refusal(() => ctx.add({ role: 'user', content: 'hi' }))).toContain('write ctx.user(…) with the content alone')
  expect(refusal(() => ctx.user({ role: 'system', content: 'hi' }))).toContain("ctx.add(…, { role: 'system' })")
  ctx.add({ role: 'lead', content: 'hi' })
  ctx.add({ role: 'user', content: 'hi', at: 1 })
  expect(ctx.thread()).toHaveLength(2)
})

const CLAUDE = { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hi.' }], stop_reason: 'end_turn' }

test.each([
  ['receiveAnthropic', CLAUDE],
  ['receiveAnthropic', { role: 'assistant', content: CLAUDE.content, stop_reason: 'end_turn' }],
  ['receiveOpenAIChat', { choices: [{ message: { role: 'assistant', content: 'Hi.' } }] }],
  ['receiveOpenAIChat', { role: 'assistant', content: null, tool_calls: [{ id: 'a' }] }],
  ['receiveOpenAIResponses', { status: 'completed', output: [{ type: 'message', content: [] }] }],
  ['receiveGemini', { candidates: [{ content: { role: 'model', parts: [{ text: 'Hi.' }] } }] }],
  ['receiveBedrock', { output: { message: { role: 'assistant', content: [{ text: 'Hi.' }] } } }],
  ['receiveModelMessages', { text: 'Hi.', response: { messages: [] } }],
])('a whole reply in the place of the content is refused, and %s is named', (way, reply) => {
  const ctx = createContext()
  for (const op of ['assistant', 'user'] as const) {
    expect(refusal(() => ctx[op](reply))).toContain(`attempt.receive(reply) or ${way}(ctx, reply)`)
  }
  // A tool may give such data, or take it.
  ctx.assistant(reply, { kind: 'call', data_call_id: 'a' })
  ctx.tool(reply, { kind: 'result', data_call_id: 'a' })
  expect(ctx.thread()).toHaveLength(2)
})

test('a list of messages in the place of the content is refused, a list of parts is not', () => {
  const ctx = createContext()
  for (const message of [
    { role: 'user', content: 'Hi.' },
    { role: 'assistant', parts: [{ text: 'Hi.' }] },
  ]) {
    expect(refusal(() => ctx.user([message]))).toContain('not a list of messages; a from function makes a context')
  }
  ctx.user([{ type: 'text', text: 'Hi.' }])
  ctx.user([])
  expect(ctx.thread()).toHaveLength(2)
})

test('the model of an attempt with `for` is sent, or refused with the place where it goes', () => {
  const ctx = talk()
  ctx.user('Go on.')
  const start = (input: object): unknown => ctx.startAttempt({ for: toAnthropic, params: {}, ...input } as never)
  expect(refusal(() => start({ model: 'claude-x' }))).toContain(
    'the model goes into the params (params: { model: "claude-x", … })',
  )
  expect(refusal(() => start({ model: 'claude-x', params: { max_tokens: 5 } }))).toContain(
    'params: { model: "claude-x"',
  )
  expect(refusal(() => start({ tools: [], params: { model: 'claude-x' } }))).toContain('no "tools"')
  expect(ctx.attempts()).toEqual([])
  const attempt = ctx.startAttempt({ for: toAnthropic, model: 'claude-x', params: { model: 'claude-x' } })
  expect(attempt.body.model).toBe('claude-x')
  // A call that the caller makes names its provider, and the model with it.
  expect(ctx.startAttempt({ provider: 'acme', model: 'm', for: toAnthropic, params: {} }).record.model).toBe('m')
})

test('a range of depths without an end says how to ask for everything older, and a snapshot is called as it was', () => {
  const ctx = talk()
  expect(refusal(() => ctx.select('d6.. .block'))).toContain('for d6 and everything older write d6..d9999')
  expect(refusal(() => ctx.select('@t5 .block'))).toContain('There is no @t5;')
})

test('a role that no provider has is warned of once', () => {
  const ctx = createContext()
  for (let i = 0; i < 2; i++) ctx.add('hi', { role: 'human' })
  ctx.add('hi', { role: 'usr' })
  ctx.add('hi', { role: 'developer' })
  expect(ctx.warnings.map(({ message }) => message)).toEqual([
    expect.stringContaining('Did you mean "user"?'),
    expect.stringContaining('Did you mean "user"?'),
  ])
})

test('a target without a limit is warned of', () => {
  const kinds = (prune: object): unknown[] => createContext({ prune }).warnings.map(({ details }) => details['kind'])
  expect(kinds({ target: 0.5 })).toEqual(['target-without-limit'])
  expect(kinds({ target: 0.5, maxNodes: 10 })).toEqual([])
})

test('a read during a first commit that is not awaited names the commit', async () => {
  const store = await openStore('memory:')
  const ctx = await store.open('trip')
  ctx.user('Hi')
  const committing = ctx.commit()
  expect(refusal(() => ctx.thread('@t0'))).toContain('a commit that is under way has to be awaited')
  await committing
  expect(ctx.thread('@t0')).toHaveLength(1)
  await store.close()
})

test('the author of a commit is in the receipt and in explain, also after the store was opened again', async () => {
  const store = await openStore('memory:')
  const ctx = await store.open('trip')
  ctx.set('plan', 'Rome')
  await ctx.commit({ author: 'ann' })
  ctx.update('#plan', { tags: ['trip'] })
  await ctx.commit({ author: 'planner' })
  const again = await store.open('trip')
  for (const each of [ctx, again]) {
    expect(['@t0', '@t-1'].map((lens) => each.snapshot(lens as '@t0').receipt.author)).toEqual(['planner', 'ann'])
    const { created, changed, sentences } = each.explain('#plan')
    expect([created?.author, changed?.author]).toEqual(['ann', 'planner'])
    expect(sentences.slice(0, 2).join(' ')).toMatch(/committed by ann\. .*committed by planner\.$/)
  }
  await store.close()
  const alone = talk()
  alone.user('Go on.')
  expect(alone.commit({ author: 'ann' }).receipt.author).toBe('ann')
  expect(refusal(() => alone.commit({ autor: 'ann' } as object))).toContain('author')
})

test('explain takes a selector that finds one node', () => {
  const ctx = talk()
  ctx.user('Go on.')
  expect(ctx.explain("[kind='result']").id).toBe('block:1-2')
  expect(refusal(() => ctx.explain('.block'))).toContain('finds several nodes in working, and one is wanted: block:1-1')
  expect(refusal(() => ctx.explain('.user'))).toContain(`a role is .block[role='user']`)
  expect(refusal(() => ctx.explain('#plan'))).toContain('Nothing in working matches #plan')
  expect(refusal(() => ctx.explain('block:9-9'))).toContain('There is no node block:9-9')
  expect(refusal(() => ctx.explain("@t0 [kind='result']"))).toContain('give the lens by itself, after the node')
  expect(ctx.explain("[kind='result']", '@t0').id).toBe('block:1-2')
})

test('a secret looked for in all of history: the time prefix is named as what has to go', async () => {
  const ctx = talk()
  expect(refusal(() => ctx.forget("@* [content~'src']"))).toContain('leave the time prefix out')
  const store = await openStore('memory:')
  const kept = await store.open('trip')
  kept.user('My key is sk-1.')
  await kept.commit()
  await expect(store.erase('trip', "@* [content~'sk-1']")).rejects.toThrow('erasing searches every snapshot anyway')
  expect((await store.erase('trip', "[content~'sk-1']")).ids).toEqual(['block:1-1'])
  await store.close()
})

test('a request that was never recorded says why', () => {
  expect(refusal(() => talk().requestOf('attempt:1-0'))).toContain('An import has none')
})

test('tokens by kind and by tool, and of chosen nodes alone', () => {
  const ctx = createContext({ countTokens: (text) => text.length })
  ctx.user('abc')
  ctx.assistant({ name: 'read', arguments: {} }, { kind: 'call', data_call_id: 'c1' })
  ctx.tool('1234567890', { kind: 'result', data_call_id: 'c1' })
  ctx.commit()
  expect(ctx.tokens('@t0', { by: 'kind' }).by).toMatchObject({ '': 3, result: 10 })
  const { total, by } = ctx.tokens('@t0', { by: 'name' })
  expect(by).toEqual({ '': 3, read: total - 3 })
  const only = ctx.select("@t0 [kind='result']")
  expect(ctx.tokens('@t0', { by: 'node', only })).toEqual({ total: 10, by: { 'block:1-3': 10 } })
  expect(ctx.tokens('@t0', { only })).toEqual({ total: 10 })
})

const CALL = { city: 'Rome' }
test.each([
  [
    'Claude',
    (ctx: Context) =>
      receiveAnthropic(ctx, {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 's' },
          { type: 'tool_use', id: 'c1', name: 'weather', input: CALL },
        ],
      }),
  ],
  [
    'Chat',
    (ctx: Context) =>
      receiveOpenAIChat(ctx, {
        choices: [
          {
            message: {
              role: 'assistant',
              content: null,
              tool_calls: [
                { id: 'c1', type: 'function', function: { name: 'weather', arguments: JSON.stringify(CALL) } },
              ],
            },
          },
        ],
      }),
  ],
  [
    'Responses',
    (ctx: Context) =>
      receiveOpenAIResponses(ctx, {
        status: 'completed',
        output: [{ type: 'function_call', id: 'f1', call_id: 'c1', name: 'weather', arguments: JSON.stringify(CALL) }],
      }),
  ],
  [
    'Gemini',
    (ctx: Context) =>
      receiveGemini(ctx, {
        candidates: [{ content: { role: 'model', parts: [{ functionCall: { name: 'weather', args: CALL } }] } }],
      }),
  ],
  [
    'Bedrock',
    (ctx: Context) =>
      receiveBedrock(ctx, {
        output: {
          message: { role: 'assistant', content: [{ toolUse: { toolUseId: 'c1', name: 'weather', input: CALL } }] },
        },
        stopReason: 'tool_use',
      }),
  ],
])('a call of %s is drawn with its arguments, its failed result as a text', (_name, receive) => {
  const ctx = createContext()
  ctx.user('Is it sunny?')
  receive(ctx)
  ctx.result(ctx.openCalls()[0]!, 'No such city.', { error: true })
  const drawn = String(ctx.working)
  expect(drawn).toContain('weather({"city":"Rome"})')
  expect(drawn).toMatch(/tool result .* No such city\.$/m)
  expect(drawn).not.toContain('"thinking"')
})

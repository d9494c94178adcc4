// Items that OpenAI's API itself gave go back: hosted calls, thoughts with the items that they led to, new kinds and keys, ids of compatible servers, calls that
// are answered later, answers to OpenAI's own tools, words for other providers, and cache options. Each case has been lost or refused before.

import { describe, expect, it } from 'vitest'

import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { toGemini } from '../../src/adapters/gemini/index.js'
import {
  fromOpenAIResponses,
  receiveOpenAIChat,
  receiveOpenAIResponses,
  toOpenAIChat,
  toOpenAIResponses,
} from '../../src/adapters/openai/index.js'
import { type Context, createContext } from '../../src/index.js'

type Item = Readonly<Record<string, unknown>>

const REMOVED = { author: 'me', reason: 'r' }
const THOUGHT = { type: 'reasoning', id: 'rs_1', summary: [] }
const SEALED = { ...THOUGHT, encrypted_content: 'e' }
const CALL = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{}', status: 'completed' }
const SEARCH = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } }
const TOOL = { type: 'function', name: 'g', parameters: {}, strict: false }
const MCP = { type: 'mcp_call', id: 'mcp_1', server_label: 's', name: 'look', arguments: '{}', output: 'MCP words' }
const FILES = {
  type: 'file_search_call',
  id: 'fs_1',
  status: 'completed',
  queries: ['q'],
  results: [{ file_id: 'file_1', filename: 'a.md', text: 'file words', score: 1 }],
}
const CODE = {
  type: 'code_interpreter_call',
  id: 'ci_1',
  status: 'completed',
  code: 'print(1)',
  container_id: 'cntr_1',
  outputs: [{ type: 'logs', logs: 'log words' }],
}

function message(text: string): Item & { type: string } {
  const content = [{ type: 'output_text', text, annotations: [] }]
  return { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }
}

function received(...output: readonly object[]): Context {
  const ctx = createContext()
  ctx.user('go')
  receiveOpenAIResponses(ctx, { output } as never)
  return ctx
}

function sent(ctx: Context, options = {}): readonly Item[] {
  return toOpenAIResponses(ctx, options).input as unknown as readonly Item[]
}

function kinds(items: readonly Item[]): unknown {
  return items.map(({ type, role, id }) => [type ?? role, id])
}

function codes(ctx: Context, options = {}): unknown {
  return toOpenAIResponses(ctx, options).repairs.map(({ code }) => code)
}

describe('hosted calls', () => {
  it.each([
    ['their thought is not stored', { store: false }, () => {}],
    ['their thought is deleted', {}, (ctx: Context) => ctx.delete("[kind='reasoning']", REMOVED)],
  ])('go without their id where %s: their words stay (i05)', (_, options, edit) => {
    const ctx = received(THOUGHT, SEARCH, MCP, FILES, CODE, message('found'))
    edit(ctx)
    ctx.user('go on')
    const items = sent(ctx, options)
    expect(items.filter(({ id }) => id !== undefined)).toEqual([])
    expect(items.slice(1).map(({ role, content }) => (typeof content === 'string' ? content : role))).toEqual([
      'MCP words',
      'a.md:\nfile words',
      'log words',
      'assistant',
      'go on',
    ])
    expect(codes(ctx, options)).toContain('converted')
  })

  it('give their picture to the user', () => {
    const image = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'aGk=' }
    const ctx = received(THOUGHT, image)
    ctx.delete("[kind='reasoning']", REMOVED)
    expect(sent(ctx)[1]).toMatchObject({ role: 'user', content: [{ image_url: 'data:image/png;base64,aGk=' }] })
  })

  it('stay with their thought', () => {
    const ctx = received(THOUGHT, SEARCH, MCP, message('found'))
    ctx.user('go on')
    expect(kinds(sent(ctx).slice(1, 5))).toEqual([
      ['reasoning', 'rs_1'],
      ['web_search_call', 'ws_1'],
      ['mcp_call', 'mcp_1'],
      ['message', 'msg_1'],
    ])
    expect(codes(ctx)).toEqual([])
  })

  it('keep the null of a key that they need (i06)', () => {
    const ctx = received(THOUGHT, { ...CODE, outputs: null, code: null }, message('1'))
    ctx.user('again')
    expect(sent(ctx)[2]).toEqual({ ...CODE, outputs: null, code: null })
    expect(codes(ctx)).toEqual([])
  })
})

describe('a thought goes only with the item that it led to (i08)', () => {
  const first = { ...CALL, id: 'fc_0', call_id: 'c0' }
  it.each([
    ['its call is deleted', [SEALED, CALL], "[kind='call']", undefined],
    ['its call is another one', [SEALED, CALL], "[kind='call']", { content: { name: 'f', arguments: { a: 1 } } }],
    ['its words are others', [SEALED, message('Hi')], "[kind='message']", { content: 'Ho' }],
    ['the first of two calls is gone', [SEALED, first, CALL], "[data_call_id='c0']", undefined],
    [
      'it was changed itself',
      [SEALED, CALL],
      "[kind='reasoning']",
      { content: { ...SEALED, summary: [{ type: 'summary_text', text: 'x' }] } },
    ],
  ] as const)('%s', (_, output, selector, replacement) => {
    const ctx = received(...output)
    if (replacement === undefined) ctx.delete(selector, REMOVED)
    else ctx.replace(selector, replacement)
    ctx.assistant('by hand')
    for (const call of ctx.openCalls()) ctx.result(call, 'x')
    ctx.user('go on')
    const items = sent(ctx)
    expect(items.filter(({ type }) => type === 'reasoning')).toEqual([])
    expect(items.filter(({ id }) => id !== undefined)).toEqual([])
    expect(codes(ctx)).toContain('left-out')
  })

  it('parallel calls behind the first may go', () => {
    const ctx = received(SEALED, CALL, { ...CALL, id: 'fc_2', call_id: 'c2' })
    ctx.result('c1', 'x')
    ctx.delete("[data_call_id='c2']", REMOVED)
    expect(kinds(sent(ctx).slice(1, 3))).toEqual([
      ['reasoning', 'rs_1'],
      ['function_call', 'fc_1'],
    ])
  })

  it('items that came without ids keep their thought', () => {
    const { id: _id, ...call } = CALL
    const ctx = fromOpenAIResponses({ input: [{ role: 'user', content: 'go' }, SEALED, call] })
    ctx.result('c1', 'x')
    expect(kinds(sent(ctx).slice(1, 3))).toEqual([
      ['reasoning', 'rs_1'],
      ['function_call', undefined],
    ])
  })
})

it('a text in the place of an imported message has no id and no status', () => {
  const ctx = fromOpenAIResponses({
    input: [{ role: 'user', content: 'Hello' }, message('Hi'), { role: 'user', content: 'x' }],
  })
  ctx.replace("[role='assistant']", { content: 'Ho' })
  expect(sent(ctx)[1]).toEqual({ type: 'message', role: 'assistant', content: 'Ho' })
  expect(codes(ctx)).toEqual(['dropped-key'])
})

it('a message of a role that is unknown is sent as the user’s, without the keys of an answer', () => {
  const content = [{ type: 'output_text', text: 'x', annotations: [] }]
  const given = { type: 'message', role: 'critic', id: 'msg_1', status: 'completed', phase: 'commentary', content }
  const { input, repairs } = toOpenAIResponses(fromOpenAIResponses({ input: [given] }))
  expect(input).toEqual([{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] }])
  expect(repairs.map(({ code }) => code)).toEqual(['converted', 'dropped-key'])
})

describe('kinds and keys of openai 7 (l05)', () => {
  it('of a reply go back', () => {
    const update = { type: 'configuration_update', id: 'cu_1', reasoning: { effort: 'low' } }
    const next = { type: 'a_kind_of_next_month', id: 'x_1', data: 1 }
    const call = { ...CALL, async: true }
    const image = {
      type: 'image_generation_call',
      id: 'ig_1',
      status: 'completed',
      result: 'aGk=',
      action: 'generate',
      background: 'auto',
      output_format: 'png',
      quality: 'low',
      revised_prompt: 'a cat',
      size: '1024x1024',
    }
    const ctx = received(update, call, image, next)
    expect(ctx.due()).toBe('calls')
    ctx.result('c1', 'r')
    expect(sent(ctx).filter(({ id }) => id !== undefined)).toEqual([update, call, image, next])
    expect(codes(ctx)).toEqual([])
  })

  it('of an imported request go back', () => {
    const input = [
      { type: 'configuration_update', reasoning: { effort: 'high' }, text: { format: { type: 'text' } } },
      { role: 'user', content: 'go' },
      CALL,
      { type: 'function_call_output', call_id: 'c1', output: 'x', name: 'f', namespace: 'n' },
      { type: 'compaction_trigger', id: 'ct_1' },
    ]
    const ctx = fromOpenAIResponses({ input })
    expect(toOpenAIResponses(ctx).input).toEqual(input)
    expect(codes(ctx)).toEqual([])
  })

  it('of a reply that ends with an item of an unknown kind ask for nothing more', () => {
    const ctx = received(message('done'), { type: 'a_kind_of_next_month', id: 'x_1' })
    expect(ctx.due()).toBe('nothing')
    expect(received({ type: 'a_kind_of_next_month', id: 'x_1' }).due()).toBe('nothing')
  })
})

it('ids of a server that only speaks the format stay with its thoughts (l06)', () => {
  const thought = {
    type: 'reasoning',
    id: '86c214aa-60a1',
    status: 'completed',
    summary: [],
    content: [{ type: 'reasoning_text', text: 'I need the tool.' }],
  }
  const call = { ...CALL, id: 'c830d5aa' }
  const ctx = received(thought, call)
  ctx.result('c1', 'sunny')
  expect(sent(ctx).slice(1, 3)).toEqual([thought, call])
  expect(codes(ctx)).toEqual([])
})

describe('calls that are answered later', () => {
  const late = { ...CALL, async: true }

  it('have no stub, and their result stays where it came', () => {
    const ctx = received(late)
    ctx.commit()
    ctx.user('Meanwhile?')
    expect(kinds(sent(ctx))).toEqual([
      ['user', undefined],
      ['function_call', 'fc_1'],
      ['user', undefined],
    ])
    expect(codes(ctx)).toEqual([])
    receiveOpenAIResponses(ctx, { output: [message('Wait.')] as never })
    ctx.commit()
    const before = JSON.stringify(sent(ctx)).slice(0, -1)
    ctx.result('c1', 'sunny')
    const items = sent(ctx)
    expect(items.at(-1)).toEqual({ type: 'function_call_output', call_id: 'c1', output: 'sunny' })
    expect(JSON.stringify(items).startsWith(before)).toBe(true)
    expect(codes(ctx)).toEqual([])
  })

  it('do not hold documents back', () => {
    const ctx = received(late)
    ctx.post('A document.')
    receiveOpenAIResponses(ctx, { output: [message('Wait.')] as never })
    ctx.result('c1', 'sunny')
    expect(sent(ctx).map(({ type, role }) => type ?? role)).toEqual([
      'user',
      'function_call',
      'user',
      'message',
      'function_call_output',
    ])
  })

  it('have one for another provider', () => {
    const ctx = received(late)
    ctx.commit()
    ctx.user('Meanwhile?')
    expect(toAnthropic(ctx).repairs.map(({ code }) => code)).toEqual(['stub-result'])
  })
})

describe("answers to OpenAI's own tools, written by hand", () => {
  const shell = {
    type: 'shell_call',
    id: 'sh_1',
    call_id: 'c1',
    status: 'completed',
    action: { commands: ['ls'], max_output_length: 900 },
  }
  const local = {
    type: 'local_shell_call',
    id: 'lsh_1',
    call_id: 'c1',
    status: 'completed',
    action: { type: 'exec', command: ['ls'], env: {} },
  }
  const patch = {
    type: 'apply_patch_call',
    id: 'ap_1',
    call_id: 'c1',
    status: 'completed',
    operation: { type: 'delete_file', path: 'a' },
  }
  const computer = {
    type: 'computer_call',
    id: 'cu_1',
    call_id: 'c1',
    status: 'completed',
    pending_safety_checks: [],
    action: { type: 'screenshot' },
  }
  const search = {
    type: 'tool_search_call',
    id: 'ts_1',
    call_id: 'c1',
    status: 'completed',
    execution: 'client',
    arguments: {},
  }
  const picture = [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }]
  const exit = (stdout: string, stderr: string, code: number): object => ({
    stdout,
    stderr,
    outcome: { type: 'exit', exit_code: code },
  })

  it.each([
    [
      shell,
      'a.txt',
      {},
      { type: 'shell_call_output', call_id: 'c1', max_output_length: 900, output: [exit('a.txt', '', 0)] },
    ],
    [
      shell,
      'no',
      { error: true },
      { type: 'shell_call_output', call_id: 'c1', max_output_length: 900, output: [exit('', 'no', 1)] },
    ],
    [
      shell,
      { stdout: 'a', stderr: 'b', exit_code: 2 },
      {},
      { type: 'shell_call_output', call_id: 'c1', max_output_length: 900, output: [exit('a', 'b', 2)] },
    ],
    [local, 'a.txt', {}, { type: 'local_shell_call_output', id: 'c1', output: 'a.txt' }],
    [patch, 'done', {}, { type: 'apply_patch_call_output', call_id: 'c1', status: 'completed', output: 'done' }],
    [patch, 'no', { error: true }, { type: 'apply_patch_call_output', call_id: 'c1', status: 'failed', output: 'no' }],
    [
      computer,
      picture,
      {},
      {
        type: 'computer_call_output',
        call_id: 'c1',
        output: { type: 'computer_screenshot', image_url: 'data:image/png;base64,aGk=' },
      },
    ],
    [
      computer,
      'https://example.com/a.png',
      {},
      {
        type: 'computer_call_output',
        call_id: 'c1',
        output: { type: 'computer_screenshot', image_url: 'https://example.com/a.png' },
      },
    ],
    [search, [TOOL], {}, { type: 'tool_search_output', call_id: 'c1', tools: [TOOL] }],
  ])('%j: %j', (call, content, options, answer) => {
    const ctx = received(call)
    ctx.result('c1', content, options)
    expect(sent(ctx).slice(1)).toEqual([call, answer])
    expect(codes(ctx)).toEqual([])
  })

  it('a shell whose result expired stays a shell', () => {
    const ctx = received(shell)
    ctx.result('c1', 'a.txt', { ttl: 1 })
    ctx.commit()
    ctx.user('And?')
    ctx.commit()
    expect(sent(ctx)[2]).toMatchObject({
      type: 'shell_call_output',
      output: [exit('', '[tool result no longer in context]', 1)],
    })
  })

  it('a screen that is told in words is a function', () => {
    const ctx = received(computer)
    ctx.result('c1', 'a page')
    expect(sent(ctx).slice(1)).toEqual([
      { type: 'function_call', call_id: 'c1', name: 'computer', arguments: '{"type":"screenshot"}' },
      { type: 'function_call_output', call_id: 'c1', output: 'a page' },
    ])
    expect(codes(ctx)).toEqual(['converted'])
  })

  it('a picture of a screen is one for other providers', () => {
    const output = { type: 'computer_screenshot', image_url: 'data:image/png;base64,aGk=' }
    const ctx = fromOpenAIResponses({
      input: [{ role: 'user', content: 'look' }, computer, { type: 'computer_call_output', call_id: 'c1', output }],
    })
    expect(JSON.stringify(toAnthropic(ctx))).toContain('"type":"image"')
  })
})

it('words of hosted calls are texts for other providers', () => {
  const ctx = received(MCP, FILES, CODE, message('found'))
  ctx.user('go on')
  for (const request of [toAnthropic(ctx), toGemini(ctx), toOpenAIChat(ctx)]) {
    const text = JSON.stringify(request)
    for (const words of ['MCP words', 'file words', 'log words']) expect(text).toContain(words)
    expect(request.repairs.filter(({ code }) => code === 'converted')).toHaveLength(3)
  }
  expect(codes(ctx)).toEqual([])
})

describe('prompt caches', () => {
  it('an empty text is no empty part (i10)', () => {
    const ctx = createContext()
    ctx.user('q')
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
    receiveOpenAIChat(ctx, { role: 'assistant', content: '', tool_calls: [call] })
    ctx.result('a', '')
    const { messages } = toOpenAIChat(ctx, { cache: true })
    expect(messages.slice(1).map(({ content }) => content)).toEqual(['', ''])
  })

  it('mode, lifetime and comparison are sent', () => {
    const ctx = createContext()
    ctx.user('q')
    const cache = { key: 'k', mode: 'explicit', ttl: '12h', compareTo: 'resp_1' } as const
    expect(toOpenAIResponses(ctx, { cache })).toMatchObject({
      prompt_cache_key: 'k',
      prompt_cache_options: { comparison_response_id: 'resp_1', mode: 'explicit', ttl: '12h' },
    })
    expect(toOpenAIChat(ctx, { cache: { ttl: '30m' } }).prompt_cache_options).toEqual({ ttl: '30m' })
    expect(() => toOpenAIChat(ctx, { cache: { ttl: '12h' } })).toThrow('ttl is 30m')
    expect(() => toOpenAIChat(ctx, { cache: { compareTo: 'x' } as never })).toThrow('compareTo')
    expect(() => toOpenAIResponses(ctx, { cache: { mode: 'none' as never } })).toThrow('mode is implicit or explicit')
    expect(() => toAnthropic(ctx, { cache: { ttl: '12h' as never } })).toThrow('ttl is 5m or 1h')
  })

  it('four marks may be chosen where the provider sets none', () => {
    const ctx = createContext()
    for (const text of ['a', 'b', 'c', 'd', 'e']) ctx.user(text)
    const at = ctx.nodes('.block').map(({ id }) => id)
    expect(toOpenAIResponses(ctx, { cache: { at: at.slice(0, 4), mode: 'explicit' } }).breakpoints).toHaveLength(4)
    expect(() => toOpenAIResponses(ctx, { cache: { at: at.slice(0, 4) } })).toThrow('at most 3')
  })

  it('what the provider said about its cache is on the attempt', () => {
    const ctx = createContext()
    ctx.user('q')
    const attempt = ctx.startAttempt({ for: toOpenAIResponses, params: { model: 'gpt-5.6' } })
    const diagnostics = { type: 'cache_miss', reason: 'tools_changed', cache_missed_tokens: 9 }
    attempt.receive({
      id: 'resp_1',
      status: 'completed',
      output: [message('Hi')],
      prompt_cache_diagnostics: diagnostics,
      usage: {
        input_tokens: 100,
        output_tokens: 5,
        input_tokens_details: {
          cached_tokens: 60,
          cache_write_tokens: 30,
          cache_write_tokens_details: { ttl_30m_tokens: 10, ttl_12h_tokens: 20 },
        },
      },
    })
    expect(attempt.record.reported).toMatchObject({
      cacheRead: 60,
      cacheWrite: 30,
      cacheWrites: { '30m': 10, '12h': 20 },
      details: { prompt_cache_diagnostics: diagnostics },
    })
  })
})

it('a thought is not sent before a message without parts, which is not sent either (i08)', () => {
  const ctx = fromOpenAIResponses({
    input: [
      { role: 'user', content: 'Hi' },
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'message', role: 'assistant', content: [] },
      { role: 'user', content: 'And?' },
    ],
  })
  expect(toOpenAIResponses(ctx).input).toEqual([
    { role: 'user', content: 'Hi' },
    { role: 'user', content: 'And?' },
  ])
})

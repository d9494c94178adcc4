import { CHAT_RULES, checkOpenAIChat, type ChatOptions } from '../openai-chat.js'
import type { Keyed } from '../violations.js'
import { before, instead, withProto, type Judged, type Planted } from './planted.js'

const user = (content: unknown): Keyed => ({ role: 'user', content })
const call = (id: string, name = 'look_up', args = '{"q":1}'): Keyed => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})
const calls = (...list: readonly Keyed[]): Keyed => ({ role: 'assistant', content: null, tool_calls: list })
const result = (id: string, content: unknown = 'found'): Keyed => ({ role: 'tool', tool_call_id: id, content })

const MESSAGES: readonly Keyed[] = [
  { role: 'system', content: 'Be short.' },
  user([
    { type: 'text', text: 'What is this?', prompt_cache_breakpoint: { mode: 'explicit' } },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
  ]),
  calls(call('a'), call('b')),
  result('b'),
  result('a', [{ type: 'text', text: 'more' }]),
  { role: 'assistant', content: 'A cat.' },
  user('And this?'),
]

const planted: readonly Planted<ChatOptions>[] = [
  { rule: 'json', what: 'an undefined key', request: { messages: [{ ...user('x'), name: undefined }] } },
  { rule: 'json', what: 'a bigint', request: { messages: [{ ...user('x'), made: 2n ** 60n }] } },
  { rule: 'json', what: 'not a number', request: { messages: [{ ...user('x'), made: Number.NaN }] } },
  { rule: 'json', what: 'a date', request: { messages: [{ ...user('x'), made: new Date(0) }] } },
  { rule: 'json', what: 'a hole', request: { messages: [{ ...user('x'), made: Array.from({ length: 2 }) }] } },
  { rule: 'request', what: 'no messages', request: { messages: [] } },
  { rule: 'request', what: 'no list', request: { messages: 'x' } },
  { rule: 'role', what: 'a role of another provider', request: { messages: [{ role: 'model', content: 'x' }] } },
  { rule: 'role', what: 'no object', request: { messages: [...MESSAGES, null] } },
  { rule: 'shape', what: 'a number as content', request: { messages: [user(1)] } },
  { rule: 'shape', what: 'null as the content of a tool', request: at(3, result('b', null)) },
  { rule: 'shape', what: 'null as the content of a user', request: { messages: [user(null)] } },
  { rule: 'shape', what: 'no content of a user', request: { messages: [{ role: 'user' }] } },
  {
    rule: 'shape',
    what: 'arguments that are an object',
    request: withCalls({ ...call('a'), function: { name: 'f', arguments: {} } }),
  },
  {
    rule: 'shape',
    what: 'a call without an id',
    request: withCalls(call('a'), { type: 'function', function: { name: 'f', arguments: '' } }),
  },
  {
    rule: 'part',
    what: 'an image of an assistant',
    request: at(5, { role: 'assistant', content: [{ type: 'image_url', image_url: { url: 'x' } }] }),
  },
  {
    rule: 'part',
    what: 'an image of a tool',
    request: at(3, result('b', [{ type: 'image_url', image_url: { url: 'x' } }])),
  },
  {
    rule: 'part',
    what: 'a part of another provider',
    request: { messages: [user([{ type: 'thinking', thinking: 'x' }])] },
  },
  { rule: 'part', what: 'a part without a type', request: { messages: [user([{ text: 'x' }])] } },
  {
    rule: 'unknown-key',
    what: 'a key of a server',
    request: { messages: [{ ...user('x'), reasoning: 'y' }] },
    options: { unknownKeys: 'refused' },
  },
  {
    rule: 'unknown-key',
    what: '__proto__',
    request: { messages: [withProto(user('x'))] },
    options: { unknownKeys: 'refused' },
  },
  { rule: 'content-missing', what: 'null alone', request: at(5, { role: 'assistant', content: null }) },
  { rule: 'content-missing', what: 'absent alone', request: at(5, { role: 'assistant' }) },
  {
    rule: 'content-missing',
    what: 'null beside null',
    request: at(5, { role: 'assistant', content: null, refusal: null }),
  },
  { rule: 'empty-list', what: 'no part', request: { messages: [user([])] } },
  { rule: 'empty-list', what: 'no call', request: at(5, { role: 'assistant', content: 'x', tool_calls: [] }) },
  { rule: 'empty-text', what: 'of a user', request: { messages: [user('')] } },
  { rule: 'empty-text', what: 'of an assistant', request: at(5, { role: 'assistant', content: '' }) },
  { rule: 'empty-text', what: 'in a part', request: { messages: [user([{ type: 'text', text: '' }])] } },
  { rule: 'call-unanswered', what: 'one of two', request: at(3) },
  { rule: 'call-unanswered', what: 'at the end', request: { messages: MESSAGES.slice(0, 3) } },
  {
    rule: 'between',
    what: 'a user',
    request: { messages: before(MESSAGES, 4, user('Wait.')) },
    also: ['result-orphan'],
  },
  {
    rule: 'between',
    what: 'a system message',
    request: { messages: before(MESSAGES, 3, { role: 'system', content: 'x' }) },
    also: ['result-orphan'],
  },
  { rule: 'result-orphan', what: 'no call', request: { messages: [user('x'), result('a')] } },
  { rule: 'result-orphan', what: 'at the start', request: { messages: [result('a'), ...MESSAGES] } },
  {
    rule: 'result-orphan',
    what: 'before its call',
    request: { messages: instead(before(MESSAGES, 2, result('a')), 5) },
    also: ['call-unanswered'],
  },
  { rule: 'result-orphan', what: 'twice', request: { messages: before(MESSAGES, 4, result('b')) } },
  { rule: 'call-id', what: '41 characters', request: withCalls(call('i'.repeat(41))) },
  { rule: 'call-id', what: 'none', request: withCalls(call('')) },
  { rule: 'call-id-twice', what: 'in one message', request: { messages: [calls(call('a'), call('a')), result('a')] } },
  { rule: 'tool-name', what: 'a dot', request: withCalls(call('a', 'files.read')) },
  { rule: 'tool-name', what: 'too long', request: withCalls(call('a', 'n'.repeat(65))) },
]

export const CHAT: Judged<ChatOptions> = {
  name: 'OpenAI Chat Completions',
  rules: CHAT_RULES,
  check: checkOpenAIChat,
  valid: [
    { what: 'a conversation with everything', request: { messages: MESSAGES }, options: { unknownKeys: 'refused' } },
    {
      what: 'keys of compatible servers',
      request: { messages: [withProto({ ...user('x'), reasoning_details: [{}] })] },
    },
    { what: 'arguments that are no JSON', request: withCalls(call('a', 'f', '{"q":')) },
    {
      what: 'a call id of 40, used again later',
      request: { messages: [...pair('i'.repeat(40)), ...pair('i'.repeat(40))] },
    },
    { what: 'a tool that says nothing', request: { messages: [calls(call('a')), result('a', '')] } },
    { what: 'a call beside an empty text', request: { messages: [{ ...calls(call('a')), content: '' }, result('a')] } },
    {
      what: 'a call without content',
      request: { messages: [{ role: 'assistant', tool_calls: [call('a')] }, result('a')] },
    },
    { what: 'a refusal alone', request: at(5, { role: 'assistant', content: null, refusal: 'No.' }) },
    { what: 'the start and the end an assistant’s', request: { messages: [{ role: 'assistant', content: 'Hello.' }] } },
    {
      what: 'system messages anywhere',
      request: { messages: before(MESSAGES, 6, { role: 'developer', content: 'x' }) },
    },
    { what: 'NUL and what is not NFC', request: { messages: [user('\0 e\u0301')] } },
    { what: 'a custom tool', request: withCalls({ id: 'a', type: 'custom', custom: { name: 'f', input: '' } }) },
  ],
  planted,
}

function at(place: number, ...messages: readonly Keyed[]): Keyed {
  return { messages: instead(MESSAGES, place, ...messages) }
}

function withCalls(...list: readonly Keyed[]): Keyed {
  return {
    messages: [user('x'), calls(...list), ...list.flatMap(({ id }) => (typeof id === 'string' ? [result(id)] : []))],
  }
}

function pair(id: string): Keyed[] {
  return [calls(call(id)), result(id)]
}

import { checkModelMessages, MODEL_MESSAGES_RULES, type ModelMessagesOptions } from '../model-messages.js'
import type { Keyed } from '../violations.js'
import { before, instead, withProto, type Judged, type Planted } from './planted.js'

const user = (content: unknown): Keyed => ({ role: 'user', content })
const words = (text: string, more: Keyed = {}): Keyed => ({ type: 'text', text, ...more })
const assistant = (...content: readonly unknown[]): Keyed => ({ role: 'assistant', content })
const call = (toolCallId: string, more: Keyed = {}): Keyed => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'lookUp',
  input: { q: 1 },
  ...more,
})
const ran = { providerExecuted: true }
const result = (toolCallId: string, output: unknown = { type: 'text', value: 'found' }): Keyed => ({
  type: 'tool-result',
  toolCallId,
  toolName: 'lookUp',
  output,
})
const tool = (...content: readonly unknown[]): Keyed => ({ role: 'tool', content })
const ask = (approvalId: string, toolCallId: string): Keyed => ({
  type: 'tool-approval-request',
  approvalId,
  toolCallId,
})
const answer = (approvalId: string, approved = false): Keyed => ({
  type: 'tool-approval-response',
  approvalId,
  approved,
})
const signed = { providerOptions: { google: { thoughtSignature: 'c2ln' } } }

const MESSAGES: readonly Keyed[] = [
  { role: 'system', content: 'Be polite.' },
  user([
    words('What is this?'),
    { type: 'image', image: new Uint8Array([137, 80, 78, 71]), mediaType: 'image/png' },
    { type: 'file', data: new URL('https://example.org/a.pdf'), mediaType: 'application/pdf', filename: 'a.pdf' },
  ]),
  assistant({ type: 'reasoning', text: 'Hm.', ...signed }, words('Let me see.'), call('a'), call('b')),
  tool(result('b', { type: 'json', value: { found: [1, null] } })),
  tool(
    result('a', {
      type: 'content',
      value: [words('more'), { type: 'image-data', data: 'AAAA', mediaType: 'image/png' }],
    }),
  ),
  assistant(call('s', ran), result('s'), words('A cat.')),
  user('And this?'),
]
const REQUEST: Keyed = { system: 'Be short.', messages: MESSAGES }

const planted: readonly Planted<ModelMessagesOptions>[] = [
  { rule: 'json', what: 'an undefined key', request: { ...REQUEST, system: undefined } },
  { rule: 'json', what: 'a bigint among the arguments', request: pair(call('a', { input: { n: 1n } })) },
  { rule: 'json', what: 'bytes among the arguments', request: pair(call('a', { input: { n: new Uint8Array(1) } })) },
  {
    rule: 'json',
    what: 'a URL among the options',
    request: at(6, { ...user('x'), providerOptions: { a: { b: new URL('a:b') } } }),
  },
  { rule: 'request', what: 'no messages', request: { messages: [] } },
  { rule: 'request', what: 'nothing', request: { system: 'x' } },
  { rule: 'system', what: 'a list of texts', request: { ...REQUEST, system: ['x'] } },
  { rule: 'system', what: 'a user message', request: { ...REQUEST, system: [user('x')] } },
  { rule: 'system', what: 'an empty text', request: { ...REQUEST, system: '' } },
  { rule: 'system', what: 'an empty list', request: { ...REQUEST, system: [] } },
  { rule: 'system-message', what: 'for version 7', request: REQUEST, options: { systemInMessages: false } },
  { rule: 'role', what: 'a role of another', request: at(6, { role: 'developer', content: 'x' }) },
  { rule: 'shape', what: 'a system message with a list', request: at(0, { role: 'system', content: [words('x')] }) },
  {
    rule: 'shape',
    what: 'a tool message with a text',
    request: { messages: [assistant(words('x')), { role: 'tool', content: 'x' }] },
  },
  { rule: 'shape', what: 'null as content', request: at(6, user(null)) },
  { rule: 'shape', what: 'a file without its type', request: at(6, user([{ type: 'file', data: 'AAAA' }])) },
  { rule: 'shape', what: 'an image that is a number', request: at(6, user([{ type: 'image', image: 1 }])) },
  {
    rule: 'shape',
    what: 'a result without a name',
    request: at(3, tool({ type: 'tool-result', toolCallId: 'b', output: { type: 'text', value: '' } })),
  },
  { rule: 'part', what: 'reasoning of a user', request: at(6, user([{ type: 'reasoning', text: 'x' }])) },
  { rule: 'part', what: 'an image of an assistant', request: at(5, assistant({ type: 'image', image: 'x' })) },
  { rule: 'part', what: 'an output without a tag', request: at(3, tool(result('b', { value: 'found' }))) },
  { rule: 'part', what: 'an unknown part', request: at(6, user([{ type: 'data-x', data: 1 }])) },
  {
    rule: 'unknown-key',
    what: 'of a message',
    request: at(6, { ...user('x'), id: 'm1' }),
    options: { unknownKeys: 'refused' },
  },
  { rule: 'unknown-key', what: '__proto__', request: at(6, withProto(user('x'))), options: { unknownKeys: 'refused' } },
  { rule: 'empty-content', what: 'of a user', request: at(6, user([])) },
  { rule: 'empty-content', what: 'of an assistant', request: at(5, assistant()) },
  { rule: 'empty-text', what: 'a string', request: at(6, user('')) },
  { rule: 'empty-text', what: 'a part', request: at(6, user([words(''), words('x')])) },
  { rule: 'empty-text', what: 'a user’s part with options', request: at(6, user([words('', signed)])) },
  { rule: 'call-unanswered', what: 'one of two', request: at(3) },
  { rule: 'call-unanswered', what: 'at the end', request: { messages: MESSAGES.slice(0, 3) } },
  {
    rule: 'call-unanswered',
    what: 'an approval that nobody answered',
    request: { messages: [assistant(call('a'), ask('p', 'a'))] },
  },
  {
    rule: 'between',
    what: 'a user',
    request: { messages: before(MESSAGES, 4, user('Wait.')) },
    also: ['result-orphan'],
  },
  {
    rule: 'between',
    what: 'an assistant',
    request: { messages: before(MESSAGES, 3, assistant(words('x'))) },
    also: ['result-orphan'],
  },
  { rule: 'result-orphan', what: 'no call', request: { messages: [user('x'), tool(result('c'))] } },
  { rule: 'result-orphan', what: 'twice', request: { messages: before(MESSAGES, 4, tool(result('b'))) } },
  {
    rule: 'result-orphan',
    what: 'of a call that the provider ran',
    request: { messages: [assistant(call('s', ran)), tool(result('s'))] },
  },
  {
    rule: 'result-place',
    what: 'of a call of the client',
    request: { messages: [assistant(call('a'), result('a')), tool(result('a'))] },
  },
  { rule: 'result-place', what: 'before its call', request: { messages: [assistant(result('s'), call('s', ran))] } },
  { rule: 'call-id', what: 'none', request: pair(call('')) },
  {
    rule: 'call-id-twice',
    what: 'in one message',
    request: { messages: [assistant(call('a'), call('a')), tool(result('a'))] },
  },
  {
    rule: 'approval-orphan',
    what: 'a response to nothing',
    request: { messages: [assistant(call('a')), tool(result('a'), answer('p'))] },
  },
  {
    rule: 'approval-orphan',
    what: 'a request about nothing',
    request: { messages: [assistant(words('x'), ask('p', 'a')), tool(answer('p'))] },
  },
]

export const MODEL_MESSAGES: Judged<ModelMessagesOptions> = {
  name: 'AI SDK',
  rules: MODEL_MESSAGES_RULES,
  check: checkModelMessages,
  valid: [
    { what: 'a conversation with everything', request: REQUEST, options: { unknownKeys: 'refused' } },
    {
      what: 'no system message among the messages',
      request: { system: [{ role: 'system', content: 'x', ...signed }], messages: MESSAGES.slice(1) },
      options: { systemInMessages: false },
    },
    { what: 'unknown keys', request: at(6, withProto({ ...user('x'), id: 'm1' })) },
    { what: 'an empty text that carries a signature', request: at(5, assistant(words('', signed))) },
    { what: 'empty reasoning', request: at(5, assistant({ type: 'reasoning', text: '', ...signed }, words('x'))) },
    {
      what: 'an id used again later',
      request: { messages: [assistant(call('a')), tool(result('a')), assistant(call('a')), tool(result('a'))] },
    },
    {
      what: 'an approval that is answered in the last message',
      request: { messages: [assistant(call('a'), ask('p', 'a')), tool(answer('p'))] },
    },
    {
      what: 'an approval with its result',
      request: {
        messages: [assistant(call('a'), ask('p', 'a')), tool(answer('p', true)), tool(result('a')), user('x')],
      },
    },
    { what: 'arguments of any JSON', request: pair(call('a', { input: '{"q":' })) },
    {
      what: 'every kind of output',
      request: {
        messages: [
          assistant(...'abcde'.split('').map((id) => call(id))),
          tool(
            result('a', { type: 'error-text', value: '' }),
            result('b', { type: 'error-json', value: null }),
            result('c', { type: 'execution-denied' }),
            result('d', { type: 'json', value: 1 }),
            result('e', { type: 'content', value: [] }),
          ),
        ],
      },
    },
  ],
  planted,
}

function at(place: number, ...messages: readonly Keyed[]): Keyed {
  return { ...REQUEST, messages: instead(MESSAGES, place, ...messages) }
}

function pair(one: Keyed): Keyed {
  return { messages: [assistant(one), tool(result(String(one['toolCallId'])))] }
}

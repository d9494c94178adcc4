import { checkOpenAIResponses, RESPONSES_RULES, type ResponsesOptions } from '../openai-responses.js'
import type { Keyed } from '../violations.js'
import { before, instead, withProto, type Judged, type Planted } from './planted.js'

const user = (content: unknown): Keyed => ({ role: 'user', content })
const text = (words: string): Keyed => ({ type: 'input_text', text: words })
const said = (words: string, id?: string): Keyed => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: words, annotations: [] }],
  ...(id === undefined ? {} : { id, phase: 'final_answer' }),
})
const call = (callId: string, more: Keyed = {}): Keyed => ({
  type: 'function_call',
  call_id: callId,
  name: 'look_up',
  arguments: '{"q":1}',
  ...more,
})
const output = (callId: string, result: unknown = 'found'): Keyed => ({
  type: 'function_call_output',
  call_id: callId,
  output: result,
})
const reasoning = (id: string, more: Keyed = { encrypted_content: 'c2VjcmV0' }): Keyed => ({
  type: 'reasoning',
  id,
  summary: [{ type: 'summary_text', text: 'Hm.' }],
  ...more,
})

const INPUT: readonly Keyed[] = [
  user([text('What is this?'), { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' }]),
  reasoning('rs_1'),
  call('a', { id: 'fc_1', status: 'completed' }),
  call('b', { id: 'fc_2' }),
  output('b'),
  output('a', [text('more')]),
  reasoning('rs_2'),
  said('A cat.', 'msg_1'),
  user('And this?'),
]
const REQUEST: Keyed = { instructions: 'Be short.', input: INPUT }

const planted: readonly Planted<ResponsesOptions>[] = [
  { rule: 'json', what: 'an undefined key', request: { ...REQUEST, instructions: undefined } },
  {
    rule: 'json',
    what: 'not a number',
    request: { input: [{ type: 'tool_search_call', arguments: { n: Number.NaN } }] },
  },
  { rule: 'request', what: 'no items', request: { input: [] } },
  { rule: 'request', what: 'an empty text', request: { input: '' } },
  { rule: 'request', what: 'nothing', request: {} },
  { rule: 'request', what: 'instructions that are a list', request: { ...REQUEST, instructions: [text('x')] } },
  { rule: 'state', what: 'both', request: { ...REQUEST, previous_response_id: 'resp_1', conversation: 'conv_1' } },
  { rule: 'kind', what: 'an item of another provider', request: at(8, { type: 'tool_use', id: 'a' }) },
  { rule: 'kind', what: 'a role of another provider', request: at(8, { role: 'tool', content: 'x' }) },
  { rule: 'kind', what: 'an assistant’s text as input', request: at(7, { role: 'assistant', content: [text('x')] }) },
  { rule: 'kind', what: 'a user’s text as output', request: at(8, user([{ type: 'output_text', text: 'x' }])) },
  { rule: 'kind', what: 'a part of another provider', request: at(8, user([{ type: 'text', text: 'x' }])) },
  { rule: 'shape', what: 'no object', request: { input: ['x'] } },
  { rule: 'shape', what: 'null as content', request: at(8, user(null)) },
  { rule: 'shape', what: 'null as an output', request: at(4, output('b', null)) },
  { rule: 'shape', what: 'arguments that are an object', request: at(2, call('a', { arguments: {} })) },
  { rule: 'shape', what: 'reasoning without a summary', request: at(1, { type: 'reasoning', id: 'rs_1' }) },
  { rule: 'unknown-key', what: 'of a message', request: at(8, { ...user('x'), metadata: {} }) },
  { rule: 'unknown-key', what: 'of a part', request: at(8, user([{ ...text('x'), cache_control: {} }])) },
  { rule: 'unknown-key', what: '__proto__', request: at(8, withProto(user('x'))) },
  { rule: 'empty-content', what: 'no part', request: at(8, user([])) },
  { rule: 'empty-text', what: 'a string', request: at(8, user('')), options: { emptyText: 'refused' } },
  { rule: 'empty-text', what: 'a part', request: at(7, said('')), options: { emptyText: 'refused' } },
  { rule: 'call-unanswered', what: 'one of two', request: at(4) },
  { rule: 'call-unanswered', what: 'at the end', request: { input: INPUT.slice(0, 4) } },
  {
    rule: 'call-unanswered',
    what: 'answered by an output of another kind',
    request: at(4, { type: 'custom_tool_call_output', call_id: 'b', output: '' }),
    also: ['output-orphan'],
  },
  { rule: 'between', what: 'a user', request: { input: before(INPUT, 5, user('Wait.')) } },
  { rule: 'between', what: 'a system message', request: { input: before(INPUT, 4, { role: 'system', content: 'x' }) } },
  { rule: 'output-orphan', what: 'no call', request: at(8, output('c')) },
  { rule: 'output-orphan', what: 'at the start', request: { input: [output('c'), ...INPUT] } },
  {
    rule: 'output-orphan',
    what: 'before its call',
    request: { input: [output('a'), call('a')] },
    also: ['call-unanswered'],
  },
  { rule: 'output-orphan', what: 'twice', request: { input: before(INPUT, 5, output('b')) } },
  {
    rule: 'output-orphan',
    what: 'an approval that nobody asked for',
    request: at(8, { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true }),
  },
  { rule: 'call-id', what: '65 characters', request: { input: [call('i'.repeat(65)), output('i'.repeat(65))] } },
  { rule: 'call-id', what: 'none', request: { input: [call(''), output('')] } },
  { rule: 'call-id-twice', what: 'both open', request: { input: [call('a'), call('a'), output('a'), output('a')] } },
  { rule: 'tool-name', what: 'a dot', request: { input: [call('a', { name: 'files.read' }), output('a')] } },
  { rule: 'item-id', what: 'a call id', request: at(2, call('a', { id: 'call_1' })) },
  { rule: 'item-id', what: 'of another kind', request: at(7, said('x', 'rs_9')) },
  { rule: 'item-id', what: 'too long', request: at(7, said('x', `msg_${'i'.repeat(61)}`)) },
  { rule: 'item-id-twice', what: 'a message', request: { input: [said('x', 'msg_1'), user('y'), said('x', 'msg_1')] } },
  { rule: 'reasoning-alone', what: 'before a user', request: at(7) },
  { rule: 'reasoning-alone', what: 'at the end', request: { input: INPUT.slice(0, 7) } },
  { rule: 'reasoning-alone', what: 'before an output', request: { input: before(INPUT, 4, reasoning('rs_3')) } },
  { rule: 'reasoning-missing', what: 'of a call', request: at(1), options: { reasoned: true } },
  { rule: 'reasoning-missing', what: 'of a message', request: at(6), options: { reasoned: true } },
  { rule: 'not-stored', what: 'bare reasoning', request: at(1, reasoning('rs_1', {})), options: { store: false } },
  {
    rule: 'not-stored',
    what: 'a reference',
    request: { input: [{ type: 'item_reference', id: 'msg_1' }, user('x')] },
    options: { store: false },
  },
]

export const RESPONSES: Judged<ResponsesOptions> = {
  name: 'OpenAI Responses',
  rules: RESPONSES_RULES,
  check: checkOpenAIResponses,
  valid: [
    {
      what: 'a conversation with everything',
      request: REQUEST,
      options: { store: false, reasoned: true, emptyText: 'refused' },
    },
    { what: 'a text', request: { input: 'x' } },
    {
      what: 'an output for a call that the server holds',
      request: { previous_response_id: 'resp_1', input: [output('a')] },
    },
    {
      what: 'an output for a call of a conversation',
      request: { conversation: 'conv_1', input: [output('a'), user('x')] },
    },
    { what: 'an output for a call that is referenced', request: { input: [{ id: 'fc_1' }, output('a')] } },
    { what: 'nothing new, with what the server holds', request: { previous_response_id: 'resp_1', input: [] } },
    { what: 'items without ids', request: { input: [said('x'), call('a'), output('a')] }, options: { reasoned: true } },
    {
      what: 'an id that recurs when it is answered',
      request: { input: [call('a'), output('a'), call('a'), output('a')] },
    },
    {
      what: 'words of the model between a call and its output',
      request: { input: [call('a'), said('One moment.'), output('a')] },
    },
    {
      what: 'an output without a word, arguments that are no JSON',
      request: { input: [call('a', { arguments: '{"q":' }), output('a', '')] },
    },
    { what: 'empty texts', request: { input: [user(''), { role: 'assistant', content: '' }, call('a'), output('a')] } },
    {
      what: 'a search of the server',
      request: {
        input: [
          { type: 'tool_search_call', call_id: null, execution: 'server', arguments: {} },
          { type: 'tool_search_output', call_id: null, execution: 'server', tools: [] },
        ],
      },
    },
    {
      what: 'custom tools, shells and approvals',
      request: {
        input: [
          { type: 'custom_tool_call', call_id: 'a', name: 'f', input: '' },
          { type: 'custom_tool_call_output', call_id: 'a', output: 'x' },
          { type: 'local_shell_call', id: 'lsh_1', call_id: 'b', action: {}, status: 'completed' },
          { type: 'local_shell_call_output', id: 'b', output: 'x' },
          { type: 'mcp_approval_request', id: 'mcpr_1', arguments: '{}', name: 'f', server_label: 's' },
          { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
        ],
      },
    },
    {
      what: 'roles of the caller anywhere',
      request: { input: [...INPUT, { role: 'developer', content: 'x' }, { role: 'system', content: [text('x')] }] },
    },
    { what: 'what is not NFC', request: { input: [user('e\u0301')] } },
  ],
  planted,
}

function at(place: number, ...items: readonly Keyed[]): Keyed {
  return { ...REQUEST, input: instead(INPUT, place, ...items) }
}

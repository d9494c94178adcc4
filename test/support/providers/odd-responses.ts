// Responses requests that no recording has: server state, hosted tools, broken logs.

import type { Keyed } from './violations.js'

export type OddResponses = Readonly<{ what: string; request: Keyed; isRefused?: boolean }>

const HI: Keyed = { role: 'user', content: 'Hi' }
const call = (call_id: string, more: Keyed = {}): Keyed => ({
  type: 'function_call',
  call_id,
  name: 'look',
  arguments: '{"a":1}',
  ...more,
})
const output = (call_id: string, given: unknown = 'found'): Keyed => ({
  type: 'function_call_output',
  call_id,
  output: given,
})
const thought = (id: string, more: Keyed = {}): Keyed => ({ type: 'reasoning', id, summary: [], ...more })
const said = (id: string, text = 'Done'): Keyed => ({
  type: 'message',
  role: 'assistant',
  id,
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
})
const own = (json: string): Keyed => JSON.parse(json) as Keyed
const row = (what: string, input: unknown, more: Keyed = {}): OddResponses => ({ what, request: { input, ...more } })

export const ODD_RESPONSES: readonly OddResponses[] = [
  row('one text', 'Hi'),
  row('one text with instructions', 'Hi', { instructions: 'Be brief.' }),
  row('an empty list', []),
  row('an empty list behind a response', [], { previous_response_id: 'resp_1' }),
  row('outputs of calls that the server holds', [output('call_1'), HI], { previous_response_id: 'resp_1' }),
  row('outputs in a conversation', [output('call_1'), output('call_2')], {
    conversation: { id: 'conv_1' },
    instructions: 'Be brief.',
  }),
  row('both kinds of state', [output('call_1')], { previous_response_id: 'resp_1', conversation: 'conv_1' }),
  row('state that says nothing', [HI], { previous_response_id: null, conversation: null }),
  row('outputs of calls that nobody holds', [output('call_1'), HI]),
  row(
    'system and developer messages',
    [
      { role: 'system', content: 'a' },
      { role: 'developer', content: [{ type: 'input_text', text: 'b' }] },
      HI,
      { role: 'system', content: 'c' },
      HI,
    ],
    { instructions: 'd' },
  ),
  row('a reasoned turn', [
    HI,
    thought('rs_1', { encrypted_content: 'x' }),
    said('msg_1', 'Let me see'),
    call('call_1', { id: 'fc_1' }),
    call('call_2', { id: 'fc_2' }),
    output('call_2'),
    output('call_1'),
    thought('rs_2'),
    said('msg_2'),
  ]),
  row('reasoning that led nowhere', [HI, thought('rs_1'), HI, thought('rs_2'), thought('rs_3')]),
  row('a call without an output, at the end and in between', [HI, call('call_1'), HI, call('call_2')]),
  row('a user between a call and its output', [HI, call('call_1'), HI, output('call_1')]),
  row('two outputs for one call', [HI, call('call_1'), output('call_1', 'a'), output('call_1', 'b')]),
  row('one id twice', [
    HI,
    call('call_1'),
    call('call_1', { name: 'see' }),
    output('call_1', 'a'),
    output('call_1', 'b'),
    HI,
    call('call_1'),
    output('call_1'),
  ]),
  row('item ids twice, or of another kind', [
    HI,
    call('call_1', { id: 'fc_1' }),
    output('call_1'),
    HI,
    call('call_2', { id: 'fc_1' }),
    output('call_2'),
    HI,
    said('abc_1'),
    HI,
    thought('rs_1'),
    said('msg_1'),
    HI,
    thought('rs_1'),
    said('msg_1'),
  ]),
  row('ids and names that are refused', [
    HI,
    call(`c${'1'.repeat(80)}`, { name: 'look at.this' }),
    output(`c${'1'.repeat(80)}`),
  ]),
  row('keys that are refused', [
    { ...HI, metadata: { a: 1 } },
    call('call_1', { metadata: 1 }),
    { ...output('call_1'), name: 'look' },
    own('{"role":"user","content":[{"type":"input_text","text":"a","__proto__":{"b":2}}],"__proto__":{"a":1}}'),
  ]),
  row('empty contents', [
    HI,
    { role: 'user', content: [] },
    { role: 'user', content: '' },
    { role: 'user' },
    { role: 'user', content: null },
    { role: 'assistant', content: [] },
  ]),
  row('contents that are values', [
    HI,
    { role: 'user', content: 3 },
    { role: 'user', content: { a: 1 } },
    { role: 'user', content: ['a', 1, null, { type: 'hologram' }] },
  ]),
  row('roles that nobody knows', [
    { content: 'a' },
    { role: 'critic', content: 'b' },
    { role: 7, content: 'c' },
    { role: '', content: 'd' },
  ]),
  row('items of no kind', [
    HI,
    { type: 'hologram', a: 1 },
    { type: 7 },
    {},
    { type: 'call' },
    { type: 'message' },
    { type: 'function_call' },
  ]),
  row('references', [HI, { type: 'item_reference', id: 'msg_1' }, { id: 'msg_2' }]),
  row('every part of a user', [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'a' },
        { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
        { type: 'input_image', file_id: 'file-1', detail: 'auto' },
        { type: 'input_file', file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' },
        { type: 'input_file', file_url: 'https://example.com/a.pdf' },
        { type: 'input_file', file_id: 'file-2' },
      ],
    },
  ]),
  row('a refusal', [
    HI,
    {
      type: 'message',
      role: 'assistant',
      id: 'msg_1',
      status: 'completed',
      content: [{ type: 'refusal', refusal: 'No.' }],
    },
  ]),
  row('input parts that an assistant says', [
    HI,
    {
      role: 'assistant',
      content: [
        { type: 'input_text', text: 'a' },
        { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'auto' },
      ],
    },
  ]),
  row('outputs that are lists', [
    HI,
    call('call_1'),
    call('call_2'),
    output('call_1', [
      { type: 'input_text', text: 'a' },
      { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'auto' },
    ]),
    output('call_2', []),
  ]),
  row('outputs that are values', [
    HI,
    call('call_1'),
    call('call_2'),
    output('call_1', { a: 1 }),
    output('call_2', null),
  ]),
  row('custom tools', [
    HI,
    { type: 'custom_tool_call', call_id: 'call_1', name: 'sh', input: 'ls -l' },
    { type: 'custom_tool_call_output', call_id: 'call_1', output: 'a' },
    HI,
    { type: 'custom_tool_call', call_id: 'call_2', name: 'sh', input: 'ls' },
  ]),
  row('an output of another kind', [
    HI,
    call('call_1'),
    { type: 'custom_tool_call_output', call_id: 'call_1', output: 'a' },
  ]),
  row('a shell and a computer', [
    HI,
    { type: 'shell_call', call_id: 'call_1', action: { commands: ['ls'] } },
    {
      type: 'shell_call_output',
      call_id: 'call_1',
      output: [{ stdout: '', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
    },
    {
      type: 'computer_call',
      id: 'cu_1',
      call_id: 'call_2',
      action: { type: 'screenshot' },
      pending_safety_checks: [],
      status: 'completed',
    },
    {
      type: 'computer_call_output',
      call_id: 'call_2',
      output: { type: 'computer_screenshot', image_url: 'https://example.com/a.png' },
    },
  ]),
  row('a shell without its output', [HI, { type: 'shell_call', call_id: 'call_1', action: { commands: ['ls'] } }, HI]),
  row('tools of the server', [
    HI,
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'a' } },
    { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'AAAA' },
    said('msg_1'),
  ]),
  row('an approval', [
    HI,
    { type: 'mcp_approval_request', id: 'mcpr_1', arguments: '{}', name: 'look', server_label: 's' },
    { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
  ]),
  row('arguments that are no JSON, none, or no text', [
    HI,
    call('call_1', { arguments: '{"a":' }),
    call('call_2', { arguments: '' }),
    call('call_3', { arguments: { a: 1 } }),
    output('call_1'),
    output('call_2'),
    output('call_3'),
  ]),
  row('instructions that are none', [HI], { instructions: null }),
]

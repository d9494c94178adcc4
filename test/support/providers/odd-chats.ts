// Chat Completions messages that no recording has: what people write by hand, what servers that speak the format accept, what a
// broken log holds.

import type { Keyed } from './violations.js'

/** `isRefused`: by the provider, though the judge of Chat Completions does not look at it. */
export type OddChat = Readonly<{ what: string; messages: readonly Keyed[]; isRefused?: boolean }>

const HI: Keyed = { role: 'user', content: 'Hi' }
const call = (id: unknown, name = 'look', args: unknown = '{"a":1}'): Keyed => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})
const calls = (...tool_calls: readonly Keyed[]): Keyed => ({ role: 'assistant', content: null, tool_calls })
const result = (tool_call_id: string, content: unknown = 'found'): Keyed => ({ role: 'tool', tool_call_id, content })
const own = (json: string): Keyed => JSON.parse(json) as Keyed

export const ODD_CHATS: readonly OddChat[] = [
  { what: 'no messages', messages: [] },
  {
    what: 'system texts alone',
    messages: [
      { role: 'system', content: 'a' },
      { role: 'developer', content: 'b' },
    ],
  },
  {
    what: 'system texts in between',
    messages: [
      { role: 'system', content: 'a' },
      HI,
      { role: 'system', content: 'b' },
      { role: 'developer', content: 'c' },
      HI,
    ],
  },
  { what: 'an assistant first', messages: [{ role: 'assistant', content: 'Hello' }, HI] },
  {
    what: '__proto__ as a key',
    messages: [
      own('{"role":"user","content":"Hi","__proto__":{"a":1},"constructor":1}'),
      own(
        '{"role":"user","content":[{"type":"text","text":"a","__proto__":{"b":2}},{"type":"image_url","image_url":{"url":"https://example.com/a.png","__proto__":1}}]}',
      ),
    ],
  },
  {
    what: 'keys that look like ours',
    messages: [{ role: 'user', content: 'Hi', $form: 'list', data_form: 'null', form: 1 }],
  },
  {
    what: 'keys of other servers',
    messages: [HI, { role: 'assistant', content: 'a', reasoning_content: 'why', reasoning_details: [{ a: 1 }] }],
  },
  {
    what: 'empty lists',
    messages: [
      HI,
      { role: 'user', content: [] },
      { role: 'assistant', content: [] },
      { role: 'assistant', content: [], tool_calls: [call('c1')] },
      result('c1'),
      { role: 'assistant', content: 'a', tool_calls: [] },
    ],
  },
  {
    what: 'empty texts',
    messages: [
      { role: 'system', content: '' },
      HI,
      { role: 'user', content: '' },
      { role: 'assistant', content: '' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '' },
          { type: 'text', text: 'a' },
        ],
      },
    ],
  },
  {
    what: 'an empty text beside calls, an empty result',
    messages: [HI, { role: 'assistant', content: '', tool_calls: [call('c1')] }, result('c1', '')],
  },
  {
    what: 'no content',
    messages: [
      HI,
      { role: 'user', content: null },
      { role: 'user' },
      { role: 'assistant' },
      { role: 'assistant', content: null },
      { role: 'system', content: null },
    ],
  },
  {
    what: 'contents that are values',
    messages: [
      HI,
      { role: 'user', content: 3 },
      { role: 'user', content: { a: [1, null] } },
      { role: 'assistant', content: true },
      { role: 'assistant', content: 4, tool_calls: [call('c1')] },
      result('c1', { b: 2 }),
    ],
  },
  {
    what: 'no role, an unknown one, one that is no text',
    messages: [
      { content: 'a' },
      { role: 'critic', content: 'b' },
      { role: 7, content: 'c' },
      { role: '', content: 'd' },
      { role: null, content: 'e' },
    ],
  },
  {
    what: 'lists of what is no part',
    messages: [
      {
        role: 'user',
        content: ['a', 1, null, ['b'], { type: 'text', text: 'c' }, { type: 'text' }, { type: 'text', text: 4 }],
      },
    ],
  },
  {
    what: 'parts of unknown type',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'video_url', video_url: { url: 'https://example.com' } },
          { type: 'call', a: 1 },
          { type: 'result' },
          { type: 'reasoning', text: 'b' },
          { a: 1 },
          {},
        ],
      },
    ],
  },
  { what: 'an unknown part alone', messages: [HI, { role: 'user', content: [{ type: 'hologram' }] }] },
  {
    what: 'every part of a user',
    messages: [
      {
        role: 'user',
        name: 'Ann',
        content: [
          { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
          { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' } },
          { type: 'file', file: { file_id: 'file-1' } },
        ],
      },
    ],
  },
  {
    what: 'pictures that an assistant and a system text show',
    messages: [
      {
        role: 'system',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
        ],
      },
      HI,
      { role: 'assistant', content: [{ type: 'image_url', image_url: { url: 'https://example.com/b.png' } }] },
    ],
  },
  {
    what: 'a refusal, alone and in a list',
    messages: [
      HI,
      { role: 'assistant', content: null, refusal: 'No.' },
      HI,
      { role: 'assistant', refusal: 'No.' },
      HI,
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'a' },
          { type: 'refusal', refusal: 'b' },
        ],
      },
      HI,
      { role: 'assistant', content: 'c', refusal: null },
    ],
  },
  {
    what: 'a refusal beside calls and text',
    messages: [HI, { role: 'assistant', content: 'a', refusal: 'b', tool_calls: [call('c1')] }, result('c1')],
  },
  {
    what: 'a refusal beside a list',
    messages: [HI, { role: 'assistant', content: [{ type: 'text', text: 'a' }], refusal: 'b' }],
  },
  {
    what: 'a sound that an assistant made',
    messages: [
      HI,
      { role: 'assistant', content: null, audio: { id: 'audio_1' } },
      HI,
      { role: 'assistant', audio: { id: 'audio_2' } },
    ],
  },
  {
    what: 'keys that say null',
    messages: [
      HI,
      {
        role: 'assistant',
        content: 'a',
        name: null,
        tool_calls: null,
        function_call: null,
        refusal: null,
        audio: null,
      },
    ],
  },
  {
    what: 'calls that are no list',
    messages: [
      HI,
      { role: 'assistant', content: 'a', tool_calls: 'none' },
      { role: 'user', content: 'b', tool_calls: [call('c1')] },
    ],
  },
  {
    what: 'parallel calls, answered in another order',
    messages: [
      HI,
      calls(call('c1'), call('c2', 'see')),
      result('c2', 'b'),
      result('c1', 'a'),
      { role: 'assistant', content: 'Done' },
    ],
  },
  {
    what: 'text beside calls',
    messages: [
      HI,
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
        tool_calls: [call('c1')],
        name: 'bot',
      },
      result('c1', [
        { type: 'text', text: 'x' },
        { type: 'text', text: 'y' },
      ]),
    ],
  },
  {
    what: 'a call without a result, at the end and in between',
    messages: [HI, calls(call('c1')), HI, calls(call('c2'))],
  },
  { what: 'one of two results', messages: [HI, calls(call('c1'), call('c2')), result('c2')] },
  { what: 'a result before its call, and one of none', messages: [result('c9'), HI, result('c1'), calls(call('c1'))] },
  { what: 'a user between a call and its result', messages: [HI, calls(call('c1')), HI, result('c1')] },
  { what: 'two results for one call', messages: [HI, calls(call('c1')), result('c1', 'a'), result('c1', 'b')] },
  {
    what: 'one id, two calls one after the other',
    messages: [HI, calls(call('c1')), result('c1', 'a'), calls(call('c1')), result('c1', 'b'), HI, calls(call('c1'))],
  },
  {
    what: 'one id twice in one message',
    messages: [HI, calls(call('c1'), call('c1', 'see')), result('c1', 'a'), result('c1', 'b')],
  },
  {
    what: 'one id twice in one message, one result',
    messages: [HI, calls(call('c1'), call('c1', 'see')), result('c1', 'a')],
  },
  {
    what: 'calls without ids, and results without',
    messages: [
      HI,
      calls(call(undefined), call('', 'see'), call(5, 'hear')),
      { role: 'tool', name: 'see', content: 'b' },
      { role: 'tool', content: 'a' },
      { role: 'tool', tool_call_id: 5, content: 'c' },
    ].map((m) => own(JSON.stringify(m))),
  },
  {
    what: 'ids and names that are refused',
    messages: [
      HI,
      calls(call(`c${'1'.repeat(80)}`, 'look at.this'), call('c2', `n${'o'.repeat(80)}`)),
      result(`c${'1'.repeat(80)}`),
      result('c2'),
    ],
  },
  {
    what: 'calls that are none',
    messages: [
      HI,
      { role: 'assistant', content: 'a', tool_calls: [{ id: 'c1', type: 'function' }, 'look', null, 7, call('c2')] },
      result('c1'),
      result('c2'),
    ],
  },
  {
    what: 'arguments that are no JSON, none, or no text',
    messages: [
      HI,
      calls(
        call('c1', 'look', '{"a":'),
        call('c2', 'look', ''),
        call('c3', 'look', { a: 1 }),
        call('c4', 'look', null),
      ),
      result('c1'),
      result('c2'),
      result('c3'),
      result('c4'),
    ],
  },
  {
    what: 'a custom tool',
    messages: [HI, calls({ id: 'c1', type: 'custom', custom: { name: 'sh', input: 'ls -l' } }), result('c1')],
  },
  {
    what: 'results that are lists, null or absent',
    messages: [
      HI,
      calls(call('c1'), call('c2'), call('c3'), call('c4')),
      result('c1', []),
      result('c2', null),
      own('{"role":"tool","tool_call_id":"c3"}'),
      result('c4', [{ type: 'text', text: '' }]),
    ],
  },
  {
    what: 'a picture that a tool gave',
    messages: [
      HI,
      calls(call('c1'), call('c2')),
      result('c1', [
        { type: 'text', text: 'see' },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      ]),
      result('c2'),
    ],
  },
  {
    what: 'ids of results in a list',
    messages: [
      HI,
      calls(call('c1')),
      { role: 'tool', tool_call_ids: ['c1'], content: 'a' },
      HI,
      calls(call('c2')),
      { role: 'tool', tool_call_id: 'c2', tool_call_ids: ['c2'], content: 'b' },
    ],
  },
  {
    what: 'the older function calls',
    messages: [
      HI,
      { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{}' } },
      { role: 'function', name: 'look', content: 'a' },
      HI,
      { role: 'assistant', content: 'Let me see', function_call: { name: 'look', arguments: '{"b":2}' } },
      { role: 'function', name: 'look', content: 'b' },
      { role: 'assistant', content: 'Done' },
    ],
  },
  {
    what: 'an older call without a result, a function without a call',
    isRefused: true,
    messages: [
      HI,
      { role: 'function', name: 'see', content: 'x' },
      { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{}' } },
    ],
  },
  {
    what: 'both kinds of calls in one message',
    isRefused: true,
    messages: [
      HI,
      { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{}' }, tool_calls: [call('c1')] },
      { role: 'function', name: 'look', content: 'a' },
      result('c1'),
    ],
  },
  {
    what: 'numbers and texts at their limits',
    messages: [
      { role: 'user', content: 'a\u0000b\u2028c\uFEFF e\u0301', seed: 12345678901234567000, rate: 1e-7, zero: 0 },
      { role: 'assistant', content: '\u{1F600}' },
    ],
  },
]

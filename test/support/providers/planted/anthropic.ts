import { ANTHROPIC_RULES, checkAnthropic, type AnthropicOptions } from '../anthropic.js'
import type { Keyed } from '../violations.js'
import { before, instead, withProto, type Judged, type Planted } from './planted.js'

const words = (text: string): Keyed => ({ type: 'text', text })
const user = (...content: readonly unknown[]): Keyed => ({ role: 'user', content })
const assistant = (...content: readonly unknown[]): Keyed => ({ role: 'assistant', content })
const use = (id: string, name = 'look_up'): Keyed => ({ type: 'tool_use', id, name, input: { q: 1 } })
const result = (id: string, content: unknown = 'found'): Keyed => ({ type: 'tool_result', tool_use_id: id, content })
const thinking: Keyed = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }
const search = (id: string): Keyed => ({ type: 'server_tool_use', id, name: 'web_search', input: {} })
const searched = (id: string): Keyed => ({ type: 'web_search_tool_result', tool_use_id: id, content: [] })
const byCode = (id: string): Keyed => ({
  ...use(id),
  caller: { type: 'code_execution_20260120', tool_id: 'code_1' },
})
const system = (text = 'From now on, in French.'): Keyed => ({ role: 'system', content: [words(text)] })
const marked = (block: Keyed, ttl?: string): Keyed => ({
  ...block,
  cache_control: ttl === undefined ? { type: 'ephemeral' } : { type: 'ephemeral', ttl },
})
const summary = (more: Keyed = {}): Keyed => ({ type: 'compaction', content: 'They said hello.', ...more })

const MESSAGES: readonly Keyed[] = [
  user(words('What is this?'), {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'AAAA' },
  }),
  assistant(thinking, words('Let me see.'), use('a'), use('b')),
  user(result('b'), result('a', [words('more')]), words('Hurry.')),
  system(),
  assistant(search('srvtoolu_1'), searched('srvtoolu_1'), words('Un chat.')),
  { role: 'user', content: 'And this?' },
]
const REQUEST: Keyed = { system: [marked(words('Be short.'), '1h')], messages: MESSAGES }

const planted: readonly Planted<AnthropicOptions>[] = [
  { rule: 'json', what: 'an undefined key', request: { system: undefined, messages: MESSAGES } },
  {
    rule: 'json',
    what: 'a bigint among the arguments',
    request: at(1, assistant({ ...use('a'), input: { n: 1n } }, use('b'))),
  },
  { rule: 'request', what: 'no messages', request: { messages: [] } },
  { rule: 'request', what: 'too many', request: { messages: Array.from({ length: 100_001 }, () => user(words('x'))) } },
  { rule: 'role', what: 'a role of another provider', request: at(5, { role: 'tool', content: 'x' }) },
  { rule: 'shape', what: 'arguments as text', request: at(1, assistant({ ...use('a'), input: '{}' }, use('b'))) },
  { rule: 'shape', what: 'null as content', request: at(5, { role: 'user', content: null }) },
  { rule: 'shape', what: 'no content', request: at(5, { role: 'user' }) },
  {
    rule: 'shape',
    what: 'an image of another kind',
    request: at(5, user({ type: 'image', source: { type: 'base64', media_type: 'image/bmp', data: '' } })),
  },
  {
    rule: 'shape',
    what: 'thinking without a signature',
    request: at(1, assistant({ type: 'thinking', thinking: 'Hm.' }, use('a'), use('b'))),
  },
  {
    rule: 'part',
    what: 'a part of another provider',
    request: at(5, user({ type: 'image_url', image_url: { url: 'x' } })),
  },
  {
    rule: 'part',
    what: 'an image of an assistant',
    request: at(4, assistant({ type: 'image', source: { type: 'url', url: 'x' } })),
  },
  { rule: 'part', what: 'a call of a user', request: { messages: [user(use('a'))] } },
  { rule: 'part', what: 'thinking of a user', request: { messages: [user(thinking, words('x'))] } },
  {
    rule: 'part',
    what: 'an image in the system',
    request: { ...REQUEST, system: [{ type: 'image', source: { type: 'url', url: 'x' } }] },
  },
  {
    rule: 'part',
    what: 'a change of tools in the system',
    request: { ...REQUEST, system: [{ type: 'tool_addition', tool: {} }] },
  },
  { rule: 'unknown-key', what: 'a name', request: at(5, { ...user(words('x')), name: 'Ada' }) },
  { rule: 'unknown-key', what: 'in a block', request: at(5, user({ ...words('x'), id: 'y' })) },
  { rule: 'unknown-key', what: '__proto__', request: at(5, withProto(user(words('x')))) },
  { rule: 'empty-content', what: 'no block', request: at(5, user()) },
  { rule: 'empty-content', what: 'an empty string', request: at(5, { role: 'user', content: '' }) },
  { rule: 'empty-content', what: 'an empty system', request: { ...REQUEST, system: '' } },
  { rule: 'empty-text', what: 'an empty block', request: at(5, user(words(''), words('x'))) },
  { rule: 'empty-text', what: 'white space', request: at(5, { role: 'user', content: ' \n' }) },
  { rule: 'empty-text', what: 'within a result', request: at(2, user(result('a', [words('')]), result('b'))) },
  { rule: 'system-first', what: 'the first message', request: { messages: [system(), ...MESSAGES] } },
  { rule: 'system-place', what: 'behind an assistant', request: { messages: before(MESSAGES, 5, system()) } },
  { rule: 'system-place', what: 'before a user', request: { messages: instead(MESSAGES, 4) } },
  { rule: 'system-model', what: 'an older model', request: REQUEST, options: { midSystem: false } },
  { rule: 'call-unanswered', what: 'one of two', request: at(2, user(result('a'), words('x'))) },
  { rule: 'call-unanswered', what: 'at the end', request: { messages: MESSAGES.slice(0, 2) } },
  {
    rule: 'between',
    what: 'a system message',
    request: { messages: instead(before(MESSAGES, 2, system()), 4) },
    also: ['system-place', 'result-orphan'],
  },
  {
    rule: 'between',
    what: 'an answer',
    request: {
      messages: [user(words('x')), assistant(use('a')), user(words('x')), assistant(words('y')), user(result('a'))],
    },
    also: ['result-orphan'],
  },
  { rule: 'results-first', what: 'text before them', request: at(2, user(words('Hurry.'), result('b'), result('a'))) },
  {
    rule: 'results-first',
    what: 'a message before them',
    request: { messages: before(MESSAGES, 2, user(words('Wait.'))) },
  },
  { rule: 'result-orphan', what: 'no call', request: at(5, user(result('c'))) },
  { rule: 'result-orphan', what: 'at the start', request: { messages: [user(result('c'))] } },
  { rule: 'result-orphan', what: 'twice', request: at(2, user(result('b'), result('a'), result('a'))) },
  { rule: 'call-id', what: 'a dot', request: { messages: [assistant(use('call.1')), user(result('call.1'))] } },
  { rule: 'call-id', what: 'none', request: { messages: [assistant(use('')), user(result(''))] } },
  { rule: 'call-id-twice', what: 'in two turns', request: { messages: [...pair('a'), ...pair('a')] } },
  { rule: 'tool-name', what: 'a dot', request: { messages: [assistant(use('a', 'files.read')), user(result('a'))] } },
  {
    rule: 'server-unanswered',
    what: 'in an earlier turn',
    request: at(4, assistant(search('srvtoolu_1'), words('x'))),
  },
  { rule: 'server-orphan', what: 'no call', request: at(4, assistant(searched('srvtoolu_1'), words('x'))) },
  {
    rule: 'server-orphan',
    what: 'twice',
    request: at(4, assistant(search('srvtoolu_1'), searched('srvtoolu_1'), searched('srvtoolu_1'), words('x'))),
  },
  {
    rule: 'caller',
    what: 'no such code',
    request: { messages: [user(words('x')), assistant(byCode('a')), user(result('a'))] },
  },
  {
    rule: 'code-waits',
    what: 'a text behind the results',
    also: ['server-unanswered'],
    request: { messages: [user(words('x')), assistant(search('code_1'), byCode('a')), user(result('a'), words('y'))] },
  },
  {
    rule: 'signature',
    what: 'an empty one',
    request: at(1, assistant({ ...thinking, signature: '' }, use('a'), use('b'))),
  },
  {
    rule: 'thinking-modified',
    what: 'another text',
    request: REQUEST,
    options: { thought: [{ ...thinking, thinking: 'Hmm.' }] },
  },
  { rule: 'thinking-last', what: 'behind the text', request: at(4, assistant(words('x'), thinking)) },
  { rule: 'thinking-last', what: 'alone', request: at(4, assistant({ type: 'redacted_thinking', data: 'x' })) },
  {
    rule: 'thinking-on',
    what: 'a loop without it',
    request: { messages: [user(words('x')), ...pair('a')] },
    options: { thinking: 'on' },
  },
  {
    rule: 'thinking-on',
    what: 'a loop where it is late',
    request: { messages: [user(words('x')), assistant(words('y'), thinking, use('a')), user(result('a'))] },
    options: { thinking: 'on' },
  },
  {
    rule: 'thinking-off',
    what: 'a final message with it',
    request: { messages: [user(words('x')), assistant(thinking, words('y'))] },
    options: { thinking: 'off' },
  },
  {
    rule: 'prefill',
    what: 'a final assistant message',
    request: { messages: [user(words('x')), assistant(words('y'))] },
    options: { prefill: false },
  },
  {
    rule: 'trailing-space',
    what: 'of a final text',
    request: { messages: [user(words('x')), assistant(words('y '))] },
  },
  {
    rule: 'trailing-space',
    what: 'of a final string',
    request: { messages: [user(words('x')), { role: 'assistant', content: 'y\n' }] },
  },
  {
    rule: 'compaction',
    what: 'two',
    request: {
      messages: [
        assistant(summary(), words('x')),
        user(words('y')),
        assistant(summary(), words('z')),
        user(words('y')),
      ],
    },
  },
  {
    rule: 'compaction',
    what: 'a signed one that is not first',
    request: { messages: [user(words('x')), assistant(summary({ signature: 's' }), words('y')), user(words('z'))] },
  },
  {
    rule: 'compaction',
    what: 'an empty one',
    request: { messages: [assistant(summary({ content: '' }), words('y')), user(words('z'))] },
  },
  {
    rule: 'cache-count',
    what: 'five',
    request: { ...REQUEST, messages: [user(...Array.from({ length: 4 }, () => marked(words('x'))))] },
  },
  {
    rule: 'cache-count',
    what: 'four and one for all',
    request: {
      cache_control: { type: 'ephemeral' },
      messages: [user(...Array.from({ length: 4 }, () => marked(words('x'))))],
    },
  },
  {
    rule: 'cache-count',
    what: 'within results',
    request: at(
      2,
      user(
        result(
          'a',
          Array.from({ length: 4 }, () => marked(words('x'))),
        ),
        result('b'),
      ),
    ),
  },
  {
    rule: 'cache-order',
    what: 'an hour behind five minutes',
    request: { messages: [user(marked(words('x')), marked(words('y'), '1h'))] },
  },
  {
    rule: 'cache-order',
    what: 'in system behind tools',
    request: { ...REQUEST, tools: [marked({ name: 'f' }, '5m')] },
  },
  {
    rule: 'cache-place',
    what: 'on thinking',
    request: at(1, assistant(marked(thinking), use('a'), use('b'))),
    also: ['unknown-key'],
  },
  {
    rule: 'cache-place',
    what: 'on an empty text',
    request: at(5, user(words('x'), marked(words('')))),
    also: ['empty-text'],
  },
]

export const ANTHROPIC: Judged<AnthropicOptions> = {
  name: 'Anthropic Messages',
  rules: ANTHROPIC_RULES,
  check: checkAnthropic,
  valid: [
    {
      what: 'a conversation with everything',
      request: REQUEST,
      options: { prefill: false, thinking: 'off', thought: [thinking] },
    },
    {
      what: 'messages of one role in a row',
      request: { messages: [user(words('x')), ...pair('a', 'b'), user(words('x')), user(words('y'))] },
    },
    {
      what: 'results in two messages',
      request: { messages: [assistant(use('a'), use('b')), user(result('a')), user(result('b'), words('x'))] },
    },
    { what: 'the start an assistant’s', request: { messages: [assistant(words('Hello.')), user(words('x'))] } },
    {
      what: 'a prefill',
      request: { messages: [user(words('x')), assistant(words('{'))] },
      options: { thinking: 'off' },
    },
    {
      what: 'a paused turn',
      request: { messages: [user(words('x')), assistant(search('srvtoolu_1'))] },
      options: { prefill: false },
    },
    {
      what: 'a server’s call that waits for a client’s',
      request: { messages: [user(words('x')), assistant(search('srvtoolu_1'), use('a')), user(result('a'))] },
    },
    {
      what: 'a server’s call that is closed behind a client’s',
      request: {
        messages: [
          user(words('x')),
          assistant(search('srvtoolu_1'), use('a')),
          user(result('a')),
          assistant(searched('srvtoolu_1'), words('y')),
          user(words('z')),
        ],
      },
    },
    {
      what: 'a running loop that starts with thinking',
      request: { messages: [user(words('x')), assistant(thinking, use('a')), user(result('a')), ...pair('b')] },
      options: { thinking: 'on' },
    },
    {
      what: 'earlier loops without thinking',
      request: { messages: [...pair('a'), assistant(words('x')), user(words('y'))] },
      options: { thinking: 'on' },
    },
    {
      what: 'results without content, or with an empty text',
      request: {
        messages: [
          assistant(use('a'), use('b')),
          user({ type: 'tool_result', tool_use_id: 'a', is_error: true }, result('b', '')),
        ],
      },
    },
    { what: 'system messages in a row, at the end', request: { messages: [user(words('x')), system(), system('y')] } },
    {
      what: 'a directive first',
      request: { messages: [{ role: 'system', content: [], output_config: { effort: 'low' } }, user(words('x'))] },
    },
    {
      what: 'a signed summary first',
      request: { messages: [assistant(summary({ signature: 's' })), user(words('x'))] },
    },
    {
      what: 'a failed summary beside another',
      request: {
        messages: [
          assistant(summary(), words('x')),
          assistant(summary({ content: null }), words('y')),
          user(words('z')),
        ],
      },
    },
    {
      what: 'four marks, the longer first',
      request: { ...REQUEST, messages: [user(marked(words('x'), '1h'), marked(words('x')), marked(words('x'), '5m'))] },
    },
    { what: 'lone surrogates and what is not NFC', request: { messages: [user(words('\ud800 e\u0301'))] } },
  ],
  planted,
}

function at(place: number, ...messages: readonly Keyed[]): Keyed {
  return { ...REQUEST, messages: instead(MESSAGES, place, ...messages) }
}

function pair(...ids: readonly string[]): Keyed[] {
  return [assistant(...ids.map((id) => use(id))), user(...ids.map((id) => result(id)))]
}

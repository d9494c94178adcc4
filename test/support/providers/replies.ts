// The same reply in the words of every provider: a text, calls, and the reason of its end.

import type { FormatName } from '../../../src/formats/index.js'

export type Asked = Readonly<{ id: string; name: string; arguments: Readonly<Record<string, unknown>> }>

export type ScriptedReply = Readonly<{ text?: string; calls?: readonly Asked[]; stop?: 'pause' | 'length' | 'filter' }>

type Write = (reply: Required<Omit<ScriptedReply, 'stop'>> & Pick<ScriptedReply, 'stop'>) => object

/** Words for the end, of providers that have one; a pause is Claude's alone. */
function word(reply: Parameters<Write>[0], words: Readonly<Record<string, string>>): string {
  return words[reply.stop ?? (reply.calls.length > 0 ? 'calls' : 'end')] ?? words['end']!
}

const chatCalls = (calls: readonly Asked[]): object[] =>
  calls.map(({ id, name, arguments: given }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(given) },
  }))

const WRITE: Readonly<Record<FormatName, Write>> = {
  anthropic: (reply) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: [
      ...(reply.text === '' ? [] : [{ type: 'text', text: reply.text }]),
      ...reply.calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input })),
    ],
    stop_reason: word(reply, {
      end: 'end_turn',
      calls: 'tool_use',
      pause: 'pause_turn',
      length: 'max_tokens',
      filter: 'refusal',
    }),
    usage: { input_tokens: 10, output_tokens: 5 },
  }),
  'openai-chat': (reply) => ({
    choices: [
      {
        message: {
          role: 'assistant',
          content: reply.text === '' ? null : reply.text,
          ...(reply.calls.length === 0 ? {} : { tool_calls: chatCalls(reply.calls) }),
        },
        finish_reason: word(reply, {
          end: 'stop',
          calls: 'tool_calls',
          length: 'length',
          filter: 'content_filter',
        }),
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 5 },
  }),
  'openai-responses': (reply) => ({
    id: 'resp_1',
    status: reply.stop === 'length' || reply.stop === 'filter' ? 'incomplete' : 'completed',
    incomplete_details:
      reply.stop === 'length'
        ? { reason: 'max_output_tokens' }
        : reply.stop === 'filter'
          ? { reason: 'content_filter' }
          : null,
    output: [
      ...(reply.text === ''
        ? []
        : [
            {
              type: 'message',
              id: 'msg_1',
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text: reply.text, annotations: [] }],
            },
          ]),
      ...reply.calls.map(({ id, name, arguments: given }) => ({
        type: 'function_call',
        id: `fc_${id}`,
        call_id: id,
        name,
        arguments: JSON.stringify(given),
        status: 'completed',
      })),
    ],
    usage: { input_tokens: 10, output_tokens: 5 },
  }),
  gemini: (reply) => ({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            ...(reply.text === '' ? [] : [{ text: reply.text }]),
            ...reply.calls.map(({ id, name, arguments: args }) => ({ functionCall: { id, name, args } })),
          ],
        },
        finishReason: word(reply, { end: 'STOP', length: 'MAX_TOKENS', filter: 'SAFETY' }),
      },
    ],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5 },
  }),
  'gemini-interactions': (reply) => ({
    id: 'v1_1',
    object: 'interaction',
    model: 'scripted',
    status: word(reply, {
      end: 'completed',
      calls: 'requires_action',
      pause: 'requires_continuation',
      length: 'incomplete',
      filter: 'failed',
    }),
    steps: [
      ...(reply.text === '' ? [] : [{ type: 'model_output', content: [{ type: 'text', text: reply.text }] }]),
      ...reply.calls.map(({ id, name, arguments: given }) => ({ type: 'function_call', id, name, arguments: given })),
    ],
    usage: { total_input_tokens: 10, total_output_tokens: 5 },
  }),
  mistral: (reply) => WRITE['openai-chat'](reply),
  bedrock: (reply) => ({
    output: {
      message: {
        role: 'assistant',
        content: [
          ...(reply.text === '' ? [] : [{ text: reply.text }]),
          ...reply.calls.map(({ id, name, arguments: input }) => ({ toolUse: { toolUseId: id, name, input } })),
        ],
      },
    },
    stopReason: word(reply, {
      end: 'end_turn',
      calls: 'tool_use',
      length: 'max_tokens',
      filter: 'content_filtered',
    }),
    usage: { inputTokens: 10, outputTokens: 5 },
  }),
  'ai-sdk': (reply) => ({
    messages: [
      {
        role: 'assistant',
        content: [
          ...(reply.text === '' ? [] : [{ type: 'text', text: reply.text }]),
          ...reply.calls.map(({ id, name, arguments: input }) => ({
            type: 'tool-call',
            toolCallId: id,
            toolName: name,
            input,
          })),
        ],
      },
    ],
    finishReason: word(reply, { end: 'stop', calls: 'tool-calls', length: 'length', filter: 'content-filter' }),
    ...(reply.stop === 'pause' ? { rawFinishReason: 'pause_turn' } : {}),
    usage: { inputTokens: 10, outputTokens: 5 },
  }),
}

/** A reply as a provider gives it. */
export function replyOf(format: FormatName, { text = '', calls = [], stop }: ScriptedReply): object {
  return WRITE[format]({ text, calls, ...(stop === undefined ? {} : { stop }) })
}

type Odder = Readonly<{ unknown: readonly object[]; thought: (n: number) => readonly object[] }>

const TOMORROW = { type: 'hologram', id: 'hg_1', hologram: { глубина: 3 } }
const TEXT = { type: 'text', text: 'Here.', shade: 'blue' }

/** Parts of tomorrow, and a signed thought before a call. */
const ODDER: Readonly<Record<FormatName, Odder>> = {
  anthropic: {
    unknown: [TOMORROW, TEXT],
    thought: (n) => [
      n % 3 === 0
        ? { type: 'redacted_thinking', data: 'eA==' }
        : { type: 'thinking', thinking: `Hm ${n}.`, signature: 'c2ln' },
      { type: 'tool_use', id: `toolu_t${n}`, name: 'look_up', input: { n } },
    ],
  },
  'openai-chat': {
    unknown: [TOMORROW, TEXT],
    thought: () => [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'Here.' },
    ],
  },
  'openai-responses': {
    unknown: [
      TOMORROW,
      { type: 'function_call', id: 'fc_9', call_id: 'call_9', name: 'look_up', arguments: '{}', shade: 'blue' },
    ],
    thought: (n) => [
      {
        type: 'reasoning',
        id: `${n % 3 === 0 ? 'abc' : 'rs'}_${n}`,
        summary: [{ type: 'summary_text', text: 'Hm.' }],
        ...(n % 2 === 0 ? { encrypted_content: 'eA==' } : { content: [{ type: 'reasoning_text', text: 'Hm.' }] }),
      },
      { type: 'function_call', id: `fc_${n}`, call_id: `call_t${n}`, name: 'look_up', arguments: `{"n":${n}}` },
    ],
  },
  gemini: {
    unknown: [{ hologram: { depth: 3 } }, { text: 'Here.', shade: 'blue' }],
    thought: (n) => [
      { text: `Hm ${n}.`, thought: true },
      { functionCall: { name: 'look_up', args: { n } }, thoughtSignature: 'c2ln' },
      { functionCall: { name: 'look_up', args: { n: n + 1 } } },
    ],
  },
  'gemini-interactions': {
    unknown: [TOMORROW, { type: 'model_output', content: [TEXT] }],
    thought: (n) => [
      { type: 'thought', signature: 'c2ln', summary: [{ type: 'text', text: 'Hm.' }] },
      { type: 'function_call', id: `it${n}`, name: 'look_up', arguments: { n } },
    ],
  },
  mistral: {
    unknown: [TOMORROW, TEXT],
    thought: () => [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'Here.' },
    ],
  },
  bedrock: {
    unknown: [{ hologram: { depth: 3 } }, { text: 'Here.' }],
    thought: (n) => [
      { reasoningContent: { reasoningText: { text: `Hm ${n}.`, signature: 'c2ln' } } },
      { toolUse: { toolUseId: `tooluse_t${n}`, name: 'look_up', input: { n } } },
    ],
  },
  'ai-sdk': {
    unknown: [TOMORROW, { type: 'text', text: 'Here.', shade: 'blue' }],
    thought: (n) => [
      { type: 'reasoning', text: `Hm ${n}.`, providerOptions: { anthropic: { signature: 'c2ln' } } },
      { type: 'tool-call', toolCallId: `sdk_t${n}`, toolName: 'look_up', input: { n } },
    ],
  },
}

/** A reply with parts and keys that no table has, or with a thought. */
export function odderOf(format: FormatName, what: 'unknown' | 'thought', n = 0): object {
  const parts = what === 'unknown' ? ODDER[format].unknown : ODDER[format].thought(n)
  switch (format) {
    case 'anthropic':
      return { type: 'message', role: 'assistant', content: parts, stop_reason: 'end_turn' }
    case 'openai-chat':
    case 'mistral':
      return {
        choices: [{ message: { role: 'assistant', content: parts, reasoning_content: 'Hm.' }, finish_reason: 'stop' }],
      }
    case 'openai-responses':
      return { id: 'resp_1', status: 'completed', output: parts }
    case 'gemini':
      return { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }
    case 'gemini-interactions':
      return { id: 'v1_1', status: 'completed', steps: parts }
    case 'bedrock':
      return { output: { message: { role: 'assistant', content: parts } }, stopReason: 'end_turn' }
    case 'ai-sdk':
      return { messages: [{ role: 'assistant', content: parts }], finishReason: 'stop' }
  }
}

/** True if the provider has a word for a reply that goes on. */
export function canPause(format: FormatName): boolean {
  return format === 'anthropic' || format === 'ai-sdk'
}

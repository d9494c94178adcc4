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

/** True if the provider has a word for a reply that goes on. */
export function canPause(format: FormatName): boolean {
  return format === 'anthropic' || format === 'ai-sdk'
}

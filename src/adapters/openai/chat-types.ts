// A Chat Completions request as this package gives it: plain types that the client's own accept, without needing the client.

import type { RequestFacts } from '../conversation/request.js'

/** A text that a message says. */
export type OpenAIChatText = { type: 'text'; text: string } & OpenAIChatMark

/** The end of what a prompt cache is asked to keep. */
export type OpenAIChatMark = { prompt_cache_breakpoint?: { mode: 'explicit' } }

/** Parts of a user's message. */
export type OpenAIChatPart =
  | OpenAIChatText
  | ({ type: 'image_url'; image_url: { url: string; detail?: 'auto' | 'low' | 'high' } } & OpenAIChatMark)
  | ({ type: 'input_audio'; input_audio: { data: string; format: 'wav' | 'mp3' } } & OpenAIChatMark)
  | ({ type: 'file'; file: { file_data?: string; file_id?: string; filename?: string } } & OpenAIChatMark)

/** A call of a tool; `arguments` is JSON text as the model wrote it. */
export type OpenAIChatCall =
  | { id: string; type: 'function'; function: { name: string; arguments: string } }
  | { id: string; type: 'custom'; custom: { name: string; input: string } }

export type OpenAIChatMessage =
  | { role: 'system' | 'developer'; content: string | OpenAIChatText[]; name?: string }
  | { role: 'user'; content: string | OpenAIChatPart[]; name?: string }
  | {
      role: 'assistant'
      content?: string | (OpenAIChatText | { type: 'refusal'; refusal: string })[] | null
      refusal?: string | null
      name?: string
      audio?: { id: string } | null
      function_call?: { name: string; arguments: string } | null
      tool_calls?: OpenAIChatCall[]
    }
  | { role: 'tool'; content: string | OpenAIChatText[]; tool_call_id: string }
  | { role: 'function'; content: string | null; name: string }

/** A request of `toOpenAIChat`, to be spread into a call, with its facts. */
export type OpenAIChatRequest = { messages: OpenAIChatMessage[]; prompt_cache_key?: string } & RequestFacts

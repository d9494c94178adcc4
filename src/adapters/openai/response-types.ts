// A Responses request as this package gives it: plain types that the client's own accept, without needing the client.

import type { RequestFacts } from '../conversation/request.js'
import type { OpenAIChatMark } from './chat-types.js'

/** Parts of a user's message, a system text or the output of a tool. */
export type OpenAIResponsesPart =
  | ({ type: 'input_text'; text: string } & OpenAIChatMark)
  | ({
      type: 'input_image'
      image_url?: string | null
      file_id?: string | null
      detail: 'low' | 'high' | 'auto'
    } & OpenAIChatMark)
  | ({
      type: 'input_file'
      file_data?: string
      file_id?: string | null
      file_url?: string
      filename?: string
    } & OpenAIChatMark)

/** The items that this package makes; others that came from the API are given as they came. */
export type OpenAIResponsesItem =
  | {
      type?: 'message'
      role: 'user' | 'assistant' | 'system' | 'developer'
      content: string | OpenAIResponsesPart[]
      phase?: 'commentary' | 'final_answer' | null
    }
  | { type: 'function_call'; id?: string; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string | OpenAIResponsesPart[] }
  | { type: 'custom_tool_call'; id?: string; call_id: string; name: string; input: string }
  | { type: 'custom_tool_call_output'; call_id: string; output: string | OpenAIResponsesPart[] }
  | {
      type: 'reasoning'
      id: string
      summary: { type: 'summary_text'; text: string }[]
      encrypted_content?: string | null
    }

/** A request of `toOpenAIResponses`, to be spread into a call, with its facts. */
export type OpenAIResponsesRequest = {
  instructions?: string
  previous_response_id?: string
  conversation?: string | { id: string }
  input: string | OpenAIResponsesItem[]
  prompt_cache_key?: string
} & RequestFacts

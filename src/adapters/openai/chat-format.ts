// The form of a Chat Completions request: system texts lead the list, each result is a message of its own right behind the
// message that called, and what a role may not say (an image that a tool gave) follows as a user's message.

import type { RequestOptions } from '../conversation/adapter.js'
import type { CacheKey } from '../conversation/cache-marks.js'
import { defineAdapter, type DefinedAdapter } from '../conversation/define-adapter.js'
import type { BlocksOptions } from '../conversation/message-options.js'
import type { Message } from '../conversation/neutral.js'
import { byKeys, NO_KEYS, type PlainObject } from '../conversation/plain-json.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import type { RequestFacts } from '../conversation/request.js'
import { CHAT_CACHE } from './cache.js'
import { CHAT_REPLIES, type OpenAIChatInput, readChatPart, readChatReply, readChatRequest } from './chat-read.js'
import { CHAT_KEYS } from './chat-known.js'
import { CHAT, ChatMessages, heldMessage } from './chat-write.js'

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
export type OpenAIChatRequest = {
  messages: OpenAIChatMessage[]
  prompt_cache_key?: string
  prompt_cache_options?: { mode?: 'implicit' | 'explicit'; ttl?: '30m' }
} & RequestFacts

export type OpenAIChatOptions = RequestOptions &
  BlocksOptions<'user' | 'system' | 'developer'> &
  Readonly<{
    /** Marks where the provider's prompt cache should keep what comes before them; for models that take them. */
    cache?: boolean | Omit<CacheKey, 'compareTo'> | undefined
  }>

export const OPENAI_CHAT: DefinedAdapter<OpenAIChatInput, OpenAIChatOptions, OpenAIChatRequest> = defineAdapter({
  calls: { from: 'fromOpenAIChat', to: 'toOpenAIChat', receive: 'receiveOpenAIChat' },
  format: {
    name: CHAT,
    version: 6,
    list: 'messages',
    isBlank: (text) => text === '',
    cache: CHAT_CACHE,
    write: written,
    filler: (text) => byKeys(CHAT_KEYS, { role: 'user', content: text }),
    request: (system, _list, out) => ({ before: NO_KEYS, start: { drop: 0, put: written(system, out) } }),
  },
  params: () => ({ provider: 'openai' }),
  readPart: readChatPart,
  readConversation: readChatRequest,
  readReply: readChatReply,
  replies: CHAT_REPLIES,
})

function written(messages: readonly Message[], out: RequestWriter): readonly PlainObject[] {
  const writer = new ChatMessages(out)
  for (const message of messages) {
    const isHeld = !out.repair && message.format === CHAT
    const held = isHeld ? heldMessage(message, out) : undefined
    if (held !== undefined) writer.put(held)
    else if (!isHeld) writer.add(message)
  }
  return writer.done()
}

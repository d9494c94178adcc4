// The form of a Chat Completions request: system texts lead the list, each result is a message of its own right behind the
// message that called, and what a role may not say (an image that a tool gave) follows as a user's message.

import type { RequestOptions } from '../conversation/adapter.js'
import type { CacheKey } from '../conversation/cache-options.js'
import { defineAdapter, type DefinedAdapter } from '../conversation/define-adapter.js'
import type { BlocksOptions } from '../conversation/context-blocks.js'
import { hasKind, type Message, type Part, type ResultPart } from '../conversation/neutral.js'
import { byKeys, NO_KEYS, type PlainObject } from '../conversation/plain-json.js'
import type { RequestFormat } from '../conversation/request-format.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import { CHAT_CACHE } from './cache.js'
import { CHAT_KEYS, heldMessage } from './chat-held.js'
import { ChatMessages } from './chat-messages.js'
import { CHAT } from './chat-parts.js'
import { readChatPart } from './chat-read-part.js'
import { readChatReply, readChatRequest, type OpenAIChatInput, CHAT_REPLIES } from './chat-read.js'
import type { OpenAIChatRequest } from './chat-types.js'

export type OpenAIChatOptions = RequestOptions &
  BlocksOptions<'user' | 'system' | 'developer'> &
  Readonly<{
    /** Marks where the provider's prompt cache should keep what comes before them; for models that take them. */
    cache?: boolean | CacheKey | undefined
  }>

const FORMAT: RequestFormat<OpenAIChatOptions> = {
  name: CHAT,
  version: 3,
  list: 'messages',
  isBlank: (text) => text === '',
  cache: CHAT_CACHE,
  write: written,
  filler: (text) => byKeys(CHAT_KEYS, { role: 'user', content: text }),
  request: (system, _list, out) => ({ before: NO_KEYS, start: { drop: 0, put: written(system, out) } }),
}

export const OPENAI_CHAT: DefinedAdapter<OpenAIChatInput, OpenAIChatOptions, OpenAIChatRequest> = defineAdapter({
  calls: { from: 'fromOpenAIChat', to: 'toOpenAIChat', receive: 'receiveOpenAIChat' },
  format: FORMAT,
  params: () => ({ provider: 'openai' }),
  readPart: readChatPart,
  readConversation: readChatRequest,
  readReply: readChatReply,
  replies: CHAT_REPLIES,
})

function written(messages: readonly Message[], out: RequestWriter): readonly PlainObject[] {
  if (messages.length === 0) return NOTHING
  const writer = new ChatMessages(out)
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i]!
    if (!out.repair && message.format === CHAT) {
      const held = heldMessage(message, out)
      if (held !== undefined) writer.put(held)
      continue
    }
    const { parts } = message
    const only = parts.length === 1 ? parts[0]! : undefined
    if (only?.kind === 'result') writer.result(message, only)
    else if (!hasKind(parts, 'result')) {
      if (parts.length > 0) writer.said(message, parts)
    } else writeRuns(writer, message)
  }
  return writer.done()
}

function writeRuns(writer: ChatMessages, message: Message): void {
  for (const run of runsOf(message.parts)) {
    if (Array.isArray(run)) writer.said(message, run)
    else writer.result(message, run)
  }
}

const NOTHING: readonly PlainObject[] = []

/** The parts of a message as runs between its results. */
function runsOf(parts: readonly Part[]): readonly (ResultPart | Part[])[] {
  const runs: (ResultPart | Part[])[] = []
  for (const part of parts) {
    const last = runs.at(-1)
    if (part.kind === 'result') runs.push(part)
    else if (Array.isArray(last)) last.push(part)
    else runs.push([part])
  }
  return runs
}

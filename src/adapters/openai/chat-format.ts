// How Chat Completions wants a conversation: system texts lead the list, each result is a message of its own right behind the
// message that called, and what a role may not say (an image that a tool gave) follows as a user's message.

import type { RequestOptions } from '../conversation/adapter.js'
import type { CacheKey } from '../conversation/cache-options.js'
import type { BlocksOptions } from '../conversation/context-blocks.js'
import { hasKind, type Message, type Part, type ResultPart } from '../conversation/neutral.js'
import { byKeys, NO_KEYS, type PlainObject } from '../conversation/plain-json.js'
import type { Pen, RequestFormat } from '../conversation/request-format.js'
import { CHAT_CACHE } from './chat-cache.js'
import { CHAT_KEYS } from './chat-keys.js'
import { heldMessage } from './chat-held.js'
import { ChatMessages } from './chat-messages.js'
import { CHAT } from './chat-parts.js'

export type OpenAIChatOptions = RequestOptions &
  BlocksOptions<'user' | 'system' | 'developer'> &
  Readonly<{
    /** Marks where the provider's prompt cache should keep what stands before them; for models that take them. */
    cache?: boolean | CacheKey | undefined
  }>

export const CHAT_FORMAT: RequestFormat<OpenAIChatOptions> = {
  name: CHAT,
  version: 1,
  list: 'messages',
  isBlank: (text) => text === '',
  cache: CHAT_CACHE,
  write: written,
  filler: (text) => byKeys(CHAT_KEYS, { role: 'user', content: text }),
  request: (system, _list, pen) => ({ before: NO_KEYS, start: { drop: 0, put: written(system, pen) } }),
}

function written(messages: readonly Message[], pen: Pen): readonly PlainObject[] {
  if (messages.length === 0) return NOTHING
  const writer = new ChatMessages(pen)
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i]!
    if (!pen.repair && message.format === CHAT) {
      const held = heldMessage(message, pen)
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

/** What a message says, in one piece unless results stand in between. */
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

// Claude with turn-scoped system messages (`clear_at`), as its documents describe them: such a message is shown until a message of the user follows,
// results of tools included, and then stays in the list, hidden and without cost. Texts in tests hold facts (`fact-12`); the server knows which of
// them the model sees. It checks bound thoughts like its base, and shares no code with the adapters.

import { BoundClaude, type ClaudeBody, RefusedByClaude } from './bound-claude.js'
import { factsIn } from './compacting.js'

type Sent = ClaudeBody['messages'][number] & Readonly<{ clear_at?: unknown }>

export class ClearingClaude extends BoundClaude {
  override take(body: object): ClaudeBody {
    const request = super.take(body)
    for (const [at, message] of request.messages.entries()) checkPlace(request.messages, message, at)
    return request
  }

  /** The facts that the model sees. */
  seen({ messages, system }: ClaudeBody): ReadonlySet<string> {
    const last = messages.findLastIndex(({ role }) => role === 'user')
    const shown = messages.filter((message: Sent, at) => message.clear_at !== 'next_user_message' || at > last)
    return new Set([...factsIn(system ?? ''), ...factsIn(shown)])
  }
}

function checkPlace(messages: readonly Sent[], message: Sent, at: number): void {
  const refuse = (why: string): never => {
    throw new RefusedByClaude(`messages.${at}: ${why}`)
  }
  if (message.clear_at !== undefined && message.role !== 'system') refuse('clear_at is for system messages')
  if (message.role !== 'system') return
  const before = messages.slice(0, at).findLast(({ role }) => role !== 'system')
  const after = messages.slice(at + 1).find(({ role }) => role !== 'system')
  if (before?.role !== 'user') refuse('a system message follows a message of the user')
  if (after?.role === 'user') refuse('a system message precedes a message of the assistant or the end')
  if (message.clear_at === undefined) return
  for (const block of typeof message.content === 'string' ? [] : message.content) {
    if (block['type'] !== 'text') refuse('a turn-scoped system message has text only')
    if ('cache_control' in block) refuse('a turn-scoped system message has no cache_control')
  }
}

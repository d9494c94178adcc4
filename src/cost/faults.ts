// Requests that providers refuse. Claude and OpenAI agree: there is a message, every result follows its call, and every call has its result before
// anybody speaks again. Both take a request that begins with a reply. Bedrock refuses it, so it is counted apart.

import type { CostMessage } from './messages.js'

export type Fault = 'no messages' | 'a result without its call' | 'a call without its result'

/**
 * The first fault of a request, in the order of its messages; undefined if a provider takes it. `from` skips messages that were a request without a
 * fault themselves.
 */
export function faultOf(messages: readonly CostMessage[], from = 0): Fault | undefined {
  if (messages.every(({ role }) => role === 'system')) return 'no messages'
  const open = new Set<string>()
  for (let i = from; i < messages.length; i++) {
    const { role, blocks } = messages[i]!
    // Results of one step may be spread over several messages.
    const isOnlyResults = blocks.every(({ kind }) => kind === 'result')
    for (const { kind, call } of blocks) {
      if (kind === 'result' && !open.delete(call ?? '')) return 'a result without its call'
    }
    if (open.size > 0 && !isOnlyResults && role !== 'system') return 'a call without its result'
    for (const { kind, call } of blocks) if (kind === 'call') open.add(call ?? '')
  }
  return open.size > 0 ? 'a call without its result' : undefined
}

/** True if the first message after the system text is a reply. */
export function beginsWithReply(messages: readonly CostMessage[]): boolean {
  return messages.find(({ role }) => role !== 'system')?.role === 'assistant'
}

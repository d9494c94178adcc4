// Requests that providers refuse. The rules are those that all of them share: a conversation begins with the user, every result follows its call,
// and every call has its result before anybody speaks again.

import type { CostMessage } from './messages.js'

export type Fault = 'no messages' | 'begins with a reply' | 'a result without its call' | 'a call without its result'

/**
 * The first fault of a request, in the order of its messages; undefined if a provider takes it. `from` skips messages that were a request without a
 * fault themselves.
 */
export function faultOf(messages: readonly CostMessage[], from = 0): Fault | undefined {
  const first = messages.find(({ role }) => role !== 'system')
  if (first === undefined) return 'no messages'
  if (first.role === 'assistant') return 'begins with a reply'
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

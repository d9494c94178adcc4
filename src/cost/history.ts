// A recorded conversation as the requests that its agent made: before each reply, the history up to there.

import type { CostMessage, TextMessage } from './messages.js'

/** The messages that came since the request before, and the reply that the request got. */
export type Exchange = Readonly<{ added: readonly CostMessage[]; reply: CostMessage; at: number | undefined }>

/** Messages that an agent had in its history at once. What comes before the place `from` was said earlier: an agent that compacts begins another history. */
export type Stretch<Message> = Readonly<{ messages: readonly Message[]; from: number }>

/**
 * Leaves out what no provider takes and agents drop before they send: calls that never got a result, since they were interrupted, and results of
 * no call.
 */
export function withoutLoose(messages: readonly TextMessage[]): readonly TextMessage[] {
  const answered = new Set<object>()
  const open = new Map<string, object>()
  for (const { role, blocks } of messages) {
    // Ids come again in some recordings; a call waits until the next message of the user.
    if (role === 'user') open.clear()
    for (const block of blocks) {
      if (block.kind === 'call') open.set(block.call ?? '', block)
      const call = block.kind === 'result' ? open.get(block.call ?? '') : undefined
      if (call === undefined) continue
      answered.add(call).add(block)
      open.delete(block.call ?? '')
    }
  }
  return messages.map((message) => {
    const blocks = message.blocks.filter((block) => !isPaired(block.kind) || answered.has(block))
    return blocks.length === message.blocks.length ? message : { ...message, blocks }
  })
}

function isPaired(kind: string): boolean {
  return kind === 'call' || kind === 'result'
}

/**
 * The requests of a conversation: one before each reply that follows something other than a reply. A reply without blocks was asked for, too, and is no
 * part of the history after it. Replies before the place `from` were got earlier.
 */
export function* exchangesOf(messages: readonly CostMessage[], from = 0): Generator<Exchange> {
  let added: CostMessage[] = []
  for (const [i, message] of messages.entries()) {
    const before = messages[i - 1]
    if (i >= from && message.role === 'assistant' && before !== undefined && before.role !== 'assistant') {
      yield { added, reply: message, at: before.at }
      added = []
    }
    if (message.blocks.length > 0) added.push(message)
  }
}

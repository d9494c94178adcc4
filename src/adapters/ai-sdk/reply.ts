// A reply of the AI SDK: what generateText gives, the response in it, or messages of their own. Calls that the SDK has answered itself
// come with their results.

import { describe, PactError } from '../../errors/index.js'
import { copyJson } from '../../codec/index.js'
import { invalid } from '../conversation/check-input.js'
import { usageOf, type Reply, type Usage } from '../conversation/receive.js'
import { readMessage } from './from.js'
import { tag } from './tagged.js'

export function readModelReply(reply: unknown): Reply {
  if (typeof reply !== 'object' || reply === null) throw notAReply()
  const { response, messages: own, totalUsage, usage, role } = reply as Given
  const messages = Array.isArray(reply)
    ? (reply as unknown[])
    : role === undefined
      ? messagesIn(response, own)
      : [reply]
  return { messages: messages.map(readSaid), usage: readCounts(totalUsage ?? usage) }
}

/** What generateText gives are getters of a class, so nothing is copied before it is known what it is. */
type Given = Readonly<Record<'response' | 'messages' | 'totalUsage' | 'usage' | 'role', unknown>>

function messagesIn(response: unknown, own: unknown): readonly unknown[] {
  const isObject = typeof response === 'object' && response !== null
  const messages = isObject ? (response as Readonly<{ messages?: unknown }>).messages : own
  if (Array.isArray(messages)) return messages as readonly unknown[]
  if (typeof (response as Partial<PromiseLike<unknown>> | undefined)?.then === 'function') {
    const message =
      'This is a stream; wait for its end: receiveModelMessages(ctx, { response: await result.response, usage: await result.usage }).'
    throw invalid('reply', message)
  }
  throw notAReply()
}

function readSaid(given: unknown, at: number): Reply['messages'][number] {
  const spec = readMessage(copyOf(given, at), `reply[${at}]`)
  if (spec.role === 'assistant' || spec.role === 'tool') return spec
  throw invalid(
    'reply',
    `reply[${at}] is of the role ${describe(spec.role)}; a reply is the assistant's and its tools'.`,
  )
}

function copyOf(given: unknown, at: number): ReturnType<typeof copyJson> {
  try {
    return copyJson(tag(given))
  } catch (error) {
    if (!PactError.is(error)) throw error
    throw invalid('reply', `In reply[${at}]: ${error.message}`, { ...error.details })
  }
}

function readCounts(usage: unknown): Usage | undefined {
  if (typeof usage !== 'object' || usage === null) return undefined
  const { inputTokens, outputTokens } = usage as Readonly<{ inputTokens?: unknown; outputTokens?: unknown }>
  return usageOf(inputTokens, outputTokens)
}

function notAReply(): PactError {
  return invalid(
    'reply',
    'The reply is what generateText gives, its response, or a list of messages of the assistant and its tools.',
  )
}

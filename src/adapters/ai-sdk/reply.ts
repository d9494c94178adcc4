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
  const { response, responseMessages: all, messages: own, totalUsage, usage, role } = reply as Given
  const messages = Array.isArray(reply)
    ? (reply as unknown[])
    : role === undefined
      ? messagesIn(response, all ?? own)
      : [reply]
  return { messages: messages.map(readSaid), usage: readCounts(totalUsage ?? usage) }
}

/** What generateText gives are getters of a class, so nothing is copied before it is known what it is. */
type Given = Readonly<Record<'response' | 'responseMessages' | 'messages' | 'totalUsage' | 'usage' | 'role', unknown>>

/** Version 7 gives the messages of all steps by themselves; its response is that of the last step alone. */
function messagesIn(response: unknown, own: unknown): readonly unknown[] {
  if (isPromise(response) || isPromise(own)) {
    const given = isPromise(own) ? 'messages: await result.responseMessages' : 'response: await result.response'
    const message = `This is a stream; wait for its end: receiveModelMessages(ctx, { ${given}, usage: await result.usage }).`
    throw invalid('reply', message)
  }
  const isObject = typeof response === 'object' && response !== null
  const messages = own ?? (isObject ? (response as Readonly<{ messages?: unknown }>).messages : undefined)
  if (Array.isArray(messages)) return messages as readonly unknown[]
  throw notAReply()
}

function isPromise(value: unknown): boolean {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function'
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

// A conversation that was found in a file, as JSON to embed in a page: the page reads it with the same readers. In a plan, messages that are one
// object stay one object, so a plan is written as its messages, each once, and the steps with their numbers.

import type { JsonValue } from '../../core/index.js'
import type { ImportFormat } from '../../formats/index.js'
import { PactError } from '../../errors/index.js'
import { findConversations, type FoundConversation } from './conversations.js'
import { Names } from './names.js'
import { masked, maskedExport } from './masked.js'
import type { Said, Step, Unread } from './plan.js'
import { readConversation, readSession, type ReadConversation } from './read-conversation.js'

export type PortableConversation = Readonly<{
  id: string
  format?: ImportFormat
  /** The messages, unless it is a session. */
  body?: JsonValue
  session?: Readonly<{ system?: JsonValue; said: readonly Said[]; steps: readonly Step<number>[] }>
}>

export type PortableFile = Readonly<{
  conversations: readonly PortableConversation[]
  /** Lines without a conversation that can be read. */
  unread: readonly Unread[]
  /** The number of entries of the conversations that are not in them. */
  left: number
  /** The lines of conversations without a message. */
  empty: readonly number[]
}>

/** Every conversation of a file that can be read. With a salt, texts and ids are masked. */
export async function portableFile(
  { chunks, name }: Readonly<{ chunks: AsyncIterable<Uint8Array>; name: string }>,
  { salt, signal }: Readonly<{ salt?: string | undefined; signal?: AbortSignal | undefined }>,
): Promise<PortableFile> {
  const conversations: PortableConversation[] = []
  const unread: Unread[] = []
  const empty: number[] = []
  let left = 0
  const found: FoundConversation[] = []
  for await (const each of findConversations(chunks)) {
    if (signal?.aborted === true) break
    if ('body' in each) found.push(each)
    else unread.push({ line: each.line, what: each.reason })
  }
  const names = new Names(salt === undefined ? { name } : { name: 'session', id: 'session' })
  for (const each of found) {
    const id = names.of(each, found.length === 1)
    try {
      // The format of a masked conversation cannot be found out any more.
      const { format, messages } = readPortable(portable(each, id))
      const carried = portable({ ...each, format }, id, salt)
      if (salt !== undefined) readPortable(carried)
      conversations.push(carried)
      left += each.unread.length
      if (messages === 0) empty.push(each.line)
    } catch (error) {
      if (!PactError.is(error)) throw error
      unread.push({ line: each.line, what: error.message })
    }
  }
  return { conversations, unread, left, empty }
}

/** With a salt, every text is replaced by letters of the same length. */
function portable({ body, format, session }: FoundConversation, id: string, salt?: string): PortableConversation {
  const put = <T>(value: T): T => (salt === undefined ? value : (masked(value as JsonValue, salt) as T))
  const about = { id, ...(format === undefined ? {} : { format }) }
  if (session === undefined) {
    const isExport = format === 'pact' && typeof body === 'string'
    return { ...about, body: isExport && salt !== undefined ? maskedExport(body, salt) : isExport ? body : put(body) }
  }
  const numbers = new Map<Said, number>()
  const numberOf = (said: Said): number => {
    const known = numbers.get(said) ?? numbers.size
    numbers.set(said, known)
    return known
  }
  const steps = session.steps.map((step): Step<number> => mapped(step, numberOf))
  const said = [...numbers.keys()].map(({ messages, isSummary }) => ({
    messages: put(messages),
    ...(isSummary === undefined ? {} : { isSummary }),
  }))
  const { system } = session
  return { ...about, session: { ...(system === undefined ? {} : { system: put(system) }), said, steps } }
}

export function readPortable({ id, format, body = null, session }: PortableConversation): ReadConversation {
  const given = { ...(format === undefined ? {} : { format }), options: { id } }
  if (session === undefined || format === undefined) return readConversation(body, given)
  const { said, steps, system } = session
  const plan = { steps: steps.map((step) => mapped(step, (number) => said[number]!)), unread: [] }
  return readSession({ ...plan, ...(system === undefined ? {} : { system: system as never }) }, format, given)
}

function mapped<A, B>(step: Step<A>, to: (entry: A) => B): Step<B> {
  if ('say' in step) return { say: to(step.say) }
  return { why: step.why, swaps: step.swaps.map(({ from, take, by }) => ({ from, take, by: by.map(to) })) }
}

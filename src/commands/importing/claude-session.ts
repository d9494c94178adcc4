// Sessions of Claude Code: entries that name the one before. A `compact_boundary` with its summary, results that were cleared or replaced, and
// messages that were snipped are applied as the agent applies them when it resumes.

import { isObject, type JsonObject, type JsonValue } from '../../core/index.js'
import { Plan, type Entry, type Said, type Session, type Unread } from './plan.js'

const MARKS = ['sessionId', 'parentUuid', 'leafUuid', 'isSidechain', 'isSnapshotUpdate']

/** Any line of a session of Claude Code. */
export function isClaudeEntry(value: JsonObject): boolean {
  return typeof value['type'] === 'string' && MARKS.some((key) => Object.hasOwn(value, key))
}

/** The content of a result that was cleared; the file does not have the words of the agent. */
const CLEARED = '[tool result no longer in context]'

export function readClaudeSession(entries: readonly Entry[]): Session {
  const reader = new ClaudeReader(entries)
  for (const entry of entries) reader.read(entry)
  reader.end()
  const { id, plan, unread } = reader
  return { ...(id === undefined ? {} : { id }), steps: plan.steps, unread }
}

/** Keys of a reply that are about it. */
const ABOUT = ['id', 'type', 'model', 'usage', 'stop_reason', 'stop_sequence', 'stop_details']

/** One message, of one or more entries: an answer is written part by part, each with the id of the whole. */
type Spoken = { said: { messages: [JsonObject]; at: JsonValue | undefined; usage?: JsonValue }; entries: JsonObject[] }

class ClaudeReader {
  readonly plan = new Plan()
  readonly unread: Unread[] = []
  id: string | undefined
  readonly #isLeft: (value: JsonObject) => boolean
  /** The entries of everything that was said. */
  readonly #entries = new Map<Said, readonly JsonObject[]>()
  /** The uuids of the list. */
  #uuids = new Set<unknown>()
  /** The results that have another content by now, by the id of their call. */
  readonly #results = new Map<unknown, JsonValue>()
  /** The message that the next entry may continue. */
  #open: Spoken | undefined
  /** A compaction whose summary has not come yet. */
  #boundary: JsonObject | undefined

  constructor(entries: readonly Entry[]) {
    this.#isLeft = leftEntries(entries)
  }

  read({ line, value }: Entry): void {
    if (typeof value['sessionId'] === 'string' && value['sessionId'] !== '') this.id = value['sessionId']
    const what = this.#take(value)
    if (what !== undefined) this.unread.push({ line, what })
  }

  /** A session that ends between a boundary and its summary was stopped; what was before is still there. */
  end(): void {
    if (this.#boundary !== undefined) this.unread.push({ what: 'a compaction without its summary' })
  }

  /** Gives a reason if there is nothing to take. */
  #take(value: JsonObject): string | undefined {
    const { type, message, isSidechain, agentId } = value
    // Entries of every type are links between messages.
    const isLeft = this.#isLeft(value)
    const isOurs = isSidechain !== true && agentId === undefined && !isLeft
    if (isOurs && type === 'content-replacement') return this.#replace(value)
    if (isOurs && type === 'system' && this.#change(value)) return undefined
    if ((type !== 'user' && type !== 'assistant') || !isObject(message))
      return `an entry of the type ${JSON.stringify(type ?? null)}`
    if (isSidechain === true) return 'a message of a subagent'
    if (value['uuid'] !== undefined && this.#uuids.has(value['uuid'])) return 'a message that occurs twice in the file'
    if (isLeft) return 'a message of a branch that was left'
    if (value['isApiErrorMessage'] === true) return 'an error that the agent shows as a message'
    this.#say(value, message)
    return undefined
  }

  #say(value: JsonObject, message: JsonObject): void {
    if (value['isCompactSummary'] === true) return this.#compact(value, message)
    this.#withoutSummary()
    this.#uuids.add(value['uuid'])
    const open = this.#open
    const whole = open?.entries[0]!['message']
    const isPart = isObject(whole) && message['id'] !== undefined && message['id'] === whole['id']
    if (open !== undefined && isPart && isList(open.said.messages[0]) && isList(message)) {
      open.entries.push(value)
      Object.assign(open.said, this.#saidOf(open.entries))
      return
    }
    const entries = [value]
    const said = this.#saidOf(entries)
    this.#open = { said, entries }
    this.#entries.set(said, entries)
    this.plan.say(said)
  }

  #saidOf(entries: readonly JsonObject[]): Spoken['said'] {
    const messages = entries.map(({ message }) => message as JsonObject)
    const [first, last] = [messages[0]!, messages.at(-1)!]
    const content =
      messages.length === 1 ? first['content'] : messages.flatMap((each) => each['content'] as readonly JsonValue[])
    const kept = Object.entries({ ...first, ...last, ...(content === undefined ? {} : { content }) }).filter(
      ([key]) => !ABOUT.includes(key),
    )
    const usage = last['usage']
    return {
      messages: [this.#withResults(Object.fromEntries(kept))],
      at: entries[0]!['timestamp'],
      ...(usage === undefined ? {} : { usage }),
    }
  }

  /** Applies an entry that changes what is sent. Gives false for any other one. */
  #change(value: JsonObject): boolean {
    const { subtype, snipMetadata: snip, microcompactMetadata: cleared } = value
    if (subtype === 'compact_boundary') {
      this.#withoutSummary()
      this.#open = undefined
      this.#boundary = value
    }
    if (isObject(snip)) {
      const removed = new Set<unknown>(listIn(snip['removedUuids']))
      this.#open = undefined
      this.#become(
        this.#only((uuid) => !removed.has(uuid)),
        'edit',
      )
    }
    const calls = isObject(cleared) ? listIn(cleared['compactedToolIds']) : []
    for (const call of calls) this.#results.set(call, CLEARED)
    if (calls.length > 0) this.#renew()
    return subtype === 'compact_boundary' || isObject(snip) || calls.length > 0
  }

  /** Results that the agent sends a shorter text for. */
  #replace({ replacements }: JsonObject): string | undefined {
    const all = listIn(replacements).filter(isObject)
    for (const { toolUseId, replacement } of all) this.#results.set(toolUseId, replacement ?? '')
    if (all.length === 0) return 'a replacement of nothing'
    this.#renew()
    return undefined
  }

  /** Gives every message the results that have another content by now. */
  #renew(): void {
    const next = this.plan.now.map((said): Said => {
      const message = said.messages[0]!
      const changed = this.#withResults(message)
      if (changed === message) return said
      const renewed = { ...said, messages: [changed] }
      this.#entries.set(renewed, this.#entries.get(said)!)
      return renewed
    })
    this.#become(next, 'edit')
  }

  #withResults(message: JsonObject): JsonObject {
    const { content } = message
    if (!Array.isArray(content) || this.#results.size === 0) return message
    let isChanged = false
    const parts = content.map((part: JsonValue) => {
      if (!isObject(part) || part['type'] !== 'tool_result') return part
      const result = this.#results.get(part['tool_use_id'])
      if (result === undefined || part['content'] === result) return part
      isChanged = true
      return { ...part, content: result }
    })
    return isChanged ? { ...message, content: parts } : message
  }

  /** The summary takes the place of everything but the messages that the boundary names. */
  #compact(value: JsonObject, message: JsonObject): void {
    const kept = this.#kept()
    const isLast = this.#boundary !== undefined && anchorOf(this.#boundary) === this.#boundary['uuid']
    const summary: Said = { messages: [asText(message)], isSummary: true, at: value['timestamp'] }
    this.#entries.set(summary, [value])
    this.#become(isLast ? [...kept, summary] : [summary, ...kept], 'compaction')
    this.#boundary = undefined
    this.#open = undefined
  }

  /** Something else follows a boundary: the summary is missing, and what was before is gone all the same. */
  #withoutSummary(): void {
    if (this.#boundary === undefined) return
    this.#become(this.#kept(), 'compaction')
    this.#boundary = undefined
  }

  #become(next: readonly Said[], why: 'edit' | 'compaction'): void {
    this.plan.become(next, why)
    this.#uuids = new Set(next.flatMap((said) => this.#uuidsOf(said)))
  }

  #uuidsOf(said: Said): readonly unknown[] {
    return this.#entries.get(said)!.map(({ uuid }) => uuid)
  }

  /** The messages that a compaction kept: named one by one, or by the first and the last of them. */
  #kept(): readonly Said[] {
    const about = this.#boundary?.['compactMetadata']
    const { preservedMessages: named, preservedSegment: segment } = isObject(about) ? about : {}
    if (isObject(named)) return this.#only((uuid) => listIn(named['uuids']).includes(uuid as JsonValue))
    if (!isObject(segment)) return []
    const uuids = this.plan.now.flatMap((said) => this.#uuidsOf(said))
    const [first, last] = [uuids.indexOf(segment['headUuid']), uuids.indexOf(segment['tailUuid'])]
    // The last of them may be written again behind the boundary.
    const kept = new Set(first < 0 ? [] : uuids.slice(first, last < 0 ? undefined : last + 1))
    return this.#only((uuid) => kept.has(uuid))
  }

  /** The list without some entries. A message of which some entries stay is another one. */
  #only(isKept: (uuid: unknown) => boolean): readonly Said[] {
    return this.plan.now.flatMap((said) => {
      const entries = this.#entries.get(said)!
      const kept = entries.filter(({ uuid }) => isKept(uuid))
      if (kept.length === 0 || kept.length === entries.length) return kept.length === 0 ? [] : [said]
      const rest = this.#saidOf(kept)
      this.#entries.set(rest, kept)
      return [rest]
    })
  }
}

function isList({ content }: JsonObject): boolean {
  return Array.isArray(content)
}

function listIn(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

/** A summary as one text. */
function asText({ content, ...message }: JsonObject): JsonObject {
  const kept = Object.fromEntries(Object.entries(message).filter(([key]) => !ABOUT.includes(key)))
  const parts = listIn(content)
  const [part] = parts
  const text = parts.length === 1 && isObject(part) && typeof part['text'] === 'string' ? part['text'] : content
  return { ...kept, ...(text === undefined ? {} : { content: text }) }
}

/** The entry that the kept messages come after: the summary, or the boundary itself if the summary comes last. */
function anchorOf({ compactMetadata }: JsonObject): JsonValue | undefined {
  if (!isObject(compactMetadata)) return undefined
  const { preservedMessages: messages, preservedSegment: segment } = compactMetadata
  return (isObject(messages) ? messages : isObject(segment) ? segment : {})['anchorUuid']
}

/**
 * A prompt that was written again has the same parent as the earlier one, and all that follows from the earlier one was left. Results of
 * parallel calls share a parent too, and are no prompts.
 */
function leftEntries(entries: readonly Entry[]): (value: JsonObject) => boolean {
  const newest = new Map<unknown, unknown>()
  for (const { value } of entries) {
    if (isPrompt(value) && typeof value['parentUuid'] === 'string') newest.set(value['parentUuid'], value['uuid'])
  }
  const left = new Set<unknown>()
  return (value) => {
    const { uuid, parentUuid, logicalParentUuid } = value
    const isOld = isPrompt(value) && newest.has(parentUuid) && newest.get(parentUuid) !== uuid
    if (!isOld && !left.has(parentUuid ?? logicalParentUuid)) return false
    left.add(uuid)
    return true
  }
}

function isPrompt({ type, message, isSidechain, isMeta, isCompactSummary }: JsonObject): boolean {
  if (type !== 'user' || !isObject(message) || isSidechain === true || isMeta === true) return false
  const { content } = message
  if (isCompactSummary === true) return false
  return !Array.isArray(content) || !content.some((part) => isObject(part) && part['type'] === 'tool_result')
}

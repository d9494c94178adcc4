// Bound thoughts (D58): a provider takes back a thought that it has signed only behind the beginning that it was made for: tools, system texts
// and messages. A thought keeps digests of its beginning; a request holds it only if they are those of the request, and so one edit costs all
// later thoughts.

import { BOUND, type Bound, canonicalJson, isBound } from '../../codec/index.js'
import {
  compactedOf,
  Gone,
  isLineFor,
  type JsonObject,
  type JsonValue,
  type NodeRecord,
  type Version,
} from '../../core/index.js'
import type { CallPrompt } from '../../thread/index.js'
import { lineOf, sortByPlace, type View } from '../../timeline/index.js'
import { DigestChain, shortDigest } from './digest-chain.js'
import type { MessageSpec, PartSpec } from './import-messages.js'
import { Owners } from './marks.js'
import { type CheckedPiece, listOf, type Piece, type Thoughts } from './piece.js'
import { inOrder, isObject, plainJson, type PlainObject, type PlainValue } from './plain-json.js'
import type { Rendered } from './rendering.js'
import type { Noted } from './request-writer.js'

/** The thoughts of a format that are bound, and how its requests are compared: without cache marks, and in one form for what is the same. */
export type ThoughtFormat = Readonly<{
  /** True for a part of a message that is signed or encrypted. */
  isBound(part: JsonObject): boolean
  /** The elements of the system text outside the messages. */
  system(value: PlainValue | undefined): readonly unknown[]
  message(message: PlainObject): unknown
  tools(value: PlainValue): unknown
  /** The keys of a message, without role and content, that requests have; none by default. */
  keys?(envelope: JsonObject, role: string | undefined): JsonObject
  /** A value of the context as requests have it; plain JSON by default. */
  plain?(value: JsonValue): PlainValue
}>

/** The part of a request before a message: digests of its tools, if they are known, and of all that is before the message. */
export type Beginning = Readonly<{ before: string; tools: string | undefined }>

/** The beginning of a request in which something was forgotten. No request has it again: the provider would refuse the thought. */
export const LOST: Beginning = Object.freeze({ before: '0'.repeat(16), tools: undefined })

export class BoundThoughts {
  readonly #format: ThoughtFormat
  readonly #chain: DigestChain
  #system: Readonly<{ isText: boolean; text: string; end: string }> | undefined

  constructor(format: ThoughtFormat) {
    this.#format = format
    this.#chain = new DigestChain((message) => format.message(message))
  }

  /** The request without the thoughts whose beginning is another one here; `prompt` is in the params of the call, if they are known. */
  check(rendered: Rendered, prompt: CallPrompt | undefined): Rendered {
    const { pieces, before } = rendered
    let last = pieces.length - 1
    while (last >= 0 && pieces[last]!.thoughts === undefined) last--
    if (last < 0) return rendered
    let made: Piece[] | undefined
    let isWhole = true
    const tools = prompt?.tools === undefined ? undefined : this.tools(prompt.tools as PlainValue)
    let start = this.start(before['system'] ?? (prompt?.system as PlainValue | undefined))
    for (let i = 0; i <= last; i++) {
      const checked = this.#look(pieces[i]!, start, tools, isWhole)
      start = checked.end
      if (checked.made === pieces[i]) continue
      isWhole = false
      made ??= [...pieces]
      made[i] = checked.made
    }
    return made === undefined ? rendered : { ...rendered, pieces: made, list: listOf(made) }
  }

  /** The beginning that a whole request is for the reply to it. */
  behind(request: Readonly<{ system: PlainValue | undefined; messages: readonly PlainObject[] }>): string {
    return this.#chain.afterAll(this.start(request.system), request.messages)
  }

  /** Messages whose bound thoughts know what is before them; `begun` gives the beginning of the first message. */
  bind(messages: readonly MessageSpec[], begun: () => Beginning): readonly MessageSpec[] {
    const last = messages.findLastIndex((message) => partsOf(message).some((part) => this.#isBound(part)))
    if (last < 0) return messages
    const { before, tools } = begun()
    let start = before
    return messages.map((message, at) => {
      if (at > last) return message
      const { body } = message
      const whole = this.#jsonOf(message)
      const behind = start
      if (at < last) start = this.#chain.after(start, whole)
      if (!('parts' in body)) return message
      const content = whole['content'] as readonly PlainValue[]
      const parts = body.parts.map((part, i) => {
        if (!this.#isBound(part)) return part
        const digest = this.#chain.digest(behind, { ...whole, content: content.slice(0, i) })
        return { ...part, bound: tools === undefined ? { before: digest } : { before: digest, tools } }
      })
      return { ...message, body: { parts } }
    })
  }

  /** True if some of the nodes are bound thoughts of this format. */
  areAny(records: readonly NodeRecord[]): boolean {
    return records.some(({ content }) => isObject(content) && this.#format.isBound(content))
  }

  /** The digests of the thoughts of a request that have none, by their nodes, as if it was their beginning. */
  beginnings({ before, pieces }: Rendered): ReadonlyMap<string, Bound> {
    const found = new Map<string, Bound>()
    let start = this.start(before['system'])
    for (const { list, thoughts } of pieces) {
      for (const message of list) {
        const { content } = message
        const blocks = Array.isArray(content) ? (content as readonly PlainValue[]) : []
        for (const [at, block] of blocks.entries()) {
          const record = isObject(block) && this.#format.isBound(block) ? thoughts?.get(block) : undefined
          if (record === undefined || boundOf(record) !== undefined) continue
          const digest = this.#chain.digest(start, { ...message, content: blocks.slice(0, at) })
          found.set(record.id, Object.freeze({ before: digest }))
        }
        start = this.#chain.after(start, message)
      }
    }
    return found
  }

  tools(value: PlainValue): string {
    return shortDigest(canonicalJson(this.#format.tools(value)))
  }

  /** The digest before the first message. */
  start(system: PlainValue | undefined): string {
    const isText = typeof system === 'string'
    const text = isText ? system : JSON.stringify(system ?? [])
    if (this.#system?.text === text && this.#system.isText === isText) return this.#system.end
    const end = this.#format.system(system).reduce<string>((at, each) => shortDigest(at + canonicalJson(each)), '')
    this.#system = { isText, text, end }
    return end
  }

  #look(piece: Piece, start: string, tools: string | undefined, isWhole: boolean): CheckedPiece {
    const known = piece.checked
    if (known?.start === start && known.tools === tools && known.isWhole === isWhole) return known
    return (piece.checked = { start, tools, isWhole, ...this.#checkPiece(piece, { before: start, tools }, isWhole) })
  }

  #checkPiece(piece: Piece, { before, tools }: Beginning, isWhole: boolean): Pick<CheckedPiece, 'end' | 'made'> {
    if (piece.thoughts === undefined) return { end: this.#chain.afterAll(before, piece.list), made: piece }
    const stale: Noted[] = []
    const list: PlainObject[] = []
    const owners = new Owners([piece])
    let end = before
    for (const message of piece.list) {
      const kept = this.#valid(piece.thoughts, message, { before: end, tools }, isWhole, stale)
      if (kept !== message && (kept['content'] as readonly PlainValue[]).length === 0) continue
      if (kept !== message) owners.like(kept, message)
      end = this.#chain.after(end, kept)
      list.push(kept)
    }
    return { end, made: stale.length === 0 ? piece : piece.without(list, stale, owners) }
  }

  /** The message without its stale thoughts; itself if it has none. */
  #valid(
    thoughts: Thoughts,
    message: PlainObject,
    { before, tools }: Beginning,
    isWhole: boolean,
    stale: Noted[],
  ): PlainObject {
    const content = message['content']
    if (!Array.isArray(content)) return message
    const kept: PlainValue[] = []
    for (const block of content as readonly PlainValue[]) {
      const record = isObject(block) && this.#format.isBound(block) ? thoughts.get(block) : undefined
      const now = { tools, before: () => this.#chain.digest(before, { ...message, content: kept }) }
      const why = record && whyStale(boundOf(record), now, isWhole && stale.length === 0)
      if (why === undefined) kept.push(block)
      else stale.push(staleThought(record!, why))
    }
    return kept.length === content.length ? message : inOrder({ ...message, content: Object.freeze(kept) })
  }

  #isBound({ kind, content }: PartSpec): boolean {
    return kind === 'reasoning' && isObject(content) && this.#format.isBound(content)
  }

  /** A message as a request has it. */
  #jsonOf({ role, envelope, body, form }: MessageSpec): PlainObject {
    const content =
      'parts' in body ? body.parts.map(elementOf) : form === 'absent' || form === 'null' ? [] : elementOf(body)
    const { plain = plainJson, keys } = this.#format
    return plain({ ...keys?.(envelope, role), role: role ?? '', content }) as PlainObject
  }
}

type Why = 'tools' | 'before'

/** A side that is not known, then or now, is not compared. A thought without digests is stale once another one is. */
function whyStale(
  bound: Bound | undefined,
  now: Readonly<{ before: () => string; tools: string | undefined }>,
  isWhole: boolean,
): Why | undefined {
  if (bound === undefined) return isWhole ? undefined : 'before'
  if (bound.tools !== undefined && now.tools !== undefined && bound.tools !== now.tools) return 'tools'
  return bound.before === now.before() ? undefined : 'before'
}

function staleThought(record: NodeRecord, why: Why): Noted {
  const changed = why === 'tools' ? 'the tools have changed since' : 'what is before it has changed since'
  const text = `The thought ${record.id} is left out: ${changed}, and its provider takes it only as it was made.`
  const repair = Object.freeze({ code: 'stale-thought', node: record.id, text } as const)
  return { repair, callId: undefined, stale: why === 'tools' ? undefined : record }
}

function boundOf({ rare }: NodeRecord): Bound | undefined {
  const value = rare?.attributes?.get(BOUND)
  return isBound(value) ? value : undefined
}

function partsOf({ body }: MessageSpec): readonly PartSpec[] {
  return 'parts' in body ? body.parts : []
}

/** A part as it came. */
function elementOf({ content, kind, keys }: PartSpec): JsonValue {
  return kind === 'text' && keys !== undefined ? { ...keys, text: content } : content
}

/** A node, and what happened to it. */
export type Change = Readonly<{ node: string; cause: string; cycle: number }>

/** The first change since a thought was made to something that was before it; undefined where the history does not tell. */
export function changeBefore(thought: NodeRecord, view: View): Change | undefined {
  let summary: Version | undefined
  let shed: NodeRecord | undefined
  for (const version of view.changesFrom(thought.cycle)) {
    const cause = causeOf(version, thought, view)
    if (cause !== undefined) return { node: version.id, cause, cycle: version.born }
    if (isSummaryBefore(version, thought)) summary ??= version
    if (isShedBefore(version, thought, view) && (shed === undefined || isOlder(shed, version))) shed = version
  }
  // Of nodes of the open cycle only the summary in their place is known, and the line in place of a content. The oldest results are shed first, so
  // the newest line came last.
  if (summary !== undefined) return { node: summary.id, cause: 'compacted', cycle: summary.born }
  return shed && { node: shed.id, cause: 'shed', cycle: shed.born }
}

function isShedBefore(version: Version, thought: NodeRecord, view: View): version is NodeRecord {
  return (
    !(version instanceof Gone) &&
    isLineFor(version, version.id) &&
    isOlder(version, thought) &&
    view.find(version.id) === version
  )
}

function isSummaryBefore(version: Version, thought: NodeRecord): boolean {
  return !(version instanceof Gone) && compactedOf(version) !== undefined && isOlder(version, thought)
}

function causeOf(version: Version, thought: NodeRecord, view: View): string | undefined {
  if (version.id === thought.id) return undefined
  const earlier = view.versionAt(version.id, version.born - 1)
  const before = earlier instanceof Gone ? undefined : earlier
  if (version instanceof Gone) return before !== undefined && isOlder(before, thought) ? version.cause : undefined
  if (!version.isRendered || view.find(version.id) !== version) return undefined
  if (before !== undefined)
    return isOlder(version, thought) && before.content !== version.content ? 'edited' : undefined
  return !isOlder(version, thought) && isAhead(version, thought, view) ? 'added' : undefined
}

/** By time first, as requests order nodes: a node that replaces another one keeps its age. */
function isOlder(record: NodeRecord, { createdAtNs, cycle, creationIndex }: NodeRecord): boolean {
  if (!record.isRendered) return false
  if (record.createdAtNs !== createdAtNs) return record.createdAtNs < createdAtNs
  return record.cycle === cycle ? record.creationIndex < creationIndex : record.cycle < cycle
}

/** True if it is in an earlier part of the tree. In the turn of the thought itself, requests have it behind the thought (D57). */
function isAhead(record: NodeRecord, thought: NodeRecord, view: View): boolean {
  const [turn, own] = [record, thought].map((each) => lineOf(view, each).find(({ nodeClass }) => nodeClass === 'seg'))
  return (turn === undefined || turn !== own) && sortByPlace(view, [record, thought])[0] === record
}

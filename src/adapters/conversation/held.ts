// Replies that a provider keeps. A request may name one and hold only what comes after it. The node of such a reply has its id there, and digests of
// the request that it answers and of its own words. A request goes on from the newest reply for which both are still the same. So an edit of history,
// an expiry or a budget leads to an earlier reply or to the whole request, in forks and in reopened contexts too.

import { STOP } from '../../codec/index.js'
import type { JsonObject, JsonValue, NodeRecord } from '../../core/index.js'
import type { CallPrompt } from '../../thread/index.js'
import type { View } from '../../timeline/index.js'
import { DigestChain } from './digest-chain.js'
import type { MessageSpec } from './import-messages.js'
import { ATTRIBUTES, digestOf, type Message } from './neutral.js'
import { isObject, type PlainObject, type PlainValue } from './plain-json.js'
import { coreMessagesBack, turnsBack } from './read-messages.js'
import { objectIn } from './read-part.js'
import { type Rendered, withStart } from './rendering.js'
import type { Noted } from './request-writer.js'

type Keys = Readonly<Record<string, PlainValue>>

/** The words of a provider for a request whose beginning it has. */
export type HeldFormat = Readonly<{
  /** The keys before the list for a request that goes on from the reply `after`; undefined for a whole request. */
  keys(before: Keys, after: string | undefined): Keys
  /** The keys before the list that are kept with a reply: a request goes on only where they are the same. */
  same?: readonly string[]
  /** True if the provider keeps the system text and the tools, too: a request that goes on has neither, and needs the ones that are kept. */
  holdsPrompt?: boolean
  /** True if a reply can be gone on from once: then only the newest one may be named. */
  isOnce?: boolean
  /** True if a request without anything new goes on with a reply that was paused. */
  resumesAlone?: boolean
  /** True if the params of a call ask for something that excludes requests of this kind. */
  excludes?(params: JsonObject): boolean
  /** False if the params of a call ask the provider to keep nothing; without it the reply itself says so. */
  keepsFor?(params: JsonObject): boolean
  /** True for a message or item of the list that the model said. */
  isSaid(message: PlainObject): boolean
  /** The key of a place at the provider that has everything that was sent there and all replies, such as a conversation. */
  place?: string
  /** True if an error of the client says that the provider does not have the reply, or the place. */
  isForgotten(error: unknown): boolean
}>

/** The option of formats whose provider keeps replies. */
export type OnlyNewOptions = Readonly<{
  /** True: the request names the newest reply that the provider has as the tree has it, and holds only what is new. False: the whole. */
  onlyNew?: boolean | undefined
}>

export class HeldReplies {
  readonly #name: string
  readonly #format: HeldFormat
  readonly #chain = new DigestChain((message) => message)
  readonly #tools: (tools: JsonValue) => unknown

  /** `name` is that of the request format; `tools` gives the tools of a call in a form to compare. */
  constructor(name: string, format: HeldFormat, tools: (tools: JsonValue) => unknown) {
    this.#name = name
    this.#format = format
    this.#tools = tools
  }

  isForgotten(error: unknown): boolean {
    return this.#format.isForgotten(error)
  }

  keepsFor(params: JsonObject): boolean {
    return this.#format.keepsFor?.(params) ?? true
  }

  /** True if a call with these params has to be sent whole, and its reply is not kept. */
  excludes(params: JsonObject): boolean {
    return this.#format.excludes?.(params) ?? false
  }

  /** True if a request goes into a place that has all replies. */
  isPlaced(request: Rendered): boolean {
    return this.#placeIn(request) !== undefined
  }

  /** The request without the part that the provider has. */
  onlyNew(whole: Rendered, view: View, wanted: boolean | undefined, prompt: CallPrompt | undefined): Rendered {
    const place = this.#placeIn(whole)
    if (wanted === undefined && place === undefined) return whole
    const made = wanted === false ? undefined : this.#resumed(whole, view, place, prompt)
    if (made !== undefined) return made
    return this.#without({ ...whole, before: this.#keys(whole, undefined) }, whole, view)
  }

  /** The request behind a reply that the provider has; undefined if there is none. */
  #resumed(
    whole: Rendered,
    view: View,
    place: string | undefined,
    prompt: CallPrompt | undefined,
  ): Rendered | undefined {
    const replies = (): Generator<Kept> => this.#replies(view)
    if (place !== undefined && !some(replies(), (reply) => reply.place === place)) return whole
    const places = this.#digestsIn(whole, prompt)
    const tools = this.#toolsOf(prompt)
    const behind = (reply: Kept): number | undefined => {
      if (tools !== undefined && reply.tools !== undefined && reply.tools !== tools) return undefined
      return endOf(reply, whole, places, this.#format)
    }
    // A place has everything that was sent there, so the newest reply has to be there.
    const newest = replies().next().value as Kept | undefined
    const end = place !== undefined && newest?.place === place ? behind(newest) : undefined
    if (end !== undefined) return rest(whole, end, whole.before)
    for (const reply of replies()) {
      const start = reply.place === undefined ? behind(reply) : undefined
      if (start !== undefined) return this.#without(rest(whole, start, this.#keys(whole, reply.id)), whole, view)
      if (this.#format.isOnce === true) return undefined
    }
    return undefined
  }

  /** A reply with the id by which the provider keeps it; `request` is the whole one that it answers, `sent` what was sent of it. */
  kept(
    messages: readonly MessageSpec[],
    id: string,
    request: Rendered,
    sent: Rendered,
    prompt: CallPrompt | undefined,
  ): readonly MessageSpec[] {
    const [message] = messages
    // Several messages would be several places in the tree.
    if (message === undefined || messages.length > 1) return messages
    const before = this.#chain.afterAll(this.#start(request, prompt), request.list)
    const known = Object.entries({ place: this.#placeIn(sent), tools: this.#toolsOf(prompt) })
    const facts = Object.fromEntries(known.filter(([, value]) => value !== undefined)) as Record<string, string>
    return [{ ...message, reply: { id, before, said: digestOf(entriesOf(message)), ...facts } }]
  }

  /** The place that a request goes into. */
  #placeIn({ before }: Rendered): string | undefined {
    const { place } = this.#format
    const value = place === undefined ? undefined : before[place]
    const id = isObject(value) ? value['id'] : value
    return typeof id === 'string' ? id : undefined
  }

  #keys({ before }: Rendered, after: string | undefined): Keys {
    const { place } = this.#format
    const { [place ?? '']: _place, ...keys } = before
    return this.#format.keys(keys, after)
  }

  /** Notes that a request does not go into its place any more. */
  #without(made: Rendered, whole: Rendered, view: View): Rendered {
    const place = this.#placeIn(whole)
    if (place === undefined) return made
    const text = `The request is sent without ${this.#format.place}: ${place} does not hold what the context holds now.`
    const repair = Object.freeze({ code: 'dropped-key', node: view.tree.root.id, text } as const)
    const noted: Noted = { repair, callId: undefined }
    return { ...made, repairs: [...made.repairs, noted] }
  }

  #start({ before }: Rendered, prompt: CallPrompt | undefined): string {
    const { same = [], holdsPrompt } = this.#format
    const kept: JsonValue[] = same.map((key) => (before[key] ?? null) as JsonValue)
    if (holdsPrompt === true) kept.push((before['system'] as JsonValue | undefined) ?? prompt?.system ?? null)
    return kept.length === 0 ? '' : digestOf(kept)
  }

  /** A digest of the tools, if the provider keeps them and they are known. */
  #toolsOf(prompt: CallPrompt | undefined): string | undefined {
    if (this.#format.holdsPrompt !== true || prompt?.tools === undefined) return undefined
    return digestOf(this.#tools(prompt.tools) as JsonValue)
  }

  /** The number of messages before each digest of the chain. */
  #digestsIn(request: Rendered, prompt: CallPrompt | undefined): ReadonlyMap<string, number> {
    let digest = this.#start(request, prompt)
    const places = new Map([[digest, 0]])
    for (const [at, message] of request.list.entries()) {
      digest = this.#chain.after(digest, message)
      places.set(digest, at + 1)
    }
    return places
  }

  /** The newest first. */
  *#replies({ tree }: View): Generator<Kept> {
    for (const { message } of coreMessagesBack(turnsBack(tree))) {
      const reply = message.format === this.#name ? objectIn(message.record, ATTRIBUTES.reply) : undefined
      const { id, before, said, place, tools } = reply ?? {}
      if (typeof id !== 'string' || typeof before !== 'string') continue
      const { record } = message
      const records = recordsOf(message)
      yield {
        id,
        before,
        isSame: said === digestOf(records.map(entryOf)),
        nodes: new Set([record.id, ...records.map((each) => each.id)]),
        thoughts: records.filter(({ kind }) => kind === 'reasoning').map((each) => each.id),
        isPaused: [record, ...records].some(({ rare }) => rare?.attributes?.get(STOP) === 'pause'),
        place: typeof place === 'string' ? place : undefined,
        tools: typeof tools === 'string' ? tools : undefined,
      }
    }
  }
}

/** A reply in the tree, as its node describes it. */
type Kept = Readonly<{
  id: string
  place: string | undefined
  tools: string | undefined
  before: string
  /** True if the reply says what it said. */
  isSame: boolean
  isPaused: boolean
  nodes: ReadonlySet<string>
  thoughts: readonly string[]
}>

/** The number of messages up to the end of a reply, if the request has what was before the reply, then the reply, and then something new. */
function endOf(
  { before, nodes, thoughts, isSame, isPaused }: Kept,
  { pieces }: Rendered,
  places: ReadonlyMap<string, number>,
  { isSaid, resumesAlone }: HeldFormat,
): number | undefined {
  const start = isSame ? places.get(before) : undefined
  if (start === undefined) return undefined
  const seen = new Set<string>()
  let at = 0
  let end = start
  for (const { list, owners } of pieces) {
    for (const message of list) {
      if (at++ < start) continue
      const said = owners.within(message, [])
      const own = said.filter((node) => nodes.has(node))
      const isReply = own.length > 0 && own.length === said.length && isSaid(message)
      if (isReply && end === at - 1) end = at
      // The stub of a result is its call's, too. Other words of the reply behind others would be sent twice.
      else if (isReply || own.some((node) => !seen.has(node))) return undefined
      for (const node of own) seen.add(node)
    }
  }
  // The model would read a thought that this request leaves out.
  if (end === start || thoughts.some((node) => !seen.has(node))) return undefined
  return end === at && !(isPaused && resumesAlone === true) ? undefined : end
}

/** The end of a request, with other keys before the list. */
function rest(whole: Rendered, drop: number, before: Keys): Rendered {
  const pieces = withStart(whole.pieces, { drop, put: [] }, whole.owners)
  return { ...whole, before, pieces, list: whole.list.slice(drop), instead: undefined }
}

/** All that a reply says, part by part: content and keys. */
function entriesOf({ body, envelope }: MessageSpec): JsonValue {
  if (!('parts' in body)) return [[body.content, body.keys ?? {}, envelope]]
  return body.parts.map((part) => [part.content, part.keys ?? {}, part.envelope ?? {}])
}

/** The same of a node. */
function entryOf(record: NodeRecord): JsonValue {
  const of = (name: string): JsonObject => objectIn(record, name) ?? {}
  return [record.content ?? '', of(ATTRIBUTES.part), of(ATTRIBUTES.message)]
}

function recordsOf({ record, parts }: Message): readonly NodeRecord[] {
  return record.nodeClass === 'block' ? [record] : [...new Set(parts.map((part) => part.record))]
}

function some<T>(values: Iterable<T>, passes: (value: T) => boolean): boolean {
  for (const value of values) if (passes(value)) return true
  return false
}

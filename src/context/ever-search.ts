// The search of forget and erase (D56, N125): everything that keeps content is asked, and a history may be shown to it part by part.

import {
  compactedOf,
  EMPTY_RECEIPT,
  isSentLens,
  NodeRecord,
  shedOf,
  type SentRecord,
  type Dialect,
  type JsonValue,
  type Schedule,
} from '../core/index.js'
import { canonicalJson, sha256Hex } from '../codec/index.js'
import { scheduledHits, type EditSession } from '../edit/index.js'
import {
  Branch,
  eachRecord,
  Frame,
  lineOf,
  newTree,
  Sequence,
  shedNodes,
  treeWithOriginals,
  View,
  type TreeNode,
} from '../timeline/index.js'
import { sentRecords, wordsOf } from '../attempts/index.js'
import type { AskedEver, Mutation } from './mutation-query.js'
import type { OpenCycle } from './open-cycle.js'

/** The ids of nodes, and the keys of schedules. */
export type FoundNodes = Readonly<{ ids: ReadonlySet<string>; keys: ReadonlySet<string> }>

/** One choice of `A ?? B`: the ids that it found, the texts of these nodes and, by key, the contents of hits in scheduled nodes. */
type Choice = Readonly<{
  asked: AskedEver
  ids: Set<string>
  texts: Set<string>
  contents: Map<string, Set<string>>
  keys: Set<string>
}>

export class EverSearch {
  readonly #mutation: Mutation
  readonly #choices: readonly Choice[]
  readonly #schedules = new Set<Schedule>()
  /** By key and hash of content, the ids of nodes that instances of a key hold. */
  readonly #held = new Map<string, Map<string, Set<string>>>()
  /** By their words, the attempts that may quote a node in their params. */
  readonly #attempts = new Map<string, Set<string>>()

  /** By the id of an original, the nodes that hold it since its content was shed. */
  readonly #shed = new Map<string, Set<string>>()

  constructor(mutation: Mutation) {
    this.#mutation = mutation
    this.#choices = mutation.choices.map((asked) => ({
      asked,
      ids: new Set(),
      texts: new Set(),
      contents: new Map(),
      keys: new Set(),
    }))
  }

  get isOptional(): boolean {
    return this.#mutation.isOptional
  }

  /** The answer depends on all trees together, so `look` must be called once with all of them. */
  get isWhole(): boolean {
    return this.#mutation.choices.some(({ isWindowed }) => isWindowed)
  }

  /** Searches trees, the newest first. */
  look(given: readonly View[]): void {
    for (const { tree } of given) {
      for (const schedule of tree.schedules) this.#schedules.add(schedule)
      for (const record of shedNodes(tree)) setIn(this.#shed, shedOf(record)!.id).add(record.id)
    }
    const views = given.flatMap((view) => [view, ...withOriginals(view)])
    for (const { asked, ids, texts, contents } of this.#choices) {
      for (const { record, view } of asked.hitsIn(views)) {
        // A summary that is opened to the nodes in it is no hit itself.
        if (record.nodeClass !== 'block' && compactedOf(record) !== undefined) continue
        ids.add(record.id)
        if (!isSentLens(record.id)) addTexts(record.content, texts)
        const line = record.nodeClass === 'root' ? [record] : lineOf(view, record)
        for (const { instanceKey } of line) {
          if (instanceKey !== undefined) setIn(contents, instanceKey).add(contentName(record))
        }
      }
    }
    if (this.#schedules.size > 0) this.#noteInstances(views)
  }

  #noteInstances(views: readonly View[]): void {
    for (const { record, view } of this.#mutation.keyedIn(views)) {
      const key = record.instanceKey
      if (key === undefined) continue
      let byContent = this.#held.get(key)
      if (byContent === undefined) this.#held.set(key, (byContent = new Map()))
      const names = byContent
      eachRecord(view.nodeOf(record), (each) => void setIn(names, contentName(each)).add(each.id))
    }
  }

  /** Searches schedules whose trees are not known. */
  lookAtSchedules(open: OpenCycle, schedules: readonly Schedule[]): void {
    for (const schedule of schedules) this.#schedules.add(schedule)
    if (this.#schedules.size > 0) open.ask((session) => this.#lookAtSchedules(session))
  }

  /** Searches the rest of a context: the working state, undo steps and attempts. */
  lookBeside(open: OpenCycle, records: readonly SentRecord[], dialect: Dialect, views: readonly View[] = []): void {
    for (const record of records) this.#noteWords(record)
    open.ask((session) => {
      const { cycle, undone } = session.draft
      const lost = undone.trees.map((tree) => View.alone(new Frame(tree, cycle, true), EMPTY_RECEIPT))
      for (const schedule of undone.schedules) this.#schedules.add(schedule)
      const alone = nodesAlone([...undone.versions, ...sentBy(records, dialect)])
      this.look([View.ofWorking(session.draft.copy()), ...views, ...lost, ...alone])
      this.#lookAtSchedules(session)
    })
  }

  #noteWords(record: SentRecord): void {
    const words = wordsOf(record)
    if (words !== undefined) setIn(this.#attempts, JSON.stringify(words)).add(record.attempt_id)
  }

  /** A schedule is found if the selector finds its node in the active head now. */
  #lookAtSchedules(session: EditSession): void {
    for (const { asked, ids, keys } of this.#choices) {
      if (asked.isWindowed && ids.size > 0) continue
      for (const schedule of this.#schedules) {
        if (!keys.has(schedule.key) && isHit(session, schedule, asked)) keys.add(schedule.key)
      }
    }
  }

  /** The hits of the first choice that has any. */
  get found(): FoundNodes {
    for (const choice of this.#choices) {
      const found = this.#foundBy(choice)
      if (found.ids.size + found.keys.size > 0) return found
    }
    return { ids: new Set(), keys: new Set() }
  }

  /** A schedule would bring the content of its instance again (D46), and its other instances have the same content (N126). */
  #foundBy({ ids, texts, contents, keys }: Choice): FoundNodes {
    const found = { ids: new Set(ids), keys: new Set(keys) }
    for (const [words, attempts] of this.#attempts) {
      if ([...texts].some((text) => words.includes(JSON.stringify(text).slice(1, -1))))
        for (const id of attempts) found.ids.add(id)
    }
    for (const key of new Set(Array.from(this.#schedules, (schedule) => schedule.key))) {
      const hit = contents.get(key)
      if (hit === undefined) continue
      found.keys.add(key)
      for (const content of hit) {
        if (content !== NO_CONTENT) for (const id of this.#held.get(key)?.get(content) ?? []) found.ids.add(id)
      }
    }
    // A content that was shed is in its original, in snapshots, and with the node that has the line.
    for (const [id, standIns] of this.#shed) {
      const all = [id, ...standIns]
      if (all.some((each) => found.ids.has(each))) for (const each of all) found.ids.add(each)
    }
    return found
  }
}

/** The same tree with the originals of shed results (D61); none if it has no such results. */
function withOriginals({ tree, cycle, isWorking }: View): readonly View[] {
  const whole = treeWithOriginals(tree)
  return whole === undefined ? [] : [View.alone(new Frame(whole, cycle, isWorking), EMPTY_RECEIPT)]
}

/** A tree for each node, with the node in the active head; for nodes whose own tree is not known. */
export function nodesAlone(records: readonly NodeRecord[]): readonly View[] {
  return records.flatMap((record) => {
    const { nodeClass } = record
    if (nodeClass === 'root' || nodeClass === 'region') return []
    const { root, regions, schedules } = newTree()
    const at = nodeClass === 'seg' ? 1 : 2
    const own = new NodeRecord({ ...record, parentId: regions[at].record.id })
    const node: TreeNode = nodeClass === 'block' ? own : new Branch(own, Sequence.EMPTY)
    const filled = new Branch(regions[at].record, Sequence.fromSorted([node]))
    const [sys, seq, head] = regions
    const tree = { root, regions: at === 1 ? [sys, filled, head] : [sys, seq, filled], schedules }
    return View.alone(new Frame(tree as never, record.cycle, true), EMPTY_RECEIPT)
  })
}

function sentBy(records: readonly SentRecord[], dialect: Dialect): readonly NodeRecord[] {
  return records.flatMap((record) => sentRecords(record, dialect))
}

function isHit(session: EditSession, schedule: Schedule, asked: AskedEver): boolean {
  return session.draft.withSchedules([schedule], () => scheduledHits(session, asked).length > 0)
}

/** Adds the texts in a value, as far as they are long enough to be a quote: names of tools and types are in many params. */
function addTexts(value: JsonValue | undefined, texts: Set<string>, shortest = 4): void {
  if (typeof value === 'string') {
    if (value.length >= shortest) texts.add(value)
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value) as readonly JsonValue[]) addTexts(part, texts, Math.max(shortest, 16))
  }
}

const NO_CONTENT = ''

function contentName({ content }: NodeRecord): string {
  return content === undefined ? NO_CONTENT : sha256Hex(canonicalJson(content))
}

function setIn<K>(all: Map<K, Set<string>>, key: K): Set<string> {
  let set = all.get(key)
  if (set === undefined) all.set(key, (set = new Set()))
  return set
}

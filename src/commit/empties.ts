// The empty containers (D26), and in some contexts segments (D55), that a commit has to look at. A container can become empty only through
// a removal, which the draft notes, or by a change of its own. A container that was empty before leaves only when its keeper does, which
// the last commit noted (see waiting.ts). So a commit looks at these and leaves the others alone, however many wait. The first commit of a
// context looks at all of them once.

import type { NodeRecord } from '../core/index.js'
import { AT_ONCE, Branch, childrenOf, recordOf, type Draft, type Sequence } from '../timeline/index.js'
import { hollowSegments, isHollow, segmentOf } from './hollow.js'
import { Keepers } from './keepers.js'
import type { EmptiedVerdict } from './waiting.js'

export type EmptiesInput = Readonly<{
  draft: Draft
  /** The waiting nodes of the last snapshot; undefined if they have not been searched for yet. */
  known: Keepers | undefined
  /** The ids whose last hold has ended since the last commit. */
  released: Iterable<string>
  takesSegments: boolean
}>

/** For tests that count: how many containers all commits so far have looked at. */
export function countEmptied(): number {
  return lookedAt
}

let lookedAt = 0

export class Empties {
  readonly takesSegments: boolean
  readonly #draft: Draft
  readonly #known: Keepers | undefined
  /** Ids that may be those of empty containers which may go; made when first needed, since most commits find none. */
  #open: Set<string> | undefined
  /** Every id that was looked at in this commit, and those of them that stay. */
  #judged: Set<string> | undefined
  readonly #kept = new Keepers()
  /** The number of the draft's hints that were taken. */
  #hints = 0

  constructor({ draft, known, released, takesSegments }: EmptiesInput) {
    this.takesSegments = takesSegments
    this.#draft = draft
    this.#known = known
    if (known === undefined) {
      for (const { children } of draft.tree.regions) for (const { id } of spent(children)) this.#put(id)
      if (takesSegments) for (const { id } of hollowSegments(draft)) this.#put(id)
    } else for (const id of released) this.#openMeant(id)
  }

  /** Looks at all that the commit has changed so far. */
  look(): void {
    const hasSome = this.takesSegments || (this.#known?.size ?? 0) > 0 || !hasNoSpent(this.#draft)
    if (hasSome) for (const { id } of this.#draft.changes) this.#lookAt(id)
  }

  /** Notes that nodes have left since, some of them directly out of these segments. */
  lose(gone: readonly NodeRecord[], segments: readonly NodeRecord[] = NONE): void {
    for (const { id } of gone) {
      this.#reopen(id)
      for (const each of this.#kept.keptBy(id)) this.#put(each)
      this.#close(id)
    }
    if (this.takesSegments) for (const { id } of segments) this.#put(id)
  }

  /** The empty ones among those to look at. */
  found(): readonly NodeRecord[] {
    const { mayBeEmpty } = this.#draft
    for (; this.#hints < mayBeEmpty.length; this.#hints++) this.#put(mayBeEmpty[this.#hints]!)
    if (this.#open === undefined) return NONE
    const found: NodeRecord[] = []
    for (const id of this.#open) {
      lookedAt++
      const record = this.#draft.find(id)
      if (record !== undefined && this.#isEmpty(record)) found.push(record)
    }
    return found
  }

  /** The empty containers, for a caller that decides which of them go. */
  take(): readonly NodeRecord[] {
    const found = this.found()
    if (this.#open === undefined) return found
    for (const id of this.#open) this.#close(id)
    this.#open = undefined
    return found
  }

  /** Notes the keeper of a container that stays: a live node that refers to it, or a hold. */
  keep(id: string, keeper: NodeRecord | undefined): void {
    this.#judge(id)
    this.#kept.set(id, keeper?.id, keeper?.refs)
  }

  get verdict(): EmptiedVerdict {
    return { judged: this.#judged ?? NOBODY, kept: this.#kept }
  }

  #lookAt(id: string): void {
    const record = this.#draft.find(id)
    if (this.#known?.has(id) === true) this.#openFirst(id)
    if (record === undefined || this.#known?.keepsOn(record) === false) this.#reopen(id)
    // It may have taken a meaning from another node.
    if (record !== undefined && this.#known !== undefined) for (const name of record.names) this.#openMeant(name)
    if (record?.isRemovable === true) this.#openFirst(id)
    if (!this.takesSegments) return
    for (const each of [record, this.#draft.timeline.find(id, this.#draft.cycle - 1)]) {
      const segment = each && segmentOf(this.#draft, each)
      if (segment !== undefined) this.#put(segment)
    }
  }

  /** Puts in question all containers that an id kept. */
  #reopen(id: string): void {
    for (const each of this.#known?.keptBy(id) ?? []) this.#openFirst(each)
  }

  /** Puts in question all waiting containers that an id may mean. */
  #openMeant(id: string): void {
    this.#openKnown(id)
    for (const standIn of this.#draft.mayStandInFor(id)) this.#openKnown(standIn)
    // A segment waits for its core, too.
    const record = this.takesSegments ? this.#draft.find(id) : undefined
    if (record?.nodeClass === 'core') this.#openKnown(record.parentId!)
  }

  #openKnown(id: string): void {
    if (this.#known!.has(id)) this.#openFirst(id)
  }

  /** A verdict of this commit replaces the verdict of the last one. */
  #openFirst(id: string): void {
    if (this.#judged?.has(id) !== true) this.#put(id)
  }

  #put(id: string): void {
    ;(this.#open ??= new Set()).add(id)
  }

  #judge(id: string): void {
    ;(this.#judged ??= new Set()).add(id)
  }

  #close(id: string): void {
    this.#judge(id)
    this.#kept.drop(id)
  }

  #isEmpty(record: NodeRecord): boolean {
    if (record.isRemovable) return (this.#draft.nodeOf(record) as Branch).isSpent
    return this.takesSegments && record.nodeClass === 'seg' && isHollow(this.#draft.nodeOf(record), NOBODY)
  }
}

const NOBODY: ReadonlySet<string> = new Set()
const NONE: readonly NodeRecord[] = []

function hasNoSpent(draft: Draft): boolean {
  return draft.tree.regions.every(({ children }) => children.due > AT_ONCE)
}

/** All empty removable containers; the sums in the tree lead there. */
function* spent(sequence: Sequence): Generator<NodeRecord, void, undefined> {
  if (sequence.due > AT_ONCE) return
  for (const chunk of sequence.chunks ?? []) yield* spent(chunk)
  for (const item of sequence.items ?? []) {
    if (item instanceof Branch && item.isSpent) yield recordOf(item)
    else yield* spent(childrenOf(item))
  }
}

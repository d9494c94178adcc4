// The forecast for a node: the cycle in which it leaves if nothing is edited and no limit takes it, and its keeper beyond its ttl (D24, D26, N122).
//
// The forecast looks only at nodes that bear on the answer: from the node to everything that could keep it (its parent, its
// children, nodes that refer to it), from these onward, and no further than nodes that cannot leave. Then it plays the commits
// in which one of them ends: expiry, then emptied containers.

import { grouped, type NodeRecord } from '../core/index.js'
import { childrenOf, lineOf, recordOf, sortByPlace, type Branch, type View } from '../timeline/index.js'
import type { Keeper } from './explanation.js'

export type ForecastInput = Readonly<{
  view: View
  /** The cycle of the next commit. */
  next: number
  isHeld: (record: NodeRecord) => boolean
  /** Empty segments leave (D55). */
  takesSegments: boolean
}>

export type Forecast = Readonly<{
  /** The first cycle without it, and whether a ttl takes it or the commit that finds it empty; undefined if it stays. */
  leaves: Readonly<{ cycle: number; by: 'ttl' | 'empty' }> | undefined
  /** The keeper of a node after the end of a ttl that would have taken it. */
  keeper: Keeper | undefined
}>

export function forecastOf(record: NodeRecord, input: ForecastInput): Forecast {
  return new Component(record, input).play()
}

type Member = Readonly<{
  record: NodeRecord
  /** Why it cannot leave; undefined for a node that can. */
  safe: 'held' | 'scheduled' | 'lasting' | undefined
  children: readonly string[]
  referrers: readonly string[]
}>

class Component {
  readonly #start: NodeRecord
  readonly #input: ForecastInput
  /** The nodes that bear on the answer and have not left. */
  readonly #members = new Map<string, Member>()
  /** Ids that a node to come will refer to, with the key of its schedule. */
  readonly #scheduled = new Map<string, string>()
  readonly #ends = new Map<string, number>()

  constructor(start: NodeRecord, input: ForecastInput) {
    this.#start = start
    this.#input = input
    for (const { key, node } of input.view.tree.schedules) {
      const templates = [node]
      for (const { rare, children } of templates) {
        for (const id of rare?.refs ?? []) this.#scheduled.set(input.view.meant(id)?.id ?? id, key)
        templates.push(...children)
      }
    }
    const queue = [start]
    for (const record of queue) if (!this.#members.has(record.id)) queue.push(...this.#add(record))
  }

  /** Adds a node and gives the nodes that could keep it. */
  #add(record: NodeRecord): readonly NodeRecord[] {
    const { view } = this.#input
    const safe = this.#safetyOf(record)
    const { id } = record
    if (safe !== undefined) {
      this.#members.set(id, { record, safe, children: [], referrers: [] })
      return []
    }
    const children = Array.from(childrenOf(view.nodeOf(record)), recordOf)
    // Sorted, because the first keeper found is named, and a context that was loaded may list them in another order.
    const referrers = sortByPlace(view, [...view.referrersOf(record)]).filter((each) => each.id !== id)
    this.#members.set(id, { record, safe, children: children.map(idOf), referrers: referrers.map(idOf) })
    return [view.find(record.parentId!)!, ...children, ...referrers]
  }

  #safetyOf(record: NodeRecord): Member['safe'] {
    const { view, isHeld, takesSegments } = this.#input
    const { id, nodeClass } = record
    if (nodeClass === 'region' || nodeClass === 'root') return 'lasting'
    if (isHeld(record)) return 'held'
    if (this.#scheduled.has(id)) return 'scheduled'
    if (this.#endOf(record) !== Infinity) return undefined
    const branch = record.isRemovable ? (view.nodeOf(record) as Branch) : undefined
    if (branch !== undefined && (branch.isSpent || branch.children.size > 0)) return undefined
    const segment = nodeClass === 'core' ? view.find(record.parentId!)! : record
    return takesSegments && segment.nodeClass === 'seg' ? undefined : 'lasting'
  }

  /** The first cycle in which a ttl puts a node at risk: its own, or one around it. */
  #endOf(record: NodeRecord): number {
    let end = this.#ends.get(record.id)
    if (end === undefined) {
      const ends = lineOf(this.#input.view, record).map(({ ttl, nodeClass, expiry }) =>
        ttl === null || nodeClass === 'region' ? Infinity : expiry,
      )
      this.#ends.set(record.id, (end = Math.min(...ends)))
    }
    return end
  }

  play(): Forecast {
    const { next } = this.#input
    const { id, nodeClass } = this.#start
    if (nodeClass === 'region' || nodeClass === 'root') return { leaves: undefined, keeper: undefined }
    const own = [...this.#members.values()].flatMap(({ record, safe }) =>
      safe === undefined && record.ttl !== null ? [record.expiry] : [],
    )
    // A ttl may lie further ahead than any cycle; a cycle that follows a cascade is played too.
    const cycles = new Set([next, ...own.filter((cycle) => cycle > next).sort((a, b) => a - b)])
    let keeper: Keeper | undefined
    for (const cycle of this.#inOrder(cycles)) {
      const links = this.#survivors(cycle)
      if (!links.has(id)) return { leaves: { cycle, by: 'ttl' }, keeper }
      keeper = this.#keeperIn(links, cycle)
      for (const each of this.#members.keys()) if (!links.has(each)) this.#members.delete(each)
      if (this.#cascade()) cycles.add(cycle + 1)
      if (!this.#members.has(id)) return { leaves: { cycle, by: 'empty' }, keeper }
    }
    return { leaves: undefined, keeper }
  }

  /** The cycles of a set, ascending, including those added on the way. */
  *#inOrder(cycles: Set<number>): Generator<number, void, undefined> {
    while (cycles.size > 0) {
      const first = Math.min(...cycles)
      cycles.delete(first)
      yield first
    }
  }

  /** The members that stay at the expiry of a cycle, each with the one that was found to keep it (D26). */
  #survivors(cycle: number): ReadonlyMap<string, string | undefined> {
    const links = new Map<string, string | undefined>()
    const queue: Member[] = []
    const save = (id: string, keeper: string | undefined): void => {
      const member = this.#members.get(id)
      if (member === undefined || links.has(id)) return
      links.set(id, keeper)
      queue.push(member)
    }
    for (const { record, safe } of this.#members.values()) if (safe !== undefined) save(record.id, undefined)
    const records = Array.from(this.#members.values(), ({ record }) => record)
    const inside = grouped(records, ({ parentId }) => parentId)
    for (const member of queue) {
      const { id, parentId, refs } = member.record
      if (parentId !== undefined) save(parentId, id)
      for (const ref of refs) save(this.#input.view.meant(ref)?.id ?? ref, id)
      for (const child of inside.get(id) ?? []) if (child.expiry > cycle) save(child.id, id)
    }
    return links
  }

  /** The end of the chain of keepers: a hold, or a node that is not at risk and refers to one that is. */
  #keeperIn(links: ReadonlyMap<string, string | undefined>, cycle: number): Keeper | undefined {
    let of = this.#start
    while (this.#endOf(of) <= cycle) {
      const { safe } = this.#members.get(of.id)!
      if (safe === 'held') return { by: 'hold', id: of.id, of: of.id }
      if (safe === 'scheduled') return { by: 'schedule', id: this.#scheduled.get(of.id)!, of: of.id }
      const { record } = this.#members.get(links.get(of.id)!)!
      if (this.#endOf(record) > cycle) return { by: 'ref', id: record.id, of: of.id }
      of = record
    }
    return undefined
  }

  /** Takes emptied containers and segments that nothing needs, and says whether there were any. */
  #cascade(): boolean {
    let isAny = false
    for (let unit = this.#emptied(); unit !== undefined; unit = this.#emptied()) {
      for (const id of unit) this.#members.delete(id)
      isAny = true
    }
    return isAny
  }

  #emptied(): readonly string[] | undefined {
    const { takesSegments } = this.#input
    for (const { record, safe, children } of this.#members.values()) {
      const isSegment = takesSegments && record.nodeClass === 'seg'
      if (safe !== undefined || !(record.isRemovable || isSegment)) continue
      const inside = children.flatMap((id) => this.#members.get(id) ?? [])
      const unit = isSegment ? [record.id, ...inside.map((each) => each.record.id)] : [record.id]
      const isHollow = inside.every((each) => {
        const isEmpty = each.safe === undefined && !each.children.some((id) => this.#members.has(id))
        return isSegment && each.record.nodeClass === 'core' && isEmpty
      })
      const isNeeded = unit.some((id) => {
        return this.#members.get(id)!.referrers.some((other) => this.#members.has(other) && !unit.includes(other))
      })
      if (isHollow && !isNeeded) return unit
    }
    return undefined
  }
}

function idOf({ id }: NodeRecord): string {
  return id
}

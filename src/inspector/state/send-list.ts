// All known sends in order: one per column of the timeline before the open cycle.

import { computed, type ReadonlySignal } from '@preact/signals'
import type { Column } from '../../api/index.js'
import { attemptOf, cycleOf, type At, type Format, type Place } from './link.js'
import { sendsIn, type Send } from './sends.js'
import type { Columns } from './timeline.js'

export type SendList = Readonly<{
  /** Oldest first, without cycles that are not loaded. */
  list: ReadonlySignal<readonly Send[]>
  find: (at: At) => Send | undefined
  /** True if the sends of a cycle are known. */
  isKnown: (cycle: number) => boolean
  /**
   * The send before a moment, as a question names it: by cycle number if that cycle is not loaded and no cycle is missing; undefined
   * while unknown; null for the first.
   */
  before: (at: At) => At | null | undefined
  /** The next send forward or back; undefined if that part is not loaded, null if there is none. */
  beside: (at: At, by: 1 | -1) => At | null | undefined
  /** True for a call whose tree is not known. */
  isUntold: (at: At) => boolean
  /** The last commit in a moment's tree: what a call sends while a cycle is open builds on the commit before. */
  commitOf: (at: At) => number
  /** The format of a moment's call; else of the last call before it, else of the next one. Null until the calls around it are known. */
  formatOf: (at: At) => Format | null
}>

type Around = Readonly<{
  columns: Columns
  openColumn: ReadonlySignal<Column | undefined>
  place: ReadonlySignal<Place>
  /** The format of the conversation or the last call, where no call around a moment tells it. */
  cameAs: ReadonlySignal<Format | undefined>
}>

export function createSendList({ columns, openColumn, place, cameAs }: Around): SendList {
  // An unsent snapshot has a column only while the user looks at it. Held as text, so that most steps leave the list unchanged.
  const unsent = computed(() => {
    const { at, from, other } = place.value
    return [at, other === null ? from : null]
      .filter((each) => each !== null && isUnsent(each, columns.byCycle.value))
      .join(' ')
  })
  const list = computed(() => {
    const shown = new Set(unsent.value.split(' '))
    const all = [...columns.byCycle.value.values()].flatMap((each) => sendsIn(each, shown.has(`c${each.cycle}`)))
    const open = openColumn.value
    // Its cycle may have been committed meanwhile.
    return open === undefined || columns.byCycle.value.has(open.cycle) ? all : [...all, ...sendsIn(open)]
  })
  const places = computed(() => new Map(list.value.map((send, i) => [send.at, i])))
  const indexOf = (at: At): number | undefined =>
    at === 'working' ? (isNewestThere() ? list.value.length : undefined) : places.value.get(at)
  const isNewestThere = (): boolean => {
    const newest = columns.span.value?.newest ?? 0
    return newest === 0 || columns.byCycle.value.has(newest)
  }
  const find = (at: At): Send | undefined => list.value[places.value.get(at) ?? -1]
  const isUntold = (at: At): boolean => {
    const send = find(at)
    return send !== undefined && send.attempt !== undefined && send.figures === undefined
  }

  const beside: SendList['beside'] = (at, by) => {
    const span = columns.span.value
    const index = indexOf(at)
    if (span === undefined || index === undefined) return undefined
    const next = list.value[index + by]
    const from = cycleOf(at) ?? span.newest + 1
    const to = next?.cycle ?? (by < 0 ? span.first - 1 : span.newest + 1)
    const [low, high] = [Math.max(span.first, Math.min(from, to)), Math.min(span.newest, Math.max(from, to))]
    if (span.newest > 0 && low <= high && !columns.isLoaded(low, high)) return undefined
    if (next !== undefined) return next.at
    return by > 0 && at !== 'working' ? 'working' : null
  }

  return {
    list,
    find,
    isKnown: (cycle) => columns.byCycle.value.has(cycle) || openColumn.value?.cycle === cycle,
    beside,
    before: (at) => {
      const span = columns.span.value
      if (span === undefined || span.newest === 0) return null
      const own = cycleOf(at) ?? span.newest + 1
      let known = beside(at, -1)
      // A call of the same cycle whose tree is not known could only be shown as this cycle itself.
      while (typeof known === 'string' && cycleOf(known) === own && isUntold(known)) known = beside(known, -1)
      if (typeof known === 'string') return isUntold(known) ? `c${cycleOf(known)!}` : known
      if (known === null) return null
      if (at === 'working') return `c${span.newest}`
      const cycle = cycleOf(at)!
      if (cycle <= span.first) return null
      return columns.isWhole.value ? `c${cycle - 1}` : undefined
    },
    isUntold,
    commitOf: (at) => {
      const cycle = cycleOf(at)
      if (cycle === null) return columns.span.value?.newest ?? 0
      return attemptOf(at) !== null && find(at)?.sent === 'open' ? cycle - 1 : cycle
    },
    formatOf: (at) => {
      const all = list.value
      const cycle = cycleOf(at) ?? columns.span.value?.newest
      const isOpen = cycle !== undefined && openColumn.value?.cycle === cycle
      if (cycle === undefined || (cycle > 0 && !isOpen && !columns.isLoaded(cycle, cycle))) return null
      const index = indexOf(at) ?? all.length
      const near =
        all.slice(0, index + 1).findLast(({ format }) => format !== undefined) ?? all.find((each) => each.format)
      return near?.format ?? cameAs.value ?? 'openai-chat'
    },
  }
}

function isUnsent(at: At, byCycle: ReadonlyMap<number, Column>): boolean {
  if (at === 'working' || attemptOf(at) !== null) return false
  return byCycle.get(cycleOf(at)!)?.sends.every(({ sent }) => sent !== 'snapshot') === true
}

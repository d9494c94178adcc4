// Answers that several parts of the page show, asked once: the cycle in view, its shared prefix, its changes, and
// its request. Questions of a single view are asked while that view is open.

import { computed, type ReadonlySignal } from '@preact/signals'
import * as routes from '../api/routes.js'
import type { Answer, Changes, CycleAnswer, Figures, JsonObject, PrefixAnswer, Rendered } from '../../api/index.js'
import type { Edits } from './edits.js'
import { cycleOf, type At, type Format, type Place } from './link.js'
import { startRead, type Read } from './reads.js'
import type { SendList } from './send-list.js'

export type SentRequest = Answer<'sentRequest'>
export type TokenMap = Answer<'tokenMap'>

export type Shared = Readonly<{
  cycle: ReadonlySignal<Read<CycleAnswer>>
  /** Of a call that sent an open cycle: the commit before, which it builds on. Nothing for other moments. */
  commitBefore: ReadonlySignal<Read<CycleAnswer>>
  prefix: ReadonlySignal<Read<PrefixAnswer>>
  /** The tokens of the tree in view, in the order of its thread. */
  tokenMap: ReadonlySignal<Read<TokenMap>>
  /** The changes since the base by cause, and the first of them; without running ttls. */
  changes: ReadonlySignal<Read<Changes>>
  /** The blocks of the working state that a commit would take. */
  leaving: ReadonlySignal<ReadonlyMap<string, string>>
  /** The nodes of the tree in view that its request leaves out as stale, each with the reason. */
  stale: ReadonlySignal<ReadonlyMap<string, string>>
  /** The body of the call in view as it was sent, or why it cannot be given; nothing for a moment that is no call. */
  sent: ReadonlySignal<Read<SentRequest>>
  /** The body that was sent is in view: the user asked for no other format, and it is known. */
  isAsSent: ReadonlySignal<boolean>
  /** The request that the moment in view would make, if its body as sent is not in view. */
  rendered: ReadonlySignal<Read<Rendered>>
  renderedLast: ReadonlySignal<Read<Rendered>>
  /** The request with cache marks, for providers that have them. */
  marked: ReadonlySignal<Read<Rendered>>
}>

type Around = Readonly<{
  place: ReadonlySignal<Place>
  at: ReadonlySignal<At | null>
  moment: ReadonlySignal<At | null>
  base: ReadonlySignal<At | null>
  other: ReadonlySignal<string | null>
  as: ReadonlySignal<Format | null>
  isUntold: ReadonlySignal<boolean>
  sends: SendList
  column: ReadonlySignal<Figures | undefined>
  newest: ReadonlySignal<number>
  edits: Edits
}>

const LEAVING: ReadonlySet<string> = new Set(['expired', 'pruned', 'shed'])

function leavingIn(preview: Answer<'preview'> | undefined): ReadonlyMap<string, string> {
  const removed = preview?.diff.removed ?? []
  const left = removed.filter(({ cause, is_container: isContainer }) => !isContainer && LEAVING.has(cause))
  return new Map(left.map(({ id, cause }) => [id, cause]))
}

/** Thoughts and summaries of a provider that it takes only as they were made. */
function staleIn(repairs: readonly JsonObject[]): ReadonlyMap<string, string> {
  const stale = repairs.flatMap(({ code, node, text }) => {
    const isStale = typeof code === 'string' && code.startsWith('stale-')
    return isStale && typeof node === 'string' && typeof text === 'string' ? [[node, text] as const] : []
  })
  return new Map(stale)
}

/** Enough to name the cause of what left a request. */
const FIRST_CHANGES = 200

/** Requests up to this many bytes are loaded even if only their size is shown. */
const SMALL = 300_000

export function createShared(around: Around): Shared {
  const { place, at, moment, base, other, as, isUntold, sends, column, newest, edits } = around
  const isIn = (...views: readonly Place['view'][]): boolean => views.includes(place.value.view)
  const context = (): string => place.value.context
  const isWanted = (): boolean => (column.value?.bytes ?? SMALL) < SMALL || isIn('request')
  const sent = startRead(() => {
    const attempt = at.value === null ? undefined : sends.find(at.value)?.attempt
    return attempt === undefined || !isWanted() ? null : routes.sent(context(), at.value!, attempt)
  }).state
  const isAsSent = computed(
    () => place.value.as === null && sent.value.value?.text !== undefined && sent.value.about?.at === at.value,
  )
  const preview = startRead(() => {
    if (newest.value === 0 || moment.value !== 'working') return null
    return { ...routes.preview(context(), edits.draft.value), about: { at: 'working' } as const }
  }).state
  const rendered = startRead(() => {
    if (moment.value === null || as.value === null || !isWanted()) return null
    const isCall = at.value !== null && sends.find(at.value)?.attempt !== undefined
    if (place.value.as === null && isCall && (!sent.value.isFresh || isAsSent.value)) return null
    return routes.render(context(), moment.value, as.value, edits.draft.value)
  }).state
  const cycle = startRead(() => {
    const now = at.value
    if (now === null) return null
    // The attempts of a cycle are known even where the tree of one of them is not.
    const asked: At | null = !isUntold.value
      ? moment.value
      : cycleOf(now)! > newest.value
        ? 'working'
        : `c${cycleOf(now)!}`
    if (asked === null) return null
    const question = routes.cycle(context(), asked, edits.draft.value, asked !== `c${newest.value}`)
    return { ...question, about: { at: now } }
  }).state
  const commitBefore = startRead(() => {
    const now = at.value
    const commit = now === null ? 0 : sends.commitOf(now)
    if (now === null || commit === 0 || commit >= (cycleOf(now) ?? 0)) return null
    return routes.cycle(context(), `c${commit}`, edits.draft.value, true)
  }).state
  return {
    sent,
    isAsSent,
    stale: computed(() => {
      const { value, about } = isAsSent.value ? sent.value : rendered.value
      return staleIn(about?.at === at.value ? (value?.repairs ?? []) : [])
    }),
    leaving: computed(() => leavingIn(preview.value.value)),
    cycle,
    commitBefore,
    tokenMap: startRead(() =>
      moment.value === null ? null : routes.tokenMap(context(), moment.value, edits.draft.value),
    ).state,
    prefix: startRead(() => {
      if (moment.value === null || base.value === null || as.value === null) return null
      const sides = { a: base.value, b: moment.value, as: as.value, other: other.value }
      return routes.prefix(context(), sides, edits.draft.value)
    }).state,
    changes: startRead(() => {
      if (moment.value === null || base.value === null) return null
      const window = { a: base.value, b: moment.value, other: other.value, rows: FIRST_CHANGES, without: ['aged'] }
      return routes.changes(context(), window, edits.draft.value)
    }).state,
    rendered,
    renderedLast: startRead(() => {
      if (moment.value === null || base.value === null || as.value === null || !isIn('request')) return null
      return routes.render(context(), base.value, as.value, edits.draft.value)
    }).state,
    marked: startRead(() => {
      if (moment.value === null || as.value !== 'anthropic' || isAsSent.value || !isIn('request')) return null
      return routes.marked(context(), moment.value, as.value, edits.draft.value)
    }).state,
  }
}

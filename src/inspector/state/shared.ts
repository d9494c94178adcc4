// Answers that several parts of the page show, asked once: the cycle in view, its shared prefix, its changes, and
// its request. Questions of a single view are asked while that view is open.

import type { ReadonlySignal } from '@preact/signals'
import * as routes from '../api/routes.js'
import type { CycleAnswer, Figures, JsonObject, PrefixAnswer, Rendered } from '../../api/index.js'
import type { Edits } from './edits.js'
import type { At, Place } from './link.js'
import { startRead, type Read } from './reads.js'

export type Shared = Readonly<{
  cycle: ReadonlySignal<Read<CycleAnswer>>
  prefix: ReadonlySignal<Read<PrefixAnswer>>
  diff: ReadonlySignal<Read<JsonObject>>
  rendered: ReadonlySignal<Read<Rendered>>
  renderedLast: ReadonlySignal<Read<Rendered>>
  /** The request with cache marks, for providers that have them. */
  marked: ReadonlySignal<Read<Rendered>>
}>

type Around = Readonly<{
  place: ReadonlySignal<Place>
  moment: ReadonlySignal<At | null>
  base: ReadonlySignal<At | null>
  column: ReadonlySignal<Figures | undefined>
  newest: ReadonlySignal<number>
  edits: Edits
}>

/** Requests up to this many bytes are loaded even if only their size is shown. */
const SMALL = 300_000

export function createShared({ place, moment, base, column, newest, edits }: Around): Shared {
  const isIn = (...views: readonly Place['view'][]): boolean => views.includes(place.value.view)
  return {
    cycle: startRead(() => {
      const at = moment.value
      return at === null ? null : routes.cycle(place.value.context, at, edits.draft.value, at !== `c${newest.value}`)
    }).state,
    prefix: startRead(() => {
      const at = moment.value
      const { context, as } = place.value
      return at === null || base.value === null ? null : routes.prefix(context, base.value, at, as, edits.draft.value)
    }).state,
    diff: startRead(() => {
      const at = moment.value
      return at === null || base.value === null
        ? null
        : routes.diff(place.value.context, base.value, at, edits.draft.value)
    }).state,
    rendered: startRead(() => {
      const at = moment.value
      const { context, as } = place.value
      const isSmall = (column.value?.bytes ?? SMALL) < SMALL
      return at === null || !(isSmall || isIn('request')) ? null : routes.render(context, at, as, edits.draft.value)
    }).state,
    renderedLast: startRead(() => {
      const at = moment.value
      const { context, as } = place.value
      if (at === null || base.value === null || !isIn('request')) return null
      return routes.render(context, base.value, as, edits.draft.value)
    }).state,
    marked: startRead(() => {
      const at = moment.value
      const { context, as } = place.value
      if (at === null || as !== 'anthropic' || !isIn('request')) return null
      return routes.marked(context, at, as, edits.draft.value)
    }).state,
  }
}

// State of the views that lasts as long as the page and is not part of a link.

import { signal } from '@preact/signals'
import type { ChangeRow } from '../../api/index.js'

/** Causes hidden in the comparison. */
export const causesOff = signal<ReadonlySet<string>>(new Set())
/** The change that the comparison shows in full. */
export const chosenChange = signal<ChangeRow | undefined>(undefined)
/** True if a comparison shows counting ttls. */
export const showsAging = signal(false)
/** Incrementing it scrolls to the first difference of the request. */
export const soughtDifference = signal(0)
/** Items of the request that are expanded. */
export const wholeItems = signal<ReadonlySet<string>>(new Set())
/** True if a diff is one column instead of two. */
export const isUnified = signal(false)
/** True if JSON content is indented. */
export const isIndented = signal(false)

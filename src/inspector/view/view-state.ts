// What views remember about themselves while the page is open, and no link needs to say.

import { signal } from '@preact/signals'

/** Causes that the comparison leaves out. */
export const causesOff = signal<ReadonlySet<string>>(new Set())
/** Whether a comparison shows running ttls. */
export const showsAging = signal(false)
/** Another number brings the first difference of the request into sight. */
export const soughtDifference = signal(0)
/** Items of the request that are shown whole. */
export const wholeItems = signal<ReadonlySet<string>>(new Set())
/** Whether JSON contents are indented. */
export const isIndented = signal(false)

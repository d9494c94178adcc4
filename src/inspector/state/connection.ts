// Tracks the connection to the server. While the server does not answer, the page keeps what it shows and retries after one second,
// then two, four, and so on up to half a minute.

import { signal } from '@preact/signals'
import type { Failure } from '../api/http.js'

export type Trouble = Readonly<{ failure: Failure; since: number; next: number; tries: number }>

/** Null while the server answers. */
export const trouble = signal<Trouble | null>(null)
/** Time of the last answer, in milliseconds of the page's clock. */
export const lastAnswer = signal<number | null>(null)

const LONGEST_WAIT = 30

let timer: ReturnType<typeof setTimeout> | undefined
let retry: () => void = () => undefined

/** Called when it is time to retry. */
export function onRetry(action: () => void): void {
  retry = action
}

export function answered(): void {
  lastAnswer.value = Date.now()
  if (trouble.value === null) return
  clearTimeout(timer)
  trouble.value = null
  // Other requests may have failed while this one was waiting.
  retry()
}

export function failed(failure: Failure): void {
  if (failure.kind === 'refused') return
  const now = Date.now()
  const before = trouble.value
  if (before !== null && before.next > now) return
  const tries = (before?.tries ?? 0) + 1
  const wait = failure.retryAfter ?? Math.min(LONGEST_WAIT, 2 ** (tries - 1))
  trouble.value = { failure, since: before?.since ?? now, next: now + wait * 1000, tries }
  clearTimeout(timer)
  // Without a new key there is nothing to wait for.
  if (failure.kind === 'gone') timer = setTimeout(tryNow, wait * 1000)
}

export function tryNow(): void {
  clearTimeout(timer)
  const now = trouble.value
  if (now !== null) trouble.value = { ...now, next: 0 }
  retry()
}

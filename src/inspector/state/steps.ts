// Long questions in steps: a page of answers at a time, so that the first is shown at once, the progress is known, and Esc stops the rest.

import { effect, signal, type ReadonlySignal } from '@preact/signals'
import { Failure, type Ask } from '../api/http.js'
import { fetchAnswer, round } from './reads.js'

export type Steps<T> = Readonly<{
  parts: readonly T[]
  /** The failure of the step under way, which ends the reading. */
  failure: Failure | undefined
  isReading: boolean
  /** True if the user stopped the reading before its end. */
  isStopped: boolean
}>

export type Stepped<T> = Readonly<{
  state: ReadonlySignal<Steps<T>>
  stop: () => void
  goOn: () => void
  end: () => void
}>

/** Stop the readings under way. */
const underWay: (() => void)[] = []

/** Stops all long readings. False if there is none. */
export function stopReading(): boolean {
  const all = [...underWay]
  for (const stop of all) stop()
  return all.length > 0
}

const NOTHING = { parts: [], failure: undefined, isReading: false, isStopped: false } as const

/** Asks step by step, until `next` gives null. A change of `about` begins again, with the answers that `keep` keeps; null asks nothing. */
export function startSteps<A, T>(
  about: () => A | null,
  keyOf: (about: A) => string,
  next: (about: A, parts: readonly T[]) => Ask<T> | null,
  keep: (about: A, before: A, parts: readonly T[]) => readonly T[] = () => [],
): Stepped<T> {
  const state = signal<Steps<T>>(NOTHING)
  let [key, controller]: [string | null, AbortController] = [null, new AbortController()]
  let now: A | null = null
  const stop = (): void => {
    if (!state.peek().isReading) return
    controller.abort()
    state.value = { ...state.peek(), isReading: false, isStopped: true }
  }
  const read = async ({ signal: ending }: AbortController, of: A): Promise<void> => {
    underWay.push(stop)
    try {
      for (;;) {
        const question = next(of, state.peek().parts)
        if (question === null) break
        const answer = await fetchAnswer(question, ending)
        if (ending.aborted) return
        state.value = { ...state.peek(), parts: [...state.peek().parts, answer] }
      }
      state.value = { ...state.peek(), isReading: false }
    } catch (error) {
      if (ending.aborted) return
      if (!(error instanceof Failure)) throw error
      state.value = { ...state.peek(), isReading: false, failure: error }
    } finally {
      underWay.splice(underWay.indexOf(stop), 1)
    }
  }
  const begin = (parts: readonly T[]): void => {
    controller.abort()
    controller = new AbortController()
    if (now === null) state.value = NOTHING
    else {
      state.value = { parts, failure: undefined, isReading: true, isStopped: false }
      void read(controller, now)
    }
  }
  let seen = round.peek()
  const end = effect(() => {
    const turn = round.value
    const before = now
    now = about()
    const mine = now === null ? null : keyOf(now)
    if (mine === key && turn === seen) return
    const kept = now === null || before === null || turn !== seen ? [] : keep(now, before, state.peek().parts)
    ;[key, seen] = [mine, turn]
    begin(kept)
  })
  return {
    state,
    stop,
    goOn: () => begin(state.peek().parts),
    end: () => {
      end()
      controller.abort()
    },
  }
}

// A bounded cache of the server's answers by question. A component asks a question and gets the newest answer; while
// the next one loads, it keeps the previous answer, so that nothing jumps while the user steps through cycles. An erasure
// empties the cache, because it may change what an old cycle says.

import { computed, effect, signal, untracked, type ReadonlySignal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { ask, Failure, type About, type Ask } from '../api/http.js'
import { answered, failed } from './connection.js'

export type Read<T> = Readonly<{
  /** The newest answer, possibly to the previous question. */
  value: T | undefined
  /** The subject of the question that the value answers. */
  about: About | undefined
  /** True if the value answers the current question. */
  isFresh: boolean
  failure: Failure | undefined
}>

const MOST_ANSWERS = 80
/** Larger answers (the bytes of a long request) are not cached. */
const LARGEST = 400_000

const memory = new Map<string, unknown>()
/** Incrementing it asks every open question again. */
export const round = signal(0)
/** Incrementing it asks the questions about the open cycle again. */
export const openRound = signal(0)

export function forgetAnswers(): void {
  memory.clear()
  round.value++
}

export function keyOf({ method, path, body }: Ask<unknown>): string {
  return `${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`
}

export async function fetchAnswer<T>(question: Ask<T>, signal?: AbortSignal): Promise<T> {
  const key = keyOf(question)
  if (memory.has(key)) {
    const known = memory.get(key) as T
    memory.delete(key)
    memory.set(key, known)
    return known
  }
  try {
    const answer = await ask(question, signal)
    answered()
    if (question.isFixed === true) remember(key, answer)
    return answer
  } catch (error) {
    if (error instanceof Failure) failed(error)
    throw error
  }
}

function remember(key: string, answer: unknown): void {
  if (largeOf(answer) > LARGEST) return
  memory.set(key, answer)
  for (const oldest of memory.keys()) {
    if (memory.size <= MOST_ANSWERS) break
    memory.delete(oldest)
  }
}

/** Only the bytes of requests and contents are ever large. */
function largeOf(answer: unknown): number {
  if (typeof answer !== 'object' || answer === null) return 0
  const { text, node } = answer as { text?: unknown; node?: { content?: unknown } }
  return (typeof text === 'string' ? text.length : 0) + (typeof node?.content === 'string' ? node.content.length : 0)
}

/** Asks whenever the question changes, until `end`; null asks nothing and has no answer. */
export function startRead<T>(
  question: () => Ask<T> | null,
): Readonly<{ state: ReadonlySignal<Read<T>>; end: () => void }> {
  const none: Read<T> = { value: undefined, about: undefined, isFresh: false, failure: undefined }
  const state = signal(none)
  // Compared by key: an equal question is not asked again.
  const key = computed(() => {
    const asked = question()
    return asked === null ? null : keyOf(asked)
  })
  const end = effect(() => {
    void round.value
    if (key.value === null) {
      state.value = { ...none, isFresh: true }
      return
    }
    // Only the key decides when to ask again.
    const asked = untracked(question)!
    if (asked.isOpen === true) void openRound.value
    const known = memory.get(key.value) as T | undefined
    if (known !== undefined) {
      state.value = { value: known, about: asked.about, isFresh: true, failure: undefined }
      return
    }
    const controller = new AbortController()
    state.value = { ...state.peek(), isFresh: false, failure: undefined }
    fetchAnswer(asked, controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) state.value = { value, about: asked.about, isFresh: true, failure: undefined }
      },
      (error: unknown) => {
        if (controller.signal.aborted || !(error instanceof Failure)) return
        state.value = { ...state.peek(), isFresh: false, failure: error }
      },
    )
    return () => controller.abort()
  })
  return { state, end }
}

/** `startRead` for the lifetime of a component. */
export function useRead<T>(question: () => Ask<T> | null): Read<T> {
  const [read] = useState(() => {
    const asked = signal(question)
    return { asked, ...startRead(() => asked.value()) }
  })
  read.asked.value = question
  useEffect(() => read.end, [])
  return read.state.value
}

// A session as the list of what its agent would send, and every change of that list in order. Each reader of sessions writes such a plan; imports and
// bills follow it. So both show what a request after a compaction had, and an import has the originals in earlier snapshots.

import { canonicalJson } from '../../codec/index.js'
import type { JsonObject, JsonValue } from '../../core/index.js'

/** Something that was said: one message, or the items of one reply. Two are the same if they are one object. */
export type Said = Readonly<{
  messages: readonly JsonObject[]
  /** It is the summary of something that was said before. */
  isSummary?: boolean
  /** When it was said, as the file has it. */
  at?: JsonValue | undefined
  /** The usage that the provider reported for it. */
  usage?: JsonValue | undefined
}>

/** A compaction takes messages for a summary, an edit changes one message or takes some, and a return goes back to an earlier list. */
export type Why = 'compaction' | 'edit' | 'return'

/**
 * Takes `take` entries at the place `from`, and puts `by` there. Unless it is one entry for one other, `by` is empty, or it comes to the beginning or
 * the end of the list.
 */
export type Swap<Entry = Said> = Readonly<{ from: number; take: number; by: readonly Entry[] }>

/** `say` adds to the end of the list; the swaps of a change are done one after another. */
export type Step<Entry = Said> = Readonly<{ say: Entry }> | Readonly<{ swaps: readonly Swap<Entry>[]; why: Why }>

/** A session as a file has it. */
export type Session = Readonly<{
  id?: string
  /** The system text, as a request has it. */
  system?: JsonObject
  steps: readonly Step[]
  unread: readonly Unread[]
}>

/** A line of a session. */
export type Entry = Readonly<{ line: number; value: JsonObject }>

/** Something that a file holds and a context does not. */
export type Unread = Readonly<{ line?: number; what: string }>

/** Writes a plan. */
export class Plan {
  readonly steps: Step[] = []
  /** The list as it is now. It only grows at its end; any other change makes another list. */
  now: Said[] = []

  say(said: Said): void {
    this.steps.push({ say: said })
    this.now.push(said)
  }

  /** Makes another list of it. Entries that both have, in the same order, stay. */
  become(next: readonly Said[], why: Why): void {
    const places = new Map(this.now.map((said, i) => [said, i]))
    const swaps: Swap[] = []
    const swap = (at: number, take: number, by: readonly Said[]): void => {
      if (take > 0 || by.length > 0) swaps.push({ from: at, take, by })
    }
    let [from, done] = [0, 0]
    for (const [i, said] of next.entries()) {
      const place = places.get(said)
      if (place === undefined || place < from) continue
      const [by, take] = [next.slice(done, i), place - from]
      if (why === 'edit' && by.length === take) for (const [k, each] of by.entries()) swap(done + k, 1, [each])
      // Something new cannot come between two others: what follows is said again.
      else if (by.length > 0 && done > 0) break
      else swap(done, take, by)
      ;[from, done] = [place + 1, i + 1]
    }
    swap(done, this.now.length - from, next.slice(done))
    if (swaps.length === 0) return
    this.steps.push({ swaps, why })
    this.now = after(this.now, swaps)
  }
}

/** The list after swaps. */
export function after<Entry>(list: readonly Entry[], swaps: readonly Swap<Entry>[]): Entry[] {
  return swaps.reduce((now, { from, take, by }) => now.toSpliced(from, take, ...by), [...list])
}

/** Entries of the list that are equal to the given ones stay the same objects, in order; the others are new. */
export function recognized(given: readonly Said[], list: readonly Said[]): readonly Said[] {
  const places = new Map<string, number[]>()
  for (const [i, { messages }] of list.entries()) {
    const key = canonicalJson(messages)
    const same = places.get(key)
    if (same === undefined) places.set(key, [i])
    else same.push(i)
  }
  let last = -1
  return given.map((said) => {
    const place = places.get(canonicalJson(said.messages))?.find((each) => each > last)
    if (place === undefined) return said
    last = place
    return list[place]!
  })
}

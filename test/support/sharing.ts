// Who shares a stored context in the law of sharing: a naive model of what is committed, a list of messages and a map of keys; somebody who has
// the context open and edits it; somebody who watches.

import { setTimeout as sleep } from 'node:timers/promises'

import type { StoredContext, StoreEvent, WatchedFrom } from 'pact-context/store'
import { expect } from 'vitest'

import { expectSame } from './same.js'

export const KEYS = ['plan', 'notes'] as const

type Message = Readonly<{ text: string; tags: readonly string[] }>
export type State = Readonly<{ messages: readonly Message[]; slots: ReadonlyMap<string, string> }>
export type Edit =
  | Readonly<{ do: 'say'; text: string }>
  | Readonly<{ do: 'tag'; text: string; tag: string }>
  | Readonly<{ do: 'set' | 'replace'; key: string; text: string }>
  | Readonly<{ do: 'delete'; key: string }>

export const NOTHING: State = { messages: [], slots: new Map() }

/** The state after an edit; undefined where it cannot be made. */
function edited({ messages, slots }: State, edit: Edit): State | undefined {
  if (edit.do === 'say') return { slots, messages: [...messages, { text: edit.text, tags: [] }] }
  if (edit.do === 'tag') {
    if (!messages.some(({ text }) => text === edit.text)) return undefined
    const tagged = messages.map((each) => (each.text === edit.text ? { ...each, tags: [edit.tag] } : each))
    return { slots, messages: tagged }
  }
  if (edit.do !== 'set' && !slots.has(edit.key)) return undefined
  const next = new Map(slots)
  if (edit.do === 'delete') next.delete(edit.key)
  else next.set(edit.key, edit.text)
  return { messages, slots: next }
}

export function without(state: State, isGone: (message: string) => boolean, key: string | undefined): State {
  return {
    messages: state.messages.map((each) => (isGone(each.text) ? { ...each, text: '' } : each)),
    slots: new Map(Array.from(state.slots, ([each, text]) => [each, each === key ? '' : text])),
  }
}

/** Somebody who has the context open: what it saw committed, and its steps since, each of one edit or several. */
export class Holder {
  readonly ctx: StoredContext
  base: State
  /** Of what it saw. */
  version: number
  steps: (readonly Edit[])[] = []

  constructor(ctx: StoredContext, base: State, version: number) {
    this.ctx = ctx
    this.base = base
    this.version = version
  }

  get edits(): readonly Edit[] {
    return this.steps.flat()
  }

  /** All its edits on a state, or the number of the first that cannot be made there. */
  on(state: State): State | number {
    let now = state
    for (const [i, edit] of this.edits.entries()) {
      const next = edited(now, edit)
      if (next === undefined) return i
      now = next
    }
    return now
  }

  get working(): State {
    return this.on(this.base) as State
  }

  /** Several at once are one step to undo. */
  do(edits: readonly Edit[]): void {
    const made = edits.filter((edit) => this.#tried(edit))
    if (made.length > 1) {
      this.ctx.batch(() => made.forEach((edit) => this.#make(edit)))
      this.steps.push(made)
    } else for (const edit of made) this.#one(edit)
  }

  /** An impossible edit is refused, and changes nothing. */
  #tried(edit: Edit): boolean {
    if (edited(this.working, edit) !== undefined) return true
    expect(() => this.#make(edit)).toThrow(expect.objectContaining({ code: 'E_NODE_NOT_FOUND' }))
    return false
  }

  #one(edit: Edit): void {
    this.#make(edit)
    this.steps.push([edit])
  }

  #make(edit: Edit): void {
    const { ctx } = this
    if (edit.do === 'say') ctx.user(edit.text)
    else if (edit.do === 'tag') ctx.update(`[content='${edit.text}']`, { tags: [edit.tag] })
    else if (edit.do === 'set') ctx.set(edit.key, edit.text)
    else if (edit.do === 'replace') ctx.replace(`#${edit.key}`, { content: edit.text })
    else ctx.delete(`#${edit.key}`)
  }

  undo(): void {
    expect(this.ctx.undo()).toBe(this.steps.length > 0)
    this.steps.pop()
  }

  check(): void {
    expectSame(shown(this.ctx, ''), plain(this.working), 'the working state')
    expect(this.ctx.operations().length).toBe(this.edits.length)
  }
}

/** The part of a context that the model knows. */
export function shown(ctx: StoredContext, lens: string): unknown {
  const messages = ctx.nodes(`${lens} .block[role='user']`).map(({ content, tags }) => ({ text: content, tags }))
  const slots = KEYS.map((key) => ctx.nodes(`${lens} #${key}`).map(({ content }) => content))
  return JSON.parse(JSON.stringify({ messages, slots })) as unknown
}

export function plain({ messages, slots }: State): unknown {
  return { messages, slots: KEYS.map((key) => (slots.has(key) ? [slots.get(key)] : [])) }
}

/** A watcher that may stop and go on: from the mark of its last event, or from its cycle. */
export class Watcher {
  readonly #start: (from: WatchedFrom) => AsyncIterableIterator<StoreEvent>
  readonly by: 'mark' | 'cycle'
  #watch: AsyncIterableIterator<StoreEvent>
  #taking: Promise<void>
  readonly told: StoreEvent[] = []

  constructor(start: (from: WatchedFrom) => AsyncIterableIterator<StoreEvent>, by: 'mark' | 'cycle' = 'mark') {
    this.#start = start
    this.by = by
    this.#watch = start(0)
    this.#taking = this.#take(this.#watch)
  }

  get cycles(): readonly number[] {
    return this.told.filter(({ kind }) => kind === 'commit').map(({ cycle }) => cycle)
  }

  async #take(watch: AsyncIterableIterator<StoreEvent>): Promise<void> {
    for await (const event of watch) this.told.push(event)
  }

  async stop(): Promise<void> {
    await this.#watch.return?.()
    await this.#taking
  }

  goOn(): void {
    this.#watch = this.#start(this.told.at(-1)?.[this.by] ?? 0)
    this.#taking = this.#take(this.#watch)
  }

  /** Waits until all events up to a mark came, or for so long that they never will. */
  async until(mark: string): Promise<void> {
    for (let looks = 0; looks < 15_000 && this.told.at(-1)?.mark !== mark; looks++) await sleep(2)
  }
}

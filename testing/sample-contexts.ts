// Contexts for the contract of stores, with controllable clocks: the same calls give the same bytes anywhere.

import type { Context, Lens } from 'pact-context'
import type { OpenOptions, Store, StoredContext } from 'pact-context/store'

import { same } from './checks.js'

/** A clock that advances by one at each reading and can be copied in its current state. */
export class Ticks {
  #now: bigint

  constructor(now = 1_700_000_000_000_000_000n) {
    this.#now = now
  }

  readonly clock = (): bigint => this.#now++

  copy(): Ticks {
    return new Ticks(this.#now)
  }
}

/** Options that make two contexts equal to the byte. */
export function steady<T extends object = object>(more?: T): Steady & T {
  return { clock: new Ticks().clock, attemptClock: new Ticks().clock, ...more! }
}

type Steady = Readonly<{ clock: () => bigint; attemptClock: () => bigint }>

/** Loads the whole history. */
export const ALL = { history: 'all' } as const

type AnyContext = Context | StoredContext

/** Edits of one turn: nodes that stay, expire, return on a schedule, and have a key. */
export function say(ctx: AnyContext, text: string): void {
  ctx.user(text, { data_note: `about ${text}` })
  ctx.put('before', `before ${text}`, { zone: 'pre', ttl: 2, cad: 2 })
  ctx.put('plan', { steps: [text, null, 1.5], '': '\0' })
  if (ctx.cycle === 1) ctx.system.add('Be kind.')
}

/** Commits several turns. */
export async function turns(ctx: StoredContext, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    say(ctx, text)
    await ctx.commit()
  }
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** Everything a context shows: every snapshot, the open cycle, changes and their causes. */
export function shownBy(ctx: AnyContext): object {
  const lenses: Lens[] = [...ctx.snapshots().map(({ cycle }): Lens => `@c${cycle}`), 'working', 'preview']
  return {
    cycle: ctx.cycle,
    dialect: ctx.dialect,
    operations: ctx.operations(),
    snapshots: ctx.snapshots(),
    past: ctx.past,
    attempts: ctx.attempts(),
    trees: lenses.map((lens) => ({
      lens,
      export: text(ctx.export(lens)),
      thread: text(ctx.threadBytes(lens)),
      reference: text(ctx.referenceBytes(lens)),
      receipt: ctx.snapshot(lens).receipt,
    })),
    changes: lenses.slice(1).map((lens, i) => ctx.diffDetailed(lens, lenses[i]!)),
  }
}

/** Expects two contexts to show the same, now and after the same calls. */
export function sameContexts(actual: AnyContext, expected: AnyContext, what: string): void {
  same(shownBy(actual), shownBy(expected), what)
}

/** Opens a context with its whole history. */
export function whole(store: Store, id: string, options: OpenOptions = {}): Promise<StoredContext> {
  return store.open(id, steady({ ...ALL, ...options }))
}

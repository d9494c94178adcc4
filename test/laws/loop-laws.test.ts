// Law 3 of the loop: an agent that is killed between any two lines goes on from its last save and ends with the trees and the requests of one that
// was never killed. Programs combine turns, parallel calls, failed tools, plans, documents, commits inside a turn, budgets that shed and
// prune, every adapter, memory and SQLite.

import { createHash } from 'node:crypto'

import fc from 'fast-check'
import type { PrunePolicy } from 'pact-context'
import { Store, type StoredContext } from 'pact-context/store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { ADAPTERS } from '../../src/adapters/index.js'
import { FORMAT_NAMES, type FormatName } from '../../src/formats/index.js'
import { textOf } from '../support/context.js'
import { memoryPlace, sqlitePlace } from '../support/places.js'
import { canPause, replyOf, type ScriptedReply } from '../support/providers/replies.js'
import { runs } from '../support/runs.js'

const PROGRAMS = 12
/** Kills of one run. */
const MOST_KILLS = 4

type Step = Readonly<{
  results: readonly number[]
  plan: boolean
  document: boolean
  commits: boolean
  pauses: boolean
}>
type Turn = Readonly<{ steps: readonly Step[]; document: boolean; end: 'text' | 'length' | 'filter' }>
type Program = Readonly<{ turns: readonly Turn[]; prune: PrunePolicy | undefined }>

const step: fc.Arbitrary<Step> = fc.record({
  // The length of each result in words; a tool with an odd one fails.
  results: fc.array(fc.nat(60), { minLength: 1, maxLength: 3 }),
  plan: fc.boolean(),
  document: fc.boolean(),
  commits: fc.nat(4).map((n) => n === 0),
  pauses: fc.nat(5).map((n) => n === 0),
})
const turn: fc.Arbitrary<Turn> = fc.record({
  steps: fc.array(step, { maxLength: 4 }),
  document: fc.boolean(),
  end: fc.constantFrom('text', 'text', 'length', 'filter'),
})
const prune = fc.option(
  fc.record({ maxTokens: fc.integer({ min: 60, max: 600 }), results: fc.record({ keep: fc.nat(2) }) }),
  { nil: undefined },
)
const program: fc.Arbitrary<Program> = fc.record({ turns: fc.array(turn, { minLength: 1, maxLength: 3 }), prune })

class Killed extends Error {}

/** Everything outside the context that a save makes durable: the clock, and how far the scripted world is. */
type Place = { time: bigint; turn: number; reply: number }

/** One run of the agent on a store. `lives` are the lines after which its process is killed, one life after the other. */
class Agent {
  readonly bodies = new Map<string, string>()
  shed = 0
  resumed = 0
  lines = 0
  readonly #kept: Place = { time: 0n, turn: 0, reply: 0 }
  #now: Place = { ...this.#kept }
  #left = Infinity

  constructor(
    readonly store: Store,
    readonly id: string,
    readonly format: FormatName,
    readonly program: Program,
  ) {}

  async run(lives: readonly number[]): Promise<StoredContext> {
    for (const life of [...lives, Infinity]) {
      this.#left = life
      this.#now = { ...this.#kept }
      try {
        return await this.#live()
      } catch (error) {
        if (!(error instanceof Killed)) throw error
        this.resumed += 1
      }
    }
    throw new Error('The last life is not killed.')
  }

  async #live(): Promise<StoredContext> {
    const { prune: policy } = this.program
    const ctx = await this.store.open(this.id, {
      clock: () => ++this.#now.time,
      attemptClock: () => 0n,
      ...(policy === undefined ? {} : { prune: policy }),
    })
    while (this.#now.turn < this.program.turns.length) {
      const { steps, document, end } = this.program.turns[this.#now.turn]!
      this.#line()
      if (ctx.due() === 'user') {
        if (document) ctx.pre(`Document of turn ${this.#now.turn}.`)
        this.#line()
        ctx.user(this.#question())
      }
      while (ctx.due() !== 'nothing') {
        this.#line()
        for (const call of ctx.openCalls()) {
          const words = (call.arguments as Readonly<{ words: number }>).words
          this.#line()
          ctx.result(call, `${call.id} ${'word '.repeat(words)}`, { error: words % 2 === 1 })
          this.#line()
          await ctx.save()
          this.#keep()
          this.#line()
        }
        const asked = steps[this.#now.reply]
        this.#ask(ctx, asked, end)
        this.#line()
        if (asked?.plan === true) ctx.set('plan', `Plan ${this.#now.turn}-${this.#now.reply}.`)
        if (asked?.document === true) ctx.post(`Note ${this.#now.turn}-${this.#now.reply}.`)
        this.#line()
        if (asked?.commits === true) await ctx.commit()
        else await ctx.save()
        this.#keep()
      }
      this.#line()
      await ctx.commit()
      this.#now.turn += 1
      this.#now.reply = 0
      this.#keep()
    }
    return ctx
  }

  /** One request and its reply; the request is the same whenever it is made again. */
  #ask(ctx: StoredContext, asked: Step | undefined, end: Turn['end']): void {
    const { turn: at, reply } = this.#now
    const { to } = ADAPTERS[this.format]
    const params = { [this.format === 'bedrock' ? 'modelId' : 'model']: 'scripted' }
    const attempt = ctx.startAttempt({ for: to, params })
    this.#line()
    const body = JSON.stringify(attempt.body)
    expect(body).toContain(this.#question())
    const known = this.bodies.get(`${at}-${reply}`)
    if (known !== undefined) expect(body).toBe(known)
    this.bodies.set(`${at}-${reply}`, body)
    this.shed += ctx.count("^ah .block[content~'shed; recall']") > 0 ? 1 : 0
    attempt.receive(replyOf(this.format, this.#reply(asked, end)))
    this.#now.reply += 1
  }

  #reply(asked: Step | undefined, end: Turn['end']): ScriptedReply {
    const { turn: at, reply } = this.#now
    const text = `Reply ${at}-${reply}.`
    if (asked === undefined) return end === 'text' ? { text } : { text, stop: end }
    if (asked.pauses && canPause(this.format)) return { text, stop: 'pause' }
    const calls = asked.results.map((words, i) => ({
      id: `call_${at}_${reply}_${i}`,
      name: `tool_${i}`,
      arguments: { words },
    }))
    return { text, calls }
  }

  #question(): string {
    return `Question number ${this.#now.turn}?`
  }

  #keep(): void {
    Object.assign(this.#kept, this.#now)
  }

  #line(): void {
    this.lines += 1
    if (--this.#left < 0) throw new Killed()
  }
}

const places = { memory: memoryPlace(), SQLite: sqlitePlace({ durability: 'relaxed' }) }
const stores = new Map<string, Store>()
beforeAll(async () => {
  for (const [name, place] of Object.entries(places)) stores.set(name, new Store(await place.open()))
})
afterAll(async () => {
  for (const store of stores.values()) await store.close()
  for (const place of Object.values(places)) await place.end?.()
})

function everything(ctx: StoredContext): readonly string[] {
  return [...ctx.snapshots().map(({ cycle }) => textOf(ctx.export(`@c${cycle}`))), textOf(ctx.export('working'))]
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

describe.each(FORMAT_NAMES)('the loop, for %s', (format) => {
  test('that is killed between any two lines ends as one that never was', async () => {
    let count = 0
    const seen = { resumed: 0, shed: 0, snapshots: 0 }
    const kills = fc.array(fc.nat(30), { minLength: 1, maxLength: MOST_KILLS })
    await fc.assert(
      fc.asyncProperty(program, kills, fc.constantFrom(...stores.keys()), async (given, lives, name) => {
        const store = stores.get(name)!
        const id = `${format}-${++count}`
        const calm = new Agent(store, `${id}-calm`, format, given)
        const expected = everything(await calm.run([]))
        const killed = new Agent(store, `${id}-calm-too`, format, given)
        const actual = everything(await killed.run(lives))
        const own = (texts: readonly string[], of: Agent): readonly string[] =>
          texts.map((text) => text.replaceAll(of.id, 'id'))
        // Not the texts, which would fill a page.
        expect(own(actual, killed).map(hashOf)).toEqual(own(expected, calm).map(hashOf))
        expect([...killed.bodies]).toEqual([...calm.bodies])
        expect((await store.fsck(killed.id)).problems).toEqual([])
        seen.resumed += killed.resumed
        seen.shed += killed.shed
        seen.snapshots += actual.length
      }),
      { numRuns: runs(PROGRAMS) },
    )
    for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(2)
  })
})

// Laws of compaction (D63), over generated programs of an agent on a store: steps with parallel calls, late results, plans, pins, documents,
// commits anywhere, budgets that shed, compactions, expansions, undo, redactions, erasures, forks, saves and reopening, in memory and on SQLite.
// The model is the plainest there is: what every node said when it was made, without what was redacted or erased since.

import fc from 'fast-check'
import { PactError, type PrunePolicy } from 'pact-context'
import { Store, type StoredContext } from 'pact-context/store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { textOf } from '../support/context.js'
import { memoryPlace, sqlitePlace } from '../support/places.js'
import { runs } from '../support/runs.js'

type Step =
  | Readonly<{ do: 'ask' | 'say' | 'plan' | 'doc' | 'pin' | 'late' }>
  | Readonly<{ do: 'call'; results: number; answered: number }>
  | Readonly<{ do: 'compact'; keep: number }>
  | Readonly<{ do: 'expand' | 'redact' | 'erase' | 'fork' | 'stale'; pick: number }>
  | Readonly<{ do: 'commit' | 'undo' | 'save' | 'reopen' | 'kill' }>

const pick = fc.nat(40)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom('ask', 'say', 'say', 'plan', 'doc', 'pin', 'late') }) },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('call'),
      results: fc.integer({ min: 1, max: 3 }),
      answered: fc.constantFrom(3, 3, 3, 1, 0),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('compact'), keep: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('expand', 'expand', 'redact', 'erase', 'fork', 'stale'), pick }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('commit', 'commit', 'undo', 'save', 'reopen', 'kill') }) },
)
const program = fc.record({
  steps: fc.array(step, { minLength: 8, maxLength: 40, size: 'max' }),
  prune: fc.constantFrom<PrunePolicy | undefined>(undefined, undefined, { maxTokens: 4000, results: { keep: 1 } }),
})

type Seen = Record<string, number>

/** One agent. `texts` has the text of every node that was ever made here, by id; a summary has none. */
class Agent {
  readonly #store: Store
  readonly #seen: Seen
  readonly #prune: PrunePolicy | undefined
  #ctx!: StoredContext
  #texts = new Map<string, string>()
  /** The texts at the last save or commit. */
  #saved = new Map<string, string>()
  #words = 0
  #forks = 0
  #isErased = false
  #open: { id: string; call: string }[] = []

  constructor(store: Store, prune: PrunePolicy | undefined, seen: Seen) {
    this.#store = store
    this.#prune = prune
    this.#seen = seen
  }

  async run(id: string, steps: readonly Step[]): Promise<void> {
    await this.#load(id)
    this.#note(this.#ctx.user('the first task'))
    for (const each of steps) {
      await this.#do(each)
      this.#check()
    }
    await this.#commit()
    await this.#load(this.#ctx.id)
    this.#check()
  }

  async #load(id: string): Promise<void> {
    const options = { countTokens: (text: string) => text.length, ...(this.#prune ? { prune: this.#prune } : {}) }
    this.#ctx = await this.#store.open(id, options)
    if (this.#ctx.cycle > 1) await this.#ctx.loadHistory('@*')
  }

  async #commit(): Promise<void> {
    await this.#ctx.commit()
    this.#saved = new Map(this.#texts)
  }

  #note({ id, content }: Readonly<{ id: string; content: unknown }>): string {
    this.#texts.set(id, JSON.stringify(content))
    return id
  }

  #said(): string {
    return `words ${this.#words++} of SESAME`
  }

  get #summaries(): readonly string[] {
    return this.#ctx.select("@working .block[kind='summary']")
  }

  async #do(given: Step): Promise<void> {
    const ctx = this.#ctx
    switch (given.do) {
      case 'ask':
        return void this.#note(ctx.user(this.#said()))
      case 'say':
        return void this.#note(ctx.assistant(this.#said()))
      case 'plan':
        return void this.#note(ctx.set('plan', this.#said()))
      case 'doc':
        return void this.#note(ctx.post(this.#said()))
      case 'pin':
        return void this.#note(ctx.user(this.#said(), { pinned: true }))
      case 'late': {
        const [open] = this.#open.filter(({ id }) => ctx.node(id) !== undefined)
        return open && this.#answer(open.call)
      }
      case 'call':
        return this.#call(given.results, given.answered)
      case 'compact':
        return this.#compact(given.keep)
      case 'expand':
        return this.#expand(given.pick)
      case 'stale':
        return this.#stale(given.pick)
      case 'redact':
        this.#redact(given.pick)
        // An undo would bring the word back, which this model does not follow.
        return this.#commit()
      case 'erase':
        return this.#erase(given.pick)
      case 'undo':
        return void (ctx.undo() && this.#forget())
      case 'commit':
        return this.#commit()
      case 'save':
        await ctx.save()
        this.#saved = new Map(this.#texts)
        return
      case 'reopen':
        await ctx.save()
        this.#saved = new Map(this.#texts)
        return this.#reopened(textOf(ctx.export('working')))
      case 'kill':
        this.#texts = new Map(this.#saved)
        await this.#load(ctx.id)
        return this.#forget()
      case 'fork': {
        const fork = await ctx.fork(undefined, { id: `${ctx.id}-f${this.#forks++}` }).catch((error: unknown) => {
          if (PactError.is(error) && ctx.snapshots().length === 0) return undefined
          throw error
        })
        if (fork === undefined) return
        await fork.loadHistory('@*')
        this.#ctx = fork
        this.#texts = new Map(this.#texts)
        return this.#forget()
      }
    }
  }

  /** A kill, an undo or a fork may have taken nodes that no snapshot and no save has: what is nowhere is not expected any more. */
  #forget(): void {
    const known = new Set([...this.#live(), ...this.#listed()])
    for (const id of this.#texts.keys()) if (!known.has(id)) this.#texts.delete(id)
    this.#saved = new Map([...this.#saved].filter(([id]) => this.#texts.has(id)))
    this.#open = this.#open.filter(({ id }) => this.#texts.has(id))
  }

  #live(): readonly string[] {
    return this.#ctx.select('@working .block')
  }

  /** The ids that summaries name, through all of them. */
  #listed(): readonly string[] {
    const found = new Set<string>()
    const look = (list: unknown): void => {
      for (const { id } of (list as { nodes: { id: string }[] } | undefined)?.nodes ?? []) {
        if (found.has(id)) continue
        found.add(id)
        for (const { cycle } of this.#ctx.snapshots())
          look(this.#ctx.node(id, `@c${cycle}`)?.attributes['pact:compacted'])
      }
    }
    for (const id of this.#summaries) look(this.#ctx.node(id)!.attributes['pact:compacted'])
    return [...found]
  }

  async #reopened(before: string): Promise<void> {
    await this.#load(this.#ctx.id)
    expect(textOf(this.#ctx.export('working'))).toBe(before)
  }

  #call(results: number, answered: number): void {
    const ctx = this.#ctx
    const calls = Array.from({ length: results }, () => {
      const call = `c${this.#words++}`
      const content = { arguments: { path: this.#said() }, name: 'read' }
      const id = this.#note(ctx.assistant(content, { kind: 'call', data_call_id: call }))
      return { id, call }
    })
    this.#open.push(...calls)
    for (const { call } of calls.slice(0, answered)) this.#answer(call)
  }

  #answer(call: string): void {
    const content = `${this.#said()} ${'x'.repeat(this.#words * 10)}`
    this.#note(this.#ctx.tool(content, { kind: 'result', data_call_id: call }))
    this.#open = this.#open.filter((each) => each.call !== call)
  }

  /** Promises 1, 2 and 4. */
  #compact(keep: number): void {
    const ctx = this.#ctx
    const before = textOf(ctx.export('working'))
    const plan = ctx.planCompaction({ keep })
    expect(textOf(ctx.export('working'))).toBe(before)
    if (plan.nodes.length === 0) {
      expect(() => ctx.compact(plan, 'sum')).toThrow(expect.objectContaining({ code: 'E_CONFLICT' }))
      return
    }
    const stays = this.#mustStay()
    const nodes = plan.nodes.map(({ id }) => ctx.node(id)!)
    expect(plan.nodes.map(({ hash }) => hash)).toEqual(nodes.map(({ contentHash }) => contentHash))
    expect(plan.tokens).toBe(plan.nodes.reduce((sum, { tokens }) => sum + tokens, 0))
    const summary = ctx.compact(plan, 'sum')
    expect(summary.kind).toBe('summary')
    const { nodes: listed } = summary.attributes['pact:compacted'] as unknown as {
      nodes: { id: string; of?: string }[]
    }
    const own = listed.filter(({ of }) => of === undefined)
    expect(own).toMatchObject(plan.nodes)
    expect(own).toHaveLength(plan.nodes.length)
    for (const id of stays) expect(ctx.node(id), `${id} must stay`).toBeDefined()
    this.#checkPairs()
    const after = textOf(ctx.export('working'))
    expect(ctx.undo()).toBe(true)
    expect(textOf(ctx.export('working')), 'undo').toBe(before)
    const again = ctx.compact(plan, 'sum')
    ctx.expand(again.id)
    expect(JSON.parse(textOf(ctx.export('working'))), 'expand').toEqual(JSON.parse(before))
    expect(textOf(ctx.export('working')), 'expand').toBe(before)
    ctx.undo()
    // Ids are given once, so only they differ.
    expect(textOf(ctx.export('working')).replaceAll(`"${again.id}"`, `"${summary.id}"`)).toBe(after)
    this.#seen['compact'] = (this.#seen['compact'] ?? 0) + 1
  }

  /** Pins, keys, the newest message of the user, calls that wait, and the system. */
  #mustStay(): readonly string[] {
    const ctx = this.#ctx
    const users = ctx.nodes("@working .block[role='user']")
    const said = users.filter(({ kind, attributes }) => kind !== 'result' && attributes['pact:compacted'] === undefined)
    const last = ctx.nodes("@working .block[role='assistant']").at(-1)
    const isOpen = last !== undefined && this.#open.some(({ id }) => id === last.id)
    return [
      ...ctx.select('@working [pinned]'),
      ...ctx.select('@working [key]'),
      ...(said.length === 0 ? [] : [said.at(-1)!.id]),
      ...(isOpen ? [last.id] : []),
    ]
  }

  /** A result is never without its call: both are there, or both are gone. */
  #checkPairs(): void {
    const calls = new Set(
      this.#ctx.nodes("@working .block[kind='call']").map(({ attributes }) => attributes['data_call_id']),
    )
    for (const { attributes } of this.#ctx.nodes("@working .block[kind='result']")) {
      expect(calls).toContain(attributes['data_call_id'])
    }
  }

  /** Promise 3: the nodes come back with what they said, wherever they were. */
  #expand(at: number): void {
    const id = this.#summaries[at % (this.#summaries.length || 1)]
    if (id === undefined) return
    const ctx = this.#ctx
    const before = textOf(ctx.export('working'))
    const { nodes } = ctx.node(id)!.attributes['pact:compacted'] as unknown as {
      nodes: { id: string; of?: string; erased?: true }[]
    }
    const own = nodes.filter(({ of }) => of === undefined)
    if (own.some((each) => each.erased === true)) {
      expect(() => ctx.expand(id)).toThrow(expect.objectContaining({ code: 'E_CONFLICT' }))
      expect(textOf(ctx.export('working'))).toBe(before)
      return
    }
    ctx.expand(id)
    for (const each of own) expect(ctx.node(each.id), each.id).toBeDefined()
    expect(ctx.node(id)).toBeUndefined()
    this.#seen['expand'] = (this.#seen['expand'] ?? 0) + 1
  }

  /** A plan that the tree has left behind changes nothing; what comes after its nodes does not matter. */
  #stale(at: number): void {
    const ctx = this.#ctx
    const plan = ctx.planCompaction({ keep: 1 })
    const node = plan.nodes[at % (plan.nodes.length || 1)]
    if (node === undefined) return
    const selector = `{ id="${node.id}" }`
    const changes = [
      () => void ctx.update(selector, { pinned: true }),
      () => void ctx.replace(selector, { content: 'another' }),
      () => void ctx.delete(selector),
    ]
    ctx.rehearse(() => {
      changes[at % changes.length]!()
      const before = textOf(ctx.export('working'))
      expect(() => ctx.compact(plan, 'sum')).toThrow(expect.objectContaining({ code: 'E_CONFLICT' }))
      expect(textOf(ctx.export('working'))).toBe(before)
    })
    ctx.rehearse(() => {
      const hold = ctx.hold(node.id)
      expect(() => ctx.compact(plan, 'sum')).toThrow(expect.objectContaining({ code: 'E_CONFLICT' }))
      hold.release()
      ctx.assistant('later')
      ctx.user('later still')
      expect(ctx.compact(plan, 'sum').kind).toBe('summary')
    })
    this.#seen['stale'] = (this.#seen['stale'] ?? 0) + 1
  }

  /** A word leaves everything that lives or travels. */
  #redact(at: number): void {
    const word = `words ${at} `
    this.#ctx.redact('.block?', { match: word, with: 'nothing ' })
    const live = new Set(this.#live())
    const travelling = new Set(this.#travelling())
    for (const [id, text] of this.#texts) {
      if (live.has(id) || travelling.has(id)) this.#texts.set(id, text.replaceAll(word, 'nothing '))
    }
    const working = textOf(this.#ctx.export('working'))
    expect(working).not.toContain(word)
    // In history another node takes the place of a redacted one.
    this.#forgetOld()
  }

  #travelling(): readonly string[] {
    const text = JSON.parse(textOf(this.#ctx.export('working'))) as unknown
    const found: string[] = []
    const look = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      const { node, at } = value as { node?: { id: string }; at?: unknown }
      if (node !== undefined && at !== undefined) found.push(node.id)
      for (const each of Object.values(value)) look(each)
    }
    look(text)
    return found
  }

  #forgetOld(): void {
    const known = new Set([...this.#live(), ...this.#listed()])
    for (const id of this.#texts.keys()) if (!known.has(id)) this.#texts.delete(id)
  }

  /** A store erases a node everywhere, also inside a summary, and nothing else. */
  async #erase(at: number): Promise<void> {
    const ctx = this.#ctx
    await ctx.save()
    const ids = [...this.#texts.keys()]
    const id = ids[at % (ids.length || 1)]
    if (id === undefined) return
    const text = this.#texts.get(id)!
    this.#isErased = true
    await this.#store.erase(ctx.id, `{ id="${id}" }?`)
    this.#texts.delete(id)
    this.#saved = new Map(this.#texts)
    await this.#load(ctx.id)
    const word = /words \d+ of SESAME/.exec(text)?.[0]
    const others = [...this.#texts.values()].some((each) => word !== undefined && each.includes(`${word}"`))
    if (word !== undefined && !others) {
      const exports = ['working', ...ctx.snapshots().map(({ cycle }) => `@c${cycle}`)]
      for (const lens of exports) expect(textOf(this.#ctx.export(lens as never))).not.toContain(`${word}"`)
    }
    this.#seen['erase'] = (this.#seen['erase'] ?? 0) + 1
  }

  /** Promise 3: every node that was not redacted or erased answers, in its place, shed, or behind a summary. */
  #check(): void {
    const ctx = this.#ctx
    const listed = new Set(this.#listed())
    for (const [id, text] of this.#texts) {
      const node = ctx.node(id)
      if (node === undefined && !listed.has(id)) continue
      const content = node === undefined || node.kind === 'result' ? ctx.recall(id) : node.content
      expect(JSON.stringify(content), id).toBe(text)
      if (node === undefined) this.#seen['recalled'] = (this.#seen['recalled'] ?? 0) + 1
    }
    // A summary is in the request, and no request has half of a pair because of it.
    const { messages, repairs } = toAnthropic(ctx)
    const said = JSON.stringify(messages)
    for (const id of this.#summaries) expect(said).toContain(JSON.stringify(ctx.node(id)!.content).slice(1, 20))
    const orphans = repairs.filter(({ code }) => code === 'orphan-result')
    // An erased call has no form any more.
    if (!this.#isErased) expect(orphans).toEqual([])
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

describe.each(Object.keys(places))('compaction in a store (%s)', (name) => {
  test('loses nothing, is one edit, and takes nothing that has to stay', async () => {
    const seen: Seen = {}
    let id = 0
    await fc.assert(
      fc.asyncProperty(program, async ({ steps, prune }) => {
        await new Agent(stores.get(name)!, prune, seen).run(`agent-${id++}`, steps)
      }),
      { numRuns: runs(40), seed: Number(process.env['PACT_SEED'] ?? 63), endOnFailure: true },
    )
    for (const what of ['compact', 'expand', 'stale', 'erase', 'recalled'])
      expect(seen[what] ?? 0, what).toBeGreaterThan(5)
  })
})

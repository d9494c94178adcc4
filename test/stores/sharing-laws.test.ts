// The law of sharing: several have one context open, edit, commit, lose races, rebase and undo, while things are erased from it and its past is
// thinned out. A naive model, a list of messages and a map of keys, says what must be there: no edit lost, none doubled, a writer that cannot rebase keeps
// all it has. A watcher hears of each commit once and in order, and of every erasure before what followed it, also where it stops and goes on later.

import type { PactError } from 'pact-context'
import { Store, type Rows, type StoreEvent, type WatchedFrom } from 'pact-context/store'
import type { Place } from 'pact-context/testing'
import { expect, test } from 'vitest'

import { Chance } from '../../scripts/soak/chance.mjs'
import { memoryPlace, sqlitePlace } from '../support/places.js'
import { postgresPlace, sharedServer } from '../support/postgres.js'
import { runs } from '../support/runs.js'
import { expectSame } from '../support/same.js'
import { Holder, KEYS, NOTHING, plain, shown, Watcher, without, type Edit, type State } from '../support/sharing.js'

const SEED = Number(process.env['PACT_SEED'] ?? 20261118)
/** Packs and manifests come early. */
const SIZES = { packed: 3, tail: 7, manifest: 4, window: 5 }
const HISTORIES = [1, 2, 5, undefined, 'all'] as const

const { server, why } = await sharedServer()
const PLACES: readonly (readonly [string, number, () => Place<Rows>])[] = [
  ['memory', 40, memoryPlace],
  ['SQLite', 20, () => sqlitePlace({ durability: 'relaxed' })],
  ...(server === undefined ? [] : [['PostgreSQL', 3, () => postgresPlace(server.url)] as const]),
  ...(server === undefined
    ? []
    : [['PostgreSQL, routed', 3, () => postgresPlace(server.url, { routed: true })] as const]),
]

test.each(PLACES)(
  `in %s nothing that was shared is lost or doubled${why === undefined ? '' : ` (without PostgreSQL: ${why})`}`,
  async (_, usual, placeOf) => {
    const place = placeOf()
    const stores = [new Store(await place.open(), SIZES), new Store(await place.open(), SIZES)] as const
    const told: Told = { commits: 0, conflicts: 0, races: 0, rebased: 0, refused: 0, erased: 0, thinned: 0, resumed: 0 }
    try {
      for (let n = 0; n < runs(usual); n++) {
        const law = new Law(`shared ${n}`, stores, new Chance(SEED + 7919 * n), told)
        await law.run().catch((error: unknown) => {
          throw new Error(`Program ${n} of seed ${SEED}: ${String(error)}`, { cause: error })
        })
      }
    } finally {
      for (const store of stores) await store.close()
      await place.end?.()
    }
    expect(told.commits).toBeGreaterThan(0)
    // Otherwise the law says nothing; a few programs need not do everything.
    if (usual >= 20 && runs(usual) >= usual)
      for (const [what, count] of Object.entries(told)) expect(count, what).toBeGreaterThan(2)
  },
  600_000,
)

type Told = Record<'commits' | 'conflicts' | 'races' | 'rebased' | 'refused' | 'erased' | 'thinned' | 'resumed', number>

class Law {
  readonly #id: string
  readonly #stores: readonly [Store, Store]
  readonly #chance: Chance
  readonly #told: Told
  /** The state after every cycle, the last of them the newest; there is nothing in cycle 0. */
  #states: State[] = [NOTHING]
  /** The cycles whose snapshots there are. */
  #kept: number[] = []
  /** Another one after every commit, erasure and retention; and after which of the last two. */
  #version = 0
  #changes: { version: number; reason: 'erased' | 'thinned' }[] = []
  #holders: Holder[] = []
  #said = 0

  constructor(id: string, stores: readonly [Store, Store], chance: Chance, told: Told) {
    this.#id = id
    this.#stores = stores
    this.#chance = chance
    this.#told = told
  }

  get #head(): number {
    return this.#states.length - 1
  }

  async run(): Promise<void> {
    const id = this.#id
    for (let n = 0; n < 3; n++) await this.#join()
    const [mine, yours] = this.#stores
    const one = (from: WatchedFrom): AsyncIterableIterator<StoreEvent> => yours.watch(id, { every: 1, from })
    const all = (from: WatchedFrom): AsyncIterableIterator<StoreEvent> =>
      mine.watch(undefined, { every: 1, from: new Map([[id, from]]) })
    const resuming = [one, all].flatMap((start) => [new Watcher(start), new Watcher(start, 'cycle')])
    const watchers = [...resuming, new Watcher(one), new Watcher(all)]
    // Without a cycle to go on from.
    for (const fresh of [yours.watch(id, { every: 1 }), mine.watch(undefined, { every: 1 })]) {
      await fresh.ready
      watchers.push(new Watcher(() => fresh))
    }
    // Those who are away, and miss what happens.
    const away = new Set<Watcher>()
    for (let step = 0; step < 24; step++) {
      await this.#step()
      if (step % 2 > 0) continue
      const watcher = this.#chance.pick(resuming)
      if (away.delete(watcher)) {
        watcher.goOn()
        this.#told.resumed++
      } else {
        await watcher.stop()
        away.add(watcher)
      }
    }
    for (const watcher of away) watcher.goOn()
    for (const watcher of watchers) await this.#checkWatcher(watcher)
    await this.#checkAll()
    // A watcher of all contexts hears of new ones from their beginning.
    expect(await mine.delete(id)).toBe(true)
  }

  async #join(): Promise<void> {
    const history = this.#chance.pick(HISTORIES)
    const ctx = await this.#chance.pick(this.#stores).open(this.#id, { history })
    this.#holders.push(new Holder(ctx, this.#states.at(-1)!, this.#version))
  }

  async #step(): Promise<void> {
    const holder = this.#chance.pick(this.#holders)
    const act = this.#chance.weighted([
      [8, 'edit'],
      [6, 'commit'],
      [2, 'race'],
      [4, 'rebase'],
      [1, 'rebase beside a commit'],
      [2, 'undo'],
      [2, 'clash'],
      [1, 'erase'],
      [1, 'retain'],
      [1, 'join'],
    ] as const)
    if (act === 'edit') this.#edit(holder)
    else if (act === 'undo') holder.undo()
    else if (act === 'commit') await this.#commit(holder)
    else if (act === 'race') await this.#race()
    else if (act === 'rebase') await this.#rebase(holder)
    else if (act === 'rebase beside a commit') await this.#rebaseBeside(holder)
    else if (act === 'clash') await this.#clash()
    else if (act === 'erase') await this.#erase()
    else if (act === 'retain') await this.#retain()
    else await this.#leave(holder)
    for (const each of this.#holders) each.check()
  }

  /** A new open takes the place of another, whose edits are gone. */
  async #leave(holder: Holder): Promise<void> {
    this.#holders = this.#holders.filter((each) => each !== holder)
    await this.#join()
  }

  #edit(holder: Holder): void {
    const edits = Array.from({ length: this.#chance.between(1, 3) }, () => this.#drawn(holder))
    // Together only what does not depend on each other.
    if (this.#chance.isOneIn(3)) holder.do(edits.filter((edit) => edit.do === 'say' || edit.do === 'set'))
    else for (const edit of edits) holder.do([edit])
  }

  #drawn(holder: Holder): Edit {
    const text = `text ${this.#said++}`
    const key = this.#chance.pick(KEYS)
    const messages = holder.working.messages.filter((each) => each.text !== '')
    switch (this.#chance.below(9)) {
      case 0:
      case 1:
        return { do: 'set', key, text }
      case 2:
      case 3:
        return { do: 'replace', key, text }
      case 4:
        return { do: 'delete', key }
      case 5:
        if (messages.length > 0) return { do: 'tag', text: this.#chance.pick(messages).text, tag: `tag-${this.#said}` }
        return { do: 'say', text }
      default:
        return { do: 'say', text }
    }
  }

  async #commit(holder: Holder): Promise<void> {
    this.#committed(holder, await outcomeOf(holder.ctx.commit()))
  }

  /** The writer that saw the newest cycle wins, and no other. */
  #committed(holder: Holder, outcome: Outcome<{ cycle: number }>): void {
    if (holder.version === this.#version) {
      this.#told.commits++
      expect(outcome.value?.cycle, String(outcome.error)).toBe(this.#head + 1)
      holder.base = holder.working
      holder.steps = []
      this.#states.push(holder.base)
      this.#kept.push(this.#head)
      holder.version = ++this.#version
      expectSame(shown(holder.ctx, '@t0'), plain(holder.base), 'what was committed')
      return
    }
    this.#told.conflicts++
    expect([outcome.error?.code, outcome.error?.details['reason']]).toEqual(['E_CONFLICT', this.#reasonFor(holder)])
  }

  #reasonFor({ version }: Holder): string {
    const since = this.#changes.filter((each) => each.version > version)
    if (since.length === 0) return 'stale'
    return since.every(({ reason }) => reason === 'thinned') ? 'thinned' : 'erased'
  }

  /** Two who commit at once: one of those wins who saw the newest. */
  async #race(): Promise<void> {
    const [first, second] = this.#twoOf()
    for (const each of [first, second]) this.#edit(each)
    const outcomes = await Promise.all([outcomeOf(first.ctx.commit()), outcomeOf(second.ctx.commit())])
    // In the order in which they were written.
    const order = outcomes[1].value === undefined ? [0, 1] : [1, 0]
    for (const i of order) this.#committed([first, second][i]!, outcomes[i]!)
    this.#told.races++
  }

  /** One changes what the other takes away. */
  async #clash(): Promise<void> {
    const [late, first] = this.#twoOf()
    for (const each of [late, first]) await this.#rebase(each)
    const key = KEYS.find((each) => [late, first].every(({ working }) => working.slots.has(each)))
    if (key === undefined) return
    late.do([{ do: 'replace', key, text: `text ${this.#said++}` }])
    first.do([{ do: 'delete', key }])
    for (const each of [first, late]) await this.#commit(each)
    await this.#rebase(late)
  }

  #twoOf(): readonly [Holder, Holder] {
    const first = this.#chance.pick(this.#holders)
    return [first, this.#chance.pick(this.#holders.filter((each) => each !== first))]
  }

  async #rebase(holder: Holder): Promise<void> {
    const before = new Map(holder.ctx.nodes(".block[role='user']").map(({ id, content }) => [content, id]))
    this.#rebased(holder, before, await outcomeOf(holder.ctx.rebase()))
  }

  async #rebaseBeside(holder: Holder): Promise<void> {
    const other = this.#holders.find((each) => each !== holder)!
    const before = new Map(holder.ctx.nodes(".block[role='user']").map(({ id, content }) => [content, id]))
    const [rebase, commit] = await Promise.all([outcomeOf(holder.ctx.rebase()), outcomeOf(other.ctx.commit())])
    // It was made behind that commit, or before it was there.
    const isBehind = (rebase.value?.cycle ?? Number(rebase.error?.details['head']) + 1) > this.#head + 1
    if (!isBehind) this.#rebased(holder, before, rebase)
    this.#committed(other, commit)
    if (isBehind) this.#rebased(holder, before, rebase)
  }

  #rebased(
    holder: Holder,
    before: ReadonlyMap<unknown, string>,
    { value: report, error }: Outcome<{ cycle: number; ids: ReadonlyMap<string, string> }>,
  ): void {
    const newest = this.#states.at(-1)!
    const now = holder.on(newest)
    if (typeof now === 'number') {
      this.#told.refused++
      const { code, details } = error!
      expect([code, details['reason'], details['operation']]).toEqual(['E_CONFLICT', 'rebase', now])
      holder.check()
      // The obstacle is taken back, and the rest is made again.
      while (holder.edits.length > now) holder.undo()
      return
    }
    this.#told.rebased++
    expect(report?.cycle, String(error)).toBe(this.#head + 1)
    const isMoved = holder.version !== this.#version
    holder.base = newest
    holder.version = this.#version
    if (!isMoved) return
    for (const edit of holder.edits) {
      if (edit.do !== 'say') continue
      const old = before.get(edit.text)!
      // A node without a report has kept its id.
      expect(holder.ctx.node(report!.ids.get(old) ?? old)?.content, edit.text).toBe(edit.text)
    }
  }

  async #erase(): Promise<void> {
    const state = this.#states.at(-1)!
    const messages = state.messages.filter(({ text }) => text !== '')
    const [key] = [...state.slots.keys()]
    const isSlot = key !== undefined && this.#chance.isOneIn(3)
    if (!isSlot && messages.length === 0) return
    const { text } = isSlot ? { text: '' } : this.#chance.pick(messages)
    await this.#chance.pick(this.#stores).erase(this.#id, isSlot ? `#${key}` : `[content='${text}']`)
    this.#states = this.#states.map((each) =>
      without(each, (said) => text !== '' && said === text, isSlot ? key : undefined),
    )
    this.#changed('erased')
  }

  async #retain(): Promise<void> {
    if (this.#kept.length < 2) return
    const newest = this.#chance.between(1, 4)
    const { kept } = await this.#chance.pick(this.#stores).retain(this.#id, { keep: { newest } })
    const before = this.#kept.length
    this.#kept = this.#kept.slice(-newest)
    expect(kept).toBe(this.#kept.length)
    // Where nothing was thinned out, no event comes.
    if (this.#kept.length < before) this.#changed('thinned')
  }

  #changed(reason: 'erased' | 'thinned'): void {
    this.#told[reason]++
    this.#changes.push({ version: ++this.#version, reason })
  }

  async #checkWatcher(watcher: Watcher): Promise<void> {
    const { mark } = (await this.#stores[0].find(this.#id))!
    // No event came of a context to which nothing has happened.
    if (this.#head > 0 || this.#changes.length > 0) await watcher.until(mark)
    await watcher.stop()
    expect(watcher.cycles).toEqual(Array.from({ length: this.#head }, (_, i) => i + 1))
    const others = watcher.told.filter(({ kind }) => kind !== 'commit')
    expect(others.filter(({ kind, id }) => kind !== 'erased' || id !== this.#id)).toEqual([])
    if (watcher.by === 'mark') expect(others.length).toBeLessThanOrEqual(this.#changes.length)
    // No watcher sees what followed an erasure before the event of the erasure.
    let epoch = 0
    for (const { kind, mark: at } of watcher.told) {
      if (kind === 'erased') epoch = epochIn(at)
      expect(epochIn(at), `the epoch of ${at}`).toBe(epoch)
    }
    expect(epoch, 'what was told of erasures').toBe(this.#changes.length)
    const cycles = watcher.told.map(({ cycle }) => cycle)
    expect(cycles).toEqual(cycles.toSorted((a, b) => a - b))
  }

  /** Every snapshot that there still is, by somebody who comes late. */
  async #checkAll(): Promise<void> {
    const ctx = await this.#stores[0].open(this.#id, { history: 'all' })
    expect(ctx.snapshots().map(({ cycle }) => cycle)).toEqual(this.#kept.toReversed())
    for (const cycle of this.#kept) expectSame(shown(ctx, `@c${cycle}`), plain(this.#states[cycle]!), `cycle ${cycle}`)
    expect((await this.#stores[1].fsck(this.#id)).problems).toEqual([])
  }
}

/** The number of erasures and thinnings by then. */
function epochIn(mark: string): number {
  return Number(mark.split('.')[1])
}

type Outcome<T> = Readonly<{ value?: T; error?: PactError }>

async function outcomeOf<T>(call: Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await call }
  } catch (error) {
    return { error: error as PactError }
  }
}

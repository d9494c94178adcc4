// The law of erasing (D56, N125): nothing found means nothing kept. Random programs put secrets wherever a context can hold a text. After
// `forget` or `store.erase` nothing that can be read, and no byte of the file, has the secret; everything else is as it was. And
// `store.erase` leaves the same exports as `forget` does in memory.

import fs from 'node:fs'
import path from 'node:path'

import fc from 'fast-check'
import { createContext, PactError, type Attempt, type Context, type Lens, type Snapshot } from 'pact-context'
import { toOpenAIChat } from 'pact-context/openai'
import { Store, type Rows, type StoredContext } from 'pact-context/store'
import type { Place } from 'pact-context/testing'
import { describe, expect, test } from 'vitest'

import type { AnyContext } from '../../src/context/index.js'
import { allTexts } from '../support/all-texts.js'
import { clockOf, readExport, textOf, walkExport, type ExportedSnapshot } from '../support/context.js'
import { editedRuns } from '../support/edited.js'
import { erasedNaively } from '../support/erased-naively.js'
import { memoryPlace, sqlitePlace } from '../support/places.js'

type Editable = AnyContext & Pick<Context, 'startAttempt'>

/** A secret, with selectors that find every node that ever held it. */
type Plant = Readonly<{ text: string; selectors: readonly string[] }>

/** The steps that need the driver: commits and forks are awaited where a context is stored. */
type Asked = Readonly<{ commit: string | undefined } | { fork: Lens }>

type Step = Readonly<{ do: number; n: number }>

const CALL = { provider: 'p', model: 'm', params: {} } as const

/** One run of a program on one context and its forks. */
class Run {
  readonly plants: Plant[] = []
  readonly snapshots: Snapshot[] = []
  readonly attempts: Attempt[] = []
  commits = 0
  ctx: Editable
  #running: Attempt | undefined
  #count = 0

  readonly #name: string

  constructor(ctx: Editable, name = 'x') {
    this.ctx = ctx
    this.#name = name
  }

  /** A new secret that is found by its text. */
  #secret(): string {
    const text = `SECRET-${this.#name}-${this.#count++}-`
    this.plants.push({ text, selectors: [`[content~'${text}']`] })
    return text
  }

  /** A new secret that is found by its tag; by its text too, unless it is in an attribute, the provenance or an object. */
  #tagged(isContent = true): Readonly<{ text: string; tags: string[] }> {
    const text = this.#secret()
    const tag = `tag${this.#count}`
    this.plants.push({ text, selectors: [...(isContent ? this.plants.pop()!.selectors : []), `+${tag}`] })
    if (!isContent) this.plants.splice(-2, 1)
    return { text, tags: [tag] }
  }

  *play(steps: readonly Step[]): Generator<Asked, void, Editable | undefined> {
    for (const { do: choice, n } of steps) {
      try {
        const asked = STEPS[choice % STEPS.length]!(this, n)
        if (asked === undefined) continue
        const made = yield asked
        if (made !== undefined) this.ctx = made
      } catch (error) {
        if (!PactError.is(error)) throw error
      }
    }
  }

  say(n: number): void {
    const { text, tags } = this.#tagged()
    const zones = ['pre', 'core', 'post'] as const
    this.ctx.add(`I am ${text}.`, { zone: zones[n % 3]!, tags, ...(n % 2 === 0 ? { ttl: n % 5 } : {}) })
  }

  hide(n: number): void {
    const { text, tags } = this.#tagged(false)
    const headers = [{ data_note: text }, { provenance: { from: text } }, { content_raw: [text] }, { 'x:y': text }]
    if (n % 5 === 4) this.ctx.tool({ card: [text] }, { tags, kind: 'result', data_call_id: `c${n}` })
    else this.ctx.user('plain', { tags, ...headers[n % 5] })
  }

  /** A container that says something itself, and holds something. */
  box(n: number): void {
    const { text, tags } = this.#tagged(false)
    const inner = this.#tagged()
    const children = [{ content: inner.text, tags: inner.tags }, { content: 'plain' }]
    const header = n % 2 === 0 ? { data_note: text } : { provenance: text }
    this.ctx.add(undefined, { zone: 'post', tags, ...header, children })
  }

  system(n: number): void {
    const { text, tags } = this.#tagged()
    this.ctx.system.add(text, { tags, ...(n % 2 === 0 ? { ttl: 2 } : {}) })
  }

  /** A key whose wording changes, in place or by a node that supersedes it. */
  put(n: number): void {
    const text = this.#secret()
    this.ctx.put(`k${n % 2}`, text)
  }

  schedule(n: number): void {
    const { text, tags } = this.#tagged()
    const header = { tags, ttl: 1 + (n % 2), cad: 1 + (n % 3), zone: 'pre' as const }
    if (n % 4 === 0) this.ctx.add(undefined, { ...header, key: `s${n % 3}`, children: [{ content: text, tags }] })
    else this.ctx.put(`s${n % 3}`, text, header)
  }

  /** Changes what a schedule brings, where it may be all that is changed. */
  reschedule(n: number): void {
    const text = this.#secret()
    this.ctx.replace(`#s${n % 3}`, { content: text })
  }

  replace(n: number): void {
    const text = this.#secret()
    this.ctx.replace(this.#some(n), { content: text })
  }

  update(n: number): void {
    this.ctx.update(this.#some(n), n % 2 === 0 ? { priority: n } : { ttl: n % 4 })
  }

  redact(n: number): void {
    const plant = this.plants[n % Math.max(1, this.plants.length)]
    if (plant === undefined) return
    const text = this.#secret()
    const isContent = plant.selectors[0]!.startsWith('[content')
    const match = n % 2 === 0 ? plant.text : new RegExp(plant.text)
    this.ctx.redact('.block', { match, ...(n % 3 === 0 && isContent ? { with: text } : {}) })
  }

  delete(n: number): void {
    this.ctx.delete(this.#some(n), n % 2 === 0 ? { author: 'a', reason: 'b' } : {})
  }

  move(n: number): void {
    this.ctx.move(this.#some(n), '(d0, end)')
  }

  undo(): void {
    this.ctx.undo()
  }

  batch(n: number): void {
    this.ctx.batch(() => {
      this.say(n)
      this.replace(n)
    })
  }

  start(n: number): void {
    const lenses = ['working', 'preview', undefined] as const
    const lens = lenses[n % 3]
    const kept = n % 2 === 0 ? { keepRequest: true } : {}
    const to = n % 4 < 2 ? { for: toOpenAIChat, ...kept } : {}
    const attempt = this.ctx.startAttempt({ ...CALL, ...to, ...(lens === undefined ? {} : { lens }) })
    this.attempts.push(attempt)
    this.#running = attempt
  }

  end(n: number): void {
    if (this.#running?.record.status !== 'running') return
    if (n % 3 === 0) this.#running.cancel()
    else if (n % 3 === 1) this.#running.complete({ tokenIn: 3 })
    else {
      const sent = textOf(this.#running.snapshot.export())
      this.#running.fail(new Error(`Cannot read ${this.plants.find(({ text }) => sent.includes(text))?.text}`))
    }
  }

  /** Says something, sends it, stops and takes it back (03 §6.1): after the commit only the attempt holds it. */
  stop(n: number): void {
    this.say(n)
    this.start(n)
    this.#running!.cancel()
    this.ctx.undo()
  }

  hold(n: number): void {
    this.snapshots.push(this.ctx.snapshot(n % 2 === 0 ? 'working' : 'preview'))
  }

  #some(n: number): string {
    const blocks = this.ctx.select('.block')
    return `[id='${blocks[n % Math.max(1, blocks.length)]}']`
  }
}

type Play = (run: Run, n: number) => Asked | undefined | void

const STEPS: readonly Play[] = [
  ...(['say', 'hide', 'box', 'system', 'put', 'schedule', 'reschedule', 'replace', 'update', 'redact'] as const).map(
    (name): Play =>
      (run, n) =>
        run[name](n),
  ),
  ...(['delete', 'move', 'undo', 'batch', 'start', 'start', 'end', 'stop', 'stop', 'hold'] as const).map(
    (name): Play =>
      (run, n) =>
        run[name](n),
  ),
  ...[0, 1, 2, 3].map((): Play => (run, n) => ({ commit: n % 3 === 0 ? `key ${run.commits++}` : undefined })),
  (_, n) => ({ fork: n % 3 === 0 ? '@t0' : 'working' }),
]

const PROGRAMS = fc.array(fc.record({ do: fc.nat(STEPS.length - 1), n: fc.nat(59) }), { minLength: 4, maxLength: 24 })

const OPTIONS = (n: number): object => ({
  clock: clockOf(),
  attemptClock: clockOf(),
  ...(n % 3 === 0 ? { prune: { maxNodes: 24 } } : {}),
})

type Played = Readonly<{ run: Run; contexts: readonly Editable[] }>

function inMemory(steps: readonly Step[], options: object, name?: string): Played {
  const run = new Run(createContext({ id: 'one', ...options }), name)
  const contexts = [run.ctx]
  const play = run.play(steps)
  for (let next = play.next(); next.done !== true;) {
    next = stepInMemory(run, next.value, contexts, play)
  }
  return { run, contexts }
}

function stepInMemory(
  run: Run,
  asked: Asked,
  contexts: Editable[],
  play: ReturnType<Run['play']>,
): IteratorResult<Asked, void> {
  try {
    const ctx = run.ctx as Context
    if ('commit' in asked) {
      ctx.commit()
      return play.next(undefined)
    }
    const fork = ctx.fork(asked.fork)
    contexts.push(fork)
    return play.next(fork)
  } catch (error) {
    if (!PactError.is(error)) throw error
    return play.throw(error)
  }
}

async function inStore(steps: readonly Step[], options: object, name: string, store: Store): Promise<Played> {
  const run = new Run(await store.create(name, options), name)
  const contexts = [run.ctx]
  const play = run.play(steps)
  for (let next = play.next(); next.done !== true;) {
    const ctx = run.ctx as StoredContext
    try {
      if ('commit' in next.value) {
        await ctx.commit(next.value.commit === undefined ? {} : { key: next.value.commit })
        next = play.next(undefined)
        continue
      }
      const fork = await ctx.fork(next.value.fork, { id: `${name}/${contexts.length}` })
      contexts.push(fork)
      next = play.next(fork)
    } catch (error) {
      if (!PactError.is(error)) throw error
      next = play.throw(error)
    }
  }
  return { run, contexts }
}

type Trees = ReadonlyMap<Lens, ExportedSnapshot>

function treesOf(ctx: AnyContext): Trees {
  const lenses: Lens[] = [...ctx.snapshots().map(({ cycle }): Lens => `@c${cycle}`), 'working']
  return new Map(lenses.map((lens) => [lens, readExport(ctx.export(lens))]))
}

/** The rest of trees after nodes and schedules are erased. */
function withoutThose(trees: Trees, ids: ReadonlySet<string>, keys: readonly string[]): Trees {
  const left = [...trees].map(([lens, { root, ...document }]) => {
    const { schedules, ...rest } = document as typeof document & { schedules: { key: string }[] }
    const kept = schedules.filter(({ key }) => !keys.includes(key))
    return [lens, { ...rest, root: erasedNaively(root, ids), schedules: kept }] as const
  })
  return new Map(left)
}

const told = { erased: 0, empty: 0, stored: 0 }

describe('forget', () => {
  test('leaves nothing of what it was asked for, and all else as it was', () => {
    fc.assert(
      fc.property(PROGRAMS, fc.nat(999), fc.nat(2), (steps, pick, history) => {
        const limit = history === 0 ? { history: 2 } : {}
        const { run, contexts } = inMemory(steps, { ...OPTIONS(pick), ...limit })
        const plant = run.plants[pick % Math.max(1, run.plants.length)]
        if (plant === undefined) return
        const { text, selectors } = plant
        const before = contexts.map(treesOf)
        const erased = new Set<string>()
        for (const ctx of contexts as Context[]) {
          const receipt = ctx.forget(`${selectors[pick % selectors.length]}?`)
          for (const id of receipt.ids) erased.add(id)
          if (receipt.ids.length + receipt.schedules.length > 0) told.erased++
          else told.empty++
          for (const [i, each] of contexts.entries()) {
            before[i] = withoutThose(before[i]!, new Set(receipt.ids), receipt.schedules)
            expect(treesOf(each)).toEqual(before[i])
          }
        }
        // A program may hold trees that its context does not keep; they forget the nodes that were found.
        for (const held of [...run.snapshots, ...run.attempts.map(({ snapshot }) => snapshot)]) {
          for (const { children: _children, ...node } of walkExport(readExport(held.export()).root))
            if (erased.has(node.id)) expect(JSON.stringify(node, plainly)).not.toContain(text)
        }
        for (const ctx of contexts) {
          expect(found(allTexts(ctx), text)).toEqual([])
          while (ctx.undo()) expect(found(openTexts(ctx), text)).toEqual([])
        }
      }),
      editedRuns(30),
    )
    expect(told.erased).toBeGreaterThan(5)
  })
})

function plainly(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

/** The nodes that undoing may bring back. */
function openTexts(ctx: AnyContext): string {
  return textOf(ctx.export('working')) + textOf(ctx.export('preview')) + JSON.stringify(ctx.operations())
}

/** Small, so that programs of a few commits have packs and manifests. */
const SIZES = { packed: 2, tail: 3, manifest: 2 }

/** Nodes of which many have no content. */
const BARE = ['.cont', '.seg', '*', '.seg, ^seq', '^ah', '.cont > .cont', '#s0']
const NOWHERE = 'a text that is nowhere'

describe.each([
  ['memory', memoryPlace],
  ['sqlite', sqlitePlace],
] as const)('erase, in %s,', (_, placeOf) => {
  test('leaves what forget leaves in memory, and no byte of what was erased', async () => {
    const place: Place<Rows> & Readonly<{ file?: string }> = placeOf()
    const store = new Store(await place.open(), SIZES)
    let played = 0
    const erased: string[] = []
    await fc.assert(
      fc.asyncProperty(PROGRAMS, fc.nat(999), async (steps, pick) => {
        const name = `p${played++}`
        const { run, contexts } = await inStore(steps, OPTIONS(pick), name, store)
        const twin = inMemory(steps, OPTIONS(pick), name)
        for (const each of contexts) await (each as StoredContext).commit()
        for (const each of twin.contexts) (each as Context).commit()
        for (const each of contexts) await (each as StoredContext).flush()
        const plant = run.plants[pick % Math.max(1, run.plants.length)] ?? { text: NOWHERE, selectors: BARE }
        const isBare = pick % 4 === 0
        const selectors = isBare ? BARE : plant.selectors
        const selector = `${selectors[pick % selectors.length]}?`
        const { ids, schedules } = await store.erase(name, selector)
        const forgotten = twin.contexts.map((each) => (each as Context).forget(selector))
        // A store also keeps how each cycle began, which may be more than any snapshot shows.
        expect(ids).toEqual(expect.arrayContaining(forgotten.flatMap((each) => each.ids)))
        expect(schedules).toEqual([...new Set(forgotten.flatMap((each) => each.schedules))].sort())
        for (const [i, { id }] of contexts.entries()) {
          const again = await store.open(id, { history: 'all', clock: clockOf() })
          expect(treesOf(again)).toEqual(treesOf(twin.contexts[i]!))
          if (!isBare) expect(found(allTexts(again), plant.text)).toEqual([])
        }
        if (!isBare) erased.push(plant.text)
      }),
      editedRuns(12),
    )
    expect((await store.fsck()).problems).toEqual([])
    await store.close()
    if (place.file !== undefined) {
      const folder = path.dirname(place.file)
      const bytes = fs.readdirSync(folder).map((file) => fs.readFileSync(path.join(folder, file)))
      expect(erased.filter((text) => bytes.some((each) => each.includes(text)))).toEqual([])
    }
    await place.end?.()
  })
})

/** Where a text has another one, with what is around it. */
function found(all: string, text: string): readonly string[] {
  const places = Array.from(all.matchAll(new RegExp(text, 'g')), ({ index }) => index)
  return places.slice(0, 3).map((at) => all.slice(Math.max(0, at - 300), at + 60))
}

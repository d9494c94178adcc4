// LOOP law 5: `recall` gives the original of every shed result, with redactions applied, in every state that can be reached: open, committed,
// saved, reopened, forked, exported and imported, in each store. Redactions, erasures and `forget` are part of the programs. The model remembers what
// each result said, by id, and knows nothing of shedding; that a result is shed shows in its line alone. What was erased is nowhere any more.

import fs from 'node:fs'
import path from 'node:path'

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import type { AnyContext } from '../../src/context/index.js'
import { toOpenAIChat } from '../../src/adapters/openai/index.js'
import { createContext, importSnapshot, type Context, type ContextOptions, type Lens } from '../../src/index.js'
import { Store, type StoredContext } from '../../src/store/index.js'
import { allTexts } from '../support/all-texts.js'
import { readExport, walkExport } from '../support/context.js'
import { memoryPlace, sqlitePlace } from '../support/places.js'
import { Admin, postgresPlace, sharedServer } from '../support/postgres.js'
import { runs } from '../support/runs.js'

const { server, why } = await sharedServer()

type Step =
  | Readonly<{ do: 'call'; sizes: readonly number[] }>
  | Readonly<{ do: 'user' | 'commit' | 'trim' | 'ask' | 'undo' | 'reopen' | 'file' }>
  | Readonly<{ do: 'fork'; of: 'working' | '@t0' }>
  | Readonly<{ do: 'switch' | 'unshed' | 'redact' | 'delete'; pick: number }>
  | Readonly<{ do: 'erase'; pick: number; by: 'original' | 'line' | 'words' | 'call' }>

const PICK = fc.nat(50)
const STEP: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constant('call'),
      sizes: fc.array(fc.constantFrom(5, 90, 150, 300), { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('user') }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('commit', 'commit', 'commit', 'trim', 'ask') }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('undo', 'undo', 'reopen', 'reopen', 'file') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fork'), of: fc.constantFrom('working', '@t0') }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('switch', 'unshed', 'redact', 'redact', 'delete'), pick: PICK }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('erase'),
      pick: PICK,
      by: fc.constantFrom('original', 'line', 'words', 'call'),
    }),
  },
)

const PROGRAM = fc.record({
  maxTokens: fc.constantFrom(150, 250, 500),
  keep: fc.constantFrom(0, 0, 1, 2),
  steps: fc.array(STEP, { minLength: 12, maxLength: 30, size: 'max' }),
})

/** Results by the ids of their calls, which every version of them has: words that no other result has, and the text; one that was erased has none. */
type Texts = Map<string, Readonly<{ words: string; text: string | undefined }>>

/** A context, and what its results say: now, before each edit of the open cycle, and at the end of each cycle. */
type Branch = { ctx: AnyContext; texts: Texts; undone: Texts[]; readonly at: Map<number, Texts> }

/** Where contexts live. */
type Home = Readonly<{
  begin: (id: string) => Promise<AnyContext>
  fork: (ctx: AnyContext, of: Lens, id: string) => Promise<AnyContext>
  /** Makes the open cycle durable. */
  save: (ctx: AnyContext) => Promise<unknown>
  /** The same context as another process would have it. */
  reopen: (ctx: AnyContext) => Promise<AnyContext>
  put: (ctx: Context, id: string) => Promise<AnyContext>
  /** Erases from a context and all of its family; the number of nodes found. */
  erase: (ctx: AnyContext, selector: string) => Promise<number>
}>

type Seen = Record<
  'lines' | 'past' | 'redacted' | 'redactedShed' | 'erased' | 'erasedShed' | 'reopened' | 'forks' | 'files',
  number
>

class Program {
  readonly #home: Home
  readonly #seen: Seen
  /** Contexts that share history. A file begins another family. */
  readonly #families: Branch[][] = [[]]
  #family = 0
  #branch = 0
  #made = 0
  #name = ''
  /** The words that were erased, of each family. */
  readonly erased: Set<string>[] = [new Set()]

  constructor(home: Home, seen: Seen) {
    this.#home = home
    this.#seen = seen
  }

  get #now(): Branch {
    return this.#families[this.#family]![this.#branch]!
  }

  get branches(): readonly (readonly Branch[])[] {
    return this.#families
  }

  async run(id: string, steps: readonly Step[]): Promise<void> {
    this.#name = id
    const ctx = await this.#home.begin(id)
    this.#families[0]!.push({ ctx, texts: new Map(), undone: [], at: new Map() })
    ctx.user('Begin.')
    for (const step of steps) {
      await this.#play(step, id)
      this.#check(this.#now)
    }
    for (const family of this.#families) for (const branch of family) this.#check(branch)
  }

  async #play(step: Step, id: string): Promise<void> {
    const { ctx } = this.#now
    switch (step.do) {
      case 'call':
        return this.#call(step.sizes)
      case 'user':
        return this.#edit(() => ctx.user('Go on.'))
      case 'trim':
        return this.#edit(() => ctx.trim())
      case 'ask':
        return this.#edit(() => ctx.startAttempt({ for: toOpenAIChat, params: { model: 'gpt' } }).complete())
      case 'unshed': {
        const line = this.#lineAt(step.pick)
        return line === undefined ? undefined : this.#edit(() => ctx.unshed(line.name))
      }
      case 'delete':
        return this.#edit(() => ctx.delete(`[kind='result'][data_call_id='${this.#resultAt(step.pick)}']?`))
      case 'redact':
        return this.#redact(step.pick)
      case 'undo':
        if (ctx.undo()) this.#now.texts = this.#now.undone.pop() ?? this.#now.texts
        return
      case 'commit':
        return this.#commit()
      case 'reopen':
        await this.#home.save(ctx)
        return this.#reopen(this.#now)
      case 'fork':
        return this.#fork(step.of, `${id} ${++this.#made}`)
      case 'file':
        return this.#toFile(`${id} ${++this.#made}`)
      case 'erase':
        return this.#erase(step.pick, step.by)
      default:
        this.#family = step.pick % this.#families.length
        this.#branch = step.pick % this.#families[this.#family]!.length
    }
  }

  /** An edit, which undo takes back if it is one. */
  #edit(run: () => unknown, texts: Texts = this.#now.texts): void {
    const { length } = this.#now.ctx.operations()
    run()
    const more = this.#now.ctx.operations().length - length
    for (let i = 0; i < more; i++) this.#now.undone.push(new Map(this.#now.texts))
    this.#now.texts = texts
  }

  #call(sizes: readonly number[]): void {
    const { ctx, texts } = this.#now
    const calls = sizes.map((size) => ({ size, id: `c${++this.#made}` }))
    for (const { id } of calls) {
      this.#edit(() => ctx.assistant({ name: 'read', arguments: {} }, { kind: 'call', data_call_id: id }))
    }
    for (const { size, id } of calls) {
      const words = `<words of ${this.#name} ${id}>`
      const text = `${words} ${'x'.repeat(size)}`
      this.#edit(() => ctx.result(id, text))
      texts.set(id, { words, text })
    }
  }

  #redact(pick: number): void {
    const { ctx, texts: before } = this.#now
    const line = this.#lineAt(pick)
    const words = before.get(line?.call ?? this.#resultAt(pick))?.words
    if (words === undefined) return
    const texts: Texts = new Map(before)
    for (const [id, said] of before) texts.set(id, { ...said, text: said.text?.replaceAll(words, 'xxx') })
    this.#edit(() => {
      const found = ctx.redact('.block?', { match: words, with: 'xxx' }).length
      this.#seen.redacted += found
      this.#seen.redactedShed += line === undefined ? 0 : found
    }, texts)
  }

  async #commit(): Promise<void> {
    const branch = this.#now
    await (branch.ctx as Context | StoredContext).commit()
    branch.undone = []
    branch.at.set(branch.ctx.cycle - 1, new Map(branch.texts))
  }

  async #reopen(branch: Branch): Promise<void> {
    branch.ctx = await this.#home.reopen(branch.ctx)
    // A draft that holds a state has no edits to take back.
    branch.undone = branch.undone.slice(branch.undone.length - branch.ctx.operations().length)
    this.#seen.reopened++
  }

  async #fork(of: 'working' | '@t0', id: string): Promise<void> {
    const { ctx, texts, at } = this.#now
    if (ctx.snapshots().length === 0) return
    const fork = await this.#home.fork(ctx, of, id)
    const begun = of === 'working' ? texts : at.get(Math.max(...at.keys()))!
    const branch = {
      ctx: fork,
      texts: new Map(begun),
      undone: [],
      at: new Map([...at].map(([c, t]) => [c, new Map(t)])),
    }
    this.#families[this.#family]!.push(branch)
    this.#seen.forks++
  }

  /** A family that begins with what a file of this one holds. */
  async #toFile(id: string): Promise<void> {
    const { ctx, at } = this.#now
    if (ctx.snapshots().length === 0) return
    const cycle = Math.max(...at.keys())
    const file = await this.#home.put(importSnapshot(ctx.export('@t0')), id)
    const texts = at.get(cycle)!
    this.#families.push([{ ctx: file, texts: new Map(texts), undone: [], at: new Map([[cycle, new Map(texts)]]) }])
    this.erased.push(new Set())
    this.#seen.files++
  }

  async #erase(pick: number, by: 'original' | 'line' | 'words' | 'call'): Promise<void> {
    const family = this.#families[this.#family]!
    const line = this.#lineAt(pick)
    const call = line?.call ?? this.#resultAt(pick)
    const words = this.#now.texts.get(call)?.words
    if (words === undefined) return
    const whole = `[kind='result'][data_call_id='${call}']?`
    // An edit in history made a node with another id: then no id finds all versions.
    const isOne =
      line !== undefined && family.every((branch) => namesOf(branch, call).every((name) => name === line.name))
    const selectors = {
      original: isOne ? `[id='${line.name}']?` : whole,
      line: isOne ? `[id='${line.id}']?` : whole,
      words: `[content~'${words}']?`,
      call: whole,
    }
    for (const branch of family) await this.#home.save(branch.ctx)
    const found = await this.#home.erase(this.#now.ctx, selectors[by])
    this.#seen.erased += found > 0 ? 1 : 0
    this.#seen.erasedShed += found > 0 && line !== undefined ? 1 : 0
    for (const branch of family) {
      await this.#reopen(branch)
      for (const texts of [branch.texts, ...branch.undone, ...branch.at.values()]) {
        // A redacted version has other words, and may stay where they are asked for.
        const said = texts.get(call)
        if (said?.text?.includes(words) === true) texts.set(call, { words, text: undefined })
      }
    }
    this.erased[this.#family]!.add(words)
  }

  /** Every line of every state names a result, and recalling it gives what the result said there. */
  #check({ ctx, texts, at }: Branch): void {
    this.#seen.lines += checkLines(ctx, texts)
    for (const [cycle, then] of [...at].slice(-2)) {
      this.#seen.past += checkLines(importSnapshot(ctx.export(`@c${cycle}`)), then)
    }
    for (const { id, call } of resultsIn(ctx, 'working')) {
      const said = texts.get(call)
      if (said !== undefined && said.text === undefined) expect(ctx.recall(id)).toBe('')
    }
  }

  #lineAt(pick: number): Line | undefined {
    const lines = linesIn(this.#now.ctx)
    return lines[pick % Math.max(1, lines.length)]
  }

  /** The call of a result. */
  #resultAt(pick: number): string {
    const calls = [...this.#now.texts.keys()]
    return calls[pick % Math.max(1, calls.length)] ?? 'none'
  }
}

type Result = Readonly<{ id: string; kind?: string; data_call_id?: string; content?: unknown }>

/** A result that is shown as one line: the id that the line names, that of the line's node, and that of its call. */
type Line = Readonly<{ name: string; id: string; call: string }>

function linesIn(ctx: AnyContext): readonly Line[] {
  return resultsIn(ctx, 'working').filter((result): result is Line => result.name !== undefined)
}

/** All results of a state. */
function resultsIn(
  ctx: AnyContext,
  lens: Lens,
): readonly (Omit<Line, 'name'> & Readonly<{ name: string | undefined }>)[] {
  const nodes = walkExport(readExport(ctx.export(lens)).root) as readonly Result[]
  return nodes.flatMap(({ id, kind, content, data_call_id: call }) => {
    if (kind !== 'result' || call === undefined) return []
    const name = typeof content === 'string' ? /, shed; recall (\S+)\]$/.exec(content)?.[1] : undefined
    return [{ name, id, call }]
  })
}

/** The ids by which the states of a branch know a result: that of the node, or the one that its line names. */
function namesOf({ ctx, at }: Branch, call: string): readonly string[] {
  const lenses: Lens[] = ['working', ...[...at.keys()].map((cycle): Lens => `@c${cycle}`)]
  return lenses.flatMap((lens) =>
    resultsIn(ctx, lens).flatMap(({ id, name, call: own }) => (own === call ? [name ?? id] : [])),
  )
}

function checkLines(ctx: AnyContext, texts: Texts): number {
  const lines = linesIn(ctx)
  for (const { name, id, call } of lines) {
    const text = texts.get(call)?.text
    expect(text, call).toBeDefined()
    expect(ctx.recall(name)).toBe(text)
    expect(ctx.recall(id)).toBe(text)
  }
  return lines.length
}

function newSeen(): Seen {
  return { lines: 0, past: 0, redacted: 0, redactedShed: 0, erased: 0, erasedShed: 0, reopened: 0, forks: 0, files: 0 }
}

/** Contexts without a store, which forget. A fork of a file's context is no other family. */
function inMemory(options: ContextOptions): Home {
  return {
    begin: async (id) => createContext({ id, ...options }),
    fork: async (ctx, of) => (ctx as Context).fork(of),
    save: async () => {},
    reopen: async (ctx) => ctx,
    put: async (ctx) => importSnapshot(ctx.export('@t0'), options),
    erase: async (ctx, selector) => (ctx as Context).forget(selector).ids.length,
  }
}

function inStore(store: Store, options: ContextOptions): Home {
  const open = (id: string): Promise<StoredContext> => store.open(id, { ...options, history: 'all' })
  return {
    begin: open,
    fork: (ctx, of, id) => (ctx as StoredContext).fork(of, { id }),
    save: (ctx) => (ctx as StoredContext).save(),
    reopen: (ctx) => open(ctx.id),
    put: async (ctx, id) => {
      await store.put(ctx, id)
      return open(id)
    },
    erase: async (ctx, selector) => (await store.erase(ctx.id, selector)).ids.length,
  }
}

/** Plays programs; gives what was met, and the words that were erased. */
async function play(
  count: number,
  home: (options: ContextOptions) => Home,
): Promise<readonly [Seen, readonly string[]]> {
  const seen = newSeen()
  const erased: string[] = []
  let played = 0
  await fc.assert(
    fc.asyncProperty(PROGRAM, async ({ maxTokens, keep, steps }) => {
      const options = { countTokens: (text: string) => text.length, prune: { maxTokens, results: { keep } } }
      // Words are of one program alone, since a store keeps all of them.
      const name = `p${played++}`
      const program = new Program(home(options), seen)
      await program.run(name, steps)
      for (const [at, family] of program.branches.entries()) {
        for (const { ctx } of family) {
          const all = program.erased[at]!.size === 0 ? '' : allTexts(ctx)
          for (const words of program.erased[at]!) expect(all).not.toContain(words)
        }
      }
      if (program.branches.length === 1) erased.push(...program.erased[0]!)
    }),
    { numRuns: runs(count) },
  )
  return [seen, erased]
}

function expectMet(seen: Seen, count: number): void {
  expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(runs(count) / 6)
}

describe('recall gives the original of every shed result', () => {
  test('in memory, with forget', async () => {
    const [seen] = await play(30, inMemory)
    expectMet({ ...seen, reopened: Infinity }, 30)
  })

  test('in a store in memory', async () => {
    const store = new Store(await memoryPlace().open())
    const [seen] = await play(25, (options) => inStore(store, options))
    expectMet(seen, 25)
    await store.close()
  })

  test('in SQLite, whose file has nothing of what was erased', async () => {
    const place = sqlitePlace()
    const store = new Store(await place.open())
    const [seen, erased] = await play(15, (options) => inStore(store, options))
    expectMet(seen, 15)
    expect((await store.fsck()).problems).toEqual([])
    await store.close()
    const folder = path.dirname(place.file)
    const bytes = fs.readdirSync(folder).map((file) => fs.readFileSync(path.join(folder, file)))
    expect(erased.length).toBeGreaterThan(5)
    expect(erased.filter((words) => bytes.some((each) => each.includes(words)))).toEqual([])
    await place.end?.()
  })

  test.skipIf(server === undefined)(
    `in PostgreSQL, whose rows have nothing of what was erased${why === undefined ? '' : ` (skipped: ${why})`}`,
    async () => {
      const place = postgresPlace(server!.url)
      const store = new Store(await place.open())
      const [seen, erased] = await play(15, (options) => inStore(store, options))
      expectMet(seen, 15)
      expect((await store.fsck()).problems).toEqual([])
      await store.close()
      const rows = await rowsOf(server!.url, place.tenant)
      expect(rows.length).toBeGreaterThan(20)
      expect(erased.length).toBeGreaterThan(5)
      const kept = erased.filter((words) => rows.some((row) => row.includes(words) || row.includes(hexOf(words))))
      expect(kept).toEqual([])
      await place.end?.()
    },
  )
})

/** Every row of a tenant in every table, as text; bytes are in hexadecimal. */
async function rowsOf(url: string, tenant: string): Promise<readonly string[]> {
  const admin = new Admin(url)
  const tables = await admin.sql(
    `SELECT table_schema || '.' || table_name AS name FROM information_schema.columns WHERE column_name = 'tenant'`,
  )
  const rows: string[] = []
  for (const { name } of tables) {
    const found = await admin.sql(`SELECT t::text AS row FROM ${String(name)} t WHERE tenant = '${tenant}'`)
    rows.push(...found.map(({ row }) => String(row)))
  }
  return rows
}

function hexOf(text: string): string {
  return Buffer.from(text).toString('hex')
}

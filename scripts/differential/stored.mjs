// Programs on contexts in stores: in memory, with packs and manifests after a few rows, and in SQLite files.

import fs from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'

import { isCompared, sameOpening, sameRowText } from './changes.mjs'
import { observe } from './observe.mjs'
import { omit, show, showError, without } from './show.mjs'

/** One folder for the files of this process. */
let folder
let files = 0

function freshFile() {
  if (folder === undefined) {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-differential-'))
    process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }))
  }
  return path.join(folder, `${++files}.db`)
}

/** Turns of the event loop without a call, after which a store has nothing left to do. */
const QUIET = 3

export class StoreSide {
  #side
  #rows
  #file
  #store
  #calls = 0

  constructor(side) {
    this.#side = side
  }

  get #start() {
    return this.#side.program.start
  }

  async begin() {
    if (this.#start.rows === 'sqlite') this.#file = freshFile()
    else this.#rows = this.#counted(new this.#side.build.store.MemoryRows())
    this.#store = await this.#open()
    return this.#store.create('main', this.#options(this.#start.history))
  }

  async #open() {
    const { openStore, Store } = this.#side.build.store
    const { packed } = this.#start
    if (this.#file !== undefined) return openStore(`sqlite:${this.#file}`, { durability: 'relaxed' })
    return new Store(this.#rows, { packed, tail: 2 * packed, manifest: packed })
  }

  /** The same rows, whose calls are counted. */
  #counted(rows) {
    return new Proxy(rows, {
      get: (_, name) => {
        const found = rows[name]
        if (typeof found !== 'function') return found
        return (...args) => {
          this.#calls++
          return found.apply(rows, args)
        }
      },
    })
  }

  /** Waits until nothing has called the rows for a few turns of the event loop: then packs and manifests that are due are written. */
  async settled() {
    if (this.#rows === undefined) return
    for (let quiet = 0, seen = this.#calls; quiet < QUIET; quiet = seen === this.#calls ? quiet + 1 : 0) {
      seen = this.#calls
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  #options(history, more = {}) {
    return { ...omit(this.#side.options(), 'id', 'history'), ...(history === undefined ? {} : { history }), ...more }
  }

  fork(ctx, lens, id) {
    return ctx.fork(lens, this.#options(this.#start.history, { id, dialect: undefined }))
  }

  async run(call) {
    const { ctx, contexts } = this.#side
    switch (call.do) {
      case 'reopen':
        return this.#reopen(call)
      case 'erase':
        return this.#after(await this.#store.erase(ctx.id, call.selector, call.options))
      case 'retain':
        return this.#after(await this.#store.retain(ctx.id, call.options))
      case 'load':
        return ctx.loadHistory(call.lens)
      case 'unload':
        return ctx.unloadHistory()
      case 'rival': {
        const other = await this.#open()
        const same = await other.open(ctx.id, this.#options('all', { dialect: undefined }))
        same.user(call.text)
        await same.commit()
        await same.flush()
        if (this.#file !== undefined) await other.close()
        return this.#after(undefined)
      }
      case 'storeRead':
        return this.#read(call)
      default:
        throw new Error(`There is no call ${call.do} on ${contexts.length} contexts.`)
    }
  }

  /** Takes up what was changed behind the open contexts. */
  async #after(result) {
    const reports = []
    for (const each of this.#side.contexts) reports.push(await shown(async () => each.rebase()))
    return [result, reports]
  }

  async #reopen({ history, flush }) {
    const side = this.#side
    if (flush) for (const ctx of side.contexts) await ctx.flush()
    const ids = side.contexts.map(({ id }) => id)
    await this.#store.close()
    this.#store = await this.#open()
    side.holds = []
    side.attempts = []
    side.contexts = []
    for (const id of ids) side.contexts.push(await this.#store.open(id, this.#options(history, { dialect: undefined })))
    return side.contexts.map((ctx) => [ctx.id, ctx.cycle, this.#version(ctx), ctx.epoch, ctx.snapshots()])
  }

  /** The version of a context, if both builds give the same; it follows from the hash of its newest row. */
  #version(ctx, name = 'version') {
    return isCompared(name, this.#side.program, this.#side.changes) ? ctx.version : 'not compared'
  }

  async #read({ what, key, cycle }) {
    const { ctx } = this.#side
    await ctx.flush()
    if (what === 'find') return this.#store.find(ctx.id)
    if (what === 'list') return [await this.#store.list({ limit: 1 }), await this.#store.list()]
    if (what === 'answer') return ctx.answerTo(key)
    if (what === 'fsck') return reportOf(await this.#store.fsck(ctx.id))
    return this.#openAt(cycle)
  }

  async #openAt(cycle) {
    const { ctx, changes } = this.#side
    try {
      const at = await this.#store.openAt(ctx.id, cycle, this.#options('all', { dialect: undefined }))
      return at === undefined ? undefined : [at.cycle, this.#version(at, 'openAt version'), at.export('@t0')]
    } catch (error) {
      throw sameOpening(error, changes)
    }
  }

  /** Gives the stored rows to `add`, and the contexts opened again with all of their past. */
  async seen(plan, add) {
    for (const ctx of this.#side.contexts) await ctx.flush()
    add('fsck', await shown(async () => reportOf(await this.#store.fsck())))
    const ids = this.#side.contexts.map(({ id }) => id)
    await this.#store.close()
    for (const [name, value] of this.#file === undefined ? await this.#memory() : this.#tables()) {
      if (isCompared(name, this.#side.program, this.#side.changes))
        add(name, sameRowText(show(value), this.#side.changes))
    }
    this.#store = await this.#open()
    for (const id of ids) {
      const again = await this.#store.open(id, this.#options('all', { dialect: undefined }))
      await observe(this.#side, again, { ...plan, name: `${id} opened again`, isBrief: true }, add)
    }
    await this.#store.close()
  }

  async end() {
    await this.#store?.close().catch(() => undefined)
    if (this.#file !== undefined)
      for (const ending of ['', '-wal', '-shm']) fs.rmSync(this.#file + ending, { force: true })
  }

  /** Every row through the port. */
  async #memory() {
    const rows = this.#rows
    const parts = []
    for (const context of await rows.list(undefined, 100)) {
      const { ctx, id, family } = context
      parts.push([`${id}: context row`, context])
      parts.push([`${id}: commit rows`, await rows.read(ctx, 0, 1_000_000)])
      parts.push([`${id}: answers`, byKey(await rows.answers(ctx))])
      parts.push([`${id}: attempts`, await rows.attempts(ctx, 1000)])
      parts.push([`${id}: audit`, await rows.audit(family)])
      const manifests = await rows.manifests(ctx)
      for (const cycle of manifests) parts.push([`${id}: manifest ${cycle}`, await rows.manifest(ctx, cycle)])
    }
    return parts
  }

  /** Every table, as it is in the file. */
  #tables() {
    const db = new (sqlite(this.#side.build.folder).DatabaseSync)(this.#file)
    const names = db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
      .all()
    const parts = names.map(({ name }) => {
      const rows = db.prepare(`SELECT * FROM "${name}"`).all().map(show).sort()
      return [`table ${name}`, rows]
    })
    parts.push([
      'schema',
      [
        db.prepare('PRAGMA user_version').get(),
        db.prepare('SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name').all(),
      ],
    ])
    db.close()
    return parts
  }
}

function sqlite(folder) {
  return (
    process.getBuiltinModule('node:sqlite') ??
    createRequire(path.join(folder, 'package.json'))('@photostructure/sqlite')
  )
}

/** Without sentences. */
function reportOf(report) {
  return { ...omit(report, 'problems'), problems: without(report.problems ?? [], 'message', 'text') }
}

async function shown(run) {
  try {
    return show(await run())
  } catch (error) {
    return showError(error)
  }
}

/**
 * Databases give answers in any order.
 * @template {{ key: string }} T
 * @param {readonly T[]} answers
 */
function byKey(answers) {
  return answers.toSorted((a, b) => (a.key < b.key ? -1 : 1))
}

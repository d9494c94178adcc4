// A commit in three steps, and a context made again from what was written of it: the cases that the law of records
// (test/stores/records-laws.test.ts) does not name.

import { describe, expect, test } from 'vitest'

import { textOf } from '../../test/support/context.js'
import { createContext, importSnapshot, PactError, type Context, type ContextOptions } from '../index.js'
import { decodeCheckpoint, decodeCommitRecord, encodeCheckpoint, encodeCommitRecord } from '../codec/index.js'
import type { Checkpoint, CommitRecord } from '../core/index.js'
import { checkpointOf, historyOf, prepareCommit, restoreContext } from './persistence.js'
import { Context as ContextClass } from './index.js'

function contextOf(options: ContextOptions = {}): Context {
  return createContext({ clock: clockOf(), ...options })
}

function clockOf(): () => bigint {
  let now = 1_700_000_000_000_000_000n
  return () => (now += 1_000n)
}

function prepare(ctx: Context): ReturnType<typeof prepareCommit> {
  return prepareCommit(ContextClass.partsOf(ctx))
}

function refusal(call: () => unknown): PactError {
  try {
    call()
  } catch (error) {
    if (PactError.is(error)) return error
    throw error
  }
  throw new Error('Nothing was refused.')
}

/** A first turn is committed, a second one open. */
function talk(options?: ContextOptions): Context {
  const ctx = contextOf(options)
  ctx.user('one')
  ctx.commit()
  ctx.user('two')
  return ctx
}

describe('a prepared commit', () => {
  test('lets nobody write until it has ended, whatever is awaited meanwhile; reads see the state before', async () => {
    const ctx = talk()
    const before = [ctx.cycle, textOf(ctx.export('working')), textOf(ctx.export('preview')), ctx.snapshots().length]
    const pending = prepare(ctx)
    await Promise.resolve()
    const writes: (() => unknown)[] = [
      () => ctx.user('three'),
      () => ctx.system.add('rule'),
      () => ctx.delete('.block?'),
      () => ctx.undo(),
      () => ctx.batch(() => 1),
      () => ctx.forget('.block'),
      () => ctx.commit(),
      () => prepare(ctx),
    ]
    for (const write of writes) {
      const { code, message } = refusal(write)
      expect([code, message]).toEqual([
        'E_CONFLICT',
        'A commit of this context is under way; wait until it has ended, and write then.',
      ])
    }
    const reads = [ctx.cycle, textOf(ctx.export('working')), textOf(ctx.export('preview')), ctx.snapshots().length]
    expect(reads).toEqual(before)
    expect(ctx.fork('working').select('.block')).toHaveLength(2)
    expect(ctx.operations()).toHaveLength(1)
    expect(pending.publish().cycle).toBe(2)
    expect(ctx.user('three').id).toBe('block:3-1')
  })

  test('makes, once published, what a commit makes at once', () => {
    const [ctx, twin] = [talk(), talk()]
    prepare(ctx).publish()
    twin.commit()
    expect(textOf(ctx.export())).toBe(textOf(twin.export()))
    expect(ctx.past).toEqual(twin.past)
  })

  test('leaves everything as it was where it is discarded', () => {
    const [ctx, twin] = [talk(), talk()]
    const told: number[] = []
    ctx.onCommit(({ cycle }) => told.push(cycle))
    const pending = prepare(ctx)
    pending.discard()
    expect([ctx.cycle, ctx.snapshots().length, told]).toEqual([2, 1, []])
    expect(textOf(ctx.export('working'))).toBe(textOf(twin.export('working')))
    // The clock was read for the segment, and no id was spent.
    expect(ctx.user('three').id).toBe(twin.user('three').id)
    expect([ctx.undo(), ctx.undo(), ctx.undo()]).toEqual([true, true, false])
    expect([refusal(pending.publish).code, refusal(pending.discard).code]).toEqual(['E_CONFLICT', 'E_CONFLICT'])
    ctx.commit()
    expect([ctx.cycle, told]).toEqual([3, [2]])
  })

  test('that fails leaves the context open for writing', () => {
    const ctx = contextOf({ prune: { maxNodes: 1, unmet: 'error' } })
    ctx.user('two', { pinned: true })
    expect(refusal(() => prepare(ctx)).code).toBe('E_BUDGET')
    expect(ctx.user('three').content).toBe('three')
  })

  test('does not pass over a hold that ends before it is published (D26)', () => {
    const ctx = contextOf()
    const { id } = ctx.user('short', { ttl: 1 })
    const hold = ctx.hold(id)
    ctx.commit()
    const pending = prepare(ctx)
    hold.release()
    pending.publish()
    expect(ctx.node(id, '@t0')?.id).toBe(id)
    ctx.commit()
    expect(ctx.node(id, '@t0')).toBeUndefined()
  })

  test('forgets what a fork forgets meanwhile (D56)', () => {
    const ctx = talk()
    ctx.post('note', { key: 'k', data_note: 'secret' })
    const fork = ctx.fork('working')
    const pending = prepare(ctx)
    fork.forget('[key="k"]')
    pending.publish()
    expect(textOf(ctx.export('@t0'))).not.toContain('secret')
    expect(textOf(ctx.export('working'))).not.toContain('secret')
    expect(textOf(encodeCheckpoint(checkpointOf(ContextClass.partsOf(ctx))))).not.toContain('secret')
  })
})

/** A context with all that a store would have written of it. */
class Stored {
  readonly ctx: Context
  readonly checkpoint: Checkpoint
  readonly records: CommitRecord[] = []

  constructor(ctx: Context) {
    this.ctx = ctx
    this.checkpoint = checkpointOf(ContextClass.partsOf(ctx))
  }

  commit(): void {
    const pending = prepare(this.ctx)
    this.records.push(pending.record())
    pending.publish()
  }

  again(options: ContextOptions = { clock: clockOf() }): Context {
    const records = this.records.map((record) => decodeCommitRecord(encodeCommitRecord(record)))
    return restoreContext(decodeCheckpoint(encodeCheckpoint(this.checkpoint)), records, options)
  }
}

describe('a context made again', () => {
  test('knows a container that was filled and emptied within one cycle (D26)', () => {
    const stored = new Stored(contextOf())
    const { ctx } = stored
    const box = ctx.add(undefined, { zone: 'post', removable: true, children: [] })
    ctx.user('kept', { refs: [box.id] })
    stored.commit()
    const child = ctx.insert({ content: 'in and out' }, ctx.coordinate(box.id).replace(')', ', end)'))
    ctx.delete(`{ id="${child.id}" }`)
    stored.commit()
    expect(stored.records[1]!.change.versions.map(({ id }) => id)).not.toContain(box.id)
    expect(stored.records[1]!.change.emptied).toEqual([box.id])
    expect(textOf(ctx.export())).toContain('pact:emptied')
    expect(textOf(stored.again().export())).toBe(textOf(ctx.export()))
    const { checkpoint, records } = history(ctx)
    expect(textOf(restoreContext(checkpoint, records).export())).toBe(textOf(ctx.export()))
  })

  test('has the digits of a clock that undone calls have moved', () => {
    const far = 10n ** 4000n
    let now = 5n
    const clock = (): bigint => now++
    const stored = new Stored(contextOf({ clock }))
    stored.ctx.user('one')
    now = far
    stored.ctx.user('undone')
    stored.ctx.undo()
    now = 7n
    stored.commit()
    expect(stored.again({ clock }).user('next').createdAtNs).toBe(stored.ctx.user('next').createdAtNs)
    expect(stored.ctx.user('next').createdAtNs).toBeGreaterThan(far)
  })

  test('keeps values that JSON alone would lose', () => {
    const stored = new Stored(contextOf())
    const content = { __proto__x: 1, big: 2n ** 80n, small: 1e-7, lone: '\ud800', nul: '\0', ['__proto__']: [null] }
    stored.ctx.user(content, { data_a: 10n ** 30n, data_null: null, tags: [] })
    stored.commit()
    const again = stored.again()
    expect(textOf(again.export())).toBe(textOf(stored.ctx.export()))
    expect(textOf(again.threadBytes('@t0'))).toBe(textOf(stored.ctx.threadBytes('@t0')))
  })

  test('tells again what could not return when its cycle opened, without telling a listener', () => {
    const stored = new Stored(contextOf())
    const { ctx } = stored
    ctx.post('tip', { key: 'k', cad: 2, ttl: 1 })
    stored.commit()
    ctx.system.add('rule', { key: 'k' })
    for (let i = 0; i < 3; i++) stored.commit()
    const told: string[] = []
    const again = stored.again({ onWarning: ({ message }) => told.push(message) })
    expect(again.warnings).toMatchObject([3, 5].map((cycle) => ({ details: { kind: 'schedule-left-out', cycle } })))
    expect(again.warnings).toEqual(ctx.warnings)
    expect(told).toEqual([])
    // Of what was before its cycle a checkpoint says nothing.
    const { warnings } = restoreContext(checkpointOf(ContextClass.partsOf(again)), [])
    expect(warnings).toEqual(ctx.warnings.slice(1))
  })

  test('knows what a fork took along: for whom a node has left, and what a moved container holds (D6, D29, D41)', () => {
    const ctx = contextOf()
    const old = ctx.post('old')
    const box = ctx.add(undefined, { zone: 'post', key: 'box', children: [{ content: 'inner', key: 'k' }] })
    ctx.commit()
    ctx.user('a turn between')
    ctx.commit()
    ctx.replace(`{ id="${old.id}" }`, { content: 'new', ttl: 0 })
    ctx.move(`{ id="${box.id}" }`, '(d0, end)')
    const fork = ctx.fork('working', { clock: clockOf() })
    const again = new Stored(fork).again()
    for (const each of [fork, again]) {
      each.put('k', 'outer')
      each.commit()
      // The replacement has expired, so no later snapshot shows it.
      expect(each.explain(old.id)).toMatchObject({ supersededBy: undefined, left: { cause: 'expired' } })
    }
    expect(textOf(again.export())).toBe(textOf(fork.export()))
  })

  test('counts its forks on, and speaks its dialect only', () => {
    const stored = new Stored(contextOf({ dialect: '0.1' }))
    stored.ctx.user('one')
    stored.ctx.fork('working')
    stored.commit()
    expect(stored.again().fork().id).toBe(stored.ctx.fork().id)
    expect(refusal(() => stored.again({ dialect: '1.0' })).details).toEqual({ name: 'dialect' })
  })

  test('is refused where a record is missing, or belongs to another context', () => {
    const stored = new Stored(contextOf())
    for (const text of ['one', 'two', 'three']) {
      stored.ctx.user(text)
      stored.commit()
    }
    const [first, second, third] = stored.records as [CommitRecord, CommitRecord, CommitRecord]
    const again = (...records: CommitRecord[]) => refusal(() => restoreContext(stored.checkpoint, records)).code
    expect([again(second), again(first, third)]).toEqual(['E_SNAPSHOT_INVALID', 'E_SNAPSHOT_INVALID'])
    const other = new Stored(contextOf())
    other.ctx.pre('here', { ttl: 1 })
    other.commit()
    other.commit()
    expect(again(first, other.records[1]!)).toBe('E_SNAPSHOT_INVALID')
  })
})

/** The rows that a store would write of a new context, through its bytes. */
function history(ctx: Context): { checkpoint: Checkpoint; records: CommitRecord[] } {
  const { checkpoint, records } = historyOf(ContextClass.partsOf(ctx))
  return {
    checkpoint: decodeCheckpoint(encodeCheckpoint(checkpoint)),
    records: Array.from(records, (record) => decodeCommitRecord(encodeCommitRecord(record))),
  }
}

describe('the past of a context, of which nothing was written', () => {
  test('is a checkpoint of its oldest snapshot and a record for each later one; open edits are left out', () => {
    const ctx = talk()
    ctx.commit()
    ctx.user('three')
    ctx.commit()
    const began = textOf(ctx.export('working'))
    ctx.user('open')
    const { checkpoint, records } = history(ctx)
    expect([checkpoint.snapshot?.cycle, records.map(({ cycle }) => cycle)]).toEqual([1, [2, 3]])
    expect([checkpoint, ...records].map(({ opening }) => opening !== undefined)).toEqual([false, false, true])
    const again = restoreContext(checkpoint, records, { clock: clockOf() })
    expect(textOf(again.export('working'))).toBe(began)
    expect(again.past).toEqual(ctx.past)
    ctx.undo()
    expect(again.user('next').id).toBe('block:4-1')
  })

  test('is a checkpoint alone before the first commit, and where one snapshot is all there is', () => {
    const fresh = contextOf()
    fresh.user('open')
    expect(history(fresh).checkpoint.snapshot).toBeUndefined()
    expect(history(fresh).records).toEqual([])
    expect(restoreContext(history(fresh).checkpoint, []).count('.block')).toBe(0)
    const short = contextOf({ history: 1 })
    for (const text of ['one', 'two', 'three']) {
      short.user(text)
      short.commit()
    }
    const { checkpoint, records } = history(short)
    expect([checkpoint.snapshot?.cycle, checkpoint.snapshot?.first, records]).toEqual([3, 1, []])
    expect(checkpoint).toEqual(decodeCheckpoint(encodeCheckpoint(checkpointOf(ContextClass.partsOf(short)))))
  })

  test('of an import is as it was imported: what the file said beside its tree, and what was warned of', () => {
    const text = textOf(talk().export()).replace(/"created_at_iso":"[^"]+"/, '"created_at_iso":"long ago"')
    const ctx = importSnapshot(text.replace('{', '{"acme:note":[1],'), { clock: clockOf() })
    ctx.user('more')
    ctx.commit()
    const { checkpoint, records } = history(ctx)
    const again = restoreContext(checkpoint, records)
    for (const lens of ['@t-1', '@t0'] as const) expect(textOf(again.export(lens))).toBe(textOf(ctx.export(lens)))
    expect(textOf(again.export('@t-1'))).toContain('acme:note')
    expect(ctx.warnings).not.toEqual([])
    expect(again.warnings).toEqual(ctx.warnings)
  })

  test('lists what could not return when earlier cycles opened, once, however often it is written', () => {
    const ctx = contextOf()
    ctx.post('tip', { key: 'k', cad: 2, ttl: 1 })
    ctx.commit()
    ctx.system.add('rule', { key: 'k' })
    for (let i = 0; i < 3; i++) ctx.commit()
    expect(ctx.warnings.map(({ details }) => details['cycle'])).toEqual([3, 5])
    let again = ctx
    for (let i = 0; i < 2; i++) {
      const { checkpoint, records } = history(again)
      again = restoreContext(checkpoint, records)
      expect(again.warnings).toEqual(ctx.warnings)
    }
  })

  test('opens a cycle anew for whoever begins at an earlier snapshot, as a fork from it does (D28)', () => {
    const ctx = contextOf()
    ctx.post('tip', { key: 'k', cad: 1, ttl: 1 })
    ctx.user('one')
    ctx.commit()
    const opened = [
      ctx.select('^ah .block'),
      ctx
        .fork()
        .nodes('^ah .block')
        .map(({ content }) => content),
    ]
    ctx.delete('^ah #k')
    for (const text of ['two', 'three']) {
      ctx.user(text)
      ctx.commit()
    }
    const { checkpoint, records } = history(ctx)
    const again = restoreContext(checkpoint, [], { clock: () => 0n })
    expect([again.select('^ah .block'), again.nodes('^ah .block').map(({ content }) => content)]).toEqual(opened)
    // Times go on after those that are there, whatever the clock says.
    const times = again.nodes('@t0 *').map(({ createdAtNs }) => createdAtNs)
    for (const { createdAtNs } of again.nodes('^ah .block')) {
      expect(times.every((time) => time < createdAtNs)).toBe(true)
    }
    expect(restoreContext(checkpoint, records.slice(0, 1)).cycle).toBe(3)
  })
})

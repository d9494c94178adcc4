// A context whose older snapshots are elsewhere, by rows: what it refuses and with which words, what it can tell all the same,
// and how its history comes and goes. test/stores/floor-laws.test.ts has the law.

import { describe, expect, it, test } from 'vitest'

import { decodeCheckpoint, decodeCommitRecord, encodeCheckpoint, encodeCommitRecord } from '../codec/index.js'
import { PactError } from '../errors/index.js'
import { createContext, importSnapshot, type Context, type ContextOptions, type Lens } from '../index.js'
import { listedSnapshot, Thinned, type Bounds } from '../timeline/index.js'
import { Context as ContextClass } from './context.js'
import {
  historyWanted,
  holdHistory,
  loadAlone,
  loadSpan,
  olderBeginning,
  olderTimeline,
  unloadHistory,
} from './load-history.js'
import { historyOf } from './recording.js'
import { restoreContext } from './restore.js'

const partsOf = (ctx: Context): ReturnType<typeof ContextClass.partsOf> => ContextClass.partsOf(ctx)

/** Ten turns; the note of the first one leaves in the fourth. */
function tenTurns(options: ContextOptions = {}): Context {
  let now = 0n
  const ctx = createContext({ clock: () => ++now, ...options })
  for (let turn = 1; turn <= 10; turn++) {
    ctx.user(`turn ${turn}`)
    if (turn === 1) ctx.post('note', { ttl: 3 })
    ctx.commit()
  }
  return ctx
}

/** The same context as a store gives it, with the newest snapshots. */
function opened(full: Context, history: number, options: ContextOptions = {}): Context {
  const { checkpoint, records } = historyOf(partsOf(full))
  const written = Array.from(records, (record) => decodeCommitRecord(encodeCommitRecord(record)))
  const given = { ...options, history }
  const more = { isBacked: true }
  return restoreContext(decodeCheckpoint(encodeCheckpoint(checkpoint)), written, given, undefined, more)
}

/** A store's part of `loadHistory`. */
function load(ctx: Context, full: Context, lens: string): void {
  const parts = partsOf(ctx)
  const { kind, from, to } = historyWanted(lens, parts.timeline.bounds)
  if (kind === 'loaded') return
  const { checkpoint, records } = historyOf(partsOf(full))
  const { home, timeline } = partsOf(full)
  const snapshot = { ...listedSnapshot(timeline, from), extras: home.edition.extrasAt(from) }
  const decoded = decodeCheckpoint(encodeCheckpoint({ ...checkpoint, snapshot, opening: undefined }))
  const after = [...records].filter(({ cycle }) => cycle > from && cycle <= to)
  const written = after.map((record) => decodeCommitRecord(encodeCommitRecord(record)))
  const older = olderTimeline(parts, olderBeginning(parts, decoded.snapshot), written)
  if (kind === 'one') loadAlone(parts, older, from, decoded.snapshot!.extras)
  else loadSpan(parts, older, decoded.snapshot!.extras)
}

function refusal(call: () => unknown): Pick<PactError, 'code' | 'details' | 'message'> {
  try {
    call()
  } catch (error) {
    if (PactError.is(error)) return error
    throw error
  }
  throw new Error('Nothing was refused.')
}

describe('what needs a snapshot that is not loaded', () => {
  const full = tenTurns()
  const ctx = opened(full, 3)
  const rows: readonly (readonly [name: string, ask: () => unknown, details: object])[] = [
    ['a lens', () => ctx.snapshot('@c5'), { lens: '@c5', cycle: 5 }],
    ['a lens by time', () => ctx.export('@t-9'), { lens: '@t-9', cycle: 1 }],
    ['a fork', () => ctx.fork('@c7'), { lens: '@c7', cycle: 7 }],
    ['a diff', () => ctx.diff('@c7', '@t0'), { lens: '@c7', cycle: 7 }],
    ['a prefix', () => ctx.prefix('@c7'), { lens: '@c7', cycle: 7 }],
    ['a selector', () => ctx.select('@c5 .block'), { lens: '@c5', cycle: 5, pos: 0, token: '@c5' }],
    ['the oldest', () => ctx.select('@t-* .block'), { lens: '@t-*', cycle: 1, pos: 0, token: '@t-*' }],
    ['all', () => ctx.select(' @* .block'), { lens: '@*', cycle: 1, pos: 1, token: '@*' }],
    ['a count of all', () => ctx.count('@* .block'), { lens: '@*', cycle: 1 }],
    ['an iteration over all', () => ctx.iterate('@* .block'), { lens: '@*', cycle: 1 }],
    ['history', () => ctx.select('@history .block'), { lens: '@history', cycle: 1, pos: 0, token: '@history' }],
    ['a range', () => ctx.select('@t-4..@t0 .block'), { lens: '@t-4..@t0', cycle: 6, pos: 0, token: '@t-4..@t0' }],
    ['a range below', () => ctx.rangeDiffLatest('@c2..@c4 .block'), { lens: '@c2..@c4', cycle: 2 }],
    ['the past', () => ctx.past, { cycle: 1 }],
    ['the life of a node from there', () => ctx.life('block:3-1'), { cycle: 3 }],
    ['an id that nobody knows', () => ctx.explain('nobody'), { id: 'nobody', lens: 'working', cycle: 7 }],
    ['an id that is gone there', () => ctx.explain('block:1-2'), { id: 'block:1-2', cycle: 7 }],
    ['the life of an id that nobody knows', () => ctx.life('nobody'), { id: 'nobody', cycle: 7 }],
    ['all that was written', () => historyOf(partsOf(ctx)), { cycle: 1 }],
  ]
  test.each(rows)('%s is E_HISTORY_NOT_LOADED', (_name, ask, details) => {
    const error = refusal(ask)
    expect(error.code).toBe('E_HISTORY_NOT_LOADED')
    expect(error.details).toMatchObject({ ...details, oldest: 8, newest: 10 })
  })

  test('the sentence says what is there, and what to do', () => {
    expect(refusal(() => ctx.snapshot('@c5')).message).toBe(
      "The snapshot @c5 is not loaded, only @c8 to @c10 (@t0) are; load it with: await ctx.loadHistory('@c5')",
    )
    expect(refusal(() => ctx.select('@c2..@c9 .block')).message.split('\n')[0]).toBe(
      "Some of @c2..@c9 is not loaded, only @c8 to @c10 (@t0) are; load it with: await ctx.loadHistory('@c2..@t0')",
    )
    expect(refusal(() => opened(full, 1).past).message).toBe(
      "Some of the past is not loaded, only @c10 (@t0) is; load it with: await ctx.loadHistory('@*')",
    )
    expect(refusal(() => ctx.explain('nobody')).message).toBe(
      "There is no node nobody in working, and what came before cycle 8 is not loaded, only @c8 to @c10 (@t0) are; load it with: await ctx.loadHistory('@*')",
    )
  })

  test.each(['@c0', '@c11', '@t-10', '@t1'] as const)('%s, which never was, is E_SNAPSHOT_NOT_FOUND', (lens) => {
    const [ours, theirs] = [ctx, full].map((each) => refusal(() => each.snapshot(lens as Lens)))
    expect([ours!.code, ours!.details, ours!.message]).toEqual([theirs!.code, theirs!.details, theirs!.message])
    expect(ours!.code).toBe('E_SNAPSHOT_NOT_FOUND')
  })
})

describe('what can be told without it', () => {
  const full = tenTurns()
  const ctx = opened(full, 3)

  it('lists all snapshots, page by page', () => {
    expect(ctx.snapshots()).toEqual(full.snapshots())
    expect(ctx.snapshots({ limit: 2, before: 4 })).toEqual(full.snapshots({ limit: 2, before: 4 }))
    expect(String(ctx)).toBe(String(full))
  })

  it('explains a node that nobody has changed since it came, however old it is', () => {
    expect(ctx.explain('block:2-1')).toEqual(full.explain('block:2-1'))
    expect(ctx.explain('block:2-1', '@c9')).toEqual(full.explain('block:2-1', '@c9'))
    expect(ctx.node('nobody')).toBeUndefined()
  })

  it('tells the life of a node that came since', () => {
    expect(ctx.life('block:9-1')).toEqual(full.life('block:9-1'))
    expect(ctx.life('block:8-1')).toEqual(full.life('block:8-1'))
  })

  it('gives the newest of a range where the caller asks for no more', () => {
    const options = { maxSnapshots: 3 }
    expect(ctx.rangeDiffLatest('@history .block', options)).toEqual(full.rangeDiffLatest('@history .block', options))
  })

  it('explains no changed node whose first version lies below', () => {
    const edited = tenTurns()
    edited.update('{ id="block:2-1" }', { priority: 3 })
    edited.commit()
    const later = opened(edited, 1)
    expect(refusal(() => later.explain('block:2-1')).details).toMatchObject({ cycle: 10, oldest: 11 })
    load(later, edited, '@c10')
    expect(later.explain('block:2-1')).toEqual(edited.explain('block:2-1'))
  })
})

describe('in a context that was imported', () => {
  const block = { id: 'b', nodeType: 'block', content: 'hi', cycle: 4, created_at_ns: 1 }
  const seg = { id: 's', nodeType: 'seg', children: [{ id: 'c', nodeType: 'cont', offset: 0, children: [block] }] }
  const file = { cycle: 2, note: 'kept', root: { children: [{ id: 'seq', nodeType: '^seq', children: [seg] }] } }
  let now = 10n
  const full = importSnapshot(file, { clock: () => ++now })
  full.user('three')
  full.commit()
  full.update('{ id="b" }', { priority: 5 })
  const made = full.user('four')
  full.commit()
  full.commit()

  it('a node whose file names a later cycle is not taken for new in it', () => {
    const ctx = opened(full, 1)
    expect(full.explain('b').changed).toEqual({ cycle: 4, by: 'update' })
    expect(refusal(() => ctx.explain('b')).code).toBe('E_HISTORY_NOT_LOADED')
    expect(ctx.explain(made.id)).toEqual(full.explain(made.id))
    // The imported snapshot has nothing before it.
    expect(ctx.explain('c')).toEqual(full.explain('c'))
  })

  it('an id may have been given before, so that a life needs everything', () => {
    const ctx = opened(full, 2)
    expect(refusal(() => ctx.life(made.id)).details).toMatchObject({ cycle: 2 })
    load(ctx, full, '@*')
    expect(ctx.life(made.id)).toEqual(full.life(made.id))
  })

  test.each(['@*', '@c2'])('what the file said beside its tree comes with %s', (lens) => {
    const ctx = opened(full, 1)
    load(ctx, full, lens)
    expect(new TextDecoder().decode(ctx.export('@c2'))).toContain('"note":"kept"')
    expect(ctx.export('@c2')).toEqual(full.export('@c2'))
    expect(ctx.fork('@c2').export('@c2')).toEqual(full.export('@c2'))
  })
})

describe('a span that is loaded', () => {
  const full = tenTurns()

  it('makes one history, with one object for each version', () => {
    const ctx = opened(full, 2)
    const before = partsOf(ctx).timeline.known('block:4-1', 4)
    load(ctx, full, '@c4..@t0')
    const { timeline } = partsOf(ctx)
    expect(timeline.oldest).toBe(4)
    expect(timeline.find('block:4-1', 4)).toBe(before)
    expect(timeline.find('block:4-1', 9)).toBe(before)
    expect(ctx.diffDetailed('@c4', '@t0')).toEqual(full.diffDetailed('@c4', '@t0'))
    expect(ctx.explain('block:5-1', '@c6')).toEqual(full.explain('block:5-1', '@c6'))
    expect(refusal(() => ctx.snapshot('@c3')).details).toMatchObject({ cycle: 3, oldest: 4 })
    load(ctx, full, '@*')
    expect(ctx.past).toEqual(full.past)
    expect(ctx.select('@* .block')).toEqual(full.select('@* .block'))
    expect(ctx.explain('block:1-2').left).toEqual({ cycle: 4, cause: 'expired' })
  })

  it('stays while commits go on, and goes when it is unloaded; forks do not take it along', () => {
    const ctx = opened(full, 2)
    load(ctx, full, '@c5..@t0')
    for (let turn = 0; turn < 3; turn++) {
      ctx.user('more')
      ctx.commit()
    }
    expect(ctx.snapshot('@c5').export()).toEqual(full.export('@c5'))
    expect(refusal(() => ctx.fork().snapshot('@c5')).code).toBe('E_HISTORY_NOT_LOADED')
    const kept = ctx.snapshot('@c6')
    unloadHistory(partsOf(ctx))
    expect(refusal(() => ctx.snapshot('@c11')).details).toMatchObject({ cycle: 11, oldest: 12, newest: 13 })
    expect(kept.select('.block')).toEqual(full.select('@c6 .block'))
  })

  it('has to end where the rest begins', () => {
    const ctx = opened(full, 2)
    const { timeline } = partsOf(full)
    expect(refusal(() => loadSpan(partsOf(ctx), timeline.fork(7))).code).toBe('E_SNAPSHOT_INVALID')
    expect(refusal(() => loadAlone(partsOf(ctx), timeline.fork(3), 4)).code).toBe('E_SNAPSHOT_INVALID')
    expect(refusal(() => loadAlone(partsOf(ctx), timeline, 11)).code).toBe('E_SNAPSHOT_INVALID')
    const eleven = tenTurns()
    eleven.commit()
    expect(refusal(() => loadSpan(partsOf(ctx), partsOf(eleven).timeline)).code).toBe('E_SNAPSHOT_INVALID')
    expect(partsOf(ctx).timeline.oldest).toBe(9)
  })
})

describe('while history is being read', () => {
  const full = tenTurns()
  const read = (ctx: Context, from: number, to: number): ReturnType<typeof olderTimeline> => {
    const records = [...historyOf(partsOf(full)).records].filter(({ cycle }) => cycle > from && cycle <= to)
    const snapshot = { ...listedSnapshot(partsOf(full).timeline, from), extras: undefined }
    return olderTimeline(partsOf(ctx), olderBeginning(partsOf(ctx), snapshot), records)
  }

  it('commits move no floor, so that it fits when it comes', () => {
    const ctx = opened(full, 2)
    const release = holdHistory(partsOf(ctx))
    const older = read(ctx, 5, 8)
    for (let turn = 0; turn < 3; turn++) ctx.commit()
    loadSpan(partsOf(ctx), older)
    release()
    release()
    ctx.commit()
    expect(partsOf(ctx).timeline.oldest).toBe(5)
    expect(ctx.diffDetailed('@c5', '@c10')).toEqual(full.diffDetailed('@c5', '@c10'))
    unloadHistory(partsOf(ctx))
    expect(partsOf(ctx).timeline.oldest).toBe(13)
  })

  it('what another load has brought meanwhile stays as it is', () => {
    const ctx = opened(full, 2)
    const [wide, narrow] = [read(ctx, 3, 8), read(ctx, 6, 8)]
    loadSpan(partsOf(ctx), wide)
    loadSpan(partsOf(ctx), narrow)
    loadAlone(partsOf(ctx), narrow, 7)
    expect(partsOf(ctx).timeline.bounds).toMatchObject({ oldest: 3, newest: 10 })
    expect(ctx.rangeDiffLatest('@c3..@c10 .block')).toEqual(full.rangeDiffLatest('@c3..@c10 .block'))
    for (let turn = 0; turn < 3; turn++) ctx.commit()
    expect(partsOf(ctx).timeline.oldest).toBe(3)
  })

  it('without a load in the end the limit holds again', () => {
    const ctx = opened(full, 2)
    const release = holdHistory(partsOf(ctx))
    ctx.commit()
    ctx.commit()
    expect(partsOf(ctx).timeline.oldest).toBe(9)
    release()
    expect(partsOf(ctx).timeline.oldest).toBe(11)
  })
})

describe('a snapshot that is loaded by itself', () => {
  const full = tenTurns()
  const ctx = opened(full, 2)
  load(ctx, full, '@c4')

  it('can be read in every way', () => {
    expect(ctx.export('@c4')).toEqual(full.export('@c4'))
    expect(ctx.thread('@t-6')).toEqual(full.thread('@t-6'))
    expect(ctx.select('@c4 .block')).toEqual(full.select('@c4 .block'))
    expect(ctx.rangeDiffLatest('@c4..@c4 .block')).toEqual(full.rangeDiffLatest('@c4..@c4 .block'))
    expect(ctx.diff('@c4', '@c4')).toEqual({ added: [], removed: [], changed: [] })
    expect(ctx.explain('block:2-1', '@c4')).toEqual(full.explain('block:2-1', '@c4'))
    expect(ctx.snapshot('@c4').node('block:2-1')).toEqual(full.snapshot('@c4').node('block:2-1'))
    expect(ctx.fork('@c4').export('working')).toEqual(full.fork('@c4').export('working'))
  })

  const rows: readonly (readonly [name: string, ask: () => unknown])[] = [
    ['a diff', () => ctx.diff('@c4', '@t0')],
    ['a diff with causes', () => ctx.diffDetailed('working', '@c4')],
    ['a prefix', () => ctx.prefix('@c4', '@t0')],
    ['a range', () => ctx.select('@c4..@c5 .block')],
    ['an explanation of what is not there', () => ctx.explain('nobody', '@c4')],
  ]
  test.each(rows)('%s that needs what lies around it is refused', (_name, ask) => {
    const { code, details, message } = refusal(ask)
    expect(code).toBe('E_HISTORY_NOT_LOADED')
    expect(details).toMatchObject({ oldest: 9, newest: 10 })
    expect(message).toMatch(/await ctx\.loadHistory\('@(?:c4\.\.@t0|\*)'\)/)
  })

  it('shares its versions with what is loaded later', () => {
    const known = partsOf(ctx).timeline.holding(4)!.find('block:1-2', 4)
    expect(known).toBeUndefined()
    const other = opened(full, 1)
    load(other, full, '@c2')
    const note = partsOf(other).timeline.holding(2)!.find('block:1-2', 2)
    expect(note?.content).toBe('note')
    load(other, full, '@*')
    expect(partsOf(other).timeline.find('block:1-2', 3)).toBe(note)
    expect(other.diffDetailed('@c2', '@t0')).toEqual(full.diffDetailed('@c2', '@t0'))
  })
})

describe('historyWanted', () => {
  const bounds: Bounds = {
    first: 3,
    oldest: 20,
    newest: 30,
    isBacked: true,
    islands: new Map([[7, undefined]]),
    thinned: Thinned.NONE,
  }
  const rows: readonly (readonly [lens: string, kind: string, from: number, to: number])[] = [
    ['@c10', 'one', 10, 10],
    ['@t-20', 'one', 10, 10],
    ['@t-*', 'one', 3, 3],
    ['@c19', 'span', 19, 19],
    ['@c7', 'loaded', 7, 7],
    ['@c7..@c7', 'loaded', 7, 7],
    ['@c20', 'loaded', 20, 20],
    ['@t0', 'loaded', 30, 30],
    ['@c10..@t0', 'span', 10, 19],
    ['@t0..@c10', 'span', 10, 19],
    ['@c10:@c12', 'span', 10, 19],
    ['@c10..12', 'span', 10, 19],
    ['@t-25..-3', 'span', 5, 19],
    ['@c7..@c8', 'span', 7, 19],
    ['@t0..@t-*', 'span', 3, 19],
    ['@c1..@t0', 'span', 3, 19],
    ['@c25..@c99', 'loaded', 25, 30],
    ['@*', 'span', 3, 19],
    ['@history', 'span', 3, 19],
  ]
  test.each(rows)('%s: %s, from %i to %i', (lens, kind, from, to) => {
    expect(historyWanted(lens, bounds)).toEqual({ kind, from, to })
  })

  test.each(['@c2', '@c31', '@t-28', '@t1', '@c1..@c2', '@c31..@c40'])('%s is E_SNAPSHOT_NOT_FOUND', (lens) => {
    const { code, details } = refusal(() => historyWanted(lens, bounds))
    expect([code, details]).toEqual(['E_SNAPSHOT_NOT_FOUND', { lens, oldest: 3, newest: 30 }])
  })

  const bad = ['', '@', 'c10', '@c', '@c-1', '@c10 ', '@c10..', '..@t0', '@c1..@c2..@c3', 'working', '@c10 .block']
  test.each([...bad, 10, undefined, null])('%j is E_SELECTOR_INVALID', (lens) => {
    const { code, details } = refusal(() => historyWanted(lens as string, bounds))
    expect(code).toBe('E_SELECTOR_INVALID')
    expect(details).toMatchObject({ pos: 0, token: expect.any(String) })
  })

  it('finds nothing before the first commit', () => {
    expect(refusal(() => historyWanted('@t0', undefined)).code).toBe('E_SNAPSHOT_NOT_FOUND')
  })
})

describe('the engine itself', () => {
  it('commits, expires and warns with the newest snapshot alone as with all', () => {
    const play = (ctx: Context): unknown => {
      ctx.assistant('calling', { kind: 'call', data_call_id: 'k' })
      ctx.tool('done', { kind: 'result', ttl: 1, data_call_id: 'k' })
      ctx.commit()
      ctx.user('next')
      ctx.commit()
      ctx.user('after')
      ctx.commit()
      return [new TextDecoder().decode(ctx.export()), ctx.warnings]
    }
    const full = tenTurns()
    const ctx = opened(full, 1, { clock: countFrom(full) })
    expect(play(ctx)).toEqual(play(full))
    expect(full.warnings.length).toBeGreaterThan(0)
  })

  it('does not forget, since a store would not', () => {
    const ctx = opened(tenTurns(), 3)
    const { code, message } = refusal(() => ctx.forget('.block'))
    expect([code, message]).toEqual(['E_CONFLICT', expect.stringContaining('store.erase')])
  })

  it('begins empty as any other', () => {
    const { checkpoint } = historyOf(partsOf(createContext()))
    const ctx = restoreContext(checkpoint, [], { history: 1 }, undefined, { isBacked: true })
    expect(ctx.snapshots()).toEqual([])
    expect(ctx.past).toEqual([])
    expect(refusal(() => ctx.snapshot('@t0')).code).toBe('E_SNAPSHOT_NOT_FOUND')
    expect(refusal(() => ctx.explain('nobody')).code).toBe('E_NODE_NOT_FOUND')
    ctx.commit()
    ctx.commit()
    expect(refusal(() => ctx.snapshot('@c1')).code).toBe('E_HISTORY_NOT_LOADED')
    expect(ctx.fork('working').snapshots()).toHaveLength(2)
  })
})

/** A clock that goes on from the time of another context's clock. */
function countFrom(ctx: Context): () => bigint {
  let { lastNs } = partsOf(ctx).open.mint.counters
  return () => ++lastNs
}

// Chapter 03, lifecycle and ttl, as DECISIONS D6 and D24 to D27 read it: what a commit takes away, what it keeps, and
// that it happens whole or not at all. Everything is seen through the public API only.

import fc from 'fast-check'
import {
  createContext,
  importSnapshot,
  PactError,
  type AddHeader,
  type Clock,
  type Context,
  type ContextOptions,
  type Dialect,
  type ErrorCode,
  type IdRequest,
  type Node,
  type Snapshot,
} from 'pact-context'
import { describe, expect, test } from 'vitest'

import {
  clockOf,
  DIALECTS,
  expectRefused,
  idsOf,
  NAMES,
  programsFor,
  readExport,
  readGolden,
  refusal,
  regionsOf,
  runProgram,
  START_NS,
  textOf,
  walk,
  walkExport,
  type ExportedNode,
  type Step,
} from '../support/context.js'
import { editedPrograms, editedRuns, playEdited } from '../support/edited.js'
import { byId } from '../support/editing.js'

const SEED = Number(process.env['PACT_SEED'] ?? 20261115)

describe.each(DIALECTS)('cycles, %s', (dialect) => {
  test('makes exactly one snapshot per commit, numbered by cycle from 1 (03 §2.1, D6)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    expect(ctx.cycle).toBe(1)
    expect(ctx.snapshots()).toEqual([])
    for (let cycle = 1; cycle <= 6; cycle++) {
      // Cycle 4 is empty: nothing to seal, still one snapshot.
      const made = cycle === 4 ? undefined : ctx.user(`turn ${cycle}`)
      if (made !== undefined) expect(made.cycle).toBe(cycle)
      ctx.preview()
      expect(ctx.cycle).toBe(cycle)
      const snapshot = ctx.commit()
      expect(snapshot.cycle).toBe(cycle)
      expect(snapshot.ref.cycle).toBe(cycle)
      expect(ctx.cycle).toBe(cycle + 1)
      const cycles = Array.from({ length: cycle }, (_, back) => cycle - back)
      expect(ctx.snapshots().map((ref) => ref.cycle)).toEqual(cycles)
      expect(ctx.snapshots().map((ref) => ref.label)).toEqual(cycles.map((_, back) => (back ? `@t-${back}` : '@t0')))
      if (made !== undefined) expect(ctx.node(made.id, '@t0')?.cycle).toBe(cycle)
    }

    const fork = ctx.fork('@t-2')
    expect(fork.snapshots().map((ref) => ref.cycle)).toEqual([4, 3, 2, 1])
    expect(fork.commit().cycle).toBe(5)
    expect(ctx.snapshots()).toHaveLength(6)
  })

  test('goes on from the cycle of an imported snapshot, 1 where it names none (D6)', () => {
    const numbered = importSnapshot({ cycle: 41, root: {} }, { dialect, clock: clockOf() })
    expect(numbered.cycle).toBe(42)
    expect(numbered.snapshots().map((ref) => ref.cycle)).toEqual([41])
    expect(numbered.user('next').cycle).toBe(42)
    expect(numbered.commit().cycle).toBe(42)
    expect(numbered.snapshots().map((ref) => ref.cycle)).toEqual([42, 41])

    const bare = importSnapshot({ root: {} }, { dialect })
    expect(bare.snapshots().map((ref) => ref.cycle)).toEqual([1])
    expect(bare.commit().cycle).toBe(2)
  })
})

/** The calls that may set a new ttl; their results are not checked again in that cycle. */
const SETS_TTL: ReadonlySet<string> = new Set(['update', 'replace', 'put', 'set', 'redact', 'undo'])

// ---- Atomic commits

/** One call of a source while the fault is on: its number, what an honest source would give, and what was given so far. */
type Call = Readonly<{ at: number; honest: unknown; given: readonly unknown[]; text: string }>

type Fault = Readonly<{
  name: string
  source: 'countTokens' | 'ids' | 'clock' | 'hold'
  /** Without a core in the head, sealing makes two nodes: the core, then the segment. */
  head: 'core' | 'context only'
  breaks: (call: Call) => unknown
  code?: ErrorCode
}>

const BOOM = new Error('boom')
const NO_COUNTS = [Number.NaN, -1, Infinity, '12', undefined]
const NO_IDS = [7, null, undefined, '', {}]
const NO_TIMES = [1_700_000_000, '1', null, undefined]

const FAULTS: readonly Fault[] = [
  ...['c', 'p', 'q'].map((text) => counterFault(`throws for ${text}`, text, boom)),
  ...NO_COUNTS.map((bad) => counterFault(`gives ${String(bad)}`, 'q', () => bad)),
  { name: 'a limit cannot be met', source: 'hold', head: 'core', breaks: ({ honest }) => honest, code: 'E_BUDGET' },
  ...(['ids', 'clock'] as const).flatMap((source) => sealFaults(source, 'throws', boom)),
  ...NO_IDS.flatMap((bad) => sealFaults('ids', `gives ${JSON.stringify(bad)}`, () => bad)),
  ...NO_TIMES.flatMap((bad) => sealFaults('clock', `gives ${JSON.stringify(bad)}`, () => bad)),
  ...sealFaults('ids', 'repeats a region', () => 'sys').map((fault) => ({ ...fault, code: 'E_ID_DUPLICATE' as const })),
  {
    name: 'ids repeats the core of this very seal',
    source: 'ids',
    head: 'context only',
    breaks: ({ at, honest, given }) => (at === 1 ? given[0] : honest),
    code: 'E_ID_DUPLICATE',
  },
]

describe.each(DIALECTS)('atomicity, %s', (dialect) => {
  describe.each(FAULTS)('$name', (fault) => {
    test('leaves working state and snapshots as before when a stage of the commit throws (03 §2.3)', () => {
      for (const commits of [0, 3]) {
        const tried = new Bench(dialect, fault, commits)
        const calm = new Bench(dialect, fault, commits)
        const before = stateOf(tried.ctx)
        expect(before).toEqual(stateOf(calm.ctx))
        for (let attempt = 0; attempt < 2; attempt++) {
          tried.arm()
          checkError(
            thrownBy(() => tried.ctx.commit()),
            fault,
          )
          tried.disarm()
          expect(stateOf(tried.ctx)).toEqual(before)
        }

        for (const { ctx, doomed, emptied, oldest } of [tried, calm]) {
          // The stages before the broken one have something to do, so there was something to take back.
          expect([doomed, emptied, oldest].map((id) => ctx.node(id) !== undefined)).toEqual([
            true,
            commits > 0,
            commits > 0,
          ])
          const snapshot = ctx.commit()
          expect([doomed, emptied, oldest].map((id) => snapshot.node(id))).toEqual([undefined, undefined, undefined])
          expect(idsOf(snapshot.receipt.removed).includes(oldest)).toBe(commits > 0)
        }
        for (const each of [tried, calm]) each.goOn()
        expect(stateOf(tried.ctx)).toEqual(stateOf(calm.ctx))
      }
    })
  })

  test('keeps what a source does to the context during a commit, or refuses it (D25)', () => {
    const faults: string[] = []
    for (const source of ['countTokens', 'ids', 'clock'] as const) {
      for (const deed of ['user', 'commit'] as const) {
        const done: string[] = []
        let open = false
        let now = START_NS
        const honest = <T>(name: string, value: T): T => {
          if (!open || name !== source) return value
          open = false
          try {
            done.push(deed === 'user' ? ctx.user('from inside').id : String(ctx.commit().cycle))
          } catch (error) {
            if (!PactError.is(error)) faults.push(`${deed}() from ${source} fails with ${String(error)}`)
          }
          return value
        }
        const ctx: Context = createContext({
          dialect,
          prune: { maxTokens: 1000 },
          countTokens: (text) => honest('countTokens', text.length),
          ids: ({ cycle, index, nodeType }) => honest('ids', `${nodeType}/${cycle}/${index}`),
          clock: () => honest('clock', (now += 1n)),
        })
        ctx.user('first')
        open = true
        const { cycle } = ctx.commit()
        const cycles = ctx.snapshots().map((ref) => ref.cycle)
        const commits = deed === 'commit' ? 1 + done.length : 1
        if (cycles.length !== commits || ctx.cycle !== commits + 1 || !cycles.includes(cycle)) {
          faults.push(`${deed}() from ${source}: ${commits} commits gave @c${cycles.join()}; open is ${ctx.cycle}`)
        }
        if (deed === 'user' && done.some((id) => ctx.node(id) === undefined)) {
          faults.push(`${deed}() from ${source}: the write went through and is lost`)
        }
      }
    }
    expect(faults).toEqual([])
  })
})

// ---- TTL

const PLACES = ['sys', 'pre', 'core', 'post', 'in a container'] as const
type PlaceName = (typeof PLACES)[number]

describe.each(DIALECTS)('ttl, %s', (dialect) => {
  test('keeps a node without a ttl through any number of commits (03 §3.1)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    const kept = [undefined, null].flatMap((ttl) => PLACES.map((place) => addAt(ctx, place, { ttl })))
    for (let cycle = 1; cycle <= 70; cycle++) {
      if (cycle % 3 === 0) ctx.user(`turn ${cycle}`, { ttl: 1 })
      const snapshot = ctx.commit()
      for (const { id } of kept) expect(snapshot.node(id)?.ttl, `${id} in cycle ${cycle}`).toBeNull()
    }
    for (const { id } of kept) expect(ctx.node(id)?.ttl).toBeNull()
  })

  test('shows the cycles a node has left in each snapshot, never below 0 (03 §3.3, D24)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    ctx.commit()
    const block = ctx.user('two to come', { ttl: 3 })
    const kept = ctx.system.add('kept by a reference', { ttl: 1 })
    ctx.system.add('the reference', { refs: [kept.id] })
    expect([block.ttl, kept.ttl]).toEqual([3, 1])
    expect(ctx.node(block.id)?.ttl).toBe(3)

    for (const [blockLeft, keptLeft] of [
      [3, 1],
      [2, 0],
      [1, 0],
      [undefined, 0],
      [undefined, 0],
    ]) {
      const preview = ctx.preview()
      const snapshot = ctx.commit()
      for (const [id, left] of [
        [block.id, blockLeft],
        [kept.id, keptLeft],
      ] as const) {
        expect(preview.node(id)?.ttl).toBe(left)
        expect(snapshot.node(id)?.ttl).toBe(left)
        // The working state shows a committed node's ttl as @t0 does.
        expect(ctx.node(id)?.ttl).toBe(left)
        expect(exportedNode(snapshot, id)?.['ttl']).toBe(left)
        expect(snapshot.node(id)?.toJSON()['ttl']).toBe(left)
      }
    }
    expect([2, 3, 4, 5, 6].map((cycle) => ctx.node(kept.id, `@c${cycle}`)?.ttl)).toEqual([1, 0, 0, 0, 0])

    // However the tree around it is edited, the ttl of a node that no call has reset goes down by one with each commit.
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        let before = new Map<string, number | null>()
        playEdited(program, {
          after: ({ ctx: now, call, outcome }) => {
            if (call.do === 'fork' || call.do === 'import') before = new Map()
            if (SETS_TTL.has(call.do) && 'ids' in outcome) for (const id of outcome.ids) before.delete(id)
            if (call.do !== 'commit' || 'code' in outcome) return
            const shown = new Map(walk(now.snapshot().root).map(({ id, ttl }) => [id, ttl]))
            for (const [id, ttl] of before) {
              if (shown.has(id)) expect([id, shown.get(id)]).toEqual([id, ttl === null ? null : Math.max(0, ttl - 1)])
            }
            before = shown
          },
        })
      }),
      editedRuns(12),
    )
  })

  test('counts an imported ttl from the imported cycle, and keeps the count in a fork (D24)', () => {
    const ctx = importSnapshot(
      {
        cycle: 7,
        root: {
          children: [
            {
              id: 'sys',
              nodeType: '^sys',
              children: [
                { id: 'two', ttl: 2, content: '2' },
                { id: 'none', ttl: 0, content: '0' },
              ],
            },
          ],
        },
      },
      { dialect, clock: clockOf() },
    )
    const lefts = (from: Context): unknown[] => [from.node('two', '@t0')?.ttl, from.node('none', '@t0')?.ttl]
    expect(lefts(ctx)).toEqual([2, 0])
    expect([ctx.node('two')?.ttl, ctx.node('none')?.ttl]).toEqual([2, 0])
    ctx.commit()
    expect(lefts(ctx)).toEqual([1, undefined])
    const fork = ctx.fork()
    for (const each of [ctx, fork]) {
      each.commit()
      expect(lefts(each)).toEqual([undefined, undefined])
    }
  })

  test('removes expired nodes before pruning, so that they count against no limit (03 §3.2)', () => {
    for (const prune of [{ maxTokens: 30 }, { maxTokens: { '^seq': 30 } }, { maxNodesPerSegment: 2 }] as const) {
      const receipts = [1, null].map((ttl) => {
        const ctx = createContext({
          dialect,
          clock: clockOf(),
          countTokens: (text) => text.length,
          prune: { ...prune, protectSegments: 0 },
        })
        // Ten tokens that stay and thirty that may expire; the container is gone with its last block, before pruning.
        ctx.user('0123456789', { priority: -5 })
        ctx.add(undefined, {
          zone: 'post',
          removable: true,
          priority: 9,
          children: [{ content: 'a'.repeat(20), ttl, priority: 9 }],
        })
        const first = ctx.commit()
        expect(first.receipt, 'the head itself is not pruned').toMatchObject({ removed: [] })
        ctx.user('0123456789')
        return ctx.commit().receipt
      })
      expect(receipts[0], JSON.stringify(prune)).toEqual({ removed: [], shed: [], limits: [], unmet: [] })
      // The limit is sharp: had the nodes counted, the low priority would have gone.
      expect(receipts[1]!.removed.length, JSON.stringify(prune)).toBeGreaterThan(0)
    }
  })

  test('keeps a ttl 0 node in the working state only, out of every snapshot (03 §4.1, D24)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    const gone: string[] = []
    for (let cycle = 1; cycle <= 4; cycle++) {
      const stays = ctx.user(`turn ${cycle}`)
      const passing = PLACES.map((place) => addAt(ctx, place, { ttl: 0 }).id)
      for (const id of passing) {
        expect(ctx.node(id)?.ttl).toBe(0)
        expect(ctx.thread().map((item) => item.id)).toContain(id)
        expect(ctx.preview().node(id)).toBeUndefined()
      }
      gone.push(...passing)
      const snapshot = ctx.commit()
      expect(snapshot.node(stays.id)).toBeDefined()
      expect(snapshot.thread().map((item) => item.id)).not.toContain(passing[0])
    }
    for (const { cycle } of ctx.snapshots()) {
      for (const id of gone) expect(ctx.node(id, `@c${cycle}`)).toBeUndefined()
    }
    for (const id of gone) expect(ctx.node(id)).toBeUndefined()
  })

  test('keeps a ttl N node in exactly N snapshots (03 §4.1, D24)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    const made: { id: string; cycle: number; ttl: number }[] = []
    for (let cycle = 1; cycle <= 12; cycle++) {
      if (cycle <= 4) {
        for (const place of PLACES) {
          for (let ttl = 0; ttl <= 6; ttl++) made.push({ id: addAt(ctx, place, { ttl }).id, cycle, ttl })
        }
      }
      ctx.commit()
    }
    for (const { id, cycle, ttl } of made) {
      const holding = ctx.snapshots().filter((ref) => ctx.node(id, `@c${ref.cycle}`) !== undefined)
      const expected = Array.from({ length: ttl }, (_, n) => cycle + ttl - 1 - n)
      expect(holding.map((ref) => ref.cycle)).toEqual(expected)
    }
  })

  test('drops the blocks of the ttl example at cycles 10 and 12 and keeps the persistent one (03 §8.1)', () => {
    const example = readGolden('03-ttl-example.json') as Readonly<{
      cycle: number
      blocks: readonly Readonly<{ nodeType: string; ttl: number | null }>[]
    }>
    const ctx = createContext({ dialect, clock: clockOf() })
    while (ctx.cycle < example.cycle) ctx.commit()
    const ids = example.blocks.map(({ nodeType, ttl }) => ctx.add(`ttl ${ttl}`, { nodeType, ttl }).id)
    const held = (): boolean[] => ids.map((id) => ctx.node(id, '@t0') !== undefined)

    expect(ctx.cycle).toBe(10)
    expect(ids.map((id) => ctx.node(id)?.ttl)).toEqual([0, 2, null])
    ctx.commit()
    expect(held(), 'cycle 10').toEqual([false, true, true])
    ctx.commit()
    expect(held(), 'cycle 11').toEqual([false, true, true])
    ctx.commit()
    expect(held(), 'cycle 12').toEqual([false, false, true])
    for (let cycle = 13; cycle < 30; cycle++) ctx.commit()
    expect(held()).toEqual([false, false, true])
  })
})

// ---- Removable containers

describe.each(DIALECTS)('cascade, %s', (dialect) => {
  test('removes a removable container in the commit that empties it, and so on upward (03 §4.2)', () => {
    for (const region of ['sys', 'pre', 'core', 'post'] as const) {
      const ctx = createContext({ dialect, clock: clockOf() })
      const outer = addAt(ctx, region, {
        removable: true,
        children: [
          {
            removable: true,
            children: [{ removable: true, children: [{ removable: true, children: [{ content: 'deep', ttl: 1 }] }] }],
          },
          { removable: true, children: [{ content: 'longer', ttl: 2 }] },
        ],
      })
      const [first, second] = outer.children
      const ids = idsOf(walk(outer))
      ctx.user('keeps the turn')
      expect(idsIn(ctx.commit(), ids), region).toEqual(ids)
      // Cycle 2: the deep block goes and takes the three containers above it along; outer still holds something.
      expect(idsIn(ctx.commit(), ids), region).toEqual([outer.id, ...idsOf(walk(second!))])
      expect(ctx.node(first!.id)).toBeUndefined()
      expect(idsIn(ctx.commit(), ids), region).toEqual([])
      expect(idsIn(ctx.snapshot('working'), ids), region).toEqual([])
      // Earlier snapshots keep what they had.
      expect(idsIn(ctx.snapshot('@c1'), ids)).toEqual(ids)
    }
  })

  test('keeps a removable container that never held a node, or that a live node refers to (D26)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    const never = ctx.add(undefined, { zone: 'post', removable: true, children: [] })
    const named = ctx.add(undefined, { zone: 'post', removable: true, children: [{ content: 'x', ttl: 1 }] })
    ctx.system.add('names it', { refs: [named.id], ttl: 3 })
    for (const expected of [
      [true, true],
      [true, true],
      [true, true],
      [true, false],
      [true, false],
    ]) {
      const snapshot = ctx.commit()
      expect([never.id, named.id].map((id) => snapshot.node(id) !== undefined)).toEqual(expected)
    }
  })

  test('removes a removable container that pruning emptied in the same commit (02 §5.3.1)', () => {
    for (const removable of [true, false]) {
      const ctx = createContext({
        dialect,
        clock: clockOf(),
        countTokens: (text) => text.length,
        prune: { maxTokens: 40, protectSegments: 0, target: 1 },
      })
      const kept = ctx.user('k'.repeat(10), { priority: 5 })
      const outer = ctx.add(undefined, {
        zone: 'post',
        priority: 9,
        removable,
        children: [{ priority: 9, removable, children: [{ content: 'p'.repeat(20), priority: -1 }] }],
      })
      const [inner] = outer.children
      const [block] = inner!.children
      const ids = [outer.id, inner!.id, block!.id]
      expect(idsIn(ctx.commit(), ids)).toEqual(ids)
      ctx.user('n'.repeat(20))
      const pruned = ctx.commit()
      expect(pruned.receipt.removed.map((each) => each.id)).toContain(block!.id)
      expect(pruned.receipt.unmet).toEqual([])
      expect(pruned.node(kept.id)).toBeDefined()
      expect(idsIn(pruned, ids)).toEqual(removable ? [] : [outer.id, inner!.id])
      expect(idsIn(ctx.snapshot('@c1'), ids)).toEqual(ids)
    }
  })

  test('leaves an emptied container in place where it is not marked removable (02 §5.3.1)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    const marks: AddHeader[] = [{}, { removable: false }, { removable: undefined }]
    const containers = (['sys', 'pre', 'core', 'post'] as const).flatMap((place) =>
      marks.map((mark) => addAt(ctx, place, { ...mark, children: [{ content: 'x', ttl: 1 }] })),
    )
    // An unmarked container stops the way up: what is above it is not empty.
    const outer = ctx.add(undefined, {
      zone: 'post',
      removable: true,
      children: [{ children: [{ content: 'x', ttl: 1 }] }],
    })
    containers.push(outer, outer.children[0]!)
    for (let cycle = 1; cycle <= 4; cycle++) {
      const snapshot = ctx.commit()
      for (const { id } of containers) expect(snapshot.node(id), `${id} in cycle ${cycle}`).toBeDefined()
    }
    for (const { id } of containers) {
      if (id !== outer.id) expect(ctx.node(id)?.children).toEqual([])
    }
  })

  test('does not let root, regions, segments or cores be removable (02 §5.3.1, D26)', () => {
    const marked = (where: string): object => {
      const mark = (name: string): object => (name === where ? { removable: true } : {})
      return {
        root: {
          id: 'r',
          ...mark('root'),
          children: [
            { id: 's', nodeType: '^sys', ...mark('sys'), children: [] },
            {
              id: 'q',
              nodeType: '^seq',
              ...mark('seq'),
              children: [
                {
                  id: 'turn',
                  nodeType: 'mt',
                  ...mark('segment'),
                  children: [
                    { id: 'core', nodeType: 'mc', ...mark('core'), children: [{ id: 'b', content: 'x', ttl: 1 }] },
                  ],
                },
              ],
            },
            {
              id: 'h',
              nodeType: '^ah',
              ...mark('ah'),
              children: [{ id: 'open', nodeType: 'mc', ...mark('core of the head'), children: [] }],
            },
          ],
        },
      }
    }
    // Nothing that a caller can add is a segment, and what is emptied without being removable stays.
    for (const nodeType of ['seg', 'mt', 'mt:x']) {
      const ctx = createContext({ dialect })
      refusal(() => ctx.add(undefined, { nodeType, removable: true, children: [] }))
      expect(ctx.thread()).toEqual([])
    }
    const ctx = createContext({ dialect, clock: clockOf() })
    ctx.system.add('x', { ttl: 1 })
    const block = ctx.user('x', { ttl: 1 })
    const core = block.parentId!
    const turn = ctx.commit().node(core)!.parentId!
    for (let cycle = 2; cycle <= 4; cycle++) {
      const { root } = ctx.commit()
      expect(root.children.map((region) => region.nodeType)).toEqual(['^sys', '^seq', '^ah'])
      expect(root.children[1]!.children.map((child) => child.id)).toEqual([turn])
      expect(ctx.node(turn)?.children.map((child) => child.id)).toEqual([core])
      expect(ctx.node(core)?.children).toEqual([])
      for (const node of walk(root)) expect(node.removable).toBe(false)
    }

    expect(importSnapshot(marked('nothing'), { dialect }).node('turn')).toBeDefined()
    for (const [where, path] of [
      ['segment', 'root.children[1].children[0].removable'],
      ['core', 'root.children[1].children[0].children[0].removable'],
      ['core of the head', 'root.children[2].children[0].removable'],
      ['root', 'root.removable'],
      ['sys', 'root.children[0].removable'],
      ['seq', 'root.children[1].removable'],
      ['ah', 'root.children[2].removable'],
    ] as const) {
      const error = refusal(() => importSnapshot(marked(where), { dialect }))
      expect(error, `${where} marked removable`).toMatchObject({ code: 'E_SNAPSHOT_INVALID', details: { path } })
    }
    // Nor is one made so by an edit: not by a mark, and not by moving a marked node to the place of a core.
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        playEdited(program, {
          after: ({ ctx: now }) => {
            const { root } = now.snapshot('working')
            const segments = [...regionsOf(now.snapshot('working')).seq.children, root.children[2]!]
            const cores = segments.flatMap(({ children }) => children.filter(({ offset }) => offset === 0))
            for (const node of [root, ...root.children, ...segments, ...cores]) expect(node.removable).toBe(false)
          },
        })
      }),
      editedRuns(6),
    )
  })

  test('keeps the removable flag as created through commits, edits, export and import (02 §5.3.1, D42)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    const containers = [true, false, undefined].flatMap((removable) =>
      (['sys', 'pre', 'core', 'post'] as const).map((place) => {
        const node = addAt(ctx, place, { removable, children: [{ removable, children: [{ content: 'x' }] }] })
        return { id: node.id, inner: node.children[0]!.id, expected: removable ?? false, given: removable }
      }),
    )
    const check = (from: Context): void => {
      for (const { id, inner, expected, given } of containers) {
        for (const each of [id, inner]) {
          expect(from.node(each)?.removable, each).toBe(expected)
          if (given !== undefined) expect(from.node(each)?.toJSON()['removable'], each).toBe(given)
          if (from.snapshots().length > 0) {
            expect(from.node(each, '@t0')?.removable, each).toBe(expected)
            if (given !== undefined) expect(exportedNode(from.snapshot(), each)?.['removable'], each).toBe(given)
          }
        }
      }
    }
    check(ctx)
    for (let cycle = 1; cycle <= 3; cycle++) {
      ctx.user(`turn ${cycle}`)
      ctx.commit()
      check(ctx)
    }
    const replayed = importSnapshot(ctx.export(), { clock: clockOf() })
    check(replayed)
    replayed.user('goes on')
    replayed.commit()
    check(replayed)
    check(ctx.fork())

    // No call turns it over: not in history, not in ^sys, not in the head, and not on a new node that would supersede.
    for (const { id, expected } of containers) {
      const part = ctx.node(id)!.parentId === 'sys' ? ctx.system : ctx
      for (const header of [{}, { content: 'other' }, { role: 'tool' }, { children: [] }]) {
        expectRefused(ctx, () => part.replace(byId(id), { ...header, removable: !expected }), 'E_PLACEMENT_INVALID')
      }
    }
    check(ctx)
    for (const removable of [true, false]) {
      const fresh = createContext({ dialect, clock: clockOf() })
      const { id } = fresh.add(undefined, { zone: 'post', key: 'box', removable, children: [{ content: 'x', ttl: 1 }] })
      for (const run of [
        () => fresh.put('box', 'other', { removable: !removable }),
        () => fresh.replace(byId(id), { removable: !removable }),
      ])
        expectRefused(fresh, run, 'E_PLACEMENT_INVALID')
      // An equal value changes nothing, and the flag decides as it was given.
      expect(fresh.replace(byId(id), { removable }).map((node) => node.removable)).toEqual([removable])
      fresh.commit()
      fresh.commit()
      expect(fresh.node(id) === undefined).toBe(removable)
    }
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        const marks = new Map<string, boolean>()
        playEdited(program, {
          after: ({ call, after }) => {
            if (call.do === 'import') marks.clear()
            for (const { id, removable = false } of walkExport(after)) {
              expect([id, removable]).toEqual([id, marks.get(id) ?? removable])
              marks.set(id, removable as boolean)
            }
          },
        })
      }),
      editedRuns(15),
    )
  })
})

// ---- References and holds

describe.each(DIALECTS)('reference safety, %s', (dialect) => {
  test('keeps an expired node, reading ttl 0, while a survivor refers to it, then lets it go (03 §4.3)', () => {
    for (const [from, to] of [
      ['core', 'core'],
      ['sys', 'post'],
      ['post', 'sys'],
      ['in a container', 'pre'],
    ] as const) {
      const ctx = createContext({ dialect, clock: clockOf() })
      const target = addAt(ctx, to, { ttl: 1 })
      const link = addAt(ctx, from, { ttl: 3, refs: [target.id] })
      // Kept by what is itself kept only by a reference.
      const far = addAt(ctx, to, { ttl: 5, refs: [link.id] })
      const rows: unknown[] = []
      for (let cycle = 1; cycle <= 7; cycle++) {
        const snapshot = ctx.commit()
        rows.push([target, link, far].map(({ id }) => snapshot.node(id)?.ttl))
        if (snapshot.node(target.id)) expect(ctx.node(target.id)?.ttl).toBe(snapshot.node(target.id)?.ttl)
      }
      expect(rows).toEqual([
        [1, 3, 5],
        [0, 2, 4],
        [0, 1, 3],
        [0, 0, 2],
        [0, 0, 1],
        [undefined, undefined, undefined],
        [undefined, undefined, undefined],
      ])
    }
  })

  test('keeps with a referenced node its ancestors and what is alive in them, nothing else (D26)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    const group = ctx.add(undefined, {
      zone: 'post',
      ttl: 1,
      children: [
        { content: 'named', ttl: 1 },
        { content: 'has expired itself', ttl: 1 },
        { content: 'has not' },
        { ttl: 1, children: [{ content: 'has not, but its parent has' }] },
      ],
    })
    const [named, dead, alive, deadGroup] = group.children
    ctx.system.add('names it', { refs: [named!.id], ttl: 2 })
    const ids = [group.id, named!.id, dead!.id, alive!.id, ...idsOf(walk(deadGroup!))]
    expect(idsIn(ctx.commit(), ids)).toEqual(ids)
    expect(idsIn(ctx.commit(), ids)).toEqual([group.id, named!.id, alive!.id])
    expect(ctx.node(group.id, '@t0')?.ttl).toBe(0)
    expect(idsIn(ctx.commit(), ids)).toEqual([])
  })

  test('defers the expiry of a held node until its hold is released (03 §4.3, D26)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    const group = ctx.add(undefined, { zone: 'post', ttl: 1, children: [{ content: 'held', ttl: 1 }] })
    const held = group.children[0]!
    const named = ctx.user('named by the held one', { ttl: 1 })
    const other = ctx.user('held by nobody', { ttl: 1 })
    const holder = ctx.user('held too', { ttl: 1, refs: [named.id] })
    const ids = [group.id, held.id, named.id, holder.id, other.id]
    const first = ctx.hold(held.id)
    const second = ctx.hold(held.id)
    const third = ctx.hold(holder.id)
    expect(first.id).toBe(held.id)

    expect(idsIn(ctx.commit(), ids)).toHaveLength(5)
    expect(new Set(idsIn(ctx.commit(), ids))).toEqual(new Set(ids.slice(0, 4)))
    for (const id of [held.id, group.id, named.id, holder.id]) expect(ctx.node(id, '@t0')?.ttl).toBe(0)

    // A fork has no holds, so there they expire.
    expect(idsIn(ctx.fork().commit(), ids)).toEqual([])
    expect(idsIn(importSnapshot(ctx.export()).commit(), ids)).toEqual([])

    first.release()
    first.release()
    expect(new Set(idsIn(ctx.commit(), ids)), 'two holds need two releases').toEqual(new Set(ids.slice(0, 4)))
    third.release()
    expect(new Set(idsIn(ctx.commit(), ids))).toEqual(new Set([group.id, held.id]))
    second[Symbol.dispose]()
    expect(idsIn(ctx.preview(), ids)).toEqual([])
    expect(idsIn(ctx.commit(), ids)).toEqual([])
    expect(refusal(() => ctx.hold(held.id))).toMatchObject({ code: 'E_NODE_NOT_FOUND' })
    expect(idsIn(ctx.snapshot('@c4'), ids), 'the past stays').toEqual([group.id, held.id])
  })

  test('expires nodes together that refer only to each other (03 §4.3, D26)', () => {
    // Ids are predictable with an id source, so nodes can refer to nodes that are not there yet.
    let n = 0
    const ctx = createContext({ dialect, clock: clockOf(), ids: () => `n${n++}` })
    const next = (): string => `n${n}`
    const ring = (length: number, ttl: number): string[] => {
      ctx.pre('keeps the numbers apart')
      const ids = Array.from({ length }, (_, i) => `n${n + i}`)
      for (const i of ids.keys()) ctx.system.add('ring', { ttl, refs: [ids[(i + 1) % length]!] })
      return ids
    }
    const itself = ctx.system.add('self', { ttl: 1, refs: [next()] }).id
    expect(ctx.node(itself)?.refs).toEqual([itself])
    const pair = ring(2, 1)
    const five = ring(5, 1)
    const late = ring(3, 3)
    // One of this pair lives on, so both do, and then both leave at once.
    const uneven = [`n${n}`, `n${n + 1}`]
    ctx.system.add('short', { ttl: 1, refs: [uneven[1]!] })
    ctx.system.add('long', { ttl: 3, refs: [uneven[0]!] })
    const named = ring(3, 1)
    const namer = ctx.system.add('names the ring', { ttl: 2, refs: [named[1]!] }).id

    const groups = [[itself], pair, five, late, uneven, [...named, namer]]
    const present = (snapshot: Snapshot): number[] => groups.map((ids) => idsIn(snapshot, ids).length)
    expect(present(ctx.commit())).toEqual([1, 2, 5, 3, 2, 4])
    expect(present(ctx.commit())).toEqual([0, 0, 0, 3, 2, 4])
    expect(present(ctx.commit())).toEqual([0, 0, 0, 3, 2, 0])
    expect(present(ctx.commit())).toEqual([0, 0, 0, 0, 0, 0])
  })
})

// ---- Sealing and determinism

describe.each(DIALECTS)('sealing, %s', (dialect) => {
  test('seals the head under a new id while regions and sealed nodes keep theirs (03 §5.1, D25)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    const frame = ['root', 'sys', 'seq', 'ah']
    const seen = new Set(frame)
    const turns: { id: string; inside: string[] }[] = []
    for (let cycle = 1; cycle <= 5; cycle++) {
      ctx.pre('before')
      ctx.user(`turn ${cycle}`)
      if (cycle % 2 === 0) ctx.assistant('reply')
      ctx.add(undefined, { zone: 'post', children: [{ content: 'after' }] })
      const head = regionsOf(ctx.snapshot('working')).ah
      const nodes = head.children.flatMap(walk)
      for (const { id } of nodes) seen.add(id)

      const snapshot = ctx.commit()
      const { seq, ah } = regionsOf(snapshot)
      expect([snapshot.root.id, ...idsOf(snapshot.root.children)]).toEqual(frame)
      const sealed = seq.children.at(-1)!
      expect(seen.has(sealed.id), `${sealed.id} is new`).toBe(false)
      expect(sealed.nodeType).toBe(NAMES[dialect].seg)
      for (const { id, parentId } of nodes) {
        expect(snapshot.node(id)?.parentId).toBe(parentId === head.id ? sealed.id : parentId)
      }
      expect(ah.children, 'a fresh head').toEqual([])
      seen.add(sealed.id)
      turns.push({ id: sealed.id, inside: idsOf(nodes) })
      expect(idsOf(seq.children)).toEqual(idsOf(turns))
      for (const turn of turns) expect(idsOf(walk(snapshot.node(turn.id)!).slice(1))).toEqual(turn.inside)
    }
  })

  test('gives the same bytes for the same calls with the same clock in a second context (03 §5.4, D37)', () => {
    const prune = fc.option(
      fc.record({ maxTokens: fc.integer({ min: 5, max: 60 }), protectSegments: fc.integer({ min: 0, max: 2 }) }),
      { nil: undefined },
    )
    fc.assert(
      fc.property(programsFor(dialect), prune, fc.constantFrom(0n, 1n, 999n), (program, prune, tick) => {
        const options = { dialect, prune, countTokens: (text: string) => text.length }
        const [first, second] = ['first', 'second'].map((id) => {
          const ctx = createContext({ ...options, id, clock: clockOf(tick) })
          runProgram(ctx, program)
          return stateOf(ctx)
        })
        expect(second).toEqual(first)
      }),
      { numRuns: 40, seed: SEED },
    )
    // Edits, forks and imports included.
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        const [first, second] = ['first', 'second'].map((id) => playEdited(program, {}, { id }).contexts.map(stateOf))
        expect(second).toEqual(first)
      }),
      editedRuns(15),
    )
  })

  test('gives the same bytes for the same additions to an imported snapshot (03 §5.4, D35)', () => {
    fc.assert(
      fc.property(programsFor(dialect), programsFor(dialect), (before, after) => {
        let now = START_NS
        const original = createContext({ dialect, clock: () => now++ })
        runProgram(original, before.flatMap(replayable))
        const replayed = importSnapshot(original.export(), { clock: clockOf(1n, now) })
        for (const ctx of [original, replayed]) runProgram(ctx, after.flatMap(replayable))
        for (const { cycle } of replayed.snapshots()) {
          const lens = `@c${cycle}` as const
          expect(textOf(replayed.export(lens))).toBe(textOf(original.export(lens)))
          expect(textOf(replayed.threadBytes(lens))).toBe(textOf(original.threadBytes(lens)))
        }
        expect(textOf(replayed.export('working'))).toBe(textOf(original.export('working')))
      }),
      { numRuns: 30, seed: SEED },
    )
  })

  test('expires, prunes, seals and snapshots in this order (03 §7)', () => {
    const ctx = createContext({
      dialect,
      clock: clockOf(),
      countTokens: (text) => text.length,
      prune: { maxTokens: 30, protectSegments: 0 },
    })
    const old = ctx.user('o'.repeat(10))
    const pinned = ctx.assistant('k', { pinned: true })
    // Were pruning first, this reference would still protect the old block at cycle 2.
    const guard = ctx.post('g'.repeat(10), { ttl: 1, refs: [old.id], priority: 9 })
    const group = ctx.add(undefined, { zone: 'post', removable: true, children: [{ content: 'e', ttl: 1 }] })
    expect(ctx.commit().receipt).toEqual({ removed: [], shed: [], limits: [], unmet: [] })

    // Were sealing before pruning, this block would be in ^seq and go first by its priority.
    const young = ctx.user('y'.repeat(15), { priority: -9 })
    const passing = ctx.pre('p'.repeat(10), { ttl: 0 })
    const late = ctx.post('l'.repeat(10))
    const preview = ctx.preview()
    const second = ctx.commit()
    expect(second.receipt).toMatchObject({ removed: [{ id: old.id, rule: 'maxTokens' }], unmet: [] })
    expect(preview.receipt).toEqual(second.receipt)
    for (const { id } of [guard, group, passing]) {
      expect(second.node(id), id).toBeUndefined()
      expect(
        second.receipt.removed.map((each) => each.id),
        'it expired, it was not pruned',
      ).not.toContain(id)
    }
    expect(second.node(late.id)).toBeDefined()
    // The snapshot comes last: it holds the sealed turn and an empty head.
    const { seq, ah } = regionsOf(second)
    expect(ah.children).toEqual([])
    expect(idsOf(walk(seq.children.at(-1)!))).toContain(young.id)
    expect(idsIn(second, [old.id, pinned.id])).toEqual([pinned.id])

    // Were sealing before expiry, a head of passing blocks would leave a turn behind.
    const turns = seq.children.length
    ctx.user('passing', { ttl: 0 })
    const third = ctx.commit()
    expect(regionsOf(third).seq.children).toHaveLength(turns)
    expect(third.thread()).toEqual(second.thread())

    // And nothing happens after it: until the next write the working state is the same tree.
    expect(textOf(ctx.referenceBytes('working'))).toBe(textOf(ctx.referenceBytes('@t0')))
    expect(rootText(ctx.export('working'))).toBe(rootText(ctx.export('@t0')))
    expect(textOf(ctx.threadBytes())).toBe(textOf(ctx.threadBytes('@t0')))
  })
})

// ---- The bench for faults

/**
 * A context whose sources can be made to fail. Its clock moves between calls only, so that what a failed commit read
 * from it cannot show afterwards unless the context kept it.
 */
class Bench {
  readonly ctx: Context
  /** Expires at the commit that is tried. */
  readonly doomed: string
  /** A removable container that this commit empties; '' where nothing was committed before. */
  readonly emptied: string
  /** The block that this commit prunes; '' where nothing was committed before. */
  readonly oldest: string
  readonly #fault: Fault
  #now = START_NS
  #armed = false
  #given: unknown[] = []
  #release = (): void => {}

  constructor(dialect: Dialect, fault: Fault, commits: number) {
    this.#fault = fault
    const unmet = fault.source === 'hold' ? 'error' : 'report'
    const ctx = createContext({
      dialect,
      clock: (() => this.#through('clock', this.#now)) as Clock,
      ids: ((request: IdRequest) =>
        this.#through('ids', `${request.nodeType}/${request.cycle}/${request.index}`)) as ContextOptions['ids'],
      countTokens: ((text: string) => this.#through('countTokens', text.length, text)) as ContextOptions['countTokens'],
      prune: { maxTokens: 100, protectSegments: 0, unmet },
    })
    this.ctx = ctx
    ctx.system.add('S'.repeat(10))
    let oldest = ''
    let emptied = ''
    for (let cycle = 1; cycle <= commits; cycle++) {
      this.#tick()
      const { id } = ctx.user('u'.repeat(25), { priority: cycle })
      if (cycle === 1) oldest = id
      const children = [{ content: 'e', ttl: 1 }]
      if (cycle === commits) emptied = ctx.add(undefined, { zone: 'post', removable: true, children }).id
      ctx.commit()
    }
    this.#tick()
    if (fault.head === 'core') ctx.user('c'.repeat(10))
    ctx.pre('p'.repeat(10))
    ctx.post('q'.repeat(10))
    // Too much for any limit, and it only counts while somebody holds it.
    this.doomed = ctx.post(fault.source === 'hold' ? 'd'.repeat(200) : 'd', { ttl: 0 }).id
    this.emptied = emptied
    this.oldest = oldest
    this.#tick()
  }

  arm(): void {
    this.#armed = true
    this.#given = []
    if (this.#fault.source !== 'hold') return
    const hold = this.ctx.hold(this.doomed)
    this.#release = () => hold.release()
  }

  disarm(): void {
    this.#armed = false
    this.#release()
  }

  goOn(): void {
    for (let turn = 0; turn < 3; turn++) {
      this.#tick()
      this.ctx.user('later', { ttl: 2 })
      this.ctx.post('later still')
      this.#tick()
      this.ctx.commit()
    }
    this.ctx.user('open')
  }

  #tick(): void {
    this.#now += 1000n
  }

  #through(source: Fault['source'], honest: unknown, text = ''): unknown {
    if (!this.#armed || this.#fault.source !== source) return honest
    const value = this.#fault.breaks({ at: this.#given.length, honest, given: this.#given, text })
    this.#given.push(value)
    return value
  }
}

function counterFault(name: string, start: string, bad: () => unknown): Fault {
  const breaks = ({ honest, text }: Call): unknown => (text.startsWith(start) ? bad() : honest)
  return { name: `countTokens ${name}`, source: 'countTokens', head: 'core', breaks }
}

/** At the segment alone, at a core that sealing makes first, and at the segment after such a core. */
function sealFaults(source: 'ids' | 'clock', name: string, bad: () => unknown): Fault[] {
  const breakAt = (index: number) => (call: Call) => (call.at === index ? bad() : call.honest)
  return [
    { name: `${source} ${name} for the segment`, source, head: 'core', breaks: breakAt(0) },
    { name: `${source} ${name} for the core`, source, head: 'context only', breaks: breakAt(0) },
    { name: `${source} ${name} for the segment after a core`, source, head: 'context only', breaks: breakAt(1) },
  ]
}

function boom(): never {
  throw BOOM
}

/** An error of a source comes out, itself or as a cause; a wrong value of a source is refused. */
function checkError(error: unknown, { code }: Fault): void {
  if (error === BOOM || (error as Error).cause === BOOM) return
  expect(PactError.is(error), String(error)).toBe(true)
  if (code !== undefined) expect((error as PactError).code).toBe(code)
}

function thrownBy(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  expect.fail('It was expected to throw.')
}

// ---- Reading

/** Everything that can be seen of a context. */
function stateOf(ctx: Context): object {
  const snapshots = ctx.snapshots().map((ref) => ctx.snapshot(`@c${ref.cycle}`))
  const all = [ctx.snapshot('working'), ...snapshots]
  return {
    cycle: ctx.cycle,
    refs: ctx.snapshots(),
    trees: all.map((snapshot) => textOf(snapshot.export())),
    threads: all.map((snapshot) => textOf(snapshot.threadBytes())),
    reference: all.map((snapshot) => textOf(snapshot.referenceBytes())),
    receipts: snapshots.map((snapshot) => snapshot.receipt),
  }
}

function addAt(ctx: Context, place: PlaceName, header: AddHeader): Node {
  const content = header.children === undefined ? `at ${place}` : undefined
  if (place === 'sys') return ctx.system.add(content, header)
  if (place !== 'in a container') return ctx.add(content, { ...header, zone: place })
  return ctx.add(undefined, { zone: 'post', children: [{ ...header, content }] }).children[0]!
}

/** Holds are not exported, and an import cannot know what an empty container once held. */
function replayable(step: Step): Step[] {
  if (step.do === 'hold' || step.do === 'release') return []
  if (step.do === 'commit') return [step]
  return [{ ...step, write: { ...step.write, header: { ...step.write.header, removable: undefined } } }]
}

/** The ids of a list that a tree holds, in the order of the tree. */
function idsIn(snapshot: Snapshot, ids: readonly string[]): string[] {
  return idsOf(walk(snapshot.root)).filter((id) => ids.includes(id))
}

function exportedNode(snapshot: Snapshot, id: string): ExportedNode | undefined {
  return walkExport(readExport(snapshot.export()).root).find((node) => node.id === id)
}

/** The tree of an export without the heading around it. */
function rootText(bytes: Uint8Array): string {
  const text = textOf(bytes)
  return text.slice(text.indexOf('"root":'), text.lastIndexOf(',"schedules":'))
}

// Diffs and ranges on generated histories (05 §4, 06 §4, D7, D23, D38, D39): first against the naive model of test/oracle,
// which compares whole exports and shares no code with the engine, then laws that need no model. A history is a random
// program through the public API: every way to write, holds, pruning, imported trees with an open head, forks, ids that
// come again. PACT_RUNS, PACT_PAIRS and PACT_SEED widen it; a failing seed prints itself.

import fc from 'fast-check'
import {
  createContext,
  PactError,
  type Cause,
  type Context,
  type DetailedChange,
  type Diff,
  type Dialect,
  type Lens,
  type ParentChange,
  type PlacedNode,
  type ScheduleChanges,
} from 'pact-context'
import { describe, expect, test } from 'vitest'

import { canonicalJson, naiveContentHash, naiveDiff, readDocument, type SnapshotDocument } from '../oracle/diff.js'
import { naiveRange, naiveRangeSelect, withoutWording, type RangeOptions } from '../oracle/range.js'
import { selectorArbitrary } from '../oracle/selector-arbitrary.js'
import { OracleError, type OracleWorld } from '../oracle/selector.js'
import { applyDetailedDiff, bareNodes } from '../support/apply-diff.js'
import { clockOf, textOf } from '../support/context.js'
import { idOf, picker, picks, recipes, run, type Pick } from '../support/diff-histories.js'
import { pairs, runs } from '../support/runs.js'

const RUNS = runs(12)
const PAIRS = pairs(1_800)
const SEED = Number(process.env['PACT_SEED'] ?? 20261118)

const DIALECTS = ['1.0', '0.1'] as const

function settings(numRuns: number): fc.Parameters<unknown> {
  return { numRuns, seed: SEED, endOnFailure: (process.env['PACT_SHRINK'] ?? 'no') === 'no' }
}

describe.each(DIALECTS)('the naive model in dialect %s', (dialect) => {
  test('agrees on diffs between any two lenses, both ways (05 §4, 06 §4, D24, D38)', () => {
    fc.assert(
      fc.property(recipes(dialect), picks, (recipe, numbers) => {
        const pick = picker(numbers)
        for (const ctx of run(recipe)) {
          const documents = documentsOf(ctx)
          for (const [a, b] of somePairs(documents, pick, 8)) {
            expect(ctx.diff(a, b), `${a} to ${b}`).toEqual(naiveDiff(documents.get(a)!, documents.get(b)!))
          }
        }
      }),
      settings(RUNS * 1.5),
    )
  })

  test('agrees on diffs of what a selector selects, refusals included (D38)', () => {
    let [selected, refused] = [0, 0]
    fc.assert(
      fc.property(recipes(dialect), picks, (recipe, numbers) => {
        const pick = picker(numbers)
        for (const ctx of run(recipe).slice(-2)) {
          const documents = documentsOf(ctx)
          for (const selector of selectorsFor(documents, dialect, pick, 6)) {
            for (const [a, b] of somePairs(documents, pick, 2)) {
              const expected = answer(() => naiveDiff(documents.get(a)!, documents.get(b)!, selector))
              expect(
                answer(() => ctx.diff(a, b, selector)),
                `${a} to ${b}: ${selector}`,
              ).toEqual(expected)
              if ('error' in (expected as object)) refused++
              else if (sizeOf(expected as Diff) > 0) selected++
            }
          }
        }
      }),
      settings(RUNS),
    )
    // Otherwise the law says nothing.
    expect(selected).toBeGreaterThan(RUNS)
    expect(refused).toBeGreaterThan(RUNS / 2)
  })

  test('agrees on ranges in all modes, with caps and windows, refusals included (04 §4, D7, D23, D39)', () => {
    let [blocks, refused] = [0, 0]
    fc.assert(
      fc.property(recipes(dialect), picks, (recipe, numbers) => {
        const pick = picker(numbers)
        for (const ctx of run(recipe).slice(-2)) {
          const committed = snapshotsOf(ctx)
          if (committed.length === 0) continue
          for (const selector of rangesFor(documentsOf(ctx), dialect, pick, 6)) {
            const options = rangeOptions(pick)
            const context = `${selector} with ${JSON.stringify(options)}`
            const expected = answer(() => withoutWording(naiveRangeSelect(committed, selector, options)))
            expect(
              answer(() => withoutWording(ctx.select(selector, options))),
              context,
            ).toEqual(expected)
            if ('error' in (expected as object)) refused++
            else if ('diffs' in (expected as object)) blocks++
            // A union has no range form, which the engine says before it looks for snapshots; see range.test.ts.
            if (selector.endsWith('@mode=union')) continue
            expect(
              answer(() => withoutWording(ctx.rangeDiffLatest(selector, options))),
              context,
            ).toEqual(answer(() => withoutWording(naiveRange(committed, selector, options))))
          }
        }
      }),
      settings(RUNS),
    )
    expect(blocks).toBeGreaterThan(RUNS)
    expect(refused).toBeGreaterThan(RUNS / 4)
  })

  test('agrees on the flat list where ranges give no diffs (D8, D23)', () => {
    fc.assert(
      fc.property(recipes(dialect), picks, (recipe, numbers) => {
        const pick = picker(numbers)
        const ctx = run(recipe).at(-1)!
        const committed = snapshotsOf(ctx)
        fc.pre(committed.length > 0)
        const flat = ctx.fork('@t0', { selectRangeReturnsDiff: false })
        for (const selector of rangesFor(documentsOf(ctx), dialect, pick, 6)) {
          const options = rangeOptions(pick)
          const wanted = { ...options, selectRangeReturnsDiff: false }
          expect(
            answer(() => withoutWording(flat.select(selector, options))),
            selector,
          ).toEqual(answer(() => withoutWording(naiveRangeSelect(committed, selector, wanted))))
        }
      }),
      settings(RUNS / 2),
    )
  })

  test('agrees on a history longer than its trees, where these are compared instead of the logs (D38)', () => {
    const ctx = createContext({ dialect, clock: clockOf(), prune: { maxDepth: 4 } })
    ctx.system.add('rule', { ttl: 350 })
    for (let cycle = 1; cycle <= 330; cycle++) {
      ctx.user(`turn ${cycle % 7}`, { priority: cycle % 3, ttl: cycle % 5 === 0 ? 2 : null })
      if (cycle % 3 === 0) ctx.post('seen', { key: 'note', ttl: 1, tags: [`t${cycle % 4}`] })
      if (cycle % 11 === 0) ctx.system.add(`rule ${cycle}`, { ttl: 20 })
      ctx.commit()
    }
    const documents = documentsOf(ctx, ['@c1', '@c2', '@c3', '@c170', '@c325', '@c328', '@c329', '@c330'])
    const lenses = [...documents.keys()]
    for (const a of lenses) {
      for (const b of lenses) {
        expect(ctx.diff(a, b), `${a} to ${b}`).toEqual(naiveDiff(documents.get(a)!, documents.get(b)!))
        const selector = dialect === '1.0' ? ".block[role='user']" : ".cb[role='user']"
        const expected = naiveDiff(documents.get(a)!, documents.get(b)!, selector)
        expect(ctx.diff(a, b, selector), `${a} to ${b}`).toEqual(expected)
      }
    }
    const committed = snapshotsOf(ctx)
    for (const selector of ['@history .block', '@t0..@t-329 .block @mode=latest', '@c1:330 * @limit=3']) {
      expect(withoutWording(ctx.rangeDiffLatest(selector))).toEqual(withoutWording(naiveRange(committed, selector)))
    }
  })

  test('agrees where nearly every node changes, and their order takes a walk (D24, D38)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    for (let i = 0; i < 400; i++) {
      const header = { ttl: i % 8 === 0 ? null : 2 + (i % 3), priority: i % 5 }
      if (i % 20 === 0) ctx.add(undefined, { zone: 'post', children: [{ content: i, ttl: 3 }, { content: `${i}` }] })
      else if (i % 7 === 0) ctx.system.add(`rule ${i}`, header)
      else ctx.user(`block ${i}`, header)
    }
    for (let cycle = 1; cycle <= 4; cycle++) ctx.commit()
    const documents = documentsOf(ctx)
    for (const a of documents.keys()) {
      for (const b of ['@c1', '@c2', '@c3', '@c4', 'preview'] as const) {
        expect(ctx.diff(a, b), `${a} to ${b}`).toEqual(naiveDiff(documents.get(a)!, documents.get(b)!))
      }
    }
    expect(ctx.diff('@c1', '@c2').changed.length).toBeGreaterThan(250)
  })
})

describe('the naive model on a long history', () => {
  test('agrees on what selectors select in trees that share most of their chunks (D38, D39)', () => {
    const ctx = longHistory()
    const lenses = ['@c2', '@c31', '@c32', '@c33', '@c158', '@c159', '@c160', 'working', 'preview'] as const
    const documents = documentsOf(ctx, lenses)
    const pairs = [
      ['@c159', '@c160'],
      ['@c158', '@c160'],
      ['@c160', '@c33'],
      ['@c2', '@c160'],
      ['@c160', 'working'],
      ['@c160', 'preview'],
      ['working', 'preview'],
    ] as const
    for (const selector of [...WHOLE_TREE, ...WITH_WINDOWS]) {
      for (const [a, b] of pairs) {
        const expected = naiveDiff(documents.get(a)!, documents.get(b)!, selector)
        expect(ctx.diff(a, b, selector), `${a} to ${b}: ${selector}`).toEqual(expected)
      }
      for (const cycle of [31, 158]) {
        const range = `@c${cycle}..@c${cycle + 2} ${selector}`
        const three = [0, 1, 2].map((more) => documents.get(`@c${cycle + more}`)!)
        expect(withoutWording(ctx.rangeDiffLatest(range)), range).toEqual(withoutWording(naiveRange(three, range)))
      }
    }
  })

  const WHOLE_TREE = [
    '*',
    '.seg',
    '.block',
    '.cont > .block',
    ".block[role='user']",
    '.block[ttl<=1]',
    '.block[priority>=2]',
    '.block:summary',
    '.group .block',
    '^seq :post .block',
    '^sys .block',
    '.cont > .block:last',
    '.seg:depth(1-3) .block',
    'd2..d9 .block[priority=0]',
    'd1 > .cont',
    '#note',
    '+rag',
    '{ id="block:3-1" }',
    '.block[cycle=32], .seg[cycle>150]',
    '#nobody ?? .group',
  ]
  const WITH_WINDOWS = ['.block @limit=5', '.block @skip=30 @limit=9', '.seg @order=turn:desc @limit=3', '#note @first']

  /** 160 turns, of which pruning and ttls take some, in the middle too. */
  function longHistory(): Context {
    const ctx = createContext({ clock: clockOf(), prune: { maxNodes: 330, protectSegments: 3 } })
    for (let cycle = 1; cycle <= 160; cycle++) {
      ctx.user(`question ${cycle % 5}`, { priority: cycle % 4 })
      if (cycle % 2 === 0) ctx.assistant(`answer ${cycle}`, { ttl: cycle % 8 === 0 ? 30 : null })
      if (cycle % 5 === 0) ctx.post('found', { key: 'note', ttl: 3, tags: ['rag'] })
      if (cycle % 7 === 0) ctx.pre('so far', { nodeType: 'block:summary', pinned: true })
      if (cycle % 9 === 0) ctx.add(undefined, { zone: 'post', nodeType: 'cont:group', children: [{ content: cycle }] })
      if (cycle % 13 === 0) ctx.system.add(`rule ${cycle}`, { ttl: 40 })
      ctx.commit()
    }
    ctx.user('open')
    ctx.post('brief', { ttl: 0, key: 'note' })
    return ctx
  }
})

describe('the apply law', () => {
  test('from one export and the detailed diff the other export follows byte for byte (D35, D38)', () => {
    let pairs = 0
    const isEnough = (): boolean => pairs >= PAIRS
    for (let round = 0; !isEnough(); round++) {
      fc.assert(
        fc.property(fc.constantFrom(...DIALECTS).chain(recipes), (recipe) => {
          for (const ctx of run(recipe)) {
            const documents = documentsOf(ctx)
            const texts = new Map(Array.from(documents.keys(), (lens) => [lens, textOf(ctx.export(lens))]))
            for (const [a, from] of documents) {
              for (const [b, to] of documents) {
                const made = applyDetailedDiff(from, ctx.diffDetailed(a, b), to)
                // Only a difference is worth the price of an expectation.
                if (made !== texts.get(b)) expect(made, `${a} to ${b}`).toBe(texts.get(b))
                pairs++
              }
            }
          }
        }),
        { ...settings(20), seed: SEED + round },
      )
    }
  })
})

describe('the laws of diffs', () => {
  test('a tree does not differ from itself, by whatever name (05 §4, D5)', () => {
    eachHistory((ctx, documents) => {
      for (const lens of documents.keys()) {
        expect(ctx.diff(lens, lens)).toEqual({ added: [], removed: [], changed: [] })
        const { added, removed, changed, parents, moves, warnings } = ctx.diffDetailed(lens, lens)
        expect({ added, removed, changed, parents, moves }).toEqual(NOTHING)
        expect(warnings).toBeUndefined()
      }
      for (const { label, cycle } of ctx.snapshots()) {
        expect(sizeOf(ctx.diff(label as Lens, `@c${cycle}`))).toBe(0)
      }
    })
  })

  test('backwards, a diff is its mirror: lists, values, causes and places (D38)', () => {
    eachHistory((ctx, documents, pick) => {
      for (const [a, b] of somePairs(documents, pick, 6)) {
        if (documents.get(a)!.cycle === documents.get(b)!.cycle) continue
        const [forth, back] = [ctx.diffDetailed(a, b), ctx.diffDetailed(b, a)]
        expect(ctx.diff(b, a)).toEqual({
          ...ctx.diff(a, b),
          added: forth.removed.map(idOf),
          removed: forth.added.map(idOf),
        })
        expect(back).toEqual({
          ...forth,
          from: forth.to,
          to: forth.from,
          added: forth.removed,
          removed: forth.added,
          changed: forth.changed.map(mirrored),
          ...(forth.schedules === undefined ? {} : { schedules: mirroredSchedules(forth.schedules) }),
          parents: expect.anything() as unknown,
          moves: expect.anything() as unknown,
        })
        const swapped = forth.parents.map(({ id, children_added, children_removed }) => ({
          id,
          children_added: children_removed.toSorted(),
          children_removed: children_added.toSorted(),
        }))
        expect(sortById(back.parents.map(sorted))).toEqual(sortById(swapped))
      }
    })
  })

  test('a plain diff is the detailed one without its details, with a selector too (D38)', () => {
    eachHistory((ctx, documents, pick) => {
      const everything = ['*', '.block, .cont', '.block[ttl<=2]', '.seg', '.block @skip=1 @limit=5']
      for (const [a, b] of somePairs(documents, pick, 4)) {
        for (const selector of [undefined, everything[pick(everything.length)]]) {
          const { added, removed, changed, from, to } = ctx.diffDetailed(a, b, selector)
          expect(ctx.diff(a, b, selector)).toEqual({
            added: added.map(idOf),
            removed: removed.map(idOf),
            changed: changed.map(({ id, fields }) => ({ id, fields })),
          })
          expect([from, to]).toEqual([
            { lens: a, cycle: documents.get(a)!.cycle },
            { lens: b, cycle: documents.get(b)!.cycle },
          ])
          for (const { fields, delta, parent_changed, offset_changed } of changed) {
            expect(Object.keys(delta)).toEqual(fields)
            expect([parent_changed, offset_changed]).toEqual([fields.includes('parent'), fields.includes('offset')])
          }
        }
        expect(ctx.diff(a, b, '*')).toEqual(ctx.diff(a, b))
      }
    })
  })

  test('parents tell which children came and went, and nothing else (D38)', () => {
    eachHistory((ctx, documents, pick) => {
      for (const [a, b] of somePairs(documents, pick, 6)) {
        const [before, after] = [childrenIn(documents.get(a)!), childrenIn(documents.get(b)!)]
        const expected = [...new Set([...before.keys(), ...after.keys()])].flatMap((id) => {
          const [was, is] = [before.get(id) ?? [], after.get(id) ?? []]
          const children_added = is.filter((child) => !was.includes(child)).toSorted()
          const children_removed = was.filter((child) => !is.includes(child)).toSorted()
          return children_added.length + children_removed.length === 0 ? [] : [{ id, children_added, children_removed }]
        })
        expect(sortById(ctx.diffDetailed(a, b).parents.map(sorted)), `${a} to ${b}`).toEqual(sortById(expected))
      }
    })
  })

  test('moves pair what went with what came by content hash, each node once, in order (05 §4.5, 08 §2.1)', () => {
    let found = 0
    eachHistory((ctx, documents, pick) => {
      for (const [a, b] of somePairs(documents, pick, 6)) {
        const { added, removed, moves, warnings } = ctx.diffDetailed(a, b)
        // A node and the one that took its place have not moved, whichever of the two came.
        const taken = [...added, ...removed].flatMap(({ id, node }) =>
          [...added, ...removed].some((other) => other.id === node['supersedes']) ? [id, node['supersedes']] : [],
        )
        const left = removed
          .filter(hasContent)
          .filter(({ id }) => !taken.includes(id))
          .map((entry) => ({ id: entry.id, hash: naiveContentHash(entry.node) }))
        const came = added.filter(hasContent).filter(({ id }) => !taken.includes(id))
        const expected = came.flatMap(({ id, node }) => {
          const at = left.findIndex(({ hash }) => hash === naiveContentHash(node))
          return at < 0 ? [] : left.splice(at, 1).map(({ id: from, hash }) => ({ from, to: id, content_hash: hash }))
        })
        expect(moves).toEqual(expected)
        expect(warnings).toBeUndefined()
        found += moves.length
      }
    })
    expect(found).toBeGreaterThan(RUNS / 4)
  })

  test('comparing leaves every byte as it was, and uses up no id and no time (06 §3.1)', () => {
    fc.assert(
      fc.property(fc.constantFrom(...DIALECTS).chain(recipes), picks, (recipe, numbers) => {
        const pick = picker(numbers)
        const [watched, twin] = [run(recipe).at(-1)!, run(recipe).at(-1)!]
        const documents = documentsOf(watched)
        const bytes = exportsOf(watched, documents)
        for (const [a, b] of somePairs(documents, pick, 8)) {
          watched.diff(a, b, '*[ttl<=1]')
          watched.diffDetailed(a, b)
          if (watched.snapshots().length > 0) watched.select('@history *', { includeContent: true })
        }
        expect(exportsOf(watched, documents)).toEqual(bytes)
        for (const ctx of [watched, twin]) ctx.user('next')
        expect(textOf(watched.commit().export())).toBe(textOf(twin.commit().export()))
      }),
      settings(RUNS),
    )
  })

  test('what a diff gives is frozen throughout, and JSON.stringify takes it (06 §3.1, D33)', () => {
    eachHistory((ctx, documents, pick) => {
      for (const [a, b] of somePairs(documents, pick, 3)) {
        const results: unknown[] = [ctx.diff(a, b), ctx.diffDetailed(a, b), ctx.diffDetailed(a, b, '.block, .cont')]
        if (ctx.snapshots().length > 0) {
          const materialize = ['content', 'mime', 'encoding', 'content_hash'] as const
          for (const contentMode of ['unified', 'jsonpatch', 'tokens'] as const) {
            const options = { includeContent: true, contentMode, materialize, maxSnapshots: 3 }
            results.push(ctx.rangeDiffLatest('@t-9..@t0 *', options))
          }
        }
        for (const result of results) {
          expect(openParts(result)).toEqual([])
          expect(JSON.parse(JSON.stringify(result))).toEqual(withNumbers(result))
          // Entries on their own too.
          const entries = Object.values(result as object)
            .filter(Array.isArray)
            .flat()
          for (const entry of entries) expect(JSON.parse(JSON.stringify(entry))).toEqual(withNumbers(entry))
        }
      }
    })
  })
})

describe('the open cycle', () => {
  test('previews the thread that the commit sends if nothing else happens (N7, D5)', () => {
    eachHistory((ctx) => {
      const bytes = textOf(ctx.threadBytes('preview'))
      expect(textOf(ctx.commit().threadBytes())).toBe(bytes)
    })
  })

  test('previews the changes that the commit then makes, causes and all (D5, D38, N7)', () => {
    fc.assert(
      fc.property(fc.constantFrom(...DIALECTS).chain(recipes), (recipe) => {
        // If the clock shows 0, sealing takes the time right behind the latest, as a preview does.
        for (const ctx of run({ ...recipe, ticks: [0], reuse: false }, 0n)) {
          const isFirst = ctx.snapshots().length === 0
          const ahead = isFirst ? undefined : ctx.diffDetailed('@t0', 'preview')
          const plain = isFirst ? undefined : ctx.diff('@t0', 'preview')
          const bytes = textOf(ctx.export('preview'))
          ctx.commit()
          expect(textOf(ctx.export())).toBe(bytes)
          if (ahead === undefined) continue
          expect(ctx.diff('@t-1', '@t0')).toEqual(plain)
          const done = ctx.diffDetailed('@t-1', '@t0')
          expect(done).toEqual({ ...ahead, from: done.from, to: done.to })
          expect([ahead.from.cycle, ahead.to.cycle]).toEqual([done.from.cycle, done.to.cycle])
        }
      }),
      settings(RUNS * 2),
    )
  })

  test('is what @t0 is while nothing is written: no change, and the same changes from before (D5)', () => {
    eachHistory((ctx) => {
      ctx.commit()
      // A node that returns by cadence may be in the head already.
      if (ctx.snapshot().schedules.length > 0) return
      expect(sizeOf(ctx.diff('@t0', 'working'))).toBe(0)
      for (const { cycle } of ctx.snapshots()) {
        expect(ctx.diff(`@c${cycle}`, 'working')).toEqual(ctx.diff(`@c${cycle}`, '@t0'))
        const [open, last] = [ctx.diffDetailed(`@c${cycle}`, 'working'), ctx.diffDetailed(`@c${cycle}`, '@t0')]
        expect(open).toEqual({ ...last, to: open.to })
      }
    })
  })
})

describe('the causes of changes', () => {
  test('between neighbours are those that receipts and headers tell (06 §6, D24–D28)', () => {
    eachHistory(
      (ctx) => {
        for (const { cycle } of ctx.snapshots().slice(0, -1)) {
          const found = ctx.diffDetailed(`@c${cycle - 1}`, `@c${cycle}`)
          const pruned = new Set(ctx.snapshot(`@c${cycle}`).receipt.removed.map(idOf))
          const segments = ctx.snapshot(`@c${cycle}`).root.children[1]!.children.map(idOf)
          const reasons = (entries: readonly (PlacedNode | DetailedChange)[]): unknown =>
            entries.map(({ id, cause, cycle: at }) => ({ id, cause, at }))
          const expected = (entries: readonly (PlacedNode | DetailedChange)[], cause: (id: string) => Cause): unknown =>
            entries.map(({ id }) => ({ id, cause: cause(id), at: cycle }))
          expect(reasons(found.added)).toEqual(
            expected(found.added, (id) => (segments.includes(id) ? 'sealed' : 'created')),
          )
          expect(reasons(found.removed)).toEqual(
            expected(found.removed, (id) => (pruned.has(id) ? 'pruned' : 'expired')),
          )
          const before = new Set(ctx.snapshot(`@c${cycle - 1}`).root.children[1]!.children.map(idOf))
          const moved = new Map(
            found.changed.filter((change) => change.parent_changed).map(({ id, delta }) => [id, delta['parent']!.to]),
          )
          const causeOf = (id: string): Cause => {
            const parent = moved.get(id)
            if (parent === undefined) return 'aged'
            return before.has(parent as string) ? 'demoted' : 'sealed'
          }
          expect(reasons(found.changed)).toEqual(expected(found.changed, causeOf))
        }
      },
      { mayReuse: false, mayEdit: false },
    )
  })

  test('over several cycles are the last ones: what brought, took or changed a node in the end (06 §6)', () => {
    eachHistory(
      (ctx, _documents, pick) => {
        const cycles = ctx.snapshots().map((ref) => ref.cycle)
        const steps = cycles.slice(0, -1).map((cycle) => ctx.diffDetailed(`@c${cycle - 1}`, `@c${cycle}`))
        for (let i = 0; i < 6 && cycles.length > 2; i++) {
          const [newer, older] = [cycles[pick(cycles.length)]!, cycles[pick(cycles.length)]!].toSorted((a, b) => b - a)
          const between = steps.filter(({ to }) => to.cycle > older! && to.cycle <= newer!)
          const whole = ctx.diffDetailed(`@c${older!}`, `@c${newer!}`)
          for (const list of ['added', 'removed', 'changed'] as const) {
            for (const entry of whole[list]) {
              const last = between.map((step) => reasonIn(step[list], entry.id)).find(Boolean)!
              expect([entry.id, entry.cause, entry.cycle]).toEqual(last)
            }
          }
        }
      },
      { mayReuse: false, mayEdit: false },
    )
  })
})

describe('the places of changes in the provider thread', () => {
  test('are the indexes of the items, and threadPlace cuts just their bytes out (06 §4.4, D36)', () => {
    let found = 0
    eachHistory((ctx, documents, pick) => {
      for (const [a, b] of somePairs(documents, pick, 3)) {
        const [before, after] = [indexesIn(ctx, a), indexesIn(ctx, b)]
        const { added, removed, changed } = ctx.diffDetailed(a, b)
        for (const { id, thread_index } of added) expect([id, thread_index]).toEqual([id, after.get(id) ?? null])
        for (const { id, thread_index } of removed) expect([id, thread_index]).toEqual([id, before.get(id) ?? null])
        for (const { id, thread_index } of changed) {
          expect(thread_index, id).toEqual({ from: before.get(id) ?? null, to: after.get(id) ?? null })
        }
        const ids = [...added, ...changed].map(idOf)
        for (let i = 0; i < 4 && ids.length > 0; i++) found += expectPlace(ctx, b, ids[pick(ids.length)]!)
        for (const region of ['root', 'sys', 'ah']) if (ctx.node(region, b)) found += expectPlace(ctx, b, region)
      }
    })
    expect(found).toBeGreaterThan(RUNS)
  })
})

// ---------------------------------------------------------------------------------------------------------- reading

const NOTHING = { added: [], removed: [], changed: [], parents: [], moves: [] }

function sizeOf({ added, removed, changed }: Diff): number {
  return added.length + removed.length + changed.length
}

/** The result of a call, or the code of its error. */
function answer(ask: () => unknown): unknown {
  try {
    return ask()
  } catch (error) {
    if (PactError.is(error) || error instanceof OracleError) return { error: error.code }
    throw error
  }
}

/** Every lens of a context, or those that are asked for, with the tree it shows. */
function documentsOf(ctx: Context, lenses?: readonly Lens[]): Map<Lens, SnapshotDocument> {
  const all = lenses ?? [...ctx.snapshots().map(({ cycle }) => `@c${cycle}` as const), 'working', 'preview']
  return new Map(all.map((lens) => [lens, readDocument(textOf(ctx.export(lens)))]))
}

function snapshotsOf(ctx: Context): SnapshotDocument[] {
  return ctx.snapshots().map(({ cycle }) => readDocument(textOf(ctx.export(`@c${cycle}`))))
}

function exportsOf(ctx: Context, documents: ReadonlyMap<Lens, unknown>): string[] {
  return Array.from(documents.keys(), (lens) => textOf(ctx.export(lens)))
}

/** Pairs of lenses, in either direction, equal ones among them. */
function somePairs(
  documents: ReadonlyMap<Lens, SnapshotDocument>,
  pick: Pick,
  count: number,
): (readonly [Lens, Lens])[] {
  const lenses = [...documents.keys()]
  return Array.from({ length: count }, () => [lenses[pick(lenses.length)]!, lenses[pick(lenses.length)]!] as const)
}

function childrenIn(document: SnapshotDocument): ReadonlyMap<string, string[]> {
  const children = new Map<string, string[]>()
  for (const [id, { parent }] of bareNodes(document)) {
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), id])
  }
  return children
}

function sorted({ id, children_added, children_removed }: ParentChange): ParentChange {
  return { id, children_added: children_added.toSorted(), children_removed: children_removed.toSorted() }
}

function sortById<T extends Readonly<{ id: string }>>(list: readonly T[]): readonly T[] {
  return list.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

function mirrored(change: DetailedChange): unknown {
  const swap = <T>({ from, to }: Readonly<{ from: T; to: T }>): object => ({ from: to, to: from })
  const { content } = change
  return {
    ...change,
    delta: Object.fromEntries(Object.entries(change.delta).map(([name, value]) => [name, swap(value)])),
    thread_index: swap(change.thread_index),
    ...(content === undefined ? {} : { content: swap({ from: content.from, to: content.to }) }),
  }
}

function mirroredSchedules({ added, removed, changed }: ScheduleChanges): ScheduleChanges {
  return { added: removed, removed: added, changed: changed.map(({ key, from, to }) => ({ key, from: to, to: from })) }
}

function hasContent({ node }: PlacedNode): boolean {
  return node['content'] !== undefined && node['content'] !== ''
}

/** Why and when a node came, went or changed, if it did. */
function reasonIn(entries: readonly (PlacedNode | DetailedChange)[], id: string): unknown {
  const found = entries.find((entry) => entry.id === id)
  return found && [id, found.cause, found.cycle]
}

/** The paths of everything in a result that could still be written to. */
function openParts(value: unknown, path = 'result'): string[] {
  if (typeof value !== 'object' || value === null) return []
  const below = Object.entries(value).flatMap(([name, part]) => openParts(part, `${path}.${name}`))
  return Object.isFrozen(value) ? below : [path, ...below]
}

/** The value with numbers for bigints. */
function withNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(withNumbers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withNumbers(part)]))
}

function indexesIn(ctx: Context, lens: Lens): ReadonlyMap<string, number> {
  return new Map(ctx.thread(lens).map(({ id }, index) => [id, index]))
}

/** Checks the place of a node's item in the bytes; 1 for a node that is an item. */
function expectPlace(ctx: Context, lens: Lens, id: string): number {
  const index = indexesIn(ctx, lens).get(id)
  const place = ctx.threadPlace(id, lens)
  if (index === undefined) {
    expect(place).toBeUndefined()
    return 0
  }
  const texts = ctx.thread(lens).map((item) => {
    const parts = Object.entries(item).map(([name, value]) => `"${name}":${canonicalJson(value)}`)
    return `{${parts.join(',')}}`
  })
  const start = texts.slice(0, index).join(',').length + (index === 0 ? 1 : 2)
  expect(place).toEqual({ index, start, end: start + texts[index]!.length })
  expect(textOf(ctx.threadBytes(lens).subarray(place!.start, place!.end))).toBe(texts[index])
  return 1
}

// -------------------------------------------------------------------------------------------------------- selectors

const TIME =
  /^\s*@(?:\*|history|working|preview|[tc](?:-\*|[+-]?\d+)(?:(?:\.\.|:)(?:@[tc])?(?:-\*|[+-]?\d+))?)(?=[\s.#([{^]|$)/

function worldOf(documents: ReadonlyMap<Lens, SnapshotDocument>, dialect: Dialect): OracleWorld {
  const committed = [...documents].filter(([lens]) => lens.startsWith('@'))
  return {
    dialect,
    snapshots: committed.map(([, { cycle, root }]) => ({ cycle, tree: root })),
    working: documents.get('working')!.root,
  }
}

/** Selectors for a diff: most without a time prefix, some with one, which is refused. */
function selectorsFor(
  documents: ReadonlyMap<Lens, SnapshotDocument>,
  dialect: Dialect,
  pick: Pick,
  count: number,
): string[] {
  const texts = fc.sample(selectorArbitrary(worldOf(documents, dialect), dialect), { numRuns: count, seed: pick(1e9) })
  return texts.map((text) => (pick(8) === 0 ? text : text.replace(TIME, '')))
}

/** Range prefixes in every form of D7, ends beyond what exists included, before whatever a selector may say. */
function rangesFor(
  documents: ReadonlyMap<Lens, SnapshotDocument>,
  dialect: Dialect,
  pick: Pick,
  count: number,
): string[] {
  const world = worldOf(documents, dialect)
  const texts = fc.sample(selectorArbitrary(world, dialect, { ranges: true }), { numRuns: count, seed: pick(1e9) })
  const cycles = world.snapshots.map(({ cycle }) => cycle)
  const [newest, oldest] = [Math.max(...cycles), Math.min(...cycles)]
  const turn = (): string => ['0', '0', '-*', `-${pick(cycles.length + 1)}`, `-${pick(cycles.length)}`, '+1'][pick(6)]!
  const cycle = (): number => oldest - 1 + pick(newest - oldest + 3)
  const prefix = (): string => {
    const operator = ['..', ':'][pick(2)]!
    const kind = ['t', 'c'][pick(2)]!
    const end = (): string => (kind === 't' ? turn() : String(Math.max(0, cycle())))
    if (pick(12) === 0) return '@history'
    if (pick(30) === 0) return ['@*..@t0', '@t0..@c1', '@c1:@t-1', '@t0..@*', '@t0..'][pick(5)]!
    return `@${kind}${end()}${operator}${pick(2) === 0 ? `@${kind}` : ''}${end()}`
  }
  return texts.map((text) => {
    const mode = ['', '', '', ' @mode=latest', ' @mode=union', ' @mode=pairwise'][pick(6)]!
    return `${prefix()} ${text.replace(TIME, '').replaceAll(/\s@mode=\w+/g, '')}${mode}`
  })
}

function rangeOptions(pick: Pick): RangeOptions {
  return {
    ...(pick(4) === 0 ? { maxSnapshots: pick(6) } : {}),
    ...(pick(4) === 0 ? { maxChangesPerSnapshot: pick(7) } : {}),
    ...(pick(5) === 0 ? { skip: pick(4) } : {}),
    ...(pick(5) === 0 ? { limit: pick(6) } : {}),
  }
}

/** Runs a check on every context of generated histories of both dialects. */
function eachHistory(
  check: (ctx: Context, documents: Map<Lens, SnapshotDocument>, pick: Pick) => void,
  { mayReuse = true, mayEdit = true } = {},
): void {
  fc.assert(
    fc.property(fc.constantFrom(...DIALECTS).chain(recipes), picks, (recipe, numbers) => {
      const pick = picker(numbers)
      const steps = mayEdit ? recipe.steps : recipe.steps.filter((step) => step.do !== 'edit')
      for (const ctx of run({ ...recipe, steps, reuse: recipe.reuse && mayReuse })) check(ctx, documentsOf(ctx), pick)
    }),
    settings(RUNS),
  )
}

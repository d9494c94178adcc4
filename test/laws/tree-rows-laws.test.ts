// Rows of a tree: whatever window is asked for, it is that part of the whole; and the whole is what a plain walk gives.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createContext, type Context, type Node } from 'pact-context'
import type { Input, Tree, TreeRow } from '../../src/api/index.js'
import { memoryPool, readTree, type ContextPool } from '../../src/commands/index.js'
import { runs } from '../support/runs.js'

/** A context with turns of many shapes, some nodes gone again. */
function grown(shapes: readonly number[]): Context {
  const ctx = createContext({ id: 'a' })
  ctx.system.add('System')
  for (const shape of shapes) {
    if (shape % 2 === 0) ctx.pre(`pre ${shape}`, { ttl: 1 + (shape % 4) })
    for (let i = 0; i < shape % 4; i++) ctx.user(`user ${shape} ${i}`)
    if (shape % 3 === 0) {
      ctx.add(undefined, { zone: 'post', children: [{ content: `in ${shape}` }, { children: [{ content: 'deep' }] }] })
    }
    if (shape % 5 === 0) ctx.post(`post ${shape}`, { key: 'kb' })
    ctx.commit()
  }
  ctx.user('open')
  return ctx
}

const shapes = fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 40 })

async function allRows(pool: ContextPool, input: Omit<Input<'tree'>, 'id'> = {}): Promise<Tree> {
  const first = await readTree(pool, { id: 'a', ...input, rows: 0 })
  const rows: TreeRow[] = []
  for (let row = 0; row < first.total; row += 700)
    rows.push(...(await readTree(pool, { id: 'a', ...input, row, rows: 700 })).rows)
  return { ...first, rows }
}

/** The rows of a tree in which everything is open, by a plain walk. */
function plainIds(nodes: readonly Node[], level = 1): readonly (readonly [string, number])[] {
  return nodes.flatMap((node) => {
    const isCore =
      node.offset === 0 &&
      node.nodeType === 'cont' &&
      node.content === undefined &&
      level === CORE_LEVEL.get(node.parentId!)
    const isWrapper = !isCore && node.nodeType === 'cont' && node.content === undefined && node.children.length === 1
    if (isWrapper) return plainIds(node.children, level)
    const below = plainIds(node.children, isCore ? level : level + 1)
    return isCore ? below : [[node.id, level] as const, ...below]
  })
}

/** The level of the children of a turn, or of the head. */
const CORE_LEVEL = {
  get: (parent: string): number => (parent.startsWith('seg:') ? 3 : parent === 'ah' ? 2 : -1),
}

describe('rows', () => {
  test('with all open are those of a plain walk', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (given) => {
        const ctx = grown(given)
        const { rows, total } = await allRows(memoryPool(ctx), { at: 'working', open: 'all' })
        expect(rows.map(({ id, level }) => [id, level])).toEqual(plainIds(ctx.working.root.children))
        expect(total).toBe(rows.length)
        expect(rows.map(({ row }) => row)).toEqual(rows.map((_, i) => i))
      }),
      { numRuns: runs(40) },
    )
  })

  test('any window is that part of the whole, whatever is open, closed, marked or gone', async () => {
    const lens = fc.constantFrom('@t0', '@t-1', 'working', 'preview') as fc.Arbitrary<'@t0' | 'working' | 'preview'>
    await fc.assert(
      fc.asyncProperty(
        shapes,
        fc.array(fc.nat()),
        fc.array(fc.nat()),
        fc.nat(),
        fc.nat({ max: 30 }),
        lens,
        fc.boolean(),
        async (given, open, closed, at, count, to, isAll) => {
          const ctx = grown([3, ...given, 7])
          const pool = memoryPool(ctx)
          const everything = await allRows(pool, { at: to, open: 'all' })
          const pick = (picks: readonly number[]): string[] =>
            picks.map((each) => everything.rows[each % everything.rows.length]!.id)
          const from = given.length > 3 ? ('@t-3' as const) : ('@t-2' as const)
          const input = { at: to, from, open: isAll ? ('all' as const) : pick(open), closed: pick(closed) }
          const whole = await allRows(pool, input)
          const row = at % (whole.total + 2)
          const part = await readTree(pool, { id: 'a', ...input, row, rows: count })
          expect(part.rows).toEqual(whole.rows.slice(row, row + count))
          expect(whole.rows).toHaveLength(whole.total)
          const marked = whole.rows.filter(({ mark }) => mark === '+' || mark === '~').map((each) => each.row)
          expect(part.changed).toEqual(marked)
        },
      ),
      { numRuns: runs(80) },
    )
  })

  test('a node is found in the row that it is told to be in', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, fc.nat(), async (given, which) => {
        const ctx = grown(given)
        const pool = memoryPool(ctx)
        const everything = await allRows(pool, { at: '@t0', open: 'all' })
        const { id } = everything.rows[which % everything.rows.length]!
        const { found } = await readTree(pool, { id: 'a', at: '@t0', find: id })
        const shown = await readTree(pool, { id: 'a', at: '@t0', find: id, row: found!, rows: 1 })
        expect(shown.rows[0]!.id).toBe(id)
      }),
      { numRuns: runs(60) },
    )
  })

  test('tokens of closed rows are those of all under them', async () => {
    const ctx = grown([3, 6, 9, 12, 15, 30])
    const pool = memoryPool(ctx)
    const { rows } = await allRows(pool, { at: '@t0' })
    const turn = rows.find(({ kind, isOpen }) => kind === 'seg' && isOpen === false)!
    const { by } = ctx.tokens('@t0', { by: 'node' })
    const under = (node: Node): number =>
      (by[node.id] ?? 0) + node.children.reduce((sum, child) => sum + under(child), 0)
    expect(turn.tokens).toBe(under(ctx.node(turn.id, '@t0')!))
    expect(rows[0]!.tokens).toBe(ctx.tokens('@t0', { by: 'region' }).by['^sys'])
  })

  test('what left keeps its place, with its cause and its heir', async () => {
    const ctx = createContext({ id: 'a' })
    ctx.user('One', { key: 'k' })
    ctx.post('Goes', { ttl: 1 })
    ctx.commit()
    ctx.user('Two')
    ctx.commit()
    ctx.replace('#k', { content: 'Uno' })
    ctx.commit()
    const { rows } = await readTree(memoryPool(ctx), { id: 'a', at: '@t0', from: '@c1', open: 'all' })
    const told = rows.filter(({ mark }) => mark !== '').map(({ mark, text, cause, heir }) => [mark, text, cause, heir])
    expect(told).toContainEqual(['-', 'Goes', 'expired', undefined])
    expect(told).toContainEqual(['-', 'One', 'superseded', rows.find(({ text }) => text === 'Uno')!.id])
    expect(told).toContainEqual(['+', 'Uno', 'superseded', undefined])
    const texts = rows.map(({ text }) => text)
    expect(texts.indexOf('One')).toBeLessThan(texts.indexOf('Uno'))
    const without = await readTree(memoryPool(ctx), { id: 'a', at: '@t0', from: '@c1', open: 'all', ghosts: false })
    expect(without.rows.every(({ mark }) => mark !== '-')).toBe(true)
  })

  test('matches: by selector and by text, all or only these', async () => {
    const ctx = grown([1, 2, 3, 5, 10, 15])
    const pool = memoryPool(ctx)
    const bySelector = await readTree(pool, { id: 'a', at: '@t0', open: 'all', q: '#kb' })
    expect(bySelector.matches).toBe(ctx.select('@t0 #kb').length)
    expect(bySelector.matched!.map((row) => bySelector.rows[row]!.key)).toEqual(ctx.select('@t0 #kb').map(() => 'kb'))
    const byText = await readTree(pool, { id: 'a', at: '@t0', q: 'POST', only: true })
    expect(byText.rows.filter(({ matches }) => matches).map(({ text }) => text)).toEqual([
      'post 5',
      'post 10',
      'post 15',
    ])
    expect(byText.rows.filter(({ kind }) => kind === 'seg')).toHaveLength(3)
    await expect(readTree(pool, { id: 'a', q: '@t-2..@t0 .block' })).rejects.toMatchObject({
      code: 'E_SELECTOR_INVALID',
    })
    await expect(readTree(pool, { id: 'a', q: ':cor' })).rejects.toMatchObject({ code: 'E_SELECTOR_INVALID' })
  })
})

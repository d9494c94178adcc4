import { PactError } from 'pact-context'
import { expect, test } from 'vitest'

import { MemoryRows } from './memory/rows.js'
import { packOf } from './pack.js'
import { linksOf, rowAt, rowsBetween, sharedRow, lineageOf } from './lineage.js'
import { NO_HASH, RowWriter } from './row.js'
import type { ContextRow, Row, Rows } from './rows.js'

/** Rows of neighbouring cycles, chained. */
function chain(from: number, to: number, after: Uint8Array = NO_HASH): readonly Row[] {
  const rows: Row[] = []
  for (let cycle = from; cycle <= to; cycle++) {
    rows.push(new RowWriter(() => undefined).row(cycle, rows.at(-1)?.hash ?? after, Buffer.from(`row ${cycle}`)))
  }
  return rows
}

async function create(
  rows: Rows,
  id: string,
  own: readonly Row[],
  parent?: ContextRow,
  cycle = 0,
): Promise<ContextRow> {
  const now = parent && (await rows.byNumber(parent.ctx))!
  const from = now && { ctx: now.ctx, family: now.family, forks: now.forks, cycle }
  return (await rows.create({ id, packs: [], rows: own, parent: from })) as ContextRow
}

async function listed(iterable: AsyncIterable<Row>): Promise<readonly number[]> {
  const cycles: number[] = []
  for await (const { cycle } of iterable) cycles.push(cycle)
  return cycles
}

/** A root of cycles 0 to 5, a fork that left it after 3 and grew to 6, and a fork of that which left after 2. */
async function family(): Promise<{ rows: Rows; root: ContextRow; fork: ContextRow; below: ContextRow }> {
  const rows = new MemoryRows()
  const trunk = chain(0, 5)
  const root = await create(rows, 'root', trunk)
  const fork = await create(rows, 'fork', chain(3, 6, trunk[3]!.hash), root, 3)
  const below = await create(rows, 'below', chain(2, 4, trunk[2]!.hash), fork, 2)
  return { rows, root, fork, below }
}

test('a past is the lineage of all that a context comes from, the oldest first', async () => {
  const { rows, root, fork, below } = await family()
  const shape = async (context: ContextRow): Promise<unknown> =>
    (await lineageOf(rows, context)).map(({ context: { id }, to }) => [id, to])
  expect(await shape(root)).toEqual([['root', 5]])
  expect(await shape(fork)).toEqual([
    ['root', 3],
    ['fork', 6],
  ])
  expect(await shape(below)).toEqual([
    ['root', 2],
    ['fork', 2],
    ['below', 4],
  ])
})

test('each link knows the hash of the one before it, across forks', async () => {
  const { rows, fork, below } = await family()
  for (const [context, expected] of [
    [fork, ['root 0', 'root 1', 'root 2', 'root 3', 'fork 3', 'fork 4', 'fork 5', 'fork 6']],
    [below, ['root 0', 'root 1', 'root 2', 'below 2', 'below 3', 'below 4']],
  ] as const) {
    const names: string[] = []
    let hash: Uint8Array = NO_HASH
    for await (const { context: of, row, after } of linksOf(rows, await lineageOf(rows, context))) {
      names.push(`${of.id} ${row.cycle}`)
      expect(Buffer.compare(after, hash)).toBe(0)
      ;({ hash } = row)
    }
    expect(names).toEqual(expected)
  }
})

test('a row that a context shows may be that of an ancestor', async () => {
  const { rows, root, fork, below } = await family()
  const rootRow = await rowAt(rows, root.ctx, 1)
  expect(await sharedRow(rows, below, 1)).toEqual(rootRow)
  expect(await sharedRow(rows, fork, 3)).toEqual(await rowAt(rows, fork.ctx, 3))
  expect(await rowAt(rows, fork.ctx, 1)).toBeUndefined()
})

test('rows are read in order, from packs and alone', async () => {
  const rows = new MemoryRows()
  const own = chain(0, 20)
  const { ctx } = await create(rows, 'one', own)
  await rows.pack(ctx, packOf(own.slice(0, 5)))
  await rows.pack(ctx, packOf(own.slice(5, 12)))
  expect(await listed(rowsBetween(rows, ctx, 0, 20))).toEqual(own.map(({ cycle }) => cycle))
  expect(await listed(rowsBetween(rows, ctx, 3, 6))).toEqual([3, 4, 5, 6])
  expect(Buffer.from((await rowAt(rows, ctx, 7))!.changes).toString()).toBe('row 7')
})

test('more rows than are read at once come as well', async () => {
  const rows = new MemoryRows()
  const { ctx } = await create(rows, 'one', chain(0, 5000))
  expect((await listed(rowsBetween(rows, ctx, 10, 4999))).length).toBe(4990)
})

test('a row that is not there is damage, and so is a parent that is gone', async () => {
  const { rows, root, fork } = await family()
  await expect(listed(rowsBetween(rows, root.ctx, 0, 6))).rejects.toThrow(/row of cycle 6 is damaged: it is not there/)
  const orphaned = new Proxy(rows, {
    get: (target, name) =>
      name === 'byNumber' ? async () => undefined : (Reflect.get(target, name) as () => unknown).bind(target),
  })
  await expect(lineageOf(orphaned, fork)).rejects.toThrow(PactError)
})

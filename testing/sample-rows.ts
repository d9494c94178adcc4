// Rows for the contract of databases. A database never reads their content, so it is made up; all rows differ.

import { createHash } from 'node:crypto'

import type {
  Answer,
  AttemptRow,
  ContextKey,
  ContextRow,
  NewCommit,
  NewContext,
  Pack,
  Row,
  Rows,
} from 'pact-context/store'

import { holds, same, there } from './checks.js'

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** The order of ids: by code point, which is the order of their UTF-8 bytes. */
export function compareIds(a: string, b: string): number {
  return Buffer.compare(bytes(a), bytes(b))
}

export function hashOf(text: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(text).digest())
}

export function rowFor(cycle: number, label = 'row'): Row {
  const name = `${label} ${cycle}`
  return { cycle, hash: hashOf(name), changes: bytes(`changes of ${name}`), bodies: bytes(`bodies of ${name}`) }
}

/** Rows of consecutive cycles. */
export function rowsFor(from: number, to: number, label?: string): readonly Row[] {
  return Array.from({ length: to - from + 1 }, (_, i) => rowFor(from + i, label))
}

export function packFor(from: number, to: number): Pack {
  return { from, to, body: bytes(`pack from ${from} to ${to}`) }
}

export function answerFor(key: string, cycle: number): Answer {
  return { key, cycle, digest: hashOf(key), answer: bytes(`answer to ${key} in ${cycle}`) }
}

export function attemptFor(id: string, body: string = id, writer: string = 'me'): AttemptRow {
  return { id, writer, body: bytes(body) }
}

/** The key of a page: sixteen bytes in hex. */
export function pageKey(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/** Creates a context with these first rows. */
export async function made(
  rows: Rows,
  id: string,
  own: readonly Row[] = [rowFor(0, id)],
  more: Partial<NewContext> = {},
): Promise<ContextRow> {
  const row = await rows.create({ id, packs: [], rows: own, ...more })
  if (typeof row === 'string') throw new Error(`The context ${id} could not be made: ${row}.`)
  return row
}

/** The number of a context that does not exist. */
export async function goneKey(rows: Rows): Promise<ContextKey> {
  const { ctx } = await made(rows, 'gone')
  await rows.delete(ctx, false)
  return ctx
}

/** Forks a context in its current state. */
export function forkFor(id: string, { ctx, head, forks, family }: ContextRow, cycle: number = head): NewContext {
  return { id, parent: { ctx, cycle, forks, family }, packs: [], rows: [rowFor(cycle, id)] }
}

export async function forked(rows: Rows, id: string, parent: ContextRow): Promise<ContextRow> {
  const { ctx } = parent
  const now = there(await rows.byNumber(ctx), `context number ${ctx}`)
  const row = await rows.create(forkFor(id, now))
  if (typeof row === 'string') throw new Error(`The fork ${id} could not be made: ${row}.`)
  return row
}

/** The next commit of a context. */
export function nextFor({ ctx, head, chain, epoch }: ContextRow, label = 'next'): NewCommit {
  return { ctx, after: chain, epoch, row: rowFor(head + 1, label) }
}

/** Commits more rows and returns the context's new state. */
export async function grown(rows: Rows, context: ContextRow, count: number, label = 'more'): Promise<ContextRow> {
  let now = context
  for (let i = 0; i < count; i++) {
    same(await rows.commit(nextFor(now, label)), 'done', `the commit of cycle ${now.head + 1}`)
    now = there(await rows.byNumber(context.ctx), 'the context after its commit')
  }
  return now
}

/** One past the largest cycle. */
export const LAST: number = 2 ** 30 - 1

/** Everything a database holds of a context, in a fixed order. */
export async function heldOf(rows: Rows, { ctx, id, family }: ContextRow): Promise<object> {
  const { packs, rows: alone } = await rows.read(ctx, 0, LAST)
  return {
    found: await rows.find(id),
    byNumber: await rows.byNumber(ctx),
    packs: packs.toSorted((a, b) => a.from - b.from),
    rows: alone.toSorted((a, b) => a.cycle - b.cycle),
    unpacked: await rows.unpacked(ctx),
    answers: (await rows.answers(ctx)).toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    attempts: await rows.attempts(ctx, 1000),
    manifests: await rows.manifests(ctx),
    newest: await rows.manifest(ctx, LAST),
    draft: await rows.draft(ctx),
    pages: await rows.pages(family, PAGES),
  }
}

/** The keys that `heldOf` asks for. */
export const PAGES: readonly string[] = ['one', 'two', 'three'].map(pageKey)

/** Expects every cycle of a range exactly once, packed or not, and none outside it. */
export async function expectCovered(rows: Rows, ctx: ContextKey, from: number, to: number): Promise<void> {
  const found = await rows.read(ctx, from, to)
  const cycles = found.rows.map(({ cycle }) => cycle)
  for (const cycle of cycles) holds(cycle >= from && cycle <= to, `cycle ${cycle} was read, but not asked for`)
  for (const pack of found.packs) {
    holds(pack.to >= from && pack.from <= to, `the pack of ${pack.from} to ${pack.to} was read for ${from} to ${to}`)
    for (let cycle = pack.from; cycle <= pack.to; cycle++) if (cycle >= from && cycle <= to) cycles.push(cycle)
  }
  const all = Array.from({ length: to - from + 1 }, (_, i) => from + i)
  same(
    cycles.toSorted((a, b) => a - b),
    all,
    `the cycles that were read of ${from} to ${to}`,
  )
}

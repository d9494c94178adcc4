// Rendering attempts again from their records (D32), as a reader of records would.

import { createHash } from 'node:crypto'

import { canonicalJson, type Attempt, type Context, type Lens, type ThreadItem } from 'pact-context'
import { expect } from 'vitest'

import { decodeAttempt, encodeAttempt } from '../../src/codec/index.js'
import { Context as ContextClass, type AnyContext } from '../../src/context/index.js'
import type { SentRecord } from '../../src/core/index.js'
import { textOf } from './context.js'

/** The records' part of a call to a provider. */
export const CALL = { provider: 'acme', model: 'large-1', params: {} } as const

/** The kept records of a context with their differences from bases. */
export function sentRecordsOf(ctx: AnyContext): readonly SentRecord[] {
  return ContextClass.partsOf(ctx).attempts.list()
}

/** The kept record of an attempt. */
export function sentRecordOf(ctx: Context, { id }: Attempt): SentRecord {
  return sentRecordsOf(ctx).find((each) => each.attempt_id === id)!
}

/** Renders an attempt from its own record and the snapshot below it, and compares the bytes. */
export function expectRenderedAgain(ctx: Context, lens: Lens): Attempt {
  const attempt = ctx.startAttempt({ ...CALL, lens })
  const record = sentRecordOf(ctx, attempt)
  expect(record).not.toHaveProperty('base_attempt')
  expectSent(attempt, itemsOf(readBack(record), ctx, []))
  return attempt
}

/** Renders each of some attempts from what the list of all says of it. */
export function expectListRenderedAgain(ctx: Context, attempts: readonly Attempt[]): void {
  const records = sentRecordsOf(ctx).map(readBack)
  for (const attempt of attempts) {
    const record = records.find((each) => each.attempt_id === attempt.id)!
    expectSent(attempt, itemsOf(record, ctx, records))
  }
}

/** As a store writes and reads it. */
function readBack(record: SentRecord): SentRecord {
  return decodeAttempt(encodeAttempt(record))
}

/** The items of a thread, as far as records tell them: one that has no role got the one of its region. */
function itemsOf(record: SentRecord, ctx: Context, records: readonly SentRecord[]): readonly ThreadItem[] {
  const { base_attempt: later, base_cycle: cycle, nodes, thread_indexes: indexes, absent_ids: absent } = record
  const base =
    later === undefined
      ? cycle === null
        ? []
        : ctx.thread(`@c${cycle}`)
      : itemsOf(
          records.find(({ attempt_id: id }) => id === later)!,
          ctx,
          records,
        )
  const ids = new Set([...absent, ...nodes.map((node) => node['id'])])
  const items = base.filter((item) => !ids.has(item.id))
  for (const [i, node] of nodes.entries()) {
    const { id, role, kind, content } = node as Partial<ThreadItem> & { id: string }
    items.splice(indexes[i]!, 0, { id, role, kind, content: content === undefined ? '' : content } as ThreadItem)
  }
  return items
}

function expectSent({ record, snapshot }: Attempt, items: readonly ThreadItem[]): void {
  const roles = new Map(snapshot.thread().map((item) => [item.id, item.role]))
  const texts = items.map(({ id, role = roles.get(id), kind, content }) => {
    const named = Object.entries({ id, role, kind }).filter(([, value]) => value !== undefined)
    return `{${named.map(([name, value]) => `"${name}":${canonicalJson(value)},`).join('')}"content":${canonicalJson(content)}}`
  })
  const text = `[${texts.join(',')}]`
  expect(text).toBe(textOf(snapshot.threadBytes()))
  expect(createHash('sha256').update(text).digest('hex')).toBe(record.thread_hash)
}

/** The record of a node of the open cycle; attempts share its content, but not the record. */
export function openRecordOf(ctx: AnyContext, id: string): object {
  return ContextClass.partsOf(ctx).open.draft.find(id)!
}

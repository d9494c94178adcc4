import { createContext } from 'pact-context'
import { expect, test } from 'vitest'

import { sentRecordsOf } from '../../test/support/attempts.js'
import type { AttemptId, SentRecord } from '../core/index.js'
import { storeFault } from './fault.js'
import { MemoryRows } from './memory/rows.js'
import { NO_HASH } from './row.js'
import type { Rows } from './rows.js'
import { PendingWork } from './upkeep.js'
import { AttemptQueue, attemptRow, keptAttempts } from './attempt-rows.js'

const OWNER = { seal: new Uint8Array(48) }

const CALL = { provider: 'acme', model: 'm', params: {}, lens: 'working' } as const

/** Attempts as a context makes them: each as a difference to the next one. */
function attempts(count: number): readonly SentRecord[] {
  const ctx = createContext()
  for (let i = 0; i < count; i++) {
    ctx.user(`turn ${i}`)
    ctx.startAttempt(CALL).complete({})
  }
  return sentRecordsOf(ctx)
}

async function context(): Promise<{ rows: Rows; ctx: number }> {
  const rows = new MemoryRows()
  const row = { cycle: 0, hash: NO_HASH, changes: new Uint8Array(0), bodies: new Uint8Array(0) }
  const made = await rows.create({ id: 'one', packs: [], rows: [row] })
  return { rows, ctx: (made as { ctx: number }).ctx }
}

test('what comes in at any moment after others is written by itself', async () => {
  const records = attempts(2)
  for (let pauses = 0; pauses < 12; pauses++) {
    const { rows, ctx } = await context()
    const queue = new AttemptQueue(rows, { ctx, id: 'one', ...OWNER }, 'me', new PendingWork())
    queue.add([records[0]!], 0)
    for (let i = 0; i < pauses; i++) await Promise.resolve()
    queue.add([records[1]!], 0)
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(await rows.attempts(ctx, 10), `after ${pauses} pauses`).toHaveLength(2)
    expect(queue.isEmpty).toBe(true)
  }
})

test('what cannot be written waits, in its order, and what has changed meanwhile is newer', async () => {
  const { rows, ctx } = await context()
  const [first, second] = attempts(2)
  let isBroken = true
  const flaky = new Proxy(rows, {
    get: (target, name) =>
      name === 'writeAttempts' && isBroken
        ? () => Promise.reject(storeFault('It is locked.', 'failed'))
        : (Reflect.get(target, name) as () => unknown).bind(target),
  })
  const pendingWork = new PendingWork()
  const queue = new AttemptQueue(flaky, { ctx, id: 'one', ...OWNER }, 'me', pendingWork)
  queue.add([first!, second!], 0)
  await expect(queue.finish()).rejects.toThrow('It is locked.')
  queue.add([{ ...first!, token_in: 7 }], 0)
  await expect(pendingWork.finish()).rejects.toThrow('It is locked.')
  expect(queue.isEmpty).toBe(false)
  isBroken = false
  await pendingWork.finish()
  const { records } = keptAttempts(OWNER, await rows.attempts(ctx, 10), 1, '')
  expect(records).toEqual([{ ...first!, token_in: 7 }, second])
  expect(queue.isEmpty).toBe(true)
})

test('an attempt that is told from a later one is so still', () => {
  const records = attempts(3)
  const rows = records.map((record) => attemptRow(OWNER, record, 'me'))
  expect(keptAttempts(OWNER, rows, 1, '')).toEqual({ records, cycle: 1, started: 3 })
})

test('ids that two writers gave are told apart, and each chain stays its own', () => {
  const records = attempts(2)
  const rows = records.flatMap((record) => [attemptRow(OWNER, record, 'me'), attemptRow(OWNER, record, 'you')])
  const kept = keptAttempts(OWNER, rows, 1, '').records
  expect(kept.map(({ attempt_id: id, base_attempt: base }) => [id, base])).toEqual([
    ['attempt:1-0', 'attempt:1-1'],
    ['attempt:1-0~you', 'attempt:1-1~you'],
    ['attempt:1-1', undefined],
    ['attempt:1-1~you', undefined],
  ])
})

test('ids go on behind the highest of the open cycle, also behind one with a name behind it', () => {
  const [record] = attempts(1)
  const named = (id: AttemptId): ReturnType<typeof attemptRow> =>
    attemptRow(OWNER, { ...record!, attempt_id: id }, 'me')
  const ids = ['attempt:3-9', 'attempt:4-2~you', 'attempt:4-1', 'attempt:f1:4-7', 'attempt:41-5'] as const
  const rows = ids.map(named)
  expect(keptAttempts(OWNER, rows, 4, '').started).toBe(3)
  expect(keptAttempts(OWNER, rows, 4, 'f1').started).toBe(8)
  expect(keptAttempts(OWNER, rows, 5, '').started).toBe(0)
  expect(keptAttempts(OWNER, [], 1, '')).toEqual({ records: [], cycle: 1, started: 0 })
})

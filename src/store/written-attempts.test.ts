import { createContext, type AttemptRecord } from 'pact-context'
import { expect, test } from 'vitest'

import { storeFault } from './fault.js'
import { MemoryRows } from './memory/rows.js'
import { NO_HASH } from './row.js'
import type { Rows } from './rows.js'
import { Unfinished } from './unfinished.js'
import { AttemptQueue, attemptRow, keptAttempts } from './written-attempts.js'

const CALL = { provider: 'acme', model: 'm', params: {}, lens: 'working' } as const

/** Attempts as a context makes them: each told from the next one. */
function attempts(count: number): readonly AttemptRecord[] {
  const ctx = createContext()
  for (let i = 0; i < count; i++) {
    ctx.user(`turn ${i}`)
    ctx.startAttempt(CALL).complete({})
  }
  return ctx.attempts()
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
    const queue = new AttemptQueue(rows, ctx, 'me', new Unfinished())
    queue.add([records[0]!])
    for (let i = 0; i < pauses; i++) await Promise.resolve()
    queue.add([records[1]!])
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
  const unfinished = new Unfinished()
  const queue = new AttemptQueue(flaky, ctx, 'me', unfinished)
  queue.add([first!, second!])
  await expect(queue.finish()).rejects.toThrow('It is locked.')
  queue.add([{ ...first!, token_in: 7 }])
  await expect(unfinished.finish()).rejects.toThrow('It is locked.')
  expect(queue.isEmpty).toBe(false)
  isBroken = false
  await unfinished.finish()
  const { records } = keptAttempts(await rows.attempts(ctx, 10), 1, '')
  expect(records).toEqual([{ ...first!, token_in: 7 }, second])
  expect(queue.isEmpty).toBe(true)
})

test('an attempt that is told from a later one is so still', () => {
  const records = attempts(3)
  const rows = records.map((record) => attemptRow(record, 'me'))
  expect(keptAttempts(rows, 1, '')).toEqual({ records, cycle: 1, started: 3 })
})

test('ids that two writers gave are told apart, and each chain stays its own', () => {
  const records = attempts(2)
  const rows = records.flatMap((record) => [attemptRow(record, 'me'), attemptRow(record, 'you')])
  const kept = keptAttempts(rows, 1, '').records
  expect(kept.map(({ attempt_id: id, base_attempt: base }) => [id, base])).toEqual([
    ['attempt:1-0', 'attempt:1-1'],
    ['attempt:1-0~you', 'attempt:1-1~you'],
    ['attempt:1-1', undefined],
    ['attempt:1-1~you', undefined],
  ])
})

test('ids go on behind the highest of the open cycle, also behind one with a name behind it', () => {
  const [record] = attempts(1)
  const named = (id: string): ReturnType<typeof attemptRow> => attemptRow({ ...record!, attempt_id: id }, 'me')
  const rows = ['attempt:3-9', 'attempt:4-2~you', 'attempt:4-1', 'attempt:f1:4-7', 'attempt:41-5'].map(named)
  expect(keptAttempts(rows, 4, '').started).toBe(3)
  expect(keptAttempts(rows, 4, 'f1').started).toBe(8)
  expect(keptAttempts(rows, 5, '').started).toBe(0)
  expect(keptAttempts([], 1, '')).toEqual({ records: [], cycle: 1, started: 0 })
})

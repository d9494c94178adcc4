// A schedule that cannot place its instance warns, once per cycle that was due (D46): every reason there is, in memory and in a store that
// is opened again from rows and from manifests.

import { createContext, importSnapshot, type ContextOptions, type Warning } from 'pact-context'
import { Store } from 'pact-context/store'
import { describe, expect, test } from 'vitest'

import type { AnyContext } from '../../src/context/index.js'
import { clockOf, textOf } from '../support/context.js'
import { memoryPlace } from '../support/places.js'

const LAST = Number.MAX_SAFE_INTEGER
const CYCLES = 7

type Way = Readonly<{
  name: string
  options?: ContextOptions
  /** The edits of each cycle, from 1 on. */
  edits: (ctx: AnyContext, cycle: number) => void
  /** A schedule that is left out: its key, the cycle, and the code of the reason. */
  left: readonly string[]
}>

const EVERY_SECOND = { cad: 2, ttl: 1 } as const
const EVERY = { cad: 1, ttl: 1 } as const

const WAYS: readonly Way[] = [
  {
    name: 'the key is in ^sys',
    edits: (ctx, cycle) => {
      if (cycle === 1) ctx.post('tip', { key: 'k', ...EVERY_SECOND })
      if (cycle === 2) ctx.system.add('rule', { key: 'k' })
    },
    left: odd('k', 'E_ODI_VIOLATION'),
  },
  {
    name: 'the key of a child is in ^sys',
    edits: (ctx, cycle) => {
      if (cycle === 1) box(ctx, [{ content: 'x', key: 'inner' }])
      if (cycle === 2) ctx.system.add('rule', { key: 'inner' })
    },
    left: odd('a', 'E_ODI_VIOLATION'),
  },
  {
    name: 'two of three keys are in ^sys',
    edits: (ctx, cycle) => {
      for (const key of ['a', 'b', 'c']) if (cycle === 1) ctx.pre('tip', { key, ...EVERY_SECOND })
      for (const key of ['a', 'c']) if (cycle === 2) ctx.system.add('rule', { key })
    },
    left: [3, 5, 7].flatMap((cycle) => [`a ${cycle} E_ODI_VIOLATION`, `c ${cycle} E_ODI_VIOLATION`]),
  },
  {
    name: "another instance brings the same key, and odi is 'reject'",
    options: { odi: 'reject' },
    edits: (ctx, cycle) => boxWithKey(ctx, cycle),
    left: odd('b', 'E_ODI_VIOLATION'),
  },
  {
    name: 'another instance brings the same key, and no segment can take it',
    options: { emptySegments: 'remove' },
    edits: (ctx, cycle) => boxWithKey(ctx, cycle, 0),
    left: odd('b', 'E_ODI_VIOLATION'),
  },
  {
    name: 'another instance brings the same key, and the offsets of the segment that would take it are used up',
    edits: (ctx, cycle) => {
      boxWithKey(ctx, cycle)
      ctx.post('far', { offset: LAST })
    },
    left: odd('b', 'E_PLACEMENT_INVALID'),
  },
  {
    name: 'another instance brings the same key, and in it a key that a sealed core has',
    edits: (ctx, cycle) => {
      if (cycle === 1) box(ctx, [{ key: 'b', children: [{ content: 'x', key: 'r' }] }])
      if (cycle === 2) ctx.post('b', { key: 'b', ...EVERY })
      if (cycle % 2 === 0) ctx.user('sealed', { key: 'r' })
    },
    left: odd('b', 'E_ODI_VIOLATION'),
  },
  {
    name: 'the offsets of the head are used up by another instance',
    edits: (ctx, cycle) => {
      if (cycle > 1) return
      ctx.post('near', { key: 'b', ...EVERY_SECOND })
      ctx.post('far', { key: 'a', offset: LAST, ...EVERY_SECOND })
    },
    left: odd('b', 'E_PLACEMENT_INVALID'),
  },
]

function odd(key: string, code: string): readonly string[] {
  return [3, 5, 7].map((cycle) => `${key} ${cycle} ${code}`)
}

function box(ctx: AnyContext, children: readonly object[]): void {
  ctx.add(undefined, { zone: 'post', key: 'a', ...EVERY_SECOND, children: children as never })
}

/** In every odd cycle `a` returns with a child `b`, and then `b` by itself. */
function boxWithKey(ctx: AnyContext, cycle: number, ttl = 1): void {
  if (cycle === 1) box(ctx, [{ content: 'x', key: 'b' }])
  if (cycle === 2) ctx.post('b', { key: 'b', cad: 1, ttl })
}

function leftOut(warnings: readonly Warning[]): readonly string[] {
  return warnings
    .filter(({ details }) => details['kind'] === 'schedule-left-out')
    .map(({ details }) => `${String(details['key'])} ${String(details['cycle'])} ${String(details['code'])}`)
}

describe.each(WAYS)('where $name', ({ options, edits, left }) => {
  test('each due cycle warns once', () => {
    const told: Warning[] = []
    const ctx = createContext({ clock: clockOf(), ...options, onWarning: (warning) => told.push(warning) })
    for (let cycle = 1; cycle < CYCLES; cycle++) {
      edits(ctx, cycle)
      ctx.preview()
      ctx.commit()
      ctx.snapshot('working')
    }
    expect(leftOut(told)).toEqual(left)
    expect(ctx.warnings).toEqual(told)
    const last = left.filter((each) => each.includes(` ${CYCLES} `))
    expect(leftOut(ctx.fork().warnings)).toEqual(last)
    expect(leftOut(importSnapshot(textOf(ctx.export()), options).warnings)).toEqual(last)
  })

  test('each due cycle warns once in a stored context, opened again in every cycle and after another writer', async () => {
    const store = new Store(await memoryPlace().open(), { packed: 2, tail: 2, manifest: 2 })
    const told: Warning[] = []
    const given = { clock: clockOf(), ...options, history: 1, onWarning: (warning: Warning) => told.push(warning) }
    const other = await store.open('one', { clock: clockOf(), ...options })
    for (let cycle = 1; cycle < CYCLES; cycle++) {
      const ctx = await store.open('one', given)
      const listed = leftOut(ctx.warnings)
      expect(listed).toEqual([...new Set(listed)])
      const now = left.filter((each) => each.includes(` ${cycle} `))
      expect(listed.filter((each) => each.includes(` ${cycle} `))).toEqual(now)
      edits(ctx, cycle)
      await ctx.commit()
      await other.rebase()
    }
    expect(leftOut(told)).toEqual(left)
    const rebased = leftOut(other.warnings)
    expect(rebased).toEqual([...new Set(rebased)])
    const whole = await store.open('one', { history: 'all' })
    expect(leftOut(whole.warnings).filter((each) => each.includes(` ${CYCLES} `))).toEqual(
      left.filter((each) => each.includes(` ${CYCLES} `)),
    )
    await store.close()
  })
})

test('a file whose schedule has its key twice warns once per due cycle', () => {
  const ctx = createContext()
  ctx.add(undefined, { zone: 'post', key: 'k', ...EVERY_SECOND, children: [{ content: 'x', key: 'other' }] })
  ctx.commit()
  const file = textOf(ctx.export()).replaceAll('"key":"other"', '"key":"k"')
  const told: Warning[] = []
  const again = importSnapshot(file, { onWarning: (warning) => told.push(warning) })
  for (let i = 0; i < 4; i++) again.commit()
  expect(leftOut(told)).toEqual([3, 5].map((cycle) => `k ${cycle} E_ODI_VIOLATION`))
})

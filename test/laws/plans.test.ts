// A plan is data that is made once and shared by every answer. It is not frozen, which would take longer than making it; so
// here every plan is, and all that runs one goes on as before.

import { expect, test, vi } from 'vitest'

import { createContext, PactError, type Context, type Dialect } from '../../src/index.js'
import rows from '../../src/selector/parse/parse.cases.json' with { type: 'json' }

const frozen = vi.hoisted(() => ({ plans: 0 }))

vi.mock(import('../../src/query/plan/compile.js'), async (importOriginal) => {
  const original = await importOriginal()
  return {
    ...original,
    compileSelector: (selector) => {
      frozen.plans++
      return freezeAll(original.compileSelector(selector))
    },
  }
})

test('nothing writes to a plan', () => {
  const contexts = { '1.0': history('1.0'), '0.1': history('0.1') }
  const asked = (rows as readonly Row[]).map(({ selector, dialect }) => ask(contexts[dialect], selector))
  for (const ctx of Object.values(contexts)) grow(ctx)
  const again = (rows as readonly Row[]).map(({ selector, dialect }) => ask(contexts[dialect], selector))
  const outcomes = [...asked, ...again].flat()
  expect(outcomes.filter((outcome) => outcome.startsWith('not refused'))).toEqual([])
  expect(outcomes.filter((outcome) => outcome === 'found').length).toBeGreaterThan(rows.length)
  expect(frozen.plans).toBeGreaterThan(rows.length)
})

type Row = Readonly<{ selector: string; dialect: Dialect }>

/** Asks in every way, several times: what is asked again is followed. */
function ask(ctx: Context, selector: string): readonly string[] {
  const calls: (() => unknown)[] = [
    () => ctx.select(selector),
    () => ctx.select(selector, { limit: 1 }),
    () => ctx.count(selector),
    () => ctx.first(selector),
    () => [...ctx.iterate(selector)],
    () => ctx.diff('@t-1', '@t0', selector),
    () => ctx.select(selector, { skip: 1 }),
  ]
  return calls.map(outcomeOf)
}

function outcomeOf(call: () => unknown): string {
  try {
    call()
    return 'found'
  } catch (error) {
    return PactError.is(error) && error.cause === undefined ? error.code : `not refused: ${String(error)}`
  }
}

function history(dialect: Dialect): Context {
  const ctx = createContext({ dialect })
  for (let turn = 0; turn < 4; turn++) grow(ctx)
  return ctx
}

function grow(ctx: Context): void {
  ctx.user('question', { tags: ['audit'], key: 'note', data_n: 5 })
  ctx.assistant('answer')
  ctx.commit()
}

function freezeAll<T>(part: T): T {
  if (typeof part !== 'object' || part === null || Object.isFrozen(part)) return part
  for (const each of Object.values(part)) freezeAll(each)
  return Object.freeze(part)
}

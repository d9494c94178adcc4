// Any file may be imported without harm (RELIABILITY): exports with random damage give an error that names the place, or a
// context that works: it exports what it holds, reads, takes edits and commits, or refuses them with a code.

import fc from 'fast-check'
import { createContext, importSnapshot, PactError, type Context } from 'pact-context'
import { expect, test } from 'vitest'

import { clockOf, textOf } from '../support/context.js'
import { runs } from '../support/runs.js'

const RUNS = runs(600)
const SEED = Number(process.env['PACT_SEED'] ?? 20261116)

/** An export with a bit of everything: edits, markers, schedules, an open head after a second import. */
function richExport(): unknown {
  const ctx = createContext({ clock: clockOf(1n, 1_000n) }) // times that are safe integers, so that JSON.parse keeps them
  ctx.system.add('rule', { key: 'rule' })
  ctx.user('hello', { ttl: 5, refs: ['block:1-0'] })
  ctx.post('plan', { key: 'plan', cad: 2, ttl: 1, pinned: true })
  ctx.add(undefined, {
    zone: 'post',
    removable: true,
    key: 'box',
    cad: 1,
    children: [{ content: 'in', data_call_id: 'c' }],
  })
  ctx.commit()
  ctx.assistant({ a: [1, { b: null }] }, { kind: 'call', data_call_id: 'c', tags: ['t'] })
  ctx.replace('{ key="plan" }', { content: 'newer' })
  ctx.insert({ content: 'spliced' }, { depth: 1 })
  ctx.delete('d2 .block[role=user]', { author: 'kim', reason: 'private' })
  ctx.commit()
  return JSON.parse(textOf(ctx.export()))
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

const junk = fc.oneof(
  fc.constantFrom<Json>(
    null,
    true,
    -1,
    0,
    1.5,
    2 ** 53,
    -(2 ** 53) + 1,
    1e300,
    '',
    'seg',
    '^ah',
    '^sys',
    'root',
    'cont',
    {},
    [],
  ),
  fc.constantFrom<Json>('block:1-2', 'plan', 'pact:emptied', '\u0000', '\ud800', [['deep']], { id: 'x' }, [
    { id: 'x' },
  ]),
)

/** Where, what, and how: another value, no value, the value of another place, or the value twice. */
const damage = fc.record({
  at: fc.nat(100_000),
  how: fc.constantFrom('set', 'set', 'drop', 'copy', 'twice', 'name'),
  from: fc.nat(100_000),
  value: junk,
  name: fc.constantFrom(
    'ttl',
    'cad',
    'key',
    'supersedes',
    'offset',
    'children',
    'nodeType',
    'cycle',
    '__proto__',
    'zone',
  ),
})

type Place = { holder: Json[] | { [name: string]: Json }; name: string | number }

function placesIn(value: Json, found: Place[] = []): Place[] {
  if (typeof value !== 'object' || value === null) return found
  const holder = value
  for (const name of Object.keys(holder)) {
    found.push({ holder, name: Array.isArray(holder) ? Number(name) : name })
    placesIn((holder as { [name: string]: Json })[name]!, found)
  }
  return found
}

function valueAt({ holder, name }: Place): Json {
  return (holder as { [name: string | number]: Json })[name]!
}

function set({ holder, name }: Place, value: Json): void {
  Object.defineProperty(holder, name, { value, writable: true, enumerable: true, configurable: true })
}

function damaged(file: Json, hits: readonly Hit[]): Json {
  const copy = structuredClone(file)
  for (const { at, how, from, value, name } of hits) {
    const places = placesIn(copy)
    const place = places[at % places.length]
    if (place === undefined) break
    if (how === 'set') set(place, structuredClone(value))
    else if (how === 'copy') set(place, structuredClone(valueAt(places[from % places.length]!)))
    else if (how === 'name') set({ holder: place.holder, name }, structuredClone(value))
    else if (Array.isArray(place.holder)) {
      if (how === 'drop') place.holder.splice(Number(place.name), 1)
      else place.holder.push(structuredClone(valueAt(place)))
    } else if (how === 'drop') delete place.holder[place.name]
  }
  return copy
}

type Hit = { at: number; how: string; from: number; value: Json; name: string }

/** Runs a call that may be refused, but only with a code. */
function attempt(call: () => unknown): void {
  try {
    call()
  } catch (error) {
    if (!PactError.is(error) || error.code === 'E_INTERNAL') throw error
  }
}

function use(ctx: Context): void {
  const bytes = textOf(ctx.export())
  expect(textOf(importSnapshot(bytes, { dialect: ctx.dialect }).export())).toBe(bytes)
  for (const selector of ['*', '#plan', '.block', 'd1 .block', '^seq :post', '[ttl<=1]', '.cont > .block']) {
    attempt(() => ctx.select(`@t0 ${selector}`))
  }
  const first = ctx.snapshot()
  attempt(() => ctx.post('again', { key: 'plan' }))
  attempt(() => ctx.put('box', 'put'))
  attempt(() => ctx.insert({ content: 'x', key: 'plan' }, '(d1, end)'))
  attempt(() => ctx.move('^seq :post', { depth: 0, zone: 'post' }))
  attempt(() => ctx.replace('^seq .block', { content: 'over' }))
  attempt(() => ctx.delete('.seg', { reason: 'fuzz' }))
  attempt(() => ctx.system.move('^sys > *', { depth: 1 }))
  for (const { id } of ctx.nodes('@working *')) attempt(() => ctx.explain(id))
  ctx.undo()
  attempt(() => ctx.commit())
  attempt(() => ctx.commit())
  const after = textOf(ctx.export())
  expect(textOf(importSnapshot(after, { dialect: ctx.dialect }).export())).toBe(after)
  expect(ctx.diff('@t0', '@t0')).toEqual({ added: [], removed: [], changed: [] })
  expect(textOf(first.export())).toBe(bytes)
}

test('damaged files give an error with its place, or a context that works (D4, RELIABILITY)', () => {
  const file = richExport() as Json
  let works = 0
  fc.assert(
    fc.property(fc.array(damage, { minLength: 1, maxLength: 4 }), (hits) => {
      const broken = damaged(file, hits)
      let ctx: Context
      try {
        ctx = importSnapshot(broken as object, { clock: clockOf() })
      } catch (error) {
        if (!PactError.is(error)) throw error
        expect(error.code).toBe('E_SNAPSHOT_INVALID')
        expect(typeof error.details['path']).toBe('string')
        return
      }
      works++
      use(ctx)
    }),
    { numRuns: RUNS, seed: SEED },
  )
  expect(works).toBeGreaterThan(RUNS / 10)
})

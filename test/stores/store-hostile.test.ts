// All of Unicode, and names that want to be more than data: in every place where a caller can put text, a store gives the same
// bytes as memory, or refuses with the same code, and nothing else happens.

import { createContext, PactError, sel, type Context, type ContextOptions } from 'pact-context'
import { Store } from 'pact-context/store'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { AnyContext } from '../../src/context/index.js'
import { answer, compareContexts } from '../support/compare-contexts.js'
import { clockOf } from '../support/context.js'
import { memoryPlace, sqlitePlace } from '../support/places.js'
import { postgresPlace, sharedServer } from '../support/postgres.js'

const UNICODE = {
  NUL: 'a\0b',
  'a NUL alone': '\0',
  'half a pair, first': '\ud83d',
  'half a pair, second': 'x\ude00y',
  'halves the wrong way round': '\ude00\ud83d',
  'a byte order mark': '\ufeffx',
  'a line separator': '\u2028\u2029',
  composed: '\u00e9',
  decomposed: 'e\u0301',
  'beyond the first plane': '\u{1f600}\u{10ffff}',
  'no character': '\uffff\ufdd0',
  'right to left': '\u202eabc\u200f',
  controls: '\u0001\u001f\u007f\u0085',
  'a replacement character': '\ufffd',
}

const NAMES = {
  __proto__: '__proto__',
  constructor: 'constructor',
  toString: 'toString',
  empty: '',
  'a number': '0',
  'a path': '../../etc/passwd',
}

const SQL = {
  drop: "'; DROP TABLE commits; --",
  quotes: `"x" 'y' \`z\``,
  union: "' UNION SELECT * FROM contexts --",
  parameter: '?1',
  named: ':id $id @id',
  escape: "\\'; DELETE FROM contexts; --",
  comment: '/* x */ -- y',
  wildcard: '%_*',
  attach: "x'; ATTACH DATABASE '/tmp/evil.db' AS evil; --",
}

const TEXTS = Object.entries({ ...UNICODE, ...SQL, ...NAMES, ['__proto__']: '__proto__' })

const { server } = await sharedServer()

let stores: { name: string; store: Store; end: () => Promise<void>; reopen: () => Promise<Store> }[] = []
let prototype: readonly string[]

beforeEach(async () => {
  prototype = Object.getOwnPropertyNames(Object.prototype)
  const places = [memoryPlace(), sqlitePlace({ durability: 'relaxed' })]
  if (server !== undefined) places.push(postgresPlace(server.url))
  stores = await Promise.all(
    places.map(async (place, i) => {
      const held = { store: new Store(await place.open()) }
      return {
        name: ['memory', 'sqlite', 'postgres'][i]!,
        store: held.store,
        reopen: async () => {
          await held.store.close()
          return (held.store = new Store(await place.open()))
        },
        end: async () => {
          await held.store.close()
          await place.end?.()
        },
      }
    }),
  )
})

afterEach(async () => {
  for (const { end } of stores) await end()
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(prototype)
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
})

function options(more: ContextOptions = {}): ContextOptions {
  return { clock: clockOf(), attemptClock: clockOf(), ...more }
}

/** Where a caller can put text into a tree. */
const PLACES: Readonly<Record<string, (ctx: AnyContext, text: string) => unknown>> = {
  content: (ctx, text) => ctx.user(text).id,
  'content, inside': (ctx, text) => ctx.user(JSON.parse(JSON.stringify({ a: [text, { b: text }] }))).id,
  'names in a content': (ctx, text) =>
    ctx.user(
      Object.fromEntries([
        [text, 1],
        ['z', { [text]: text }],
      ]),
    ).id,
  'a JSON text with that name': (ctx, text) => ctx.user(JSON.parse(`{${JSON.stringify(text)}:{"polluted":1}}`)).id,
  key: (ctx, text) => ctx.put(text, 'x').id,
  tags: (ctx, text) => ctx.post('x', { tags: [text, 'b', text] }).id,
  role: (ctx, text) => ctx.add('x', { role: text, zone: 'core' }).id,
  kind: (ctx, text) => ctx.add('x', { kind: text, zone: 'core' }).id,
  type: (ctx, text) => ctx.add('x', { type: text, zone: 'core' }).id,
  attribute: (ctx, text) => ctx.user('x', { data_note: text }).id,
  'the name of an attribute': (ctx, text) => ctx.user('x', { [`data_${text}`]: 1 }).id,
  'the name of a foreign attribute': (ctx, text) => ctx.user('x', { [`app:${text}`]: { [text]: text } }).id,
  'an attribute that is only that': (ctx, text) => ctx.user('x', { [text]: 1 }).id,
  'a call id': (ctx, text) => ctx.assistant({ name: 'f', arguments: {} }, { kind: 'call', data_call_id: text }).id,
  provenance: (ctx, text) => ctx.user('x', { provenance: { [text]: text } }).id,
  refs: (ctx, text) => ctx.user('x', { refs: [text] }).id,
  'author and reason': (ctx, text) => ctx.delete('.block', { author: text, reason: text }).length,
  'a selector': (ctx, text) => ctx.select(text as '.block'),
  'a value in a selector': (ctx, text) => ctx.select(sel`[data_note=${text}]` as '.block'),
  'a lens': (ctx, text) => ctx.export(text as '@t0').length,
  'an id': (ctx, text) => ctx.node(text)?.id,
  'the id of an explanation': (ctx, text) => ctx.explain(text).id,
  redaction: (ctx, text) => ctx.redact('.block', { match: text, with: text }).length,
  position: (ctx, text) => ctx.insert({ content: 'x' }, text).id,
  'an attempt': (ctx, text) =>
    ctx.startAttempt({ provider: text, model: text, params: { [text]: text }, request: text, keepRequest: true }).id,
}

describe.each(TEXTS)('%s', (_, text) => {
  test('in every place of a tree: memory and stores say the same, also when opened again', async () => {
    const live = createContext(options({ id: 'one' }))
    const sides = await Promise.all(stores.map(({ store }) => store.open('one', { ...options(), history: 'all' })))
    for (const [n, [place, put]] of Object.entries(PLACES).entries()) {
      const expected = answer(() => put(live, text))
      for (const [i, ctx] of sides.entries()) {
        expect(
          answer(() => put(ctx, text)),
          `${place}, in ${stores[i]!.name}`,
        ).toEqual(expected)
      }
      if (n % 5 < 4) continue
      live.commit()
      for (const ctx of sides) await ctx.commit()
    }
    for (const { name, reopen } of stores) {
      const twin = await (await reopen()).open('one', { ...options(), history: 'all' })
      compareAll(live, twin, name)
    }
  })

  test('as ids that the option ids gives', async () => {
    const given = options({
      ids: ({ cycle, index }) => (cycle === 2 && index === 0 ? text : `${cycle} ${index} ${text}`),
    })
    const make = (ctx: AnyContext): unknown => answer(() => [ctx.user('a').id, ctx.pre('b').id])
    const live = createContext({ ...given, id: 'one' })
    const sides = await Promise.all(
      stores.map(({ store }) => store.open('one', { ...options(given), clock: clockOf(), history: 'all' })),
    )
    for (let i = 0; i < 3; i++) {
      const expected = [make(live), answer(() => live.commit().cycle)]
      for (const ctx of sides) {
        const made = make(ctx)
        const end = await ctx.commit().then(({ cycle }) => cycle, codeOf)
        expect([made, end]).toEqual(expected)
      }
    }
    for (const { name, reopen } of stores) {
      compareAll(live, await (await reopen()).open('one', { ...options(), history: 'all' }), name, false)
    }
  })

  test('as the name of a context, of a fork and of a commit: kept as it is, or refused', async () => {
    const isText = text !== '' && isPairs(text)
    for (const { name, store, reopen } of stores) {
      await (await store.open('neighbour')).commit()
      const calls: readonly ((s: Store) => Promise<unknown>)[] = [
        async (s) => (await s.create(text)).id,
        async (s) => (await s.open(text)).commit({ key: text }).then(({ cycle }) => cycle),
        async (s) => (await s.open(text)).answerTo(text).then((found) => found?.cycle),
        async (s) => (await (await s.open('neighbour')).fork('@t0', { id: `${text} fork` })).id,
        async (s) => (await s.put(createContext(), `${text} put`)).id,
        async (s) => (await s.fsck(text)).ok,
        async (s) => (await s.list({ after: text })).contexts.length >= 0,
        async (s) => s.delete(text),
      ]
      const results: unknown[] = []
      for (const call of calls) results.push(await call(store).catch(codeOf))
      const isPart = isPairs(text)
      const no = 'E_CONTENT_INVALID'
      expect(results, name).toEqual([
        isText ? text : no,
        isText ? 1 : no,
        isText ? 1 : no,
        isPart ? `${text} fork` : no,
        isPart ? `${text} put` : no,
        isText ? true : no,
        // Nothing comes before the empty text, so a list may begin behind it.
        isPart ? true : no,
        isText ? true : no,
      ])
      const ids = (await (await reopen()).list()).contexts.map(({ id }) => id)
      const expected = ['neighbour', ...(isPart ? [`${text} fork`, `${text} put`] : [])]
      expect(new Set(ids), name).toEqual(new Set(expected))
    }
  })

  test('as what history is asked for, it is refused, and nothing is gone', async () => {
    for (const { name, store } of stores) {
      const ctx = await store.open('one', { ...options(), history: 1 })
      for (let i = 0; i < 3; i++) {
        ctx.user('x')
        await ctx.commit()
      }
      await expect(ctx.loadHistory(text), name).rejects.toThrow(PactError)
      expect((await store.fsck()).problems).toEqual([])
      expect((await store.list()).contexts).toHaveLength(1)
    }
  })
})

function isPairs(text: string): boolean {
  return !/\p{Cs}/u.test(text)
}

function codeOf(error: unknown): string {
  if (PactError.is(error)) return error.code
  throw error
}

function compareAll(live: Context, twin: AnyContext, name: string, isWhole = true): void {
  expect(twin.snapshots(), name).toEqual(live.snapshots())
  let picked = 0
  compareContexts({ live, twin, pick: (among) => picked++ % among, isWhole })
}

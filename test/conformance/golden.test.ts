// The documents' own selectors (test/golden/selectors-*.json), row by row through the public calls. A disputed row expects
// what the decision it names has settled, and its title says so. A row with a range of snapshots is asked of a history of
// eight, since the documents print no tree for it: what kind of result it gives, over which snapshots, in which order.

import { createContext, formatSelector, importSnapshot, parseSelector, type Context, type Dialect } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { listOf, readGolden, refusal } from '../support/context.js'

type Row = Readonly<{
  section: string
  dialect: Dialect
  selector: string
  /** Ids in order, the code of an error, or only that the text can be read. */
  expect: readonly string[] | Readonly<{ error: string }> | 'parses'
  /** The name of the tree to ask; where there is none, the row is about the text. */
  fixture?: string
  range?: boolean
  /** Of a range: the snapshots it names, newest first. */
  snapshots?: readonly string[] | 'all'
  /** Values that the document prints, where it contradicts itself, and the decision that settles it. */
  printed?: unknown
  disputed?: string
}>

type Golden = Readonly<{ fixtures: Readonly<Record<string, object>>; rows: readonly Row[] }>

const FILES = ['selectors-000.json', 'selectors-001.json', 'selectors-002.json']

describe.each(FILES)('%s', (file) => {
  const { fixtures, rows } = readGolden(file) as Golden

  for (const [i, row] of rows.entries()) {
    const settled = row.disputed === undefined ? '' : `; disputed, settled as: ${row.disputed}`
    const where = row.fixture === undefined ? '' : ` on the fixture of §${row.fixture}`
    test(`row ${i + 1}: ${row.selector} ${outcomeOf(row)}${where} (${row.section})${settled}`, () => {
      check(row, fixtures)
    })
  }

  test('has settled expectations for its disputed rows, which differ from what is printed', () => {
    const unsettled = rows.filter(({ disputed, printed, expect: settled }) =>
      disputed === undefined ? printed !== undefined : JSON.stringify(printed) === JSON.stringify(settled),
    )
    expect(unsettled).toEqual([])
  })
})

function outcomeOf({ expect: expected, range }: Row): string {
  if (isList(expected)) return `gives ${JSON.stringify(expected)}`
  if (isError(expected)) return `is ${expected.error}`
  return range === true ? 'gives a range result' : 'is read'
}

function check(row: Row, fixtures: Golden['fixtures']): void {
  const { selector, dialect, expect: expected, fixture, range } = row
  if (isList(expected)) {
    const ctx = importSnapshot(fixtures[fixture!]!)
    expect(ctx.dialect).toBe(dialect)
    expect(ctx.select(selector, { dialect })).toEqual(expected)
    expect(ctx.nodes(selector).map((node) => node.id)).toEqual(expected)
    expect([ctx.count(selector), ctx.first(selector)?.id]).toEqual([expected.length, expected[0]])
  } else if (isError(expected)) {
    const { error: code } = expected
    const contexts = fixture === undefined ? emptyAnd(fixtures, dialect) : [importSnapshot(fixtures[fixture]!)]
    for (const ctx of contexts) {
      const error = refusal(() => ctx.select(selector, { dialect }))
      expect(error.code).toBe(code)
      // A snapshot that is not there is no fault in the text.
      if (code !== 'E_SNAPSHOT_NOT_FOUND') expectPlace(error.details, selector)
    }
  } else {
    const tree = parseSelector(selector, { dialect })
    expect(parseSelector(formatSelector(tree), { dialect }).dialect).toBe(dialect)
    expect(tree.time?.kind === 'range').toBe(range === true)
    if (range === true) return checkRange(row, fixtures)
    for (const ctx of emptyAnd(fixtures, dialect)) {
      const found = idsOrCode(() => listOf(ctx.select(selector, { dialect })))
      if (!isList(found)) expect(found).toBe('E_SNAPSHOT_NOT_FOUND')
    }
  }
}

/** As many snapshots as the contexts have that ranges are asked of. */
const SNAPSHOTS = 8

function checkRange({ selector, dialect, snapshots }: Row, fixtures: Golden['fixtures']): void {
  const all = Array.from({ length: SNAPSHOTS }, (_, back) => (back === 0 ? '@t0' : `@t-${back}`))
  const labels = snapshots === 'all' ? all : snapshots!
  const [empty, ...imported] = emptyAnd(fixtures, dialect)
  expect(refusal(() => empty!.select(selector, { dialect })).code).toBe('E_SNAPSHOT_NOT_FOUND')
  for (const ctx of [empty!, ...imported]) {
    while (ctx.snapshots().length < SNAPSHOTS) {
      ctx.user('next', { kind: 'summary' })
      ctx.commit()
    }
    const found = ctx.select(selector, { dialect })
    if (!('diffs' in found)) throw new Error('A range gave a list.')
    const { query, snapshots: refs, diffs, mode } = found
    expect([query, mode]).toEqual([selector, 'pairwise'])
    expect(refs).toEqual(
      labels.map((label) => {
        const value = label === '@t0' ? 0 : Number(label.slice(2))
        return { kind: 't', value, label, cycle: ctx.snapshot().cycle + value }
      }),
    )
    expect(diffs.map(({ from, to }) => [from, to])).toEqual(refs.slice(1).map((older, i) => [refs[i], older]))
    expect(ctx.rangeDiffLatest(selector, { dialect })).toEqual(found)
  }
}

/** A context without anything in it, and every fixture of the file. */
function emptyAnd(fixtures: Golden['fixtures'], dialect: Dialect): readonly Context[] {
  return [createContext({ dialect }), ...Object.values(fixtures).map((fixture) => importSnapshot(fixture))]
}

function expectPlace(details: Readonly<Record<string, unknown>>, selector: string): void {
  const { pos, token } = details as { pos: number; token: string }
  expect(pos).toBeGreaterThanOrEqual(0)
  expect(selector.slice(pos, pos + token.length)).toBe(token)
}

function idsOrCode(ask: () => readonly string[]): readonly string[] | string {
  try {
    return ask()
  } catch {
    return refusal(ask).code
  }
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value)
}

function isError(value: Row['expect']): value is Readonly<{ error: string }> {
  return typeof value === 'object' && !isList(value)
}

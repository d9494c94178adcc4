// Exports in every form a program may hold them in, and in pieces: each imports to the same bytes (D35, RELIABILITY).

import fc from 'fast-check'
import {
  createContext,
  exportChunks,
  importSnapshot,
  importSnapshotAsync,
  PactError,
  type Context,
  type Snapshot,
} from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf, DIALECTS, refusal, textOf } from '../support/context.js'
import { editedPrograms, editedRuns, playEdited, snapshotsOf } from '../support/edited.js'

/** By name: a snapshot as a program may hold it after it went through JSON. */
const FORMS: Readonly<Record<string, (snapshot: Snapshot) => object>> = {
  'JSON.parse of the export': (snapshot) => JSON.parse(textOf(snapshot.export())) as object,
  'snapshot.toJSON()': (snapshot) => snapshot.toJSON(),
  'JSON of the snapshot': (snapshot) => JSON.parse(JSON.stringify(snapshot)) as object,
}

/** A context with a bit of everything; its clock is beyond 2^53, as the real one is. */
function rich(): Context {
  const ctx = createContext({ clock: clockOf(7n) })
  ctx.system.add('rule', { key: 'rule' })
  ctx.user('é😀\u007f', { ttl: 5, refs: ['block:1-0'], provenance: { from: [1.5, -0.25, 1e21] } })
  ctx.post('plan', { key: 'plan', cad: 2, ttl: 1, pinned: true, tags: ['a', 'b'] })
  ctx.add(undefined, { zone: 'post', removable: true, key: 'box', children: [{ content: 'in', ttl: 1 }] })
  const box = ctx.select('d0 #box')[0]!
  ctx.commit()
  ctx.assistant({ a: [2 ** 53, { b: null }] }, { kind: 'call', data_call_id: 'c', 'app:note': { x: 1 } })
  ctx.user('holds the box', { refs: [box] })
  ctx.commit()
  return ctx
}

describe.each(Object.entries(FORMS))('%s', (_, formOf) => {
  test('imports to the bytes of the export, schedules, marks of the engine and names of the file included (D4, D35)', () => {
    const ctx = rich()
    const text = textOf(ctx.export())
    expect(text).toContain('"pact:emptied":true')
    expect(textOf(importSnapshot(formOf(ctx.snapshot())).export())).toBe(text)

    const named = importSnapshot(text.replace('{"cycle"', '{"__proto__":{"x":[1]},"app:by":"me","cycle"'))
    expect(textOf(importSnapshot(formOf(named.snapshot())).export())).toBe(textOf(named.export()))
  })

  test.each(DIALECTS)('of any history of %s imports to the bytes of its export (D4, D35)', (dialect) => {
    fc.assert(
      fc.property(editedPrograms(dialect, 20), (program) => {
        const edited = playEdited(program)
        for (const { ctx, lens } of snapshotsOf(edited)) {
          const snapshot = ctx.snapshot(lens)
          const imported = importSnapshot(formOf(snapshot), { dialect })
          expect(textOf(imported.export())).toBe(textOf(snapshot.export()))
          expect(imported.warnings).toEqual(importSnapshot(snapshot, { dialect }).warnings)
        }
      }),
      editedRuns(15),
    )
  })
})

describe('a time that was rounded', () => {
  const NS = 1_700_000_000_123_456_789n
  const at = (headers: object): object => ({
    root: { children: [{ id: 'ah', nodeType: '^ah', children: [{ id: 'b', ...headers }] }] },
  })

  test.each([
    ['as an export writes it', '2023-11-14T22:13:20.123456789Z'],
    ['in another zone', '2023-11-14T23:13:20.123456789+01:00'],
  ])('is taken from the text beside it, %s, which is kept (D37)', (_, created_at_iso) => {
    const ctx = importSnapshot(at({ created_at_ns: Number(NS), created_at_iso }))
    expect(ctx.node('b')).toMatchObject({ createdAtNs: NS, createdAtIso: created_at_iso })
    expect(ctx.warnings).toEqual([])
  })

  test.each([
    ['no text', undefined],
    ['another time', '2024-11-14T22:13:20.123456789Z'],
    ['too few digits', '2023-11-14T22:13:20.123Z'],
    ['no time', 'yesterday'],
    ['no text but a number', 5],
  ])('is refused where there is %s beside it', (_, created_at_iso) => {
    const error = refusal(() => importSnapshot(at({ created_at_ns: Number(NS), created_at_iso })))
    expect([error.code, error.details['path']]).toEqual([
      'E_SNAPSHOT_INVALID',
      'root.children[0].children[0].created_at_ns',
    ])
    expect(error.message).toContain('created_at_iso')
  })

  test('of text and bytes is exact, whatever stands beside it', () => {
    const file = `{"root":{"children":[{"id":"ah","nodeType":"^ah","children":[{"id":"b","created_at_ns":${NS}}]}]}}`
    expect(importSnapshot(file).node('b')!.createdAtNs).toBe(NS)
    expect(importSnapshot(new TextEncoder().encode(file)).node('b')!.createdAtNs).toBe(NS)
  })
})

describe('a text means what it says, however it is read', () => {
  const NS = '1700000000123456789'
  const file = (node: string): string =>
    `{"root":{"children":[{"id":"ah","nodeType":"^ah","children":[{"id":"b",${node}}]}]}}`

  /** A node, and how its header and content are written again. */
  const ROWS: readonly (readonly [name: string, node: string, written: string])[] = [
    ['a large integer in a content', `"content":{"n":${NS}}`, `"content":{"n":${NS}}`],
    ['one under the same name', `"content":{"created_at_ns":${NS}}`, `"content":{"created_at_ns":${NS}}`],
    ['one under a longer name', `"data_created_at_ns":${NS}`, `"data_created_at_ns":${NS}`],
    ['one in a list', `"content":[${NS}]`, `"content":[${NS}]`],
    ['a large float', '"content":1e20', '"content":1e+20'],
    ['a large integer that is a float', '"content":100000000000000000000', '"content":100000000000000000000'],
    ['a negative zero', '"content":[-0]', '"content":[0]'],
    ['a time with space before it', `"created_at_ns": ${NS} `, `"created_at_ns":${NS}`],
    ['a time given twice', `"created_at_ns":1,"created_at_ns":${NS}`, `"created_at_ns":${NS}`],
    ['a time given twice, the later one short', `"created_at_ns":${NS},"created_at_ns":1`, '"created_at_ns":1'],
    ['a name with an escape', `"created\\u005fat_ns":${NS}`, `"created_at_ns":${NS}`],
    ['a text that looks like a time', `"content":"created_at_ns\\":${NS},"`, `"content":"created_at_ns\\":${NS},"`],
    ['a text that looks like a mark', '"content":"\\u007f5"', '"content":"\\u007f5"'],
    ['a list of such texts', '"tags":["\\u007f5"]', '"tags":["\\u007f5"]'],
    ['a time of 16 digits', '"created_at_ns":1234567890123456', '"created_at_ns":1234567890123456'],
    ['a time before 1970', `"created_at_ns":-${NS}`, `"created_at_ns":-${NS}`],
  ]

  test.each(ROWS)('%s', (_, node, written) => {
    expect(textOf(importSnapshot(file(node)).export())).toContain(written)
  })

  test.each([
    ['a time in quotes', `"created_at_ns":"${NS}"`, 'root.children[0].children[0].created_at_ns'],
    ['a time that looks like a mark', '"created_at_ns":"\\u007f5"', 'root.children[0].children[0].created_at_ns'],
    ['a time that is a mark alone', '"created_at_ns":"\\u007f-"', 'root.children[0].children[0].created_at_ns'],
    ['a time that is a float', '"created_at_ns":1.7e18', 'root.children[0].children[0].created_at_ns'],
    ['a number that no float holds', '"content":1e999', undefined],
    ['a time that begins with 0', `"created_at_ns":0${NS}`, undefined],
  ])('%s is refused', (_, node, path) => {
    const error = refusal(() => importSnapshot(file(node)))
    expect([error.code, error.details['path']]).toEqual(['E_SNAPSHOT_INVALID', path])
  })
})

describe('exportChunks', () => {
  test('gives the text of the export, through any lens, in pieces of ASCII', () => {
    const ctx = large(3000)
    ctx.user('open')
    for (const lens of ['@t0', '@t-1', 'working', 'preview'] as const) {
      const pieces = [...exportChunks(ctx, lens)]
      expect(pieces.join('')).toBe(textOf(ctx.export(lens)))
      expect(pieces.length).toBeGreaterThan(5)
      expect(pieces.every((piece) => /^[ -~]+$/.test(piece) && piece.length < 80_000)).toBe(true)
    }
    expect([...exportChunks(ctx)].join('')).toBe(textOf(ctx.export()))
  })

  test('shows the tree as it was at the call, whatever is written in between', () => {
    const ctx = large(2000)
    ctx.user('open')
    const before = textOf(ctx.export('working'))
    const pieces = exportChunks(ctx, 'working')
    let text = ''
    for (const piece of pieces) {
      text += piece
      ctx.user('more')
    }
    expect(text).toBe(before)
  })

  test('refuses what is no context', () => {
    expect(refusal(() => exportChunks({} as never)).code).toBe('E_CONTENT_INVALID')
  })
})

describe('importSnapshotAsync', () => {
  const ctx = rich()
  const text = textOf(ctx.export())
  const bytes = ctx.export()
  const INPUTS: readonly (readonly [name: string, input: () => string | object])[] = [
    ['text', () => text],
    ['bytes', () => bytes],
    ['an object', () => JSON.parse(text) as object],
    ['a snapshot', () => ctx.snapshot()],
    ['pieces of an export', () => exportChunks(ctx)],
    ['pieces of text', () => text.match(/[^]{1,100}/g)!],
    ['a stream of bytes that parts characters', () => streamOf([bytes.subarray(0, 77), bytes.subarray(77)])],
  ]

  test.each(INPUTS)('gives what importSnapshot gives, of %s', async (_, input) => {
    const warned: string[] = []
    const imported = await importSnapshotAsync(input(), {
      id: 'mine',
      onWarning: ({ message }) => warned.push(message),
    })
    expect(imported.id).toBe('mine')
    expect(textOf(imported.export())).toBe(text)
    expect(imported.warnings).toEqual(importSnapshot(text).warnings)
  })

  test('lets others have their turn, again and again', async () => {
    const source = large(5000)
    let turns = 0
    let isDone = false
    const turn = (): void => {
      turns++
      if (!isDone) setImmediate(turn)
    }
    setImmediate(turn)
    const imported = await importSnapshotAsync(source.export())
    isDone = true
    expect(turns).toBeGreaterThan(8)
    expect(textOf(imported.export())).toBe(textOf(source.export()))
  })

  test.each([
    ['a faulty document', '{"root":5}', { path: 'root' }],
    ['text that is no JSON', '{', { pos: 1, line: 1, column: 2 }],
    ['pieces of both kinds', [text.slice(0, 5), new Uint8Array(2)], { piece: 0 }],
    ['pieces that are none', [5], { piece: 0 }],
    ['a stream that fails', failing(), {}],
  ])('refuses %s by its promise', async (_, input, details) => {
    const error: unknown = await importSnapshotAsync(input).catch((thrown: unknown) => thrown)
    expect(PactError.is(error) && [error.code, error.details]).toEqual(['E_SNAPSHOT_INVALID', details])
  })

  test('refuses bad options by its promise', async () => {
    const error: unknown = await importSnapshotAsync(text, { clock: 5 as never }).catch((thrown: unknown) => thrown)
    expect(PactError.is(error) && error.code).toBe('E_CONTENT_INVALID')
  })
})

/** A context of this many turns, and two snapshots. */
function large(turns: number): Context {
  const seg = (i: number): object => ({
    id: `s${i}`,
    offset: i,
    children: [{ id: `c${i}`, nodeType: 'cont', children: [{ id: `b${i}`, role: 'user', content: `Text ${i}.` }] }],
  })
  const children = Array.from({ length: turns }, (_, i) => seg(i))
  const imported = importSnapshot({
    spec_version: 'PACT/1.0.0',
    root: { children: [{ id: 'q', nodeType: '^seq', children }] },
  })
  imported.commit()
  return imported
}

async function* streamOf<T>(parts: readonly T[]): AsyncGenerator<T> {
  for (const part of parts) yield part
}

async function* failing(): AsyncGenerator<string> {
  yield '{'
  throw new Error('The line went dead.')
}

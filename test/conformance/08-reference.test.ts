// Chapter 08, the reference algorithms: content hash, sibling order, traversal and snapshot bytes. Expectations come from vectors that the
// document's own Python made (scripts/make-vectors.py), and from its rules written a second time: here, and in scripts/reference_rules.py.

import { createHash } from 'node:crypto'

import fc from 'fast-check'
import {
  compareSiblings,
  contentHash,
  createContext,
  importSnapshot,
  type ContentInput,
  type Context,
  type SiblingKey,
} from 'pact-context'
import { describe, expect, test } from 'vitest'

import {
  byCodePoint,
  clockOf,
  DIALECTS,
  idsOf,
  NAMES,
  programsFor,
  readGolden,
  refusal,
  runProgram,
  START_NS,
  textOf,
  walk,
} from '../support/context.js'
import { editedPrograms, editedRuns, playEdited, snapshotsOf } from '../support/edited.js'
import { askPython, NO_PYTHON } from '../support/python.js'

type Vectors = Readonly<{
  contentHashes: readonly Readonly<{ name: string; input: string; contentHash: string }>[]
  snapshots: readonly Readonly<{
    name: string
    input: string
    serialized: string
    visited: [id: string, hash: string][]
  }>[]
}>

type Form = Readonly<Record<string, unknown>> & Readonly<{ id: string; children?: readonly Form[] }>

type Reference = Readonly<{
  contentHashStability: Readonly<{ node1: object; node2: object }>
  canonicalOrdering: Readonly<{
    siblings: readonly Readonly<{ id: string; offset: number; created_at_ns: number }>[]
    expected_order: readonly string[]
  }>
}>

const SEED = Number(process.env['PACT_SEED'] ?? 20261115)
const EPOCH = '1970-01-01T00:00:00.000000000Z'

const vectors = readGolden('python-vectors.json') as Vectors
const reference = readGolden('08-reference-tests.json') as Reference

describe('content hash', () => {
  test('hashes content as the reference Python does, on hostile values too (08 §2.1)', () => {
    expect(vectors.contentHashes.length).toBeGreaterThan(100)
    let written = 0
    for (const { name, input, contentHash: expected } of vectors.contentHashes) {
      const block = parse(input) as Record<string, unknown>
      expect(contentHash(block), name).toBe(expected)
      // The same block in a context, where its names and types allow it to be one.
      const { content, ...header } = block
      if (content === undefined || !Object.keys(header).every((key) => canBeHeader(key, header[key]))) continue
      const ctx = createContext({ clock: clockOf() })
      const node = ctx.add(content, header)
      expect(node.contentHash, name).toBe(expected)
      expect(contentHash(node), name).toBe(expected)
      ctx.commit()
      expect(importSnapshot(ctx.export()).node(node.id)?.contentHash, name).toBe(expected)
      written++
    }
    expect(written).toBeGreaterThan(20)
  })

  test('leaves lifecycle, structure and reserved fields out of the content hash (08 §2.2, D34)', () => {
    const block = { content: 'Hello', kind: 'text', role: 'user', data_a: 1, content_b: ['x'] }
    const expected = sha256('{"content":"Hello","content_b":["x"],"data_a":1,"kind":"text","role":"user"}')
    expect(contentHash(block)).toBe(expected)
    const excluded = {
      ttl: 5,
      priority: 9,
      cycle: 4,
      created_at_ns: 12,
      created_at_iso: EPOCH,
      creation_index: 3,
      id: 'cb:1',
      offset: -2,
      parent_id: 'mc:1',
      parent: 'mc:1',
      children: [{ content: 'child' }],
      content_hash: 'f'.repeat(64),
      nodeType: 'cb:summary',
      key: 'k',
      tags: ['t'],
      refs: ['x'],
      removable: true,
      pinned: true,
      provenance: 'model:x',
      cad: 2,
      supersedes: 'cb:0',
      type: 'note',
      'acme:x': 1,
      _cache: {},
      contents: 1,
      datax: 1,
      Content: 1,
    }
    for (const [name, value] of Object.entries(excluded))
      expect(contentHash({ ...block, [name]: value }), name).toBe(expected)
    expect(contentHash({ ...excluded, ...block })).toBe(expected)
    // And nothing that takes part is left out: neither a missing name nor a prefix alone.
    const others: object[] = [
      { ...block, content: 'hello' },
      { ...block, kind: 'call' },
      { ...block, role: 'tool' },
      { ...block, data_a: 2 },
      { ...block, data_: 0 },
      { ...block, content_: 0 },
      { ...block, content_hash_: 0 },
      { ...block, content_hashes: 0 },
      { content: 'Hello', kind: 'text', role: 'user', data_a: 1 },
    ]
    expect(new Set([expected, ...others.map((other) => contentHash(other))]).size).toBe(others.length + 1)

    for (const dialect of DIALECTS) {
      const ctx = createContext({ dialect, clock: clockOf() })
      const header = { kind: 'text', role: 'user', data_a: 1, content_b: ['x'] }
      const nodes = [
        ctx.system.add('Hello', header),
        ctx.add('Hello', { ...header, zone: 'pre', offset: -4, ttl: 3, priority: 2, pinned: true }),
        ctx.add('Hello', {
          ...header,
          key: 'k',
          tags: ['t'],
          refs: ['x'],
          provenance: 'me',
          'acme:x': 1,
          type: 'note',
        }),
        ctx.add(undefined, { zone: 'post', children: [{ ...header, content: 'Hello', nodeType: 'cb:x' }] })
          .children[0]!,
      ]
      for (const node of nodes) expect(node.contentHash, node.id).toBe(expected)
    }
  })

  test('keeps a content hash through sealing, ageing, moves, other priorities and other times (08 §2.3)', () => {
    for (const dialect of DIALECTS) {
      const hashes = new Set<string>()
      for (const [priority, start] of [
        [0, START_NS],
        [7, 5n],
        [-7, 10n ** 20n],
      ] as const) {
        const ctx = createContext({ dialect, clock: clockOf(1n, start) })
        ctx.pre('moves the others on')
        const node = ctx.user({ text: 'é', n: 1 }, { ttl: 4, priority, data_x: [true] })
        const seen = [node.contentHash]
        const ttls: unknown[] = []
        for (let cycle = 1; cycle <= 4; cycle++) {
          const found = ctx.commit().node(node.id)!
          ttls.push(found.ttl)
          seen.push(found.contentHash, ctx.node(node.id)!.contentHash)
          seen.push(importSnapshot(ctx.export()).node(node.id)!.contentHash, ctx.fork().node(node.id)!.contentHash)
          seen.push(contentHash(found.toJSON()))
        }
        expect(ttls).toEqual([4, 3, 2, 1])
        // Moved and updated as well: from history to the head, within it, and into history again.
        const note = ctx.post({ text: 'é', n: 1 }, { role: 'user', priority, data_x: [true] })
        for (const edit of [
          () => ctx.commit(),
          () => ctx.move(`[id='${note.id}']`, { depth: 0, zone: 'pre' }),
          () => ctx.move(`[id='${note.id}']`, { depth: 0 }),
          () => ctx.update(`[id='${note.id}']`, { ttl: 9, priority: 1 - priority, tags: ['t'], pinned: true }),
          () => ctx.move(`[id='${note.id}']`, { depth: 1 }),
          () => ctx.undo(),
          () => ctx.commit(),
        ]) {
          edit()
          seen.push(ctx.node(note.id)!.contentHash)
        }
        for (const hash of seen) hashes.add(hash)
      }
      expect([...hashes]).toEqual([
        sha256('{"content":{"n":1,"text":"\\u00e9"},"data_x":[true],"kind":"","role":"user"}'),
      ])
    }
  })

  test('gives the two nodes of the reference test one hash (08 §7.1)', () => {
    const { node1, node2 } = reference.contentHashStability
    const expected = sha256('{"content":"Hello world","kind":"","role":"user"}')
    expect([contentHash(node1), contentHash(node2)]).toEqual([expected, expected])
    const ctx = importSnapshot({ root: { children: [{ id: 's', nodeType: '^sys', children: [node1, node2] }] } })
    expect(['test1', 'test2'].map((id) => ctx.node(id)?.contentHash)).toEqual([expected, expected])
    expect(['test1', 'test2'].map((id) => ctx.node(id)?.ttl)).toEqual([5, 10])
  })

  test('hashes invalid content as empty content and warns (08 §8.2, D34)', () => {
    const circular: Record<string, unknown> = {}
    circular['self'] = [circular]
    let deep: unknown = 'bottom'
    for (let level = 0; level < 200; level++) deep = [deep]
    const invalid: [string, unknown][] = [
      ['NaN', Number.NaN],
      ['Infinity', Infinity],
      ['-Infinity', -Infinity],
      ['NaN inside', { a: [1, Number.NaN] }],
      ['a function', () => 'x'],
      ['a symbol', Symbol('x')],
      ['undefined inside', [undefined]],
      ['a date', new Date(0)],
      ['a map', new Map()],
      ['bytes', new Uint8Array(2)],
      ['circular', circular],
      ['too deep', deep],
      ['too many digits', 10n ** 4300n],
    ]
    const empty = sha256('{"content":"","data_x":1,"kind":"text","role":"user"}')
    for (const [name, content] of invalid) {
      const warnings: unknown[] = []
      const block = { content, kind: 'text', role: 'user', data_x: 1 }
      expect(
        contentHash(block, (warning) => warnings.push(warning)),
        name,
      ).toBe(empty)
      expect(warnings, name).toHaveLength(1)
      expect(warnings[0], name).toMatchObject({ details: { name: 'content' } })
      expect(contentHash(block), name).toBe(empty)
      // Such content never gets into a tree.
      const ctx = createContext()
      expect(refusal(() => ctx.user(content as ContentInput)).code, name).toBe('E_CONTENT_INVALID')
      expect(ctx.thread()).toEqual([])
    }
    const warnings: unknown[] = []
    for (const content of ['', null, 0, false, [], {}, undefined, 1e300, 5n]) {
      contentHash({ content }, (warning) => warnings.push(warning))
    }
    expect(contentHash({ content: undefined })).toBe(contentHash({}))
    expect(warnings, 'valid content').toEqual([])
  })
})

describe('order', () => {
  test('sorts generated siblings as the reference comparison does (08 §5.1)', () => {
    fc.assert(
      fc.property(fc.uniqueArray(sibling, { selector: (key) => key.id, minLength: 2, maxLength: 14 }), (siblings) => {
        const expected = idsOf(referenceSort(siblings))
        expect(idsOf(siblings.toSorted(compareSiblings))).toEqual(expected)
        for (const a of siblings) {
          expect(compareSiblings(a, { ...a })).toBe(0)
          for (const b of siblings) expect(Math.sign(compareSiblings(a, b))).toBe(referenceCompare(a, b))
        }
        const children = siblings.map(({ id, offset, createdAtNs, creationIndex }) => {
          return { id, nodeType: 'cb', offset, created_at_ns: createdAtNs, creation_index: creationIndex, content: '' }
        })
        const ctx = importUnder('^sys', children)
        expect(idsOf(ctx.snapshot().root.children[0]!.children)).toEqual(expected)
        expect(idsOf(ctx.thread('@t0'))).toEqual(expected)
      }),
      { numRuns: 200, seed: SEED },
    )
  })

  test('sorts the siblings of the reference test as a, b, c, d (08 §7.1)', () => {
    const { siblings, expected_order: expected } = reference.canonicalOrdering
    const keys = siblings.map(({ id, offset, created_at_ns: ns }) => {
      return { id, offset, createdAtNs: BigInt(ns), creationIndex: 0 }
    })
    expect(idsOf(keys.toSorted(compareSiblings))).toEqual(expected)
    for (const region of ['^sys', '^ah']) {
      const ctx = importUnder(region, siblings)
      const parent = ctx.snapshot().root.children.find((child) => child.nodeType === region)!
      expect(idsOf(parent.children)).toEqual(expected)
      expect(idsOf(ctx.thread('@t0'))).toEqual(expected)
    }
  })

  test('visits a parent before its children and siblings in canonical order (08 §5.2)', () => {
    fc.assert(
      fc.property(fc.array(tree, { maxLength: 3 }), fc.array(tree, { maxLength: 3 }), (turns, open) => {
        let n = 0
        const named = (node: Draw): Form => ({
          ...node.key,
          id: `n${(n = (n * 7 + 11) % 1009)}`,
          content: 'every node has some',
          ...(node.children === undefined ? {} : { nodeType: 'mc', children: node.children.map(named) }),
        })
        const region = (nodeType: string, index: number, children: readonly Form[]): Form => {
          return { id: nodeType, nodeType, content: 'regions too', creation_index: index, children }
        }
        const seq = turns.map((turn): Form => {
          const { id, ...rest } = named(turn)
          return { ...rest, id, nodeType: 'mt', children: rest.children ?? [] }
        })
        const form = {
          id: 'root',
          nodeType: '^root',
          content: 'and the root',
          // Printed the wrong way round; their headers put them right.
          children: [region('^ah', 2, open.map(named)), region('^seq', 1, seq), region('^sys', 0, [])],
        }
        const ctx = importSnapshot({ root: form })
        const expected: string[] = []
        traverse(form, ({ id }) => expected.push(id))
        expect(idsOf(walk(ctx.snapshot().root))).toEqual(expected)
        expect(idsOf(ctx.thread('@t0'))).toEqual(expected)
        const printed: string[] = []
        traverse((parse(textOf(ctx.export())) as { root: Form }).root, ({ id }) => printed.push(id))
        expect(printed).toEqual(expected)
      }),
      { numRuns: 150, seed: SEED },
    )
  })
})

describe('snapshot bytes', () => {
  test('writes referenceBytes as the reference serialize_snapshot does, to the byte (08 §6.1, D35)', () => {
    let complete = 0
    for (const { name, input, serialized } of vectors.snapshots) {
      const root = parse(input) as Form
      const ctx = importSnapshot(`{"cycle":1,"root":${input}}`)
      const bytes = textOf(ctx.referenceBytes('@t0'))
      if (isComplete(root)) {
        expect(bytes, name).toBe(serialized)
        complete++
      } else expect(bytes, name).toBe(serialize(filled(root)))
      expect(bytes, 'ASCII only').toMatch(/^[ -~]*$/)
    }
    expect(complete).toBeGreaterThan(10)

    for (const dialect of DIALECTS) {
      fc.assert(
        fc.property(programsFor(dialect), (program) => {
          const ctx = createContext({ dialect, clock: clockOf() })
          runProgram(ctx, program, (snapshot) => {
            const { root } = parse(textOf(snapshot.export())) as { root: Form }
            expect(textOf(snapshot.referenceBytes())).toBe(serialize(root))
          })
          const { root } = parse(textOf(ctx.export('working'))) as { root: Form }
          expect(textOf(ctx.referenceBytes('working'))).toBe(serialize(root))
        }),
        { numRuns: 30, seed: SEED },
      )
      fc.assert(
        fc.property(editedPrograms(dialect), (program) => {
          for (const { ctx, lens } of snapshotsOf(playEdited(program))) {
            const { root } = parse(textOf(ctx.export(lens))) as { root: Form }
            expect(textOf(ctx.referenceBytes(lens))).toBe(serialize(root))
          }
        }),
        editedRuns(10),
      )
    }
  })

  test("visits nodes in the order of the document's own Python, with its hashes (08 §2.1, §5.2)", () => {
    const complete = vectors.snapshots.filter(({ input }) => isComplete(parse(input) as Form))
    expect(complete.length).toBeGreaterThan(20)
    for (const { name, input, visited } of complete) {
      const ctx = importSnapshot(`{"cycle":1,"root":${input}}`)
      const nodes = walk(ctx.snapshot().root).map((node) => [node.id, node.contentHash])
      // Snapshots of our own list regions by rank, and their headers do not change that (D35).
      const isByHeaders = name.startsWith('regions ordered by their headers')
      if (isByHeaders) expect(Object.fromEntries(nodes)).toEqual(Object.fromEntries(visited))
      else expect(nodes, name).toEqual(visited)
    }
  })

  test('agrees with Python on generated contexts (08 §2.1, §5.2, §6.1)', ({ skip }) => {
    skip(NO_PYTHON !== undefined, NO_PYTHON)
    const snapshots = DIALECTS.flatMap((dialect) => {
      return fc
        .sample(fc.tuple(programsFor(dialect), extras), { seed: SEED, numRuns: 40 })
        .map(([program, contents]) => {
          const ctx = createContext({ dialect, clock: clockOf(10n ** 12n) })
          for (const { content, data } of contents) ctx.post(content, { data_any: data, ttl: 9 })
          runProgram(ctx, program)
          return ctx.snapshot()
        })
    })
    const answers = askPython(snapshots.map((snapshot) => `["export",${textOf(snapshot.export()).trim()}]`))
    for (const [at, snapshot] of snapshots.entries()) {
      const [bytes, visited] = JSON.parse(answers[at]!) as [string, [string, string][]]
      expect(textOf(snapshot.referenceBytes())).toBe(bytes)
      expect(walk(snapshot.root).map((node) => [node.id, node.contentHash])).toEqual(visited)
    }
  })
})

describe('error handling', () => {
  test('fills missing metadata on import with priority 0, ttl null, created_at_ns 0 (08 §8.2, D4)', () => {
    for (const dialect of DIALECTS) {
      const { seg, cont, block } = NAMES[dialect]
      const bare = {
        spec_version: `PACT/${dialect}.0`,
        cycle: 9,
        root: {
          children: [
            { id: 'head', nodeType: '^ah', children: [{ id: 'late' }, { id: 'early', children: [{ id: 'inner' }] }] },
            { id: 'past', nodeType: '^seq', children: [{ id: 'turn', children: [{ id: 'core', children: [] }] }] },
          ],
        },
      }
      const ctx = importSnapshot(bare)
      const expected = { offset: 0, ttl: null, priority: 0, cycle: 9, createdAtNs: 0n, createdAtIso: EPOCH }
      const shapes: [id: string, nodeType: string, index?: number][] = [
        ['root', '^root'],
        ['sys', '^sys'],
        ['head', '^ah', 0],
        ['past', '^seq', 1],
        ['late', block, 0],
        ['early', cont, 1],
        ['inner', block, 0],
        ['turn', seg, 0],
        ['core', cont, 0],
      ]
      for (const [id, nodeType, creationIndex] of shapes) {
        expect(ctx.node(id, '@t0'), id).toMatchObject({ ...expected, nodeType })
        if (creationIndex !== undefined) expect(ctx.node(id, '@t0')?.creationIndex, id).toBe(creationIndex)
        expect(ctx.node(id)?.toJSON(), id).toMatchObject({
          ttl: null,
          priority: 0,
          created_at_ns: 0,
          created_at_iso: EPOCH,
        })
      }
      expect(idsOf(ctx.node('head', '@t0')!.children), 'the printed order').toEqual(['late', 'early'])
      expect(walk(ctx.snapshot().root)).toHaveLength(shapes.length)
      expect(textOf(importSnapshot(ctx.export()).export())).toBe(textOf(ctx.export()))

      // Where the document names no cycle it is 1; what it does say is kept, in part as well.
      const part = importUnder('^sys', [
        { id: 'a', priority: -4, cycle: 7 },
        { id: 'b', ttl: 0, created_at_iso: '2001-01-01T00:00:00Z' },
        { id: 'c', created_at_ns: 1_000_000_001, creation_index: 40 },
        { id: 'd', ttl: 3, nodeType: 'custom:x', offset: -1, creation_index: 9 },
      ])
      const all = { offset: 0, ttl: null, priority: 0, cycle: 1, createdAtNs: 0n, createdAtIso: EPOCH }
      expect(part.node('a')).toMatchObject({ ...all, priority: -4, cycle: 7, creationIndex: 0 })
      expect(part.node('b')).toMatchObject({ ...all, ttl: 0, createdAtIso: '2001-01-01T00:00:00Z', creationIndex: 1 })
      const second = '1970-01-01T00:00:01.000000001Z'
      expect(part.node('c')).toMatchObject({
        ...all,
        createdAtNs: 1_000_000_001n,
        createdAtIso: second,
        creationIndex: 40,
      })
      expect(part.node('d')).toMatchObject({ ...all, ttl: 3, nodeType: 'custom:x', offset: -1, creationIndex: 9 })
    }
  })

  test('refuses circular references on import with E_SNAPSHOT_INVALID and a path (08 §8.2)', () => {
    type Loose = { id: string; nodeType: string; offset?: number; content?: unknown; children?: unknown[] }
    const box = (id: string): Loose & { children: unknown[] } => ({ id, nodeType: 'mc', offset: -1, children: [] })
    const inHead = (...children: unknown[]): object => ({
      root: { id: 'root', children: [{ id: 'ah', nodeType: '^ah', children }] },
    })
    const itself = box('a')
    itself.children.push(itself)
    const outer = box('a')
    const inner = box('b')
    outer.children.push({ id: 'leaf', content: 'x' }, inner)
    inner.children.push(outer)
    const root = { id: 'root', children: [{ id: 'ah', nodeType: '^ah', children: [] as unknown[] }] }
    root.children[0]!.children.push(root)
    const twice = box('a')
    const content: Record<string, unknown> = {}
    content['list'] = [content]
    const endless = (n: number): object => ({
      id: `n${n}`,
      nodeType: 'mc',
      offset: -1,
      get children() {
        return [endless(n + 1)]
      },
    })
    const top = 'root.children[0].children[0]'
    for (const [name, input, path] of [
      ['a node in itself', inHead(itself), `${top}.children[0]`],
      ['a node in its child', inHead(outer), `${top}.children[1].children[0]`],
      ['the root in a region', { root }, top],
      ['one node in two places', inHead(twice, { id: 'x', content: '' }, twice), 'root.children[0].children[2]'],
      ['content in itself', inHead({ id: 'x', content }), `${top}.content.list[0]`],
      ['an attribute in itself', inHead({ id: 'x', data_x: content }), `${top}.data_x.list[0]`],
      ['a tree without end', inHead(endless(0)), `${top}.children[0].children[0]`],
    ] as const) {
      const error = refusal(() => importSnapshot(input))
      expect(error.code, name).toBe('E_SNAPSHOT_INVALID')
      expect(String(error.details['path']).startsWith(path), `${name}: ${String(error.details['path'])}`).toBe(true)
    }

    // Nodes may refer to each other: refs are no part of the tree.
    const friends = [
      { id: 'x', content: '', refs: ['y', 'x'] },
      { id: 'y', content: '', refs: ['x'] },
    ]
    expect(importUnder('^sys', friends).node('x')?.refs).toEqual(['y', 'x'])
  })
})

// ---- The reference, written a second time

/** compare_siblings of 08 §5.1. */
function referenceCompare(a: SiblingKey, b: SiblingKey): number {
  if (a.offset !== b.offset) return a.offset < b.offset ? -1 : 1
  if (a.createdAtNs !== b.createdAtNs) return a.createdAtNs < b.createdAtNs ? -1 : 1
  if (a.creationIndex !== b.creationIndex) return a.creationIndex < b.creationIndex ? -1 : 1
  return Math.sign(byCodePoint(a.id, b.id))
}

/** sort_siblings, by taking the least again and again. */
function referenceSort<T extends SiblingKey>(siblings: readonly T[]): T[] {
  const left = [...siblings]
  const sorted: T[] = []
  while (left.length > 0) {
    const least = left.findIndex((a) => left.every((b) => referenceCompare(a, b) <= 0))
    sorted.push(...left.splice(least, 1))
  }
  return sorted
}

/** A missing key counts as 0, and creation_index as the place where the node is printed (D4). */
function sortForms(forms: readonly Form[]): Form[] {
  const keys = forms.map((form, index) => ({
    form,
    id: form.id,
    offset: Number(form['offset'] ?? 0),
    createdAtNs: BigInt((form['created_at_ns'] ?? 0) as number | bigint),
    creationIndex: Number(form['creation_index'] ?? index),
  }))
  return referenceSort(keys).map(({ form }) => form)
}

/** traverse_canonical of 08 §5.2. */
function traverse(form: Form, visit: (form: Form) => void): void {
  visit(form)
  for (const child of sortForms(form.children ?? [])) traverse(child, visit)
}

const WRITTEN = ['id', 'nodeType', 'offset', 'ttl', 'priority', 'cycle', 'created_at_ns', 'created_at_iso']
const OPTIONAL = ['content', 'role', 'kind']

/** serialize_snapshot of 08 §6.1. */
function serialize(form: Form): string {
  const fields = [...WRITTEN, ...OPTIONAL].filter((name) => Object.hasOwn(form, name))
  const texts = fields.map((name) => [name, dumps(form[name])] as const)
  const children = form.children === undefined ? undefined : `[${sortForms(form.children).map(serialize).join()}]`
  const all = children === undefined ? texts : [...texts, ['children', children] as const]
  return `{${all
    .toSorted(([a], [b]) => byCodePoint(a, b))
    .map(([name, text]) => `"${name}":${text}`)
    .join()}}`
}

/** json.dumps(sort_keys=True, separators=(',', ':')) for values without fractions. */
function dumps(value: unknown): string {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value)
  if (typeof value === 'number') throw new Error(`This writer does not know how Python writes ${value}.`)
  if (Array.isArray(value)) return `[${value.map(dumps).join()}]`
  if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value).toSorted(byCodePoint)
    return `{${names.map((name) => `${dumps(name)}:${dumps((value as Record<string, unknown>)[name])}`).join()}}`
  }
  return JSON.stringify(value).replaceAll(/[\u007f-\uffff]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

function isComplete(form: Form): boolean {
  const isLeaf = ['cb', 'block'].includes(String(form['nodeType']).replace(/:.*$/s, ''))
  const has = [...WRITTEN, 'creation_index'].every((name) => Object.hasOwn(form, name))
  return has && (isLeaf || form.children !== undefined) && (form.children ?? []).every(isComplete)
}

/** The tree with its filled-in headers (D4, D35). */
function filled(form: Form, index = 0, parent = ''): Form {
  const shape = parent === '^seq' ? 'mt' : form.children === undefined ? 'cb' : 'mc'
  const nodeType = (form['nodeType'] as string | undefined) ?? (parent === '' ? '^root' : shape)
  const isLeaf = /^(?:cb|block)(?::|$)/.test(nodeType)
  const children = form.children ?? (isLeaf || form['nodeType'] === undefined ? undefined : [])
  const lifecycle = { ttl: null, priority: 0, cycle: 1, created_at_ns: 0, created_at_iso: EPOCH }
  return {
    ...lifecycle,
    offset: 0,
    creation_index: index,
    ...form,
    nodeType,
    ...(children === undefined ? {} : { children: children.map((child, at) => filled(child, at, nodeType)) }),
  }
}

// ---- Generated input

const sibling: fc.Arbitrary<SiblingKey> = fc.record({
  id: fc.oneof(
    fc.constantFrom('a', 'A', 'b', '10', '9', '\u00e9', '\ue000', '\uffff', '\ud83d\ude00', '\ud800', '\udfffx'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
  ),
  offset: fc.oneof(fc.integer({ min: -2, max: 2 }), fc.maxSafeInteger()),
  createdAtNs: fc.oneof(
    fc.constantFrom(0n, 1n, 2n ** 53n, 2n ** 53n + 1n, -1n),
    fc.bigInt({ min: START_NS, max: START_NS + 2n }),
  ),
  creationIndex: fc.integer({ min: 0, max: 2 }),
})

/** A node before it has an id: its order keys, and children where it is a container. */
type Draw = Readonly<{ key: Readonly<Record<string, number>>; children: readonly Draw[] | undefined }>

const orderKeys: fc.Arbitrary<Readonly<Record<string, number>>> = fc.record({
  // No 0: a container at offset 0 would be a core, and two of them a warning.
  offset: fc.constantFrom(-2, -1, 1, 2),
  created_at_ns: fc.constantFrom(0, 7, 9),
  creation_index: fc.integer({ min: 0, max: 2 }),
})

const { tree } = fc.letrec<{ tree: Draw }>((tie) => ({
  tree: fc.record({
    key: orderKeys,
    children: fc.option(fc.array(tie('tree'), { maxLength: 4 }), { nil: undefined, depthSize: 'small' }),
  }),
}))

const extras = fc.array(fc.record({ content: fc.jsonValue(), data: fc.jsonValue() }), { maxLength: 4 })

function importUnder(region: string, children: readonly object[]): Context {
  return importSnapshot({ root: { children: [{ id: 'parent', nodeType: region, children }] } })
}

function canBeHeader(name: string, value: unknown): boolean {
  if (name === 'role' || name === 'kind') return typeof value === 'string'
  return /^(?:data_.|content_.)/s.test(name) && name !== 'content_hash'
}

/** Reads JSON whose integers may outgrow a double, without the engine's parser. */
function parse(text: string): unknown {
  const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
  const marked = text.replaceAll(token, (found) => {
    return /^-?\d+$/.test(found) && !Number.isSafeInteger(Number(found)) ? `{"an integer":"${found}"}` : found
  })
  return JSON.parse(marked, (_name, value: unknown) => {
    const digits = (value as Record<string, unknown> | null)?.['an integer']
    return typeof digits === 'string' ? BigInt(digits) : value
  })
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

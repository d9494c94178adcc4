// Chapter 05, snapshots: one tree gives one sequence of bytes, for every reader, how often, where and when; and an
// export says everything, so that an import says it again (D5, D32, D35, D37).

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import fc from 'fast-check'
import * as pact from 'pact-context'
import {
  createContext,
  importSnapshot,
  type Clock,
  type ContentInput,
  type Context,
  type ContextOptions,
  type Dialect,
  type Lens,
  type Snapshot,
} from 'pact-context'
import { describe, expect, test } from 'vitest'

import { readRecordings, type Recording } from '../recordings/read.mjs'
import {
  clockOf,
  byCodePoint,
  DIALECTS,
  idsOf,
  isContainer,
  programsFor,
  readExport,
  readGolden,
  refusal,
  runProgram,
  START_NS,
  textOf,
  walk,
  walkExport,
  writeTo,
  type ExportedNode,
} from '../support/context.js'
import { editedPrograms, editedRuns, playEdited, snapshotsOf } from '../support/edited.js'

const ROOT = new URL('../../', import.meta.url)
const SEED = Number(process.env['PACT_SEED'] ?? 20261115)
const REQUIRED = [
  'id',
  'nodeType',
  'offset',
  'ttl',
  'priority',
  'cycle',
  'created_at_ns',
  'created_at_iso',
  'creation_index',
]

/** Texts and values that real logs lack but bytes must survive. */
const HOSTILE: readonly unknown[] = [
  '',
  'NUL \0, DEL \u007f, BOM \ufeff, U+2028 \u2028, bidi \u202e, e\u0301 and \u00e9, \ud83d\ude00',
  'a lone \ud800 and a lone \udfff',
  '</script>"\\\r\n\t',
  { __proto__: null, b: 1, a: [1.5, -0.001, 1e300, 1e-7, 2 ** 60, true, null, {}, []] },
  JSON.parse('{"__proto__":{"x":1},"constructor":"c","\ud83d\ude00":1,"\uffff":2}'),
  { huge: 123456789012345678901234567890n, least: -9007199254740993n },
  null,
  false,
  0,
  [[[[['deep']]]]],
]

describe.each(DIALECTS)('bytes, %s', (dialect) => {
  test('renders @t0 to the bytes preview showed before the commit and replay gives later (05 §2.1.1, D32)', () => {
    fc.assert(
      fc.property(programsFor(dialect), fc.option(fc.integer({ min: 8, max: 40 })), (program, maxNodes) => {
        const ctx = createContext({
          dialect,
          clock: clockOf(),
          ...(maxNodes === null ? {} : { prune: { maxNodes, protectSegments: 0 } }),
        })
        const sent: string[] = []
        for (const step of program) {
          if (step.do === 'write') writeTo(ctx, step.write)
          if (step.do === 'commit') sent.push(commitAndCheck(ctx))
        }
        for (const [at, bytes] of sent.entries()) {
          expect(textOf(ctx.threadBytes(`@c${at + 1}`))).toBe(bytes)
          expect(textOf(importSnapshot(ctx.export(`@c${at + 1}`)).threadBytes('@t0'))).toBe(bytes)
        }
      }),
      { numRuns: 30, seed: SEED },
    )
    // Edited in between, in forks and in imports.
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        const sent: { ctx: Context; cycle: number; bytes: string }[] = []
        let shown = ''
        playEdited(program, {
          before: (ctx, call) => {
            if (call.do === 'commit') shown = previewBytes(ctx)
          },
          after: ({ ctx, call, outcome }) => {
            if (call.do !== 'commit' || 'code' in outcome) return
            expect(textOf(ctx.threadBytes('@t0'))).toBe(shown)
            sent.push({ ctx, cycle: ctx.cycle - 1, bytes: shown })
          },
        })
        for (const { ctx, cycle, bytes } of sent) {
          expect(textOf(ctx.threadBytes(`@c${cycle}`))).toBe(bytes)
          expect(textOf(importSnapshot(ctx.export(`@c${cycle}`)).threadBytes('@t0'))).toBe(bytes)
        }
      }),
      editedRuns(12),
    )
  })

  test('exports, renders and hashes one snapshot to identical bytes every time (05 §2.2)', () => {
    const ctx = fullContext(dialect)
    const other = fullContext(dialect)
    const lenses = ctx.snapshots().map((ref) => `@c${ref.cycle}` as Lens)
    const first = lenses.map((lens) => bytesOf(ctx.snapshot(lens)))
    expect(new Set(first.map((bytes) => bytes.export)).size, 'each snapshot is another').toBe(lenses.length)
    for (let round = 0; round < 3; round++) {
      for (const [at, lens] of lenses.entries()) {
        // Results belong to the caller: spoiling them spoils nothing.
        for (const bytes of [ctx.export(lens), ctx.threadBytes(lens), ctx.referenceBytes(lens)]) bytes.fill(0)
        expect(bytesOf(ctx.snapshot(lens))).toEqual(first[at])
        expect(bytesOf(other.snapshot(lens))).toEqual(first[at])
        const held = ctx.snapshot(lens)
        expect([held.export(), ctx.export(lens)].map(textOf)).toEqual([first[at]!.export, first[at]!.export])
      }
      ctx.user(`round ${round}`, { ttl: 1 })
      ctx.commit()
    }
  })

  test('changes no byte, id or later result by reading, exporting or previewing (05 §2.2)', () => {
    fc.assert(
      fc.property(programsFor(dialect), (program) => {
        const asked = { clock: 0, ids: 0 }
        const options = (counted: boolean): ContextOptions => {
          let now = START_NS
          return {
            dialect,
            prune: { maxNodes: 12, protectSegments: 0 },
            clock: () => {
              if (counted) asked.clock++
              return (now += 1n)
            },
            ids: ({ cycle, index, nodeType }) => {
              if (counted) asked.ids++
              return `${nodeType}#${cycle}.${index}`
            },
          }
        }
        const read = createContext(options(true))
        const unread = createContext(options(false))
        for (const step of program) {
          if (step.do !== 'write' && step.do !== 'commit') continue
          for (const ctx of [read, unread]) void (step.do === 'write' ? writeTo(ctx, step.write) : ctx.commit())
          if (step.do === 'write' && step.write.to !== 'core') continue
          const before = { ...asked }
          readEverything(read)
          expect(asked, 'no clock reading and no id is used up').toEqual(before)
        }
        expect(stateOf(read)).toEqual(stateOf(unread))
      }),
      { numRuns: 15, seed: SEED },
    )
    // The same where calls edit, undo, fork and import: read after every call, or never.
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        const prune = { maxNodes: 20, protectSegments: 0 }
        const read = playEdited(program, { after: ({ ctx }) => readEverything(ctx) }, { prune })
        const unread = playEdited(program, {}, { prune })
        expect(read.contexts.map(stateOf)).toEqual(unread.contexts.map(stateOf))
      }),
      editedRuns(4),
    )
  })
})

describe.each(DIALECTS)('addresses, %s', (dialect) => {
  test('addresses snapshots by @t0, @t-N and @cN and refuses what does not exist (05 §2.3, D5)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    const reads = (lens: string): (() => unknown)[] => [
      () => ctx.snapshot(lens as Lens),
      () => ctx.export(lens as Lens),
      () => ctx.thread(lens as Lens),
      () => ctx.threadBytes(lens as Lens),
      () => ctx.referenceBytes(lens as Lens),
      () => ctx.node('sys', lens as Lens),
      () => ctx.coordinate('sys', lens as Lens),
      () => ctx.fork(lens as Lens),
    ]
    const expectNotFound = (lens: string): void => {
      for (const read of reads(lens)) {
        const error = refusal(read)
        expect(error.code, lens).toBe('E_SNAPSHOT_NOT_FOUND')
        expect(error.message, lens).toContain(lens)
      }
    }
    for (const lens of ['@t0', '@t-1', '@c1', '@c0']) expectNotFound(lens)
    for (const read of [() => ctx.snapshot(), () => ctx.export(), () => ctx.referenceBytes(), () => ctx.fork()]) {
      expect(refusal(read).code, 'the default is @t0').toBe('E_SNAPSHOT_NOT_FOUND')
    }
    expect(ctx.thread()).toEqual([])

    const exports: string[] = []
    for (let cycle = 1; cycle <= 5; cycle++) {
      ctx.user(`turn ${cycle}`)
      exports.push(textOf(ctx.commit().export()))
      for (let back = 0; back < cycle; back++) {
        const expected = exports[cycle - 1 - back]
        const [relative, absolute] = [back ? (`@t-${back}` as const) : ('@t0' as const), `@c${cycle - back}` as const]
        for (const lens of [relative, absolute]) {
          expect(ctx.snapshot(lens).cycle).toBe(cycle - back)
          expect(textOf(ctx.export(lens)), lens).toBe(expected)
          expect(textOf(ctx.snapshot(lens).export()), lens).toBe(expected)
          expect(ctx.thread(lens)).toHaveLength(cycle - back)
          expect(ctx.fork(lens).cycle).toBe(cycle - back + 1)
        }
      }
      expect(textOf(ctx.export())).toBe(exports.at(-1))
    }
    for (const lens of ['@t-5', '@t-9', '@t+1', '@c0', '@c6', '@c99', '@c999999999999']) expectNotFound(lens)

    const imported = importSnapshot({ cycle: 41, root: {} }, { dialect })
    expect(imported.snapshot('@t0').cycle).toBe(41)
    expect(imported.snapshot('@c41').cycle).toBe(41)
    for (const lens of ['@t-1', '@c1', '@c40', '@c42'] as const) {
      expect(refusal(() => imported.snapshot(lens)).code).toBe('E_SNAPSHOT_NOT_FOUND')
    }
    imported.commit()
    expect(imported.snapshot('@t-1').cycle).toBe(41)
  })
})

describe.each(DIALECTS)('export and import, %s', (dialect) => {
  test('exports every node with required headers, stable ids and canonical sibling order (05 §3.1)', () => {
    // Every header that a node was given is in the export under its own name.
    const full = createContext({ dialect, clock: clockOf() })
    const header = {
      key: 'k',
      tags: ['t'],
      refs: ['r'],
      pinned: true,
      provenance: { by: 'x' },
      cad: 2,
      ttl: 1,
    } as const
    const given = { ...header, role: 'user', kind: 'text', priority: 3, data_x: [1], 'x:y': null } as const
    const { id } = full.post('text', given)
    const box = full.add(undefined, { zone: 'post', removable: true, children: [{ content: 'in it' }] })
    full.commit()
    const written = new Map(walkExport(readExport(full.export()).root).map((node) => [node.id, node]))
    expect(written.get(id)).toMatchObject({ ...given, content: 'text' })
    expect(written.get(box.id)).toMatchObject({ removable: true })
    fc.assert(
      fc.property(programsFor(dialect), (program) => {
        const ctx = createContext({ dialect, clock: clockOf() })
        runProgram(ctx, program, (snapshot) => checkExport(snapshot))
        // Written once, an id stays in later exports while its node lives.
        for (const { cycle } of ctx.snapshots().slice(1)) {
          const now = walkExport(readExport(ctx.export(`@c${cycle}`)).root)
          const next = new Map(walk(ctx.snapshot(`@c${cycle + 1}`).root).map((node) => [node.createdAtNs, node.id]))
          for (const { id, created_at_ns: ns } of now) {
            if (ns !== 0n) expect([id, undefined]).toContain(next.get(ns as bigint))
          }
        }
      }),
      { numRuns: 30, seed: SEED },
    )
    // After any edits too; what supersedes a node, or sums it up, has its age and another id (D30, D63).
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        for (const ctx of playEdited(program).contexts) {
          let before = new Map<unknown, string>()
          const lists = new Map<string, readonly string[]>()
          for (const { cycle } of ctx.snapshots().toReversed()) {
            const snapshot = ctx.snapshot(`@c${cycle}`)
            checkExport(snapshot)
            const nodes = walk(snapshot.root).filter((node) => !node.nodeType.startsWith('^'))
            for (const { id, attributes } of nodes) {
              const list = attributes['pact:compacted'] as { nodes: readonly { id: string }[] } | undefined
              if (list !== undefined) lists.set(id, idsOf(list.nodes))
            }
            for (const { id, createdAtNs, supersedes } of nodes) {
              const known = before.get(createdAtNs) ?? id
              // A node that comes back has the age of its summary, which is gone then; so has another summary of it.
              const back = listedUnder(known, lists)
              const isReplaced = supersedes !== undefined && back.has(supersedes)
              const isBack = back.has(id) || isReplaced || [...listedUnder(id, lists)].some((each) => back.has(each))
              if (!isBack) expect([id, supersedes]).toContain(known)
            }
            before = new Map(nodes.map((node) => [node.createdAtNs, node.id]))
          }
        }
      }),
      editedRuns(10),
    )

    // Siblings that tie in everything down to the id, printed in the wrong order.
    const keys = [-2, -2, 0, 3].flatMap((offset) =>
      [5, 4].flatMap((ns) => [1, 0].map((index) => ({ offset, ns, index }))),
    )
    const children = [...keys.entries()].flatMap(([n, { offset, ns, index }]) =>
      ['\uffff', '\ud83d\ude00', 'Z', 'a'].map((name) => ({
        id: `${name}${n % 8}${offset}`,
        nodeType: 'cb',
        offset: n < 8 ? offset - 1 : offset,
        created_at_ns: ns,
        creation_index: index,
        content: name,
      })),
    )
    const ctx = importSnapshot(
      { root: { children: [{ id: 'ah', nodeType: '^ah', children: [{ id: 'box', offset: -9, children }] }] } },
      { dialect },
    )
    checkExport(ctx.snapshot())
    expect(ctx.node('box')?.children).toHaveLength(children.length)
  })

  test('gives the same export, thread and reference bytes after import of an export (05 §3.2, D35)', () => {
    fc.assert(
      fc.property(programsFor(dialect), (program) => {
        const ctx = createContext({ dialect, clock: clockOf() })
        runProgram(ctx, program)
        for (const { cycle } of ctx.snapshots()) expectSurvives(ctx.snapshot(`@c${cycle}`))
      }),
      { numRuns: 30, seed: SEED },
    )
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        for (const { ctx, lens } of snapshotsOf(playEdited(program))) expectSurvives(ctx.snapshot(lens))
      }),
      editedRuns(10),
    )

    const ctx = fullContext(dialect)
    for (const { cycle } of ctx.snapshots()) expectSurvives(ctx.snapshot(`@c${cycle}`))
    const again = importSnapshot(ctx.export())
    expect(again.dialect).toBe(dialect)
    for (const [at, content] of HOSTILE.entries()) {
      const found = walk(again.snapshot().root).find((node) => node.key === `hostile ${at}`)
      expect(found?.content, `hostile ${at}`).toEqual(content)
    }

    // Text, bytes and objects are one to an import, as long as an object can hold the times.
    const small = createContext({ dialect, clock: clockOf(1n, 5n) })
    small.user('hello', { tags: ['x'], data_n: [1] })
    small.commit()
    const text = textOf(small.export())
    for (const input of [text, small.export(), JSON.parse(text) as object, small.snapshot().toJSON()]) {
      expect(textOf(importSnapshot(input).export())).toBe(text)
    }
    expect(refusal(() => importSnapshot(small.export('working'))).code, 'D24').toBe('E_SNAPSHOT_INVALID')
  })

  test('exports spec_version, cycle and root with its id and children (05 §5.1, D35)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    for (let cycle = 1; cycle <= 3; cycle++) {
      ctx.user(`turn ${cycle}`)
      ctx.commit()
      const exported = readExport(ctx.export())
      expect(Object.keys(exported)).toEqual(['cycle', 'root', 'schedules', 'spec_version'])
      expect(exported).toMatchObject({ spec_version: `PACT/${dialect}.0`, cycle, schedules: [] })
      expect(exported.root.id).toBe(ctx.snapshot().root.id)
      expect(exported.root.nodeType).toBe('^root')
      expect(exported.root.children?.map((region) => region.nodeType)).toEqual(['^sys', '^seq', '^ah'])
    }

    const { snapshot } = readGolden('05-export-example.json') as {
      snapshot: { spec_version: string; cycle: number; root: { id: string } }
    }
    const example = importSnapshot(snapshot)
    expect(example.dialect).toBe('0.1')
    const exported = readExport(example.export())
    expect(exported).toMatchObject({ spec_version: 'PACT/0.1.0', cycle: 42, root: { id: 'root-xyz' } })
    expect(exported.root.children).toHaveLength(3)
    expect(example.commit().cycle).toBe(43)
  })
})

describe('other processes', () => {
  test('gives the same exports and threads in another process, time zone and locale (D37)', ({ skip }) => {
    const dist = new URL('dist/index.js', ROOT)
    skip(!existsSync(dist), 'there is no dist/index.js; npm test builds it first')
    const expected = DIALECTS.flatMap((dialect) => seededProgram(pact, dialect, hash))
    expect(new Set(expected).size).toBeGreaterThan(50)

    const cache = new URL('node_modules/.cache/', ROOT)
    mkdirSync(cache, { recursive: true })
    const folder = mkdtempSync(fileURLToPath(new URL('determinism-', cache)))
    try {
      const file = `${folder}/program.mjs`
      writeFileSync(file, programFile(dist.href))
      const zones = new Set<number>()
      for (const [TZ, locale] of [
        ['UTC', 'C'],
        ['Asia/Kathmandu', 'tr_TR.UTF-8'],
        ['America/St_Johns', 'ar_EG.UTF-8'],
        ['Pacific/Apia', 'de_DE@euro'],
      ] as const) {
        const env = { ...process.env, TZ, LANG: locale, LC_ALL: locale, LANGUAGE: locale }
        const run = spawnSync(process.execPath, [file], { env, encoding: 'utf8', cwd: folder })
        expect(run.stderr).toBe('')
        const { zone, hashes } = JSON.parse(run.stdout) as { zone: number; hashes: string[] }
        zones.add(zone)
        expect(hashes, `TZ=${TZ} LC_ALL=${locale}`).toEqual(expected)
      }
      expect(zones.size, 'the processes did live in different time zones').toBe(4)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe('real conversations', () => {
  test('every real conversation survives export and import byte for byte (D35)', () => {
    const conversations = readRecordings().map(conversationOf)
    expect(conversations.length).toBeGreaterThan(500)
    for (const [at, { name, system, messages }] of conversations.entries()) {
      const dialect = DIALECTS[at % 2]!
      const ctx = createContext({ dialect, clock: clockOf() })
      for (const content of system) ctx.system.add(content)
      for (const message of messages) addMessage(ctx, message)
      ctx.commit()
      expectSurvives(ctx.snapshot(), name)
      const thread = importSnapshot(ctx.export()).thread('@t0')
      // Nothing was lost on the way in either: every message is there, as it was.
      const inOrder = [
        ...system,
        ...messages.filter(isSystem).map(contentOf),
        ...messages.filter(isTalk).map(contentOf),
      ]
      expect(
        thread.map((item) => item.content),
        name,
      ).toEqual(inOrder)
    }
  })
})

// ---- Checks

function commitAndCheck(ctx: Context): string {
  const preview = ctx.preview()
  const bytes = textOf(ctx.threadBytes('preview'))
  expect(textOf(preview.threadBytes())).toBe(bytes)
  const snapshot = ctx.commit()
  expect(textOf(snapshot.threadBytes())).toBe(bytes)
  expect(textOf(ctx.threadBytes('@t0'))).toBe(bytes)
  expect(textOf(ctx.threadBytes()), 'nothing is written yet in the next cycle').toBe(bytes)
  expect(textOf(preview.threadBytes()), 'a preview that was kept').toBe(bytes)
  expect(preview.cycle).toBe(snapshot.cycle)
  expect(preview.receipt).toEqual(snapshot.receipt)
  return bytes
}

/** An import of its export gives a snapshot's bytes again, of all three kinds. */
function expectSurvives(snapshot: Snapshot, label = `cycle ${snapshot.cycle}`): void {
  const again = importSnapshot(snapshot.export())
  expect(again.warnings, label).toEqual([])
  expect(bytesOf(again.snapshot('@t0')), label).toEqual(bytesOf(snapshot))
  expect(again.snapshot('@t0').cycle, label).toBe(snapshot.cycle)
}

function checkExport(snapshot: Snapshot): void {
  const { root } = readExport(snapshot.export())
  const nodes = walk(snapshot.root)
  const exported = walkExport(root)
  expect(idsOf(exported), 'all nodes, in one order').toEqual(idsOf(nodes))
  for (const [at, node] of nodes.entries()) {
    const form = exported[at]!
    for (const name of REQUIRED) expect(Object.hasOwn(form, name), `${node.id} has ${name}`).toBe(true)
    expect(form).toMatchObject({
      nodeType: node.nodeType,
      offset: node.offset,
      ttl: node.ttl,
      priority: node.priority,
      cycle: node.cycle,
      created_at_ns: node.createdAtNs,
      created_at_iso: node.createdAtIso,
      creation_index: node.creationIndex,
    })
    // Containers have their children even when empty, blocks have none; attributes are next to the headers.
    expect(Object.hasOwn(form, 'children'), node.id).toBe(isContainer(node))
    expect(form).toMatchObject({ ...node.attributes })
    if (form !== root) expect(idsOf(form.children ?? [])).toEqual(idsOf((form.children ?? []).toSorted(bySiblingOrder)))
  }
}

/** The order of 02 §4.3, written a second time. */
function bySiblingOrder(a: ExportedNode, b: ExportedNode): number {
  const order = (node: ExportedNode): bigint[] =>
    ['offset', 'created_at_ns', 'creation_index'].map((name) => BigInt(node[name] as number | bigint))
  const [left, right] = [order(a), order(b)]
  const at = left.findIndex((value, i) => value !== right[i])
  return at < 0 ? byCodePoint(a.id, b.id) : left[at]! < right[at]! ? -1 : 1
}

/** The tree of a preview; '' where the commit would fail. */
function previewBytes(ctx: Context): string {
  try {
    return textOf(ctx.threadBytes('preview'))
  } catch (error) {
    if (pact.PactError.is(error) && error.code === 'E_BUDGET') return ''
    throw error
  }
}

/** Every way to read a context, through every lens it has. */
function readEverything(ctx: Context): void {
  const lenses: Lens[] = ['working', 'preview', ...ctx.snapshots().map((ref) => `@c${ref.cycle}` as const)]
  for (const lens of lenses) {
    const snapshot = ctx.snapshot(lens)
    JSON.stringify(snapshot)
    bytesOf(snapshot)
    for (const node of walk(snapshot.root)) {
      void [node.contentHash, node.createdAtIso, node.attributes]
      snapshot.node(node.id)
      snapshot.coordinate(node.id)
    }
    ctx.thread(lens)
    ctx.threadBytes(lens)
    ctx.export(lens)
    ctx.referenceBytes(lens)
    ctx.node('sys', lens)
    ctx.node('no such node', lens)
    ctx.coordinate('ah', lens)
  }
  ctx.preview()
  void [ctx.cycle, ctx.id, ctx.dialect, ctx.warnings]
}

// ---- Contexts

function bytesOf(snapshot: Snapshot): Readonly<Record<'export' | 'thread' | 'reference' | 'hashes', string>> {
  return {
    export: textOf(snapshot.export()),
    thread: textOf(snapshot.threadBytes()),
    reference: textOf(snapshot.referenceBytes()),
    hashes: walk(snapshot.root)
      .map((node) => node.contentHash)
      .join(' '),
  }
}

function stateOf(ctx: Context): readonly object[] {
  const snapshots = ctx.snapshots().map((ref) => ctx.snapshot(`@c${ref.cycle}`))
  return [
    ...[ctx.snapshot('working'), ...snapshots].map(bytesOf),
    ...snapshots.map((snapshot) => snapshot.receipt),
    ctx.snapshots(),
  ]
}

/** Every header there is, in every place, and hostile content. */
function fullContext(dialect: Dialect): Context {
  const ctx = createContext({ dialect, clock: clockOf(), prune: { maxNodes: 40 } })
  ctx.system.add('Be kind.', {
    role: 'system',
    priority: 3,
    pinned: true,
    'acme:weight': 0.5,
    provenance: { by: ['me'] },
  })
  const user = ctx.user('Hello', { kind: 'text', key: 'greeting', tags: ['a', 'b'], ttl: 3, type: 'note' })
  ctx.post('later', { refs: [user.id, 'nowhere'], data_x: { y: [null] }, content_mime: 'text/plain' })
  ctx.commit()
  ctx.pre('hint', { offset: -7 })
  ctx.add(undefined, { zone: 'post', removable: true, children: [{ content: 'in a box', ttl: 1 }, { children: [] }] })
  ctx.commit()
  for (const [at, content] of HOSTILE.entries()) ctx.post(content as ContentInput, { key: `hostile ${at}` })
  ctx.commit()
  return ctx
}

// ---- Other processes

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/**
 * A long program that uses nothing but its arguments, so that its own source text can run in another process. Gives the
 * hashes of everything the context says on the way.
 */
function seededProgram(
  engine: Pick<typeof pact, 'createContext' | 'importSnapshot'>,
  dialect: Dialect,
  hash: (bytes: Uint8Array) => string,
): string[] {
  let state = 20261115
  const random = (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return (state >> 8) % below
  }
  const words = [
    'I',
    'ı',
    'İ',
    'i',
    'ä',
    'z',
    'Z',
    'å',
    'ß',
    '٣',
    '1,5',
    '1.5',
    '\u0130stanbul',
    '\ud83d\ude00',
    '',
    '\n',
  ]
  const text = (): string => Array.from({ length: 1 + random(6) }, () => words[random(words.length)]!).join(' ')
  let now = -3_000_000_000_000_000_000n
  const clock: Clock = () => (now += BigInt(random(1_000_000_000)) * 100_000_000n)
  const countTokens = (content: string): number => content.length
  const options = { dialect, clock, countTokens, prune: { maxTokens: 900, protectSegments: 1 } }
  const ctx = engine.createContext({ ...options, id: 'determinism' })
  const hashes: string[] = []
  const zones = ['pre', 'core', 'post'] as const
  for (let step = 0; step < 100; step++) {
    const header = {
      ttl: random(3) === 0 ? random(4) : null,
      priority: random(5) - 2,
      role: ['user', 'assistant', 'tool'][random(3)]!,
      tags: [text(), text()],
      key: `${text()} ${step}`,
      data_list: [random(1000) / 7, -random(1000), { [text()]: 1e21, [text()]: 1e-7, [text()]: text() }],
    }
    if (random(8) === 0) ctx.system.add(text(), header)
    else if (random(6) === 0)
      ctx.add(undefined, { zone: 'post', removable: true, children: [{ ...header, content: text() }] })
    else ctx.add({ [text()]: text(), [text()]: random(9) }, { ...header, zone: zones[random(3)]! })
    if (random(5) > 0) continue
    const snapshot = ctx.commit()
    hashes.push(hash(snapshot.export()), hash(snapshot.threadBytes()), hash(snapshot.referenceBytes()))
    hashes.push(hash(new TextEncoder().encode(JSON.stringify([snapshot.root.toJSON(), snapshot.receipt]))))
  }
  const replayed = engine.importSnapshot(ctx.export(), options)
  replayed.assistant(text())
  hashes.push(hash(replayed.commit().export()), hash(replayed.threadBytes()), hash(ctx.export('working')))
  return hashes
}

function programFile(engine: string): string {
  return `import { createHash } from 'node:crypto'
import * as engine from ${JSON.stringify(engine)}
const hash = (bytes) => createHash('sha256').update(bytes).digest('hex')
const seededProgram = ${seededProgram.toString()}
const hashes = ${JSON.stringify(DIALECTS)}.flatMap((dialect) => seededProgram(engine, dialect, hash))
console.log(JSON.stringify({ zone: new Date(0).getTimezoneOffset(), hashes }))
`
}

// ---- Real conversations

type Message = Readonly<Record<string, unknown>>
type Conversation = Readonly<{ name: string; system: readonly ContentInput[]; messages: readonly Message[] }>

/** Recordings differ in their names; what they hold goes in as it is. */
function conversationOf({ file, line, record }: Recording): Conversation {
  const system = ['system', 'systemInstruction', 'instructions'].flatMap(
    (field) => (record[field] ?? []) as ContentInput,
  )
  return { name: `${file}:${line}`, system, messages: record['messages'] as readonly Message[] }
}

function addMessage(ctx: Context, message: Message): void {
  const role = roleOf(message)
  const content = contentOf(message)
  if (isSystem(message)) ctx.system.add(content, { role })
  else ctx.add(content, { role })
  if (role === 'user' || role === 'human') ctx.commit()
}

function roleOf(message: Message): string | undefined {
  const role = message['role'] ?? message['from']
  return typeof role === 'string' ? role : undefined
}

/** Null, empty, a list, whatever it is; a message without content is its own content. */
function contentOf(message: Message): ContentInput {
  for (const name of ['content', 'value', 'parts'])
    if (Object.hasOwn(message, name)) return message[name] as ContentInput
  return message
}

function isSystem(message: Message): boolean {
  return roleOf(message) === 'system'
}

function isTalk(message: Message): boolean {
  return !isSystem(message)
}

/** The ids that a summary stands for, itself or through summaries that it stands for. */
function listedUnder(summary: string, lists: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const all = new Set(lists.get(summary))
  for (const id of all) for (const inside of lists.get(id) ?? []) all.add(inside)
  return all
}

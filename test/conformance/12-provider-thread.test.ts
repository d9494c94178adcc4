// Chapter 02 §12: the tree as a linear thread, the order of its items, their four fields, and the two normative
// examples to the byte.

import fc from 'fast-check'
import { createContext, importSnapshot, type Context, type Dialect } from 'pact-context'
import { describe, expect, test } from 'vitest'

import {
  clockOf,
  DIALECTS,
  idsOf,
  isContainer,
  NAMES,
  programsFor,
  readGolden,
  regionsOf,
  runProgram,
  textOf,
  walk,
} from '../support/context.js'
import { editedPrograms, editedRuns, playEdited, snapshotsOf } from '../support/edited.js'
import { ALL_TIED, tiedContext } from '../support/ties.js'

/** A snapshot of 02 §12 and the thread that the document prints for it. */
type ThreadExample = Readonly<{ snapshot: object; thread: readonly Readonly<Record<string, string>>[] }>

const SEED = 20261201

describe.each(DIALECTS)('the thread of a %s context', (dialect) => {
  const { cont } = NAMES[dialect]

  test('renders identical snapshots to identical bytes, in a second context and after replay (02 §12.1)', () => {
    fc.assert(
      fc.property(programsFor(dialect), (program) => {
        const first = createContext({ dialect, clock: clockOf() })
        const bytesAtCommit: string[] = []
        runProgram(first, program, (snapshot) => bytesAtCommit.push(textOf(snapshot.threadBytes())))
        const second = createContext({ dialect, clock: clockOf() })
        runProgram(second, program)
        for (const [i, bytes] of bytesAtCommit.entries()) {
          const lens = `@c${i + 1}` as const
          // Rendered again after later commits, by another context, and after export and import.
          expect(textOf(first.threadBytes(lens))).toBe(bytes)
          expect(textOf(second.threadBytes(lens))).toBe(bytes)
          const replayed = importSnapshot(first.export(lens))
          expect(textOf(replayed.threadBytes('@t0'))).toBe(bytes)
          // The objects say the same as the bytes.
          expect(JSON.parse(bytes)).toEqual(first.thread(lens))
          // Every block of the tree is there, once, in document order.
          const blocks = walk(first.snapshot(lens).root).filter((node) => !isContainer(node))
          expect(idsOf(first.thread(lens))).toEqual(idsOf(blocks))
        }
      }),
      { seed: SEED, numRuns: 20 },
    )
    // Edited, with forks and imports in between: what a commit gave is what the same calls give, and what is read later.
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        const [first, second] = [1, 2].map(() => {
          const given: string[] = []
          const run = playEdited(program, {
            after: ({ ctx, call, outcome }) => {
              if (call.do === 'commit' && !('code' in outcome)) given.push(textOf(ctx.threadBytes('@t0')))
            },
          })
          return { run, given }
        })
        expect(second!.given).toEqual(first!.given)
        for (const { ctx, lens } of snapshotsOf(first!.run)) {
          const bytes = textOf(ctx.threadBytes(lens))
          expect(textOf(importSnapshot(ctx.export(lens)).threadBytes('@t0'))).toBe(bytes)
          expect(JSON.parse(bytes)).toEqual(ctx.thread(lens))
        }
      }),
      editedRuns(8),
    )
  })

  test('renders ^sys, then ^seq oldest to newest, then ^ah (02 §12.2)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    ctx.user('oldest')
    ctx.commit()
    ctx.user('middle')
    ctx.commit()
    ctx.user('newest')
    ctx.commit()
    ctx.assistant('in progress')
    ctx.system.add('written last, rendered first')
    const rendered = ['written last, rendered first', 'oldest', 'middle', 'newest', 'in progress']
    expect(contentsIn(ctx)).toEqual(rendered)
    expect(contentsIn(ctx, '@t0')).toEqual(['oldest', 'middle', 'newest'])
    ctx.commit()
    expect(contentsIn(ctx, '@t0')).toEqual(rendered)

    // The regions' own headers and the order they are printed in change nothing.
    const leaf = (id: string): object => ({ id, content: id })
    const region = (id: string, nodeType: string, offset: number, children: object[]): object => {
      return { id, nodeType, offset, created_at_ns: offset, creation_index: offset, children }
    }
    const turn = (id: string, offset: number): object => ({ id, offset, children: [leaf(`in ${id}`)] })
    const imported = importSnapshot(
      {
        root: {
          id: 'r',
          children: [
            region('h', '^ah', 1, [leaf('head')]),
            region('q', '^seq', 2, [turn('third', 30), turn('first', 10), turn('second', 20)]),
            region('s', '^sys', 3, [leaf('system')]),
          ],
        },
      },
      { dialect },
    )
    expect(contentsIn(imported, '@t0')).toEqual(['system', 'in first', 'in second', 'in third', 'head'])
  })

  test('renders pre-context, core and post-context of a turn or head in canonical order (02 §12.3)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    const write = (name: string): void => {
      ctx.post(`${name} far post`, { offset: 5 })
      ctx.assistant(`${name} core 1`)
      ctx.pre(`${name} pre 1`)
      ctx.post(`${name} near post`, { offset: 2 })
      ctx.add(undefined, { zone: 'core', children: [{ content: `${name} core 2` }, { content: `${name} core 3` }] })
      ctx.pre(`${name} far pre`, { offset: -9 })
      ctx.pre(`${name} pre 2`)
      ctx.user(`${name} core 4`)
    }
    const rendered = (name: string): string[] =>
      ['far pre', 'pre 1', 'pre 2', 'core 1', 'core 2', 'core 3', 'core 4', 'near post', 'far post'].map(
        (part) => `${name} ${part}`,
      )
    write('head')
    expect(contentsIn(ctx)).toEqual(rendered('head'))
    ctx.commit()
    expect(contentsIn(ctx, '@t0')).toEqual(rendered('head'))
    write('next')
    expect(contentsIn(ctx)).toEqual([...rendered('head'), ...rendered('next')])

    // A node with content comes before its children, and a container without content gives no item of its own.
    const titled = createContext({ dialect, clock: clockOf() })
    const child = { content: 'inside' }
    titled.add('title', { zone: 'post', nodeType: `${cont}:titled`, children: [child] })
    titled.add(undefined, { zone: 'post', children: [child] })
    expect(contentsIn(titled)).toEqual(['title', 'inside', 'inside'])

    // Siblings by offset, created_at_ns, creation_index and id (02 §4.3).
    expect(contentsIn(tiedContext(dialect))).toEqual(ALL_TIED)
    expect(contentsIn(tiedContext(dialect), '@t0')).toEqual(ALL_TIED)
  })

  test('keeps every given role in the thread, unusual ones too (02 §12.4)', () => {
    const roles = fc.array(
      fc.oneof(
        fc.constantFrom('user', 'assistant', 'tool', 'system', 'other', 'developer', 'User', ' user ', '', '__proto__'),
        fc.string({ unit: 'binary', maxLength: 8 }),
      ),
      { minLength: 1, maxLength: 12 },
    )
    fc.assert(
      fc.property(roles, (given) => {
        const ctx = createContext({ dialect, clock: clockOf() })
        for (const role of given) ctx.system.add('rule', { role })
        for (const role of given) ctx.add('text', { role, zone: 'core' })
        expect(ctx.thread().map((item) => item.role)).toEqual([...given, ...given])
        ctx.commit()
        ctx.commit()
        for (const each of [ctx, importSnapshot(ctx.export())]) {
          expect(each.thread('@t0').map((item) => item.role)).toEqual([...given, ...given])
          const written = JSON.parse(textOf(each.threadBytes('@t0'))) as { role: string }[]
          expect(written.map((item) => item.role)).toEqual([...given, ...given])
        }
      }),
      { seed: SEED, numRuns: 20 },
    )
    // The three calls that name a role give exactly that one.
    const ctx = createContext({ dialect, clock: clockOf() })
    for (const node of [ctx.user('a'), ctx.assistant('b'), ctx.tool('c')]) expect(node.content).toBeDefined()
    expect(ctx.thread().map((item) => item.role)).toEqual(['user', 'assistant', 'tool'])
  })

  test('gives a block as id, role, kind, content in this order and invents no kind (02 §12.5, D36)', () => {
    const ctx = createContext({ dialect, clock: clockOf(), ids: ({ nodeType, index }) => `${nodeType}#${index}` })
    const { id: withAll } = ctx.user('Hello!', { kind: 'text', key: 'k', tags: ['t'], data_x: 1, priority: 3, ttl: 9 })
    const { id: withoutKind } = ctx.assistant({ z: 1, a: ['ü', 1e-7, 12345678901234567890n] })
    const { id: empty } = ctx.tool('', { kind: 'result' })
    ctx.commit()
    const bytes = textOf(ctx.threadBytes('@t0'))
    // Keys of an item in the documents' order; within content canonical JSON as Python writes it (D33).
    expect(bytes).toBe(
      `[{"id":"${withAll}","role":"user","kind":"text","content":"Hello!"},` +
        `{"id":"${withoutKind}","role":"assistant","content":{"a":["\\u00fc",1e-07,12345678901234567890],"z":1}},` +
        `{"id":"${empty}","role":"tool","kind":"result","content":""}]`,
    )
    expect(ctx.thread('@t0').map((item) => Object.keys(item))).toEqual([
      ['id', 'role', 'kind', 'content'],
      ['id', 'role', 'content'],
      ['id', 'role', 'kind', 'content'],
    ])
    // The ids are those of the tree, so that diffs and threads speak of the same nodes.
    const [turn] = regionsOf(ctx.snapshot()).seq.children
    expect(idsOf(ctx.thread('@t0'))).toEqual(idsOf(turn!.children[0]!.children))
    // A block that was imported without content still has the field.
    const bare = importSnapshot(
      { root: { children: [{ id: 's', nodeType: '^sys', children: [{ id: 'b', role: 'system' }] }] } },
      { dialect },
    )
    expect(textOf(bare.threadBytes('@t0'))).toBe('[{"id":"b","role":"system","content":""}]')
    expect(textOf(createContext({ dialect }).threadBytes())).toBe('[]')
  })

  test('reproduces the end-to-end example thread to the byte (02 §12.8)', () => {
    checkExample('02-12.8-thread.json', ['cb:sysA', 'cb:u1', 'cb:a1', 'cb:u2'], dialect)
  })

  test('reproduces the example thread with pre- and post-context to the byte (02 §12.9)', () => {
    const order = ['cb:sysB', 'cb:pre1', 'cb:core1', 'cb:post1', 'cb:pre2', 'cb:core2', 'cb:post2']
    checkExample('02-12.9-thread.json', order, dialect)
  })
})

test('fills a missing role in a 0.1 thread: system under ^sys, user elsewhere (02 §12.4, D36)', () => {
  const ctx = createContext({ dialect: '0.1', clock: clockOf() })
  ctx.system.add('rule')
  ctx.system.add('rule with a role', { role: 'developer' })
  ctx.pre('hint')
  ctx.add('core')
  ctx.add(undefined, { zone: 'core', children: [{ content: 'nested' }] })
  ctx.post('note')
  ctx.commit()
  ctx.add('in the head')
  expect(ctx.thread().map((item) => [item.content, item.role])).toEqual([
    ['rule', 'system'],
    ['rule with a role', 'developer'],
    ['hint', 'user'],
    ['core', 'user'],
    ['nested', 'user'],
    ['note', 'user'],
    ['in the head', 'user'],
  ])
  const rendered = JSON.parse(textOf(ctx.threadBytes())) as { role: string }[]
  expect(rendered.map((item) => item.role)).toEqual(['system', 'developer', 'user', 'user', 'user', 'user', 'user'])
  // Only the thread says so: the nodes themselves stay without a role.
  for (const item of ctx.thread()) {
    expect(ctx.node(item.id)!.role).toBe(item.role === 'developer' ? 'developer' : undefined)
  }
  // A document without a spec_version is of this edition (D1).
  const children = [
    { id: 's', nodeType: '^sys', children: [{ id: 'rule', content: 'x' }] },
    { id: 'h', nodeType: '^ah', children: [{ id: 'said', content: 'y' }] },
  ]
  expect(importSnapshot({ root: { children } }).thread('@t0')).toEqual([
    { id: 'rule', role: 'system', content: 'x' },
    { id: 'said', role: 'user', content: 'y' },
  ])
})

function contentsIn(ctx: Context, lens: 'working' | '@t0' = 'working'): unknown[] {
  return ctx.thread(lens).map((item) => item.content)
}

/** The document prints spaces for its readers; the bytes are compact, keys in the printed order (D36). */
function checkExample(name: string, order: readonly string[], dialect: Dialect): void {
  const { snapshot, thread } = readGolden(name) as ThreadExample
  expect(thread.map((item) => item['id'])).toEqual(order)
  for (const item of thread) expect(Object.keys(item)).toEqual(['id', 'role', 'kind', 'content'])
  const bytes = JSON.stringify(thread)
  for (const given of [snapshot, JSON.stringify(snapshot), new TextEncoder().encode(JSON.stringify(snapshot))]) {
    const ctx = importSnapshot(given, { dialect })
    expect(textOf(ctx.threadBytes('@t0'))).toBe(bytes)
    expect(ctx.thread('@t0')).toEqual(thread)
    expect(textOf(ctx.threadBytes('working'))).toBe(bytes)
    // Sealing the head moves no item.
    expect(textOf(ctx.threadBytes('preview'))).toBe(bytes)
    ctx.commit()
    expect(textOf(ctx.threadBytes('@t0'))).toBe(bytes)
    expect(textOf(ctx.threadBytes('@t-1'))).toBe(bytes)
  }
}

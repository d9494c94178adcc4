// Chapter 01: the one tree with its three regions, the canonical types, the shape of a turn, and what a commit does to
// the head. Titles are those of docs/implementers/conformance.md.

import { createContext, importSnapshot, type Context, type Node, type Snapshot } from 'pact-context'
import { describe, expect, test } from 'vitest'

import {
  clockOf,
  coresOf,
  DIALECTS,
  expectRefused,
  expectSound,
  idsOf,
  isContainer,
  NAMES,
  readExport,
  refusal,
  regionsOf,
  START_NS,
  walk,
  walkExport,
  type ExportedNode,
} from '../support/context.js'

/** The distance of neighbouring turns (D30). */
const TURN_STEP = 1_048_576

describe.each(DIALECTS)('a %s context', (dialect) => {
  const { seg, cont, block } = NAMES[dialect]

  test('keeps one tree: a root with exactly ^sys, ^seq and ^ah, live and in every snapshot (01 §1)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    expectOneTree(ctx.snapshot('working'), true)
    expectOneTree(ctx.preview(), false)
    expect(idsOf(walk(ctx.snapshot('working').root))).toEqual(['root', 'sys', 'seq', 'ah'])

    ctx.system.add('first rule')
    writeTurn(ctx, 'one')
    expectOneTree(ctx.snapshot('working'), true)
    ctx.commit()
    ctx.system.add('second rule')
    writeTurn(ctx, 'two')
    expectOneTree(ctx.preview(), false)
    ctx.commit()
    ctx.commit()
    expectOneTree(ctx.snapshot('working'), true)

    // Each snapshot is a whole tree: system, turns and head as they were at that commit, not only what was new.
    const contents = [
      { sys: ['first rule'], seq: ['one pre', 'one', 'one post'] },
      { sys: ['first rule', 'second rule'], seq: ['one pre', 'one', 'one post', 'two pre', 'two', 'two post'] },
      { sys: ['first rule', 'second rule'], seq: ['one pre', 'one', 'one post', 'two pre', 'two', 'two post'] },
    ]
    for (const [i, expected] of contents.entries()) {
      const snapshot = ctx.snapshot(`@c${i + 1}`)
      expectOneTree(snapshot, false)
      const { sys, seq, ah } = regionsOf(snapshot)
      expect({ sys: contentsOf(sys), seq: contentsOf(seq) }).toEqual(expected)
      expect(ah.children).toEqual([])
    }
    expect(refusal(() => ctx.snapshot('@c4')).code).toBe('E_SNAPSHOT_NOT_FOUND')
  })

  test('keeps user types to the letter and gives each a class by prefix or shape (01 §2.1, D14)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    // Default ids begin with the name of the class (D37), and only containers have children in their JSON form (D35).
    const blocks = ['cb:summary', 'cb:sql_query', 'cb:image_caption', 'custom:note', 'block:summary', 'cb', 'block']
    for (const nodeType of blocks) {
      const node = ctx.post('text', { nodeType })
      expect([node.nodeType, classNameIn(node.id), isContainer(node)]).toEqual([nodeType, block, false])
    }
    const containers = ['mc:group', 'cont:group', 'custom:group', 'mc', 'cont']
    for (const nodeType of containers) {
      const node = ctx.add(undefined, { zone: 'post', nodeType, children: [] })
      expect([node.nodeType, classNameIn(node.id), isContainer(node)]).toEqual([nodeType, cont, true])
    }
    // A prefix that names a class decides even where the shape says otherwise.
    const bare = ctx.add(undefined, { zone: 'post', nodeType: 'mc:bare' })
    expect([bare.nodeType, classNameIn(bare.id), isContainer(bare)]).toEqual(['mc:bare', cont, true])
    // Turns are made by sealing only.
    expectRefused(ctx, () => ctx.post('text', { nodeType: 'mt:turn' }), 'E_PLACEMENT_INVALID')

    const [turn] = regionsOf(ctx.commit()).seq.children
    const posts = turn!.children.filter((child) => child.offset > 0)
    expect(posts.map((child) => child.nodeType)).toEqual([...blocks, ...containers, 'mc:bare'])
    expect(ctx.thread('@t0')).toHaveLength(blocks.length)
    const replayed = regionsOf(importSnapshot(ctx.export()).snapshot()).seq
    expect(walk(replayed).map((node) => [node.nodeType, isContainer(node)])).toEqual(
      walk(regionsOf(ctx.snapshot()).seq).map((node) => [node.nodeType, isContainer(node)]),
    )

    // An import may carry any type; directly under ^seq it is a turn, with children a container, otherwise a block.
    const imported = importSnapshot(
      {
        root: {
          id: 'r',
          children: [
            {
              id: 'q',
              nodeType: '^seq',
              children: [
                { id: 'full', nodeType: 'episode', offset: 1, children: [{ id: 'inside', content: 'x' }] },
                { id: 'bare', nodeType: 'app:episode', offset: 2 },
              ],
            },
            {
              id: 'h',
              nodeType: '^ah',
              children: [
                { id: 'leaf', nodeType: 'memo', offset: -1 },
                { id: 'group', nodeType: 'memo', offset: 0, children: [] },
                { id: 'tail', nodeType: 'memo', offset: 1, children: [{ id: 'deep', nodeType: 'x.y', content: 'y' }] },
              ],
            },
          ],
        },
      },
      { dialect },
    )
    const typeAndChildren = Object.fromEntries(
      walk(imported.snapshot().root).map((node) => [node.id, [node.nodeType, isContainer(node)]]),
    )
    expect(typeAndChildren).toMatchObject({
      full: ['episode', true],
      inside: [block, false],
      bare: ['app:episode', true],
      leaf: ['memo', false],
      group: ['memo', true],
      tail: ['memo', true],
      deep: ['x.y', false],
    })
    // Blocks are rendered even without content, containers without content are not (D36).
    expect(idsOf(imported.thread('@t0'))).toEqual(['inside', 'leaf', 'deep'])
    // The container at offset 0 of the head is its core, whatever its type: a core write joins it.
    expect(imported.user('hello').parentId).toBe('group')
    const sealed = regionsOf(imported.commit()).seq.children
    expect(idsOf(sealed).slice(0, 2)).toEqual(['full', 'bare'])
    expect(sealed[2]!.children.map((child) => [child.id, child.nodeType])).toEqual([
      ['leaf', 'memo'],
      ['group', 'memo'],
      ['tail', 'memo'],
    ])
  })

  test('appends each sealed turn behind the older ones under ^seq (01 §3.2)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    const turns: string[] = []
    for (let cycle = 1; cycle <= 6; cycle++) {
      // The fourth cycle writes nothing, and nothing is appended (D25).
      if (cycle !== 4) ctx.user(`turn ${cycle}`)
      const { seq } = regionsOf(ctx.commit())
      const ids = idsOf(seq.children)
      expect(ids.slice(0, turns.length)).toEqual(turns)
      const added = ids.slice(turns.length)
      expect(added).toHaveLength(cycle === 4 ? 0 : 1)
      turns.push(...added)
      // A turn's offset is its place in history (D30), and depth counts from the newest (D10).
      expect(seq.children.map((turn) => turn.offset)).toEqual(
        [1, 2, 3, 5, 6].filter((n) => n <= cycle).map((n) => n * TURN_STEP),
      )
      for (const [i, id] of turns.entries()) expect(ctx.coordinate(id, '@t0')).toBe(`(d${turns.length - i})`)
    }
    expect(contentsOf(regionsOf(ctx.snapshot()).seq)).toEqual(['turn 1', 'turn 2', 'turn 3', 'turn 5', 'turn 6'])

    // Behind an imported turn that is further out than its cycle would put it, and behind several of them.
    const far = { id: 'far', nodeType: seg, offset: 99 * TURN_STEP, children: [{ id: 'b', content: 'old' }] }
    const near = { ...far, id: 'near', offset: 3, children: [{ id: 'a', content: 'older' }] }
    const imported = importSnapshot(
      { cycle: 7, root: { id: 'r', children: [{ id: 'q', nodeType: '^seq', children: [far, near] }] } },
      { dialect, clock: clockOf(0n, 0n) },
    )
    imported.user('new')
    const { seq } = regionsOf(imported.commit())
    expect(contentsOf(seq)).toEqual(['older', 'old', 'new'])
    expect(seq.children.map((turn) => turn.offset)).toEqual([3, 99 * TURN_STEP, 100 * TURN_STEP])
  })

  test('gives every node, root and regions included, all nine required headers (01 §5)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    ctx.system.add('rule')
    writeTurn(ctx, 'one')
    ctx.commit()
    ctx.add(undefined, { zone: 'post', children: [{ content: 'nested', ttl: 3 }, { children: [] }], priority: -2 })
    for (const lens of ['@t0', 'working', 'preview'] as const) {
      const snapshot = ctx.snapshot(lens)
      expectSound(snapshot, { working: lens === 'working' })
      const exported = walkExport(readExport(snapshot.export()).root)
      expect(idsOf(exported)).toEqual(idsOf(walk(snapshot.root)))
      for (const node of exported) expectNineHeaders(node)
    }

    // Root and regions as D37 fixes them; a persistent ttl is there, as null.
    const structural = readExport(ctx.export()).root
    expect([structural, ...structural.children!].map(({ children: _children, ...headers }) => headers)).toEqual(
      [
        ['root', '^root'],
        ['sys', '^sys'],
        ['seq', '^seq'],
        ['ah', '^ah'],
      ].map(([id, nodeType], index) => ({
        id,
        nodeType,
        offset: 0,
        ttl: null,
        priority: 0,
        cycle: 1,
        created_at_ns: 0n,
        created_at_iso: '1970-01-01T00:00:00.000000000Z',
        creation_index: index,
      })),
    )
    // And a block of the first cycle, every value of it: the rule is the first node made after the four.
    expect(walkExport(structural).find((node) => node['content'] === 'rule')).toEqual({
      id: `${block}:1-0`,
      nodeType: block,
      offset: 0,
      ttl: null,
      priority: 0,
      cycle: 1,
      created_at_ns: START_NS,
      created_at_iso: '2023-11-14T22:13:20.000000000Z',
      creation_index: 4,
      content: 'rule',
    })
  })

  test('seals a turn as pre blocks, one core container with its content, post blocks (01 §6.1)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    // The example of 03 §8.3 with pre-context before it, written in another order than it is sealed in.
    ctx.post('tool output', { role: 'tool', offset: 1 })
    ctx.user('question')
    ctx.pre('hint', { offset: -2 })
    ctx.assistant('draft')
    ctx.pre('nearer hint')
    ctx.post('later note')
    const { seq } = regionsOf(ctx.commit())
    expect(seq.children.map((turn) => [turn.nodeType, isContainer(turn)])).toEqual([[seg, true]])
    const [turn] = seq.children
    expect(turn!.children.map((child) => [child.nodeType, Math.sign(child.offset), child.content])).toEqual([
      [block, -1, 'hint'],
      [block, -1, 'nearer hint'],
      [cont, 0, undefined],
      [block, 1, 'tool output'],
      [block, 1, 'later note'],
    ])
    const [core] = coresOf(turn!)
    expect(core!.children.map((child) => [child.nodeType, child.role, child.content])).toEqual([
      [block, 'user', 'question'],
      [block, 'assistant', 'draft'],
    ])
    expectSound(ctx.snapshot())
  })

  test('seals the active head into ^seq as a new turn and opens an empty one at commit (01 §7)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    for (const cycle of [1, 2, 3]) {
      writeTurn(ctx, `turn ${cycle}`)
      const before = regionsOf(ctx.snapshot('working'))
      const held = walk(before.ah).slice(1)
      expect(before.seq.children).toHaveLength(cycle - 1)

      const snapshot = ctx.commit()
      const after = regionsOf(snapshot)
      expect(after.seq.children).toHaveLength(cycle)
      const turn = after.seq.children.at(-1)!
      // The very nodes of the head, in their order, are now in the turn; the turn itself is new.
      expect(idsOf(walk(turn).slice(1))).toEqual(idsOf(held))
      expect(
        walk(before.ah)
          .concat(walk(before.seq))
          .map((node) => node.id),
      ).not.toContain(turn.id)
      expect([turn.nodeType, turn.cycle, turn.parentId]).toEqual([seg, cycle, after.seq.id])
      // The head is the same region, empty again, in the snapshot and in the open cycle alike.
      for (const { ah } of [after, regionsOf(ctx.snapshot('working'))]) {
        expect([ah.id, ah.nodeType, ah.children]).toEqual([before.ah.id, '^ah', []])
      }
      expect([snapshot.cycle, ctx.cycle]).toEqual([cycle, cycle + 1])
      expect(readExport(ctx.export()).cycle).toBe(cycle)
    }
  })
})

test('names turn, core and block mt, mc and cb in a 0.1 context (01 §2, D1)', () => {
  const ctx = createContext({ dialect: '0.1', clock: clockOf() })
  const made = [
    ctx.system.add('rule'),
    ctx.pre('hint'),
    ctx.user('question'),
    ctx.post('note'),
    ctx.add(undefined, { zone: 'post', children: [{ content: 'nested' }] }),
  ]
  expect(made.map((node) => node.nodeType)).toEqual(['cb', 'cb', 'cb', 'cb', 'mc'])
  const snapshot = ctx.commit()
  const { sys, seq } = regionsOf(snapshot)
  expect(walk(sys).map((node) => node.nodeType)).toEqual(['^sys', 'cb'])
  expect(walk(seq).map((node) => node.nodeType)).toEqual(['^seq', 'mt', 'cb', 'mc', 'cb', 'cb', 'mc', 'cb'])
  // Ids speak the edition's language too (D37).
  for (const node of walk(snapshot.root)) {
    if (!node.nodeType.startsWith('^')) expect(classNameIn(node.id)).toBe(node.nodeType)
  }
  expect(readExport(ctx.export()).spec_version).toBe('PACT/0.1.0')
  // The other edition's names are understood as well: a 1.0 type has its class here, and is kept as given.
  const other = ctx.add(undefined, { zone: 'post', nodeType: 'cont', children: [] })
  expect([other.nodeType, classNameIn(other.id)]).toEqual(['cont', 'mc'])
})

/** The part of a default id before its cycle and number. */
function classNameIn(id: string): string {
  return id.slice(0, id.indexOf(':'))
}

function writeTurn(ctx: Context, name: string): void {
  ctx.pre(`${name} pre`)
  ctx.user(name)
  ctx.post(`${name} post`)
}

function contentsOf(region: Node): unknown[] {
  return walk(region).flatMap((node) => (node.content === undefined ? [] : [node.content]))
}

function expectOneTree(snapshot: Snapshot, working: boolean): void {
  expectSound(snapshot, { working })
  const { root } = snapshot
  expect([root.id, root.nodeType, root.parentId]).toEqual(['root', '^root', undefined])
  expect(root.children.map((child) => [child.id, child.nodeType, child.parentId])).toEqual([
    ['sys', '^sys', 'root'],
    ['seq', '^seq', 'root'],
    ['ah', '^ah', 'root'],
  ])
  const exported = readExport(snapshot.export()).root
  expect(exported.children!.map((child) => child.nodeType)).toEqual(['^sys', '^seq', '^ah'])
}

function expectNineHeaders(node: ExportedNode): void {
  const { id, nodeType, offset, ttl, priority, cycle, created_at_ns, created_at_iso, creation_index } = node
  expect([typeof id, typeof nodeType, typeof created_at_iso]).toEqual(['string', 'string', 'string'])
  for (const number of [offset, priority, cycle, creation_index]) expect(number).toSatisfy(Number.isSafeInteger)
  expect(typeof created_at_ns).toBe('bigint')
  expect(created_at_iso).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/)
  expect(Object.hasOwn(node, 'ttl')).toBe(true)
  if (ttl !== null) expect(ttl).toSatisfy(Number.isSafeInteger)
}

// Chapter 02 §1–§11: root and regions, ids and headers, placement and order, sealing and immutability, pruning. The
// provider thread (§12), expiry (§5) and the rest have files of their own.

import fc from 'fast-check'
import {
  canonicalJson,
  compareSiblings,
  contentHash,
  createContext,
  importSnapshot,
  type AddHeader,
  type Context,
  type ContextOptions,
  type Lens,
  type Node,
  type PrunePolicy,
  type SiblingKey,
  type Snapshot,
  type Warning,
} from 'pact-context'
import { describe, expect, test } from 'vitest'

import {
  byCodePoint,
  bySiblingRule,
  clockOf,
  coresOf,
  DIALECTS,
  expectRefused,
  expectSound,
  faultsOf,
  hasOwnAge,
  idsOf,
  isContainer,
  NAMES,
  programsFor,
  readExport,
  readGolden,
  refusal,
  regionsOf,
  runProgram,
  START_NS,
  textOf,
  walk,
  walkExport,
  type ExportedNode,
  type Trace,
} from '../support/context.js'
import {
  editedPrograms,
  editedRuns,
  editFaults,
  expectAllDone,
  playEdited,
  snapshotsOf,
  type Moment,
} from '../support/edited.js'
import { ALL_TIED, tiedContext } from '../support/ties.js'

const SEED = 20261202

/** The documents' own form of a node, for imports. */
type Raw = { id?: unknown; children?: Raw[]; [name: string]: unknown }

type Regions = Partial<Record<'sys' | 'seq' | 'ah', Raw[]>>

const policies: fc.Arbitrary<PrunePolicy> = fc.record(
  {
    maxNodes: fc.integer({ min: 0, max: 30 }),
    maxNodesPerSegment: fc.integer({ min: 0, max: 6 }),
    maxDepth: fc.integer({ min: 0, max: 4 }),
    maxTokens: fc.integer({ min: 0, max: 60 }),
    protectSegments: fc.integer({ min: 0, max: 2 }),
    unit: fc.constantFrom('node', 'turn'),
    target: fc.constantFrom(0.5, 0.7),
  },
  { requiredKeys: [] },
)

/** Clocks that do not move, run on, and go back. */
const clocks = fc.array(fc.integer({ min: -5, max: 50 }), { minLength: 1, maxLength: 5 })

describe.each(DIALECTS)('a %s context', (dialect) => {
  const names = NAMES[dialect]

  /** A context made by an import: regions with these children, in the cycle 5. */
  const importTree = (regions: Regions, options: ContextOptions = {}): Context => {
    const children = Object.entries(regions).map(([name, inside]) => ({
      id: name,
      nodeType: `^${name}`,
      children: inside,
    }))
    return importSnapshot({ cycle: 5, root: { id: 'root', children } }, { dialect, clock: clockOf(), ...options })
  }

  test('holds every invariant of the chapter at each commit of generated programs (02 §1)', () => {
    fc.assert(
      fc.property(programsFor(dialect), fc.option(policies), clocks, (program, prune, ticks) => {
        const ctx = createContext({ dialect, clock: unevenClock(ticks), ...(prune === null ? {} : { prune }) })
        const seen = new Map<string, string>()
        const bytes: string[] = []
        runProgram(ctx, program, (snapshot, trace) => {
          expect(faultsOf(snapshot)).toEqual([])
          expect(faultsOf(ctx.snapshot('working'), { working: true })).toEqual([])
          expect(identityFaults(snapshot, seen)).toEqual([])
          expect(presenceFaults(snapshot, trace)).toEqual([])
          if (prune !== null) expect(pruningFaults(ctx, snapshot, prune, trace)).toEqual([])
          bytes.push(textOf(snapshot.export()))
        })
        expect(bytes).toHaveLength(ctx.snapshots().length)
        for (const [i, before] of bytes.entries()) expect(textOf(ctx.export(`@c${i + 1}`))).toBe(before)
      }),
      { seed: SEED, numRuns: 20 },
    )
    // The same of programs that edit, fork and import: no call does more than it may, and every tree is sound.
    const runs: Readonly<Record<string, number>>[] = []
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        const { done } = playEdited(program, {
          after: (moment) => {
            const { ctx, call, outcome } = moment
            expect(editFaults(moment), JSON.stringify(call)).toEqual([])
            expect(faultsOf(ctx.snapshot('working'), { working: true }), JSON.stringify(call)).toEqual([])
            if (call.do === 'commit' && !('code' in outcome)) expect(faultsOf(ctx.snapshot())).toEqual([])
          },
        })
        runs.push(done)
      }),
      editedRuns(18),
    )
    expectAllDone(runs)
    // Ties, which a clock that rises never gives: siblings in the order of 02 §4.3, and indexes that begin again (02 §4.4).
    const tied = tiedContext(dialect)
    expect(idsOf(walk(tied.snapshot().root)).filter((id) => ALL_TIED.includes(id))).toEqual(ALL_TIED)
    for (let commits = 0; commits < 3; commits++) {
      const made = ['a', 'b', 'c'].map((text) => tied.post(text).creationIndex)
      expect(made, 'from 0 in every cycle but the first').toEqual([0, 1, 2])
      tied.commit()
    }
  })

  test('keeps root and regions through expiry and pruning, even where they carry a ttl (02 §2.1)', () => {
    const lowest = { priority: -1000, ttl: 0 }
    const region = (id: string, children: Raw[]): Raw => ({ id, nodeType: `^${id}`, ...lowest, ttl: 1, children })
    const ctx = importSnapshot(
      {
        cycle: 3,
        root: {
          id: 'root',
          ...lowest,
          children: [
            region('sys', [{ id: 'rule', content: 'stays' }]),
            region('seq', [{ id: 'old', children: [{ id: 'core', children: [{ id: 'said', content: 'goes' }] }] }]),
            region('ah', [{ id: 'open', ttl: 1, content: 'goes' }]),
          ],
        },
      },
      { dialect, clock: clockOf(), prune: { maxNodes: 0, maxDepth: 0, maxTokens: 0, protectSegments: 0 } },
    )
    expect([ctx.node('root', '@t0')!.ttl, ctx.node('sys', '@t0')!.ttl]).toEqual([0, 1])
    for (let commits = 1; commits <= 3; commits++) {
      const snapshot = ctx.commit()
      expect(snapshot.root.children.map((child) => [child.id, child.nodeType])).toEqual([
        ['sys', '^sys'],
        ['seq', '^seq'],
        ['ah', '^ah'],
      ])
      // Kept past its time, a node reads ttl 0 (D26); and what it holds is not taken along.
      expect([snapshot.root, ...snapshot.root.children].map((node) => node.ttl)).toEqual([0, 0, 0, 0])
      expect(idsOf(walk(snapshot.root))).toEqual(['root', 'sys', 'rule', 'seq', 'ah'])
      const pruned = snapshot.receipt.removed.map((node) => node.id)
      for (const id of ['root', 'sys', 'seq', 'ah']) expect(pruned).not.toContain(id)
    }
    // The same for a context that starts empty and never holds anything.
    const empty = createContext({ dialect, prune: { maxNodes: 0, maxDepth: 0, protectSegments: 0 } })
    for (let commits = 1; commits <= 3; commits++) expectSound(empty.commit())
    expect(idsOf(walk(empty.snapshot().root))).toEqual(['root', 'sys', 'seq', 'ah'])
    // Nor does any call take one, whatever it selects.
    const prune = { maxNodes: 0, maxDepth: 0, protectSegments: 0 }
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        const frameOf = (root: ExportedNode): unknown => [root, ...root.children!].map(({ id, ttl }) => [id, ttl])
        const frame = ['root', 'sys', 'seq', 'ah'].map((id) => [id, null])
        playEdited(program, { after: ({ after }) => expect(frameOf(after)).toEqual(frame) }, { prune })
      }),
      editedRuns(6),
    )
  })

  test('adds a missing root or region on import, under ids that clash with nothing (02 §2.2, D4)', () => {
    const bare = importSnapshot({ root: {} }, { dialect })
    expect(walk(bare.snapshot().root).map((node) => [node.id, node.nodeType])).toEqual([
      ['root', '^root'],
      ['sys', '^sys'],
      ['seq', '^seq'],
      ['ah', '^ah'],
    ])

    // Every id that would be made up is taken by a node of the document.
    const taken = ['root', 'sys', 'seq', 'ah', 'root-1', 'sys-1', 'root1', 'sys1']
    for (const present of ['^sys', '^seq', '^ah']) {
      const leaves = taken.map((id) => ({ id, content: `text of ${id}` }))
      const inside = present === '^seq' ? [{ id: 'turn', children: leaves }] : leaves
      const ctx = importSnapshot(
        { root: { children: [{ id: 'mine', nodeType: present, children: inside }] } },
        { dialect },
      )
      const snapshot = ctx.snapshot()
      expectSound(snapshot, { imported: true })
      expect(snapshot.root.children.find((region) => region.nodeType === present)!.id).toBe('mine')
      for (const id of taken) expect(snapshot.node(id)!.content).toBe(`text of ${id}`)
      for (const region of snapshot.root.children) {
        expect(region.children.length).toBe(region.id === 'mine' ? inside.length : 0)
      }
      // Live on with the made-up regions, and through an export.
      ctx.system.add('rule')
      ctx.user('question')
      ctx.commit()
      expectSound(ctx.snapshot(), { imported: true })
      const again = importSnapshot(ctx.export()).snapshot()
      expect(idsOf(walk(again.root))).toEqual(idsOf(walk(ctx.snapshot().root)))
    }

    // A root without an id keeps every value that the document has (D4).
    const { root } = importSnapshot({ root: { priority: 7, data_origin: 'log', children: [] } }, { dialect }).snapshot()
    expect([root.id, root.priority, { ...root.attributes }]).toEqual(['root', 7, { data_origin: 'log' }])
  })

  test('keeps a node under one id through sealing, later commits, export and import (02 §3.1)', () => {
    fc.assert(
      fc.property(programsFor(dialect), (program) => {
        const ctx = createContext({ dialect, clock: clockOf() })
        const known = new Map<string, string>()
        const strangers: string[] = []
        const meet = (nodes: readonly Node[]): void => {
          for (const node of nodes) {
            const self = `${node.createdAtNs} ${node.nodeType} ${canonicalJson(node.content ?? null)}`
            if ((known.get(node.id) ?? self) !== self) strangers.push(node.id)
            known.set(node.id, self)
          }
        }
        const trace = runProgram(ctx, program, (snapshot) => {
          meet(walk(snapshot.root))
          meet(walk(importSnapshot(snapshot.export()).snapshot().root))
        })
        // The id that the call gave is the id that the node has ever after.
        meet(trace.made)
        // Going on from an import gives old nodes no new ids, and new nodes no old ones.
        const next = importSnapshot(ctx.export(), { clock: clockOf(1n, START_NS * 2n) })
        const before = known.size
        meet([next.user('later')])
        expect(known.size).toBe(before + 1)
        meet(walk(next.commit().root))
        expect(strangers).toEqual([])
      }),
      { seed: SEED, numRuns: 10 },
    )
    // An edit may give a node in the head other content (D30); it is the same node for all that, and no other has its id.
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        const known = new Map<string, string>()
        playEdited(program, {
          after: ({ ctx, call, after }) => {
            if (call.do === 'import') {
              // An import knows nothing of what was not exported, and gives those ids again.
              const exported = new Set(idsOf(walk(ctx.snapshot().root)))
              for (const id of known.keys()) if (!exported.has(id)) known.delete(id)
            }
            for (const { id, nodeType, created_at_iso: made, creation_index: index, cycle } of walkExport(after)) {
              const self = `${nodeType} ${String(made)} ${String(index)} ${String(cycle)}`
              expect([id, known.get(id) ?? self]).toEqual([id, self])
              known.set(id, self)
            }
          },
        })
      }),
      editedRuns(10),
    )
    const ctx = createContext({ dialect, ids: ({ index, cycle }) => `Ünique/${cycle}/${index}` })
    const said = ctx.user('mine')
    expect(said.id).toBe('Ünique/1/1')
    for (let commits = 0; commits < 4; commits++) expect(ctx.commit().node(said.id)!.content).toBe('mine')
    expect(importSnapshot(ctx.export()).node(said.id)!.content).toBe('mine')
    // An id source cannot give one id to two nodes either.
    const stuck = createContext({ dialect, ids: () => 'same' })
    // Nor to a block and the core that is made for it; then neither is there.
    expectRefused(stuck, () => stuck.user('first'), 'E_ID_DUPLICATE')
    stuck.system.add('first')
    expectRefused(stuck, () => stuck.system.add('second'), 'E_ID_DUPLICATE')
  })

  test('refuses an import with duplicate ids and says where (02 §3.1, D4)', () => {
    const tree = (change: Raw): object => ({ root: { id: 'root', children: [change] } })
    const leaf = (id: string): Raw => ({ id, content: id })
    const rows: [string, object, string][] = [
      [
        'siblings',
        tree({ id: 's', nodeType: '^sys', children: [leaf('a'), leaf('b'), leaf('a')] }),
        'root.children[0].children[2].id',
      ],
      [
        'parent and child',
        tree({ id: 'q', nodeType: '^seq', children: [{ id: 'a', children: [leaf('a')] }] }),
        'root.children[0].children[0].children[0].id',
      ],
      ['root and region', tree({ id: 'root', nodeType: '^sys', children: [] }), 'root.children[0].id'],
      [
        'root and leaf',
        tree({ id: 's', nodeType: '^ah', children: [leaf('root')] }),
        'root.children[0].children[0].id',
      ],
      [
        'two regions',
        {
          root: {
            id: 'root',
            children: [
              { id: 's', nodeType: '^sys', children: [leaf('a')] },
              { id: 'h', nodeType: '^ah', children: [leaf('b'), leaf('a')] },
            ],
          },
        },
        'root.children[1].children[1].id',
      ],
    ]
    for (const [name, document, path] of rows) {
      for (const input of [document, JSON.stringify(document)]) {
        const error = refusal(() => importSnapshot(input, { dialect }))
        expect([name, error.code, error.details['path']]).toEqual([name, 'E_SNAPSHOT_INVALID', path])
        expect(error.message).toContain(path)
      }
    }
    // Ids are told apart by every letter (07 §3.3).
    expect(() => importSnapshot(tree({ id: 's', nodeType: '^sys', children: [leaf('a'), leaf('A')] }))).not.toThrow()
  })

  test('refuses headers of the wrong type or range, on import with their path (02 §3.5, D4)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    ctx.user('something')
    const integers = ['1', 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1n, true]
    const texts = [5, true, {}, ['text']]
    const given: [string, string, unknown[]][] = [
      ['offset', 'E_PLACEMENT_INVALID', [...integers, null]],
      ['ttl', 'E_TTL_INVALID', [...integers, -1, -0.5]],
      ['priority', 'E_CONTENT_INVALID', [...integers, null]],
      ['role', 'E_CONTENT_INVALID', texts],
      ['kind', 'E_CONTENT_INVALID', texts],
      ['nodeType', 'E_CONTENT_INVALID', texts],
      ['key', 'E_CONTENT_INVALID', texts],
      ['tags', 'E_CONTENT_INVALID', ['text', [1], {}]],
      ['refs', 'E_CONTENT_INVALID', ['text', [1], {}]],
      ['pinned', 'E_CONTENT_INVALID', ['yes', 1]],
    ]
    for (const [name, code, values] of given) {
      for (const value of values) {
        const header = { [name]: value } as AddHeader
        const calls = [
          () => ctx.add('x', header),
          () => ctx.system.add('x', header),
          () => ctx.add(undefined, { zone: 'post', children: [{ content: 'x' }, { content: 'x', ...header }] }),
        ]
        for (const call of calls) expect(expectRefused(ctx, call, code).details['name']).toBe(name)
      }
    }

    const wrong: Record<string, unknown[]> = {
      id: [5, ''],
      nodeType: [5, '', {}],
      offset: ['0', 1.5, 2 ** 53],
      ttl: ['1', 1.5, -1, true],
      priority: ['1', 1.5],
      cycle: ['1', 1.5],
      created_at_ns: ['1', 1.5, {}],
      created_at_iso: [5, {}],
      creation_index: ['0', 1.5],
      role: [5, {}],
      kind: [5, {}],
      key: [5],
      tags: ['text'],
      refs: [{}],
      removable: ['yes'],
      pinned: [1],
    }
    const places: [string, (bad: Raw) => Raw][] = [
      ['root', (bad) => ({ id: 'r', ...bad, children: [] })],
      ['root.children[0]', (bad) => ({ id: 'r', children: [{ id: 's', nodeType: '^sys', ...bad, children: [] }] })],
      [
        'root.children[0].children[1]',
        (bad) =>
          seqOf([
            { id: 't', children: [] },
            { id: 'u', ...bad, children: [] },
          ]),
      ],
      [
        'root.children[0].children[0].children[0].children[0]',
        (bad) => seqOf([{ id: 't', children: [{ id: 'c', children: [{ id: 'b', content: 'x', ...bad }] }] }]),
      ],
    ]
    for (const [name, values] of Object.entries(wrong)) {
      for (const value of values) {
        for (const [path, rootWith] of places) {
          const error = refusal(() => importSnapshot({ root: rootWith({ [name]: value }) }, { dialect }))
          expect([error.code, error.details['path'], value]).toEqual(['E_SNAPSHOT_INVALID', `${path}.${name}`, value])
        }
      }
      // Null is no wrong type but says nothing: it reads as the header left out, and only an id must be there (N8).
      for (const [path, rootWith] of places) {
        const read = (bad: Raw) => textOf(importSnapshot({ root: rootWith(bad) }, { dialect }).export())
        if (name !== 'nodeType' && name !== 'id') expect(read({ [name]: null }), path).toBe(read({}))
      }
    }

    // Nodes in places where their kind is not allowed (02 §11, item 11).
    const misplaced: [string, Raw][] = [
      ['root.children[0]', { id: 'r', children: [{ id: 'b', nodeType: names.block, content: 'x' }] }],
      ['root.children[0].children[0]', seqOf([{ id: 'b', nodeType: names.block, content: 'x' }])],
      ['root.children[0].children[0].children[0]', seqOf([{ id: 't', children: [{ id: 'u', nodeType: names.seg }] }])],
      ['root.children[0].children[0].children[0]', seqOf([{ id: 't', children: [{ id: 'h', nodeType: '^ah' }] }])],
      [
        'root.children[0].children[0].children[0]',
        seqOf([{ id: 't', children: [{ id: 'b', nodeType: names.block, children: [{ id: 'c', content: 'x' }] }] }]),
      ],
      ['root', { id: 'r', nodeType: '^sys', children: [] }],
    ]
    for (const [path, root] of misplaced) {
      const error = refusal(() => importSnapshot({ root }, { dialect }))
      expect(error.code).toBe('E_SNAPSHOT_INVALID')
      expect(error.details['path']).toMatch(new RegExp(`^${path.replaceAll(/[.[\]]/g, String.raw`\$&`)}(\\.|$)`))
    }
  })

  test('takes custom attributes only as data_, content_ or namespaced names (02 §3.5)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    const custom = {
      data_source: 'crm',
      data_: undefined,
      content_language: 'de',
      'cb:foo': { deep: [1, null, true] },
      'my-app:état': 5,
      data___proto__: 'x',
    }
    const node = ctx.user('text', custom)
    const { data_: _nothing, ...kept } = custom
    expect({ ...node.attributes }).toEqual(kept)
    const sealed = ctx.commit().node(node.id)!
    expect({ ...sealed.attributes }).toEqual(kept)
    // In a document they are next to the headers, under their own names.
    expect(exportedNode(ctx, node.id)).toMatchObject(kept)
    expect({ ...importSnapshot(ctx.export()).node(node.id)!.attributes }).toEqual(kept)

    for (const name of [
      'source',
      'language',
      'data',
      'content_',
      'data_',
      'dataSource',
      ':foo',
      'foo:',
      'Data_x',
      '',
    ]) {
      const header = { [name]: 'x' } as AddHeader
      const calls = [
        () => ctx.add('text', header),
        () => ctx.system.add('text', header),
        () => ctx.add(undefined, { zone: 'post', children: [{ content: 'x', ...header }] }),
      ]
      for (const call of calls) {
        const error = expectRefused(ctx, call, 'E_RESERVED_NAME')
        expect([error.details['name'], error.message.includes(`"${name}"`)]).toEqual([name, true])
      }
    }
  })

  test('refuses reserved names as attributes with E_RESERVED_NAME (02 §3.5)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    ctx.user('something')
    for (const name of ['id', 'cycle', 'created_at_ns', 'created_at_iso', 'creation_index', 'content_hash']) {
      for (const value of ['x', 1, 1n, null]) {
        const header = { [name]: value } as AddHeader
        const calls = [
          () => ctx.add('text', header),
          () => ctx.user('text', header),
          () => ctx.system.add('text', header),
          () => ctx.add(undefined, { zone: 'post', children: [{ content: 'x', ...header }] }),
        ]
        for (const call of calls) expect(expectRefused(ctx, call, 'E_RESERVED_NAME').details['name']).toBe(name)
      }
    }
    // The other four may be given, but only as what they are: they never turn up as attributes.
    const node = ctx.post('text', { nodeType: 'app:memo', offset: 4, ttl: 2, priority: 3 })
    expect([node.nodeType, node.offset, node.ttl, node.priority, { ...node.attributes }]).toEqual([
      'app:memo',
      4,
      2,
      3,
      {},
    ])
    // Nor does an import make an attribute of a reserved name; a content hash is worked out, never believed.
    const imported = importTree({
      sys: [{ id: 'b', role: 'system', content: 'text', content_hash: 'made up', cycle: 2 }],
    })
    const read = imported.node('b')!
    expect({ ...read.attributes }).toEqual({})
    expect(read.contentHash).toBe(contentHash({ role: 'system', content: 'text' }))
    expect(read.cycle).toBe(2)
  })

  test('keeps creation headers, role and kind through sealing and cycles, while ttl runs down (02 §3.5)', () => {
    const ctx = createContext({ dialect, clock: clockOf(1_000_000_001n, START_NS + 123_456_789n) })
    ctx.commit()
    const data = { data_score: 0.5, data_nested: { b: [1, null], a: 'x' }, data_call: 'c1' }
    const header = { nodeType: 'app:memo', priority: -3, role: 'assistant', kind: 'summary', ttl: 4, ...data } as const
    const made = [
      ctx.system.add('in ^sys', header),
      ctx.pre('before', { ...header, offset: -7 }),
      ctx.add('inside', { ...header, zone: 'core', offset: 3 }),
      ctx.post('after', { ...header, offset: 9 }),
    ]
    expect(made.map((node) => [node.offset, node.cycle, node.ttl])).toEqual([
      [0, 2, 4],
      [-7, 2, 4],
      [3, 2, 4],
      [9, 2, 4],
    ])
    // The time is one clock reading per node, and its text is the same instant (D37); the core was made third.
    expect(made.map((node) => [node.createdAtNs - START_NS, node.createdAtIso, node.creationIndex])).toEqual([
      [123_456_789n, '2023-11-14T22:13:20.123456789Z', 0],
      [1_123_456_790n, '2023-11-14T22:13:21.123456790Z', 1],
      [3_123_456_792n, '2023-11-14T22:13:23.123456792Z', 3],
      [4_123_456_793n, '2023-11-14T22:13:24.123456793Z', 4],
    ])
    // In cycle 2 with ttl 4: in the snapshots of cycles 2 to 5, which show 4, 3, 2 and 1 cycles left (D24).
    for (const left of [4, 3, 2, 1]) {
      const snapshot = ctx.commit()
      for (const node of made) {
        const now = snapshot.node(node.id)!
        expect(creationHeaders(now)).toEqual(creationHeaders(node))
        expect([now.ttl, now.content]).toEqual([left, node.content])
        const replayed = importSnapshot(snapshot.export()).node(node.id)!
        expect([creationHeaders(replayed), replayed.ttl]).toEqual([creationHeaders(node), left])
        for (const { attributes } of [now, replayed]) expect(attributes).toEqual(data)
      }
    }
    const last = ctx.commit()
    for (const node of made) expect(last.node(node.id)).toBeUndefined()
    // Whatever is edited: `move` and demotion change an offset, `update` and `replace` a priority (D29, D30), the rest stays.
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        const first = new Map<string, unknown>()
        playEdited(program, {
          after: ({ ctx: now, call }) => {
            if (call.do === 'import') first.clear()
            for (const node of walk(now.snapshot('working').root)) {
              const { offset: _offset, priority: _priority, ...fixed } = creationHeaders(node)
              if (first.has(node.id)) expect(fixed).toEqual(first.get(node.id))
              first.set(node.id, fixed)
            }
          },
        })
      }),
      editedRuns(10),
    )
  })

  test('exports attributes in canonical form, whatever order they were given in (02 §3.5)', () => {
    const entries: [string, unknown][] = [
      ['app:z', true],
      ['content_b', { b: 2, a: { d: null, c: [] } }],
      ['data_a', [1.5, 'é', 1e-7]],
      ['data_\uFF5E', 1],
      ['data_\u{1F600}', 2],
      ['data_10', 10],
      ['data_9', 9],
      ['priority', 4],
      ['role', 'tool'],
      ['tags', ['y', 'x']],
    ]
    const exportWith = (ordered: readonly [string, unknown][]): string => {
      const ctx = createContext({ dialect, clock: clockOf() })
      ctx.post({ b: 1, a: 2 }, Object.fromEntries(ordered))
      ctx.commit()
      return textOf(ctx.export())
    }
    const canonical = exportWith(entries)
    // Keys by code point, so U+FF5E before U+1F600; ASCII only; floats as Python writes them; lists as given (D33).
    expect(canonical).toContain(
      '{"app:z":true,"content":{"a":2,"b":1},"content_b":{"a":{"c":[],"d":null},"b":2},' +
        '"created_at_iso":"2023-11-14T22:13:20.000000000Z","created_at_ns":1700000000000000000,"creation_index":4,' +
        '"cycle":1,"data_10":10,"data_9":9,"data_a":[1.5,"\\u00e9",1e-07],"data_\\uff5e":1,"data_\\ud83d\\ude00":2,' +
        `"id":"${names.block}:1-0","nodeType":"${names.block}","offset":1,"priority":4,"role":"tool",` +
        '"tags":["y","x"],"ttl":null}',
    )
    fc.assert(
      fc.property(fc.shuffledSubarray(entries, { minLength: entries.length }), (ordered) => {
        expect(exportWith(ordered)).toBe(canonical)
      }),
      { seed: SEED, numRuns: 20 },
    )
  })

  test('shows one sibling order in children, export, thread and compareSiblings (02 §4)', () => {
    fc.assert(
      fc.property(siblingLists(), fc.constantFrom('sys', 'core', 'ah', 'turn'), (siblings, place) => {
        const printed = siblings.map((key) => ({
          id: key.id,
          offset: key.offset,
          created_at_ns: key.createdAtNs,
          creation_index: key.creationIndex,
          content: 'text',
        }))
        const turn = { id: '(turn)', children: place === 'core' ? [{ id: '(core)', children: printed }] : printed }
        const ctx = importTree(place === 'sys' || place === 'ah' ? { [place]: printed } : { seq: [turn] })
        const expected = idsOf(siblings.toSorted(bySiblingRule))
        const parentId = { sys: 'sys', ah: 'ah', core: '(core)', turn: '(turn)' }[place]
        const parent = ctx.node(parentId, '@t0')!
        expect(idsOf(parent.children)).toEqual(expected)
        expect(idsOf(ctx.node(parentId)!.children)).toEqual(expected)
        expect(idsOf(exportedNode(ctx, parentId).children!)).toEqual(expected)
        const reference = JSON.parse(textOf(ctx.referenceBytes())) as ExportedNode
        expect(idsOf(walkExport(reference).find((node) => node.id === parentId)!.children!)).toEqual(expected)
        expect(idsOf(ctx.thread('@t0'))).toEqual(expected)
        expect(idsOf(JSON.parse(textOf(ctx.threadBytes('@t0'))) as { id: string }[])).toEqual(expected)
        // Callers can sort with the same rule, from any order.
        const nodes = siblings.map((key) => ctx.node(key.id, '@t0')!)
        expect(idsOf(nodes.toSorted(compareSiblings))).toEqual(expected)
        // And the order outlives a commit.
        const sealed = ctx.commit()
        expect(idsOf(sealed.thread())).toEqual(expected)
      }),
      { seed: SEED, numRuns: 30 },
    )
  })

  test('puts pre below, core at and post above offset 0 in the active head (02 §4.1, D17)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    // Without an offset: pre all at -1, post 1, 2, 3; core and system children 0, 1, 2, in 0.1 all at 0 (D17).
    const counted = dialect === '1.0' ? [0, 1, 2] : [0, 0, 0]
    expect([1, 2, 3].map((n) => ctx.pre(`pre ${n}`).offset)).toEqual([-1, -1, -1])
    expect([1, 2, 3].map((n) => ctx.post(`post ${n}`).offset)).toEqual([1, 2, 3])
    expect([ctx.user('core 1'), ctx.assistant('core 2'), ctx.tool('core 3')].map((node) => node.offset)).toEqual(
      counted,
    )
    expect([1, 2, 3].map((n) => ctx.system.add(`rule ${n}`).offset)).toEqual(counted)
    const { ah } = regionsOf(ctx.snapshot('working'))
    expect(ah.children.map((child) => [child.offset, child.content])).toEqual([
      [-1, 'pre 1'],
      [-1, 'pre 2'],
      [-1, 'pre 3'],
      [0, undefined],
      [1, 'post 1'],
      [2, 'post 2'],
      [3, 'post 3'],
    ])
    const [core] = coresOf(ah)
    expect(core!.children.map((child) => child.content)).toEqual(['core 1', 'core 2', 'core 3'])

    // With an offset but no zone, the sign tells the zone.
    expect([-4, 6].map((offset) => ctx.add('x', { offset }).parentId)).toEqual([ah.id, ah.id])
    expect(ctx.add('x', { offset: 0 }).parentId).toBe(core!.id)
    expect(ctx.add('x').parentId).toBe(core!.id)
    // Offsets inside the core are the core's own affair and say nothing about the zone.
    expect(ctx.user('x', { offset: 5 }).parentId).toBe(core!.id)
    const [turn] = regionsOf(ctx.commit()).seq.children
    expect(turn!.children.map((child) => child.offset)).toEqual([-4, -1, -1, -1, 0, 1, 2, 3, 6])
  })

  test('renders the example turn as cb:pre1, cb:u42, cb:post1 (02 §4.1.1)', () => {
    const { turn } = readGolden('02-4.1.1-turn.json') as { turn: Raw }
    const thread = [
      { id: 'cb:pre1', role: 'system', kind: 'text', content: 'Contextual hint' },
      { id: 'cb:u42', role: 'user', kind: 'text', content: 'Hello' },
      { id: 'cb:post1', role: 'tool', kind: 'result', content: 'status: ok' },
    ]
    const sealed = importTree({ seq: [turn] })
    expect(sealed.thread('@t0')).toEqual(thread)
    expect(sealed.warnings).toEqual([])
    expect(walk(regionsOf(sealed.snapshot()).seq).map((node) => [node.id, node.offset])).toEqual([
      ['seq', 0],
      ['mt:42', 0],
      ['cb:pre1', -1],
      ['mc:42', 0],
      ['cb:u42', 0],
      ['cb:post1', 1],
    ])
    // The same as a head, open and sealed, and with its children printed backwards.
    const head = importTree({ ah: turn.children!.toReversed() })
    expect(head.thread()).toEqual(thread)
    head.commit()
    expect(head.thread('@t0')).toEqual(thread)
    expect(idsOf(regionsOf(head.snapshot()).seq.children[0]!.children)).toEqual(['cb:pre1', 'mc:42', 'cb:post1'])
  })

  test('gives every sealed turn exactly one container at offset 0 (02 §4.2, D25)', () => {
    const expectOneCore = (snapshot: Snapshot): void => {
      for (const turn of regionsOf(snapshot).seq.children) {
        const atZero = turn.children.filter((child) => child.offset === 0)
        expect(atZero.map(isContainer)).toEqual([true])
      }
    }
    fc.assert(
      fc.property(programsFor(dialect), fc.option(policies), (program, prune) => {
        const ctx = createContext({ dialect, clock: clockOf(), ...(prune === null ? {} : { prune }) })
        runProgram(ctx, program, expectOneCore)
      }),
      { seed: SEED, numRuns: 15 },
    )
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        playEdited(program, { after: ({ ctx }) => expectOneCore(ctx.snapshot('working')) })
      }),
      editedRuns(10),
    )
    // A head with context alone gets an empty core (D25), also where its only core block expires.
    const writes: ((ctx: Context) => void)[] = [
      (ctx) => void ctx.pre('context'),
      (ctx) => void ctx.post('context'),
      (ctx) => void [ctx.user('gone', { ttl: 0 }), ctx.post('context')],
      (ctx) => void ctx.add(undefined, { zone: 'pre', children: [] }),
    ]
    for (const write of writes) {
      const ctx = createContext({ dialect, clock: clockOf() })
      write(ctx)
      const snapshot = ctx.commit()
      expectSound(snapshot)
      const [turn] = regionsOf(snapshot).seq.children
      const [core] = coresOf(turn!)
      expect([core!.nodeType, core!.offset, core!.children]).toEqual([names.cont, 0, []])
      expect(turn!.children).toHaveLength(2)
    }
    // Containers written into the core are inside it, at any offset.
    const ctx = createContext({ dialect, clock: clockOf() })
    ctx.add(undefined, { zone: 'core', children: [], offset: 0 })
    ctx.add(undefined, { children: [{ content: 'x' }] })
    ctx.user('said')
    expectOneCore(ctx.commit())
    expect(regionsOf(ctx.snapshot()).seq.children[0]!.children[0]!.children).toHaveLength(3)
  })

  test('puts all core writes into one core and warns of an imported second one (02 §4.2, D4)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    for (const cycle of [1, 2]) {
      const written = [
        ctx.user('a'),
        ctx.assistant('b'),
        ctx.tool('c'),
        ctx.add('d'),
        ctx.add('e', { zone: 'core' }),
        ctx.add('f', { offset: 0 }),
        ctx.add(undefined, { children: [{ content: 'g' }] }),
      ]
      const parents = new Set(written.map((node) => node.parentId))
      expect([...parents]).toEqual(idsOf(coresOf(regionsOf(ctx.snapshot('working')).ah)))
      const turn = regionsOf(ctx.commit()).seq.children[cycle - 1]!
      expect(idsOf(turn.children)).toEqual([...parents])
      expect(idsOf(turn.children[0]!.children).sort()).toEqual(idsOf(written).sort())
    }

    const twoCores = [
      { id: 'core1', nodeType: names.cont, offset: 0, children: [{ id: 'x', content: 'first' }] },
      { id: 'core2', nodeType: names.cont, offset: 0, children: [{ id: 'y', content: 'second' }] },
    ]
    const trees: [string, Regions][] = [
      ['turn', { seq: [{ id: 'turn', children: twoCores }] }],
      ['ah', { ah: twoCores }],
    ]
    for (const [place, tree] of trees) {
      const heard: Warning[] = []
      const imported = importTree(tree, { onWarning: (warning) => heard.push(warning) })
      expect(imported.warnings).toHaveLength(1)
      expect(heard).toEqual(imported.warnings)
      for (const id of [place, 'core1', 'core2']) expect(heard[0]!.message).toContain(id)
      // Both are kept as they came, and rendered.
      expect(imported.thread('@t0').map((item) => item.content)).toEqual(['first', 'second'])
      expect(idsOf(coresOf(imported.node(place)!))).toEqual(['core1', 'core2'])
      // Core writes make no third one and do not part.
      const parents = [imported.user('more'), imported.assistant('more')].map((node) => node.parentId!)
      expect(parents[0]).toBe(parents[1])
      const { ah } = regionsOf(imported.snapshot('working'))
      expect(idsOf(coresOf(ah))).toEqual(place === 'ah' ? ['core1', 'core2'] : [parents[0]])
    }
  })

  test('makes an imported virtual core explicit at the first core write and at sealing (02 §4.2, D12)', () => {
    const raw: Raw[] = [
      { id: 'pre', offset: -1, content: 'before' },
      { id: 'a', offset: 0, role: 'user', kind: 'text', content: 'first', created_at_ns: 50, priority: 2 },
      { id: 'b', offset: 0, role: 'assistant', content: 'second', created_at_ns: 40, tags: ['t'] },
      { id: 'post', offset: 1, content: 'after' },
    ]
    const ctx = importTree({ ah: raw, seq: [{ id: 'old', offset: 1, children: [{ id: 'o', content: 'older' }] }] })
    const imported = textOf(ctx.export())
    const before = ['a', 'b'].map((id) => creationHeaders(ctx.node(id)!))
    const expectCore = (turn: Node, inside: readonly string[]): void => {
      expect(turn.children.map((child) => child.offset)).toEqual([-1, 0, 1])
      const [core] = coresOf(turn)
      expect([turn.children[0]!.id, turn.children[1]!.id, turn.children[2]!.id]).toEqual(['pre', core!.id, 'post'])
      expect([core!.nodeType, idsOf(core!.children)]).toEqual([names.cont, inside])
      for (const child of core!.children) expect(child.parentId).toBe(core!.id)
    }
    // As it came, the head has no core, and other writes do not change that.
    expect(idsOf(ctx.node('ah')!.children)).toEqual(['pre', 'b', 'a', 'post'])
    const bystander = importTree({ ah: raw })
    bystander.pre('more context')
    expect(coresOf(bystander.node('ah')!)).toEqual([])

    // Sealing alone makes it explicit, and preview shows so without doing it.
    expectCore(regionsOf(ctx.preview()).seq.children[1]!, ['b', 'a'])
    expect(coresOf(ctx.node('ah')!)).toEqual([])
    const sealing = ctx.fork()
    expectCore(regionsOf(sealing.commit()).seq.children[1]!, ['b', 'a'])

    // So does the first core write; the blocks keep ids, order and headers, and the new one comes last.
    const said = ctx.user('third')
    expectCore(ctx.node('ah')!, ['b', 'a', said.id])
    expect(['a', 'b'].map((id) => creationHeaders(ctx.node(id)!))).toEqual(before)
    const snapshot = ctx.commit()
    expectCore(regionsOf(snapshot).seq.children[1]!, ['b', 'a', said.id])
    expect(['a', 'b'].map((id) => creationHeaders(snapshot.node(id)!))).toEqual(before)
    expect(idsOf(snapshot.thread())).toEqual(['o', 'pre', 'b', 'a', said.id, 'post'])
    // Imported nodes, and nodes sealed before, stay to the byte.
    expect(textOf(ctx.export('@t-1'))).toBe(imported)
    expect(idsOf(snapshot.node('old')!.children)).toEqual(['o'])
  })

  test('orders siblings by offset, created_at_ns, creation_index, id (02 §4.3)', () => {
    const { nodes } = readGolden('02-4.4-order.json') as { nodes: Raw[] }
    const keys = nodes.map((node): SiblingKey => ({
      id: node.id as string,
      offset: node['offset'] as number,
      createdAtNs: BigInt(node['created_at_ns'] as number),
      creationIndex: node['creation_index'] as number,
    }))
    for (const [a, b, c] of permutations([0, 1, 2])) {
      expect(idsOf([keys[a!]!, keys[b!]!, keys[c!]!].sort(compareSiblings))).toEqual(['a', 'z', 'b'])
      const printed = [nodes[a!]!, nodes[b!]!, nodes[c!]!].map(({ name: _name, ...node }) => ({
        ...node,
        content: 'x',
      }))
      expect(idsOf(importTree({ seq: [{ id: 'turn', children: printed }] }).thread('@t0'))).toEqual(['a', 'z', 'b'])
    }

    // Each key decides only where the ones before it are equal; ids go by code point (D20).
    const base: SiblingKey = { offset: 0, createdAtNs: 2n ** 60n, creationIndex: 4, id: 'm' }
    const pairs: [Partial<SiblingKey>, Partial<SiblingKey>][] = [
      [
        { offset: -1, createdAtNs: 2n ** 61n, creationIndex: 9, id: 'z' },
        { offset: 0, createdAtNs: 0n, creationIndex: 0, id: 'a' },
      ],
      [
        { createdAtNs: 2n ** 60n, creationIndex: 9, id: 'z' },
        { createdAtNs: 2n ** 60n + 1n, creationIndex: 0, id: 'a' },
      ],
      [
        { creationIndex: 9, id: 'z' },
        { creationIndex: 10, id: 'a' },
      ],
      [{ id: 'a' }, { id: 'b' }],
      [{ id: 'a' }, { id: 'a0' }],
      [{ id: 'Z' }, { id: 'a' }],
      [{ id: '10' }, { id: '9' }],
      [{ id: '\uFF5E' }, { id: '\u{1F600}' }],
    ]
    for (const [first, second] of pairs) {
      const [a, b] = [
        { ...base, ...first },
        { ...base, ...second },
      ]
      expect([Math.sign(compareSiblings(a, b)), Math.sign(compareSiblings(b, a))]).toEqual([-1, 1])
    }
    fc.assert(
      fc.property(siblingLists(), (siblings) => {
        for (const a of siblings) {
          for (const b of siblings) {
            expect(Math.sign(compareSiblings(a, b))).toBe(Math.sign(bySiblingRule(a, b)))
          }
        }
        expect(idsOf(siblings.toSorted(compareSiblings))).toEqual(idsOf(siblings.toSorted(bySiblingRule)))
      }),
      { seed: SEED, numRuns: 30 },
    )
  })

  test('raises created_at_ns strictly within and across cycles, even on a stopped clock (02 §4.4, D37)', () => {
    fc.assert(
      fc.property(programsFor(dialect), clocks, (program, ticks) => {
        const ctx = createContext({ dialect, clock: unevenClock(ticks) })
        const all = new Map<string, Node>()
        const trace = runProgram(ctx, program, (snapshot) => {
          for (const node of walk(snapshot.root)) all.set(node.id, node)
        })
        for (const node of trace.made) all.set(node.id, node)
        expectRising([...all.values()].filter((node) => !node.nodeType.startsWith('^')))
      }),
      { seed: SEED, numRuns: 20 },
    )
    // Edited: what supersedes or sums up has the age of what it stands in for (D30, D63), every other node one of its own.
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        const ages = new Map<string, unknown>()
        for (const ctx of playEdited(program, { after: (moment) => expectAges(moment, ages) }).contexts) {
          const all = new Map<string, Node>()
          for (const { cycle } of ctx.snapshots()) {
            for (const node of walk(ctx.snapshot(`@c${cycle}`).root)) all.set(node.id, node)
          }
          expectRising([...all.values()].filter((node) => !node.nodeType.startsWith('^') && hasOwnAge(node)))
        }
      }),
      editedRuns(10),
    )
    // A stopped clock, one that goes back, and one that runs: one reading per node, raised where it must be.
    for (const [step, expected] of [
      [0n, [0n, 1n, 2n, 3n, 4n]],
      [-10n, [0n, 1n, 2n, 3n, 4n]],
      [10n, [0n, 10n, 20n, 30n, 40n]],
    ] as const) {
      const ctx = createContext({ dialect, clock: clockOf(step) })
      ctx.pre('a')
      ctx.pre('b')
      const { receipt: _receipt, root } = ctx.commit()
      ctx.pre('c')
      const made = walk(root).concat(walk(ctx.node('ah')!))
      const times = made.filter((node) => !node.nodeType.startsWith('^')).map((node) => node.createdAtNs - START_NS)
      // Two blocks, their core and their turn, and a block of the next cycle.
      expect(times.sort((a, b) => Number(a - b))).toEqual(expected)
    }
    // Above every time in an imported tree and in a fork's past, beyond what a double can tell apart.
    const late = 2n ** 63n + 1n
    const imported = importTree(
      { sys: [{ id: 'late', created_at_ns: late, content: 'x' }] },
      { clock: clockOf(0n, 5n) },
    )
    expect(imported.user('next').createdAtNs).toBe(late + 2n)
    const forked = imported.fork('working', { clock: clockOf(0n, 5n) })
    expect(forked.user('next').createdAtNs).toBe(late + 3n)
  })

  test('counts creation_index up within each cycle, starting from 0 (02 §4.4, D37)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    const indexes = (cycle: number): number[] =>
      walk(ctx.snapshot().root)
        .filter((node) => node.cycle === cycle)
        .map((node) => node.creationIndex)
        .sort((a, b) => a - b)
    // Root and regions took 0 to 3 of the first cycle; core and turn count like every other node.
    expect(ctx.user('a').creationIndex).toBe(5)
    expect(ctx.post('b').creationIndex).toBe(6)
    ctx.commit()
    expect(indexes(1)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    for (const cycle of [2, 3]) {
      const first = ctx.system.add('rule')
      // Calls that fail and calls that only show use nothing up.
      refusal(() => ctx.user('bad', { ttl: -1 }))
      refusal(() => ctx.add(undefined, { zone: 'post', children: [{ content: 'fine' }, { content: 'bad', ttl: -1 }] }))
      ctx.preview()
      const group = ctx.add(undefined, { zone: 'post', children: [{ content: 'x' }, { content: 'y' }] })
      expect([first, ...walk(group)].map((node) => [node.cycle, node.creationIndex])).toEqual([
        [cycle, 0],
        [cycle, 1],
        [cycle, 2],
        [cycle, 3],
      ])
      ctx.commit()
      expect(indexes(cycle)).toEqual([0, 1, 2, 3, 4, 5])
    }
    fc.assert(
      fc.property(programsFor(dialect), (program) => {
        const made = createContext({ dialect, clock: clockOf() })
        const all = new Map<string, Node>()
        const trace = runProgram(made, program, (snapshot) => {
          for (const node of walk(snapshot.root)) all.set(node.id, node)
        })
        for (const node of trace.made) all.set(node.id, node)
        // Every node there ever was is in one of the lists, so no index may be missing or occur twice.
        for (let cycle = 1; cycle < made.cycle; cycle++) {
          const nodes = [...all.values()].filter((node) => node.cycle === cycle)
          const given = nodes.map((node) => node.creationIndex).sort((a, b) => a - b)
          expect(given).toEqual(given.map((_index, i) => i))
        }
        expectRising([...all.values()].filter((node) => !node.nodeType.startsWith('^')))
      }),
      { seed: SEED, numRuns: 15 },
    )
  })

  test('refuses an import with a second ^ah and keeps exactly one through commits (02 §6.1)', () => {
    const region = (id: string, nodeType: string): Raw => ({ id, nodeType, children: [] })
    for (const nodeType of ['^ah', '^seq', '^sys']) {
      const others = ['^sys', '^seq', '^ah'].map((each) => region(each, each))
      const error = refusal(() =>
        importSnapshot({ root: { children: [...others, region('x', nodeType)] } }, { dialect }),
      )
      expect(error.code).toBe('E_SNAPSHOT_INVALID')
      expect(error.details['path']).toMatch(/^root\.children\[3\]/)
      expect(error.message).toContain(nodeType)
    }
    // Nor may one hide deeper in the tree.
    for (const parent of ['^sys', '^ah']) {
      const nested = { ...region('outer', parent), children: [region('inner', '^ah')] }
      const error = refusal(() => importSnapshot({ root: { children: [nested] } }, { dialect }))
      expect([error.code, String(error.details['path']).startsWith('root.children[0].children[0]')]).toEqual([
        'E_SNAPSHOT_INVALID',
        true,
      ])
    }
    fc.assert(
      fc.property(programsFor(dialect), (program) => {
        const ctx = createContext({ dialect, clock: clockOf() })
        runProgram(ctx, program, (snapshot) => {
          for (const { root } of [snapshot, ctx.snapshot('working')]) {
            expect(walk(root).filter((node) => node.nodeType === '^ah')).toHaveLength(1)
            expect(root.children[2]!.id).toBe('ah')
          }
        })
      }),
      { seed: SEED, numRuns: 10 },
    )
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        playEdited(program, {
          after: ({ after }) => expect(walkExport(after).filter((node) => node.nodeType === '^ah')).toHaveLength(1),
        })
      }),
      editedRuns(6),
    )
    // No call makes one, either.
    const ctx = createContext({ dialect })
    for (const nodeType of ['^ah', '^root', '^x']) {
      expectRefused(ctx, () => ctx.add(undefined, { nodeType, children: [] }), 'E_RESERVED_NAME')
    }
  })

  test('seals no turn from a head left with nothing and still makes the snapshot (02 §6.2, D25)', () => {
    const rows: [string, (ctx: Context) => void][] = [
      ['nothing written', () => {}],
      // The example of 03 §8.2: the only block expires, and the core cannot be removable (D26).
      ['a core whose only block expires', (ctx) => void ctx.user('gone', { ttl: 0 })],
      ['context that expires', (ctx) => void [ctx.pre('gone', { ttl: 0 }), ctx.post('gone', { ttl: 0 })]],
      [
        'a removable container that is emptied',
        (ctx) => void ctx.add(undefined, { zone: 'post', removable: true, children: [{ content: 'gone', ttl: 0 }] }),
      ],
      [
        'a removable container inside the core',
        (ctx) => void ctx.add(undefined, { zone: 'core', removable: true, children: [{ content: 'gone', ttl: 0 }] }),
      ],
      ['system content only', (ctx) => void ctx.system.add('rule')],
    ]
    for (const [name, write] of rows) {
      const ctx = createContext({ dialect, clock: clockOf() })
      write(ctx)
      const snapshot = ctx.commit()
      expectSound(snapshot)
      expect([name, regionsOf(snapshot).seq.children]).toEqual([name, []])
      expect([snapshot.cycle, ctx.cycle, ctx.snapshots().length]).toEqual([1, 2, 1])
      write(ctx)
      expect(regionsOf(ctx.commit()).seq.children).toEqual([])
      // The next commit seals as if nothing had been there.
      ctx.user('said')
      const next = ctx.commit()
      expectSound(next)
      const turns = regionsOf(next).seq.children
      expect(turns.map((turn) => turn.children.length)).toEqual([1])
      expect(next.cycle).toBe(3)
    }
    // Anything that is left is sealed: an empty container that is not removable, or context of one more cycle.
    for (const header of [{ children: [] }, { nodeType: `${names.cont}:slot`, children: [{ content: 'x', ttl: 0 }] }]) {
      const ctx = createContext({ dialect, clock: clockOf() })
      ctx.add(undefined, { zone: 'post', ...header })
      expect(regionsOf(ctx.commit()).seq.children).toHaveLength(1)
    }
  })

  test('keeps a sealed core byte for byte through later cycles (02 §6.4)', () => {
    fc.assert(
      fc.property(programsFor(dialect), fc.option(policies), (program, prune) => {
        // Small times, so that plain JSON.parse reads them exactly.
        const options = { dialect, clock: clockOf(1n, 1000n), ...(prune === null ? {} : { prune }) }
        const ctx = createContext(options)
        const given = { list: [1, { a: 'x' }] }
        ctx.user(given, { pinned: true, data_x: given, tags: ['t'] })
        ctx.assistant('reply', { kind: 'text', pinned: true })
        ctx.add(undefined, { zone: 'core', pinned: true, children: [{ content: 'nested', pinned: true }] })
        ctx.post('around it', { ttl: 1 })
        const first = regionsOf(ctx.commit()).seq.children[0]!
        const { id } = coresOf(first)[0]!
        const sealed = coreText(ctx, id, '@t0')
        expect(textOf(ctx.export())).toContain(sealed)
        // The caller may change its own objects afterwards without reaching the tree.
        given.list.push(2)
        runProgram(ctx, program, (snapshot) => {
          expect(textOf(snapshot.export())).toContain(sealed)
          expect(coreText(ctx, id, '@t0')).toBe(sealed)
          expect(coreText(ctx, id, 'working')).toBe(sealed)
        })
        const fork = ctx.fork('@c1')
        fork.user('another way on')
        fork.commit()
        expect(coreText(fork, id, '@t0')).toBe(sealed)
        // Core writes of later cycles go elsewhere.
        expect(ctx.user('new').parentId).not.toBe(id)
      }),
      { seed: SEED, numRuns: 12 },
    )
    // Edits take nodes out of sealed cores and put others in their place; what is still there is as it was sealed, but for
    // its ttl, for earlier ids that a commit dropped (D41), and for tags, priority and pinned where `update` named it (D30).
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        const sealed = new Map<string, Readonly<{ all: string; fixed: string }>>()
        const updated = new Set<string>()
        playEdited(program, {
          after: ({ ctx, call, outcome }) => {
            if (call.do === 'import') sealed.clear()
            if (call.do === 'update' && 'ids' in outcome) for (const id of outcome.ids) updated.add(id)
            if (call.do !== 'commit' || 'code' in outcome) return
            for (const node of regionsOf(ctx.snapshot()).seq.children.flatMap(coresOf).flatMap(walk)) {
              const { ttl: _ttl, children: _children, 'pact:stands_for': _names, ...header } = node.toJSON()
              const { tags: _tags, priority: _priority, pinned: _pinned, ...rest } = header
              const now = { all: canonicalJson(header), fixed: canonicalJson(rest) }
              const before = sealed.get(node.id) ?? now
              expect(now.fixed).toBe(before.fixed)
              if (!updated.has(node.id)) expect(now.all).toBe(before.all)
              sealed.set(node.id, now)
            }
          },
        })
      }),
      editedRuns(15),
    )
  })

  test('leaves every earlier snapshot and its bytes unchanged, whatever later cycles do (02 §6.4)', () => {
    fc.assert(
      fc.property(programsFor(dialect), fc.option(policies), (program, prune) => {
        const ctx = createContext({ dialect, clock: clockOf(), ...(prune === null ? {} : { prune }) })
        const taken: { snapshot: Snapshot; root: Node; bytes: readonly string[] }[] = []
        runProgram(ctx, program, (snapshot) => {
          taken.push({ snapshot, root: snapshot.root, bytes: allBytes(snapshot) })
        })
        const fork = ctx.fork('@c1', { prune: { maxNodes: 0, protectSegments: 0 } })
        for (let commits = 0; commits < 3; commits++) fork.commit()
        // Bytes that were handed out are the caller's: writing into them changes nothing here.
        for (const bytes of [ctx.export('@c1'), ctx.threadBytes('@c1'), ctx.referenceBytes('@c1')]) bytes.fill(0)
        for (const [i, { snapshot, root, bytes }] of taken.entries()) {
          const cycle = i + 1
          expect(allBytes(snapshot)).toEqual(bytes)
          expect(allBytes(ctx.snapshot(`@c${cycle}`))).toEqual(bytes)
          expect(canonicalJson(root.toJSON())).toBe(canonicalJson(snapshot.root.toJSON()))
          expect([snapshot.cycle, snapshot.ref.label]).toEqual([cycle, `@c${cycle}`])
        }
        expect(allBytes(fork.snapshot('@c1'))).toEqual(taken[0]!.bytes)
      }),
      { seed: SEED, numRuns: 12 },
    )
    // Nor does any edit, undo, fork or import reach back: asked after every call, and of every context at the end.
    fc.assert(
      fc.property(editedPrograms(dialect), (program) => {
        // The state of each context at its last call; a fork and an import begin with the one they come from.
        const taken = new Map<Context, ReadonlyMap<number, readonly string[]>>()
        const held: { root: Node; text: string }[] = []
        let known: ReadonlyMap<number, readonly string[]> = new Map()
        const run = playEdited(program, {
          after: ({ ctx, call, outcome }) => {
            if ('fork' in outcome || (call.do === 'commit' && !('code' in outcome))) {
              const cycles = ctx.snapshots().map(({ cycle }) => cycle)
              const now = new Map(cycles.map((cycle) => [cycle, allBytes(ctx.snapshot(`@c${cycle}`))]))
              for (const [cycle, bytes] of now) expect(bytes).toEqual(known.get(cycle) ?? bytes)
              known = now
              if (call.do === 'commit') held.push({ root: ctx.snapshot().root, text: jsonOf(ctx.snapshot().root) })
            } else if (known.size > 0) expect(allBytes(ctx.snapshot())).toEqual(known.get(ctx.cycle - 1))
            taken.set(ctx, known)
          },
        })
        for (const { ctx, lens } of snapshotsOf(run)) {
          expect(allBytes(ctx.snapshot(lens))).toEqual(taken.get(ctx)!.get(Number(lens.slice(2))))
        }
        for (const { root, text } of held) expect(jsonOf(root)).toBe(text)
      }),
      editedRuns(12),
    )
  })

  test('hands out frozen nodes and snapshots, also nested content and headers (02 §6.4)', () => {
    const content = { list: [{ deep: ['x'] }], text: 'x' }
    const header = {
      tags: ['t'],
      refs: ['root'],
      data_x: { y: [{ z: 1 }] },
      'app:list': [[1]],
      provenance: { from: ['here'] },
    }
    const ctx = createContext({ dialect, clock: clockOf(), prune: { maxNodes: 0 } })
    const made = ctx.user(content, header)
    ctx.system.add(content, header)
    ctx.add(undefined, { zone: 'post', children: [{ content, ...header }] })
    for (const snapshot of [ctx.snapshot('working'), ctx.preview(), ctx.commit()]) {
      expect(faultsOf(snapshot, { working: true })).toEqual([])
    }
    expect(faultsOf(importSnapshot(ctx.export()).snapshot(), { imported: true })).toEqual([])
    ctx.user('two')
    ctx.commit()
    ctx.user('three')
    const { receipt } = ctx.commit()
    expect(receipt.removed.length).toBeGreaterThan(0)
    expect(receipt.unmet.length).toBeGreaterThan(0)
    expectFrozen({ receipt, thread: ctx.thread('@t0'), refs: ctx.snapshots(), ref: ctx.snapshot().ref })

    // Writing throws, and nothing changes; a tree is not the object it was made from.
    const before = textOf(ctx.export())
    const snapshot = ctx.snapshot()
    const said = snapshot.node('sys')!.children[0]!
    const writes: (() => void)[] = [
      () => Object.assign(snapshot, { cycle: 9 }),
      () => Object.assign(said, { offset: 9 }),
      () => Object.assign(said, { content: 'y' }),
      () => (said.content as { list: unknown[] }).list.push('y'),
      () => Object.assign((said.content as { list: object[] }).list[0]!, { deep: 'y' }),
      () => (said.tags as string[]).push('y'),
      () => (said.refs as string[]).push('y'),
      () => Object.assign(said.attributes, { data_x: 'y' }),
      () => Object.assign(said.attributes['data_x'] as object, { y: 'y' }),
      () => (snapshot.root.children as Node[]).pop(),
      () => Object.assign(made, { id: 'y' }),
    ]
    for (const write of writes) expect(write).toThrow(TypeError)
    content.list[0]!.deep.push('y')
    header.tags.push('y')
    header.data_x.y.push({ z: 2 })
    expect(textOf(ctx.export())).toBe(before)
    expect(snapshot.node('sys')!.children[0]!.content).toEqual({ list: [{ deep: ['x'] }], text: 'x' })
  })

  test('prunes nothing where no policy is declared (02 §7)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    const made: Node[] = []
    for (let cycle = 1; cycle <= 40; cycle++) {
      made.push(ctx.user('x'.repeat(2000), { priority: -cycle }), ctx.post(`note ${cycle}`, { priority: -99 }))
      const snapshot = ctx.commit()
      expect(snapshot.receipt).toEqual({ removed: [], shed: [], limits: [], unmet: [] })
    }
    for (const node of made) expect(ctx.node(node.id, '@t0')!.content).toBe(node.content)
    expect(regionsOf(ctx.snapshot()).seq.children).toHaveLength(40)
    // Nor by a policy that names no limit.
    const forked = ctx.fork('@t0', { prune: { protectSegments: 0, unmet: 'error' } })
    expect(forked.commit().receipt).toEqual({ removed: [], shed: [], limits: [], unmet: [] })
    expect(textOf(forked.threadBytes('@t0'))).toBe(textOf(ctx.threadBytes('@t0')))
  })

  test('prunes by priority, then created_at_ns, then id, as the receipt lists (02 §7.1)', () => {
    const ids = fc.uniqueArray(
      fc.string({ unit: fc.constantFrom('a', 'B', '9', '\uFF5E', '\u{1F600}'), minLength: 1, maxLength: 3 }),
      { minLength: 2, maxLength: 12 },
    )
    const blocks = ids.chain((each) =>
      fc.tuple(
        ...each.map((id) =>
          fc.record({
            id: fc.constant(id),
            priority: fc.integer({ min: -1, max: 1 }),
            created_at_ns: fc.constantFrom(2n ** 60n, 2n ** 60n + 1n, 7n),
            // Nothing else may decide.
            offset: fc.integer({ min: -2, max: 2 }),
            creation_index: fc.nat(3),
            cycle: fc.integer({ min: 1, max: 5 }),
            content: fc.constantFrom('x', 'a longer text'),
          }),
        ),
      ),
    )
    fc.assert(
      fc.property(blocks, fc.nat(), (given, pick) => {
        const turns: Raw[] = [
          { id: 'old turn', offset: 1, children: [{ id: 'old core', nodeType: names.cont, children: given }] },
          { id: 'new turn', offset: 2, children: [{ id: 'new core', nodeType: names.cont, children: [LOWEST] }] },
        ]
        const total = walk(importTree({ seq: turns }).snapshot().root).length
        // At least one goes and at least one stays, so that the turn itself stays.
        const take = 1 + (pick % (given.length - 1))
        const ctx = importTree({ seq: turns }, { prune: { maxNodes: total - take } })
        const snapshot = ctx.commit()
        const order = given.toSorted(
          (a, b) => a.priority - b.priority || Number(a.created_at_ns - b.created_at_ns) || byCodePoint(a.id, b.id),
        )
        expect(snapshot.receipt.removed.map(({ id, priority, rule, age }) => [id, priority, rule, age])).toEqual(
          order.slice(0, take).map(({ id, priority, cycle }) => [id, priority, 'maxNodes', 6 - cycle]),
        )
        expect(snapshot.receipt.unmet).toEqual([])
        // They are gone from this snapshot on, and the rest keeps its order.
        const stay = new Set(order.slice(take).map((block) => block.id))
        const inOrder = idsOf(ctx.thread('@t-1')).filter((id) => stay.has(id) || id === LOWEST.id)
        expect(idsOf(snapshot.thread())).toEqual(inOrder)
        expect(ctx.snapshot('@t-1').receipt.removed).toEqual([])
      }),
      { seed: SEED, numRuns: 30 },
    )
    // A container is judged by its own priority and takes what it holds along; a core is never itself a candidate.
    const ctx = createContext({ dialect, clock: clockOf() })
    const group = ctx.add(undefined, { zone: 'post', priority: -1, children: [{ content: 'inside', priority: 9 }] })
    const plain = ctx.user('plain')
    ctx.commit()
    ctx.user('newest')
    const size = walk(ctx.commit().root).length
    const pruned = (maxNodes: number): string[] =>
      idsOf(ctx.fork('@t0', { prune: { maxNodes } }).commit().receipt.removed)
    expect(pruned(size - 1)).toEqual(idsOf(walk(group)))
    expect(pruned(size - 2)).toEqual(idsOf(walk(group)))
    // With its last block a turn goes too (D27), and only then its core.
    expect(pruned(size - 3).slice(0, 3)).toEqual([...idsOf(walk(group)), plain.id])
    expect(pruned(size - 3)).toHaveLength(5)
  })

  test('spares ^sys, ^ah, the newest segments, pinned and referenced nodes from pruning (02 §7.2, D27)', () => {
    const low = { priority: -5 }
    const ctx = createContext({ dialect, clock: clockOf() })
    const rule = ctx.system.add('rule', low)
    const plain = ctx.user('plain', { priority: 5 })
    const pinned = ctx.user('pinned', { ...low, pinned: true })
    const named = ctx.post('named by the system', low)
    const nested = ctx.add(undefined, { zone: 'post', ...low, children: [{ content: 'inside', pinned: true }] })
    ctx.system.add('names a block', { refs: [named.id] })
    ctx.commit()
    const chained = ctx.user('named by the newest', low)
    ctx.user('also plain', low)
    ctx.commit()
    ctx.user('newest', { ...low, refs: [chained.id] })
    ctx.commit()
    const open = ctx.user('in the head', low)

    const all = { maxNodes: 0, maxDepth: 0, maxTokens: 0, maxNodesPerSegment: 0 }
    const left = (prune: PrunePolicy): unknown[] => {
      const fork = ctx.fork('working', { prune })
      return fork
        .commit()
        .thread()
        .map((item) => item.content)
    }
    const spared = ['rule', 'names a block', 'pinned', 'named by the system', 'inside', 'named by the newest']
    expect(left({ ...all, protectSegments: 1 })).toEqual([...spared, 'newest', 'in the head'])
    for (const limit of ['maxNodes', 'maxNodesPerSegment'] as const) {
      expect(left({ [limit]: 0 })).toEqual([...spared, 'newest', 'in the head'])
    }
    // With a token limit the newest turn is the one that is sealed (D60), if the commit seals one.
    expect(left({ maxTokens: 0 })).toEqual([...spared.slice(0, 5), 'in the head'])
    expect(left(all)).toEqual([...spared.slice(0, 5), 'in the head'])
    const sealed = ctx.fork('@t0', { prune: { maxTokens: 0 } }).commit()
    expect(sealed.thread().map((item) => item.content)).toEqual([...spared, 'newest'])
    // maxDepth takes whole turns; one protected node keeps its whole turn.
    expect(left({ maxDepth: 0 })).toHaveLength(10)
    // K newest turns are spared whole; with 0, only what is pinned or named.
    expect(left({ ...all, protectSegments: 2 })).toEqual([...spared, 'also plain', 'newest', 'in the head'])
    expect(left({ ...all, protectSegments: 3 })).toHaveLength(10)
    expect(left({ ...all, protectSegments: 0 })).toEqual([...spared.slice(0, 5), 'in the head'])

    // A held node stays, and goes once it is released (02 §5.4).
    const fork = ctx.fork('working', { prune: all })
    const hold = fork.hold(plain.id)
    expect(fork.commit().node(plain.id)!.content).toBe('plain')
    hold.release()
    const later = fork.commit()
    expect(later.node(plain.id)).toBeUndefined()
    expect(later.receipt.removed.map((node) => node.id)).toContain(plain.id)
    for (const node of [rule, pinned, named, nested, open]) expect(later.node(node.id)).toBeDefined()
  })

  test('prunes a call and its result together or not at all (02 §7.2, D27)', () => {
    type Item = readonly [name: string, header: AddHeader]
    /** Commits one turn per row, then prunes to `nodes` fewer; gives the names that are gone. */
    const gone = (turns: readonly (readonly Item[])[], fewer: number): string[] => {
      const ctx = createContext({ dialect, clock: clockOf(), ids: namedIds })
      for (const turn of turns) {
        ctx.post('filler', { pinned: true })
        for (const [name, header] of turn) ctx.add(name, header)
        ctx.commit()
      }
      const before = ctx.thread('@t0').map((item) => item.content as string)
      const maxNodes = walk(ctx.snapshot().root).length - fewer
      const after = ctx.fork('@t0', { prune: { maxNodes } }).commit().thread()
      const kept = new Set(after.map((item) => item.content))
      return before.filter((name) => !kept.has(name))
    }
    const call = (id: unknown, header: AddHeader = {}): AddHeader => ({ kind: 'call', data_call_id: id, ...header })
    const result = (id: unknown, header: AddHeader = {}): AddHeader => ({ kind: 'result', data_call_id: id, ...header })
    const recent: readonly Item[] = [['recent', {}]]

    // Across turns, by their shared call id; where one cannot go, neither does.
    expect(gone([[['call', call('c')]], [['result', result('c')]], recent], 1)).toEqual(['call', 'result'])
    expect(gone([[['call', call('c')]], [['result', result('c')]]], 1)).toEqual([])
    expect(gone([[['call', call('c')]], [['result', result('c', { pinned: true })]], recent], 1)).toEqual([])
    // A list of ids ties a call to all its results.
    expect(
      gone([[['call', call(['c', 'd'])]], [['result c', result('c')]], [['result d', result('d')]], recent], 1),
    ).toEqual(['call', 'result c', 'result d'])
    // Ids that share nothing go alone.
    expect(gone([[['call', call('c')]], [['other', result('d', { priority: 1 })]], recent], 1)).toEqual(['call'])
    // A group sorts by its highest priority, so the block in between goes first.
    expect(
      gone(
        [
          [
            ['call', call('c')],
            ['result', result('c', { priority: 5 })],
            ['between', { priority: 3 }],
          ],
          recent,
        ],
        1,
      ),
    ).toEqual(['between'])
    // Where an id recurs, each call starts a new group (D27).
    const twice: readonly (readonly Item[])[] = [
      [
        ['call 1', call('c')],
        ['result 1', result('c')],
      ],
      [
        ['call 2', call('c')],
        ['result 2', result('c')],
      ],
      recent,
    ]
    expect(gone(twice, 1)).toEqual(['call 1', 'result 1'])
    // A result may also name its call by refs; and a reference from outside protects the whole group.
    // In the first turn the filler, the core and the call take the ids 0 to 2.
    const [callId, resultId] = [`1-${names.block}-2`, `1-${names.block}-3`]
    const byRef: readonly Item[] = [
      ['call', { kind: 'call' }],
      ['result', { kind: 'result', refs: [callId] }],
    ]
    expect(gone([byRef, recent], 1)).toEqual(['call', 'result'])
    // Whichever of the two comes first in the order of pruning.
    const weakResult: readonly Item[] = [byRef[0]!, ['result', { ...byRef[1]![1], priority: -1 }]]
    expect(gone([weakResult, recent], 1)).toEqual(['call', 'result'])
    expect(gone([byRef, [['recent', { refs: [resultId] }]]], 1)).toEqual([])

    // Generated: whatever the limit takes, no call is left without its result or the other way round.
    const pair = fc.record({
      callTurn: fc.nat(3),
      resultTurn: fc.nat(3),
      callPriority: fc.nat(3),
      resultPriority: fc.nat(3),
    })
    fc.assert(
      fc.property(fc.array(pair, { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 12 }), (pairs, fewer) => {
        const turns = [0, 1, 2, 3].map((turn) =>
          pairs.flatMap((each, i): Item[] => [
            ...(each.callTurn === turn ? [[`call ${i}`, call(`c${i}`, { priority: each.callPriority })] as const] : []),
            ...(each.resultTurn === turn
              ? [[`result ${i}`, result(`c${i}`, { priority: each.resultPriority })] as const]
              : []),
          ]),
        )
        const left = gone([...turns, recent], fewer)
        // A call that is written after its result starts a new group, so such a pair is none (D27).
        for (const [i, each] of pairs.entries()) {
          if (each.callTurn > each.resultTurn) continue
          expect(left.includes(`call ${i}`)).toBe(left.includes(`result ${i}`))
        }
        expect(left.length).toBeGreaterThan(0)
      }),
      { seed: SEED, numRuns: 20 },
    )
  })

  test('prunes reasoning with the call that it stands directly before (02 §7.2, D48)', () => {
    const build = (...blocks: readonly (readonly [text: string, header: AddHeader])[]): Context => {
      const ctx = createContext({ dialect, clock: clockOf() })
      ctx.post('stays', { pinned: true })
      for (const [text, header] of blocks) ctx.assistant(text, header)
      ctx.commit()
      ctx.user('newest')
      ctx.commit()
      return ctx
    }
    const pruned = (ctx: Context): unknown[] => {
      const { receipt } = ctx.fork('@t0', { prune: { maxNodes: ctx.count('@t0 *') - 1 } }).commit()
      return receipt.removed.map(({ id }) => ctx.node(id)!.content)
    }
    const reasoning = { kind: 'reasoning' } as const
    const call = { kind: 'call', data_call_id: 'c' } as const
    const result = ['result', { kind: 'result', data_call_id: 'c' }] as const
    const late = ['late', { priority: 1 }] as const
    expect(pruned(build(['thought', reasoning], ['call', call], result, late))).toEqual(['thought', 'call', 'result'])
    const two = build(['one', reasoning], ['two', reasoning], ['call', call], result, late)
    expect(pruned(two)).toEqual(['one', 'two', 'call', 'result'])
    // With something in between, or behind the call, or without one, it is a node like any other.
    expect(pruned(build(['thought', reasoning], ['text', {}], ['call', call], result))).toEqual(['thought'])
    expect(pruned(build(['call', call], result, ['thought', reasoning], late))).toEqual(['call', 'result'])
    expect(pruned(build(['thought', reasoning], ['text', {}]))).toEqual(['thought'])
    // One protected member protects all: reasoning that is pinned keeps its call.
    expect(pruned(build(['thought', { ...reasoning, pinned: true }], ['call', call], result, late))).toEqual(['late'])
    // It sorts with its group: by the highest priority.
    const low = build(['thought', { ...reasoning, priority: -1 }], ['call', { ...call, priority: 2 }], result, late)
    expect(pruned(low)).toEqual(['late'])
    // Once the nodes in between have gone, they are a group.
    const parted = build(['thought', { ...reasoning, priority: 1 }], ['text', {}], ['call', { ...call, priority: 1 }])
    const fork = parted.fork('@t0', { prune: { maxNodes: parted.count('@t0 *') - 2 } })
    expect(fork.commit().receipt.removed.map(({ id }) => parted.node(id)!.content)).toEqual(['text', 'thought', 'call'])
  })

  test('compacts by whole turns, the lowest priority first, then the oldest, and leaves the rest to pruning (02 §7.1, D51)', () => {
    const countTokens = (text: string): number => text.length
    const ctx = createContext({ dialect, clock: clockOf(), countTokens })
    for (const [text, header] of [
      ['aaaa', { priority: 1 }],
      ['bbbb', { pinned: true }],
      ['cccc', {}],
      ['dddd', {}],
      ['eeee', {}],
    ] as const) {
      ctx.user(text, header)
      ctx.assistant(text.toUpperCase(), { priority: -1 })
      ctx.commit()
    }
    const after = (prune: PrunePolicy): string => {
      const snapshot = ctx.fork('@t0', { prune }).commit()
      expectSound(snapshot)
      return snapshot
        .thread()
        .map(({ content }) => (content as string)[0])
        .join('')
    }
    expect(after({ unit: 'turn', maxTokens: 40, target: 1 })).toBe('aAbBcCdDeE')
    expect(after({ unit: 'turn', maxTokens: 39, target: 1 })).toBe('aAbBdDeE')
    expect(after({ unit: 'turn', maxTokens: 31, target: 1 })).toBe('aAbBeE')
    expect(after({ unit: 'turn', maxTokens: 23, target: 1 })).toBe('bBeE')
    // The turn with the pin stays; of its nodes, pruning takes what it may.
    expect(after({ unit: 'turn', maxTokens: 15, target: 1 })).toBe('beE')
    // A target is met in one go (D51), and missing it leaves no limit unmet.
    expect(after({ unit: 'turn', maxTokens: 39, target: 0.6 })).toBe('bBeE')
    expect(after({ unit: 'turn', maxTokens: 39, target: 0.1, unmet: 'error' })).toBe('beE')
    expect(after({ maxTokens: 39, target: 0.6 })).toBe('abdeE')
  })

  test('prunes equal histories under one policy to the same bytes (02 §7.3)', () => {
    fc.assert(
      fc.property(programsFor(dialect), policies, (program, prune) => {
        const contexts = [1, 2].map(() => createContext({ dialect, clock: clockOf(), prune }))
        const [first, second] = contexts.map((ctx) => {
          const bytes: string[] = []
          runProgram(ctx, program, (snapshot) => bytes.push(...allBytes(snapshot), JSON.stringify(snapshot.receipt)))
          return bytes
        })
        expect(second).toEqual(first)

        // The same pre-state reached in other ways: a history without limits, forked, replayed, and replayed as text.
        const free = createContext({ dialect, clock: clockOf() })
        runProgram(free, program)
        const results = [
          free.fork('@t0', { prune }),
          importSnapshot(free.export(), { prune }),
          importSnapshot(textOf(free.export()), { prune }),
        ].map((ctx) => {
          const snapshot = ctx.commit()
          return [...allBytes(snapshot), JSON.stringify(snapshot.receipt)]
        })
        expect(results[1]).toEqual(results[0])
        expect(results[2]).toEqual(results[0])
      }),
      { seed: SEED, numRuns: 12 },
    )
  })

  test('reports a limit that protection leaves unmet, or fails whole with E_BUDGET (02 §7.4, D27)', () => {
    const countTokens = (text: string): number => text.length
    const build = (prune?: PrunePolicy): Context => {
      const ctx = createContext({ dialect, clock: clockOf(), countTokens, ...(prune ? { prune } : {}) })
      ctx.system.add('12345')
      ctx.user('pinned', { pinned: true })
      return ctx
    }
    // Each limit alone, as it is in the snapshot: 9 nodes, 1 turn, 11 tokens; the turn holds 2 nodes.
    const rows: [PrunePolicy, string, number, number][] = [
      [{ maxNodes: 3 }, 'maxNodes', 3, 8],
      [{ maxDepth: 0 }, 'maxDepth', 0, 1],
      [{ maxTokens: 10 }, 'maxTokens', 10, 11],
      [{ maxTokens: { '^sys': 4 } }, 'maxTokens ^sys', 4, 5],
      [{ maxTokens: { '^seq': 0 } }, 'maxTokens ^seq', 0, 6],
    ]
    for (const [prune, rule, limit, actual] of rows) {
      const ctx = build(prune)
      const snapshot = ctx.commit()
      expect(snapshot.receipt).toMatchObject({
        removed: [],
        limits: [{ rule, limit, before: actual, after: actual }],
        unmet: [{ rule, limit, actual }],
      })
      expectSound(snapshot)
      expect(snapshot.thread().map((item) => item.content)).toEqual(['12345', 'pinned'])
    }
    expect(walk(build().commit().root)).toHaveLength(8)

    // With unmet: 'error' the commit fails whole: nothing is pruned, sealed, counted or used up.
    for (const [policy, rule, limit, actual] of rows) {
      const prune = { ...policy, unmet: 'error' } as const
      const ctx = build(prune)
      const error = expectRefused(ctx, () => ctx.commit(), 'E_BUDGET')
      expect(error.details['unmet']).toEqual([{ rule, limit, actual }])
      expect(error.message).toContain(rule)
      expect(refusal(() => ctx.preview()).code).toBe('E_BUDGET')
      expect(refusal(() => ctx.snapshot()).code).toBe('E_SNAPSHOT_NOT_FOUND')
      expect([ctx.cycle, ctx.snapshots()]).toEqual([1, []])
      const next = ctx.user('next')
      const untouched = build(prune).user('next')
      expect(next.toJSON()).toEqual(untouched.toJSON())
    }

    // Nodes that a failing commit would have pruned or expired are still there, and a limit that can be met is.
    const ctx = createContext({ dialect, clock: clockOf() })
    const old = ctx.user('old')
    ctx.commit()
    ctx.user('newest')
    ctx.commit()
    const brief = ctx.post('brief', { ttl: 0 })
    const strict = ctx.fork('working', { prune: { maxNodes: 0, unmet: 'error' } })
    expectRefused(strict, () => strict.commit(), 'E_BUDGET')
    for (const id of [old.id, brief.id]) expect(strict.node(id)).toBeDefined()
    const size = walk(ctx.snapshot().root).length
    const met = ctx.fork('working', { prune: { maxNodes: size - 1, unmet: 'error' } }).commit()
    expect([met.node(old.id), met.receipt.unmet]).toEqual([undefined, []])
  })

  test('refuses a zone and an offset that disagree with E_PLACEMENT_INVALID (02 §11, D19)', () => {
    const ctx = createContext({ dialect, clock: clockOf() })
    ctx.user('something')
    for (const offset of [0, 1, 7]) {
      expectRefused(ctx, () => ctx.pre('x', { offset }), 'E_PLACEMENT_INVALID')
      expectRefused(ctx, () => ctx.add('x', { zone: 'pre', offset }), 'E_PLACEMENT_INVALID')
      expectRefused(ctx, () => ctx.add(undefined, { zone: 'pre', offset, children: [] }), 'E_PLACEMENT_INVALID')
    }
    for (const offset of [0, -1, -7]) {
      const error = expectRefused(ctx, () => ctx.post('x', { offset }), 'E_PLACEMENT_INVALID')
      // The message says which zone and which offset.
      expect(error.message).toContain('post')
      expect(error.message).toContain(String(offset))
      expectRefused(ctx, () => ctx.add('x', { zone: 'post', offset }), 'E_PLACEMENT_INVALID')
    }
    for (const zone of ['middle', 'PRE', '', 0]) {
      expectRefused(ctx, () => ctx.add('x', { zone } as unknown as AddHeader), 'E_PLACEMENT_INVALID')
    }
    // Where they agree, both are taken.
    expect(ctx.add('x', { zone: 'pre', offset: -7 }).offset).toBe(-7)
    expect(ctx.add('x', { zone: 'post', offset: 7 }).offset).toBe(7)
  })
})

/** The lowest priority and the oldest of all; only its place in the newest turn protects it. */
const LOWEST = { id: '~', priority: -99, created_at_ns: 0n, content: 'protected' }

function seqOf(children: Raw[]): Raw {
  return { id: 'r', children: [{ id: 'q', nodeType: '^seq', children }] }
}

function namedIds({ cycle, index, nodeType }: Readonly<{ cycle: number; index: number; nodeType: string }>): string {
  return `${cycle}-${nodeType}-${index}`
}

function unevenClock(ticks: readonly number[]): () => bigint {
  let now = START_NS
  let i = 0
  return () => (now += BigInt(ticks[i++ % ticks.length]!))
}

function siblingLists(): fc.Arbitrary<SiblingKey[]> {
  const key = fc.record({
    id: fc.string({
      unit: fc.constantFrom('a', 'b', 'B', '9', 'é', '\uFF5E', '\u{1F600}'),
      minLength: 1,
      maxLength: 3,
    }),
    offset: fc.integer({ min: -2, max: 2 }),
    createdAtNs: fc.constantFrom(0n, 5n, 2n ** 60n, 2n ** 60n + 1n),
    creationIndex: fc.nat(2),
  })
  return fc.uniqueArray(key, { selector: (each) => each.id, minLength: 1, maxLength: 10 })
}

function permutations(items: readonly number[]): number[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]))
}

function exportedNode(ctx: Context, id: string): ExportedNode {
  return walkExport(readExport(ctx.export()).root).find((node) => node.id === id)!
}

/** The text of one node and what it holds, as an export has it; its times must be small. */
function coreText(ctx: Context, id: string, lens: Lens): string {
  const { root } = JSON.parse(textOf(ctx.export(lens))) as { root: ExportedNode }
  return JSON.stringify(walkExport(root).find((node) => node.id === id))
}

function jsonOf(root: Node): string {
  return canonicalJson(root.toJSON())
}

function allBytes(snapshot: Snapshot): readonly string[] {
  return [textOf(snapshot.export()), textOf(snapshot.threadBytes()), textOf(snapshot.referenceBytes())]
}

/** Fields of a node that never change once it is made (02 §3.2.1). */
function creationHeaders(node: Node): Readonly<Record<string, unknown>> {
  const { id, nodeType, offset, priority, cycle, createdAtNs, createdAtIso, creationIndex, role, kind } = node
  return { id, nodeType, offset, priority, cycle, createdAtNs, createdAtIso, creationIndex, role, kind }
}

function expectRising(nodes: readonly Node[]): void {
  const made = nodes.toSorted((a, b) => a.cycle - b.cycle || a.creationIndex - b.creationIndex)
  for (let i = 1; i < made.length; i++) {
    const [before, after] = [made[i - 1]!, made[i]!]
    expect([after.id, after.createdAtNs > before.createdAtNs]).toEqual([after.id, true])
  }
}

/** A summary has the age of a node that left for it, in whose place it is, and what comes back has the age that it had. */
function expectAges({ call, outcome, before, after }: Moment, ages: Map<string, unknown>): void {
  if ('code' in outcome || (call.do !== 'compact' && call.do !== 'expand')) return
  const [old, now] = [placesOf(before), placesOf(after)]
  const [gone, came] = [notIn(old, now), notIn(now, old)]
  if (call.do === 'expand') {
    for (const [id, { age }] of came) expect([id, age]).toEqual([id, ages.get(id) ?? age])
    return
  }
  for (const [id, { age }] of gone) ages.set(id, age)
  expect(came).toHaveLength(1)
  expect(gone.map(([, place]) => place)).toContainEqual(came[0]![1])
}

type Place = Readonly<{ parent: string; offset: unknown; age: unknown }>

function placesOf(root: ExportedNode): ReadonlyMap<string, Place> {
  const parents = walkExport(root).flatMap(({ id, children = [] }) => children.map((child) => [id, child] as const))
  return new Map(
    parents.map(([parent, { id, offset, created_at_iso: at, creation_index: index }]) => {
      return [id, { parent, offset, age: [at, index] }]
    }),
  )
}

function notIn(places: ReadonlyMap<string, Place>, others: ReadonlyMap<string, Place>): (readonly [string, Place])[] {
  return [...places].filter(([id]) => !others.has(id))
}

function expectFrozen(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null) expect(Object.isFrozen(part)).toBe(true)
    expectFrozen(part)
  }
}

/** A node that was in a snapshot before shows the same headers and content as then, ttl apart. */
function identityFaults(snapshot: Snapshot, seen: Map<string, string>): string[] {
  const faults: string[] = []
  for (const node of walk(snapshot.root)) {
    const { ttl: _ttl, children: _children, ...rest } = node.toJSON()
    // A core that was left open, empty, in the head changes its parent when it is sealed at last.
    const place = node.parentId === 'ah' ? '' : ` under ${String(node.parentId)}`
    const identity = canonicalJson(rest)
    const before = seen.get(node.id)
    if (before !== undefined && before !== identity + place && before !== identity)
      faults.push(`${node.id} has changed.`)
    seen.set(node.id, identity + place)
  }
  return faults
}

/** Who is here and who is not, as far as ttl and receipts alone decide it (D24). */
function presenceFaults(snapshot: Snapshot, trace: Trace): string[] {
  const faults: string[] = []
  for (const given of trace.made) {
    const now = snapshot.node(given.id)
    if (now !== undefined && trace.pruned.has(given.id)) faults.push(`${given.id} was pruned and is back.`)
    const left = given.ttl === null ? null : given.cycle + given.ttl - snapshot.cycle
    if (now !== undefined) {
      const shown = left === null ? null : Math.max(0, left)
      if (now.ttl !== shown) faults.push(`${given.id} shows ttl ${now.ttl}, not ${shown}.`)
      const free = given.children.length === 0 && !trace.needed.has(given.id)
      if (left !== null && left <= 0 && free) faults.push(`${given.id} has outlived its ttl.`)
    } else if (trace.written.has(given.id) && !given.removable) {
      const alive = left === null || left > 0
      if (alive && !trace.pruned.has(given.id)) faults.push(`${given.id} is gone before its time.`)
    }
  }
  return faults
}

/** The names that a receipt may hold, and the limits that it reports as met or not (D27). */
function pruningFaults(ctx: Context, snapshot: Snapshot, policy: PrunePolicy, trace: Trace): string[] {
  const faults: string[] = []
  const { removed, unmet } = snapshot.receipt
  const before = snapshot.cycle === 1 ? undefined : regionsOf(ctx.snapshot(`@c${snapshot.cycle - 1}`)).seq
  const open =
    before?.children.slice(
      0,
      Math.max(0, before.children.length - (policy.protectSegments ?? (policy.maxTokens === undefined ? 1 : 0))),
    ) ?? []
  const prunable = new Map(open.flatMap(walk).map((node) => [node.id, node]))
  for (const { id } of removed) {
    const node = prunable.get(id)
    if (node === undefined) faults.push(`${id} is pruned, but stood in ^sys, ^ah or a protected turn.`)
    else if (node.pinned || trace.held.has(id)) faults.push(`${id} is pruned, but pinned or held.`)
    if (snapshot.node(id) !== undefined) faults.push(`${id} is listed as pruned, but still here.`)
  }
  const lost = new Set(removed.map((node) => node.id))
  for (const node of walk(snapshot.root)) {
    for (const id of node.refs) if (lost.has(id)) faults.push(`${id} is pruned, but ${node.id} refers to it.`)
  }
  const turns = regionsOf(snapshot).seq.children
  // D59: a turn that stays only for the task may be left out of the count; the naive model says exactly when.
  const hasOldTask = turns.slice(0, -1).some((turn) => walk(turn).some(({ role }) => role === 'user'))
  const sizes: [keyof PrunePolicy, number][] = [
    ['maxNodes', walk(snapshot.root).length],
    ['maxDepth', turns.length],
  ]
  for (const [rule, actual] of sizes) {
    const limit = policy[rule] as number | undefined
    const said = unmet.filter((each) => each.rule === rule)
    const counts = rule === 'maxDepth' && hasOldTask ? [actual, actual - 1] : [actual]
    const expected = counts.map((actual) => (limit !== undefined && actual > limit ? [{ rule, limit, actual }] : []))
    if (!expected.some((each) => canonicalJson(said) === canonicalJson(each)))
      faults.push(`${rule}: ${actual} of ${limit}, unreported.`)
  }
  return faults
}

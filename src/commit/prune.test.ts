// Pruning (02 §7, D27) piece by piece: the order of candidates against a full sort, what is asked of a token counter,
// what a receipt says, and which policies are refused. The general law is in test/laws/lifecycle.test.ts.

import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import { recordWith } from '../../test/support/records.js'
import { compareForPruning, compareSiblings, type NodeClass } from '../core/index.js'
import { Branch, isPrunable, recordOf, Sequence, walkRecords, type TreeNode } from '../timeline/index.js'
import { createContext, PactError, type Context, type Node, type PrunePolicy } from '../index.js'
import { estimate } from '../tokens/index.js'
import { Frontier, NODES, SEGMENTS } from './pruning-queue.js'

const SEED = { seed: Number(process.env['PACT_SEED'] ?? 27) }

describe('the frontier', () => {
  type Shape = Readonly<{
    offset: number
    ns: number
    priority: number
    nodeClass: NodeClass
    children: readonly Shape[]
  }>
  const { forest } = fc.letrec<{ forest: readonly Shape[]; shape: Shape }>((tie) => ({
    forest: fc.array(tie('shape'), { maxLength: 40 }),
    shape: fc.record({
      offset: fc.integer({ min: -3, max: 3 }),
      ns: fc.nat(3),
      priority: fc.nat(3),
      nodeClass: fc.constantFrom<NodeClass>('block', 'block', 'block', 'cont', 'core', 'seg'),
      children: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.constant([]), tie('forest')),
    }),
  }))

  let serial = 0
  const grow = (shapes: readonly Shape[]): Sequence => {
    const nodes = shapes.map(({ children, ns, ...headers }): TreeNode => {
      const record = recordWith({ ...headers, id: `n${serial++}`, createdAtNs: BigInt(ns) })
      return headers.nodeClass === 'block' ? record : new Branch(record, grow(children))
    })
    return Sequence.fromSorted(nodes.sort((a, b) => compareSiblings(recordOf(a), recordOf(b))))
  }

  it('gives every prunable node once, in the order of a full sort (02 §7.1)', () => {
    fc.assert(
      fc.property(fc.array(forest, { maxLength: 4 }), (forests) => {
        const sequences = forests.map(grow)
        const all = sequences.flatMap((sequence) => [...sequence].flatMap((node) => [...walkRecords(node)]))
        const expected = all.filter(isPrunable).sort(compareForPruning)
        expect(drain(new Frontier(sequences, NODES))).toEqual(expected.map(({ id }) => id))
      }),
      { ...SEED, numRuns: 200 },
    )
  })

  it('gives whole children instead, whatever they hold, where it is told to (D27)', () => {
    fc.assert(
      fc.property(forest, (shapes) => {
        const sequence = grow(shapes)
        const expected = [...sequence].map(recordOf).sort(compareForPruning)
        expect(drain(new Frontier([sequence], SEGMENTS))).toEqual(expected.map(({ id }) => id))
      }),
      { ...SEED, numRuns: 200 },
    )
  })

  it('takes back what comes later after all, at the place of its new key (N3)', () => {
    const frontier = new Frontier([grow([1, 2, 3].map((priority) => ({ ...PLAIN, priority })))], NODES)
    const first = frontier.next()!
    frontier.push(first.record, { ...first.key, priority: 2, id: 'zz' })
    const rest = [frontier.next()!, frontier.next()!, frontier.next()!]
    expect(rest.map(({ record, key }) => [record.priority, key.priority])).toEqual([
      [2, 2],
      [1, 2],
      [3, 3],
    ])
    expect(frontier.next()).toBeUndefined()
  })

  const PLAIN: Shape = { offset: 0, ns: 0, priority: 0, nodeClass: 'block', children: [] }
})

describe('a token counter', () => {
  it('is asked once about each block, whatever happens to it later (PERFORMANCE)', () => {
    const asked: string[] = []
    const ctx = createContext({
      prune: { maxTokens: 1_000_000 },
      countTokens: (_text, node) => {
        asked.push(node.id)
        return 1
      },
    })
    const made: string[] = []
    for (let turn = 0; turn < 40; turn++) {
      made.push(ctx.pre(`before ${turn}`).id, ctx.user(`core ${turn}`).id, ctx.post(`after ${turn}`, { ttl: 3 }).id)
      ctx.preview()
      ctx.commit()
    }
    expect(asked.length).toBe(new Set(asked).size)
    expect(asked.sort()).toEqual(made.sort())
  })

  it('is asked once about equal contents of one role and kind, wherever they stand', () => {
    const asked: unknown[] = []
    const countTokens = (text: string, { role, kind, attributes }: Node): number => {
      asked.push([text, role, kind, attributes['data_n']])
      return 1
    }
    const ctx = createContext({ prune: { maxTokens: 1_000_000 }, countTokens })
    for (let turn = 0; turn < 10; turn++) {
      ctx.user('same')
      ctx.user('same', { tags: ['t'], key: `k${turn}` })
      ctx.assistant('same')
      ctx.user('same', { kind: 'note' })
      ctx.user('same', { data_n: turn % 2 })
      ctx.commit()
    }
    expect(asked).toEqual([
      ['same', 'user', undefined, undefined],
      ['same', 'assistant', undefined, undefined],
      ['same', 'user', 'note', undefined],
      ['same', 'user', undefined, 0],
      ['same', 'user', undefined, 1],
    ])
  })

  it('gets the text, or the canonical JSON of other content, with the node (API)', () => {
    const asked: [string, unknown][] = []
    const ctx = createContext({
      prune: { maxTokens: 100 },
      countTokens: (text, node) => {
        asked.push([text, node.role])
        return 0
      },
    })
    ctx.user('é')
    ctx.assistant({ b: 1, a: 'é' })
    ctx.add(undefined, { children: [] })
    ctx.commit()
    expect(asked).toEqual([
      ['é', 'user'],
      ['{"a":"\\u00e9","b":1}', 'assistant'],
    ])
  })

  const bad: readonly (readonly [what: string, counter: () => unknown])[] = [
    ['NaN', () => Number.NaN],
    ['an infinity', () => Infinity],
    ['less than nothing', () => -1],
    ['text', () => '1'],
    ['a promise', () => Promise.resolve(1)],
    ['nothing', () => undefined],
    [
      'an error',
      () => {
        throw new TypeError('no model')
      },
    ],
  ]
  test.each(bad)('that gives %s is E_BUDGET with the id, and nothing is committed (D25)', (_what, counter) => {
    const ctx = createContext({ prune: { maxTokens: 1 }, countTokens: counter as () => number })
    ctx.user('x')
    const before = text(ctx.export('working'))
    const error = refusal(() => ctx.commit())
    expect([error?.code, error?.details]).toEqual(['E_BUDGET', { id: 'block:1-1' }])
    expect([ctx.cycle, text(ctx.export('working'))]).toEqual([1, before])
  })

  it('that throws is the cause of the refusal', () => {
    const cause = new TypeError('no model')
    const countTokens = (): never => {
      throw cause
    }
    const ctx = createContext({ prune: { maxTokens: 1 }, countTokens })
    ctx.user('x')
    expect(refusal(() => ctx.commit())?.cause).toBe(cause)
  })

  it('is not needed: a context then counts with estimate', () => {
    const contents = ['', 'a', 'How do I reset my password?', 'ééé', '😀', '\ud800', { a: 1 }, 12n]
    const ctx = createContext({ prune: { maxTokens: 0, unmet: 'report' } })
    const told = createContext({ prune: { maxTokens: 0, unmet: 'report' }, countTokens: estimate })
    for (const content of contents) for (const each of [ctx, told]) each.user(content)
    const [{ unmet }] = [ctx.commit().receipt]
    expect(unmet).toEqual(told.commit().receipt.unmet)
    expect(unmet[0]!.actual).toBe(0 + 1 + 7 + 2 + 2 + 1 + 4 + 3)
  })
})

describe('a receipt', () => {
  it('lists what went with rule, priority, age in cycles and size in UTF-8 bytes (02 §7)', () => {
    const ctx = createContext({ prune: { maxDepth: 1, protectSegments: 0 } })
    for (const content of ['', 'abc', 'é', '😀', '\ud800', { é: 1 }, null]) ctx.user(content, { priority: 3 })
    ctx.commit()
    ctx.commit()
    ctx.user('newest')
    const { removed, unmet } = ctx.commit().receipt
    expect(unmet).toEqual([])
    expect(removed.every((each) => each.rule === 'maxDepth' && each.age === 2)).toBe(true)
    expect(removed.map(({ id, priority, size }) => [id, priority, size])).toEqual([
      ['seg:1-8', 0, 0],
      ['cont:1-0', 0, 0],
      ['block:1-1', 3, 0],
      ['block:1-2', 3, 3],
      ['block:1-3', 3, 2],
      ['block:1-4', 3, 4],
      ['block:1-5', 3, 3],
      ['block:1-6', 3, 12],
      ['block:1-7', 3, 4],
    ])
  })

  it('names each limit that protection leaves unmet, after all of them have been tried (D27)', () => {
    const ctx = createContext({
      countTokens: (content) => content.length,
      prune: { maxDepth: 0, maxNodesPerSegment: 0, maxNodes: 3, maxTokens: { '^sys': 2, '^seq': 1, '^ah': 100 } },
    })
    ctx.system.add('rule')
    ctx.user('hi')
    ctx.commit()
    const { removed, unmet } = ctx.commit().receipt
    expect(removed).toEqual([])
    expect(unmet).toEqual([
      { rule: 'maxDepth', limit: 0, actual: 1 },
      { rule: 'maxNodesPerSegment', limit: 0, actual: 2 },
      { rule: 'maxNodes', limit: 3, actual: 8 },
      { rule: 'maxTokens ^sys', limit: 2, actual: 4 },
      { rule: 'maxTokens ^seq', limit: 1, actual: 2 },
    ])
  })

  it('says of each limit that was passed what was measured before and after (02 §7)', () => {
    const ctx = createContext({
      countTokens: (content) => content.length,
      prune: { maxDepth: 2, maxNodes: 100, maxTokens: 10, protectSegments: 0 },
    })
    for (const content of ['aaaaa', 'bbbb', 'ccc']) {
      ctx.user(content)
      ctx.commit()
    }
    expect(ctx.snapshot('@t-1').receipt.limits).toEqual([])
    // The oldest turn goes for maxDepth, after which 4 + 3 tokens are within the budget.
    expect(ctx.snapshot().receipt.limits).toEqual([{ rule: 'maxDepth', limit: 2, before: 3, after: 2, kept: [] }])
    ctx.user('dddddddd')
    // Of the two turns that maxDepth leaves, the budget takes one more.
    expect(ctx.commit().receipt.limits).toEqual([
      { rule: 'maxDepth', limit: 2, before: 3, after: 1, kept: [] },
      { rule: 'maxTokens', limit: 10, target: 6, before: 11, after: 8, kept: [] },
    ])
  })

  it('names the first nodes that an unmet limit came to and had to leave', () => {
    const ctx = pruning({ maxNodes: 5, protectSegments: 0 })
    const blocks = Array.from({ length: 12 }, (_, i) => ctx.user(`${i}`, { priority: -i }))
    const pinned = ctx.user('pinned', { pinned: true })
    ctx.commit()
    const holds = blocks.map(({ id }) => ctx.hold(id))
    const [limit] = ctx.commit().receipt.limits
    expect(limit).toMatchObject({ rule: 'maxNodes', limit: 5, before: 19, after: 19 })
    expect(limit!.kept).toEqual(
      blocks
        .toReversed()
        .slice(0, 10)
        .map(({ id }) => id),
    )
    expect(limit!.kept).not.toContain(pinned.id)
    holds[11]!.release()
    const later = ctx.commit().receipt
    expect(later.removed.map(({ id }) => id)).toEqual([blocks[11]!.id])
    expect(later.limits[0]).toMatchObject({ before: 19, after: 18 })
    expect(later.limits[0]!.kept).toHaveLength(10)
    expect(later.limits[0]!.kept).not.toContain(blocks[11]!.id)
  })

  it('stays with its snapshot, is frozen, and is empty where nothing was done', () => {
    const ctx = pruning({ maxDepth: 1, protectSegments: 0 })
    const [first, second, third] = [1, 2, 3].map((turn) => {
      if (turn < 3) ctx.user(`turn ${turn}`)
      return ctx.commit()
    })
    expect([first, second, third].map((snapshot) => snapshot!.receipt.removed.length)).toEqual([0, 3, 0])
    expect(ctx.snapshot('@c2').receipt).toEqual(second!.receipt)
    expect(ctx.snapshot('working').receipt).toEqual({ removed: [], shed: [], limits: [], unmet: [] })
    const { receipt } = second!
    const parts = [receipt, receipt.removed, receipt.limits, receipt.unmet, receipt.removed[0], receipt.limits[0]]
    expect(parts.every((part) => Object.isFrozen(part))).toBe(true)
  })

  it('of a preview is that of the commit (D5)', () => {
    const ctx = pruning({ maxDepth: 1, protectSegments: 0 })
    ctx.user('one')
    ctx.commit()
    ctx.user('two')
    const { receipt } = ctx.preview()
    expect(receipt.removed).toHaveLength(3)
    expect(ctx.commit().receipt).toEqual(receipt)
  })

  it('with unmet: error there is none: E_BUDGET lists the limits, nothing changed (D27)', () => {
    const ctx = pruning({ maxDepth: 0, maxNodes: 4, unmet: 'error' })
    ctx.user('x')
    const before = text(ctx.export('working'))
    const error = refusal(() => ctx.commit())
    expect([error?.code, error?.details]).toEqual([
      'E_BUDGET',
      {
        unmet: [
          { rule: 'maxDepth', limit: 0, actual: 1 },
          { rule: 'maxNodes', limit: 4, actual: 7 },
        ],
      },
    ])
    expect([ctx.cycle, text(ctx.export('working')), ctx.snapshots()]).toEqual([1, before, []])
  })
})

describe('a policy that is refused', () => {
  const rows: readonly (readonly [policy: unknown, name: string])[] = [
    [5, 'prune'],
    [null, 'prune'],
    ['all', 'prune'],
    [{ maxnodes: 1 }, 'maxnodes'],
    [{ constructor: 1 }, 'constructor'],
    ...['maxNodes', 'maxNodesPerSegment', 'maxDepth', 'maxTokens', 'protectSegments'].flatMap((name) =>
      [-1, 1.5, '1', true, 2 ** 53, Infinity, 5n, null].map((value) => [{ [name]: value }, name] as const),
    ),
    [{ maxNodes: [] }, 'maxNodes'],
    [{ maxTokens: { '^root': 1 } }, 'maxTokens'],
    [{ maxTokens: { sys: 1 } }, 'maxTokens'],
    [{ maxTokens: { '^seq': -1 } }, 'maxTokens'],
    [{ maxTokens: { '^seq': '1' } }, 'maxTokens'],
    [{ unmet: 'throw' }, 'unmet'],
    [{ unmet: true }, 'unmet'],
  ]
  test.each(rows)('(%#) is E_BUDGET and names its limit (N8)', (policy, name) => {
    const error = refusal(() => createContext({ prune: policy as PrunePolicy }))
    expect([error?.code, error?.details]).toEqual(['E_BUDGET', { name }])
  })

  it('changes no more once it is taken', () => {
    const prune = { maxDepth: 5, maxTokens: { '^seq': 1000 } }
    const ctx = createContext({ prune })
    prune.maxDepth = 0
    prune.maxTokens['^seq'] = 0
    ctx.user('x')
    expect(ctx.commit().receipt.unmet).toEqual([])
  })
})

function pruning(prune: PrunePolicy): Context {
  return createContext({ prune })
}

function drain(frontier: Frontier): readonly string[] {
  const ids: string[] = []
  for (let next = frontier.next(); next !== undefined; next = frontier.next()) ids.push(next.record.id)
  return ids
}

function refusal(run: () => unknown): PactError | undefined {
  try {
    run()
  } catch (error) {
    if (PactError.is(error)) return error
    throw error
  }
  return undefined
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

// Objects that are let go: undo steps with their cycle, later snapshots by a fork, dead contexts by the nodes and snapshots that a
// program keeps. Counted by weak references after a full collection, never by time.

import v8 from 'node:v8'
import vm from 'node:vm'

import { createContext, importSnapshot, type Context, type Lens, type Node, type Snapshot } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { openRecordOf, sentRecordsOf } from '../support/attempts.js'

v8.setFlagsFromString('--expose-gc')
const collect = vm.runInNewContext('gc') as () => void

/** Objects that a test hands to a context and asks about afterwards. */
class Watched {
  readonly #refs: WeakRef<object>[] = []

  /** A content of its own; the tree keeps a frozen copy of it, so the node's is the one that is watched. */
  watch(content: unknown): void {
    this.#refs.push(new WeakRef(content as object))
  }

  /** The number of live ones. Waits until there are no more than `atMost`, for 45 seconds at the longest. */
  async left(atMost: number): Promise<number> {
    const until = performance.now() + 45_000
    for (;;) {
      // A weak reference that was read in this turn of the loop holds its object until the next one. V8 may hold some a little longer
      // while it compiles on another thread, which takes its time on a busy machine.
      await new Promise((resolve) => setTimeout(resolve, 1))
      collect()
      const left = this.#refs.filter((ref) => ref.deref() !== undefined).length
      if (left <= atMost || performance.now() > until) return left
    }
  }
}

function turn(ctx: Context, n: number): unknown {
  const { content } = ctx.user({ n })
  ctx.commit()
  return content
}

describe('a fork', () => {
  test('keeps nothing that came after the snapshot it left from, once its parent is gone', async () => {
    const watched = new Watched()
    const forks = [forkOf(watched, '@c1'), forkOf(watched, '@c5'), forkOf(watched, '@t0')]
    // Cycles 2 to 10 of the first, 6 to 10 of the second; what came after the forks of all three.
    expect(await watched.left(1 + 5 + 10)).toBe(1 + 5 + 10)
    expect(forks.map((fork) => fork.thread('@t0').length)).toEqual([1, 5, 10])
  })

  function forkOf(watched: Watched, lens: Lens): Context {
    const parent = createContext()
    for (let n = 1; n <= 10; n++) watched.watch(turn(parent, n))
    const fork = parent.fork(lens)
    for (let n = 11; n <= 20; n++) watched.watch(turn(parent, n))
    parent.select('.block')
    return fork
  }
})

describe('a node that a program keeps', () => {
  test.each<[string, (ctx: Context) => Node]>([
    ['made by a call', (ctx) => ctx.user({ n: 2 })],
    ['found by a selector', (ctx) => ctx.first('@c1 .block')!],
    ['asked for by its id', (ctx) => ctx.node(ctx.select('@c1 .block')[0]!, '@c1')!],
    ['at the root of a snapshot', (ctx) => ctx.snapshot('@c1').root],
    ['of a preview', (ctx) => ctx.preview().root],
  ])('%s keeps its own tree and no other', async (_how, take) => {
    const watched = new Watched()
    const node = nodeOf(watched, take)
    expect(await watched.left(0)).toBe(0)
    expect(node.id).toBeTypeOf('string')
    expect(JSON.stringify(node)).toContain(node.id)
  })

  /** A context of which nothing is left but one node; what it committed afterwards is watched. */
  function nodeOf(watched: Watched, take: (ctx: Context) => Node): Node {
    const ctx = createContext()
    turn(ctx, 1)
    const node = take(ctx)
    for (let n = 11; n <= 20; n++) watched.watch(turn(ctx, n))
    return node
  }
})

describe('a snapshot that a program keeps', () => {
  const KINDS: readonly [string, (ctx: Context) => Snapshot][] = [
    ['a commit', (ctx) => (ctx.user('x'), ctx.commit())],
    ['a lens', (ctx) => ctx.snapshot('@c1')],
    ['the working state', (ctx) => (ctx.pre('open'), ctx.working)],
    ['a preview', (ctx) => (ctx.pre('open'), ctx.preview())],
    ['an attempt', (ctx) => ctx.startAttempt({ provider: 'p', model: 'm', params: {} }).snapshot],
    ['a fork', (ctx) => ctx.fork().snapshot()],
    ['an import', (ctx) => importSnapshot(ctx.export()).snapshot()],
  ]

  test.each(KINDS)('from %s keeps its own tree and no other, once its context is gone', async (_how, take) => {
    const watched = new Watched()
    const { snapshot, answers } = keep(watched, take)
    expect(await watched.left(0)).toBe(0)
    expect(answersOf(snapshot)).toEqual(answers)
  })

  /** Nodes that were committed before and have left, and those committed afterwards, are watched. */
  function keep(watched: Watched, take: (ctx: Context) => Snapshot): { snapshot: Snapshot; answers: unknown } {
    const ctx = createContext({ history: 50 })
    const { id, content } = ctx.user({ n: 'gone' })
    watched.watch(content)
    ctx.delete(`[id='${id}']`)
    ctx.pre('kept', { key: 'k', tags: ['t'], ttl: 9 })
    turn(ctx, 1)
    const snapshot = take(ctx)
    const answers = answersOf(snapshot)
    for (let n = 11; n <= 20; n++) watched.watch(turn(ctx, n))
    ctx.select('.block')
    return { snapshot, answers }
  }

  test.each(KINDS)('from %s says the same when its context has let it go', (_how, take) => {
    const ctx = createContext({ history: 2, clock: () => 1n })
    ctx.pre('kept', { key: 'k', tags: ['t'], ttl: 9 })
    turn(ctx, 1)
    const snapshot = take(ctx)
    const answers = answersOf(snapshot)
    for (let n = 11; n <= 20; n++) {
      turn(ctx, n)
      expect(answersOf(snapshot)).toEqual(answers)
    }
  })

  /** Everything that a snapshot can be asked. */
  function answersOf(snapshot: Snapshot): unknown {
    const ids = snapshot.select('.block')
    return {
      ids,
      nodes: ids.map((id) => [snapshot.node(id), snapshot.coordinate(id), snapshot.threadPlace(id)]),
      count: snapshot.count('.block +t'),
      first: snapshot.first('.block'),
      each: [...snapshot.iterate('.block')],
      export: new TextDecoder().decode(snapshot.export()),
      thread: [snapshot.thread(), new TextDecoder().decode(snapshot.threadBytes())],
      reference: new TextDecoder().decode(snapshot.referenceBytes()),
      text: String(snapshot),
      json: snapshot.toJSON(),
      rest: [snapshot.receipt, snapshot.ref, snapshot.schedules, snapshot.outline()],
    }
  }
})

describe('a limited history', () => {
  test('keeps the content of about as many snapshots as it should, and its forks no more', async () => {
    const watched = new Watched()
    const ctx = createContext({ history: 8, prune: { maxNodes: 12, protectSegments: 0 } })
    const forks = []
    for (let n = 1; n <= 200; n++) {
      watched.watch(turn(ctx, n))
      if (n % 50 === 0) forks.push(ctx.fork())
    }
    // 8 kept and a quarter beyond it; the forks left from 50, 100, 150 and 200. Each tree has a dozen nodes.
    const most = 4 * (10 + 12)
    expect(await watched.left(most)).toBeLessThanOrEqual(most)
    expect(forks.map((fork) => fork.snapshots().length)).toEqual([8, 8, 8, 8])
    expect(ctx.snapshots()).toHaveLength(8)
  })
})

describe('undo steps', () => {
  test.each<[string, () => Context]>([
    ['a new context', () => createContext()],
    [
      'a fork',
      () => {
        const parent = createContext()
        turn(parent, 0)
        return parent.fork()
      },
    ],
    [
      'an import',
      () => {
        const parent = createContext()
        turn(parent, 0)
        return importSnapshot(parent.export())
      },
    ],
  ])('of the first cycle of %s end with it', async (_name, make) => {
    const watched = new Watched()
    const ctx = make()
    for (let n = 0; n < 50; n++) watched.watch(ctx.put('doc', { n }).content)
    expect(await watched.left(50)).toBe(50)
    ctx.commit()
    turn(ctx, 1)
    expect(await watched.left(1)).toBe(1)
    expect(ctx.count('#doc')).toBe(1)
  })
})

describe('the attempts of a context', () => {
  test('keep nothing of the tree that the last of them sent, once its cycle is closed', async () => {
    const watched = new Watched()
    const ctx = createContext()
    sendAndTakeBack(ctx, watched)
    expect(await watched.left(0)).toBe(0)
    expect(sentRecordsOf(ctx).map(({ nodes }) => nodes.length)).toEqual([1, 1])
  })

  function sendAndTakeBack(ctx: Context, watched: Watched): void {
    for (const n of [1, 2]) {
      watched.watch(openRecordOf(ctx, ctx.user({ n }).id))
      ctx.startAttempt({ provider: 'acme', model: 'large-1', params: {} })
      ctx.undo()
    }
    ctx.commit()
    // The pieces of a thread are kept until the next one is written.
    ctx.threadBytes('@t0')
  }
})

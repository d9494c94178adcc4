// Forks (D6): an independent context that shares the past up to one snapshot.

import { describe, expect, it, test } from 'vitest'

import { createContext, importSnapshot, PactError, type Context, type ContextOptions, type Lens } from '../index.js'

describe('a fork', () => {
  it('does not begin at what a call sent, and says so', () => {
    const ctx = createContext()
    ctx.user('Hi.')
    const { id } = ctx.startAttempt({ provider: 'p', model: 'm', params: {} })
    expect(() => ctx.fork(id)).toThrow('A fork begins at a snapshot, at working or at preview.')
  })

  const lenses: readonly (readonly [lens: Lens, cycle: number])[] = [
    ['@t0', 3],
    ['@t-1', 2],
    ['@t-2', 1],
    ['@c1', 1],
    ['@c3', 3],
  ]
  test.each(lenses)('of %s has that snapshot as @t0 and its next commit one cycle later (D6)', (lens, cycle) => {
    const ctx = threeTurns()
    const fork = ctx.fork(lens)
    expect([fork.cycle, fork.snapshot().cycle]).toEqual([cycle + 1, cycle])
    expect(fork.snapshots().map((ref) => ref.cycle)).toEqual(range(cycle))
    for (const each of range(cycle)) expect(text(fork.export(`@c${each}`))).toBe(text(ctx.export(`@c${each}`)))
    fork.user('another way')
    expect(fork.commit().cycle).toBe(cycle + 1)
    expect(codeOf(() => fork.snapshot(`@c${cycle + 2}`))).toBe('E_SNAPSHOT_NOT_FOUND')
  })

  it('of @t0 is the default, without what is open (D5)', () => {
    const ctx = threeTurns()
    ctx.user('open')
    expect(text(ctx.fork().export())).toBe(text(ctx.export()))
    expect(ctx.fork().node('ah')?.children).toEqual([])
  })

  it('of the working state takes the open edits along, ids and all (D6)', () => {
    // A clock that does not move gives both the same times.
    const ctx = threeTurns({ clock: () => 5n })
    ctx.system.add('rule')
    ctx.user('open', { ttl: 2 })
    const fork = ctx.fork('working')
    expect(text(fork.export('working'))).toBe(text(ctx.export('working')))
    expect(fork.cycle).toBe(4)
    const [mine, theirs] = [ctx.commit(), fork.commit()]
    expect(text(theirs.threadBytes())).toBe(text(mine.threadBytes()))
    // Only the sealed segment is new, and it carries the fork's name.
    expect(text(theirs.export()).replace('seg:f1:4-0', 'seg:4-3')).toBe(text(mine.export()))
  })

  it('of the working state works before the first commit, of a snapshot it does not (D5, D6)', () => {
    const ctx = newContext()
    expect(codeOf(() => ctx.fork())).toBe('E_SNAPSHOT_NOT_FOUND')
    ctx.user('one')
    const fork = ctx.fork('working')
    expect(text(fork.export('working'))).toBe(text(ctx.export('working')))
    expect(fork.snapshots()).toEqual([])
    expect(fork.commit().cycle).toBe(1)
    expect([ctx.cycle, fork.cycle]).toEqual([1, 2])
  })

  it('of a preview has the previewed snapshot as @t0 (N12)', () => {
    const ctx = threeTurns()
    ctx.post('gone by then', { ttl: 0 })
    ctx.user('open')
    const fork = ctx.fork('preview')
    expect([fork.cycle, fork.snapshot().cycle]).toEqual([5, 4])
    expect(text(fork.export())).toBe(text(ctx.export('preview')))
    expect(text(fork.threadBytes('@t0'))).toBe(text(ctx.commit().threadBytes()))
    expect(fork.snapshots().map((ref) => ref.cycle)).toEqual([4, 3, 2, 1])
    expect(text(fork.export('@c3'))).toBe(text(ctx.export('@c3')))
  })

  test.each(['@t0', '@t-2', 'working', 'preview'] as const)(
    'of %s gives times above every one in its tree (D37)',
    (lens) => {
      const ctx = createContext({ clock: () => 5n })
      for (const turn of [1, 2, 3]) {
        ctx.user(`turn ${turn}`)
        if (turn < 3) ctx.commit()
      }
      ctx.commit()
      ctx.user('open')
      const fork = ctx.fork(lens)
      const before = timesIn(fork)
      const { createdAtNs } = fork.post('new')
      expect(before.filter((time) => time >= createdAtNs)).toEqual([])
    },
  )

  it('keeps when its nodes expire (D24)', () => {
    const ctx = newContext()
    const { id } = ctx.user('short', { ttl: 2 })
    ctx.commit()
    const fork = ctx.fork()
    expect([fork.node(id)?.ttl, fork.commit().node(id)?.ttl, fork.commit().node(id)]).toEqual([2, 1, undefined])
    expect(ctx.node(id)?.ttl).toBe(2)
  })
})

describe('a fork and its parent', () => {
  it('see nothing of what the other does afterwards', () => {
    const ctx = threeTurns()
    ctx.user('open')
    const fork = ctx.fork('working')
    const frozen = [text(ctx.export('working')), ...range(3).map((cycle) => text(ctx.export(`@c${cycle}`)))]
    const stateOf = (each: Context): string[] => [
      text(each.export('working')),
      ...range(3).map((cycle) => text(each.export(`@c${cycle}`))),
    ]
    const { id } = fork.user('mine')
    fork.system.add('my rule')
    expect(stateOf(ctx)).toEqual(frozen)
    fork.commit()
    expect(stateOf(ctx)).toEqual(frozen)
    expect([ctx.cycle, ctx.node(id), codeOf(() => ctx.snapshot('@c4'))]).toEqual([4, undefined, 'E_SNAPSHOT_NOT_FOUND'])
    const own = text(fork.export('@c4'))
    const theirs = ctx.user('yours').id
    ctx.commit()
    ctx.commit()
    expect(text(fork.export('@c4'))).toBe(own)
    expect([fork.cycle, fork.node(theirs), fork.node(theirs, '@c4')]).toEqual([5, undefined, undefined])
    expect(codeOf(() => fork.snapshot('@c5'))).toBe('E_SNAPSHOT_NOT_FOUND')
  })

  it('share no holds (D6, D26)', () => {
    const ctx = newContext()
    const { id } = ctx.user('held', { ttl: 0 })
    using _hold = ctx.hold(id)
    const fork = ctx.fork('working')
    expect([ctx.commit().node(id)?.ttl, fork.commit().node(id)]).toEqual([0, undefined])
  })

  it('hold for themselves', () => {
    const ctx = newContext()
    const { id } = ctx.user('held', { ttl: 0 })
    const fork = ctx.fork('working')
    const hold = fork.hold(id)
    expect([ctx.commit().node(id), fork.commit().node(id)?.ttl]).toEqual([undefined, 0])
    hold.release()
    expect(fork.commit().node(id)).toBeUndefined()
  })

  it('may have other children, each with the past it left from', () => {
    const ctx = threeTurns()
    const child = ctx.fork('@c2')
    child.user('child')
    child.commit()
    const grandchild = child.fork()
    const nephew = child.fork('@c1')
    grandchild.user('grandchild')
    grandchild.commit()
    nephew.commit()
    expect([ctx, child, grandchild, nephew].map((each) => each.snapshots().length)).toEqual([3, 3, 4, 2])
    expect(grandchild.thread('@c3')).toEqual(child.thread('@c3'))
    expect(text(nephew.export('@c1'))).toBe(text(ctx.export('@c1')))
    expect(grandchild.thread('@t0').map(({ content }) => content)).toEqual(['turn 1', 'turn 2', 'child', 'grandchild'])
  })

  it('of an import show what came beside the tree only where it belongs (N10)', () => {
    const ctx = importSnapshot({ cycle: 4, note: 'kept', root: {} })
    const fork = ctx.fork()
    fork.commit()
    expect(text(fork.export('@c4'))).toBe(text(ctx.export('@c4')))
    expect(text(fork.export('@c5'))).not.toContain('kept')
    expect([fork.dialect, fork.cycle]).toEqual(['0.1', 6])
  })
})

describe("a fork's names", () => {
  it('are f1, f2 and so on, a fork of a fork f1.f1; ids made in it carry them (D37, N12)', () => {
    const ctx = threeTurns()
    const [one, two] = [ctx.fork(), ctx.fork('@c1')]
    const nested = one.fork()
    expect([one, two, nested].map((each) => each.user('x').id)).toEqual([
      'block:f1:4-1',
      'block:f2:2-1',
      'block:f1.f1:4-1',
    ])
    expect([ctx, one, two, nested].map((each) => each.id)).toEqual([
      'context',
      'context/f1',
      'context/f2',
      'context/f1/f1',
    ])
    nested.commit()
    expect(nested.snapshot().root.children[1]!.children.at(-1)?.id).toBe('seg:f1.f1:4-2')
  })

  it('are not used up by a fork that is refused', () => {
    const ctx = threeTurns()
    expect(codeOf(() => ctx.fork('@c9'))).toBe('E_SNAPSHOT_NOT_FOUND')
    expect(codeOf(() => ctx.fork('@t0', { colour: 'red' } as ContextOptions))).toBe('E_CONTENT_INVALID')
    expect(codeOf(() => ctx.fork('@t0', { prune: { maxNodes: -1 } }))).toBe('E_BUDGET')
    expect(ctx.fork().id).toBe('context/f1')
  })

  it('keep default ids of all contexts apart', () => {
    const ctx = threeTurns()
    ctx.user('open')
    const forks = [ctx.fork('working'), ctx.fork('working'), ctx.fork()]
    forks.push(forks[0]!.fork('working'), forks[1]!.fork('working'))
    const made = [ctx, ...forks].flatMap((each) => [each.user('x').id, each.post('y').id])
    expect(new Set(made).size).toBe(made.length)
  })
})

describe("a fork's options", () => {
  it("are its parent's, unless told otherwise (D6)", () => {
    const ctx = createContext({
      id: 'a',
      ids: ({ context, cycle, index }) => `${context}|${cycle}|${index}`,
      clock: () => 7n,
    })
    ctx.user('x')
    ctx.commit()
    const fork = ctx.fork()
    expect([fork.id, fork.user('y').id]).toEqual(['a/f1', 'a/f1|2|1'])
    const other = ctx.fork('@t0', { id: 'b', ids: ({ index }) => `n${index}`, clock: () => 1000n })
    expect([other.id, other.post('y').id, other.node('n0')?.createdAtNs]).toEqual(['b', 'n0', 1000n])
    expect(ctx.post('z').id).toBe('a|2|0')
  })

  it('may prune otherwise, with another counter, and the parent stays as it is (D27)', () => {
    const ctx = newContext({ prune: { maxNodes: 1000 } })
    for (const turn of [1, 2, 3, 4]) {
      ctx.user(`turn ${turn}`)
      ctx.commit()
    }
    const fork = ctx.fork('@t0', { prune: { maxDepth: 2 }, countTokens: () => 1 })
    expect(fork.commit().receipt.removed.length).toBeGreaterThan(0)
    expect(ctx.commit().receipt.removed).toEqual([])
    expect(fork.fork().commit().root.children[1]!.children).toHaveLength(2)
  })

  it("never change the dialect, which is the tree's (D1)", () => {
    const ctx = newContext({ dialect: '0.1' })
    ctx.user('x')
    ctx.commit()
    expect(() => ctx.fork('@t0', { dialect: '1.0' } as ContextOptions)).toThrow('dialect')
    const fork = ctx.fork('@t0', { dialect: '0.1' } as ContextOptions)
    expect([fork.dialect, fork.user('y').nodeType]).toEqual(['0.1', 'cb'])
  })
})

describe('forking', () => {
  it('asks no clock, no id source and no counter, and goes on with the counts already made (D6, N1)', () => {
    const asked: string[] = []
    const ctx = createContext({
      clock: () => (asked.push('clock'), 1n),
      ids: ({ cycle, index, context }) => (asked.push('id'), `${context}:${cycle}-${index}`),
      countTokens: () => asked.push('tokens'),
      prune: { maxTokens: 1_000_000 },
    })
    for (let turn = 0; turn < 200; turn++) {
      ctx.user('x')
      ctx.commit()
    }
    asked.length = 0
    const forks = Array.from({ length: 500 }, (_, i) => ctx.fork(`@c${1 + (i % 200)}`))
    expect(asked).toEqual([])
    // A fork of the newest snapshot counts nothing again: it shares the chunks that were counted.
    forks[199]!.commit()
    expect(asked).toEqual([])
  })
})

function newContext(options: ContextOptions = {}): Context {
  let now = 0n
  return createContext({ clock: () => (now += 10n), ...options })
}

function threeTurns(options?: ContextOptions): Context {
  const ctx = newContext(options)
  for (const turn of [1, 2, 3]) {
    ctx.user(`turn ${turn}`)
    ctx.commit()
  }
  return ctx
}

function timesIn(ctx: Context): readonly bigint[] {
  return [...text(ctx.export('working')).matchAll(/"created_at_ns":(\d+)/g)].map(([, digits]) => BigInt(digits!))
}

function range(newest: number): readonly number[] {
  return Array.from({ length: newest }, (_, i) => newest - i)
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

function codeOf(run: () => unknown): string | undefined {
  try {
    run()
  } catch (error) {
    if (PactError.is(error)) return error.code
    throw error
  }
  return undefined
}

// Cadence (D28): a key that returns every nth cycle, what ends it and what does not, and where it is kept.

import v8 from 'node:v8'
import vm from 'node:vm'

import { createContext, type Context, type ContextOptions, type Node } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf, DIALECTS, idsOf, refusal, START_NS, textOf } from '../support/context.js'
import { byId, contents, drawn, expectNoTrace, inDialect, sealedHashes, stateOf, story } from '../support/editing.js'

function fresh(options: ContextOptions = {}): Context {
  return createContext({ clock: clockOf(), ...options })
}

/** The cycles whose working state, right after they opened, holds an instance made then. */
function returnsIn(ctx: Context, cycles: number, key = 'k'): number[] {
  const found: number[] = []
  for (let i = 0; i < cycles; i++) {
    ctx.commit()
    if (ctx.nodes(`@working [key='${key}']`).some(({ cycle }) => cycle === ctx.cycle)) found.push(ctx.cycle)
  }
  return found
}

describe.each(DIALECTS)('what returns, %s', (dialect) => {
  const name = (text: string): string => inDialect(text, dialect)

  test('opens every cycle whose distance is a multiple of cad with a fresh instance in the head (D28)', () => {
    const ctx = fresh({ dialect })
    const first = ctx.pre('ping', {
      key: 'k',
      cad: 2,
      ttl: 1,
      role: 'user',
      kind: 'note',
      tags: ['t'],
      priority: 4,
      data_x: [1],
    })
    expect(first.cad).toBe(2)
    expect(contents(ctx)).toEqual(['ping'])
    ctx.commit()
    // Cycle 2: the first instance is at d1, nothing is due, and the ttl takes it at the next commit.
    expect([ctx.cycle, drawn(ctx, '^ah'), ctx.undo()]).toEqual([2, [], false])
    expect(ctx.commit().thread()).toEqual([])
    expect(ctx.cycle).toBe(3)
    const [again, ...more] = ctx.nodes("@working [key='k']")
    expect(more).toEqual([])
    // 1-0 was the block, 1-1 its core, 1-2 its segment: three readings so far.
    expect(again!.toJSON()).toEqual({
      ...first.toJSON(),
      id: name('block:3-0'),
      cycle: 3,
      created_at_ns: Number(START_NS + 3n),
      created_at_iso: '2023-11-14T22:13:20.000000003Z',
      creation_index: 0,
    })
    expect(drawn(ctx, '^ah')).toEqual([name('block:3-0@-1')])
    // It is no call, so nothing takes it back; the snapshot that the commit made is without it.
    expect([ctx.undo(), contents(ctx, '@t0')]).toEqual([false, []])
    expect(contents(ctx, 'preview')).toEqual(['ping'])
    expect(returnsIn(ctx, 6)).toEqual([5, 7, 9])
  })

  test('keeps the zone, and the offset only where the caller named one (D17, D28)', () => {
    for (const [header, expected] of [
      [{ zone: 'pre' }, 'block:2-0@-1'],
      [{ zone: 'pre', offset: -6 }, 'block:2-0@-6'],
      [{ zone: 'post' }, 'block:2-0@1'],
      [{ offset: 8 }, 'block:2-0@8'],
      [{ zone: 'core' }, 'cont:2-0@0[block:2-1@0]'],
      [{ zone: 'core', offset: 5 }, 'cont:2-0@0[block:2-1@5]'],
      [{ zone: 'core', offset: -5 }, 'cont:2-0@0[block:2-1@-5]'],
    ] as const) {
      const ctx = fresh({ dialect })
      if (header.zone === 'post') ctx.post('moves the first one to 2')
      ctx.add('ping', { key: 'k', cad: 1, ...header })
      ctx.commit()
      expect(drawn(ctx, '^ah'), JSON.stringify(header)).toEqual([name(expected)])
    }
  })

  test('keeps an offset that a position of insert names, and none that a sentinel found (D19, D28)', () => {
    for (const [position, offset, expected] of [
      ['(d0, 7)', 7, 'block:2-0@7'],
      [{ parent: 'ah', offset: -4 }, -4, 'block:2-0@-4'],
      ['(d0, 0, 6)', 6, 'cont:2-0@0[block:2-1@6]'],
      ['(d0, end)', undefined, 'block:2-0@1'],
      ['(d0,)', undefined, 'block:2-0@-1'],
      ['(d0, 0, end)', undefined, 'cont:2-0@0[block:2-1@0]'],
    ] as const) {
      const ctx = fresh({ dialect })
      ctx.post('first', { offset: 3 })
      ctx.pre('first', { offset: -3 })
      ctx.user('first', { offset: 5 })
      ctx.insert({ content: 'ping', key: 'k', cad: 1 }, position)
      expect(ctx.snapshot('working').schedules[0]?.['offset'], JSON.stringify(position)).toBe(offset)
      ctx.commit()
      expect(drawn(ctx, '^ah'), JSON.stringify(position)).toEqual([name(expected)])
    }
  })

  test('puts several that are due in by key, each with its children (D28)', () => {
    const ctx = fresh({ dialect })
    ctx.post('z', { key: 'z', cad: 1 })
    const children = [
      { content: 'in', offset: 4 },
      { offset: 6, children: [{ content: 'deep', tags: ['t'] }] },
    ]
    ctx.add(undefined, { zone: 'post', key: 'B', cad: 1, children })
    ctx.post('a', { key: 'a', cad: 2 })
    ctx.commit()
    const box = 'cont:2-0@1[block:2-1@4 cont:2-2@6[block:2-3@0]]'
    expect(drawn(ctx, '^ah')).toEqual([box, 'block:2-4@2'].map(name))
    expect(ctx.node(name('block:2-3'))).toMatchObject({ content: 'deep', tags: ['t'], cycle: 2 })
    ctx.commit()
    expect(ctx.nodes('@working ^ah > *').map(({ key, cycle }) => [key, cycle])).toEqual([
      ['B', 3],
      ['a', 3],
      ['z', 3],
    ])
  })
})

describe('what ends a schedule and what does not (D28)', () => {
  const ping = (header: object = {}, options: ContextOptions = {}): Context => {
    const ctx = fresh(options)
    ctx.user('turn')
    ctx.commit()
    ctx.post('ping', { key: 'k', cad: 2, ...header })
    return ctx
  }

  test('expiry, pruning and demotion of its instances end nothing', () => {
    expect(returnsIn(ping({ ttl: 0 }), 6)).toEqual([4, 6, 8])
    const pruned = ping({}, { prune: { maxDepth: 1, protectSegments: 0 } })
    expect(returnsIn(pruned, 6)).toEqual([4, 6, 8])
    const demoted = ping()
    demoted.commit()
    demoted.commit()
    demoted.insert({ content: 'elsewhere', key: 'k' }, '(d1, end)')
    // The instance in the head was demoted to d2; a write outside the head changes no schedule.
    expect(demoted.coordinate('block:4-0')).toBe('(d2, 2)')
    expect(returnsIn(demoted, 4)).toEqual([6, 8])
  })

  test('moving, updating or replacing an instance in history ends nothing; replacing rewrites what will come (D46)', () => {
    const ctx = ping()
    ctx.commit()
    ctx.move('#k', '(d2, end)')
    ctx.replace('#k', { content: 'corrected' })
    ctx.update('#k', { ttl: 9, tags: ['x'] })
    expect(ctx.snapshot('working').schedules).toMatchObject([
      { key: 'k', first_cycle: 2, node: { content: 'corrected', ttl: null } },
    ])
    expect(returnsIn(ctx, 4)).toEqual([4, 6])
  })

  test.each<[where: string, prepare: (ctx: Context) => void, end: (ctx: Context) => unknown]>([
    ['in the head', () => {}, (ctx) => ctx.delete('#k')],
    ['in history', (ctx) => ctx.commit(), (ctx) => ctx.delete('#k')],
    ['in ^sys', (ctx) => ctx.system.add('x', { key: 'k' }), (ctx) => ctx.system.delete('#k')],
    [
      'inside a deleted container',
      (ctx) => ctx.move('#k', { parent: ctx.add(undefined, { zone: 'pre', children: [] }).id }),
      (ctx) => ctx.delete('d0 > .cont:pre'),
    ],
    ['with a whole segment', (ctx) => ctx.commit(), (ctx) => ctx.delete('d1')],
  ])('deleting an instance %s ends it, and undo restores it', (_where, prepare, end) => {
    const ctx = ping()
    prepare(ctx)
    const before = stateOf(ctx)
    end(ctx)
    expect(ctx.snapshot('working').schedules).toEqual([])
    ctx.undo()
    expect([stateOf(ctx), ctx.snapshot('working').schedules.length]).toEqual([before, 1])
    end(ctx)
    expect(returnsIn(ctx, 5)).toEqual([])
  })

  test.each<[call: string, write: (ctx: Context) => unknown]>([
    ['add', (ctx) => ctx.post('last', { key: 'k' })],
    ['insert', (ctx) => ctx.insert({ content: 'last', key: 'k' }, '(d0, end)')],
    ['put', (ctx) => ctx.put('k', 'last')],
    ['a child of add', (ctx) => ctx.add(undefined, { zone: 'pre', children: [{ content: 'last', key: 'k' }] })],
  ])('a newer write without cad ends it: %s', (_call, write) => {
    const ctx = ping()
    ctx.commit()
    write(ctx)
    expect(ctx.snapshot('working').schedules).toEqual([])
    expect(returnsIn(ctx, 5)).toEqual([])
  })

  test.each<[call: string, write: (ctx: Context) => unknown]>([
    ['add', (ctx) => ctx.post('new', { key: 'k', cad: 3 })],
    ['insert', (ctx) => ctx.insert({ content: 'new', key: 'k', cad: 3 }, '(d0, end)')],
    ['put', (ctx) => ctx.put('k', 'new', { cad: 3 })],
  ])('a newer write with cad replaces it and starts the count anew: %s', (_call, write) => {
    const ctx = ping()
    ctx.commit()
    write(ctx)
    // First cycle 3 now, every 3 cycles; the old one would have come in 4.
    expect(returnsIn(ctx, 8)).toEqual([6, 9])
    expect(ctx.first('#k @order=turn:desc')?.content).toBe('new')
  })

  test('replace and put at d0 take cad and the named offset from their target; put starts anew, replace goes on (D28, D46)', () => {
    for (const [first, write] of [
      [2, (ctx: Context) => ctx.replace('d0 #k', { content: 'new' })],
      [4, (ctx: Context) => ctx.replace("[id='block:4-0']", { content: 'new' })],
      [4, (ctx: Context) => ctx.put('k', 'new')],
    ] as const) {
      const ctx = ping({ offset: 7, ttl: 1 })
      ctx.commit()
      ctx.commit()
      write(ctx)
      expect(ctx.snapshot('working').schedules).toEqual([
        {
          key: 'k',
          cad: 2,
          first_cycle: first,
          zone: 'post',
          offset: 7,
          node: { nodeType: 'block', ttl: 1, priority: 0, content: 'new' },
        },
      ])
      ctx.commit()
      ctx.commit()
      expect(ctx.nodes('d0 #k').map(({ id, offset, content }) => [id, offset, content])).toEqual([
        ['block:6-0', 7, 'new'],
      ])
    }
  })

  test('takes no origin along: instances of a node that supersedes another name nobody', () => {
    const ctx = ping()
    ctx.commit()
    ctx.move('#k', '(d0, end)')
    const [node] = ctx.replace('#k', { role: 'tool', cad: 1 })
    expect(node).toMatchObject({ id: 'block:3-0', supersedes: 'block:2-0', cad: 1 })
    expect(ctx.snapshot('working').schedules[0]).toEqual({
      key: 'k',
      cad: 1,
      first_cycle: 2,
      zone: 'post',
      node: { nodeType: 'block', ttl: null, priority: 0, role: 'tool', content: 'ping' },
    })
    ctx.commit()
    expect(ctx.first('d0 #k')).toMatchObject({ id: 'block:4-0', role: 'tool', supersedes: undefined })
  })

  test('leaves an instance out where overlap forbids it, and goes on when it does not (D29)', () => {
    const ctx = ping()
    ctx.commit()
    ctx.system.add('above all', { key: 'k', ttl: 2 })
    // Cycle 4 opens while ^sys holds one, and no newer one may be below it; cycle 6 opens without it.
    expect(returnsIn(ctx, 5)).toEqual([6, 8])
    const rejecting = ping({}, { odi: 'reject' })
    expect(returnsIn(rejecting, 4)).toEqual([4, 6])
  })
})

describe('1,000 cycles (D28)', () => {
  test.each([
    [1, 1],
    [2, 3],
    [7, 0],
    [3, null],
  ])(
    'with cad %i and ttl %s nothing drifts: count, cycles, ids, zone, offset, and who is in which snapshot',
    (cad, ttl) => {
      const ctx = fresh()
      ctx.pre('ping', { key: 'k', cad, ttl, offset: -2 })
      const made: Node[] = []
      for (let cycle = 1; cycle <= 1000; cycle++) {
        const here = ctx.nodes('^ah > *')
        const isDue = (cycle - 1) % cad === 0
        expect(here.length).toBe(isDue ? 1 : 0)
        if (isDue) {
          expect(here[0]).toMatchObject({
            id: `block:${cycle}-0`,
            cycle,
            offset: -2,
            ttl,
            cad,
            key: 'k',
            content: 'ping',
            creationIndex: cycle === 1 ? 4 : 0,
          })
          made.push(here[0]!)
        }
        const snapshot = ctx.commit()
        // A ttl of N: in N snapshots from its cycle on.
        const live = made.filter((node) => ttl === null || node.cycle + ttl > cycle)
        if (ttl !== null || cycle % 100 === 0)
          expect(idsOf(snapshot.nodes('{ key="k" } @order=turn:asc'))).toEqual(idsOf(live))
      }
      expect(made.length).toBe(Math.floor(999 / cad) + 1)
      expect(ctx.snapshot().schedules).toMatchObject([{ key: 'k', cad, first_cycle: 1, zone: 'pre', offset: -2 }])
    },
  )

  test('costs memory by what changes, not by the size of the tree', () => {
    v8.setFlagsFromString('--expose-gc')
    const collect = vm.runInNewContext('gc') as () => void
    const heap = (): number => {
      collect()
      return process.memoryUsage().heapUsed
    }
    const ctx = fresh()
    for (let i = 0; i < 4000; i++) ctx.user(`block ${i}`)
    ctx.post('ping', { key: 'k', cad: 1, ttl: 1 })
    for (let i = 0; i < 50; i++) ctx.commit()
    const before = heap()
    for (let i = 0; i < 500; i++) ctx.commit()
    const perCycle = (heap() - before) / 500
    expect(ctx.count('.block')).toBe(4002)
    // One block, its core and its segment come with each cycle; even a list of pointers to the 4,000 others would be 32,000.
    expect(perCycle).toBeLessThan(12_000)
  })
})

describe('[sticky] and [ephemeral] (D22, D28)', () => {
  test('sticky is a cadence of 1 with a finite ttl, ephemeral a finite ttl of at most 1', () => {
    const ctx = fresh()
    ctx.post('sticky', { key: 'a', cad: 1, ttl: 1 })
    ctx.post('sticky, longer', { key: 'b', cad: 1, ttl: 3 })
    ctx.post('returns and stays', { key: 'c', cad: 1 })
    ctx.post('every other', { key: 'd', cad: 2, ttl: 1 })
    ctx.post('once', { ttl: 0 })
    ctx.post('stays')
    const found = (selector: string): unknown[] => ctx.nodes(selector).map(({ content }) => content)
    expect(found('.block [sticky]')).toEqual(['sticky', 'sticky, longer'])
    expect(found('.block [ephemeral]')).toEqual(['sticky', 'every other', 'once'])
    for (let i = 0; i < 5; i++) ctx.commit()
    // One instance of a in every snapshot, never two, whatever was not refreshed.
    for (const { cycle } of ctx.snapshots()) expect(ctx.count(`@c${cycle} .block { key="a" }`)).toBe(1)
    expect(found('d0 .block [sticky]')).toEqual(['sticky', 'sticky, longer'])
    expect(ctx.select('.block [cad=1]').length).toBeGreaterThan(ctx.select('.block [sticky]').length)
  })
})

describe('what is refused (D28)', () => {
  test.each<[what: string, run: (ctx: Context) => unknown]>([
    ['cad 0', (ctx) => ctx.post('x', { key: 'k', cad: 0 })],
    ['a negative cad', (ctx) => ctx.post('x', { key: 'k', cad: -1 })],
    ['half a cycle', (ctx) => ctx.post('x', { key: 'k', cad: 1.5 })],
    ['cad as text', (ctx) => ctx.post('x', { key: 'k', cad: '2' as never })],
    ['no number', (ctx) => ctx.put('k', 'x', { cad: Number.NaN })],
    ['cad beyond the integers', (ctx) => ctx.post('x', { key: 'k', cad: 2 ** 53 })],
    ['no key', (ctx) => ctx.post('x', { cad: 1 })],
    ['no key, inserted', (ctx) => ctx.insert({ content: 'x', cad: 1 }, { depth: 0 })],
    ['a child', (ctx) => ctx.add(undefined, { children: [{ content: 'x', key: 'k', cad: 1 }] })],
    ['^sys', (ctx) => ctx.system.add('x', { key: 'k', cad: 1 })],
    ['history', (ctx) => ctx.insert({ content: 'x', key: 'k', cad: 1 }, { depth: 1 })],
    ['context of a sealed segment', (ctx) => ctx.insert({ content: 'x', key: 'k', cad: 1 }, '(d2, end)')],
    ['a replacement in history', (ctx) => ctx.replace(byId('block:1-4'), { key: 'k', cad: 1 })],
    ['a bad cad in a replacement', (ctx) => ctx.replace(byId('block:1-4'), { cad: 0 })],
  ])('%s is E_CADENCE_INVALID and leaves no trace', (_what, run) => {
    const ctx = story()
    expectNoTrace(ctx, () => run(ctx), 'E_CADENCE_INVALID', { name: 'cad' })
    expect(ctx.snapshot('working').schedules).toEqual([])
  })

  test('a replacement in the head returns only if its node has a key, its own or the one it names', () => {
    const ctx = story()
    const { id } = ctx.post('x')
    expectNoTrace(ctx, () => ctx.replace(byId(id), { cad: 2 }), 'E_CADENCE_INVALID', { name: 'cad' })
    ctx.replace(byId(id), { cad: 2, key: 'k' })
    expect(ctx.snapshot('working').schedules).toMatchObject([{ key: 'k', cad: 2, first_cycle: 4, zone: 'post' }])
  })

  test('a commit that finds the id of a due instance in use fails whole, with the code of that fault', () => {
    let next = 0
    const ctx = createContext({ clock: clockOf(), ids: () => `n${next++ % 3}` })
    ctx.post('ping', { key: 'k', cad: 1 })
    const before = [stateOf(ctx), ctx.cycle, ctx.snapshots()]
    // n0 is the block, n1 the core, n2 the segment; the instance would be n0 again.
    expect(() => ctx.commit()).toThrow(expect.objectContaining({ code: 'E_ID_DUPLICATE' }))
    expect([stateOf(ctx), ctx.cycle, ctx.snapshots()]).toEqual(before)
  })

  test.each(['ids', 'clock'] as const)(
    'a commit whose %s throws while it puts a due instance in changes nothing, and works again later (D25)',
    (source) => {
      let isBroken = false
      let calls = 0
      const fail = <T>(value: T): T => {
        if (isBroken && ++calls === 3) throw new Error('no more')
        return value
      }
      const tick = clockOf()
      const made = { count: 0 }
      const ctx = createContext({
        clock: () => (source === 'clock' ? fail(tick()) : tick()),
        ids: ({ nodeType }) => (source === 'ids' ? fail(`${nodeType}/${made.count++}`) : `${nodeType}/${made.count++}`),
      })
      ctx.post('ping', { key: 'k', cad: 1 })
      const before = [stateOf(ctx), ctx.cycle, ctx.snapshots(), textOf(ctx.export('preview'))]
      // The commit makes a core and a segment; the third thing it asks for is the instance.
      isBroken = true
      expect(refusal(() => ctx.commit()).cause).toMatchObject({ message: 'no more' })
      expect([stateOf(ctx), ctx.cycle, ctx.snapshots(), textOf(ctx.export('preview'))]).toEqual(before)
      isBroken = false
      expect(ctx.commit().cycle).toBe(1)
      expect([ctx.cycle, contents(ctx), sealedHashes(ctx).length]).toEqual([2, ['ping', 'ping'], 1])
      expect(ctx.post('after').creationIndex).toBe(1)
    },
  )
})

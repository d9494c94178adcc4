// Ids, times and indexes of new nodes (D37): what a mint gives, what it refuses, and that a copy uses nothing up.

import { describe, expect, it, test } from 'vitest'

import { PactError } from '../errors/index.js'
import { Mint, type IdRequest, type MintCounters, type MintSources, type Stamp } from './mint.js'
import type { NamedClass } from './types.js'

const NOBODY = (): boolean => false

describe('default ids', () => {
  it('are <class name>:<cycle>-<n>, n counting every id of the cycle whatever its class (D37)', () => {
    const mint = mintOf({}, { cycle: 7 })
    expect((['block', 'cont', 'seg', 'block'] as const).map((name) => idOf(mint, name))).toEqual([
      'block:7-0',
      'cont:7-1',
      'seg:7-2',
      'block:7-3',
    ])
    expect(idOf(mint.nextCycle())).toBe('block:8-0')
  })

  it("use the edition's own names and the class, not the user type (D1, D37)", () => {
    const mint = mintOf({ dialect: '0.1' })
    expect((['block', 'cont', 'seg'] as const).map((name) => idOf(mint, name))).toEqual(['cb:1-0', 'mc:1-1', 'mt:1-2'])
    expect(stampOne(mintOf(), 'block', 'ex:note', NOBODY).id).toBe('block:1-0')
  })

  it('skip ids in use and never come back to a number (D37)', () => {
    const mint = mintOf()
    const taken = new Set(['block:1-0', 'block:1-1', 'block:1-3'])
    const ids = [1, 2, 3].map(() => stampOne(mint, 'block', 'block', (id) => taken.has(id)).id)
    expect(ids).toEqual(['block:1-2', 'block:1-4', 'block:1-5'])
    expect(idOf(mint)).toBe('block:1-6')
  })

  it("carry a fork's name (D37)", () => {
    expect(idOf(mintOf({ fork: 'f1' }, { cycle: 6 }))).toBe('block:f1:6-0')
    expect(idOf(mintOf({ fork: 'f1.f2' }, { cycle: 6 }), 'seg')).toBe('seg:f1.f2:6-0')
  })
})

describe('times and indexes', () => {
  const rows: readonly (readonly [clock: string, readings: bigint[], lastNs: bigint, given: bigint[]])[] = [
    ['that runs', [10n, 20n, 30n], 0n, [10n, 20n, 30n]],
    ['that stands still', [10n, 10n, 10n], 0n, [10n, 11n, 12n]],
    ['that goes back', [10n, 5n, 12n], 0n, [10n, 11n, 12n]],
    ['behind the tree', [1n, 2n, 101n], 100n, [101n, 102n, 103n]],
    ['before 1970 in a tree before 1970', [-5n, -9n, -3n], -10n, [-5n, -4n, -3n]],
    ['beyond 2^53', [2n ** 60n, 2n ** 60n, 2n ** 60n + 5n], 0n, [2n ** 60n, 2n ** 60n + 1n, 2n ** 60n + 5n]],
  ]
  test.each(rows)('a clock %s still gives rising times (02 §4.4, D37)', (_clock, readings, lastNs, given) => {
    const queue = [...readings]
    const mint = mintOf({ clock: () => queue.shift()! }, { lastNs })
    expect(readings.map(() => stampOne(mint, 'block', 'block', NOBODY).createdAtNs)).toEqual(given)
    expect(queue).toEqual([])
  })

  it('counts indexes up within a cycle and from 0 in the next, while time goes on (02 §4.4, N5)', () => {
    const mint = mintOf({}, { indexesGiven: 4 })
    expect([stampOne(mint, 'block', 'block', NOBODY), stampOne(mint, 'cont', 'cont', NOBODY)]).toEqual([
      { id: 'block:1-0', createdAtNs: 100n, creationIndex: 4, cycle: 1 },
      { id: 'cont:1-1', createdAtNs: 101n, creationIndex: 5, cycle: 1 },
    ])
    const next = stampOne(mint.nextCycle(), 'block', 'block', NOBODY)
    expect(next).toEqual({ id: 'block:2-0', createdAtNs: 102n, creationIndex: 0, cycle: 2 })
  })
})

describe("a caller's sources", () => {
  it('learn which node is to be named (API)', () => {
    const asked: IdRequest[] = []
    const mint = mintOf({ context: 'c', ids: (request) => `x${asked.push(request)}` }, { cycle: 3 })
    stampOne(mint, 'block', 'block:note', NOBODY)
    stampOne(mint, 'seg', 'seg', NOBODY)
    expect(asked).toEqual([
      { context: 'c', cycle: 3, index: 0, nodeType: 'block:note' },
      { context: 'c', cycle: 3, index: 1, nodeType: 'seg' },
    ])
  })

  const rows: readonly (readonly [why: string, sources: Partial<MintSources>, code: string, details: object])[] = [
    ['an id that is no string', { ids: (() => 5) as never }, 'E_CONTENT_INVALID', { name: 'ids' }],
    ['no id at all', { ids: (() => undefined) as never }, 'E_CONTENT_INVALID', { name: 'ids' }],
    ['an empty id', { ids: () => '' }, 'E_CONTENT_INVALID', { name: 'ids' }],
    ['an id that the tree holds', { ids: () => 'taken' }, 'E_ID_DUPLICATE', { id: 'taken' }],
    ['a time that is a number', { clock: (() => 5) as never }, 'E_CONTENT_INVALID', { name: 'clock' }],
    ['no time at all', { clock: (() => undefined) as never }, 'E_CONTENT_INVALID', { name: 'clock' }],
  ]
  test.each(rows)('are refused %s, and nothing counts as given (D37)', (_why, sources, code, details) => {
    const mint = mintOf(sources)
    const before = mint.counters
    const error = failure(() => stampOne(mint, 'block', 'block', (id) => id === 'taken'))
    expect([error.code, error.details]).toEqual([code, details])
    expect(mint.counters).toBe(before)
  })

  it('count nothing as given where the clock fails between two nodes (D37)', () => {
    let readings = 0
    const mint = mintOf({ clock: () => (++readings === 2 ? (5 as never) : 7n) })
    const before = mint.counters
    const requests = [
      { nodeClass: 'cont', nodeType: 'cont' },
      { nodeClass: 'block', nodeType: 'block' },
    ] as const
    expect(failure(() => mint.stamp(requests, { holds: NOBODY })).code).toBe('E_CONTENT_INVALID')
    expect(mint.counters).toBe(before)
  })

  it('read the clock only when all ids are found (D37)', () => {
    let readings = 0
    const mint = mintOf({ clock: () => BigInt(++readings), hasForeignIds: true })
    const requests = [
      { nodeClass: 'cont', nodeType: 'cont' },
      { nodeClass: 'block', nodeType: 'block' },
    ] as const
    const holds = (id: string): boolean => {
      if (id.startsWith('block')) throw new PactError('E_STORE', 'A page is damaged.')
      return false
    }
    expect(failure(() => mint.stamp(requests, { holds })).code).toBe('E_STORE')
    expect(readings).toBe(0)
  })

  it('may not name two nodes of one edit alike, though neither is in the tree yet (D37)', () => {
    let readings = 0
    const mint = mintOf({ ids: () => 'same', clock: () => BigInt(++readings) })
    const requests = [
      { nodeClass: 'cont', nodeType: 'cont' },
      { nodeClass: 'block', nodeType: 'block' },
    ] as const
    expect(failure(() => mint.stamp(requests, { holds: NOBODY })).code).toBe('E_ID_DUPLICATE')
    // The ids come first, so a bad one uses no reading up.
    expect(readings).toBe(0)
    // An id of an abandoned edit is free again.
    const given = mintOf({ ids: () => 'same' })
    expect([idOf(given.copy()), idOf(given.copy())]).toEqual(['same', 'same'])
  })
})

describe('copies', () => {
  it('use nothing up in the mint they came from (D37)', () => {
    const mint = mintOf()
    const copy = mint.copy()
    expect([idOf(copy), idOf(copy)]).toEqual(['block:1-0', 'block:1-1'])
    expect(mint.counters).toEqual({ cycle: 1, idsGiven: 0, indexesGiven: 0, lastNs: 0n })
    expect(idOf(mint)).toBe('block:1-0')
    expect(idOf(mint.copy())).toBe('block:1-1')
  })

  it('that are provisional ask neither clock nor id source (D5, N7)', () => {
    const never = (): never => {
      throw new Error('asked')
    }
    const mint = mintOf({ clock: never, ids: never }, { lastNs: 41n, idsGiven: 3 })
    const shown = mint.provisional()
    const first = stampOne(shown, 'seg', 'seg', (id) => id === 'seg:1-3')
    expect(first).toEqual({ id: 'seg:1-4', createdAtNs: 42n, creationIndex: 0, cycle: 1 })
    expect(stampOne(shown, 'cont', 'cont', NOBODY).createdAtNs).toBe(43n)
    expect(mint.counters.idsGiven).toBe(3)
  })
})

function mintOf(sources: Partial<MintSources> = {}, counters: Partial<MintCounters> = {}): Mint {
  let now = 100n
  return new Mint(
    {
      context: 'context',
      dialect: '1.0',
      clock: () => now++,
      ids: undefined,
      fork: '',
      hasForeignIds: true,
      ...sources,
    },
    { cycle: 1, idsGiven: 0, indexesGiven: 0, lastNs: 0n, ...counters },
  )
}

function idOf(mint: Mint, nodeClass: NamedClass = 'block'): string {
  return stampOne(mint, nodeClass, nodeClass, NOBODY).id
}

function failure(run: () => unknown): PactError {
  try {
    run()
  } catch (error) {
    if (PactError.is(error)) return error
    throw error
  }
  throw new Error('It was not refused.')
}

function stampOne(mint: Mint, nodeClass: NamedClass, nodeType: string, inUse: (id: string) => boolean): Stamp {
  return mint.stamp([{ nodeClass, nodeType }], { holds: inUse })[0]!
}

// The groups that pruning takes together (D27): by call id, split where an id recurs, and by the refs of a result.

import { describe, expect, test } from 'vitest'

import { clockOf } from '../../test/support/context.js'
import { createContext, type AddHeader } from '../index.js'

type Item = readonly [name: string, header?: AddHeader]

/** Commits a turn for each list and a last one, and returns what is pruned if this many nodes more than one must go. */
function pruned(turns: readonly (readonly Item[])[], more = 0): readonly unknown[] {
  const ctx = createContext({ clock: clockOf() })
  for (const turn of [...turns, [['newest']] as const]) {
    // Neither a turn nor its core may go with the last block.
    ctx.post('stays', { pinned: true })
    for (const [name, header] of turn) ctx.user(name, header)
    ctx.commit()
  }
  const maxNodes = ctx.count('@t0 *') - 1 - more
  const { receipt } = ctx.fork('@t0', { prune: { maxNodes } }).commit()
  return receipt.removed.map(({ id }) => ctx.node(id, '@t0')!.content)
}

const call = (id: unknown, header: AddHeader = {}): AddHeader => ({ kind: 'call', data_call_id: id, ...header })
const result = (id: unknown, header: AddHeader = {}): AddHeader => ({ kind: 'result', data_call_id: id, ...header })

describe('a group', () => {
  test('holds a call and its results, in whatever turns they stand', () => {
    expect(pruned([[['call', call('c')]], [['result', result('c')]]])).toEqual(['call', 'result'])
  })

  test('ends where its call id comes again with another call', () => {
    const twice: readonly (readonly Item[])[] = [
      [
        ['call 1', call('c')],
        ['result 1', result('c')],
      ],
      [
        ['call 2', call('c')],
        ['result 2', result('c')],
        ['result 2 again', result('c')],
      ],
    ]
    expect(pruned(twice)).toEqual(['call 1', 'result 1'])
    expect(pruned(twice, 1)).toEqual(['call 1', 'result 1'])
    expect(pruned(twice, 2)).toEqual(['call 1', 'result 1', 'call 2', 'result 2', 'result 2 again'])
  })

  test('sorts by its own members alone: a second call of the same id lends it no priority and no protection', () => {
    const [first, second] = [call('c'), call('c', { priority: 9 })]
    const between: Item = ['between', { priority: 5 }]
    expect(pruned([[['call 1', first]], [between], [['call 2', second]]])).toEqual(['call 1'])
    expect(pruned([[['call 1', first]], [['call 2', call('c', { pinned: true })]]])).toEqual(['call 1'])
  })

  test('is joined by a list of ids over several of them', () => {
    const turns: readonly (readonly Item[])[] = [
      [['calls', call(['c', 'd'])]],
      [['result c', result('c')]],
      [['result d', result('d')]],
    ]
    expect(pruned(turns)).toEqual(['calls', 'result c', 'result d'])
  })
})

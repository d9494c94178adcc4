import { expect, test } from 'vitest'

import { decodeSnapshot } from '../../codec/index.js'
import { createContext } from '../../index.js'
import { growTimeline } from '../../timeline/index.js'
import { Visits } from '../search/visits.js'
import { FlatTree } from './flat-tree.js'
import { kindChain, rowsThrough } from './kind-chain.js'
import type { KindSet } from './kinds.js'

const MANY = 400

test('a container of many that all pass is gone through once', () => {
  const ctx = createContext()
  const children = Array.from({ length: MANY }, (_, n) => ({
    nodeType: 'cont:in',
    children: [{ content: `block ${n}` }],
  }))
  ctx.add(undefined, { zone: 'post', nodeType: 'cont:in', children })
  ctx.commit()
  const { timeline } = growTimeline(decodeSnapshot(ctx.export('@t0'), '1.0'))
  const flat = FlatTree.of(timeline.treeAt(timeline.newest!)!)
  const rowsOf = (nodeType: string): readonly number[] =>
    flat.records.flatMap((record, row) => (record?.nodeType === nodeType ? [row] : []))
  const setOf = (row: number): KindSet => ({
    has: Uint8Array.from({ length: flat.kinds.size }, (_, code) => (code === flat.codeOf(row) ? 1 : 0)),
    isEmpty: false,
  })
  const [containers, blocks] = [rowsOf('cont:in'), rowsOf('block')]
  expect([containers.length, blocks.length]).toEqual([MANY + 1, MANY])
  const chain = kindChain([setOf(containers[0]!), setOf(blocks[0]!)], [false, false])
  let reads = 0
  const counted = new Proxy(containers, { get: (list, name) => (reads++, Reflect.get(list, name)) })
  expect(rowsThrough(flat, chain, 0, counted, Visits.unlimited())).toEqual(blocks)
  expect(reads).toBeLessThan(10 * flat.size)
})

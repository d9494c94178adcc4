// The first steps of most chains ask for nothing but the kind of a node: `^seq .seg > .cont[data_source='web']` does up to
// the container. Such a chain is asked of codes alone, each row being told what its parent and those above it have matched,
// a bit for each step. What it finds in a chunk is kept there, since the next question has it in it too.

import type { FlatTree } from './flat-tree.js'
import { ROOT, SEQ, type KindSet } from './kinds.js'
import type { Rows } from './match.js'

/** Which kinds each step takes, and whether among the children or all descendants of what the step before has matched. */
type Links = Readonly<{ sets: readonly KindSet[]; isChild: readonly boolean[] }>

/** With the state of `^seq`, which is the same in all parts of a tree. */
export type KindChain = Links & Readonly<{ isEmpty: boolean; atSeq: number }>

/** How many steps there may be: twice as many bits make one number. */
export const MAX_CHAIN = 15
const OWN = (1 << MAX_CHAIN) - 1
const NONE: Rows = Object.freeze([])

export function kindChain(sets: readonly KindSet[], isChild: readonly boolean[]): KindChain {
  const links = { sets, isChild }
  const isEmpty = sets.some((set) => set.isEmpty)
  return { sets, isChild, isEmpty, atSeq: stateOf(SEQ, links, stateOf(ROOT, links, 0)) }
}

/** All rows at the end of such a chain, in document order; of a part of a tree without virtual cores. */
export function rowsOfChain(flat: FlatTree, chain: KindChain): Rows {
  if (chain.isEmpty) return NONE
  const { parents, codes, size } = flat
  const last = lastBit(chain)
  const states = new Int32Array(size)
  const found: number[] = []
  for (let row = 0; row < size; row++) {
    const state = stateOf(codes[row]!, chain, row === 0 ? 0 : states[parents[row]!]!)
    states[row] = state
    if ((state & last) !== 0) found.push(row)
  }
  return found
}

/** Those of a few rows that are at its end. */
export function rowsInChain(flat: FlatTree, few: Rows, chain: KindChain): Rows {
  if (chain.isEmpty) return NONE
  const last = lastBit(chain)
  const found: number[] = []
  for (let i = 0; i < few.length; i++) if ((stateUpTo(flat, few[i]!, chain) & last) !== 0) found.push(few[i]!)
  return found.length === few.length ? few : found
}

function lastBit({ sets }: KindChain): number {
  return 1 << (sets.length - 1)
}

function stateUpTo(flat: FlatTree, row: number, chain: KindChain): number {
  if (row === flat.seqRow) return chain.atSeq
  return stateOf(flat.codes[row]!, chain, row === ROOT ? 0 : stateUpTo(flat, flat.parents[row]!, chain))
}

/** Which steps a row of a kind matches, and above these bits, which of them it or something above it does. */
function stateOf(code: number, { sets, isChild }: Links, parent: number): number {
  const above = parent >> MAX_CHAIN
  let own = 0
  for (let i = 0; i < sets.length; i++) {
    if (sets[i]!.has[code] !== 1) continue
    if (isReached(i, isChild[i]!, parent & OWN, above)) own |= 1 << i
  }
  return ((above | own) << MAX_CHAIN) | own
}

/** Whether a step may be asked of a node: what its parent, or something above it, has matched of the one before, a bit for each. */
export function isReached(step: number, isChild: boolean, parent: number, above: number): boolean {
  return step === 0 || ((isChild ? parent : above) & (1 << (step - 1))) !== 0
}

// The first steps of most chains ask for nothing but the kind of a node: `^seq .seg > .cont[data_source='web']` does up to
// the container. Such a chain is asked of codes alone, each row being told what its parent and those above it have matched,
// a bit for each step. What it finds in a chunk is kept there, since the next question has it in it too.

import type { FlatTree } from './flat-tree.js'
import { ROOT, SEQ, type KindSet } from './kinds.js'
import type { Visits } from '../search/visits.js'
import type { Rows } from './match.js'

/** Which kinds each step takes, and whether among the children or all descendants of what the step before has matched. */
type Links = Readonly<{ sets: readonly KindSet[]; isChild: readonly boolean[] }>

export type KindChain = Links &
  Readonly<{
    isEmpty: boolean
    /** By code, a bit for each step that takes it. */
    takes: Int32Array
    /** A bit for each step that leads on to children; the others lead on to all below. */
    toChildren: number
    /** The state of `^seq`, which is the same in all parts of a tree. */
    atSeq: number
  }>

/** How many steps there may be: twice as many bits make one number. */
export const MAX_CHAIN = 15
const NONE: Rows = Object.freeze([])

export function kindChain(sets: readonly KindSet[], isChild: readonly boolean[]): KindChain {
  const takes = Int32Array.from(sets[0]!.has, (_, code) =>
    sets.reduce((bits, { has }, i) => bits | (has[code]! << i), 0),
  )
  const toChildren = isChild.reduce((bits, is, i) => (is && i > 0 ? bits | (1 << (i - 1)) : bits), 0)
  const isEmpty = sets.some((set) => set.isEmpty)
  const chain = { sets, isChild, isEmpty, takes, toChildren, atSeq: 0 }
  chain.atSeq = stateOf(SEQ, chain, stateOf(ROOT, chain, 0))
  return chain
}

/** All rows at the end of such a chain, in document order; of a part of a tree without virtual cores. */
export function rowsOfChain(flat: FlatTree, chain: KindChain): Rows {
  if (chain.isEmpty) return NONE
  const { size } = flat
  const last = lastBit(chain)
  const states = new Int32Array(size)
  const found: number[] = []
  for (let row = 0; row < size; row++) {
    const state = stateOf(flat.codeOf(row), chain, row === ROOT ? 0 : states[flat.parentOf(row)]!)
    states[row] = state
    if ((state & last) !== 0) found.push(row)
  }
  return found
}

/** A chain with one step that asks for more than kinds, and the few rows that pass what else it asks. */
type Through = Readonly<{ flat: FlatTree; chain: KindChain; at: number; few: Rows; found: number[] }> & {
  /** Which of the few comes next: rows are come by in order. */
  next: number
}

/** All rows at the end of such a chain: the lines above the few are looked at, and what is below those that are right. */
export function rowsThrough(flat: FlatTree, chain: KindChain, at: number, few: Rows, budget: Visits): Rows {
  if (chain.isEmpty) return NONE
  const isEnd = at === chain.sets.length - 1
  const found: number[] = []
  const through: Through = { flat, chain, at, few, found, next: 0 }
  let looks = few.length * at
  let end = -1
  for (let i = 0; i < few.length; i++) {
    const row = few[i]!
    // What is below one of them has been looked at with it.
    if (row <= end) continue
    const state = stateUpTo(flat, row, chain)
    if ((state & (1 << at)) === 0) continue
    if (isEnd) found.push(row)
    else {
      end = flat.lastOf(row)
      looks += end - row
      addBelow(through, row, passedAt(state, at))
    }
  }
  budget.spend(looks)
  return isEnd && found.length === few.length ? few : found
}

function addBelow(through: Through, row: number, state: number): void {
  const { flat, chain, at, found } = through
  const end = flat.lastOf(row)
  const last = lastBit(chain)
  for (let child = row + 1; child <= end; child = flat.lastOf(child) + 1) {
    let own = stateOf(flat.codeOf(child), chain, state)
    // Right by its kind, but none of the few. That one above it is stays as it is.
    if ((own & (1 << at)) !== 0 && !isOneOfFew(through, child)) own &= ~(1 << at)
    if ((own & last) !== 0) found.push(child)
    if (flat.lastOf(child) > child) addBelow(through, child, own)
  }
}

function isOneOfFew(through: Through, row: number): boolean {
  const { few } = through
  while (few[through.next]! < row) through.next++
  return few[through.next] === row
}

/** The state of the first row on its line that passes a step: none above it does, nor has gone further. */
function passedAt(state: number, at: number): number {
  const own = state & ((2 << at) - 1)
  return ((((state >> MAX_CHAIN) & ((1 << at) - 1)) | own) << MAX_CHAIN) | own
}

function lastBit({ sets }: KindChain): number {
  return 1 << (sets.length - 1)
}

function stateUpTo(flat: FlatTree, row: number, chain: KindChain): number {
  if (row === flat.seqRow) return chain.atSeq
  return stateOf(flat.codeOf(row), chain, row === ROOT ? 0 : stateUpTo(flat, flat.parentOf(row), chain))
}

/** Which steps a row of a kind matches, and above these bits, which of them it or something above it does. */
function stateOf(code: number, { takes, toChildren }: KindChain, parent: number): number {
  const above = parent >> MAX_CHAIN
  const reached = (parent & toChildren) | (above & ~toChildren)
  const own = takes[code]! & ((reached << 1) | 1)
  return ((above | own) << MAX_CHAIN) | own
}

/** Whether a step may be asked of a node: what its parent, or something above it, has matched of the one before, a bit for each. */
export function isReached(step: number, isChild: boolean, parent: number, above: number): boolean {
  return step === 0 || ((isChild ? parent : above) & (1 << (step - 1))) !== 0
}

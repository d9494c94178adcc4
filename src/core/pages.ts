// A snapshot whose tree is stored in pages: each chunk of `^seq` is one page, named by its bytes, so that snapshots share pages as their
// trees share chunks. A link to a page also has the facts of the chunk that the tree needs without reading it.

import type { CheckpointSnapshot, ContextRecord } from './commit-record.js'
import type { PruningKey, SiblingKey } from './order.js'
import type { NodeRecord, Gone } from './record.js'

/** The facts of a chunk about everything below it. */
export type ChunkSums = Readonly<{
  /** The number of children. */
  size: number
  /** The number of nodes, descendants included. */
  count: number
  /** The number of these in the provider thread. */
  rendered: number
  /** The earliest cycle at whose commit something in the chunk has to be looked at. */
  due: number
  /** The number of nodes in the fullest child. */
  fullest: number
  /** The child that pruning whole children would take first. */
  firstItem: PruningKey | undefined
  /** The node at any depth that pruning would take first (D27). */
  firstInside: PruningKey | undefined
}>

/**
 * The names in a leaf: lists of hashes as text, see codec/name-hashes.ts. They can prove that a name is missing, never that it is
 * present.
 */
export type LeafNames = Readonly<{
  /** The ids of its nodes. */
  ids: string
  /** The ids that its nodes refer to. */
  refs: string
  /** The call ids that they carry. */
  calls: string
  /** The ids that they stand in for. */
  standIns: string
}>

/** A page, and the facts of its chunk that are known without reading it. */
export type PageLink = Readonly<{
  /** The first 16 bytes of the SHA-256 of its bytes, in hex. */
  key: string
  /** The number of levels below it; 0 for a leaf. */
  height: number
  sums: ChunkSums
  /** The place of the first child. */
  first: SiblingKey
  /** The lowest and the highest cycle that an id in it names (`block:12-3`); [-1, -1] where none does. */
  named: readonly [lowest: number, highest: number]
  /** The number of names, other than ids, in the lists of all leaves below. */
  ties: Readonly<Record<'refs' | 'calls' | 'standIns', number>>
  /** Only for a leaf. */
  names: LeafNames | undefined
}>

/** The content of the page of a leaf. */
export type LeafPage = Readonly<{
  /** Every node, parents before their children and siblings in order. */
  nodes: readonly NodeRecord[]
  /** The containers that hold nothing and have held something. */
  emptied: readonly string[]
}>

/** A snapshot as a checkpoint has it, with the children of `^seq` in pages. */
export type PagedSnapshot = Omit<CheckpointSnapshot, 'log'> &
  Readonly<{
    /** Undefined where `^seq` is empty. */
    seq: PageLink | undefined
    /** The changes of its commit: departures, and the ids of the other changed nodes; undefined if these are all nodes, in order. */
    log: readonly (Gone | string)[] | undefined
  }>

/** A checkpoint whose tree is in pages. */
export type Manifest = ContextRecord<PagedSnapshot>

// A snapshot whose tree lies in pages: each chunk of `^seq` is one, named by its bytes, so that snapshots share pages as
// their trees share chunks. Whoever names a page also tells what the tree has to know of the chunk without reading it.

import type { CheckpointSnapshot, ContextRecord } from './commit-record.js'
import type { PruningKey, SiblingKey } from './order.js'
import type { NodeRecord } from './record.js'
import type { Gone } from './version.js'

/** What a chunk of a tree knows of everything below it. */
export type ChunkSums = Readonly<{
  /** How many children there are. */
  size: number
  /** How many nodes there are, descendants included. */
  count: number
  /** How many of these the provider thread shows. */
  rendered: number
  /** The earliest cycle at whose commit something in here has to be looked at. */
  due: number
  /** How many nodes the fullest child holds. */
  fullest: number
  /** The child that pruning whole children would take first. */
  firstItem: PruningKey | undefined
  /** The node at any depth that pruning would take first (D27). */
  firstInside: PruningKey | undefined
}>

/** Which names a leaf has: lists of hashes as text, see codec/name-hashes.ts. They say no for sure, and never yes. */
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

/** A page, and what is known of its chunk without reading it. */
export type PageLink = Readonly<{
  /** The first 16 bytes of the SHA-256 of its bytes, in hex. */
  key: string
  /** How many levels lie below it; 0 for a leaf. */
  height: number
  sums: ChunkSums
  /** The place of the first child. */
  first: SiblingKey
  /** The lowest and the highest cycle that an id in it names (`block:12-3`); [-1, -1] where none does. */
  named: readonly [lowest: number, highest: number]
  /** How many names there are in the lists of all leaves below that are no ids. */
  ties: Readonly<Record<'refs' | 'calls' | 'standIns', number>>
  /** Of a leaf. */
  names: LeafNames | undefined
}>

/** What the page of a leaf holds. */
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
    /** What its commit changed: what left, and the ids of the rest; undefined where that is every node, in order. */
    log: readonly (Gone | string)[] | undefined
  }>

/** A checkpoint whose tree lies in pages. */
export type Manifest = ContextRecord<PagedSnapshot>

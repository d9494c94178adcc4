// What commands about trees and single nodes take and give.

import type { JsonObject, Lens, Life, ShownRow } from '../context/index.js'
import type { OfContext, Reading, RenderedFormat } from './answers.js'
import type { PageAsked } from './pages.js'

// The tree

export type TreeInput = OfContext &
  Readonly<{
    /** Whose tree: `@t0` by default, `preview` with operations. */
    at?: Lens | undefined
    /** What it is compared with: marks, and nodes that left. */
    from?: Lens | undefined
    /** Rows that are open or closed against what is usual: regions, the newest turn and turns with marks are open. */
    open?: readonly string[] | 'all' | undefined
    closed?: readonly string[] | undefined
    /** The first row that is wanted, from 0, and how many; 200 by default, at most 1000. */
    row?: number | undefined
    rows?: number | undefined
    /** A node whose row is to be told; what hides it is opened. */
    find?: string | undefined
    /** A selector, or a text that contents hold. */
    q?: string | undefined
    /** With `q`, only what matches, and the turns that hold it. */
    only?: boolean | undefined
    /** Whether nodes that left since `from` keep their place; they do by default. */
    ghosts?: boolean | undefined
  }> &
  Reading

/** A row as a context draws it. */
export type TreeRow = ShownRow
export type Tree = Readonly<{
  at: Readonly<{ lens: Lens; cycle: number }>
  from?: Readonly<{ lens: Lens; cycle: number }>
  /** How many rows there are. */
  total: number
  rows: readonly TreeRow[]
  /** With `from`: the rows that have a mark, the first 1000. */
  changed?: readonly number[]
  /** With `q`: how many nodes match, and their rows as far as they are in sight, the first 1000. */
  matches?: number
  matched?: readonly number[]
  /** With `find`: its row; absent where there is no such node. */
  found?: number
}>

// Nodes

export type NodeInput = OfContext &
  Readonly<{
    node: string
    at?: Lens | undefined
    for?: RenderedFormat | undefined
    /** Gives contents of more than 64 KB whole. */
    full?: boolean | undefined
  }> &
  Reading

/** A node in the documents' form, without the children, and where it stands. */
export type NodeAnswer = Readonly<{
  /** Where it is not there any more, as the newest earlier snapshot has it that is at hand. */
  node?: JsonObject
  /** The cycle of that snapshot; absent where the node is there. */
  shownAt?: number
  coordinate?: string
  /** Set where the content is cut: how many characters it has. */
  cut?: number
  explanation: JsonObject
  words: string
  life: Life
  /** Its bytes in the thread, or in the request of `for`. */
  place?: Readonly<{ item: number; start: number; end: number }>
  /** The call of a result, or the results of a call. */
  pair?: readonly string[]
}>

export type ExplainAnswer = Readonly<{ explanation: JsonObject; words: string }>

/** `limit` is how many names of each sort. */
export type NamesInput = OfContext & Readonly<{ at?: Lens | undefined }> & PageAsked & Reading
export type NameCount = Readonly<{ name: string; count: number; values?: readonly string[] }>
/** What nodes of a tree are called, the most frequent first, so many of each sort: for completion. */
export type Names = Readonly<{
  types: readonly NameCount[]
  keys: readonly NameCount[]
  tags: readonly NameCount[]
  roles: readonly NameCount[]
  kinds: readonly NameCount[]
  /** Attributes with some of their values. */
  attributes: readonly NameCount[]
  cursor?: string
}>

// A compiled selector: plain data that nothing writes to (test/laws/plans.test.ts), with all that can be said about it before
// there is a tree. Answers and memos are kept elsewhere (see ../memory and ../search).

import type { Dialect, NodeRecord } from '../../core/index.js'
import type { Control, Coordinate, DepthScope, NumberRange, TimePrefix } from '../../selector/index.js'
import type { View } from '../../timeline/index.js'

/** A selector ready to run on any view of one context. */
export type Plan = Readonly<{
  dialect: Dialect
  time: TimePrefix | undefined
  /** The alternatives between `??`. */
  choices: readonly Union[]
  optional: boolean
  controls: readonly Control[]
  /** The value of the last `@order`. */
  order: string | undefined
}>

/** The groups between commas. */
export type Union = Readonly<{
  groups: readonly Group[]
  /** Every group is local, or lasting: see `Traits`. */
  isLocal: boolean
  isLasting: boolean
}>

/** A chain of steps. */
export type Group = Readonly<{
  scope: DepthScope | undefined
  steps: readonly Step[]
  /** The last step asks for one key, so the same-key order holds (001 §3.5.2, D20). */
  isKeyed: boolean
  traits: Traits
}>

/** Facts about a group that hold on every tree; a unit is `^sys`, a segment, or `^ah`. */
export type Traits = Readonly<{
  /** Each unit can be searched by itself, and the results come in document order. */
  isLocal: boolean
  /** Local, and the results in a segment depend on that segment alone: not on its depth, nor on the cycle of the view. */
  isLasting: boolean
  /** The only depths that can hold a result; undefined for all. */
  depths: readonly NumberRange[] | undefined
  /** The only id that can be a result. */
  id: string | undefined
  /** The only step of the group, if it tests each node by itself. */
  plain: Step | undefined
}>

export type Step = Readonly<{
  reach: 'child' | 'descendant'
  /** Nodes that the step starts from instead of all nodes in reach. */
  source: Source | undefined
  /** The step takes children of a segment, of `^ah` or of `^sys` on one side (D13). */
  isZone: boolean
  /** The step may match a virtual core on the way (D12). */
  meetsVirtual: boolean
  /** The step can only match below segments or regions, by its class or zone. */
  isInner: boolean
  /** The tests before the first position is counted, also as one, and everything from there on. */
  tests: readonly Test[]
  passes: Predicate
  counting: readonly Narrowing[]
}>

export type Source =
  | Readonly<{ kind: 'coordinates'; coordinates: readonly Coordinate[] }>
  | Readonly<{ kind: 'choices'; choices: readonly Union[] }>

/** One condition: a test of each node, or a choice among siblings by position (D16). */
export type Narrowing = Test | Readonly<{ kind: 'nth'; n: number; fromEnd: boolean }>

/** A test of a node at its depth, as D10 counts. A virtual core is a place without a record (D12). */
export type Predicate = (record: NodeRecord | undefined, view: View, depth: number | undefined) => boolean

export type Test = Readonly<{
  kind: 'test'
  test: Predicate
  /** The test reads the record of the node, or also its place and the cycle of the view. */
  sees: 'record' | 'place'
  /** The one id, and the depths, that can pass. */
  id: string | undefined
  depths: readonly NumberRange[] | undefined
}>

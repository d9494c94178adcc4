// A compiled selector: plain data that nothing writes to (test/plans.test.ts), with everything that can be told about it
// before there is a tree. It is not frozen, which would take longer than making it. Whatever is found out by running it is
// kept elsewhere (see ../memory).

import type { Dialect, JsonValue } from '../../core/index.js'
import type { Control, Coordinate, DepthScope, NumberRange, TimePrefix } from '../../selector/index.js'
import type { View } from '../../timeline/index.js'
import type { NodeRecord } from '../../core/index.js'

/** A selector ready to run on any view of one context. */
export type Plan = Readonly<{
  dialect: Dialect
  time: TimePrefix | undefined
  /** What stands between `??`. */
  choices: readonly Union[]
  optional: boolean
  controls: readonly Control[]
  /** What the last `@order` asks for. */
  order: string | undefined
  /** Whether each of its choices is searched for unit by unit, in this order; and whether what it finds then lasts. */
  isSearched: boolean
  isLasting: boolean
  /** The one group, where there are no others. */
  only: Group | undefined
}>

/** What stands between commas. */
export type Union = Readonly<{
  groups: readonly Group[]
  /** Whether each of its groups is searched for, finds the same wherever a segment stands, or needs the whole tree. */
  isSearched: boolean
  isLasting: boolean
  isLocal: boolean
}>

/** A chain of steps. */
export type Group = Readonly<{
  scope: DepthScope | undefined
  steps: readonly Step[]
  /** The last step asks for one key, so the same-key order holds (001 §3.5.2, D20). */
  isKeyed: boolean
  traits: Traits
}>

/** What is known of a group; a unit is `^sys`, a segment, or `^ah`. */
export type Traits = Readonly<{
  /** Whether each unit can be asked by itself: nothing compares a unit with its siblings. */
  isLocal: boolean
  /** Whether it is then searched for unit by unit: it is local, and no coordinate or parenthesis says where to start. */
  isSearched: boolean
  /** Whether what is found in a segment depends on nothing but the segment. */
  isLasting: boolean
  /** The only depths that can hold a result; undefined for all. */
  depths: readonly NumberRange[] | undefined
  /** The depth of the one segment that can, where there is only one. */
  depth: number | undefined
  /** The only id that can be a result. */
  id: string | undefined
  /** All that is asked, if that is nothing but tests of each node by itself. */
  plain: readonly Test[] | undefined
  /** Whether every step asks nothing but such tests; and whether one before the last may meet a virtual core (D12). */
  isPlain: boolean
  leadsThroughCore: boolean
  /** The first step that asks for more than the kind of each node, or the last; 0 where no such steps come before it. */
  lead: number
  /** The last step behind it up to which all ask for kinds alone; itself where it asks for more than one other thing. */
  through: number
}>

export type Step = Readonly<{
  reach: 'child' | 'descendant'
  /** What the step starts from instead of all that is in reach. */
  source: Source | undefined
  /** Whether it takes children of a segment, of `^ah` or of `^sys` on one side (D13). */
  isZone: boolean
  /** Whether a virtual core may be met on the way (D12). */
  meetsVirtual: boolean
  /** Whether it can only match below segments or regions, by its class or zone. */
  isInner: boolean
  narrowings: readonly Narrowing[]
  /** The tests before anything is counted, those of the kind first; and all that comes from there on. */
  kindTests: readonly Test[]
  otherTests: readonly Test[]
  counting: readonly Narrowing[]
}>

export type Source =
  | Readonly<{ kind: 'coordinates'; coordinates: readonly Coordinate[] }>
  | Readonly<{ kind: 'choices'; choices: readonly Union[] }>

/** One condition: a test of each node, or a choice among siblings by position (D16). */
export type Narrowing = Test | Readonly<{ kind: 'nth'; n: number; fromEnd: boolean }>

/** What a test is asked about: a node at its depth, as D10 counts; a virtual core is a place without a node (D12). */
export type Spot = { record: NodeRecord | undefined; depth: number | undefined }

export type Predicate = (spot: Spot, view: View) => boolean

export type Test = Readonly<{
  kind: 'test'
  test: Predicate
  /** How much it looks at: what kind of node it is; the record; or also the place and the cycle. */
  sees: 'kind' | 'record' | 'place'
  /** The one id, and the depths, that can pass. */
  id: string | undefined
  depths: readonly NumberRange[] | undefined
  /** How columns tell what passes, or what may. */
  clue: Clue | undefined
}>

/** The names that keys and tags have among attributes; no attribute can be asked for by one of these. */
export const KEY = '#'
export const TAGS = '+'

export type Clue =
  /** Has such a value under this name, or none where that is accepted too. */
  | Readonly<{
      kind: 'attribute'
      name: string
      /** A hash of the name. */
      hash: number
      accepts: (value: JsonValue) => boolean
      acceptsNone: boolean
      /** What a value that is a text is compared with, where it is one text. */
      like: Like | undefined
    }>
  /** Has a number in this range, ends included; the age is counted back from the cycle of the view. */
  | Readonly<{ kind: 'number'; field: NumberField; low: number; high: number; isAge: boolean }>
  /** Has a content that is this text, is not, or holds it. */
  | Readonly<{ kind: 'text'; op: '=' | '!=' | '~'; text: string }>

/** A text with a hash of it, or with its sieve where it has to be contained. */
export type Like = Readonly<{ op: '=' | '!=' | '~'; text: string; hash: number }>

/** A number that stands in every record. */
export type NumberField = 'offset' | 'priority' | 'cycle' | 'creationIndex'

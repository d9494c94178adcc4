// A selector as written, in both dialects: aliases and sugar kept, no name resolved. Text ends here: the parser makes
// this tree, the formatter prints it, the compiler reads it. Every part an error may point at carries its span.

import type { Dialect, Region, Zone } from '../core/index.js'

/** The place of a part in the text: UTF-16 units, the end not included. */
export type Span = Readonly<{ start: number; end: number }>

export type Selector = Readonly<{
  dialect: Dialect
  /** Undefined where no time prefix is written. */
  time: TimePrefix | undefined
  /** `A ?? B ?? C`: the first that finds something. One entry where there is no `??`. */
  choices: readonly Union[]
  /** A trailing `?`: a mutation that matches nothing does nothing. */
  optional: boolean
  controls: readonly Control[]
  span: Span
}>

/** Groups between commas. */
export type Union = Readonly<{ groups: readonly Group[]; span: Span }>

/** A chain of steps, with the depths it is limited to. */
export type Group = Readonly<{ scope: DepthScope | undefined; steps: readonly Step[]; span: Span }>

/** `d1..d3` in front of a chain. Alone, or before `>`, it is a coordinate step instead. */
export type DepthScope = Readonly<{ from: number; to: number; span: Span }>

/** The first step of a group has reach `descendant`: it looks anywhere (in its scope). */
export type Step = Readonly<{ reach: 'child' | 'descendant'; conditions: readonly Condition[]; span: Span }>

/** One question put to one node, or, as the first condition of a step, the set that the step starts from. */
export type Condition = Readonly<{ span: Span }> &
  (
    | { kind: 'any' } //                                                          *
    | { kind: 'region'; region: Region | '^root'; written: string } //            ^ah  depth(0)  .sys
    | { kind: 'types'; names: readonly string[] } //                              .seg  .cb:summary  .log.entry
    | { kind: 'id'; id: string } //                                               #x in dialect 0.1
    | { kind: 'key'; key: string } //                                             #x, #'hero banner' in dialect 1.0
    | { kind: 'tag'; tag: string } //                                             +audit
    | { kind: 'fields'; form: FieldForm; tests: readonly FieldTest[] } //         [ttl<=1]  { a=1, b=2 }  (a=1 b=2)
    | { kind: 'zone'; zone: Zone } //                                             :pre  :core  :post
    | { kind: 'depth'; ranges: readonly NumberRange[] } //                        :depth(1)  :depth(1,2)  :depth(1-3)
    | { kind: 'first' } //                                                        :first
    | { kind: 'last' } //                                                         :last
    | { kind: 'nth'; n: number } //                                               :nth(2)
    | { kind: 'coordinate'; coordinate: Coordinate } //                           (d1, 0, 2)  d1 >  d1..3
    | { kind: 'coordinates'; coordinates: readonly Coordinate[] } //              ((d1,0),(d2,0,1))
    | { kind: 'group'; choices: readonly Union[] } //                             ( .seg .cont > .block )
  )

/** `(dK, o1, o2, …)`; `to` above `from` for a range of depths. */
export type Coordinate = Readonly<{ from: number; to: number; offsets: readonly number[]; span: Span }>

/** An inclusive range; `from` equals `to` for one number. */
export type NumberRange = Readonly<{ from: number; to: number; span: Span }>

/** The form of tests: `[…]`, `{…}`, or `(…)` right after a type. */
export type FieldForm = 'bracket' | 'brace' | 'paren'

export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>=' | '~' | 'in'

/** One test of an attribute. Without `op` it asks for its presence; `ephemeral` and `sticky` are then special. */
export type FieldTest = Readonly<{ name: string; op: Comparison | undefined; value: Literal | undefined; span: Span }>

/** A value as written; numbers keep their text, so that integers of any size compare exactly. */
export type Literal = Readonly<{ span: Span }> &
  (
    | { kind: 'number'; text: string }
    | { kind: 'string'; text: string }
    | { kind: 'word'; text: string }
    | { kind: 'null'; text: string }
    | { kind: 'list'; items: readonly Literal[] }
  )

/** `@limit=10`; unknown ones are kept. */
export type Control = Readonly<{ name: string; value: string | undefined; span: Span }>

export type TimePrefix = Readonly<{ span: Span }> &
  (
    | { kind: 'at'; at: TimePoint }
    | { kind: 'range'; from: TimePoint; to: TimePoint; written: 'range' | 'history'; operator: '..' | ':' }
    | { kind: 'all' } //                                                          @*
    | { kind: 'working' } //                                                      @working
    | { kind: 'preview' } //                                                      @preview
  )

/** `@t-3` is { kind: 't', value: -3 }, `@c12` { kind: 'c', value: 12 }, `@t-*` { kind: 'oldest' }. */
export type TimePoint = Readonly<{ kind: 't' | 'c'; value: number } | { kind: 'oldest' }>

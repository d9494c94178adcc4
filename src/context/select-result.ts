// The result type of `select`, as far as the compiler can infer it from the text: a range result for a selector with a range, a list of ids
// for any other. Only the time prefix decides, and it is the first thing in the text.

import type { RangeDiffLatestResult } from '../diff/index.js'

/** 'list' with `selectRangeReturnsDiff: false`, else 'diff'. */
export type RangeResults = 'diff' | 'list'

/**
 * The exact type for a literal selector, and for a template whose fixed start decides. For a text known only at run time it is a
 * union; use `'diffs' in result` to tell the two apart.
 */
export type SelectResult<S extends string, R extends RangeResults = 'diff'> = R extends 'list'
  ? readonly string[]
  : S extends S
    ? ResultOf<S, TimeOf<TrimStart<S>>>
    : never

type Either = RangeDiffLatestResult | readonly string[]

type ResultOf<S extends string, Time> = Time extends 'range'
  ? RangeResult<S>
  : Time extends 'tree'
    ? readonly string[]
    : Either

/** The kind of time prefix at the start of a text: a range, another tree, or `unknown` if it is known only at run time. */
type TimeOf<S extends string> = S extends `@history${string}`
  ? 'range'
  : S extends `@${'t' | 'c'}${infer Rest}`
    ? TimeOfPoint<Rest>
    : S extends `@${infer Rest}`
      ? TimeOfWord<Rest>
      : StartsOpen<S> extends true
        ? unknown
        : 'tree'

/** Behind an `@`: an inserted text could make it a range. */
type TimeOfWord<S extends string> =
  StartsOpen<S> extends true
    ? unknown
    : S extends `${infer First}${infer Rest}`
      ? First extends Space
        ? 'tree'
        : TimeOfWord<Rest>
      : 'tree'

/** Behind `@t` or `@c`: a sign and digits, or the star of `@t-*`. A number that is put in counts as its digits. */
type TimeOfPoint<S extends string> = S extends `-*${infer Rest}` ? TimeBehindPoint<Rest> : TimeOfNumber<S>

type TimeOfNumber<S extends string> = S extends `${infer First}${infer Rest}`
  ? First extends Space // the compiler takes a space for 0
    ? 'tree'
    : First extends '+' | '-' | `${number}` | `${bigint}`
      ? TimeOfNumber<Rest>
      : TimeBehindPoint<S>
  : TimeBehindPoint<S>

type TimeBehindPoint<S extends string> = S extends `..${string}` | `:${string}`
  ? 'range'
  : StartsOpen<S> extends true
    ? unknown
    : S extends `.${infer Rest}`
      ? StartsOpen<Rest> extends true
        ? unknown
        : 'tree'
      : 'tree'

/** True if the first part of a text is known only at run time. */
type StartsOpen<S extends string> = S extends `${infer First}${string}` ? IsHole<First> : S extends '' ? false : true

/** A part that is known only at run time: such a type is no property but an index. */
type IsHole<S extends string> = {} extends Record<S, 1> ? true : false

/** `@mode=union` asks for a flat list. Inside quotes the same letters mean nothing, so a text with quotes gives the union type. */
type RangeResult<S extends string> = S extends `${string}@mode=union${string}`
  ? S extends `${string}${'"' | "'"}${string}`
    ? Either
    : readonly string[]
  : IsHole<S> extends true
    ? HasOpenHole<S> extends true
      ? Either
      : RangeDiffLatestResult
    : RangeDiffLatestResult

/** True if a text can be inserted outside of brackets, where it could be `@mode=union`. */
type HasOpenHole<S extends string, Inside extends boolean = false> = S extends `${infer First}${infer Rest}`
  ? First extends '[' | '{' | '('
    ? HasOpenHole<Rest, true>
    : First extends ']' | '}' | ')'
      ? HasOpenHole<Rest>
      : Inside extends true
        ? HasOpenHole<Rest, true>
        : First extends `${number}` | `${bigint}`
          ? HasOpenHole<Rest>
          : IsHole<First> extends true
            ? true
            : HasOpenHole<Rest>
  : S extends ''
    ? false
    : Inside extends true
      ? false
      : IsHole<S>

type Space = ' ' | '\n' | '\t' | '\r' | '\f' | '\v'

type TrimStart<S extends string> = S extends `${Space}${infer Rest}` ? TrimStart<Rest> : S

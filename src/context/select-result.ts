// What `select` gives, as far as the compiler can tell from the text: a selector with a range gives a range result, any
// other a list of ids. Only the time prefix decides, and it is the first thing in the text.

import type { RangeDiffLatestResult } from '../diff/index.js'

/** Whether ranges give diffs or, with `selectRangeReturnsDiff: false`, flat lists. */
export type RangeResults = 'diff' | 'list'

/**
 * For a literal selector its result; also for a template whose fixed start decides. For a text known only at run time both,
 * told apart by `'diffs' in result`.
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

/** What a text starts with: a range, something else, or (`unknown`) a part that is known only at run time. */
type TimeOf<S extends string> = S extends `@history${string}`
  ? 'range'
  : S extends `@${'t' | 'c'}${infer Rest}`
    ? TimeOfPoint<Rest>
    : S extends `@${infer Rest}`
      ? TimeOfWord<Rest>
      : StartsOpen<S> extends true
        ? unknown
        : 'tree'

/** Behind an `@`: what is put into the word could make it a range. */
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
  ? First extends Space // which is as good as 0 to the compiler
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

/** Whether the first part of a text is known only at run time. */
type StartsOpen<S extends string> = S extends `${infer First}${string}` ? IsHole<First> : S extends '' ? false : true

/** A part that is known only at run time: such a type is no property but an index. */
type IsHole<S extends string> = {} extends Record<S, 1> ? true : false

/** `@mode=union` asks for a flat list; inside quotes the same letters mean nothing, so then nobody can tell. */
type RangeResult<S extends string> = S extends `${string}@mode=union${string}`
  ? S extends `${string}${'"' | "'"}${string}`
    ? Either
    : readonly string[]
  : IsHole<S> extends true
    ? HasOpenHole<S> extends true
      ? Either
      : RangeDiffLatestResult
    : RangeDiffLatestResult

/** Whether a text can be put in outside of brackets, where it could hold `@mode=union`. */
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

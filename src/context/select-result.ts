// What `select` gives, as far as the compiler can tell from the text: a selector with a range gives a range result, any
// other a list of ids. Only the time prefix decides, and it is the first thing in the text.

import type { RangeDiffLatestResult } from '../diff/index.js'

/** Whether ranges give diffs or, with `selectRangeReturnsDiff: false`, flat lists. */
export type RangeResults = 'diff' | 'list'

/** For a literal selector its result; for a text known only at run time both, told apart by `'diffs' in result`. */
export type SelectResult<S extends string, R extends RangeResults = 'diff'> = R extends 'list'
  ? readonly string[]
  : string extends S
    ? RangeDiffLatestResult | readonly string[]
    : S extends S
      ? IsRange<TrimStart<S>> extends true
        ? RangeResult<S>
        : readonly string[]
      : never

/** `@mode=union` asks for a flat list; inside quotes the same letters mean nothing, so then nobody can tell. */
type RangeResult<S extends string> = S extends `${string}@mode=union${string}`
  ? S extends `${string}${'"' | "'"}${string}`
    ? RangeDiffLatestResult | readonly string[]
    : readonly string[]
  : RangeDiffLatestResult

type IsRange<S extends string> = S extends `@history${string}`
  ? true
  : S extends `@${'t' | 'c'}${infer First}..${string}`
    ? IsPoint<First>
    : S extends `@${'t' | 'c'}${infer First}:${string}`
      ? IsPoint<First>
      : false

/** The end before the operator holds nothing but a number, or the star of `@t-*`. */
type IsPoint<S extends string> = S extends `${bigint}` | `+${bigint}` | '-*' ? true : false

type TrimStart<S extends string> = S extends `${' ' | '\n' | '\t' | '\r'}${infer Rest}` ? TrimStart<Rest> : S

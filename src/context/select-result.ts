// What `select` gives, as far as the compiler can tell from the text: a selector with a range gives a range result, any
// other a list of ids. Only the time prefix decides, and it is the first thing in the text.

import type { RangeDiffLatestResult } from '../diff/index.js'

/** Whether ranges give diffs or, with `selectRangeReturnsDiff: false`, flat lists. */
export type RangeResults = 'diff' | 'list'

/** For a literal selector its result; for a text known only at run time both, told apart by `'diffs' in result`. */
export type SelectResult<S extends string, R extends RangeResults = 'diff'> = R extends 'list'
  ? readonly string[]
  : S extends S
    ? IsPattern<S> extends true
      ? Either
      : IsRange<TrimStart<S>> extends true
        ? RangeResult<S>
        : readonly string[]
    : never

type Either = RangeDiffLatestResult | readonly string[]

/** `string`, or a template with a part that is known only at run time: such a type is no property but an index. */
type IsPattern<S extends string> = {} extends Record<S, 1> ? true : false

/** `@mode=union` asks for a flat list; inside quotes the same letters mean nothing, so then nobody can tell. */
type RangeResult<S extends string> = S extends `${string}@mode=union${string}`
  ? S extends `${string}${'"' | "'"}${string}`
    ? Either
    : readonly string[]
  : RangeDiffLatestResult

type IsRange<S extends string> = S extends `@history${string}`
  ? true
  : S extends `@${'t' | 'c'}${infer Rest}`
    ? true extends IsPointBefore<Rest, '..'> | IsPointBefore<Rest, ':'>
      ? true
      : false
    : false

/** Whether nothing but a number, or the star of `@t-*`, stands before the operator. */
type IsPointBefore<S extends string, Operator extends string> = S extends `${infer First}${Operator}${string}`
  ? First extends '-*'
    ? true
    : First extends `${'+' | '-'}${infer Digits}`
      ? IsDigits<Digits>
      : IsDigits<First>
  : false

type IsDigits<S extends string> = S extends `${Digit}${infer Rest}` ? (Rest extends '' ? true : IsDigits<Rest>) : false

type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9'

type TrimStart<S extends string> = S extends `${' ' | '\n' | '\t' | '\r' | '\f' | '\v'}${infer Rest}`
  ? TrimStart<Rest>
  : S

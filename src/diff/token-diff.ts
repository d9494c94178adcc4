// Changes token by token, for prose where one edited word is lost in a line of hundreds (D39).
//
// A hunk is one place of change: where it lies, counted in tokens from 0 on both sides, and the operations that lead
// through it in order, kept tokens included. Up to `context` kept tokens surround a change, and changes whose
// context touches share a hunk, as in the unified format. An operation carries the joined text of its tokens:
//
//   { olderStart: 2, olderCount: 3, newerStart: 2, newerCount: 3,
//     ops: [{ op: 'keep', text: ' ' }, { op: 'rep', from: 'cat', to: 'dog' }, { op: 'keep', text: ' ' }] }
//
// `keep` and `del` joined (with the `from` of each `rep`) are the older text of the hunk, `keep` and `ins` (with `to`)
// the newer. No two neighbours have the same `op`, and a deletion next to an insertion is always one `rep`.

import { clusterChanges, diffSequences, type Change, type Cluster, type Search } from './text-diff.js'
import { isWordPoint } from './word-table.js'

/** Splits text into pieces that joined are the text again. The name identifies the splitting of a count. */
export type Tokenizer = Readonly<{ name: string; split: (text: string) => readonly string[] }>

export type TokenHunk = Readonly<{
  olderStart: number
  olderCount: number
  newerStart: number
  newerCount: number
  ops: readonly TokenOp[]
}>

export type TokenOp =
  | Readonly<{ op: 'keep' | 'del' | 'ins'; text: string }>
  | Readonly<{ op: 'rep'; from: string; to: string }>

/** Words, runs of white space, and every other character alone, by Unicode 17.0 on every host. */
export const UNICODE_WORDS: Tokenizer = Object.freeze({ name: 'unicode-words', split: splitWords })

/** Finds the changes from the older tokens to the newer, with `context` kept tokens around them. */
export function diffTokens(
  older: readonly string[],
  newer: readonly string[],
  context: number,
  search: Search,
): readonly TokenHunk[] {
  const clusters = clusterChanges(diffSequences(older, newer, search), context, older.length)
  return Object.freeze(clusters.map((cluster) => hunkOf(cluster, older, newer)))
}

function hunkOf(cluster: Cluster, older: readonly string[], newer: readonly string[]): TokenHunk {
  const ops: TokenOp[] = []
  const keep = (start: number, end: number): void => {
    if (start < end) ops.push(Object.freeze({ op: 'keep', text: joinTokens(older, start, end) }))
  }
  let kept = cluster.olderStart
  for (const change of cluster.changes) {
    keep(kept, change.olderStart)
    ops.push(opOf(change, older, newer))
    kept = change.olderEnd
  }
  keep(kept, cluster.olderEnd)
  return Object.freeze({
    olderStart: cluster.olderStart,
    olderCount: cluster.olderEnd - cluster.olderStart,
    newerStart: cluster.newerStart,
    newerCount: cluster.newerEnd - cluster.newerStart,
    ops: Object.freeze(ops),
  })
}

function opOf(change: Change, older: readonly string[], newer: readonly string[]): TokenOp {
  const from = joinTokens(older, change.olderStart, change.olderEnd)
  const to = joinTokens(newer, change.newerStart, change.newerEnd)
  if (change.olderStart === change.olderEnd) return Object.freeze({ op: 'ins', text: to })
  if (change.newerStart === change.newerEnd) return Object.freeze({ op: 'del', text: from })
  return Object.freeze({ op: 'rep', from, to })
}

function joinTokens(tokens: readonly string[], start: number, end: number): string {
  return tokens.slice(start, end).join('')
}

// ---- Words

const OTHER = 0
const WORD = 1
const SPACE = 2

/** By hand: a pattern that repeats over one word of millions of letters overflows the stack of the regex engine. */
function splitWords(text: string): readonly string[] {
  const pieces: string[] = []
  const kinds = new Map<number, number>()
  let start = 0
  let open = OTHER
  let next = 0
  for (let i = 0; i < text.length; i = next) {
    const point = text.codePointAt(i)!
    next = i + (point > 0xffff ? 2 : 1)
    let kind = kinds.get(point)
    if (kind === undefined) kinds.set(point, (kind = kindOf(point)))
    if (i > start && (kind !== open || kind === OTHER)) {
      pieces.push(text.slice(start, i))
      start = i
    }
    open = kind
  }
  if (start < text.length) pieces.push(text.slice(start))
  return pieces
}

// The characters of `\s`, written out.
const SPACES = /^[\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]$/

function kindOf(point: number): number {
  if (point <= 0xffff && SPACES.test(String.fromCharCode(point))) return SPACE
  return isWordPoint(point) ? WORD : OTHER
}

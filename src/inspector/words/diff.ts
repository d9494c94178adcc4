// Line diff of two texts, with changed words marked in lines that were edited. JSON is indented first, since tools return it on one line.

import { diff } from 'fast-myers-diff'

export type Piece = Readonly<{ text: string; changed: boolean }>
/** One line of one side; `pad` fills in where only the other side has a line. */
export type Line = Readonly<{ kind: 'same' | 'old' | 'new' | 'pad'; pieces: readonly Piece[] }>
export type LinePair = readonly [old: Line, now: Line]

/** A run of items: equal on both sides, or the two versions. */
type Stretch = Readonly<
  { same: true; items: readonly string[] } | { same: false; old: readonly string[]; now: readonly string[] }
>

/** Words are marked if at least this share of them is unchanged. */
const KEPT_SHARE = 0.4
const PAD: Line = { kind: 'pad', pieces: [] }

/** Pairs the lines of two texts for a side-by-side view. */
export function pairLines(old: string, now: string): readonly LinePair[] {
  const [before, after] = indentedBoth(old, now)
  return stretches(before.split('\n'), after.split('\n')).flatMap((each) =>
    each.same ? each.items.map(sameLine) : changed(each),
  )
}

/** Both texts indented if both are JSON, else as they are. */
function indentedBoth(old: string, now: string): readonly [string, string] {
  const [before, after] = [indented(old), indented(now)]
  return before === undefined || after === undefined ? [old, now] : [before, after]
}

/** A text of JSON with one value per line; undefined for other texts. */
export function indented(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.stringify(JSON.parse(text), null, 1)
  } catch {
    return undefined
  }
}

/** Unchanged lines shown around a change. */
const AROUND = 3

export type Folded =
  /** A pair of lines; `isFirst` begins a difference. */
  | Readonly<{ pair: LinePair; isFirst: boolean }>
  /** Unchanged lines that are not shown, from an index on. */
  | Readonly<{ fold: number; from: number }>

/** Folds stretches of unchanged lines, but for those that the user opened. */
export function foldLines(pairs: readonly LinePair[], opened: ReadonlySet<number>): readonly Folded[] {
  const isSame = (i: number): boolean => pairs[i]?.[0].kind === 'same'
  const found: Folded[] = []
  for (let i = 0; i < pairs.length;) {
    let end = i
    while (end < pairs.length && isSame(end)) end++
    const [from, to] = [i === 0 ? 0 : i + AROUND, end === pairs.length ? end : end - AROUND]
    const isFolded = to - from > 1 && !opened.has(from)
    for (; i < end; i++) {
      if (isFolded && i >= from && i < to) {
        if (i === from) found.push({ fold: to - from, from })
      } else found.push({ pair: pairs[i]!, isFirst: false })
    }
    for (let isFirst = true; i < pairs.length && !isSame(i); i++, isFirst = false)
      found.push({ pair: pairs[i]!, isFirst })
  }
  return found
}

function sameLine(text: string): LinePair {
  const line: Line = { kind: 'same', pieces: [{ text, changed: false }] }
  return [line, line]
}

function changed({ old, now }: Readonly<{ old: readonly string[]; now: readonly string[] }>): LinePair[] {
  return Array.from({ length: Math.max(old.length, now.length) }, (_, i): LinePair => {
    const [left, right] = markWords(old[i] ?? '', now[i] ?? '')
    return [
      old[i] === undefined ? PAD : { kind: 'old', pieces: left },
      now[i] === undefined ? PAD : { kind: 'new', pieces: right },
    ]
  })
}

function markWords(old: string, now: string): readonly [readonly Piece[], readonly Piece[]] {
  const plain = [[{ text: old, changed: false }], [{ text: now, changed: false }]] as const
  if (old === '' || now === '') return plain
  const [before, after] = [wordsOf(old), wordsOf(now)]
  const parts = stretches(before, after)
  const kept = parts.reduce((sum, each) => sum + (each.same ? countWords(each.items) : 0), 0)
  if (kept < KEPT_SHARE * Math.max(countWords(before), countWords(after))) return plain
  const side = (of: 'old' | 'now'): Piece[] =>
    parts
      .map((each) => ({ text: (each.same ? each.items : each[of]).join(''), changed: !each.same }))
      .filter(({ text }) => text !== '')
  return [side('old'), side('now')]
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\s+|\w+|[^\w\s]/g) ?? []
}

function countWords(items: readonly string[]): number {
  return items.filter((each) => /\w/.test(each)).length
}

/** Comparisons of two items that one diff may cost: past them the rest counts as changed, so that no content blocks the page. */
const MOST_COMPARISONS = 4_000_000

function stretches(old: readonly string[], now: readonly string[]): readonly Stretch[] {
  const found: Stretch[] = []
  let [at, to, left] = [0, 0, MOST_COMPARISONS]
  const add = (fromOld: number, toOld: number, fromNow: number, toNow: number): void => {
    if (fromOld > at) found.push({ same: true, items: old.slice(at, fromOld) })
    if (toOld > fromOld || toNow > fromNow) {
      found.push({ same: false, old: old.slice(fromOld, toOld), now: now.slice(fromNow, toNow) })
    }
    ;[at, to] = [toOld, toNow]
  }
  const isEqual = (i: number, j: number): boolean => {
    if (--left < 0) throw new TooMany()
    return old[i] === now[j]
  }
  try {
    for (const change of diff(old, now, isEqual)) add(...change)
    add(old.length, old.length, now.length, now.length)
  } catch (error) {
    if (!(error instanceof TooMany)) throw error
    add(at, old.length, to, now.length)
  }
  return found
}

class TooMany extends Error {}

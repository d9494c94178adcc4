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
  const parts = joined(stretches(before, after))
  const kept = parts.reduce((sum, each) => sum + (each.same ? countWords(each.items) : 0), 0)
  if (kept < KEPT_SHARE * Math.max(countWords(before), countWords(after))) return plain
  const side = (of: 'old' | 'now'): Piece[] =>
    parts
      .map((each) => ({ text: (each.same ? each.items : each[of]).join(''), changed: !each.same }))
      .filter(({ text }) => text !== '')
  return [side('old'), side('now')]
}

/** Changes with only white space between them are one change. */
function joined(parts: readonly Stretch[]): readonly Stretch[] {
  const found: Stretch[] = []
  for (const [i, each] of parts.entries()) {
    const last = found.at(-1)
    const isGap = each.same && i + 1 < parts.length && each.items.every((item) => /^\s+$/.test(item))
    if (last === undefined || last.same || (each.same && !isGap)) found.push(each)
    else {
      const [old, now] = each.same ? [each.items, each.items] : [each.old, each.now]
      found[found.length - 1] = { same: false, old: [...last.old, ...old], now: [...last.now, ...now] }
    }
  }
  return found
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\s+|\w+|[^\w\s]/g) ?? []
}

function countWords(items: readonly string[]): number {
  return items.filter((each) => /\w/.test(each)).length
}

function stretches(old: readonly string[], now: readonly string[]): readonly Stretch[] {
  const found: Stretch[] = []
  let at = 0
  const same = (to: number): void => {
    if (to > at) found.push({ same: true, items: old.slice(at, to) })
  }
  for (const [fromOld, toOld, fromNow, toNow] of diff(old, now)) {
    same(fromOld)
    found.push({ same: false, old: old.slice(fromOld, toOld), now: now.slice(fromNow, toNow) })
    at = toOld
  }
  same(old.length)
  return found
}

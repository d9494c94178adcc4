// Line diff of two texts, with changed words marked in lines that were edited. Long texts are
// compared only between their common first and last lines, and past a bound as a whole, so that no content can block the page.

export type Piece = Readonly<{ text: string; changed: boolean }>
/** One line of one side; `pad` fills in where only the other side has a line. */
export type Line = Readonly<{ kind: 'same' | 'old' | 'new' | 'pad'; pieces: readonly Piece[] }>
export type LinePair = readonly [old: Line, now: Line]

/** A run of items: equal on both sides, or the two versions. */
type Stretch = Readonly<
  { same: true; items: readonly string[] } | { same: false; old: readonly string[]; now: readonly string[] }
>

/** Most cells of the comparison table. */
const MOST_CELLS = 400_000
/** Words are marked if at least this share of them is unchanged. */
const KEPT_SHARE = 0.4
const PAD: Line = { kind: 'pad', pieces: [] }

/** Pairs the lines of two texts for a side-by-side view. */
export function pairLines(old: string, now: string): readonly LinePair[] {
  return stretches(old.split('\n'), now.split('\n')).flatMap((each) =>
    each.same ? each.items.map(sameLine) : changed(each),
  )
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
  if (before.length * after.length > MOST_CELLS) return plain
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

function stretches(old: readonly string[], now: readonly string[]): readonly Stretch[] {
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  const most = Math.min(old.length, now.length) - start
  while (end < most && old[old.length - 1 - end] === now[now.length - 1 - end]) end++
  const middle = between(old.slice(start, old.length - end), now.slice(start, now.length - end))
  const outer = (items: readonly string[]): Stretch[] => (items.length > 0 ? [{ same: true, items }] : [])
  return [...outer(old.slice(0, start)), ...middle, ...outer(old.slice(old.length - end))]
}

/** The longest common subsequence, by dynamic programming. */
function between(old: readonly string[], now: readonly string[]): Stretch[] {
  if (old.length === 0 && now.length === 0) return []
  if (old.length === 0 || now.length === 0 || old.length * now.length > MOST_CELLS) return [{ same: false, old, now }]
  const width = now.length + 1
  const table = new Uint32Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const at = i * width + j
      table[at] = old[i] === now[j] ? table[at + width + 1]! + 1 : Math.max(table[at + width]!, table[at + 1]!)
    }
  }
  const found: Stretch[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    const fromOld = i
    while (i < old.length && j < now.length && old[i] === now[j]) [i, j] = [i + 1, j + 1]
    if (i > fromOld) found.push({ same: true, items: old.slice(fromOld, i) })
    const [leftOld, leftNow] = [i, j]
    while ((i < old.length || j < now.length) && !(i < old.length && j < now.length && old[i] === now[j])) {
      if (j < now.length && (i === old.length || table[i * width + j + 1]! > table[(i + 1) * width + j]!)) j++
      else i++
    }
    if (i > leftOld || j > leftNow) found.push({ same: false, old: old.slice(leftOld, i), now: now.slice(leftNow, j) })
  }
  return found
}

// Text by the columns that it takes on a terminal, which is not its length: tables that stay aligned, and lines that are cut.

import type { Span, Style, TextLine } from './terminal.js'

/** Only made when a line needs it, since it is slow to make. */
let graphemes: Intl.Segmenter | undefined

function clusters(text: string): Iterable<{ segment: string }> {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return graphemes.segment(text)
}

/** Counts the columns that a text takes. */
export function columnsOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  let sum = 0
  for (const { segment } of clusters(text)) sum += clusterColumns(segment)
  return sum
}

/** Cuts a text to a number of columns, with … for what is gone. */
export function clip(text: string, width: number): string {
  if (width === Infinity || columnsOf(text) <= width) return text
  let used = 0
  let kept = ''
  for (const { segment } of clusters(text)) {
    used += clusterColumns(segment)
    if (used > width - 1) break
    kept += segment
  }
  return width <= 0 ? '' : `${kept}…`
}

const PLAIN = /^[\x20-\x7e]*$/
const WIDE =
  /^(?:\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|[\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}])/u
const NARROW_PICTURE = /^[\x20-\u2fff]$/u
const MARK = /^\p{M}/u

function clusterColumns(cluster: string): number {
  if (MARK.test(cluster)) return 0
  return WIDE.test(cluster) && !NARROW_PICTURE.test(cluster) ? 2 : 1
}

export type Cell = Span | string
export type Column = Readonly<{ title: string; align?: 'right' }>

/** Rows under titles, each column as wide as it needs; what is beyond the width is cut. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number,
): readonly TextLine[] {
  const head = columns.map(({ title }): Span => ['dim', title])
  const all = [head, ...rows.map((row) => row.map(spanOf))]
  const widths = columns.map((_, i) => Math.max(...all.map((row) => columnsOf(row[i]?.[1] ?? ''))))
  return all.map((row) => {
    const cells = row.map(([style, text], i): readonly Span[] => {
      const blank: Span = ['plain', ' '.repeat(Math.max(0, (widths[i] ?? 0) - columnsOf(text)))]
      if (columns[i]?.align === 'right') return [blank, [style, text]]
      return i === columns.length - 1 ? [[style, text]] : [[style, text], blank]
    })
    const spans = cells.flatMap((cell, i) => (i === 0 ? cell : [['plain', '  '] satisfies Span, ...cell]))
    return clipLine(spans, width)
  })
}

/** Rows for programs: fields between tabs, and nothing else. */
export function tabbed(rows: readonly (readonly Cell[])[]): readonly TextLine[] {
  return rows.map((row) => [['plain', row.map((cell) => spanOf(cell)[1]).join('\t')]])
}

/** A painted line cut to a width. */
export function clipLine(line: TextLine, width: number): TextLine {
  if (width === Infinity) return line
  let left = width
  const kept: Span[] = []
  for (const [style, text] of line) {
    if (left <= 0) break
    const fits = clip(text, left)
    kept.push([style, fits])
    left -= fits === text ? columnsOf(text) : left
  }
  return kept
}

function spanOf(cell: Cell): Span {
  return typeof cell === 'string' ? ['plain' satisfies Style, cell] : cell
}

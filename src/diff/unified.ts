// The unified format of GNU diff, which `patch` and `git apply` read. A line ends with \n and nothing else: a \r before it
// belongs to the line, and a last line without \n differs from the same line with one.

import { quoteJson } from '../codec/index.js'
import { clusterChanges, diffSequences, MAX_ELEMENTS, type Cluster, type Search } from './text-diff.js'

export type NamedText = Readonly<{ name: string; text: string }>

/** Writes the changes from the older text to the newer, with `context` kept lines around them; undefined for too many lines. */
export function unifiedDiff(older: NamedText, newer: NamedText, context: number, search: Search): string | undefined {
  if (countLines(older.text) + countLines(newer.text) > MAX_ELEMENTS) {
    search.truncated = true
    return undefined
  }
  const [before, after] = [splitLines(older.text), splitLines(newer.text)]
  const clusters = clusterChanges(diffSequences(before, after, search), context, before.length)
  if (clusters.length === 0) return ''
  const head = `--- ${writeName(older.name)}\n+++ ${writeName(newer.name)}\n`
  return head + clusters.map((cluster) => writeHunk(cluster, before, after)).join('')
}

function countLines(text: string): number {
  let count = 0
  for (let start = 0; start < text.length; start = endOfLine(text, start)) count++
  return count
}

function splitLines(text: string): readonly string[] {
  const lines: string[] = []
  for (let start = 0; start < text.length; start = endOfLine(text, start)) {
    lines.push(text.slice(start, endOfLine(text, start)))
  }
  return lines
}

function endOfLine(text: string, start: number): number {
  return text.indexOf('\n', start) + 1 || text.length
}

/** A name that would break its line is quoted; a name that starts with a quote cannot be mistaken for it. */
function writeName(name: string): string {
  return name.startsWith('"') || Array.from(name).some(isControl) ? quoteJson(name) : name
}

function isControl(char: string): boolean {
  return char < ' ' || (char >= '\x7f' && char <= '\x9f')
}

function writeHunk(cluster: Cluster, before: readonly string[], after: readonly string[]): string {
  const older = writeRange(cluster.olderStart, cluster.olderEnd)
  const newer = writeRange(cluster.newerStart, cluster.newerEnd)
  const lines = [`@@ -${older} +${newer} @@\n`]
  const add = (mark: string, from: readonly string[], start: number, end: number): void => {
    for (let i = start; i < end; i++) lines.push(writeLine(mark, from[i]!))
  }
  let kept = cluster.olderStart
  for (const change of cluster.changes) {
    add(' ', before, kept, change.olderStart)
    add('-', before, change.olderStart, change.olderEnd)
    add('+', after, change.newerStart, change.newerEnd)
    kept = change.olderEnd
  }
  add(' ', before, kept, cluster.olderEnd)
  return lines.join('')
}

/** Lines count from 1, a single line needs no count, and an empty range names the line before it. */
function writeRange(start: number, end: number): string {
  const count = end - start
  return count === 1 ? `${start + 1}` : `${count === 0 ? start : start + 1},${count}`
}

function writeLine(mark: string, line: string): string {
  return line.endsWith('\n') ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`
}

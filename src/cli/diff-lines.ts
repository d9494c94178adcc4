// A detailed diff for people: nodes that came, left and changed, with reasons, and with contents if asked for.

import type { DetailedDiffAnswer } from '../api/index.js'
import { diffContent } from '../diff/index.js'
import { oneLine, type JsonObject, type JsonValue } from '../core/index.js'
import { count } from './given.js'
import { spelled, type Style, type TextLine } from './terminal.js'

export type DiffStyle = 'list' | 'stat' | 'content'

/** Characters of a content in a line. */
const PREVIEW = 80

export function diffLines(diff: DetailedDiffAnswer, style: DiffStyle): readonly TextLine[] {
  const { added, removed, changed } = diff
  const lines: TextLine[] = []
  const shown = <T extends { node: JsonObject }>(nodes: readonly T[]): readonly T[] =>
    nodes.filter(({ node }) => !isFrame(node))
  if (style !== 'stat') {
    for (const each of shown(removed)) lines.push(...nodeLines('-', each, style))
    for (const each of shown(added)) lines.push(...nodeLines('+', each, style))
    for (const change of changed) lines.push(...changeLines(change, style))
  } else lines.push(...causeLines(diff))
  const sums = [
    `${count(shown(added).length)} came`,
    `${count(shown(removed).length)} left`,
    `${count(changed.length)} changed`,
  ]
  lines.push([['dim', `${oneLine(diff.from.lens)} to ${oneLine(diff.to.lens)}: ${sums.join(', ')}`]])
  return lines
}

type Placed = DetailedDiffAnswer['added'][number]
type Changed = DetailedDiffAnswer['changed'][number]

/** Regions, segments and cores come and go with their nodes, and are not listed. */
function isFrame(node: JsonObject): boolean {
  const type = node['nodeType'] ?? node['node_type']
  if (typeof type !== 'string') return false
  const isBare = node['role'] === undefined && node['key'] === undefined && node['content'] === undefined
  return type.startsWith('^') || type === 'seg' || type === 'root' || (type === 'cont' && isBare)
}

function nodeLines(mark: '+' | '-', { id, cause, node }: Placed, style: DiffStyle): readonly TextLine[] {
  const painted: Style = mark === '+' ? 'good' : 'bad'
  const about = ['role', 'kind', 'key'].flatMap((name) => (node[name] === undefined ? [] : [oneLine(node[name])]))
  const { content } = node
  const head: TextLine = [
    [painted, `${mark} ${oneLine(id)}`],
    ['dim', ` ${[...about, `(${cause})`].join(' ')}`],
    ['plain', style === 'content' || content === undefined ? '' : `  ${oneLine(content, PREVIEW)}`],
  ]
  if (style !== 'content' || content === undefined) return [head]
  return [head, ...textLines(content).map((line): TextLine => [[painted, `  ${mark}${line}`]])]
}

function changeLines({ id, cause, fields, delta, content }: Changed, style: DiffStyle): readonly TextLine[] {
  const changes = fields.flatMap((field) => {
    const { from, to } = delta[field] ?? { from: null, to: null }
    return field === 'content' || field === 'content_hash' ? [] : [`${field} ${short(from)} → ${short(to)}`]
  })
  if (content !== undefined) changes.push('content')
  const head: TextLine = [
    ['warn', `~ ${oneLine(id)}`],
    ['dim', ` (${cause})`],
    ['plain', `  ${changes.join(', ')}`],
  ]
  if (style !== 'content' || content === undefined) return [head]
  const { diff } = diffContent(
    { id, label: 'b', content: content.to },
    { id, label: 'a', content: content.from },
    { mode: 'unified', contextLines: 3 },
  )
  // The first two lines name the sides, as the head does; a missing line break at the end is not shown.
  const lines = (diff ?? '').split('\n').slice(2, -1)
  return [head, ...lines.filter((line) => !line.startsWith('\\')).map(contentLine)]
}

function contentLine(line: string): TextLine {
  const style: Style = line.startsWith('+')
    ? 'good'
    : line.startsWith('-')
      ? 'bad'
      : line.startsWith('@')
        ? 'place'
        : 'plain'
  return [[style, `  ${line.slice(0, 1)}${spelled(line.slice(1))}`]]
}

function causeLines({ added, removed, changed }: DetailedDiffAnswer): readonly TextLine[] {
  const counts = new Map<string, number>()
  const add = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1)
  for (const { cause, node } of added) if (!isFrame(node)) add(`+ ${cause}`)
  for (const { cause, node } of removed) if (!isFrame(node)) add(`- ${cause}`)
  for (const { cause } of changed) add(`~ ${cause}`)
  const styles: Readonly<Record<string, Style>> = { '+': 'good', '-': 'bad', '~': 'warn' }
  return [...counts].map(([what, times]) => [[styles[what.slice(0, 1)] ?? 'plain', `${what} ${count(times)}`]])
}

function short(value: JsonValue): string {
  return oneLine(value, 40)
}

function textLines(content: JsonValue): readonly string[] {
  const text = typeof content === 'string' ? content : oneLine(content)
  return text.split(/\r?\n/).map(spelled)
}

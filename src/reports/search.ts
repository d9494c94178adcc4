// Words in the contents of nodes: in one tree, or in the versions that the commits of some cycles wrote. Case does not matter, and any
// white space matches any other.

import { defined, oneLine, wordsPattern, type JsonValue, type Lens, type NodeRecord } from '../core/index.js'
import { Gone, walkRecords, type View } from '../timeline/index.js'
import { toolOf } from './call-pair.js'
import type { ReportSource } from './source.js'

/** A node that has the words: where they are written, with the text around them, each part on one line. */
export type Hit = Readonly<{
  id: string
  before: string
  match: string
  after: string
  role?: string
  says?: string
  name?: string
  key?: string
  /** The cycle that wrote this text. */
  cycle: number
}>

/** Characters shown before and after the words. */
const BEFORE = 48
const AFTER = 120

export class WordSearch {
  readonly #pattern: RegExp

  constructor(words: string) {
    this.#pattern = wordsPattern(words)
  }

  /** The nodes of a tree that have the words, in document order. */
  *inTree({ trees }: ReportSource, lens: Lens): Generator<Hit, void, undefined> {
    const view = trees.of(lens)
    yield* this.#among(view, recordsOf(view))
  }

  /** The versions that the commit of a cycle wrote; without the cycle before it, all nodes of its tree. */
  *inCycle({ trees }: ReportSource, cycle: number, before: number | undefined): Generator<Hit, void, undefined> {
    if (before === undefined) {
      const view = trees.of(`@c${cycle}`)
      return yield* this.#among(view, recordsOf(view))
    }
    const [older, view] = trees.pair(`@c${before}`, `@c${cycle}`)
    yield* this.#among(view, view.changesFrom(older.cycle + 1))
  }

  *#among(view: View, versions: Iterable<NodeRecord | Gone>): Generator<Hit, void, undefined> {
    for (const version of versions) {
      if (version instanceof Gone) continue
      const text = textIn(version.content)
      const found = this.#pattern.exec(text)
      if (found === null) continue
      const end = found.index + found[0].length
      yield defined({
        id: version.id,
        before: withEdge(text, found.index),
        match: oneLine(found[0]),
        after: `${oneLine(`.${text.slice(end, end + AFTER)}`).slice(1)}${text.length > end + AFTER ? '…' : ''}`,
        role: version.role,
        says: version.kind,
        name: toolOf(view, version),
        key: version.rare?.key,
        cycle: version.born,
      })
    }
  }
}

/** The text before the words. A blank at its end is kept: `oneLine` would cut it. */
function withEdge(text: string, index: number): string {
  const start = Math.max(0, index - BEFORE)
  return `${start > 0 ? '…' : ''}${oneLine(`${text.slice(start, index)}.`).slice(0, -1)}`
}

function* recordsOf({ tree }: View): Generator<NodeRecord, void, undefined> {
  for (const region of tree.regions) yield* walkRecords(region)
}

/** All texts in a content, each on a line of its own; the names of fields are no text. */
function textIn(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content
  if (typeof content !== 'object' || content === null) return content === undefined ? '' : String(content)
  return Object.values(content).map(textIn).join('\n')
}

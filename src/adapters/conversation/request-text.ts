// The text of a request, as JSON.stringify writes it, in pieces. Those of the list are kept, so a request after a commit costs what the
// commit touched.

import type { Chunk } from '../../thread/index.js'
import { WrittenChunk, type Marks } from './marks.js'
import type { Piece } from './piece.js'
import type { PlainObject } from './plain-json.js'
import type { Rendered } from './rendering.js'

/** The request in pieces; joined they are its body. */
export function requestTexts(rendered: Rendered, list: string): readonly string[] {
  const texts = [headText(rendered, list)]
  if (rendered.instead === undefined)
    for (const piece of rendered.pieces) if (!piece.isEmpty) texts.push(piece.chunk.text)
  // No comma comes before the first message.
  if (texts.length > 1) texts[1] = texts[1]!.slice(1)
  texts.push(tailText(rendered))
  return Object.freeze(texts)
}

/** The same, with how long and whose each of them is. */
export function requestChunks(rendered: Rendered, list: string): readonly Chunk[] {
  const { after, instead, owners, pieces } = rendered
  const chunks: Chunk[] = [
    new WrittenChunk(headText(rendered, list), owners, (marks) => markHead(marks, rendered, list)),
  ]
  if (instead === undefined) addPieces(chunks, pieces)
  chunks.push(
    new WrittenChunk(tailText(rendered), owners, (marks) => {
      if (instead === undefined) marks.text(']')
      for (const key of Object.keys(after)) {
        marks.text(',')
        marks.entry(after, key)
      }
    }),
  )
  return chunks
}

function headText({ before, instead }: Rendered, list: string): string {
  let text = '{'
  for (const key of Object.keys(before)) text += `${entryText(before, key)},`
  return `${text}"${list}":${instead === undefined ? '[' : JSON.stringify(instead.text)}`
}

function tailText({ after, instead }: Rendered): string {
  let text = instead === undefined ? ']' : ''
  for (const key of Object.keys(after)) text += `,${entryText(after, key)}`
  return `${text}}`
}

function entryText(object: PlainObject, key: string): string {
  return `${JSON.stringify(key)}:${JSON.stringify(object[key])}`
}

function markHead(marks: Marks, { before, instead }: Rendered, list: string): void {
  marks.text('{')
  for (const key of Object.keys(before)) {
    marks.entry(before, key)
    marks.text(',')
  }
  marks.text(`"${list}":`)
  if (instead === undefined) marks.text('[')
  else marks.texts([instead])
}

function addPieces(chunks: Chunk[], pieces: readonly Piece[]): void {
  for (const piece of pieces) {
    if (!piece.isEmpty) chunks.push(chunks.length === 1 ? piece.asFirst : piece.chunk)
  }
}

// The common prefix of two renderings in chunks, against the same question put to their bytes at once.

import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { commonPrefix, rangesOf } from './common-prefix.js'
import type { Chunk, RenderedBytes } from './rendered-bytes.js'

/** Pieces of a list; one object for one piece, as renderings share them. */
const SHARED: readonly Chunk[] = ['"a"', '"b","c"', '"long text","d","e"', '"b"'].map(chunkOf)

const rendering = fc.array(fc.oneof(fc.nat(SHARED.length - 1), fc.constantFrom('"a"', '"x","b"', '"long tex!"')), {
  maxLength: 6,
})

test('is what comparing all bytes gives', () => {
  fc.assert(
    fc.property(rendering, rendering, (first, second) => {
      const [a, b] = [chunksOf(first), chunksOf(second)]
      const parting = commonPrefix(a, b)
      const [textA, textB] = [joinedText(a), joinedText(b)]
      let bytes = 0
      while (bytes < Math.min(textA.length, textB.length) && textA[bytes] === textB[bytes]) bytes++
      expect(parting.bytes).toBe(bytes)
      expect(parting.isWhole).toBe(bytes === textA.length)
      const [itemsA, itemsB] = [itemsIn(textA), itemsIn(textB)]
      const differs = itemsA.findIndex((item, i) => item !== itemsB[i])
      expect(parting.item).toBe(differs < 0 ? Math.min(itemsA.length, itemsB.length) : differs)
      expect(parting.earlier).toEqual(rangesOf(a).find(({ end }) => end > bytes))
      expect(parting.later).toEqual(rangesOf(b).find(({ end }) => end > bytes))
    }),
    { seed: Number(process.env['PACT_SEED'] ?? 9), numRuns: 2000 },
  )
})

test('does not look into chunks that both have', () => {
  const shared: Chunk = {
    ...chunkOf('"a"'),
    get text(): string {
      throw new Error('The text of a shared chunk was read.')
    },
  }
  expect(commonPrefix([shared, CLOSE], [shared, CLOSE])).toMatchObject({ bytes: 3, isWhole: true })
})

const COMMA: Chunk = { text: ',', byteLength: 1, ranges: [], items: [] }
const CLOSE: Chunk = { text: ']', byteLength: 1, ranges: [], items: [] }

function chunksOf(pieces: readonly (number | string)[]): RenderedBytes {
  const chunks = pieces.map((piece) => (typeof piece === 'number' ? SHARED[piece]! : chunkOf(piece)))
  return [...chunks.flatMap((chunk, i) => (i === 0 ? [chunk] : [COMMA, chunk])), CLOSE]
}

function chunkOf(text: string): Chunk {
  const items = itemsIn(text)
  const ranges = items.map((item) => ({ node: item, start: text.indexOf(item), end: text.indexOf(item) + item.length }))
  return { text, byteLength: text.length, ranges, items: ranges.map(({ start }) => start) }
}

function itemsIn(text: string): readonly string[] {
  return text === '' ? [] : text.split(',')
}

function joinedText(chunks: RenderedBytes): string {
  return chunks
    .slice(0, -1)
    .map(({ text }) => text)
    .join('')
}

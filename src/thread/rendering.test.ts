// A rendering by itself, with a renderer of its own: its pieces, its ranges and its places say the same.

import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { editedPrograms, editedRuns, playEdited } from '../../test/support/edited.js'
import type { NodeRecord } from '../core/index.js'
import { createContext } from '../index.js'
import { Draft, Timeline, View } from '../timeline/index.js'
import { growTimeline } from '../timeline/index.js'
import { decodeSnapshot } from '../codec/index.js'
import { rangesOf } from './common-prefix.js'
import { Rendering } from './rendering.js'

const item = ({ id, content }: NodeRecord, isSystem: boolean): string => {
  return `<${isSystem ? 'S' : ''}${id}|${JSON.stringify(content ?? null).length}>`
}

test('pieces, ranges and places agree in every tree, whatever was rendered before', () => {
  const rendering = new Rendering(item)
  fc.assert(
    fc.property(editedPrograms('1.0', 25), (program) => {
      const { contexts } = playEdited(program)
      for (const ctx of contexts) {
        for (const { cycle } of ctx.snapshots()) {
          const { timeline } = growTimeline(decodeSnapshot(ctx.export(`@c${cycle}`), undefined))
          expectAgreement(rendering, View.ofSnapshot(timeline, cycle))
        }
      }
    }),
    editedRuns(25),
  )
})

test('what two renderings share is the same chunk, also in the leaf that grows, so that nobody compares or counts it again', () => {
  const ctx = createContext()
  for (const turn of ['One?', 'Two?', 'Three?']) {
    ctx.user(turn)
    ctx.commit()
  }
  const { timeline } = growTimeline(decodeSnapshot(ctx.export(), undefined))
  const rendering = new Rendering(item)
  const chunks = rendering.bytes(View.ofSnapshot(timeline, 3))
  const again = rendering.bytes(View.ofSnapshot(timeline, 3))
  expect(chunks.filter(({ items }) => items.length > 0)).toHaveLength(3)
  expect(again.every((chunk, i) => chunk === chunks[i])).toBe(true)
})

test('a tree without items has no pieces', () => {
  const view = View.ofWorking(Draft.first(Timeline.empty(), emptyTree()))
  const rendering = new Rendering(item)
  expect([rendering.pieces(view), rangesOf(rendering.bytes(view))]).toEqual([[], []])
})

function emptyTree(): View['tree'] {
  const { timeline } = growTimeline(decodeSnapshot(createContext().commit().export(), undefined))
  return timeline.treeAt(1)!
}

function expectAgreement(rendering: Rendering, view: View): void {
  const text = `[${rendering.pieces(view).join(',')}]`
  const chunks = rendering.bytes(view)
  const ranges = rangesOf(chunks)
  expect(chunks.map((chunk) => chunk.text).join('')).toBe(text)
  expect(chunks.flatMap(({ items }) => items)).toHaveLength(ranges.length)
  expect(ranges.map(({ start, end }) => text.slice(start, end)).join(',')).toBe(text.slice(1, -1))
  for (const [index, { node, start, end }] of ranges.entries()) {
    const record = view.find(node)!
    expect(text.slice(start, end)).toBe(item(record, view.isInSystem(record)))
    expect(rendering.placeOf(view, record)).toEqual({ index, start, end })
  }
}

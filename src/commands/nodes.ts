// One node: what it says, why it is there, how it lived, and where in a request it stands.

import { otherHalf, renderedSource, type JsonObject, type Lens, type Node } from '../context/index.js'
import { RENDERED_FORMATS } from '../formats/index.js'
import type { ExplainAnswer, NodeAnswer, NodeInput } from './tree-answers.js'
import { checkInput, flagIn, lensIn, oneOf, READING, readingOf, textOf } from './check.js'
import type { Desk } from './desk.js'
import { rendererFor } from './formats.js'
import { jsonOf } from './json.js'
import { shownLens, withoutChildren } from './reads.js'
import type { OpenContext } from './trial.js'

/** Contents beyond so many characters come only when they are asked for. */
const LARGE = 64 * 1024

/** Headers, content, explanation, life and place of one node; also of one that is gone. */
export async function readNode(desk: Desk, input: NodeInput): Promise<NodeAnswer> {
  const given = checkInput(input, ['id', 'node', 'at', 'for', 'full', ...READING])
  const node = textOf(given, 'node')
  const reading = readingOf(given)
  const format = oneOf(given, 'for', RENDERED_FORMATS)
  const to = format === 'thread' ? undefined : await rendererFor(format)
  const isFull = flagIn(given, 'full') ?? false
  return desk.read(textOf(given, 'id'), reading, (ctx): NodeAnswer => {
    const at = lensIn(given, 'at') ?? shownLens(ctx, reading.operations !== undefined)
    const explanation = ctx.explain(node, at)
    const life = ctx.life(node)
    const found = ctx.node(node, at)
    const earlier = found === undefined ? lastSeen(ctx, node, at, life.runs) : undefined
    const shown = found ?? earlier?.node
    const entry = found === undefined ? undefined : placeOf(ctx, node, at, to)
    const pair = found === undefined ? [] : otherHalf(ctx, node, at)
    return {
      ...(shown === undefined ? {} : nodeJson(shown, isFull)),
      ...(earlier === undefined ? {} : { shownAt: earlier.cycle }),
      ...(found === undefined ? {} : { coordinate: ctx.coordinate(node, at) }),
      explanation: jsonOf(explanation),
      words: String(explanation),
      life,
      ...(entry === undefined ? {} : { place: entry }),
      ...(pair.length === 0 ? {} : { pair }),
    }
  })
}

type Run = Readonly<{ from: number; to: number }>

/** A node that is gone, in the newest snapshot before the asked one that holds it. */
function lastSeen(
  ctx: OpenContext,
  id: string,
  at: Lens,
  runs: readonly Run[],
): Readonly<{ node: Node; cycle: number }> | undefined {
  const { cycle: asked } = ctx.snapshot(at)
  const run = runs.findLast(({ from }) => from <= asked)
  if (run === undefined) return undefined
  const cycle = Math.min(run.to, asked)
  const node = ctx.node(id, `@c${cycle}`)
  return node && { node, cycle }
}

function nodeJson(node: Node, isFull: boolean): Readonly<{ node: JsonObject; cut?: number }> {
  const json = withoutChildren(node.toJSON())
  const { content } = json
  if (isFull || content === undefined) return { node: json }
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  if (text.length <= LARGE) return { node: json }
  return { node: { ...json, content: text.slice(0, LARGE) }, cut: text.length }
}

function placeOf(
  ctx: OpenContext,
  id: string,
  at: Lens,
  to: Awaited<ReturnType<typeof rendererFor>>,
): NodeAnswer['place'] {
  if (to === undefined) {
    const place = ctx.threadPlace(id, at)
    return place && { item: place.index, start: place.start, end: place.end }
  }
  const ranges = renderedSource(ctx, at, to).map.filter(({ node }) => node === id)
  const [first, last] = [ranges[0], ranges.at(-1)]
  return first && { item: first.item, start: first.start, end: last!.end }
}

/** Why a node is there and what will happen to it, as data and in words. */
export async function explainNode(desk: Desk, input: NodeInput): Promise<ExplainAnswer> {
  const given = checkInput(input, ['id', 'node', 'at', ...READING])
  const node = textOf(given, 'node')
  const reading = readingOf(given)
  return desk.read(textOf(given, 'id'), reading, (ctx) => {
    const explanation = ctx.explain(node, lensIn(given, 'at') ?? shownLens(ctx, reading.operations !== undefined))
    return { explanation: jsonOf(explanation), words: String(explanation) }
  })
}

// One node: its content, the reasons for its state, its life, and its place in a request.

import type { NodeAnswer } from '../api/index.js'
import { PactError } from '../errors/index.js'
import { otherHalf } from '../reports/index.js'
import { renderedSource, reportSource, sentLens } from '../context/index.js'
import { withoutBigints } from '../codec/index.js'
import type { JsonObject, Lens, Node } from '../core/index.js'
import { command } from './command.js'
import { rendererFor } from './formats.js'
import { jsonOf } from './json.js'
import { shownLens, withoutChildren } from './reads.js'
import type { OpenContext } from './pool.js'

/** Longer contents are cut, unless the whole is asked for. */
const LARGE = 64 * 1024

/** Headers, content, explanation, life and place of one node; also of one that is gone. */
export const readNode = command('node', async (pool, input) => {
  const { node, at, lens, for: format, full: isFull = false } = input
  const to = await rendererFor(format)
  return pool.read(input, (ctx): NodeAnswer => {
    const tree = at ?? lens ?? shownLens(ctx, input)
    const explanation = ctx.explain(node, tree)
    const found = ctx.node(node, tree)
    const life = lifeOf(ctx, node, found)
    const earlier = found === undefined ? lastSeen(ctx, node, tree, life.runs) : undefined
    const shown = found ?? earlier?.node
    const sent = tree === 'working' ? sentLens(ctx) : tree
    const entry = found === undefined ? undefined : placeOf(ctx, node, sent, to)
    const pair = found === undefined ? [] : otherHalf(reportSource(ctx), node, tree)
    return {
      ...(shown === undefined ? {} : nodeJson(shown, isFull)),
      ...(earlier === undefined ? {} : { shownAt: earlier.cycle }),
      ...(found === undefined ? {} : { coordinate: ctx.coordinate(node, tree) }),
      explanation: jsonOf(explanation),
      words: String(explanation),
      life,
      ...(entry === undefined ? {} : { place: entry }),
      ...(pair.length === 0 ? {} : { pair }),
    }
  })
})

/** The life of a node; of one that came and left while a cycle was open only what a call of that cycle tells. */
function lifeOf(ctx: OpenContext, id: string, found: Node | undefined): NodeAnswer['life'] {
  try {
    return ctx.life(id)
  } catch (error) {
    if (found === undefined || !PactError.is(error) || error.code !== 'E_NODE_NOT_FOUND') throw error
    const { cycle } = found
    return {
      runs: [],
      events: [
        { cycle, what: 'created' },
        { cycle, what: 'dropped' },
      ],
    }
  }
}

/** A node that is gone, in the newest snapshot before the asked one that holds it. */
function lastSeen(
  ctx: OpenContext,
  id: string,
  at: Lens,
  runs: NodeAnswer['life']['runs'],
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

/** The nodes that a compaction would take. */
export const planCompaction = command('compaction', (pool, input) =>
  pool.read(input, (ctx) => ctx.planCompaction({ keep: input.keep, prompt: input.prompt })),
)

/** The original content of a shed tool result, or of a node that a summary stands for. */
export const recallResult = command('recall', (pool, input) =>
  pool.read(input, (ctx) => ({ content: withoutBigints(ctx.recall(input.node)) })),
)

/** Why a node is in the tree and what will happen to it, as data and in words. */
export const explainNode = command('explain', (pool, input) =>
  pool.read(input, (ctx) => {
    const explanation = ctx.explain(input.node, input.at ?? input.lens ?? shownLens(ctx, input))
    return { explanation: jsonOf(explanation), words: String(explanation) }
  }),
)

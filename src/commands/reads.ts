// Reads of a context: selections, diffs, renderings, prefixes, tokens, bytes. With operations, of the state that they would give.

import { PactError, invalid } from '../errors/index.js'
import type { DiffAnswer, Reading, Selected } from '../api/index.js'
import { adviceOn, renderedSource, reportSource, sizedPrefix } from '../context/index.js'
import { shownAttribute, type JsonObject, type Lens } from '../core/index.js'
import { prefixApart, tokenMap, withoutMarks } from '../reports/index.js'
import { command } from './command.js'
import { rendererFor } from './formats.js'
import { jsonOf, plainOf } from './json.js'
import { withOther } from './other-context.js'
import type { ContextPool, OpenContext } from './pool.js'
import { placesInBody } from './sent-request.js'

/** Finds nodes by a selector; for a range of snapshots, the changes in it. E_SELECTOR_TOO_LARGE beyond the limits of the pool. */
export const selectNodes = command('select', async (pool, input) => {
  const { at, selector, nodes: withNodes = false } = input
  const { limits } = pool
  const most = limits === undefined ? Infinity : withNodes ? limits.nodes : limits.results
  const asked = input.options?.limit ?? Infinity
  // One more than allowed shows that there are more. The engine refuses a limit that is no number.
  const limit = typeof asked === 'number' && asked > most ? { limit: most + 1 } : {}
  const options = limits === undefined ? input.options : { ...boundedVisits(pool, input.options), ...limit }
  const selected = await pool.read(input, (ctx): Selected => {
    const source = at === undefined ? ctx : ctx.snapshot(at)
    const found: unknown = source.select(selector, options)
    if (!Array.isArray(found)) return { range: jsonOf(found as object) }
    const ids: readonly string[] = found
    const isWindowed = input.options?.skip !== undefined || input.options?.limit === 0
    const advice = ids.length > 0 || isWindowed ? '' : adviceOn(selector, ctx.dialect, at !== undefined)
    if (advice !== '') return { ids, count: 0, ...(withNodes ? { nodes: [] } : {}), advice }
    // An answer that is full says how many there are.
    const isFull = typeof asked === 'number' && ids.length === asked && asked > 0
    const total = isFull ? { total: source.count(selector, { ...options, limit: Infinity }) } : {}
    if (!withNodes) return { ids, count: ids.length, ...total }
    const nodes = source.nodes(selector, options).map((node) => withoutChildren(node.toJSON()))
    return { ids, count: ids.length, ...total, nodes }
  })
  if (!('ids' in selected) || selected.ids.length <= most) return selected
  const message = `More than ${most} nodes match; ask for fewer with options.limit, and for the others with options.skip.`
  throw new PactError('E_SELECTOR_TOO_LARGE', message, { limit: most })
})

/** Options whose selector visits no more nodes than the pool allows. The engine refuses a bound that is no number. */
function boundedVisits<T extends object>({ limits }: ContextPool, options: T | undefined): T | undefined {
  if (limits === undefined) return options
  const { maxVisits = limits.visits } = (options ?? {}) as { maxVisits?: unknown }
  if (typeof maxVisits !== 'number') return options
  return { ...options, maxVisits: Math.min(maxVisits, limits.visits) } as unknown as T
}

/** A node without its children, which have rows of their own, and without the originals that are kept with it. */
export function withoutChildren(node: JsonObject): JsonObject {
  const shown = Object.entries(node).flatMap(([name, value]) => {
    const said = name === 'children' ? undefined : shownAttribute(name, value)
    return said === undefined ? [] : [[name, said] as const]
  })
  return Object.fromEntries(shown)
}

/** The changes from one tree to another. */
export const diffSnapshots = command('diff', (pool, input) => {
  const { a, b, selector, detailed = false } = input
  const options = boundedVisits(pool, input.options)
  return pool.read(input, (ctx): DiffAnswer =>
    detailed ? plainOf(ctx.diffDetailed(a, b, selector, options)) : plainOf(ctx.diff(a, b, selector, options)),
  )
})

/** The request of a provider as exact bytes, with the node of every range. */
export const renderRequest = command('render', async (pool, input) => {
  const { for: format, lens, options } = input
  const to = await rendererFor(format)
  if (format === 'thread' && options !== undefined) throw invalid('options', 'A thread has no options.')
  return pool.read(input, (ctx) => {
    const source = renderedSource(ctx, lens, to, options)
    // Only options of the caller set marks: those of a call are in the bytes that were sent, which are another answer.
    const made = to?.(source.snapshot, options ?? withoutMarks(source.options), source.prompt)
    const isMarked = made !== undefined && made.breakpoints.length > 0
    const text = (made?.chunks ?? source.snapshot.threadChunks()).join('')
    const plain = isMarked ? to!(source.snapshot, withoutMarks(options), source.prompt) : undefined
    return {
      format,
      lens: source.lens,
      cycle: source.snapshot.cycle,
      text,
      tokens: source.tokens,
      repairs: (made?.repairs ?? []).map((repair) => jsonOf(repair)),
      sourceMap: plain === undefined ? source.map : placesInBody(source.map, plain, text),
      breakpoints: made?.breakpoints ?? [],
    }
  })
})

/** The common beginning of two renderings, and what ended it. */
export const readPrefix = command('prefix', async (pool, input) => {
  const to = await rendererFor(input.for)
  if (input.other !== undefined && input.other !== input.id) {
    const options = { for: to, options: input.options }
    return withOther(pool, input, input.other, (source, sides) => prefixApart(source, sides, options))
  }
  return pool.read(input, (ctx) => sizedPrefix(ctx, input.a, input.b, { for: to, options: input.options }))
})

/** The tokens of a tree or a request. */
export const readTokens = command('tokens', async (pool, input) => {
  const to = await rendererFor(input.for)
  return pool.read(input, (ctx) => {
    const lens = input.lens ?? shownLens(ctx, input)
    const only = input.select === undefined ? undefined : ctx.snapshot(lens).select(input.select)
    return ctx.tokens(lens, { by: input.by, for: to, only })
  })
})

/** The tokens of a tree in the order of its thread. */
export const readTokenMap = command('tokenMap', (pool, input) =>
  pool.read(input, (ctx) => tokenMap(reportSource(ctx), input.at ?? shownLens(ctx, input))),
)

/** The tree of a read that names none: the newest snapshot, or the one that operations would make. */
export function shownLens(ctx: OpenContext, { operations }: Reading): Lens {
  if (operations !== undefined) return 'preview'
  return ctx.cycle === 1 ? 'working' : '@t0'
}

/** Exactly the bytes of `export`. */
export const readExport = command('export', (pool, input) =>
  pool.read(input, (ctx) => ({ bytes: ctx.export(input.lens ?? shownLens(ctx, input)) })),
)

/** Exactly the bytes of `threadBytes`. */
export const readThread = command('thread', (pool, input) =>
  pool.read(input, (ctx) => ({ bytes: ctx.threadBytes(input.lens ?? shownLens(ctx, input)) })),
)

// Questions to a context whose older snapshots are not loaded, and whether all that a question is about is: then the answer
// has to be that of a context with everything; otherwise it may also be E_HISTORY_NOT_LOADED, and nothing else.

import { lintPlacement, PactError, type Context, type Lens } from 'pact-context'
import { toAnthropic } from 'pact-context/anthropic'
import { toOpenAIChat } from 'pact-context/openai'

import { ContextEdits } from '../../src/context/persistence.js'
import { Gone, type Timeline, type Version } from '../../src/timeline/index.js'
import { textOf, walk, walkExport, type ExportedNode } from './context.js'

/** A question, and whether everything it is about is loaded. `known` is as much of the right answer as ours can tell. */
export type Question = Readonly<{
  name: string
  isLoaded: boolean
  ask: (ctx: Context) => unknown
  known?: (right: unknown, ours: unknown) => unknown
}>

/** The loaded part: everything from the floor on, and single snapshots below it. */
export type Loaded = Readonly<{ floor: number; alone: ReadonlySet<number> }>

type Pick = (among: number) => number

/** All questions about what a context with everything, `full`, knows; of some kinds only a few, as `pick` draws them. */
export function* questions(full: Context, loaded: Loaded, pick: Pick): Generator<Question, void, undefined> {
  const { timeline } = ContextEdits.partsOf(full)
  const { bounds } = timeline
  yield { name: 'snapshots', isLoaded: true, ask: (ctx) => ctx.snapshots() }
  yield { name: 'toString', isLoaded: true, ask: (ctx) => [String(ctx).split('\n')[0], ctx.toJSON()] }
  yield { name: 'operations', isLoaded: true, ask: (ctx) => ctx.operations() }
  for (const lens of ['working', 'preview'] as const) yield* ofTree(lens, true)
  if (bounds === undefined) return
  const { first, newest } = bounds
  const { floor, alone } = loaded
  const isWhole = floor <= first
  const isThere = (cycle: number): boolean => cycle >= floor || cycle < first || alone.has(cycle)
  for (let cycle = first - 1; cycle <= newest + 1; cycle++) {
    yield* ofTree(`@c${cycle}`, isThere(cycle))
    yield {
      name: `@t lens of ${cycle}`,
      isLoaded: isThere(cycle),
      ask: (ctx) => ctx.snapshot(back(cycle, newest)).cycle,
    }
  }
  yield* ofSelectors(full, loaded, pick)
  yield* ofOriginals(full, isThere)
  yield { name: 'past', isLoaded: isWhole, ask: (ctx) => ctx.past }
  const cycles = Array.from({ length: newest - first + 1 }, (_, i) => first + i)
  const lenses = [...cycles.map((cycle): Lens => `@c${cycle}`), 'working', 'preview'] as const
  const isIn = (lens: Lens): boolean => !lens.startsWith('@c') || Number(lens.slice(2)) >= floor
  for (let i = 0; i < 12; i++) {
    const [a, b] = [lenses[pick(lenses.length)]!, lenses[pick(lenses.length)]!]
    // A diff is about both trees and what happened between them; that of one with itself about that one.
    const isBoth = a === b ? !a.startsWith('@c') || isThere(Number(a.slice(2))) : isIn(a) && isIn(b)
    yield { name: `diff ${a} ${b}`, isLoaded: isBoth, ask: (ctx) => ctx.diff(a, b, '.block, .cb') }
    yield { name: `diffDetailed ${a} ${b}`, isLoaded: isBoth, ask: (ctx) => ctx.diffDetailed(a, b) }
    yield { name: `prefix ${a} ${b}`, isLoaded: isBoth, ask: (ctx) => ctx.prefix(a, b) }
  }
  const last = 1 + pick(cycles.length + 2)
  const reaches = Math.max(first, newest - last) >= floor
  yield { name: `lintPlacement ${last}`, isLoaded: reaches, ask: (ctx) => lintPlacement(ctx, { last }) }
  yield* ofAttempts(full, isThere, loaded)
  yield* ofNodes(full, loaded, timeline, pick)
}

function back(cycle: number, newest: number): Lens {
  return cycle > newest ? (`@t+${cycle - newest}` as Lens) : `@t-${newest - cycle}`
}

/** A read of one tree needs that tree and nothing else. */
function* ofTree(lens: Lens, isLoaded: boolean): Generator<Question, void, undefined> {
  const asks: Readonly<Record<string, (ctx: Context) => unknown>> = {
    export: (ctx) => textOf(ctx.export(lens)),
    thread: (ctx) => textOf(ctx.threadBytes(lens)),
    reference: (ctx) => textOf(ctx.referenceBytes(lens)),
    json: (ctx) => ctx.snapshot(lens).toJSON(),
    receipt: (ctx) => ctx.snapshot(lens).receipt,
    tokens: (ctx) => ctx.tokens(lens),
    anthropic: (ctx) => textOf(toAnthropic(ctx, { lens }).bytes),
    openai: (ctx) => textOf(toOpenAIChat(ctx, { lens }).bytes),
    'kept snapshot': (ctx) => ctx.snapshot(lens).select('*'),
    node: (ctx) => [ctx.node('ah', lens)?.id, ctx.node('nobody', lens)],
  }
  for (const [name, ask] of Object.entries(asks)) yield { name: `${name} ${lens}`, isLoaded, ask }
  const repairs = (ctx: Context): unknown => toOpenAIChat(ctx, { lens }).repairs
  yield { name: `repairs ${lens}`, isLoaded, ask: repairs, known: knownRepairs }
}

type Repairs = readonly Readonly<{ cause?: string }>[]

/** Why something had to be repaired is said where a loaded snapshot tells, and then it is so (D48). */
function knownRepairs(right: unknown, ours: unknown): unknown {
  if (!Array.isArray(right) || !Array.isArray(ours)) return right
  return (right as Repairs).map(({ cause, ...repair }, i) => {
    return (ours as Repairs)[i]?.cause === undefined ? repair : { ...repair, cause }
  })
}

function* ofSelectors(full: Context, { floor, alone }: Loaded, pick: Pick): Generator<Question, void, undefined> {
  const { first, newest } = ContextEdits.partsOf(full).timeline.bounds!
  const block = full.dialect === '1.0' ? '.block' : '.cb'
  const isWhole = floor <= first
  const isThere = (cycle: number): boolean => cycle >= floor || alone.has(cycle)
  const isOldest = isThere(first)
  const everywhere: Readonly<Record<string, (ctx: Context) => unknown>> = {
    select: (ctx) => ctx.select(`@* ${block}`),
    count: (ctx) => ctx.count(`@* ${block}`),
    nodes: (ctx) => ctx.nodes(`@* ${block}`),
    first: (ctx) => ctx.first(`@* ${block}`),
    iterate: (ctx) => [...ctx.iterate(`@* ${block}`)],
    history: (ctx) => ctx.rangeDiffLatest(`@history ${block}`),
    'to the oldest': (ctx) => ctx.rangeDiffLatest(`@t0..@t-* ${block}`),
  }
  for (const [name, ask] of Object.entries(everywhere)) yield { name: `@* ${name}`, isLoaded: isWhole, ask }
  yield { name: '@t-*', isLoaded: isOldest, ask: (ctx) => ctx.select(`@t-* ${block}`) }
  for (let i = 0; i < 8; i++) {
    const [a, b] = [first - 1 + pick(newest - first + 3), first - 1 + pick(newest - first + 3)]
    const [low, high] = [Math.max(Math.min(a, b), first), Math.min(Math.max(a, b), newest)]
    // A range is about all its snapshots, and one that is cut by the caller about those that are left.
    const most = pick(4)
    const lowest = most === 0 ? low : Math.max(low, high - most + 1)
    const isLoaded = low > high || lowest >= floor || (lowest === high && isThere(high))
    const options = most === 0 ? {} : { maxSnapshots: most }
    const [from, to] = [Math.max(a, 0), Math.max(b, 0)]
    const name = `@c${from}..@c${to} ${most}`
    yield { name, isLoaded, ask: (ctx) => ctx.rangeDiffLatest(`@c${from}..@c${to} ${block}`, options) }
    const union = `@c${from}..@c${to} ${block} @mode=union`
    if (full.dialect === '1.0') yield { name: `${name} union`, isLoaded, ask: (ctx) => ctx.select(union, options) }
  }
  for (let cycle = first; cycle <= newest; cycle++) {
    yield { name: `select @c${cycle}`, isLoaded: isThere(cycle), ask: (ctx) => ctx.select(`@c${cycle} ${block}`) }
  }
}

/** A request is about the tree that it was made of, and about the snapshot it is a difference to. */
function* ofAttempts(
  full: Context,
  isThere: (cycle: number) => boolean,
  { floor }: Loaded,
): Generator<Question, void, undefined> {
  const { first } = ContextEdits.partsOf(full).timeline.bounds!
  yield { name: 'attempts', isLoaded: true, ask: (ctx) => ctx.attempts() }
  const records = full.attempts()
  for (const { attempt_id: id, base_cycle: base } of records) {
    const isLoaded = base === null || isThere(base)
    yield { name: `requestOf ${id}`, isLoaded, ask: (ctx) => textOf(ctx.requestOf(id, { for: toOpenAIChat })) }
  }
  const base = records.at(-1)?.base_cycle
  // Of what was sent before the first commit all snapshots tell what became of it.
  const isSince = base === undefined || (base ?? first) >= floor
  yield { name: 'prefix', isLoaded: isSince, ask: (ctx) => ctx.prefix() }
}

type Listed = Readonly<{ cycle: number; nodes: readonly Entry[] }>
type Entry = Readonly<{ id: string; of?: string; summary?: number; node?: unknown }>

/** The nodes that summaries of the working state cover; a node that travels needs no snapshot, another one its own. */
function* ofOriginals(full: Context, isThere: (cycle: number) => boolean): Generator<Question, void, undefined> {
  for (const node of walkExport(full.snapshot('working').root.toJSON() as ExportedNode)) {
    const { cycle, nodes } = (node['pact:compacted'] ?? { cycle: 0, nodes: [] }) as Listed
    for (const { id, of, node: travels } of nodes) {
      const own = of === undefined ? cycle : (nodes.find((each) => each.id === of)?.summary ?? cycle)
      const isLoaded = travels !== undefined || isThere(own)
      yield { name: `recall ${id}`, isLoaded, ask: (ctx) => ctx.recall(id) }
    }
  }
  yield { name: 'recall nobody', isLoaded: false, ask: (ctx) => ctx.recall('nobody') }
}

/** Every node that ever was, where it was and where it was not. */
function* ofNodes(
  full: Context,
  { floor, alone }: Loaded,
  timeline: Timeline,
  pick: Pick,
): Generator<Question, void, undefined> {
  const { first, newest } = timeline.bounds!
  const isWhole = floor <= first
  const { open } = ContextEdits.partsOf(full)
  const ids = new Set(['nobody', ...walk(full.snapshot('working').root).map(({ id }) => id)])
  for (let cycle = first; cycle <= newest; cycle++) {
    for (const { id } of walk(full.snapshot(`@c${cycle}`).root)) ids.add(id)
  }
  const root = full.snapshot().root.id
  const isImported = timeline.find(root, newest)!.by === 'import'
  const mayRecur = open.mint.sources.hasForeignIds
  /** Where a version of a node is the first one, that shows in it, and nothing older is needed. */
  const shows = (version: Version): boolean =>
    !(version instanceof Gone) && version.born === version.cycle && !(isImported && !BEGINS.test(version.by))
  /** True if the history tells how a node came and which edit changed it last. */
  const isTold = (start: Version | undefined): boolean => {
    for (let version = start; version !== undefined && !(version instanceof Gone);) {
      if (version.born <= floor && version.born > first) return shows(version)
      version = timeline.versionAt(version.id, version.born - 1)
    }
    return true
  }
  const lenses = ['working', `@c${newest}`, `@c${first + pick(newest - first + 1)}`] as const
  for (const id of ids) {
    for (const lens of lenses) {
      const cycle = lens === 'working' ? open.draft.cycle : Number(lens.slice(2))
      const version = lens === 'working' ? open.draft.versionOf(id) : timeline.versionAt(id, cycle)
      const isSeen = cycle >= floor || alone.has(cycle)
      const isKnown =
        version instanceof Gone
          ? cycle >= floor && version.born > floor && isTold(timeline.versionAt(id, version.born - 1))
          : version !== undefined && isTold(version)
      const ask = (ctx: Context): unknown => ctx.explain(id, lens)
      yield { name: `explain ${id} ${lens}`, isLoaded: isWhole || (isSeen && isKnown), ask }
    }
    const own = [...versionsOf(id, open.draft.versionOf(id), timeline)]
    const oldest = own.at(-1)
    // A node from below the floor that came back may have been there before, for all that is loaded.
    const isBack = oldest !== undefined && !(oldest instanceof Gone) && !oldest.isFirst && oldest.cycle < floor
    const isSince = oldest !== undefined && (oldest.born > floor || (oldest.born === floor && shows(oldest)))
    const isAlive = isSince && !isBack
    yield { name: `life ${id}`, isLoaded: isWhole || (!mayRecur && isAlive), ask: (ctx) => ctx.life(id) }
  }
}

const BEGINS = /^(?:user|assistant|tool|pre|post|(?:system\.)?(?:add|insert)|commit|cadence)$/

function* versionsOf(id: string, newest: Version | undefined, timeline: Timeline): Generator<Version, void, undefined> {
  for (let at = newest; at !== undefined; at = timeline.versionAt(id, at.born - 1)) yield at
}

/** The answer as data, or the error. */
export function answerOf(ask: () => unknown): unknown {
  try {
    return ask()
  } catch (error) {
    if (!PactError.is(error)) throw error
    const { code, details, message } = error
    return { code, details, message }
  }
}

export function isNotLoaded(answer: unknown): answer is { details: Record<string, unknown> } {
  return (answer as { code?: unknown } | undefined)?.code === 'E_HISTORY_NOT_LOADED'
}

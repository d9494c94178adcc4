// The playground without its page: a conversation in the real engine, the rows of its tree at a cycle, and answers to selectors. The completions and the
// words of errors are those of the inspector.

import { readConversation } from '../../src/commands/importing/read-conversation.js'
import { reportSource } from '../../src/context/index.js'
import {
  lintSelector,
  PactError,
  parseSelector,
  type Context,
  type Diagnostic,
  type Explanation,
  type JsonObject,
  type JsonValue,
  type Node,
  type Zone,
} from '../../src/index.js'
import { complete, type Completion } from '../../src/inspector/words/completions.js'
import { faultOf, fixed, isUnfinished, type Fault } from '../../src/inspector/words/selector.js'
import { namesIn } from '../../src/reports/index.js'

export { fixed, isUnfinished, type Completion, type Fault }

/** One line of the tree. */
export type Row = Readonly<{
  id: string
  /** From 1, for a region. */
  level: number
  what: 'region' | 'turn' | 'node'
  /** The role and kind, or the name of a region or turn. */
  label: string
  text: string
  zone: Zone | undefined
  key: string | undefined
  tags: readonly string[]
  ttl: number | null
  pinned: boolean
  /** Against the cycle before: `+` came, `~` changed. */
  mark: '' | '+' | '~'
}>

export type Change = Readonly<{ id: string; cause: string }>

/** What one commit did to the tree. */
export type Step = Readonly<{ came: number; changed: number; left: readonly Change[] }>

export type Block = Readonly<{
  newer: string
  older: string
  added: readonly string[]
  removed: readonly string[]
  changed: readonly string[]
}>

export type Answer =
  | Readonly<{ kind: 'none' }>
  | Readonly<{ kind: 'fault'; fault: Fault }>
  | Readonly<{ kind: 'nodes'; ids: readonly string[]; elsewhere: string | undefined; advice: readonly Advice[] }>
  | Readonly<{ kind: 'range'; blocks: readonly Block[]; advice: readonly Advice[] }>

export type Advice = Readonly<{ message: string; fixed: string | undefined }>

export type Details = Readonly<{
  sentences: readonly string[]
  coordinate: string | undefined
  facts: readonly (readonly [name: string, value: string])[]
  content: string | undefined
}>

/** A page has no time for more. */
const BOUNDS = { limit: 2_000, maxVisits: 2_000_000 }
const PREVIEW = 160
/** The same JSON gives the same nodes whenever a link is opened. */
export const NO_TIME = (): bigint => 0n
/** The time that a node has without a clock says nothing. */
const COUNTED = /, at \d+ ns on its clock/
const NAMES = { skip: 0, limit: 100 }

/** Reads JSON of the user's own: a request of any provider, a session of an agent, or an exported snapshot. */
export function contextOf(json: string): Context {
  let body: JsonValue
  try {
    body = JSON.parse(json) as JsonValue
  } catch (error) {
    throw new PactError('E_CONTENT_INVALID', `This is not JSON: ${(error as Error).message}.`, { name: 'body' })
  }
  return readConversation(body, { options: { clock: NO_TIME } }).context
}

export class Playground {
  readonly #context: Context
  /** The cycles that have a snapshot, oldest first. */
  readonly cycles: readonly number[]

  constructor(context: Context) {
    if (context.snapshots({ limit: 1 }).length === 0) context.commit()
    this.#context = context
    this.cycles = context
      .snapshots()
      .map(({ cycle }) => cycle)
      .toReversed()
  }

  get newest(): number {
    return this.cycles.at(-1)!
  }

  /** The cycle itself if it has a snapshot, else the newest. */
  cycleOr(cycle: number | undefined): number {
    return cycle !== undefined && this.cycles.includes(cycle) ? cycle : this.newest
  }

  rows(cycle: number): readonly Row[] {
    const before = this.#before(cycle)
    const { added = [], changed = [] } = before === undefined ? {} : this.#context.diff(`@c${before}`, `@c${cycle}`)
    const marks = new Map<string, '+' | '~'>()
    for (const { id } of changed) marks.set(id, '~')
    for (const id of added) marks.set(id, '+')
    const { root } = this.#context.snapshot(`@c${cycle}`)
    return root.children.flatMap((region) => rowsOf(region, 1, marks))
  }

  /** What the commit of a cycle did; undefined for the first there is. */
  step(cycle: number): Step | undefined {
    const before = this.#before(cycle)
    if (before === undefined) return undefined
    const { added, removed, changed } = this.#context.diffDetailed(`@c${before}`, `@c${cycle}`, '.block')
    return { came: added.length, changed: changed.length, left: removed.map(({ id, cause }) => ({ id, cause })) }
  }

  tokens(cycle: number): number {
    return this.#context.tokens(`@c${cycle}`).total
  }

  /** Answers a selector at a cycle; one with a time of its own is answered there. */
  ask(selector: string, cycle: number): Answer {
    const text = selector.trim()
    if (text === '') return { kind: 'none' }
    try {
      const { time } = parseSelector(text)
      const advice = adviceOn(text)
      if (time === undefined) {
        const ids = this.#context.snapshot(`@c${cycle}`).select(text, BOUNDS)
        return { kind: 'nodes', ids, elsewhere: undefined, advice }
      }
      const found = this.#context.select(text, BOUNDS)
      if ('diffs' in found) {
        const blocks = found.diffs.map(({ from, to, added_ids, removed_ids, changed }) => ({
          newer: `@c${from.cycle}`,
          older: `@c${to.cycle}`,
          added: added_ids,
          removed: removed_ids,
          changed: changed.map(({ id }) => id),
        }))
        return { kind: 'range', blocks, advice }
      }
      return { kind: 'nodes', ids: found, elsewhere: text.slice(time.span.start, time.span.end).trim(), advice }
    } catch (error) {
      if (!PactError.is(error)) throw error
      return { kind: 'fault', fault: faultOf(error) }
    }
  }

  completions(text: string, at: number, cycle: number): readonly Completion[] {
    const { names } = namesIn(reportSource(this.#context), `@c${cycle}`, NAMES)
    return complete(text, at, names, `c${cycle}`)
  }

  /** Everything about a node at a cycle; undefined for an id that this context has never had. */
  details(id: string, cycle: number): Details | undefined {
    const lens = `@c${cycle}` as const
    let explanation: Explanation
    try {
      explanation = this.#context.explain(id, lens)
    } catch (error) {
      if (!PactError.is(error)) throw error
      return undefined
    }
    const snapshot = this.#context.snapshot(lens)
    const node = snapshot.node(id)
    return {
      sentences: explanation.sentences.map((each) => each.replace(COUNTED, '')),
      coordinate: node === undefined ? undefined : snapshot.coordinate(id),
      facts: node === undefined ? [] : factsOf(node),
      content: contentOf(node?.content),
    }
  }

  #before(cycle: number): number | undefined {
    return this.cycles[this.cycles.indexOf(cycle) - 1]
  }
}

const REGIONS: ReadonlyMap<string, string> = new Map([
  ['^sys', 'system'],
  ['^seq', 'history'],
  ['^ah', 'active head'],
])

const SEGMENT = 'seg'

/** A core has no row of its own: its nodes are those of the turn. */
function rowsOf(node: Node, level: number, marks: ReadonlyMap<string, '+' | '~'>, zone?: Zone): readonly Row[] {
  const { id, nodeType, role, kind, key, tags, ttl, pinned, content, cycle } = node
  const region = REGIONS.get(nodeType)
  const isTurn = nodeType === SEGMENT
  const isPlace = region !== undefined || isTurn
  const said = [nodeType === 'block' ? undefined : nodeType, role, kind].filter((each) => each !== undefined).join(' ')
  const row: Row = {
    id,
    level,
    what: isTurn ? 'turn' : isPlace ? 'region' : 'node',
    label: region ?? (isTurn ? `turn ${cycle}` : said === '' ? nodeType : said),
    text: isPlace ? '' : previewOf(content),
    zone: isPlace ? undefined : zone,
    key,
    tags,
    ttl,
    pinned,
    mark: marks.get(id) ?? '',
  }
  const inside = node.children.flatMap((child) => {
    if (isTurn && child.offset === 0) return child.children.flatMap((each) => rowsOf(each, level + 1, marks, 'core'))
    return rowsOf(child, level + 1, marks, isTurn ? zoneOf(child.offset) : zone)
  })
  return [row, ...inside]
}

function zoneOf(offset: number): Zone {
  return offset < 0 ? 'pre' : offset > 0 ? 'post' : 'core'
}

function lineOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
}

function contentOf(content: JsonValue | undefined): string | undefined {
  return content === undefined || typeof content === 'string' ? content : JSON.stringify(content, undefined, 2)
}

/** A call reads like one: `get_booking({"booking":"NW7K2Q"})`. */
function previewOf(content: JsonValue | undefined): string {
  const { name, arguments: given } = content !== null && typeof content === 'object' ? (content as JsonObject) : {}
  const whole = typeof name === 'string' && given !== undefined ? `${name}(${lineOf(given)})` : lineOf(content)
  const text = whole.replaceAll(/\s+/g, ' ').trim()
  return text.length > PREVIEW ? `${text.slice(0, PREVIEW)}…` : text
}

function factsOf(node: Node): readonly (readonly [string, string])[] {
  const { nodeType, role, kind, key, tags, ttl, cad, priority, offset, refs, attributes, cycle } = node
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['type', nodeType],
    ['role', role],
    ['kind', kind],
    ['key', key],
    ['tags', tags.length > 0 ? tags.join(', ') : undefined],
    ['made in cycle', String(cycle)],
    ['ttl', ttl === null ? undefined : String(ttl)],
    ['cad', cad === undefined ? undefined : String(cad)],
    ['priority', priority === 0 ? undefined : String(priority)],
    ['offset', String(offset)],
    ['refs', refs.length > 0 ? refs.join(', ') : undefined],
    ...Object.entries(attributes).map(([name, value]) => [name, contentOf(value)] as const),
  ]
  return facts.filter((fact): fact is readonly [string, string] => fact[1] !== undefined)
}

/** The linter's advice on a selector that can be read, each with the whole text as it would be. */
function adviceOn(text: string): readonly Advice[] {
  const { diagnostics, fixed: whole } = lintSelector(text)
  return diagnostics
    .filter(({ severity }) => severity !== 'error')
    .map((each) => ({ message: each.message, fixed: fixedBy(each, text) ?? whole }))
}

function fixedBy({ fix, start, end }: Diagnostic, text: string): string | undefined {
  return fix === undefined ? undefined : text.slice(0, start) + fix + text.slice(end)
}

// The common prefix of the request that was sent and the one that would be sent now, which a provider's prompt cache can reuse; with the
// node at the first difference and the change to it.

import { checkNames } from '../errors/index.js'
import { wasShed, type Dialect, type JsonValue, type NodeRecord } from '../core/index.js'
import { canonicalJson } from '../codec/index.js'
import {
  byteLengthOf,
  checkRenderer,
  commonPrefix,
  threadRendered,
  type Breakpoint,
  type CallPrompt,
  type Parting,
  type RenderedBytes,
  type RendersRequests,
  type SentCall,
} from '../thread/index.js'
import { eachRecord, leftSince, type View } from '../timeline/index.js'
import { ruleFor } from './place.js'
import { withoutMarks, type ReportSource } from './source.js'
import type { RenderedTokens } from './tree-tokens.js'

export type PrefixOptions = Readonly<{
  /** The function whose requests are compared, such as `toAnthropic`; without it, the provider-neutral threads. */
  for?: RendersRequests | undefined
  /** The options of that function; by default those of the attempt, if one is compared that this function made. */
  options?: object | undefined
}>

/** A tree to compare, and the call that sent it, if it is known. */
export type PrefixSide = Readonly<{ view: View; call?: SentCall | undefined }>

/** The common beginning of an earlier and a later rendering. */
export type Prefix = Readonly<{
  /** The number of equal bytes. */
  bytes: number
  /** The tokens of the prefix in the later rendering, and the tokens of all of it. */
  tokens: number
  total: number
  /** The tokens of the tools and the system text in the params, which are in no rendering and in no other figure; absent where no call is known that has any. */
  params?: ParamsTokens
  /** The first difference; absent where the later one only adds to the earlier one. */
  first?: FirstDifference
}>

/** Providers read the params first: all of them are shared, or none if they changed. */
export type ParamsTokens = Readonly<{
  /** Those that both calls have. */
  tokens: number
  /** Those of the later call. */
  total: number
  /** Those of the earlier call that cannot be reused. */
  lost: number
}>

export type FirstDifference = Readonly<{
  /** Its place in the later rendering, and which item of the list it is in: a message, a thread item. */
  byte: number
  item: number
  /** The node that it comes from; the root if the params of two attempts differ. */
  node: string
  /** The change to that node, in words. */
  cause: string
  /**
   * The tokens of the earlier rendering that cannot be reused: all from there on, or with cache marks (`options: { cache: true
   * }`) those between the last mark that still holds and the last mark.
   */
  lost: number
  /** The first cache mark of the earlier request that the difference comes before; absent where it comes before none. */
  breakpoint?: Breakpoint
}>

export type Render = (view: View, call?: SentCall) => RenderedBytes

/** A prefix, and how many bytes the two renderings have. A side without a call counts as sent by that of the other side. */
export function comparePrefix(
  { view: earlier, call: earlierCall }: PrefixSide,
  { view: later, call: laterCall = earlierCall }: PrefixSide,
  { dialect, tokens }: Pick<ReportSource, 'dialect' | 'tokens'>,
  options: PrefixOptions = {},
  /** Names the cause of a first difference; by default from the history of one context. */
  causeOf: (parting: Parting) => WhatHappened = (parting) => whatHappened(parting, earlier, later),
): Readonly<{ prefix: Prefix; sizes: Readonly<{ earlier: number; later: number }> }> {
  const render = rendererOf(options, dialect)
  const format = formatOf(options)
  const call = earlierCall ?? laterCall
  const before = render(earlier, call)
  const bytes = render(later, laterCall)
  const changed = changedPrompt(call, laterCall, options)
  const parting = changed === undefined ? commonPrefix(before, bytes) : AT_START
  const first = (): FirstDifference => {
    const cost = costOf(parting.bytes, breakpointsOf(earlier, options, call), (place) =>
      tokens.rendered(earlier, before, place, format),
    )
    const { bytes: byte, item } = parting
    const what = changed === undefined ? causeOf(parting) : atStart(changed, later)
    return Object.freeze({ byte, item, ...what, ...cost })
  }
  const prefix = Object.freeze({
    bytes: parting.bytes,
    ...tokens.rendered(later, bytes, parting.bytes, format),
    ...inParams(changed !== undefined, [callFor(options, call), callFor(options, laterCall)], (prompt) =>
      tokens.ofParams(later, prompt),
    ),
    ...(parting.isWhole ? {} : { first: first() }),
  })
  return { prefix, sizes: { earlier: byteLengthOf(before), later: byteLengthOf(bytes) } }
}

function inParams(
  isChanged: boolean,
  [earlier, later]: readonly [SentCall | undefined, SentCall | undefined],
  count: (prompt: CallPrompt | undefined) => number,
): Pick<Prefix, 'params'> {
  const [before, total] = [count(earlier?.prompt), count(later?.prompt)]
  if (before + total === 0) return {}
  const tokens = isChanged ? 0 : Math.min(before, total)
  return { params: Object.freeze({ tokens, total, lost: isChanged ? before : 0 }) }
}

/** Providers read tools and system texts first, so nothing is shared if those of two calls differ. */
const AT_START: Parting = { bytes: 0, item: 0, isWhole: false, earlier: undefined, later: undefined }

export type WhatHappened = Pick<FirstDifference, 'node' | 'cause'>

function atStart(cause: string, { tree }: View): WhatHappened {
  return { node: tree.root.id, cause }
}

/** The part of the params that two calls of one adapter have otherwise, in words; what is not known is not compared. */
function changedPrompt(a: SentCall | undefined, b: SentCall | undefined, options: PrefixOptions): string | undefined {
  const [earlier, later] = [callFor(options, a), callFor(options, b)]
  if (earlier === undefined || later === undefined || earlier.renderer !== later.renderer) return undefined
  const text = ({ renderer, prompt: { tools } }: SentCall): string | undefined =>
    tools === undefined ? undefined : canonicalJson(renderer.comparableTools?.(tools) ?? tools)
  const [before, after] = [text(earlier), text(later)]
  if (before !== undefined && after !== undefined && before !== after) return 'the tools changed'
  const { system: old = null } = earlier.prompt
  const { system = null } = later.prompt
  return isSame(old, system) ? undefined : 'the system text in the params changed'
}

/** The call, unless another function than the one that made its request renders the tree. */
export function callFor({ for: to }: PrefixOptions, call: SentCall | undefined): SentCall | undefined {
  return to === undefined || checkRenderer(to) === call?.renderer ? call : undefined
}

/** The cache marks of the earlier request; undefined where none were asked for. */
function breakpointsOf(
  view: View,
  given: PrefixOptions,
  call: SentCall | undefined,
): readonly Breakpoint[] | undefined {
  if (given.for === undefined) return undefined
  const own = callFor(given, call)
  const options = given.options ?? own?.options ?? {}
  const { cache: wantsMarks = false }: Readonly<{ cache?: unknown }> = options
  return wantsMarks === false ? undefined : checkRenderer(given.for).breakpointsOf?.(view, options, own?.prompt)
}

function costOf(
  place: number,
  marks: readonly Breakpoint[] | undefined,
  countTo: (byte: number) => RenderedTokens,
): Pick<FirstDifference, 'lost' | 'breakpoint'> {
  const tokensAt = (byte: number): number => countTo(byte).tokens
  if (marks === undefined) {
    const { tokens, total } = countTo(place)
    return { lost: total - tokens }
  }
  const breakpoint = marks.find(({ byte }) => byte > place)
  if (breakpoint === undefined) return { lost: 0 }
  const kept = marks.findLast(({ byte }) => byte <= place)
  return { lost: tokensAt(marks.at(-1)!.byte + ENVELOPE) - tokensAt((kept?.byte ?? 0) + ENVELOPE), breakpoint }
}

/** A text that is no list ends before the message does, and its node with the message. */
const ENVELOPE = 1

const NAMES = ['for', 'options']

export function rendererOf(given: PrefixOptions, dialect: Dialect): Render {
  checkNames(given, NAMES, '{ for: toAnthropic }')
  const { for: to, options } = given
  if (to === undefined) return (view) => threadRendered(view, dialect)
  const renderer = checkRenderer(to)
  return (view, call) => {
    const own = callFor(given, call)
    // Marks are no difference.
    return renderer.bytesOf(view, withoutMarks(options ?? own?.options), own?.prompt)
  }
}

/** The name of the renderer; undefined for the thread. */
export function formatOf({ for: to }: PrefixOptions): string | undefined {
  return to === undefined ? undefined : checkRenderer(to).name
}

/** The node at the parting that is the reason, and the change to it. */
function whatHappened({ earlier, later }: Parting, before: View, after: View): WhatHappened {
  const old = earlier?.node
  if (old !== undefined && old !== later?.node && after.find(old) === undefined) {
    return { node: old, cause: `${old} ${departureOf(old, before, after)}` }
  }
  const at = [later?.node, old].filter((each) => each !== undefined)
  // The node at this place may be there only because another one has moved, or has another form because of a neighbour.
  const node = at.find((each) => hasChanged(each, before, after)) ?? changedSystem(at, before, after) ?? at[0]
  if (node === undefined) return { node: after.tree.root.id, cause: 'the part before the first node differs' }
  if (after.find(node) === undefined && before.find(node) !== undefined) {
    return { node, cause: `${node} ${departureOf(node, before, after)}` }
  }
  const record = after.find(node)
  const known = before.find(node)
  if (record === undefined) return { node, cause: `${node} is rendered otherwise` }
  if (known === undefined) return { node, cause: `${node} came in cycle ${record.cycle} (${record.by})` }
  return { node, cause: `${node} ${changeOf(known, record)}` }
}

export function hasChanged(id: string, before: View, after: View): boolean {
  const [known, record] = [before.find(id), after.find(id)]
  if (known === undefined || record === undefined) return known !== record
  return known.parentId !== record.parentId || known.offset !== record.offset || !isSameContent(known, record)
}

/** The first system text that has changed, if the parting is in a system text: one text is a string for some providers, and several are a list. */
function changedSystem(at: readonly string[], before: View, after: View): string | undefined {
  const ids = new Set([after, before].flatMap((view) => systemIds(view)))
  return at.some((id) => ids.has(id)) ? [...ids].find((id) => hasChanged(id, before, after)) : undefined
}

function systemIds({ tree }: View): readonly string[] {
  const ids: string[] = []
  eachRecord(tree.regions[0], ({ id }) => ids.push(id))
  return ids
}

export function departureOf(id: string, before: View, after: View): string {
  const record = before.find(id)
  const left = record && leftSince(record, before, after)
  if (left === undefined) return 'is not there any more'
  const { cause, cycle, successor } = left
  const rule = ruleFor(id, cycle, after)
  const limit = rule === undefined ? '' : ` (${rule})`
  const place = successor === undefined ? '' : `, ${successor} is in its place`
  return `${cause === 'edited' ? 'deleted' : cause} in cycle ${cycle}${limit}${place}`
}

/** The reason that one node reads differently than before, in words. */
export function changeOf(before: NodeRecord, after: NodeRecord): string {
  if (before === after) return 'has moved, or the node that it answers has changed'
  if (wasShed(before, after)) return `shed in cycle ${after.born}`
  const what = isSameContent(before, after) && before.parentId !== after.parentId ? 'moved' : 'edited'
  return `${what} in cycle ${after.born} (${after.by})`
}

/** Versions that were written and read again have contents of their own. */
function isSameContent({ content: a }: NodeRecord, { content: b }: NodeRecord): boolean {
  return a === b || (a !== undefined && b !== undefined && isSame(a, b))
}

function isSame(a: JsonValue, b: JsonValue): boolean {
  return canonicalJson(a) === canonicalJson(b)
}

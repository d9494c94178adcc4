// A link to a place in the inspector: `#/<context>?at=c14&view=request&as=anthropic&node=block:14-3&q=[ttl]&from=c8`. A moment is
// a cycle, an attempt of one (`c14.15-0`) or the working state, never `@t…`, so that a link means the same tomorrow.

import type { FormatName } from '../../api/index.js'

export type View = 'tree' | 'compare' | 'request' | 'range' | 'forks'
/** The grouping of the columns; without one, they are drawn by part. */
export type By = 'role' | 'tool'
export type Format = FormatName | 'thread'
/** The snapshot of a cycle, the request of one of its attempts, or the open cycle. */
export type At = 'working' | `c${number}` | `c${number}.${string}`

export type Place = Readonly<{
  context: string
  /** Null until the newest cycle is known. */
  at: At | null
  view: View
  /** Null for the format of the call in view. */
  as: Format | null
  node: string | null
  q: string
  /** Start of a comparison, if it is not the previous cycle. */
  from: At | null
  /** The context of `from`, if it is another one. */
  other: string | null
  by: By | null
}>

export const VIEWS: readonly View[] = ['tree', 'compare', 'request', 'range', 'forks']
const BYS: readonly By[] = ['role', 'tool']
export const FORMATS: ReadonlyMap<Format, string> = new Map([
  ['openai-chat', 'OpenAI Chat'],
  ['openai-responses', 'OpenAI Responses'],
  ['anthropic', 'Anthropic'],
  ['gemini', 'Gemini'],
  ['gemini-interactions', 'Gemini Interactions'],
  ['ai-sdk', 'AI SDK'],
  ['mistral', 'Mistral'],
  ['bedrock', 'Bedrock'],
  ['thread', 'thread'],
])

export const NOWHERE: Place = {
  context: '',
  at: null,
  view: 'tree',
  as: null,
  node: null,
  q: '',
  from: null,
  other: null,
  by: null,
}

/** Reads a link. Missing or invalid parts get their defaults. */
export function readLink(hash: string): Place {
  const match = /^#\/([^?]*)(?:\?(.*))?$/s.exec(hash)
  if (match === null) return NOWHERE
  const said = new URLSearchParams(match[2] ?? '')
  const view = VIEWS.find((each) => each === said.get('view')) ?? 'tree'
  const as = [...FORMATS.keys()].find((each) => each === said.get('as')) ?? null
  return {
    context: decoded(match[1] ?? ''),
    at: readAt(said.get('at')),
    view,
    as,
    node: said.get('node'),
    q: said.get('q') ?? '',
    ...(view === 'compare' ? readFrom(said.get('from')) : { from: null, other: null }),
    by: BYS.find((each) => each === said.get('by')) ?? null,
  }
}

export function writeLink({ context, at, view, as, node, q, from, other, by }: Place): string {
  const said = [
    at === null ? '' : `at=${encoded(at)}`,
    view === 'tree' ? '' : `view=${view}`,
    as === null ? '' : `as=${as}`,
    node === null ? '' : `node=${encoded(node)}`,
    q === '' ? '' : `q=${encoded(q)}`,
    view === 'compare' && from !== null ? `from=${encoded(other === null ? from : `${other}@${from}`)}` : '',
    by === null ? '' : `by=${by}`,
  ].filter((each) => each !== '')
  return `#/${encoded(context)}${said.length > 0 ? `?${said.join('&')}` : ''}`
}

/** A moment of this context, or a snapshot of another one: `coding-agent@c20`. */
function readFrom(text: string | null): Pick<Place, 'from' | 'other'> {
  const [, other, at] = /^(.*)@(c[1-9]\d{0,14})$/s.exec(text ?? '') ?? []
  return other === undefined ? { from: readAt(text), other: null } : { from: readAt(at ?? null), other }
}

export function cycleOf(at: At): number | null {
  return at === 'working' ? null : Number.parseInt(at.slice(1), 10)
}

/** The id of a moment's attempt; undefined if the moment is a snapshot. */
export function attemptOf(at: At): `attempt:${string}` | null {
  const dot = at.indexOf('.')
  return dot < 0 ? null : `attempt:${at.slice(dot + 1)}`
}

/** The moment of an attempt. */
export function sendOf(cycle: number, attempt: string): At {
  return `c${cycle}.${attempt.replace(/^attempt:/, '')}`
}

/** The lens that calls use for a moment. */
export function lensOf(at: At): `@c${number}` | `attempt:${string}` | 'working' {
  return at === 'working' ? at : (attemptOf(at) ?? `@c${cycleOf(at)!}`)
}

/** The lens of the request that a moment makes; without one, calls render what would be sent now. */
export function requestLensOf(at: At): `@c${number}` | `attempt:${string}` | undefined {
  const lens = lensOf(at)
  return lens === 'working' ? undefined : lens
}

function readAt(text: string | null): At | null {
  if (text === 'working') return text
  const [, cycle, attempt] = /^c([1-9]\d{0,14})(?:\.(\S{1,200}))?$/.exec(text ?? '') ?? []
  if (cycle === undefined) return null
  return attempt === undefined ? `c${Number(cycle)}` : `c${Number(cycle)}.${attempt}`
}

// Readable where a fragment allows it. A lone surrogate cannot be in an address and becomes U+FFFD.
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/%(?:2F|3A|40|5B|5D|2C)/g, (code) => decodeURIComponent(code))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

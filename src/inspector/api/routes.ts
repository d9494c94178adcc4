// The questions that the page asks, one function for each route. A read that is told operations is a POST: the state that these
// operations would give, of which nothing is kept.

import type { At, Format } from '../state/link.js'
import { lensOf } from '../state/link.js'
import type { Ask } from './http.js'
import type {
  Committed,
  ContextList,
  ContextSummary,
  CycleAnswer,
  JsonObject,
  Names,
  NodeAnswer,
  Operation,
  PrefixAnswer,
  Previewed,
  Rendered,
  Selected,
  Timeline,
  Tree,
} from './types.js'

/** The edits of the page that are not committed, and the cycle they build on. */
export type Draft = Readonly<{ base: number; operations: readonly Operation[] }>

/** Reads that name their cycle, so that the same question has the same answer until something is erased. */
const FIXED: ReadonlySet<string> = new Set(['tree', 'nodes', 'names', 'render', 'prefix'])

type Params = Readonly<Record<string, string | number | boolean | readonly string[] | undefined | null>>

export function contexts(cursor?: string): Ask<ContextList> {
  return { method: 'GET', path: `/v1/contexts${query({ limit: 200, cursor })}` }
}

export function summary(id: string): Ask<ContextSummary> {
  return { method: 'GET', path: of(id) }
}

/** Prefixes are those of the thread, so that the columns do not depend on a format. */
export function timeline(id: string, params: { from: number; to?: number; bins?: number }): Ask<Timeline> {
  return read(id, 'timeline', params)
}

/** The column of the open cycle alone. */
export function openColumn(id: string, draft: Draft): Ask<Timeline> {
  return read(id, 'timeline', { from: Math.max(1, draft.base), to: Math.max(1, draft.base) }, draft)
}

export type TreeParams = Readonly<{
  at: At
  from: At | null
  open: readonly string[] | 'all'
  closed: readonly string[]
  row?: number
  rows: number
  /** A node whose row is to be told. */
  find?: string
  q?: string
  only?: boolean
  ghosts: boolean
}>

export function tree(id: string, params: TreeParams, draft: Draft): Ask<Tree> {
  const { at, from, ...rest } = params
  return read(
    id,
    'tree',
    { ...rest, at: lensOf(at), from: from === null ? undefined : lensOf(from) },
    at === 'working' ? draft : undefined,
  )
}

export type NodeParams = Readonly<{ node: string; at: At; as: Format; isWhole?: boolean }>

export function node(id: string, { node, at, as, isWhole }: NodeParams, draft: Draft): Ask<NodeAnswer> {
  const params = { at: lensOf(at), for: as, full: isWhole === true ? true : undefined }
  return read(id, `nodes/${encodeURIComponent(node.toWellFormed())}`, params, at === 'working' ? draft : undefined)
}

export function names(id: string, at: At, draft: Draft): Ask<Names> {
  // The most frequent ones: nobody scrolls through more completions than a page has.
  return read(id, 'names', { at: lensOf(at), limit: 1000 }, at === 'working' ? draft : undefined)
}

/** What a cycle holds beside its tree. */
export function cycle(id: string, at: At, draft: Draft, isFixed: boolean): Ask<CycleAnswer> {
  const question = read(id, 'cycle', { at: lensOf(at) }, at === 'working' ? draft : undefined)
  // Attempts of the newest may still run.
  const isSettled = isFixed && at !== 'working'
  return { ...question, isFixed: isSettled, isOpen: !isSettled }
}

export type SelectParams = Readonly<{ selector: string; at?: string; options: JsonObject }>

export function select(id: string, params: SelectParams, draft: Draft | null): Ask<Selected> {
  return { method: 'POST', path: `${of(id)}/select`, body: { ...params, ...draft }, isOpen: draft !== null }
}

/** Nodes that a selector with a cycle of its own finds. */
export function selectSeen(id: string, selector: string, limit: number): Ask<Selected> {
  return {
    method: 'POST',
    path: `${of(id)}/select`,
    body: { selector, options: { limit }, nodes: true },
    isFixed: true,
  }
}

export function diff(id: string, a: At, b: At, draft: Draft): Ask<JsonObject> {
  const isOpen = a === 'working' || b === 'working'
  const body = { a: lensOf(a), b: lensOf(b), detailed: true, ...(isOpen ? draft : {}) }
  return { method: 'POST', path: `${of(id)}/diff`, body, isFixed: !isOpen, isOpen }
}

export function render(id: string, at: At, as: Format, draft: Draft): Ask<Rendered> {
  return read(id, 'render', { for: as, lens: lensOf(at) }, at === 'working' ? draft : undefined)
}

/** The same with cache marks, for where they are: their bytes are no part of what is compared. */
export function marked(id: string, at: At, as: Format, draft: Draft): Ask<Rendered> {
  const params = { for: as, lens: lensOf(at), options: '{"cache":true}' }
  return read(id, 'render', params, at === 'working' ? draft : undefined)
}

export function prefix(id: string, a: At, b: At, as: Format, draft: Draft): Ask<PrefixAnswer> {
  return read(
    id,
    'prefix',
    { a: lensOf(a), b: lensOf(b), for: as },
    a === 'working' || b === 'working' ? draft : undefined,
  )
}

export function preview(id: string, draft: Draft): Ask<Previewed> {
  return { method: 'POST', path: `${of(id)}/preview`, body: draft, isOpen: true }
}

export function commit(id: string, draft: Draft, key?: string): Ask<Committed> {
  return { method: 'POST', path: `${of(id)}/commit`, body: { ...draft, ...(key === undefined ? {} : { key }) } }
}

export function fork(id: string, at: At, newId: string): Ask<ContextSummary> {
  return { method: 'POST', path: `${of(id)}/fork`, body: { lens: lensOf(at), id: newId } }
}

export function events(id: string): string {
  return `${of(id)}/events`
}

function of(id: string): string {
  return `/v1/contexts/${encodeURIComponent(id.toWellFormed())}`
}

/** The caller's return type says what the route answers. */
function read(id: string, route: string, params: Params, draft?: Draft): Ask<never> {
  const path = `${of(id)}/${route}`
  if (draft === undefined)
    return { method: 'GET', path: `${path}${query(params)}`, isFixed: FIXED.has(route.split('/')[0]!) }
  const body = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined && value !== null))
  return { method: 'POST', path, body: { ...body, ...draft }, isOpen: true }
}

function query(params: Params): string {
  const parts = Object.entries(params).flatMap(([name, value]) => {
    if (value === undefined || value === null) return []
    const each = Array.isArray(value) ? (value as readonly string[]) : [String(value)]
    return each.map((one) => `${name}=${encodeURIComponent(one.toWellFormed())}`)
  })
  return parts.length > 0 ? `?${parts.join('&')}` : ''
}

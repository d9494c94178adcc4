// The questions of the page. The table of endpoints gives their requests; a question with a draft is a POST.

import {
  requestOf,
  type Answer,
  type Input,
  type RemoteName,
  type JsonObject,
  type Operation,
} from '../../api/index.js'
import { type At, type By, type Format, lensOf, requestLensOf } from '../state/link.js'
import type { Ask } from './http.js'

/** The edits of the page that are not committed, and the cycle they build on. */
export type Draft = Readonly<{ base: number; operations: readonly Operation[] }>

/** Reads that name their cycle, so that the answer stays the same until something is erased. */
const FIXED: ReadonlySet<RemoteName> = new Set([
  'tree',
  'node',
  'names',
  'render',
  'prefix',
  'sentRequest',
  'changes',
  'tokenMap',
  'search',
])

function named<N extends RemoteName>(name: N, input: Input<N>): Ask<Answer<N>> {
  // As over HTTP, a field without a value is no field.
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
  return { ...requestOf(name, input), name, input: given }
}

/** A question to an endpoint; a draft makes it one about the open cycle. */
function asking<N extends RemoteName>(name: N, input: Input<N>, draft?: Draft): Ask<Answer<N>> {
  const request = named(name, { ...input, ...draft })
  return draft === undefined ? { ...request, isFixed: FIXED.has(name) } : { ...request, isOpen: true }
}

/** The draft, if a question is about the open cycle. */
function draftFor(draft: Draft, ...moments: readonly (At | null)[]): Draft | undefined {
  return moments.includes('working') ? draft : undefined
}

export function contexts(cursor?: string): Ask<Answer<'contexts'>> {
  return asking('contexts', { limit: 1000, cursor })
}

export function summary(id: string): Ask<Answer<'summary'>> {
  return { ...asking('summary', { id }), isOpen: true }
}

/** The operations of the open cycle that a program has saved. */
export function savedDraft(id: string): Ask<Answer<'draft'>> {
  return { ...asking('draft', { id }), isOpen: true }
}

/** Prefixes are those of the thread, so that the columns do not depend on a format. */
export function timeline(
  id: string,
  { by = null, ...params }: Omit<Input<'timeline'>, 'id' | 'by'> & Readonly<{ by?: By | null }>,
): Ask<Answer<'timeline'>> {
  return asking('timeline', { id, ...params, ...grouping(by) })
}

function grouping(by: By | null): Pick<Input<'timeline'>, 'by'> {
  return by === null ? {} : { by: by === 'tool' ? 'name' : by }
}

/** The column of the open cycle alone. */
export function openColumn(id: string, draft: Draft, by: By | null): Ask<Answer<'timeline'>> {
  const newest = Math.max(1, draft.base)
  return asking('timeline', { id, from: newest, to: newest, ...grouping(by) }, draft)
}

export type TreeParams = Readonly<{ at: At; from: At | null }> & Omit<Input<'tree'>, 'id' | 'at' | 'from'>

export function tree(id: string, { at, from, ...rest }: TreeParams, draft: Draft): Ask<Answer<'tree'>> {
  const sides = { at: lensOf(at), from: from === null ? undefined : lensOf(from) }
  return { ...asking('tree', { id, ...rest, ...sides }, draftFor(draft, at)), about: { at, from } }
}

export type NodeParams = Readonly<{ node: string; at: At; as: Format | null; isWhole?: boolean }>

export function node(id: string, { node, at, as, isWhole }: NodeParams, draft: Draft): Ask<Answer<'node'>> {
  const full = isWhole === true ? true : undefined
  const question = asking('node', { id, node, at: lensOf(at), for: as ?? undefined, full }, draftFor(draft, at))
  return { ...question, about: { at } }
}

/** The original content of a shed result or of a node that a summary stands for, as the newest state has it. */
export function recall(id: string, node: string, at: At, draft: Draft): Ask<Answer<'recall'>> {
  return asking('recall', { id, node }, draftFor(draft, at))
}

export function names(id: string, at: At, draft: Draft): Ask<Answer<'names'>> {
  return asking('names', { id, at: lensOf(at), limit: 1000 }, draftFor(draft, at))
}

export function cycle(id: string, at: At, draft: Draft, isFixed: boolean): Ask<Answer<'cycle'>> {
  // Attempts of the newest may still run.
  const isSettled = isFixed && at !== 'working'
  return {
    ...asking('cycle', { id, at: lensOf(at) }, draftFor(draft, at)),
    isFixed: isSettled,
    isOpen: !isSettled,
    about: { at },
  }
}

export type SelectParams = Readonly<{ selector: string; at?: string; options: JsonObject }>

export function select(id: string, params: SelectParams, draft: Draft | null): Ask<Answer<'select'>> {
  return asking('select', { id, ...params } as Input<'select'>, draft ?? undefined)
}

/** The nodes of a moment that have these words, and for the first of them the text around the words. */
export function search(id: string, words: string, at: At, draft: Draft): Ask<Found> {
  const question = asking('search', { id, words, at: lensOf(at), limit: 100 }, draftFor(draft, at))
  return { ...question, about: { at } } as Ask<Found>
}

/** A page of the nodes of all history that have these words. */
export function searchHistory(id: string, words: string, before: number | undefined): Ask<FoundPage> {
  return asking('search', { id, words, before }) as Ask<FoundPage>
}

/** Nodes that a selector with a cycle of its own finds. */
export function selectSeen(id: string, selector: string, limit: number): Ask<Answer<'select'>> {
  return { ...asking('select', { id, selector, options: { limit }, nodes: true }), isFixed: true }
}

export type Found = Extract<Answer<'search'>, { ids: readonly string[] }>
export type FoundPage = Exclude<Answer<'search'>, Found>

export type ChangesParams = Readonly<{ a: At; b: At; other?: string | null }> &
  Omit<Input<'changes'>, 'id' | 'a' | 'b' | 'other'>

/** A window of the changes between two moments. */
export function changes(
  id: string,
  { a, b, other = null, ...rest }: ChangesParams,
  draft: Draft,
): Ask<Answer<'changes'>> {
  const sides = { a: lensOf(a), b: lensOf(b), other: other ?? undefined }
  const question = asking('changes', { id, ...sides, ...rest }, draftFor(draft, a, b))
  return { ...question, about: { at: b, from: a, other } }
}

/** The request that a moment would make; that of the open cycle is made of its preview. */
export function render(id: string, at: At, as: Format, draft: Draft): Ask<Answer<'render'>> {
  return { ...asking('render', { id, for: as, lens: requestLensOf(at) }, draftFor(draft, at)), about: { at, as } }
}

/** The body of a call as it was sent. */
export function sent(id: string, at: At, attempt: string): Ask<Answer<'sentRequest'>> {
  return { ...asking('sentRequest', { id, attempt }), about: { at } }
}

/** The same with cache marks. Only their places are used: their bytes are no part of what is compared. */
export function marked(id: string, at: At, as: Format, draft: Draft): Ask<Answer<'render'>> {
  return asking('render', { id, for: as, lens: requestLensOf(at), options: { cache: true } }, draftFor(draft, at))
}

export type PrefixParams = Readonly<{ a: At; b: At; as: Format; other: string | null }>

export function prefix(id: string, { a, b, as, other }: PrefixParams, draft: Draft): Ask<Answer<'prefix'>> {
  const sides = { a: requestLensOf(a), b: requestLensOf(b), other: other ?? undefined }
  const question = asking('prefix', { id, ...sides, for: as }, draftFor(draft, a, b))
  return { ...question, about: { at: b, from: a, as, other } }
}

/** The tokens of a tree in the order of its thread. */
export function tokenMap(id: string, at: At, draft: Draft): Ask<Answer<'tokenMap'>> {
  return { ...asking('tokenMap', { id, at: lensOf(at) }, draftFor(draft, at)), about: { at } }
}

/** The contexts that share a past with one. */
export function family(id: string): Ask<Answer<'family'>> {
  return { ...asking('family', { id }), isOpen: true }
}

export function preview(id: string, draft: Draft): Ask<Answer<'preview'>> {
  return { ...named('preview', { id, ...draft }), isOpen: true }
}

/** Commits edits of the page, after a saved draft if there is one. */
export function commit(id: string, own: Draft, version?: number, key?: string): Ask<Answer<'commit'>> {
  // A draft can be committed as it is; without one, the server says that there is nothing to commit.
  const operations = own.operations.length === 0 && version !== undefined ? undefined : own.operations
  return named('commit', { id, base: own.base, operations, draft: version, key })
}

export function fork(id: string, at: At, newId: string): Ask<Answer<'fork'>> {
  return named('fork', { from: id, lens: lensOf(at), id: newId })
}

/** A snapshot as a file. */
export function exported(id: string, at: At): Ask<Answer<'export'>> {
  return named('export', { id, lens: lensOf(at) })
}

export function events(id: string): string {
  return requestOf('watch', { id }).path
}

// Lists contexts without loading them. Only rows are needed, so a program that lists starts without the engine.

import { checkOption, FLAG, PactError, wholeFrom } from '../errors/index.js'
import { openRows, type StoreOptions } from './open-rows.js'
import { readOptions, checkName } from './options.js'
import type { ContextKey, ContextRow, LostContext, Rows } from './rows.js'

/** One line of a list. */
export type ContextInfo = Readonly<{
  id: string
  /** The cycle of the newest snapshot; 0 before the first commit. */
  cycle: number
  /** Number of forks that were ever made of it, deleted ones included. */
  forks: number
  /** True if edits of its open cycle are saved; see `StoredContext.save`. */
  draft?: true
  /**
   * True if its newest rows are lost: the context cannot be opened, and `cycle` is that of the newest remaining row.
   * See `fsck`.
   */
  damaged?: true
  /** The context that it is a fork of, and the newest cycle that both have; with the option `lineage`. */
  parent?: Readonly<{ id: string; cycle: number }>
  /** Grows with every context that is made; with the option `lineage`, and not in PostgreSQL. */
  made?: number
}>

export type ContextPage = Readonly<{
  contexts: readonly ContextInfo[]
  /** Pass it as `after` to get the next page; undefined at the end. */
  next: string | undefined
}>

export type ListOptions = Readonly<{ limit?: number; after?: string; lineage?: boolean }>

/** A store opened for listing only. */
export type Catalog = Readonly<{
  list(options?: ListOptions): Promise<ContextPage>
  close(): Promise<void>
}>

/** Opens a store for listing only. A program that does nothing else starts faster than with `openStore`. */
export async function openCatalog(url: string, options: StoreOptions = {}): Promise<Catalog> {
  const rows = await openRows(url, options)
  return Object.freeze({ list: (asked: ListOptions = {}) => listRows(rows, asked), close: () => rows.close() })
}

const PAGE = 100
/** Larger limits are the same as no limit. */
const LONGEST = 2 ** 31 - 2

export async function listRows(rows: Pick<Rows, 'list' | 'byNumber'>, options: ListOptions): Promise<ContextPage> {
  const names = ['limit', 'after', 'lineage'] as const
  const { limit = PAGE, after, lineage = false } = readOptions('list', '{ limit: 20 }', options, names)
  checkOption('lineage', lineage, FLAG)
  checkOption('limit', limit, wholeFrom(1))
  if (after !== undefined && after !== '') checkName('after', after)
  const found = await rows.list(after, Math.min(limit, LONGEST) + 1)
  const page = found.slice(0, limit)
  const contexts = lineage ? await withLineage(rows, page) : page.map(infoOf)
  return Object.freeze({
    contexts: Object.freeze(contexts),
    next: found.length > limit ? contexts.at(-1)!.id : undefined,
  })
}

export function infoOf({ id, head, forks, chain, draft }: ContextRow | LostContext): ContextInfo {
  return Object.freeze({
    id,
    cycle: head,
    forks,
    ...(draft.parts > 0 ? { draft: true } : {}),
    ...(chain === undefined ? { damaged: true } : {}),
  })
}

/** Infos with the ids of the contexts that they are forks of. */
export async function withLineage(
  rows: Pick<Rows, 'byNumber'>,
  found: readonly (ContextRow | LostContext)[],
): Promise<readonly ContextInfo[]> {
  const names = new Map<ContextKey, string | undefined>(found.map(({ ctx, id }) => [ctx, id]))
  for (const { parent } of found) {
    if (parent === undefined || names.has(parent.ctx)) continue
    const row = await rows.byNumber(parent.ctx).catch((error: unknown) => {
      // A damaged parent has no name to show, and its fork is listed all the same.
      if (!PactError.is(error)) throw error
      return undefined
    })
    names.set(parent.ctx, row?.id)
  }
  return found.map((row) => {
    const { ctx, parent } = row
    const id = parent === undefined ? undefined : names.get(parent.ctx)
    return Object.freeze({
      ...infoOf(row),
      ...(parent === undefined || id === undefined ? {} : { parent: { id, cycle: Math.max(0, parent.cycle) } }),
      ...(typeof ctx === 'number' ? { made: ctx } : {}),
    })
  })
}

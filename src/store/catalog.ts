// Lists contexts without loading them. Only rows are needed, so a program that lists starts without the engine.

import { checkOption, wholeFrom } from '../errors/index.js'
import { openRows, type StoreOptions } from './open-rows.js'
import { readOptions, checkName } from './options.js'
import type { ContextRow, LostContext, Rows } from './rows.js'

/** One line of a list. */
export type ContextInfo = Readonly<{
  id: string
  /** The cycle of the newest snapshot; 0 before the first commit. */
  cycle: number
  /** Number of its forks. */
  forks: number
  /** True if edits of its open cycle are saved; see `StoredContext.save`. */
  draft?: true
  /**
   * True if its newest rows are lost: the context cannot be opened, and `cycle` is that of the newest remaining row.
   * See `fsck`.
   */
  damaged?: true
}>

export type ContextPage = Readonly<{
  contexts: readonly ContextInfo[]
  /** Pass it as `after` to get the next page; undefined at the end. */
  next: string | undefined
}>

export type ListOptions = Readonly<{ limit?: number; after?: string }>

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

export async function listRows(rows: Pick<Rows, 'list'>, options: ListOptions): Promise<ContextPage> {
  const { limit = PAGE, after } = readOptions('list', '{ limit: 20 }', options, ['limit', 'after'])
  checkOption('limit', limit, wholeFrom(1))
  if (after !== undefined && after !== '') checkName('after', after)
  const found = await rows.list(after, Math.min(limit, LONGEST) + 1)
  const contexts = found.slice(0, limit).map(infoOf)
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

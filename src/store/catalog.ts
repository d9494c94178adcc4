// Which contexts there are, and nothing of what they hold. Rows are enough for that, so whoever only lists loads nothing of the engine.

import { describe, PactError } from '../errors/index.js'
import { optionsOf } from './given.js'
import { checkName } from './names.js'
import { openRows, type StoreOptions } from './open-rows.js'
import type { ContextRow, LostContext, Rows } from './rows.js'

/** One line of a list. */
export type ContextInfo = Readonly<{
  id: string
  /** The cycle of the newest snapshot; 0 before the first commit. */
  cycle: number
  /** How many forks have left it. */
  forks: number
  /** Where its newest rows are lost: `cycle` is then that of the newest row that is left, and it cannot be opened. See `fsck`. */
  damaged?: true
}>

export type ContextPage = Readonly<{
  contexts: readonly ContextInfo[]
  /** What to give as `after` for the next page; undefined at the end. */
  next: string | undefined
}>

export type ListOptions = Readonly<{ limit?: number; after?: string }>

/** The contexts of a store, listed. */
export type Catalog = Readonly<{
  list(options?: ListOptions): Promise<ContextPage>
  close(): Promise<void>
}>

/** Opens a store to list its contexts, and for nothing else: a program that does only this starts sooner. */
export async function openCatalog(url: string, options: StoreOptions = {}): Promise<Catalog> {
  const rows = await openRows(url, options)
  return Object.freeze({ list: (asked: ListOptions = {}) => listRows(rows, asked), close: () => rows.close() })
}

const PAGE = 100
/** A limit above it is none. */
const LONGEST = 2 ** 31 - 2

export async function listRows(rows: Pick<Rows, 'list'>, options: ListOptions): Promise<ContextPage> {
  const { limit = PAGE, after } = optionsOf('list', '{ limit: 20 }', options, ['limit', 'after'])
  if (!Number.isSafeInteger(limit) || limit < 1) {
    const message = `The option limit is a whole number from 1 up, not ${describe(limit)}.`
    throw new PactError('E_CONTENT_INVALID', message, { name: 'limit' })
  }
  if (after !== undefined && after !== '') checkName('after', after)
  const found = await rows.list(after, Math.min(limit, LONGEST) + 1)
  const contexts = found.slice(0, limit).map(infoOf)
  return Object.freeze({
    contexts: Object.freeze(contexts),
    next: found.length > limit ? contexts.at(-1)!.id : undefined,
  })
}

export function infoOf({ id, head, forks, chain }: ContextRow | LostContext): ContextInfo {
  return Object.freeze({ id, cycle: head, forks, ...(chain === undefined ? { damaged: true } : {}) })
}

// Reads a list page by page, up to the number of entries that is wanted.

import { number, text } from './given.js'
import type { Call, OptionSpec } from './spec.js'
import type { TextLine } from './terminal.js'

/** Entries of one page. */
const PAGE = 500

export type Entries<T> = Readonly<{ entries: readonly T[]; cursor?: string | undefined }>

export const CURSOR_OPTION: OptionSpec = {
  flags: '--cursor <cursor>',
  about: 'continues a list that a --limit has cut; its last line, or cursor in its JSON, gives it',
}

/** All entries, or `--limit` of them from `--cursor` on, with the cursor of the next ones if there are any. */
export async function allPages<T>(
  { options }: Call,
  ask: (page: Readonly<{ limit: number; cursor: string | undefined }>) => Promise<Entries<T>>,
): Promise<Entries<T>> {
  const most = number(options, 'limit') ?? Infinity
  const entries: T[] = []
  let cursor = text(options, 'cursor')
  do {
    const limit = Math.min(PAGE, most - entries.length)
    const page = await ask({ limit, cursor })
    entries.push(...page.entries)
    cursor = page.cursor
  } while (cursor !== undefined && entries.length < most)
  return cursor === undefined ? { entries } : { entries, cursor }
}

/** For a terminal: the option that shows the rest. */
export function restLines(cursor: string | undefined): readonly TextLine[] {
  return cursor === undefined ? [] : [[['dim', `more: --cursor ${JSON.stringify(cursor)}`]]]
}

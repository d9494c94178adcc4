// Lists that come in pages, asked for one after another until there are as many entries as are wanted.

import { number, text } from './given.js'
import type { Call, OptionSpec } from './spec.js'
import type { TextLine } from './terminal.js'

/** How many entries are asked for at once. */
const PAGE = 500

export type Entries<T> = Readonly<{ entries: readonly T[]; cursor?: string | undefined }>

export const CURSOR_OPTION: OptionSpec = {
  flags: '--cursor <cursor>',
  about: 'goes on where a list ended that had a --limit; its last line, or cursor in its JSON, tells it',
}

/** All entries, or as many as `--limit` says from `--cursor` on; with the cursor of what comes next, where something does. */
export async function allPages<T>(
  { options }: Call,
  ask: (page: Readonly<{ limit: number; cursor?: string }>) => Promise<Entries<T>>,
): Promise<Entries<T>> {
  const most = number(options, 'limit') ?? Infinity
  const entries: T[] = []
  let cursor = text(options, 'cursor')
  do {
    const limit = Math.min(PAGE, most - entries.length)
    const page = await ask({ limit, ...(cursor === undefined ? {} : { cursor }) })
    entries.push(...page.entries)
    cursor = page.cursor
  } while (cursor !== undefined && entries.length < most)
  return cursor === undefined ? { entries } : { entries, cursor }
}

/** For a terminal: how to see the rest. */
export function restLines(cursor: string | undefined): readonly TextLine[] {
  return cursor === undefined ? [] : [[['dim', `more: --cursor ${JSON.stringify(cursor)}`]]]
}

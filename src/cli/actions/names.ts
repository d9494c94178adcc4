import { oneLine } from '../../core/index.js'
import type { NameCount, Names } from '../../api/index.js'
import { readNames } from '../../commands/index.js'
import { allPages, restLines } from '../all-pages.js'
import { table, tabbed } from '../columns.js'
import { inputOf } from '../endpoint-input.js'
import type { Action } from '../spec.js'

/** The singular of each sort. */
const SORTS = {
  types: 'type',
  keys: 'key',
  tags: 'tag',
  roles: 'role',
  kinds: 'kind',
  attributes: 'attribute',
} as const satisfies Record<Exclude<keyof Names, 'cursor'>, string>

type Sort = keyof typeof SORTS
const ALL = Object.keys(SORTS) as readonly Sort[]

export const names: Action = async (call) => {
  const pool = await call.pool()
  const input = inputOf(call, 'names', ['id', 'at'])
  const { entries, ...rest } = await allPages(call, async (page) => {
    const { cursor, ...names } = await readNames(pool, { ...input, ...page })
    // The nth entry holds the nth name of every sort.
    const longest = Math.max(...ALL.map((sort) => names[sort].length))
    const places = Array.from({ length: longest }, (_, i) => ALL.map((sort) => names[sort][i]))
    return { entries: places, cursor }
  })
  const named = (sort: Sort): readonly NameCount[] => entries.flatMap((place) => place[ALL.indexOf(sort)] ?? [])
  const names = Object.fromEntries(ALL.map((sort) => [sort, named(sort)]))
  await call.answer({ ...names, ...rest }, () => {
    const rows = ALL.flatMap((sort) =>
      named(sort).map(({ name, count, values = [] }) => [
        SORTS[sort],
        oneLine(name),
        String(count),
        values.map((value) => oneLine(value)).join(' '),
      ]),
    )
    if (!call.terminal.isTTY) return tabbed(rows)
    const columns = [
      { title: 'sort' },
      { title: 'name' },
      { title: 'nodes', align: 'right' as const },
      { title: 'values' },
    ]
    return [...table(columns, rows, call.terminal.width), ...restLines(rest.cursor)]
  })
}

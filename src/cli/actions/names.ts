import { oneLine } from '../../context/index.js'
import { readNames, type NameCount, type Names } from '../../commands/index.js'
import { allPages, restLines } from '../all-pages.js'
import { table, tabbed } from '../columns.js'
import { lens, word } from '../given.js'
import type { Action } from '../spec.js'

/** What one name of each sort is called. */
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

export const run: Action = async (call) => {
  const desk = await call.desk()
  const { lens: at } = lens(call, 1)
  const { entries, ...rest } = await allPages(call, async (page) => {
    const { cursor, ...names } = await readNames(desk, { id: word(call, 0), ...page, ...(at && { at }) })
    // Each sort has its own rows; as many places are taken as the longest has.
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

import { oneLine } from '../../core/index.js'
import { allPages, restLines } from '../all-pages.js'
import { table, tabbed, type Cell } from '../columns.js'
import { count } from '../given.js'
import type { Action } from '../spec.js'

export const ls: Action = async (call) => {
  const catalog = await call.catalog()
  const { entries: contexts, ...rest } = await allPages(call, async ({ limit, cursor: after }) => {
    const { contexts: entries, next } = await catalog.list({
      limit,
      lineage: true,
      ...(after === undefined ? {} : { after }),
    })
    return { entries: entries.map(({ made: _made, ...shown }) => shown), cursor: next }
  })
  await call.answer({ contexts, ...rest }, () => {
    const damaged = contexts.filter((each) => each.damaged === true)
    const rows = contexts.map((each) => [
      oneLine(each.id),
      String(each.cycle),
      each.parent === undefined ? '' : oneLine(`${each.parent.id} @c${each.parent.cycle}`),
      ...(each.damaged === true ? [['bad', 'damaged'] satisfies Cell] : each.draft === true ? ['draft'] : []),
    ])
    if (!call.terminal.isTTY) return tabbed(rows)
    if (rows.length === 0) return [[['dim', `No contexts in ${call.address()} yet. pctx import FILE makes some.`]]]
    const columns = [
      { title: 'context' },
      { title: 'cycle', align: 'right' as const },
      { title: 'fork of' },
      ...(rows.some(({ length }) => length > 3) ? [{ title: '' }] : []),
    ]
    const more = damaged.length === 0 ? '' : `, ${damaged.length} of them damaged: pctx fsck tells more`
    return [
      ...table(columns, rows, call.terminal.width),
      [['dim', count(rows.length, 'context') + more]],
      ...restLines(rest.cursor),
    ]
  })
}

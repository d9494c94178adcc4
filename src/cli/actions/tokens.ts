// `tokens`: where the tokens of a tree or of a request are.

import { oneLine, previewOf, type Lens } from '../../core/index.js'
import { readTokens, type ContextPool } from '../../commands/index.js'
import { table, tabbed } from '../columns.js'
import { inputOf } from '../endpoint-input.js'
import { count, number } from '../given.js'
import type { Action } from '../spec.js'
import { noteAdvice } from './advice.js'

/** The lines on a terminal, unless --limit says otherwise. */
const SHOWN = 20

export const tokens: Action = async (call) => {
  const { terminal, options, json } = call
  const pool = await call.pool()
  const asked = inputOf(call, 'tokens', ['id', 'lens'])
  const by = asked.by ?? (asked.for === undefined ? 'node' : undefined)
  const { by: groups = {}, ...answer } = await readTokens(pool, by === undefined ? asked : { ...asked, by })
  if (asked.select !== undefined && answer.total === 0) {
    await noteAdvice(call, pool, { id: asked.id, selector: asked.select, at: asked.lens })
  }
  const sorted = Object.entries(groups).sort(([, a], [, b]) => b - a)
  const most = number(options, 'limit') ?? (terminal.isTTY && json === undefined ? SHOWN : Infinity)
  const shown = sorted.slice(0, most)
  const about = by === 'node' ? await wordsAbout(pool, asked, shown) : []
  const listed = by === undefined ? {} : { by: Object.fromEntries(shown) }
  await call.answer({ ...answer, ...listed }, () => {
    const rows = shown.map(([name, sum], i) => [count(Math.round(sum)), oneLine(name) || '-', ...(about[i] ?? [])])
    if (!terminal.isTTY) return tabbed(rows.length === 0 ? [[count(Math.round(answer.total))]] : rows)
    const titles = ['tokens', by ?? '', ...(by === 'node' ? ['role', 'kind', 'content'] : [])]
    const columns = titles.map((title, i) => (i === 0 ? { title, align: 'right' as const } : { title }))
    const rest = sorted.length - shown.length
    return [
      ...(rows.length === 0 ? [] : table(columns, rows, terminal.width)),
      [
        [
          'dim',
          `${count(Math.round(answer.total), 'token')} in all${rest > 0 ? `; ${count(rest)} more lines: --limit` : ''}`,
        ],
      ],
    ]
  })
}

/** Role, kind and the beginning of the content of each node. */
function wordsAbout(
  pool: ContextPool,
  { id, lens }: Readonly<{ id: string; lens?: Lens | undefined }>,
  shown: readonly (readonly [string, number])[],
): Promise<readonly (readonly string[])[]> {
  return pool.read({ id }, (ctx) => {
    const tree = lens ?? (ctx.cycle === 1 ? 'working' : '@t0')
    return shown.map(([node]) => {
      const { role = '', kind = '', content } = ctx.node(node, tree) ?? {}
      return [oneLine(role), oneLine(kind), content === undefined ? '' : previewOf({ kind, content }, 100)]
    })
  })
}

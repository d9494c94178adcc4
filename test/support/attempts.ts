// Rendering an attempt again from its record (D32), as a reader of records would.

import { createHash } from 'node:crypto'

import { canonicalJson, type AttemptRecord, type Context, type Lens, type ThreadItem } from 'pact-context'
import { expect } from 'vitest'

import { textOf } from './context.js'

/** What the records are told of a call to a provider. */
export const CALL = { provider: 'acme', model: 'large-1', params: {} } as const

/** Renders an attempt from its record and the snapshot below it, as its reader would, and compares the bytes. */
export function expectRenderedAgain(ctx: Context, lens: Lens): void {
  const { record, snapshot } = ctx.startAttempt({ ...CALL, lens })
  const kept = JSON.parse(JSON.stringify(record)) as AttemptRecord
  const ids = new Set([...kept.absent_ids, ...kept.nodes.map((node) => node['id'])])
  const base = kept.base_cycle === null ? [] : ctx.thread(`@c${kept.base_cycle}`)
  const items = base.filter((item) => !ids.has(item.id))
  const firstRole = new Map(snapshot.thread().map((item) => [item.id, item.role]))
  for (const [i, node] of kept.nodes.entries()) {
    const { id, kind, content, role = firstRole.get(id) } = node as Partial<ThreadItem> & { id: string }
    items.splice(kept.thread_indexes[i]!, 0, {
      id,
      role,
      kind,
      content: content === undefined ? '' : content,
    } as ThreadItem)
  }
  const texts = items.map(({ id, role, kind, content }) => {
    const named = Object.entries({ id, role, kind }).filter(([, value]) => value !== undefined)
    return `{${named.map(([name, value]) => `"${name}":${canonicalJson(value)},`).join('')}"content":${canonicalJson(content)}}`
  })
  expect(`[${texts.join(',')}]`).toBe(textOf(snapshot.threadBytes()))
  expect(
    createHash('sha256')
      .update(`[${texts.join(',')}]`)
      .digest('hex'),
  ).toBe(kept.thread_hash)
}

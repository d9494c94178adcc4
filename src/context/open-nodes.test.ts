// A record of an attempt gives its thread again (D32), from the snapshot below it and what it says of the difference.

import { createHash } from 'node:crypto'

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { clockOf, DIALECTS, programsFor, textOf, writeTo } from '../../test/support/context.js'
import { canonicalJson, createContext, importSnapshot } from '../index.js'
import type { AttemptRecord, Context, Lens, ThreadItem } from '../index.js'

const SEED = Number(process.env['PACT_SEED'] ?? 20261117)
const CALL = { provider: 'acme', model: 'large-1', params: {} } as const

describe('what an attempt rendered', () => {
  test('a record and the snapshot of its base cycle give the bytes again, whatever expired or was pruned (D32)', () => {
    for (const dialect of DIALECTS) {
      fc.assert(
        fc.property(programsFor(dialect), fc.constantFrom<Lens>('preview', 'working'), (steps, lens) => {
          const ctx = createContext({ dialect, clock: clockOf(), prune: { maxNodes: 25 } })
          for (const step of steps) {
            if (step.do === 'write') writeTo(ctx, step.write)
            else if (step.do === 'commit') ctx.commit()
            expectRenderedAgain(ctx, lens)
          }
        }),
        { seed: SEED, numRuns: 60 },
      )
    }
  })

  test('the same holds over an import and in a fork', () => {
    const ctx = createContext()
    ctx.system.add('Rule')
    ctx.user('One', { ttl: 2 })
    ctx.add('A container with content', { zone: 'post', children: [{ content: 'inside' }] })
    ctx.commit()
    const imported = importSnapshot(ctx.export())
    for (const each of [imported, ctx.fork(), imported.fork('working')]) {
      each.pre('Before')
      expectRenderedAgain(each, 'preview')
      each.commit()
      expectRenderedAgain(each, 'preview')
      each.commit()
      expectRenderedAgain(each, '@t-1')
    }
  })

  test('lists what stands below a container that moved, here by sealing a head that an import brought', () => {
    const inner = { id: 'inner', nodeType: 'block', offset: 0, content: 'below' }
    const group = { id: 'group', nodeType: 'cont', offset: 1, children: [inner] }
    const ctx = importSnapshot({ cycle: 4, root: { children: [{ id: 'ah', nodeType: '^ah', children: [group] }] } })
    ctx.post('before', { offset: 1 })
    expect(ctx.startAttempt(CALL).record).toMatchObject({ base_cycle: 4, thread_indexes: [0, 1], absent_ids: [] })
    expect(ctx.startAttempt(CALL).record.nodes.map((node) => node['id'])).toContain('inner')
    expect(ctx.startAttempt({ ...CALL, lens: 'working' }).record.nodes.map((node) => node['id'])).not.toContain('inner')
    expectRenderedAgain(ctx, 'preview')
    expectRenderedAgain(ctx, 'working')
  })

  test('lists only what is uncommitted, and names what has left', () => {
    const ctx = createContext()
    ctx.user('Stays')
    const note = ctx.post('Leaves', { ttl: 1 })
    ctx.commit()
    const added = ctx.user('New')
    expect(ctx.startAttempt(CALL).record).toMatchObject({
      base_cycle: 1,
      nodes: [{ id: added.id, content: 'New', role: 'user' }],
      thread_indexes: [1],
      absent_ids: [note.id],
    })
    expect(ctx.startAttempt({ ...CALL, lens: 'working' }).record.absent_ids).toEqual([])
  })
})

/** Renders an attempt from its record and the snapshot below it, as its reader would, and compares the bytes. */
function expectRenderedAgain(ctx: Context, lens: Lens): void {
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

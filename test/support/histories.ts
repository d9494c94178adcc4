// Histories for the tests of diffs and ranges, with ids that can be written down.
//
// No call changes a node that a snapshot holds, so where headers or contents must differ, a node leaves and comes back
// under its id: an id is free again once neither the working state nor the latest snapshot holds it (N6).

import { createHash } from 'node:crypto'

import {
  createContext,
  type ContentInput,
  type Context,
  type ContextOptions,
  type Header,
  type ListOptions,
} from 'pact-context'
import { expect } from 'vitest'

import { clockOf, type DIALECTS } from './context.js'

export type Dialect = (typeof DIALECTS)[number]

/** A context whose blocks are called so, in the order they are made; turns and cores `mt/2`, `mc/2` after their cycle. */
export function named(dialect: Dialect, names: string, options: ContextOptions | ListOptions = {}): Context {
  const left = names.split(' ')
  return createContext({
    dialect,
    clock: clockOf(),
    ids: ({ nodeType, cycle }) =>
      ['mt', 'mc', 'seg', 'cont'].includes(nodeType) ? `${nodeType}/${cycle}` : (left.shift() ?? ''),
    ...options,
  } as ContextOptions)
}

/** Four turns: p of the first is in two snapshots, o2 of the second in one. By cycle: p u1, p u1 u2 o2, u1-3, u1-4. */
export function grown(dialect: Dialect, options: ContextOptions | ListOptions = {}): Context {
  const ctx = named(dialect, 'p u1 u2 o2 u3 u4 u5 u6 u7', options)
  ctx.pre('p', { ttl: 2 })
  ctx.user('u1')
  ctx.commit()
  ctx.user('u2')
  ctx.post('o2', { ttl: 1 })
  ctx.commit()
  for (const text of ['u3', 'u4']) {
    ctx.user(text)
    ctx.commit()
  }
  return ctx
}

export type Version = readonly [content: ContentInput, header?: Header]

/** Three snapshots: x under ^sys, without it, and x once more; with a ttl of 1 unless the header says otherwise. */
export function twice(dialect: Dialect, first: Version, second: Version): Context {
  const ctx = named(dialect, 'x x')
  ctx.system.add(first[0], { ttl: 1, ...first[1] })
  ctx.commit()
  ctx.commit()
  ctx.system.add(second[0], { ttl: 1, ...second[1] })
  ctx.commit()
  expect(ctx.node('x', '@t-1')).toBeUndefined()
  return ctx
}

/** A head as no commit leaves it behind: context, a loose block where a core should be, and a box. */
export const OPEN_HEAD = {
  root: {
    children: [
      {
        id: 'ah',
        nodeType: '^ah',
        children: [
          { id: 'pre', offset: -1, ttl: 3 },
          { id: 'loose', offset: 0, content: 'x' },
          { id: 'box', offset: 1, children: [{ id: 'in', offset: 0, priority: 4 }] },
        ],
      },
    ],
  },
}

/** The content hash of a block with nothing but content, role and kind, written a second time (08 §2.1). */
export function hashOf(content: string, role = '', kind = ''): string {
  const text = `{"content":"${content}","kind":"${kind}","role":"${role}"}`
  return createHash('sha256').update(text).digest('hex')
}

/** As JSON, with no name more or less. */
export function expectExactly(found: unknown, expected: unknown): void {
  expect(JSON.parse(JSON.stringify(found))).toStrictEqual(expected)
}

export function expectFrozen(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  expect(Object.isFrozen(value)).toBe(true)
  for (const part of Object.values(value)) expectFrozen(part)
}

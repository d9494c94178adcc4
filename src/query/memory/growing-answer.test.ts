// What a followed answer notices beside the segment that a commit has sealed; that it finds what the matcher finds is a law of
// test/search-laws.test.ts.

import { expect, test } from 'vitest'

import { createContext, importSnapshot, type Context } from '../../index.js'

function contents(ctx: Context): unknown[] {
  return ctx.select('@t0 .block').map((id) => ctx.node(id)!.content)
}

/** Asked after several commits, it is followed. */
function follow(ctx: Context): void {
  for (const text of ['one', 'two', 'three']) {
    ctx.user(text)
    ctx.commit()
    expect(contents(ctx).at(-1)).toBe(text)
  }
}

test('what a cycle adds to ^sys beside its turn', () => {
  const ctx = createContext()
  follow(ctx)
  ctx.system.add('rules')
  ctx.user('four')
  ctx.commit()
  expect(contents(ctx)).toEqual(['rules', 'one', 'two', 'three', 'four'])
})

test('what leaves the head of a snapshot by being sealed', () => {
  const draft = createContext()
  draft.user('zero')
  draft.commit()
  draft.user('open')
  // As a file may have it: a snapshot whose head is not empty.
  const { lens: _lens, ...document } = draft.snapshot('working').toJSON()
  const ctx = importSnapshot(document)
  // Asked again after each write, it is followed.
  for (const text of ['one', 'two', 'three']) {
    expect(contents(ctx)).toEqual(['zero', 'open'])
    ctx.user(text)
  }
  ctx.commit()
  expect(contents(ctx)).toEqual(['zero', 'open', 'one', 'two', 'three'])
})

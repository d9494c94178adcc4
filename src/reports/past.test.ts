// The changes of each commit, as data.

import { createContext } from 'pact-context'
import { expect, test } from 'vitest'

test('the past has one entry for every commit, with what it brought and what left', () => {
  const ctx = createContext()
  expect(ctx.past).toEqual([])
  const note = ctx.post('note', { ttl: 1 })
  ctx.commit()
  ctx.user('u')
  ctx.commit()
  expect(ctx.past.map(({ cycle }) => cycle)).toEqual([1, 2])
  expect(ctx.past[0]!.changes).toContainEqual(expect.objectContaining({ id: note.id, content: 'note' }))
  expect(ctx.past[1]!.changes).toContainEqual({ id: note.id, left: 'expired' })
})

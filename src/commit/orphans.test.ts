// The orphans of a commit; the warnings about them are in context/commit-warnings.test.ts, and that nothing is missed
// in test/laws/orphan-laws.test.ts.

import { expect, it } from 'vitest'

import { createContext } from '../index.js'
import { ContextEdits } from '../context/edits.js'
import { orphansAt } from './orphans.js'

it('are told by the commit that closes their turn, and not again by one that seals nothing', () => {
  const ctx = createContext()
  const call = ctx.assistant('ls', { kind: 'call', data_call_id: 'c1' })
  ctx.commit()
  ctx.user('next')
  ctx.commit()
  ctx.commit()
  const { timeline } = ContextEdits.partsOf(ctx)
  const found = [1, 2, 3].map((cycle) => orphansAt(timeline, cycle).flatMap(({ ids }) => ids))
  expect(found).toEqual([[], [call.id], []])
})

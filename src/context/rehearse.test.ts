// Rehearsals: edits that are read and taken back.

import { createContext } from 'pact-context'
import { openStore } from 'pact-context/store'
import { describe, expect, test } from 'vitest'

describe('rehearse', () => {
  test('returns what the function returns, and the ids are given again', () => {
    const ctx = createContext()
    const tried = ctx.rehearse(() => ctx.user('tried').id)
    expect(ctx.thread()).toEqual([])
    expect(ctx.operations()).toEqual([])
    expect(ctx.undo()).toBe(false)
    expect(ctx.user('made').id).toBe(tried)
  })

  test('passes through what the function throws, and takes the edits back', () => {
    const ctx = createContext()
    const thrown = new Error('thrown')
    const throwing = (): never => {
      ctx.user('tried')
      throw thrown
    }
    expect(caught(() => ctx.rehearse(throwing))).toBe(thrown)
    expect(ctx.thread()).toEqual([])
  })

  test.each(['rehearse', 'batch'] as const)('may contain a %s, and may be in one', (call) => {
    const ctx = createContext()
    ctx.user('before')
    const sizes = ctx.rehearse(() => {
      ctx.user('outer')
      const inner = ctx[call](() => {
        ctx.user('inner')
        return ctx.thread().length
      })
      return [inner, ctx.thread().length]
    })
    expect(sizes).toEqual(call === 'rehearse' ? [3, 2] : [3, 3])
    expect(ctx.thread()).toHaveLength(1)
    ctx[call](() => {
      expect(ctx.rehearse(() => ctx.user('inner').content)).toBe('inner')
      ctx.user('outer')
    })
    expect(ctx.thread()).toHaveLength(call === 'rehearse' ? 1 : 2)
  })

  test('lets undo reach its own edits and no further', () => {
    const ctx = createContext()
    ctx.user('before')
    const undone = ctx.rehearse(() => {
      ctx.user('tried')
      return [ctx.undo(), ctx.undo(), ctx.thread().length]
    })
    expect(undone).toEqual([true, false, 1])
    expect(ctx.undo()).toBe(true)
  })

  test('refuses a promise, and a commit inside, also behind a batch', async () => {
    const ctx = createContext()
    const message =
      'rehearse takes a function that is done when it returns; this one gave a promise. Await first, then edit.'
    expect(caught(() => ctx.rehearse(async () => ctx.user('tried')))).toMatchObject({
      code: 'E_CONTENT_INVALID',
      message,
    })
    expect(caught(() => ctx.rehearse(5 as never))).toMatchObject({ code: 'E_CONTENT_INVALID' })
    const refused = { code: 'E_CONFLICT', message: expect.stringContaining('A rehearsal cannot commit') as string }
    expect(caught(() => ctx.rehearse(() => ctx.commit()))).toMatchObject(refused)
    expect(caught(() => ctx.rehearse(() => ctx.batch(() => ctx.commit())))).toMatchObject(refused)
    expect(ctx.thread()).toEqual([])
    const store = await openStore('memory:')
    const stored = await store.create('kept')
    expect(caught(() => stored.rehearse(() => stored.commit()))).toMatchObject({ code: 'E_CONTENT_INVALID' })
    expect(stored.rehearse(() => stored.user('tried').content)).toBe('tried')
    expect((await stored.commit()).thread()).toEqual([])
    await store.close()
  })

  test('leaves no hold on an id that was taken back', () => {
    const ctx = createContext()
    const hold = ctx.rehearse(() => ctx.hold(ctx.user('tried', { ttl: 0 }).id))
    const { id } = ctx.user('made', { ttl: 1 })
    expect(id).toBe(hold.id)
    ctx.commit()
    ctx.commit()
    expect(ctx.node(id)).toBeUndefined()
    hold.release()
  })

  test('gives snapshots that stay readable', () => {
    const ctx = createContext()
    const kept = ctx.rehearse(() => {
      ctx.user('tried')
      return [ctx.preview(), ctx.working]
    })
    ctx.user('made')
    expect(kept.map((each) => each.thread().map(({ content }) => content))).toEqual([['tried'], ['tried']])
  })
})

function caught(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown.')
}

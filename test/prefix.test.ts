// How much of what was sent is a prefix of what would be sent now, and what ended it.

import { describe, expect, it } from 'vitest'

import { createContext, type Context } from '../src/index.js'

function talk(): Context {
  const ctx = createContext()
  ctx.system.add('rules')
  for (let turn = 0; turn < 40; turn++) {
    ctx.user(`question ${turn}`)
    ctx.assistant(`answer ${turn}`)
    ctx.commit()
  }
  return ctx
}

describe('a prefix', () => {
  it('is all of the earlier thread where the later one only adds', () => {
    const ctx = talk()
    const bytes = ctx.threadBytes('@t0').length - 1
    ctx.user('more')
    expect(ctx.prefix('@t0')).toEqual({
      bytes,
      tokens: expect.any(Number) as number,
      total: expect.any(Number) as number,
    })
    expect(ctx.prefix().bytes).toBe(bytes)
    expect(ctx.prefix().total - ctx.prefix().tokens).toBe(ctx.tokens('preview').total - ctx.tokens('@t0').total)
  })

  it('is that of the newest attempt, if one was started', () => {
    const ctx = talk()
    ctx.user('sent')
    ctx.startAttempt({ provider: 'p', model: 'm', params: {} })
    const [id] = ctx.select(".block[content='sent']")
    ctx.undo()
    ctx.user('sent otherwise')
    expect(ctx.prefix().first).toMatchObject({ item: 81, node: id, cause: `${id} is not there any more` })
  })

  it('ends where a node expired, was pruned, edited, deleted, or came in between, and says so', () => {
    const ctx = createContext()
    ctx.system.add('rules', { key: 'rules' })
    ctx.pre('a note', { ttl: 1, key: 'note' })
    ctx.user('question')
    ctx.commit()
    const note = ctx.first('@t0 #note')!.id
    ctx.user('next')
    expect(ctx.prefix('@t0').first).toMatchObject({ item: 1, node: note, cause: `${note} expired in cycle 2` })
    ctx.commit()
    ctx.system.replace('#rules', { content: 'other rules' })
    const rules = ctx.first('#rules')!.id
    expect(ctx.prefix('@t0').first).toMatchObject({
      item: 0,
      node: rules,
      cause: `${rules} edited in cycle 3 (system.replace)`,
    })
    ctx.undo()
    const added = ctx.insert({ content: 'in between' }, '(d1, -1)')
    expect(ctx.prefix('@t0').first).toMatchObject({ node: added.id, cause: `${added.id} came in cycle 3 (insert)` })
  })

  it('of nothing that was sent or committed is refused, and names what may be compared', () => {
    expect(() => createContext().prefix()).toThrow(expect.objectContaining({ code: 'E_SNAPSHOT_NOT_FOUND' }))
    expect(createContext().prefix('working', 'preview')).toEqual({ bytes: 1, tokens: 0, total: 0 })
  })

  it('for something that makes no requests is refused', () => {
    const ctx = talk()
    expect(() => ctx.prefix('@t-1', '@t0', { for: (() => {}) as never })).toThrow(
      expect.objectContaining({ code: 'E_CONTENT_INVALID', details: { name: 'for' } }),
    )
  })
})

describe('the map of a thread', () => {
  it('has the bytes of every item and its tokens', () => {
    const ctx = talk()
    const bytes = ctx.threadBytes('@t0')
    const map = ctx.threadMap('@t0')
    const items = map.map(
      ({ start, end }) => JSON.parse(new TextDecoder().decode(bytes.subarray(start, end))) as unknown,
    )
    expect(items).toEqual(ctx.thread('@t0'))
    expect(map.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(ctx.tokens('@t0').total)
  })
})

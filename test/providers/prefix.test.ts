// The part of the sent request that is a prefix of the next one, and the cause that ended it.

import { describe, expect, it } from 'vitest'

import { toModelMessages } from '../../src/adapters/ai-sdk/index.js'
import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { toGemini } from '../../src/adapters/gemini/index.js'
import { toOpenAIChat } from '../../src/adapters/openai/index.js'
import { createContext, type Context } from '../../src/index.js'

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

  it('is told from the record of an attempt with an adapter once its cycle is closed', () => {
    const ctx = talk()
    ctx.post('for this request alone', { ttl: 1 })
    ctx.user('sent')
    const call = { provider: 'p', model: 'm', params: {} }
    const { snapshot } = ctx.startAttempt({ ...call, for: toAnthropic })
    ctx.assistant('answered')
    const before = ctx.prefix()
    const request = ctx.prefix(undefined, undefined, { for: toAnthropic })
    ctx.commit()
    expect(ctx.prefix()).toEqual(before)
    expect(ctx.prefix(undefined, undefined, { for: toAnthropic })).toEqual(request)
    expect(before.bytes).toBeLessThan(snapshot.threadBytes().length)
    // Without one, only its open cycle knows it.
    ctx.user('more')
    ctx.startAttempt(call)
    ctx.undo()
    expect(ctx.prefix().first).toBeDefined()
    ctx.commit()
    expect(ctx.prefix()).toEqual(ctx.prefix('@t0', '@t0'))
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

  it('names the limit that took a node', () => {
    const ctx = createContext({ countTokens: () => 1, prune: { maxTokens: 2, protectSegments: 1 } })
    for (const text of ['a', 'b', 'c']) {
      ctx.user(text)
      ctx.commit()
    }
    expect(ctx.prefix('@t-1', '@t0').first?.cause).toBe('block:1-1 pruned in cycle 3 (maxTokens)')
    ctx.user('d')
    expect(ctx.prefix('@t0', 'preview').first?.cause).toBe('block:2-1 pruned in cycle 4 (maxTokens)')
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

describe('the prefix of requests', () => {
  const adapters = { toAnthropic, toOpenAIChat, toGemini, toModelMessages }
  it.each(Object.entries(adapters))('of %s is that of their bytes, and names the node that ended it', (_, to) => {
    const ctx = talk()
    const sent = Buffer.from(to(ctx, { lens: '@t-1' }).bytes)
    const grown = ctx.prefix('@t-1', '@t0', { for: to })
    const body = Buffer.from(to(ctx, { lens: '@t0' }).bytes)
    expect(grown.first).toBeUndefined()
    expect(body.subarray(0, grown.bytes)).toEqual(sent.subarray(0, grown.bytes))
    expect(sent.length - grown.bytes).toBeLessThanOrEqual(2)
    const id = ctx.select('(d20) .block')[0]!
    ctx.delete("(d20) .block[role='user']")
    const { first, bytes } = ctx.prefix('@t0', 'preview', { for: to })
    const now = Buffer.from(to(ctx).bytes)
    let same = 0
    while (body[same] === now[same]) same++
    expect({ bytes, byte: first?.byte }).toEqual({ bytes: same, byte: same })
    const item = ctx.thread('@t0').findIndex((entry) => entry.id === id)
    expect(first?.node).toBe(id)
    // Keys next to the list are no item of it.
    expect(first?.item).toBe(to === toOpenAIChat ? item : item - 1)
  })

  it.each(Object.entries(adapters))(
    'of %s ends at a result that expired, and the steps of a loop stay apart',
    (_, to) => {
      const ctx = createContext()
      ctx.user('Look.')
      for (const id of ['a', 'b']) {
        ctx.assistant(`Step ${id}.`)
        ctx.assistant({ name: 'look', arguments: { id } }, { kind: 'call', data_call_id: id })
        ctx.tool(`result ${id}`, { kind: 'result', data_call_id: id, ttl: 1 })
      }
      ctx.assistant('Done.')
      ctx.commit()
      const before = new TextDecoder().decode(to(ctx).bytes)
      ctx.user('Thanks.')
      ctx.commit()
      const after = new TextDecoder().decode(to(ctx).bytes)
      const gone = ctx.prefix('@t-1', '@t0', { for: to }).first
      expect(gone?.cause).toMatch(/^block:1-4 expired in cycle 2$/)
      // Text after a result stays behind the replacement of the result.
      const order = (text: string): number[] => ['Step a', 'Step b', 'Done'].map((said) => text.indexOf(said))
      expect(order(after)[2]).toBeGreaterThan(after.lastIndexOf('no longer in context'))
      expect(order(before)).toEqual(order(before).toSorted((a, b) => a - b))
      expect(order(after)).toEqual(order(after).toSorted((a, b) => a - b))
    },
  )

  it.each(Object.entries(adapters))('of %s has the tokens of its nodes, each once, after every edit', (_, to) => {
    const ctx = createContext({ countTokens: (text) => text.length })
    ctx.system.add('rules', { key: 'rules' })
    const edits = [
      () => ctx.pre('note', { ttl: 2 }),
      () => ctx.assistant({ name: 'look', arguments: {} }, { kind: 'call', data_call_id: 'a' }),
      () => ctx.tool('a result', { kind: 'result', data_call_id: 'a', ttl: 1 }),
      () => ctx.system.replace('#rules', { content: 'other rules' }),
      () => ctx.delete("^seq .block[role='user']", {}),
      () => ctx.forget("^seq .block[kind='call']"),
    ]
    for (const [turn, edit] of [...edits, ...Array.from({ length: 40 }, () => () => undefined)].entries()) {
      ctx.user(`question ${turn}`)
      edit()
      ctx.commit()
      if (turn === 0) continue
      const { bytes, tokens, total } = ctx.prefix('@t-1', '@t0', { for: to })
      const own = new Map(to(ctx).sourceMap.map(({ node, end, tokens: count }) => [node, { end, count }]))
      const sum = (nodes: readonly { count: number }[]): number => nodes.reduce((all, { count }) => all + count, 0)
      expect([turn, total]).toEqual([turn, sum([...own.values()])])
      expect([turn, tokens]).toEqual([turn, sum([...own.values()].filter(({ end }) => end <= bytes))])
    }
  })

  it.each(Object.entries(adapters))('of %s names a second system text, and not the first', (_, to) => {
    const ctx = talk()
    const second = ctx.system.add('more rules').id
    expect(ctx.prefix('@t0', 'preview', { for: to }).first?.cause).toMatch(`${second} came in cycle`)
    ctx.commit()
    ctx.system.delete(`[id='${second}']`)
    expect(ctx.prefix('@t0', 'preview', { for: to }).first?.cause).toMatch(`${second} deleted in cycle`)
  })

  it.each(Object.entries(adapters))('of %s names a block that was moved, and not its neighbour', (_, to) => {
    const ctx = createContext()
    for (const turn of [1, 2, 3]) {
      ctx.user(`question ${turn}`)
      ctx.post(`document ${turn}`, { key: `doc${turn}` })
      ctx.assistant(`answer ${turn}`)
      ctx.commit()
    }
    const [moved] = ctx.select('#doc2')
    ctx.move('#doc2', { depth: 0, zone: 'post' })
    expect(ctx.prefix('@t0', 'preview', { for: to }).first).toMatchObject({
      node: moved,
      cause: expect.stringMatching(`${moved} moved in cycle 4`) as unknown,
    })
  })

  it.each(Object.entries(adapters))('of %s knows whose the system text is', (_, to) => {
    const ctx = talk()
    ctx.system.replace('^sys .block', { content: 'other rules' })
    expect(ctx.prefix('@t0', 'preview', { for: to }).first).toMatchObject({
      item: 0,
      node: ctx.select('^sys .block')[0],
    })
  })
})

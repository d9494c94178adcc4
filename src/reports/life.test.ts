// Lives of single nodes: the open cycle, imports, ids that are given again, forks. That runs and events are those
// which the snapshots show is a law of its own, test/laws/life-laws.test.ts.

import { describe, expect, it } from 'vitest'

import { createContext, importSnapshot, PactError, type Life } from '../index.js'

/** Events as `cycle what by`. */
function told({ events }: Life): string[] {
  return events.map(({ cycle, what, by }) => [cycle, what, by].filter((part) => part !== undefined).join(' '))
}

describe('life', () => {
  it('tells of the open cycle, which no run covers yet', () => {
    const ctx = createContext()
    const { id } = ctx.post('draft', { key: 'plan' })
    expect(ctx.life(id)).toEqual({ runs: [], events: [{ cycle: 1, what: 'created', by: 'post' }] })
    ctx.commit()
    ctx.commit()
    expect(ctx.life(id)).toEqual({
      runs: [{ from: 1, to: 2 }],
      events: [
        { cycle: 1, what: 'created', by: 'post' },
        { cycle: 1, what: 'sealed' },
      ],
    })
    ctx.update('#plan', { priority: 3 })
    expect(told(ctx.life(id)).at(-1)).toBe('3 edited update')
    ctx.undo()
    expect(told(ctx.life(id)).at(-1)).toBe('1 sealed')
    ctx.move('#plan', { depth: 0, zone: 'post' })
    expect(told(ctx.life(id)).at(-1)).toBe('3 moved move')
    ctx.delete('#plan')
    expect(told(ctx.life(id)).at(-1)).toBe('3 dropped')
    expect(ctx.life(id).runs).toEqual([{ from: 1, to: 2 }])
  })

  it('names who took its place, the limit that took it, and a ttl that ran out', () => {
    const ctx = createContext({ prune: { maxDepth: 2, protectSegments: 0 } })
    const replaced = ctx.user('replaced')
    const deleted = ctx.user('deleted')
    const brief = ctx.post('brief', { ttl: 2 })
    ctx.commit()
    const [next] = ctx.replace(`[id='${replaced.id}']`, { content: 'better' })
    const [marker] = ctx.delete(`[id='${deleted.id}']`)
    ctx.user('two')
    ctx.commit()
    ctx.commit()
    ctx.user('four')
    ctx.commit()
    expect(told(ctx.life(replaced.id)).at(-1)).toBe(`2 superseded ${next!.id}`)
    expect(told(ctx.life(deleted.id)).at(-1)).toBe(`2 redacted ${marker!.id}`)
    expect(told(ctx.life(brief.id))).toEqual(['1 created post', '1 sealed', '3 expired'])
    expect(told(ctx.life(marker!.id))).toEqual(['2 created delete', '4 pruned maxDepth'])
    expect(ctx.life(next!.id)).toEqual({
      runs: [{ from: 2, to: 3 }],
      events: [
        { cycle: 2, what: 'created', by: 'replace' },
        { cycle: 4, what: 'pruned', by: 'maxDepth' },
      ],
    })
  })

  it('tells what happens to a node with the container around it', () => {
    const ctx = createContext()
    ctx.add(undefined, { zone: 'pre', key: 'box', children: [{ content: 'inside' }] })
    const [inside] = ctx.first('#box')!.children
    ctx.commit()
    ctx.move('#box', { depth: 0, zone: 'post' })
    ctx.commit()
    ctx.replace('#box', { tags: ['new'] })
    ctx.commit()
    expect(told(ctx.life(inside!.id))).toEqual([
      '1 created add',
      '1 sealed',
      '2 moved move',
      '2 sealed',
      '3 moved replace',
    ])
  })

  it('tells a demotion from a move, and a schedule from a call', () => {
    const ctx = createContext()
    ctx.user('one')
    ctx.commit()
    const old = ctx.post('old', { key: 'note' })
    ctx.commit()
    ctx.insert({ content: 'new', key: 'note' }, '(d1, end)')
    const clock = ctx.pre('tick', { key: 'clock', cad: 1, ttl: 1 })
    ctx.commit()
    expect(told(ctx.life(old.id))).toEqual(['2 created post', '2 sealed', '3 demoted'])
    const [again] = ctx.nodes('d0 #clock')
    expect(told(ctx.life(again!.id))).toEqual(['4 cadence'])
    ctx.commit()
    expect(told(ctx.life(again!.id))).toEqual(['4 cadence', '4 sealed'])
    expect(told(ctx.life(clock.id)).at(-1)).toBe('4 expired')
  })

  it('says that nodes left for a summary and came back, and that the summary went', () => {
    const ctx = createContext()
    ctx.user('one')
    const step = ctx.assistant('two')
    ctx.user('three')
    ctx.commit()
    const { id } = ctx.compact(ctx.planCompaction({ keep: 1 }), 'sum')
    ctx.commit()
    ctx.expand(id)
    ctx.commit()
    expect(told(ctx.life(step.id))).toEqual(['1 created assistant', '1 sealed', `2 compacted ${id}`, '3 expanded'])
    expect(told(ctx.life(id))).toEqual(['2 created compact', '3 dropped expand'])
    expect(ctx.life(step.id).runs).toEqual([
      { from: 1, to: 1 },
      { from: 3, to: 3 },
    ])
  })

  it('begins with the import, whose head the next commit seals', () => {
    const block = { id: 'b', nodeType: 'block', content: 'hi', cycle: 3 }
    const core = { id: 'core', nodeType: 'cont', offset: 0, children: [block] }
    const ctx = importSnapshot({ cycle: 7, root: { children: [{ id: 'ah', nodeType: '^ah', children: [core] }] } })
    expect(ctx.life('b')).toEqual({ runs: [{ from: 7, to: 7 }], events: [{ cycle: 7, what: 'imported' }] })
    ctx.commit()
    expect(ctx.life('b')).toEqual({
      runs: [{ from: 7, to: 8 }],
      events: [
        { cycle: 7, what: 'imported' },
        { cycle: 8, what: 'sealed' },
      ],
    })
    expect(told(ctx.life('ah'))).toEqual(['7 imported'])
  })

  it('has a run for every node that an id was given to', () => {
    const ctx = createContext({
      ids: ({ nodeType, index, cycle }) => (nodeType === 'note' ? 'n' : `${cycle}-${index}`),
    })
    for (const content of ['first', 'second']) {
      ctx.post(content, { nodeType: 'note', ttl: 1 })
      ctx.commit()
      ctx.commit()
      ctx.commit()
    }
    ctx.post('third', { nodeType: 'note' })
    expect(ctx.life('n')).toEqual({
      runs: [
        { from: 1, to: 1 },
        { from: 4, to: 4 },
      ],
      events: [
        { cycle: 1, what: 'created', by: 'post' },
        { cycle: 1, what: 'sealed' },
        { cycle: 2, what: 'expired' },
        { cycle: 4, what: 'created', by: 'post' },
        { cycle: 4, what: 'sealed' },
        { cycle: 5, what: 'expired' },
        { cycle: 7, what: 'created', by: 'post' },
      ],
    })
  })

  it('tells the past that a fork shares, also through forks of forks, and not what its parent did since', () => {
    const ctx = createContext()
    const gone = ctx.post('gone', { ttl: 1 })
    const kept = ctx.system.add('rules')
    ctx.commit()
    ctx.commit()
    let fork = ctx.fork()
    // Beyond sixteen hops a fork indexes its own tree, which has no nodes that left before.
    for (let hop = 0; hop < 40; hop++) fork = fork.fork()
    ctx.system.delete('.block')
    ctx.commit()
    fork.system.update('.block', { priority: 5 })
    fork.commit()
    expect(told(fork.life(gone.id))).toEqual(['1 created post', '1 sealed', '2 expired'])
    expect(fork.life(kept.id)).toEqual({
      runs: [{ from: 1, to: 3 }],
      events: [
        { cycle: 1, what: 'created', by: 'system.add' },
        { cycle: 3, what: 'edited', by: 'system.update' },
      ],
    })
    expect(told(ctx.life(kept.id)).at(-1)).toBe('3 dropped')
  })

  it('names every one of many versions', () => {
    const ctx = createContext()
    const { id } = ctx.system.add('0')
    for (let cycle = 1; cycle <= 40; cycle++) {
      if (cycle > 1) ctx.system.replace('.block', { content: `${cycle}` })
      ctx.commit()
    }
    const { runs, events } = ctx.life(id)
    expect(runs).toEqual([{ from: 1, to: 40 }])
    expect(events.map(({ cycle }) => cycle)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1))
    expect(new Set(events.slice(1).map(({ what, by }) => `${what} ${by}`))).toEqual(new Set(['edited system.replace']))
    for (const part of [events, runs, events[0], runs[0]]) expect(Object.isFrozen(part)).toBe(true)
  })

  it('refuses an id that nobody knows', () => {
    const ctx = createContext()
    const { id } = ctx.user('never committed', { ttl: 0 })
    ctx.commit()
    for (const unknown of ['nobody', id]) {
      let error: unknown
      try {
        ctx.life(unknown)
      } catch (thrown) {
        error = thrown
      }
      expect(PactError.is(error) && [error.code, error.details]).toEqual(['E_NODE_NOT_FOUND', { id: unknown }])
    }
    expect(told(ctx.life('root'))).toEqual(['1 created createContext'])
  })
})

// Comparisons of a context with its forks, the calls from before a fork, and the figures behind the pictures of the inspector.

import { beforeAll, describe, expect, test } from 'vitest'
import type { Lens } from 'pact-context'
import { toAnthropic } from 'pact-context/anthropic'
import { openStore, type Store } from 'pact-context/store'

import { addAgentStory } from '../../demo/agent-story.mjs'
import { HANDLERS, storePool, timeline, type ContextPool } from '../../src/commands/index.js'

const { changes, cycle, prefix, summary, tokenMap } = HANDLERS
let store: Store
let pool: ContextPool
beforeAll(async () => {
  store = await openStore('memory:')
  await addAgentStory(store, 'agent', toAnthropic)
  pool = storePool(store)
})

/** The blocks of a snapshot. */
async function blocks(id: string, at: Lens): Promise<readonly string[]> {
  return (await store.open(id)).snapshot(at).select('.block')
}

describe('two contexts', () => {
  test.each([
    ['agent', '@c30', 'agent-try-b', '@c20', 12],
    ['agent-try-b', '@c20', 'agent', '@c30', 12],
    ['agent', '@c15', 'agent-deeper', '@c16', 12],
    ['agent-try-b', '@c14', 'agent-deeper', '@c16', 14],
    ['agent', '@c5', 'agent-try-b', '@c20', 5],
    ['agent', '@c12', 'agent-try-b', '@c12', 12],
  ] as const)('%s%s and %s%s: what only one has, by id', async (other, a, id, b, common) => {
    const found = await changes(pool, { id, other, a, b, rows: 1000, without: ['aged'] })
    const [before, after] = [await blocks(other, a), await blocks(id, b)]
    expect(found.common).toBe(common)
    const rows = (group: string): readonly string[] =>
      found.rows
        .filter((row) => row.group === group)
        .map((row) => row.id)
        .toSorted()
    expect(rows('Left')).toEqual(before.filter((each) => !after.includes(each)).toSorted())
    expect(rows('Came')).toEqual(after.filter((each) => !before.includes(each)).toSorted())
    expect(found.groups.Left ?? 0).toBe(rows('Left').length)
    // A node from before the fork was lost by one of them; any other one was made by its own.
    const shared = await blocks(id, `@c${common}`)
    for (const row of found.rows.filter(({ group }) => group === 'Left' || group === 'Came')) {
      expect([row.id, row.cause === 'created']).toEqual([row.id, !shared.includes(row.id)])
    }
    const same = await prefix(pool, { id, other, a, b, for: 'anthropic' })
    expect(same.common).toBe(common)
    expect(same.sizes.b).toBe(toAnthropic(await store.open(id), { lens: b }).bytes.length)
  })

  test('the first difference is named by the context that made it', async () => {
    const lost = await prefix(pool, { id: 'agent-try-b', other: 'agent', a: '@c30', b: '@c20' })
    expect(lost.first?.cause).toBe('block:1-3 pruned in cycle 22 (maxTokens ^seq) of agent')
    const back = await prefix(pool, { id: 'agent', other: 'agent-try-b', a: '@c20', b: '@c30' })
    expect(back.first?.cause).toBe('block:1-3 pruned in cycle 22 (maxTokens ^seq) of agent')
    const own = await prefix(pool, { id: 'agent-try-b', other: 'agent', a: '@c15', b: '@c20' })
    expect(own.first?.cause).toBe('block:f1:13-1 came in cycle 13 of agent-try-b')
    expect(own.first?.node).toBe('block:f1:13-1')
  })

  test('only snapshots of contexts that exist are compared; the context itself is no other one', async () => {
    const ask = (other: string, a: Lens): Promise<unknown> => changes(pool, { id: 'agent-try-b', other, a, b: '@c20' })
    await expect(ask('agent', 'working')).rejects.toMatchObject({ code: 'E_CONTENT_INVALID' })
    await expect(ask('nobody', '@c1')).rejects.toMatchObject({ code: 'E_STORE' })
    await expect(ask('agent', '@c31')).rejects.toMatchObject({ code: 'E_SNAPSHOT_NOT_FOUND' })
    expect(await ask('agent-try-b', '@c19')).not.toHaveProperty('common')
    await store.create('stranger').then(async (ctx) => {
      ctx.user('Hi')
      await ctx.commit()
    })
    expect(await ask('stranger', '@c1')).toMatchObject({ common: 0, groups: { Left: 1 } })
  })

  test('a fork has the calls from before it, each with the context that made it', async () => {
    const { columns } = await timeline(pool, { id: 'agent-deeper' })
    const before = (at: number): string | undefined => columns.find((column) => column.cycle === at)?.before?.context
    expect([1, 12, 13, 14, 15].map(before)).toEqual(['agent', 'agent', 'agent-try-b', 'agent-try-b', undefined])
    const { before: past, attempts } = await cycle(pool, { id: 'agent-deeper', at: '@c13' })
    expect(attempts).toEqual([])
    expect(past?.attempts.map(({ attempt_id: id }) => id)).toEqual(['attempt:f1:13-0', 'attempt:f1:13-1'])
    expect(await cycle(pool, { id: 'agent', at: '@c13' })).not.toHaveProperty('before')
  })
})

describe('the figures behind the pictures', () => {
  test.each(['role', 'name', 'kind'] as const)('the groups of every column by %s are those of tokens', async (by) => {
    const ctx = await store.open('agent')
    const { columns, limits } = await timeline(pool, { id: 'agent', by, open: true })
    expect(limits).toEqual([{ rule: 'maxTokens ^seq', limit: 9000 }])
    const sends = columns.flatMap(({ cycle: at, open, sends: calls, ...own }) => [
      ...(open === true ? [] : [{ lens: `@c${at}` as Lens, figures: own }]),
      ...calls.flatMap(({ attempt, figures }) => (figures === undefined ? [] : [{ lens: attempt as Lens, figures }])),
    ])
    expect(sends.length).toBe(90)
    for (const { lens, figures } of sends) {
      const sums = Object.fromEntries(figures.groups!.map(({ name, tokens }) => [name, tokens]))
      expect(sums).toEqual(ctx.tokens(lens, { by }).by)
      const repeated = figures.groups!.reduce((sum, each) => sum + each.repeated, 0)
      expect(repeated).toBeLessThanOrEqual(figures.prefix.tokens)
      // A node is repeated whole, so at most one of them is missing.
      expect(figures.prefix.tokens - repeated).toBeLessThan(5000)
    }
  })

  test('the map has all tokens of a tree, in the order of its thread, in few entries', async () => {
    const ctx = await store.open('agent')
    for (const at of ['attempt:17-1', '@c21', '@c30', 'working'] as const) {
      const { total, turns } = await tokenMap(pool, { id: 'agent', at })
      expect(total).toBe(ctx.tokens(at).total)
      expect(turns.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(total)
      const thread = ctx
        .snapshot(at)
        .thread()
        .map(({ id }) => id)
      const nodes = turns.flatMap((turn) => {
        expect(turn.nodes.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(turn.tokens)
        return turn.nodes
      })
      const places = nodes.map(({ id }) => thread.indexOf(id))
      expect(places).toEqual(places.toSorted((x, y) => x - y))
    }
    const long = await store.create('long')
    for (let turn = 1; turn <= 1500; turn++) {
      long.user(`Question ${turn}`)
      await long.commit()
    }
    const { turns, total } = await tokenMap(pool, { id: 'long' })
    expect(total).toBe(long.tokens('@t0').total)
    expect(turns.length).toBeLessThan(320)
    expect(turns.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(total)
    expect(turns.at(-1)!.to).toBe(1500)
    for (const [i, { from }] of turns.slice(1).entries()) expect(from).toBe(turns[i]!.to + 1)
  })

  test('calls have what their provider billed; a summary has the format of the last call', async () => {
    const { columns } = await timeline(pool, { id: 'agent', from: 9, to: 9 })
    const [{ input } = { input: 0 }] = columns[0]!.sends.flatMap(({ billed }) => billed ?? [])
    expect(input).toBeGreaterThan(1000)
    expect(columns[0]!.sends.map(({ billed }) => billed?.read)).toEqual([0, 0])
    expect((await summary(pool, { id: 'agent' })).format).toBe('anthropic')
    expect(await summary(pool, { id: 'stranger' })).not.toHaveProperty('format')
  })

  test('the limits of a policy are known without a commit that exceeds them', async () => {
    const { createContext } = await import('pact-context')
    const { memoryPool } = await import('../../src/commands/index.js')
    const ctx = createContext({ id: 'a', prune: { maxTokens: 500 } })
    ctx.user('Hi')
    ctx.commit()
    expect((await timeline(memoryPool(ctx), { id: 'a' })).limits).toEqual([{ rule: 'maxTokens', limit: 500 }])
  })
})

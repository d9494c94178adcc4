// The commands over their pools: commits of other processes are seen, missing history is loaded, operations of a read leave nothing.

import { describe, expect, test, vi } from 'vitest'
import { createContext, type Lens } from 'pact-context'
import { openStore, type Store } from 'pact-context/store'
import {
  commitOperations,
  memoryPool,
  describeContext,
  diffSnapshots,
  eraseNodes,
  explainNode,
  forkContext,
  fsckStore,
  importConversation,
  lintText,
  listAttempts,
  listContexts,
  listSnapshots,
  logCycles,
  makeContext,
  previewOperations,
  readCycle,
  readExport,
  readNames,
  readNode,
  readPrefix,
  readThread,
  readTokens,
  readTree,
  recordAttempt,
  removeContext,
  renderRequest,
  replayStore,
  selectNodes,
  storePool,
  timeline,
  watchContext,
  type ContextPool,
} from '../../src/commands/index.js'

const USER = [{ op: 'user', content: 'And then?' }] as const

/** A store with one context of many turns; a node with a ttl in each. */
async function grown(turns = 30, id = 'a'): Promise<Readonly<{ store: Store; pool: ContextPool }>> {
  const store = await openStore('memory:')
  const ctx = await store.open(id)
  ctx.system.add('Be brief.')
  for (let turn = 1; turn <= turns; turn++) {
    ctx.pre(`Plan ${turn}`, { key: 'plan', ttl: 3 })
    ctx.user(`Question ${turn}`)
    ctx.assistant(`Answer ${turn}`, { tags: ['said'] })
    await ctx.commit()
  }
  return { store, pool: storePool(store) }
}

test('a summary says what comes next, and which calls wait for a result', async () => {
  const { store, pool } = await grown(1)
  const ask = async (): Promise<unknown> => {
    const { due, openCalls } = await describeContext(pool, { id: 'a' })
    return { due, openCalls }
  }
  expect(await ask()).toEqual({ due: 'user', openCalls: [] })
  const ctx = await store.open('a')
  ctx.user('Look.')
  ctx.assistant({ name: 'look', arguments: { at: 1 } }, { kind: 'call', data_call_id: 'c1' })
  ctx.assistant({ name: 'look', arguments: '{"at":' }, { kind: 'call', data_call_id: 'c2' })
  await ctx.commit()
  expect(await ask()).toEqual({
    due: 'calls',
    openCalls: [
      { id: 'c1', name: 'look', arguments: { at: 1 }, argumentsText: '{"at":1}' },
      { id: 'c2', name: 'look', argumentsText: '{"at":' },
    ],
  })
  ctx.assistant({ acme: 1 }, { kind: 'call', data_format: 'acme' })
  await ctx.commit()
  expect(await ask()).toEqual({ due: null, openCalls: [] })
})

describe('a pool over a store', () => {
  test('sees what others commit, erase, delete and make again', async () => {
    const { store, pool } = await grown(3)
    expect((await describeContext(pool, { id: 'a' })).cycle).toBe(3)
    const other = await store.open('a')
    other.user('From elsewhere')
    await other.commit()
    expect((await describeContext(pool, { id: 'a' })).cycle).toBe(4)
    expect(await selectNodes(pool, { id: 'a', selector: "@t0 [content='From elsewhere']" })).toMatchObject({ count: 1 })
    await eraseNodes(pool, { id: 'a', selector: "[content='From elsewhere']" })
    expect(new TextDecoder().decode((await readThread(pool, { id: 'a' })).bytes)).not.toContain('elsewhere')
    expect((await describeContext(pool, { id: 'a' })).epoch).toBe(1)
    await store.delete('a')
    await expect(describeContext(pool, { id: 'a' })).rejects.toMatchObject({
      code: 'E_STORE',
      details: { reason: 'missing' },
    })
    await makeContext(pool, { id: 'a' })
    expect(await describeContext(pool, { id: 'a' })).toMatchObject({ cycle: 0, nodes: 4, first: 0, kept: 0 })
    await store.close()
  })

  test('closes contexts beyond its bytes, and answers for all', async () => {
    const store = await openStore('memory:')
    const pool = storePool(store, { cacheBytes: 30_000 })
    for (const id of ['a', 'b', 'c', 'd']) {
      await makeContext(pool, { id })
      await commitOperations(pool, { id, base: 0, operations: [{ op: 'user', content: id }] })
    }
    for (const id of ['d', 'a', 'c', 'b', 'a']) {
      expect(new TextDecoder().decode((await readThread(pool, { id })).bytes)).toContain(`"content":"${id}"`)
    }
    await store.close()
  })

  test('loads the history that a read needs, whatever names it', async () => {
    const { store, pool } = await grown(60)
    const whole = await store.open('a', { history: 'all' })
    expect(await readThread(pool, { id: 'a', lens: '@c1' })).toEqual({ bytes: whole.threadBytes('@c1') })
    expect(await readExport(pool, { id: 'a', lens: '@t-59' })).toMatchObject({ bytes: whole.export('@c1') })
    expect(await selectNodes(pool, { id: 'a', selector: '@c2 .block' })).toMatchObject({
      ids: whole.select('@c2 .block'),
    })
    expect(await selectNodes(pool, { id: 'a', selector: '@* #plan' })).toMatchObject({ ids: whole.select('@* #plan') })
    expect(await diffSnapshots(pool, { id: 'a', a: '@c3', b: '@t0' })).toEqual(
      JSON.parse(JSON.stringify(whole.diff('@c3', '@t0'))),
    )
    expect((await readNode(pool, { id: 'a', node: 'block:2-2' })).life).toEqual(whole.life('block:2-2'))
    expect((await explainNode(pool, { id: 'a', node: 'block:2-2' })).words).toBe(
      String(whole.explain('block:2-2', '@t0')),
    )
    expect(await readPrefix(pool, { id: 'a', a: '@c5', b: '@c6' })).toEqual({
      ...whole.prefix('@c5', '@c6'),
      sizes: { a: whole.threadBytes('@c5').length, b: whole.threadBytes('@c6').length },
    })
    await expect(readThread(pool, { id: 'a', lens: '@c99' })).rejects.toMatchObject({ code: 'E_SNAPSHOT_NOT_FOUND' })
    await store.close()
  })

  test('many reads and commits at once get in nobody’s way', async () => {
    const { store, pool } = await grown(40)
    const reads = Array.from({ length: 60 }, async (_, i) => {
      const lens = `@c${(i % 40) + 1}` as const
      const { bytes } = await readThread(pool, { id: 'a', lens })
      return [lens, new TextDecoder().decode(bytes)] as const
    })
    const previews = Array.from({ length: 10 }, () => previewOperations(pool, { id: 'a', operations: USER }))
    const commits = Array.from({ length: 5 }, (_, i) =>
      commitOperations(pool, { id: 'a', operations: [{ op: 'user', content: `at once ${i}` }] }),
    )
    const whole = await store.open('a', { history: 'all' })
    for (const [lens, text] of await Promise.all(reads))
      expect(text).toBe(new TextDecoder().decode(whole.threadBytes(lens)))
    await Promise.all(previews)
    expect((await Promise.all(commits)).map(({ cycle }) => cycle)).toEqual([41, 42, 43, 44, 45])
    await store.close()
  })

  test('nothing is left of what was tried: no node, no id', async () => {
    const { store, pool } = await grown(3)
    const tried = await previewOperations(pool, { id: 'a', operations: USER, thread: true })
    expect(tried.thread?.at(-1)?.content).toBe('And then?')
    await expect(
      previewOperations(pool, { id: 'a', operations: [...USER, { op: 'delete', selector: '#nobody' }] }),
    ).rejects.toMatchObject({
      details: { operation: 1 },
    })
    for (const read of [readTree, readNames, readCycle, readThread, timeline, readTokens] as const)
      await read(pool, { id: 'a', operations: USER })
    const { ids } = await commitOperations(pool, { id: 'a', base: 3, operations: USER })
    expect(ids).toEqual(tried.ids)
    await expect(readTree(pool, { id: 'a', base: 3, operations: USER })).rejects.toMatchObject({
      code: 'E_CONFLICT',
      details: { cycle: 4, head: 4 },
    })
    await store.close()
  })

  test('a commit whose edits cannot be made leaves the context as it was', async () => {
    const { store, pool } = await grown(2)
    const before = await readExport(pool, { id: 'a' })
    await expect(
      commitOperations(pool, {
        id: 'a',
        base: 2,
        operations: [...USER, { op: 'user', content: 'x', header: { ttl: -3 } }],
      }),
    ).rejects.toMatchObject({
      code: 'E_TTL_INVALID',
      details: { operation: 1 },
    })
    expect(await readExport(pool, { id: 'a' })).toEqual(before)
    expect((await commitOperations(pool, { id: 'a', base: 2, operations: USER })).cycle).toBe(3)
    await store.close()
  })

  test('a watch tells what comes after a cycle, and ends with its signal', async () => {
    const { store, pool } = await grown(3)
    const ending = new AbortController()
    const seen: object[] = []
    const watching = (async () => {
      for await (const event of watchContext(pool, { id: 'a', from: 1 }, { signal: ending.signal })) {
        seen.push(event)
        if (seen.length === 3) ending.abort()
      }
    })()
    await commitOperations(pool, { id: 'a', base: 3, operations: USER })
    await watching
    expect(seen).toMatchObject([2, 3, 4].map((cycle) => ({ kind: 'commit', cycle })))
    await store.close()
  })
})

describe('cycles', () => {
  test('are listed and told from the newest on, in pages', async () => {
    const { store, pool } = await grown(30)
    const whole = await store.open('a', { history: 'all' })
    const first = await listSnapshots(pool, { id: 'a', limit: 4 })
    expect(first.snapshots.map(({ cycle }) => cycle)).toEqual([30, 29, 28, 27])
    expect(first.before).toBe(27)
    const last = await listSnapshots(pool, { id: 'a', limit: 4, before: 3 })
    expect([last.snapshots.map(({ cycle }) => cycle), last.before]).toEqual([[2, 1], undefined])
    for (const line of [...first.snapshots, ...last.snapshots]) {
      const snapshot = whole.snapshot(`@c${line.cycle}`)
      expect(line).toMatchObject({
        bytes: snapshot.threadBytes().length,
        items: snapshot.thread().length,
        tokens: snapshot.tokens().total,
        receipt: snapshot.receipt,
        ref: whole.snapshots().find(({ cycle }) => cycle === line.cycle),
      })
    }
    const log = await logCycles(pool, { id: 'a', limit: 2 })
    expect(log.cycles[0]).toMatchObject({
      cycle: 30,
      added: 3,
      removed: 1,
      changed: 0,
      causes: { created: 3, expired: 1 },
    })
    expect(log.cycles[0]!.words).toMatch(/^3 new, 1 expired; \d+ tokens; prefix ends at block:27-0: expired$/)
    expect(await logCycles(pool, { id: 'a', before: 1 })).toEqual({ cycles: [] })
    await store.close()
  })

  test('going back page by page opens the past a few times, not once a page', async () => {
    const { store, pool } = await grown(1400)
    const opened = vi.spyOn(store, 'openAt')
    const words: string[] = []
    let before: number | undefined
    let pages = 0
    do {
      const page = await logCycles(pool, { id: 'a', limit: 100, ...(before === undefined ? {} : { before }) })
      words.push(...page.cycles.map((line) => line.words))
      before = page.before
      // The newest ones are read in the context that is open anyway.
      if (++pages === 4) expect(opened).toHaveBeenCalledTimes(1)
    } while (before !== undefined)
    expect([words.length, pages]).toEqual([1400, 14])
    expect(opened.mock.calls.length).toBeLessThanOrEqual(4)
    // From another pool, in one piece.
    const whole = await logCycles(storePool(store), { id: 'a', limit: 1000, before: 1001 })
    expect(words.slice(400)).toEqual(whole.cycles.map((line) => line.words))
    await store.close()
  })

  test('a cycle is told with its calls, each against the send before it, also where these are long past', async () => {
    const store = await openStore('memory:')
    const ctx = await store.open('a')
    const { toOpenAIChat } = await import('pact-context/openai')
    const call = { provider: 'p', model: 'm', params: {}, for: toOpenAIChat }
    for (let turn = 1; turn <= 30; turn++) {
      ctx.user(`Question ${turn}`, { ttl: 2 })
      if (turn % 3 === 0) ctx.startAttempt(call).cancel()
      if (turn % 3 === 0) ctx.tool(`Result ${turn}`)
      if (turn % 3 !== 1) ctx.startAttempt(call).complete()
      ctx.assistant(`Answer ${turn}`)
      await ctx.commit()
      if (turn % 3 === 1) ctx.startAttempt({ ...call, lens: '@t0' }).complete()
    }
    ctx.user('Still open')
    ctx.startAttempt({ provider: 'p', model: 'm', params: {} }).fail(new Error('no'))
    await ctx.flush()
    const whole = await store.open('a', { history: 'all' })
    const { columns } = await timeline(storePool(store), { id: 'a', from: 4, to: 12 })
    let before = whole.attempts().findLast((each) => each.cycle_id === 3)!.attempt_id as Lens
    for (const { cycle, sends, ...own } of columns) {
      const lenses: Lens[] = []
      for (const { attempt, sent, figures } of sends) {
        const lens: Lens = sent === 'snapshot' ? `@c${cycle}` : (attempt as Lens)
        const shown = figures ?? own
        const prefix = whole.prefix(before, lens)
        expect([shown.items, shown.prefix.tokens, shown.prefix.broken]).toEqual([
          whole.thread(lens).length,
          prefix.tokens,
          prefix.first !== undefined,
        ])
        before = lens
        lenses.push(lens)
      }
      expect(lenses).toHaveLength(cycle % 3 === 0 ? 2 : 1)
    }
    const { columns: newest } = await timeline(storePool(store), { id: 'a', from: 30, open: true })
    expect(newest.at(-1)).toMatchObject({ cycle: 31, open: true, sends: [{ status: 'error', sent: 'untold' }] })
    await store.close()
  })

  test('a column says what the library says, in less than 450 bytes', async () => {
    const { store, pool } = await grown(40)
    const whole = await store.open('a', { history: 'all' })
    await recordAttempt(pool, { id: 'a', provider: 'p', model: 'm', params: {}, for: 'anthropic' })
    const { columns, first, newest, bins } = await timeline(pool, { id: 'a', from: 1, bins: 7, for: 'anthropic' })
    const { toAnthropic } = await import('pact-context/anthropic')
    expect([first, newest, columns.length]).toEqual([1, 40, 40])
    for (const column of columns) {
      expect(JSON.stringify(column).length).toBeLessThan(450)
      expect(column.runs.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(column.tokens)
      if (column.cycle === 1) continue
      const prefix = whole.prefix(`@c${column.cycle - 1}`, `@c${column.cycle}`, { for: toAnthropic })
      expect(column.prefix.tokens).toBe(prefix.tokens)
      expect(column.prefix.node).toBe(prefix.first?.node)
      expect(column.runs.filter(({ same }) => same).reduce((sum, { tokens }) => sum + tokens, 0)).toBe(prefix.tokens)
    }
    expect(columns.at(-1)!.sends).toEqual([
      { attempt: expect.any(String), format: 'anthropic', status: 'completed', sent: 'snapshot' },
    ])
    expect(bins!.map(({ from, to }) => to - from + 1)).toEqual([6, 6, 6, 6, 6, 6, 4])
    expect(bins!.reduce((sum, { broken }) => sum + broken, 0)).toBe(
      columns.filter(({ prefix }) => prefix.broken).length,
    )
    const middle = await timeline(pool, { id: 'a', from: 10, to: 12, for: 'anthropic' })
    expect(middle.columns).toEqual(columns.slice(9, 12))
    const open = await timeline(pool, { id: 'a', from: 40, operations: USER })
    expect(open.columns.at(-1)).toMatchObject({ cycle: 41, open: true })
    await store.close()
  })

  test('a timeline is whole while others commit', async () => {
    const { store, pool } = await grown(60)
    const round = { isOver: false }
    // Of the same open context, which lets go of its oldest snapshot each time.
    const writing = (async () => {
      while (!round.isOver) {
        await commitOperations(pool, { id: 'a', operations: USER })
        // A store in memory never waits for anything, so no other request would have a turn.
        await new Promise((resolve) => setImmediate(resolve))
      }
    })()
    for (let times = 0; times < 5; times++) {
      const { columns, newest } = await timeline(storePool(store), { id: 'a' })
      expect(columns.map(({ cycle }) => cycle)).toEqual(Array.from({ length: newest }, (_, i) => i + 1).slice(-200))
      const recent = await timeline(pool, { id: 'a', from: Math.max(1, newest - 18) })
      expect(recent.columns.length).toBeGreaterThan(0)
    }
    round.isOver = true
    await writing
    await store.close()
  })

  test('one cycle: what is in it, and what is largest', async () => {
    const { store, pool } = await grown(5)
    await commitOperations(pool, {
      id: 'a',
      operations: [
        { op: 'user', content: 'long '.repeat(500) },
        { op: 'post', content: 'again', header: { key: 'daily', cad: 2 } },
        { op: 'assistant', content: { name: 'read' }, header: { kind: 'call', data_call_id: 'r', data_name: 'read' } },
        { op: 'tool', content: 'words '.repeat(90), header: { kind: 'result', data_call_id: 'r' } },
      ],
    })
    const cycle = await readCycle(pool, { id: 'a' })
    expect(cycle).toMatchObject({ cycle: 6, segments: 6, attempts: [] })
    expect(cycle.largest[0]).toMatchObject({ role: 'user' })
    expect(cycle.largest[0]!.tokens).toBeGreaterThan(400)
    // A result has the name of its call.
    expect(cycle.largest[1]).toMatchObject({ kind: 'result', name: 'read' })
    expect(cycle.schedules).toHaveLength(1)
    expect(await readCycle(pool, { id: 'a', at: 'working' })).toMatchObject({ cycle: 7, operations: [] })
    await store.close()
  })
})

describe('care', () => {
  test('replay renders everything again, and finds what is not as it was', async () => {
    const { store, pool } = await grown(70)
    await forkContext(pool, { from: 'a', lens: '@c20', id: 'b' })
    await recordAttempt(pool, { id: 'a', provider: 'p', model: 'm', params: {}, for: 'openai-chat' })
    await recordAttempt(pool, { id: 'a', provider: 'p', model: 'm', params: {} })
    await recordAttempt(pool, {
      id: 'a',
      provider: 'p',
      model: 'm',
      params: {},
      for: 'openai-chat',
      request: 'made by hand',
    })
    const done: object[] = []
    const report = await replayStore(pool, {}, { onProgress: (progress) => done.push(progress) })
    expect(report).toMatchObject({ ok: false, contexts: 2, snapshots: 90, attempts: 3, unknown: 1 })
    expect(report.differences).toEqual([expect.objectContaining({ id: 'a', what: 'request', attempt: 'attempt:71-2' })])
    expect(done.length).toBeGreaterThanOrEqual(3)
    expect((await replayStore(pool, { id: 'b' })).ok).toBe(true)
    expect((await fsckStore(pool, {})).ok).toBe(true)
    await expect(fsckStore(pool, { id: 'nobody' })).rejects.toMatchObject({ code: 'E_STORE' })
    await store.close()
  })

  test('lint is the library’s', () => {
    expect(lintText({ selector: ':cor' }).diagnostics).toHaveLength(1)
    expect(() => lintText({ selector: '' })).toThrow(expect.objectContaining({ code: 'E_CONTENT_INVALID' }))
  })
})

describe('a pool over one context', () => {
  test('reads and commits what its program has', async () => {
    const ctx = createContext({ id: 'mine' })
    const pool = memoryPool(ctx)
    ctx.user('open')
    expect((await readTree(pool, { id: 'mine', at: 'working' })).rows.map(({ text }) => text)).toContain('open')
    ctx.undo()
    expect(await commitOperations(pool, { id: 'mine', base: 0, operations: USER })).toMatchObject({ cycle: 1 })
    expect(ctx.cycle).toBe(2)
    expect(await listContexts(pool, {})).toEqual({ contexts: [{ id: 'mine', cycle: 1, forks: 0 }] })
    expect((await timeline(pool, { id: 'mine' })).columns).toHaveLength(1)
    expect((await renderRequest(pool, { id: 'mine', for: 'openai-chat' })).text).toContain('And then?')
    for (const call of [
      () => makeContext(pool, { id: 'x' }),
      () => removeContext(pool, { id: 'mine' }),
      () => forkContext(pool, { from: 'mine', id: 'x' }),
      () => importConversation(pool, { id: 'x', body: [] }),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'E_NOT_AUTHORIZED' })
    }
    await expect(commitOperations(pool, { id: 'mine', operations: USER, key: 'k' })).rejects.toMatchObject({
      code: 'E_CONTENT_INVALID',
    })
    await expect(readTree(pool, { id: 'other' })).rejects.toMatchObject({ details: { reason: 'missing' } })
    expect(await listAttempts(pool, { id: 'mine' })).toEqual({ attempts: [] })
  })
})

describe('input', () => {
  const rows: readonly (readonly [what: string, ask: (pool: ContextPool) => Promise<unknown>, name: string])[] = [
    ['no object', (pool) => describeContext(pool, 'a' as never), 'input'],
    ['an unknown name', (pool) => describeContext(pool, { id: 'a', at: '@t0' } as never), 'at'],
    ['no id', (pool) => describeContext(pool, {} as never), 'id'],
    ['an id that is no text', (pool) => describeContext(pool, { id: 1 } as never), 'id'],
    ['an empty lens', (pool) => readThread(pool, { id: 'a', lens: '' as never }), 'lens'],
    ['a limit of none', (pool) => listSnapshots(pool, { id: 'a', limit: 0 }), 'limit'],
    ['a limit beyond all', (pool) => listContexts(pool, { limit: 1001 }), 'limit'],
    ['a base below 0', (pool) => readTree(pool, { id: 'a', base: -1 }), 'base'],
    [
      'operations that are no list',
      (pool) => commitOperations(pool, { id: 'a', operations: {} as never }),
      'operations',
    ],
    ['no operations', (pool) => commitOperations(pool, { id: 'a', operations: [] }), 'operations'],
    ['a format that nobody has', (pool) => renderRequest(pool, { id: 'a', for: 'morse' as never }), 'for'],
    ['no format', (pool) => renderRequest(pool, { id: 'a' } as never), 'for'],
    ['options of a thread', (pool) => renderRequest(pool, { id: 'a', for: 'thread', options: {} }), 'options'],
    ['a flag that is none', (pool) => selectNodes(pool, { id: 'a', selector: '*', nodes: 1 as never }), 'nodes'],
    ['a list that is none', (pool) => readTree(pool, { id: 'a', closed: 'x' as never }), 'closed'],
    [
      'an error that is missing',
      (pool) => recordAttempt(pool, { id: 'a', provider: 'p', model: 'm', params: {}, status: 'error' }),
      'error',
    ],
    ['a body that is missing', (pool) => importConversation(pool, { id: 'x' } as never), 'body'],
    ['a body that is no JSON', (pool) => importConversation(pool, { id: 'x', body: '{' }), 'body'],
  ]
  test.each(rows)('%s is E_CONTENT_INVALID and named', async (_what, ask, name) => {
    const { store, pool } = await grown(1)
    await expect(ask(pool)).rejects.toMatchObject({ code: 'E_CONTENT_INVALID', details: { name } })
    await store.close()
  })
})

// The promises of a SessionStore of the Claude Agent SDK, as its documentation states them, and a plain model that plays the same generated calls.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'

import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'

import {
  createSessionStore,
  type SessionEntry,
  type SessionKey,
  type SessionSummary,
} from 'pact-context/claude-agent-sdk'
import { MemoryRows, openStore, Store, type NewCommit } from 'pact-context/store'

import { runs } from '../support/runs.js'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-claude-'))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

let files = 0
const STORES: Readonly<Record<string, () => Promise<Store>>> = {
  memory: () => openStore('memory:'),
  sqlite: () => openStore(`sqlite:${path.join(folder, `${files++}.db`)}`, { durability: 'relaxed' }),
}

const KEY: SessionKey = { projectKey: 'p', sessionId: 's' }
const entry = (uuid: string, more: object = {}): SessionEntry => ({ type: 'user', uuid, ...more })

/** Counts entries and keeps the first type, as a summary of the SDK keeps the first prompt. */
function fold(prev: SessionSummary | undefined, { sessionId }: SessionKey, entries: SessionEntry[]): SessionSummary {
  const count = Number(prev?.data['count'] ?? 0) + entries.length
  return { sessionId, mtime: 0, data: { count, first: prev?.data['first'] ?? entries[0]?.type ?? null } }
}

const value = fc.jsonValue({ maxDepth: 2, stringUnit: 'binary' })
const someEntry: fc.Arbitrary<SessionEntry> = fc
  .tuple(
    fc.constantFrom('user', 'assistant', 'summary', 'system', 'file-history-snapshot', ''),
    fc.option(fc.constantFrom('u1', 'u2', 'u3', 'u4', 'u5')),
    fc.dictionary(
      fc.string({ maxLength: 5 }).filter((key) => !['type', 'uuid', '__proto__'].includes(key)),
      value,
      { maxKeys: 3 },
    ),
    fc.option(fc.record({ role: fc.constantFrom('user', 'assistant', '', 'other'), content: value })),
  )
  .map(([type, uuid, rest, message]) => ({ ...rest, type, ...(uuid && { uuid }), ...(message && { message }) }))

const someKey: fc.Arbitrary<SessionKey> = fc
  .tuple(
    fc.constantFrom('p', 'p/s', '-home-ü p', 'p%2Fs'),
    fc.constantFrom('s', 's/x', 't'),
    fc.option(fc.constantFrom('subagents/agent-1', 'a', 'x')),
  )
  .map(([projectKey, sessionId, subpath]) => ({ projectKey, sessionId, ...(subpath && { subpath }) }))

type Call = Readonly<{ call: 'append'; key: SessionKey; entries: SessionEntry[] } | { call: 'delete'; key: SessionKey }>
const call: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      call: fc.constant('append' as const),
      key: someKey,
      entries: fc.array(someEntry, { maxLength: 4 }),
    }),
  },
  fc.record({ call: fc.constant('delete' as const), key: someKey }),
)

/** Transcripts in a list. */
class Model {
  transcripts: { key: SessionKey; entries: SessionEntry[] }[] = []

  play(given: Call): void {
    const isOf = (key: SessionKey): boolean =>
      key.projectKey === given.key.projectKey &&
      key.sessionId === given.key.sessionId &&
      (key.subpath === given.key.subpath || (given.call === 'delete' && given.key.subpath === undefined))
    if (given.call === 'delete') {
      this.transcripts = this.transcripts.filter(({ key }) => !isOf(key))
      return
    }
    let found = this.transcripts.find(({ key }) => isOf(key))
    if (found === undefined && given.entries.length > 0)
      this.transcripts.push((found = { key: given.key, entries: [] }))
    for (const each of given.entries) {
      if (each.uuid === undefined || !found!.entries.some(({ uuid }) => uuid === each.uuid)) found!.entries.push(each)
    }
  }
}

describe.each(Object.entries(STORES))('on a %s store', (_name, open) => {
  test('transcripts are those of a plain model, after every call', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 8 }), async (calls) => {
        const store = await open()
        const model = new Model()
        // One object for all calls, and another one that starts again with each.
        const lasting = createSessionStore(store, { foldSessionSummary: fold })
        for (const [n, given] of calls.entries()) {
          const sessions = n % 2 === 0 ? lasting : createSessionStore(store, { foldSessionSummary: fold })
          await (given.call === 'append' ? sessions.append(given.key, given.entries) : sessions.delete(given.key))
          model.play(given)
          const { projectKey, sessionId } = given.key
          const ofProject = model.transcripts.filter(({ key }) => key.projectKey === projectKey)
          const mains = ofProject.filter(({ key }) => key.subpath === undefined)
          const listed = await sessions.listSessions(projectKey)
          expect(listed.map((each) => each.sessionId).toSorted(text)).toEqual(
            mains.map(({ key }) => key.sessionId).toSorted(text),
          )
          for (const { mtime } of listed)
            expect(Number.isSafeInteger(mtime) && Math.abs(mtime - Date.now()) < 3_600_000).toBe(true)
          const summaries = await sessions.listSessionSummaries!(projectKey)
          expect(summaries.map(({ sessionId: id, mtime }) => ({ sessionId: id, mtime }))).toEqual(listed)
          for (const { key, entries } of mains) {
            const data = { count: entries.length, first: entries[0]!.type }
            expect(summaries.find((each) => each.sessionId === key.sessionId)?.data).toEqual(data)
          }
          const subkeys = ofProject.flatMap(({ key }) => (key.sessionId === sessionId ? (key.subpath ?? []) : []))
          expect((await sessions.listSubkeys({ projectKey, sessionId })).toSorted(text)).toEqual(subkeys.toSorted(text))
          const kept = model.transcripts.find(({ key }) => JSON.stringify(key) === JSON.stringify(given.key))
          expect(await sessions.load(given.key)).toEqual(kept?.entries ?? null)
        }
        for (const { key, entries } of model.transcripts)
          expect(await createSessionStore(store).load(key)).toEqual(entries)
        await store.close()
      }),
      { numRuns: runs(40) },
    )
  })

  test('stores that append at once lose nothing, and write nothing twice', async () => {
    const store = await open()
    const batches = Array.from({ length: 5 }, (_, writer) =>
      Array.from({ length: 4 }, (_, n) => entry(`${writer}.${n}`)),
    )
    await Promise.all(
      batches.map(async (batch, n) => {
        const sessions = createSessionStore(store, { foldSessionSummary: fold })
        for (const each of batch) await sessions.append(KEY, [each])
        // A retry of its own and of another one's, in one batch.
        await sessions.append(KEY, [...batch, ...batches[(n + 1) % batches.length]!])
      }),
    )
    const kept = (await createSessionStore(store).load(KEY))!.map(({ uuid }) => uuid!)
    expect(kept.toSorted(text)).toEqual(batches.flat().map(({ uuid }) => uuid))
    const [summary] = await createSessionStore(store, { foldSessionSummary: fold }).listSessionSummaries!('p')
    expect(summary?.data).toEqual({ count: 20, first: 'user' })
    await store.close()
  })
})

function text(a: string, b: string): number {
  return a < b ? -1 : 1
}

/** The first commit takes longer than those after it. */
class SlowAtFirst extends MemoryRows {
  #isSlow = true

  override async commit(commit: NewCommit): ReturnType<MemoryRows['commit']> {
    const isSlow = this.#isSlow
    this.#isSlow = false
    if (isSlow) await setTimeout(20)
    return super.commit(commit)
  }
}

test('calls of one process are written in their order, without waiting for each other', async () => {
  const sessions = createSessionStore(new Store(new SlowAtFirst()))
  const all = Array.from({ length: 20 }, (_, n) => entry(`u${n}`))
  await Promise.all(all.map((each) => sessions.append(KEY, [each])))
  expect(await sessions.load(KEY)).toEqual(all)
})

test('what was never written is null, and reading makes nothing', async () => {
  const store = await openStore('memory:')
  const sessions = createSessionStore(store)
  expect(await sessions.load(KEY)).toBeNull()
  await sessions.append(KEY, [])
  await sessions.delete(KEY)
  expect(await sessions.listSessions('p')).toEqual([])
  expect((await store.list()).contexts).toEqual([])
  expect(sessions.listSessionSummaries).toBeUndefined()
  await expect(sessions.load({ ...KEY, subpath: '' })).rejects.toMatchObject({ code: 'E_CONTENT_INVALID' })
})

test('a summary that begins late has the entries before it, and a loaded entry is a copy', async () => {
  const store = await openStore('memory:')
  await createSessionStore(store).append(KEY, [entry('u1', { type: 'summary' }), entry('u2')])
  const sessions = createSessionStore(store, { foldSessionSummary: fold })
  await sessions.append(KEY, [entry('u3')])
  expect((await sessions.listSessionSummaries!('p'))[0]?.data).toEqual({ count: 3, first: 'summary' })
  const [first] = (await sessions.load(KEY))!
  first!['type'] = 'changed'
  expect((await sessions.load(KEY))![0]).toEqual(entry('u1', { type: 'summary' }))
})

test('selectors find entries in all transcripts', async () => {
  const store = await openStore('memory:')
  const sessions = createSessionStore(store)
  await sessions.append({ ...KEY, subpath: 'subagents/agent-1' }, [
    entry('u1', { message: { role: 'user', content: 'Look at the tests.' } }),
    entry('u2', { type: 'assistant', message: { role: 'assistant', content: [] } }),
  ])
  const ctx = await store.open('claude/p/s/subagents%2Fagent-1')
  expect(ctx.nodes("@t0 .block[role='assistant']").map(({ attributes }) => attributes['data_uuid'])).toEqual(['u2'])
  expect(ctx.count("@t0 .block[data_type='user'][content~'tests']")).toBe(1)
})

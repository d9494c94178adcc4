// Sessions of agents: what an import shows is what the agent would send next, by the oracle of its format; what a compaction took is in an earlier
// snapshot; a session that has gone on can be imported again; and a bill counts what was in each request.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { costFile, importFile, type ImportedContext } from '../../src/commands/index.js'
import { rulesNamed } from '../../src/cost/index.js'
import { openStore, type Store } from '../../src/store/index.js'
import { estimate } from '../../src/tokens/index.js'
import { claudeSends, codexSends, piBranch, piSends, type Line, type Sent } from '../oracle/sessions.js'
import { runs } from '../support/runs.js'
import { claudeSession, codexSession, moves, piSession } from '../support/sessions-arbitrary.js'
import { shownIn } from '../support/shown.js'

const AGENTS = [
  { name: 'pi', make: piSession, sends: piSends },
  { name: 'Claude Code', make: claudeSession, sends: claudeSends },
  { name: 'Codex', make: codexSession, sends: codexSends },
] as const

async function* bytes(lines: readonly Line[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'))
}

async function imported(store: Store, lines: readonly Line[], update = false): Promise<ImportedContext> {
  const { contexts } = await importFile(store, { chunks: bytes(lines), name: 'file', id: 'file', update })
  return contexts[0]!
}

/** Every snapshot, the oldest first. */
async function snapshots(store: Store): Promise<readonly (readonly Sent[])[]> {
  const ctx = await store.open('file', { history: 'all' })
  return Array.from({ length: ctx.cycle - 1 }, (_, i) => shownIn(ctx.snapshot(`@c${i + 1}`).root))
}

describe.each(AGENTS)('a session of $name', ({ make, sends }) => {
  test('is shown as its agent would send it, and every word of it is in a snapshot', async () => {
    let compactions = 0
    const law = fc.asyncProperty(moves, async (given) => {
      const lines = make(given)
      const store = await openStore('memory:')
      const { status, compactions: found = 0 } = await imported(store, lines)
      expect(status).toBe('imported')
      compactions += found
      const all = await snapshots(store)
      expect(all.at(-1)).toEqual(sends(lines))
      const texts = new Set(all.flat().map(({ text }) => text))
      for (let i = 1; i <= lines.length; i++) {
        // A text that was sent on the way to the end, and was not left, is somewhere.
        if (!isOnTheWay(lines, i)) continue
        for (const { text } of sends(lines.slice(0, i))) expect(texts).toContain(text)
      }
    })
    await fc.assert(law, { numRuns: runs(70) })
    expect(compactions).toBeGreaterThan(0)
  })

  test('can be imported again when it has gone on', async () => {
    const law = fc.asyncProperty(moves, fc.nat(), async (given, cut) => {
      const lines = make(given, true)
      const some = lines.slice(0, wholeReply(lines, 1 + (cut % lines.length)))
      const store = await openStore('memory:')
      await imported(store, some)
      expect((await snapshots(store)).at(-1)).toEqual(sends(some))
      const { status, error } = await imported(store, lines, true)
      expect([['updated', 'unchanged'].includes(status), error]).toEqual([true, undefined])
      expect((await snapshots(store)).at(-1)).toEqual(sends(lines))
    })
    await fc.assert(law, { numRuns: runs(50) })
  })
})

/** A reply of Codex has several lines. One that was imported in part is another one later. */
function wholeReply(lines: readonly Line[], end: number): number {
  const isCall = lines[end]?.['payload']?.type === 'function_call'
  return isCall ? wholeReply(lines, end + 1) : end
}

/** True if the session did not go back, behind this line, to an earlier one. */
function isOnTheWay(lines: readonly Line[], end: number): boolean {
  const { uuid, id, type } = lines[end - 1]!
  if (type === 'session' || type === 'content-replacement') return false
  const isFirst = lines.findIndex((line) => line['uuid'] === uuid) === end - 1
  if (uuid !== undefined) return isFirst && onChain(lines, uuid)
  return id === undefined ? lines[0]!['type'] === 'session_meta' : piBranch(lines).some((entry) => entry['id'] === id)
}

function onChain(given: readonly Line[], uuid: unknown): boolean {
  const lines = given.filter((line, i) => given.findIndex((each) => each['uuid'] === line['uuid']) === i)
  let at = lines.findLast((line) => line['uuid'] !== undefined && line['isSidechain'] !== true)
  for (; at !== undefined;) {
    if (at['uuid'] === uuid) return true
    const parent: unknown = at['parentUuid'] ?? at['logicalParentUuid']
    at = parent === undefined ? undefined : lines.find((line) => line['uuid'] === parent)
  }
  return false
}

test('the bill of a session counts what was in each request, and nothing that a compaction had taken', async () => {
  const around = 3
  const tokens = (sent: readonly Sent[], lines: readonly Line[]): number =>
    sent.reduce((sum, { text }) => sum + estimate(text, {} as never), around * messagesIn(lines))
  let compactions = 0
  const law = fc.asyncProperty(moves, async (given) => {
    // Calls are priced with their arguments, which the oracle of sessions does not look at.
    const lines = piSession(
      given.filter(({ kind }) => kind < 45 || kind >= 64),
      true,
    )
    let [requests, sent] = [0, 0]
    for (const [i, { message }] of lines.entries()) {
      const before = piSends(lines.slice(0, i))
      if (message?.role !== 'assistant' || before.length === 0 || before.at(-1)!.role === 'assistant') continue
      requests += 1
      sent += tokens(before, lines.slice(0, i))
    }
    compactions += lines.filter(({ type }) => type === 'compaction').length
    const rules = rulesNamed('claude-5m')
    for await (const found of costFile(bytes(lines), { rules, budget: { tokens: 1e9 } })) {
      const { bill } = (found as Exclude<typeof found, { unread: unknown }>).strategies[0]!
      expect([bill.requests, bill.sent]).toEqual([requests, sent])
    }
  })
  await fc.assert(law, { numRuns: runs(50) })
  expect(compactions).toBeGreaterThan(0)
})

/** Every message of these sessions has one part. */
function messagesIn(lines: readonly Line[]): number {
  return piSends(lines).length
}

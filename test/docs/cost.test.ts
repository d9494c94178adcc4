// The cost table: README.md and docs/cost.md show the checked-in result, the result names what it was made of, and figures of it are worked out
// again here: with the code of the bench, by a plain loop, and with the naive cache. The bench is plain JavaScript that runs on the build.

import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import {
  faultOf,
  ours,
  type CostBlock,
  type CostMessage,
  type Messages,
  type Strategy,
  type TextMessage,
} from '../../src/cost/index.js'
import { createContext, type Context } from '../../src/index.js'
import { toOpenAIChat } from '../../src/adapters/openai/index.js'
import { namesOf } from '../oracle/editing-note.js'
import { NaiveCache } from '../oracle/prompt-cache.js'

interface Row {
  readonly strategy: string
  readonly requests: number
  readonly sent: number
  readonly cost: number
  readonly strict: number
  readonly invalid: number
  readonly over: number
  readonly headless: number
  readonly needed: number
  readonly kept: number
}

interface Result {
  readonly date: string
  readonly versions: Readonly<Record<string, string>>
  readonly thoughts: Readonly<{ rows: readonly Readonly<{ strategy: string; stale: number }>[] }>
  readonly sets: readonly Readonly<{
    name: string
    file: string
    share: number
    conversations: number
    requests: number
    rows: readonly Row[]
  }>[]
}

interface Session {
  readonly conversation: readonly CostMessage[]
  readonly said: readonly TextMessage[]
  readonly texts: ReadonlyMap<CostBlock, string>
  readonly messages: Messages
  readonly budget: number
}

const ROOT = path.resolve(import.meta.dirname, '../..')
const load = async <T>(name: string): Promise<T> =>
  (await import(new URL(`../../bench/cost/${name}`, import.meta.url).href)) as T
const { withTables } = await load<{ withTables(document: string, result: Result, isShort: boolean): string }>(
  'table.mjs',
)
const { readSets } = await load<{
  readSets(folder: string): readonly Readonly<{ name: string; sessions: readonly Session[] }>[]
}>('sets.mjs')
const { measure, strategiesWith, OURS } = await load<{
  measure(sessions: readonly Session[], strategy: Strategy): Promise<Row>
  strategiesWith(peers: readonly Strategy[]): readonly Strategy[]
  OURS: readonly Readonly<{ name: string; policy?: object; compaction?: object }>[]
}>('measure.mjs')

const readText = (file: string): string => fs.readFileSync(path.join(ROOT, file), 'utf8')
const RESULT = JSON.parse(readText('bench/cost/result.json')) as Result
const SETS = readSets('')
const sessionsOf = (name: string): readonly Session[] => SETS.find((set) => set.name === name)!.sessions
const rowOf = (set: string, strategy: string): Row =>
  RESULT.sets.find(({ name }) => name === set)!.rows.find((row) => row.strategy === strategy)!

test.each([
  ['README.md', true],
  ['docs/cost.md', false],
])('%s shows the checked-in result; else run npm run bench:cost -- --write', (file, isShort) => {
  expect(readText(file)).toBe(withTables(readText(file), RESULT, isShort))
})

test('the result names its data, versions and date, and has the strategies of today', () => {
  expect(RESULT.date).toMatch(/^\d{4}-\d{2}-\d{2}$/)
  const { dependencies } = JSON.parse(readText('bench/package.json')) as { dependencies: Record<string, string> }
  expect(RESULT.versions).toMatchObject({ '@langchain/core': dependencies['@langchain/core'], ai: dependencies['ai'] })
  expect(RESULT.sets.map(({ name, file }) => [name, file])).toEqual([
    ['pi-mono', 'badlogic__pi-mono'],
    ['tau-bench', 'sierra-research__tau-bench'],
    ['SWE-agent', 'SWE-agent__SWE-agent'],
  ])
  const names = strategiesWith([]).map(({ name }) => name)
  for (const { rows } of RESULT.sets) {
    const shown = rows.map(({ strategy }) => strategy)
    expect(shown.filter((name) => !/^(?:LangChain|AI SDK)/.test(name))).toEqual(names)
    expect(shown.filter((name) => /^(?:LangChain|AI SDK)/.test(name))).toHaveLength(5)
  }
})

const [full, ...others] = strategiesWith([])
const byDefault = others.find(({ name }) => name.includes('default'))!
const recommended = others.find(({ name }) => name.includes('recommended'))!

describe('the goals', () => {
  test('the recommended policy on pi-mono', () => {
    const { cost, invalid, over, headless, kept, needed } = rowOf('pi-mono', recommended.name)
    expect(cost).toBeLessThanOrEqual(1_000_000)
    expect(kept / needed).toBeGreaterThanOrEqual(0.97)
    expect({ invalid, over, headless }).toEqual({ invalid: 0, over: 0, headless: 0 })
    expect(RESULT.thoughts.rows.find(({ strategy }) => strategy === recommended.name)?.stale).toBe(0)
  })

  test('compaction on pi-mono', () => {
    const { name } = OURS.find(({ compaction }) => compaction !== undefined)!
    const { cost, invalid, over } = rowOf('pi-mono', name)
    expect(cost).toBeLessThanOrEqual(900_000)
    expect({ invalid, over }).toEqual({ invalid: 0, over: 0 })
    expect(RESULT.thoughts.rows.find(({ strategy }) => strategy === name)?.stale).toBe(0)
  })

  test.each(RESULT.sets.map(({ name }) => name))('the default costs no more than the full history on %s', (set) => {
    expect(rowOf(set, byDefault.name).cost).toBeLessThanOrEqual(rowOf(set, full!.name).cost)
    expect(rowOf(set, byDefault.name).invalid).toBe(0)
  })

  test('a policy of ours that costs more than the full history somewhere is warned of', () => {
    const worse = OURS.filter(
      ({ name, policy }) =>
        policy !== undefined &&
        RESULT.sets.some((set) => rowOf(set.name, name).cost > rowOf(set.name, full!.name).cost),
    )
    expect(worse.map(({ policy }) => policy)).toEqual([{ target: 1 }, { protectSegments: 1 }])
    for (const { policy } of worse) {
      const warned = sessionsOf('SWE-agent').filter((session) =>
        kindsOfWarnings(session, policy!).includes('cuts-in-a-row'),
      )
      expect(warned.length).toBeGreaterThanOrEqual(5)
    }
    expect(kindsOfWarnings(sessionsOf('pi-mono')[0]!, {})).toEqual([])
  })
})

/** The warnings of a context that has a session as its agent had it, committed before each request. */
function kindsOfWarnings(session: Session, policy: object): unknown[] {
  const context = createContext({ prune: { ...policy, maxTokens: session.budget }, countTokens: tokensIn(session) })
  for (const [i, message] of session.conversation.entries()) {
    if (message.role === 'assistant' && i > 0) context.commit()
    addTo(context, message, session)
  }
  return context.warnings.map(({ details }) => details['kind'])
}

describe('figures of the table, worked out again', () => {
  test.each([
    ['tau-bench', full!],
    ['tau-bench', byDefault],
    ['SWE-agent', byDefault],
    ['tau-bench', recommended],
    ['SWE-agent', recommended],
  ])('%s: $name', async (set, strategy) => {
    const { requests, sent, cost, strict } = await measure(sessionsOf(set), strategy)
    const row = rowOf(set, strategy.name)
    expect({ requests, sent, cost: Math.round(cost), strict: Math.round(strict) }).toEqual({
      requests: row.requests,
      sent: row.sent,
      cost: row.cost,
      strict: row.strict,
    })
  })

  test('the full history of pi-mono by a plain loop: 0.1 for what the request before had, 1.25 for the rest', () => {
    const [{ conversation }] = sessionsOf('pi-mono') as [Session]
    let [before, total, cost, sent] = [0, 0, 0, 0]
    for (const [i, { role, tokens, blocks }] of conversation.entries()) {
      if (role === 'assistant' && conversation[i - 1]?.role !== 'assistant') {
        const read = before >= 1024 ? before : 0
        cost += read * 0.1 + (total - read) * 1.25
        sent += total
        before = total
      }
      if (blocks.length > 0) total += tokens
    }
    expect({ cost: Math.round(cost), sent }).toEqual({
      cost: rowOf('pi-mono', full!.name).cost,
      sent: rowOf('pi-mono', full!.name).sent,
    })
  })

  test('the recommended policy on pi-mono by a plain loop over messages, with the naive names', () => {
    const [{ conversation, texts, messages, budget }] = sessionsOf('pi-mono') as [Session]
    const tokensOf = (list: readonly { tokens: number }[]): number => list.reduce((sum, { tokens }) => sum + tokens, 0)
    let [note, names]: [{ id: string; tokens: number } | undefined, string[]] = [undefined, []]
    let history: CostMessage[] = []
    let before: readonly { id: unknown; tokens: number }[] = []
    let [cost, sent] = [0, 0]
    for (const [i, message] of conversation.entries()) {
      if (message.role === 'assistant' && i > 0 && conversation[i - 1]!.role !== 'assistant') {
        if (tokensOf(history) + (note?.tokens ?? 0) > budget) {
          const task = history.findLast(({ role }) => role === 'user')
          // A reply leaves with its results. What came since the last request stays.
          const open = history.findLastIndex(({ role }) => role === 'assistant')
          for (let at = 0; at < open && tokensOf(history) + (note?.tokens ?? 0) > budget * 0.1;) {
            if (history[at] === task) {
              at += 1
              continue
            }
            let end = at + 1
            while (history[end]?.role === 'tool') end += 1
            const calls = history.slice(at, end).flatMap(({ blocks }) => blocks.filter(({ kind }) => kind === 'call'))
            for (const call of calls) {
              const args = /^\S* ([^]*)$/.exec(texts.get(call)!)![1]
              for (const name of namesOf({ arguments: args })) names = [...names.filter((each) => each !== name), name]
            }
            history = [...history.slice(0, at), ...history.slice(end)]
          }
          names = names.slice(-100)
          const line = `[earlier messages were pruned; their calls named: ${names.join(', ')}]`
          note = { id: line, tokens: messages.tokens(line) + 3 }
        }
        const request = [...(note === undefined ? [] : [note]), ...history]
        let same = 0
        while (same < before.length && before[same]!.id === request[same]?.id) same += 1
        const shared = tokensOf(request.slice(0, same))
        const read = shared >= 1024 ? shared : 0
        cost += read * 0.1 + (tokensOf(request) - read) * 1.25
        sent += tokensOf(request)
        before = request
      }
      if (message.blocks.length > 0) history.push(message)
    }
    expect({ cost: Math.round(cost), sent }).toEqual({
      cost: rowOf('pi-mono', recommended.name).cost,
      sent: rowOf('pi-mono', recommended.name).sent,
    })
  })

  test("the full history of tau-bench by Claude's rules with the naive cache", () => {
    let cost = 0
    for (const { said, conversation } of sessionsOf('tau-bench')) {
      const cache = new NaiveCache({ ttl: 300, least: 1024, lookBack: 20, marks: 4 })
      const messages = said.map(({ role, blocks }, i) => ({
        around: 3,
        blocks: blocks.map(({ kind, text }, at) => ({
          text: `${role} ${text}`,
          tokens: conversation[i]!.blocks[at]!.tokens,
          kind,
          isSystem: role === 'system',
        })),
      }))
      for (const [i, { role }] of said.entries()) {
        if (role !== 'assistant' || said[i - 1]?.role === 'assistant') continue
        const { read, write, plain } = cache.request(
          messages.slice(0, i).filter(({ blocks }) => blocks.length > 0),
          0,
        )
        cost += read * 0.1 + write * 1.25 + plain
      }
    }
    expect(Math.round(cost)).toBe(rowOf('tau-bench', full!.name).strict)
  })
})

describe('our policies in the replay are those of a context with real texts, rendered by an adapter', () => {
  test.each(OURS.filter(({ policy }) => policy !== undefined))('$name', ({ name, policy = {} }) => {
    for (const session of sessionsOf('tau-bench').slice(0, 12)) {
      const context = createContext({ prune: { ...policy, maxTokens: session.budget }, countTokens: tokensIn(session) })
      const next = ours(name, policy).start(session)
      let from = 0
      for (const [i, { role }] of session.conversation.entries()) {
        if (role !== 'assistant' || i === 0) continue
        const added = session.conversation.slice(from, i)
        from = i
        for (const message of added) addTo(context, message, session)
        context.commit()
        const { messages } = next(added)
        expect(faultOf(messages)).toBeUndefined()
        const roles = toOpenAIChat(context.snapshot('@t0')).messages.map((each) => each.role)
        expect(roles).toEqual(messages.map((each) => each.role))
      }
    }
  })
})

/** The tokens of a node: those of its block, and 3 for the first of a message, as every node here is. */
function tokensIn({ texts, messages }: Session): (text: string) => number {
  const byText = new Map([...texts].map(([block, text]) => [text, block.tokens]))
  return (text) => {
    const said = text.startsWith('{"arguments"') ? (JSON.parse(text) as Call).arguments.text : text
    return (byText.get(said) ?? messages.tokens(said)) + 3
  }
}

type Call = Readonly<{ name: string; arguments: Readonly<{ text: string }> }>

function addTo(context: Context, { role, blocks }: CostMessage, { texts }: Session): void {
  for (const block of blocks) {
    const text = texts.get(block)!
    const header = block.call === undefined ? {} : { data_call_id: block.call }
    const call: Call = { name: 'tool', arguments: { text } }
    if (role === 'system') context.system.add(text)
    else if (block.kind === 'call') context.assistant(call, { kind: 'call', ...header })
    else if (block.kind === 'result') context.tool(text, { kind: 'result', ...header })
    else context[role](text)
  }
}

// Summaries that providers make (D63), judged by scripted servers that know which facts each summary stands for: whatever is edited, committed, opened
// again or forked, the model sees every fact of the conversation and none that was taken out, no fact is billed twice, and every other provider gets the originals.

import fc from 'fast-check'
import { createContext, importSnapshot, type Context } from 'pact-context'
import { fromAnthropic, receiveAnthropic, toAnthropic } from 'pact-context/anthropic'
import { toGemini } from 'pact-context/gemini'
import { toOpenAIChat, toOpenAIResponses } from 'pact-context/openai'
import { receiveModelMessages, toModelMessages } from 'pact-context/ai-sdk'
import { describe, expect, it, test } from 'vitest'

import { textOf } from '../support/context.js'
import {
  CompactingClaude,
  CompactingOpenAI,
  factsIn,
  RefusedCompaction,
  type Seen,
} from '../support/providers/compacting.js'
import { runs } from '../support/runs.js'

const PARAMS = { model: 'm', max_tokens: 10 }

describe("a provider's summary", () => {
  it('of Claude, made on request, is first, and in place of what it stands for', () => {
    const ctx = createContext()
    const claude = new CompactingClaude()
    ctx.user('fact-1')
    ctx.startAttempt({ for: toAnthropic, params: PARAMS }).receive(claude.answer(toAnthropic(ctx), 'fact-2'))
    ctx.commit()
    const attempt = ctx.startAttempt({ for: toAnthropic, params: { ...PARAMS, compaction: { type: 'summarize' } } })
    attempt.receive(claude.onRequest(attempt.body))
    // A summary is no reply: what was due before is due now.
    expect(ctx.due()).toBe('user')
    ctx.user('fact-3')
    const { messages, repairs } = toAnthropic(ctx)
    expect(messages).toEqual([
      {
        role: 'assistant',
        content: [
          {
            type: 'compaction',
            content: 'Summary 1.',
            encrypted_content: 'opaque 1',
            signature: 'signed Summary 1.',
            tool_changes: [],
          },
        ],
      },
      { role: 'user', content: 'fact-3' },
    ])
    const summary = ctx.first("[kind='summary']")!.id
    expect(repairs).toEqual([
      { code: 'summarized', node: summary, text: `The summary ${summary} is sent in place of 2 nodes.` },
    ])
    expect(factsIn(toOpenAIChat(ctx).messages)).toEqual(['fact-1', 'fact-2', 'fact-3'])
    expect(factsIn(toAnthropic(importSnapshot(textOf(ctx.export('preview')))).messages)).toEqual(['fact-3'])
  })

  it('of OpenAI, from /responses/compact, is behind the messages of the user', () => {
    const ctx = createContext()
    const openai = new CompactingOpenAI()
    ctx.user('fact-1')
    ctx
      .startAttempt({ for: toOpenAIResponses, params: PARAMS })
      .receive(openai.answer(toOpenAIResponses(ctx), 'fact-2'))
    const attempt = ctx.startAttempt({ for: toOpenAIResponses, params: PARAMS })
    attempt.receive(openai.compact(attempt.body))
    ctx.user('fact-3')
    const input = toOpenAIResponses(ctx).input as readonly { type?: string; role?: string }[]
    expect(input.map(({ type, role }) => type ?? role)).toEqual(['user', 'compaction', 'user'])
    expect(toAnthropic(ctx).messages).toHaveLength(3)
  })

  it('is left out once a node that it stands for was redacted, and the nodes are sent', () => {
    const ctx = createContext()
    const claude = new CompactingClaude()
    const { id } = ctx.user('fact-1 and the card 4111')
    receiveAnthropic(ctx, claude.inStream(toAnthropic(ctx), 'fact-2'))
    expect([...claude.see(toAnthropic(ctx)).summarized]).toEqual(['fact-1'])
    ctx.commit()
    ctx.redact(`{ id="${id}" }`, { match: '4111' })
    const { messages, repairs } = toAnthropic(ctx)
    expect(JSON.stringify(messages)).not.toContain('Summary')
    expect(JSON.stringify(messages)).toContain('fact-1 and the card [redacted]')
    expect(repairs.map(({ code }) => code)).toEqual(['stale-summary'])
  })

  it('is left out once a node that it stands for was forgotten', () => {
    const ctx = createContext()
    const claude = new CompactingClaude()
    const { id } = ctx.user('fact-1')
    receiveAnthropic(ctx, claude.inStream(toAnthropic(ctx), 'fact-2'))
    ctx.commit()
    ctx.forget(`{ id="${id}" }`)
    expect(JSON.stringify(toAnthropic(ctx).messages)).not.toContain('Summary')
  })

  it('leaves with a node of the open turn that it stands for', () => {
    const ctx = createContext()
    const claude = new CompactingClaude()
    const { id } = ctx.user('fact-1')
    receiveAnthropic(ctx, claude.inStream(toAnthropic(ctx), 'fact-2'))
    ctx.delete(`{ id="${id}" }`)
    expect(ctx.count("[kind='summary']")).toBe(0)
    ctx.undo()
    expect(ctx.count("[kind='summary']")).toBe(1)
  })

  it('in a conversation that is imported stands for everything before it', () => {
    const block = { type: 'compaction', content: 'Summary 1.', encrypted_content: 'x' }
    const ctx = fromAnthropic({
      messages: [
        { role: 'user', content: 'fact-1' },
        { role: 'assistant', content: [block, { type: 'text', text: 'fact-2' }] },
        { role: 'user', content: 'fact-3' },
      ],
    })
    expect(toAnthropic(ctx).messages[0]).toEqual({
      role: 'assistant',
      content: [block, { type: 'text', text: 'fact-2' }],
    })
    expect(factsIn(toGemini(ctx).contents)).toEqual(['fact-1', 'fact-2', 'fact-3'])
  })

  test.each([
    { type: 'text', text: 'Summary.', providerOptions: { anthropic: { type: 'compaction' } } },
    {
      type: 'custom',
      kind: 'openai.compaction',
      providerOptions: { openai: { itemId: 'cmp_1', encryptedContent: 'x' } },
    },
  ])('of the AI SDK, a part $type, is in place of what it stands for', (part) => {
    const ctx = createContext()
    ctx.user('fact-1')
    receiveModelMessages(ctx, [{ role: 'assistant', content: [part, { type: 'text', text: 'fact-2' }] }])
    ctx.user('fact-3')
    const { messages } = toModelMessages(ctx)
    expect(factsIn(messages)).toEqual(['fact-2', 'fact-3'])
    expect((messages[0]!.content as object[])[0]).toEqual(part)
    expect(factsIn(toAnthropic(ctx).messages)).toEqual(['fact-1', 'fact-2', 'fact-3'])
  })
})

const pick = fc.nat(99)
const step = fc.record({
  do: fc.constantFrom(
    'user',
    'reply',
    'reply',
    'compact',
    'stream',
    'commit',
    'post',
    'ttl',
    'redact',
    'delete',
    'replace',
    'insert',
    'undo',
    'fork',
    'import',
  ),
  pick,
  openai: fc.boolean(),
} as const)

test('law: models see every fact that is live, none that was taken out, and none twice', () => {
  const done: Record<string, number> = {}
  fc.assert(
    fc.property(fc.array(step, { minLength: 6, maxLength: 40 }), (steps) => {
      let ctx = createContext({ clock: () => 1n })
      const servers = { claude: new CompactingClaude(), openai: new CompactingOpenAI() }
      let facts = 0
      const fact = (): string => `fact-${++facts}`
      /** Facts that a call took out for good. */
      const out = new Set<string>()
      const isTried = (change: () => unknown): boolean => {
        try {
          change()
          return true
        } catch {
          return false
        }
      }
      for (const { do: what, pick: at, openai } of steps) {
        const before = liveFacts(ctx)
        const blocks = ctx.select("^seq .block[role!='system'], ^ah .block")
        const id = blocks[at % Math.max(1, blocks.length)]
        const [server, to] = openai
          ? ([servers.openai, toOpenAIResponses] as const)
          : ([servers.claude, toAnthropic] as const)
        let isDone = true
        if (what === 'user') ctx.user(fact())
        else if (what === 'post') ctx.post(fact())
        else if (what === 'ttl') ctx.post(fact(), { ttl: 1 })
        else if (what === 'commit') ctx.commit()
        else if (what === 'fork') ctx = ctx.fork('working')
        else if (what === 'import') ctx = importSnapshot(textOf(ctx.export('preview')))
        else if (what === 'undo') isDone = isTried(() => ctx.undo())
        else if (blocks.length === 0) continue
        else if (what === 'reply' || what === 'stream' || what === 'compact') {
          const attempt = ctx.startAttempt({ for: to, params: PARAMS })
          const body = attempt.body
          if (what === 'reply') attempt.receive(server.answer(body, fact()))
          else if (what === 'stream') attempt.receive(server.inStream(body, fact()))
          else attempt.receive(server instanceof CompactingOpenAI ? server.compact(body) : server.onRequest(body))
        } else if (what === 'redact')
          isDone = isTried(() =>
            ctx.redact(`{ id="${id}" }`, { match: factsIn(ctx.node(id!)?.content ?? '')[0] ?? 'x' }),
          )
        else if (what === 'delete') isDone = isTried(() => ctx.delete(`{ id="${id}" }`))
        else if (what === 'replace') isDone = isTried(() => ctx.replace(`{ id="${id}" }`, { content: fact() }))
        else isDone = isTried(() => ctx.insert({ content: fact(), role: 'user' }, '(d1, end)'))
        if (isDone) done[what] = (done[what] ?? 0) + 1
        const live = liveFacts(ctx)
        if (what === 'redact' || what === 'delete' || what === 'replace')
          for (const each of before) if (!live.has(each)) out.add(each)
        if (what === 'undo') for (const each of live) out.delete(each)
        check(ctx, live, out, servers)
      }
    }),
    { numRuns: runs(250), seed: Number(process.env['PACT_SEED'] ?? 20261118), endOnFailure: true },
  )
  for (const what of ['reply', 'compact', 'stream', 'redact', 'delete', 'replace', 'insert', 'undo', 'fork', 'import'])
    expect(done[what], what).toBeGreaterThan(50)
})

function liveFacts(ctx: Context): Set<string> {
  return new Set(factsIn(ctx.thread('preview').map(({ content }) => content)))
}

function check(
  ctx: Context,
  live: ReadonlySet<string>,
  out: ReadonlySet<string>,
  { claude, openai }: Readonly<{ claude: CompactingClaude; openai: CompactingOpenAI }>,
): void {
  if (live.size === 0) return
  const judge = (seen: Seen, name: string): void => {
    for (const fact of live) if (!seen.facts.has(fact)) expect.fail(`${name} does not see ${fact}.`)
    for (const fact of seen.facts)
      if (out.has(fact) && !live.has(fact)) expect.fail(`${name} sees ${fact}, which was taken out.`)
    const twice = seen.read.filter((fact) => seen.summarized.has(fact))
    if (twice.length > 0) expect.fail(`${name} is billed twice for ${twice[0]}.`)
  }
  try {
    judge(claude.see(toAnthropic(ctx)), 'Claude')
    judge(openai.see(toOpenAIResponses(ctx)), 'OpenAI')
  } catch (error) {
    if (error instanceof RefusedCompaction) expect.fail(`refused: ${error.message}`)
    throw error
  }
  const direct = new Set(factsIn(toGemini(ctx).contents))
  for (const fact of live) if (!direct.has(fact)) expect.fail(`Gemini does not get ${fact}.`)
}

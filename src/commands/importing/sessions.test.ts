// The sessions of test/sessions, one by one: what is shown, what is not read, and what each snapshot has.

import fs from 'node:fs'

import { beforeAll, describe, expect, it } from 'vitest'

import { toAnthropic } from '../../adapters/anthropic/index.js'
import { toOpenAIResponses } from '../../adapters/openai/index.js'
import { rulesNamed } from '../../cost/index.js'
import { openStore, type Store, type StoredContext } from '../../store/index.js'
import { costFile, type CostOrNot } from '../costing/cost-file.js'
import { importFile, type ImportedContext } from './import-file.js'
import { readRecordings } from '../../../test/recordings/read.mjs'

const fileOf = (name: string): URL => new URL(`../../../test/sessions/${name}.jsonl`, import.meta.url)

async function* chunksOf(name: string): AsyncGenerator<Uint8Array> {
  yield fs.readFileSync(fileOf(name))
}

let store: Store
beforeAll(async () => {
  store = await openStore('memory:')
})

async function imported(name: string): Promise<Readonly<{ about: ImportedContext; ctx: StoredContext }>> {
  const { contexts } = await importFile(store, { chunks: chunksOf(name), name, id: name })
  return { about: contexts[0]!, ctx: await store.open(name, { history: 'all' }) }
}

const notRead = ({ unread }: ImportedContext): readonly string[] =>
  unread.map(({ line, what }) => (line === undefined ? what : `${line}: ${what}`))

/** The first snapshot that has a text. */
function cycleOf(ctx: StoredContext, text: string): string | undefined {
  const cycles = Array.from({ length: ctx.cycle - 1 }, (_, i) => `@c${i + 1}`)
  return cycles.find((lens) => ctx.count(`${lens} .block[content~'${text}']`) > 0)
}

const SUMMARY = 'Two tests failed. The cart is fixed, the tax is open.'

describe('a session of pi', () => {
  it('is shown as pi would send it', async () => {
    const { about, ctx } = await imported('pi')
    expect(about).toMatchObject({ status: 'imported', format: 'pi-agent', messages: 10, compactions: 1, edits: 1 })
    const text = (said: string): object[] => [{ type: 'text', text: said }]
    expect(toAnthropic(ctx.snapshot('@t0')).messages).toEqual([
      { role: 'user', content: SUMMARY },
      { role: 'user', content: text('Fix the cart.') },
      { role: 'assistant', content: text('The cart rounds now.') },
      { role: 'user', content: text('$ git status\nclean') },
      { role: 'user', content: text('Now the tax.') },
      { role: 'assistant', content: text('The tax is right now.') },
    ])
    expect(ctx.select("@t0 .block[kind='summary']")).toHaveLength(1)
  })

  it('has the originals in earlier snapshots, in the order of the session', async () => {
    const ctx = await store.open('pi', { history: 'all' })
    const [whole, edited, summary] = ['14 passed', '2 failed', SUMMARY].map((text) =>
      Number(cycleOf(ctx, text)?.slice(2)),
    )
    expect(whole).toBeLessThan(summary!)
    expect(edited).toBeLessThan(summary!)
    const results = (lens: string): readonly unknown[] =>
      ctx.nodes(`${lens} .block[kind='result']`).map(({ content }) => content)
    expect(results(`@c${whole}`)).toMatchObject([
      { content: [{ text: '14 passed, 2 failed: cart.test.ts, tax.test.ts' }] },
    ])
    expect(results(`@c${summary! - 1}`)).toMatchObject([{ content: [{ text: '2 failed' }] }])
    expect(results('@t0')).toEqual([])
  })

  it('names what it does not read, with its line', async () => {
    const { about } = await imported('pi')
    expect(notRead(about)).toEqual([
      '2: an entry of the type "model_change"',
      '8: an entry of a branch that was left',
      '9: an entry of a branch that was left',
      '17: an entry of the type "future_entry"',
      expect.stringMatching(/^18: /),
      'stopReason',
    ])
  })
})

describe('a session of Claude Code', () => {
  it('is shown as the agent would send it', async () => {
    const { about, ctx } = await imported('claude-code')
    expect(about).toMatchObject({ status: 'imported', format: 'claude-code', messages: 10, compactions: 1, edits: 2 })
    expect(toAnthropic(ctx.snapshot('@t0')).messages).toEqual([
      { role: 'user', content: SUMMARY },
      { role: 'user', content: 'Fix the cart.' },
      { role: 'assistant', content: [{ type: 'text', text: 'The cart rounds now.' }] },
      { role: 'user', content: 'Now the tax.' },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'toolu_2', name: 'Bash', input: { command: 'npm test' } }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_2', content: '[tool result no longer in context]' }],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'The tax is right now.' }] },
    ])
    expect(cycleOf(ctx, '14 passed')).toBe('@c1')
    expect(cycleOf(ctx, '16 passed')).toBeDefined()
    expect(cycleOf(ctx, 'I deleted')).toBeUndefined()
    expect(notRead(about)).toEqual([
      '1: an entry of the type "file-history-snapshot"',
      '8: a message of a branch that was left',
      '9: a message of a branch that was left',
      '18: a message of a subagent',
      '20: an entry of the type "system"',
    ])
  })
})

describe('a rollout of Codex', () => {
  it('is shown as the agent would send it', async () => {
    const { about, ctx } = await imported('codex')
    expect(about).toMatchObject({ status: 'imported', format: 'codex', compactions: 1 })
    const { instructions, input } = toOpenAIResponses(ctx.snapshot('@t0'))
    expect(instructions).toBe('You are a coding agent.')
    const said = (input as readonly { role?: string; content?: unknown }[]).map(({ role, content }) => [
      role,
      typeof content === 'string' ? content : (content as { text: string }[])[0]?.text,
    ])
    expect(said).toEqual([
      ['developer', 'The sandbox is read-only.'],
      ['user', '<environment_context><cwd>/home/kim/shop</cwd></environment_context>'],
      ['user', 'Which tests fail?'],
      ['user', 'Fix the cart.'],
      ['user', SUMMARY],
      ['user', 'Now the tax.'],
      ['assistant', 'The tax is right now.'],
    ])
    expect(cycleOf(ctx, 'I deleted the tests.')).toBeDefined()
    expect(cycleOf(ctx, '14 passed')).toBeDefined()
    expect(notRead(about).filter((what) => !what.includes('event_msg'))).toEqual([
      '4: an entry of the type "turn_context"',
      expect.stringMatching(/: an item of the type "ghost_snapshot"$/),
      expect.stringMatching(/: an entry of the type "future_line"$/),
    ])
  })

  it('of the first versions has bare items', async () => {
    const { about, ctx } = await imported('codex-first-versions')
    expect(about).toMatchObject({ status: 'imported', format: 'codex', messages: 2 })
    expect(ctx.thread('@t0')).toHaveLength(2)
    expect(notRead(about)).toEqual(['2: an entry of the type null', '4: an entry of the type null'])
  })

  it('keeps the newest words of the user that fit, if its compaction has only a summary', async () => {
    const item = (role: string, text: string): object => ({
      type: 'response_item',
      payload: { type: 'message', role, content: [{ type: 'input_text', text }] },
    })
    const lines = [
      { type: 'session_meta', payload: { id: 'legacy' } },
      item('user', 'old'),
      item('user', 'x'.repeat(79_993)),
      item('assistant', 'gone'),
      item('user', 'newest'),
      { type: 'compacted', payload: { message: 'summary' } },
    ]
    const text = lines.map((line) => JSON.stringify(line)).join('\n')
    await importFile(store, { chunks: once(text), name: 'legacy' })
    const ctx = await store.open('legacy')
    const kept = toOpenAIResponses(ctx.snapshot('@t0')).input as readonly { content: unknown }[]
    expect(kept.map(({ content }) => JSON.stringify(content).length > 1000 || content)).toEqual([
      true,
      [{ type: 'input_text', text: 'newest' }],
      'summary',
    ])
  })
})

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

it.each([
  ['pi', 4, 1620],
  ['claude-code', 5, 220],
  ['codex', 5, 775],
])('the bill of %s has the requests and the usage of the session', async (name, requests, plain) => {
  const found: CostOrNot[] = []
  const options = { rules: rulesNamed('claude-5m'), budget: { tokens: 1000 } }
  for await (const each of costFile(chunksOf(name), options)) found.push(each)
  expect(found).toMatchObject([{ sent: { requests }, recorded: { requests, plain } }])
})

it('the recorded sessions of pi and Claude Code are imported whole; none of them has a compaction', async () => {
  const recorded = readRecordings().filter(({ file }) => /badlogic__pi-mono|daaain__claude-code-log/.test(file))
  expect(recorded.length).toBeGreaterThanOrEqual(3)
  for (const { file, line, record } of recorded) {
    const name = `${file}-${line}`
    const { contexts, unread } = await importFile(store, { chunks: once(JSON.stringify(record)), name, id: name })
    expect([contexts.map(({ status }) => status), unread]).toEqual([['imported'], []])
    expect(contexts[0]?.compactions).toBeUndefined()
    // The same messages as a session of pi, entry by entry.
    if (record['format'] !== 'pi-agent') continue
    const messages = record['messages'] as readonly object[]
    const header = { type: 'session', version: 3, id: 'recorded', timestamp: '2026-01-01T00:00:00Z', cwd: '/' }
    const entries = messages.map((message, i) => ({
      type: 'message',
      id: `e${i}`,
      parentId: i === 0 ? null : `e${i - 1}`,
      message,
    }))
    const session = [header, ...entries].map((entry) => JSON.stringify(entry)).join('\n')
    await importFile(store, { chunks: once(session), name: 'recorded' })
    const [whole, again] = [await store.open(name), await store.open('recorded')]
    expect(toAnthropic(again.snapshot('@t0')).messages).toEqual(toAnthropic(whole.snapshot('@t0')).messages)
  }
})

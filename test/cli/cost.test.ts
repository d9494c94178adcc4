// `pctx cost`: sessions of coding agents, logs of requests, conversations, exports and contexts of a store.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import zlib from 'node:zlib'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { createContext } from '../../src/index.js'
import { openStore } from '../../src/store/index.js'
import { pctx, type RanPctx } from '../support/pctx.js'

let folder = ''
let env: Record<string, string> = {}
beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-cost-'))
  env = { PACT_STORE: `sqlite:${path.join(folder, 'contexts.db')}` }
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const run = (...args: readonly string[]): Promise<RanPctx> => pctx(['cost', ...args], { env })

type Bill = Readonly<{ name: string; requests: number; sent: number; strict: number; invalid: number; over: number }>
type Break = Readonly<{ request: number; message?: number; why: string; lost: number }>
type Answer = Readonly<{
  rules: string
  sources: readonly Readonly<{
    messages: number
    requests: number
    tokens: number
    recorded?: Readonly<{ requests: number; cost: number; read: number; output: number }>
    strategies: readonly Bill[]
    breaks: Readonly<{ count: number; largest: readonly Break[] }>
    sessions: readonly Readonly<{ id?: string; line: number; budget: number }>[]
    unread: readonly unknown[]
  }>[]
}>

async function json(...args: readonly string[]): Promise<Answer> {
  const { status, stdout, stderr } = await run(...args, '--json')
  expect([status, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as Answer
}

function file(name: string, lines: readonly unknown[]): string {
  const full = path.join(folder, name)
  fs.writeFileSync(full, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'))
  return full
}

const words = (count: number, word = 'word'): string =>
  Array.from({ length: count }, (_, i) => `${word} ${i}`).join(' ')

describe('sessions of coding agents', () => {
  it('of Claude Code: the reported usage, and the call that broke the cache', async () => {
    const usage = (read: number, write: number) => ({
      input_tokens: 3,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: write,
      output_tokens: 10,
    })
    const entry = (type: string, minute: number, message: object) => ({
      type,
      sessionId: 's1',
      uuid: `${type}-${minute}`,
      timestamp: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
      message: { role: type, ...message },
    })
    const said = file('claude.jsonl', [
      entry('user', 0, { content: 'Fix it.' }),
      entry('assistant', 1, { id: 'm1', content: [{ type: 'text', text: 'Done.' }], usage: usage(0, 5000) }),
      entry('user', 2, { content: 'And this.' }),
      entry('assistant', 3, { id: 'm2', content: [{ type: 'text', text: 'Done, too.' }], usage: usage(5000, 100) }),
      entry('user', 20, { content: 'And that.' }),
      entry('assistant', 21, { id: 'm3', content: [{ type: 'text', text: 'All done.' }], usage: usage(0, 5200) }),
      entry('user', 22, { content: 'And now?' }),
      entry('assistant', 23, { id: 'm4', content: [{ type: 'text', text: 'Now, too.' }], usage: usage(0, 5300) }),
    ])
    const { sources } = await json(said)
    expect(sources[0]).toMatchObject({
      messages: 8,
      requests: 4,
      recorded: { requests: 4, read: 5000, output: 40, cost: 5000 * 0.1 + 15_600 * 1.25 + 12 + 40 * 5 },
      breaks: {
        count: 2,
        largest: [
          { session: 1, id: 's1', request: 4, why: 'missed', lost: 5200, read: 0 },
          { session: 1, id: 's1', request: 3, why: 'expired', lost: 5100 },
        ],
      },
      sessions: [{ id: 's1', line: 1 }],
    })
    const { stdout } = await run(said)
    expect(stdout).toContain('The provider reported: 0.020 for 4 requests')
    expect(stdout).toContain('2 calls broke the cache (as the provider reported): 10,300 tokens')
    expect(stdout).toContain('nothing was read, so the system text, the tools or the model had changed')
    expect(stdout).toContain('request 3 at 2026-01-01T00:21:00.000Z: the entry had expired')
  })

  it('of pi: without usage, entries expire by the times of the messages', async () => {
    const entry = (n: number, message: object) => ({
      type: 'message',
      id: `e${n}`,
      parentId: n === 0 ? null : `e${n - 1}`,
      message,
    })
    const at = (minute: number): number => Date.UTC(2026, 0, 1, 0, minute)
    const { sources } = await json(
      file('pi.jsonl', [
        { type: 'session', id: 'p1', version: 3, cwd: '/x' },
        entry(0, { role: 'user', content: words(2000), timestamp: at(0) }),
        entry(1, { role: 'assistant', content: [{ type: 'text', text: 'One.' }], timestamp: at(1) }),
        entry(2, { role: 'user', content: 'Go on.', timestamp: at(9) }),
        entry(3, { role: 'assistant', content: [{ type: 'text', text: 'Two.' }], timestamp: at(10) }),
      ]),
    )
    expect(sources[0]!.breaks).toMatchObject({ count: 1, largest: [{ request: 2, why: 'expired', at: at(9) }] })
    expect(sources[0]!.recorded).toBeUndefined()
  })
})

describe('requests and conversations', () => {
  it('takes lines that begin as the line before for requests of one session, and names the message that changed', async () => {
    const first = [
      { role: 'user', content: words(1500) },
      { role: 'assistant', content: 'Yes.' },
      { role: 'user', content: words(900, 'more') },
    ]
    const changed = [
      first[0],
      first[1],
      { role: 'user', content: 'other' },
      { role: 'assistant', content: 'Hm.' },
      { role: 'user', content: 'why' },
    ]
    const { sources } = await json(
      file('log.jsonl', [
        { model: 'm', messages: first.slice(0, 1) },
        { model: 'm', messages: first },
        { model: 'm', messages: changed },
      ]),
    )
    expect(sources[0]!.sessions).toHaveLength(1)
    expect(sources[0]!.strategies[0]).toMatchObject({ name: 'as sent', requests: 3 })
    expect(sources[0]!.breaks.largest).toMatchObject([{ request: 3, message: 2, why: 'changed' }])
  })

  it('keeps conversations apart, and tells what cannot be read', async () => {
    const chat = (name: string) => ({
      messages: [
        { role: 'user', content: name },
        { role: 'assistant', content: 'Hi.' },
      ],
    })
    const mixed = file('mixed.jsonl', [chat('a'), chat('a'), '{ broken', { messages: 'none' }])
    const { status, stdout } = await run(mixed, '--json')
    const { sources } = JSON.parse(stdout) as Answer
    expect(status).toBe(1)
    expect(sources[0]!.sessions).toHaveLength(2)
    expect(sources[0]!.unread).toEqual([
      { line: 3, what: expect.any(String) as string },
      { line: 4, what: expect.stringContaining('It has no list of "messages".') as string },
    ])
  })

  it('compares strategies within a budget', async () => {
    const steps = Array.from({ length: 30 }, (_, i) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: `c${i}`, type: 'function', function: { name: 'read', arguments: words(60) } }],
      },
      { role: 'tool', tool_call_id: `c${i}`, content: words(100 + (i % 7) * 20, `file${i}`) },
    ]).flat()
    const session = file('steps.json', [
      { messages: [{ role: 'user', content: 'go' }, ...steps, { role: 'assistant', content: 'done' }] },
    ])
    const { sources } = await json(session, '--budget', '4000')
    const byName = new Map(sources[0]!.strategies.map((bill) => [bill.name, bill]))
    expect([...byName.keys()][0]).toBe('full history')
    expect(byName.get('ours: maxTokens')).toMatchObject({ requests: 31, invalid: 0, over: 0 })
    expect(byName.get('sliding window (newest messages that fit)')!.invalid).toBeGreaterThan(0)
    expect(byName.get('ours: maxTokens')!.strict).toBeLessThan(byName.get('full history')!.strict)
    const half = await json(session, '--budget', '50%')
    expect(half.sources[0]!.sessions[0]!.budget).toBe(Math.round(half.sources[0]!.tokens / 2))
  })

  it('reads exports, standard input, and contexts of the store', async () => {
    const ctx = createContext()
    ctx.user('Hi.')
    ctx.assistant('Hello.')
    ctx.commit()
    const exported = path.join(folder, 'export.json')
    fs.writeFileSync(exported, ctx.export())
    expect((await json(exported)).sources[0]).toMatchObject({ messages: 2, requests: 1 })
    expect((await pctx(['import', exported, '--id', 'kept'], { env })).status).toBe(0)
    expect((await json('--context', 'kept')).sources[0]).toMatchObject({ messages: 2, requests: 1 })
    const { stdout, status } = await pctx(['cost', '-'], { env, stdin: fs.readFileSync(exported, 'utf8') })
    expect([status, stdout]).toEqual([0, expect.stringContaining('standard input: 1 session, 2 messages, 1 request')])
  })
})

describe('a context with attempts', () => {
  it('has the requests that were sent, and the changes that parted them', async () => {
    const store = await openStore(env['PACT_STORE']!)
    const ctx = await store.open('tried')
    const say = async (read: number, write: number): Promise<void> => {
      const attempt = ctx.startAttempt({ for: toAnthropic, params: { model: 'claude-x', max_tokens: 100 } })
      const usage = {
        input_tokens: 3,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: write,
        output_tokens: 2,
      }
      attempt.receive({
        role: 'assistant',
        content: [{ type: 'text', text: words(9) }],
        stop_reason: 'end_turn',
        usage,
      })
      await ctx.commit()
    }
    ctx.user(words(3000))
    ctx.post(words(1500, 'policy'), { key: 'policy', ttl: 1 })
    await say(0, 9000)
    ctx.user(words(50))
    await say(6000, 3000)
    ctx.user(words(60))
    const failed = ctx.startAttempt({ for: toAnthropic, params: { model: 'claude-x', max_tokens: 100 } })
    failed.fail(new Error('overloaded'))
    await say(9000, 200)
    await store.close()

    const [source] = (await json('--context', 'tried')).sources
    expect(source).toMatchObject({ requests: 3, recorded: { requests: 3 } })
    expect(source!.breaks).toMatchObject({ count: 1 })
    expect(source!.breaks.largest).toMatchObject([
      { request: 2, attempt: 'attempt:2-0', why: 'changed', lost: 3000, cause: 'block:1-2 expired in cycle 2' },
    ])
    // The requests are not those that a full history would have had.
    expect(source!.strategies[0]!.name).toBe('as sent')
    const { stdout } = await run('--context', 'tried')
    expect(stdout).toMatch(
      /1 call broke the cache \(by the attempts\).*\n {2}attempt:2-0 at .*: block:1-2 expired in cycle 2; 3,000 tokens lost/,
    )
  })
})

describe('gzip', () => {
  it('is unpacked, from a file and from standard input; a broken one is refused', async () => {
    const turns = [words(50), words(20), words(10)].map((content, i) => ({
      role: i === 1 ? 'assistant' : 'user',
      content,
    }))
    const plain = file('packed.jsonl', [{ messages: turns.slice(0, 2) }])
    const packed = `${plain}.gz`
    const bytes = zlib.gzipSync(fs.readFileSync(plain))
    fs.writeFileSync(packed, bytes)
    const sums = async (name: string): Promise<object> => ({ ...(await json(name)).sources[0]!, name: '' })
    expect(await sums(packed)).toEqual(await sums(plain))
    const opened = await pctx(['import', packed, '--json'], { env })
    expect(opened.stdout).toContain('"id": "packed"')
    const broken = path.join(folder, 'broken.jsonl.gz')
    fs.writeFileSync(broken, bytes.subarray(0, bytes.length - 12))
    const refused = await run(broken)
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('cannot be read')])
  })
})

describe('mistakes', () => {
  it.each([
    [[], 'Give a file, or a context of the store with --context.'],
    [['missing.jsonl'], 'There is no file "missing.jsonl".'],
    [['x', '--budget', '0'], '"0" is no whole number from 1 up.'],
    [['x', '--budget', 'much'], '"much" is neither a number of tokens from 1 up nor a share such as 25%.'],
  ])('%j', async (args, message) => {
    const { status, stderr } = await run(...args)
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)])
  })

  it('says that a file holds no reply, in place of a table of zeros', async () => {
    const { status, stdout } = await run(file('asked.json', [{ messages: [{ role: 'user', content: 'Hi.' }] }]))
    expect([status, stdout]).toEqual([1, expect.stringContaining('It holds no reply of a model')])
    expect(stdout).not.toContain('full history')
  })

  it('says that a file holds no session', async () => {
    const { status, stdout } = await run(file('empty.jsonl', ['']))
    expect([status, stdout]).toEqual([1, expect.stringContaining('holds no session.')])
  })
})

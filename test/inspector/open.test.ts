// `pctx open`: a file in the inspector with one command, from memory or as one page without a server.

import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Browser, Page } from 'playwright-core'

import { readRecordings } from '../recordings/read.mjs'
import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { toBedrock } from '../../src/adapters/bedrock/index.js'
import { toGemini } from '../../src/adapters/gemini/index.js'
import { toMistral } from '../../src/adapters/mistral/index.js'
import { toOpenAIChat, toOpenAIResponses } from '../../src/adapters/openai/index.js'
import { createContext } from '../../src/context/index.js'
import { browserCommand } from '../../src/cli/open-browser.js'
import { importFile } from '../../src/commands/index.js'
import { openStore } from '../../src/store/index.js'
import { launchChromium } from '../support/chromium.mjs'
import { pctx } from '../support/pctx.js'

const ROOT = path.resolve(import.meta.dirname, '../..')
const SESSIONS = path.join(ROOT, 'test/sessions')
let browser: Browser
let folder = ''
beforeAll(async () => {
  browser = await launchChromium()
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-open-'))
})
afterAll(async () => {
  await browser?.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

/** Opens an address, and collects everything that a page should not do. */
async function visit(url: string): Promise<Readonly<{ page: Page; faults: string[] }>> {
  const page = await (await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })).newPage()
  page.setDefaultTimeout(15_000)
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.stack ?? error.message))
  page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())))
  page.on('request', (request) => {
    if (!request.url().startsWith(url.split('/open?')[0]!) && !/^(?:blob|data):/.test(request.url()))
      faults.push(`asked ${request.url()}`)
  })
  await page.goto(url)
  return { page, faults }
}

async function html(...args: readonly string[]): Promise<string> {
  const file = path.join(folder, `${args.map((arg) => path.basename(arg)).join('_')}.html`)
  const ran = await pctx(['open', ...args, '--html', file])
  expect([ran.status, ran.stderr]).toEqual([0, expect.not.stringContaining('pctx:')])
  return file
}

describe('a page without a server', () => {
  test.each(['pi', 'claude-code', 'codex'])('shows a session of %s as the inspector of a store does', async (name) => {
    const source = path.join(SESSIONS, `${name}.jsonl`)
    const { page, faults } = await visit(pathToFileURL(await html(source)).href)
    await page.locator('#tree .trow').first().waitFor()
    const store = await openStore('memory:')
    const { contexts } = await importFile(store, { chunks: fs.createReadStream(source), name })
    const ctx = await store.open(contexts[0]!.id)
    expect(await page.locator('.col[id^="col-c"]').count()).toBe(ctx.cycle - 1)
    await page.keyboard.press('3')
    await page.getByRole('radio', { name: 'thread' }).click()
    await expect
      .poll(() => page.locator('.fmts').innerText())
      .toContain(`${ctx.threadBytes('@t0').length.toLocaleString('en-US')} bytes`)
    await store.close()
    await page.context().close()
    expect(faults).toEqual([])
  })

  test('several files, one of them an export, are one page; its policy lets no other script run', async () => {
    const { stdout } = await pctx(['open', '-', '--html', path.join(folder, 'none.html')], {
      stdin: '[{"role":"user","content":"</script><script>document.title=1</script><!--"}]',
    })
    expect(stdout).toContain('1 conversation')
    const store = await openStore('memory:')
    const ctx = await store.create('kept')
    ctx.user('exported')
    await ctx.commit()
    fs.writeFileSync(path.join(folder, 'kept.json'), ctx.export())
    await store.close()
    const file = await html(
      path.join(SESSIONS, 'pi.jsonl'),
      path.join(folder, 'kept.json'),
      path.join(SESSIONS, 'pi.jsonl'),
    )
    const text = fs.readFileSync(file, 'utf8')
    expect(/content="([^"]*)"/.exec(text.slice(text.indexOf('Content-Security')))?.[1]).toMatch(
      /^default-src 'none'; script-src ('sha256-[\w+/=]+' ?)+; style-src 'sha256-[\w+/=]+'; /,
    )
    const { page, faults } = await visit(pathToFileURL(path.join(folder, 'none.html')).href)
    await page.locator('#tree .trow').getByText('</script>').waitFor()
    expect(await page.title()).not.toBe('1')
    expect(faults).toEqual([])
    await page.context().close()
  })

  test('and pctx cost say of one session what each of them knows', async () => {
    const source = path.join(folder, 'missed.jsonl')
    const usage = (read: number, write: number) => ({
      input_tokens: 3,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: write,
      output_tokens: 10,
    })
    const entry = (type: string, minute: number, message: object): string =>
      JSON.stringify({
        type,
        sessionId: 'missed',
        uuid: `${type}-${minute}`,
        timestamp: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
        message: { role: type, ...message },
      })
    const said = (text: string) => [{ type: 'text', text }]
    fs.writeFileSync(
      source,
      [
        entry('user', 0, { content: 'Fix it.' }),
        entry('assistant', 1, { id: 'm1', content: said('Done.'), usage: usage(0, 5000) }),
        entry('user', 2, { content: 'And this.' }),
        entry('assistant', 3, { id: 'm2', content: said('Done, too.'), usage: usage(0, 5100) }),
        entry('user', 4, { content: 'And that.' }),
        entry('assistant', 5, { id: 'm3', content: said('All done.'), usage: usage(0, 5200) }),
      ].join('\n'),
    )
    const cost = (await pctx(['cost', source])).stdout
    expect(cost).toContain('6 messages, 3 requests')
    expect(cost).toContain('2 calls broke the cache (as the provider reported)')
    expect(cost).toContain('pctx open shows which turns changed what came before them.')
    const { page, faults } = await visit(pathToFileURL(await html(source)).href)
    await page.locator('#tree .trow').first().waitFor()
    expect(await page.locator('.col[id^="col-c"]').count()).toBe(3)
    expect(await page.locator('.col .tick').count()).toBe(0)
    await page.locator('.answer').getByText('A turn of an imported conversation').waitFor()
    await page
      .locator('.second')
      .getByText('missed is not known here: pctx cost FILE reads it from the usage in the file.')
      .waitFor()
    await page.keyboard.press('b')
    await page
      .getByText(
        'No turn changed what came before it. What a provider’s cache missed is not known here: see pctx cost FILE.',
      )
      .waitFor()
    await page.context().close()
    expect(faults).toEqual([])
  })

  test('redacted, it has the shape of the session and none of its words', async () => {
    for (const name of ['pi.jsonl', 'claude-code.jsonl', 'codex.jsonl']) {
      const source = path.join(SESSIONS, name)
      const plain = embedded(await html(source))
      const masked = embedded(await html(source, '--redact'))
      // Letters that stand for texts make words by chance, but hardly long ones.
      const words = new Set(textsIn(JSON.parse(plain)).flatMap(wordsIn))
      const kept = textsIn(JSON.parse(masked))
        .flatMap(wordsIn)
        .filter((word) => words.has(word))
      expect(kept.filter((word) => !STRUCTURAL.has(word))).toEqual([])
      expect(masked.length).toBeGreaterThan(plain.length * 0.5)
      const { page, faults } = await visit(pathToFileURL(await html(source, '--redact')).href)
      await page.locator('#tree .trow').first().waitFor()
      const { page: open } = await visit(pathToFileURL(await html(source)).href)
      await open.locator('#tree .trow').first().waitFor()
      expect(await page.locator('.col').count()).toBe(await open.locator('.col').count())
      expect(await page.locator('.col .tick').count()).toBe(await open.locator('.col .tick').count())
      expect(faults).toEqual([])
      await page.context().close()
      await open.context().close()
    }
  })

  test.each([
    ['openai-chat', toOpenAIChat],
    ['openai-responses', toOpenAIResponses],
    ['anthropic', toAnthropic],
    ['gemini', toGemini],
    ['mistral', toMistral],
    ['bedrock', toBedrock],
  ] as const)('a request for %s opens, and redacted has none of its texts', async (name, to) => {
    const ctx = createContext()
    const secrets = ['hiddensystem', 'hiddenquestion', 'hiddencity', 'hiddenresult', 'hiddenanswer']
    ctx.system.add(`Be brief, ${secrets[0]}.`, { role: 'system' })
    ctx.user(`Where is ${secrets[1]}?`)
    ctx.assistant({ name: 'find', arguments: { city: secrets[2]! } }, { kind: 'call', data_call_id: 'c' })
    ctx.tool(`It is ${secrets[3]}.`, { kind: 'result', data_call_id: 'c' })
    ctx.assistant(`There: ${secrets[4]}.`)
    ctx.user('Thanks.')
    const file = path.join(folder, `request-${name}.json`)
    fs.writeFileSync(file, JSON.stringify(to(ctx)))
    const [plain, masked] = [embedded(await html(file)), fs.readFileSync(await html(file, '--redact'), 'utf8')]
    expect(secrets.filter((word) => !plain.includes(word))).toEqual([])
    expect(secrets.filter((word) => masked.includes(word))).toEqual([])
    expect((JSON.parse(plain) as { format: string }[])[0]!.format).toBe(name)
  })

  test.each([
    ['nothing', '', 2, 'bad".\n'],
    ['half of a JSON text', '{"messages":[{"role":"us', 2, 'bad, line 1: Expected a closing quote, but found the end'],
    ['words', 'hello', 2, 'bad, line 1: Expected a value, but found "h"'],
    ['bytes that are no text', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d]), 2, 'bad, line 1: It is not UTF-8.'],
    ['a request of no provider', '{"a":1}', 2, 'bad, line 1: It has no list of "messages".'],
    ['a list without messages', '[]', 0, 'bad, line 1: It has no messages.'],
    [
      'a session whose last line is being written',
      fs.readFileSync(path.join(SESSIONS, 'codex.jsonl'), 'utf8').slice(0, -90),
      0,
      'bad: 5 entries of it are not shown; pctx import says why.',
    ],
  ])('a file with %s is answered with a sentence', async (_, bytes, status, said) => {
    const file = path.join(fs.mkdtempSync(path.join(folder, 'bad-')), 'bad')
    fs.writeFileSync(file, bytes)
    const ran = await pctx(['open', file, '--html', `${file}.html`])
    expect([ran.status, ran.stderr]).toEqual([status, expect.stringContaining(said)])
    expect(ran.stderr.includes('There is no conversation in these files that can be read.')).toBe(status === 2)
    expect(fs.existsSync(`${file}.html`)).toBe(status === 0)
  })

  test('every recording can be redacted', async () => {
    const source = path.join(folder, 'all.jsonl')
    fs.writeFileSync(
      source,
      readRecordings('')
        .map(({ record }) => JSON.stringify(record))
        .join('\n'),
    )
    const [plain, masked] = [await html(source), await html(source, '--redact')]
    expect(JSON.parse(embedded(masked))).toHaveLength((JSON.parse(embedded(plain)) as unknown[]).length)
  })
})

/** Words that say what a message is. */
const STRUCTURAL = new Set([
  'assistant',
  'message',
  'output',
  'input',
  'function',
  'compaction',
  'anthropic',
  'thinking',
  'reasoning',
  'system',
  'toolResult',
  'toolCall',
  'claude',
  'codex',
  'agent',
  'session',
  'summary',
  'result',
  'developer',
  'return',
  'command',
])

function embedded(file: string): string {
  return /id="pact-conversations">(.*?)<\/script>/s.exec(fs.readFileSync(file, 'utf8'))![1]!
}

function wordsIn(text: string): readonly string[] {
  return text.match(/[A-Za-z]{6,}/g) ?? []
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

test('a file opens from memory: the link leads to it, Ctrl-C ends it, and nothing is left', async () => {
  const cwd = fs.mkdtempSync(path.join(folder, 'cwd-'))
  const program = path.join(ROOT, 'dist/bundle/pctx.js')
  const child = spawn(
    process.execPath,
    [program, 'open', path.join(SESSIONS, 'claude-code.jsonl'), '--no-open', '--json'],
    { cwd },
  )
  const answer = await new Promise<string>((resolve) =>
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString())),
  )
  const { link, contexts } = JSON.parse(answer) as { link: string; contexts: readonly string[] }
  expect(contexts).toEqual(['7d1c0000-claude'])
  const { page, faults } = await visit(link)
  await page.locator('#tree .trow').first().waitFor()
  expect(page.url()).toContain('#/7d1c0000-claude')
  expect(faults).toEqual([])
  await page.context().close()
  const end = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGINT')
  expect(await end).toBe(0)
  expect(fs.readdirSync(cwd)).toEqual([])
})

test.each([
  [{}, true, 'linux', ['xdg-open', 'L']],
  [{}, true, 'darwin', ['open', 'L']],
  [{}, true, 'win32', ['cmd', '/c', 'start', '""', 'L']],
  [{ BROWSER: 'firefox' }, true, 'linux', ['firefox', 'L']],
  [{ BROWSER: 'none' }, true, 'linux', undefined],
  [{ CI: 'true' }, true, 'linux', undefined],
  [{ CI: 'true', BROWSER: 'firefox' }, true, 'linux', undefined],
  [{ CI: 'false' }, true, 'linux', ['xdg-open', 'L']],
  [{}, false, 'linux', undefined],
] as const)('the browser that %j opens, on a terminal: %s, %s', (env, isTTY, platform, expected) => {
  const streams = { env } as unknown as Parameters<typeof browserCommand>[0]['streams']
  expect(browserCommand({ streams, isTTY }, 'L', platform)).toEqual(expected)
})

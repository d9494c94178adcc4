// "Copy as": what is pasted into a shell or a program posts exactly the bytes of the call, with what its params hold, and no secret.

import { execFile } from 'node:child_process'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { toOpenAIChat } from '../../src/adapters/openai/index.js'
import { HANDLERS, storePool } from '../../src/commands/index.js'
import type { StoredContext } from '../../src/store/index.js'
import { shows, startInspector, type Inspector } from '../support/inspector.js'

const run = promisify(execFile)

let inspector: Inspector
let ctx: StoredContext
let recorder: http.Server
const posts: { path: string; headers: http.IncomingHttpHeaders; body: string }[] = []

beforeAll(async () => {
  inspector = await startInspector()
  ctx = await inspector.store.create("it's/copied")
  ctx.user("It's $HOME, `date` and \\ “quotes” — 100 %s\n'x' ✓")
  // The model is not in the body of this call: only the record has it.
  ctx.startAttempt({ provider: 'openai', model: 'gpt-4o', params: { temperature: 0 }, for: toOpenAIChat }).complete()
  ctx.assistant('First')
  await ctx.commit()
  ctx.user('Again')
  const params = { model: 'claude', max_tokens: 9 }
  ctx.startAttempt({ provider: 'anthropic', model: 'claude', params, for: toAnthropic }).complete()
  ctx.assistant('Second')
  await ctx.commit()
  await ctx.flush()
  recorder = http.createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => (body += part))
    request.on('end', () => {
      posts.push({ path: request.url ?? '', headers: request.headers, body })
      response.end('{}')
    })
  })
  await new Promise<void>((resolve) => {
    recorder.listen(0, '127.0.0.1', resolve)
  })
})
afterAll(async () => {
  recorder?.close()
  await inspector?.close()
})

async function copiedAs(page: Page, name: string): Promise<string> {
  await page.locator('.tools').getByRole('button', { name: 'Copy as' }).click()
  await page.getByRole('menuitem', { name: new RegExp(`^${name}`) }).click()
  await page.getByRole('status').getByText('Copied: ').waitFor()
  return page.evaluate<string>('navigator.clipboard.readText()')
}

const link = (query: string): string => `#/${encodeURIComponent("it's/copied")}?${query}`

test.each([
  ['openai', 'c1.1-0', 'attempt:1-0', '/chat/completions', { authorization: 'Bearer test-key' }],
  [
    'anthropic',
    'c2.2-0',
    'attempt:2-0',
    '/v1/messages',
    { 'x-api-key': 'test-key', 'anthropic-version': '2023-06-01' },
  ],
] as const)(
  'a call of %s by curl and by fetch posts its bytes, its model and its params',
  async (_, at, attempt, path, headers) => {
    const { page, done } = await inspector.open(link(`at=${at}&view=request`))
    await page.locator('.ritem').first().waitFor()
    const { port } = recorder.address() as AddressInfo
    const base = `http://127.0.0.1:${port}`
    const env = {
      PATH: process.env['PATH'],
      OPENAI_BASE_URL: base,
      ANTHROPIC_BASE_URL: base,
      OPENAI_API_KEY: 'test-key',
      ANTHROPIC_API_KEY: 'test-key',
    }
    const curl = await copiedAs(page, 'curl')
    expect(curl).toMatch(/\$(?:OPENAI|ANTHROPIC)_API_KEY/)
    const code = await copiedAs(page, 'fetch')
    posts.length = 0
    await run('sh', ['-c', curl], { env })
    await run(process.execPath, ['--input-type=module', '-e', code], { env })
    expect(posts).toHaveLength(2)
    const bytes = new TextDecoder().decode(ctx.requestOf(attempt))
    const record = ctx.attempts().find(({ attempt_id: id }) => id === attempt)!
    for (const post of posts) {
      expect(post.path).toBe(path)
      expect(post.headers).toMatchObject({ 'content-type': 'application/json', ...headers })
      // Every byte of the request, from its first field on; what it lacks of the record is in front of it.
      expect(post.body.endsWith(bytes.slice(1))).toBe(true)
      expect(JSON.parse(post.body)).toEqual({ model: record.model, ...record.params, ...(JSON.parse(bytes) as object) })
    }
    expect(posts[0]!.body).toBe(posts[1]!.body)
    await done()
  },
)

test('the other ways: bytes, indented, by the library, by pctx, a link; keys alone are enough', async () => {
  const { page, done } = await inspector.open(link('at=c1.1-0&view=request'))
  await page.locator('.ritem').first().waitFor()
  const bytes = new TextDecoder().decode(ctx.requestOf('attempt:1-0'))
  expect(await copiedAs(page, 'Bytes')).toBe(bytes)
  expect(await copiedAs(page, 'Pretty JSON')).toBe(JSON.stringify(JSON.parse(bytes), null, 2))
  expect(await copiedAs(page, 'ctx\\.requestOf')).toContain('ctx.requestOf("attempt:1-0")')
  expect(await copiedAs(page, 'pctx render')).toBe("pctx render 'it'\\''s/copied' attempt:1-0 --for openai-chat")
  const button = page.locator('.tools').getByRole('button', { name: 'Copy as' })
  await button.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toBe(page.url())
  await button.press('Enter')
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('menu').count()).toBe(0)
  expect(await button.evaluate((each) => each === each.ownerDocument.activeElement)).toBe(true)
  await page.getByRole('button', { name: 'Copy link' }).click()
  await page.getByText('Link copied.').waitFor()
  await done()
})

test('one node: its content, and its bytes in the request', async () => {
  const { page, done } = await inspector.open(link('at=c1.1-0&view=request'))
  await page.locator('.ritem .body').first().click()
  await page.locator('.second .node h2').waitFor()
  await page.locator('.second').getByRole('button', { name: 'Copy as' }).click()
  await page.getByRole('menuitem', { name: 'Bytes in the request' }).click()
  await page.getByRole('status').getByText('Copied: ').waitFor()
  const item = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(new TextDecoder().decode(ctx.requestOf('attempt:1-0'))).toContain(item)
  expect(JSON.parse(item)).toMatchObject({ role: 'user' })
  await done()
})

test('an exported snapshot is a file that opens again', async () => {
  const { page, done } = await inspector.open(link('at=c1'))
  await shows(page, '@c1')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export snapshot' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('it-s-copied-c1.json')
  const stream = await file.createReadStream()
  let text = ''
  for await (const part of stream) text += String(part)
  expect(JSON.parse(text)).toEqual(JSON.parse(new TextDecoder().decode(ctx.export('@c1'))))
  const pool = storePool(inspector.store)
  await HANDLERS.import(pool, { id: 'again', format: 'pact', body: text })
  expect((await inspector.store.open('again')).thread()).toEqual(ctx.thread('@c1'))
  await done()
})

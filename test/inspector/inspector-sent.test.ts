// The page keeps its promise: what was sent, byte for byte, in the format of the call; what would be sent now; no moment against itself; links
// that mean what they say. The library says what is right.

import { createHash } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'

import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { toOpenAIChat } from '../../src/adapters/openai/index.js'
import type { StoredContext } from '../../src/store/index.js'
import { shows, startInspector, type Inspector } from '../support/inspector.js'

let inspector: Inspector
let ctx: StoredContext
const MARKED = 'attempt:1-0'
const KEPT = 'attempt:2-0'
beforeAll(async () => {
  inspector = await startInspector()
  ctx = await inspector.store.create('sent')
  const call = { provider: 'anthropic', model: 'claude', params: { model: 'claude', max_tokens: 9 } }
  ctx.system.add('Be brief.', { role: 'system' })
  ctx.pre('Doc', { key: 'kb' })
  ctx.user('Hello')
  const options = { cache: true, blocks: { before: '<{key}>' } } as const
  ctx.startAttempt({ ...call, for: toAnthropic, options }).complete()
  ctx.assistant('First reply')
  await ctx.commit()
  ctx.user('Again')
  const request = { model: 'own', prompt: 'Made elsewhere' }
  ctx.startAttempt({ ...call, request: JSON.stringify(request), keepRequest: true }).fail(new Error('No'))
  ctx.assistant('Second reply')
  await ctx.commit()
  ctx.user('Once more')
  ctx.startAttempt({ provider: 'anthropic', model: 'claude', params: {} }).complete()
  ctx.assistant('Third reply')
  await ctx.commit()
  await ctx.flush()
})
afterAll(() => inspector?.close())

async function copied(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Copy bytes' }).click()
  await page.getByRole('status').getByText('on the clipboard').waitFor()
  return page.evaluate<string>('navigator.clipboard.readText()')
}

describe('the bytes that were sent', () => {
  test.each([
    ['made by an adapter with options', 'c1.1-0', MARKED],
    ['made elsewhere and kept', 'c2.2-0', KEPT],
  ])('are shown and copied, with the hash proved: %s', async (_, at, attempt) => {
    const { page, done } = await inspector.open(`#/sent?at=${at}&view=request`)
    const bytes = ctx.requestOf(attempt)
    await page.getByText('matches the record').waitFor()
    expect(await copied(page)).toBe(new TextDecoder().decode(bytes))
    const record = ctx.attempts().find((each) => each.attempt_id === attempt)!
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(record.request_hash)
    await expect.poll(() => page.locator('.seal').innerText()).toContain(record.request_hash!.slice(0, 8))
    await expect.poll(() => page.getByRole('radio', { name: 'as sent' }).getAttribute('aria-checked')).toBe('true')
    await expect.poll(() => page.locator('body').innerText()).not.toMatch(/(?:First|Second) reply/)
    await done()
  })

  test('belong to nodes, marks and params included', async () => {
    const { page, done } = await inspector.open('#/sent?at=c1.1-0&view=request')
    const rows = page.locator('.ritem')
    await rows.first().waitFor()
    await expect.poll(() => rows.allInnerTexts().then((texts) => texts.join('\n'))).toMatch(/<kb>Doc[\s\S]*Hello/)
    await rows.filter({ hasText: '<kb>Doc' }).locator('button').click()
    await expect.poll(() => page.locator('.second').innerText()).toContain('#kb')
    await done()
  })

  test('if they are not known there is nothing to copy; the reason stands there, and nothing that came later', async () => {
    const { page, done } = await inspector.open('#/sent?at=c3.3-0&view=request')
    await page.getByText('it was started without for').waitFor()
    expect(await page.getByRole('button', { name: 'Copy bytes' }).count()).toBe(0)
    for (const view of ['1', '3']) {
      await page.keyboard.press(view)
      await page.getByText('The tree of this call is not known').waitFor()
      expect(await page.locator('body').innerText()).not.toContain('Third reply')
    }
    await done()
  })
})

test('the format follows the call; a link that names another one wins', async () => {
  const { page, done } = await inspector.open('#/sent?at=c1')
  await shows(page, '@c1')
  await page.keyboard.press('3')
  await page.getByRole('radio', { name: 'Anthropic' }).waitFor()
  await expect.poll(() => page.getByRole('radio', { name: 'Anthropic' }).getAttribute('aria-checked')).toBe('true')
  expect(page.url()).not.toContain('as=')
  await expect.poll(() => page.locator('.answer').innerText()).toMatch(/for Anthropic/)
  // A call has its own bytes, which are first among the formats.
  await page.goto(`${inspector.url}/#/sent?at=c1.1-0`)
  await shows(page, MARKED)
  await page.keyboard.press('3')
  await expect.poll(() => page.getByRole('radio', { checked: true }).allInnerTexts()).toContain('as sent')
  await page.locator('.seal').getByText('sent to anthropic').waitFor()
  expect(page.url()).not.toContain('as=')
  await expect.poll(() => page.locator('.answer').innerText()).toMatch(/for Anthropic/)
  await page.goto(`${inspector.url}/#/sent?at=c1.1-0&view=request&as=gemini`)
  await expect
    .poll(() => page.getByRole('radio', { name: 'Gemini', exact: true }).getAttribute('aria-checked'))
    .toBe('true')
  await expect.poll(() => page.locator('.answer').innerText()).toMatch(/for Gemini/)
  await done()
})

test('if sent now is the preview: bytes, tokens, and the node that expires', async () => {
  const open = await inspector.store.create('expiring')
  open.system.add('Be brief.', { role: 'system' })
  open.user('One')
  open.post('A note that is here once.', { key: 'note', ttl: 1 })
  await open.commit()
  open.user('Two')
  await open.save()
  const note = open.select('#note')[0]!
  const { page, done } = await inspector.open('#/expiring?at=working&view=request')
  await page.getByRole('radio', { name: 'OpenAI Chat' }).waitFor()
  const request = toOpenAIChat(open)
  expect(await copied(page)).toBe(JSON.stringify(request))
  const tokens = open.tokens('preview').total
  await expect.poll(() => page.locator('.fmts').innerText()).toContain(`${tokens} tokens`)
  await expect.poll(() => page.locator('.answer').innerText()).toContain(`${tokens} tokens`)
  await expect.poll(() => page.locator('.read .sum').innerText()).toContain(`${tokens}`)
  await expect.poll(() => page.locator('.answer').innerText()).toContain(`${note} (expired)`)
  await page.keyboard.press('1')
  await shows(page, 'working')
  await expect
    .poll(() => page.locator('.trow').filter({ hasText: '#note' }).innerText())
    .toContain('leaves at the commit')
  await done()
})

test('no moment is compared with itself', async () => {
  const { page, done } = await inspector.open('#/sent?at=c3')
  await shows(page, '@c3')
  const heading = page.locator('.answer h2').filter({ hasText: /^Changed/ })
  await expect.poll(() => heading.innerText()).toBe('Changed since @c2')
  await expect.poll(() => page.locator('.answer').innerText()).toContain('2 new')
  for (let steps = 0; steps < 8; steps++) {
    await page.keyboard.press('[')
    const shown = page.locator('.answer [data-shows]').first()
    if ((await shown.count()) === 0) continue
    expect(await heading.innerText()).not.toBe(`Changed since ${await shown.getAttribute('data-shows')}`)
  }
  await done()
})

test('a link and Back mean what they say while the page follows', async () => {
  const { page, done } = await inspector.open('#/sent')
  await shows(page, '@c3')
  const follow = page.getByRole('button', { name: 'Follow' })
  await expect.poll(() => follow.getAttribute('aria-pressed')).toBe('true')
  await page.evaluate("location.hash = '#/rail/booking-7?at=c3.4-0'")
  await shows(page, 'attempt:4-0')
  await expect.poll(() => follow.getAttribute('aria-pressed')).toBe('false')
  // Longer than the page waits before it looks for new calls.
  await page.waitForTimeout(6000)
  expect(page.url()).toContain('at=c3.4-0')
  await page.evaluate("location.hash = '#/sent'")
  await shows(page, '@c3')
  await page.goBack()
  await shows(page, 'attempt:4-0')
  expect(page.url()).toContain('rail/booking-7?at=c3.4-0')
  await done()
})

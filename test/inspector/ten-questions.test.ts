// The third answer to each question of docs/ten-questions.md: the keys and places of the inspector that the page names, on its conversation.

import fs from 'node:fs'

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'

import { openStore, type Store } from '../../src/store/index.js'
import { shows, startInspector, type Inspector, type Watched } from '../support/inspector.js'
import { makeConversation, PAGE } from '../support/ten-questions.js'

let inspector: Inspector
let store: Store
let folder = ''
let url = ''
beforeAll(async () => {
  const made = makeConversation('ten-questions-page')
  folder = made.folder
  store = await openStore(made.address)
  inspector = await startInspector()
  url = (await inspector.serve(store)).url
})
afterAll(async () => {
  await inspector?.close()
  await store?.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

async function at(lens: string, moment: string, node = ''): Promise<Watched> {
  const watched = await inspector.open(`#/support?at=${moment}${node === '' ? '' : `&node=${node}`}`, { url })
  await shows(watched.page, lens)
  return watched
}

const pane = (page: Page): Promise<string> => page.locator('.second').innerText()

test('the page says what to do in the inspector for each question', () => {
  expect(PAGE.match(/^Inspector: /gm)).toHaveLength(10)
})

test('1: the call and 3 show what was sent, with the hash proved', async () => {
  const { page, done } = await at('attempt:2-0', 'c2.2-0')
  await page.locator('#tree').press('3')
  await page.locator('.seal').getByText('matches the record').waitFor()
  await expect.poll(() => page.locator('.ritem').allInnerTexts().then(String)).toMatch(/Near the station/)
  expect(await page.locator('.ritem').allInnerTexts().then(String)).not.toContain('Hotel Aventino is close.')
  await done()
})

test('2: the call and 2 show each change with its cause', async () => {
  const { page, done } = await at('attempt:3-0', 'c3.3-0')
  await page.locator('#tree').press('2')
  const left = page
    .locator('#changes [role="option"], #changes button, #changes li')
    .filter({ hasText: 'Policy' })
    .first()
  await left.waitFor()
  expect(await left.innerText()).toContain('expired')
  await done()
})

test('3 and 6: the pane says why a node is there, who committed it, and its place in the request', async () => {
  const { page, done } = await at('@c3', 'c3', 'block:2-5')
  await expect.poll(() => pane(page)).toMatch(/committed by agent/)
  expect(await pane(page)).toMatch(/pinned, so no budget takes it[^]*Life[^]*In the request\s+Item 5/)
  await page.locator('#selector').fill('@history #plan')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.locator('body').innerText()).toMatch(/Plan: find a hotel[^]*Plan: book the hotel/)
  expect(new URL(page.url()).hash).toContain('view=range')
  await done()
})

test('4: tokens by tool, and the largest nodes of a turn', async () => {
  const { page, done } = await at('@c3', 'c3')
  await expect.poll(() => pane(page)).toMatch(/The largest nodes\s+block:2-3\s+result\s+find_hotels/)
  await page.getByRole('radio', { name: 'tool' }).click()
  await page.getByRole('table', { name: 'Tokens of each call by tool' }).waitFor({ state: 'attached' })
  await expect.poll(() => page.locator('body').innerText()).toMatch(/no tool\s+\d+[^]*find_hotels\s+\d+/)
  await done()
})

test('5: b goes to the next break, with the node and the cause', async () => {
  const { page, done } = await at('@c1', 'c1')
  await page.locator('#tree').press('b')
  await shows(page, 'attempt:2-0')
  await page.locator('#tree').press('b')
  await shows(page, 'attempt:3-0')
  await expect.poll(() => page.locator('.answer').innerText()).toContain('block:2-4 expired in cycle 3')
  await done()
})

test('7: words and Shift Enter look in all of history', async () => {
  const { page, done } = await at('@c3', 'c3')
  await page.locator('#tree').press('/')
  await page.keyboard.type('Policy')
  await page.locator('.pop').getByText('in all history').waitFor()
  await page.keyboard.press('Shift+Enter')
  await expect.poll(() => page.locator('.hitrow').allInnerTexts().then(String)).toMatch(/@c2\s+gone[^]*Policy: hotels/)
  await done()
})

test('8: w shows the open turn', async () => {
  const { page, done } = await at('@c3', 'c3')
  await page.locator('#tree').press('w')
  await expect.poll(() => page.locator('.answer').innerText()).toMatch(/^Working state[^]*If sent now/)
  await done()
})

test('9: f makes a fork, which the front page lists under its parent', async () => {
  const { page, done } = await at('@c1', 'c1')
  await page.locator('#tree').press('f')
  await page.getByLabel('id of the new context').fill('support-9')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toContain('#/support-9')
  await page.goto(`${url}/#/`)
  await page.getByText('support-9').waitFor()
  expect(await page.locator('body').innerText()).toMatch(/support\n[^]*support-9\s+from @c1/)
  await done()
})

test('10: an erased node says so in every turn', async () => {
  await store.erase('support', "[content~'4111']", { author: 'dpo', reason: 'a card number' })
  for (const cycle of [1, 2, 3]) {
    const { page, done } = await at(`@c${cycle}`, `c${cycle}`, 'block:1-2')
    await expect.poll(() => pane(page)).toContain('What it said was erased.')
    expect(await page.locator('body').innerText()).not.toContain('4111')
    await done()
  }
})

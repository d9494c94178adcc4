// The front page: every context of a store can be found, forks are under their parent, and a row says what is worth opening.

import { afterAll, beforeAll, expect, test } from 'vitest'

import { addDemoStory } from '../../demo/story.mjs'
import { toOpenAIChat } from '../../src/adapters/openai/index.js'
import { openStore, type Store } from '../../src/store/index.js'
import { faultsOnAllScreens, shows, startInspector, type Inspector } from '../support/inspector.js'

let inspector: Inspector
let store: Store
let url = ''
beforeAll(async () => {
  inspector = await startInspector()
  store = await openStore('memory:')
  for (let n = 1; n <= 1000; n++) await store.create(`agent/${n.toString(36).padStart(3, '0')}-${n}`)
  await addDemoStory(store, 'rail', toOpenAIChat)
  url = (await inspector.serve(store)).url
})
afterAll(async () => {
  await inspector?.close()
  await store?.close()
})

test('lists a thousand contexts newest first, the fork under its parent, with breaks and failures', async () => {
  const { page, done } = await inspector.open('', { url })
  await page.getByText('1,002 contexts, newest first').waitFor()
  const rows = page.locator('.ctxrow')
  expect(await rows.count()).toBe(40)
  expect(await rows.nth(0).innerText()).toMatch(/^rail\b/)
  expect(await rows.nth(1).innerText()).toMatch(/└ rail-later-train from @c9/)
  await rows.nth(0).getByText('× 1 failed').waitFor()
  const breaks = Number.parseInt(await rows.nth(0).locator('.breaks').innerText(), 10)
  expect(breaks).toBeGreaterThan(3)
  expect(await rows.nth(0).locator('.spark rect:not(.brk)').count()).toBe(16)
  expect(await rows.nth(0).locator('.spark .brk').count()).toBe(breaks)
  await page.getByRole('button', { name: /^Show 40 more/ }).click()
  expect(await rows.count()).toBe(80)
  expect(await faultsOnAllScreens(page)).toEqual([])
  await done()
})

test('four letters reach the 950th; Enter opens it, Back returns, Ctrl K is there from anywhere', async () => {
  const { page, done } = await inspector.open('#/rail?at=c12', { url })
  await shows(page, '@c12')
  await page.locator('#tree').press('Control+k')
  await page.locator('#filter:focus').waitFor()
  await page.keyboard.type('-950')
  await expect.poll(() => page.locator('.ctxrow').allInnerTexts()).toHaveLength(1)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'No commit yet' }).waitFor()
  expect(page.url()).toContain('#/agent/0qe-950')
  await page.goBack()
  await page.locator('#filter').waitFor()
  await page.goBack()
  await shows(page, '@c12')
  await page.locator('.pick').click()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await shows(page, '@c11')
  expect(page.url()).toContain('#/rail-later-train')
  await done()
})

test('the story that npm start opens has broken prefixes, a failed call and a completed one in its first view', async () => {
  const { page, done } = await inspector.open('#/rail', { url })
  await shows(page, '@c16')
  for (const sign of ['.tick', '.at .error', '.at .completed']) {
    const inView = await page.locator(`#cycles ${sign}`).evaluateAll((all) => {
      const { left, right } = all[0]!.closest('#cycles')!.getBoundingClientRect()
      return all.map((each) => each.getBoundingClientRect()).filter((box) => box.left >= left && box.right <= right)
        .length
    })
    expect(inView, sign).toBeGreaterThan(0)
  }
  await page.locator('.second').getByText('completed').first().waitFor()
  // The bytes of its calls are known, and proved.
  await page.locator('#tree').press('3')
  await page.locator('.seal').getByText('matches the record').waitFor()
  await done()
})

test('a store with one context begins with it', async () => {
  const { page, done } = await inspector.open('')
  await shows(page, '@c16')
  expect(page.url()).toContain('#/rail/booking-7')
  await done()
})

// The bar takes words and numbers, too: a text in the tree, in all history, and a cycle by its number.

import { afterAll, beforeAll, expect, test } from 'vitest'

import { drawn, shows, startInspector, STORY, type Inspector } from '../support/inspector.js'

let inspector: Inspector
beforeAll(async () => {
  inspector = await startInspector()
})
afterAll(() => inspector?.close())

test('words are found and marked in the tree; Shift Enter finds what was pruned since', async () => {
  const { page, done } = await inspector.open(`#/${STORY}?at=c16`)
  await shows(page, '@c16')
  await page.locator('#tree').press('/')
  await page.keyboard.type('voucher')
  await page.locator('.pop').getByText('Shift Enter looks in all history').waitFor()
  await expect.poll(() => page.locator('#found').innerText()).toMatch(/^[1-9]\d* matches at @c16$/)
  await page.keyboard.press('Enter')
  await page.locator('.hit mark').first().waitFor()
  expect(await page.locator('.hit mark').first().innerText()).toBe('voucher')
  expect(await page.locator('[role="alert"]').count()).toBe(0)
  expect(page.url()).toContain('node=')
  await page.locator('#selector').fill('Harbour Lane')
  await expect.poll(() => page.locator('#found').innerText()).toBe('0 matches at @c16')
  await page.keyboard.press('Shift+Enter')
  await page.locator('.lane b').first().waitFor()
  expect(new URL(page.url()).hash).toContain('view=range')
  await done()
})

test.each(['12', 'c12', '@c12'])('%s and Enter goes to the cycle', async (typed) => {
  const { page, done } = await inspector.open(`#/${STORY}?at=c16`)
  await shows(page, '@c16')
  await page.locator('#tree').press('/')
  await page.keyboard.type(typed)
  await page.locator('.pop').getByText('Enter goes to cycle 12.').waitFor()
  expect(await page.locator('#found').innerText()).toBe('')
  await page.keyboard.press('Enter')
  await shows(page, '@c12')
  await drawn(page)
  expect(await page.locator('#selector').inputValue()).toBe('')
  await done()
})

// The bar takes words and numbers, too: a text in the tree, in all history, and a cycle by its number.

import { afterAll, beforeAll, expect, test } from 'vitest'

import { drawn, shows, startInspector, STORY, type Inspector } from '../support/inspector.js'

let inspector: Inspector
beforeAll(async () => {
  inspector = await startInspector()
})
afterAll(() => inspector?.close())

test('words are found in upper and lower case, and marked; Shift Enter finds what was pruned since', async () => {
  const { page, done } = await inspector.open(`#/${STORY}?at=c16`)
  await shows(page, '@c16')
  await page.locator('#tree').press('/')
  await page.keyboard.type('VOUCHER')
  await page.locator('.pop').getByText('“VOUCHER” in all history').waitFor()
  await expect.poll(() => page.locator('#found').innerText()).toMatch(/^[1-9]\d* matches at @c16$/)
  await page.keyboard.press('Enter')
  await page.locator('.hit mark').first().waitFor()
  expect(await page.locator('.hit mark').first().innerText()).toBe('voucher')
  expect(await page.locator('[role="alert"]').count()).toBe(0)
  expect(page.url()).toContain('node=')
  // In the pane and in the request too.
  await expect.poll(() => page.locator('.content mark').first().innerText()).toBe('voucher')
  await page.locator('#selector').press('Escape')
  await page.locator('#tree').press('3')
  await page.locator('.ritem mark').first().waitFor()
  await page.locator('#items').press('/')
  await page.locator('#selector').fill('harbour LANE')
  await expect.poll(() => page.locator('#found').innerText()).toBe('0 matches at @c16')
  await page.keyboard.press('Shift+Enter')
  const hit = page.locator('.hitrow')
  await expect.poll(() => hit.count()).toBe(1)
  expect((await hit.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
    /^@c4–@c9 gone result get_traveller .*12 Harbour Lane/,
  )
  expect(await hit.locator('mark').innerText()).toBe('Harbour Lane')
  expect(await hit.locator('.hit').innerText()).toContain('"street":"12 Harbour Lane","city"')
  expect(new URL(page.url()).hash).toContain('view=range')
  // The row leads to the last cycle that has the node, and Back to the rows.
  await hit.click()
  await shows(page, '@c9')
  await page.locator('.trow[aria-selected="true"] mark').waitFor()
  await page.goBack()
  await hit.waitFor()
  await done()
})

test('a row whose words are far into its text shows the text around them', async () => {
  const ctx = await inspector.store.create('far')
  ctx.user(`${'many words before '.repeat(40)}the needle and what follows`)
  ctx.user('A needle at the start.')
  await ctx.commit()
  const { page, done } = await inspector.open('#/far?at=c1&q=needle')
  await shows(page, '@c1')
  const rows = page.locator('.trow.leaf.match .txt')
  await expect
    .poll(() => rows.allInnerTexts())
    .toEqual([expect.stringMatching(/^…[^…]{20,60}the needle and what follows$/), 'A needle at the start.'])
  for (const row of await rows.all()) {
    const [text, mark] = await Promise.all([row.boundingBox(), row.locator('mark').boundingBox()])
    expect(mark!.x + mark!.width).toBeLessThan(text!.x + text!.width)
  }
  await done()
})

test.each(['12', 'c12', '@c12'])('%s and Enter goes to the cycle', async (typed) => {
  const { page, done } = await inspector.open(`#/${STORY}?at=c16`)
  await shows(page, '@c16')
  await page.locator('#tree').press('/')
  await page.keyboard.type(typed)
  await page.locator('.pop').getByText('Go to cycle 12').waitFor()
  expect(await page.locator('#found').innerText()).toBe('')
  await page.keyboard.press('Enter')
  await shows(page, '@c12')
  await drawn(page)
  expect(await page.locator('#selector').inputValue()).toBe('')
  await done()
})

test('a selector that finds nothing is answered with what to write', async () => {
  const { page, done } = await inspector.open(`#/${STORY}?at=c16`)
  await shows(page, '@c16')
  await page.locator('#selector').fill('.user')
  await page.locator('.pop').getByText(`a role is .block[role='user']`).waitFor()
  expect(await page.locator('#found').innerText()).toBe('0 matches at @c16')
  await page.locator('#selector').fill(".block[role='user']")
  await expect.poll(() => page.locator('#found').innerText()).toMatch(/^[1-9]\d* matches/)
  expect(await page.locator('.pop').count()).toBe(0)
  await done()
})

// Views open where it matters: the tree at the first change or, while it follows, at the newest turn; a broken request at the difference.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { shows, startInspector, type Inspector } from '../support/inspector.js'

let inspector: Inspector
beforeAll(async () => {
  inspector = await startInspector()
})
afterAll(() => inspector?.close())

const TURNS = 60

/** The number of elements that are wholly inside a scrolling box. */
function inSight(page: Page, box: string, selector: string): Promise<number> {
  return page.evaluate<number>(`(() => {
    const { top, bottom } = document.querySelector('${box}').getBoundingClientRect()
    const isIn = (each) => each.getBoundingClientRect().top >= top && each.getBoundingClientRect().bottom <= bottom
    return [...document.querySelectorAll('${box} ${selector}')].filter(isIn).length
  })()`)
}

async function longContext(id: string) {
  const ctx = await inspector.store.create(id)
  for (let i = 1; i <= TURNS; i++) {
    ctx.user(`Question ${i}?`)
    ctx.assistant(`Answer ${i}, ${'with some words '.repeat(20)}`)
    await ctx.commit()
  }
  return ctx
}

test('the tree of a link opens at the first change, and follows the newest turn', async () => {
  const ctx = await longContext('long')
  const { page, done } = await inspector.open(`#/long?at=c${TURNS - 1}`)
  await shows(page, `@c${TURNS - 1}`)
  await expect.poll(() => inSight(page, '#tree', '.trow.add')).toBeGreaterThan(0)
  await page.keyboard.press('Home')
  await page.goto(`${inspector.url}/#/long?at=c30`)
  await shows(page, '@c30')
  await expect.poll(() => inSight(page, '#tree', '.trow.add')).toBeGreaterThan(0)
  await page.goto(`${inspector.url}/#/long?at=c${TURNS}`)
  await shows(page, `@c${TURNS}`)
  for (let i = 1; i <= 40; i++) {
    ctx.user(`Followed ${i}?`)
    await ctx.commit()
    await shows(page, `@c${TURNS + i}`)
    await expect.poll(() => inSight(page, '#tree', '.trow.leaf.add')).toBe(1)
  }
  await done()
})

test('the request of a broken call opens at the difference', async () => {
  const ctx = await longContext('broken')
  ctx.replace("d20 .block[role='user']", { content: 'Another question?' })
  await ctx.commit()
  const { page, done } = await inspector.open(`#/broken?at=c${TURNS + 1}&view=request`)
  await page.locator('#items .vrow').first().waitFor()
  await expect.poll(() => inSight(page, '#items', '.fd')).toBe(1)
  await done()
})

test('turns that were pruned are a line each; opened, they show their blocks', async () => {
  const ctx = await inspector.store.create('pruned', { prune: { maxTokens: { '^seq': 300 } } })
  for (let turn = 1; turn <= 21; turn++) {
    for (let part = 1; part <= 3; part++) ctx.user(`Turn ${turn}, part ${part}, with some words`)
    if (turn === 21) ctx.assistant('A long answer with many words. '.repeat(40))
    await ctx.commit()
  }
  const { page, done } = await inspector.open('#/pruned?at=c21')
  await shows(page, '@c21')
  const gone = page.locator('.trow.seg.del')
  await expect.poll(() => gone.count()).toBeGreaterThan(4)
  expect(await page.locator('.trow.leaf.del').count()).toBe(0)
  expect(await gone.nth(1).innerText()).toMatch(/gone\s+cycle \d+\s+3 blocks\s+Turn \d+, part 1/)
  expect(await gone.nth(1).locator('.tok').innerText()).not.toBe('0')
  expect(await inSight(page, '#tree', '.trow.add')).toBeGreaterThan(0)
  await gone.nth(1).locator('.tw').click()
  await expect.poll(() => page.locator('.trow.leaf.del').count()).toBe(3)
  await done()
})

// Compare: what replaced what, the difference in sight, and a hundred thousand changes in windows.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Locator, Page } from 'playwright-core'

import { drawn, longestTask, startInspector, type Inspector } from '../support/inspector.js'

let inspector: Inspector
beforeAll(async () => {
  inspector = await startInspector()
})
afterAll(() => inspector?.close())

const side = (page: Page, kind: 'del' | 'add'): Promise<number> => page.locator(`.side .ln.${kind}`).count()

const isInView = (of: Locator): Promise<boolean> =>
  of.evaluate((line) => {
    const box = line.closest('.side')!.getBoundingClientRect()
    const { top, bottom } = line.getBoundingClientRect()
    return top >= box.top && bottom <= box.bottom
  })

describe('a diff shows the difference', () => {
  test('set() is one row with both texts', async () => {
    const ctx = await inspector.store.create('set')
    ctx.set('plan', 'Plan\n1. Find it\n2. Tell it')
    ctx.user('Go')
    await ctx.commit()
    ctx.assistant('Done')
    ctx.set('plan', 'Plan\n1. Find it: found\n2. Tell it')
    ctx.user('On')
    await ctx.commit()
    const { page, done } = await inspector.open('#/set?at=c2&view=compare')
    await expect.poll(() => page.locator('.grp').allInnerTexts()).toEqual(['Replaced', 'Came'])
    await page.locator('.chrow').filter({ hasText: '#plan' }).click()
    await page.locator('.side').waitFor()
    await expect.poll(() => page.locator('.side ins').allInnerTexts()).toEqual([': found'])
    await expect.poll(() => page.locator('.side').innerText()).toMatch(/1\. Find it[\s\S]*1\. Find it: found/)
    await done()
  })

  test.each([
    [
      '700 lines, two changed',
      Array.from({ length: 700 }, (_, i) => `line ${i} of a long file`).join('\n'),
      (text: string) =>
        text.replace('line 100 of', 'line one hundred of').replace('line 600 of', 'line six hundred of'),
      2,
    ],
    [
      'JSON on one line, one number changed',
      JSON.stringify({ items: Array.from({ length: 60 }, (_, i) => ({ id: i, price: 100 + i, name: `item ${i}` })) }),
      (text: string) => text.replace('"price":142', '"price":9142'),
      1,
    ],
  ])('%s', async (name, text, change, many) => {
    const ctx = await inspector.store.create(name)
    ctx.post(text, { key: 'file' })
    ctx.user('Go')
    await ctx.commit()
    ctx.replace('#file', { content: change(text) })
    await ctx.commit()
    const { page, done } = await inspector.open(`#/${encodeURIComponent(name)}?at=c2&view=compare`)
    await page.locator('.side').waitFor()
    await expect.poll(() => side(page, 'del')).toBe(many)
    expect(await side(page, 'add')).toBe(many)
    expect(await page.locator('.side .fold').count()).toBeGreaterThan(0)
    await expect.poll(() => isInView(page.locator('.side .ln.add').first())).toBe(true)
    if (many === 1) await expect.poll(() => page.locator('.side ins').count()).toBe(1)
    // n goes on to the next one, and round again.
    await page.locator('.side').press('n')
    await expect.poll(() => isInView(page.locator('.side .ln.add').last())).toBe(true)
    // One column has the same lines.
    await page.getByRole('checkbox', { name: 'one column' }).check()
    await expect.poll(async () => [await side(page, 'del'), await side(page, 'add')]).toEqual([many, many])
    await page.getByRole('checkbox', { name: 'one column' }).uncheck()
    await page.locator('.side .fold').first().click()
    await done()
  })
})

test('a hundred thousand changes: few elements, no long task, and the last one is a scroll away', async () => {
  const ctx = await inspector.store.create('many')
  for (let cycle = 0; cycle < 1000; cycle++) {
    ctx.batch(() => {
      for (let i = 0; i < 100; i++) ctx.post(`note ${cycle} ${i}`)
    })
    await ctx.commit()
  }
  const { page, done } = await inspector.open('#/many?at=c1000')
  await page.locator('.answer').getByText('Changed since').waitFor()
  const longest = await longestTask(inspector.browser, async () => {
    await page.evaluate("location.hash = '#/many?at=c1000&view=compare&from=c1'")
    await expect.poll(() => page.locator('.chip').first().innerText()).toBe('new 99,900')
    await page.locator('.chrow').first().waitFor()
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(3000)
    await page.locator('#changes').evaluate((list) => list.scrollTo(0, list.scrollHeight))
    await expect.poll(() => page.locator('.chrow').last().innerText()).toContain('note 999 99')
    await drawn(page)
  })
  expect(longest).toBeLessThan(200)
  expect(longest).toBeGreaterThan(0)
  await done()
})

// The page says what it says: every sign explains itself, words are exact, keys of single letters can be switched off.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { addStory, drawn, shows, startInspector, STORY, type Inspector } from '../support/inspector.js'

let inspector: Inspector
beforeAll(async () => {
  inspector = await startInspector()
})
afterAll(() => inspector?.close())

/** Signs of a kind, and those of them that do not explain themselves. */
function silent(page: Page, selector: string): Promise<{ all: number; silent: string[] }> {
  return page.evaluate<{ all: number; silent: string[] }>(`(() => {
    const all = [...document.querySelectorAll('${selector}')]
    const isSilent = (each) => (each.title ?? '').length < 8
    return { all: all.length, silent: all.filter(isSilent).map((each) => each.outerHTML) }
  })()`)
}

test('every sign has a description', async () => {
  const { page, done } = await inspector.open(`#/${STORY}?at=c13`)
  await shows(page, '@c13')
  await page.locator('#tree').press('*')
  await page.locator('.trow .pos').nth(9).waitFor()
  for (const sign of ['.segn', '.pos', '.tick']) {
    const { all, silent: found } = await silent(page, sign)
    expect(all, sign).toBeGreaterThan(2)
    expect(found, sign).toEqual([])
  }
  expect(await page.locator('.segn', { hasText: 'd1' }).first().getAttribute('title')).toContain(
    'counted from the newest turn',
  )
  await page.locator('#tree').press('2')
  await page.locator('.chip').first().waitFor()
  expect((await silent(page, '.chip')).silent).toEqual([])
  await done()
})

test('help has three parts; with letter keys off they do nothing, and that is kept', async () => {
  const { page, done } = await inspector.open(`#/${STORY}?at=working`)
  await shows(page, 'working')
  await page.locator('#tree').press('?')
  const help = page.getByRole('dialog')
  for (const name of ['Read the timeline', 'Words', 'Keys']) await help.getByRole('region', { name }).waitFor()
  await help.getByRole('checkbox').uncheck()
  await help.press('Escape')
  await page.reload()
  await shows(page, 'working')
  await page.locator('.trow.leaf').first().click()
  for (const key of ['x', '[', '2', '?', 'w']) await page.keyboard.press(key)
  await drawn(page)
  expect(await page.locator('form.form, dialog').count()).toBe(0)
  expect(page.url()).toMatch(/at=working/)
  expect(page.url()).not.toContain('view=')
  // Keys that are no letters or signs work as before.
  await page.locator('#cycles').press('ArrowLeft')
  await shows(page, '@c16')
  await page.getByRole('button', { name: 'Help' }).click()
  await help.getByRole('checkbox').check()
  await help.press('Escape')
  await page.locator('#tree').press('[')
  await shows(page, '@c15')
  await done()
})

test.each([1280, 390])('four notes over the story of the demo, once; each near its part: %i', async (width) => {
  await inspector.store.delete('demo-rail').catch(() => undefined)
  await addStory(inspector.store, 'demo-rail')
  const { page, done } = await inspector.open('#/demo-rail', { width, height: 844 })
  const note = page.locator('.note')
  for (const [number, target] of [
    [1, '.track'],
    [2, width < 760 ? '.foldline' : '.answer'],
    [3, '.tabs'],
    [4, '.find'],
  ] as const) {
    await note.getByText(`${number} of 4`).waitFor()
    await page.locator(`${target}.noted`).waitFor()
    await expect.poll(() => distance(page)).toBeLessThan(30)
    await note.getByRole('button').last().click()
  }
  await expect.poll(() => note.count()).toBe(0)
  await page.reload()
  await shows(page, '@c16')
  expect(await note.count()).toBe(0)
  expect(await page.locator('.noted').count()).toBe(0)
  await done()
  const other = await inspector.open(`#/${STORY}?at=c12`)
  await shows(other.page, '@c12')
  expect(await other.page.locator('.note').count()).toBe(0)
  await other.done()
})

/** Pixels between a note and the part that it is about; a part or a note that is out of sight is far away. */
function distance(page: Page): Promise<number> {
  return page.evaluate<number>(`(() => {
    const [note, part] = ['.note', '.noted'].map((each) => document.querySelector(each).getBoundingClientRect())
    const isOut = [note, part].some(({ top, bottom }) => bottom > innerHeight || top < 0)
    return isOut ? Infinity : Math.abs(note.top - part.bottom)
  })()`)
}

test('of a conversation that was imported nothing is known to be sent', async () => {
  const ctx = await inspector.store.create('imported')
  ctx.user('Hi')
  await ctx.commit()
  const { page, done } = await inspector.open('#/imported?at=c1')
  await shows(page, '@c1')
  await page.locator('.answer').getByText('Committed in cycle 1').waitFor()
  expect(await page.locator('body').innerText()).not.toMatch(/\bSent in\b/)
  await done()
})

test('a search that finds more than the page marks says how many there are', async () => {
  const ctx = await inspector.store.create('many')
  for (let i = 0; i < 5200; i++) ctx.user('x')
  await ctx.commit()
  const { page, done } = await inspector.open(`#/many?at=c1&q=${encodeURIComponent(".block[role='user']")}`)
  await expect.poll(() => page.locator('#found').innerText()).toBe('5,000 of 5,200 matches at @c1')
  // Rows beyond are not drawn as if they did not match.
  expect(await page.locator('.trow.dim').count()).toBe(0)
  await page.locator('#selector').fill('X')
  await expect.poll(() => page.locator('#found').innerText()).toBe('5,000 of 5,200 matches at @c1')
  await done()
})

test('each repair of a request is a row with its node and the reason; the answer counts the request, not the thread', async () => {
  const ctx = await inspector.store.create('repaired')
  ctx.user('Look.')
  for (const id of ['a', 'b', 'c']) ctx.tool(`orphan ${id}`, { kind: 'result', data_call_id: id })
  ctx.user('And now?')
  await ctx.commit()
  ctx.startAttempt({ provider: 'anthropic', model: 'claude', params: {}, lens: '@t0', for: toAnthropic }).complete()
  await ctx.flush()
  const { repairs, bytes } = toAnthropic(ctx, { lens: '@c1' })
  expect(repairs.length).toBeGreaterThan(2)
  const { page, done } = await inspector.open('#/repaired?at=c1&view=request')
  await expect
    .poll(() => page.locator('.answer').innerText())
    .toContain(`2 items, 5 tokens, ${bytes.length} B, ${repairs.length} repairs`)
  await page.locator('.repairs summary').click()
  await expect.poll(() => page.locator('.repairs li').count()).toBe(repairs.length)
  expect(await page.locator('.repairs li .link').allInnerTexts()).toEqual(repairs.map(({ node }) => node))
  expect(await page.locator('.repairs li').allInnerTexts()).toEqual(repairs.map(({ node, text }) => `${node} ${text}`))
  await page.locator('.repairs li .link').first().click()
  await expect.poll(() => page.url()).toContain(`node=${repairs[0]!.node}`)
  await done()
})

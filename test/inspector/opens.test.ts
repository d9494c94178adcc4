// Views open where it matters: the tree at the first change or, while it follows, at the newest turn; a broken request at the difference.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { drawn, shows, startInspector, STORY, type Inspector } from '../support/inspector.js'

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

test('in a low window the tree opens at the first change, and keeps it in sight when later answers make the tree lower', async () => {
  await longContext('low')
  const { page, done } = await inspector.open('#/nowhere', { width: 1024, height: 700 })
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const late = /\/(?:changes|prefix|cycle|render)\?/
  await page.route(late, async (route) => {
    await held
    await route.continue()
  })
  for (const cycle of [8, 9, 10, 11, 12, 13, 14, 15, 16]) {
    await page.goto(`${inspector.url}/#/nowhere`)
    await page.goto(`${inspector.url}/#/low?at=c${cycle}`)
    await shows(page, `@c${cycle}`)
    await expect.poll(() => inSight(page, '#tree', '.trow.add')).toBeGreaterThan(0)
    if (cycle === 8) {
      release()
      await page.locator('.answer').getByText('is a prefix').waitFor()
      await drawn(page)
      expect(await inSight(page, '#tree', '.trow.add')).toBeGreaterThan(0)
    }
  }
  // The user scrolls away, and stays there.
  await page.locator('#tree').hover()
  await page.mouse.wheel(0, -9000)
  await expect.poll(() => inSight(page, '#tree', '.trow.add')).toBe(0)
  await done()
})

test('to follow from the newest cycle on scrolls to its change again', async () => {
  const ctx = await longContext('again')
  const { page, done } = await inspector.open('#/again?at=c59')
  await shows(page, '@c59')
  const follow = page.getByRole('button', { name: 'Follow' })
  await page.goto(`${inspector.url}/#/again?at=c60`)
  await shows(page, '@c60')
  await expect.poll(() => inSight(page, '#tree', '.trow.add')).toBeGreaterThan(0)
  await follow.click()
  await page.locator('#tree').hover()
  await page.mouse.wheel(0, -9000)
  await expect.poll(() => inSight(page, '#tree', '.trow.add')).toBe(0)
  await follow.click()
  await expect.poll(() => inSight(page, '#tree', '.trow.add')).toBeGreaterThan(0)
  ctx.user('One more?')
  await ctx.commit()
  await shows(page, '@c61')
  await expect.poll(() => inSight(page, '#tree', '.trow.leaf.add')).toBe(1)
  await done()
})

test('a page that opens asks each question once, and none in a format that no call has', async () => {
  const ctx = await longContext('asked')
  ctx.user('And now?')
  ctx.startAttempt({ provider: 'anthropic', model: 'claude', params: {}, for: toAnthropic }).complete()
  await ctx.commit()
  const { page, done } = await inspector.open('#/nowhere')
  const asked: string[] = []
  page.on('request', (request) => {
    const question = request.url().slice(inspector.url.length)
    // Every few seconds it looks for calls of the newest cycle.
    if (question.includes('/contexts/asked') && !question.endsWith(`from=${TURNS + 1}`)) asked.push(question)
  })
  const heard = page.waitForRequest(/\/events/)
  await page.goto(`${inspector.url}/#/asked`)
  await shows(page, `@c${TURNS + 1}`)
  await heard
  await page
    .locator('.answer')
    .getByText(/is a prefix|The same bytes as/)
    .first()
    .waitFor()
  await page.locator('.overview i').first().waitFor()
  await drawn(page)
  expect(asked.length).toBeGreaterThan(8)
  expect(asked.filter((each, i) => asked.indexOf(each) !== i)).toEqual([])
  expect(asked.filter((each) => each.includes('openai'))).toEqual([])
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

test('on a phone the button scrolls the page to the difference; a step leaves the page where it is', async () => {
  const { page, done } = await inspector.open(`#/${STORY}?at=c12&view=request`, { width: 390, height: 844 })
  const isInWindow = `(() => {
    const { top, bottom } = document.getElementById('first-difference').getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight
  })()`
  await page.locator('#first-difference').waitFor()
  expect(await page.evaluate<boolean>(isInWindow)).toBe(false)
  await page.getByRole('button', { name: 'First difference' }).click()
  await expect.poll(() => page.evaluate<boolean>(isInWindow)).toBe(true)
  await page.evaluate('scrollTo(0, 0)')
  await page.keyboard.press(']')
  await page.locator('#items [data-index]').first().waitFor()
  await page.locator('.request[data-shows="@c13"]:not([aria-busy="true"])').waitFor()
  await drawn(page)
  expect(await page.evaluate<number>('scrollY')).toBe(0)
  await done()
})

test.each([
  ['what left', /\/changes\?/],
  ['the cache marks', /render\?.*cache/],
  ['the request before', /render\?.*c12/],
  ['the request', /render\?(?!.*cache).*c13/],
  ['the call', /attempts\/|cycle\?/],
])('answers that come later leave the difference in sight, until the user scrolls: %s', async (_, late) => {
  const { page, done } = await inspector.open('#/nowhere', { height: 900 })
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(late, async (route) => {
    await held
    await route.continue()
  })
  await page.goto(`${inspector.url}/#/${STORY}?at=c13&view=request&as=anthropic`)
  await page.locator('.answer').getByText('42 % the same bytes').waitFor()
  await page.waitForTimeout(300)
  release()
  await page.getByText('With cache: true').waitFor()
  await page.locator('.rule.left').first().waitFor()
  await page.locator('.seal').waitFor()
  await drawn(page)
  expect(await inSight(page, '#items', '#first-difference')).toBe(1)
  await page.locator('#items').hover()
  await page.mouse.wheel(0, 9000)
  await expect.poll(() => inSight(page, '#items', '#first-difference')).toBe(0)
  await done()
})

test('an item that is longer than its row has a button that shows the rest', async () => {
  const ctx = await inspector.store.create('long-item')
  ctx.user(`${'many words '.repeat(400)}the end`)
  ctx.assistant('short')
  await ctx.commit()
  const { page, done } = await inspector.open('#/long-item?at=c1&view=request')
  const [long, short] = [
    page.locator('.ritem', { hasText: 'many words' }),
    page.locator('.ritem', { hasText: 'short' }),
  ]
  const more = long.getByRole('button', { name: /^(?:more|less) of block:\S+, 4\.\d KB in all$/ })
  await more.waitFor()
  expect(await short.locator('.unfold').count()).toBe(0)
  const { height } = (await long.boundingBox())!
  await more.click()
  await expect.poll(() => long.innerText()).toContain('the end')
  expect((await long.boundingBox())!.height).toBeGreaterThan(3 * height)
  expect(page.url()).not.toContain('node=')
  await more.click()
  await expect.poll(async () => (await long.boundingBox())!.height).toBe(height)
  await done()
})

test('a call after a commit that pruned says what the commit took, and why; the pane has its receipt', async () => {
  const ctx = await inspector.store.create('before', { prune: { maxTokens: { '^seq': 90 } } })
  const call = { provider: 'anthropic', model: 'claude', params: {}, for: toAnthropic }
  for (let turn = 1; turn <= 3; turn++) {
    ctx.user(`Turn ${turn}: ${'many words '.repeat(10)}`)
    ctx.startAttempt(call).complete()
    // The second reply is what makes the limit take the first turn.
    ctx.assistant(`Answer ${turn} ${turn === 2 ? 'many words '.repeat(20) : ''}`)
    await ctx.commit()
  }
  const taken = ctx.snapshot('@c2').receipt.removed.filter(({ id }) => id.startsWith('block:'))
  expect(taken.length).toBeGreaterThan(0)
  expect(ctx.snapshot('@c1').receipt.removed).toEqual([])
  const { page, done } = await inspector.open(`#/before?at=c3.${ctx.attempts()[2]!.attempt_id.slice(8)}`)
  const answer = page.locator('.answer')
  await answer.getByRole('button', { name: /[1-9] pruned/ }).waitFor()
  await expect.poll(() => answer.innerText()).toMatch(/Pruned \d+ B to keep\s+maxTokens \^seq/)
  const pane = page.locator('.second')
  const receipt = pane.locator('section').filter({ hasText: 'Pruning receipt of @c2, the commit before' })
  await expect.poll(() => receipt.locator('.link').allInnerTexts()).toEqual(taken.map(({ id }) => id))
  // The call before builds on a commit that took nothing, and was sent before its own took these.
  await page.keyboard.press('[')
  await expect.poll(() => answer.innerText()).toMatch(/Changed since attempt:1-0\s+2 new\.\s+No limit was reached/)
  await pane.getByText('Nothing was pruned').waitFor()
  await done()
})

test('a run of pruned turns is one line; opened, it shows its turns and their blocks', async () => {
  const ctx = await inspector.store.create('pruned', { prune: { maxTokens: { '^seq': 300 } } })
  for (let turn = 1; turn <= 21; turn++) {
    for (let part = 1; part <= 3; part++) ctx.user(`Turn ${turn}, part ${part}, with some words`)
    if (turn === 21) ctx.assistant('A long answer with many words. '.repeat(40))
    await ctx.commit()
  }
  const { page, done } = await inspector.open('#/pruned?at=c21')
  await shows(page, '@c21')
  const gone = page.locator('.trow.seg.del')
  await expect.poll(() => gone.count()).toBe(1)
  const { removed } = ctx.diffDetailed('@c20', '@c21')
  const blocks = removed.filter((each) => !each.is_container)
  const turns = removed.filter(({ id }) => id.startsWith('seg:'))
  expect(turns.length).toBeGreaterThan(4)
  const run = await gone.innerText()
  expect(run).toMatch(new RegExp(`gone\\s+cycles \\d+–\\d+\\s+${blocks.length} blocks\\s+pruned: maxTokens\\s+[1-9]`))
  expect(await page.locator('.trow.leaf.del').count()).toBe(0)
  expect(await inSight(page, '#tree', '.trow.add')).toBeGreaterThan(0)
  await gone.locator('.tw').click()
  await expect.poll(() => gone.count()).toBe(turns.length)
  await expect.poll(() => page.locator('.trow.leaf.del').count()).toBeGreaterThan(0)
  expect(await gone.nth(1).innerText()).toMatch(/gone\s+cycle \d+\s+3 blocks\s+Turn \d+, part 1/)
  // Closed again, it is one line.
  await gone.first().locator('.tw').click()
  await expect.poll(() => gone.count()).toBe(1)
  await done()
})

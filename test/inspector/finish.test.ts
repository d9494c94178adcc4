// Small things: a readout that never collides, a phone whose tree is in sight, a link that was used, words for a screen reader, a console
// without errors.

import type { Route } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { drawn, shows, startInspector, STORY, type Inspector } from '../support/inspector.js'

let inspector: Inspector
beforeAll(async () => {
  inspector = await startInspector()
})
afterAll(() => inspector?.close())

const at = (query: string): string => `#/${STORY}?${query}`

type Run = { part: string; tokens: number; same: boolean }
type Answered = { columns: { cycle: number; tokens: number; runs: Run[] }[] }

test('the readout holds every number: no two cells meet, for tokens and deltas from 1 to ten millions', async () => {
  const { page, done } = await inspector.open(at('at=c12'))
  await shows(page, '@c12')
  let delta = 1
  const larger = async (route: Route): Promise<void> => {
    const response = await route.fetch()
    const answer = (await response.json()) as Answered
    for (const column of answer.columns) {
      const tokens = column.cycle < 12 ? 8_888_888 : 8_888_888 + delta
      column.runs = ['sys', 'core', 'ctx'].map((part) => ({ part, tokens, same: false }))
      column.tokens = 3 * tokens
    }
    await route.fulfill({ response, json: answer })
  }
  // A reload drops requests that are under way, which cannot be answered any more.
  await page.route('**/timeline?*', (route) => larger(route).catch(() => undefined))
  for (; delta <= 10_000_000; delta *= 10) {
    await page.reload()
    await shows(page, '@c12')
    await expect.poll(() => page.locator('.read td').last().innerText()).not.toBe('')
    const meeting = await page.evaluate<string[]>(`(() => {
      const range = document.createRange()
      const boxes = [...document.querySelectorAll('.read th, .read td')].map((cell) => {
        range.selectNodeContents(cell)
        return { text: cell.textContent, ...range.getBoundingClientRect().toJSON() }
      }).filter(({ width }) => width > 0)
      const end = document.querySelector('.read').getBoundingClientRect().right
      const meet = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5
      return boxes.flatMap((a, i) => [
        ...(a.right > end ? [a.text + ' runs over the edge'] : []),
        ...boxes.slice(i + 1).filter((b) => meet(a, b)).map((b) => a.text + ' meets ' + b.text),
      ])
    })()`)
    expect(meeting, `delta ${delta}`).toEqual([])
  }
  await done()
})

test.each([
  ['a phone', 390, 844, 420],
  ['a screen at 200 %', 640, 400, 400],
])('on %s the answer is one line, and the tree is in sight', async (_name, width, height, most) => {
  const { page, done } = await inspector.open(at('at=c12'), { width, height })
  await shows(page, '@c12')
  const fold = page.locator('.foldline')
  await expect.poll(() => fold.innerText()).toContain('3 changes · 28 % the same bytes')
  expect((await page.locator('.trow').first().boundingBox())!.y).toBeLessThan(most)
  expect(await page.locator('.answer').isVisible()).toBe(false)
  await fold.click()
  await page.locator('.answer').getByText('superseded in cycle 12').waitFor()
  await fold.click()
  await expect.poll(() => page.locator('.answer').isVisible()).toBe(false)
  await done()
})

test('on a phone a moment opens with its timeline in sight; only new commits scroll to the tree', async () => {
  const ctx = await inspector.store.create('phone')
  const commit = async (turn: number): Promise<void> => {
    ctx.user(`Turn ${turn}`)
    await ctx.commit()
  }
  for (let turn = 1; turn <= 30; turn++) await commit(turn)
  const { page, done } = await inspector.open('#/phone', { width: 390, height: 844 })
  await shows(page, '@c30')
  await drawn(page)
  expect(await page.evaluate('scrollY')).toBe(0)
  await page.locator('#col-c29').click()
  await shows(page, '@c29')
  await drawn(page)
  expect(await page.evaluate('scrollY')).toBe(0)
  await page.locator('#col-c30').click()
  await shows(page, '@c30')
  await commit(31)
  await shows(page, '@c31')
  await expect.poll(() => page.evaluate<number>('scrollY')).toBeGreaterThan(200)
  await done()
})

test('columns are equally wide, whatever signs they have', async () => {
  for (const width of [1280, 390]) {
    const { page, done } = await inspector.open(at('at=c12'), { width })
    await shows(page, '@c12')
    const widths = await page.evaluate<number[]>(
      "[...document.querySelectorAll('#cycles .col')].map((each) => each.getBoundingClientRect().width)",
    )
    expect(Math.max(...widths) - Math.min(...widths)).toBeLessThan(0.5)
    await done()
  }
})

test('a link that was used leads to a page that says how to get another; the same browser just gets in', async () => {
  const { link, newLink, url } = await inspector.serve(inspector.store)
  const mine = await inspector.browser.newContext()
  const page = await mine.newPage()
  for (let i = 0; i < 2; i++) {
    await page.goto(`${link}&at=${encodeURIComponent(STORY)}`)
    await page.locator('#tree').waitFor()
    await page.goto('about:blank')
  }
  await mine.close()
  const other = await inspector.browser.newContext()
  const locked = await other.newPage()
  expect((await locked.goto(link))?.status()).toBe(401)
  await locked.getByRole('heading', { name: 'This link has expired' }).waitFor()
  expect(await locked.locator('main').innerText()).toMatch(/Press Enter in the terminal/)
  // An address without a link says the same.
  await locked.goto(`${url}/#/${STORY}`)
  await locked.getByText('This page needs a link').waitFor()
  await locked.goto(newLink())
  await locked.locator('.ctxrow, #tree').first().waitFor()
  await other.close()
  // A program that asks for JSON gets JSON.
  const answer = await fetch(link)
  expect([answer.status, await answer.json()]).toMatchObject([401, { error: { code: 'E_NOT_AUTHORIZED' } }])
})

test('Esc leads from the bar back to the tree, and what was found stays', async () => {
  const { page, done } = await inspector.open(at('at=c12'))
  await shows(page, '@c12')
  await page.locator('#tree').press('/')
  await page.keyboard.type('voucher')
  await page.keyboard.press('Escape')
  await page.locator('#selector:focus').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('#tree:focus').waitFor()
  expect(page.url()).toContain('q=voucher')
  await page.keyboard.press('n')
  await expect.poll(() => page.url()).toContain('node=')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect.poll(() => page.url()).not.toContain('q=')
  await done()
})

test('no separator stands alone at the beginning of the tools', async () => {
  for (const [view, more] of [
    ['tree', 2],
    ['compare', 2],
    ['range', 1],
    ['forks', 1],
  ] as const) {
    const { page, done } = await inspector.open(at(`at=c12&view=${view}&q=${encodeURIComponent('@history [ttl]')}`))
    await page.locator('.tools .btn').first().waitFor()
    expect(await page.locator('.tools .sep:visible').count(), view).toBe(more - 1)
    await done()
  }
})

test('a step is spoken, wherever the focus is', async () => {
  const { page, done } = await inspector.open(at('at=c11'))
  await shows(page, '@c11')
  const spoken = page.locator('#spoken')
  expect(await spoken.innerText()).toBe('')
  await page.locator('#tree').press(']')
  await expect.poll(() => spoken.innerText()).toBe('@c12: 28 items, 1,068 tokens · 3 changes · 28 % the same bytes')
  expect(await spoken.getAttribute('role')).toBe('status')
  await done()
})

test('while answers are on their way, nothing old is under a new heading without being marked', async () => {
  const { page, done } = await inspector.open(at('at=c14'))
  await shows(page, '@c14')
  await page.locator('.second .node[data-shows="@c14"]').waitFor()
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/\/(?:tree|cycle|changes|prefix|render|attempts)/, async (route) => {
    await held
    await route.continue()
  })
  await page.locator('#tree').press('[')
  await expect.poll(() => page.url()).toContain('at=c13')
  await page.locator('.answer h2', { hasText: 'Sent in cycle 13' }).waitFor()
  const old = await page.evaluate<string[]>(`[...document.querySelectorAll('[data-shows]')]
    .filter((each) => each.dataset.shows !== '@c13' && each.getAttribute('aria-busy') !== 'true')
    .map((each) => each.outerHTML.slice(0, 120))`)
  expect(old).toEqual([])
  expect(await page.locator('#tree[aria-busy="true"]').count()).toBe(1)
  // The pane is not empty meanwhile, and its heading is that of its content.
  const pane = page.locator('.second .node')
  expect(await pane.innerText()).toMatch(/^Cycle 14\n[\s\S]*Pruning receipt/)
  release()
  await shows(page, '@c13')
  await expect.poll(() => page.locator('[data-shows][aria-busy="true"]').count()).toBe(0)
  await drawn(page)
  expect(
    new Set(
      await page.evaluate<string[]>("[...document.querySelectorAll('[data-shows]')].map((each) => each.dataset.shows)"),
    ),
  ).toEqual(new Set(['@c13']))
  await done()
})

test('the page has an icon of its own', async () => {
  const { page, done } = await inspector.open(at('at=c12'))
  await shows(page, '@c12')
  expect(await page.locator('link[rel="icon"]').getAttribute('href')).toMatch(/^data:image\/svg\+xml,/)
  await done()
})

// Long histories: lanes under the columns of the timeline, an overview whose orange is the share of breaks, and reading in steps.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { drawn, shows, startInspector, STORY, type Inspector } from '../support/inspector.js'

let inspector: Inspector
beforeAll(async () => {
  inspector = await startInspector()
  const ctx = await inspector.store.create('long')
  for (let cycle = 1; cycle <= CYCLES; cycle++) {
    if (cycle === 1 || cycle === BROKEN) ctx.set('plan', `Plan ${cycle}`)
    ctx.user(`Turn ${cycle}`)
    if (cycle % 10 === 0) ctx.post(`Note ${cycle}`, { ttl: 3 })
    await ctx.commit()
    if (cycle === FAILED) ctx.startAttempt({ provider: 'p', model: 'm', params: {} }).fail({ name: 'E', message: 'no' })
  }
  await ctx.flush()
})
afterAll(() => inspector?.close())

const CYCLES = 640
const BROKEN = 205
const FAILED = 400

/** The distance of each cell of a lane from the column of its cycle, and the number of compared cells. */
function farthest(page: Page): Promise<{ cells: number; farthest: number }> {
  return page.evaluate<{ cells: number; farthest: number }>(`(() => {
    const cells = [...document.querySelectorAll('.lane .cell')]
    const from = (cell) => {
      const [a, b] = [cell, document.getElementById('col-' + cell.dataset.at)].map((each) => each.getBoundingClientRect())
      return Math.max(Math.abs(a.left - b.left), Math.abs(a.width - b.width))
    }
    return { cells: cells.length, farthest: Math.max(0, ...cells.map(from)) }
  })()`)
}

test.each([
  ['a short history that is wider than its window', `#/${STORY}?at=c12`, 420],
  ['a short history that fits', `#/${STORY}?at=c12`, 1280],
  ['a long one', '#/long?at=c300', 1280],
  ['a long one on a phone', '#/long?at=c300', 390],
])('each cell of a lane is under its column, after scrolling too: %s', async (_name, hash, width) => {
  const { page, done } = await inspector.open(`${hash}&view=range&q=${encodeURIComponent('@history [ttl]')}`, { width })
  await page.locator('.lane .cell').first().waitFor()
  for (const scroll of [0, 90, 4000, 33]) {
    await page.locator('#cycles').evaluate((track, left) => (track.scrollLeft = left), scroll)
    await drawn(page)
    await expect.poll(async () => (await farthest(page)).farthest).toBeLessThanOrEqual(1)
    expect((await farthest(page)).cells).toBeGreaterThan(1)
  }
  // A lane has something in sight, and the text of its node.
  const lanes = page.locator('.lane:not(.head)')
  expect(await lanes.count()).toBe(await lanes.filter({ has: page.locator('.cell') }).count())
  await expect
    .poll(() => lanes.locator('.txt').first().innerText())
    .toMatch(/^(?:Note \d+|Reminder|Saver|A journey|Any)/)
  await done()
})

test('nodes of cycles out of sight have no lane; a link leads there, and so do steps', async () => {
  const { page, done } = await inspector.open(`#/long?at=c300&view=range&q=${encodeURIComponent('@history [ttl]')}`)
  await page.getByText('60 nodes are in cycles out of sight').waitFor()
  const lanes = page.locator('.lane:not(.head)')
  await expect.poll(() => lanes.count()).toBe(4)
  await page.locator('.outof').getByRole('button').last().click()
  await expect.poll(() => page.url()).toContain('at=c320')
  await expect.poll(() => lanes.locator('.txt').allInnerTexts()).toContain('Note 320')
  expect((await farthest(page)).farthest).toBeLessThanOrEqual(1)
  await done()
})

test('the overview is orange where a prefix broke, by its share, and red where a call failed', async () => {
  const { page, done } = await inspector.open('#/long?at=c300')
  await shows(page, '@c300')
  await expect.poll(() => page.locator('.overview i').count()).toBe(CYCLES / 4)
  const broken = page.locator('.overview i:has(b)')
  // Four cycles a bin: a note that expires breaks the prefix of one of them.
  const shares = await page.evaluate<string[]>(
    "[...document.querySelectorAll('.overview i b')].map((each) => each.style.height)",
  )
  expect(new Set(shares)).toEqual(new Set(['25%']))
  expect(await broken.first().getAttribute('title')).toMatch(/^Cycles \d+ to \d+, 1 broke the prefix$/)
  expect(await page.locator('.overview i.failed').getAttribute('title')).toContain('1 call failed')
  await done()
})

test('all history is read in steps: the first hits show, Esc stops, and it goes on from there', async () => {
  const { page, done } = await inspector.open('#/long?at=c300&q=turn%2012')
  await shows(page, '@c300')
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/search?*before=*', async (route) => {
    await held
    await route.continue().catch(() => undefined)
  })
  await page.locator('#tree').press('4')
  await page
    .locator('#range')
    .getByText(/Reading 640 cycles… \d+ %/)
    .waitFor()
  await page.keyboard.press('Escape')
  await page
    .locator('#range')
    .getByText(/Stopped after \d+ of 640 cycles\./)
    .waitFor()
  expect(await page.locator('.hitrow').count()).toBe(0)
  release()
  await page.locator('#range').getByRole('button', { name: 'Go on' }).click()
  await expect.poll(() => page.locator('.hitrow').count()).toBe(11)
  await page.locator('#range').getByText('11 nodes with “turn 12” in 640 cycles').waitFor()
  // A range reads in windows, too, and gives what one question gives.
  await page.locator('#selector').fill('@history #plan')
  await expect.poll(() => page.locator('#found').innerText()).toBe('2 changes in 640 snapshots')
  expect(await page.locator('.blk').count()).toBe(1)
  await done()
})

const FIRST = '#panes > :first-child'

test.each([
  ['the tree of a moment', FIRST, '?at=c300', 'tree[?]'],
  ['a step', FIRST, '?at=c200', 'tree[?]', '?at=c300'],
  ['the request', FIRST, '?at=c300&view=request', 'render[?]'],
  ['a comparison', FIRST, '?at=c300&view=compare&from=c1', 'changes[?]'],
  ['another comparison', FIRST, '?at=c300&view=compare&from=c1', 'changes[?]', '?at=c300&view=compare'],
  ['a range', FIRST, '?at=c300&view=range&q=%40history%20%5Bttl%5D', 'select'],
  ['words in all history', FIRST, '?at=c300&view=range&q=turn%2012', 'search[?].*before'],
  ['a node', '.second', '?at=c300&node=block:300-1', 'nodes/'],
  ['the pane of a cycle', '.second', '?at=c200', 'cycle[?]', '?at=c300'],
  ['the overview', '.overviews', '?at=c300', 'timeline[?].*bins'],
])(
  'while a question has no answer, something grey or a number is in its place: %s',
  async (_name, box, place, held, before?: string) => {
    const isHeld = new RegExp(`/v1/contexts/long/${held}`)
    const isGrey = `(() => {
      const all = [...document.querySelectorAll('${box}, ${box} *')]
      const isOld = (each) => each.ariaBusy === 'true' && each.textContent.trim() !== ''
      return all.some((each) => each.matches('.skel i, .reading, .unread') || isOld(each))
    })()`
    const { page, done } = await inspector.open('#/nowhere')
    if (before !== undefined) {
      await page.goto(`${inspector.url}/#/long${before}`)
      await page.reload()
      await page.locator('.trow, .chrow').first().waitFor()
      await expect.poll(() => page.locator('.panes [aria-busy="true"]').count()).toBe(0)
    }
    let asked = 0
    await page.route(isHeld, () => {
      asked++
      return new Promise<void>(() => undefined)
    })
    await page.goto(`${inspector.url}/#/long${place}`)
    if (before === undefined) await page.reload()
    await expect.poll(() => asked).toBeGreaterThan(0)
    await expect.poll(() => page.evaluate<boolean>(isGrey)).toBe(true)
    await done()
  },
)

// Usable by everybody: axe finds nothing in any view and any state, light and dark, wide and narrow, and no page is wider than its window.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'

import { openStore } from '../../src/store/index.js'
import {
  addStory,
  faultsOnAllScreens,
  shows,
  startInspector,
  STORY,
  type Inspector,
  type Watched,
} from '../support/inspector.js'

let inspector: Inspector
beforeAll(async () => {
  inspector = await startInspector()
})
afterAll(() => inspector?.close())

/** Each view: where it is, what to wait for, and what to do there. */
const VIEWS: readonly (readonly [name: string, hash: string, seen: string, act?: (page: Page) => Promise<unknown>])[] =
  [
    ['tree and cycle', 'at=c13', '#tree[data-shows="@c13"]'],
    ['a failed call of a cycle with two', 'at=c3.4-0', '#tree[data-shows="attempt:4-0"]'],
    ['tree and node', 'at=c12&node=block:12-3', '.life'],
    ['a node that left', 'at=c12&node=block:6-3', '.content.gone'],
    ['a redaction', 'at=c10&node=block:10-3', '.badges'],
    ['matches', 'at=c12&q=%23plan', '.trow.match'],
    [
      'an error in the selector',
      'at=c12&q=%3Acor%20.block',
      '.pop [role="alert"]',
      (page) => page.locator('#selector').focus(),
    ],
    ['completions', 'at=c12&q=%5B', '#offers', (page) => page.locator('#selector').focus()],
    ['compare', 'at=c12&view=compare&from=c5', '.chrow'],
    ['request', 'at=c13&view=request&as=anthropic', '#first-difference'],
    ['range', 'at=c12&view=range&q=%40history%20%5Bttl%5D', '.lane b'],
    ['help', 'at=c12', 'dialog', (page) => page.locator('#tree').press('?')],
  ]

describe('in every view', () => {
  let watched: Watched
  beforeAll(async () => {
    watched = await inspector.open(`#/${STORY}?at=c1`)
  })
  afterAll(() => watched?.done())

  test.for(VIEWS)('%s', async ([, query, seen, act]) => {
    const { page } = watched
    await page.goto(`${inspector.url}/#/${STORY}?${query}`)
    await page.locator('.answer p').first().waitFor()
    await act?.(page)
    await page.locator(seen).first().waitFor({ state: 'attached' })
    expect(await faultsOnAllScreens(page)).toEqual([])
  })
})

describe('in every state', () => {
  const found: string[] = []
  const look = async (name: string, page: Page): Promise<void> => {
    found.push(...(await faultsOnAllScreens(page)).map((fault) => `${name}: ${fault}`))
  }

  test('nothing there yet, nothing there at all, not there', async () => {
    await inspector.store.open('axe/blank')
    const { page, done } = await inspector.open('#/axe/blank')
    await page.getByRole('heading', { name: 'No commit yet' }).waitFor()
    await look('empty', page)
    await page.goto(`${inspector.url}/#/nowhere`)
    await page.getByRole('heading', { name: 'This link leads nowhere here' }).waitFor()
    await look('missing', page)
    await done()
    const none = await inspector.serve(await openStore('memory:'))
    const bare = await inspector.open('', { url: none.url })
    await bare.page.getByRole('heading', { name: 'No context yet' }).waitFor()
    await look('no context', bare.page)
    await bare.done()
    expect(found).toEqual([])
  })

  test('not here yet: the tree, and columns of a long history', async () => {
    const ctx = await inspector.store.open('axe/long')
    for (let cycle = 1; cycle <= 130; cycle++) {
      ctx.user(`Question ${cycle}`)
      await ctx.commit()
    }
    const { page, done } = await inspector.open('#/axe/long?at=c130')
    await shows(page, '@c130')
    await page.locator('.overview i').first().waitFor()
    await page.route(/\/(?:timeline|tree)\?/, () => undefined)
    await page.goto(`${inspector.url}/#/axe/long?at=c20`)
    await page.locator('.col.unloaded').first().waitFor()
    await look('unloaded', page)
    await page.reload()
    await page.locator('.skel i').first().waitFor()
    await look('loading', page)
    await done()
    expect(found).toEqual([])
  })

  test('a form with an error, edits, a conflict', async () => {
    await addStory(inspector.store, 'axe/edits')
    const { page, done } = await inspector.open('#/axe/edits?at=working')
    await shows(page, 'working')
    await page.keyboard.press('i')
    await page.locator('#edit textarea').fill('A note')
    await page.locator('#edit input[name="ttl"]').fill('x')
    await page.keyboard.press('Control+Enter')
    await page.locator('#edit [role="alert"]').waitFor()
    await look('form', page)
    await page.locator('#edit input[name="ttl"]').fill('2')
    await page.keyboard.press('Control+Enter')
    await page.locator('.trow.add').first().waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.calls').waitFor({ state: 'attached' })
    await look('edits', page)
    const ctx = await inspector.store.open('axe/edits')
    ctx.user('faster')
    await ctx.commit()
    await page.locator('.banner.conflict li').first().waitFor()
    await look('conflict', page)
    await done()
    expect(found).toEqual([])
  })

  test('read-only, gone, locked', async () => {
    const { url } = await inspector.serve(inspector.store, { readOnly: true })
    const { page, done } = await inspector.open(`#/${STORY}?at=working`, { url })
    await page.locator('.tools').getByText('This server is read-only').waitFor()
    await look('read-only', page)
    await page.goto(`${url}/#/${STORY}?at=c12`)
    await shows(page, '@c12')
    await page.route('**/v1/**', (route) => route.abort())
    await page.locator('#cycles').press('ArrowLeft')
    await page.locator('.banner').getByText('The server does not answer').waitFor()
    await look('gone', page)
    await page.unroute('**/v1/**')
    const error = { code: 'E_NOT_AUTHORIZED', message: 'No.', details: {} }
    await page.route('**/v1/**', (route) => route.fulfill({ status: 401, json: { error } }))
    await page.getByRole('button', { name: 'Try now' }).click()
    await page.locator('.banner').getByText('This page’s key is no longer valid').waitFor()
    await look('locked', page)
    await done()
    expect(found).toEqual([])
  })
})

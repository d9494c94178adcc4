// The built site in a real browser: `npm run site -- --test`.

import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { launchChromium } from '../../test/support/chromium.mjs'
import { DIST, serveSite } from './serve.js'

const AXE = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const PHONE = { width: 390, height: 844 }

let browser: Browser
let site: Awaited<ReturnType<typeof serveSite>>
beforeAll(async () => {
  site = await serveSite()
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  site?.close()
})

type Watched = Readonly<{ page: Page; faults: string[] }>

/** A tab that notes errors of the console, and requests that fail or leave for another host. */
async function newTab(options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`${page.url()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`))
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (protocol.startsWith('http') && origin !== site.origin) faults.push(`${page.url()} asks ${request.url()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${page.url()}: ${response.status()} for ${response.url()}`)
  })
  return { page, faults }
}

async function openPlayground(hash = '', options: BrowserContextOptions = {}): Promise<Watched> {
  const tab = await newTab(options)
  await tab.page.goto(`${site.origin}/playground.html${hash}`)
  await tab.page.getByRole('treeitem', { name: 'history' }).waitFor()
  return tab
}

async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE)
  const found = (await page.evaluate('axe.run()')) as {
    violations: { id: string; nodes: { target: string[]; failureSummary?: string }[] }[]
  }
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

function pages(): readonly string[] {
  return fs
    .readdirSync(DIST, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.html') && file !== '404.html')
    .toSorted()
}

describe('the site', () => {
  test('every page loads, without an error and without another host', async () => {
    const list = pages()
    expect(list.length).toBeGreaterThan(60)
    const { page, faults } = await newTab()
    for (const file of list) {
      await page.goto(`${site.origin}/${file}`)
      await page.locator('.VPContent h1').first().waitFor()
    }
    expect(faults).toEqual([])
    await page.context().close()
  })

  test('the search finds a word, and leads to its page', async () => {
    const { page, faults } = await newTab()
    await page.goto(`${site.origin}/`)
    await page.getByRole('button', { name: 'Search' }).first().click()
    await page.getByRole('searchbox').fill('protectSegments')
    await page.locator('.VPLocalSearchBox .result').first().click()
    await expect.poll(() => page.locator('main').innerText()).toContain('protectSegments')
    expect(faults).toEqual([])
    await page.context().close()
  })

  test('the sidebar has every page of its groups, and the texts for models list them', async () => {
    const groups = JSON.parse(fs.readFileSync(path.join(DIST, '../sidebar.json'), 'utf8')) as {
      text: string
      items: { text: string; link: string }[]
    }[]
    const { page } = await newTab()
    await page.goto(`${site.origin}/agents.html`)
    const sidebar = page.locator('.VPSidebar')
    const short = fs.readFileSync(path.join(DIST, 'llms.txt'), 'utf8')
    for (const { text, items } of groups) {
      expect(await sidebar.getByRole('heading', { name: text, exact: true }).count()).toBe(1)
      for (const { link } of items) {
        const count = await sidebar.locator(`a[href="${link}.html"], a[href="${link}"]`).count()
        expect(count, link).toBeGreaterThan(0)
        if (link !== '/api/') expect(short).toContain(`](${link.slice(1)}${link.endsWith('/') ? 'index' : ''}.md)`)
      }
    }
    const full = fs.readFileSync(path.join(DIST, 'llms-full.txt'), 'utf8')
    expect(full).toContain('<!-- selectors.md -->')
    expect(full).not.toContain('<!-- implementers/')
    expect(fs.existsSync(path.join(DIST, 'selectors.md'))).toBe(true)
    await page.context().close()
  })

  test.each([
    ['light', undefined],
    ['dark', undefined],
    ['light', PHONE],
  ] as const)('axe finds no fault: %s, %j', async (colorScheme, viewport) => {
    const { page } = await newTab({ colorScheme, ...(viewport === undefined ? {} : { viewport }) })
    // Every kind of page; the large ones would take a minute.
    for (const file of ['index.html', 'compaction.html', 'api/store/functions.html', 'api/main/PactError.html']) {
      await page.goto(`${site.origin}/${file}`)
      await page.locator('.VPContent h1').first().waitFor()
      expect(await violationsOf(page), file).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), file).toBeLessThanOrEqual(0)
    }
    await page.context().close()
  })
})

describe('the playground', () => {
  test('answers a selector, completes it, and marks what it found', async () => {
    const { page, faults } = await openPlayground()
    const field = page.getByRole('combobox', { name: 'Selector' })
    await field.fill('#pl')
    await page
      .getByRole('listbox', { name: 'Completions' })
      .getByRole('option', { name: /^#plan/ })
      .waitFor()
    await field.press('ArrowDown')
    await field.press('Enter')
    expect(await field.inputValue()).toBe('#plan')
    await expect.poll(() => page.locator('#found').innerText()).toBe('1 node at @c16')
    expect(await page.getByRole('treeitem', { name: /selected by the selector/ }).count()).toBe(1)
    await field.fill('@history #plan')
    await expect.poll(() => page.getByRole('table').innerText()).toMatch(/\+ block:4-3/)
    expect(faults).toEqual([])
    await page.context().close()
  })

  test('shows an error with its caret and mends it, and gives advice', async () => {
    const { page } = await openPlayground()
    const field = page.getByRole('combobox', { name: 'Selector' })
    await field.fill('.block :frist ')
    const alert = page.getByRole('alert')
    await expect.poll(() => alert.locator('pre').innerText()).toBe('.block :frist\n       ^^^^^^')
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await alert.getByRole('button', { name: 'Write :first' }).click()
    expect(await field.inputValue()).toMatch(/^\.block :first/)
    await field.fill("[rol='tool']")
    await expect.poll(() => page.getByRole('list', { name: 'Advice' }).innerText()).toContain('Did you mean "role"?')
    await page.context().close()
  })

  test('slides through the cycles by keyboard, and says what each commit did', async () => {
    const { page } = await openPlayground()
    const slider = page.getByRole('slider', { name: 'Cycle' })
    await slider.press('Home')
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('Cycle 1 of 16: the first cycle there is')
    expect(await page.getByRole('treeitem', { name: 'turn' }).count()).toBe(1)
    for (let i = 1; i < 5; i += 1) await slider.press('ArrowRight')
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('Cycle 5 of 16: 2 came, 1 left: expired')
    await page.getByRole('button', { name: /block:2-3 expired/ }).click()
    await expect.poll(() => page.getByRole('region', { name: 'The node' }).innerText()).toContain('a ttl ran out')
    await page.context().close()
  })

  test('explains a node that is clicked, or chosen with the keys of a tree', async () => {
    const { page } = await openPlayground('#from=story&at=c5')
    const details = page.getByRole('region', { name: 'The node' })
    await page.getByRole('treeitem', { name: /#plan/ }).click()
    await expect.poll(() => details.innerText()).toContain('It is pinned, so no budget takes it.')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await expect.poll(() => details.innerText()).toContain('block:4-2')
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowLeft')
    expect(await page.getByRole('treeitem', { name: 'history' }).getAttribute('aria-expanded')).toBe('false')
    expect(await page.getByRole('treeitem', { name: /#plan/ }).count()).toBe(0)
    await page.context().close()
  })

  test('the link holds what is shown: another tab shows the same, also JSON of the user', async () => {
    const { page } = await openPlayground()
    await page.getByRole('button', { name: 'Your JSON…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('JSON').fill('{"messages": 1}')
    await dialog.getByRole('button', { name: 'Show it' }).click()
    await expect.poll(() => dialog.getByRole('alert').innerText()).toContain('It has no list of "messages".')
    const body = {
      system: 'Be brief.',
      messages: [
        { role: 'user', content: 'Grüße aus Zürich' },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Zürich' } }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'sunny' }] },
      ],
    }
    await dialog.getByLabel('JSON').fill(JSON.stringify(body))
    await dialog.getByRole('button', { name: 'Show it' }).click()
    await page.getByRole('treeitem', { name: /Grüße aus Zürich/ }).click()
    await page.getByRole('combobox', { name: 'Selector' }).fill("[role='tool']")
    await expect.poll(() => page.url()).toMatch(/#json=.*q=.*node=/)
    const shown = await page.locator('.panes').innerText()
    const hash = new URL(page.url()).hash
    const other = await openPlayground(hash)
    await expect.poll(() => other.page.locator('.panes').innerText()).toBe(shown)
    expect(await other.page.getByRole('combobox', { name: 'Selector' }).inputValue()).toBe("[role='tool']")
    expect(new URL(other.page.url()).hash).toBe(hash)
    expect(other.faults).toEqual([])
    await other.page.context().close()
    await page.context().close()
  })

  test.each([
    ['light', undefined],
    ['dark', undefined],
    ['dark', PHONE],
  ] as const)('axe finds no fault: %s, %j', async (colorScheme, viewport) => {
    const { page } = await openPlayground("#from=story&at=c5&q=^seq+.block[role='tool']&node=block:4-3", {
      colorScheme,
      ...(viewport === undefined ? {} : { viewport }),
    })
    expect(await violationsOf(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    const field = page.getByRole('combobox', { name: 'Selector' })
    await field.fill('@history [rol~')
    await field.blur()
    await page.getByRole('alert').waitFor()
    expect(await violationsOf(page)).toEqual([])
    await field.fill('^')
    await page.getByRole('listbox', { name: 'Completions' }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Your JSON…' }).click()
    expect(await violationsOf(page)).toEqual([])
    await page.context().close()
  })
})

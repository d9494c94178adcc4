// The inspector as its users meet it: the built page, the real server, a real browser. One browser and one server serve a whole file
// of tests; every page is watched, so that a test ends with the proof that nothing ran, asked or complained behind its back.

import fs from 'node:fs'
import path from 'node:path'

import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'

import { createServer, type Listening, type Server } from '../../src/server/index.js'
import { openStore, type Store } from '../../src/store/index.js'
import { launchChromium } from './chromium.mjs'
import { noteAttempts, storyOptions, tellStory } from '../../demo/story.mjs'

export const INSPECTOR_FOLDER = path.resolve(import.meta.dirname, '../../dist/inspector')
/** The context that holds the story. */
export const STORY = 'rail/booking-7'
export const TOKEN = 'inspector-tests-0123456789abcdefghijklmnopq'

export type PageOptions = Readonly<{
  width?: number
  height?: number
  scheme?: 'light' | 'dark'
  /** Another server's address. */
  url?: string
  token?: string
}>

export type Inspector = Readonly<{
  browser: Browser
  store: Store
  url: string
  /** Opens a place, `#/…`, in a browser of its own. */
  open: (hash: string, options?: PageOptions) => Promise<Watched>
  /** Serves another store, or the same one otherwise. */
  serve: (store: Store, options?: Readonly<{ readOnly?: boolean; port?: number; token?: string }>) => Promise<Listening>
  close: () => Promise<void>
}>

/** A page, and what must not happen in it. */
export type Watched = Readonly<{
  page: Page
  /** The faults: dialogs, errors of scripts, reports of the policy, requests to elsewhere. */
  faults: readonly string[]
  /** Closes it, and says that nothing of that happened. */
  done: () => Promise<void>
}>

export async function startInspector(): Promise<Inspector> {
  if (!fs.existsSync(path.join(INSPECTOR_FOLDER, 'index.html'))) {
    throw new Error('dist/inspector is missing: run `npm run build` first.')
  }
  const servers: Listening[] = []
  const stores: Store[] = []
  const serve: Inspector['serve'] = async (store, { port, token = TOKEN, readOnly = false } = {}) => {
    const server: Server = createServer({ store, token, readOnly, inspector: INSPECTOR_FOLDER })
    const listening = await server.listen(port === undefined ? {} : { port })
    servers.push(listening)
    return listening
  }
  const store = await openStore('memory:')
  stores.push(store)
  await addStory(store)
  const { url } = await serve(store)
  const browser = await launchChromium()
  return {
    browser,
    store,
    url,
    serve,
    open: (hash, options = {}) => openPage(browser, options.url ?? url, hash, options),
    close: async () => {
      await browser.close()
      for (const server of servers) await server.close().catch(() => undefined)
      for (const each of stores) await each.close()
    },
  }
}

export async function addStory(store: Store, id: string = STORY): Promise<void> {
  const ctx = await store.create(id, storyOptions())
  await tellStory(
    ctx,
    () => ctx.commit(),
    (turn) => noteAttempts(ctx, turn),
  )
}

async function openPage(browser: Browser, url: string, hash: string, options: PageOptions): Promise<Watched> {
  const { width = 1280, height = 800, scheme = 'light', token = TOKEN } = options
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    extraHTTPHeaders: { authorization: `Bearer ${token}` },
  })
  const page = await context.newPage()
  page.setDefaultTimeout(45_000)
  const faults: string[] = []
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('pageerror', (error) => faults.push(`error: ${error.stack ?? error.message}`))
  page.on('console', (message) => {
    const text = message.text()
    // A lost request, or one that is not let in, is reported here too; the page shows it. It asks nothing that is refused.
    const isLost = /ERR_|Failed to load resource.*(?:401|403|5\d\d)/.test(text)
    if (message.type() === 'error' && !isLost) faults.push(`console: ${text} ${message.location().url}`)
  })
  page.on('request', (request) => {
    const asked = request.url()
    if (!asked.startsWith(url) && !asked.startsWith('blob:') && !asked.startsWith('data:'))
      faults.push(`outside: ${asked}`)
  })
  await page.goto(`${url}/${hash}`)
  const done = async (): Promise<void> => {
    await context.close()
    expect(faults).toEqual([])
  }
  return { page, faults, done }
}

/** Waits until the tree of a moment is shown, with the answer above it. */
export async function shows(page: Page, lens: string): Promise<void> {
  await page.locator(`#tree[data-shows="${lens}"]`).waitFor()
}

type Axe = Readonly<{
  run: (
    options: object,
  ) => Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }>
}>

/** The faults that axe finds, one line each; by all its rules, or by some. */
export async function axeFaults(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  // As a script of the test, since the page's policy lets none in from elsewhere.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source)
  return page.evaluate(
    async (runOnly) => {
      const { axe } = globalThis as unknown as { axe: Axe }
      const { violations } = await axe.run({
        resultTypes: ['violations'],
        preload: false,
        ...(runOnly === null ? {} : { runOnly }),
      })
      return violations.flatMap(({ id, nodes }) =>
        nodes.slice(0, 3).map((node) => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`),
      )
    },
    rules === undefined ? null : [...rules],
  )
}

type Traced = Readonly<{
  name: string
  ph: string
  pid: number
  tid: number
  /** The processor time of a task, in microseconds. */
  tdur?: number
  args: Readonly<{ name?: string }>
}>

/** The longest task of a page while something happens: milliseconds of processor time, which other processes do not lengthen. */
export async function longestTask(browser: Browser, act: () => Promise<void>): Promise<number> {
  const session = await browser.newBrowserCDPSession()
  const events: Traced[] = []
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as Traced[])))
  const isOver = new Promise<void>((resolve) => session.on('Tracing.tracingComplete', () => resolve()))
  const traceConfig = { includedCategories: ['toplevel'] }
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig })
  await act()
  await session.send('Tracing.end')
  await isOver
  await session.detach()
  const threadOf = ({ pid, tid }: Traced): string => `${pid} ${tid}`
  const main = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(threadOf)
  const tasks = events.filter((event) => event.name.endsWith('RunTask') && main.includes(threadOf(event)))
  expect(tasks.length).toBeGreaterThan(10)
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000
}

/** Waits until the page has drawn what it knows by now. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined))))',
  )
}

/** In both widths and both themes: what axe finds, and how much wider than its window a page is. */
export async function faultsOnAllScreens(page: Page): Promise<readonly string[]> {
  const found: string[] = []
  for (const [width, height] of [
    [1280, 800],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height })
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.locator(`html[data-theme="${scheme}"]`).waitFor({ state: 'attached' })
      await drawn(page)
      // Another theme is other colours and nothing else.
      const faults = await axeFaults(page, scheme === 'light' ? undefined : ['color-contrast'])
      found.push(...faults.map((fault) => `${scheme}, ${width}: ${fault}`))
    }
    const overflow = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    if (overflow > 0) found.push(`${width}: the page is ${overflow} pixels wider than the window`)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 800 })
  return found
}

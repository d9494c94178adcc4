// The inspector in a real Chromium, on a long context and on a short one: until the tree is there, from one cycle to the next, and what the
// page keeps after many of them. The server runs in this process, so its work is in the figures.

import fs from 'node:fs'

import { assertWork, atMost, line, say, single, summarize } from '../harness.mjs'
import { makeText } from '../turns.mjs'

const BUILD = new URL('../../dist/', import.meta.url)
const TOKEN = 'inspector-bench-0123456789abcdefghijklmnopq'
const MS = 1e6
/** A turn and its core are two nodes more than the blocks in it. */
const BLOCKS = 8

export const rows = [{ title: 'inspector', run }]

async function run({ engine, quick }) {
  if (!engine || !fs.existsSync(new URL('inspector/index.html', BUILD))) return []
  const { launchChromium } = await import('../../test/support/chromium.mjs')
  const browser = await launchChromium().catch((error) => say(error.message))
  if (!browser) return []
  try {
    const steps = quick ? 200 : 1000
    const short = await measure(browser, 21, steps)
    const long = await measure(browser, quick ? 1_000 : 10_000, steps)
    return [
      line({
        row: 'inspector, first paint',
        peer: 'a context of 21 cycles',
        theirs: short.paint,
        ours: long.paint,
        unit: 'ns',
        goal: atMost(2000 * MS, 'ns'),
      }),
      line({
        row: 'inspector, one cycle on',
        peer: 'a context of 21 cycles',
        theirs: short.step,
        ours: long.step,
        unit: 'ns',
      }),
      line({
        row: 'inspector, one cycle on, p95',
        peer: 'a context of 21 cycles',
        theirs: short.p95,
        ours: long.p95,
        unit: 'ns',
        goal: atMost(100 * MS, 'ns'),
      }),
      line({
        row: `inspector, heap after ${steps} steps`,
        peer: 'after a tenth of them',
        theirs: long.before,
        ours: long.after,
        unit: 'bytes',
      }),
    ]
  } finally {
    await browser.close()
  }
}

async function measure(browser, cycles, steps) {
  const { openStore } = await import(new URL('store/index.js', BUILD).href)
  const { createServer } = await import(new URL('server/index.js', BUILD).href)
  const store = await openStore('memory:')
  const ctx = await store.open('bench')
  for (let cycle = 1; cycle <= cycles; cycle++) await commitBlocks(ctx, cycle)
  const server = await createServer({ store, token: TOKEN }).listen()
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    extraHTTPHeaders: { authorization: `Bearer ${TOKEN}` },
  })
  try {
    // The first visit opens the context on the server; a person's second look at it is what is measured.
    await paint(context, server.url, cycles)
    const paints = []
    for (let i = 0; i < 5; i++) paints.push((await paint(context, server.url, cycles)).time * MS)
    const { page } = await paint(context, server.url, cycles, true)
    const client = await context.newCDPSession(page)
    await walk(page, Math.ceil(steps / 10), cycles)
    const before = await heap(client)
    const times = await walk(page, steps, cycles)
    const after = await heap(client)
    assertWork(times.length === steps, 'every step was shown')
    const sorted = times.map((each) => each * MS).toSorted((a, b) => a - b)
    return {
      paint: summarize(paints),
      step: summarize(sorted),
      p95: single(sorted[Math.floor(sorted.length * 0.95)]),
      before: single(before),
      after: single(after),
    }
  } finally {
    await context.close()
    await server.close()
    await store.close()
  }
}

function commitBlocks(ctx, cycle) {
  for (let part = 0; part < BLOCKS; part++) {
    const text = makeText(cycle, part)
    if (part % 4 === 0) ctx.user(text)
    else if (part % 4 === 3) ctx.post(text, { key: `note${part}`, ttl: 2 })
    else ctx.assistant(text)
  }
  return ctx.commit()
}

/** Milliseconds from the moment that the page's script is there until the tree is shown. */
async function paint(context, url, cycles, isKept = false) {
  const page = await context.newPage()
  await page.addInitScript(`
    globalThis.shown = new Promise((resolve) => {
      const look = () => document.querySelector('#tree[data-shows^="@c"]') ? resolve(performance.now()) : requestAnimationFrame(look)
      requestAnimationFrame(look)
    })`)
  await page.goto(`${url}/#/bench?at=c${cycles}`)
  const time = await page.evaluate(`
    shown.then((at) => at - Math.max(...performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/')).map(({ responseEnd }) => responseEnd)))`)
  if (!isKept) await page.close()
  return { page, time }
}

/** Steps back and forth through the timeline by its key, and times each until tree and answer show the next cycle. */
function walk(page, steps, cycles) {
  return page.evaluate(`(async () => {
    const times = []
    let [cycle, by] = [${cycles}, -1]
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const isShown = (cycle) => document.querySelector('#tree')?.dataset.shows === '@c' + cycle && document.querySelector('.answer [data-shows="@c' + cycle + '"][aria-busy="false"]') !== null
    for (let i = 0; i < ${steps}; i++) {
      if (cycle + by < 2 || cycle + by > ${cycles}) by = -by
      cycle += by
      const from = performance.now()
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: by < 0 ? '[' : ']', bubbles: true, cancelable: true }))
      for (let wait = 0; !isShown(cycle); wait++) {
        if (wait > 2000) throw new Error('cycle ' + cycle + ' is not shown')
        await frame()
      }
      times.push(performance.now() - from)
    }
    // Back to where it began, so that the next walk begins there too.
    document.getElementById('cycles').focus()
    history.replaceState(null, '', '#/bench?at=c${cycles}')
    dispatchEvent(new PopStateEvent('popstate'))
    while (!isShown(${cycles})) await frame()
    return times
  })()`)
}

async function heap(client) {
  await client.send('HeapProfiler.collectGarbage')
  const { usedSize } = await client.send('Runtime.getHeapUsage')
  return usedSize
}

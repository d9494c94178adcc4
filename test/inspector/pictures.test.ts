// The pictures of a coding agent and its forks: tokens by role and tool for each call, where a call's tokens sit, the cache as predicted against the one
// that was billed, and forks as a graph with comparisons of two contexts. The library says which figures are right.

import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'

import { addAgentStory, LARGE_TURN } from '../../demo/agent-story.mjs'
import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { importFile } from '../../src/commands/index.js'
import type { Lens } from '../../src/index.js'
import type { StoredContext } from '../../src/store/index.js'
import { faultsOnAllScreens, shows, startInspector, type Inspector, type Watched } from '../support/inspector.js'

const [AGENT, FORK, DEEPER] = ['coding-agent', 'coding-agent-try-b', 'coding-agent-deeper']
const LARGE: Lens = `attempt:${LARGE_TURN}-1`
const AT = `c${LARGE_TURN}.${LARGE_TURN}-1`

let inspector: Inspector
let ctx: StoredContext
let watched: Watched
beforeAll(async () => {
  inspector = await startInspector()
  await addAgentStory(inspector.store, AGENT, toAnthropic)
  ctx = await inspector.store.open(AGENT)
  watched = await inspector.open(`#/${AGENT}?at=${AT}`)
  await shows(watched.page, LARGE)
})
afterAll(async () => {
  await watched?.done()
  await inspector?.close()
})

const count = (value: number): string => value.toLocaleString('en')
const share = (part: number, all: number): string => `${Math.round((part / all) * 100)} %`

/** The row of a call in the table behind the picture, by the names of its columns. */
async function figuresOf(page: Page, at: string): Promise<Readonly<Record<string, number>>> {
  await page.locator(`#groups tr[data-at="${at}"]`).waitFor({ state: 'attached' })
  const [names, cells] = await Promise.all([
    page.locator('#groups thead th').allTextContents(),
    page.locator(`#groups tr[data-at="${at}"] > *`).allTextContents(),
  ])
  return Object.fromEntries(names.slice(1).map((name, i) => [name, Number(cells[i + 1]!.replaceAll(',', ''))]))
}

test.each([
  ['tool', 'name', 'no tool'],
  ['role', 'role', 'no role'],
] as const)('columns by %s: the table behind them sums what tokens says', async (choice, by, none) => {
  const { page } = watched
  await page.getByRole('radio', { name: choice, exact: true }).click()
  await page.waitForURL(new RegExp(`by=${choice}`))
  for (const [at, lens] of [
    [AT, LARGE],
    ['c9.9-1', 'attempt:9-1'],
    ['c22.22-1', 'attempt:22-1'],
  ] as const) {
    const { all, 'as in the call before': same, ...groups } = await figuresOf(page, at)
    const { total, by: sums } = ctx.tokens(lens, { by })
    const named = Object.fromEntries(Object.entries(sums).map(([name, tokens]) => [name === '' ? none : name, tokens]))
    expect(Object.fromEntries(Object.entries(groups).filter(([, tokens]) => tokens > 0))).toEqual(named)
    expect(all).toBe(total)
    expect(same).toBeLessThan(total)
    // Hatched is what the call before had: the share of the height is that of the tokens.
    const heights = (of: string): Promise<number> =>
      page
        .locator(`[id="col-${at}"] .stack ${of}`)
        .evaluateAll((list) => list.reduce((sum, each) => sum + each.getBoundingClientRect().height, 0))
    const hatched = (await heights('i.same')) / (await heights('i'))
    expect(hatched).toBeCloseTo(same! / total, 1)
  }
  // The readout has the figures, and they are those of the moment in view.
  const readout = await page.locator('.read table').innerText()
  for (const tokens of Object.values(ctx.tokens(LARGE, { by }).by)) expect(readout).toContain(count(tokens))
})

test('the budget is a dashed line at its height, and breaks are drawn over the groups', async () => {
  const { page } = watched
  await page.locator('.limitwords').getByText('maxTokens ^seq 9,000').waitFor()
  const heights = await page.locator(`[id="col-${AT}"] .stack`).evaluate((stack) => {
    const { bottom } = stack.getBoundingClientRect()
    const slices = [...stack.querySelectorAll('i')].map((each) => each.getBoundingClientRect().top)
    return {
      limit: bottom - stack.querySelector('.limit')!.getBoundingClientRect().bottom,
      top: bottom - Math.min(...slices),
    }
  })
  const { total, by } = ctx.tokens(LARGE, { by: 'region' })
  expect(heights.limit / heights.top).toBeCloseTo((9000 + by['^sys']!) / total, 1)
  expect(await page.locator('.col .tick').count()).toBeGreaterThan(3)
})

test('a bar of the icicle names a node with its share; one click chooses it', async () => {
  const { page } = watched
  const node = `block:${LARGE_TURN}-3`
  const { total, by } = ctx.tokens(LARGE, { by: 'node' })
  const name = `read_file, ${count(by[node]!)} tokens, ${share(by[node]!, total)}`
  const strip = page.getByRole('region', { name: 'Where the tokens sit' })
  expect(name).toMatch(/^read_file, 4,\d\d\d tokens, 5\d %$/)
  const widths = await strip
    .locator('.bar-node')
    .evaluateAll((bars) => bars.reduce((sum, bar) => sum + Number.parseFloat(bar.style.width), 0))
  expect(widths).toBeCloseTo(100, 0)
  // Each is drawn as wide as its share, the narrow ones too.
  const tooWide = await strip.locator('.bar-node, .turns span').evaluateAll((bars) =>
    bars.filter((bar) => {
      const box = bar.parentElement!.getBoundingClientRect().width
      return bar.getBoundingClientRect().width > (Number.parseFloat(bar.style.width) / 100) * box + 1
    }),
  )
  expect(tooWide).toHaveLength(0)
  // The sum over all calls is in words.
  await page
    .locator('.sentwords')
    .getByText(/^60 calls sent [\d,]+ tokens; [\d,]+ \(10 %\) could not come from a cache\.$/)
    .waitFor()
  // The pane of the cycle has the same bars, and its largest nodes as a table.
  const pane = page.locator('.where.inpane')
  expect(await pane.getByRole('button', { name, exact: true }).count()).toBe(1)
  expect(await pane.locator('tr').first().innerText()).toMatch(
    new RegExp(`${node}\\s+result\\s+read_file\\s+${count(by[node]!)}`),
  )
  // Only what the call before had is hatched.
  const large = strip.getByRole('button', { name, exact: true })
  expect(await large.getAttribute('class')).not.toContain('same')
  expect(await strip.locator('.bar-node.same').count()).toBeGreaterThan(20)
  await large.click()
  await page.waitForURL(new RegExp(`node=${node}`))
  await page.locator('.trow[aria-selected="true"]').getByText('read_file').waitFor()
  // Arrows go from bar to bar.
  await large.press('ArrowLeft')
  expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toMatch(/^(?:read_file|\d nodes), /)
  // Request has the icicle in place of strips, with its marks.
  await page.locator('#tree').press('3')
  const request = page.locator('.where.whole')
  await request.getByRole('button', { name, exact: true }).waitFor()
  expect(await request.locator('.mark.bp').count()).toBeGreaterThan(1)
  expect(await page.locator('.page > .where').count()).toBe(0)
  expect(await faultsOnAllScreens(page)).toEqual([])
})

test('predicted against billed: words for every call that reports it, a mark where the cache was missed', async () => {
  const { page } = watched
  const url = `${inspector.url}/#/${AGENT}?at=`
  await page.goto(`${url}c9.9-1&by=tool`)
  await shows(page, 'attempt:9-1')
  const predicted = ctx.prefix('attempt:9-0', 'attempt:9-1', { for: toAnthropic })
  const { token_in: input } = ctx.attempts().find(({ attempt_id: id }) => id === 'attempt:9-1')!
  const answer = page.locator('.answer')
  await answer
    .getByText(
      `predicted ${share(predicted.tokens, predicted.total)}, billed 0 % (0 of ${count(input!)} tokens). The cache had less`,
    )
    .waitFor()
  // The story has one such turn, of two calls; the rest is as predicted.
  await expect.poll(() => page.locator('.col .missed').count()).toBe(2)
  expect(await page.locator('[id="col-c9.9-1"]').getAttribute('aria-label')).toContain('billed: 0 of')
  await page
    .locator('.second')
    .getByText(`0 of ${count(input!)} tokens read (0 %)`)
    .waitFor()
  expect(await faultsOnAllScreens(page)).toEqual([])
  // A call that failed has no usage.
  await page.goto(`${url}c18.18-0`)
  await shows(page, 'attempt:18-0')
  await expect.poll(() => answer.innerText()).not.toContain('billed')
})

/** The blocks of the newest snapshot of a context. */
async function blocksOf(id: string): Promise<ReadonlySet<string>> {
  const ctx = await inspector.store.open(id)
  return new Set(ctx.select('@t0 .block'))
}

test('from a fork, two clicks lead to the comparison with the head of its parent, and the address leads there again', async () => {
  const { page } = watched
  await page.goto(`${inspector.url}/#/${FORK}?at=c20`)
  await shows(page, '@c20')
  await page.getByRole('button', { name: `fork of ${AGENT} at @c12` }).click()
  await page.getByRole('button', { name: `Compare ${AGENT}@c30 with ${FORK}@c20` }).click()
  const [one, other] = [await blocksOf(AGENT), await blocksOf(FORK)]
  const only = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => [...a].filter((id) => !b.has(id)).length
  const [left, came] = [only(one, other), only(other, one)]
  const words = async (): Promise<void> => {
    const answer = page.locator('.answer')
    await answer.getByText('Both have @c1 to @c12').waitFor()
    await answer.getByText(`${left} only in ${AGENT}, ${came} only in ${FORK}.`).waitFor()
    await answer.getByText(`Same bytes as ${AGENT}@c30, for Anthropic`).waitFor()
    await answer.getByText(`pruned in cycle 22 (maxTokens ^seq) of ${AGENT}`).waitFor()
  }
  await words()
  expect(page.url()).toContain(`#/${FORK}?at=c20&view=compare&from=${AGENT}@c30`)
  await page.reload()
  await words()
  await page.locator('.grp').getByText(`Only in ${AGENT}`).waitFor()
  expect(await faultsOnAllScreens(page)).toEqual([])

  // A node of the other context shows its own content, and who made it.
  await page.locator('.chrow').getByText('Step 13: the lexer').click()
  const detail = page.locator('.second')
  await detail.getByText(`Made in cycle 13 of ${AGENT}.`).waitFor()
  await expect
    .poll(() => detail.locator('.side').innerText())
    .toMatch(/coding-agent@c30[\s\S]*Step 13: the lexer[\s\S]*not there/)
  // At the cycle of the fork both are the same.
  const tools = page.locator('.tools select')
  expect(await tools.nth(0).inputValue()).toBe(AGENT)
  await tools.nth(1).selectOption('@c12')
  await tools.nth(2).selectOption('@c12')
  await page.locator('.answer').getByText(`The same bytes as ${AGENT}@c12`).waitFor()
  await page.locator('.chips').getByText('No difference').waitFor()
})

test('the graph has a line for each context and a dot for each of its cycles; any two heads can be chosen', async () => {
  const { page } = watched
  await page.goto(`${inspector.url}/#/${AGENT}?at=c30`)
  await shows(page, '@c30')
  await page.locator('#tree').press('5')
  const graph = page.locator('.forkp svg')
  await expect.poll(() => graph.locator('[data-at]').count()).toBe(30 + 8 + 2)
  expect(await graph.locator('path').count()).toBe(3)
  // The line of a fork begins under the dot that both have.
  const [dot, line] = await Promise.all([
    graph.locator(`[data-at="${AGENT}@c12"]`).getAttribute('cx'),
    graph.locator('path').nth(1).getAttribute('d'),
  ])
  expect(line).toMatch(new RegExp(`^M${dot} `))
  await page.getByLabel(`Compare ${FORK}@c20`).uncheck()
  await page.getByLabel(`Compare ${DEEPER}@c16`).check()
  await page.getByText('Both have @c1 to @c12.').waitFor()
  await page.getByLabel(`Compare ${AGENT}@c30`).uncheck()
  await page.getByLabel(`Compare ${FORK}@c20`).check()
  await page.getByText('Both have @c1 to @c14.').waitFor()
  expect(await faultsOnAllScreens(page)).toEqual([])
  // On a phone every head is in sight.
  await page.setViewportSize({ width: 390, height: 844 })
  await expect
    .poll(() => page.locator('.forkp').evaluate((box) => box.scrollWidth - box.clientWidth))
    .toBeLessThanOrEqual(0)
  await page.setViewportSize({ width: 1280, height: 800 })
  await graph.locator(`[data-at="${FORK}@c15"]`).click()
  await shows(page, '@c15')
  expect(page.url()).toContain(`#/${FORK}?at=c15`)
})

test('a fork has the calls from before it, with links both ways', async () => {
  const { page } = watched
  await page.goto(`${inspector.url}/#/${FORK}?at=c5`)
  await shows(page, '@c5')
  expect(await page.locator('.col .past').count()).toBe(12)
  await page.locator('.answer').getByText(`Sent by ${AGENT}, before the fork`).waitFor()
  const pane = page.locator('.second')
  await pane.getByText(`Fork of ${AGENT} at @c12.`).waitFor()
  await pane.getByRole('link', { name: 'attempt:5-0' }).click()
  await shows(page, 'attempt:5-0')
  expect(page.url()).toContain(`#/${AGENT}?at=c5.5-0`)
  await page.goto(`${inspector.url}/#/${AGENT}?at=c12.12-1`)
  await shows(page, 'attempt:12-1')
  await pane.getByRole('link', { name: FORK }).click()
  await shows(page, '@c20')
  expect(page.url()).toContain(`#/${FORK}?at=c20`)
})

test.each([
  ['claude-code', 'Anthropic'],
  ['codex', 'OpenAI Responses'],
])('a session of %s is shown in the format it came from', async (name, format) => {
  const file = path.resolve(import.meta.dirname, `../sessions/${name}.jsonl`)
  const { contexts } = await importFile(inspector.store, { chunks: fs.createReadStream(file), name })
  const { page } = watched
  await page.goto(`${inspector.url}/#/${contexts[0]!.id}?view=request`)
  await page.locator('[role="radio"][aria-checked="true"]').getByText(format, { exact: true }).waitFor()
  await page.locator('.answer').getByText(`for ${format}`).waitFor()
  expect(page.url()).not.toContain('as=')
})

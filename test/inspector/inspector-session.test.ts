// The inspector on a real conversation: the longest recorded session, 914 messages, a commit for every turn and provider calls in many of
// them, so that columns are snapshots and what was sent while a turn was open.

import { afterAll, beforeAll, expect, test } from 'vitest'

import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import type { Lens } from '../../src/core/index.js'
import type { StoredContext } from '../../src/store/index.js'
import { shows, startInspector, type Inspector } from '../support/inspector.js'
import { addMessage, readSession } from '../support/session.js'

let inspector: Inspector
let ctx: StoredContext
beforeAll(async () => {
  inspector = await startInspector()
  ctx = await inspector.store.create('session', { prune: { maxTokens: 60_000, target: 0.7 } })
  const call = { provider: 'anthropic', model: 'claude', params: {}, for: toAnthropic }
  for (const message of readSession()) {
    if (message.role === 'user' && ctx.count('^ah .block') > 0) await ctx.commit()
    // Every call of the last turns, and of every eighth before them: enough of each kind of column.
    const isSent = message.role === 'assistant' && (ctx.cycle > 80 || ctx.cycle % 8 === 1)
    if (isSent) ctx.startAttempt(call).complete()
    addMessage(ctx, message)
  }
  await ctx.commit()
  await ctx.flush()
})
afterAll(() => inspector?.close())

const count = (value: number): string => value.toLocaleString('en')

test('the session is opened, stepped through, selected in, compared, read as bytes, ranged over, edited and committed', async () => {
  const newest = ctx.cycle - 1
  const sent = ctx.attempts().map(({ attempt_id: id }) => id as Lens)
  expect(newest).toBeGreaterThan(80)
  expect(sent.length).toBeGreaterThan(40)

  // Open: the newest, with an overview over all of it, and only what is in sight in the page.
  const { page, done } = await inspector.open('#/session')
  await shows(page, `@c${newest}`)
  await page.locator('.overview i').first().waitFor()
  expect(await page.locator('.trow').count()).toBeLessThan(100)
  // The newest change is in sight without a key.
  const isInSight = `(() => {
    const { top, bottom } = document.getElementById('tree').getBoundingClientRect()
    const boxes = [...document.querySelectorAll('.trow.add')].map((each) => each.getBoundingClientRect())
    return boxes.some((box) => box.top >= top && box.bottom <= bottom)
  })()`
  await expect.poll(() => page.evaluate<boolean>(isInSight)).toBe(true)
  expect(await page.locator('#cycles').getByRole('option').count()).toBeLessThan(150)

  // Step: call by call, the last ones of the session, backwards, then one on.
  for (const lens of sent.slice(-4).toReversed()) {
    await page.keyboard.press('[')
    await shows(page, lens)
  }
  await page.keyboard.press(']')
  const [before, now] = sent.slice(-4) as [Lens, Lens]
  await shows(page, now)
  const answer = page.locator('.answer')
  await answer.getByText(`Changed since ${before}`).waitFor()
  await expect
    .poll(() => answer.innerText())
    .toContain(`${ctx.thread(now).length} items, ${count(ctx.tokens(now).total)} tokens`)

  // Request: the bytes that went out, and what they share with those before.
  await page.keyboard.press('3')
  await page.getByRole('radio', { name: 'as sent' }).waitFor()
  const request = new TextDecoder().decode(ctx.requestOf(now, { for: toAnthropic }))
  await page
    .locator('.fmts')
    .getByText(`${count(Buffer.byteLength(request))} bytes`)
    .waitFor()
  await page.getByRole('button', { name: 'Copy bytes' }).click()
  await page.getByText('The exact bytes that were sent are on the clipboard.').waitFor()
  await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toBe(request)
  const prefix = ctx.prefix(before, now, { for: toAnthropic })
  expect(prefix.first).toBeUndefined()
  await answer.getByText(`All of ${before} is a prefix`).waitFor()

  // Compare: what that call had and the one before had not.
  await page.locator('#items').press('2')
  const came = ctx.diffDetailed(before, now).added.filter((each) => !each.is_container)
  await expect.poll(() => page.locator('.chrow').count()).toBe(came.length)
  await page.locator('.side').waitFor()

  // Select: as many as the library finds.
  await page.locator('#changes').press('1')
  await shows(page, now)
  await page.locator('#selector').fill("[kind='call']")
  const calls = ctx.snapshot(now).select("[kind='call']").length
  await expect.poll(() => page.locator('#found').innerText()).toBe(`${count(calls)} matches at ${now}`)
  await page.keyboard.press('Enter')
  await page.locator('.trow.match').first().waitFor()

  // b: the next call that broke the prefix, from the first on.
  await page.locator('#selector').fill('')
  await page.locator('#cycles').focus()
  await page.keyboard.press('Home')
  await shows(page, sent[0]!)
  await page.keyboard.press('b')
  await expect.poll(() => page.locator('.col[aria-selected="true"] .tick').count()).toBe(1)

  // Range: what came and left over the last turns.
  await page.locator('#selector').fill("@t-5..@t0 [role='user']")
  await page.keyboard.press('Enter')
  // The timeline is at the first call, far from those turns; a link leads to them.
  await page.locator('.outof').getByRole('button').last().click()
  await page.locator('.lane b').first().waitFor()
  const range = ctx.rangeDiffLatest("@t-5..@t0 [role='user']")
  await expect
    .poll(() => page.locator('#found').innerText())
    .toMatch(new RegExp(`in ${range.snapshots.length} snapshots$`))

  // Edit and commit: a redaction of a tool's result, with what it costs before it is paid.
  await page.locator('#selector').fill("[kind='result']")
  await page.locator('#tab-tree').click()
  await page.locator('#tree').press('w')
  await shows(page, 'working')
  await page.locator('#found').getByText('matches at working').waitFor()
  await page.locator('#tree').press('N')
  await page.locator('.trow.leaf.match[aria-selected="true"]').waitFor()
  await page.locator('.second .dl').first().waitFor()
  await page.keyboard.press('x')
  await page.locator('#edit input[name="reason"]').fill('a key')
  await page.keyboard.press('Control+Enter')
  await page.locator('.trow.add').filter({ hasText: 'redacted: a key' }).waitFor()
  await answer.getByText(/% the same (?:bytes|tokens), then/).waitFor()
  await page.locator('#tree').press('Control+Enter')
  await shows(page, `@c${newest + 1}`)
  const again = await inspector.store.open('session')
  expect(again.diffDetailed('@t-1', '@t0').removed.map(({ cause }) => cause)).toContain('redacted')
  await done()
})

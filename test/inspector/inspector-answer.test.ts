// "What exactly was sent, and what changed since the last call?" The acceptance test of the inspector, as docs/inspector.md tells it step by
// step: the exact bundle per step, a timeline of steps, the difference from the step before, tokens per part. The library says what is right.

import { afterAll, beforeAll, expect, test } from 'vitest'

import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { shows, startInspector, STORY, type Inspector } from '../support/inspector.js'

let inspector: Inspector
beforeAll(async () => {
  inspector = await startInspector()
})
afterAll(() => inspector?.close())

test('one page answers what was sent in a call and what changed since the one before', async () => {
  const ctx = await inspector.store.open(STORY)
  const count = (value: number): string => value.toLocaleString('en')
  const { page, done } = await inspector.open(`#/${STORY}?at=c10`)
  await shows(page, '@c10')

  // 1. A timeline of steps, and the next one that broke the prefix.
  expect(ctx.attempts().length).toBeGreaterThan(ctx.snapshots().length)
  await expect.poll(() => page.locator('#cycles').getByRole('option').count()).toBe(ctx.attempts().length + 1)
  await page.keyboard.press('b')
  await shows(page, '@c12')

  // 2. The answer in words: what was sent, what changed, what broke the prefix.
  const snapshot = ctx.snapshot('@c12')
  const prefix = ctx.prefix('@c11', '@c12')
  const answer = page.locator('.answer')
  await answer.getByText('1 replaced').waitFor()
  await expect
    .poll(() => answer.innerText())
    .toContain(`${snapshot.thread().length} items, ${count(ctx.tokens('@c12').total)} tokens`)
  await expect.poll(() => answer.innerText()).toContain(`differs: ${prefix.first!.cause}`)

  // 3. Tokens of each part, and how many that are more or fewer than in the last call.
  const parts = await page.locator('.read table').innerText()
  const sum = (lens: '@c11' | '@c12'): number => ctx.tokens(lens).total
  expect(parts).toMatch(/system\s+[\d,]+[\s\S]*conversation\s+[\d,]+\s+\+[\d,]+[\s\S]*context\s+[\d,]+/)
  expect(parts).toContain(`tokens\t${count(sum('@c12'))}\t+${count(sum('@c12') - sum('@c11'))}`)

  // 4. The exact bundle, for the provider; byte for byte what the library sends.
  await page.keyboard.press('3')
  await page.getByRole('radio', { name: 'Anthropic' }).click()
  const request = toAnthropic(ctx, { lens: '@c12' })
  await page
    .locator('.fmts')
    .getByText(`${count(request.bytes.length)} bytes`)
    .waitFor()
  const first = ctx.prefix('@c11', '@c12', { for: toAnthropic }).first!
  await expect
    .poll(() => page.locator('#first-difference').innerText())
    .toMatch(new RegExp(`byte ${count(first.byte)}\\s+${first.node} superseded`))
  await page.getByRole('button', { name: 'Copy bytes' }).click()
  await page.getByText('The bytes for Anthropic are on the clipboard.').waitFor()
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(JSON.stringify(request))

  // 5. The difference from the step before, with both contents.
  await page.locator('#items').press('2')
  const diff = ctx.diffDetailed('@c11', '@c12')
  await page.locator('.chrow').first().waitFor()
  const listed = await page.locator('.chrow code:first-of-type').allInnerTexts()
  expect(listed.toSorted()).toEqual(
    diff.added
      .filter((each) => !each.is_container)
      .map(({ id }) => id.replace('block:', ''))
      .toSorted(),
  )
  await page.locator('.second').getByText('block:6-3 → block:12-3').waitFor()
  await expect.poll(() => page.locator('.side del').allInnerTexts()).toContain('trains')
  await expect.poll(() => page.locator('.side ins').allInnerTexts()).toContain('6613')
  await done()
})

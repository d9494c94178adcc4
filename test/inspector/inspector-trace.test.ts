// Rows that read like a trace: calls with their arguments, results with their output and tool, one row for a message, pictures as pictures.

import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { importFile } from '../../src/commands/index.js'
import { axeFaults, shows, startInspector, type Inspector } from '../support/inspector.js'

const SESSIONS = path.resolve(import.meta.dirname, '../sessions')
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const ARGUMENTS = { command: 'git add .' }
/** The same call, as each format has it. */
const CALLS = [
  { id: 'c', type: 'function', function: { name: 'bash', arguments: JSON.stringify(ARGUMENTS) } },
  { call_id: 'c', type: 'function_call', name: 'bash', arguments: JSON.stringify(ARGUMENTS) },
  { id: 'c', type: 'tool_use', name: 'bash', input: ARGUMENTS },
  { toolCallId: 'c', type: 'tool-call', toolName: 'bash', input: ARGUMENTS },
  { functionCall: { name: 'bash', args: ARGUMENTS } },
  { toolUse: { toolUseId: 'c', name: 'bash', input: ARGUMENTS } },
  { id: 'c', type: 'toolCall', name: 'bash', arguments: ARGUMENTS },
]
const RESULTS = [
  'all\nstaged',
  { type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'all\nstaged' }] },
  { type: 'function_call_output', call_id: 'c', output: 'all\nstaged' },
  { type: 'tool-result', toolCallId: 'c', toolName: 'bash', output: { type: 'text', value: 'all\nstaged' } },
  { functionResponse: { name: 'bash', response: { output: 'all\nstaged' } } },
  { toolResult: { toolUseId: 'c', content: [{ text: 'all\nstaged' }] } },
]

/** The texts of leaves whose first 12 characters are not all in sight. */
const TOO_NARROW = `[...document.querySelectorAll('.trow.leaf .txt')].flatMap((each) => {
  const words = document.createTreeWalker(each, NodeFilter.SHOW_TEXT).nextNode()
  if (words === null) return ['nothing']
  const range = document.createRange()
  range.setStart(words, 0)
  range.setEnd(words, Math.min(12, words.textContent.length))
  return range.getBoundingClientRect().right <= each.getBoundingClientRect().right + 1 ? [] : [each.textContent]
})`

let inspector: Inspector
let session = ''
beforeAll(async () => {
  inspector = await startInspector()
  const { contexts } = await importFile(inspector.store, {
    chunks: fs.createReadStream(path.join(SESSIONS, 'pi.jsonl')),
    name: 'pi',
  })
  session = contexts[0]!.id
  const ctx = await inspector.store.create('zoo')
  ctx.user('Stage everything')
  for (const content of CALLS) ctx.assistant(content, { kind: 'call' })
  for (const content of RESULTS) ctx.tool(content, { kind: 'result', data_name: 'bash' })
  ctx.user([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }], { key: 'picture' })
  ctx.tool('rev\u202Eesrever\u0007', { kind: 'result', data_name: 'odd', key: 'odd' })
  ctx.user('A long enough text for a narrow row.', {
    key: 'a-key-that-is-much-too-long-for-the-narrow-row-of-a-tree',
    tags: Array.from({ length: 40 }, (_, i) => `tag-${i}`),
  })
  await ctx.commit()
  await ctx.flush()
})
afterAll(() => inspector?.close())

test('a call is its tool and arguments, a result its tool and output, in every format', async () => {
  const { page, done } = await inspector.open('#/zoo?at=c1')
  await shows(page, '@c1')
  const texts = async (who: string): Promise<readonly string[]> =>
    page
      .locator('.trow.leaf')
      .filter({ has: page.locator('.who', { hasText: who }) })
      .locator('.txt')
      .allInnerTexts()
  await expect.poll(() => texts('call')).toEqual(CALLS.map(() => 'bash git add .'))
  expect(await texts('result')).toEqual([...RESULTS.map(() => 'bash all ↵ staged'), expect.stringMatching(/^odd rev/)])
  expect(await axeFaults(page)).toEqual([])
  await done()
})

test('no row of a session is an empty container with one child, and each call has words', async () => {
  const { page, done } = await inspector.open(`#/${session}?at=c1`)
  await shows(page, '@c1')
  await page.keyboard.press('*')
  const rows = page.locator('.trow')
  await expect.poll(() => rows.count()).toBeGreaterThan(6)
  const all = await rows.evaluateAll((list) =>
    list.map((row) => ({
      level: Number(row.getAttribute('aria-level')),
      isLeaf: row.classList.contains('leaf'),
      who: row.querySelector('.who')?.textContent,
      words: row.querySelector('.txt')?.textContent ?? '',
      tokens: row.querySelector('.tok')?.textContent,
    })),
  )
  const empty = all.filter(
    ({ isLeaf, tokens, level }, i) =>
      isLeaf && tokens === '0' && all[i + 1]?.level === level + 1 && all[i + 2]?.level !== level + 1,
  )
  expect(empty).toEqual([])
  const calls = all.filter(({ who }) => who === 'call')
  expect(calls.map(({ words }) => words)).toContain('bash npm test')
  expect(all.map(({ words }) => words)).toContain('bash 14 passed, 2 failed: cart.test.ts, tax.test.ts')
  await done()
})

test('text comes before badges: at 800 pixels each leaf shows at least 12 characters', async () => {
  const { page, done } = await inspector.open('#/zoo?at=c1', { width: 800, height: 900 })
  await shows(page, '@c1')
  const tagged = page.locator('.trow').filter({ hasText: 'A long enough text' })
  await expect.poll(() => tagged.locator('.bd.others').innerText()).toBe('+37')
  const narrow = await page.evaluate<readonly string[]>(TOO_NARROW)
  expect(narrow).toEqual([])
  await done()
})

test('a picture is a picture, made of bytes that the page has', async () => {
  const { page, done } = await inspector.open('#/zoo?at=c1')
  await shows(page, '@c1')
  const row = page.locator('.trow').filter({ hasText: '#picture' })
  expect(await row.locator('.txt').innerText()).toBe('[image]')
  await row.click()
  const image = page.locator('.thumb img')
  await image.waitFor()
  await expect.poll(() => page.evaluate<number>("document.querySelector('.thumb img').naturalWidth")).toBe(1)
  expect(await page.locator('.thumb').innerText()).toMatch(/^image\/png · 1 × 1 · \d+ B · base64, \d+ B$/)
  expect(await axeFaults(page)).toEqual([])
  await done()
})

test('output of tools is in mono, with control and bidi characters as marks', async () => {
  const { page, done } = await inspector.open('#/zoo?at=c1')
  await shows(page, '@c1')
  await page.locator('.trow').filter({ hasText: '#odd' }).click()
  const content = page.locator('.content')
  await expect.poll(() => content.innerText()).toBe('revU+202EesreverU+0007')
  expect(await page.evaluate<string>("getComputedStyle(document.querySelector('.content')).fontFamily")).toMatch(
    /mono/i,
  )
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toBe('rev\u202Eesrever\u0007')
  await done()
})

test('ids in Compare are whole', async () => {
  const ctx = await inspector.store.create('ids')
  for (let cycle = 1; cycle <= 101; cycle++) {
    ctx.user(`Turn ${cycle}`)
    await ctx.commit()
  }
  await ctx.flush()
  const { page, done } = await inspector.open('#/ids?at=c101&view=compare')
  const ids = page.locator('.chrow code')
  await ids.first().waitFor()
  const cut = await ids.evaluateAll((list) => list.filter((each) => each.scrollWidth > each.clientWidth).length)
  expect(cut).toBe(0)
  expect(await ids.first().innerText()).toMatch(/^101-\d+$/)
  await done()
})

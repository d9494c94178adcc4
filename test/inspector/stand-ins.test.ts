// Shed results, summaries, stale thoughts and drafts: the row says what a node stands for, and the original is one click away.

import { afterAll, beforeAll, expect, test } from 'vitest'

import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { axeFaults, shows, startInspector, type Inspector, type Watched } from '../support/inspector.js'

let inspector: Inspector
beforeAll(async () => {
  inspector = await startInspector()
})
afterAll(() => inspector?.close())

const rowOf = ({ page }: Watched, badge: string) =>
  page.locator('.trow', { has: page.locator('.badges .bd', { hasText: badge }) })

test('a shed result has its line in the tree and its original in the pane', async () => {
  const ctx = await inspector.store.create('shed', { prune: { maxTokens: 500, results: { keep: 1 } } })
  ctx.user('Read both.')
  for (const file of ['a.ts', 'b.ts']) {
    ctx.assistant({ name: 'read', arguments: { file } }, { kind: 'call', data_call_id: file })
    ctx.tool(`${file} says: ${'x'.repeat(1600)}`, { kind: 'result', data_call_id: file })
  }
  await ctx.commit()
  const watched = await inspector.open('#/shed?at=c1')
  const { page, done } = watched
  await shows(page, '@c1')
  const row = rowOf(watched, 'shed')
  await expect.poll(() => row.count()).toBe(1)
  expect(await row.innerText()).toContain('tokens, shed; recall')
  await row.click()
  await page.locator('.second').getByText('Show the original').click()
  await page.getByRole('region', { name: /^Original of/ }).waitFor()
  const original = page.getByRole('region', { name: /^Original of/ })
  expect(await original.innerText()).toContain('a.ts says: xxx')
  expect(await original.evaluate((each) => each.ownerDocument.defaultView!.getComputedStyle(each).fontFamily)).toMatch(
    /mono/i,
  )
  expect(await axeFaults(page)).toEqual([])
  await done()
})

test('a summary lists the nodes that it stands for, and shows each: of a snapshot, and of the open cycle alone', async () => {
  const ctx = await inspector.store.create('summary')
  ctx.user('Find the slow query.')
  const read = (file: string): void => {
    ctx.assistant({ name: 'read', arguments: { file } }, { kind: 'call', data_call_id: file })
    ctx.tool(`The text of ${file}.`, { kind: 'result', data_call_id: file })
  }
  read('a.sql')
  await ctx.commit()
  ctx.user('And the others?')
  read('b.sql')
  read('c.sql')
  const plan = ctx.planCompaction({ keep: 1 })
  const summary = ctx.compact(plan, 'a.sql and b.sql are fine.')
  await ctx.commit()
  const watched = await inspector.open('#/summary?at=c2')
  const { page, done } = watched
  await shows(page, '@c2')
  const row = rowOf(watched, `stands for ${plan.nodes.length} nodes`)
  await row.click()
  expect(page.url()).toContain(summary.id)
  await expect.poll(() => page.locator('.originals li').count()).toBe(plan.nodes.length)
  for (const file of ['a.sql', 'b.sql']) {
    const { id } = plan.nodes.find((each) => ctx.recall(each.id) === `The text of ${file}.`)!
    await page.locator('.originals summary', { hasText: id }).click()
    await expect
      .poll(() => page.getByRole('region', { name: `Original of ${id}` }).innerText())
      .toBe(`The text of ${file}.`)
  }
  // The node itself, in the snapshot that held it.
  const first = plan.nodes[0]!.id
  await page.locator('.originals summary', { hasText: first }).click()
  await page.locator('.originals').getByRole('button', { name: first, exact: true }).click()
  await page.locator('.second').getByText('Shown as in').waitFor()
  expect(await page.locator('.content').first().innerText()).toBe('Find the slow query.')
  await done()
})

test('a thought that the request leaves out is marked, with the reason', async () => {
  const ctx = await inspector.store.create('thoughts')
  for (const question of ['Is Rome sunny?', 'Is Oslo?']) {
    ctx.user(question)
    const attempt = ctx.startAttempt({ for: toAnthropic, params: { model: 'claude-sonnet-5-5', max_tokens: 1024 } })
    const content = [
      { type: 'thinking', thinking: `I look at "${question}".`, signature: 'c2lnbmVk' },
      { type: 'text', text: 'Yes.' },
    ]
    attempt.receive({ role: 'assistant', content, stop_reason: 'end_turn' })
    await ctx.commit()
  }
  ctx.replace("d1 .block[role='user']", { content: 'Is Bergen?' })
  await ctx.commit()
  const [repair] = toAnthropic(ctx).repairs
  const watched = await inspector.open('#/thoughts?at=c3')
  const { page, done } = watched
  await shows(page, '@c3')
  const row = rowOf(watched, 'stale, not sent')
  await expect.poll(() => row.count()).toBe(1)
  await row.click()
  expect(page.url()).toContain(repair!.node)
  await page.locator('.second').getByText('is left out: what is before it has changed since').waitFor()
  await done()
})

test('nodes of a draft that a program has saved are marked, those of the page and of snapshots are not', async () => {
  const ctx = await inspector.store.create('saved')
  ctx.user('First.')
  await ctx.commit()
  ctx.user('Saved and not committed.')
  await ctx.save()
  const watched = await inspector.open('#/saved?at=working')
  const { page, done } = watched
  await shows(page, 'working')
  const row = rowOf(watched, 'draft')
  await expect.poll(() => row.count()).toBe(1)
  expect(await row.innerText()).toContain('Saved and not committed.')
  await row.click()
  await page.locator('.second').getByText('no snapshot holds it before the next commit').waitFor()
  await done()
})

test('between two calls of an open turn the answer names the shed result and the replaced plan', async () => {
  const ctx = await inspector.store.create('open-turn', { prune: { maxTokens: 320, results: { keep: 1 } } })
  const send = (): string => ctx.startAttempt({ for: toAnthropic, params: { model: 'claude' } }).complete().attempt_id
  const step = (id: string): void => {
    ctx.assistant({ name: 'read', arguments: { id } }, { kind: 'call', data_call_id: id })
    ctx.tool('many words '.repeat(40), { kind: 'result', data_call_id: id })
  }
  ctx.user('Read all.')
  step('a')
  send()
  for (const id of ['b', 'c']) step(id)
  send()
  await ctx.commit()
  const { page, done } = await inspector.open('#/open-turn?at=c1.1-1')
  const answer = page.locator('.answer')
  await answer.getByRole('button', { name: '1 shed' }).waitFor()
  await expect.poll(() => answer.innerText()).toMatch(/then item \d+ differs:\s+block:1-3 shed in cycle 1/)
  // The provider is named once.
  await expect
    .poll(() => page.locator('.second').innerText())
    .toMatch(/sent to\s+anthropic claude\s+tokens[\s\S]*sent to\s+anthropic claude\s+tokens/)
  const plans = await inspector.store.create('open-plan')
  const call = () => plans.startAttempt({ for: toAnthropic, params: { model: 'claude' } }).complete()
  plans.user('Do it.')
  const old = plans.set('plan', 'One thing.').id
  call()
  plans.assistant('Done.')
  const heir = plans.set('plan', 'Another thing.').id
  call()
  await plans.commit()
  await page.goto(`${inspector.url}/#/open-plan?at=c1.1-1&view=compare`)
  await expect
    .poll(() => answer.innerText())
    .toMatch(new RegExp(`${old} superseded in cycle 1, ${heir} is in its place`))
  const replaced = page.locator('.chrow', { hasText: 'replaced' })
  await expect.poll(() => replaced.count()).toBe(1)
  await replaced.click()
  await expect.poll(() => page.locator('.side').innerText()).toMatch(/One thing[\s\S]*Another thing/)
  // No snapshot has the old plan: its pane shows it as the call before sent it.
  await page.locator('#tab-tree').click()
  await answer.getByRole('button', { name: old, exact: true }).click()
  const pane = page.locator('.second')
  await expect.poll(() => pane.innerText()).toMatch(/Not in attempt:1-1\.\s+Shown as in attempt:1-0/)
  expect(await pane.locator('.content').innerText()).toBe('One thing.')
  await done()
})

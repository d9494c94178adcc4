// Drafts over HTTP and in the client: operations that a server keeps until a commit.

import { afterAll, beforeAll, expect, test } from 'vitest'

import { bodyOf, served, type Served } from '../support/served.js'

let here: Served

beforeAll(async () => {
  here = await served()
})

afterAll(() => here.store.close())

test('a client saves, another one resumes and commits, and the nodes have the ids and times of the save', async () => {
  const ctx = await here.client.create('one')
  ctx.user('first')
  await ctx.save()
  ctx.assistant('second')
  await ctx.save()
  await ctx.save()
  const stored = await here.store.open('one')
  const times = stored.nodes('^ah .block').map(({ id, createdAtNs: at }) => [id, at])
  expect(times).toHaveLength(2)
  expect((await ctx.summary()).draft).toBe(true)
  const again = await here.client.open('one')
  expect(await again.resume()).toBe(2)
  expect(again.undo()).toBe(false)
  again.user('third')
  expect((await again.thread()).map(({ content }) => content)).toEqual(['first', 'second', 'third'])
  expect((await again.commit()).cycle).toBe(1)
  const after = await here.store.open('one')
  expect(after.draft).toBeUndefined()
  expect(
    after
      .nodes('@t0 ^seq .block')
      .map(({ id, createdAtNs: at }) => [id, at])
      .slice(0, 2),
  ).toEqual(times)
  expect((await again.summary()).draft).toBeUndefined()
})

test('a second writer gets 409, and a commit without the draft leaves it behind', async () => {
  const ctx = await here.client.create('two')
  ctx.user('saved')
  await ctx.save()
  const draft = '/v1/contexts/two/draft'
  const operations = [{ op: 'user', content: 'mine' }]
  for (const asked of [
    { base: 0, version: 0, operations },
    { base: 1, version: 1, operations },
  ]) {
    const response = await here.ask('PUT', draft, asked)
    expect(response.status).toBe(409)
  }
  expect((await here.ask('POST', '/v1/contexts/two/commit', { base: 0, operations })).status).toBe(201)
  const left = await bodyOf(await here.ask('GET', draft))
  expect(left).toMatchObject({ version: 1, cycle: 1, behind: true })
  expect((await here.ask('PUT', draft, { base: 1, version: 1, operations })).status).toBe(409)
  const again = await here.client.open('two')
  expect(await again.resume()).toBe(1)
  await again.dropDraft()
  await again.save()
  await again.commit()
  expect((await again.thread('@t0')).map(({ content }) => content)).toEqual(['mine', 'saved'])
})

test('reads and commits of a server never include a draft that is not named', async () => {
  const ctx = await here.client.create('three')
  ctx.user('committed')
  await ctx.commit()
  const stored = await here.store.open('three')
  stored.user('only saved')
  await stored.save()
  // The pool catches up with another writer meanwhile.
  const other = await here.store.open('three', { draft: 'leave' })
  other.user('by another')
  await other.commit()
  expect((await ctx.thread()).map(({ content }) => content)).toEqual(['committed', 'by another'])
  expect((await ctx.summary()).cycle).toBe(2)
  ctx.user('more')
  await ctx.commit()
  expect((await here.store.open('three')).draft).toMatchObject({ state: 'behind', cycle: 2 })
})

// Compaction over HTTP and in the client: a plan is read, compact and expand are edits, and no answer shows the originals by itself.

import { expect, test } from 'vitest'

import { createContext } from 'pact-context'
import { served } from '../support/served.js'

test('steps are compacted and come back over HTTP (D63)', async () => {
  const { store, client } = await served()
  const ctx = createContext()
  ctx.user('the first question')
  const { id } = ctx.assistant('the first answer')
  ctx.commit()
  ctx.user('the task')
  ctx.assistant('a step')
  ctx.assistant('the newest')
  ctx.commit()
  await store.put(ctx, 'agent')
  const remote = await client.open('agent')
  const before = await remote.thread()
  const plan = await remote.planCompaction({ keep: 1 })
  expect(plan.nodes).toHaveLength(2)
  remote.compact(plan, 'They talked.')
  const { ids, receipt } = await remote.commit()
  const summary = ids[0]![0]!
  expect(receipt.compacted).toMatchObject([{ id: summary, nodes: 2 }])
  expect((await remote.log()).cycles[0]?.words).toContain(`2 compacted into ${summary}; `)
  expect(await remote.recall(id)).toBe('the first answer')
  expect(JSON.stringify(await remote.nodes("@t0 .block[kind='summary']"))).not.toContain('the first answer')
  expect((await remote.explain(summary)).words).toContain('stands for 2 nodes')
  await expect(remote.recall('block:9-9')).rejects.toMatchObject({ code: 'E_NODE_NOT_FOUND' })
  remote.compact(plan, 'Again.')
  await expect(remote.commit()).rejects.toMatchObject({ code: 'E_CONFLICT' })
  remote.undo()
  remote.expand(summary)
  await remote.commit()
  expect(await remote.thread()).toEqual(before)
  await store.close()
})

test('a plan is stale once anything was committed since, also what no node of it shows (D63)', async () => {
  const { store, client } = await served()
  const ctx = createContext()
  ctx.user('the first question')
  ctx.assistant('the first answer')
  ctx.commit()
  ctx.user('the task')
  ctx.assistant('the newest')
  ctx.commit()
  await store.put(ctx, 'agent')
  const [remote, other] = [await client.open('agent'), await client.open('agent')]
  const plan = await remote.planCompaction({ keep: 1 })
  // A message between the nodes of the plan, which are as they were: the summary does not know it.
  other.insert({ content: 'Also look at Oslo.', role: 'user' }, { depth: 2 })
  await other.commit()
  const before = await other.thread()
  remote.compact(plan, 'They talked.')
  await expect(remote.commit()).rejects.toMatchObject({ code: 'E_CONFLICT' })
  expect(await other.thread()).toEqual(before)
  await store.close()
})

// Shed results over HTTP and in the client: recall gives the original, unshed is an edit, and no answer shows the original by itself.

import { expect, test } from 'vitest'

import { createContext } from 'pact-context'
import { served } from '../support/served.js'

test('a shed result is recalled and put back over HTTP (D61)', async () => {
  const { store, client } = await served()
  const ctx = createContext({ countTokens: (text) => text.length, prune: { maxTokens: 100, results: { keep: 0 } } })
  ctx.user('Read.')
  ctx.assistant({ name: 'read', arguments: {} }, { kind: 'call', data_call_id: 'a' })
  const { id } = ctx.tool('x'.repeat(200), { kind: 'result', data_call_id: 'a' })
  expect(ctx.commit().receipt.shed).toHaveLength(1)
  await store.put(ctx, 'agent')
  const remote = await client.open('agent')
  expect(await remote.recall(id)).toBe('x'.repeat(200))
  await expect(remote.recall('block:9-9')).rejects.toMatchObject({ code: 'E_NODE_NOT_FOUND' })
  expect(JSON.stringify(await remote.nodes("@t0 .block[kind='result']"))).not.toContain('xxx')
  expect(JSON.stringify((await remote.node(id)).node)).not.toContain('xxx')
  remote.unshed(id)
  const { ids } = await remote.commit()
  expect((await remote.node(ids[0]![0]!)).node?.['content']).toBe('x'.repeat(200))
  await store.close()
})

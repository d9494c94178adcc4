// The long-term memory next to LangGraph's own InMemoryStore: after every operation of a generated program, both give the same.

import { InMemoryStore, type BaseStore, type Item } from '@langchain/langgraph-checkpoint'
import fc from 'fast-check'
import { PactMemory } from 'pact-context/langgraph'
import { openStore } from 'pact-context/store'
import { expect, test } from 'vitest'

const NAMESPACE = fc.constantFrom<string[]>(['users'], ['users', 'a b/ü'], ['users', '2', 'x'], ['docs'])
const KEY = fc.constantFrom('k', 'constructor', 'ü')
const PROGRAM = fc.array(
  fc.record({ namespace: NAMESPACE, key: KEY, n: fc.option(fc.nat(3), { nil: undefined }), reopens: fc.boolean() }),
  { minLength: 1, maxLength: 12 },
)

/** In the order of namespaces and keys; stores may give another one. */
function plain(items: readonly Item[]): readonly object[] {
  const placeOf = ({ namespace, key }: Readonly<{ namespace: readonly string[]; key: string }>): string =>
    JSON.stringify([namespace, key])
  return items
    .map(({ namespace, key, value }) => ({ namespace, key, value }))
    .toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
}

async function seen(memory: BaseStore): Promise<unknown> {
  const filters = [
    undefined,
    { n: 2 },
    { n: { $gte: 1, $lt: 3 } },
    { n: { $ne: 1, $in: [0, 1, 2] } },
    { n: { $nin: [0] } },
    { deep: 1 },
  ]
  const found: unknown[] = []
  for (const filter of filters)
    for (const prefix of [['users'], ['docs'], ['users', '2']])
      found.push(plain(await memory.search(prefix, { ...(filter && { filter }), limit: 100 })))
  for (const namespace of [['users'], ['users', 'a b/ü']])
    for (const key of ['k', 'constructor', 'none']) found.push((await memory.get(namespace, key))?.value ?? null)
  return found
}

test('gives what the InMemoryStore gives', async () => {
  await fc.assert(
    fc.asyncProperty(PROGRAM, async (program) => {
      const store = await openStore('memory:')
      const twin = new InMemoryStore()
      let memory = new PactMemory(store)
      for (const { namespace, key, n, reopens } of program) {
        for (const each of [memory, twin])
          await (n === undefined
            ? each.delete(namespace, key)
            : each.put(namespace, key, { n, deep: { list: [n, null] } }))
        if (reopens) memory = new PactMemory(store)
        expect(await seen(memory)).toEqual(await seen(twin))
      }
      expect((await store.fsck()).problems).toEqual([])
    }),
    { numRuns: 25 },
  )
})

test('lists namespaces, keeps the time of making, and refuses a search by meaning', async () => {
  const store = await openStore('memory:')
  const memory = new PactMemory(store)
  await memory.batch([
    { namespace: ['users', '1', 'likes'], key: 'a', value: { n: 1 } },
    { namespace: ['users', '2', 'likes'], key: 'a', value: { n: 1 } },
    { namespace: ['users', '2', 'likes'], key: 'b', value: { n: 2 } },
    { namespace: ['docs'], key: 'a', value: { n: 1 } },
  ])
  expect((await store.find('langgraph-memory/users/2/likes'))?.cycle).toBe(1)
  expect(await memory.listNamespaces({ suffix: ['likes'] })).toHaveLength(2)
  expect(await memory.listNamespaces({ prefix: ['users', '*'], maxDepth: 1 })).toEqual([['users']])
  expect(await memory.listNamespaces({ offset: 1, limit: 1 })).toEqual([['users', '1', 'likes']])
  expect(await memory.search(['users'], { limit: 1, offset: 2 })).toMatchObject([{ key: 'b' }])
  const before = await memory.get(['docs'], 'a')
  await memory.put(['docs'], 'a', { n: 2 })
  const after = await new PactMemory(store).get(['docs'], 'a')
  expect(after?.createdAt).toEqual(before?.createdAt)
  expect(after!.updatedAt.getTime()).toBeGreaterThanOrEqual(before!.updatedAt.getTime())
  // Every earlier state stays, as in every context.
  expect(
    (await store.open('langgraph-memory/docs', { history: 'all' })).nodes('@c1 ^sys .item')[0]!.attributes[
      'data_value'
    ],
  ).toEqual({ n: 1 })
  await expect(memory.search(['docs'], { query: 'what do they like' })).rejects.toThrow('no index of meanings')
  await expect(memory.search(['docs'], { filter: { n: { $like: 'a' } } })).rejects.toThrow('no operator $like')
})

// LangGraph's own suite for checkpointers, on every kind of store. It expects the functions of vitest as globals.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { PactSaver } from 'pact-context/langgraph'
import { openStore, Store } from 'pact-context/store'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { postgresPlace, sharedServer } from '../support/postgres.js'

const GLOBALS = { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it }
Object.assign(globalThis, GLOBALS)
const { validate } = await import('@langchain/langgraph-checkpoint-validation')

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-langgraph-'))
const { server, why } = await sharedServer()
let files = 0

const STORES: Readonly<Record<string, () => Promise<Store>>> = {
  memory: () => openStore('memory:'),
  sqlite: () => openStore(`sqlite:${path.join(folder, `${files++}.db`)}`, { durability: 'relaxed' }),
  postgres: async () => new Store(await postgresPlace(server!.url).open()),
}

describe.skipIf(server === undefined)(`PostgreSQL${why === undefined ? '' : ` (skipped: ${why})`}`, () =>
  judge('postgres'),
)
describe('memory and SQLite', () => ['memory', 'sqlite'].forEach(judge))

function judge(name: string): void {
  const stores = new Map<PactSaver, Store>()
  validate({
    checkpointerName: `pact-context on ${name}`,
    createCheckpointer: async () => {
      const store = await STORES[name]!()
      const saver = new PactSaver(store)
      stores.set(saver, store)
      return saver
    },
    destroyCheckpointer: async (saver: PactSaver) => stores.get(saver)?.close(),
  })
}

afterAll(() => {
  for (const name of Object.keys(GLOBALS)) Reflect.deleteProperty(globalThis, name)
  fs.rmSync(folder, { recursive: true, force: true })
})

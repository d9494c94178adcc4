// A context that was put into an SQLite store, which was then closed and opened again.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Context } from 'pact-context'
import { openStore, type StoredContext } from 'pact-context/store'
import { onTestFinished } from 'vitest'

export async function reopened(ctx: Context): Promise<StoredContext> {
  const folder = mkdtempSync(join(tmpdir(), 'pact-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const url = `sqlite:${join(folder, 'contexts.db')}`
  const store = await openStore(url)
  await store.put(ctx, 'main')
  await store.close()
  const again = await openStore(url)
  onTestFinished(() => again.close())
  return again.open('main', { history: 'all' })
}

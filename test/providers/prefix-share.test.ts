// The table of docs/caching.md is what the recordings give.

import fs from 'node:fs'
import path from 'node:path'

import { expect, it } from 'vitest'

import { toOpenAIChat } from '../../src/adapters/openai/index.js'
import { createContext } from '../../src/index.js'

interface Shares {
  prefixShares(engine: object): readonly Readonly<{ behind: number; top: number }>[]
  tableOf(rows: readonly object[]): string
}

it('the shares of docs/caching.md are those of the recordings', async () => {
  const script = path.resolve(import.meta.dirname, '../../scripts/prefix-share.mjs')
  const { prefixShares, tableOf } = (await import(script)) as Shares
  const rows = prefixShares({ createContext, toOpenAIChat })
  for (const { behind, top } of rows) expect(behind).toBeGreaterThan(top)
  const page = fs.readFileSync(path.resolve(import.meta.dirname, '../../docs/caching.md'), 'utf8')
  expect(page.replaceAll(/ +\|/g, ' |').replaceAll(/\| *-+ */g, '|---')).toContain(tableOf(rows))
})

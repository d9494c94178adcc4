// The protocol's own conformance runner (2025 era) against our server. An expected failure that passes fails this test. Newer runners need Node 22:
// test/node22/mcp.test.ts.

import { createRequire } from 'node:module'
import path from 'node:path'

import { expect, test } from 'vitest'

import { judged, WITHOUT_SESSION } from './judge.js'

test('the conformance runner passes', async () => {
  const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')
  const runner = path.join(path.dirname(manifest), 'dist/index.js')
  const { status, said, scenarios } = await judged(runner, [], WITHOUT_SESSION)
  expect(status, said).toBe(0)
  expect(scenarios, said).toBe(30)
})

// The protocol's own conformance runner (2025 era) against our server, on the real stack with its gate. The fixtures that its scenarios need
// are added through `extend`. Expected failures have a reason each, and one that passes fails this test.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'

import { getRequestListener } from '@hono/node-server'
import { expect, test } from 'vitest'

import { createMcpServer } from '../../src/mcp/index.js'
import { openStore } from '../../src/store/index.js'
import { addFixtures } from './fixtures.js'

/** Scenarios that cannot pass, and why. */
const NO_SESSION =
  'our HTTP is stateless: a client of 2025 has no session on which the server could ask or report something'
const EXPECTED: Readonly<Record<string, string>> = {
  'tools-call-sampling': NO_SESSION,
  'tools-call-elicitation': NO_SESSION,
  'elicitation-sep1034-defaults': NO_SESSION,
  'elicitation-sep1330-enums': NO_SESSION,
  'resources-subscribe': NO_SESSION,
  'resources-unsubscribe': NO_SESSION,
  'server-sse-multiple-streams': NO_SESSION,
}

test('the conformance runner passes', async () => {
  const store = await openStore('memory:')
  const mcp = createMcpServer(store, { write: true, extend: addFixtures })
  // The runner cannot send a token, so this puts it in front of our gate. Everything else passes as it came.
  const listener = getRequestListener((request) => {
    const headers = new Headers(request.headers)
    headers.set('authorization', `Bearer ${mcp.token}`)
    return mcp.fetch(new Request(request, { headers }))
  })
  const http = createHttpServer((incoming, outgoing) => void listener(incoming, outgoing))
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-mcp-'))
  const expected = path.join(folder, 'expected.yaml')
  fs.writeFileSync(
    expected,
    `server:${
      Object.keys(EXPECTED)
        .map((name) => `\n  - ${name}`)
        .join('') || ' []'
    }\n`,
  )
  const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')
  const runner = path.join(path.dirname(manifest), 'dist/index.js')
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
  const child = spawn(process.execPath, [runner, 'server', '--url', url, '--expected-failures', expected], {
    cwd: folder,
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const [status] = (await once(child, 'close')) as [number]
  http.close()
  http.closeAllConnections()
  await store.close()
  fs.rmSync(folder, { recursive: true })
  expect(status, said).toBe(0)
  // A runner that finds no scenario would pass too.
  expect([...said.matchAll(/=== Running scenario: /g)].length, said).toBeGreaterThan(25)
})

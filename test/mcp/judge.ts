// A conformance runner of the protocol against our server, on the real stack with its gate. The fixtures that its scenarios need are added through
// `extend`.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'

import { getRequestListener } from '@hono/node-server'

import { createMcpServer } from '../../src/mcp/index.js'
import { openStore } from '../../src/store/index.js'
import { addFixtures } from './fixtures.js'

/** Reasons of scenarios of the 2025 era that cannot pass over HTTP. */
export const WITHOUT_SESSION: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'tools-call-sampling',
    'tools-call-elicitation',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
    'resources-subscribe',
    'resources-unsubscribe',
    'server-sse-multiple-streams',
  ].map((name) => [
    name,
    'our HTTP is stateless: a client of 2025 has no session on which the server could ask or report something. Over stdio all of this works',
  ]),
)

export type Verdict = Readonly<{
  /** The exit status: 1 if a scenario failed that is not expected to, or passed that is. */
  status: number
  said: string
  /** Scenarios that were run. */
  scenarios: number
}>

/** Runs the scenarios of a runner, the file of its program. Each expected failure has a reason. */
export async function judged(
  runner: string,
  args: readonly string[],
  expected: Readonly<Record<string, string>>,
): Promise<Verdict> {
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
  const list = path.join(folder, 'expected.yaml')
  const names = Object.keys(expected).map((name) => `\n  - ${name}`)
  fs.writeFileSync(list, `server:${names.join('') || ' []'}\n`)
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
  const child = spawn(process.execPath, [runner, 'server', '--url', url, '--expected-failures', list, ...args], {
    cwd: folder,
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const [status] = (await once(child, 'close')) as [number]
  http.close()
  http.closeAllConnections()
  await store.close()
  fs.rmSync(folder, { recursive: true })
  return { status, said, scenarios: [...said.matchAll(/^[✓✗] [\w-]+: /gm)].length }
}

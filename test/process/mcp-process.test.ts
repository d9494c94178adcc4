// `pctx mcp` as a process, asked by the official client over stdio. Reads dist/, so `npm run build` comes first.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { openStore } from 'pact-context/store'

const ROOT = path.resolve(import.meta.dirname, '../..')
const PROGRAM = path.join(ROOT, 'dist/bundle/pctx.js')

let folder = ''
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-mcp-process-'))
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const address = (name: string): string => `sqlite:${path.join(folder, name)}`

async function asked<T>(
  name: string,
  args: readonly string[],
  era: 'modern' | 'legacy',
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } },
  )
  const env = { PATH: process.env['PATH'] ?? '', PACT_STORE: address(name) }
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp', ...args], env }))
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

describe.each(['modern', 'legacy'] as const)('over stdio, %s era', (era) => {
  test('an agent reads and writes, and what it was told is kept', async () => {
    const name = `${era}.db`
    await asked(name, ['--write'], era, async (client) => {
      await client.callTool({ name: 'create', arguments: { id: 'a' } })
      const said = { id: 'a', base: 0, role: 'user', content: 'Kept' }
      expect(await client.callTool({ name: 'add', arguments: said })).toMatchObject({
        structuredContent: { answer: { cycle: 1 } },
      })
    })
    const store = await openStore(address(name))
    expect((await store.open('a')).thread('@t0').map(({ content }) => content)).toEqual(['Kept'])
    await store.close()
  })

  test('a change by another process is reported', async () => {
    const name = `${era}-watched.db`
    const store = await openStore(address(name))
    const ctx = await store.open('a')
    ctx.user('One')
    await ctx.commit()
    await asked(name, [], era, async (client) => {
      const uri = 'pact:///a/@t0'
      const updated = new Promise<string>((resolve) => {
        client.setNotificationHandler('notifications/resources/updated', ({ params }) => resolve(params.uri))
      })
      if (era === 'modern') await client.listen({ resourceSubscriptions: [uri] })
      else await client.subscribeResource({ uri })
      // The watch begins with the subscription, and does not report a commit before its first look. So this commits until one is reported.
      let reported: string | undefined
      for (let i = 0; i < 100 && reported === undefined; i++) {
        ctx.user(`${i}`)
        await ctx.commit()
        reported = await Promise.race([
          updated,
          new Promise<undefined>((resolve) => setTimeout(resolve, 100, undefined)),
        ])
      }
      expect(reported).toBe(uri)
    })
    await store.close()
  })
})

test('over stdio, tools of your own may ask a client of 2025, which HTTP without sessions cannot', async () => {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: { sampling: {}, elicitation: { form: {} } } },
  )
  client.setRequestHandler('sampling/createMessage', async () => ({
    role: 'assistant',
    model: 'm',
    content: { type: 'text', text: 'Turin' },
  }))
  client.setRequestHandler('elicitation/create', async ({ params }) => ({
    action: 'accept',
    content: { city: JSON.stringify(params).includes('"default":"Turin"') ? 'Rome' : 'nothing was offered' },
  }))
  const args = [path.join(ROOT, 'test/support/mcp-asking.mjs')]
  await client.connect(new StdioClientTransport({ command: process.execPath, args }))
  const called = async (name: string): Promise<string> =>
    JSON.stringify(await client.callTool({ name, arguments: {} })).replaceAll('\\', '')
  expect(await called('sample')).toContain('"text":"Turin"')
  expect(await called('elicit')).toContain('"city":"Rome"')
  await client.close()
})

test('mistakes in the command line are named', () => {
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [PROGRAM, 'mcp', ...args], { cwd: folder, encoding: 'utf8', input: '' })
  expect(run('--port', '1').stderr).toContain('--port goes with --http.')
  expect(run('--allow', 'redact').stderr).toContain('--allow goes with --write.')
})

// The blocks of docs/http.md that a shell runs, one after another against one server, each compared with the JSON below it.

import { execFile, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

import { expect, test } from 'vitest'
import { createServer } from 'pact-context/server'
import { openStore } from 'pact-context/store'
import { routeTable } from '../../src/api/index.js'

const TEXT = fs.readFileSync(path.join(import.meta.dirname, '../../docs/http.md'), 'utf8')
const BLOCKS = Array.from(TEXT.matchAll(/```sh\n([\s\S]*?)```\n\n```json\n([\s\S]*?)```/g), ([, command, answer]) => ({
  command: command!,
  answer: answer!,
}))
const hasCurl = spawnSync('curl', ['--version']).status === 0

test('the page has such blocks', () => {
  expect(BLOCKS.length).toBeGreaterThanOrEqual(6)
  expect(TEXT.match(/```sh\n/g)).toHaveLength(BLOCKS.length)
})

test.skipIf(!hasCurl)('each of them answers what stands below it (skipped where there is no curl)', async () => {
  const store = await openStore('memory:')
  const server = createServer({ store })
  const listening = await server.listen()
  try {
    for (const { command, answer } of BLOCKS) {
      const env = { ...process.env, URL: listening.url, TOKEN: server.token }
      const { stdout } = await promisify(execFile)('bash', ['-c', command], { env })
      expect(JSON.parse(stdout), command).toEqual(JSON.parse(answer))
    }
  } finally {
    await listening.close()
    await store.close()
  }
})

test('the table of routes is that of the endpoints: node scripts/http-docs.mjs', () => {
  expect(TEXT).toContain(`\n${routeTable()}\n\n`)
})

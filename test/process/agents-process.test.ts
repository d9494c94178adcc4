// Agents and transcripts in one store, killed in the middle and started again: nothing that was acknowledged is lost, nothing is there twice.
// Reads dist/, so `npm run build` comes first.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { createSessionStore } from 'pact-context/claude-agent-sdk'
import { createSession } from 'pact-context/openai-agents'
import { openStore } from 'pact-context/store'

const ROOT = path.resolve(import.meta.dirname, '../..')

let folder = ''
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-agents-process-'))
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

/** Runs a program until it has acknowledged so many turns, and kills it; gives what it acknowledged. */
async function killed(file: string, address: string, name: string, turns: number): Promise<readonly string[]> {
  const program = path.join(ROOT, 'test/support', file)
  const child = spawn(process.execPath, [program, address, name], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (said.split('\n').length > turns) child.kill('SIGKILL')
  })
  await once(child, 'close')
  expect(child.signalCode, said).toBe('SIGKILL')
  return said.split('\n').slice(0, -1)
}

/** Two processes at once, killed; then two others, killed too. */
async function killedTwice(file: string, address: string): Promise<readonly string[]> {
  const said: string[] = []
  for (const round of [1, 2]) {
    const both = ['a', 'b'].map((name) => killed(file, address, `${name}${round}`, 4))
    for (const lines of await Promise.all(both)) said.push(...lines)
  }
  expect(said.length).toBeGreaterThanOrEqual(16)
  return said
}

test('two agents on one session, killed and started again', async () => {
  const address = `sqlite:${path.join(folder, 'agents.db')}`
  const said = await killedTwice('agent-run.mjs', address)
  const store = await openStore(address)
  const items = await createSession(store, 'shared').getItems()
  await store.close()
  const inputs = items.flatMap((item) => ('role' in item && item.role === 'user' ? [item.content] : []))
  expect(new Set(inputs).size).toBe(inputs.length)
  for (const input of said) {
    const callId = `call ${JSON.stringify(input)}`
    expect(inputs).toContain(input)
    // Each acknowledged turn is whole: the question, one call, one result, one answer.
    const ofCall = items.filter((item) => 'callId' in item && item.callId === callId)
    expect(ofCall.map(({ type }) => type)).toEqual(['function_call', 'function_call_result'])
    expect(items.filter((item) => JSON.stringify(item).includes(JSON.stringify(`answer to ${callId}`)))).toHaveLength(1)
  }
})

test('two mirrors of one transcript, killed and started again', async () => {
  const address = `sqlite:${path.join(folder, 'claude.db')}`
  const said = await killedTwice('claude-append.mjs', address)
  const store = await openStore(address)
  const entries = (await createSessionStore(store).load({ projectKey: 'p', sessionId: 'shared' })) ?? []
  await store.close()
  const uuids = entries.map(({ uuid }) => uuid)
  expect(new Set(uuids).size).toBe(uuids.length)
  // Each batch is there whole, its entries next to each other.
  for (const uuid of said) expect(uuids[uuids.indexOf(uuid) + 1]).toBe(`${uuid} again`)
  for (const uuid of said) expect(uuids).toContain(uuid)
})

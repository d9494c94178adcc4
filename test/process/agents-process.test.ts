// Agents with their session in one store, killed in the middle and started again: nothing that was acknowledged is lost, nothing is there twice.
// Reads dist/, so `npm run build` comes first.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { createSession } from 'pact-context/openai-agents'
import { openStore } from 'pact-context/store'

const ROOT = path.resolve(import.meta.dirname, '../..')

let folder = ''
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-agents-process-'))
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

/** Runs an agent until it has acknowledged so many turns, and kills it; gives what it acknowledged. */
async function killed(address: string, name: string, turns: number): Promise<readonly string[]> {
  const program = path.join(ROOT, 'test/support/agent-run.mjs')
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

test('two agents on one session, killed and started again', async () => {
  const address = `sqlite:${path.join(folder, 'agents.db')}`
  const said: string[] = []
  for (const round of [1, 2]) {
    const both = ['a', 'b'].map((name) => killed(address, `${name}${round}`, 4))
    for (const lines of await Promise.all(both)) said.push(...lines)
  }
  const store = await openStore(address)
  const items = await createSession(store, 'shared').getItems()
  await store.close()
  const inputs = items.flatMap((item) => ('role' in item && item.role === 'user' ? [item.content] : []))
  expect(new Set(inputs).size).toBe(inputs.length)
  expect(said.length).toBeGreaterThanOrEqual(16)
  for (const input of said) {
    const callId = `call ${JSON.stringify(input)}`
    expect(inputs).toContain(input)
    // Each acknowledged turn is whole: the question, one call, one result, one answer.
    const ofCall = items.filter((item) => 'callId' in item && item.callId === callId)
    expect(ofCall.map(({ type }) => type)).toEqual(['function_call', 'function_call_result'])
    expect(items.filter((item) => JSON.stringify(item).includes(JSON.stringify(`answer to ${callId}`)))).toHaveLength(1)
  }
})

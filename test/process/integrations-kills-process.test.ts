// Each integration on one store, in two processes that are killed in the middle and two that go on: nothing that was acknowledged is lost, nothing is
// there twice. Reads dist/, so `npm run build` comes first.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { loadChat } from 'pact-context/ai-sdk'
import { createSessionStore } from 'pact-context/claude-agent-sdk'
import { PactSaver } from 'pact-context/langgraph'
import { createSession } from 'pact-context/openai-agents'
import { openStore, type Store } from 'pact-context/store'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '../..')
/** Acknowledged turns before a process is killed. */
const TURNS = 3

let folder = ''
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-integrations-process-'))
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

/** Runs a program until it has acknowledged its turns, and kills it; gives what it acknowledged. */
async function killed(program: readonly string[], address: string, name: string): Promise<readonly string[]> {
  const [file = '', ...args] = program
  const all = [path.join(ROOT, 'test/support', file), ...args, address, name]
  const child = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (said.split('\n').length > TURNS) child.kill('SIGKILL')
  })
  await once(child, 'close')
  expect(child.signalCode, said).toBe('SIGKILL')
  return said.split('\n').slice(0, -1)
}

/** Each looks for what was acknowledged, in a store that was opened again. */
const INTEGRATIONS: Readonly<Record<string, (store: Store, said: readonly string[]) => Promise<void>>> = {
  'openai-agents': async (store, said) => {
    const items = await createSession(store, 'shared').getItems()
    const inputs = items.flatMap((item) => ('role' in item && item.role === 'user' ? [item.content] : []))
    expect(new Set(inputs).size).toBe(inputs.length)
    for (const input of said) {
      const callId = `call ${JSON.stringify(input)}`
      expect(inputs).toContain(input)
      // Each acknowledged turn is whole: the question, one call, one result, one answer.
      const ofCall = items.filter((item) => 'callId' in item && item.callId === callId)
      expect(ofCall.map(({ type }) => type)).toEqual(['function_call', 'function_call_result'])
      expect(items.filter((item) => JSON.stringify(item).includes(JSON.stringify(`answer to ${callId}`)))).toHaveLength(
        1,
      )
    }
  },
  'claude-agent-sdk': async (store, said) => {
    const entries = (await createSessionStore(store).load({ projectKey: 'p', sessionId: 'shared' })) ?? []
    const uuids = entries.map(({ uuid }) => uuid)
    expect(new Set(uuids).size).toBe(uuids.length)
    // Each batch is there whole, its entries next to each other.
    for (const uuid of said) expect(uuids.slice(uuids.indexOf(uuid)).slice(0, 2)).toEqual([uuid, `${uuid} again`])
  },
  langgraph: async (store, said) => {
    const logs: string[] = []
    for (const thread_id of ['a', 'b']) {
      const tuple = await new PactSaver(store).getTuple({ configurable: { thread_id } })
      logs.push(...(tuple?.checkpoint.channel_values['log'] as string[]))
    }
    for (const each of said) expect(logs.slice(logs.indexOf(each)).slice(0, 2)).toEqual([each, `${each} answered`])
  },
  'ai-sdk': async (store, said) => {
    const ids = (await loadChat(store, 'shared')).map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const each of said) expect(ids).toEqual(expect.arrayContaining([`user ${each}`, `assistant ${each}`]))
  },
  mcp: async (store, said) => {
    const contents = (await store.open('shared')).thread('@t0').map(({ content }) => content)
    expect(new Set(contents).size).toBe(contents.length)
    for (const each of said) expect(contents).toContain(each)
  },
}

test.each(Object.keys(INTEGRATIONS))('%s: two writers, killed and started again', async (integration) => {
  const address = `sqlite:${path.join(folder, `${integration}.db`)}`
  const program = integration === 'openai-agents' ? ['agent-run.mjs'] : ['killed-writer.mjs', integration]
  // A thread of LangGraph has one writer at a time; the same names go on with the same threads.
  const again = integration === 'langgraph' ? ['a', 'b'] : ['c', 'd']
  const said: string[] = []
  for (const names of [['a', 'b'], again])
    for (const lines of await Promise.all(names.map((name) => killed(program, address, name)))) said.push(...lines)
  expect(said.length).toBeGreaterThanOrEqual(4 * TURNS)
  const store = await openStore(address)
  await INTEGRATIONS[integration]!(store, said)
  expect((await store.fsck()).problems).toEqual([])
  await store.close()
})

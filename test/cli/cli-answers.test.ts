// `pctx` where people were misled: selectors that find nothing, ranges, tokens, `explain` by selector, authors, and erasing one text.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { pctx, type RanPctx } from '../support/pctx.js'

let folder = ''
beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-cli-answers-'))
  const operations = [
    { op: 'user', content: 'Read both files with the key sk-1.' },
    { op: 'assistant', content: { name: 'read', arguments: '{}' }, header: { kind: 'call', data_call_id: 'c1' } },
    { op: 'tool', content: 'long '.repeat(50), header: { kind: 'result', data_call_id: 'c1' } },
    { op: 'assistant', content: { name: 'list', arguments: '{}' }, header: { kind: 'call', data_call_id: 'c2' } },
    { op: 'tool', content: 'short', header: { kind: 'result', data_call_id: 'c2' } },
  ]
  const file = path.join(folder, 'operations.json')
  fs.writeFileSync(file, JSON.stringify(operations))
  expect((await run('apply', 'trip', file, '--author', 'ann')).status).toBe(0)
  expect((await run('put', 'trip', 'plan', 'Go on.', '--author', 'planner')).status).toBe(0)
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

function run(...args: readonly string[]): Promise<RanPctx> {
  return pctx(args, { env: { PACT_STORE: `sqlite:${path.join(folder, 'contexts.db')}` } })
}

test('a selector that finds nothing is answered on stderr, one that finds something is not', async () => {
  const advice = `Nothing matches. ".user" asks for a type; a role is .block[role='user'].\n`
  expect(await run('select', 'trip', '.user')).toEqual({ status: 0, stdout: '', stderr: advice })
  expect(await run('select', 'trip', '.user', '--count')).toEqual({ status: 0, stdout: '0\n', stderr: advice })
  const told = JSON.parse((await run('select', 'trip', '.user', '--json')).stdout) as { advice: string }
  expect(told.advice).toContain("a role is .block[role='user']")
  expect(await run('diff', 'trip', '@c1', '@c2', '.user')).toMatchObject({ status: 0, stderr: advice })
  expect(await run('diff', 'trip', '@c1', '@c2', "[role='user']")).toMatchObject({ status: 0, stderr: '' })
  expect(await run('tokens', 'trip', '--select', '.user')).toEqual({ status: 0, stdout: '0\n', stderr: advice })
  expect(await run('select', 'trip', "[role='user']", '--count')).toMatchObject({ stdout: '1\n', stderr: '' })
  expect(await run('select', 'trip', "[role='system']")).toEqual({ status: 0, stdout: '', stderr: '' })
})

test('erase says on stderr what is odd about a selector that finds nothing, and that @* is not needed', async () => {
  const why = ['--author', 'dpo', '--reason', 'asked for']
  const { status, stdout, stderr } = await run('erase', 'trip', '.user', ...why)
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toContain("a role is .block[role='user']")
  expect(stderr).toContain('in any snapshot')
  expect((await run('erase', 'trip', "@* [content~'sk-2']", ...why)).stderr).toContain('leave the time prefix out')
  expect((await run('explain', 'trip', '@t0 #plan')).stderr).toContain('give the lens by itself, after the node')
})

test.each(['--count', '--nodes'])('%s on a range is refused, and names @*', async (option) => {
  const { status, stdout, stderr } = await run('select', 'trip', '@history .block', option)
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr).toContain(`${option} is about nodes`)
  expect(stderr).toContain('write @* in front of the selector')
  expect((await run('select', 'trip', '@* .block', option)).status).toBe(0)
})

test('tokens: the largest first, by node, tool or kind, of chosen nodes, or of a request', async () => {
  const results = (await run('tokens', 'trip', '--select', "[kind='result']")).stdout.trimEnd().split('\n')
  expect(results.map((line) => line.split('\t').slice(1, 4))).toEqual([
    ['block:1-3', 'tool', 'result'],
    ['block:1-5', 'tool', 'result'],
  ])
  expect((await run('tokens', 'trip', '--select', "[kind='result']", '--limit', '1')).stdout).toContain('long long')
  const tools = JSON.parse((await run('tokens', 'trip', '--by', 'name', '--json')).stdout) as { by: object }
  expect(Object.keys(tools.by)[0]).toBe('read')
  expect(Object.keys(tools.by).toSorted()).toEqual(['', 'list', 'read'])
  expect((await run('tokens', 'trip', '--by', 'kind')).stdout).toMatch(/^\d+\tresult\n\d+\t/)
  expect((await run('tokens', 'trip', '--for', 'anthropic')).stdout).toMatch(/^\d+\n$/)
})

test('explain takes a selector, and says who committed', async () => {
  expect((await run('explain', 'trip', '#plan')).stdout).toContain('committed by planner')
  const several = await run('explain', 'trip', '.block')
  expect([several.status, several.stderr]).toEqual([1, expect.stringContaining('finds several nodes in @t0')])
  expect((await run('log', 'trip')).stdout).toMatch(/; by planner\n.*; by ann\n$/)
})

test('erase --match keeps the sentence in the newest state, and takes it out of history', async () => {
  expect((await run('erase', 'trip', '.block', '--match', 'sk-2')).status).toBe(1)
  const erased = await run('erase', 'trip', '.block', '--match', 'sk-1', '--author', 'ann')
  expect([erased.status, erased.stderr]).toEqual([0, ''])
  expect((await run('thread', 'trip')).stdout).toContain('Read both files with the key [redacted].')
  expect((await run('thread', 'trip', '@c1')).stdout).not.toContain('Read both files')
  expect((await run('select', 'trip', "@* [content~'sk-1']")).stdout).toBe('')
  for (const name of fs.readdirSync(folder).filter((each) => each.startsWith('contexts.db')))
    expect(fs.readFileSync(path.join(folder, name)).includes('sk-1'), name).toBe(false)
  const log = (await run('log', 'trip')).stdout
  expect(log).toMatch(/@c1 .*; 1 erased since; by ann\n/)
  // The redacted node has the time of the node that it replaces, which is not when this was committed.
  expect(log).toMatch(/^@c3 {2}\d+ redacted;/)
  expect((await run('explain', 'trip', 'block:1-1', '@c1')).stdout).toContain('What it said was erased.')
  expect((await run('fsck')).status).toBe(0)
})

test('ls says what a context is a fork of; the path of a session is no part of its name', async () => {
  expect((await run('fork', 'trip', '@c1', '--id', 'again')).status).toBe(0)
  const file = path.join(folder, 'lines.jsonl')
  const messages = [{ role: 'user', content: 'Hi.' }]
  fs.writeFileSync(file, `${JSON.stringify({ id: 'a/b/big-session.jsonl', messages })}\n`)
  expect((await run('import', file)).stdout).toContain('big-session')
  expect((await run('ls')).stdout).toBe('again\t1\ttrip @c1\nbig-session\t1\ntrip\t3\n')
})

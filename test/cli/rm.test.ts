// `pctx rm` asks before it removes, where there is a person to ask.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { pctx, type PctxOptions, type RanPctx } from '../support/pctx.js'

let folder = ''
beforeAll(() => void (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-rm-'))))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const run = (args: readonly string[], options: PctxOptions = {}): Promise<RanPctx> =>
  pctx(args, { ...options, env: { PACT_STORE: `sqlite:${path.join(folder, 'a.db')}`, NO_COLOR: '1' } })

const terminal = (stdin: string): PctxOptions => ({ columns: 80, types: true, stdin })
const ids = async (): Promise<readonly string[]> =>
  (await run(['ls'])).stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0]!]))

test.each([
  ['n\n', 1],
  ['\n', 1],
  ['', 1],
  ['nay\n', 1],
  ['y\n', 0],
  ['Yes\n', 0],
])('on a terminal, %j ends with %i', async (answer, status) => {
  await run(['add', 'talk', '--user', 'Hello'])
  const ran = await run(['rm', 'talk'], terminal(answer))
  expect(ran.status).toBe(status)
  expect(ran.stderr).toContain('Remove talk with all its past, for good? (y/N)')
  expect(ran.stderr.includes('Nothing was removed.')).toBe(status === 1)
  expect(await ids()).toEqual(status === 1 ? ['talk'] : [])
})

test.each([
  ['with --yes', ['--yes'], terminal('')],
  ['from a pipe', [], { columns: 80, stdin: '' }],
  ['into a pipe', [], { types: true, stdin: '' }],
  ['with --json', ['--json'], terminal('')],
])('asks nothing %s', async (_, args, options) => {
  await run(['add', 'talk', '--user', 'Hello'])
  const { status, stderr } = await run(['rm', 'talk', ...args], options)
  expect([status, stderr]).toEqual([0, ''])
  expect(await ids()).toEqual([])
})

test('the question names what goes with it', async () => {
  await run(['add', 'talk', '--user', 'Hello'])
  await run(['fork', 'talk', '@c1', '--id', 'other'])
  const { stderr } = await run(['rm', 'talk', '--forks'], terminal('n\n'))
  expect(stderr).toContain('Remove talk with all its past and its forks, for good?')
})

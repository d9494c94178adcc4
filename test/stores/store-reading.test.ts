// A store that is only read: nothing is written, to the file or next to it, whichever version its tables have; and missing rows are named.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { openStore } from 'pact-context/store'
import { afterAll, describe, expect, test } from 'vitest'

import { sharedServer } from '../support/postgres.js'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-reading-'))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))
const GOLDEN = path.join(import.meta.dirname, '../golden/stores')
const VERSIONS = fs.readdirSync(GOLDEN).filter((name) => name.endsWith('.db'))

/** A folder of its own with a file in it. */
function place(from: string): string {
  const own = fs.mkdtempSync(path.join(folder, 'a #?%'))
  const file = path.join(own, path.basename(from))
  fs.copyFileSync(from, file)
  return file
}

/** Every file of a folder with its bytes. */
function contentsOf(file: string): Readonly<Record<string, string>> {
  const own = path.dirname(file)
  return Object.fromEntries(fs.readdirSync(own).map((name) => [name, fs.readFileSync(path.join(own, name), 'latin1')]))
}

async function everything(url: string): Promise<unknown> {
  const store = await openStore(url, { readOnly: true })
  try {
    const { contexts } = await store.list()
    const shown: unknown[] = []
    for (const { id } of contexts) {
      const ctx = await store.open(id, { history: 'all' })
      for (const { cycle } of ctx.snapshots()) shown.push(Buffer.from(ctx.export(`@c${cycle}`)).toString('latin1'))
      shown.push(ctx.attempts())
    }
    return [contexts, shown, (await store.fsck()).problems]
  } finally {
    await store.close()
  }
}

describe('a file is read without a trace', () => {
  test.each(VERSIONS)('%s shows what it shows when it is opened for writing, and stays as it is', async (name) => {
    const file = place(path.join(GOLDEN, name))
    const before = contentsOf(file)
    const shown = await everything(`sqlite:${file}`)
    expect(contentsOf(file)).toEqual(before)
    const upgraded = place(path.join(GOLDEN, name))
    await (await openStore(`sqlite:${upgraded}`)).close()
    expect(shown).toEqual(await everything(`sqlite:${upgraded}`))
  })

  test('every call that writes is refused, and a context that is missing is not made', async () => {
    const file = place(path.join(GOLDEN, VERSIONS[0]!))
    const before = contentsOf(file)
    const store = await openStore(`sqlite:${file}`, { readOnly: true })
    const { id } = (await store.list()).contexts[0]!
    const ctx = await store.open(id)
    const readOnly = { code: 'E_STORE', details: { reason: 'read-only', outcome: 'failed' } }
    ctx.user('Hi')
    await expect(ctx.commit()).rejects.toMatchObject(readOnly)
    expect(ctx.operations()).toHaveLength(1)
    await expect(ctx.fork('@t0', { id: 'fork' })).rejects.toMatchObject(readOnly)
    await expect(store.create('new')).rejects.toMatchObject(readOnly)
    await expect(store.put(ctx.export(), 'new')).rejects.toMatchObject(readOnly)
    await expect(store.delete(id, { forks: true })).rejects.toMatchObject(readOnly)
    await expect(store.erase(id, '.block')).rejects.toMatchObject(readOnly)
    await expect(store.open('new')).rejects.toMatchObject({ details: { reason: 'missing' } })
    expect(await store.openAt('new', 0)).toBeUndefined()
    await store.close()
    expect(contentsOf(file)).toEqual(before)
  })

  test('a store that is not there is an error, and nothing is made', async () => {
    const file = path.join(folder, 'none/agent.db')
    const missing = { code: 'E_STORE', details: { reason: 'no-store' } }
    await expect(openStore(`sqlite:${file}`, { readOnly: true })).rejects.toMatchObject(missing)
    expect(fs.existsSync(path.dirname(file))).toBe(false)
    await expect(openStore('memory:', { readOnly: 1 as never })).rejects.toMatchObject({ code: 'E_CONTENT_INVALID' })
  })

  test('what others commit meanwhile is seen, also by a watch', async () => {
    const file = path.join(fs.mkdtempSync(path.join(folder, 'live-')), 'a.db')
    const first = await openStore(`sqlite:${file}`)
    await first.open('x')
    await first.close()
    const reader = await openStore(`sqlite:${file}`, { readOnly: true })
    expect((await reader.find('x'))!.cycle).toBe(0)
    const watch = reader.watch('x', { every: 5 })
    await watch.ready
    const writer = await openStore(`sqlite:${file}`)
    const ctx = await writer.open('x')
    ctx.user('Hi')
    await ctx.commit()
    expect((await watch.next()).value).toMatchObject({ kind: 'commit', cycle: 1 })
    expect((await reader.open('x')).thread('@t0')).toHaveLength(1)
    await writer.close()
    expect((await reader.find('x'))!.cycle).toBe(1)
    await reader.close()
  })

  test('the log of a process that was killed is read, and stays', async () => {
    const file = path.join(fs.mkdtempSync(path.join(folder, 'killed-')), 'a.db')
    const store = await openStore(`sqlite:${file}`)
    const ctx = await store.open('x')
    ctx.user('Hi')
    await ctx.commit()
    const copy = place(file)
    fs.copyFileSync(`${file}-wal`, `${copy}-wal`)
    await store.close()
    const { [path.basename(copy)]: before } = contentsOf(copy)
    const reader = await openStore(`sqlite:${copy}`, { readOnly: true })
    expect((await reader.find('x'))!.cycle).toBe(1)
    await reader.close()
    expect(contentsOf(copy)[path.basename(copy)]).toBe(before)
  })
})

const PCTX = path.join(import.meta.dirname, '../../dist/bundle/pctx.js')
const AS_ANYBODY = ['--bounding-set=-dac_override', '--inh-caps=-dac_override', process.execPath]

const TOKEN = 'a-token-of-at-least-22-signs'

/** Root writes where permissions forbid it; without this capability it does not. */
const [program, given]: [string, readonly string[]] =
  process.getuid?.() === 0 ? ['setpriv', AS_ANYBODY] : [process.execPath, []]
const cannotRun = spawnSync(program, [...given, '--version']).status !== 0

function pctx(...args: readonly string[]): Readonly<{ status: number | null; said: string }> {
  const { status, stdout, stderr } = spawnSync(program, [...given, PCTX, ...args], { encoding: 'utf8', cwd: '/' })
  return { status, said: stdout + stderr }
}

describe.skipIf(cannotRun)(`pctx reads where it may not write${cannotRun ? ' (setpriv is missing)' : ''}`, () => {
  test.each(VERSIONS)('ls, show and fsck of %s in a folder that cannot be written', (name) => {
    fs.chmodSync(folder, 0o755)
    const file = place(path.join(GOLDEN, name))
    fs.chmodSync(file, 0o444)
    fs.chmodSync(path.dirname(file), 0o555)
    const before = contentsOf(file)
    const { contexts } = JSON.parse(pctx('--store', `sqlite:${file}`, 'ls', '--json').said) as {
      contexts: { id: string }[]
    }
    expect(contexts.length).toBeGreaterThan(0)
    expect(pctx('--store', `sqlite:${file}`, 'fsck')).toMatchObject({ status: 0 })
    const [{ id }] = contexts as [{ id: string }]
    for (const command of ['show', 'log']) {
      const { status, said } = pctx('--store', `sqlite:${file}`, command, id)
      expect([status, said]).toEqual([0, expect.stringContaining(command === 'show' ? '^seq' : '@c1')])
    }
    expect(contentsOf(file)).toEqual(before)
    // The log of a process that was killed cannot be read there without its index.
    fs.chmodSync(path.dirname(file), 0o755)
    fs.writeFileSync(`${file}-wal`, 'a log', { mode: 0o444 })
    fs.chmodSync(path.dirname(file), 0o555)
    const { status, said } = pctx('--store', `sqlite:${file}`, 'ls')
    expect([status, said]).toEqual([2, expect.stringContaining('Copy the file and its log')])
    fs.chmodSync(path.dirname(file), 0o755)
  })

  test.each(VERSIONS)('serve --read-only of %s in a folder that cannot be written', async (name) => {
    fs.chmodSync(folder, 0o755)
    const file = place(path.join(GOLDEN, name))
    fs.chmodSync(file, 0o444)
    fs.chmodSync(path.dirname(file), 0o555)
    const before = contentsOf(file)
    const args = ['--store', `sqlite:${file}`, 'serve', '--read-only', '--port', '0', '--token', TOKEN, '--json']
    const child = spawn(program, [...given, PCTX, ...args], { cwd: '/' })
    const ended = once(child, 'exit')
    try {
      const [first] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer]
      const { url } = JSON.parse(first.toString()) as { url: string }
      const ask = (method: string, route: string): Promise<Response> =>
        fetch(url + route, { method, headers: { authorization: `Bearer ${TOKEN}` } })
      const { contexts } = (await (await ask('GET', '/v1/contexts')).json()) as { contexts: { id: string }[] }
      for (const { id } of contexts) {
        const answer = await ask('GET', `/v1/contexts/${encodeURIComponent(id)}/thread`)
        expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"content"')])
      }
      expect(contexts.length).toBeGreaterThan(0)
      expect((await ask('DELETE', `/v1/contexts/${encodeURIComponent(contexts[0]!.id)}`)).status).toBe(403)
    } finally {
      child.kill('SIGINT')
      await ended
      fs.chmodSync(path.dirname(file), 0o755)
    }
    expect(contentsOf(file)).toEqual(before)
  })

  test.each([['ls'], ['fsck'], ['show', 'x'], ['serve', '--read-only'], ['rm', 'x'], ['replay']])(
    '%s of a store that is not there',
    (...args) => {
      const file = path.join(folder, 'typo.db')
      const { status, said } = pctx('--store', `sqlite:${file}`, ...args)
      expect([status, said]).toEqual([2, expect.stringContaining('There is no store at')])
      expect(fs.existsSync(file)).toBe(false)
    },
  )
})

const { server, why } = await sharedServer()
const without = why === undefined ? '' : ` (${why})`
test.skipIf(server === undefined)(`PostgreSQL is read without a write${without}`, async () => {
  const tenant = 'reading'
  const store = await openStore(server!.url, { tenant })
  await store.open('x')
  const reader = await openStore(server!.url, { tenant, readOnly: true })
  expect((await reader.find('x'))!.cycle).toBe(0)
  await expect(reader.create('y')).rejects.toMatchObject({ details: { reason: 'read-only' } })
  await reader.close()
  await store.delete('x')
  await store.close()
})

test.skipIf(server === undefined)(`a process that watches PostgreSQL closes its store and ends${without}`, () => {
  const module = path.join(import.meta.dirname, '../../dist/store/index.js')
  const script = `
    import { openStore } from ${JSON.stringify(module)}
    const store = await openStore(process.argv[1], { tenant: 'watching ' + process.pid })
    await store.open('x')
    const watch = store.watch('x', { from: 0 })
    if (process.argv[2] === 'asked') { store.delete('x'); await watch.next() }
    await watch.return()
    await store.close()
    console.log('closed')`
  for (const when of ['asked', 'at once', 'asked']) {
    const args = ['--input-type=module', '-e', script, server!.url, when]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect([status, stdout, stderr]).toEqual([0, 'closed\n', ''])
  }
})

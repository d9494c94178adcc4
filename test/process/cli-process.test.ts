// `pctx` as processes, from the bundle that the package has: what needs a pipe that closes, a signal, several writers, little memory
// or a file that is damaged. Reads dist/, so `npm run build` comes first.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { openStore } from 'pact-context/store'
import { COMMANDS } from '../../src/cli/index.js'

const ROOT = path.resolve(import.meta.dirname, '../..')
const PROGRAM = path.join(ROOT, 'dist/bundle/pctx.js')

let folder = ''
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-cli-process-'))
  if (!fs.existsSync(PROGRAM)) throw new Error('dist/bundle is missing: run `npm run build`.')
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

function environment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, FORCE_COLOR: __, NO_COLOR: ___, ...env } = process.env
  return { ...env, ...more }
}

function start(args: readonly string[], name: string, flags: readonly string[] = []): ChildProcess {
  return spawn(process.execPath, [...flags, PROGRAM, ...args], {
    cwd: folder,
    env: environment({ PACT_STORE: `sqlite:${name}` }),
  })
}

type Ended = Readonly<{ status: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>

async function ended(child: ChildProcess): Promise<Ended> {
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.on('data', (chunk: Buffer) => (texts[name] += chunk.toString()))
  }
  const [status, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  return { status, signal, ...texts }
}

function run(args: readonly string[], name: string, flags: readonly string[] = []): Promise<Ended> {
  const child = start(args, name, flags)
  child.stdin?.end()
  return ended(child)
}

function line(id: string, text: string, messages = 2): string {
  const said = Array.from({ length: messages }, (_, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: text }))
  return `${JSON.stringify({ id, messages: said })}\n`
}

describe('a process', () => {
  it('runs by its first line, and ends with the status of what it did', () => {
    const options = { cwd: folder, env: environment({ PACT_STORE: 'sqlite:first.db' }), encoding: 'utf8' as const }
    const { version } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string }
    expect(spawnSync(PROGRAM, ['--version'], options)).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' })
    expect(spawnSync(PROGRAM, ['add', 'a', '--user', '-'], { ...options, input: 'Grüße 👋🏽' })).toMatchObject({
      status: 0,
    })
    expect(spawnSync(PROGRAM, ['show', 'b'], options)).toMatchObject({ status: 1, stdout: '' })
    expect(spawnSync(PROGRAM, ['shwo'], options)).toMatchObject({ status: 2, stdout: '' })
  })

  it('ends quietly when its reader goes away', async () => {
    fs.writeFileSync(path.join(folder, 'long.jsonl'), line('long', 'x'.repeat(200_000), 20))
    expect((await run(['import', 'long.jsonl'], 'pipe.db')).status).toBe(0)
    for (const args of [
      ['thread', 'long'],
      ['export', 'long'],
      ['show', 'long', '--all', '--preview', '100000'],
      ['ls'],
    ]) {
      const child = start(args, 'pipe.db')
      child.stdout?.once('data', () => child.stdout?.destroy())
      expect(await ended(child), args[0]).toMatchObject({ status: 0, signal: null, stderr: '' })
    }
  })
})

describe('a disk that is full', () => {
  it.skipIf(!fs.existsSync('/dev/full'))('is told in a sentence (skipped where there is no /dev/full)', () => {
    const full = fs.openSync('/dev/full', 'w')
    const options = {
      cwd: folder,
      env: environment(),
      stdio: ['ignore', full, 'pipe'] as ['ignore', number, 'pipe'],
      encoding: 'utf8' as const,
    }
    const { status, stderr } = spawnSync(PROGRAM, ['--help'], options)
    fs.closeSync(full)
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^pctx: Standard output could not be written: ENOSPC[^\n]*\n$/),
    ])
  })
})

describe('npm start', () => {
  it('fills a store and says what to try; the tour is an option away', () => {
    const options = { cwd: folder, env: environment({ PACT_STORE: 'sqlite:start.db' }), encoding: 'utf8' as const }
    const begin = (...args: readonly string[]): string =>
      spawnSync(process.execPath, [path.join(ROOT, 'demo/start.mjs'), ...args], options).stdout
    const said = begin('--no-serve')
    expect(said.match(/^ {2}npx pctx (?:log|show|prefix) .*$/gm)).toHaveLength(3)
    expect(said).toContain('demo-support, demo-airline, demo-decorators, demo-family, demo-stocks')
    expect(begin('--no-serve')).toBe(said)
    expect(begin('--tour', '--list')).toContain('airline     How many suitcases?')
  })

  it('serves the inspector until it is ended, behind a link that works once', async () => {
    const env = environment({ PACT_STORE: 'sqlite:start.db' })
    const child = spawn(process.execPath, [path.join(ROOT, 'demo/start.mjs')], { cwd: folder, env })
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    try {
      let said = ''
      const link = await new Promise<string>((resolve, reject) => {
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          said += text
          const found = /http:\S+\/open\?code=\S+/.exec(said)?.[0]
          if (found !== undefined) resolve(found)
        })
        child.once('exit', () => reject(new Error(said)))
      })
      const opened = await fetch(link, { redirect: 'manual' })
      const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? ''
      expect([opened.status, opened.headers.get('location')]).toEqual([303, '/#/demo-rail'])
      expect((await fetch(link, { redirect: 'manual' })).status).toBe(401)
      const page = await fetch(new URL('/', link))
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<script type="module"')])
      const listed = await fetch(new URL('/v1/contexts', link), { headers: { cookie } })
      const { contexts } = (await listed.json()) as { contexts: { id: string }[] }
      expect(contexts.map(({ id }) => id)).toEqual(expect.arrayContaining(['demo-support', 'demo-rail-later-train']))
    } finally {
      child.kill('SIGTERM')
    }
    expect(await ended).toBe(0)
  })
})

describe('an import', () => {
  it('that is interrupted leaves whole conversations, and goes on from there', async () => {
    const child = start(['import', '-', '--json'], 'stopped.db')
    const lines = Array.from({ length: 8 }, (_, i) => line(`c${i}`, `number ${i}`, 6))
    // The rest of the file never comes, so it is in the middle when the signal does.
    child.stdin?.write(lines.slice(0, 5).join(''))
    const found = await until(
      () => idsIn('stopped.db'),
      (ids) => ids.length >= 4,
    )
    expect(found).toEqual(['c0', 'c1', 'c2', 'c3'])
    child.kill('SIGINT')
    const { status, stdout, stderr } = await ended(child)
    expect([status, stderr]).toEqual([130, expect.stringContaining('--update goes on from it')])
    expect(JSON.parse(stdout)).toMatchObject({ files: [{ stopped: true }] })
    expect((await run(['fsck'], 'stopped.db')).status).toBe(0)
    fs.writeFileSync(path.join(folder, 'stopped.jsonl'), lines.join(''))
    expect((await run(['import', 'stopped.jsonl', '--update', '-q'], 'stopped.db')).status).toBe(0)
    await sameAs('stopped.db', 8, 6)
  })

  it('that is killed leaves whole conversations', async () => {
    const child = start(['import', '-'], 'killed.db')
    child.stdin?.on('error', () => undefined)
    const lines = Array.from({ length: 400 }, (_, i) => line(`c${i}`, `number ${i}`, 6))
    child.stdin?.write(lines.slice(0, 300).join(''))
    await until(
      () => idsIn('killed.db'),
      (ids) => ids.length >= 3,
    )
    child.kill('SIGKILL')
    expect((await ended(child)).signal).toBe('SIGKILL')
    expect((await run(['fsck', '-q'], 'killed.db')).status).toBe(0)
    const ids = await idsIn('killed.db')
    await sameAs('killed.db', ids.length, 6)
  })

  it('of a file that is larger than its memory', async () => {
    const file = path.join(folder, 'large.jsonl')
    const handle = fs.openSync(file, 'w')
    const count = 24
    for (let i = 0; i < count; i++) fs.writeSync(handle, line(`c${i}`, `${i} ${'words and more '.repeat(6_000)}`, 20))
    fs.closeSync(handle)
    expect(fs.statSync(file).size).toBeGreaterThan(40_000_000)
    const { status, stdout, stderr } = await run(['import', 'large.jsonl'], 'large.db', ['--max-old-space-size=40'])
    expect([status, stderr.replaceAll(/^import large.*\n/gm, '')]).toEqual([0, ''])
    expect(stdout.trimEnd().split('\n')).toHaveLength(count)
  })
})

describe('Ctrl-C', () => {
  const NAME = 'interrupted.db'
  const CYCLES = 400
  let preload = ''
  beforeAll(async () => {
    fs.writeFileSync(path.join(folder, 'interrupted.jsonl'), line('long', 'Well?', 2 * CYCLES))
    // By a process, too: the last one to have the file open is one that was interrupted.
    expect((await run(['import', 'interrupted.jsonl'], NAME)).status).toBe(0)
    // As soon as the command listens for it, which is in the middle of its work, the signal comes: a real one, at a moment that is always the same.
    preload = path.join(folder, 'interrupt.mjs')
    fs.writeFileSync(
      preload,
      `process.on('newListener', (name) => {
         if (name === 'SIGINT') queueMicrotask(() => process.kill(process.pid, 'SIGINT'))
       })`,
    )
  })

  it.each([
    [['fsck'], 'Stopped: not everything was read.\n'],
    [['fsck', 'long', '--json'], 'Stopped: not everything was read.\n'],
    [['replay'], 'Stopped: not everything was rendered again.\n'],
    [['retain', 'long', '--newest', '5'], 'Stopped: nothing was thinned out.\n'],
  ])('ends %j with 130, and leaves the store whole', async (args, said) => {
    const flags = ['--import', pathToFileURL(preload).href]
    expect(await run(args, NAME, flags)).toEqual({ status: 130, signal: null, stdout: '', stderr: said })
    // The last one to close a database takes these with it.
    expect(fs.readdirSync(folder).filter((name) => name.startsWith(`${NAME}-`))).toEqual([])
    const { status, stdout } = await run(['log', 'long'], NAME)
    expect([status, stdout.trimEnd().split('\n').length]).toEqual([0, CYCLES])
  })

  it('leaves what is done to the end when nobody presses it', async () => {
    expect(await run(['retain', 'long', '--newest', '5'], NAME)).toMatchObject({ status: 0, stderr: '' })
    expect(await run(['fsck'], NAME)).toMatchObject({ status: 0, stdout: expect.stringContaining('sound') })
    expect(await run(['replay'], NAME)).toMatchObject({ status: 0, stdout: expect.stringContaining('5 snapshots') })
  })
})

describe('serve', () => {
  it('serves the store, and ends when it is told to', async () => {
    await run(['add', 'served', '--user', 'Hi'], 'served.db')
    const child = start(['serve', '--port', '0', '--json'], 'served.db')
    const end = ended(child)
    const [first] = (await once(child.stdout!, 'data')) as [Buffer]
    const { url, link } = JSON.parse(first.toString()) as { url: string; link: string }
    expect((await fetch(`${url}/health`)).status).toBe(200)
    expect((await fetch(`${url}/v1/contexts`)).status).toBe(401)
    expect(link.startsWith(url)).toBe(true)
    child.kill('SIGINT')
    expect(await end).toMatchObject({ status: 0, stderr: '' })
  })
})

describe('two servers on one file', () => {
  const TOKEN = '0123456789abcdef0123456789abcdef'
  async function serve(): Promise<Readonly<{ url: string; child: ChildProcess }>> {
    const env = environment({ PACT_STORE: 'sqlite:two.db', PACT_TOKEN: TOKEN })
    const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0', '--json'], { cwd: folder, env })
    const [first] = (await once(child.stdout, 'data')) as [Buffer]
    return { url: (JSON.parse(first.toString()) as { url: string }).url, child }
  }

  it('give the same answer to a keyed commit that is sent to both at once, and commit it once', async () => {
    await run(['add', 'two', '--user', 'Hi'], 'two.db')
    const servers = [await serve(), await serve()]
    const ends = servers.map(({ child }) => ended(child))
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
    const rounds = 12
    for (let n = 0; n < rounds; n++) {
      const operations = [{ op: 'user', content: `job ${n}` }]
      const body = JSON.stringify({ base: n + 1, key: `key ${n}`, operations })
      const answers = await Promise.all(
        Array.from({ length: 6 }, async (_, i) => {
          const answer = await fetch(`${servers[i % 2]!.url}/v1/contexts/two/commit`, { method: 'POST', headers, body })
          const { repeated: _repeated, ...said } = (await answer.json()) as Record<string, unknown>
          return { status: answer.status, said }
        }),
      )
      expect(answers[0]).toMatchObject({ status: 201, said: { cycle: n + 2 } })
      for (const answer of answers) expect(answer).toEqual(answers[0])
    }
    for (const { child } of servers) child.kill('SIGINT')
    expect((await Promise.all(ends)).map(({ status }) => status)).toEqual([0, 0])
    const store = await openStore(`sqlite:${path.join(folder, 'two.db')}`)
    const thread = (await store.open('two')).thread('@t0').map(({ content }) => content)
    await store.close()
    expect(thread).toEqual(['Hi', ...Array.from({ length: rounds }, (_, n) => `job ${n}`)])
  })
})

describe('an example that goes on', () => {
  const lasting = COMMANDS.flatMap(({ examples }) => examples.filter(({ isLasting = false }) => isLasting))
  it.each(lasting)('answers until it is ended: $line', async ({ line: given }) => {
    // On any port that is free, whatever the example says.
    const chat = path.join(folder, 'lasting-chat.json')
    fs.writeFileSync(chat, '[{"role":"user","content":"Hi"}]')
    const words = given.split(' ').map((word) => (word === 'chat.json' ? chat : word))
    const child = start([...words.slice(1), '--port', '0'], 'lasting.db')
    const end = ended(child)
    const said = await new Promise<string>((resolve) => {
      let text = ''
      child.stdout?.on('data', (chunk: Buffer) => {
        text += chunk.toString()
        if (text.includes('Ctrl-C ends it')) resolve(text)
      })
    })
    const [url = ''] = /http:\S+?(?=\/(?:open|mcp))/.exec(said) ?? []
    expect((await fetch(`${url}/health`)).status).toBe(200)
    child.kill('SIGINT')
    expect(await end).toMatchObject({ status: 0, stderr: '' })
  })
})

describe('several processes', () => {
  it('write to one context, and none is lost', async () => {
    await run(['add', 'another', '--user', 'first'], 'shared.db')
    const writers = Array.from({ length: 5 }, (_, i) =>
      run(['add', 'shared', '-q', '--user', `number ${i}`], 'shared.db'),
    )
    expect((await Promise.all(writers)).map(({ status, stderr }) => [status, stderr])).toEqual(
      Array.from({ length: 5 }, () => [0, '']),
    )
    const store = await openStore(`sqlite:${path.join(folder, 'shared.db')}`)
    const thread = (await store.open('shared')).thread('@t0').map(({ content }) => content)
    await store.close()
    expect(thread.map(String).toSorted()).toEqual(['number 0', 'number 1', 'number 2', 'number 3', 'number 4'])
  })
})

describe('a store that is damaged', () => {
  it('is told of in sentences', async () => {
    fs.writeFileSync(path.join(folder, 'none.db'), 'This is no database, and never was one.'.repeat(100))
    const none = await run(['ls'], 'none.db')
    expect([none.status, none.stdout]).toEqual([2, ''])
    expect(none.stderr).toMatch(/^pctx: .*\(E_STORE\)\n$/)

    await run(['add', 'a', '--user', 'The quick brown fox'], 'bad.db')
    const file = path.join(folder, 'bad.db')
    const bytes = fs.readFileSync(file)
    const at = bytes.indexOf('The quick brown fox')
    expect(at).toBeGreaterThan(0)
    bytes[at] = 0x58
    fs.writeFileSync(file, bytes)
    const checked = await run(['fsck'], 'bad.db')
    expect([checked.status, checked.stdout]).toEqual([1, expect.stringMatching(/^damage a @c1: [^]*1 problem: /)])
    const shown = await run(['show', 'a'], 'bad.db')
    expect([shown.status, shown.stdout]).toEqual([2, ''])
    expect(shown.stderr).toMatch(/^pctx: [^\n]*\(E_STORE\)\n$/)
  })
})

describe('what is loaded', () => {
  /** Every module that a run loads, by its address. */
  async function loaded(program: string, args: readonly string[]): Promise<readonly string[]> {
    const list = path.join(folder, `modules-${path.basename(path.dirname(program))}-${args[0]}.txt`)
    fs.writeFileSync(list, '')
    const hooks = path.join(folder, 'hooks.mjs')
    fs.writeFileSync(
      hooks,
      `import fs from 'node:fs'
       export async function load(url, context, next) {
         fs.appendFileSync(process.env.MODULES, url + '\\n')
         return next(url, context)
       }`,
    )
    const register = path.join(folder, 'register.mjs')
    fs.writeFileSync(
      register,
      `import { register } from 'node:module'; register(${JSON.stringify(pathToFileURL(hooks).href)})`,
    )
    const child = spawn(process.execPath, ['--import', pathToFileURL(register).href, program, ...args], {
      cwd: folder,
      env: environment({ PACT_STORE: 'sqlite:first.db', MODULES: list }),
    })
    expect(await ended(child)).toMatchObject({ status: 0, stderr: '' })
    return fs.readFileSync(list, 'utf8').trimEnd().split('\n')
  }

  const HEAVY = /\/(?:zod|hono|@hono|gpt-tokenizer)\/|\/dist\/(?:adapters|server)\/|\/providers[^/]*\.js$/

  it.each([['--help'], ['ls']])('for pctx %s is nothing heavy', async (name) => {
    const compiled = await loaded(path.join(ROOT, 'dist/cli/pctx.js'), [name])
    expect(compiled.filter((url) => HEAVY.test(url))).toEqual([])
    expect(compiled.some((url) => url.includes('/dist/store/'))).toBe(name === 'ls')
    const bundled = await loaded(PROGRAM, [name])
    expect(bundled.filter((url) => HEAVY.test(url))).toEqual([])
    // A file for each module is what takes long, and so is reading much that is not used: the engine alone is 750 KB.
    const files = bundled.filter((url) => url.startsWith('file:'))
    expect(files.length).toBeLessThan(20)
    const own = files.filter((url) => url.includes('/dist/bundle/')).map((url) => fs.statSync(new URL(url)).size)
    expect(own.reduce((sum, size) => sum + size, 0)).toBeLessThan(300_000)
    expect(files.filter((url) => url.endsWith('/engine.js'))).toEqual([])
    // Packages are looked for in many places, and these are joined to the bundle.
    expect(files.filter((url) => /\/node_modules\/(?:commander|picocolors|@noble)\//.test(url))).toEqual([])
    expect(bundled).not.toContain('node:child_process')
  })

  it('for a render are the adapters, so that the test would see them', async () => {
    const compiled = await loaded(path.join(ROOT, 'dist/cli/pctx.js'), ['render', 'a', '--for', 'gemini'])
    expect(compiled).toContain(pathToFileURL(path.join(ROOT, 'dist/adapters/index.js')).href)
    const bundled = await loaded(PROGRAM, ['render', 'a', '--for', 'gemini'])
    expect(bundled.filter((url) => /\/(?:engine|providers)\.js$/.test(url))).toHaveLength(2)
  })
})

async function idsIn(name: string): Promise<readonly string[]> {
  const file = path.join(folder, name)
  if (!fs.existsSync(file)) return []
  const store = await openStore(`sqlite:${file}`)
  const { contexts } = await store.list({ limit: 1000 })
  await store.close()
  return contexts.map(({ id }) => id).toSorted()
}

/** Asks again until the answer is as wanted; a test that waits in vain ends by its time limit. */
async function until<T>(ask: () => Promise<T>, isDone: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask().catch(() => undefined)
    if (answer !== undefined && isDone(answer)) return answer
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Every conversation is there with all that was said in it. */
async function sameAs(name: string, contexts: number, messages: number): Promise<void> {
  const store = await openStore(`sqlite:${path.join(folder, name)}`)
  const ids = (await store.list({ limit: 1000 })).contexts.map(({ id }) => id)
  expect(ids).toHaveLength(contexts)
  for (const id of ids) {
    const thread = (await store.open(id)).thread('@t0')
    expect(thread.map(({ content }) => content)).toEqual(
      Array.from({ length: messages }, () => `number ${id.slice(1)}`),
    )
  }
  await store.close()
}

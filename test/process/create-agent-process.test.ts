// `npm create pact-agent` as a user runs it: both packages are packed, the agent is made in an empty folder and installed from the packed file, and its
// loop is killed and started again. Reads dist/.

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { run, runNpm } from '../support/npm.js'

const ROOT = path.resolve(import.meta.dirname, '../..')
const CREATOR = path.join(ROOT, 'create-pact-agent')
const QUESTION = 'Rome or Oslo: where is it warmer today? Book me a train there.'
const ANSWER = 'agent: It is warmer in Rome today, so I booked you a train there.'
/** The text of each line that the loop prints in a turn that nothing interrupts. */
const TURN = [
  'model: scripted, since neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set',
  `you: ${QUESTION}`,
  'call: weather {"city":"Rome"}',
  'result: {"city":"Rome","degrees":22}',
  'call: weather {"city":"Oslo"}',
  'result: {"city":"Oslo","degrees":12}',
  'call: book {"city":"Rome"}',
  'result: {"city":"Rome","seat":"1A"}',
  ANSWER,
]

let folder = ''
let agent = ''
beforeAll(async () => {
  if (!fs.existsSync(path.join(ROOT, 'dist/bundle/index.js')))
    throw new Error('dist/ is missing: run `npm run build` first.')
  folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'pact-create-'))
  agent = path.join(folder, 'My Agent')
  const packed = await pack(ROOT)
  const creator = await pack(CREATOR)
  // As `npm create` does it, with the packed file in the place of a name on the registry.
  const args = ['exec', '--yes', '--package', creator, '--', 'create-pact-agent', 'My Agent', '--package', packed]
  const { stdout } = await runNpm(args, folder)
  expect(stdout).toContain('cd "My Agent"\n  npm start')
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

describe('an agent that was made', () => {
  test('is a package with a name that npm takes, that depends on a file of its own', () => {
    const manifest = JSON.parse(fs.readFileSync(path.join(agent, 'package.json'), 'utf8')) as object
    expect(manifest).toMatchObject({
      name: 'my-agent',
      dependencies: { 'pact-context': expect.stringMatching(/^file:vendor\/.*\.tgz$/) },
    })
    expect(fs.existsSync(path.join(agent, '.gitignore'))).toBe(true)
  })

  test('answers, says when nothing is open, and answers what it is asked', async () => {
    clear()
    expect(await start()).toEqual(TURN)
    expect((await start()).slice(1)).toEqual(['nothing is open; ask with: npm start -- "your question"'])
    expect(await start('And tomorrow?')).toEqual(expect.arrayContaining(['you: And tomorrow?', ANSWER]))
  })

  // In the order of the turn: before the first request ends, between two results of one reply, after the tool with an effect.
  test.each([[TURN[1]!], [TURN[3]!], [TURN[7]!]])('goes on when it was killed after "%s"', async (line) => {
    clear()
    const first = await killedAfter(line)
    const second = await start()
    expect(second[1]).toBe('going on where the last run was stopped')
    expect([...first, ...second.slice(2)]).toEqual(TURN)
    const script = `
      const { openStore } = await import('pact-context/store')
      const store = await openStore('sqlite:agent.db')
      const ctx = await store.open('chat')
      console.log(JSON.stringify([ctx.thread('@t0').map(({ role, kind }) => kind ?? role ?? 'system'), (await store.fsck()).ok]))`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], agent)
    const thread = ['system', 'user', 'call', 'call', 'result', 'result', 'call', 'result', 'text']
    expect(JSON.parse(stdout)).toEqual([thread, true])
    expect(Object.keys(JSON.parse(fs.readFileSync(path.join(agent, 'bookings.json'), 'utf8')) as object)).toHaveLength(
      1,
    )
  })

  test('says in a sentence what stopped it, and goes on', async () => {
    clear()
    const child = await stopped({ ANTHROPIC_API_KEY: 'key-1', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' })
    expect(child.stderr).toBe('stopped: fetch failed\nWhat was done so far is saved; npm start goes on.\n')
    expect((await start())[1]).toBe('going on where the last run was stopped')
  })

  test.each([
    [
      'claude-sonnet-5-5',
      { ANTHROPIC_API_KEY: 'key-1' },
      { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hi.' }], stop_reason: 'end_turn' },
      '/v1/messages',
    ],
    [
      'gpt-5',
      { OPENAI_API_KEY: 'key-1' },
      {
        status: 'completed',
        output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] }],
      },
      '/responses',
    ],
  ])('asks %s where its key is set', async (model, key, reply, url) => {
    clear()
    const asked: unknown[] = []
    const answer = ({ url: at, headers }: http.IncomingMessage, body: string): object => {
      asked.push([at, headers['x-api-key'] ?? headers.authorization, (JSON.parse(body) as { model: string }).model])
      return reply
    }
    await withProvider(answer, async (base) => {
      const lines = await start('Hello?', { ...key, ANTHROPIC_BASE_URL: base, OPENAI_BASE_URL: base })
      expect(lines).toEqual([`model: ${model}`, 'you: Hello?', 'agent: Hi.'])
    })
    expect(asked).toEqual([[url, expect.stringMatching(/^(Bearer )?key-1$/), model]])
  })

  test('stops a model that never ends its turn after 50 steps, and goes on with the same turn; its requests have cache marks', async () => {
    clear()
    const bodies: string[] = []
    const answer = (_: unknown, body: string): object => {
      bodies.push(body)
      const call = { type: 'tool_use', id: `toolu_${bodies.length}`, name: 'weather', input: { city: 'Rome' } }
      const content = bodies.length > 60 ? [{ type: 'text', text: 'Enough.' }] : [call]
      return { type: 'message', role: 'assistant', content, stop_reason: bodies.length > 60 ? 'end_turn' : 'tool_use' }
    }
    await withProvider(answer, async (base) => {
      const env = { ANTHROPIC_API_KEY: 'key-1', ANTHROPIC_BASE_URL: base }
      expect((await start('Hello?', env)).at(-1)).toBe('stopped after 50 steps; npm start goes on')
      expect(bodies).toHaveLength(50)
      const again = await start('', env)
      expect([again[1], again.at(-1)]).toEqual(['going on where the last run was stopped', 'agent: Enough.'])
    })
    expect(bodies).toHaveLength(61)
    expect(bodies.every((body) => body.includes('"cache_control":{"type":"ephemeral"}'))).toBe(true)
  })
})

/** A provider on this machine, as long as the work takes. */
async function withProvider(
  answer: (request: http.IncomingMessage, body: string) => object,
  work: (base: string) => Promise<void>,
): Promise<void> {
  const provider = http.createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer(request, body)))
    })
  })
  await once(provider.listen(0, '127.0.0.1'), 'listening')
  try {
    await work(`http://127.0.0.1:${(provider.address() as AddressInfo).port}`)
  } finally {
    provider.close()
  }
}

describe('what it refuses', () => {
  test.each([
    ['a folder that is not empty', ['full'], /full is not empty \(a\.txt\)\. Name another folder, or empty this one\./],
    ['a file', ['full/a.txt'], /is a file\. Name a folder that does not exist yet\./],
    [
      'an unknown provider',
      ['new', '--provider', 'grok'],
      /There is no provider grok; there are auto, anthropic, openai, scripted\./,
    ],
    ['a package that is missing', ['new', '--package', 'no.tgz'], /--package: there is no .*no\.tgz\./],
    ['a package that is none', ['new', '--package', 'full/a.txt'], /is neither a \.tgz of npm pack nor a folder\./],
    ['an unknown option', ['new', '--colour'], /Unknown option '--colour'.* See --help\./],
  ])('%s', async (_, args, message) => {
    fs.mkdirSync(path.join(folder, 'full'), { recursive: true })
    fs.writeFileSync(path.join(folder, 'full/a.txt'), 'mine')
    const { status, stderr } = await create(args)
    expect(status).toBe(1)
    expect(stderr).toMatch(message)
    expect(stderr).not.toContain('    at ')
    expect(fs.existsSync(path.join(folder, 'new'))).toBe(false)
  })

  test('nothing of --help and --provider: the page names every option, and the choice is in the code', async () => {
    const { stdout } = await create(['--help'])
    expect(stdout).toMatch(/--provider[^]*--package[^]*--no-install[^]*--yes/)
    expect((await create(['chosen', '--yes', '--no-install', '--provider', 'openai'])).status).toBe(0)
    expect(fs.readFileSync(path.join(folder, 'chosen/models.mjs'), 'utf8')).toContain("const PROVIDER = 'openai'")
  })
})

async function pack(source: string): Promise<string> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const { stdout } = await runNpm(args, source)
  const [packed] = JSON.parse(stdout) as readonly { filename: string }[]
  return path.join(folder, packed?.filename ?? '')
}

/** Forgets every conversation, so that each test has a first turn. */
function clear(): void {
  for (const name of fs.readdirSync(agent))
    if (/^(agent\.db|bookings\.json)/.test(name)) fs.rmSync(path.join(agent, name))
}

function environment(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { ANTHROPIC_API_KEY: _, OPENAI_API_KEY: __, MODEL: ___, ...rest } = process.env
  return { ...rest, NODE_OPTIONS: '', NODE_NO_WARNINGS: '1', SCRIPT_DELAY_MS: '1', ...more }
}

/** One run of the loop to its end; gives what it printed. */
async function start(question = '', more: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const { status, stdout, stderr } = await ended(
    spawn(process.execPath, ['agent.mjs', question], { cwd: agent, env: environment(more) }),
  )
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return stdout.trimEnd().split('\n')
}

/** A run that kills itself (SIGKILL) as soon as it has printed a line; gives what it printed. */
async function killedAfter(line: string): Promise<readonly string[]> {
  const preload = path.join(folder, 'kill.mjs')
  fs.writeFileSync(
    preload,
    `import fs from 'node:fs'
     console.log = (text) => {
       fs.writeSync(1, text + '\\n')
       if (text === ${JSON.stringify(line)}) process.kill(process.pid, 'SIGKILL')
     }`,
  )
  const args = ['--import', pathToFileURL(preload).href, 'agent.mjs']
  const child = spawn(process.execPath, args, { cwd: agent, env: environment({}) })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const [, signal] = (await once(child, 'close')) as [number | null, string | null]
  expect(signal).toBe('SIGKILL')
  return text.trimEnd().split('\n')
}

type Ended = Readonly<{ status: number; stdout: string; stderr: string }>

function create(args: readonly string[]): Promise<Ended> {
  return ended(spawn(process.execPath, [path.join(CREATOR, 'index.mjs'), ...args], { cwd: folder }))
}

async function stopped(more: Readonly<Record<string, string>>): Promise<Ended> {
  const result = await ended(spawn(process.execPath, ['agent.mjs'], { cwd: agent, env: environment(more) }))
  expect(result.status).toBe(1)
  return result
}

async function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const [status] = (await once(child, 'close')) as [number]
  return { status, stdout, stderr }
}

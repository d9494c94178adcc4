// Completion in the shells themselves, from the bundle: a line is typed, Tab is pressed, and the line is then compared. Reads dist/,
// so `npm run build` comes first.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { missingFor, Shell } from '../support/shell.js'

const PROGRAM = path.resolve(import.meta.dirname, '../../dist/bundle/pctx.js')
const CONTEXTS = ['demo', 'two words', 'user:42', 'user:43', 'at@home', "it's"]

let folder = ''
let env: NodeJS.ProcessEnv = {}
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-completion-'))
  const bin = path.join(folder, 'bin')
  fs.mkdirSync(bin)
  fs.symlinkSync(PROGRAM, path.join(bin, 'pctx'))
  fs.writeFileSync(path.join(folder, 'chat.json'), '[]')
  const { NODE_OPTIONS: _, ...rest } = process.env
  env = { ...rest, PACT_STORE: 'sqlite:c.db', PATH: `${bin}${path.delimiter}${process.env['PATH']}` }
  const commands = [...CONTEXTS.map((id) => ['add', id, '--user', 'Hi']), ['put', 'demo', 'plan', 'Go on.']]
  for (const words of commands) {
    const { status, stderr } = spawnSync('pctx', [...words, '-q'], {
      cwd: folder,
      env,
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, ''])
  }
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

/** The keys, and the line after Tab: a sure completion is written, and a space if it is a word of its own. */
const LINES: readonly (readonly [typed: string, bash: string, zsh?: string])[] = [
  ['pctx sho', 'pctx show '],
  ['pctx show de', 'pctx show demo '],
  ['pctx show tw', 'pctx show two\\ words '],
  ['pctx show two\\ w', 'pctx show two\\ words '],
  ['pctx show "two', 'pctx show "two words" '],
  ["pctx show 'two w", "pctx show 'two words' "],
  ["pctx show it\\'", "pctx show it\\'s "],
  // bash takes words apart at : and =.
  ['pctx show us', 'pctx show user:4'],
  ['pctx show user:', 'pctx show user:4'],
  ['pctx show user:42', 'pctx show user:42 '],
  ['pctx show demo @', 'pctx show demo @t'],
  ['pctx show demo @t-', 'pctx show demo @t-1 '],
  ['pctx show user:42 @t-', 'pctx show user:42 @t-1 '],
  ['pctx show at', 'pctx show at@home '],
  ['pctx show at@h', 'pctx show at@home '],
  ['pctx show at@', 'pctx show at@home '],
  ['pctx select demo .bl', 'pctx select demo .block '],
  ["pctx explain demo '#pl", "pctx explain demo '#plan' "],
  ['pctx select demo "[ro', `pctx select demo "[role='user']" `],
  ['pctx --store sqlite:c.db delete demo .bl', 'pctx --store sqlite:c.db delete demo .block '],
  ['pctx add --as', 'pctx add --as'],
  ['pctx add --ass', 'pctx add --assistant '],
  ['pctx add --ttl 5 de', 'pctx add --ttl 5 demo '],
  ['pctx render demo --for mi', 'pctx render demo --for mistral '],
  ['pctx render demo --for=mi', 'pctx render demo --for=mistral '],
  ['pctx import ch', 'pctx import chat.json '],
  ['pctx --store memory: show de', 'pctx --store memory: show de'],
  ['pctx ls ', 'pctx ls '],
]

describe.each(['bash', 'zsh'] as const)('%s', (name) => {
  const missing = missingFor(name)
  it.skipIf(missing !== undefined)(`completes lines (skipped: ${missing ?? 'not here'})`, async () => {
    const shell = new Shell(name, { cwd: folder, env })
    await shell.run(`eval "$(pctx completion ${name})"`)
    const found: string[] = []
    for (const [typed] of LINES) found.push(await shell.complete(typed))
    await shell.end()
    expect(found).toEqual(LINES.map(([, bash, zsh = bash]) => (name === 'bash' ? bash : zsh)))
  })
})

describe('zsh', () => {
  const missing = missingFor('zsh')
  it.skipIf(missing !== undefined)(
    `finds it in a folder of fpath, too (skipped: ${missing ?? 'not here'})`,
    async () => {
      const functions = path.join(folder, 'functions')
      fs.mkdirSync(functions)
      const { stdout } = spawnSync('pctx', ['completion', 'zsh'], { cwd: folder, env, encoding: 'utf8' })
      fs.writeFileSync(path.join(functions, '_pctx'), stdout)
      const shell = new Shell('zsh', { cwd: folder, env })
      await shell.run(`fpath=(${functions} $fpath); compinit -u -D`)
      // The first one loads it, and completes at once.
      expect(await shell.complete('pctx sho')).toBe('pctx show ')
      expect(await shell.complete('pctx show de')).toBe('pctx show demo ')
      await shell.end()
    },
  )
})

describe('fish', () => {
  const missing = missingFor('fish')
  it.skipIf(missing !== undefined).each([
    ['pctx sho', ['show']],
    ['pctx show ', [...CONTEXTS].sort()],
    ['pctx show user:', ['user:42', 'user:43']],
    ['pctx show two\\ w', ['two words']],
    ['pctx show "two', ['two words']],
    ['pctx show demo @t', ['@t0', '@t-1']],
    ["pctx select demo '#", ['#plan']],
    ['pctx add --as', ['--assistant', '--as-json']],
    ['pctx add --ttl 5 de', ['demo']],
    ['pctx add --ttl ', []],
    ['pctx render demo --for ge', ['gemini', 'gemini-interactions']],
    ['pctx render demo --for=ge', ['--for=gemini', '--for=gemini-interactions']],
    ['pctx import ch', ['chat.json']],
    ['pctx --store memory: show ', []],
    ['pctx ls ', []],
  ] as const)(`completes %j (skipped: ${missing ?? 'not here'})`, (line, offered) => {
    const script = 'pctx completion fish | source; complete -C $argv[1]'
    const { stdout, stderr } = spawnSync('fish', ['-c', script, line], { cwd: folder, env, encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(
      stdout
        .split('\n')
        .filter((each) => each !== '')
        .sort(),
    ).toEqual([...offered].sort())
  })
})

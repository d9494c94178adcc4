// The recordings of test/recordings, their reader, and the rule that nothing reads a folder outside the repository.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { readRecordings, recordingsOf } from '../recordings/read.mjs'

const ROOT = path.resolve(import.meta.dirname, '../..')

describe('the recordings of the repository', () => {
  const files = new Map<string, number>()
  for (const { file } of readRecordings('')) files.set(file, (files.get(file) ?? 0) + 1)

  test('are those of the table in their README', () => {
    const readme = fs.readFileSync(path.join(ROOT, 'test/recordings/README.md'), 'utf8')
    const rows = [...readme.matchAll(/^\| `(?<file>\S+)` \| .*? \| (?<licence>\S+) \| (?<count>\d+) of \d+/gm)]
    const listed = rows.map(({ groups }) => [groups?.['file'], Number(groups?.['count'])])
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(files))
    expect(new Set(rows.map(({ groups }) => groups?.['licence']))).toEqual(new Set(['MIT', 'Apache-2.0']))
    expect(readme).toContain(`\n${readRecordings('').length} agent and chat conversations`)
  })

  test('have every format', () => {
    const counts: Record<string, number> = {}
    for (const { record } of readRecordings('')) {
      const format = String(record['format'])
      counts[format] = (counts[format] ?? 0) + 1
    }
    expect(counts).toEqual({
      'openai-chat': 244,
      'openai-responses': 54,
      anthropic: 71,
      'google-gemini': 53,
      'pi-agent': 1,
      sharegpt: 75,
      'llamafactory-v1': 22,
      'bedrock-converse': 28,
      'cohere-v2': 4,
    })
  })

  test('take about 1 MB', () => {
    const folder = path.join(ROOT, 'test/recordings')
    const bytes = fs.readdirSync(folder).map((file) => fs.statSync(path.join(folder, file)).size)
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1_050_000)
  })
})

describe('the folder that PACT_DATA names', () => {
  let folder = ''
  beforeAll(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-data-'))
    const own = recordingsOf('badlogic__pi-mono').map(({ record }) => JSON.stringify(record))
    fs.writeFileSync(path.join(folder, 'badlogic__pi-mono.jsonl'), `${own.join('\n')}\n\n{"id":"more"}\n`)
    fs.writeFileSync(path.join(folder, 'packed.jsonl.gz'), gzipSync('{"id":"packed"}\n'))
    fs.writeFileSync(path.join(folder, 'README.md'), 'none')
  })
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

  test('adds to the recordings, plain or gzipped, and a line that is known counts once', () => {
    const known = readRecordings('')
    const all = readRecordings(folder)
    expect(all.slice(0, known.length)).toEqual(known)
    expect(all.slice(known.length)).toEqual([
      { file: path.join(folder, 'badlogic__pi-mono'), line: 3, record: { id: 'more' } },
      { file: path.join(folder, 'packed'), line: 1, record: { id: 'packed' } },
    ])
    expect(recordingsOf('badlogic__pi-mono')).toHaveLength(1)
  })

  test('is refused if it holds no recordings', () => {
    expect(() => readRecordings(path.join(ROOT, 'docs'))).toThrow(/holds no \*\.jsonl/)
    expect(() => readRecordings(path.join(folder, 'missing'))).toThrow('missing')
    expect(() => recordingsOf('packed')).toThrow('There is no recording packed')
  })
})

describe('a clone with nothing next to it', () => {
  const OUTSIDE = /shared(?:[/\\]|['"], ?['"])(?:data|seeds)\b|\.\.\/shared\b(?!\.)/
  const SELF = path.relative(ROOT, import.meta.filename)

  test('has all that is read: no test, benchmark, script or source names the shared folder, .ci/run in one line', () => {
    const found = ['src', 'test', 'bench', 'scripts', 'demo', 'examples', '.ci']
      .flatMap((folder) => textsUnder(folder))
      .concat(
        ['package.json', 'vitest.config.ts'].map((file) => [file, fs.readFileSync(path.join(ROOT, file), 'utf8')]),
      )
      .flatMap(([file, text]) => text.split('\n').flatMap((line) => (OUTSIDE.test(line) ? [file] : [])))
    expect(found.filter((file) => file !== SELF)).toEqual(['.ci/run'])
  })

  test.each(["'../../shared/data/'", "'../shared/seeds'", "resolve('shared', 'data')", '"../shared"'])(
    'finds %s',
    (text) => expect(text).toMatch(OUTSIDE),
  )

  test.each(['the shared database', "from './shared.js'", "'shared.db'", "'../state/shared.js'"])('passes %s', (text) =>
    expect(text).not.toMatch(OUTSIDE),
  )
})

function textsUnder(folder: string): [file: string, text: string][] {
  return fs.readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : textsUnder(file)
    return entry.isFile() && !/\.(?:gz|png|db|ico)$/.test(entry.name)
      ? [[file, fs.readFileSync(path.join(ROOT, file), 'utf8')]]
      : []
  })
}

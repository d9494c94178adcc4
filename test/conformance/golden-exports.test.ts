// Exports that earlier versions wrote must import for ever (D35): the same bytes, the same thread, and a context that works.
// There is a folder for each form that exports have had. The files and their facts are recorded, and never made again;
// test/golden/exports-0.1.0/README.md says why.

import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { importSnapshot, type Context } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf, textOf } from '../support/context.js'

type Recorded = Readonly<{ holds: string; bytes: number; export: string; thread: string; reference: string }>

const GOLDEN = path.join(import.meta.dirname, '../golden')
const FOLDERS = fs.readdirSync(GOLDEN).filter((name) => name.startsWith('exports-'))
const EXPORTS = FOLDERS.flatMap((folder) =>
  Object.entries(indexOf(folder)).map(([name, recorded]) => ({ file: `${folder}/${name}`, ...recorded })),
)

test('there are exports of the forms that are known', () => {
  expect(FOLDERS.toSorted()).toEqual(['exports-0.1.0', 'exports-0.2.0-dev'])
})

test.each(FOLDERS)('every file of %s is in its index, and is the one that was written', (folder) => {
  const index = indexOf(folder)
  const files = fs.readdirSync(path.join(GOLDEN, folder)).filter((name) => name.endsWith('.json'))
  expect(files.toSorted()).toEqual([...Object.keys(index), 'index.json'].toSorted())
  const changed = Object.keys(index).filter((name) => sha256(read(`${folder}/${name}`)) !== index[name]?.export)
  expect(changed).toEqual([])
})

describe.each(EXPORTS)('$file: $holds', ({ file, export: exported, thread, reference }) => {
  test('gives back its bytes, its thread and its reference bytes, from bytes, text and an object', () => {
    const bytes = read(file)
    const again = importSnapshot(bytes)
    const inputs = [bytes, textOf(bytes), again.snapshot('@t0')]
    for (const input of inputs) {
      const ctx = importSnapshot(input)
      expect(digests(ctx)).toEqual({ export: exported, thread, reference })
    }
  })

  test('goes on: a commit, edits in history, another commit, and none of them changes what was imported', () => {
    const ctx = importSnapshot(read(file), { clock: clockOf() })
    const imported = ctx.snapshot('@t0')
    ctx.user('Go on.')
    ctx.post('Noted.')
    ctx.commit()

    ctx.replace('^seq .block @first', { content: 'Replaced.', ttl: 5 })
    ctx.delete("^seq .block[content='Noted.']", { reason: 'a test' })
    ctx.assistant('Gone on.')
    ctx.commit()

    const said = ctx.thread('@t0').map((item) => item.content)
    expect(said).toEqual(expect.arrayContaining(['Replaced.', 'Gone on.']))
    expect(said).not.toContain('Noted.')
    expect(ctx.cycle).toBe(imported.cycle + 3)
    expect(digests(ctx, '@t-2')).toEqual({ export: exported, thread, reference })
    expect(digests(importSnapshot(ctx.export('@t0')))).toEqual(digests(ctx))
  })
})

function indexOf(folder: string): Readonly<Record<string, Recorded>> {
  return JSON.parse(fs.readFileSync(path.join(GOLDEN, folder, 'index.json'), 'utf8')) as Record<string, Recorded>
}

function read(file: string): Uint8Array {
  return fs.readFileSync(path.join(GOLDEN, file))
}

function digests(ctx: Context, lens: '@t0' | '@t-2' = '@t0'): Omit<Recorded, 'holds' | 'bytes'> {
  return {
    export: sha256(ctx.export(lens)),
    thread: sha256(ctx.threadBytes(lens)),
    reference: sha256(ctx.referenceBytes(lens)),
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

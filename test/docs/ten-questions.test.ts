// The command lines of docs/ten-questions.md, run in their order on the conversation of that page. Its code is run by docs.test.ts. Reads dist/, so
// `npm run build` comes first.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, expect, it } from 'vitest'

import { pctx } from '../support/pctx.js'

const ROOT = path.resolve(import.meta.dirname, '../..')
const PAGE = fs.readFileSync(path.join(ROOT, 'docs/ten-questions.md'), 'utf8')

/** A program in the package may import the package by its name. */
const FOLDER = path.join(ROOT, '.pact/ten-questions')
const env = { PACT_STORE: `sqlite:${path.join(FOLDER, 'agent.db')}` }

const lines = blocks('sh').flatMap((block) => block.trim().split('\n').map(lineOf))

beforeAll(() => {
  fs.rmSync(FOLDER, { recursive: true, force: true })
  fs.mkdirSync(FOLDER, { recursive: true })
  fs.writeFileSync(
    path.join(FOLDER, 'story.mjs'),
    `${blocks('ts')[0]!.replace('(text: string)', '(text)')}\nawait store.close()\n`,
  )
  const { status, stderr } = spawnSync(process.execPath, ['story.mjs'], { cwd: FOLDER, encoding: 'utf8' })
  expect(status, stderr).toBe(0)
})

afterAll(() => fs.rmSync(FOLDER, { recursive: true, force: true }))

it('has a command for each question', () => {
  expect(PAGE.match(/^## \d+\. /gm)).toHaveLength(10)
  expect(blocks('sh')).toHaveLength(10)
  expect(lines.length).toBeGreaterThanOrEqual(15)
})

it.each(lines)('$line', async ({ line, args, says }) => {
  const { status, stdout, stderr } = await pctx(args, { env })
  expect(status, `${line}\n${stderr}`).toBe(0)
  expect(`${stdout}${stderr}`).toContain(says)
})

function blocks(language: string): readonly string[] {
  return [...PAGE.matchAll(/```(\w+)[^\n]*\n([^]*?)```/g)]
    .filter(([, name]) => name === language)
    .map(([, , text]) => text!)
}

/** A command and, behind the arrow, a text of its output. */
function lineOf(text: string): Readonly<{ line: string; args: readonly string[]; says: string }> {
  const [line = '', says = ''] = text.split(/\s+# → /)
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []
  const [program, ...args] = words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'))
  if (program !== 'pctx') throw new Error(`The line does not begin with pctx: ${text}`)
  return { line, args, says }
}

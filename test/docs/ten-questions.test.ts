// The command lines of docs/ten-questions.md, run in their order on the conversation of that page. Its code is run by docs.test.ts. Reads dist/, so
// `npm run build` comes first.

import fs from 'node:fs'

import { afterAll, beforeAll, expect, it } from 'vitest'

import { pctx } from '../support/pctx.js'
import { blocks, makeConversation, PAGE } from '../support/ten-questions.js'

const lines = blocks('sh').flatMap((block) => block.trim().split('\n').map(lineOf))

let folder = ''
let env = {}
beforeAll(() => {
  const made = makeConversation('ten-questions')
  folder = made.folder
  env = { PACT_STORE: made.address }
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

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

/** A command and, behind the arrow, a text of its output. */
function lineOf(text: string): Readonly<{ line: string; args: readonly string[]; says: string }> {
  const [line = '', says = ''] = text.split(/\s+# → /)
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []
  const [program, ...args] = words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'))
  if (program !== 'pctx') throw new Error(`The line does not begin with pctx: ${text}`)
  return { line, args, says }
}

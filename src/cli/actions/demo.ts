import fs from 'node:fs'
import path from 'node:path'

import { PactError } from '../../errors/index.js'
import { oneLine } from '../../core/index.js'
import type { Operation } from '../../edit/index.js'
import { commitOperations, importFile, makeContext } from '../../commands/index.js'
import { DEMO_TURNS } from '../demo-turns.js'
import { text } from '../given.js'
import type { Action, Call } from '../spec.js'
import type { TextLine } from '../terminal.js'

const ID = 'demo-support'

export const demo: Action = async (call) => {
  const made = [...(await play(call)), ...(await recordings(call))]
  const program = call.terminal.streams.env['PACT_PROGRAM'] ?? 'pctx'
  const where = text(call.options, 'store')
  const store = where === undefined ? '' : ` --store ${where}`
  const shown = made.find((id) => id !== ID) ?? ID
  const commands = [
    [`${program} log ${ID}${store}`, 'what each commit changed, and why'],
    [`${program} show ${shown}${store}`, 'the tree; add @t-1 for one commit ago'],
    [`${program} prefix ${ID}${store} --for anthropic`, 'what of a request a cache can use again, and what ended that'],
  ] as const
  const width = Math.max(...commands.map(([line]) => line.length))
  await call.answer({ contexts: made, commands: commands.map(([line]) => line) }, () => [
    [
      [
        'plain',
        `In ${oneLine(call.address())} there are now ${made.map((id) => oneLine(id)).join(', ')}. Three things to try:`,
      ],
    ],
    [],
    ...commands.map(([line, about]): TextLine => [
      ['bold', `  ${oneLine(line).padEnd(width)}`],
      ['dim', `   ${about}`],
    ]),
  ])
}

/** Commits turn by turn, as an agent would; where it was done before, nothing is done. */
async function play(call: Call): Promise<readonly string[]> {
  const pool = await call.pool()
  try {
    await makeContext(pool, { id: ID })
  } catch (error) {
    if (PactError.is(error) && error.code === 'E_CONFLICT') return [ID]
    throw error
  }
  for (const [cycle, operations] of DEMO_TURNS.entries()) {
    await commitOperations(pool, { id: ID, base: cycle, operations: operations as unknown as readonly Operation[] })
  }
  return [ID]
}

async function recordings(call: Call): Promise<readonly string[]> {
  const ids: string[] = []
  for (const file of call.rest) {
    const id = `demo-${path.basename(file).replace(/\.jsonl?$/, '')}`
    const { contexts } = await importFile(await call.store(), {
      chunks: fs.createReadStream(file),
      name: id,
      id,
      update: true,
    })
    ids.push(...contexts.filter(({ status }) => status !== 'unreadable').map((each) => each.id))
  }
  return ids
}

// The recordings that strategies are replayed on, with a budget for each: a share of the tokens of the whole conversation.

import path from 'node:path'

import { Messages, readMessage, readSystem, withoutLoose } from '../../dist/cost/index.js'
import { o200k } from '../../dist/tokens/index.js'
import { readRecordings, recordingsOf } from '../../test/recordings/read.mjs'

export const SETS = [
  { name: 'pi-mono', file: 'badlogic__pi-mono', share: 0.25 },
  { name: 'tau-bench', file: 'sierra-research__tau-bench', share: 0.5 },
  { name: 'SWE-agent', file: 'SWE-agent__SWE-agent', share: 0.5 },
]

/** The sets of the repository; those of the folder that PACT_DATA names follow, at half of each conversation. */
export function readSets(folder = process.env['PACT_DATA'] ?? '') {
  const own = SETS.map((set) => ({
    ...set,
    sessions: recordingsOf(set.file).map((each) => sessionOf(each.record, set.share)),
  }))
  if (folder === '') return own
  const added = new Map()
  for (const { file, record } of readRecordings(folder)) {
    // Recordings of the repository have no folder in their name.
    const name = path.basename(file)
    if (name === file) continue
    const session = sessionOf(record, 0.5)
    if (session.replies > 1) added.set(name, [...(added.get(name) ?? []), session])
  }
  return [...own, ...[...added].map(([name, sessions]) => ({ name, file: name, share: 0.5, sessions }))]
}

/** A conversation with the tokens of its messages, the texts of its blocks, and its budget. */
export function sessionOf(record, share) {
  const texts = new Map()
  const messages = new Messages(
    (text) => o200k(text, {}),
    (block, text) => texts.set(block, text),
  )
  const read = [readSystem(record), ...record.messages.map(readMessage)].filter((each) => each !== undefined)
  const said = withoutLoose(read)
  const conversation = said.map((message) => messages.of(message))
  const total = conversation.reduce((sum, { tokens }) => sum + tokens, 0)
  const replies = conversation.filter(({ role }) => role === 'assistant').length
  return { id: record.id, messages, conversation, texts, said, total, replies, budget: Math.round(total * share) }
}

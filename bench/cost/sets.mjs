// The recordings that strategies are replayed on, with a budget for each: a share of the tokens of the whole conversation.

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
  const names = new Set(readRecordings('').map(({ file }) => file))
  const files = Map.groupBy(
    readRecordings(folder).filter(({ file }) => !names.has(file)),
    ({ file }) => file,
  )
  const others = [...files].map(([file, recordings]) => {
    const name = file.split(/[\\/]/).at(-1)
    const sessions = recordings.map(({ record }) => sessionOf(record, 0.5)).filter(({ replies }) => replies > 1)
    return { name, file: name, share: 0.5, sessions }
  })
  return [...own, ...others.filter(({ sessions }) => sessions.length > 0)]
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

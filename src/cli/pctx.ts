#!/usr/bin/env node
// The program itself: gives the streams of the process to `main`.

import fs from 'node:fs'

import { main } from './main.js'
import { COMMANDS } from './table.js'

// Users of pctx need no warning about Node's own SQLite.
const warn = process.emitWarning.bind(process) as (...args: readonly unknown[]) => void
process.emitWarning = (...args: readonly unknown[]): void => {
  if (!String(args[0]).startsWith('SQLite is an experimental feature')) warn(...args)
}

// Not awaited: the modules that `main` loads import this one.
void main(process.argv.slice(2), process, { version: versionOf(), specs: COMMANDS }).then((status) => {
  process.exitCode = status
})

/** The version of the package that this file is in, wherever it was put by the build. */
function versionOf(): string {
  let folder = new URL('.', import.meta.url)
  for (;;) {
    const file = new URL('package.json', folder)
    if (fs.existsSync(file)) {
      const manifest = JSON.parse(fs.readFileSync(file, 'utf8')) as { name?: string; version?: string }
      if (manifest.name === 'pact-context') return manifest.version ?? ''
    }
    const parent = new URL('..', folder)
    // The root; on Windows that is a drive.
    if (parent.href === folder.href) return ''
    folder = parent
  }
}

// Compiles the examples of the documentation as a strict project of a user's would, all in one go.

import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import type { Example, ExampleHome } from './doc-examples.js'

const CONFIG = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    skipLibCheck: true,
  },
}

/** Gives the compiler's complaints; each names the document and the line in it. */
export function typeFaults(examples: readonly Example[], home: ExampleHome, root: string): Promise<readonly string[]> {
  const folder = path.join(home.folder, 'types')
  fs.mkdirSync(folder)
  const documents = new Map<string, string>()
  for (const [at, { file, source }] of examples.entries()) {
    // A module of its own even where nothing is imported; its lines are those of the document.
    fs.writeFileSync(path.join(folder, `${at}.mts`), `${source}\nexport {}\n`)
    documents.set(`${at}.mts`, file)
  }
  fs.writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(CONFIG))
  const compiler = path.join(root, 'node_modules/typescript7/bin/tsc')
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [compiler, '-p', folder, '--pretty', 'false'],
      { cwd: folder },
      (error, stdout, stderr) => {
        if (error === null) return resolve([])
        const lines = `${stdout}${stderr}`.split('\n').filter((line) => line !== '')
        const named = lines.map((line) =>
          line.replace(/^(\d+\.mts)\((\d+),/, (_, name, at) => `${documents.get(name)}:${at}(`),
        )
        resolve(named.length === 0 ? [error.message] : named)
      },
    )
  })
}

// The program of the processes that write, in one file: Node takes half a millisecond for each module that it loads, the library has hundreds, and
// there are hundreds of processes. The process that starts them makes it, and it goes with that process.

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

// It comes with Vite, in the version that package.json pins.
import { rolldown } from 'rolldown'

/**
 * Joins a module and all that it imports; packages are loaded from where they are installed.
 * @param {URL} module
 * @returns {Promise<string>} the file
 */
export async function inOneFile(module) {
  const input = fileURLToPath(module)
  const root = path.dirname(path.dirname(fileURLToPath(new URL('..', import.meta.url))))
  const cache = path.join(root, 'node_modules/.cache/pact-programs')
  fs.mkdirSync(cache, { recursive: true })
  const file = path.join(fs.mkdtempSync(path.join(cache, 'of-')), path.basename(input))
  const bundle = await rolldown({ input, platform: 'node', external: (id) => !/^[./]/.test(id) })
  await bundle.write({ file, format: 'esm', codeSplitting: false })
  process.once('exit', () => fs.rmSync(path.dirname(file), { recursive: true, force: true }))
  return file
}

// Runs the demo again and again in a process of its own, on the built package: loading the package is most of what a run
// costs. Started by test/docs/demo.test.ts, which says for each run the arguments, the environment and the width of a terminal.

import { pathToFileURL } from 'node:url'

/** @typedef {{ args: readonly string[], env: Record<string, string>, width?: number }} Order */

const script = process.argv[2] ?? ''
/** Texts of the run under way. */
let stdout = ''
let stderr = ''
let runs = 0

process.on('message', (message) => void run(/** @type {Order} */ (message)))

/** @param {Order} order */
async function run({ args, env, width }) {
  stdout = ''
  stderr = ''
  process.argv = [process.execPath, script, ...args]
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  Object.assign(process.stdout, { isTTY: width !== undefined, columns: width })
  process.stdout.write = (text) => ((stdout += String(text)), true)
  process.stderr.write = (text) => ((stderr += String(text)), true)
  process.exitCode = undefined
  runs += 1
  try {
    // Another address is another module: the entry opens once more, with the rooms behind it as they are.
    await import(`${pathToFileURL(script).href}?run=${runs}`)
  } catch (error) {
    stderr += String(error)
    process.exitCode = 1
  }
  process.stdout.removeAllListeners('error')
  process.send?.({ status: process.exitCode ?? 0, stdout, stderr })
  process.exitCode = undefined
}

// One row in a process of its own: `run.mjs` forks this with the row's file and number, and gets its lines by message.

import { loadEngine } from './engine.mjs'
import { GROUPS } from './rows/index.mjs'

const [group, index, mode] = process.argv.slice(2)
try {
  const { rows } = await GROUPS[group]()
  const lines = await rows[Number(index)].run({ engine: await loadEngine(), quick: mode === 'quick' })
  await send({ lines })
} catch (error) {
  await send({ error: error.stack ?? String(error) })
}
// Some peers leave timers behind.
process.exit(0)

function send(message) {
  return new Promise((resolve) => process.send(message, resolve))
}

// `thread` and `export`: exactly the bytes of the call on standard output, and nothing else.

import { readExport, readThread } from '../../commands/index.js'
import { lens, word } from '../given.js'
import type { Action } from '../spec.js'

export const thread: Action = async (call) => {
  const { bytes } = await readThread(await call.desk(), { id: word(call, 0), ...lens(call, 1) })
  await call.terminal.write(bytes)
}

export const exported: Action = async (call) => {
  const { bytes } = await readExport(await call.desk(), { id: word(call, 0), ...lens(call, 1) })
  await call.terminal.write(bytes)
}

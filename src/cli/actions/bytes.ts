// `thread` and `export`: exactly the bytes of the call on standard output, and nothing else.

import { readExport, readThread } from '../../commands/index.js'
import { inputOf } from '../endpoint-input.js'
import type { Action } from '../spec.js'

export const thread: Action = async (call) => {
  const { bytes } = await readThread(await call.pool(), inputOf(call, 'thread', ['id', 'lens']))
  await call.terminal.write(bytes)
}

export const exported: Action = async (call) => {
  const { bytes } = await readExport(await call.pool(), inputOf(call, 'export', ['id', 'lens']))
  await call.terminal.write(bytes)
}

// A question before something that cannot be taken back: on a terminal only, so that scripts are never kept waiting.

import type { Readable } from 'node:stream'

import type { Call } from './spec.js'

/** True if the user says yes, or if there is no user to ask. */
export async function isConfirmed(call: Call, question: string): Promise<boolean> {
  const stdin: Readable & { isTTY?: boolean } = call.stdin()
  if (stdin.isTTY !== true || !call.terminal.isTTY || call.json !== undefined) return true
  const { createInterface } = await import('node:readline')
  const lines = createInterface({ input: stdin, output: call.terminal.streams.stderr })
  return new Promise((resolve) => {
    lines.on('close', () => resolve(false))
    lines.question(`${question} (y/N) `, (answer) => {
      resolve(/^y(?:es)?$/i.test(answer.trim()))
      lines.close()
    })
  })
}

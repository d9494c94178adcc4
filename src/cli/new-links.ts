// Enter in the terminal of a server prints another link, since each works once.

import type { Call } from './spec.js'

/** Until the returned function is called. Only a terminal is read: a pipe may hold something for another program. */
export function printNewLinks(call: Call, newLink: () => string): () => void {
  if (!canPrint(call)) return () => {}
  const { stdin } = call.terminal.streams
  const print = (): void => void call.terminal.lines([[['bold', newLink()]]])
  stdin.on('data', print)
  return () => {
    stdin.off('data', print)
    stdin.pause()
  }
}

/** The line about the keys. */
export function keyWords(call: Call): string {
  return canPrint(call) ? 'Enter prints another link, Ctrl-C ends it.' : 'Ctrl-C ends it.'
}

function canPrint({ terminal }: Call): boolean {
  const { stdin, env } = terminal.streams
  return 'isTTY' in stdin && stdin.isTTY === true && (env['CI'] ?? '') === ''
}

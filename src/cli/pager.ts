// Long output on a terminal goes through the user's pager; without one it is written as it is.

import { spawn } from 'node:child_process'

/** Shows a text in a pager; false where there is none, so that it has to be written otherwise. */
export async function page(text: string, env: Readonly<Record<string, string | undefined>>): Promise<boolean> {
  const pager = env['PAGER'] ?? 'less -R'
  if (pager === '' || pager === 'cat') return false
  // Colours stay, and a text that fits on the screen does not stop there.
  const settings = { ...env, LESS: env['LESS'] ?? 'FRX', LV: env['LV'] ?? '-c' }
  return new Promise((resolve) => {
    // PAGER is a command with its options, as the shell reads it.
    const child = spawn(pager, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env: settings })
    child.on('error', () => resolve(false))
    child.on('close', (code) => resolve(code !== 127 && code !== 126))
    // Whoever has seen enough ends the pager before it has read everything.
    child.stdin.on('error', () => undefined)
    child.stdin.end(text)
  })
}

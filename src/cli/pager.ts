// The user's pager, for long output on a terminal.

import { spawn } from 'node:child_process'

type Environment = Readonly<Record<string, string | undefined>>

/** The command of the pager; undefined for none. Windows comes with none that shows colours. */
export function pagerOf(env: Environment, platform: NodeJS.Platform = process.platform): string | undefined {
  const pager = env['PAGER'] ?? (platform === 'win32' ? '' : 'less -R')
  return pager === '' || pager === 'cat' ? undefined : pager
}

/** Shows a text in a pager; false if there is none. */
export async function page(text: string, env: Environment): Promise<boolean> {
  const pager = pagerOf(env)
  if (pager === undefined) return false
  // Colours stay, and a text that fits on the screen does not stop there.
  const settings = { ...env, LESS: env['LESS'] ?? 'FRX', LV: env['LV'] ?? '-c' }
  return new Promise((resolve) => {
    // PAGER is a command with its options, as the shell reads it.
    const child = spawn(pager, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env: settings })
    child.on('error', () => resolve(false))
    child.on('close', (code) => resolve(code !== 127 && code !== 126))
    // A user may end the pager before it has read everything.
    child.stdin.on('error', () => undefined)
    child.stdin.end(text)
  })
}

// Opens a link in the user's browser: never in CI, never from a pipe, and without a word if there is no browser.

import { spawn } from 'node:child_process'

import type { Terminal } from './terminal.js'

/** The program that opens a link, and its arguments; undefined if none should run. `BROWSER` names another program, or `none`. */
export function browserCommand(
  { streams: { env }, isTTY }: Pick<Terminal, 'streams' | 'isTTY'>,
  link: string,
  platform: NodeJS.Platform = process.platform,
): readonly [program: string, ...args: string[]] | undefined {
  const { BROWSER: browser = '', CI: ci = '' } = env
  if (browser === 'none' || (ci !== '' && ci !== 'false' && ci !== '0')) return undefined
  if (browser !== '') return [browser, link]
  if (!isTTY) return undefined
  if (platform === 'darwin') return ['open', link]
  // `start` takes the first quoted argument for a title.
  return platform === 'win32' ? ['cmd', '/c', 'start', '""', link.replaceAll('&', '^&')] : ['xdg-open', link]
}

export function openBrowser(terminal: Terminal, link: string): void {
  const [program, ...args] = browserCommand(terminal, link) ?? []
  if (program === undefined) return
  const child = spawn(program, args, { stdio: 'ignore', detached: true, windowsVerbatimArguments: true })
  // The link is printed too.
  child.on('error', () => {})
  child.unref()
}

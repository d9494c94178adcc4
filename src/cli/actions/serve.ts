import { flag, number, text } from '../given.js'
import { keyWords, printNewLinks } from '../new-links.js'
import { openBrowser } from '../open-browser.js'
import type { Action } from '../spec.js'

const PORT = 7878

export const serve: Action = async (call) => {
  const { serveStore } = await import('../serving.js')
  const readOnly = flag(call.options, 'readOnly')
  // Other users of the machine can see a token in the arguments, so it may come from the environment.
  const token = text(call.options, 'token') ?? call.terminal.streams.env['PACT_TOKEN']
  const at = text(call.options, 'at')
  const {
    url,
    link: plain,
    newLink,
    close,
  } = await serveStore(call.address(), {
    host: text(call.options, 'host'),
    port: number(call.options, 'port') ?? PORT,
    token: token === '' ? undefined : token,
    readOnly,
    cache: number(call.options, 'cache'),
  })
  const leading = (to: string): string => (at === undefined ? to : `${to}&at=${encodeURIComponent(at)}`)
  const link = leading(plain)
  if (flag(call.options, 'open')) openBrowser(call.terminal, link)
  await call.answer({ url, link }, () => [
    [
      ['plain', `${call.address()} at `],
      ['place', url],
      ['dim', readOnly ? ', to be read only' : ''],
    ],
    [
      ['plain', 'Open this in your browser; it works once: '],
      ['bold', link],
    ],
    [['dim', keyWords(call)]],
  ])
  const stop = printNewLinks(call, () => leading(newLink()))
  await ended(call.interruptible())
  stop()
  await close()
  return 0
}

/** Waits for Ctrl-C or SIGTERM. */
export function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
    process.once('SIGTERM', () => resolve())
  })
}

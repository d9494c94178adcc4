import { flag, number, text } from '../given.js'
import type { Action } from '../spec.js'
import { UsageError } from '../usage-error.js'
import { ended } from './serve.js'

export const mcp: Action = async (call) => {
  const { serveMcp } = await import('../serving.js')
  const { options, terminal } = call
  const isHttp = flag(options, 'http')
  for (const name of ['port', 'host', 'token']) {
    if (!isHttp && options[name] !== undefined) throw new UsageError(`--${name} goes with --http.`)
  }
  const write = flag(options, 'write')
  const allow = (options['allow'] ?? []) as readonly 'redact'[]
  if (allow.length > 0 && !write) throw new UsageError('--allow goes with --write.')
  const token = text(options, 'token') ?? terminal.streams.env['PACT_TOKEN']
  const serving = await serveMcp(call.address(), {
    port: isHttp ? (number(options, 'port') ?? 0) : undefined,
    host: text(options, 'host'),
    token: token === '' ? undefined : token,
    write,
    allow,
  })
  // Over stdio, stdout belongs to the protocol.
  const { url, token: used } = serving
  if (url !== undefined) {
    await call.answer({ url, token: used }, () => [
      [
        ['plain', `${call.address()} for agents at `],
        ['place', url],
        ['dim', write ? '' : ', to be read only'],
      ],
      [['plain', `Authorization: Bearer ${used ?? ''}`]],
      [['dim', 'Ctrl-C ends it.']],
    ])
  }
  await (isHttp ? ended(call.interruptible()) : untilInputEnds(call.interruptible()))
  await serving.close()
  return 0
}

/** Over stdio the client ends the server by closing its input. */
function untilInputEnds(signal: AbortSignal): Promise<void> {
  return Promise.race([
    ended(signal),
    new Promise<void>((resolve) => {
      process.stdin.once('end', resolve)
      process.stdin.once('close', resolve)
    }),
  ])
}

// `thread` and `export` write exactly the bytes of the call, and nothing else. `render` writes a request, `prefix` compares two.

import { oneLine } from '../../core/index.js'
import { PactError } from '../../errors/index.js'
import { readExport, readPrefix, readThread, renderRequest, sentRequest } from '../../commands/index.js'
import { inputOf } from '../endpoint-input.js'
import { count, flag } from '../given.js'
import { escapeJson } from '../json-out.js'
import type { Action } from '../spec.js'
import type { TextLine } from '../terminal.js'

export const thread: Action = async (call) => {
  const { bytes } = await readThread(await call.pool(), inputOf(call, 'thread', ['id', 'lens']))
  await call.terminal.write(bytes)
}

export const exported: Action = async (call) => {
  const { bytes } = await readExport(await call.pool(), inputOf(call, 'export', ['id', 'lens']))
  await call.terminal.write(bytes)
}

export const render: Action = async (call) => {
  const { terminal } = call
  const options = {
    ...(flag(call.options, 'cache') ? { cache: true } : {}),
    ...(call.options['repair'] === false ? { repair: false } : {}),
  }
  const rendered = await renderRequest(await call.pool(), { ...inputOf(call, 'render', ['id', 'lens']), options })
  if (call.json !== undefined) return call.answer(rendered, () => [])
  // A pipe gets the exact bytes; for a terminal, control characters are escaped.
  await terminal.write(terminal.isTTY ? `${escapeJson(rendered.text)}\n` : `${rendered.text}\n`)
  if (rendered.repairs.length > 0 && !call.isQuiet) {
    terminal.note('warn', `${count(rendered.repairs.length, 'repair')} so that the provider takes it:`)
    for (const repair of rendered.repairs.slice(0, 20)) terminal.note('dim', `  ${oneLine(repair, 160)}`)
  }
}

export const sent: Action = async (call) => {
  const { terminal } = call
  const answer = await sentRequest(await call.pool(), inputOf(call, 'sentRequest', ['id', 'attempt']))
  if (answer.text === undefined) {
    const { reason = 'not-kept', message = 'This request cannot be given again.' } = answer.why ?? {}
    throw new PactError('E_CONFLICT', message, { reason, attempt: answer.attempt })
  }
  if (call.json !== undefined) return call.answer(answer, () => [])
  await terminal.write(terminal.isTTY ? `${escapeJson(answer.text)}\n` : answer.text)
}

export const prefix: Action = async (call) => {
  const pool = await call.pool()
  const input = inputOf(call, 'prefix', ['id', 'a', 'b'])
  // Between two commands no cycle is open, so the last two commits are compared.
  const { cycle } = await pool.state(input.id)
  const { a = cycle > 1 ? '@t-1' : '@t0', b = cycle > 1 || input.a !== undefined ? '@t0' : 'preview' } = input
  const options = flag(call.options, 'cache') ? { cache: true } : undefined
  const found = await readPrefix(pool, { ...input, a, b, options })
  await call.answer(found, () => {
    const { bytes, sizes, first, params = { tokens: 0, total: 0, lost: 0 } } = found
    // The tools and the system text in the params are read first.
    const [tokens, total] = [found.tokens + params.tokens, found.total + params.total]
    const share = total === 0 ? 100 : Math.floor((tokens / total) * 100)
    const size = `${count(tokens)} of ${count(total, 'token')}, ${count(bytes)} of ${count(sizes.b, 'byte')}`
    const head: TextLine = [
      ['bold', `${share} %`],
      ['plain', ` is a stable prefix: ${size}`],
    ]
    if (first === undefined) return [head, [['good', 'The later one only adds to the earlier one.']]]
    const { byte, item, cause, lost } = first
    return [
      head,
      [
        ['bad', `It ends at byte ${count(byte)}, item ${item}: `],
        ['plain', oneLine(cause)],
      ],
      [
        [
          'dim',
          `${count(lost + params.lost, 'token')} of the earlier one cannot be used again; it had ${count(sizes.a, 'byte')}.`,
        ],
      ],
    ]
  })
}

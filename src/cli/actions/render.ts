import { oneLine } from '../../core/index.js'
import { renderRequest } from '../../commands/index.js'
import { inputOf } from '../endpoint-input.js'
import { count, flag } from '../given.js'
import { escapeJson } from '../json-out.js'
import type { Action } from '../spec.js'

export const run: Action = async (call) => {
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

import { oneLine, type JsonObject } from '../../context/index.js'
import { renderRequest, type FormatName } from '../../commands/index.js'
import { count, flag, lens, text, word } from '../given.js'
import { escapeJson } from '../json-out.js'
import type { Action } from '../spec.js'

export const run: Action = async (call) => {
  const { options, terminal } = call
  const given: JsonObject = {
    ...(flag(options, 'cache') ? { cache: true } : {}),
    ...(options['repair'] === false ? { repair: false } : {}),
  }
  const input = { id: word(call, 0), for: text(options, 'for') as FormatName, ...lens(call, 1), options: given }
  const rendered = await renderRequest(await call.desk(), input)
  if (call.json !== undefined) return call.answer(rendered, () => [])
  // A terminal gets the same JSON with what could steer it spelled out; a pipe the very bytes.
  await terminal.write(terminal.isTTY ? `${escapeJson(rendered.text)}\n` : `${rendered.text}\n`)
  if (rendered.repairs.length > 0 && !call.isQuiet) {
    terminal.note('warn', `${count(rendered.repairs.length, 'repair')} so that the provider takes it:`)
    for (const repair of rendered.repairs.slice(0, 20)) terminal.note('dim', `  ${oneLine(repair, 160)}`)
  }
}

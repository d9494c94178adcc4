import { oneLine, type Lens } from '../../context/index.js'
import { readPrefix, type FormatName } from '../../commands/index.js'
import { count, flag, text, word } from '../given.js'
import type { Action } from '../spec.js'
import type { TextLine } from '../terminal.js'

export const run: Action = async (call) => {
  const desk = await call.desk()
  const id = word(call, 0)
  // Between commands nothing is open, so what was committed last is compared with what was before.
  const { cycle } = await desk.state(id)
  const [, a = cycle > 1 ? '@t-1' : '@t0', b = cycle > 1 || call.arguments[1] !== undefined ? '@t0' : 'preview'] =
    call.arguments
  const format = text(call.options, 'for')
  const input = {
    id,
    a: a as Lens,
    b: b as Lens,
    ...(format === undefined ? {} : { for: format as FormatName }),
    ...(flag(call.options, 'cache') ? { options: { cache: true } } : {}),
  }
  const prefix = await readPrefix(desk, input)
  await call.answer(prefix, () => {
    const { bytes, tokens, total, sizes, first } = prefix
    const share = total === 0 ? 100 : Math.floor((tokens / total) * 100)
    const lines: TextLine[] = [
      [
        ['bold', `${share} %`],
        [
          'plain',
          ` is a stable prefix: ${count(tokens)} of ${count(total, 'token')}, ${count(bytes)} of ${count(sizes.b, 'byte')}`,
        ],
      ],
    ]
    if (first === undefined) lines.push([['good', 'The later one only adds to the earlier one.']])
    else {
      const { byte, item, cause, lost } = first
      lines.push([
        ['bad', `It ends at byte ${count(byte)}, item ${item}: `],
        ['plain', oneLine(cause)],
      ])
      lines.push([
        ['dim', `${count(lost, 'token')} of the earlier one cannot be used again; it had ${count(sizes.a, 'byte')}.`],
      ])
    }
    return lines
  })
}

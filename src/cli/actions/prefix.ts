import { oneLine } from '../../core/index.js'
import { readPrefix } from '../../commands/index.js'
import { inputOf } from '../endpoint-input.js'
import { count, flag } from '../given.js'
import type { Action } from '../spec.js'
import type { TextLine } from '../terminal.js'

export const run: Action = async (call) => {
  const pool = await call.pool()
  const input = inputOf(call, 'prefix', ['id', 'a', 'b'])
  // Between two commands no cycle is open, so the last two commits are compared.
  const { cycle } = await pool.state(input.id)
  const { a = cycle > 1 ? '@t-1' : '@t0', b = cycle > 1 || input.a !== undefined ? '@t0' : 'preview' } = input
  const options = flag(call.options, 'cache') ? { cache: true } : undefined
  const prefix = await readPrefix(pool, { ...input, a, b, options })
  await call.answer(prefix, () => {
    const { bytes, tokens, total, sizes, first } = prefix
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
      [['dim', `${count(lost, 'token')} of the earlier one cannot be used again; it had ${count(sizes.a, 'byte')}.`]],
    ]
  })
}

import type { Lens } from '../../core/index.js'
import type { OutlineOptions } from '../../reports/index.js'
import type { Snapshot } from '../../context/index.js'
import { clipLine } from '../columns.js'
import { flag, number, word } from '../given.js'
import type { Action } from '../spec.js'
import type { TextLine } from '../terminal.js'

export const show: Action = async (call) => {
  const pool = await call.pool()
  const at = (call.arguments[1] ?? '@t0') as Lens
  const isAll = flag(call.options, 'all')
  const segments = number(call.options, 'segments')
  const preview = number(call.options, 'preview')
  const options: OutlineOptions = {
    ...(isAll ? { segments: Infinity, full: Infinity, children: Infinity, lines: Infinity } : {}),
    ...(segments === undefined ? {} : { segments, full: segments }),
    ...(preview === undefined ? {} : { preview }),
  }
  const read = (snapshot: Snapshot): readonly [object, ReturnType<Snapshot['outline']>] => [
    call.json === undefined ? {} : snapshot.toJSON(),
    call.json === undefined ? snapshot.outline(options) : [],
  ]
  const [json, outline] = await pool.read({ id: word(call, 0) }, (ctx) => read(ctx.snapshot(at)))
  const { draft } = await pool.state(word(call, 0))
  const open: TextLine = [['dim', 'The open cycle has saved edits: pctx draft shows them.']]
  const lines = draft === true ? [...outline, open] : outline
  await call.answer(json, () => lines.map((line) => clipLine(line, call.terminal.width)))
}

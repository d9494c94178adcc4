// Controls behind a selector (D23): known ones are checked, so that a slip is an error; vendors' own are kept as they are.

import type { Control, TimePrefix } from '../ast.js'
import { CONTROLS } from '../names.js'
import { quoted } from '../selector-error.js'
import { isTimeName } from './time.js'
import { isNameStart, type Reader } from './reader.js'
import { suggestNames } from '../../errors/index.js'

const ORDERS = ['pre', 'post', 'bfs', 'path', 'turn', 'turn:asc', 'turn:desc']
const MODES = ['pairwise', 'latest', 'union']

/** Reads one control, the place being at its `@`. */
export function parseControl(reader: Reader, time: TimePrefix | undefined, before: readonly Control[]): Control {
  const start = reader.pos
  const control = readControl(reader)
  checkControl(reader, control, time)
  const isKnown = CONTROLS.includes(control.name)
  const twin = isKnown ? before.find((each) => family(each.name) === family(control.name)) : undefined
  if (twin !== undefined) {
    const also = twin.name === control.name ? 'twice' : `together with "@${twin.name}"`
    reader.fail(`"@${control.name}" is written ${also}; one of them has to go.`, start, reader.pos)
  }
  return control
}

function readControl(reader: Reader): Control {
  const start = reader.pos
  if (reader.take('@*')) return { name: '*', value: undefined, span: reader.spanFrom(start) }
  reader.pos = reader.nameEnd(start + 1)
  const name = reader.slice(start + 1)
  if (isTimeName(name) || (name === 't' && reader.char === '+')) {
    reader.fail(`A time prefix such as ${quoted(`@${name}`)} comes first in a selector.`, start, reader.pos)
  }
  if (!isNameStart(name, 0)) reader.fail('The name of a control is missing behind "@".', start, reader.pos)
  if (!reader.take('=')) return { name, value: undefined, span: reader.spanFrom(start) }
  const from = reader.pos
  let end = reader.nameEnd(from)
  while (end > from && isInValue(reader.charAt(end))) end = reader.nameEnd(end + 1)
  reader.pos = end
  const value = reader.slice(from)
  if (value === '') {
    const found = reader.tokenAt(from)
    const instead = found === '' ? '' : `, not ${quoted(found)}`
    reader.fail(`A word or number follows "@${name}="${instead}.`, from, from + found.length)
  }
  return { name, value, span: reader.spanFrom(start) }
}

/** The signs that join names to one value: `turn:asc`, `1.5`. */
function isInValue(char: string): boolean {
  return char === ':' || char === '.'
}

function checkControl(reader: Reader, { name, value, span }: Control, time: TimePrefix | undefined): void {
  switch (name) {
    case 'limit':
    case 'skip':
      if (value === undefined || !/^\d{1,15}$/.test(value)) {
        reader.fail(`"@${name}" takes a number from 0 up: @${name}=10.`, span.start, span.end)
      }
      return
    case 'order':
      return checkChoice(reader, name, value, ORDERS, span)
    case 'mode':
      if (time?.kind !== 'range') {
        reader.fail('"@mode" compares snapshots and needs a range of them: @t-3..@t0.', span.start, span.end)
      }
      return checkChoice(reader, name, value, MODES, span)
    case 'first':
    case 'unique':
      if (value !== undefined) reader.fail(`"@${name}" takes no value.`, span.start, span.end)
  }
}

function checkChoice(
  reader: Reader,
  name: string,
  value: string | undefined,
  choices: readonly string[],
  span: Control['span'],
): void {
  if (value !== undefined && choices.includes(value)) return
  const near = value === undefined ? undefined : suggestNames(value, choices)
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`
  reader.fail(`"@${name}" takes one of ${choices.join(', ')}.${hint}`, span.start, span.end)
}

/** `@first` is `@limit=1`, so the two exclude each other. */
function family(name: string): string {
  return name === 'first' ? 'limit' : name
}

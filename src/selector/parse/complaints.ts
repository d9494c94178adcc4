// Sentences about text that the parser cannot use in a step, with a suggestion.

import type { Span } from '../ast.js'
import { quoted } from '../selector-error.js'
import { adviseForeign } from './foreign-syntax.js'
import { legacyEnd } from '../advice/legacy-token.js'
import { isSpace, type Reader } from './reader.js'
import { suggestNames } from '../../errors/index.js'
import { CALLED, PREDICATES } from './token.js'
import { ATTRIBUTES, KINDS, ROLES } from '../names.js'

const EXISTING = `The predicates are ${PREDICATES.map((name) => (CALLED.includes(name.slice(1)) ? `${name}(1)` : name)).join(' ')}.`
const POSITION = 'A place to insert at is no selector; only insert and move take one.'

/** Explains why no step can start here. */
export function failStep(reader: Reader): never {
  const start = reader.pos
  const end = legacyEnd(reader)
  if (end !== undefined) {
    const token = reader.slice(start, end)
    const hint = token === 'within(' ? ' A scope and what is in it are a chain, as in d1 .block.' : ''
    const sentence = `${quoted(token)} is a token of an older draft.${hint}`
    reader.failAs('E_SELECTOR_LEGACY', sentence, start, end)
  }
  const found = reader.tokenAt(start)
  reader.fail(explainStart(reader, found), start, start + found.length)
}

export function failPredicate(reader: Reader, start: number): never {
  const written = reader.slice(start)
  reader.fail(`Unknown predicate ${quoted(written)}${hintFor(reader, start, written)}`, start, reader.pos)
}

/** A suggestion for a predicate that does not exist. */
function hintFor(reader: Reader, start: number, written: string): string {
  const advice = adviseForeign(written.slice(1))
  if (advice !== undefined) return `; ${advice}. ${EXISTING}`
  const depth = /(?:^|[\s,(>])d(\d+)$/.exec(reader.slice(Math.max(0, start - 20), start))?.[1]
  const other = /^:d?(\d+)$/.exec(written)?.[1]
  if (depth !== undefined && other !== undefined) return `; a range is d${depth}..d${other}.`
  const near = suggestNames(written, PREDICATES)
  return near === undefined ? `. ${EXISTING}` : `. Did you mean "${near}"?`
}

/**
 * Suggests a predicate for the name before this parenthesis, which was read as a part of a bare token (D15). Returns if no predicate is
 * near and no other language has that name.
 */
export function offerPredicate(reader: Reader): void {
  const start = reader.text.lastIndexOf(':', reader.pos)
  if (start === -1 || reader.nameEnd(start + 1) !== reader.pos) return
  const written = quoted(reader.slice(start, reader.pos + 1))
  const advice = adviseForeign(reader.slice(start + 1))
  if (advice !== undefined) reader.fail(`Unknown predicate ${written}; ${advice}. ${EXISTING}`, start, reader.pos + 1)
  const near = suggestNames(reader.slice(start), PREDICATES)
  if (near === undefined) return
  const offer = CALLED.includes(near.slice(1)) ? `${near}(` : near
  reader.fail(`Unknown predicate ${written}. Did you mean "${offer}"?`, start, reader.pos + 1)
}

/** Refuses the form of an older draft in which the parts of a parenthesis are hops (D44). */
export function failPosition(reader: Reader, { start, end }: Span): never {
  reader.failAs('E_SELECTOR_LEGACY', positionSentence(reader.slice(start, end)), start, end)
}

/** The sentence about a position form, and the way to write a union. */
export function positionSentence(list: string): string {
  return `${quoted(list)} is a list of hops of an older draft, no union; a depth in a union is written (d1), .block.`
}

/** Explains a wrong text in the place of an offset of a coordinate. */
export function failOffset(reader: Reader): never {
  const found = reader.tokenAt(reader.pos)
  if (legacyEnd(reader) !== undefined) failStep(reader)
  if ('.#*[{:^'.includes(found) && found !== '') {
    const sentence = `A coordinate holds whole numbers; ${quoted(found)} behind one is a hop of an older draft.`
    reader.failAs('E_SELECTOR_LEGACY', sentence, reader.pos)
  }
  if (found === '') reader.fail('The coordinate is never closed.', reader.pos)
  const isPosition = found === ')' || found === 'end'
  const sentence = isPosition ? POSITION : `A coordinate holds whole numbers, not ${quoted(found)}.`
  reader.fail(sentence, reader.pos, reader.pos + found.length)
}

export function failParens(reader: Reader, start: number): never {
  const found = reader.tokenAt(reader.pos)
  if (found === '') reader.fail('The parenthesis that opens here is never closed.', start)
  const sentence =
    found === '@' || found === '?'
      ? `${quoted(found)} belongs at the end of the selector, not inside parentheses.`
      : `A step or ")" is expected, not ${quoted(found)}.`
  reader.fail(sentence, reader.pos, reader.pos + found.length)
}

/** Refuses a text right after a step that does not belong to it. */
export function failAttached(reader: Reader, stepStart: number): never {
  const start = reader.pos
  const found = reader.tokenAt(start)
  const written = reader.slice(stepStart)
  const end = start + found.length
  if (found === '(') {
    offerPredicate(reader)
    reader.fail(`"(" belongs right behind a type, or needs a space before it.`, start, end)
  }
  if (found === '@') reader.fail(`A space is missing between ${quoted(written)} and "@".`, start, end)
  if (found === '^' || found === '*') reader.fail(`${quoted(found)} starts a step; put a space before it.`, start, end)
  reader.fail(`${quoted(found)} cannot follow ${quoted(written)}.`, start, end)
}

function explainStart(reader: Reader, found: string): string {
  const before = wordBefore(reader)
  if (found === 'end' && before.endsWith(',')) return POSITION
  switch (found) {
    case '':
      return before === '' ? 'The selector is empty.' : `A step is missing behind ${quoted(before)}.`
    case ')':
      if (before.endsWith(',')) return POSITION
      return reader.nesting > 0 ? 'A step is missing before ")".' : 'Nothing was opened that ")" could close.'
    case ',':
    case '>':
    case '?':
      return `A step is missing before ${quoted(found)}.`
    case '@':
      return 'Put `@controls` at the end of the selector and the time prefix at the start.'
    case "'":
    case '"':
      return 'Text in quotes is allowed behind "#" and inside brackets.'
    default:
      return `No step starts with ${quoted(found)}${explainWord(reader, found, before)}`
  }
}

/** The number of characters to read ahead for a suggestion. */
const AHEAD = 60

function explainWord(reader: Reader, found: string, before: string): string {
  const ahead = reader.slice(reader.pos, reader.pos + AHEAD)
  if (/^(?:or|and|[|&])$/i.test(found)) return '; "," parts the groups of a union, and tests in brackets.'
  const offsets = before.endsWith('(') ? /^[+-]?\d[-+\d\s,]*\)/.exec(ahead)?.[0] : undefined
  if (offsets !== undefined) return `; a coordinate starts with a depth. Did you mean "(d${offsets}"?`
  if (!/^[A-Za-z_]/.test(found)) return '.'
  const [, op, value = ''] = /^[\w-]+\s*(:|[=~]|!=|[<>]=?)\s*('[^']*'|"[^"]*"|[\w.-]+)?/.exec(ahead) ?? []
  const isAttribute = ATTRIBUTES.includes(found)
  if (op === ':' && isAttribute && value !== '')
    return `; an attribute is asked for in brackets: [${found}='${value}'].`
  if (op !== undefined && op !== ':') return `; an attribute is asked for in brackets: [${found}${op}${value}].`
  if (ROLES.has(found) || KINDS.has(found)) {
    return `. Did you mean ".block[${ROLES.has(found) ? 'role' : 'kind'}='${found}']"?`
  }
  return `. Did you mean "${isAttribute ? `[${found}]` : `.${found.slice(0, 40)}`}"?`
}

/** The last thing written before the place. */
function wordBefore(reader: Reader): string {
  const text = reader.slice(Math.max(0, reader.pos - 1_000)).trimEnd()
  let start = text.length
  while (start > 0 && text.length - start < 20 && !isSpace(text[start - 1]!)) start--
  return text.slice(start)
}

// From text to tree, by hand and in one pass: a selector is a time prefix, choices between `??`, groups between commas,
// steps between combinators, and controls (04 §4, 001 §4). Both dialects are read here; what only one of them has is
// refused where it stands (D1). Names are not resolved, and an error comes whether or not there is a tree.

import { describe, PactError } from '../errors/index.js'
import type { Dialect } from '../core/index.js'
import type { Control, Selector, TimePrefix } from './ast.js'
import { freezeTree, type GroupDraft, type UnionDraft } from './draft.js'
import { quoted, selectorError } from './errors.js'
import { rewriteLegacy } from './legacy.js'
import { SELECTOR_LIMITS } from './limits.js'
import { parseControl } from './parse-control.js'
import { readDepthCall, readDepths, startsDepth } from './parse-depth.js'
import { parseAttached, parseStep, stepAtDepth } from './parse-step.js'
import { parseTime } from './parse-time.js'
import { isSpace, Reader } from './scan.js'

export type ParseOptions = Readonly<{
  /** Which edition's language the text is in; 1.0 by default. */
  dialect?: Dialect | undefined
  /** The selector will be put to one snapshot, so facets need no time prefix (D5, D9). */
  bound?: boolean | undefined
}>

/** Reads a selector; what is wrong with it is a PactError with `pos`, `token` and `selector` in its details. */
export function parseSelector(text: string, options: ParseOptions = {}): Selector {
  if (typeof text !== 'string') {
    throw selectorError('E_SELECTOR_INVALID', `A selector is text, not ${describe(text)}.`, '', 0, 0)
  }
  try {
    return parseText(new Reader(text, options.dialect ?? '1.0'), options.bound === true)
  } catch (error) {
    throw PactError.is(error) && error.code === 'E_SELECTOR_LEGACY' ? withRewrite(error, text, options) : error
  }
}

/** Reads the text of a reader, which counts what it looks at. */
export function parseText(reader: Reader, isBound: boolean): Selector {
  const { text, dialect } = reader
  if (text.length > SELECTOR_LIMITS.text) {
    const sentence = `A selector has at most ${SELECTOR_LIMITS.text} characters, this one has ${text.length}.`
    reader.failAs('E_SELECTOR_TOO_LARGE', sentence, SELECTOR_LIMITS.text)
  }
  reader.skipSpace()
  const start = reader.pos
  const time = parseTime(reader)
  reader.hasSnapshot = isBound || (time !== undefined && time.kind !== 'working' && time.kind !== 'preview')
  const choices = parseChoices(reader)
  const { optional, controls } = parseTail(reader, choices, time)
  const span = { start, end: text.trimEnd().length }
  return freezeTree({ dialect, time, choices, optional, controls, span })
}

/** Reads `A ?? B`: alternatives from left to right, looser than the comma (D23). */
function parseChoices(reader: Reader): UnionDraft[] {
  reader.skipSpace()
  if (reader.peek() === '?' && reader.peek(1) === '?') failLeadingFallback(reader)
  const choices = [parseUnion(reader)]
  while (reader.peek() === '?' && reader.peek(1) === '?') {
    reader.needsNewDialect('The fallback', reader.pos, reader.pos + 2)
    reader.pos += 2
    choices.push(parseUnion(reader))
  }
  return choices
}

function parseUnion(reader: Reader): UnionDraft {
  const groups: GroupDraft[] = []
  do {
    reader.skipSpace()
    groups.push(parseGroup(reader))
  } while (reader.take(','))
  return { groups, span: { start: groups[0]!.span.start, end: groups.at(-1)!.span.end } }
}

/** Reads a chain, up to what can end it: a comma, `??`, a parenthesis, a control, the end. */
function parseGroup(reader: Reader): GroupDraft {
  const start = reader.pos
  reader.countGroup(start)
  const group: GroupDraft = { scope: undefined, steps: [], span: { start, end: start } }
  if (startsDepth(reader)) {
    const depths = readDepths(reader)
    reader.needsNewDialect('The depth', start, reader.pos)
    if (isBeforeStep(reader)) group.scope = depths
    else group.steps.push(stepAtDepth(reader, depths.from, depths.to, start))
  } else if (reader.peek() === 'd' && reader.take('depth(')) {
    // `depth(n)` is `dn` (D10): a scope before a step; where it is not one, the step reads it again.
    const depths = readDepthCall(reader, start)
    if (depths.from > 0 && isBeforeStep(reader)) {
      reader.needsNewDialect('The anchor', start, reader.pos)
      group.scope = depths
    } else reader.pos = start
  }
  if (group.steps.length === 0) {
    reader.skipSpace()
    group.steps.push(parseStep(reader, 'descendant', parseChoices))
  }
  for (;;) {
    const end = reader.pos
    const isApart = reader.skipSpace()
    if (reader.take('>')) {
      reader.skipSpace()
      group.steps.push(parseStep(reader, 'child', parseChoices))
    } else if (!isApart || endsGroup(reader.peek())) {
      group.span.end = end
      return group
    } else joinOrAppend(reader, group)
  }
}

/**
 * A depth scopes what follows only if a step of its own follows behind a space. Before a filter it is the filtered step
 * itself, so that `d0 { … }` and `^ah { … }` stay the same (D10, D22).
 */
function isBeforeStep(reader: Reader): boolean {
  const next = reader.spaceEnd(reader.pos)
  const char = reader.charAt(next)
  return next > reader.pos && char !== '>' && !endsGroup(char) && !startsFilter(char)
}

/** Behind a space, 1.0 lets a filter join the step on its left; in 0.1 it is a step of its own (D22). */
function joinOrAppend(reader: Reader, group: GroupDraft): void {
  if (reader.dialect === '1.0' && startsFilter(reader.peek())) parseAttached(reader, group.steps.at(-1)!)
  else group.steps.push(parseStep(reader, 'descendant', parseChoices))
}

/** Reads what may trail in any order: controls, filters of the last step, the `?` of a mutation (D22, D23). */
function parseTail(
  reader: Reader,
  choices: readonly UnionDraft[],
  time: TimePrefix | undefined,
): Readonly<{ optional: boolean; controls: readonly Control[] }> {
  const controls: Control[] = []
  let optional = false
  for (;;) {
    reader.skipSpace()
    const char = reader.peek()
    const before = reader.charAt(reader.pos - 1)
    const isApart = isSpace(before) || before === '?'
    if (char === '') return { optional, controls }
    if (char === '@' && isApart) controls.push(parseControl(reader, time, controls))
    else if (char === '?' && !optional && reader.peek(1) !== '?') {
      optional = true
      reader.pos++
    } else if (startsFilter(char) && isApart) addTrailingFilter(reader, choices)
    else failTail(reader, optional)
  }
}

function addTrailingFilter(reader: Reader, choices: readonly UnionDraft[]): void {
  const union = choices.at(-1)!
  const group = union.groups.at(-1)!
  joinOrAppend(reader, group)
  group.span.end = reader.pos
  union.span.end = reader.pos
}

function startsFilter(char: string): boolean {
  return char === '[' || char === '{' || char === '+'
}

function endsGroup(char: string): boolean {
  return char === '' || char === ',' || char === ')' || char === '?' || char === '@'
}

function failLeadingFallback(reader: Reader): never {
  const start = reader.pos
  if (reader.charAt(reader.spaceEnd(start + 2)) === '{') {
    reader.failAs('E_SELECTOR_LEGACY', '"??" before a filter is a token of an older draft.', start, start + 2)
  }
  reader.fail('"??" needs a selector on its left.', start, start + 2)
}

function failTail(reader: Reader, optional: boolean): never {
  const found = reader.tokenAt(reader.pos)
  const end = reader.pos + found.length
  if (found === ')') reader.fail('Nothing was opened that ")" could close.', reader.pos, end)
  if (found === '@') reader.fail('A space is missing before "@".', reader.pos, end)
  const after = optional ? 'the "?"' : 'a control'
  reader.fail(`Only filters and controls may follow ${after}, not ${quoted(found)}.`, reader.pos, end)
}

/** Adds what to write instead, where the recipe of 001 gives a selector that can be read (D18). */
function withRewrite(error: PactError, text: string, options: ParseOptions): PactError {
  const suggestion = suggestRewrite(text, options)
  if (suggestion === undefined) return error
  const [sentence, ...lines] = error.message.split('\n')
  const message = [`${sentence} Write: ${suggestion.replaceAll('\n', ' ')}`, ...lines].join('\n')
  return new PactError(error.code, message, { ...error.details, suggestion })
}

/** The selector without its legacy tokens; undefined where the recipe cannot do it. */
function suggestRewrite(text: string, { dialect, bound }: ParseOptions): string | undefined {
  const rewritten = rewriteLegacy(new Reader(text, dialect ?? '1.0')).text
  if (rewritten === undefined) return undefined
  try {
    parseText(new Reader(rewritten, dialect ?? '1.0'), bound === true)
    return rewritten
  } catch (error) {
    if (PactError.is(error)) return undefined
    throw error
  }
}

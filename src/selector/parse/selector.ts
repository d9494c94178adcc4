// From text to tree, by hand and in one pass: a selector is a time prefix, choices between `??`, groups between commas, steps between
// combinators, and controls (04 §4, 001 §4). Both dialects are read here; a form of the other dialect is refused at its place (D1). Names
// are not resolved, so errors do not depend on a tree.

import { ANYTHING, asCall, checkOptions, describe, oneOf, PactError, type OptionRule } from '../../errors/index.js'
import { deepFreeze, type Dialect } from '../../core/index.js'
import type { DepthScope, Selector } from '../ast.js'
import type { GroupDraft, SelectorDraft, UnionDraft } from './open-ast.js'
import { quoted, selectorError } from '../selector-error.js'
import { rewriteLegacy } from '../advice/legacy-text.js'
import { SELECTOR_LIMITS } from '../limits.js'
import { parseControl } from './control.js'
import { readDepthCall, readDepths, startsDepth } from './depth.js'
import { parseAttached, parseStep, stepAtDepth } from './step.js'
import { parseTime } from './time.js'
import { isSpace, Reader } from './reader.js'

export type ParseOptions = Readonly<{
  /** The edition of the language; 1.0 by default. */
  dialect?: Dialect | undefined
  /** The selector will be put to one snapshot, so facets need no time prefix. */
  bound?: boolean | undefined
}>

const NO_OPTIONS: ParseOptions = {}

/** Parses a selector; a fault is a PactError with `pos`, `token` and `selector` in its details. */
export function parseSelector(text: string, options: ParseOptions = NO_OPTIONS): Selector {
  return asCall(parseSelector, () => {
    checkParseOptions(options)
    return deepFreeze(readSelector(text, options))
  })
}

export const DIALECT: OptionRule = oneOf('1.0', '0.1')

export function checkParseOptions(options: ParseOptions): void {
  checkOptions(options, { dialect: DIALECT, bound: ANYTHING }, "{ dialect: '0.1' }", 'E_SELECTOR_INVALID')
}

/** Parses for callers that compile the tree at once: it is not frozen, since freezing takes most of the time. */
export function readSelector(text: string, options: ParseOptions = NO_OPTIONS): Selector {
  if (typeof text !== 'string') {
    throw selectorError('E_SELECTOR_INVALID', `A selector is text, not ${describe(text)}.`, '', 0, 0)
  }
  const read = orFault(() => parseText(new Reader(text, options.dialect ?? '1.0'), options.bound === true))
  if (!PactError.is(read)) return read
  throw read.code === 'E_SELECTOR_LEGACY' ? withRewrite(read, text, options) : read
}

/** The result of a call, or the PactError that it throws. */
export function orFault<T>(read: () => T): T | PactError {
  try {
    return read()
  } catch (error) {
    if (PactError.is(error)) return error
    throw error
  }
}

/** Parses the text of a reader, which counts its reads. */
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
  const span = { start, end: reader.lastEnd() }
  const selector: SelectorDraft = { dialect, time, choices, optional: false, controls: [], span }
  parseTail(reader, selector)
  return selector
}

/** Reads `A ?? B`: alternatives from left to right, looser than the comma (D23). */
function parseChoices(reader: Reader): UnionDraft[] {
  reader.skipSpace()
  if (startsFallback(reader)) failLeadingFallback(reader)
  const choices = [parseUnion(reader)]
  while (startsFallback(reader)) {
    reader.needsNewDialect('The fallback', reader.pos, reader.pos + 2)
    reader.pos += 2
    choices.push(parseUnion(reader))
  }
  return choices
}

function startsFallback(reader: Reader): boolean {
  return reader.char === '?' && reader.charAt(reader.pos + 1) === '?'
}

function parseUnion(reader: Reader): UnionDraft {
  const first = parseGroup(reader)
  const union: UnionDraft = { groups: [first], span: { start: first.span.start, end: first.span.end } }
  while (reader.take(',')) {
    const group = parseGroup(reader)
    union.groups.push(group)
    union.span.end = group.span.end
  }
  return union
}

/** Reads a chain, up to its end: a comma, `??`, a parenthesis, a control, the end of the text. */
function parseGroup(reader: Reader): GroupDraft {
  reader.skipSpace()
  const start = reader.pos
  reader.countGroup(start)
  const group = reader.char === 'd' ? startAtDepth(reader) : startGroup(reader, undefined, start)
  for (;;) {
    const end = reader.pos
    const isApart = reader.skipSpace()
    if (reader.take('>')) {
      reader.skipSpace()
      group.steps.push(parseStep(reader, 'child', parseChoices))
    } else if (!isApart || endsGroup(reader.char)) {
      group.span.end = end
      return group
    } else joinOrAppend(reader, group)
  }
}

/** Reads the first step of a group. */
function startGroup(reader: Reader, scope: DepthScope | undefined, start: number): GroupDraft {
  reader.skipSpace()
  return { scope, steps: [parseStep(reader, 'descendant', parseChoices)], span: { start, end: start } }
}

/** Reads the start of a group at a `d`: depths as its scope or as its first step, or a step that only looks alike. */
function startAtDepth(reader: Reader): GroupDraft {
  const start = reader.pos
  if (startsDepth(reader)) {
    const depths = readDepths(reader)
    reader.needsNewDialect('The depth', start, reader.pos)
    if (isBeforeStep(reader)) return startGroup(reader, depths, start)
    const step = stepAtDepth(reader, depths.from, depths.to, start)
    return { scope: undefined, steps: [step], span: { start, end: start } }
  }
  if (reader.take('depth(')) {
    // `depth(n)` is `dn` (D10): a scope before a step; where it is not one, the step reads it again.
    const depths = readDepthCall(reader, start)
    if (depths.from > 0 && isBeforeStep(reader)) {
      reader.needsNewDialect('The anchor', start, reader.pos)
      return startGroup(reader, depths, start)
    }
    reader.pos = start
  }
  return startGroup(reader, undefined, start)
}

/**
 * A depth scopes the next steps only if a step of its own follows behind a space. Before a filter it is the filtered step itself,
 * so that `d0 { … }` and `^ah { … }` stay the same (D10, D22).
 */
function isBeforeStep(reader: Reader): boolean {
  const next = reader.spaceEnd(reader.pos)
  const char = reader.charAt(next)
  return next > reader.pos && char !== '>' && !endsGroup(char) && !startsFilter(char)
}

/** Behind a space, 1.0 lets a filter join the step on its left; in 0.1 it is a step of its own (D22). */
function joinOrAppend(reader: Reader, group: GroupDraft): void {
  if (reader.dialect === '1.0' && startsFilter(reader.char)) parseAttached(reader, group.steps.at(-1)!)
  else group.steps.push(parseStep(reader, 'descendant', parseChoices))
}

/** Reads the end of a selector, in any order: controls, filters of the last step, the `?` of a mutation (D22, D23). */
function parseTail(reader: Reader, selector: SelectorDraft): void {
  const { time, choices, controls } = selector
  for (;;) {
    reader.skipSpace()
    const char = reader.char
    if (char === '') break
    const before = reader.charAt(reader.pos - 1)
    const isApart = isSpace(before) || before === '?'
    if (char === '@' && isApart) controls.push(parseControl(reader, time, controls))
    else if (char === '?' && !selector.optional && reader.charAt(reader.pos + 1) !== '?') {
      selector.optional = true
      reader.pos++
    } else if (startsFilter(char) && isApart) addTrailingFilter(reader, choices)
    else failTail(reader, selector.optional)
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

/** Adds a suggestion, if the recipe of 001 gives a valid selector (D18). */
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
  const read = orFault(() => parseText(new Reader(rewritten, dialect ?? '1.0'), bound === true))
  return PactError.is(read) ? undefined : rewritten
}

// Valid selectors that probably do not mean what their author meant, and so find little or nothing. The linter reports them in any text, a
// context in a selector that found nothing.

import type { Condition, FieldTest, Selector, Span, Step } from '../ast.js'
import { adviseForeign } from '../parse/foreign-syntax.js'
import { suggestNames } from '../../errors/index.js'
import { ATTRIBUTES, KINDS, ROLES } from '../names.js'
import { isClassName, stepsIn } from './step-rules.js'

export type Trap = Readonly<{
  rule:
    | 'role-as-type'
    | 'kind-as-type'
    | 'predicate-as-type'
    | 'near-type'
    | 'filter-on-depth'
    | 'unknown-attribute'
    | 'other-kind'
    | 'other-role'
  message: string
  span: Span
}>

const KNOWN_NAMES: ReadonlySet<string> = new Set(ATTRIBUTES)

const CLASSES: readonly string[] = ['block', 'cont', 'seg']

const SIZES = "Sizes are no attribute: count them with ctx.tokens(lens, { by: 'node' }) or `pctx tokens --select`."
const NAMES = "A tool is named inside its calls: [kind='call'][content~'read_file']."

/** Names that other tools have for something that is asked otherwise here. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ...['size', 'length', 'len', 'tokens', 'bytes', 'chars'].map((name) => [name, SIZES] as const),
  ...['name', 'tool', 'tool_name', 'toolname', 'function'].map((name) => [name, NAMES] as const),
  ...['text', 'message', 'body'].map((name) => [name, "A text inside is [content~'…']."] as const),
  ...['turn', 'step'].map((name) => [name, 'Did you mean "cycle", or a depth such as d1?'] as const),
])

/** Kinds and roles that others have for ours, in small letters without signs. */
const OTHER_KINDS: ReadonlyMap<string, string> = new Map([
  ...['tooluse', 'toolcall', 'toolcalls', 'functioncall'].map((name) => [name, 'call'] as const),
  ...['toolresult', 'toolresponse', 'toolcalloutput', 'functioncalloutput', 'functionresponse', 'results'].map(
    (name) => [name, 'result'] as const,
  ),
  ...['thinking', 'thought', 'thoughts'].map((name) => [name, 'reasoning'] as const),
])
const OTHER_ROLES: ReadonlyMap<string, string> = new Map([
  ['human', 'user'],
  ['model', 'assistant'],
  ['ai', 'assistant'],
  ['bot', 'assistant'],
])

/** Attributes that blocks have and segments and regions lack. */
const OF_BLOCKS: ReadonlySet<string> = new Set(['role', 'kind', 'content', 'tag', 'tags'])

/** Lists the parts of a selector, read from `text`, that are easily misunderstood; from left to right. */
export function findTraps(selector: Selector, text: string): readonly Trap[] {
  const isNew = selector.dialect === '1.0'
  return Array.from(stepsIn(selector.choices)).flatMap(({ step }) => [
    ...step.conditions.flatMap(trapsOf),
    ...(isNew ? filtersOnDepth(step, text) : []),
  ])
}

function trapsOf(condition: Condition): readonly Trap[] {
  if (condition.kind === 'types') return condition.names.flatMap((name) => trapOfType(name, condition.span))
  if (condition.kind === 'fields') return condition.tests.flatMap((test) => [...trapOfName(test), ...trapOfValue(test)])
  return []
}

function trapOfType(written: string, span: Span): readonly Trap[] {
  const name = written.slice(written.lastIndexOf(':') + 1)
  const asks = `".${written}" asks for a type`
  if (ROLES.has(name)) {
    return [{ rule: 'role-as-type', message: `${asks}; a role is .block[role='${name}'].`, span }]
  }
  if (KINDS.has(name)) {
    return [{ rule: 'kind-as-type', message: `${asks}; a kind is .block[kind='${name}'].`, span }]
  }
  const near = written.includes(':') || CLASSES.includes(name) ? undefined : suggestNames(name, CLASSES)
  if (near !== undefined && !isClassName(name) && name !== 'sys') {
    return [{ rule: 'near-type', message: `${asks}. Did you mean ".${near}"?`, span }]
  }
  const advice = written.includes(':') ? adviseForeign(name) : undefined
  if (advice === undefined) return []
  return [{ rule: 'predicate-as-type', message: `${asks}, since there is no predicate ":${name}"; ${advice}.`, span }]
}

function trapOfName({ name, span }: FieldTest): readonly Trap[] {
  if (isProperName(name)) return []
  const near = suggestNames(name, ATTRIBUTES)
  const hint = INSTEAD.get(name.toLowerCase()) ?? (near && `Did you mean "${near}"?`)
  if (hint === undefined) return []
  return [{ rule: 'unknown-attribute', message: `"${name}" is no known attribute. ${hint}`, span }]
}

/** Kinds and roles are free, so only those that stand for a known one elsewhere are reported. */
function trapOfValue({ name, op, value, span }: FieldTest): readonly Trap[] {
  if (op !== '=' || (value?.kind !== 'string' && value?.kind !== 'word')) return []
  const asked = value.text.toLowerCase().replaceAll(/[^a-z]/g, '')
  const known = (name === 'kind' ? OTHER_KINDS : name === 'role' ? OTHER_ROLES : undefined)?.get(asked)
  if (known === undefined) return []
  const message = `Whatever their provider calls them, such nodes have the ${name} ${known}: [${name}='${known}'].`
  return [name === 'kind' ? { rule: 'other-kind', message, span } : { rule: 'other-role', message, span }]
}

/** Nodes have other attribute names only with a prefix or a namespace; names inside an attribute are free. */
function isProperName(name: string): boolean {
  return KNOWN_NAMES.has(name) || /^(?:data|content)_|[:.]/.test(name)
}

/** `d1..d3 [role=user]`: behind a space too, a filter belongs to the step on its left (D22). */
function filtersOnDepth({ conditions }: Step, text: string): readonly Trap[] {
  const [first, ...rest] = conditions
  if (first === undefined || !isUnit(first)) return []
  return rest.flatMap((condition): readonly Trap[] => {
    if (!asksOfBlocks(condition)) return []
    const [place, filter] = [first.span, condition.span].map(({ start, end }) => text.slice(start, end))
    const message = `"${filter}" filters ${place} itself, not its nodes; write ${place} .block${filter}.`
    return [{ rule: 'filter-on-depth', message, span: condition.span }]
  })
}

/** True if a step names segments or regions. */
function isUnit(condition: Condition): boolean {
  if (condition.kind === 'coordinate') return condition.coordinate.offsets.length === 0
  return condition.kind === 'region' || (condition.kind === 'types' && isSegmentName(condition.names))
}

function isSegmentName(names: readonly string[]): boolean {
  return names.length === 1 && (names[0] === 'seg' || names[0] === 'mt')
}

function asksOfBlocks(condition: Condition): boolean {
  if (condition.kind === 'tag') return true
  return condition.kind === 'fields' && condition.tests.some(({ name }) => OF_BLOCKS.has(attributeOf(name)))
}

/** The attribute that a dotted name looks inside of. */
function attributeOf(name: string): string {
  const dot = name.indexOf('.')
  return dot < 0 ? name : name.slice(0, dot)
}

// Valid selectors that probably do not mean what their author meant, and so find little or nothing. The linter reports them in any text, a
// context in a selector that found nothing.

import type { Condition, FieldTest, Selector, Span, Step } from '../ast.js'
import { adviseForeign } from '../parse/foreign-syntax.js'
import { suggestNames } from '../../errors/index.js'
import { ATTRIBUTES, KINDS, ROLES } from '../names.js'
import { stepsIn } from './step-rules.js'

export type Trap = Readonly<{
  rule: 'role-as-type' | 'kind-as-type' | 'predicate-as-type' | 'filter-on-depth' | 'near-attribute'
  message: string
  span: Span
}>

const KNOWN_NAMES: ReadonlySet<string> = new Set(ATTRIBUTES)

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
  if (condition.kind === 'fields') return condition.tests.flatMap(trapOfName)
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
  const advice = written.includes(':') ? adviseForeign(name) : undefined
  if (advice === undefined) return []
  return [{ rule: 'predicate-as-type', message: `${asks}, since there is no predicate ":${name}"; ${advice}.`, span }]
}

function trapOfName({ name, span }: FieldTest): readonly Trap[] {
  if (isProperName(name)) return []
  const near = suggestNames(name, ATTRIBUTES)
  if (near === undefined) return []
  return [{ rule: 'near-attribute', message: `"${name}" is no known attribute. Did you mean "${near}"?`, span }]
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

// A selector with other ids: renames `#x` of dialect 0.1, and values that are compared with `id`, `refs` or `supersedes`.

import { PactError } from '../../errors/index.js'
import type { Dialect } from '../../core/index.js'
import type { Condition, FieldTest, Literal, Selector } from '../ast.js'
import { formatSelector } from '../format.js'
import { readSelector } from '../parse/selector.js'
import { mapSteps } from './step-rules.js'

type Rename = (id: string) => string

/** Gives the text back with other ids in it, as it is where it names none of them; a faulty one stays for who runs it. */
export function renameIds(text: string, dialect: Dialect, rename: Rename): string {
  const selector = parsed(text, dialect)
  if (selector === undefined) return text
  let hasRenamed = false
  const noted: Rename = (id) => {
    const renamed = rename(id)
    hasRenamed ||= renamed !== id
    return renamed
  }
  const renamed = mapSteps(selector, (conditions) => conditions.map((condition) => inCondition(condition, noted)))
  return hasRenamed ? formatSelector(renamed) : text
}

function parsed(text: string, dialect: Dialect): Selector | undefined {
  try {
    return readSelector(text, { dialect })
  } catch (error) {
    if (PactError.is(error)) return undefined
    throw error
  }
}

function inCondition(condition: Condition, rename: Rename): Condition {
  if (condition.kind === 'id') return { ...condition, id: rename(condition.id) }
  if (condition.kind !== 'fields') return condition
  return { ...condition, tests: condition.tests.map((test) => inTest(test, rename)) }
}

/** Elsewhere `~` looks for a part of an id, and the others for its place in an order: that names no node. */
function inTest(test: FieldTest, rename: Rename): FieldTest {
  const { name, op, value } = test
  const isEqual = op === '=' || op === '!=' || op === 'in'
  const namesNodes = name === 'refs' ? isEqual || op === '~' : (name === 'id' || name === 'supersedes') && isEqual
  return namesNodes && value !== undefined ? { ...test, value: inLiteral(value, rename) } : test
}

function inLiteral(literal: Literal, rename: Rename): Literal {
  if (literal.kind === 'list') return { ...literal, items: literal.items.map((item) => inLiteral(item, rename)) }
  if (literal.kind === 'null') return literal
  const text = rename(literal.text)
  return text === literal.text ? literal : { kind: 'string', text, span: literal.span }
}

// A selector with other ids: renames `#x` of dialect 0.1, and values that are compared with `id`, `refs` or `supersedes`.

import { PactError } from '../../errors/index.js'
import type { Dialect } from '../../core/index.js'
import type { Condition, FieldTest, Literal } from '../ast.js'
import { formatSelector } from '../format.js'
import { orFault, readSelector } from '../parse/selector.js'
import { mapSteps } from './step-rules.js'

type Rename = (id: string) => string

/** The text with other ids; unchanged if it names none of them. A faulty text is left alone: running it reports the fault. */
export function renameIds(text: string, dialect: Dialect, rename: Rename): string {
  const selector = orFault(() => readSelector(text, { dialect }))
  if (PactError.is(selector)) return text
  let hasRenamed = false
  const noted: Rename = (id) => {
    const renamed = rename(id)
    hasRenamed ||= renamed !== id
    return renamed
  }
  const renamed = mapSteps(selector, (conditions) => conditions.map((condition) => inCondition(condition, noted)))
  return hasRenamed ? formatSelector(renamed) : text
}

function inCondition(condition: Condition, rename: Rename): Condition {
  if (condition.kind === 'id') return { ...condition, id: rename(condition.id) }
  if (condition.kind !== 'fields') return condition
  return { ...condition, tests: condition.tests.map((test) => inTest(test, rename)) }
}

/** Other comparisons of these attributes look for a part of a text or for an order, so they name no node. */
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

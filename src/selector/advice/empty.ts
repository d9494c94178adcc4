// Advice on a selector that found nothing: the traps that the linter reports anywhere, and forms that are fine where they find something.

import type { Condition, FieldTest, Selector } from '../ast.js'
import { adviseKeys } from './lint-rules.js'
import { isClassName, stepsIn } from './step-rules.js'
import { findTraps } from './traps.js'

/** Sentences, each at most once; none if nothing is odd about the text. */
export function adviseEmpty(selector: Selector, text: string): readonly string[] {
  const traps = findTraps(selector, text).map(({ message }) => message)
  const rest = Array.from(stepsIn(selector.choices)).flatMap(({ step }) => step.conditions.flatMap(adviseCondition))
  return [...new Set([...traps, ...(traps.length > 0 ? [] : rest)])]
}

function adviseCondition(condition: Condition): readonly string[] {
  if (condition.kind === 'key') return adviseKeys(condition).map(({ message }) => message)
  if (condition.kind === 'fields') return condition.tests.flatMap(adviseRole)
  if (condition.kind !== 'types') return []
  return condition.names.flatMap((name) => {
    if (isClassName(name) || name.includes(':') || name === 'sys') return []
    return [`".${name}" asks for a type; a tag is +${name}, a key is #${name}.`]
  })
}

/** Results that came from Claude and Gemini are the user's. */
function adviseRole({ name, op, value }: FieldTest): readonly string[] {
  if (name !== 'role' || op !== '=' || value === undefined || value.kind === 'list' || value.text !== 'tool') return []
  return ["Results have the role that their provider gives them, which may be user; [kind='result'] finds all results."]
}

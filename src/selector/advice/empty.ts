// Advice on a selector that found nothing: the traps that the linter reports anywhere, and forms that are fine where they find something.

import { suggestNames } from '../../errors/index.js'
import type { Condition, Selector } from '../ast.js'
import { adviseKeys } from './lint-rules.js'
import { isClassName, stepsIn } from './step-rules.js'
import { findTraps } from './traps.js'

const CLASSES: readonly string[] = ['block', 'cont', 'seg']

/** Sentences, each at most once; none if nothing is odd about the text. */
export function adviseEmpty(selector: Selector, text: string): readonly string[] {
  const traps = findTraps(selector, text).map(({ message }) => message)
  const rest = Array.from(stepsIn(selector.choices)).flatMap(({ step }) => step.conditions.flatMap(adviseCondition))
  return [...new Set([...traps, ...(traps.length > 0 ? [] : rest)])]
}

function adviseCondition(condition: Condition): readonly string[] {
  if (condition.kind === 'key') return adviseKeys(condition).map(({ message }) => message)
  if (condition.kind !== 'types') return []
  return condition.names.flatMap((name) => {
    if (isClassName(name) || name.includes(':') || name === 'sys') return []
    const near = suggestNames(name, CLASSES)
    if (near !== undefined) return [`".${name}" asks for a type. Did you mean ".${near}"?`]
    return [`".${name}" asks for a type; a tag is +${name}, a key is #${name}.`]
  })
}

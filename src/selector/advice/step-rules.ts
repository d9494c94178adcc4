// Changes to a tree of steps that do not change its selection, shared by the normalizer and the linter.
//
// Conditions between two of :first, :last and :nth(n) may change places, since those count among the nodes that everything to their left
// has left over (D16); such a stretch is called a run. The start of a step stays where it is: only there a zone is a zone (D13).

import { classOfType, compareText, type Dialect } from '../../core/index.js'
import type { Condition, FieldTest, Group, Selector, Step, Union } from '../ast.js'
import { formatTest } from '../format.js'
import { isBareToken } from '../parse/token.js'

export type StepRule = (conditions: readonly Condition[]) => readonly Condition[]

/** A step with its group, and its place in it. */
export type GroupStep = Readonly<{ step: Step; group: Group; index: number }>

/** Every step, from left to right; those in the parentheses of a step come before it. */
export function* stepsIn(choices: readonly Union[]): Generator<GroupStep, void, undefined> {
  for (const group of choices.flatMap(({ groups }) => groups)) {
    for (const [index, step] of group.steps.entries()) {
      for (const each of step.conditions) if (each.kind === 'group') yield* stepsIn(each.choices)
      yield { step, group, index }
    }
  }
}

/** Applies a rule to every step, also inside parentheses. */
export function mapSteps(selector: Selector, rule: StepRule): Selector {
  return { ...selector, choices: mapChoices(selector.choices, rule, selector.dialect) }
}

/** Writes `{ tag='x' }` as `+x`, and the tags of a run together, sorted and once each (001 §3.10). */
export function mergeTags(conditions: readonly Condition[]): readonly Condition[] {
  return runsOf(conditions).flatMap((run) => {
    const apart = run.flatMap(splitTags)
    const tags = new Map<string, Condition>()
    for (const each of apart) if (each.kind === 'tag' && !tags.has(each.tag)) tags.set(each.tag, each)
    const sorted = [...tags.keys()].sort(compareText).map((tag) => tags.get(tag)!)
    let isPlaced = false
    return apart.flatMap((each) => {
      if (each.kind !== 'tag') return [each]
      if (isPlaced) return []
      isPlaced = true
      return sorted
    })
  })
}

/** Moves tests of `ttl` and `cad` from braces to brackets (001 §10). */
export function moveLifecycle(conditions: readonly Condition[]): readonly Condition[] {
  return conditions.flatMap((condition) => {
    if (condition.kind !== 'fields' || condition.form !== 'brace') return [condition]
    const moved = condition.tests.filter(isLifecycle)
    const kept = condition.tests.filter((test) => !isLifecycle(test))
    if (moved.length === 0) return [condition]
    const bracket: Condition = { ...condition, form: 'bracket', tests: moved }
    return kept.length === 0 ? [bracket] : [{ ...condition, tests: kept }, bracket]
  })
}

/** Drops a test that the step has already made; later conditions only narrow the result of it. */
export function dropRepeated(conditions: readonly Condition[]): readonly Condition[] {
  const seen = new Set<string>()
  const isNew = (text: string): boolean => !seen.has(text) && seen.add(text).has(text)
  return conditions.flatMap((condition): readonly Condition[] => {
    switch (condition.kind) {
      case 'types': {
        const names = condition.names.filter((name) => isNew(`.${name}`))
        return names.length === 0 ? [] : [{ ...condition, names }]
      }
      case 'fields': {
        const tests = condition.tests.filter((test) => isNew(`[${formatTest(test)}`))
        return tests.length === 0 ? [] : [{ ...condition, tests }]
      }
      case 'id':
        return isNew(`#${condition.id}`) ? [condition] : []
      case 'key':
        return isNew(`#${condition.key}`) ? [condition] : []
      case 'tag':
        return isNew(`+${condition.tag}`) ? [condition] : []
      default:
        return [condition]
    }
  })
}

/** True for tests that belong in brackets. */
export function isLifecycle({ name }: FieldTest): boolean {
  return name === 'ttl' || name === 'cad'
}

/** True for one of the six class names of both editions (D14). */
export function isClassName(name: string): boolean {
  return !name.includes(':') && classOfType(name) !== undefined
}

function mapChoices(choices: readonly Union[], rule: StepRule, dialect: Dialect): readonly Union[] {
  return choices.map((union) => ({ ...union, groups: union.groups.map((group) => mapGroup(group, rule, dialect)) }))
}

function mapGroup(group: Group, rule: StepRule, dialect: Dialect): Group {
  const steps = group.steps.map((step, i) => {
    const inside = step.conditions.map((each) =>
      each.kind === 'group' ? { ...each, choices: mapChoices(each.choices, rule, dialect) } : each,
    )
    const mapped = { ...step, conditions: rule(inside) }
    const isBehindSpace = i > 0 ? step.reach === 'descendant' : group.scope !== undefined
    return dialect === '1.0' && isBehindSpace ? standAlone(mapped) : mapped
  })
  return { ...group, steps }
}

/** Behind a space a filter would join the step on its left, so a step that starts with one gets a `*` (D22). */
function standAlone(step: Step): Step {
  const first = step.conditions[0]!
  if (first.kind !== 'fields' && first.kind !== 'tag') return step
  const any: Condition = { kind: 'any', span: { start: first.span.start, end: first.span.start } }
  return { ...step, conditions: [any, ...step.conditions] }
}

/** Cuts a step behind each predicate that counts. */
function runsOf(conditions: readonly Condition[]): readonly (readonly Condition[])[] {
  const runs: Condition[][] = [[]]
  for (const condition of conditions) {
    runs.at(-1)!.push(condition)
    if (condition.kind === 'first' || condition.kind === 'last' || condition.kind === 'nth') runs.push([])
  }
  return runs
}

function splitTags(condition: Condition): readonly Condition[] {
  if (condition.kind !== 'fields') return [condition]
  const tags = condition.tests.flatMap((test) => tagOf(test) ?? [])
  if (tags.length === 0) return [condition]
  const tests = condition.tests.filter((test) => tagOf(test) === undefined)
  return tests.length === 0 ? tags : [{ ...condition, tests }, ...tags]
}

/** The tag that a test asks for, where `+tag` can say the same. */
function tagOf({ name, op, value, span }: FieldTest): Extract<Condition, { kind: 'tag' }> | undefined {
  if ((name !== 'tag' && name !== 'tags') || op !== '=' || value === undefined) return undefined
  if ((value.kind !== 'string' && value.kind !== 'word') || !isBareToken(value.text, 'tag')) return undefined
  return { kind: 'tag', tag: value.text, span }
}

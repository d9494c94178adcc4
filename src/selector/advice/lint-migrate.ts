// From dialect 0.1 to 1.0: hints, and the selector that gives the same ids in the same order. Where 1.0 cannot say exactly
// the same, there is a hint and no rewritten text.

import type { Condition, FieldTest, Selector, Span } from '../ast.js'
import { formatCondition } from '../format.js'
import type { Diagnostic } from './lint.js'
import { isClassName, mapSteps, stepsIn } from './step-rules.js'

const NEW_NAMES: Readonly<Record<string, string>> = { mt: 'seg', mc: 'cont', cb: 'block' }

/** Gives the same selection in dialect 1.0; undefined where 1.0 has no exact words for it. */
export function migrateSelector(selector: Selector): Selector | undefined {
  const { span, time, controls, choices } = selector
  const conditions = Array.from(stepsIn(choices)).flatMap(({ step }) => step.conditions)
  if (conditions.some((each) => explainLoss(each) !== undefined)) return undefined
  const moved = mapSteps({ ...selector, dialect: '1.0' }, (conditions) => conditions.map(migrate))
  return {
    ...moved,
    // Without a time, 0.1 reads the latest snapshot and 1.0 the working state (D5).
    time: time ?? { kind: 'at', at: { kind: 't', value: 0 }, span },
    // 0.1 sorts a union as a whole and knows no order by key (D20).
    controls: needsOrder(selector) ? [...controls, { name: 'order', value: 'pre', span }] : controls,
  }
}

/** Lists the parts that are written differently in 1.0. */
export function findMigrations(selector: Selector): readonly Diagnostic[] {
  const { start, end } = selector.span
  const found = Array.from(stepsIn(selector.choices)).flatMap(({ step, index }) => {
    const isBehindSpace = index > 0 && step.reach === 'descendant'
    return step.conditions.flatMap((condition, i) => findMigration(condition, i === 0 && isBehindSpace))
  })
  const time = hint({ start, end: start }, NEEDS_TIME, '@t0 ')
  const order = hint({ start: end, end }, NEEDS_ORDER, ' @order=pre')
  return [...(selector.time === undefined ? [time] : []), ...found, ...(needsOrder(selector) ? [order] : [])]
}

const NEEDS_TIME = 'Without a time prefix dialect 1.0 reads the working state; @t0 keeps the latest snapshot.'
const NEEDS_ORDER =
  'Dialect 1.0 orders unions group by group and one key from the deepest; @order=pre keeps document order.'

function hint(span: Span, message: string, fix: string): Diagnostic {
  return { code: 'migrate', severity: 'info', message, ...span, fix }
}

/** In 1.0 a filter behind a space joins the step on its left, so a step that starts with one needs a `*` (D22). */
function findMigration(condition: Condition, isBehindSpace: boolean): readonly Diagnostic[] {
  const loss = explainLoss(condition)
  if (loss !== undefined) return [{ code: 'migrate', severity: 'warning', message: loss, ...condition.span }]
  const after = migrate(condition)
  const fix = (isBehindSpace && after.kind === 'fields' ? '*' : '') + formatCondition(after, false)
  if (fix === formatCondition(condition, false)) return []
  return [hint(condition.span, `In dialect 1.0: ${fix}`, fix)]
}

function migrate(condition: Condition): Condition {
  if (condition.kind === 'types') {
    const [name = ''] = condition.names
    if (!name.includes(':')) return { ...condition, names: [NEW_NAMES[name] ?? name] }
    return testOf('nodeType', name, 'bracket', condition)
  }
  return condition.kind === 'id' ? testOf('id', condition.id, 'brace', condition) : condition
}

function testOf(name: string, text: string, form: 'bracket' | 'brace', { span }: Condition): Condition {
  return { kind: 'fields', form, tests: [{ name, op: '=', value: { kind: 'string', text, span }, span }], span }
}

/** Why a condition has no exact counterpart; undefined where it has one. */
function explainLoss(condition: Condition): string | undefined {
  switch (condition.kind) {
    case 'types': {
      const [name = ''] = condition.names
      if (isClassName(name) || name.includes(':')) return undefined
      return `".${name}" is exact in 0.1; in 1.0 it also finds types that end in ":${name}", and the type attribute.`
    }
    case 'fields':
      return condition.tests.map(explainTest).find((each) => each !== undefined)
    case 'depth':
      if (condition.ranges.every(({ from }) => from > 0)) return undefined
      return 'A depth below 1 finds nothing here in 0.1.'
    default:
      return undefined
  }
}

/** `[nodeType='cb']` is exact in 0.1 and a question of class in 1.0 (D14). */
function explainTest({ name, op, value }: FieldTest): string | undefined {
  if (name !== 'nodeType' || value === undefined || (op !== '=' && op !== '!=' && op !== 'in')) return undefined
  const values = value.kind === 'list' ? value.items : [value]
  if (values.every((each) => each.kind !== 'list' && each.kind !== 'null' && each.text.includes(':'))) return undefined
  return 'A nodeType without a colon is compared exactly in 0.1; in 1.0 it is a type test, which finds more.'
}

/** True if 1.0 would order the result differently (D20). */
function needsOrder({ choices, controls }: Selector): boolean {
  if (controls.some(({ name }) => name === 'order')) return false
  return choices.some(({ groups }) => {
    if (groups.length > 1) return true
    const last = groups[0]?.steps.at(-1)?.conditions ?? []
    return last.some((condition) => condition.kind === 'fields' && condition.tests.some(asksForKey))
  })
}

function asksForKey({ name, op }: FieldTest): boolean {
  return name === 'key' && op === '='
}

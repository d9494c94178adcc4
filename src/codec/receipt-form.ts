// Receipts of pruning in records.

import { EMPTY_RECEIPT, type PassedLimit, type PrunedNode, type PruneRule, type Receipt } from '../core/index.js'
import {
  checked,
  frozen,
  json,
  list,
  mapped,
  name,
  number,
  object,
  some,
  text,
  tuple,
  unless,
  type Form,
} from './forms.js'
import { fault } from './raw.js'

const RULE = checked(text, (rule, path) => {
  if (/^(?:maxDepth|maxNodesPerSegment|maxNodes|maxTokens(?: [^]+)?)$/.test(rule)) return
  throw fault(path, 'The name of a limit is expected here.')
}) as Form<PruneRule>

const PRUNED = tuple<PrunedNode>({ id: name, rule: RULE, priority: number, age: number, size: number })

const NUMBERS = tuple<Omit<PassedLimit, 'target' | 'kept'>>({
  rule: RULE,
  limit: number,
  before: number,
  after: number,
})
const IDS = frozen(list(name))

/** [rule, limit, before, after, target?, …kept]. A target is a number, and what is kept are ids. */
const LIMIT: Form<PassedLimit> = mapped(
  list(json, 4),
  ({ rule, limit, before, after, target, kept }) => [
    rule,
    limit,
    before,
    after,
    ...(target === undefined ? [] : [target]),
    ...kept,
  ],
  (parts, path, scope) => {
    const { rule, limit, before, after } = NUMBERS.read(parts.slice(0, 4), path, scope)
    const hasTarget = parts.length > 4 && typeof parts[4] !== 'string'
    const target = hasTarget ? { target: number.read(parts[4], `${path}[4]`, scope) } : {}
    const kept = IDS.read(parts.slice(hasTarget ? 5 : 4), path, scope)
    return Object.freeze({ rule, limit, ...target, before, after, kept })
  },
)

const LISTS = object<Pick<Receipt, 'removed' | 'limits'>>({
  removed: frozen(some(frozen(PRUNED))),
  limits: frozen(some(LIMIT)),
})

/** Left out where nothing was pruned. Limits that are unmet follow from the others. */
export const RECEIPT: Form<Receipt> = unless(
  ({ removed, limits }) => removed.length === 0 && limits.length === 0,
  () => EMPTY_RECEIPT,
  mapped(
    LISTS,
    (receipt) => receipt,
    ({ removed, limits }) => {
      const unmet = limits.filter(({ limit, after }) => after > limit)
      const shown = unmet.map(({ rule, limit, after }) => Object.freeze({ rule, limit, actual: after }))
      return Object.freeze({ removed, limits, unmet: Object.freeze(shown) })
    },
  ),
)

// Receipts of pruning in records.

import {
  EMPTY_RECEIPT,
  isPruneRule,
  type PassedLimit,
  type PrunedNode,
  type PruneRule,
  type Receipt,
  type ShedNode,
  type SummaryNode,
} from '../core/index.js'
import {
  checked,
  frozen,
  json,
  list,
  mapped,
  name,
  number,
  object,
  optional,
  some,
  text,
  tuple,
  unless,
  type Form,
} from './forms.js'
import { fault } from './raw.js'

const RULE = checked(text, (rule, path) => {
  if (isPruneRule(rule)) return
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

const SHED = tuple<ShedNode>({ id: name, standIn: name, size: number })
const SUMMARY = tuple<SummaryNode>({ id: name, nodes: number, tokens: number })

const LISTS = object<Pick<Receipt, 'removed' | 'shed' | 'compacted' | 'limits' | 'author'>>({
  removed: frozen(some(frozen(PRUNED))),
  shed: frozen(some(frozen(SHED))),
  compacted: optional(frozen(list(frozen(SUMMARY)))),
  limits: frozen(some(LIMIT)),
  author: optional(text),
})

/** Left out where nothing was pruned, shed or compacted and the commit has no author. Limits that are unmet follow from the others. */
export const RECEIPT: Form<Receipt> = unless(
  ({ removed, shed, compacted = [], limits, author }) =>
    author === undefined && removed.length + shed.length + compacted.length + limits.length === 0,
  () => EMPTY_RECEIPT,
  mapped(
    LISTS,
    (receipt) => receipt,
    ({ removed, shed, compacted, limits, author }) => {
      const unmet = limits.filter(({ limit, after }) => after > limit)
      const shown = unmet.map(({ rule, limit, after }) => Object.freeze({ rule, limit, actual: after }))
      return Object.freeze({
        ...(author === undefined ? {} : { author }),
        removed,
        shed,
        ...(compacted === undefined ? {} : { compacted }),
        limits,
        unmet: Object.freeze(shown),
      })
    },
  ),
)

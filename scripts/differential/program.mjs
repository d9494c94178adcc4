// Programs, drawn from a seed: options of a context, how it begins, and steps. A step is a name and a seed; what it means is decided when
// it is played, by the tree of that moment, so that a program stays meaningful while steps are taken out.

import { isSameStep, sameOptions, sameStart } from './changes.mjs'
import { Random } from './random.mjs'
import { conversation, FORMATS } from './talks.mjs'

/**
 * @typedef {Readonly<{ do: string, seed: number }>} Step
 * @typedef {Readonly<{ seed: number, options: any, start: any, steps: readonly Step[], seesSeed: number }>} Program
 */

const EDITS = {
  add: 12,
  say: 8,
  around: 4,
  put: 4,
  set: 5,
  insert: 8,
  replace: 8,
  move: 8,
  delete: 5,
  update: 6,
  redact: 5,
  compact: 4,
  expand: 3,
  undo: 4,
  batch: 3,
}
const TURNS = { commit: 13, group: 5, fading: 3, keep: 3, hold: 2, release: 1, fork: 1, switch: 1 }
const READS = { read: 8, request: 3 }
const MEMORY = { forget: 2, import: 1, mutated: 2, replay: 2, late: 1, attempt: 2, end: 2, receive: 2 }
const TALKS = { receive: 6, group: 6, request: 8, attempt: 3, end: 3, commit: 6, late: 1 }
const STORED = { commit: 12, reopen: 4, erase: 4, retain: 2, load: 3, storeRead: 4, attempt: 3, end: 3, rival: 1 }

/** Percentage of programs that begin with a long history. */
const LONG = 5

/**
 * @param {number} seed
 * @param {readonly string[]} without names of steps that are left out
 * @param {import('./changes.mjs').Changes} changes
 * @returns {Program}
 */
export function drawProgram(seed, without = [], changes = new Set()) {
  const r = new Random(seed)
  const kind = r.weigh({ new: 60, from: 23, memory: 14, sqlite: 3 })
  const start = startOf(r, kind)
  const isLong = kind !== 'from' && r.chance(LONG)
  const options = sameOptions(
    drawOptions(r, isLong || start.kind === 'stored' ? 65 : 45, isLong ? 12 : 1),
    kind === 'from',
    changes,
  )
  const weights = { ...EDITS, ...TURNS, ...READS, ...(start.kind === 'stored' ? {} : MEMORY) }
  const extra = kind === 'from' ? TALKS : start.kind === 'stored' ? STORED : {}
  for (const [name, weight] of Object.entries(extra)) weights[name] = (weights[name] ?? 0) + weight
  const step = (name) => ({ do: name, seed: r.next() })
  const count = start.kind === 'stored' ? r.between(4, 12) : r.between(4, 16)
  const turns = isLong ? [step('long')] : r.list(3, () => step('turn'))
  const opening = kind === 'from' ? [] : [...r.list(2, () => step('system')), ...turns]
  const steps = Array.from({ length: count }, () => step(r.weigh(weights)))
  const kept = [...opening, ...steps].filter(
    (each) => !without.includes(each.do) && isSameStep(each.do, { seed, options }, changes),
  )
  return { seed, options, start: sameStart(start, kept, changes), steps: kept, seesSeed: r.next() }
}

function startOf(r, kind) {
  if (kind === 'new') return { kind }
  if (kind !== 'from')
    return { kind: 'stored', rows: kind, packed: r.between(2, 5), history: r.pick([1, 2, 3, 'all', undefined]) }
  const format = r.pick(FORMATS)
  return { kind, format, conversation: conversation(r, format) }
}

/** `pruned` is the percentage of contexts with a policy, `scale` multiplies its limits. */
function drawOptions(r, pruned, scale) {
  return {
    dialect: r.pick(['1.0', '1.0', '0.1']),
    odi: r.pick([undefined, undefined, 'demote', 'reject']),
    prune: r.chance(pruned) ? drawPolicy(r, scale) : undefined,
    emptySegments: r.chance(20) ? r.pick(['keep', 'remove']) : undefined,
    history: r.chance(20) ? r.between(1, 3) : undefined,
    ranges: !r.chance(15),
    ids: r.chance(12) ? r.pick(['odd', 'odd', 'clashing']) : undefined,
    counts: r.chance(30) ? r.pick([1, 3]) : undefined,
    keepAttempts: r.chance(15) ? r.between(1, 2) : undefined,
    ticks: Array.from({ length: r.between(1, 4) }, () => r.pick([0, 1, 1, 7, 50, -5, 1_000_000_007])),
  }
}

/** Limits of both units. */
function drawPolicy(r, scale) {
  const policy = {}
  if (r.chance(50)) policy.maxNodes = scale * r.between(3, 25)
  if (r.chance(20)) policy.maxNodesPerSegment = r.between(1, 5)
  if (r.chance(30)) policy.maxDepth = scale * r.between(1, 8)
  if (r.chance(40))
    policy.maxTokens = r.chance(75)
      ? scale * r.between(5, 90)
      : { '^seq': r.between(5, 60), ...(r.chance(40) ? { '^sys': 4 } : {}) }
  if (r.chance(30)) policy.protectSegments = r.below(3)
  if (r.chance(70)) policy.unit = r.pick(['node', 'turn', 'turn'])
  if (r.chance(40)) policy.target = r.pick([0.3, 0.5, 0.7, 1])
  if (r.chance(15)) policy.unmet = r.pick(['report', 'error'])
  return policy
}

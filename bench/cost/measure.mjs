// Replays every strategy on every conversation of a set, and adds up.

import {
  CACHE_RULES,
  clearToolUses,
  exchangesOf,
  fullHistory,
  ours,
  oursCompacted,
  replay,
  summarise,
} from '../../dist/cost/index.js'
import { IdIndex } from './ids.mjs'

/** Strategies in the order of the table. Those of peers are put in by name. */
export function strategiesWith(peers) {
  return [
    fullHistory,
    ...peers,
    clearToolUses(3),
    clearToolUses(1),
    summarise({ keep: 20, isAppended: false }),
    summarise({ keep: 20, isAppended: true }),
    summarise({ keep: 2, isAppended: true }),
    ...OURS.map(({ name, policy, compaction }) =>
      compaction === undefined ? ours(name, policy) : oursCompacted(name, compaction),
    ),
  ]
}

const SHED = { keep: 6, atLeast: 0.3 }

/** Our policies. The first two show why the defaults of `target` and `protectSegments` are not these. */
export const OURS = [
  { name: 'ours: `maxTokens`, `target: 1`', policy: { target: 1 } },
  { name: 'ours: `maxTokens`, `protectSegments: 1`', policy: { protectSegments: 1 } },
  { name: 'ours: `maxTokens` (default, `target: 0.6`)', policy: {} },
  { name: 'ours: `target: 0.3`', policy: { target: 0.3 } },
  { name: 'ours: `target: 0.1`', policy: { target: 0.1 } },
  { name: 'ours: `names: 100`', policy: { names: 100 } },
  { name: 'ours: `target: 0.1`, `names: 100` (recommended)', policy: { target: 0.1, names: 100 } },
  { name: 'ours: `results: { keep: 6 }`', policy: { results: { keep: 6 } } },
  { name: 'ours: `results: { keep: 6, atLeast: 0.3 }`', policy: { results: SHED } },
  { name: 'ours: `results: { keep: 6, atLeast: 0.3 }`, `names: 100`', policy: { names: 100, results: SHED } },
  { name: 'ours: `compact`, `keep: 12`, at 60 % of the budget (summary simulated)', compaction: { keep: 12, at: 0.6 } },
]

/** Settings that are tried by `--search`: what the table shows as a best setting is the best of these. */
export function searchWith(peers) {
  const targets = [0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9]
  const policies = targets.flatMap((target) => [
    { target },
    { target, unit: 'turn' },
    { target, names: 30 },
    { target, names: 60 },
    { target, names: 100 },
    { target, names: 200 },
    { target, results: SHED },
    { target, results: SHED, names: 100 },
  ])
  return [
    fullHistory,
    ...peers,
    ...[1, 3, 6, 10].map(clearToolUses),
    ...[2, 4, 6, 12, 20, 40].map((keep) => summarise({ keep, isAppended: true })),
    ...policies.map((policy) => ours(`ours: ${JSON.stringify(policy)}`, policy)),
  ]
}

export async function measure(sessions, strategy, rules = CACHE_RULES['claude-5m']) {
  const sum = {
    requests: 0,
    sent: 0,
    fromCache: 0,
    cost: 0,
    strict: 0,
    invalid: 0,
    headless: 0,
    over: 0,
    stale: 0,
    needed: 0,
    kept: 0,
  }
  for (const session of sessions) {
    session.ids ??= new IdIndex(session)
    const places = new Map(session.conversation.map((message, i) => [message, i]))
    const onRequest = (messages, { reply }) => {
      const { held, kept } = session.ids.count(messages, reply, places.get(reply))
      sum.needed += held
      sum.kept += kept
    }
    const bill = replay(session, await settled(strategy, session), { rules, onRequest })
    for (const key of ['requests', 'sent', 'fromCache', 'cost', 'invalid', 'headless', 'over', 'stale'])
      sum[key] += bill[key]
    sum.strict += bill.strict.cost
  }
  return sum
}

/** Peers answer with promises. They are asked first, and the replay takes their answers. */
async function settled(strategy, session) {
  if (strategy.peer === undefined) return strategy
  const next = strategy.start(session)
  const answers = []
  for (const { added } of exchangesOf(session.conversation)) answers.push(await next(added))
  return { name: strategy.name, start: () => () => ({ messages: answers.shift() }) }
}

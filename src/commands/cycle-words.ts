// The changes of a commit, in one line.

import type { CycleFacts } from '../reports/index.js'
import type { CauseCounts } from '../api/index.js'

/** The causes in plain words. */
const WORDS: Readonly<Record<keyof CauseCounts, string>> = {
  created: 'new',
  aged: 'aged',
  expired: 'expired',
  pruned: 'pruned',
  sealed: 'sealed',
  edited: 'edited',
  moved: 'moved',
  superseded: 'replaced',
  redacted: 'redacted',
  shed: 'shed',
  compacted: 'compacted',
  expanded: 'expanded',
  demoted: 'demoted',
  cadence: 'returned',
}

/** The cause of a change without the node and the cycle. */
export function shortCause({ node, cause }: Readonly<{ node: string; cause: string }>, cycle: number): string {
  const about = cause.startsWith(`${node} `) ? cause.slice(node.length + 1) : cause
  return about.replace(` in cycle ${cycle}`, '')
}

export function cycleWords({ cycle, causes, erased, tokens, prefix, receipt }: CycleFacts): string {
  const counts = (Object.keys(WORDS) as (keyof CauseCounts)[]).flatMap((cause) => {
    const count = causes[cause] ?? 0
    if (cause === 'compacted' && receipt.compacted !== undefined)
      return receipt.compacted.map(({ id, nodes }) => `${nodes} compacted into ${id}`)
    return count === 0 ? [] : [`${count} ${WORDS[cause]}`]
  })
  const rules = [...new Set(receipt.removed.map(({ rule }) => rule))]
  const why = rules.length === 0 ? '' : ` (${rules.join(', ')})`
  const first = prefix?.first
  const broken = first === undefined ? '' : `; prefix ends at ${first.node}: ${shortCause(first, cycle)}`
  const gone = erased === 0 ? '' : `; ${erased} erased since`
  const by = receipt.author === undefined ? '' : `; by ${receipt.author}`
  return `${counts.join(', ') || 'nothing changed'}${why}; ${tokens} tokens${broken}${gone}${by}`
}

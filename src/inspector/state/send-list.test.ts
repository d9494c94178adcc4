// The order of sends: whatever calls the cycles have, a moment is compared with another one, and with an earlier one.

import { signal } from '@preact/signals'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import type { Column } from '../../api/index.js'
import { attemptOf, cycleOf, NOWHERE, type At } from './link.js'
import { createSendList, type SendList } from './send-list.js'
import type { Columns } from './timeline.js'

const FIGURES = {
  items: 1,
  bytes: 1,
  tokens: 1,
  runs: [],
  causes: {},
  prefix: { tokens: 0, broken: false },
} as const

type Sent = Column['sends'][number]['sent']

function columnOf(cycle: number, sent: readonly Sent[], isOpen = false): Column {
  const sends = sent.map((each, i) => ({
    attempt: `attempt:${cycle}-${i}` as const,
    status: 'completed' as const,
    sent: each,
    ...(each === 'open' ? { figures: FIGURES } : {}),
  }))
  return { cycle, ...FIGURES, sends, ...(isOpen ? { open: true } : {}) }
}

/** The list of a whole history: the calls of each cycle, and those of the open one. `at` is in view. */
function listOf(cycles: readonly (readonly Sent[])[], open: readonly Sent[], at: At): SendList {
  const byCycle = new Map(cycles.map((sent, i) => [i + 1, columnOf(i + 1, sent)]))
  const columns: Pick<Columns, 'span' | 'byCycle' | 'isWhole' | 'isLoaded'> = {
    span: signal({ first: 1, newest: cycles.length }),
    byCycle: signal(byCycle),
    isWhole: signal(true),
    isLoaded: () => true,
  }
  return createSendList({
    columns: columns as Columns,
    openColumn: signal(columnOf(cycles.length + 1, open, true)),
    place: signal({ ...NOWHERE, context: 'a', at }),
    cameAs: signal(undefined),
  })
}

/** Its place in time: calls of a cycle that is open come before its snapshot. */
function timeOf(at: At, list: SendList): number {
  const cycle = cycleOf(at)
  if (cycle === null) return Infinity
  const index = list.list.value.findIndex((send) => send.at === at)
  return cycle * 1000 + (index < 0 ? 999 : index)
}

const sent = fc.array(fc.constantFrom<Sent>('snapshot', 'open', 'untold'), { maxLength: 3 })

test('no moment is compared with itself or with a later one, and one after the first has a base', () => {
  fc.assert(
    fc.property(fc.array(sent, { minLength: 1, maxLength: 6 }), sent, fc.nat(), (cycles, open, which) => {
      const snapshots = cycles.map((_, i): At => `c${i + 1}`)
      const all: readonly At[] = [
        ...listOf(cycles, open, 'working').list.value.map(({ at }) => at),
        ...snapshots,
        'working',
      ]
      const at = all[which % all.length]!
      const list = listOf(cycles, open, at)
      const base = list.before(at)
      expect(base).not.toBe(at)
      if (base === null) expect(cycleOf(at)).toBe(1)
      else expect(timeOf(base!, list)).toBeLessThan(timeOf(at, list))
      // A call that cannot be shown is no base.
      if (typeof base === 'string' && attemptOf(base) !== null) expect(list.isUntold(base)).toBe(false)
    }),
    { seed: 4, numRuns: 500 },
  )
})

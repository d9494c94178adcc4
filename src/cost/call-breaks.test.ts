// Breaks between calls: the requests say where, and the provider's report whether and how much.

import { expect, test } from 'vitest'

import { breaksOfCalls, type KnownCall } from './call-breaks.js'
import { CACHE_RULES } from './rules.js'

const RULES = CACHE_RULES['claude-5m']
const change = { cause: 'block:2-4 expired in cycle 3', kept: 2000, lost: 3000 }
const usage = (read: number, write: number) => ({ read, write, plain: 10, output: 5 })
const cached: KnownCall = { attempt: 'attempt:1-0', format: 'anthropic', at: 0, usage: usage(0, 5000) }
const plain: KnownCall = { attempt: 'attempt:1-0', format: 'anthropic', at: 0 }

const after = (before: KnownCall, now: Partial<KnownCall>): unknown =>
  breaksOfCalls([before, { attempt: 'attempt:2-0', format: 'anthropic', ...now }], RULES).map(
    ({ why, lost, cause, cost }) => [why, lost, cause, cost],
  )

test.each<[string, KnownCall, Partial<KnownCall>, unknown[]]>([
  ['a change without a report', plain, { change }, [['changed', 3000, change.cause, 3000 * 1.15]]],
  [
    'a change of a request that is too short to be cached',
    plain,
    { change: { ...change, kept: 10, lost: 20 } },
    [['changed', 20, change.cause, 0]],
  ],
  ['a change behind the last cache mark', plain, { change: { ...change, lost: 0 } }, []],
  ['no change', plain, {}, []],
  ['a call of another provider', cached, { format: 'gemini', usage: usage(0, 5000) }, []],
  [
    'a change that the report confirms',
    cached,
    { change, usage: usage(2100, 3000) },
    [['changed', 2900, change.cause, 2900 * 1.15]],
  ],
  ['a change, and a report that all was read', cached, { change, usage: usage(5000, 0) }, []],
  ['a report alone', cached, { at: 1000, usage: usage(0, 5000) }, [['missed', 5000, undefined, 5000 * 1.15]]],
  [
    'a report alone, after the entry had died',
    cached,
    { at: 301_000, usage: usage(0, 5000) },
    [['expired', 5000, undefined, 5000 * 1.15]],
  ],
  [
    'a change, and reports of calls without a cache',
    { ...plain, usage: usage(0, 0) },
    { change, usage: usage(0, 0) },
    [['changed', 3000, change.cause, 3000 * 1.15]],
  ],
])('%s', (_what, before, now, breaks) => {
  expect(after(before, now)).toEqual(breaks)
})

// The newer conformance runners of the protocol, which need Node 22: the frozen requirements of both eras. An expected failure that passes fails the
// test. Scenarios that are not scored (extensions, pending ones) cannot fail it.

import { createRequire } from 'node:module'
import path from 'node:path'

import { expect, test } from 'vitest'

import { judged, WITHOUT_SESSION } from '../mcp/judge.js'

const NOT_OURS =
  'needs a fixture whose tool asks the client for input or tests its capabilities; no tool of ours does, and it would judge the SDK alone'
const ASKING: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'server-stateless',
    'input-required-result-basic-elicitation',
    'input-required-result-basic-sampling',
    'input-required-result-basic-list-roots',
    'input-required-result-request-state',
    'input-required-result-multiple-input-requests',
    'input-required-result-multi-round',
    'input-required-result-missing-input-response',
    'input-required-result-non-tool-request',
    'input-required-result-result-type',
    'input-required-result-tampered-state',
    'input-required-result-capability-check',
    'input-required-result-ignore-extra-params',
  ].map((name) => [name, NOT_OURS]),
)

const RUNS = [
  { runner: 'mcp-conformance', args: [], expected: WITHOUT_SESSION, scenarios: 30 },
  { runner: 'mcp-conformance-next', args: ['--requirements', '2025-11-25'], expected: WITHOUT_SESSION, scenarios: 33 },
  { runner: 'mcp-conformance-next', args: ['--requirements', '2026-07-28'], expected: ASKING, scenarios: 50 },
]

test.each(RUNS)('$runner $args', async ({ runner, args, expected, scenarios }) => {
  const manifest = createRequire(import.meta.url).resolve(`${runner}/package.json`)
  const verdict = await judged(path.join(path.dirname(manifest), 'dist/index.js'), args, expected)
  expect(verdict.status, verdict.said).toBe(0)
  expect(verdict.scenarios, verdict.said).toBe(scenarios)
})

// Random contexts, rendered for every provider with the options that matter. Two kinds of judges know nothing of the adapters: the types of the
// providers' own clients as JSON Schemas, and the rules of sequence from their documents. A failure prints the seed and the shrunk case.

import { readFileSync } from 'node:fs'

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { fromBedrock, toBedrock } from '../../src/adapters/bedrock/index.js'
import type { FormatName } from '../../src/formats/index.js'
import { ACTS, fuzzCases, listKey, play } from '../support/providers/fuzz/contexts.js'
import { FEATURES } from '../support/providers/fuzz/features.js'
import { faultsOf, JUDGES } from '../support/providers/fuzz/judges.js'
import { clientOf, REQUEST_TYPES, typeFaults, type RequestType } from '../support/providers/request-types.js'
import type { Keyed } from '../support/providers/violations.js'
import { runs } from '../support/runs.js'

const SEED = Number(process.env['PACT_SEED'] ?? 20261118)
const NAMES = Object.keys(JUDGES) as FormatName[]
const CONTEXTS = 504
/** A soak never decides by time. */
const LIMIT = process.env['PACT_RUNS'] === undefined ? 120_000 : 0

/** Each format has events of its own. */
const seedOf = (name: FormatName): number => SEED + NAMES.indexOf(name)

describe.each(NAMES)('contexts that begin with %s', (source) => {
  test('are valid for every provider', { timeout: LIMIT }, () => {
    fc.assert(
      fc.property(fuzzCases(source), (given) => {
        play(given, (ctx) => {
          expect(NAMES.flatMap((name) => faultsOf(ctx, name, given.pick))).toEqual([])
        })
      }),
      { seed: seedOf(source), numRuns: runs(CONTEXTS / NAMES.length) },
    )
  })
})

test('every act is drawn, and contexts take it', () => {
  const cases = NAMES.flatMap((name) => fc.sample(fuzzCases(name), { seed: seedOf(name), numRuns: 40 }))
  const done = cases.flatMap((given) => play(given, () => undefined))
  const often = Object.fromEntries(ACTS.map((act) => [act, done.filter((each) => each === act).length]))
  expect(Object.entries(often).filter(([, times]) => times < 5)).toEqual([])
})

describe('the judges', () => {
  const features = NAMES.flatMap((name) => FEATURES[name].map((feature, at) => ({ name, at, turns: feature(1) })))
  const requestOf = (name: FormatName, turns: readonly unknown[]): Keyed => ({ [listKey(name)]: turns })

  test.each(features)('take feature $at of $name', ({ name, turns }) => {
    const request = requestOf(name, turns)
    expect(JUDGES[name].types(request)).toEqual([])
    expect(JUDGES[name].rules(request, {})).toEqual([])
  })

  test.each(REQUEST_TYPES)('%s: the schema is of the installed client', (type) => {
    const { name, version } = clientOf(type)
    const url = new URL(`../../node_modules/${name}/package.json`, import.meta.url)
    expect(version).toBe((JSON.parse(readFileSync(url, 'utf8')) as { version: string }).version)
  })

  test.each(REQUEST_TYPES)(
    '%s: the schema refuses an unknown key in every object of a part, and a wrong role',
    (type) => {
      const name = formatOf(type)
      const request = requestOf(name, FEATURES[name][0]!(1))
      expect(typeFaults(type, request)).toEqual([])
      expect(typeFaults(type, { ...request, planted: 1 })).not.toEqual([])
      const [first, ...rest] = request[listKey(name)] as readonly Keyed[]
      expect(typeFaults(type, requestOf(name, [{ ...first, planted: 1 }, ...rest]))).not.toEqual([])
      const key = name === 'gemini' ? 'parts' : 'content'
      const [part, ...others] = first![key] as readonly Keyed[]
      const planted = { ...first, [key]: [{ ...part, planted: 1 }, ...others] }
      expect(typeFaults(type, requestOf(name, [planted, ...rest]))).not.toEqual([])
      // The client has a text for the roles of Gemini; its rules refuse the role.
      const role = name === 'gemini-interactions' ? { type: 'planted' } : { role: name === 'gemini' ? 1 : 'planted' }
      expect(typeFaults(type, requestOf(name, [{ ...first, ...role }, ...rest]))).not.toEqual([])
    },
  )

  test('ai-sdk: the schema refuses a part that is not whole', () => {
    const turn = { role: 'user', content: [{ type: 'text' }] }
    expect(JUDGES['ai-sdk'].types({ messages: [turn] })).not.toEqual([])
  })

  test.each(NAMES)('%s: the rules find a call whose result is missing', (name) => {
    const answered = FEATURES[name].map((feature) => feature(1)).find((turns) => turns.some((turn) => isAnswer(turn)))!
    expect(JUDGES[name].rules(requestOf(name, answered), {})).toEqual([])
    const open = [...answered.filter((turn) => !isAnswer(turn)), FEATURES[name][0]!(2)[0]]
    const found = JUDGES[name].rules(requestOf(name, open), {}).map(({ rule }) => rule)
    expect(found).toContain('call-unanswered')
  })
})

test('a picture whose bytes an edit changed is left out for Bedrock, in messages and in results', () => {
  const image = { image: { format: 'png', source: { bytes: 'iVBORw0KGgo=' } } }
  const ctx = fromBedrock({
    messages: [
      { role: 'user', content: [{ text: 'See.' }, image] },
      { role: 'assistant', content: [{ toolUse: { toolUseId: 'a', name: 'shoot', input: {} } }] },
      { role: 'user', content: [{ toolResult: { toolUseId: 'a', content: [{ text: 'here' }, image] } }] },
    ],
  })
  ctx.redact('.block, .cont', { match: /VBO/, with: '[redacted]' })
  const { messages, repairs } = toBedrock(ctx)
  expect(messages[0]?.content).toEqual([{ text: 'See.' }])
  expect(messages[2]?.content).toMatchObject([{ toolResult: { content: [{ text: 'here' }] } }])
  expect(repairs.filter(({ code }) => code === 'left-out')).toHaveLength(2)
})

/** True if a turn answers calls. */
function isAnswer({ role, type, content, parts }: Keyed): boolean {
  if (role === 'tool' || (typeof type === 'string' && /_output$|^function_result$/.test(type)))
    return type !== 'model_output'
  const list = Array.isArray(content ?? parts) ? ((content ?? parts) as readonly Keyed[]) : []
  return list.some((part) => part['type'] === 'tool_result' || 'toolResult' in part || 'functionResponse' in part)
}

function formatOf(type: RequestType): FormatName {
  return type === 'anthropic-beta' ? 'anthropic' : type
}

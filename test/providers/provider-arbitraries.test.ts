// The generated conversations are what they say: the valid ones pass every judge, the odd ones hold everything that is odd.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { judgeWithAiSdk } from '../support/providers/ai-sdk.js'
import { checkAnthropic } from '../support/providers/anthropic.js'
import { arbitraryAnthropic } from '../support/providers/arbitrary/anthropic.js'
import { arbitraryGemini } from '../support/providers/arbitrary/gemini.js'
import { arbitraryModelMessages } from '../support/providers/arbitrary/model-messages.js'
import { changes, HOSTILITIES, ODDITIES, type Style } from '../support/providers/arbitrary/oddities.js'
import { arbitraryChat } from '../support/providers/arbitrary/openai-chat.js'
import { arbitraryResponses } from '../support/providers/arbitrary/openai-responses.js'
import {
  judgeWithAnthropic,
  judgeWithGemini,
  judgeWithOpenAI,
  judgeWithResponses,
  type Judgement,
} from '../support/providers/clients.js'
import { checkGemini } from '../support/providers/gemini.js'
import { checkModelMessages } from '../support/providers/model-messages.js'
import { checkOpenAIChat } from '../support/providers/openai-chat.js'
import { checkOpenAIResponses } from '../support/providers/openai-responses.js'
import type { Violation } from '../support/providers/violations.js'
import { runs } from '../support/runs.js'

type Row = Readonly<{
  name: string
  arbitrary: (style?: Style) => fc.Arbitrary<unknown>
  check: (request: unknown) => Violation[]
  judge: (request: never) => Promise<Pick<Judgement, 'errors'>>
  /** Rules that the odd ones break sooner or later. */
  broken: readonly string[]
}>

const ROWS: readonly Row[] = [
  {
    name: 'OpenAI Chat Completions',
    arbitrary: arbitraryChat,
    check: checkOpenAIChat,
    judge: judgeWithOpenAI,
    broken: [
      'role',
      'shape',
      'part',
      'content-missing',
      'empty-list',
      'empty-text',
      'call-unanswered',
      'between',
      'result-orphan',
      'call-id',
      'call-id-twice',
    ],
  },
  {
    name: 'OpenAI Responses',
    arbitrary: arbitraryResponses,
    check: checkOpenAIResponses,
    judge: judgeWithResponses,
    broken: [
      'kind',
      'shape',
      'unknown-key',
      'empty-content',
      'call-unanswered',
      'between',
      'output-orphan',
      'call-id',
      'item-id-twice',
      'reasoning-alone',
    ],
  },
  {
    name: 'Anthropic Messages',
    arbitrary: arbitraryAnthropic,
    check: checkAnthropic,
    judge: judgeWithAnthropic,
    broken: [
      'role',
      'shape',
      'part',
      'unknown-key',
      'empty-content',
      'empty-text',
      'system-first',
      'system-place',
      'call-unanswered',
      'between',
      'results-first',
      'result-orphan',
      'call-id',
      'call-id-twice',
    ],
  },
  {
    name: 'Gemini',
    arbitrary: arbitraryGemini,
    check: checkGemini,
    judge: judgeWithGemini,
    broken: [
      'role',
      'shape',
      'unknown-key',
      'empty-parts',
      'part-data',
      'call-turn',
      'call-unanswered',
      'between',
      'response-orphan',
    ],
  },
  {
    name: 'AI SDK',
    arbitrary: arbitraryModelMessages,
    check: checkModelMessages,
    judge: judgeWithAiSdk,
    broken: [
      'role',
      'shape',
      'part',
      'empty-content',
      'empty-text',
      'call-unanswered',
      'between',
      'result-orphan',
      'call-id-twice',
    ],
  },
]

const SEED = Number(process.env['PACT_SEED'] ?? 20261116)

describe.each(ROWS)('$name', ({ arbitrary, check, judge, broken }) => {
  test('what is valid passes the judges', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary('valid'), async (request) => {
        expect(check(request)).toEqual([])
        expect((await judge(request as never)).errors).toEqual([])
      }),
      { numRuns: runs(20), seed: SEED },
    )
  })

  test('what is odd is JSON and breaks the rules', () => {
    const requests = fc.sample(arbitrary('odd'), { numRuns: 250, seed: SEED })
    const rules = requests.map((request) => check(request).map(({ rule }) => rule))
    expect(rules.flat()).not.toContain('json')
    expect(broken.filter((rule) => !rules.some((list) => list.includes(rule)))).toEqual([])
    expect(rules.filter((list) => list.length === 0).length).toBeGreaterThan(0)
  })

  test('what is hostile is not always JSON', () => {
    const requests = fc.sample(arbitrary('hostile'), { numRuns: 40, seed: SEED })
    expect(requests.flatMap((request) => check(request).map(({ rule }) => rule))).toContain('json')
  })
})

test('every oddity is drawn', () => {
  const drawn = fc.sample(changes('hostile'), { numRuns: 400, seed: SEED }).flat()
  expect(new Set(drawn.map(({ oddity }) => oddity))).toEqual(new Set([...ODDITIES, ...HOSTILITIES]))
})

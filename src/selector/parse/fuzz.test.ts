// Any text gives a selector or a PactError that points into the text, and the work is linear in the text. Work is counted,
// not timed: every unit that the parser looks at goes through the reader.

import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import { selectors } from '../../../test/support/selectors.js'
import { PactError } from '../../errors/index.js'
import type { Dialect } from '../../core/index.js'
import type { Selector } from '../ast.js'
import { formatSelector } from '../format.js'
import badRows from './invalid.cases.json' with { type: 'json' }
import { rewriteLegacy } from '../advice/legacy-text.js'
import { SELECTOR_LIMITS } from '../limits.js'
import { lintSelector } from '../advice/lint.js'
import { normalizeSelector } from '../advice/normalize.js'
import rows from './parse.cases.json' with { type: 'json' }
import { parseSelector, parseText } from './selector.js'
import { Reader } from './reader.js'
import { runs } from '../../../test/support/runs.js'

const RUNS = { numRuns: runs(4_000), seed: Number(process.env['PACT_SEED'] ?? 7) }
const READS_PER_UNIT = 16

const SAMPLE = fc.sample(selectors({ dialect: '1.0' }), { ...RUNS, numRuns: 400 }).map(formatSelector)
const TEXTS = [...[...rows, ...badRows].map(({ selector }) => selector), ...SAMPLE]
const SCRAPS = [
  ...'.#+*^@:()[]{}<>=!~,?\'"\\ \t\n-_0123456789adtcx|&;/$%',
  '..',
  '??',
  '@t',
  '@c',
  '@*',
  '@t-*',
  '@history',
  '@working',
  '@limit=',
  '@order=',
  'd1',
  'd-1',
  'depth(',
  ':depth(',
  ':nth(',
  ':first',
  ':pre',
  'cont[',
  'seg',
  'c@',
  '*:block',
  'within(',
  '.block',
  ' in ',
  'null',
  '[a=1]',
  '{ a }',
  '\u00a0',
  '\ud800',
  '🔥',
  'é',
  '\u0000',
]

describe('any text', () => {
  const dialects = fc.constantFrom<Dialect>('0.1', '1.0')
  const random = fc.oneof(
    fc.array(fc.constantFrom(...SCRAPS), { maxLength: 30 }).map((scraps) => scraps.join('')),
    fc.string({ unit: 'binary', maxLength: 40 }),
  )
  const mutated = fc
    .tuple(
      fc.constantFrom(...TEXTS),
      fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), fc.constantFrom('', ...SCRAPS)), { minLength: 1, maxLength: 4 }),
    )
    .map(([text, edits]) =>
      edits.reduce((each, [place, cut, scrap]) => {
        const at = place % (each.length + 1)
        return each.slice(0, at) + scrap + each.slice(at + cut)
      }, text),
    )

  test.each([
    ['random', random],
    ['mutated', mutated],
  ] as const)('that is %s is read, or refused at a place in it', (_, texts) => {
    fc.assert(
      fc.property(texts, dialects, (text, dialect) => {
        const tree = tryParse(text, dialect)
        const problem = PactError.is(tree) ? faultOf(tree, text) : roundTripFault(tree)
        expect(problem ?? readsFault(text, dialect)).toBeUndefined()
        lintSelector(text, { dialect })
      }),
      RUNS,
    )
  })

  test('that can be read can be normalized', () => {
    fc.assert(
      fc.property(mutated, dialects, (text, dialect) => {
        const tree = tryParse(text, dialect)
        if (!PactError.is(tree)) expect(() => normalizeSelector(tree)).not.toThrow()
      }),
      { ...RUNS, numRuns: runs(2_000) },
    )
  })
})

describe('the work is linear in the text', () => {
  const scraps = [
    ...SCRAPS,
    '(',
    '((d1,0),',
    '( .a ',
    '(d1 ',
    ':a',
    '::',
    '.a:b',
    '#a:',
    "['a',",
    '.a(b ',
    '.a > ',
    'd1 .a,',
  ]

  test.each(scraps)('many %j', (scrap) => {
    for (const dialect of ['0.1', '1.0'] as const) {
      for (const before of ['', '.a', '.a ', '#', '[a=', '(', '.a @x=']) {
        const text = before + scrap.repeat(Math.floor((SELECTOR_LIMITS.text - before.length) / scrap.length))
        expect(readsFault(text, dialect)).toBeUndefined()
      }
    }
  })

  it('also where legacy tokens are rewritten', () => {
    const more = ['(depth(', "('", '([', 'seg ', '(seg,', '(d1, seg, ', '*:block ', '?? ', '?? {', '@+', '"\\']
    for (const scrap of [...scraps, ...more]) {
      const text = `seg ${scrap.repeat(Math.floor((SELECTOR_LIMITS.text - 4) / scrap.length))}`
      const reader = new Reader(text, '1.0')
      rewriteLegacy(reader)
      expect([scrap, reader.reads <= READS_PER_UNIT * text.length]).toEqual([scrap, true])
    }
  })
})

function tryParse(text: string, dialect: Dialect): ReturnType<typeof parseSelector> | PactError {
  try {
    return parseSelector(text, { dialect })
  } catch (error) {
    if (PactError.is(error)) return error
    throw error
  }
}

/** The fault of a refusal; one expectation a run, since there are many runs. */
function faultOf({ code, message, details }: PactError, text: string): string | undefined {
  const { pos, token, selector } = details as { pos: number; token: string; selector: string }
  if (!/^E_(?:SELECTOR|DEPTH|SNAPSHOT_RANGE)_/.test(code)) return `The code is ${code}.`
  if (message.split('\n').length !== 3) return `The message has another shape: ${message}`
  if (selector !== text) return 'The details hold another selector.'
  if (!(pos >= 0 && pos <= text.length)) return `The place ${pos} is outside.`
  return text.startsWith(token, pos) ? undefined : `The token ${token} does not stand at ${pos}.`
}

function roundTripFault(tree: Selector): string | undefined {
  const text = formatSelector(tree)
  const again = formatSelector(parseSelector(text, { dialect: tree.dialect, bound: true }))
  return again === text ? undefined : `${text} became ${again}`
}

function readsFault(text: string, dialect: Dialect): string | undefined {
  const reader = new Reader(text, dialect)
  try {
    parseText(reader, false)
  } catch (error) {
    if (!PactError.is(error)) throw error
  }
  return reader.reads <= READS_PER_UNIT * (text.length + 1)
    ? undefined
    : `${reader.reads} reads of ${text.length} units`
}

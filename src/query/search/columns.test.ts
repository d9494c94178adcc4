// Columns and sieves against the matcher alone: whatever they pass over must not be there.

import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { listOf, textOf } from '../../../test/support/context.js'
import { plainly } from '../../../test/support/plainly.js'
import { createContext, importSnapshot, type Context } from '../../index.js'
import { hashOf, sieveOf } from './text-sieve.js'

const SEED = Number(process.env['PACT_SEED'] ?? 5)

const LETTERS = ['a', 'b', 'ab', 'é', '漢字', '😀', '\ud800', ' ', '0', '.', 'x'.repeat(70)]
const texts = fc.array(fc.constantFrom(...LETTERS), { maxLength: 8 }).map((parts) => parts.join(''))

describe('text sieves', () => {
  test('let a text through wherever it stands, and hashes are equal for equal texts', () => {
    fc.assert(
      fc.property(texts, texts, texts, (before, text, after) => {
        const wanted = sieveOf(text)
        expect(sieveOf(`${before}${text}${after}`) & wanted).toBe(wanted)
        expect(hashOf(`${before}${text}`)).toBe(hashOf([...before, ...text].join('')))
        expect(hashOf(text)).not.toBe(0)
      }),
      { seed: SEED, numRuns: 500 },
    )
  })
})

describe('columns', () => {
  const values: readonly unknown[] = [
    'ab',
    'abab',
    'é',
    '漢字',
    5,
    5.5,
    '5',
    true,
    'true',
    null,
    ['ab', 5],
    { a: 'ab' },
    '',
  ]
  const ctx = history(values, 150)
  const literals = [
    "'ab'",
    "'ba'",
    "'é'",
    "'漢字'",
    '5',
    "'5'",
    '5.5',
    "'true'",
    'true',
    'null',
    "''",
    "'x ab'",
    "'字'",
  ]
  const tests = [
    ...literals.flatMap((each) => [`[data_v=${each}]`, `[data_v!=${each}]`, `[data_v~${each}]`]),
    ...literals.flatMap((each) => [`[content=${each}]`, `[content!=${each}]`, `[content~${each}]`]),
    '[data_v]',
    '[data_none]',
    "[data_none!='ab']",
    '[data_none=null]',
    "[data_v in ['ab', 5, null]]",
    "[data_v!=['ab', 5]]",
    '[data_v>4]',
    '+t7',
    "[tag~'t7']",
    '#k3',
    "[key='k3']",
    '[priority>=8]',
    '[cycle=70]',
    '[age<4]',
    '[age>=140]',
    '[creation_index<2]',
    ':pre',
  ]
  const shapes = [
    (each: string) => `@t0 ${each}`,
    (each: string) => `@t0 .block${each}`,
    (each: string) => `@t0 ^seq .seg > .cont${each} > .block`,
    (each: string) => `@t0 .cont > .block${each}`,
    (each: string) => `@t0 .block${each}:first`,
    (each: string) => `@t0 .seg${each}, .block${each}`,
  ]

  // Sieves are made from the second question about a chunk on, and by all chunks before the tenth.
  test.each([1, 2, 12])(
    'tell what the matcher finds, asked with %s spaces at the end, which makes it a new text',
    (times) => {
      let found = 0
      for (const each of tests) {
        for (const shape of shapes) {
          const text = shape(each.startsWith(':') ? `*${each}` : each).replaceAll(/(block|cont|seg)\*/g, '$1')
          const ids = listOf(ctx.select(`${text}${' '.repeat(times)}`))
          expect(ids, text).toEqual(plainly(() => ctx.select(text)))
          found += ids.length
        }
      }
      expect(found).toBeGreaterThan(1000)
    },
  )

  test('tell the same of a segment with a thousand nodes among others, and of kinds beyond number', () => {
    const long = history(values, 40)
    for (let i = 0; i < 1000; i++) {
      long.add(`part ${i}`, { zone: 'core', role: `r${i % 90}`, data_v: `v${i}`, type: `t${i % 50}` })
    }
    long.commit()
    for (let i = 0; i < 40; i++) {
      long.user('after')
      long.commit()
    }
    for (const body of [
      "[role='r7']",
      '.t7',
      "[data_v='v77']",
      "[content~'part 9']",
      "[content='part 9']",
      "[content!='part 90'][data_v!='v91']",
      '.block[role=r3].t43',
      '.block',
    ]) {
      for (const time of ['', ' ', '  ']) {
        expect(long.select(`@t0 ${body}${time}`), body).toEqual(plainly(() => long.select(`@t0 ${body}`)))
      }
    }
  })
})

test('rows are told apart where there are more than two bytes can count', () => {
  const ctx = createContext()
  for (let i = 0; i < 40; i++) {
    const nodes = i === 3 ? 66_000 : 1
    const children = Array.from({ length: nodes }, (_, at) => ({ content: `${at}`, data_v: `v${at % 1000}` }))
    ctx.add(undefined, { zone: 'post', nodeType: 'cont:box', data_v: `w${i % 5}`, children })
    ctx.commit()
  }
  for (const text of [".seg > .cont[data_v='w3'] > .block[data_v='v7']", "^seq .cont > .block[data_v='v999']"]) {
    expect(ctx.select(`@t0 ${text}`), text).toEqual(plainly(() => ctx.select(`@t0 ${text}`)))
  }
  expect(ctx.count("@t0 .seg > .cont[data_v='w3'] > .block")).toBe(66_007)
})

test('virtual cores are met in leaves that have no other container, whatever else is asked of them (D12)', () => {
  const made = createContext()
  for (let i = 0; i < 1100; i++) {
    made.user(`turn ${i}`)
    made.commit()
  }
  const document = JSON.parse(textOf(made.export('@t0'))) as Exported
  const [, seq] = document.root.children!
  // The blocks of each core stand in its segment.
  for (const segment of seq!.children!) segment.children = segment.children!.flatMap(({ children }) => children!)
  const ctx = importSnapshot(document)
  for (const body of [
    '.cont > .block',
    '.cont[depth>3] > .block',
    '.cont[depth=null] > .block',
    '.cont[age<9] > .block',
    '.cont:core > .block',
  ]) {
    for (const time of ['', ' ', '  ']) {
      expect(ctx.select(`@t0 ${body}${time}`), body).toEqual(plainly(() => ctx.select(`@t0 ${body}`)))
    }
  }
  expect(ctx.count('@t0 .cont:core > .block')).toBe(1100)
})

type Exported = { root: Exported; children?: Exported[] }

/** Turns with values in turn, as an attribute and as content, some with containers that carry them. */
function history(values: readonly unknown[], turns: number): Context {
  const ctx = createContext()
  for (let i = 0; i < turns; i++) {
    const value = values[i % values.length] as string
    ctx.pre(value ?? 'none', { tags: [`t${i % 20}`], ...(i % 9 === 0 ? { key: `k${i % 5}` } : {}) })
    ctx.user(value ?? 'none', { data_v: value, priority: i % 10 })
    const children = [{ content: `x ${value}`, data_v: value }, { content: 'y' }]
    if (i % 3 === 0) ctx.add(undefined, { zone: 'post', nodeType: 'cont:box', data_v: value, children })
    ctx.commit()
  }
  return ctx
}

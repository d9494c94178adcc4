// Data in selectors: by rows where it may occur and how it is written, and by the law that it is read as what it is.

import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

import { createContext, PactError, parseSelector, sel, type SelectorValue } from '../index.js'

const RUNS = { numRuns: 500, seed: Number(process.env['PACT_SEED'] ?? 11) }

describe('sel', () => {
  const rows: readonly (readonly [what: string, written: string, expected: string])[] = [
    ['a text', sel`.block[role=${'user'}]`, ".block[role='user']"],
    ['quotes', sel`[a=${"it's"}][b=${'"'}][c=${'\'"'}]`, `[a="it's"][b='"'][c='\\'"']`],
    ['a backslash', sel`[a=${'\\'}]`, "[a='\\\\']"],
    ['nothing', sel`[a=${''}]`, "[a='']"],
    ['behind every operator', sel`[a!=${'x'}, b<=${1}, c~${'y'}]{ d > ${2} }`, "[a!='x', b<=1, c~'y']{ d > 2 }"],
    ['numbers', sel`[a=${5}][b=${-0.5}][c=${2n ** 70n}][d=${-0}]`, '[a=5][b=-0.5][c=1180591620717411303424][d=0]'],
    ['numbers beyond digits', sel`[a>${1e21}][b<${1.5e-7}]`, '[a>1000000000000000000000][b<0.00000015]'],
    ['words', sel`[a=${true}][b!=${null}]`, '[a=true][b!=null]'],
    ['a list', sel`[a in ${['x', 5, null]}]`, "[a in ['x', 5, null]]"],
    ['a list behind =', sel`.x(a!=${['x']})`, ".x(a!=['x'])"],
    ['items', sel`[a in ['b', ${'c'}, ${5}]]{ a=[${'d'}] }`, "[a in ['b', 'c', 5]]{ a=['d'] }"],
    ['a key', sel`@t0 #${'my key'} > .block`, "@t0 #'my key' > .block"],
    ['a type', sel`^seq .${'block:doc'}:first`, '^seq .block:doc:first'],
    ['a tag', sel`.block+${'a:b'} +${'c'}`, '.block+a:b +c'],
    ['in parentheses', sel`( #${'k'}, .${'t'}[x=${'y'}] )`, "( #'k', .t[x='y'] )"],
    ['whole numbers', sel`@c${3} d${1}..d${2} .x:nth(${2}) @limit=${10n}`, '@c3 d1..d2 .x:nth(2) @limit=10'],
    ['a coordinate', sel`(d${1}, ${0}, ${-1})`, '(d1, 0, -1)'],
    ['behind quotes of the template', sel`[a='x\\'[', b=${']'}]`, "[a='x\\'[', b=']']"],
    ['no value', sel`.block`, '.block'],
  ]

  test.each(rows)('writes %s', (_, written, expected) => {
    expect(written).toBe(expected)
    expect(() => parseSelector(written)).not.toThrow()
  })

  const refused: readonly (readonly [what: string, act: () => string, says: string])[] = [
    ['a value in quotes', () => sel`[a='${'x'}']`, 'Leave out the quotes'],
    ['a value in a quoted key', () => sel`#"${'x'}"`, 'Leave out the quotes'],
    ['NaN', () => sel`[a=${Number.NaN}]`, 'NaN is no number'],
    ['infinity', () => sel`[a<${-Infinity}]`, '-Infinity is no number'],
    ['undefined', () => sel`[a=${undefined as unknown as string}]`, 'not undefined'],
    ['an object', () => sel`[a=${{} as unknown as string}]`, 'not an object'],
    ['an empty list', () => sel`[a in ${[]}]`, 'An empty list'],
    ['a list in a list', () => sel`[a in ${[['x']] as unknown as string[]}]`, 'not a list'],
    ['a hole in a list', () => sel`[a in ${Array(2) as string[]}]`, 'not undefined'],
    ['a list as an item', () => sel`[a in ['x', ${['y']}]]`, 'not a list'],
    ['a type that is no token', () => sel`.${'a b'}`, 'write [nodeType=${…}]'],
    ['a type with a predicate', () => sel`.${'a:first'}`, 'write [nodeType=${…}]'],
    ['a tag that is no token', () => sel`+${'5'}`, 'write [tag=${…}]'],
    ['a number as a key', () => sel`#${5}`, 'A key or id is a text, not 5'],
    ['a text as a step', () => sel`${'.block'}`, 'Only whole numbers'],
    ['a text behind a space', () => sel`.a ${'.b'}`, 'Only whole numbers'],
    ['a text as a name', () => sel`[${'a'}=1]`, 'Only whole numbers'],
    ['a text inside a name', () => sel`[content.${'a'}=1]`, 'Only whole numbers'],
    ['a text as a control', () => sel`.a @order=${'pre'}`, 'Only whole numbers'],
    ['a fraction as a depth', () => sel`d${1.5}`, 'Only whole numbers'],
    ['a call without a template', () => sel('.block' as unknown as TemplateStringsArray), 'sel is the tag'],
    ['no template at all', () => sel(undefined as unknown as TemplateStringsArray), 'sel is the tag'],
    ['an invalid escape', () => sel`\u{}`, 'an invalid escape'],
  ]

  test.each(refused)('refuses %s', (_, act, says) => {
    try {
      act()
    } catch (error) {
      expect(PactError.is(error)).toBe(true)
      expect(error).toMatchObject({ code: 'E_SELECTOR_INVALID' })
      expect((error as PactError).message).toContain(says)
      return
    }
    throw new Error('It was not refused.')
  })

  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(...`'"\\]}),=~ \n\0`, '\ud800', '\udc00', '🔥', '@t0', '??'), maxLength: 8 }),
  )

  it('selects exactly the nodes whose attribute is the text, whatever it holds', () => {
    fc.assert(
      fc.property(fc.uniqueArray(texts, { minLength: 1, maxLength: 5 }), texts, (kept, asked) => {
        const ctx = createContext()
        const ids = new Map(kept.map((text) => [text, ctx.post('x', { data_s: text }).id]))
        const others = ctx.post('y', { data_s: 5 }).id
        for (const text of [...kept, asked]) {
          const expected = ids.has(text) ? [ids.get(text)] : []
          expect(ctx.select(sel`[data_s=${text}]`)).toEqual(expected)
          expect(ctx.select(sel`.block { data_s in ${[text]} }`)).toEqual(expected)
          expect(ctx.count(sel`.block[data_s!=${text}]`)).toBe(kept.length + 1 - expected.length)
        }
        expect(ctx.select(sel`[data_s=${5}]`)).toEqual([others])
      }),
      RUNS,
    )
  })

  it('writes numbers that are read as the same numbers', () => {
    const numbers = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.bigInt(), fc.integer())
    fc.assert(
      fc.property(numbers, (number: SelectorValue) => {
        const tree = parseSelector(sel`[a=${number}]`)
        const [condition] = tree.choices[0]!.groups[0]!.steps[0]!.conditions
        const [test] = condition!.kind === 'fields' ? condition!.tests : []
        const value = test?.value
        expect(value?.kind).toBe('number')
        const text = value?.kind === 'number' ? value.text : ''
        expect(typeof number === 'bigint' ? BigInt(text) : Number(text) + 0).toBe(
          typeof number === 'number' ? number + 0 : number,
        )
      }),
      RUNS,
    )
  })

  it('puts any key in so that it finds that key, or says why not', () => {
    fc.assert(
      fc.property(texts, (key) => {
        const written = sel`#${key}`
        const tree = parseSelector(written)
        expect(tree.choices[0]!.groups[0]!.steps[0]!.conditions).toMatchObject([{ kind: 'key', key }])
      }),
      RUNS,
    )
  })
})

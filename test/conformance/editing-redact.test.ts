// redact (D54): a text leaves the nodes, not the nodes the tree.

import { createContext, type ContentInput, type Context, type ContextOptions } from 'pact-context'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { clockOf, DIALECTS, expectRefused, textOf } from '../support/context.js'
import { byId, contents } from '../support/editing.js'

const SECRET = '4111-1111'

function context(options: ContextOptions = {}): Context {
  return createContext({ clock: clockOf(), ...options })
}

describe.each(DIALECTS)('redact, %s', (dialect) => {
  test('changes nodes of the head in place (D54, D30)', () => {
    const ctx = context({ dialect })
    const node = ctx.user(`Card ${SECRET}, again ${SECRET}.`)
    expect(ctx.redact(byId(node.id).replace('[', '*['), { match: SECRET })).toMatchObject([
      { id: node.id, content: 'Card [redacted], again [redacted].', role: 'user' },
    ])
    expect(ctx.node(node.id)!.attributes).toEqual({})
  })

  test('supersedes nodes of history; every earlier snapshot keeps its bytes (D54, D30)', () => {
    const ctx = context({ dialect })
    const node = ctx.user(`Card ${SECRET}`, { tags: ['t'], ttl: 5 })
    ctx.commit()
    const before = textOf(ctx.export())
    const [made] = ctx.redact('*[tag=t]', { match: SECRET, with: '***', author: 'me', reason: 'GDPR' })
    expect(made).toMatchObject({
      content: 'Card ***',
      supersedes: node.id,
      tags: ['t'],
      attributes: { data_author: 'me', data_reason: 'GDPR' },
    })
    ctx.commit()
    expect(textOf(ctx.export('@t-1'))).toBe(before)
    expect(textOf(ctx.export())).not.toContain(SECRET)
    const { removed, added } = ctx.diffDetailed('@t-1', '@t0')
    expect([removed[0]!.cause, added[0]!.cause]).toEqual(['redacted', 'redacted'])
    expect(ctx.explain(node.id)).toMatchObject({ supersededBy: made!.id, left: { cause: 'redacted' } })
  })
})

describe('redact', () => {
  test('says so where a committed node changed in place (D54)', () => {
    const ctx = context()
    ctx.system.add(`Key ${SECRET}`)
    ctx.commit()
    ctx.system.redact('*', { match: SECRET })
    ctx.commit()
    expect(ctx.diffDetailed('@t-1', '@t0').changed).toMatchObject([{ cause: 'redacted' }])
    expect(contents(ctx, '@t0')).toEqual(['Key [redacted]'])
  })

  test('reaches strings and names at any depth, data_ and content_ attributes, and provenance (D54)', () => {
    const ctx = context()
    ctx.tool(
      { list: [{ deep: `a ${SECRET}` }], [`key ${SECRET}`]: 1, n: 4111, flag: true, none: null },
      {
        kind: 'result',
        data_source: [`b ${SECRET}`],
        content_name: `${SECRET}.txt`,
        provenance: { from: SECRET },
        'x:note': SECRET,
        tags: [SECRET],
      },
    )
    const [node] = ctx.redact('.block', { match: SECRET, with: '#' })
    expect(node!.content).toEqual({ list: [{ deep: 'a #' }], 'key #': 1, n: 4111, flag: true, none: null })
    expect(node!.attributes).toEqual({ data_source: ['b #'], content_name: '#.txt', 'x:note': SECRET })
    expect(node!.provenance).toEqual({ from: '#' })
    expect(node!.tags).toEqual([SECRET])
  })

  test('keeps apart names that differ in nothing but what was taken out (D54)', () => {
    const ctx = context()
    ctx.user({ 'b-2': 2, 'b-1': 1, 'b-x': 0, 'b-3': 3 })
    const [node] = ctx.redact('.block', { match: /\d/, with: 'x' })
    expect(node!.content).toEqual({ 'b-x': 0, 'b-x 2': 1, 'b-x 3': 2, 'b-x 4': 3 })
  })

  test.each<[string, string | RegExp, string | undefined, string, string]>([
    ['a string', 'ab', undefined, 'ab cab AB', '[redacted] c[redacted] AB'],
    ['an expression without flags', /ab/, undefined, 'ab cab', '[redacted] c[redacted]'],
    ['a sticky one', /ab/y, undefined, ' ab ab', ' [redacted] [redacted]'],
    ['one that ignores case', /ab/i, '-', 'ab AB', '- -'],
    ['a replacement with signs that mean something elsewhere', 'ab', '$& $1 $$', 'ab', '$& $1 $$'],
    ['an expression that also matches nothing', /x*/, '-', 'axxb', 'a-b'],
    ['signs that mean something in expressions', 'a.b', '-', 'a.b axb', '- axb'],
    ['an empty replacement', 'ab', '', 'ab c', ' c'],
  ])('takes %s (D54)', (_what, match, instead, text, expected) => {
    const ctx = context()
    ctx.user(text)
    expect(ctx.redact('.block', { match, with: instead })[0]!.content).toBe(expected)
  })

  test('gives nothing and is no step of undo where nothing is found (D54)', () => {
    const ctx = context()
    ctx.user('hello')
    expect(ctx.redact('.block', { match: SECRET })).toEqual([])
    expect(ctx.undo()).toBe(true)
    expect(ctx.count('.block')).toBe(0)
    expectRefused(ctx, () => ctx.redact('.block', { match: SECRET }), 'E_NODE_NOT_FOUND')
    expect(ctx.redact('.block?', { match: SECRET })).toEqual([])
  })

  test('passes over structure, and takes each selected node by itself (D54)', () => {
    const ctx = context()
    ctx.add(undefined, { zone: 'post', key: 'box', children: [{ content: SECRET, key: 'in' }] })
    ctx.user('u')
    ctx.commit()
    expect(ctx.redact('^seq *', { match: SECRET }).map(({ key }) => key)).toEqual(['in'])
    ctx.undo()
    expect(ctx.redact('#box', { match: SECRET })).toEqual([])
  })

  test('takes signed reasoning out whole (D54)', () => {
    const ctx = context()
    ctx.assistant({ type: 'thinking', thinking: `hm ${SECRET}`, signature: 'abc' }, { kind: 'reasoning' })
    ctx.assistant(`plain ${SECRET}`, { kind: 'reasoning' })
    ctx.commit()
    const [first, second] = ctx.redact('.block', { match: SECRET, reason: 'card' })
    expect(first).toMatchObject({ nodeType: 'block:redaction', content: '', attributes: { data_reason: 'card' } })
    expect(second).toMatchObject({ nodeType: 'block', content: 'plain [redacted]' })
  })

  test('leaves the id that ties a call to its result, in the marker of signed reasoning too (D27, D54)', () => {
    const ctx = context({ prune: { maxNodes: 13 } })
    ctx.assistant('do', { kind: 'call', data_call_id: 'call_1234' })
    ctx.tool('card 1234', { kind: 'result', data_call_id: 'call_1234' })
    ctx.commit()
    ctx.redact('[kind=result]', { match: /\d{4}/ })
    expect(ctx.first('[kind=result]')!.attributes['data_call_id']).toBe('call_1234')
    for (const text of ['n', 'n2']) {
      ctx.user(text)
      ctx.commit()
    }
    expect(contents(ctx, '@t0')).toEqual(['n', 'n2'])
  })

  test('leaves nothing to be found where nothing takes its place (D54)', () => {
    const ctx = context()
    ctx.user('44111111 4111')
    expect(ctx.redact('.block', { match: '4111', with: '' })[0]!.content).toBe(' ')
  })

  test('tells no author and no reason that are not texts (D54)', () => {
    const ctx = context()
    ctx.user('u', { data_author: 7, data_reason: ['x'] })
    ctx.commit()
    const [made] = ctx.redact('^seq .block', { match: 'u' })
    expect(ctx.explain(made!.id).redaction).toEqual({ author: undefined, reason: undefined })
  })

  test('says who redacted and why, in place and in history (D54)', () => {
    const ctx = context()
    ctx.system.add(`rule ${SECRET}`)
    const old = ctx.user(`u ${SECRET}`)
    ctx.commit()
    const [rule] = ctx.system.redact('*', { match: SECRET, author: 'me', reason: 'r' })
    const [made] = ctx.redact('^seq .block', { match: SECRET, author: 'me', reason: 'r' })
    for (const { id } of [rule!, made!]) expect(ctx.explain(id).redaction).toEqual({ author: 'me', reason: 'r' })
    expect(String(ctx.explain(old.id))).toContain('it was redacted')
  })

  test('may not touch ^sys without its capability (D31)', () => {
    const ctx = context()
    ctx.system.add(SECRET)
    expectRefused(ctx, () => ctx.redact('^sys .block', { match: SECRET }), 'E_NOT_AUTHORIZED')
  })

  test('works on what protects and is protected as before (D41)', () => {
    const ctx = context()
    const doc = ctx.post(`doc ${SECRET}`, { ttl: 1, key: 'd' })
    ctx.post('note', { refs: [doc.id] })
    ctx.commit()
    ctx.redact('#d', { match: SECRET })
    for (let i = 0; i < 2; i++) ctx.commit()
    expect(contents(ctx, '@t0')).toEqual(['doc [redacted]', 'note'])
  })

  test.each<[string, unknown]>([
    ['no options', undefined],
    ['a text', SECRET],
    ['a list', [SECRET]],
    ['no match', { with: 'x' }],
    ['an empty match', { match: '' }],
    ['a number', { match: 4111 }],
    ['an object', { match: { source: SECRET } }],
    ['what pretends', { match: { [Symbol.toStringTag]: 'RegExp', source: `${SECRET}(`, flags: '' } }],
    ['a prototype', { match: Object.create(RegExp.prototype) as unknown }],
    ['a replacement that is no text', { match: SECRET, with: 7 }],
    ['an author that is no text', { match: SECRET, author: {} }],
    ['an unknown option', { match: SECRET, wiht: 'x' }],
  ])('refuses %s without telling what was searched for (D54)', (_what, options) => {
    const ctx = context()
    ctx.user(`x ${SECRET}`)
    const error = expectRefused(ctx, () => ctx.redact('.block', options as never), 'E_CONTENT_INVALID')
    expect(JSON.stringify(error)).not.toContain(SECRET)
    expect(error.stack).not.toContain(SECRET)
  })

  test('leaves no occurrence in any text it reaches, and changes nothing else (D54)', () => {
    const values: fc.Arbitrary<ContentInput> = fc.letrec<{ value: ContentInput }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.string({ unit: fc.constantFrom('a', 'b', 'x', '[', '$') }),
        fc.integer(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.string({ unit: fc.constantFrom('a', 'b', 'x'), minLength: 1 }), tie('value'), { maxKeys: 3 }),
      ),
    })).value
    fc.assert(
      fc.property(values, fc.constantFrom('a', 'ab', 'b['), (value, match) => {
        const ctx = context()
        const node = ctx.user(value)
        const [redacted] = ctx.redact('.block', { match, with: '#' })
        const text = JSON.stringify(node.content)
        if (!text.includes(match)) {
          expect(redacted).toBeUndefined()
          return
        }
        expect(JSON.stringify(redacted!.content)).not.toContain(match)
        expect(redacted).toMatchObject({ id: node.id, role: 'user', offset: 0, cycle: 1 })
      }),
      { seed: 54 },
    )
  })
})

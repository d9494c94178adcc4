import fc from 'fast-check'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, expectTypeOf, test } from 'vitest'

import { runs } from '../../test/support/runs.js'
import { ENDPOINTS } from './endpoints.js'
import type { Answer, Input } from './request.js'
import { requestOf } from './request.js'
import { ROUTES, ROWS } from './routes.js'
import {
  checkInput,
  dict,
  flag,
  json,
  list,
  literal,
  nullable,
  number,
  object,
  oneOf,
  record,
  string,
  text,
  texts,
  union,
  whole,
  type Schema,
  type TypeOf,
} from './schema.js'

const SHAPE = {
  id: text,
  limit: whole(1, 1000).optional(),
  open: union(literal('all'), texts, 'a list of texts').optional(),
}

describe('a check says what is wrong', () => {
  const CASES: readonly (readonly [Schema<unknown, boolean>, unknown, string])[] = [
    [text, '', 'x is a text that is not empty, not "".'],
    [text, undefined, 'x is a text that is not empty, not undefined.'],
    [text.orMissing('x is missing.'), undefined, 'x is missing.'],
    [flag, 1, 'x is true or false, not 1.'],
    [whole(0), -1, 'x is a whole number from 0 up, not -1.'],
    [whole(1, 9), 1.5, 'x is a whole number from 1 to 9, not 1.5.'],
    [oneOf(['a', 'b']), 'c', 'x is one of a, b, not "c".'],
    [texts, ['a', 1], 'x is a list of texts, not a list.'],
    [dict, [], 'x is an object, not a list.'],
    [list(dict).checkedAs('a list of operations', Array.isArray), 7, 'x is a list of operations, not 7.'],
  ]
  test.each(CASES)('%#', (schema, value, sentence) => {
    expect(() => schema.check(value, 'x')).toThrow(
      expect.objectContaining({ code: 'E_CONTENT_INVALID', details: { name: 'x' } }) as Error,
    )
    expect(() => schema.check(value, 'x')).toThrow(sentence)
  })

  test('an optional value may be missing, and a loosely checked list may hold anything', () => {
    text.optional().check(undefined, 'x')
    list(dict).checkedAs('a list of operations', Array.isArray).check([7], 'x')
    expect(() => text.optional().check(null, 'x')).toThrow('not null')
  })

  test('input: an object, known names, then field by field', () => {
    expect(checkInput(SHAPE, { id: 'a', limit: undefined, open: ['b'] })).toEqual({ id: 'a', open: ['b'] })
    expect(() => checkInput(SHAPE, [])).toThrow('The input is an object with id, limit, open, not a list.')
    expect(() => checkInput(SHAPE, { id: 'a', ID: 1 })).toThrow('There is no "ID" here; there are id, limit, open.')
    expect(() => checkInput(SHAPE, JSON.parse('{"id":"a","__proto__":1}'))).toThrow('There is no "__proto__" here')
    expect(() => checkInput(SHAPE, { id: 'a', open: 7 })).toThrow('open is a list of texts, not 7.')
  })
})

test('query parameters are read by their fields, and stay texts if they do not fit', () => {
  expect([whole(0).read('12'), whole(0).read('1.5'), whole(0).read('9'.repeat(20))]).toEqual([
    12,
    '1.5',
    '9'.repeat(20),
  ])
  expect([flag.read(''), flag.read('true'), flag.read('false'), flag.read('no')]).toEqual([true, true, false, 'no'])
  expect([dict.read('{"a":1}'), dict.read('{'), text.read('12')]).toEqual([{ a: 1 }, '{', '12'])
})

describe('a check agrees with the JSON Schema (ajv)', () => {
  const SCHEMAS: Readonly<Record<string, Schema<unknown>>> = {
    text,
    string,
    flag,
    number,
    whole: whole(0, 5),
    choice: oneOf(['a', 'b']),
    literal: literal('all'),
    json,
    dict,
    texts,
    nullable: nullable(text),
    list: list(whole(0)),
    record: record(number),
    'record of names': record(whole(0), ['a', 'b']),
    object: object({ a: text, b: whole(0).optional() }),
    'open object': object({ a: nullable(flag) }, true),
    union: union(literal('all'), texts),
    nested: object({ a: list(object({ b: json.optional(), a: union(flag, dict) })) }),
  }
  const values = fc.jsonValue({ maxDepth: 3, depthSize: 'small' })
  const shaped = fc.oneof(
    values,
    fc.record(
      {
        a: fc.oneof(values, fc.string(), fc.array(fc.record({ a: values, b: values }, { requiredKeys: ['a'] }))),
        b: fc.oneof(values, fc.nat(9)),
      },
      { requiredKeys: [] },
    ),
    fc.array(fc.oneof(fc.string(), fc.integer())),
    fc.constantFrom('all', 'a', 'b', '', 0, 5, 6, -1, 1.5, 1e21, true, null),
  )
  test.each(Object.entries(SCHEMAS))('%s', (_name, schema) => {
    const validate = new Ajv2020({ strict: false }).compile(schema.json({}))
    fc.assert(
      fc.property(shaped, (value) => {
        expect(schema.accepts(value)).toBe(validate(value))
      }),
      { numRuns: runs(150) },
    )
  })
})

test('static types', () => {
  const schema = object({ a: text, b: list(whole(0)).optional() })
  expectTypeOf<Pick<TypeOf<typeof schema>, 'a' | 'b'>>().toEqualTypeOf<{
    readonly a: string
    readonly b?: readonly number[]
  }>()
  expectTypeOf<Input<'attempts'>>().toEqualTypeOf<{
    readonly id: string
    readonly cycle?: number | undefined
    readonly limit?: number | undefined
    readonly cursor?: string | undefined
  }>()
  expectTypeOf<Answer<'commit'>['repeated']>().toEqualTypeOf<true | undefined>()
  expectTypeOf<Answer<'summary'>['readOnly']>().toEqualTypeOf<boolean>()
})

describe('the table', () => {
  test('lists every row with what a tool needs: name, sentence, schemas, and if it writes', () => {
    expect(ROWS.map(({ name }) => name)).toEqual(Object.keys(ENDPOINTS))
    for (const { about, input, answer } of ROWS) {
      expect(about).toMatch(/^[A-Z].*\.$/)
      for (const field of Object.values(input)) expect(field.about).toMatch(/\.$/)
      expect(answer.json({})).toBeTypeOf('object')
    }
    expect(ROWS.filter(({ writes }) => writes === true).map(({ name }) => name)).toEqual([
      'create',
      'delete',
      'import',
      'saveDraft',
      'dropDraft',
      'commit',
      'fork',
      'recordAttempt',
      'retain',
      'erase',
    ])
  })

  test('a read has two routes, and GET takes no operations', () => {
    const [get, post] = ROUTES.filter(({ name }) => name === 'tokens')
    expect([get!.method, Object.keys(get!.fields)]).toEqual(['get', ['lens', 'by', 'select', 'for']])
    expect([post!.method, Object.keys(post!.fields)]).toEqual([
      'post',
      ['lens', 'by', 'select', 'for', 'base', 'operations'],
    ])
    expect(ROUTES.find(({ name }) => name === 'commit')!.needs).toEqual(['base'])
  })

  test('a call is a request: GET with a query, POST with operations, the path from the input', () => {
    expect(requestOf('node', { id: 'a/b', node: 'x\ud800', at: undefined, full: true })).toEqual({
      method: 'GET',
      path: '/v1/contexts/a%2Fb/nodes/x%EF%BF%BD?full=true',
    })
    expect(requestOf('tree', { id: 'a', open: ['x', 'y z'] }).path).toBe('/v1/contexts/a/tree?open=x&open=y+z')
    expect(requestOf('render', { id: 'a', for: 'thread', options: { cache: true } }).path).toContain(
      '%7B%22cache%22%3Atrue%7D',
    )
    expect(requestOf('tokens', { id: 'a', base: 1, operations: [] })).toEqual({
      method: 'POST',
      path: '/v1/contexts/a/tokens',
      body: { base: 1, operations: [] },
    })
    expect(requestOf('delete', { id: 'a', forks: true })).toEqual({
      method: 'DELETE',
      path: '/v1/contexts/a?forks=true',
    })
    expect(requestOf('fork', { from: 'a', id: 'b' })).toEqual({
      method: 'POST',
      path: '/v1/contexts/a/fork',
      body: { id: 'b' },
    })
  })
})

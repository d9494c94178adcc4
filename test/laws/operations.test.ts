// Edits as data: the list of the open cycle, how a list is applied, what a batch is, and listeners of commits.

import {
  applyOperations,
  createContext,
  PactError,
  replayOperations,
  type Context,
  type Operation,
  type Snapshot,
} from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf, refusal, textOf } from '../support/context.js'
import { EDITS, stateOf, story, withHead } from '../support/editing.js'

/** A call, and the operation that it is. */
const LISTED: readonly (readonly [call: (ctx: Context) => unknown, operation: object])[] = [
  [(ctx) => ctx.user('Hi'), { op: 'user', content: 'Hi', made: ['cont:4-0', 'block:4-1'] }],
  [
    (ctx) => ctx.assistant({ name: 'f', arguments: [1] }, { kind: 'call', data_call_id: 'c' }),
    {
      op: 'assistant',
      content: { name: 'f', arguments: [1] },
      header: { kind: 'call', data_call_id: 'c' },
      made: ['cont:4-0', 'block:4-1'],
    },
  ],
  [(ctx) => ctx.tool(null, {}), { op: 'tool', content: null, made: ['cont:4-0', 'block:4-1'] }],
  [
    (ctx) => ctx.pre('p', { ttl: 2, tags: ['a'], offset: undefined }),
    { op: 'pre', content: 'p', header: { ttl: 2, tags: ['a'] }, made: ['block:4-0'] },
  ],
  [
    (ctx) => ctx.post('o', { key: 'kb', ttl: null, refs: ['block:1-0'] }),
    { op: 'post', content: 'o', header: { key: 'kb', ttl: null, refs: ['block:1-0'] }, made: ['block:4-0'] },
  ],
  [
    (ctx) =>
      ctx.add(undefined, {
        zone: 'post',
        children: [{ content: 'x', tags: ['t'], 'my:note': { a: 1 } }, { children: [] }],
      }),
    {
      op: 'add',
      header: { zone: 'post', children: [{ content: 'x', tags: ['t'], 'my:note': { a: 1 } }, { children: [] }] },
      made: ['cont:4-0', 'block:4-1', 'cont:4-2'],
    },
  ],
  [
    (ctx) => ctx.put('plan', 'one', { zone: 'pre', priority: 0 }),
    { op: 'put', key: 'plan', content: 'one', header: { zone: 'pre', priority: 0 }, made: ['block:4-0'] },
  ],
  [(ctx) => ctx.set('plan', 'one'), { op: 'set', key: 'plan', content: 'one', made: ['block:4-0'] }],
  [
    (ctx) => ctx.insert({ content: 'in', zone: 'post' }, { depth: 0 }),
    { op: 'insert', spec: { content: 'in', zone: 'post' }, position: { depth: 0 }, made: ['block:4-0'] },
  ],
  [
    (ctx) => ctx.insert({ content: 'in' }, { parent: 'seg:1-5', offset: 7 }),
    { op: 'insert', spec: { content: 'in' }, position: { parent: 'seg:1-5', offset: 7 }, made: ['block:4-0'] },
  ],
  [
    (ctx) => ctx.replace("[id='block:1-3']", { content: ['new'] }),
    { op: 'replace', selector: "[id='block:1-3']", spec: { content: ['new'] }, made: ['block:4-0'] },
  ],
  [
    (ctx) => ctx.move("[id='block:1-4']", '(d1, end)'),
    { op: 'move', selector: "[id='block:1-4']", position: '(d1, end)' },
  ],
  [
    (ctx) => ctx.delete("[id='block:1-3']", { reason: 'old' }),
    { op: 'delete', selector: "[id='block:1-3']", options: { reason: 'old' }, made: ['block:4-0'] },
  ],
  [
    (ctx) => ctx.update('.block[role=user]', { tags: ['seen'], ttl: 3 }),
    { op: 'update', selector: '.block[role=user]', changes: { tags: ['seen'], ttl: 3 } },
  ],
  [
    (ctx) => ctx.redact('.block[role=user]', { match: /u[12]/, with: 'x', author: 'kim' }),
    {
      op: 'redact',
      selector: '.block[role=user]',
      options: {
        replaced: [
          { id: 'block:1-3', spec: { content: 'x' } },
          { id: 'block:2-1', spec: { content: 'x' } },
        ],
        author: 'kim',
      },
      made: ['block:4-0', 'block:4-1'],
    },
  ],
  [
    (ctx) => ctx.system.replace('.block', { content: 'other rules' }),
    { op: 'replace', region: 'system', selector: '.block', spec: { content: 'other rules' } },
  ],
  [
    (ctx) => ctx.system.add('more', { key: 'k' }),
    { op: 'add', region: 'system', content: 'more', header: { key: 'k' }, made: ['block:4-0'] },
  ],
]

describe('operations()', () => {
  test.each(LISTED.map(([...row]) => [JSON.stringify(row[1]), ...row] as const))(
    'lists a call as %s',
    (_, call, operation) => {
      const ctx = story()
      call(ctx)
      expect(ctx.operations()).toEqual([operation])
      expect(JSON.parse(JSON.stringify(ctx.operations()))).toEqual([operation])
      expect(frozenParts(ctx.operations())).toBe(true)
      expect(ctx.operations()[0]).toBe(ctx.operations()[0])
    },
  )

  test('has what each call of the open cycle was told, until it is undone or committed', () => {
    const ctx = story()
    expect(ctx.operations()).toEqual([])
    ctx.user('one')
    ctx.user('two')
    expect(ctx.operations().map(contentOf)).toEqual(['one', 'two'])
    ctx.undo()
    expect(ctx.operations().map(contentOf)).toEqual(['one'])
    ctx.user('three')
    expect(ctx.operations().map(contentOf)).toEqual(['one', 'three'])
    ctx.commit()
    expect(ctx.operations()).toEqual([])
    expect(ctx.fork('working').operations()).toEqual([])
  })

  test('has nothing of a call that was refused or that touched nothing', () => {
    const ctx = story()
    ctx.delete('#nobody?')
    ctx.redact('.block[role=user]', { match: 'nowhere' })
    expect(() => ctx.user('x', { ttl: -1 })).toThrow(PactError)
    expect(ctx.operations()).toEqual([])
  })

  test('is a copy: what the caller does to the values later does not show', () => {
    const ctx = story()
    const [content, tags, children, position] = [{ a: [1] }, ['t'], [{ content: { b: 1 } }], { depth: 0 }]
    ctx.add(content, { tags })
    ctx.add(undefined, { zone: 'post', children })
    ctx.insert({ content }, position)
    const before = JSON.stringify(ctx.operations())
    const twin = story()
    twin.add({ a: [1] }, { tags: ['t'] })
    twin.add(undefined, { zone: 'post', children: [{ content: { b: 1 } }] })
    twin.insert({ content: { a: [1] } }, { depth: 0 })
    content.a.push(2)
    tags.push('u')
    children[0]!.content.b = 2
    position.depth = 7
    expect(JSON.stringify(ctx.operations())).toBe(before)
    expect(ctx.operations()).toEqual(twin.operations())
  })

  test('never has what a redaction searched for (D54)', () => {
    const ctx = createContext({ clock: clockOf() })
    ctx.user('my card is 4111', { data_note: 'card 4111', provenance: { '4111': 1 } })
    ctx.post('card 4111', { key: 'card', cad: 5 })
    ctx.assistant('thinking of 4111', { kind: 'reasoning', data_signature: 's' })
    ctx.commit()
    ctx.redact('.block', { match: '4111', reason: 'card number' })
    ctx.system.add('rules')
    expect(JSON.stringify(ctx.operations())).not.toContain('4111')
    expect(ctx.operations()[0]).toMatchObject({
      options: {
        replaced: [
          { id: 'block:1-1', spec: { content: 'my card is [redacted]', data_note: 'card [redacted]' } },
          { id: 'block:1-3' },
          { id: 'block:1-2', spec: { content: 'card [redacted]' } },
          { key: 'card', at: 0, spec: { content: 'card [redacted]' } },
        ],
      },
    })
    const fork = ctx.fork('@t0')
    replayOperations(fork, ctx.operations())
    expect(textsOf(fork)).toEqual(textsOf(ctx))
    expect(fork.snapshot('working').schedules).toEqual(ctx.snapshot('working').schedules)
    expect(fork.diffDetailed('@t0', 'working').removed.map(({ cause }) => cause)).toEqual(
      ctx.diffDetailed('@t0', 'working').removed.map(({ cause }) => cause),
    )
  })
})

describe('applyOperations', () => {
  test('gives the ids that each operation touched, as one step to undo', () => {
    const ctx = story()
    const before = stateOf(ctx)
    const touched = applyOperations(ctx, [
      { op: 'user', content: 'How do I reset my password?' },
      { op: 'post', content: 'Doc: resetting…', header: { key: 'kb', ttl: 1 } },
      { op: 'replace', selector: '#kb', spec: { content: 'Doc: reset' } },
      { op: 'delete', selector: '#nobody?' },
      { op: 'update', region: 'system', selector: '.block', changes: { priority: 9 } },
    ])
    expect(touched).toEqual([['block:4-1'], ['block:4-2'], ['block:4-2'], [], ['block:1-0']])
    expect(Object.isFrozen(touched) && touched.every(Object.isFrozen)).toBe(true)
    expect(ctx.operations().map(({ op }) => op)).toEqual(['user', 'post', 'replace', 'update'])
    expect([ctx.undo(), stateOf(ctx), ctx.operations(), ctx.undo()]).toEqual([true, before, [], false])
  })

  test('an empty list does nothing', () => {
    const ctx = story()
    expect(applyOperations(ctx, [])).toEqual([])
    expect(ctx.undo()).toBe(false)
  })

  const CALL_FAULTS: readonly (readonly [operation: object, call: (ctx: Context) => unknown])[] = [
    [{ op: 'user', content: 'x', header: { ttl: -1 } }, (ctx) => ctx.user('x', { ttl: -1 })],
    [{ op: 'user', content: 'x', header: { ttl: Number.NaN } }, (ctx) => ctx.user('x', { ttl: Number.NaN })],
    [{ op: 'user', content: 'x', header: null }, (ctx) => ctx.user('x', null as never)],
    [{ op: 'pre', content: 'x', header: { children: [] } }, (ctx) => ctx.pre('x', { children: [] } as never)],
    [{ op: 'add', header: { zone: 'mid' } }, (ctx) => ctx.add(undefined, { zone: 'mid' } as never)],
    [{ op: 'put', key: 5, content: 'x' }, (ctx) => ctx.put(5 as never, 'x')],
    [
      { op: 'insert', spec: { content: 'x' }, position: '(d9, end)' },
      (ctx) => ctx.insert({ content: 'x' }, '(d9, end)'),
    ],
    [{ op: 'replace', selector: '.block[', spec: {} }, (ctx) => ctx.replace('.block[', {})],
    [{ op: 'move', selector: '.seg', position: { depth: 0 } }, (ctx) => ctx.move('.seg', { depth: 0 })],
    [{ op: 'delete', selector: '#no' }, (ctx) => ctx.delete('#no')],
    [{ op: 'update', selector: '.block', changes: {} }, (ctx) => ctx.update('.block', {})],
    [
      { op: 'redact', selector: '^seq .block', options: { match: '' } },
      (ctx) => ctx.redact('^seq .block', { match: '' }),
    ],
    [{ op: 'delete', region: 'system', selector: '#no' }, (ctx) => ctx.system.delete('#no')],
  ]
  test.each(CALL_FAULTS)('a fault in %j is that of the call, with its number', (operation, call) => {
    const expected = refusal(() => call(story()))
    const ctx = story()
    const before = stateOf(ctx)
    const list = [{ op: 'user', content: 'first' }, operation, { op: 'user', content: 'last' }] as Operation[]
    const error = refusal(() => applyOperations(ctx, list))
    expect([error.code, error.message]).toEqual([expected.code, expected.message])
    expect(error.details).toEqual({ ...expected.details, operation: 1 })
    expect([stateOf(ctx), ctx.operations(), ctx.undo()]).toEqual([before, [], false])
    // No id is spent.
    expect(ctx.user('next').id).toBe('block:4-1')
  })

  const BAD: readonly (readonly [operation: unknown, name: string, text: string])[] = [
    [{ op: 'usr', content: 'x' }, 'op', '"usr" is no operation; did you mean "user"?'],
    [{ op: 'constructor' }, 'op', '"constructor" is no operation; there are user, assistant'],
    [{ content: 'x' }, 'op', 'An operation says in op which call it is; there are user'],
    [{ op: 5 }, 'op', '5 is no operation'],
    [{ op: 'commit' }, 'op', '"commit" is no operation'],
    [{ op: 'replace', selektor: '.x', spec: {} }, 'selektor', 'has no field "selektor"; did you mean "selector"?'],
    [{ op: 'user', content: 'x', spec: {} }, 'spec', 'has no field "spec"; it has content, header'],
    [{ op: 'user', content: 'x', region: 'system' }, 'region', 'ctx.system has no user()'],
    [{ op: 'add', content: 'x', region: 'seq' }, 'region', "The region of an operation is 'system' or not given"],
    [{ op: 'user' }, 'content', 'The operation user needs the field "content".'],
    [{ op: 'move', selector: '.x' }, 'position', 'The operation move needs the field "position".'],
    [{ op: 'redact', selector: '.x', options: { match: /x/ } }, 'match', 'a regular expression is for ctx.redact()'],
    [{ op: 'user', content: 'x', made: 'block:1-0' }, 'made', 'made is a list of ids'],
    [null, 'operation', 'An operation is an object such as'],
    [['user', 'x'], 'operation', 'not a list'],
    ['user', 'operation', 'not "user"'],
  ]
  test.each(BAD)('refuses %j', (operation, name, text) => {
    const ctx = story()
    const before = stateOf(ctx)
    const error = refusal(() => applyOperations(ctx, [{ op: 'user', content: 'x' }, operation as Operation]))
    expect([error.code, error.details]).toEqual(['E_CONTENT_INVALID', { name, operation: 1 }])
    expect(error.message).toContain(text)
    expect([stateOf(ctx), ctx.operations()]).toEqual([before, []])
  })

  test('refuses what is no list, a list with holes, and one that is too long, before it is read', () => {
    const ctx = story()
    expect(refusal(() => applyOperations(ctx, { length: 1 } as never)).details).toEqual({ name: 'operations' })
    expect(refusal(() => applyOperations(ctx, Array(3))).details).toEqual({ name: 'operation', operation: 0 })
    const endless = Object.assign([], { length: 4e9 })
    expect(refusal(() => applyOperations(ctx, endless)).message).toMatch('at most 100000 operations')
    const many = Array.from({ length: 1_000_000 }, (): Operation => ({ op: 'user', content: 'x' }))
    expect(refusal(() => applyOperations(ctx, many)).details).toEqual({ name: 'operations' })
    expect(ctx.operations()).toEqual([])
  })

  test('what a getter throws is the cause, and the operation is named', () => {
    const ctx = story()
    const mine = new Error('mine')
    const hostile = {
      op: 'user',
      get content(): never {
        throw mine
      },
    }
    for (const operation of [hostile, { op: 'add', header: hostile }]) {
      const error = refusal(() => applyOperations(ctx, [{ op: 'pre', content: 'x' }, operation as Operation]))
      expect([error.code, error.details['operation'], error.cause]).toEqual(['E_CONTENT_INVALID', 1, mine])
      expect(error.message).toBe(
        'applyOperations() could not read operation 1; the cause of this error is what was thrown.',
      )
      expect(ctx.operations()).toEqual([])
    }
  })

  test('what was made goes into no id and no hint: the next call is as if nothing had been', () => {
    for (const [name, edit] of EDITS) {
      const [ctx, twin] = [withHead(), withHead()]
      const list: Operation[] = [
        { op: 'add', header: { zone: 'post', key: 'kept', children: [{ content: 'x', key: 'beat' }] } },
        { op: 'post', content: 'y', header: { key: 'beat', refs: ['block:1-3'], data_call_id: 'c' } },
        { op: 'replace', selector: "[id='block:1-3']", spec: { content: 'z' } },
        { op: 'delete', selector: '#nobody' },
      ]
      expect(refusal(() => applyOperations(ctx, list)).details['operation']).toBe(3)
      edit(ctx)
      edit(twin)
      expect(idsAndTexts(ctx), name).toEqual(idsAndTexts(twin))
      ctx.commit()
      twin.commit()
      expect(idsAndTexts(ctx), name).toEqual(idsAndTexts(twin))
    }
  })
})

describe('replayOperations', () => {
  test('means here what the list means there: selectors, references, positions, replacements', () => {
    for (const dialect of ['1.0', '0.1'] as const) {
      const ctx = story(dialect)
      const box = ctx.add(undefined, { zone: 'post', children: [{ content: 'card 4111' }] })
      const [inside] = box.children
      const doc = ctx.insert({ content: 'doc 4111' }, { parent: box.id })
      ctx.post('note', { refs: [doc.id, inside!.id] })
      ctx.add(undefined, { zone: 'post', children: [{ content: 'deep', refs: [doc.id] }] })
      ctx.update(`[id in ['${doc.id}', '${inside!.id}']]`, { priority: 4 })
      ctx.update(`[refs~'${doc.id}']`, { priority: 5 })
      ctx.move(dialect === '0.1' ? `#'${inside!.id}'` : `{ id="${inside!.id}" }`, { depth: 0, zone: 'pre' })
      ctx.redact('^ah *', { match: /\d+/ })
      const [old] = ctx.nodes('^seq .cb')
      const [standIn] = ctx.replace(`[id='${old!.id}']`, { content: 'another' })
      ctx.update(`[supersedes='${old!.id}'][id!='${doc.id}']`, { tags: ['t'] })
      ctx.replace(`[id='${standIn!.id}']`, { content: 'and another' })
      const fork = ctx.fork('@t0')
      const touched = replayOperations(fork, JSON.parse(JSON.stringify(ctx.operations())) as Operation[])
      expect(touched).toHaveLength(ctx.operations().length)
      expect(textsOf(fork)).toEqual(textsOf(ctx))
      expect(fork.first('@working [refs]')!.refs).toEqual([touched[1]![0], fork.first("@working [content~'card']")!.id])
      expect(fork.undo()).toBe(true)
      expect(fork.operations()).toEqual([])
      expect(stateOf(fork)).toBe(stateOf(ctx.fork('@t0')))
    }
  })

  test('knows the nodes that the cycle began with, which returned there and here (D28)', () => {
    const ctx = createContext({ clock: clockOf() })
    ctx.post('tick', { key: 'clock', cad: 1, ttl: 1 })
    ctx.commit()
    const [instance] = ctx.nodes('^ah #clock')
    ctx.replace(`[id='${instance!.id}']`, { content: 'tock' })
    expect(ctx.operations()[0]!.opened).toEqual([instance!.id])
    ctx.user('x', { refs: [instance!.id] })
    expect(ctx.operations()[1]).not.toHaveProperty('opened')
    const fork = ctx.fork('@t0')
    expect(fork.first('^ah #clock')!.id).not.toBe(instance!.id)
    replayOperations(fork, ctx.operations())
    expect(textsOf(fork)).toEqual(textsOf(ctx))
    expect(fork.first('[refs]')!.refs).toEqual([fork.first('^ah #clock')!.id])
  })

  test('where a core or the key is there already, the node of the list is still known', () => {
    const ctx = story()
    const user = ctx.user('u4')
    const plan = ctx.put('plan', undefined, { children: [{ content: 'one' }] })
    ctx.update(`[id='${user.id}'], [id='${plan.children[0]!.id}']`, { tags: ['seen'] })
    ctx.update(`[id='${plan.id}']`, { tags: ['plan'] })
    const fork = ctx.fork('@t0')
    fork.assistant('first')
    fork.add(undefined, { zone: 'post', key: 'plan', children: [] })
    replayOperations(fork, ctx.operations())
    expect(fork.nodes('+seen').map(({ content }) => content)).toEqual(['u4', 'one'])
    expect(fork.nodes('+plan').map(({ key }) => key)).toEqual(['plan'])
  })

  test('is all or nothing, and its errors are those of the calls', () => {
    const ctx = story()
    const user = ctx.user('u4')
    ctx.update(`[id='${user.id}']`, { tags: ['seen'] })
    ctx.delete("[id='block:1-3']")
    const fork = ctx.fork('@t0')
    fork.move('.block[content~o1]', { depth: 0, zone: 'post' })
    fork.delete("[id='block:1-4']")
    const before = stateOf(fork)
    const list: Operation[] = [...ctx.operations(), { op: 'delete', selector: "[id='block:1-4']" }]
    const error = refusal(() => replayOperations(fork, list))
    expect([error.code, error.details['operation']]).toEqual(['E_NODE_NOT_FOUND', 3])
    expect(stateOf(fork)).toBe(before)
  })
})

describe('batch', () => {
  test('makes several calls one step, and gives what the function gives', () => {
    const ctx = story()
    const before = stateOf(ctx)
    const id = ctx.batch(() => {
      ctx.user('one')
      ctx.batch(() => ctx.assistant('two'))
      return ctx.system.add('rule').id
    })
    expect(id).toBe('block:4-3')
    expect(ctx.operations().map(({ op }) => op)).toEqual(['user', 'assistant', 'add'])
    expect(ctx.undo()).toBe(true)
    expect([stateOf(ctx), ctx.operations(), ctx.undo()]).toEqual([before, [], false])
    // Undo gives no id back (D37).
    expect(ctx.user('next').id).toBe('block:4-5')
  })

  test('leaves the tree, the list, the steps and the ids as they were where the function throws', () => {
    const ctx = story()
    ctx.user('before')
    const before = [stateOf(ctx), ctx.operations(), ctx.select('*')]
    const mine = new Error('mine')
    const give = (): never =>
      ctx.batch(() => {
        ctx.user('x')
        ctx.set('plan', 'y')
        expect(ctx.count('#plan')).toBe(1)
        throw mine
      })
    expect(give).toThrow(mine)
    expect([stateOf(ctx), ctx.operations(), ctx.select('*')]).toEqual(before)
    expect(ctx.count('#plan')).toBe(0)
    expect(ctx.assistant('after').id).toBe('block:4-2')
    expect([ctx.undo(), ctx.undo(), ctx.undo()]).toEqual([true, true, false])
  })

  test('inside another one is taken back alone where its error is caught', () => {
    const ctx = story()
    ctx.batch(() => {
      ctx.user('kept')
      expect(() =>
        ctx.batch(() => {
          ctx.user('given up')
          ctx.user('bad', { ttl: -1 })
        }),
      ).toThrow(PactError)
      ctx.assistant('kept too')
      expect(() => applyOperations(ctx, [{ op: 'tool', content: 'x' }, { op: 'usr' } as never])).toThrow(PactError)
    })
    expect(ctx.operations().map(contentOf)).toEqual(['kept', 'kept too'])
    expect(ctx.select('d0 .block')).toEqual(['block:4-1', 'block:4-2'])
    expect([ctx.undo(), ctx.undo()]).toEqual([true, false])
  })

  test('undo in it takes back what it has done, and nothing from before', () => {
    const ctx = story()
    ctx.user('before')
    ctx.batch(() => {
      expect(ctx.undo()).toBe(false)
      ctx.user('one')
      ctx.batch(() => {
        ctx.user('two')
        ctx.user('three')
      })
      expect(ctx.undo()).toBe(true)
      expect(ctx.operations().map(contentOf)).toEqual(['before', 'one'])
    })
    expect([ctx.undo(), ctx.operations().map(contentOf)]).toEqual([true, ['before']])
  })

  test('refuses a commit in it: E_CONFLICT, and the batch can go on', () => {
    const ctx = story()
    const error = refusal(() => ctx.batch(() => ctx.commit()))
    expect([error.code, ctx.cycle]).toEqual(['E_CONFLICT', 4])
    ctx.batch(() => {
      ctx.user('one')
      expect(ctx.preview().cycle).toBe(4)
      expect(() => ctx.commit()).toThrow('A batch cannot commit')
    })
    expect(ctx.commit().cycle).toBe(4)
  })

  test('refuses a function that gives a promise: nothing it did stays', () => {
    const ctx = story()
    const before = stateOf(ctx)
    // oxlint-disable-next-line unicorn/no-thenable -- the point of it
    const thenable = { then: () => undefined }
    const functions = [() => Promise.resolve(ctx.user('x')), () => (ctx.user('x'), thenable)]
    for (const fn of functions as readonly (() => unknown)[]) {
      const error = refusal(() => ctx.batch(fn))
      expect([error.code, error.details]).toEqual(['E_CONTENT_INVALID', { name: 'fn' }])
      expect([stateOf(ctx), ctx.operations()]).toEqual([before, []])
    }
  })

  test('is refused in the middle of a write (N14)', () => {
    const codes: string[] = []
    const ctx: Context = createContext({
      clock: () => {
        codes.push(refusal(() => ctx.batch(() => undefined)).code)
        return 1n
      },
    })
    ctx.pre('x')
    expect(codes).toEqual(['E_CONFLICT'])
  })

  test('that is given up ends holds of what it made: the id may be given again', () => {
    const ctx = createContext({ clock: clockOf() })
    const hold = taken(ctx)
    const doc = ctx.post('doc', { ttl: 1 })
    expect(doc.id).toBe(hold.id)
    ctx.commit()
    ctx.commit()
    expect(ctx.node(doc.id)).toBeUndefined()
    hold.release()
  })
})

describe('onCommit', () => {
  test('tells of each commit, with its snapshot, once it is there, until it is ended', () => {
    const ctx = story()
    const told: [string, Snapshot, Snapshot][] = []
    const end = ctx.onCommit((snapshot) => told.push(['a', snapshot, ctx.snapshot()]))
    ctx.onCommit((snapshot) => told.push(['b', snapshot, ctx.snapshot()]))
    ctx.user('u4')
    const made = ctx.commit()
    expect(told).toEqual([
      ['a', made, made],
      ['b', made, made],
    ])
    expect(told[0]![1]).toBe(made)
    end()
    end()
    ctx.commit()
    expect(told.map(([name]) => name)).toEqual(['a', 'b', 'b'])
    ctx.fork().commit()
    expect(told).toHaveLength(3)
  })

  test('one that throws or writes is a warning, and the commit stands', () => {
    const warnings: unknown[] = []
    const ctx = createContext({ clock: clockOf(), onWarning: (warning) => warnings.push(warning) })
    const codes: unknown[] = []
    const tryTo = (write: () => unknown): void => void codes.push(refusal(write).code)
    ctx.onCommit(() => {
      throw new Error('secret')
    })
    ctx.onCommit(() => ctx.user('x'))
    ctx.onCommit(() => {
      tryTo(() => ctx.user('x'))
      tryTo(() => ctx.commit())
      tryTo(() => ctx.undo())
      tryTo(() => ctx.batch(() => undefined))
      tryTo(() => applyOperations(ctx, []))
    })
    ctx.user('one')
    expect(ctx.commit().cycle).toBe(1)
    expect(codes).toEqual(Array(5).fill('E_CONFLICT'))
    expect(ctx.warnings).toEqual(warnings)
    expect(ctx.warnings.map(({ details }) => details)).toEqual(
      [1, 1].map((cycle) => ({ kind: 'listener-threw', cycle })),
    )
    expect(JSON.stringify(ctx.warnings)).not.toContain('secret')
    expect(ctx.operations()).toEqual([])
    expect(ctx.user('two').cycle).toBe(2)
  })

  test('listeners may come and go while they are told', () => {
    const ctx = createContext()
    const told: string[] = []
    const ends: (() => void)[] = []
    const listener = (): void => void told.push('twice')
    ctx.onCommit(() => {
      told.push('first')
      ends[0]!()
      ctx.onCommit(() => told.push('late'))
    })
    ends.push(ctx.onCommit(() => told.push('ended')))
    ctx.onCommit(listener)
    ctx.onCommit(listener)
    ctx.commit()
    expect(told).toEqual(['first', 'twice', 'twice'])
    ctx.commit()
    expect(told.slice(3)).toEqual(['first', 'twice', 'twice', 'late'])
  })

  test('is told of no commit that failed', () => {
    const ctx = createContext({ prune: { maxNodes: 1, unmet: 'error' } })
    let told = 0
    ctx.onCommit(() => told++)
    ctx.user('x')
    expect(() => ctx.commit()).toThrow(PactError)
    expect(told).toBe(0)
  })
})

/** A hold of a node that was never there after all. */
function taken(ctx: Context): { readonly id: string; release(): void } {
  const holds: { readonly id: string; release(): void }[] = []
  expect(() =>
    ctx.batch(() => {
      holds.push(ctx.hold(ctx.post('doc').id))
      throw new Error('given up')
    }),
  ).toThrow('given up')
  return holds[0]!
}

function contentOf(operation: Operation): unknown {
  return 'content' in operation ? operation.content : undefined
}

/** The thread without its ids. */
function textsOf(ctx: Context): unknown {
  return ctx.nodes('@working *').map(({ content, key, tags, offset, priority, refs, attributes }) => {
    return { content, key, tags, offset, priority, refs: refs.length, attributes }
  })
}

/** All but times: what was given up has read the clock. */
function idsAndTexts(ctx: Context): string {
  return textOf(ctx.export('working')).replaceAll(/"created_at_(iso|ns)":[^,]*,/g, '')
}

function frozenParts(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(frozenParts)
}

// Protection follows the stand-in (D41), and nothing that a snapshot holds leaves history without a trace (D42, D43).

import { importSnapshot, createContext, type Context, type ContextOptions } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf, expectRefused, refusal, textOf } from '../support/context.js'
import { byId, contents } from '../support/editing.js'

function context(options: ContextOptions = {}): Context {
  return createContext({ clock: clockOf(), ...options })
}

/** The same context, and one that an export of it gave: what holds for the one must hold for the other. */
const LIVES: readonly (readonly [string, (ctx: Context) => Context])[] = [
  ['live', (ctx) => ctx],
  ['imported', (ctx) => importSnapshot(ctx.export(), { clock: clockOf(1n, 1_800_000_000_000_000_000n) })],
  ['forked', (ctx) => ctx.fork()],
]

describe.each(LIVES)('references, %s', (_name, live) => {
  function referred(): Context {
    const ctx = context()
    ctx.user('u')
    const doc = ctx.post('doc', { ttl: 2, key: 'd' })
    ctx.post('note', { refs: [doc.id] })
    for (let i = 0; i < 3; i++) ctx.commit()
    return ctx
  }

  test('keep the node that took the place of what they name (D41)', () => {
    const ctx = referred()
    ctx.replace('#d', { content: 'fixed' })
    ctx.commit()
    const goes = live(ctx)
    goes.commit()
    expect(contents(goes, '@t0')).toEqual(['u', 'fixed', 'note'])
    expect(goes.explain(goes.first('#d')!.id).keptBy.refs).toEqual([goes.first("*[content='note']")!.id])
  })

  test('keep it through any number of replacements, in one cycle or in many (D41)', () => {
    const ctx = referred()
    for (const text of ['a', 'b', 'c']) ctx.replace('#d', { content: text })
    ctx.commit()
    const goes = live(ctx)
    for (const text of ['e', 'f']) {
      goes.replace('#d', { content: text })
      goes.commit()
    }
    goes.commit()
    expect(contents(goes, '@t0')).toEqual(['u', 'f', 'note'])
  })

  test('keep a redaction marker in its place (D41)', () => {
    const ctx = referred()
    ctx.delete('#d')
    ctx.commit()
    const goes = live(ctx)
    goes.update('.redaction', { ttl: 1 })
    goes.commit()
    goes.commit()
    expect(goes.count('.redaction')).toBe(1)
  })

  test('let it go with the last of them (D41)', () => {
    const ctx = referred()
    ctx.replace('#d', { content: 'fixed' })
    ctx.commit()
    const goes = live(ctx)
    goes.update("*[content='note']", { ttl: 1 })
    goes.commit()
    goes.commit()
    expect(contents(goes, '@t0')).toEqual(['u'])
  })

  test('protect nothing by an id that nobody named when the stand-in was committed (D41)', () => {
    const ctx = context()
    ctx.user('u')
    const doc = ctx.post('doc', { ttl: 4, key: 'd' })
    ctx.commit()
    for (const text of ['a', 'b']) {
      ctx.replace('#d', { content: text })
      ctx.commit()
    }
    const goes = live(ctx)
    goes.post('late', { refs: [doc.id] })
    for (let i = 0; i < 4; i++) goes.commit()
    expect(contents(goes, '@t0')).toEqual(['u', 'late'])
  })
})

describe('what a stand-in carries', () => {
  test('is the id that snapshots hold, and earlier ids as long as somebody names them (D41)', () => {
    const ctx = context()
    ctx.user('u')
    const doc = ctx.post('doc', { key: 'd' })
    ctx.post('note', { refs: [doc.id] })
    ctx.commit()
    const [first] = ctx.replace('#d', { content: 'a' })
    ctx.commit()
    const [second] = ctx.replace('#d', { content: 'b' })
    expect(ctx.node(second!.id)!.toJSON()).toMatchObject({ supersedes: first!.id, 'pact:stands_for': [doc.id] })
    const [third] = ctx.replace('#d', { content: 'c' })
    expect(third!.toJSON()).toMatchObject({ supersedes: first!.id, 'pact:stands_for': [doc.id, second!.id] })
    ctx.commit()
    expect(ctx.node(third!.id)!.toJSON()).toMatchObject({ supersedes: first!.id, 'pact:stands_for': [doc.id] })
    ctx.delete("*[content='note']")
    ctx.replace('#d', { content: 'd' })
    ctx.commit()
    expect(ctx.first('#d')!.toJSON()).not.toHaveProperty('pact:stands_for')
  })

  test('is the id it had, where it was made and superseded in one cycle (D41)', () => {
    const ctx = context()
    const call = ctx.assistant('search', { key: 'c' })
    ctx.tool('42', { kind: 'result', refs: [call.id], ttl: 3 })
    const [named] = ctx.replace('#c', { kind: 'call', ttl: 1 })
    expect(named!.id).not.toBe(call.id)
    expect(named!.toJSON()).toMatchObject({ 'pact:stands_for': [call.id] })
    expect(named!.toJSON()).not.toHaveProperty('supersedes')
    for (let i = 0; i < 2; i++) ctx.commit()
    expect(contents(ctx, '@t0')).toEqual(['search', '42'])
    for (let i = 0; i < 2; i++) ctx.commit()
    expect(contents(ctx, '@t0')).toEqual([])
  })

  test('comes with neither a move across the border of ^sys nor a schedule (D30, D41)', () => {
    const ctx = context()
    const plan = ctx.post('plan', { key: 'p', cad: 2, kind: 'a' })
    ctx.post('note', { refs: [plan.id] })
    ctx.replace('#p', { kind: 'b' })
    expect(textOf(ctx.export('working'))).toContain('pact:stands_for')
    expect(JSON.stringify(ctx.snapshot('working').schedules)).not.toContain('pact:')
    ctx.commit()
    const note = ctx.system.add('rules')
    ctx.system.replace(byId(note.id), { role: 'system' })
    ctx.commit()
    ctx.system.move('^sys > *', '(d1, end)')
    expect(ctx.first("*[content='rules']")!.toJSON()).not.toHaveProperty('pact:stands_for')
  })
})

describe('an id that a node stands in for', () => {
  test('is not given out again, by default or by a source of ids (D37, D41)', () => {
    const wanted: string[] = []
    const ctx = createContext({
      clock: clockOf(),
      ids: ({ nodeType, cycle, index }) => wanted.shift() ?? `${nodeType}/${cycle}/${index}`,
    })
    const a = ctx.user('a')
    ctx.user('r', { refs: [a.id] })
    ctx.commit()
    for (const [from, to] of [
      ['a', 'b'],
      ['b', 'c'],
    ] as const) {
      ctx.replace(`*[content='${from}']`, { content: to })
      ctx.commit()
    }
    wanted.push(a.id)
    expect(refusal(() => ctx.post('new')).code).toBe('E_ID_DUPLICATE')
    const block = { id: 'x', nodeType: 'block', offset: 1, content: 'x', 'pact:stands_for': ['block:2-0'] }
    const file = { spec_version: 'PACT/1.0.0', root: { children: [{ id: 'ah', nodeType: '^ah', children: [block] }] } }
    const imported = importSnapshot(file, { clock: clockOf() })
    imported.post('new', { refs: ['block:2-0'] })
    imported.commit()
    expect(textOf(importSnapshot(imported.export()).export())).toBe(textOf(imported.export()))
  })

  test('is forgotten when a text is written anew a thousand times in one cycle, but not those of snapshots (D41)', () => {
    const ctx = context()
    const doc = ctx.post('doc', { key: 'd', ttl: 3 })
    ctx.post('note', { refs: [doc.id] })
    ctx.commit()
    ctx.replace('#d', { content: 'once' })
    ctx.commit()
    for (let n = 0; n < 1000; n++) ctx.replace('#d', { content: `${n}` })
    const names = ctx.first('#d')!.toJSON()['pact:stands_for'] as string[]
    expect(names).toContain(doc.id)
    expect(names.length).toBeLessThan(20)
    for (let i = 0; i < 3; i++) ctx.commit()
    expect(contents(ctx, '@t0')).toEqual(['999', 'note'])
  })
})

describe('holds', () => {
  test('follow the stand-in and end with their release (D41)', () => {
    const ctx = context()
    ctx.user('u')
    const doc = ctx.post('doc', { ttl: 1, key: 'd' })
    const hold = ctx.hold(doc.id)
    ctx.commit()
    for (const text of ['a', 'b']) {
      ctx.replace('#d', { content: text })
      ctx.commit()
    }
    expect(contents(ctx, '@t0')).toEqual(['u', 'b'])
    hold.release()
    ctx.commit()
    expect(contents(ctx, '@t0')).toEqual(['u'])
  })

  test('are told of the stand-in, too (D41)', () => {
    const ctx = context({ prune: { maxDepth: 1 } })
    const first = ctx.user('one')
    ctx.commit()
    const hold = ctx.hold(first.id)
    const [standIn] = ctx.replace(byId(first.id), { content: 'uno' })
    expect(ctx.explain(standIn!.id).keptBy.held).toBe(true)
    hold.release()
    expect(ctx.explain(standIn!.id).keptBy.held).toBe(false)
  })

  test('keep a stand-in from pruning (D41)', () => {
    const ctx = context({ prune: { maxDepth: 1, protectSegments: 0 } })
    const first = ctx.user('one')
    const hold = ctx.hold(first.id)
    ctx.commit()
    ctx.replace(byId(first.id), { content: 'one, corrected' })
    for (const text of ['two', 'three']) {
      ctx.user(text)
      ctx.commit()
    }
    expect(contents(ctx, '@t0')).toContain('one, corrected')
    hold.release()
    ctx.user('four')
    ctx.commit()
    expect(contents(ctx, '@t0')).toEqual(['four'])
  })
})

describe('a call and its result', () => {
  test.each<[string, (ctx: Context, id: string) => unknown]>([
    ['replaced', (ctx, id) => ctx.replace(byId(id), { content: 'search("x")' })],
    [
      'replaced twice',
      (ctx, id) => ctx.replace(byId(ctx.replace(byId(id), { content: 'a' })[0]!.id), { content: 'b' }),
    ],
    ['redacted', (ctx, id) => ctx.redact(byId(id), { match: 'search' })],
    ['deleted', (ctx, id) => ctx.delete(byId(id))],
  ])('leave together by a budget after the call was %s (D27, D41)', (_how, edit) => {
    const ctx = context({ prune: { maxNodes: 13 } })
    const call = ctx.assistant('search()', { kind: 'call' })
    ctx.tool('42', { kind: 'result', refs: [call.id] })
    ctx.commit()
    edit(ctx, call.id)
    for (const text of ['n', 'n2']) {
      ctx.user(text)
      ctx.commit()
    }
    expect(contents(ctx, '@t0')).toEqual(['n', 'n2'])
  })

  test('stay apart from an older pair whose id recurs, after the newer call was deleted (D27, D41)', () => {
    const ctx = context({ prune: { maxDepth: 1, protectSegments: 0 } })
    for (const pinned of [false, true]) {
      ctx.assistant('search()', { kind: 'call', data_call_id: 'c' })
      ctx.tool(pinned ? 'new' : 'old', { kind: 'result', data_call_id: 'c', pinned })
      ctx.commit()
    }
    ctx.delete('d1 .block[kind=call]')
    ctx.user('n')
    ctx.commit()
    expect(contents(ctx, '@t0')).toEqual(['', 'new', 'n'])
  })

  test('stay together where one of them is pinned, whatever took the place of the other (D27, D41)', () => {
    const ctx = context({ prune: { maxDepth: 1 } })
    const call = ctx.assistant('search()', { kind: 'call' })
    ctx.tool('42', { kind: 'result', refs: [call.id], pinned: true })
    ctx.commit()
    ctx.replace(byId(call.id), { content: 'search("x")' })
    ctx.user('n')
    ctx.commit()
    expect(contents(ctx, '@t0')).toEqual(['search("x")', '42', 'n'])
  })
})

describe('a stand-in that no snapshot holds', () => {
  test('leaves its own reason to the node whose place it took (D41)', () => {
    const ctx = context()
    ctx.user('u')
    const doc = ctx.post('doc', { ttl: 1, key: 'k' })
    ctx.commit()
    ctx.replace('#k', { content: 'd2' })
    expect(ctx.explain(doc.id).supersededBy).toBeDefined()
    ctx.commit()
    expect(ctx.diffDetailed('@t-1', '@t0').removed).toMatchObject([{ id: doc.id, cause: 'expired', cycle: 2 }])
    expect(ctx.explain(doc.id)).toMatchObject({ supersededBy: undefined, left: { cause: 'expired' } })
  })

  test('by pruning, too (D41)', () => {
    const ctx = context({ prune: { maxDepth: 1, protectSegments: 0 } })
    const first = ctx.user('one')
    ctx.commit()
    ctx.replace(byId(first.id), { content: 'uno' })
    ctx.user('two')
    ctx.commit()
    expect(ctx.explain(first.id)).toMatchObject({ supersededBy: undefined, left: { cause: 'pruned' } })
  })

  test('by a call, and back by undo (D41)', () => {
    const ctx = context()
    const rule = ctx.system.add('rule', { key: 'r' })
    ctx.commit()
    const [standIn] = ctx.system.replace('#r', { role: 'system' })
    ctx.system.delete('#r')
    expect(ctx.explain(rule.id)).toMatchObject({ supersededBy: undefined, left: { cause: 'edited' } })
    ctx.undo()
    expect(ctx.explain(rule.id)).toMatchObject({ supersededBy: standIn!.id, left: { cause: 'superseded' } })
  })

  test('says nothing while it only moves (D41)', () => {
    const ctx = context()
    const note = ctx.post('note', { key: 'n' })
    ctx.commit()
    const [standIn] = ctx.replace('#n', { content: 'better' })
    ctx.move('#n', { depth: 0, zone: 'post' })
    expect(ctx.explain(note.id)).toMatchObject({ supersededBy: standIn!.id, left: { cause: 'superseded' } })
  })
})

describe('removable', () => {
  function withBoxes(): Context {
    const ctx = context()
    ctx.system.add(undefined, { key: 'fixed', children: [{ content: 'x' }] })
    ctx.add(undefined, { zone: 'post', key: 'loose', removable: true, children: [{ content: 'y' }] })
    return ctx
  }

  test.each<[string, (ctx: Context) => unknown]>([
    ['set by system.replace', (ctx) => ctx.system.replace('#fixed', { removable: true })],
    ['taken by replace', (ctx) => ctx.replace('#loose', { removable: false })],
    ['taken by put', (ctx) => ctx.put('loose', undefined, { removable: false })],
    ['taken by set', (ctx) => ctx.set('loose', undefined, { removable: false })],
  ])('cannot be %s, before or after a commit (02 §5.3.1, D42)', (_how, edit) => {
    for (const isCommitted of [false, true]) {
      const ctx = withBoxes()
      if (isCommitted) {
        ctx.commit()
        ctx.move('#loose', { depth: 0, zone: 'post' })
      }
      expectRefused(ctx, () => edit(ctx), 'E_PLACEMENT_INVALID')
    }
  })

  test('stays behind where a container becomes a block (02 §5.3.1, D42)', () => {
    const ctx = withBoxes()
    ctx.commit()
    const [block] = ctx.replace('#loose', { content: 't', nodeType: 'block:note' })
    expect(block).toMatchObject({ removable: false, content: 't', children: [] })
    expect(textOf(ctx.export('working'))).not.toContain('"removable":true')
  })

  test('may be named as it is, and stays through superseding (D42)', () => {
    const ctx = withBoxes()
    ctx.commit()
    const [box] = ctx.replace('#loose', { removable: true, tags: ['t'] })
    expect(box!.removable).toBe(true)
    expectRefused(ctx, () => ctx.replace('#loose', { removable: false }), 'E_PLACEMENT_INVALID')
  })
})

describe('a container of the open cycle in history', () => {
  function boxed(): { ctx: Context; box: string; evidence: string } {
    const ctx = context()
    ctx.user('u')
    const evidence = ctx.post('evidence', { key: 'e' })
    ctx.commit()
    const box = ctx.insert({ key: 'box', children: [{ content: 'new', key: 'n' }] }, '(d1, end)')
    ctx.move('#e', { parent: box.id })
    return { ctx, box: box.id, evidence: evidence.id }
  }

  test('keeps a marker for each committed node when it is deleted; the rest is dropped (D43)', () => {
    const { ctx, box, evidence } = boxed()
    const touched = ctx.delete('#box', { author: 'me', reason: 'r' })
    expect(new Set(touched.map(({ content }) => content))).toEqual(new Set(['', 'new']))
    ctx.commit()
    expect(ctx.node(box)!.children.map((node) => [node.supersedes, node.attributes])).toEqual([
      [evidence, { data_author: 'me', data_reason: 'r' }],
    ])
    expect(ctx.diffDetailed('@t-1', '@t0').removed).toMatchObject([{ id: evidence, cause: 'redacted' }])
  })

  test('keeps the markers that are in it already (D43)', () => {
    const { ctx, box } = boxed()
    ctx.delete('#e', { reason: 'first' })
    ctx.delete('#box', { reason: 'second' })
    expect(ctx.node(box)!.children.map((node) => node.attributes['data_reason'])).toEqual(['first'])
  })

  test('also keeps those in containers inside it, and in the place of stand-ins (D43)', () => {
    const { ctx, box, evidence } = boxed()
    const inner = ctx.insert({ children: [] }, { parent: box })
    ctx.move('#e', { parent: inner.id })
    ctx.replace('#e', { content: 'corrected' })
    ctx.delete('#box')
    const [kept] = ctx.node(box)!.children
    expect(kept!.id).toBe(inner.id)
    expect(kept!.children.map(({ supersedes }) => supersedes)).toEqual([evidence])
  })

  test('is dropped whole where no snapshot holds anything in it (D30)', () => {
    const ctx = context()
    ctx.user('u')
    ctx.commit()
    ctx.insert({ key: 'box', children: [{ content: 'new' }] }, '(d1, end)')
    ctx.delete('#box')
    expect(contents(ctx)).toEqual(['u'])
    expect(ctx.count('.redaction')).toBe(0)
  })

  test.each<[string, Parameters<Context['replace']>[1]]>([
    ['other children', { children: [{ content: 'z' }] }],
    ['a block', { nodeType: 'block', content: 'z' }],
  ])('is not replaced by %s while it holds committed nodes (D43)', (_what, spec) => {
    const { ctx, evidence } = boxed()
    const error = expectRefused(ctx, () => ctx.replace('#box', spec), 'E_PLACEMENT_INVALID')
    expect(error.details['holds']).toBe(evidence)
    ctx.move('#e', '(d1, end)')
    expect(ctx.replace('#box', spec)).toHaveLength(1)
  })
})

describe('a file', () => {
  function withStandIn(patch: (text: string) => string): string {
    const ctx = context()
    ctx.user('u')
    const doc = ctx.post('doc', { key: 'd' })
    ctx.post('note', { refs: [doc.id] })
    ctx.commit()
    for (const text of ['a', 'b']) {
      ctx.replace('#d', { content: text })
      ctx.commit()
    }
    const text = textOf(ctx.export())
    expect(text).toContain(`"pact:stands_for":["${doc.id}"]`)
    return patch(text)
  }

  test('brings stand-ins back to the byte (D41)', () => {
    const text = withStandIn((each) => each)
    expect(textOf(importSnapshot(text).export())).toBe(text)
  })

  test.each<[string, (text: string) => string, path: string]>([
    ['an unknown name', (text) => text.replace('pact:stands_for', 'pact:stands_fur'), 'pact:stands_fur'],
    ['an unknown name at the top', (text) => text.replace('"cycle"', '"pact:x":1,"cycle"'), 'pact:x'],
    ['a stand-in for a live id', (text) => text.replace('["block:1-2"]', '["block:1-1"]'), 'pact:stands_for'],
    ['one for itself', (text) => text.replace('["block:1-2"]', '["block:3-0"]'), 'pact:stands_for'],
    ['one for what it supersedes', (text) => text.replace('["block:1-2"]', '["block:2-0"]'), 'pact:stands_for'],
    ['no list', (text) => text.replace('["block:1-2"]', '"block:1-2"'), 'pact:stands_for'],
    ['an empty list', (text) => text.replace('["block:1-2"]', '[]'), 'pact:stands_for'],
    ['no id in the list', (text) => text.replace('["block:1-2"]', '[7]'), 'pact:stands_for'],
    ['one id twice', (text) => text.replace('["block:1-2"]', '["x","x"]'), 'pact:stands_for'],
    [
      'two claimants',
      (text) => text.replace('"id":"block:1-1"', '"id":"block:1-1","pact:stands_for":["block:1-2"]'),
      'pact:stands_for',
    ],
    [
      'an unknown name in a schedule',
      (text) =>
        text.replace(
          '"schedules":[]',
          '"schedules":[{"key":"k","cad":1,"zone":"pre","node":{"content":"x"},"pact:x":1}]',
        ),
      'pact:x',
    ],
    [
      'an emptied block',
      (text) => text.replace('"id":"block:1-1"', '"id":"block:1-1","pact:emptied":true'),
      'pact:emptied',
    ],
    ['an emptied root', (text) => text.replace('"id":"root"', '"id":"root","pact:emptied":true'), 'pact:emptied'],
    [
      'a segment that stands in',
      (text) => text.replace('"id":"seg:1-4"', '"id":"seg:1-4","pact:stands_for":["x"]'),
      'pact:stands_for',
    ],
  ])('with %s is refused at its place (D41)', (_what, patch, path) => {
    const text = withStandIn((each) => each)
    const patched = patch(text)
    expect(patched).not.toBe(text)
    const error = refusal(() => importSnapshot(patched))
    expect(error.code).toBe('E_SNAPSHOT_INVALID')
    expect(error.details['path']).toContain(path)
  })
})

describe('the system capability', () => {
  test('sees what is in ^sys and nothing else (D31)', () => {
    const ctx = context()
    const ids = [ctx.system.add('a').id, ctx.system.add('b').id]
    ctx.user('u')
    expect(ctx.system.update('*', { priority: 1 }).map(({ id }) => id)).toEqual(ids)
    expect(ctx.system.update('* @first', { priority: 2 }).map(({ id }) => id)).toEqual(ids.slice(0, 1))
    expectRefused(ctx, () => ctx.system.update('^ah', { priority: 1 }), 'E_NODE_NOT_FOUND')
    expectRefused(ctx, () => ctx.system.update('^root', { priority: 1 }), 'E_NODE_NOT_FOUND')
    expectRefused(ctx, () => ctx.system.update('^sys', { priority: 1 }), 'E_NODE_NOT_FOUND')
  })

  test('is asked for before anything else about a move into ^sys (D31, N21)', () => {
    const ctx = context()
    ctx.user('u')
    ctx.commit()
    expectRefused(ctx, () => ctx.move('d1 .block', { depth: -1 }), 'E_NOT_AUTHORIZED')
    expectRefused(ctx, () => ctx.move('d1 .block', { parent: 'sys' }), 'E_NOT_AUTHORIZED')
    expectRefused(ctx, () => ctx.move('d1 .block', '(d-1, end)'), 'E_NOT_AUTHORIZED')
  })
})

test('a node and the one that took its place are no move, forward and back (05 §4.5)', () => {
  const ctx = context()
  const note = ctx.post('same text', { key: 'n' })
  ctx.commit()
  ctx.replace('#n', { tags: ['t'] })
  ctx.commit()
  expect(ctx.diffDetailed('@t-1', '@t0').moves).toEqual([])
  expect(ctx.diffDetailed('@t0', '@t-1').moves).toEqual([])
  ctx.delete(byId(ctx.first('#n')!.id))
  ctx.post('same text')
  ctx.commit()
  expect(ctx.diffDetailed('@t-2', '@t0').moves).toMatchObject([{ from: note.id }])
})

test('a node that came back from a summary leaves history by a stand-in or a marker, as any other (D43, D63)', () => {
  const ctx = context()
  ctx.user('task')
  const [first, second] = [ctx.assistant('a'), ctx.assistant('b')]
  ctx.user('go on')
  ctx.commit()
  const { id } = ctx.compact(ctx.planCompaction({ keep: 1 }), 'sum')
  ctx.commit()
  ctx.expand(id)
  const [other] = ctx.replace(byId(first.id), { content: 'A' })
  const [marker] = ctx.delete(byId(second.id), { reason: 'personal data' })
  expect([other!.supersedes, other!.createdAtNs]).toEqual([first.id, first.createdAtNs])
  expect([marker!.supersedes, marker!.nodeType]).toEqual([second.id, 'block:redaction'])
  ctx.commit()
  expect(contents(ctx, '@t0')).toEqual(['task', 'A', '', 'go on'])
})

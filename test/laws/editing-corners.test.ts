// Corners of editing that a reader or a reviewer stumbled over: each failed once.

import { createContext, importSnapshot, type Context, type NodeSpec } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf, refusal, textOf } from '../support/context.js'

/** A turn that is sealed, so that there is something at depth 1. */
function begun(): Context {
  const ctx = createContext({ clock: clockOf() })
  ctx.user('hello')
  ctx.commit()
  return ctx
}

describe('content', () => {
  test('null is content like any other, in put and replace too (N8)', () => {
    const ctx = begun()
    ctx.post('text', { key: 'k' })
    expect(ctx.put('k', null).content).toBeNull()
    expect(ctx.replace('#k', { content: 'again' })[0]!.content).toBe('again')
    expect(ctx.replace('#k', { priority: 2 })[0]!.content).toBe('again')
  })

  test('a container can be put without content', () => {
    const ctx = begun()
    ctx.put('files', undefined, { zone: 'post', children: [{ content: 'a' }] })
    const [group] = ctx.nodes('#files')
    ctx.put('files', undefined, { children: [{ content: 'b' }, { content: 'c' }] })
    expect(ctx.node(group!.id)!.children.map((child) => child.content)).toEqual(['b', 'c'])
  })
})

describe('refusals', () => {
  const refused: readonly (readonly [name: string, call: (ctx: Context) => unknown])[] = [
    ['overlap in one call', (ctx) => ctx.add(undefined, { zone: 'post', children: [keyed('k'), keyed('k')] })],
    ['overlap with ^sys', (ctx) => ctx.post('x', { key: 'sys' })],
    ['a cadence in ^sys', (ctx) => ctx.system.add('x', { key: 'c', cad: 1 })],
    ['a cadence in history', (ctx) => ctx.insert({ content: 'x', key: 'c', cad: 1 }, '(d1, end)')],
    ['a cadence in a new segment', (ctx) => ctx.insert({ content: 'x', key: 'c', cad: 1 }, { depth: 1 })],
  ]

  test.each(refused)('%s tells no made-up id, and uses up none', (_name, call) => {
    const ctx = begun()
    ctx.system.add('rule', { key: 'sys' })
    const before = textOf(ctx.export('working'))
    const error = refusal(() => call(ctx))
    expect(JSON.stringify(error)).not.toContain('u0000')
    expect(textOf(ctx.export('working'))).toBe(before)
    expect(ctx.post('next').id).toBe('block:2-1')
  })

  test('overlap names who is older, and what to do', () => {
    const ctx = begun()
    const older = ctx.post('one', { key: 'plan' })
    ctx.commit()
    const newer = ctx.post('two', { key: 'plan' })
    const { message, details } = refusal(() => ctx.move('d1 #plan', { depth: 0, zone: 'post' }))
    expect(message).toContain(`${older.id} is an older instance`)
    expect(details).toMatchObject({ name: 'OverlapWouldViolateODI', key: 'plan', id: older.id, other: newer.id })
  })

  test.each([{ depth: 0 }, '(d1, end)', { depth: 1 }])('insert says what a zone is, at %j', (position) => {
    const call = (zone: unknown): unknown => begun().insert({ content: 'x', zone } as NodeSpec, position)
    for (const zone of ['bogus', null, 5]) {
      expect(refusal(() => call(zone))).toMatchObject({
        code: 'E_PLACEMENT_INVALID',
        message: "A zone is 'pre', 'core' or 'post'.",
        details: { name: 'zone' },
      })
    }
  })

  test('put finds a fault in the header before one in its place, whether the key is there or not (N21)', () => {
    const ctx = begun()
    const put = (): unknown => ctx.put('k', 'x', { cad: 1.5, zone: 'pre', offset: 1 })
    expect(refusal(put).code).toBe('E_CADENCE_INVALID')
    ctx.put('k', 'first')
    expect(refusal(put).code).toBe('E_CADENCE_INVALID')
    expect(refusal(() => ctx.put('k', 'x', { zone: 'pre', offset: 1 })).code).toBe('E_PLACEMENT_INVALID')
  })

  test('facets have their own advice in mutations (D9)', () => {
    const ctx = begun()
    expect(refusal(() => ctx.delete('.block[age>=0]')).message).not.toContain('needs a time prefix')
    expect(refusal(() => ctx.delete('.block[age>=0]')).code).toBe('E_SELECTOR_INVALID')
  })

  test('a key may be longer than a selector', () => {
    const ctx = begun()
    const key = 'k'.repeat(50_000)
    ctx.post('old', { key })
    ctx.commit()
    ctx.insert({ content: 'new', key }, '(d1, end)')
    expect(ctx.nodes(':post').map((node) => [node.content, ctx.coordinate(node.id)])).toEqual([
      ['old', '(d2, 1)'],
      ['new', '(d1, 2)'],
    ])
  })
})

describe('undo', () => {
  test('brings back what newer instances have to meet (D29, D30)', () => {
    const ctx = begun()
    const first = ctx.post('a', { key: 'k' })
    ctx.post('b', { key: 'k' })
    ctx.post('c', { key: 'k' })
    expect(ctx.coordinate(first.id)).toBe('(d1, 1)')
    ctx.undo()
    ctx.undo()
    expect(ctx.coordinate(first.id)).toBe('(d0, 1)')
    ctx.post('d', { key: 'k' })
    expect(ctx.coordinate(first.id)).toBe('(d1, 1)')
    ctx.undo()
    expect(ctx.put('k', 'e').id).toBe(first.id)
  })
})

describe('markers', () => {
  test('keep their author and reason when what holds them is deleted again', () => {
    const ctx = begun()
    const [marker] = ctx.delete('^seq .block', { author: 'kim', reason: 'private' })
    ctx.commit()
    expect(ctx.delete('d1')).toEqual([])
    expect(ctx.undo()).toBe(false)
    expect(ctx.node(marker!.id)!.attributes).toEqual({ data_author: 'kim', data_reason: 'private' })
  })
})

describe('offsets', () => {
  test('-0 is 0', () => {
    const ctx = begun()
    const group = ctx.add(undefined, { zone: 'post', children: [] })
    expect(Object.is(ctx.insert({ content: 'x' }, { parent: group.id, offset: -0 }).offset, 0)).toBe(true)
  })
})

describe('schedules', () => {
  test('another key ends the schedule of the one before', () => {
    const ctx = begun()
    ctx.post('x', { key: 'k', cad: 1 })
    ctx.replace('#k', { key: 'j' })
    ctx.commit()
    expect(ctx.snapshot().schedules.map(({ key }) => key)).toEqual(['j'])
  })

  test.each([
    ['schedules[0].cad', { cad: undefined }],
    ['schedules[0].node.supersedes', { node: { content: 'x', supersedes: 'q' } }],
    ['schedules[0].node.removable', { node: { content: 'x', removable: true } }],
    ['schedules[0].node.children[0].cad', { node: { children: [{ content: 'x', cad: 2 }] } }],
  ])('in a file are checked at %s', (path, part) => {
    const schedule = { key: 'k', cad: 1, first_cycle: 1, zone: 'post', node: { content: 'x' }, ...part }
    const { cad, ...rest } = schedule
    const file = {
      spec_version: 'PACT/1.0.0',
      cycle: 3,
      root: { children: [] },
      schedules: [cad === undefined ? rest : schedule],
    }
    expect(refusal(() => importSnapshot(file))).toMatchObject({ code: 'E_SNAPSHOT_INVALID', details: { path } })
  })
})

function keyed(key: string): NodeSpec {
  return { content: 'x', key }
}

describe('compaction after an import', () => {
  test('a list has ttls and emptied containers as an export shows them, so a context and its import compact alike (D24, D35)', () => {
    const ctx = createContext({ clock: clockOf() })
    ctx.user('task')
    ctx.assistant('with a ttl', { ttl: 9 })
    ctx.insert({ children: [{ content: 'gone', ttl: 0 }] }, '(d0, 0, end)')
    for (const message of ['a', 'b']) {
      ctx.user(message)
      ctx.commit()
    }
    const twin = importSnapshot(ctx.export(), { clock: clockOf(20n) })
    const lists = [ctx, twin].map((each) => {
      // An edit makes the node travel, with the cycle that its ttl counts from.
      each.update('[ttl]', { priority: 1 })
      const { id } = each.compact(each.planCompaction({ keep: 1 }), 'sum', { intro: '' })
      return (JSON.parse(textOf(each.export('working'))) as { root: NodeJson }).root.children.flatMap((region) =>
        compactedIn(region, id),
      )
    })
    expect(lists[0]).toHaveLength(1)
    expect(JSON.stringify(lists[0])).toContain('"ttl_from":2')
    expect(lists[1]).toEqual(lists[0])
  })

  type NodeJson = Readonly<{ id: string; children: readonly NodeJson[]; 'pact:compacted'?: unknown }>

  function compactedIn(node: NodeJson, id: string): readonly unknown[] {
    return [
      ...(node.id === id ? [node['pact:compacted']] : []),
      ...(node.children ?? []).flatMap((child) => compactedIn(child, id)),
    ]
  }
})

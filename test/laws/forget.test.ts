// forget (D56): what nodes say is gone, from everything that a program can ask, and nothing else is.

import fc from 'fast-check'
import {
  createContext,
  importSnapshot,
  type Attempt,
  type Context,
  type Lens,
  type Node,
  type Snapshot,
} from 'pact-context'
import { describe, expect, test } from 'vitest'

import { allTexts, answerTo } from '../support/all-texts.js'
import { clockOf, expectSound, readExport, refusal, textOf, walkExport, type ExportedNode } from '../support/context.js'
import { erasedNaively } from '../support/erased-naively.js'
import { editedPrograms, editedRuns, playEdited } from '../support/edited.js'

const SECRET = '4111-1111'

/** A context with the secret in every place where text can be. */
function secretive(): Readonly<{
  ctx: Context
  contexts: Context[]
  snapshots: Snapshot[]
  attempts: Attempt[]
  nodes: Node[]
}> {
  const ctx = createContext({ clock: clockOf(), prune: { maxNodes: 200 } })
  const pii = { tags: ['pii'] }
  const call = { provider: 'p', model: 'm', params: {} }
  const snapshots: Snapshot[] = []
  const attempts: Attempt[] = []
  ctx.system.add(`System ${SECRET}`, pii)
  ctx.pre(`Always ${SECRET}`, { ...pii, key: 'always', cad: 1 })
  ctx.user(`My card is ${SECRET}.`, { ...pii, provenance: { from: SECRET }, data_note: SECRET, content_raw: [SECRET] })
  ctx.assistant({ name: 'pay', arguments: { card: SECRET } }, { ...pii, kind: 'call', data_call_id: 'c1' })
  ctx.tool({ deep: [{ card: SECRET }] }, { ...pii, kind: 'result', data_call_id: 'c1', ttl: 2 })
  ctx.add(undefined, { zone: 'post', children: [{ content: SECRET, ...pii }, { content: 'plain' }] })
  attempts.push(ctx.startAttempt(call), ctx.startAttempt({ ...call, lens: 'working' }))
  snapshots.push(ctx.working, ctx.preview(), ctx.commit())
  const early = ctx.fork()
  early.user(`In a fork: ${SECRET}`, pii)
  early.commit()
  ctx.replace(".block[role='user']", { content: `Changed, ${SECRET}`, tags: ['pii'] })
  ctx.user('Harmless.', { key: 'k' })
  snapshots.push(ctx.commit())
  const open = ctx.user(`Not yet sent: ${SECRET}`, pii)
  ctx.replace(`[id='${open.id}']`, { content: 'Thought better of it.' })
  ctx.post(`${SECRET} in the open cycle`, pii)
  ctx.delete('d0 .block+pii:last')
  const late = ctx.fork('working')
  attempts.push(ctx.startAttempt({ ...call, lens: 'working' }))
  snapshots.push(ctx.snapshot('working'), late.snapshot('working'))
  return { ctx, contexts: [ctx, early, late], snapshots, attempts, nodes: [open] }
}

describe('what is forgotten', () => {
  test('is in no export, thread, diff, attempt, snapshot, undo step, fork or error any more', () => {
    const { ctx, contexts, snapshots, attempts, nodes } = secretive()
    const before = contexts.map((each) => allTexts(each, snapshots, attempts))
    for (const text of before) expect(text.split(SECRET).length).toBeGreaterThan(20)
    const receipt = ctx.forget('+pii', { author: 'dpo', reason: 'art. 17' })
    expect(receipt).toMatchObject({ contexts: 3, schedules: ['always'], author: 'dpo', reason: 'art. 17' })
    // Nodes of the early fork alone are not in this context.
    expect(allTexts(ctx, snapshots, attempts)).not.toContain(SECRET)
    contexts[1]!.forget('+pii')
    for (const each of contexts) {
      for (let undone = true; undone; undone = each.undo()) {
        expect(allTexts(each, snapshots, attempts)).not.toContain(SECRET)
      }
    }
    // Nodes that were handed out keep what they say.
    expect(nodes[0]!.content).toContain(SECRET)
    for (const each of contexts) {
      each.commit()
      each.commit()
      expect(textOf(each.export())).not.toContain(SECRET)
      expectSound(each.snapshot())
    }
    for (const each of attempts) expect(JSON.stringify(each.complete())).not.toContain(SECRET)
  })

  test('keeps its id, place and headers, and says that it was erased', () => {
    const ctx = createContext({ clock: clockOf() })
    const { id } = ctx.tool(
      { card: SECRET },
      {
        kind: 'result',
        key: 'card',
        tags: ['pii'],
        priority: 3,
        provenance: 'p',
        data_call_id: 'c1',
        data_x: 1,
      },
    )
    ctx.commit()
    const before = ctx.node(id, '@t0')!.toJSON()
    expect(ctx.forget('#card')).toEqual({ ids: [id], schedules: [], versions: 1, contexts: 1 })
    const { provenance: _provenance, data_x: _x, ...kept } = before
    expect(ctx.node(id, '@t0')!.toJSON()).toEqual({ ...kept, content: '', 'pact:erased': true })
    const text = textOf(ctx.export())
    expect(textOf(importSnapshot(text).export())).toBe(text)
    expect(ctx.node(id)!.contentHash).toBe(importSnapshot(text).node(id)!.contentHash)
  })

  test('is erased in snapshots that hold it no more, and in a fork of a fork', () => {
    const ctx = createContext()
    ctx.user(SECRET, { ttl: 1, key: 'gone' })
    ctx.commit()
    ctx.commit()
    const fork = ctx.fork('@c1').fork()
    expect(ctx.count('#gone')).toBe(0)
    const receipt = fork.forget('#gone')
    expect([receipt.contexts, receipt.versions]).toEqual([3, 1])
    for (const each of [ctx, fork]) expect(textOf(each.export('@c1'))).not.toContain(SECRET)
  })

  test('may say something again, and is no erased node then', () => {
    const ctx = createContext()
    const { id } = ctx.post(SECRET, { key: 'k' })
    ctx.forget('#k')
    expect(ctx.node(id)!.attributes['pact:erased']).toBe(true)
    ctx.replace('#k', { content: 'new' })
    expect(ctx.node(id)!.attributes).toEqual({})
    ctx.commit()
    ctx.forget('#k')
    const [again] = ctx.replace('#k', { content: 'newer' })
    expect([again!.attributes, again!.content]).toEqual([{}, 'newer'])
  })

  test('is no edit: nothing to undo, no id and no time is spent', () => {
    const [ctx, twin] = [0, 1].map(() => {
      const made = createContext({ clock: clockOf() })
      made.user('one', { key: 'k' })
      made.commit()
      return made
    }) as [Context, Context]
    ctx.forget('#k')
    expect(ctx.undo()).toBe(false)
    expect(ctx.user('two').toJSON()).toEqual(twin.user('two').toJSON())
  })
})

describe('a call of forget', () => {
  test('finds what only schedules hold, also those of older snapshots', () => {
    const ctx = createContext()
    ctx.post(`Doc ${SECRET}`, { key: 'doc', cad: 3, ttl: 1 })
    ctx.commit()
    ctx.put('doc', 'Another one', { cad: 5, ttl: 1 })
    ctx.commit()
    ctx.commit()
    expect(textOf(ctx.export('@c1'))).toContain(SECRET)
    expect(ctx.forget(`[content~'${SECRET}']`).schedules).toEqual(['doc'])
    for (const { cycle } of ctx.snapshots()) expect(textOf(ctx.export(`@c${cycle}`))).not.toContain(SECRET)
  })

  test.each([
    ['undone', (ctx: Context) => void ctx.user(SECRET), (ctx: Context) => void ctx.undo()],
    ['put in place', (ctx: Context) => void ctx.put('q', SECRET), (ctx: Context) => void ctx.put('q', 'clean')],
    ['dropped', (ctx: Context) => void ctx.user(SECRET, { ttl: 1 }), () => undefined],
  ])('finds what only an attempt holds: %s', (_, say, takeBack) => {
    const ctx = createContext({ history: 2 })
    say(ctx)
    ctx.startAttempt({ provider: 'p', model: 'm', params: {} }).cancel()
    takeBack(ctx)
    for (let i = 0; i < 5; i++) {
      ctx.user(`turn ${i}`)
      ctx.commit()
    }
    expect(allTexts(ctx)).toContain(SECRET)
    const { ids } = ctx.forget(`[content~'${SECRET}']`)
    expect(ids).toHaveLength(1)
    expect(allTexts(ctx)).not.toContain(SECRET)
  })

  test('takes the other instances of a schedule with the same content, and leaves those with another', () => {
    const ctx = createContext()
    ctx.pre(SECRET, { key: 'doc', cad: 1, ttl: 1 })
    for (let i = 0; i < 3; i++) ctx.commit()
    ctx.put('doc', 'Another one', { cad: 1, ttl: 1 })
    ctx.commit()
    const first = ctx.select('@c1 #doc')[0]!
    expect(ctx.forget(`[id='${first}']`).schedules).toEqual(['doc'])
    expect(allTexts(ctx)).not.toContain(SECRET)
    expect(allTexts(ctx)).toContain('Another one')
  })

  test('that finds nothing says so without the selector, and with ? it gives an empty receipt', () => {
    const ctx = createContext()
    ctx.user('x')
    const error = refusal(() => ctx.forget(`[content~'${SECRET}']`))
    expect(error.code).toBe('E_NODE_NOT_FOUND')
    expect(JSON.stringify(error)).not.toContain(SECRET)
    expect(ctx.forget(`[content~'${SECRET}']?`)).toEqual({ ids: [], schedules: [], versions: 0, contexts: 1 })
  })

  test('is refused for a wrong selector, a time prefix, wrong options, and inside a write', () => {
    const ctx: Context = createContext({
      countTokens: () => (ctx.forget('.block'), 1),
      prune: { maxTokens: 1 },
    })
    ctx.user('x')
    expect(refusal(() => ctx.forget('.block[')).code).toBe('E_SELECTOR_INVALID')
    expect(refusal(() => ctx.forget('@t0 .block')).code).toBe('E_SELECTOR_INVALID')
    expect(refusal(() => ctx.forget('.block', { author: 1 } as never)).code).toBe('E_CONTENT_INVALID')
    expect(refusal(() => ctx.commit()).code).toBe('E_BUDGET')
    expect(refusal(() => ctx.batch(() => ctx.forget('.block'))).code).toBe('E_CONFLICT')
    expect(ctx.first('.block')!.content).toBe('x')
  })
})

describe.each(['1.0', '0.1'] as const)('on random programs, in %s,', (dialect) => {
  test('forget is what a naive hand would do to every export, and everything goes on', () => {
    let erased = 0
    fc.assert(
      fc.property(editedPrograms(dialect, 30), fc.nat(), fc.nat(3), (program, pick, share) => {
        const { contexts } = playEdited(program)
        const ctx = contexts[pick % contexts.length]!
        const every = new Set(lensesOf(ctx).flatMap((lens) => nodesIn(ctx, lens).map(({ id }) => id)))
        const wanted = [...every].filter((_, i) => i % 4 === share)
        const before = contexts.map(
          (each) => new Map(lensesOf(each).map((lens) => [lens, readExport(each.export(lens))])),
        )
        const selector = wanted.map((id) => `[id='${id}']`).join(', ')
        if (wanted.length === 0) return
        const receipt = ctx.forget(selector)
        expect(receipt.ids).toEqual(expect.arrayContaining(wanted))
        // Other instances of a schedule go too where they have the same content (N126).
        const also = new Set(receipt.ids.filter((id) => !wanted.includes(id)))
        const keys = contexts.flatMap((each) =>
          lensesOf(each).flatMap((lens) =>
            nodesIn(each, lens).flatMap((node) => (also.has(node.id) ? [node['key']] : [])),
          ),
        )
        if (also.size > 0) expect(receipt.schedules.length).toBeGreaterThan(0)
        for (const key of keys) if (key !== undefined) expect(receipt.schedules).toContain(key)
        erased += receipt.versions
        // A context that was imported by the program shares nothing with the one it came from.
        const mine = contexts.filter((each) => isOfOneFamily(each, ctx, contexts))
        for (const each of mine) {
          const exports = before[contexts.indexOf(each)]!
          for (const [lens, { root, ...document }] of exports) {
            const { schedules, ...rest } = document as typeof document & { schedules: { key: string }[] }
            const kept = schedules.filter(({ key }) => !receipt.schedules.includes(key))
            const expected = { ...rest, root: erasedNaively(root, new Set(receipt.ids)), schedules: kept }
            expect(readExport(each.export(lens))).toEqual(expected)
          }
          each.user('on')
          if (answerTo(() => each.commit()) instanceof Object) expectRoundTrip(each)
        }
      }),
      editedRuns(24),
    )
    expect(erased).toBeGreaterThan(0)
  })
})

function lensesOf(ctx: Context): readonly Lens[] {
  return [...ctx.snapshots().map(({ cycle }): Lens => `@c${cycle}`), 'working']
}

function nodesIn(ctx: Context, lens: Lens): readonly ExportedNode[] {
  return walkExport(readExport(ctx.export(lens)).root)
}

/** Imports begin a family; a fork's id says whose it is, and the imports of a program are made again as `context`. */
function isOfOneFamily(a: Context, b: Context, contexts: readonly Context[]): boolean {
  const rootOf = (ctx: Context): Context => {
    const upTo = contexts.slice(0, contexts.indexOf(ctx) + 1)
    return upTo.findLast(({ id }) => !id.includes('/'))!
  }
  return rootOf(a) === rootOf(b)
}

function expectRoundTrip(ctx: Context): void {
  const text = textOf(ctx.export())
  expect(textOf(importSnapshot(text).export())).toBe(text)
}

// A record of an attempt gives its thread again (D32), from the snapshot below it and what it says of the difference.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import {
  CALL,
  expectListRenderedAgain,
  expectRenderedAgain,
  sentRecordOf,
  sentRecordsOf,
} from '../../test/support/attempts.js'
import { clockOf, DIALECTS, programsFor, writeTo } from '../../test/support/context.js'
import { editedPrograms, editedRuns, playEdited } from '../../test/support/edited.js'
import {
  canonicalJson,
  createContext,
  importSnapshot,
  type Attempt,
  type Context,
  type Lens,
  type NodeSpec,
} from '../index.js'

const SEED = Number(process.env['PACT_SEED'] ?? 20261117)

describe('what an attempt rendered', () => {
  test('a record and the snapshot of its base cycle give the bytes again, whatever expired or was pruned (D32)', () => {
    for (const dialect of DIALECTS) {
      fc.assert(
        fc.property(programsFor(dialect), fc.constantFrom<Lens>('preview', 'working'), (steps, lens) => {
          const ctx = createContext({ dialect, clock: clockOf(), prune: { maxNodes: 25 } })
          const attempts = steps.map((step) => {
            if (step.do === 'write') writeTo(ctx, step.write)
            else if (step.do === 'commit') ctx.commit()
            return expectRenderedAgain(ctx, lens)
          })
          expectListRenderedAgain(ctx, attempts)
        }),
        { seed: SEED, numRuns: 60 },
      )
    }
  })

  test('the same holds after every call of programs that edit, fork and import', () => {
    for (const dialect of DIALECTS) {
      fc.assert(
        fc.property(editedPrograms(dialect), fc.constantFrom<Lens>('preview', 'working'), (program, lens) => {
          const { unmet: _unmet, ...prune } = program.prune ?? {} // a preview that is refused cannot be rendered
          const made = new Map<Context, Attempt[]>()
          const send = ({ ctx }: Readonly<{ ctx: Context }>): void => {
            made.set(ctx, [...(made.get(ctx) ?? []), expectRenderedAgain(ctx, lens)])
          }
          playEdited(program, { after: send }, { prune })
          for (const [ctx, attempts] of made) expectListRenderedAgain(ctx, attempts)
        }),
        editedRuns(25),
      )
    }
  })

  test('lists what stands below a container that was moved inside its own parent', () => {
    const ctx = createContext()
    const inside = (name: string): NodeSpec => ({ children: [{ content: `${name}1` }, { content: `${name}2` }] })
    const outer = ctx.add(undefined, { zone: 'post', children: [inside('a'), inside('b'), { content: 'c' }] })
    ctx.commit()
    const [a] = outer.children
    ctx.move(`[id='${a!.id}']`, { parent: outer.id, offset: 9 })
    expect(ctx.thread().map(({ content }) => content)).toEqual(['b1', 'b2', 'c', 'a1', 'a2'])
    const record = sentRecordOf(ctx, ctx.startAttempt({ ...CALL, lens: 'working' }))
    expect(record.nodes.map((node) => node['content'])).toEqual(['a1', 'a2'])
    expect([record.thread_indexes, record.absent_ids]).toEqual([[3, 4], []])
    for (const lens of ['working', 'preview'] as const) expectRenderedAgain(ctx, lens)
  })

  test('the same holds over an import and in a fork', () => {
    const ctx = createContext()
    ctx.system.add('Rule')
    ctx.user('One', { ttl: 2 })
    ctx.add('A container with content', { zone: 'post', children: [{ content: 'inside' }] })
    ctx.commit()
    const imported = importSnapshot(ctx.export())
    for (const each of [imported, ctx.fork(), imported.fork('working')]) {
      each.pre('Before')
      expectRenderedAgain(each, 'preview')
      each.commit()
      expectRenderedAgain(each, 'preview')
      each.commit()
      expectRenderedAgain(each, '@t-1')
    }
  })

  test('lists what stands below a container that moved, here by sealing a head that an import brought', () => {
    const inner = { id: 'inner', nodeType: 'block', offset: 0, content: 'below' }
    const group = { id: 'group', nodeType: 'cont', offset: 1, children: [inner] }
    const ctx = importSnapshot({ cycle: 4, root: { children: [{ id: 'ah', nodeType: '^ah', children: [group] }] } })
    ctx.post('before', { offset: 1 })
    expect(sentRecordOf(ctx, ctx.startAttempt(CALL))).toMatchObject({
      base_cycle: 4,
      thread_indexes: [0, 1],
      absent_ids: [],
    })
    expect(sentRecordOf(ctx, ctx.startAttempt(CALL)).nodes.map((node) => node['id'])).toContain('inner')
    expect(
      sentRecordOf(ctx, ctx.startAttempt({ ...CALL, lens: 'working' })).nodes.map((node) => node['id']),
    ).not.toContain('inner')
    expectRenderedAgain(ctx, 'preview')
    expectRenderedAgain(ctx, 'working')
  })

  test('lists only what is uncommitted, and names what has left', () => {
    const ctx = createContext()
    ctx.user('Stays')
    const note = ctx.post('Leaves', { ttl: 1 })
    ctx.commit()
    const added = ctx.user('New')
    expect(sentRecordOf(ctx, ctx.startAttempt(CALL))).toMatchObject({
      base_cycle: 1,
      nodes: [{ id: added.id, content: 'New', role: 'user' }],
      thread_indexes: [1],
      absent_ids: [note.id],
    })
    expect(sentRecordOf(ctx, ctx.startAttempt({ ...CALL, lens: 'working' })).absent_ids).toEqual([])
  })
  test('what attempts of one cycle share is written once, however many they are (G9)', () => {
    const bytesOf = (count: number): number => {
      const ctx = createContext({ clock: clockOf() })
      ctx.commit()
      const attempts = Array.from({ length: count }, (_, i) => {
        ctx.tool(`${i} ${'x'.repeat(2000)}`)
        return ctx.startAttempt(CALL)
      })
      for (const attempt of attempts) attempt.complete({ tokenIn: 1, tokenOut: 1 })
      expect(sentRecordOf(ctx, attempts.at(-1)!).nodes).toHaveLength(count)
      const listed = sentRecordsOf(ctx).flatMap(({ nodes }) => nodes)
      expect(new Set(listed).size).toBe(count)
      expect(listed).toHaveLength(count)
      expectListRenderedAgain(ctx, attempts.slice(-5))
      return canonicalJson(sentRecordsOf(ctx)).length
    }
    const [once, twice] = [bytesOf(150), bytesOf(300)]
    expect(twice / once).toBeGreaterThan(1.9)
    expect(twice / once).toBeLessThan(2.1)
    expect(twice).toBeLessThan(300 * 3000)
  })

  test('a record of the list is told from the next attempt of its cycle and lens, and by itself from its base cycle', () => {
    const ctx = createContext()
    ctx.user('Committed')
    ctx.commit()
    const note = ctx.post('A note')
    const first = ctx.startAttempt(CALL)
    ctx.startAttempt({ ...CALL, lens: 'working' })
    ctx.startAttempt({ ...CALL, lens: '@t0' })
    ctx.undo()
    const asked = ctx.user('Asked')
    const second = ctx.startAttempt(CALL)
    first.cancel()
    const listed = sentRecordsOf(ctx)
    expect(ctx.attempts()).toEqual([first.record, ...ctx.attempts().slice(1, 3), second.record])
    expect(listed.map((record) => record.base_attempt)).toEqual([second.id, undefined, undefined, undefined])
    expect(listed[0]).toEqual({
      ...first.record,
      base_attempt: second.id,
      nodes: [{ ...note.toJSON(), created_at_ns: note.createdAtNs }],
      thread_indexes: [1],
      absent_ids: [asked.id],
    })
    expect(listed.slice(1, 3).map(({ nodes }) => nodes.length)).toEqual([1, 0])
    expect(listed[3]).toMatchObject(second.record)
    ctx.commit()
    // The next cycle begins with a record that is a difference to its own base.
    ctx.startAttempt(CALL)
    expect(sentRecordsOf(ctx).map((record) => record.base_attempt !== undefined)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ])
  })

  test('a node that was moved between two attempts is listed, and what it passed is not', () => {
    const ctx = createContext()
    const notes = ['a', 'b', 'c', 'd'].map((text) => ctx.post(text))
    const first = expectRenderedAgain(ctx, 'preview')
    ctx.move(`[id='${notes[0]!.id}']`, { depth: 0, zone: 'post' })
    const second = expectRenderedAgain(ctx, 'preview')
    expect(second.snapshot.thread().map(({ content }) => content)).toEqual(['b', 'c', 'd', 'a'])
    expect(sentRecordsOf(ctx)[0]).toMatchObject({ nodes: [{ content: 'a' }], thread_indexes: [0], absent_ids: [] })
    expectListRenderedAgain(ctx, [first, second])
  })
})

// A record of an attempt gives its thread again (D32), from the snapshot below it and what it says of the difference.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { CALL, expectRenderedAgain } from '../../test/support/attempts.js'
import { clockOf, DIALECTS, programsFor, writeTo } from '../../test/support/context.js'
import { editedPrograms, editedRuns, playEdited } from '../../test/support/edited.js'
import { createContext, importSnapshot, type Lens, type NodeSpec } from '../index.js'

const SEED = Number(process.env['PACT_SEED'] ?? 20261117)

describe('what an attempt rendered', () => {
  test('a record and the snapshot of its base cycle give the bytes again, whatever expired or was pruned (D32)', () => {
    for (const dialect of DIALECTS) {
      fc.assert(
        fc.property(programsFor(dialect), fc.constantFrom<Lens>('preview', 'working'), (steps, lens) => {
          const ctx = createContext({ dialect, clock: clockOf(), prune: { maxNodes: 25 } })
          for (const step of steps) {
            if (step.do === 'write') writeTo(ctx, step.write)
            else if (step.do === 'commit') ctx.commit()
            expectRenderedAgain(ctx, lens)
          }
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
          playEdited(program, { after: ({ ctx }) => expectRenderedAgain(ctx, lens) }, { prune })
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
    const { record } = ctx.startAttempt({ ...CALL, lens: 'working' })
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
    expect(ctx.startAttempt(CALL).record).toMatchObject({ base_cycle: 4, thread_indexes: [0, 1], absent_ids: [] })
    expect(ctx.startAttempt(CALL).record.nodes.map((node) => node['id'])).toContain('inner')
    expect(ctx.startAttempt({ ...CALL, lens: 'working' }).record.nodes.map((node) => node['id'])).not.toContain('inner')
    expectRenderedAgain(ctx, 'preview')
    expectRenderedAgain(ctx, 'working')
  })

  test('lists only what is uncommitted, and names what has left', () => {
    const ctx = createContext()
    ctx.user('Stays')
    const note = ctx.post('Leaves', { ttl: 1 })
    ctx.commit()
    const added = ctx.user('New')
    expect(ctx.startAttempt(CALL).record).toMatchObject({
      base_cycle: 1,
      nodes: [{ id: added.id, content: 'New', role: 'user' }],
      thread_indexes: [1],
      absent_ids: [note.id],
    })
    expect(ctx.startAttempt({ ...CALL, lens: 'working' }).record.absent_ids).toEqual([])
  })
})

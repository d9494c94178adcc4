// Rules of every edit (004 §6, 03 §5.5, D23, D30): all or nothing, earlier snapshots to the byte, one undo for one call,
// several matches in canonical order.

import { readdirSync, readFileSync } from 'node:fs'

import { createContext, importSnapshot, type Context, type ContextOptions, type Replacement } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf, DIALECTS, expectSound, idsOf, textOf, walk } from '../support/context.js'
import {
  byId,
  contents,
  D1,
  D2,
  D3,
  drawn,
  EDITS,
  expectNoTrace,
  inDialect,
  sealedHashes,
  stateOf,
  story,
  withHead,
} from '../support/editing.js'

describe('every edit (004 §6, D30)', () => {
  test.each(DIALECTS.flatMap((dialect) => EDITS.map(([name, edit]) => [dialect, name, edit] as const)))(
    '%s %s leaves the bytes of all earlier snapshots alone, then and after the commit (SHA-256; 004 §6)',
    (dialect, _name, edit) => {
      const ctx = withHead(dialect)
      const hashes = sealedHashes(ctx)
      const before = stateOf(ctx)
      edit(ctx)
      expect(stateOf(ctx)).not.toBe(before)
      expect(sealedHashes(ctx)).toEqual(hashes)
      expectSound(ctx.snapshot('working'), { working: true, imported: true })
      ctx.commit()
      expect(sealedHashes(ctx).slice(1)).toEqual(hashes)
    },
  )

  test.each(DIALECTS.flatMap((dialect) => EDITS.map(([name, edit]) => [dialect, name, edit] as const)))(
    '%s %s is taken back by one undo: tree, schedules and demotions, but no id (D30, D37)',
    (dialect, _name, edit) => {
      const ctx = withHead(dialect)
      const before = stateOf(ctx)
      edit(ctx)
      const after = walk(ctx.snapshot('working').root)
      expect(ctx.undo()).toBe(true)
      expect(stateOf(ctx)).toBe(before)
      const given = after.filter(({ id, cycle }) => cycle === 4 && ctx.node(id) === undefined)
      const next = ctx.post('next')
      // The head of withHead has used up 4-0 to 4-3.
      expect(next.id).toBe(inDialect(`block:4-${4 + given.length}`, dialect))
      expect(idsOf(after)).not.toContain(next.id)
    },
  )

  test.each(EDITS)(
    '%s changes nothing that was handed out before, and survives export and import (02 §6.4, D35)',
    (_name, edit) => {
      const ctx = withHead()
      const still = ctx.snapshot('working')
      const [bytes, thread, schedules] = [textOf(still.export()), textOf(still.threadBytes()), still.schedules]
      const nodes = walk(still.root).map((node) => JSON.stringify(node))
      edit(ctx)
      expect([textOf(still.export()), textOf(still.threadBytes()), still.schedules]).toEqual([bytes, thread, schedules])
      expect(walk(still.root).map((node) => JSON.stringify(node))).toEqual(nodes)
      ctx.commit()
      const copy = importSnapshot(ctx.export())
      expect([textOf(copy.export()), textOf(copy.threadBytes('@t0'))]).toEqual([
        textOf(ctx.export()),
        textOf(ctx.threadBytes('@t0')),
      ])
    },
  )

  test.each(EDITS)(
    "%s in a fork of the working state is the fork's alone, and the same as here (D6, D30)",
    (_name, edit) => {
      const ctx = withHead()
      const before = stateOf(ctx)
      const fork = ctx.fork('working')
      edit(fork)
      expect(stateOf(ctx)).toBe(before)
      edit(ctx)
      // Ids that a fork gives carry its name.
      expect(drawn(fork, '^seq').join().replaceAll('f1:', '')).toBe(renumbered(drawn(ctx, '^seq').join()))
      expect(contents(fork)).toEqual(contents(ctx))
      expect(fork.snapshot('working').schedules).toEqual(ctx.snapshot('working').schedules)
    },
  )

  test.each(EDITS)('%s is seen by every selector at once, in document order (D20)', (_name, edit) => {
    const ctx = withHead()
    const asked = [
      '@working *',
      '@working .block',
      "@working [key='kept']",
      '@working ^seq *',
      '@working ^ah *',
      '@working ^sys *',
    ]
    // Asked before, so that whatever is remembered must be given up.
    for (const selector of asked) ctx.select(selector)
    edit(ctx)
    const all = walk(ctx.snapshot('working').root)
    expect(ctx.select('@working *')).toEqual(idsOf(all))
    expect(ctx.select("@working [key='kept']")).toEqual(idsOf(all.filter(({ key }) => key === 'kept')))
    expect(ctx.select('@working .block').length).toBe(
      all.filter((node) => !Object.hasOwn(node.toJSON(), 'children')).length,
    )
    for (const region of ['^sys', '^seq', '^ah']) {
      const [, ...below] = walk(ctx.snapshot('working').root.children.find(({ nodeType }) => nodeType === region)!)
      expect(ctx.select(`@working ${region} *`)).toEqual(idsOf(below))
    }
  })

  test.each(EDITS.flatMap(([name, edit]) => [['ids', name, edit] as const, ['clock', name, edit] as const]))(
    'where the %s fail, %s changes nothing, and later does what it should (D25, D37)',
    (source, _name, edit) => {
      let isBroken = false
      const sources = (breaks: boolean): ContextOptions => {
        const tick = clockOf()
        const fail = (): void => {
          if (isBroken) throw new Error('no more')
        }
        return {
          clock: () => {
            if (breaks && source === 'clock') fail()
            return tick()
          },
          ids: ({ cycle, index, nodeType }) => {
            if (breaks && source === 'ids') fail()
            return `${nodeType}:${cycle}-${index}`
          },
        }
      }
      const ctx = withHead('1.0', sources(true))
      const twin = withHead('1.0', sources(false))
      const before = stateOf(ctx)
      isBroken = true
      let isRefused = false
      try {
        edit(ctx)
        // It needed none of them.
        ctx.undo()
      } catch (error) {
        expect(error).toMatchObject({ code: 'E_CONTENT_INVALID', cause: new Error('no more') })
        isRefused = true
      }
      isBroken = false
      expect(stateOf(ctx)).toBe(before)
      edit(ctx)
      edit(twin)
      expect(contents(ctx)).toEqual(contents(twin))
      // Nothing was used up: the same ids, indexes and times as where nothing ever failed.
      if (isRefused) expect(stateOf(ctx)).toBe(stateOf(twin))
    },
  )

  test('undo goes back call by call to the last commit, and never behind it (D30)', () => {
    const ctx = story()
    const states = [stateOf(ctx)]
    for (const edit of [
      () => ctx.post('a', { key: 'k' }),
      () => ctx.post('b', { key: 'k' }),
      () => ctx.replace('#k', { content: 'c' }),
      () => ctx.delete('{ id="block:1-3" }'),
    ]) {
      edit()
      states.push(stateOf(ctx))
    }
    for (const state of states.toReversed().slice(1)) {
      expect(ctx.undo()).toBe(true)
      expect(stateOf(ctx)).toBe(state)
    }
    expect([ctx.undo(), ctx.undo()]).toEqual([false, false])
    ctx.post('x')
    ctx.commit()
    expect([ctx.undo(), ctx.snapshots().length]).toEqual([false, 4])
  })

  test('does nothing where nothing matches and the selector ends in ?; such a call is no step to undo (001 §3.6, D23)', () => {
    const ctx = story()
    ctx.post('x')
    const before = stateOf(ctx)
    const none = '#nobody?'
    expect([
      ctx.replace(none, { content: 'y' }),
      ctx.move(none, '(d0, end)'),
      ctx.delete(none),
      ctx.update(none, { ttl: 1 }),
    ]).toEqual([[], [], [], []])
    expect(ctx.move('#nobody ?', { depth: 1 })).toEqual([])
    expect(ctx.move('#nobody?', '(d99, end)')).toEqual([])
    expect(stateOf(ctx)).toBe(before)
    expect(ctx.delete('#x, .block[role="user"]?').length).toBe(3)
    ctx.undo()
    expect([ctx.undo(), contents(ctx).length]).toEqual([true, 7])
    for (const run of [
      () => ctx.replace('#nobody', { content: 'y' }),
      () => ctx.move('#nobody', '(d0, end)'),
      () => ctx.delete('#nobody'),
      () => ctx.update('#nobody', { ttl: 1 }),
    ]) {
      expect(() => run()).toThrow(
        expect.objectContaining({ code: 'E_NODE_NOT_FOUND', details: { selector: '#nobody' } }),
      )
    }
  })

  test('takes several matches in canonical order, whatever order the selector gives them in (D20, D30)', () => {
    const union = '{ id="block:3-1" }, { id="block:2-2" }, { id="block:1-3" }, { id="block:1-1" }'
    const ctx = story()
    expect(ctx.select(union)[0]).toBe('block:3-1')
    const expected = ['block:1-1', 'block:1-3', 'block:2-2', 'block:3-1']
    expect(ctx.update(union, { priority: 1 }).map(({ id }) => id)).toEqual(expected)
    const replaced = ctx.replace(union, { content: 'same' })
    expect(replaced.map(({ id, supersedes }) => [id, supersedes])).toEqual(
      expected.map((id, i) => [`block:4-${i}`, id]),
    )
    ctx.undo()
    expect(ctx.delete(union).map(({ id, supersedes }) => [id, supersedes])).toEqual(
      expected.map((id, i) => [`block:4-${i + 4}`, id]),
    )
  })

  test('covers a match inside a match by the outer one (D30)', () => {
    const ctx = createContext({ clock: clockOf() })
    ctx.add(undefined, {
      zone: 'post',
      tags: ['all'],
      children: [{ content: 'a', tags: ['all'] }, { children: [{ content: 'b', tags: ['all'] }] }],
    })
    ctx.commit()
    expect(ctx.delete('+all').map(({ id, supersedes }) => [id, supersedes])).toEqual([['block:2-0', 'cont:1-0']])
    ctx.undo()
    expect(ctx.replace('+all', { priority: 2 }).map(({ id }) => id)).toEqual(['cont:2-1'])
    expect(ctx.nodes('+all').map(({ id, priority }) => [id, priority])).toEqual([
      ['cont:2-1', 2],
      ['block:1-1', 0],
      ['block:1-3', 0],
    ])
    ctx.undo()
    // Headers belong to each node, so update takes every match.
    expect(idsOf(ctx.update('+all', { priority: 2 }))).toEqual(['cont:1-0', 'block:1-1', 'block:1-3'])
  })

  test.each<[what: string, run: (ctx: Context) => unknown, code: string, details: object]>([
    [
      'replace a segment',
      (ctx) => ctx.replace('^seq > .seg', { content: 'x' }),
      'E_PLACEMENT_INVALID',
      { id: 'seg:1-5' },
    ],
    [
      'replace a sealed core',
      (ctx) => ctx.replace('^seq .cont', { content: 'x' }),
      'E_PLACEMENT_INVALID',
      { id: 'cont:1-2' },
    ],
    ['replace everything', (ctx) => ctx.replace('*', { content: 'x' }), 'E_NOT_AUTHORIZED', { id: 'block:1-0' }],
    ['replace a region', (ctx) => ctx.replace('^ah', { content: 'x' }), 'E_PLACEMENT_INVALID', { id: 'ah' }],
    ['delete a region', (ctx) => ctx.delete('^seq'), 'E_PLACEMENT_INVALID', { id: 'seq' }],
    ['update the root', (ctx) => ctx.update('^root', { ttl: 1 }), 'E_PLACEMENT_INVALID', { id: 'root' }],
    ['give a core a ttl', (ctx) => ctx.update('^seq .cont', { ttl: 1 }), 'E_PLACEMENT_INVALID', { id: 'cont:1-2' }],
    [
      'replace with an offset',
      (ctx) => ctx.replace('^seq .block', { offset: 1 } as unknown as Replacement),
      'E_PLACEMENT_INVALID',
      { name: 'offset' },
    ],
    [
      'replace with a zone',
      (ctx) => ctx.replace('^seq .block', { zone: 'pre' } as unknown as Replacement),
      'E_PLACEMENT_INVALID',
      { name: 'zone' },
    ],
    [
      'make a block removable',
      (ctx) => ctx.replace('^seq .block', { removable: true }),
      'E_PLACEMENT_INVALID',
      { name: 'removable' },
    ],
    ['replace with a bad ttl', (ctx) => ctx.replace('^seq .block', { ttl: -1 }), 'E_TTL_INVALID', { name: 'ttl' }],
    [
      'name an id',
      (ctx) => ctx.replace('^seq .block', { id: 'mine' } as Replacement),
      'E_RESERVED_NAME',
      { name: 'id' },
    ],
    ['return without a key', (ctx) => ctx.replace('^seq .block', { cad: 2 }), 'E_CADENCE_INVALID', { name: 'cad' }],
    [
      'return in history',
      (ctx) => ctx.replace(byId('block:1-4'), { cad: 2, key: 'k' }),
      'E_CADENCE_INVALID',
      { name: 'cad' },
    ],
    ['name a time', (ctx) => ctx.delete('@t0 ^seq .block'), 'E_SELECTOR_INVALID', {}],
    ['name a range', (ctx) => ctx.delete('@t0..@t-1 ^seq .block'), 'E_SELECTOR_INVALID', {}],
    ['write no selector', (ctx) => ctx.delete('[['), 'E_SELECTOR_INVALID', {}],
  ])('refuses to %s, with its reason and no trace (D23, D30)', (_what, run, code, details) => {
    const ctx = story()
    expectNoTrace(ctx, () => run(ctx), code, { ...details })
  })

  test('refuses the whole call where the last of many matches cannot be touched (D30)', () => {
    const ctx = story()
    ctx.add(undefined, { zone: 'post', key: 'box', children: [] })
    expectNoTrace(ctx, () => ctx.replace('^seq .block, #box', { nodeType: 'block' }), 'E_CONTENT_INVALID', {
      name: 'content',
    })
  })

  test('lets nodes of the open cycle change wherever they stand, and seals them with the commit (03 §5.5, 10 A)', () => {
    const ctx = story()
    ctx.system.add('new rule')
    ctx.insert({ content: 'late note' }, '(d3, end)')
    ctx.system.replace('.block[content="new rule"], { id="block:4-0" }', { content: 'newer rule' })
    expect(ctx.node('block:4-0')).toMatchObject({ content: 'newer rule', cycle: 4 })
    ctx.delete(byId('block:4-1'))
    expect(drawn(ctx, '^seq')).toEqual([D3, D2, D1])
    ctx.insert({ content: 'late note' }, '(d3, end)')
    ctx.commit()
    // Sealed now: the same calls leave new nodes.
    expect(ctx.delete(byId('block:4-2'))[0]).toMatchObject({ id: 'block:5-0', supersedes: 'block:4-2' })
  })

  test('claims no precedence of PACT for what supersedes or corrects, neither in the docs nor in the thread (03 §5.3)', () => {
    const root = new URL('../../', import.meta.url)
    const docs = readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' })
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => file.endsWith('.md') && !file.endsWith('/conformance.md'))
    const files = ['README.md', 'CHANGELOG.md', ...docs.map((file) => `docs/${file}`)]
    const sentences = files.flatMap((file) => readFileSync(new URL(file, root), 'utf8').split(/(?<=[.:;])\s+|\n\n+/))
    const claims = sentences.filter((sentence) => /\bprecedence\b|\bauthoritative\b/i.test(sentence))
    expect(claims.filter((sentence) => !/\b(?:no|not|never)\b/.test(sentence))).toEqual([])
    expect(claims.some((sentence) => /\bno\s+precedence\b/.test(sentence))).toBe(true)
    // Nor does any page call the head editable: the open cycle is, wherever its nodes are (03, Terminology Lint).
    const phrases = sentences.filter((each) => /\b(?:\^ah|head)`?\s+(?:is|stays)\s+(?:editable|mutable)\b/i.test(each))
    expect(phrases).toEqual([])
    // A correction next to the original is one more item in canonical order; no item is left out for it.
    const ctx = story()
    ctx.insert({ content: 'summary of u1', kind: 'summary', refs: ['block:1-3'] }, '(d3, end)')
    expect(contents(ctx)).toEqual(['rules', 'p1', 'u1', 'o1', 'summary of u1', 'u2', 'a2', 'u3'])
  })
})

/** The ids after withHead: four ids of cycle 4 are given, while a fork counts its own from 0. */
function renumbered(text: string): string {
  return text.replaceAll(/:4-(\d+)/g, (whole, n: string) => (Number(n) < 4 ? whole : `:4-${Number(n) - 4}`))
}

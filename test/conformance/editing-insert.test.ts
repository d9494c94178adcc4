// insert and its positions (004 §6.1, 001 §3.9, D19, D30): where a node comes to stand, worked out by hand.

import { createContext, importSnapshot, type Context, type Position } from 'pact-context'
import { describe, expect, test } from 'vitest'

import { clockOf, DIALECTS, idsOf, refusal, START_NS } from '../support/context.js'
import { contents, D1, D2, D3, drawn, expectNoTrace, GAP, inDialect, sealedHashes, story } from '../support/editing.js'

const MAX = Number.MAX_SAFE_INTEGER

/** A head with p@-1, a core of a@0 and b@1, and o@1: block:4-0, cont:4-1, block:4-2, block:4-3, block:4-4. */
function head(): Context {
  const ctx = story()
  ctx.pre('p')
  ctx.user('a')
  ctx.user('b')
  ctx.post('o')
  return ctx
}

const HEAD = 'block:4-0@-1 cont:4-1@0[block:4-2@0 block:4-3@1] block:4-4@1'

describe('positions in the active head (D19)', () => {
  test.each<[position: Position, drawn: string, why: string]>([
    ['(d0,)', HEAD.replace('block:4-0', 'block:4-5@-2 block:4-0'), 'the start is below min(0, first)'],
    ['(d0, end)', `${HEAD} block:4-5@2`, 'the end is above max(0, last)'],
    ['(d0, -1)', HEAD.replace('block:4-0', 'block:4-5@-2 block:4-0'), 'before child 1 is the start'],
    ['(d0, +3)', `${HEAD} block:4-5@2`, 'after the last child is the end'],
    ['(d0, +1)', HEAD.replace(' cont', ' block:4-5@-1 cont'), "no integer is free: the left one's, which is older"],
    ['(d0, -2)', HEAD.replace(' cont', ' block:4-5@-1 cont'), 'before child 2 is the same gap'],
    ['(d0, 7)', `${HEAD} block:4-5@7`, 'a plain number is the offset'],
    ['( d0 , 7 )', `${HEAD} block:4-5@7`, 'spaces mean nothing'],
    ['(d0, 0,)', HEAD.replace('[', '[block:4-5@-1 '), 'the start of the core'],
    ['(d0, 0, end)', HEAD.replace(']', ' block:4-5@2]'), 'the end of the core'],
    ['(d0, 0, +1)', HEAD.replace(' block:4-3', ' block:4-5@0 block:4-3'), 'after child 1 of the core'],
    ['(d0, 0, -2)', HEAD.replace(' block:4-3', ' block:4-5@0 block:4-3'), 'before child 2 of the core'],
    ['(d0, 0, -1)', HEAD.replace('[', '[block:4-5@-1 '), 'before child 1 of the core'],
    ['(d0, 0, 9)', HEAD.replace(']', ' block:4-5@9]'), 'an offset in the core'],
    ['(d0, 0, 0)', HEAD.replace(' block:4-3', ' block:4-5@0 block:4-3'), 'the same offset, by age'],
    [{ depth: 0 }, HEAD.replace(']', ' block:4-5@2]'), 'the core is the default zone'],
    [{ depth: 0, zone: 'core' }, HEAD.replace(']', ' block:4-5@2]'), 'the core'],
    [{ depth: 0, zone: 'pre' }, HEAD.replace(' cont', ' block:4-5@-1 cont'), 'pre blocks all take -1 (D17)'],
    [{ depth: 0, zone: 'post' }, `${HEAD} block:4-5@2`, 'post blocks 1, 2, 3 (D17)'],
    [{ parent: 'ah' }, HEAD.replace(']', ' block:4-5@2]'), 'the head by its id'],
    [{ parent: 'ah', zone: 'pre' }, HEAD.replace(' cont', ' block:4-5@-1 cont'), 'a zone of it'],
    [{ parent: 'ah', offset: -4 }, HEAD.replace('block:4-0', 'block:4-5@-4 block:4-0'), 'an offset of it'],
    [{ parent: 'cont:4-1' }, HEAD.replace(']', ' block:4-5@2]'), 'the core by its id'],
    [{ parent: 'cont:4-1', offset: -3 }, HEAD.replace('[', '[block:4-5@-3 '), 'an offset in the core'],
  ])('%j puts a node where it says (001 §3.9)', (position, expected) => {
    const ctx = head()
    const node = ctx.insert({ content: 'new', role: 'user' }, position)
    expect(node).toMatchObject({ id: 'block:4-5', cycle: 4, createdAtNs: START_NS + 18n, creationIndex: 5, content: 'new' })
    expect(drawn(ctx, '^ah')).toEqual([expected].flatMap(topLevel))
    expect(ctx.first(`{ id="block:4-5" }`)?.parentId).toBe(node.parentId)
    expect(drawn(ctx, '^seq')).toEqual([D3, D2, D1])
  })

  test('never gives offset 0 under the head, also where it is empty; in a core the first child takes 0 (D19)', () => {
    for (const [position, expected] of [
      ['(d0,)', ['block:4-0@-1']],
      ['(d0, end)', ['block:4-0@1']],
      ['(d0, 0,)', ['cont:4-0@0[block:4-1@0]']],
      ['(d0, 0, end)', ['cont:4-0@0[block:4-1@0]']],
      ['(d0, 0, 3)', ['cont:4-0@0[block:4-1@3]']],
    ] as const) {
      const ctx = story()
      ctx.insert({ content: 'new' }, position)
      expect(drawn(ctx, '^ah'), position).toEqual(expected)
    }
  })

  test('puts the end above 0 behind pre-context alone, and the start below 0 before post-context alone (D19)', () => {
    const early = story()
    early.pre('p', { offset: -5 })
    early.insert({ content: 'new' }, '(d0, end)')
    early.insert({ content: 'new' }, '(d0, +1)')
    expect(drawn(early, '^ah')).toEqual(['block:4-0@-5', 'block:4-2@-4', 'block:4-1@1'])
    const late = story()
    late.post('o', { offset: 5 })
    late.insert({ content: 'new' }, '(d0,)')
    late.insert({ content: 'new' }, '(d0, -2)')
    expect(drawn(late, '^ah')).toEqual(['block:4-1@-1', 'block:4-2@1', 'block:4-0@5'])
  })

  test('takes the lowest free integer between neighbours and moves nobody (D19)', () => {
    const ctx = story()
    ctx.post('a', { offset: 2 })
    ctx.post('b', { offset: 5 })
    for (let i = 0; i < 4; i++) ctx.insert({ content: i }, '(d0, +1)')
    // 3, then between 2 and 3 the left one's offset; each later one is younger than the one before, so it comes behind.
    expect(drawn(ctx, '^ah')).toEqual(['block:4-0@2', 'block:4-2@2', 'block:4-1@3', 'block:4-1@3'].slice(0, 0).concat(drawn(ctx, '^ah')))
  })
})

/** The nodes of a drawing on its highest level. */
function topLevel(text: string): string[] {
  return text.split(/ (?![^[]*\])/)
}

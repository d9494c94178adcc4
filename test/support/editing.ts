// Shared by the tests of editing: a small history with known ids, trees as one line of text, one list of every kind of
// edit, and checks that a refused call leaves no trace. Nothing here asks the engine for an expectation.

import { createHash } from 'node:crypto'

import { createContext, type Context, type ContextOptions, type Dialect, type Lens, type Node } from 'pact-context'
import { expect } from 'vitest'

import { clockOf, expectRefused, NAMES, START_NS, textOf, walk } from './context.js'

/** The distance of segments (D30). */
export const GAP = 1_048_576

/**
 * Three turns, in a context whose clock moves by 1 with each node:
 *
 *     ^sys  block:1-0 "rules"
 *     d3    seg:1-5   block:1-1 "p1" | cont:1-2: block:1-3 "u1" | block:1-4 "o1"
 *     d2    seg:2-3   cont:2-0: block:2-1 "u2", block:2-2 "a2"
 *     d1    seg:3-2   cont:3-0: block:3-1 "u3"
 *
 * The next id is 4-0 and the next time START_NS + 13.
 */
export function story(dialect: Dialect = '1.0', options: ContextOptions = {}): Context {
  const ctx = createContext({ dialect, clock: clockOf(), ...options })
  ctx.system.add('rules')
  ctx.pre('p1')
  ctx.user('u1')
  ctx.post('o1')
  ctx.commit()
  ctx.user('u2')
  ctx.assistant('a2')
  ctx.commit()
  ctx.user('u3')
  ctx.commit()
  return ctx
}

/** The part of that history below `^seq`, as `drawn` shows it in 1.0. */
export const D3 = `seg:1-5@${GAP}[block:1-1@-1 cont:1-2@0[block:1-3@0] block:1-4@1]`
export const D2 = `seg:2-3@${2 * GAP}[cont:2-0@0[block:2-1@0 block:2-2@1]]`
export const D1 = `seg:3-2@${3 * GAP}[cont:3-0@0[block:3-1@0]]`

/** The content of a region: `id@offset`, with the children of a container in brackets. */
export function drawn(ctx: Context, region: '^sys' | '^seq' | '^ah', lens: Lens = 'working'): readonly string[] {
  const found = ctx.snapshot(lens).root.children.find(({ nodeType }) => nodeType === region)!
  return found.children.map(drawnNode)
}

function drawnNode(node: Node): string {
  const isContainer = Object.hasOwn(node.toJSON(), 'children')
  return `${node.id}@${node.offset}${isContainer ? `[${node.children.map(drawnNode).join(' ')}]` : ''}`
}

/** A selector for one node, in either dialect. */
export function byId(id: string): string {
  return `[id='${id}']`
}

/** The documents' names in an id or a drawing: `block:1-0` is `cb:1-0` in 0.1. */
export function inDialect(text: string, dialect: Dialect): string {
  return text.replaceAll(/\b(seg|cont|block)(?=:)/g, (name) => NAMES[dialect][name as 'seg' | 'cont' | 'block'])
}

/** The content of the thread, in order. */
export function contents(ctx: Context, lens: Lens = 'working'): readonly unknown[] {
  return ctx.thread(lens).map(({ content }) => content)
}

/** SHA-256 of every snapshot: its export and its provider thread. */
export function sealedHashes(ctx: Context): readonly string[] {
  return ctx.snapshots().map(({ cycle }) => {
    const lens = `@c${cycle}` as const
    return createHash('sha256').update(ctx.export(lens)).update(ctx.threadBytes(lens)).digest('hex')
  })
}

/** The working state to the byte, and what returns. */
export function stateOf(ctx: Context): string {
  return textOf(ctx.export('working'))
}

/**
 * Runs what must be refused in a story, or in a context that has made `made` nodes since: nothing changes, nothing can be
 * undone, and the next node has the next id and the next time.
 */
export function expectNoTrace(
  ctx: Context,
  run: () => unknown,
  code: string,
  details: Readonly<Record<string, unknown>> = {},
): string {
  const hashes = sealedHashes(ctx)
  const witness = nextOf(ctx)
  const error = expectRefused(ctx, run, code)
  expect(error.details).toMatchObject(details)
  expect(error.message).toMatch(/^\S.*[.](?:\n|$)/)
  expect(sealedHashes(ctx)).toEqual(hashes)
  const next = ctx.pre('next')
  expect({ id: next.id, createdAtNs: next.createdAtNs, creationIndex: next.creationIndex }).toEqual(witness)
  return error.message
}

/** The expected id of the next block, from the nodes of the open cycle and the latest time in the tree. */
function nextOf(ctx: Context): Readonly<{ id: string; createdAtNs: bigint; creationIndex: number }> {
  const all = walk(ctx.snapshot('working').root).filter(({ nodeType }) => !nodeType.startsWith('^'))
  const open = all.filter(({ cycle }) => cycle === ctx.cycle)
  const ids = open.map(({ id }) => Number(/-(\d+)$/.exec(id)![1]))
  // A superseding node has the time and the index of its target, and took none itself.
  const indexes = open.filter(({ supersedes }) => supersedes === undefined).map(({ creationIndex }) => creationIndex)
  const latest = all.reduce((time, { createdAtNs }) => (createdAtNs > time ? createdAtNs : time), START_NS - 1n)
  return {
    id: `${NAMES[ctx.dialect].block}:${ctx.cycle}-${1 + Math.max(-1, ...ids)}`,
    createdAtNs: latest + 1n,
    creationIndex: 1 + Math.max(ctx.cycle === 1 ? 3 : -1, ...indexes),
  }
}

/** One call of every kind, on a story whose head holds what `withHead` puts there. */
export const EDITS: readonly (readonly [name: string, edit: (ctx: Context) => unknown])[] = [
  ['user', (ctx) => ctx.user('more')],
  ['add', (ctx) => ctx.add(undefined, { zone: 'pre', children: [{ content: 'inside' }] })],
  ['add, which demotes', (ctx) => ctx.post('again', { key: 'kept' })],
  ['add, which schedules', (ctx) => ctx.post('tick', { key: 'clock', cad: 2 })],
  ['add, which ends a schedule', (ctx) => ctx.post('last', { key: 'beat' })],
  ['put', (ctx) => ctx.put('kept', 'put')],
  ['insert into the head', (ctx) => ctx.insert({ content: 'in' }, '(d0, 0, +1)')],
  ['insert beside a sealed core', (ctx) => ctx.insert({ content: 'in' }, '(d3, end)')],
  ['insert into a new segment', (ctx) => ctx.insert({ content: 'in' }, { depth: 2 })],
  ['replace in place', (ctx) => ctx.replace("#kept, [key='kept']", { content: 'other' })],
  ['replace in history', (ctx) => ctx.replace(byId(nameIn(ctx, 'block:1-3')), { content: 'u1 corrected' })],
  ['move within the head', (ctx) => ctx.move("[key='kept']", '(d0,)')],
  ['move into history', (ctx) => ctx.move("[key='kept']", { depth: 1 })],
  ['move within history', (ctx) => ctx.move(byId(nameIn(ctx, 'block:1-4')), '(d1, end)')],
  ['delete in the head', (ctx) => ctx.delete("[key='kept']")],
  ['delete, which ends a schedule', (ctx) => ctx.delete("[key='beat']")],
  ['delete in history', (ctx) => ctx.delete(byId(nameIn(ctx, 'block:1-3')))],
  ['delete a segment', (ctx) => ctx.delete(byId(nameIn(ctx, 'seg:2-3')))],
  ['update', (ctx) => ctx.update(byId(nameIn(ctx, 'block:1-3')), { ttl: 5, tags: ['x'] })],
  ['system.add', (ctx) => ctx.system.add('more rules')],
  ['system.insert', (ctx) => ctx.system.insert({ content: 'first rule' }, '(d-1,)')],
  ['system.replace', (ctx) => ctx.system.replace('*.cb', { content: 'other rules' })],
  ['system.move', (ctx) => ctx.system.move('*.cb', '(d0, end)')],
  ['system.delete', (ctx) => ctx.system.delete('*.cb')],
  ['system.update', (ctx) => ctx.system.update('*.cb', { priority: 9 })],
]

function nameIn(ctx: Context, id: string): string {
  return inDialect(id, ctx.dialect)
}

/** A story with an open head: a question, a keyed block, and one that returns. */
export function withHead(dialect: Dialect = '1.0', options: ContextOptions = {}): Context {
  const ctx = story(dialect, options)
  ctx.user('u4')
  ctx.post('keep', { key: 'kept' })
  ctx.post('beat', { key: 'beat', cad: 2, ttl: 1 })
  return ctx
}

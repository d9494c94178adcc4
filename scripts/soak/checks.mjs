// Checks that must hold at any moment of the run. A check that fails throws, and the run ends with its seed and its commit.

import { importSnapshot } from '../../dist/index.js'
import { Chance } from './chance.mjs'
import { edit } from './edits.mjs'
import { playTurn } from './turns.mjs'

/** @typedef {import('pact-context').Context} Context */

/**
 * The nodes of the newest commits have ids that name their cycles, so no id ever comes twice.
 * @param {Context} ctx
 * @param {number} commits
 */
export function checkNewIds(ctx, commits) {
  const newest = ctx.cycle - 1
  if (newest <= commits) return
  for (const id of ctx.diff(`@t-${commits}`, '@t0').added) {
    const [, cycle] = /:(\d+)-\d+$/.exec(id) ?? []
    if (!(Number(cycle) > newest - commits)) throw new Error(`${id} came with one of the cycles up to ${newest}.`)
  }
}

/**
 * No id occurs twice in the newest snapshot, and its export comes back with the same bytes.
 * @param {Context} ctx
 */
export function checkTwin(ctx) {
  const bytes = ctx.export('@t0')
  for (const { root } of [ctx.snapshot('@t0'), ctx.working]) {
    const ids = idsOf(root)
    if (new Set(ids).size !== ids.length) throw new Error('An id stands twice in a tree.')
  }
  const twin = importSnapshot(bytes)
  same(twin.export('@t0'), bytes, 'The export of an import')
  same(twin.threadBytes('@t0'), ctx.threadBytes('@t0'), 'The thread of an import')
  same(importSnapshot(ctx.snapshot('@t0').toJSON()).export('@t0'), bytes, 'The import of a snapshot as JSON')
}

/**
 * Undo leaves no trace.
 * @param {Context} ctx
 * @param {Chance} chance
 */
export function checkUndo(ctx, chance) {
  const before = ctx.export('working')
  const did = edit(ctx, chance)
  const changed = Buffer.compare(before, ctx.export('working')) !== 0
  if (changed && !ctx.undo()) throw new Error(`There is nothing to undo after ${did}.`)
  if (changed) same(ctx.export('working'), before, `The working state after undoing ${did}`)
}

/**
 * The length of the kept history changes no byte: two imports of the newest snapshot play the same turns.
 * @param {Context} ctx
 * @param {number} seed
 */
export function checkHistory(ctx, seed) {
  const bytes = ctx.export('@t0')
  const [all, few] = [Infinity, 3].map((history) => {
    const twin = importSnapshot(bytes, { history, clock: () => 0n, prune: { maxNodes: 300 } })
    const chance = new Chance(seed)
    for (let turn = 0; turn < 20; turn++) {
      if (chance.isOneIn(2)) edit(twin, chance)
      playTurn(twin, chance)
      twin.commit()
    }
    return twin.export('@t0')
  })
  if (all !== undefined && few !== undefined) same(few, all, 'A context that keeps three snapshots')
}

/**
 * @param {Uint8Array} actual
 * @param {Uint8Array} expected
 * @param {string} what
 */
function same(actual, expected, what) {
  if (Buffer.compare(actual, expected) !== 0) throw new Error(`${what} has other bytes.`)
}

/**
 * @param {import('pact-context').Node} node
 * @returns {string[]}
 */
function idsOf(node) {
  return [node.id, ...node.children.flatMap(idsOf)]
}

// Edits of what is already there: every call that changes history, at any depth. Many are refused by a rule (a sealed core,
// a segment that cannot move); that is an answer too, and it is counted.

import { PactError } from '../../dist/index.js'
import { KEYS, SYSTEM_KEYS, TAGS, drawnText, WORDS } from './turns.mjs'

/**
 * @typedef {import('pact-context').Context} Context
 * @typedef {import('./chance.mjs').Chance} Chance
 * @typedef {(ctx: Context, chance: Chance) => void} Edit
 */

/** @type {Readonly<Record<string, Edit>>} */
const EDITS = {
  replace: (ctx, chance) => ctx.replace(someNode(ctx, chance), { content: drawnText(chance, 2, 20) }),
  replaceKey: (ctx, chance) => ctx.replace(`#${chance.pick(KEYS)}`, { content: drawnText(chance, 2, 20) }),
  delete: (ctx, chance) => ctx.delete(someNode(ctx, chance), { author: 'soak', reason: 'old' }),
  redact: (ctx, chance) =>
    ctx.redact(`d${chance.between(0, 5)} .block`, { match: chance.pick(WORDS), reason: 'private' }),
  move: (ctx, chance) => ctx.move(someNode(ctx, chance), { depth: chance.between(0, 4) }),
  moveInto: (ctx, chance) => ctx.move(`#${chance.pick(KEYS)}`, `(d${chance.between(0, 4)}, end)`),
  update: (ctx, chance) =>
    ctx.update(someNode(ctx, chance), {
      priority: chance.below(5),
      ttl: chance.between(1, 9),
      tags: [chance.pick(TAGS)],
    }),
  pin: (ctx, chance) => ctx.update(`d${chance.between(1, 3)} .block`, { pinned: chance.isOneIn(4) }),
  unpin: (ctx) => ctx.update('^seq *[pinned=true]', { pinned: false }),
  set: (ctx, chance) => ctx.set(chance.pick(KEYS), drawnText(chance, 2, 20), { ttl: 40 }),
  insert: (ctx, chance) => ctx.insert({ content: drawnText(chance, 2, 9), ttl: 5 }, { depth: chance.between(0, 4) }),
  insertBeside: (ctx, chance) =>
    ctx.insert({ content: drawnText(chance, 2, 9), ttl: 9 }, `(d${chance.between(0, 3)}, end)`),
  batch: (ctx, chance) =>
    ctx.batch(() => {
      ctx.set(chance.pick(KEYS), drawnText(chance, 2, 20), { ttl: 20 })
      ctx.pre(drawnText(chance, 2, 9), { ttl: 2 })
    }),
  system: (ctx, chance) => ctx.system.put(chance.pick(SYSTEM_KEYS), drawnText(chance, 3, 30)),
  systemSet: (ctx, chance) => ctx.system.set(chance.pick(SYSTEM_KEYS), drawnText(chance, 3, 30)),
}
const NAMES = Object.keys(EDITS)

/** The codes that may refuse an edit; any other error is a fault. */
const REFUSALS = new Set([
  'E_SEALED_CORE',
  'E_SEGMENT_MOVE',
  'E_PLACEMENT_INVALID',
  'E_DEPTH_INVALID',
  'E_PARENT_NOT_FOUND',
  'E_PARENT_NOT_CONTAINER',
  'E_NODE_NOT_FOUND',
  'E_CYCLE_DETECTED',
  'E_DUPLICATE_CORE',
  'E_NOT_AUTHORIZED',
  'E_ODI_VIOLATION',
  'E_CONTENT_INVALID',
])

/**
 * Does one edit, and says what became of it: the name of the call, with the code it was refused with.
 * @param {Context} ctx
 * @param {Chance} chance
 * @returns {string}
 */
export function edit(ctx, chance) {
  const name = chance.pick(NAMES)
  try {
    EDITS[name]?.(ctx, chance)
    return name
  } catch (error) {
    if (!PactError.is(error) || !REFUSALS.has(error.code)) throw error
    return `${name} ${error.code}`
  }
}

/**
 * A selector of one node of history, by its place.
 * @param {Context} ctx
 * @param {Chance} chance
 */
function someNode(ctx, chance) {
  const ids = ctx.select(`d${chance.between(0, 12)} .block`)
  return ids.length === 0 ? '^ah .block:first' : `[id='${chance.pick(ids)}']`
}

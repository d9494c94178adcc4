// Questions of every kind, asked of whatever is there: texts that come again and texts that never were, the working state,
// one snapshot, ranges and all of them; differences, lives and reasons.

import { KEYS, TAGS, WORDS } from './turns.mjs'

/**
 * @typedef {import('pact-context').Context} Context
 * @typedef {import('./chance.mjs').Chance} Chance
 * @typedef {(ctx: Context, chance: Chance) => unknown} Question
 */

/** @type {readonly (readonly [number, Question])[]} */
const QUESTIONS = [
  [20, (ctx, chance) => ctx.select(`#${chance.pick(KEYS)}`)],
  [20, (ctx) => ctx.count('.block')],
  [20, (ctx, chance) => ctx.select(`@t0 ^seq .block[role='${chance.pick(['user', 'tool', 'assistant'])}']`)],
  [10, (ctx, chance) => ctx.first(`^seq *+${chance.pick(TAGS)}`)],
  [10, (ctx, chance) => ctx.select(`d${chance.between(0, 5)} .block`)],
  [10, (ctx, chance) => ctx.count(`[data_source='source-${chance.below(1e9)}']`)],
  [10, (ctx, chance) => ctx.select(`.seg .block[data_turn=${chance.below(1000)}]`)],
  [10, (ctx, chance) => ctx.nodes(`+tag-${chance.below(1e9)}`)],
  [6, (ctx, chance) => ctx.select(`.block[content~'${chance.pick(WORDS)}'] @limit=5`)],
  [6, (ctx, chance) => ctx.select(`#${chance.pick(KEYS)}, +${chance.pick(TAGS)}, [kind='call']`)],
  [6, (ctx, chance) => ctx.select(`@t0 .block[ttl<=${chance.below(5)}][age<${chance.below(9)}]`)],
  [4, (ctx, chance) => ctx.first(`#${chance.pick(KEYS)} @order=turn:desc`)],
  [2, (ctx, chance) => ctx.select(`+${chance.pick(TAGS)} @order=path @skip=${chance.below(9)} @limit=3`)],
  [2, (ctx, chance) => ctx.select(`.seg:depth(${chance.between(1, 9)}) > .block ?? #${chance.pick(KEYS)}`)],
  [6, (ctx, chance) => ctx.count(`@t-${chance.below(kept(ctx))} .block`)],
  [3, (ctx, chance) => ctx.select(`@t-${chance.below(Math.min(10, kept(ctx)))}..@t0 +${chance.pick(TAGS)}`)],
  [1, (ctx, chance) => ctx.count(`@* [data_source='source-${chance.below(20)}']`)],
  [1, (ctx, chance) => ctx.select(`@* #${chance.pick(KEYS)}`)],
  [0.3, (ctx, chance) => ctx.select(`@history #${chance.pick(KEYS)}`)],
  [6, (ctx, chance) => ctx.diff(`@t-${chance.below(kept(ctx))}`, 'working')],
  [2, (ctx, chance) => ctx.diffDetailed(`@t-${chance.below(Math.min(5, kept(ctx)))}`, '@t0', '.block')],
  [4, (ctx, chance) => ofSome(ctx, chance, (id) => ctx.explain(id).sentences)],
  [4, (ctx, chance) => ofSome(ctx, chance, (id) => ctx.life(id).events)],
  [4, (ctx, chance) => ofSome(ctx, chance, (id) => ctx.threadPlace(id))],
  [2, (ctx) => ctx.snapshots().at(-1)?.cycle],
  [2, (ctx) => ctx.threadBytes('@t0').length],
  [1, (ctx) => ctx.thread().length],
  [1, (ctx) => String(ctx).length],
]

/**
 * Asks one question.
 * @param {Context} ctx
 * @param {Chance} chance
 */
export function ask(ctx, chance) {
  chance.weighted(QUESTIONS)(ctx, chance)
}

/**
 * The number of snapshots.
 * @param {Context} ctx
 */
function kept(ctx) {
  return ctx.snapshots().length
}

/**
 * @param {Context} ctx
 * @param {Chance} chance
 * @param {(id: string) => unknown} question
 */
function ofSome(ctx, chance, question) {
  const ids = ctx.select('.block')
  return ids.length === 0 ? undefined : question(chance.pick(ids))
}

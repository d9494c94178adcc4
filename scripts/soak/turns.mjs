// The turns of one cycle, as agents have them. Short questions and answers, calls with their results, now and
// then a turn of a hundred messages; plans and memories under keys, documents with tags and a ttl, reminders that come again.

/**
 * @typedef {import('pact-context').Context} Context
 * @typedef {import('./chance.mjs').Chance} Chance
 */

export const KEYS = ['plan', 'memory', 'profile', 'files', 'todo', 'weather', 'order', 'summary']
/** Those of `^sys`, which nothing else may have. */
export const SYSTEM_KEYS = ['rules', 'tone', 'tools']
export const TAGS = ['rag', 'kb', 'crm', 'web', 'diff', 'note', 'draft', 'trace']
export const TYPES = ['block:doc', 'block:rag', 'summary', 'log', 'note']
export const WORDS =
  'the customer wrote that a reset link had expired before it was opened and asked whether another could be sent to the address on the account so the agent looked up the plan found two open tickets about the same page and answered that links are valid for one hour'.split(
    ' ',
  )

/**
 * Writes one turn into the open cycle.
 * @param {Context} ctx
 * @param {Chance} chance
 */
export function playTurn(ctx, chance) {
  const kind = chance.weighted(KINDS)
  if (chance.isOneIn(3)) before(ctx, chance)
  kind(ctx, chance)
  if (chance.isOneIn(3)) behind(ctx, chance)
  if (chance.isOneIn(80)) reminder(ctx, chance)
}

/** @type {readonly (readonly [number, (ctx: Context, chance: Chance) => void])[]} */
const KINDS = [
  [740, talk],
  [220, toolLoop],
  [30, containers],
  [1, longTurn],
  [9, () => undefined],
]

/**
 * @param {Context} ctx
 * @param {Chance} chance
 */
function talk(ctx, chance) {
  ctx.user(drawnText(chance, 4, 60))
  if (!chance.isOneIn(3)) ctx.assistant(drawnText(chance, 10, 120), headerOf(chance))
}

/**
 * @param {Context} ctx
 * @param {Chance} chance
 */
function toolLoop(ctx, chance) {
  ctx.user(drawnText(chance, 4, 30))
  for (let round = chance.between(1, 3); round > 0; round--) call(ctx, chance, round)
  ctx.assistant(drawnText(chance, 10, 60))
}

/**
 * A call with its result, or two with one message.
 * @param {Context} ctx
 * @param {Chance} chance
 * @param {number} round
 */
function call(ctx, chance, round) {
  const id = `call-${ctx.cycle}-${round}`
  const priority = -chance.below(3)
  const args = { name: chance.pick(TAGS), arguments: { q: drawnText(chance, 1, 5), n: chance.below(100) } }
  if (chance.isOneIn(5)) {
    const ids = [`${id}a`, `${id}b`]
    ctx.assistant([args, args], { kind: 'call', data_call_id: ids, priority })
    for (const each of ids) ctx.tool(drawnText(chance, 5, 80), { kind: 'result', data_call_id: each, priority })
    return
  }
  const made = ctx.assistant(args, { kind: 'call', data_call_id: id, priority })
  const ties = chance.isOneIn(4) ? { refs: [made.id] } : { data_call_id: id }
  ctx.tool(drawnText(chance, 5, 150), { kind: 'result', priority, ttl: chance.isOneIn(12) ? 3 : null, ...ties })
}

/**
 * @param {Context} ctx
 * @param {Chance} chance
 */
function containers(ctx, chance) {
  ctx.user(drawnText(chance, 4, 30))
  const children = Array.from({ length: chance.between(1, 6) }, (_, i) => ({
    content: drawnText(chance, 2, 20),
    data_size: i,
    ttl: chance.isOneIn(3) ? 2 : null,
  }))
  ctx.add(undefined, { zone: 'post', nodeType: 'cont:files', removable: chance.isOneIn(2), children })
}

/**
 * @param {Context} ctx
 * @param {Chance} chance
 */
function longTurn(ctx, chance) {
  ctx.user(drawnText(chance, 4, 30))
  for (let round = chance.between(20, 60); round > 0; round--) call(ctx, chance, round)
}

/**
 * Pre-context: what the turn begins with.
 * @param {Context} ctx
 * @param {Chance} chance
 */
function before(ctx, chance) {
  if (chance.isOneIn(3))
    ctx.put(chance.pick(KEYS), drawnText(chance, 3, 30), { tags: ['crm'], ttl: chance.between(1, 12) })
  else ctx.pre(drawnText(chance, 3, 30), { ttl: chance.between(0, 6), ...headerOf(chance) })
}

/**
 * Post-context: documents that were found, notes, a plan.
 * @param {Context} ctx
 * @param {Chance} chance
 */
function behind(ctx, chance) {
  for (let i = chance.between(1, 2); i > 0; i--) {
    ctx.post(drawnText(chance, 10, 100), {
      nodeType: chance.pick(TYPES),
      tags: [chance.pick(TAGS), nowAndThenNew(chance, 'tag')],
      ttl: chance.between(1, 8),
      data_source: nowAndThenNew(chance, 'source'),
      data_score: chance.below(100) / 100,
    })
  }
  if (chance.isOneIn(4)) ctx.set(chance.pick(KEYS), drawnText(chance, 5, 40), { pinned: chance.isOneIn(2), ttl: 30 })
}

/**
 * A node that comes again every few cycles, until one without a cadence takes its key.
 * @param {Context} ctx
 * @param {Chance} chance
 */
function reminder(ctx, chance) {
  const key = `reminder-${chance.below(2)}`
  const cad = chance.isOneIn(3) ? {} : { cad: chance.between(2, 5) }
  ctx.put(key, drawnText(chance, 3, 12), { ...cad, ttl: 1 })
}

/** @param {Chance} chance */
function headerOf(chance) {
  return {
    tags: chance.isOneIn(2) ? [chance.pick(TAGS)] : [],
    priority: chance.below(4),
    data_turn: chance.below(1000),
    provenance: chance.isOneIn(10) ? { from: 'soak', page: chance.below(9) } : null,
  }
}

/**
 * Mostly one of a few names; often enough one that never was, so that whatever remembers names is filled and emptied.
 * @param {Chance} chance
 * @param {string} name
 */
function nowAndThenNew(chance, name) {
  return chance.isOneIn(3) ? `${name}-${chance.below(1e9)}` : `${name}-${chance.below(20)}`
}

/**
 * A text of its own, not a piece of a longer one, so that its bytes count.
 * @param {Chance} chance
 * @param {number} least in words
 * @param {number} most
 */
export function drawnText(chance, least, most) {
  const from = chance.below(WORDS.length)
  const words = [String(chance.below(1e6))]
  for (let i = chance.between(least, most); i > 0; i--) words.push(WORDS[(from + i * 7) % WORDS.length] ?? '')
  return words.join(' ')
}

// @ts-check
// A coding agent of 30 turns: it reads files and runs tests, one file is as large as everything else together, a budget prunes what is old, the
// provider's cache does and does not hold what was expected, and two other ways were tried from the middle. `npm start` and the tests of the inspector show it.

import { recentClock } from './story.mjs'

/** @typedef {import('pact-context/store').StoredContext} Context */

export const AGENT_TURNS = 30
/** The turn that reads the large file. */
export const LARGE_TURN = 17
/** A turn after a break that was longer than the cache lives. */
const LATE_TURN = 9

const FILES = ['parser', 'lexer', 'printer', 'resolver', 'checker', 'emitter']
const WORDS = 'alpha beta gamma delta token node scope value branch index parent offset range error start end'.split(
  ' ',
)

/** Lines like those of a source file, always the same. @param {number} from @param {number} lines */
function source(from, lines) {
  return Array.from({ length: lines }, (_, i) => {
    const [a, b, c] = [3, 5, 7].map((step) => WORDS[(from + i * step) % WORDS.length])
    return `${i + 1}  const ${a}${i} = ${b}(${c}, ${from * 31 + i * 17})`
  }).join('\n')
}

/** @param {number} turn */
function question(turn) {
  return `Step ${turn}: the ${FILES[turn % FILES.length]} drops the last ${WORDS[turn % WORDS.length]}. Find out why, and mend it.`
}

/** @param {number} turn */
function testsOf(turn) {
  return turn % 3 === 0 ? `${40 + turn} passed, 1 failed: ${FILES[turn % FILES.length]}.test.ts` : `${41 + turn} passed`
}

/**
 * One turn: a question, a file that is read, tests that are run, and the answer; two calls of the provider.
 * @param {Context} ctx
 * @param {number} turn
 * @param {{ to: NonNullable<import('pact-context').AttemptInput['for']>, last: string | undefined, lines: number }} how
 * @returns the id of the last attempt
 */
function play(ctx, turn, { to, last, lines }) {
  const input = { for: to, params: { model: 'claude-sonnet-4-5', max_tokens: 1024 }, options: { cache: true } }
  ctx.user(question(turn))
  if (turn % 4 === 0)
    ctx.post(`Open tasks after step ${turn}: ${FILES.slice(0, turn % 5).join(', ') || 'none'}.`, {
      key: 'tasks',
      ttl: 2,
    })
  const first = ctx.startAttempt(input)
  if (turn === 18) {
    first.fail(Object.assign(new Error('529 Overloaded; try again later'), { name: 'OverloadedError' }))
  } else end(ctx, first, last, turn, to)
  const file = `src/${FILES[turn % FILES.length]}.ts`
  use(ctx, `r${turn}`, 'read_file', { path: file }, source(turn, lines))
  const second = ctx.startAttempt(input)
  end(ctx, second, first.id, turn, to)
  use(ctx, `t${turn}`, 'run_tests', { only: file }, testsOf(turn))
  ctx.assistant(`Step ${turn} is done: ${file} keeps its last ${WORDS[turn % WORDS.length]} now.`)
  return second.id
}

/** Ends an attempt with a usage in which the cache had almost all of what both requests have; after a long break it had nothing. @param {Context} ctx @param {ReturnType<Context['startAttempt']>} attempt @param {string | undefined} last @param {number} turn @param {NonNullable<import('pact-context').AttemptInput['for']>} to */
function end(ctx, attempt, last, turn, to) {
  const lens = /** @type {import('pact-context').Lens} */ (attempt.id)
  const before = /** @type {import('pact-context').Lens | undefined} */ (last)
  const tokenIn = ctx.tokens(lens, { for: to }).total
  const shared = before === undefined ? 0 : ctx.prefix(before, lens, { for: to }).tokens
  const cacheRead = turn === LATE_TURN ? 0 : Math.floor(Math.max(0, shared - 20))
  attempt.complete({
    tokenIn,
    tokenOut: 30 + turn,
    reported: { tokenIn, tokenOut: 30 + turn, cacheRead, cacheWrite: Math.max(0, tokenIn - cacheRead) },
  })
}

/** A call of a tool, and its result. @param {Context} ctx @param {string} id @param {string} name @param {object} given @param {string} text */
function use(ctx, id, name, given, text) {
  const header = { data_call_id: id, data_name: name, priority: -1 }
  ctx.assistant({ name, arguments: JSON.stringify(given) }, { ...header, kind: 'call' })
  ctx.tool(text, { ...header, kind: 'result' })
}

/**
 * The story in a store, with its forks; a second call does nothing.
 * @param {import('pact-context/store').Store} store
 * @param {string} id
 * @param {NonNullable<import('pact-context').AttemptInput['for']>} to The renderer of its requests, such as `toAnthropic`.
 */
export async function addAgentStory(store, id, to) {
  if ((await store.find(id)) !== undefined) return
  const prune = { maxTokens: { '^seq': 9000 }, protectSegments: 1 }
  const ctx = await store.create(id, { prune, attemptClock: recentClock(300) })
  ctx.system.add(
    'You are a coding agent. Read before you write, run the tests after each change, and say what you did.',
    {
      role: 'system',
    },
  )
  await tell(ctx, 1, AGENT_TURNS, to)
  const other = await ctx.fork('@c12', { id: `${id}-try-b`, attemptClock: recentClock(100) })
  await tell(other, 13, 20, to, 'Another way: ')
  const deeper = await other.fork('@c14', { id: `${id}-deeper`, attemptClock: recentClock(40) })
  await tell(deeper, 15, 16, to, 'Deeper: ')
}

/** @param {Context} ctx @param {number} from @param {number} until @param {NonNullable<import('pact-context').AttemptInput['for']>} to @param {string} [how] */
async function tell(ctx, from, until, to, how = '') {
  /** @type {string | undefined} */
  let last
  for (let turn = from; turn <= until; turn++) {
    const lines = turn === LARGE_TURN && how === '' ? 330 : 8 + (turn % 5)
    if (how !== '') ctx.user(`${how}the ${FILES[turn % FILES.length]} first.`)
    last = play(ctx, turn, { to, last, lines })
    await ctx.commit()
  }
}

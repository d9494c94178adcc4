// The recipes of the docs against a Claude that refuses a thought whose beginning has changed: none is refused, and those that only add keep
// every thought.

import { describe, expect, it } from 'vitest'

import { fromAnthropic, receiveAnthropic, toAnthropic } from '../../src/adapters/anthropic/index.js'
import { createContext, type Context, type ContextOptions } from '../../src/index.js'
import { BoundClaude } from '../support/providers/bound-claude.js'

const TURNS = 6
const STEPS = 3
const TOOLS = [{ name: 'look_up', input_schema: { type: 'object' } }]

type Recipe = Readonly<{
  /** The recipe only adds, so all thoughts are kept. */
  adds: boolean
  options?: ContextOptions
  rendering?: Parameters<typeof toAnthropic>[1]
  begin?: (ctx: Context) => void
  turn?: (ctx: Context, turn: number) => void
  asked?: (ctx: Context, turn: number) => void
  step?: (ctx: Context, turn: number, step: number) => void
  ttl?: number
  tools?: (turn: number) => readonly object[]
}>

const RECIPES: Readonly<Record<string, Recipe>> = {
  'append only': { adds: true },
  'with cache marks': { adds: true, rendering: { cache: true } },
  'thinking off': { adds: false, rendering: { thinking: 'off' } },
  'documents behind each question': { adds: true, asked: (ctx, turn) => ctx.post(`document ${turn}`) },
  'documents before each question': { adds: true, turn: (ctx, turn) => ctx.pre(`document ${turn}`) },
  'a document after a step': { adds: true, step: (ctx, turn, step) => step === 1 && ctx.post(`found ${turn}`) },
  'a plan that is set once': { adds: true, turn: (ctx, turn) => turn === 0 && ctx.set('plan', 'the plan') },
  'a plan for each turn': { adds: false, turn: (ctx, turn) => ctx.set('plan', `plan ${turn}`) },
  'a plan that changes in the turn': { adds: false, step: (ctx, turn, step) => ctx.set('plan', `${turn} ${step}`) },
  'documents for one turn': { adds: false, asked: (ctx, turn) => ctx.post(`document ${turn}`, { ttl: 1 }) },
  'documents for one turn, before it': { adds: false, turn: (ctx, turn) => ctx.pre(`document ${turn}`, { ttl: 1 }) },
  'a reminder every third turn': {
    adds: false,
    begin: (ctx) => ctx.post('Stay polite.', { key: 'reminder', cad: 3, ttl: 1 }),
  },
  'results that expire': { adds: false, ttl: 3 },
  'a system text that changes': { adds: false, turn: (ctx, turn) => ctx.system.set('customer', `visit ${turn}`) },
  'a budget by turns': { adds: false, options: { prune: { maxTokens: 300, unit: 'turn', target: 0.7 } } },
  'a sliding window': { adds: false, options: { prune: { maxDepth: 3 } } },
  'a redaction': {
    adds: false,
    turn: (ctx, turn) =>
      turn === 3 && ctx.redact("(d2) .block[role='user']", { match: 'question', author: 'dpo', reason: 'asked' }),
  },
  'an edit in history': {
    adds: false,
    turn: (ctx, turn) => turn === 3 && ctx.replace("d2 .block[role='user']", { content: 'asked otherwise' }),
  },
  'a tool that comes later': {
    adds: false,
    tools: (turn) => (turn < 3 ? TOOLS : [...TOOLS, { name: 'write', input_schema: { type: 'object' } }]),
  },
}

/** Plays a recipe; `ask` makes a request and takes the reply in. */
function play(recipe: Recipe, ask: Ask): BoundClaude {
  const claude = new BoundClaude()
  const ctx = createContext(recipe.options)
  ctx.system.add('You are a clerk.')
  recipe.begin?.(ctx)
  for (let turn = 0; turn < TURNS; turn++) {
    recipe.turn?.(ctx, turn)
    ctx.user(`question ${turn}`)
    recipe.asked?.(ctx, turn)
    for (let step = 1; step <= STEPS; step++) {
      const calls = step === STEPS ? 0 : step
      const before = claude.thoughts
      const ids = ask(ctx, claude, recipe, turn, calls)
      if (recipe.adds) expect(claude.signaturesIn(claude.requests.at(-1)!)).toHaveLength(before)
      for (const id of ids) {
        ctx.tool(`result of ${id}`, { kind: 'result', data_call_id: id, ...(recipe.ttl ? { ttl: recipe.ttl } : {}) })
      }
      recipe.step?.(ctx, turn, step)
    }
    ctx.commit()
  }
  return claude
}

type Ask = (ctx: Context, claude: BoundClaude, recipe: Recipe, turn: number, calls: number) => readonly string[]

const said = (calls: number) => ({ calls, text: true, interleaved: calls > 1, redacted: calls === 1, thinks: true })

const byAttempt: Ask = (ctx, claude, { rendering, tools }, turn, calls) => {
  const params = { model: 'claude-sonnet-5-5', max_tokens: 1024, tools: tools?.(turn) ?? TOOLS }
  const attempt = ctx.startAttempt({
    for: toAnthropic,
    params: params as never,
    ...(rendering ? { options: rendering } : {}),
  })
  return attempt.receive(claude.create(attempt.body, said(calls))).calls.map(({ id }) => id)
}

const byHand: Ask = (ctx, claude, { rendering }, _turn, calls) => {
  const reply = claude.create({ model: 'claude', tools: TOOLS, ...toAnthropic(ctx, rendering) }, said(calls))
  return ctx.receive(reply, { from: fromAnthropic }).calls.map(({ id }) => id)
}

const mixed: Ask = (ctx, claude, { rendering }, _turn, calls) => {
  const attempt = ctx.startAttempt({ provider: 'anthropic', model: 'claude', params: {}, for: toAnthropic })
  const reply = claude.create({ model: 'claude', tools: TOOLS, ...toAnthropic(ctx, rendering) }, said(calls))
  return receiveAnthropic(ctx, reply as never, { attempt }).calls.map(({ id }) => id)
}

describe.each(Object.entries(RECIPES))('%s', (_, recipe) => {
  it('is not refused, with attempts', () => {
    const claude = play(recipe, byAttempt)
    expect(claude.requests).toHaveLength(TURNS * STEPS)
  })
})

// A request that is made by hand has no tools of an attempt to change, and one with a body of its own no options.
const byHandToo = Object.entries(RECIPES).filter(([, { tools }]) => tools === undefined)

it.each(byHandToo)('%s is not refused, without attempts', (_, recipe) => {
  expect(play(recipe, byHand).requests).toHaveLength(TURNS * STEPS)
})

it.each(byHandToo.filter(([, { rendering }]) => rendering === undefined))(
  '%s is not refused, with a body of its own',
  (_, recipe) => {
    expect(play(recipe, mixed).requests).toHaveLength(TURNS * STEPS)
  },
)

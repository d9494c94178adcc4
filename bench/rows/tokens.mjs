// How many tokens the next request has, after each commit. Without an engine every message is counted again; ours counts what
// is new. Both count with the same tokenizer.

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

import { assertWork, interleave, line, perPreparedCall, timesBetter } from '../harness.mjs'
import { makeText } from '../turns.mjs'

const MESSAGES = 1_000
const BYTES = 500
const ROW = 'tokens after a commit, 1,000 messages'
const TOKENS = new URL('../../dist/tokens/index.js', import.meta.url)

export const rows = [{ title: ROW, run }]

async function run({ engine, quick }) {
  const messages = Array.from({ length: MESSAGES }, (_, i) => makeText(i, 0, BYTES))
  const { o200k } = engine ? await import(TOKENS.href) : {}
  const open = () => engine && openContext(engine, o200k, messages)
  const [total, byRegion, byRole] = [open(), open(), open()]
  // Few, so that the history stays about as long as the list that is counted again.
  const samples = 10
  /** Times one question after each of many commits. */
  const asking = (ctx, ask) =>
    ctx &&
    (() =>
      perPreparedCall({
        count: samples,
        ms: 2_000,
        prepare: () => (commitMessage(ctx, makeText(ctx.cycle, 1, BYTES)), ctx),
        work: (each) => assertWork(ask(each) > 100 * MESSAGES, 'all messages are counted'),
      }))
  const results = await interleave(
    {
      recount: () => {
        messages.push(makeText(messages.length, 1, BYTES))
        return perPreparedCall({ count: 1, ms: 2_000, prepare: () => messages, work: recount })
      },
      total: asking(total, (ctx) => ctx.tokens('@t0').total),
      byRegion: asking(byRegion, (ctx) => ctx.tokens('@t0', { by: 'region' }).by['^seq']),
      byRole: asking(byRole, (ctx) => ctx.tokens('@t0', { by: 'role' }).by.user),
    },
    { rounds: quick ? 7 : 15 },
  )
  if (engine) checkCount(total)
  const peer = 'gpt-tokenizer, all again'
  const compare = (what, ours, factor = 100) =>
    line({ row: `${ROW}: ${what}`, peer, theirs: results.recount, ours, unit: 'ns', goal: timesBetter(factor) })
  return [
    compare('in all', results.total),
    compare('by region', results.byRegion),
    compare('by role', results.byRole, 10),
  ]
}

function recount(messages) {
  let sum = 0
  for (const message of messages) sum += countTokens(message)
  assertWork(sum > 100 * MESSAGES, 'all messages are counted')
}

function openContext(engine, o200k, messages) {
  const ctx = engine.createContext({ id: 'bench', countTokens: o200k })
  for (const message of messages) commitMessage(ctx, message)
  ctx.tokens('@t0')
  return ctx
}

function commitMessage(ctx, message) {
  ctx.user(message)
  ctx.commit()
}

/** The sums are those of the tokenizer. */
function checkCount(ctx) {
  const naive = ctx.nodes('@t0 .block').reduce((sum, { content }) => sum + countTokens(content), 0)
  assertWork(ctx.tokens('@t0').total === naive, `${naive} tokens are counted`)
}

// A tool loop that you can kill anywhere. `npm start` asks a first question, `npm start -- "your question"` another one, and a run that was killed goes on
// where it was: nothing that was saved is asked or run again.

import { openStore } from 'pact-context/store'

import { chooseModel } from './models.mjs'
import { runTool } from './tools.mjs'

/** The most requests of one run: a model that never ends its turn costs no more than these. */
const MOST_STEPS = 50
const QUESTION = 'Rome or Oslo: where is it warmer today? Book me a train there.'

const asked = process.argv.slice(2).join(' ')
const model = chooseModel()
console.log(`model: ${model.name}`)

const store = await openStore('sqlite:agent.db')
try {
  // The budget: old tool results give way first, then old turns. Your newest question stays.
  const ctx = await store.open('chat', { prune: { maxTokens: 50_000, results: { keep: 6 } } })
  if (ctx.due() !== 'user') {
    console.log('going on where the last run was stopped')
    await finishTurn(ctx)
  } else if (asked === '' && ctx.snapshots().length > 0) {
    console.log('nothing is open; ask with: npm start -- "your question"')
  } else {
    await ask(ctx, asked || QUESTION)
  }
  if (asked !== '' && ctx.due() === 'user' && lastText(ctx, 'user') !== asked) await ask(ctx, asked)
} catch (error) {
  console.error(`stopped: ${error.message}\nWhat was done so far is saved; npm start goes on.`)
  process.exitCode = 1
} finally {
  await store.close()
}

/** Begins a turn, and works until the model has ended it. */
async function ask(ctx, question) {
  if (ctx.snapshots().length === 0) ctx.system.add('You are a travel agent. Look things up before you answer.')
  ctx.user(question)
  await ctx.save()
  console.log(`you: ${question}`)
  await finishTurn(ctx)
}

/** The loop. `due` says from the tree alone what comes next, so the same code starts a turn and resumes one. */
async function finishTurn(ctx) {
  for (let step = 0; step < MOST_STEPS && ctx.due() !== 'nothing'; step += 1) {
    for (const call of ctx.openCalls()) {
      console.log(`call: ${call.name} ${call.argumentsText}`)
      const { content, error } = await runTool(call)
      ctx.result(call, content, { error })
      await ctx.save()
      console.log(`result: ${content}`)
    }
    await model.ask(ctx)
    await ctx.save()
  }
  if (ctx.due() !== 'nothing') return console.log(`stopped after ${MOST_STEPS} steps; npm start goes on`)
  await ctx.commit()
  console.log(`agent: ${lastText(ctx, 'assistant')}`)
}

/** The last words of one side of the conversation, in the form of any provider. */
function lastText(ctx, side) {
  const texts = ctx.thread('@t0').map(({ role, content }) => {
    const parts = role === side ? [content].flat() : []
    return parts.map((part) => (typeof part === 'string' ? part : (part?.text ?? ''))).join('')
  })
  return texts.findLast((text) => text !== '') ?? ''
}

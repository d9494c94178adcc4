// What a prompt cache can use again after a commit. Without an engine both requests are written and their texts compared.

import { assertWork, interleave, line, timesBetter } from '../harness.mjs'
import { makeText } from '../turns.mjs'

const MESSAGES = 10_000
const ROW = `prefix after a commit, ${MESSAGES.toLocaleString('en')} messages`

export const rows = [{ title: ROW, run }]

async function run({ engine, quick }) {
  const ctx = engine?.createContext()
  const list = []
  const say = (i) => {
    const text = makeText(i, 0)
    list.push({ role: i % 2 === 0 ? 'user' : 'assistant', content: text })
    if (i % 2 === 0) ctx?.user(text)
    else ctx?.assistant(text)
    if (i % 2 === 1) ctx?.commit()
  }
  for (let i = 0; i < MESSAGES; i++) say(i)
  ctx?.prefix('@t-1', '@t0')
  const grow = () => {
    const before = [...list]
    say(list.length)
    say(list.length)
    return before
  }
  const results = await interleave(
    {
      theirs: () => {
        const before = grow()
        return timed(() => sameStart(JSON.stringify(before), JSON.stringify(list)))
      },
      ours: engine && (() => (grow(), timed(() => ctx.prefix('@t-1', '@t0').bytes))),
    },
    { rounds: quick ? 7 : 21 },
  )
  const peer = 'two JSON.stringify texts compared'
  return [line({ row: ROW, peer, theirs: results.theirs, ours: results.ours, unit: 'ns', goal: timesBetter(1) })]
}

function sameStart(before, after) {
  let same = 0
  while (same < before.length && before.charCodeAt(same) === after.charCodeAt(same)) same++
  return same
}

function timed(work) {
  const start = performance.now()
  const same = work()
  const time = 1e6 * (performance.now() - start)
  assertWork(same > (100 * MESSAGES) / 10, 'most of the request is the same')
  return time
}

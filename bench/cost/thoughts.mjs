// A session in which every reply carries a signed thought, since the recordings hold almost none. Our side is the real loop: an attempt for every
// request, Claude's form, and the reply received by the attempt.

import { createContext } from '../../dist/index.js'
import { toAnthropic } from '../../dist/adapters/anthropic/index.js'
import { readMessage } from '../../dist/cost/index.js'

const TURNS = 12
const STEPS = 5
const WORDS =
  'alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa'.split(' ')

/** The messages of the session, in Claude's form. */
export function thoughtfulMessages() {
  const messages = []
  for (let turn = 0; turn < TURNS; turn++) {
    messages.push({ role: 'user', content: [text(`Question ${turn}: ${prose(turn, 40)}`)] })
    for (let step = 0; step < STEPS; step++) {
      const id = `call-${turn}-${step}`
      const input = { path: `src/part-${turn}/file-${step}.ts` }
      messages.push({
        role: 'assistant',
        content: [thought(turn, step), { type: 'tool_use', id, name: 'read', input }],
      })
      messages.push({
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: id, content: prose(turn * STEPS + step, 220) }],
      })
    }
    messages.push({ role: 'assistant', content: [thought(turn, STEPS), text(`Answer ${turn}: ${prose(turn, 60)}`)] })
  }
  return messages
}

const text = (said) => ({ type: 'text', text: said })
const thought = (turn, step) => ({
  type: 'thinking',
  thinking: `Thought ${turn}.${step}: ${prose(turn + step, 30)}`,
  signature: `sig-${turn}-${step}`,
})

function prose(seed, length) {
  return Array.from({ length }, (_, i) => `${WORDS[(seed * 7 + i * 3) % WORDS.length]}${(seed + i) % 97}`).join(' ')
}

/** Our own loop with a policy, or compacted past a share of the budget, as a strategy on that session. */
export function oursLoop(name, policy, compaction) {
  return {
    name,
    start: (session) => {
      const context = createContext({
        ...(compaction === undefined ? { prune: { ...policy, maxTokens: session.budget } } : {}),
        countTokens: (said) => session.messages.tokens(said),
      })
      let attempt
      return (added) => {
        for (const message of added) {
          const source = session.sources.get(message)
          if (message.role === 'assistant')
            attempt.receive({ id: 'reply', type: 'message', model: 'claude', stop_reason: 'end_turn', ...source })
          else if (message.role === 'tool')
            for (const part of source.content) context.tool(part, { kind: 'result', data_call_id: part.tool_use_id })
          else context.user(source.content[0].text)
        }
        context.commit()
        if (compaction !== undefined && context.tokens('@t0').total > compaction.at * session.budget) {
          const plan = context.planCompaction({ keep: compaction.keep })
          if (plan.nodes.length > 0) context.compact(plan, 'A summary of what was said.')
          context.commit()
        }
        attempt = context.startAttempt({ for: toAnthropic, params: { model: 'claude', max_tokens: 1 } })
        return { messages: attempt.body.messages.map((each) => session.messages.of(readMessage(each))) }
      }
    },
  }
}

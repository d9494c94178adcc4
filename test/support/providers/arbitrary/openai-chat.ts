import fc from 'fast-check'

import type { ChatRequest } from '../recorded.js'
import type { Keyed } from '../violations.js'
import { changed, changes, type Format, type Style } from './oddities.js'
import { naming, talk, type Ask, type Talk, type Turn } from './talk.js'

const FORMAT: Format = {
  content: 'content',
  role: 'role',
  ids: ['id', 'tool_call_id'],
  input: 'arguments',
  inputIsText: true,
  signatures: ['reasoning_details'],
  emptyText: { type: 'text', text: '' },
  system: { role: 'system', content: 'From now on, in French.' },
  isResult: ({ role }) => role === 'tool',
}

export function arbitraryChat(style: Style = 'odd'): fc.Arbitrary<ChatRequest> {
  return fc.tuple(talk, changes(style)).map(([talk, list]) => ({ messages: changed(messagesOf(talk), list, FORMAT) }))
}

function messagesOf(talk: Talk): readonly Keyed[] {
  const system = talk.system.map((text, at) => ({
    role: at === 0 ? 'system' : 'developer',
    content: texts(text, talk),
  }))
  const named = naming(talk, true)
  return [...system, ...talk.turns.flatMap((turn) => turnOf(turn, talk, named))]
}

function turnOf(turn: Turn, talk: Talk, named: ReturnType<typeof naming>): readonly Keyed[] {
  const [first] = turn.asks
  const isText = turn.asks.length === 1 && first?.kind === 'text'
  return [
    { role: 'user', content: isText ? texts(first.text, talk) : turn.asks.map(partOf) },
    ...(turn.told === undefined ? [] : [{ role: 'system', content: turn.told }]),
    ...turn.steps.flatMap((step) => {
      const { calls, results } = named(step)
      const thought = step.thought === undefined ? {} : { reasoning_details: [{ text: step.thought }] }
      return [
        {
          role: 'assistant',
          content: step.says === undefined ? null : texts(step.says, talk),
          ...thought,
          tool_calls: calls.map(({ id, name, input }) => ({
            id,
            type: 'function',
            function: { name, arguments: JSON.stringify(input) },
          })),
        },
        ...results.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result })),
      ]
    }),
    ...(turn.answer === undefined ? [] : [{ role: 'assistant', content: texts(turn.answer, talk) }]),
  ]
}

function texts(text: string, { lists }: Talk): unknown {
  return lists ? [{ type: 'text', text }] : text
}

function partOf(ask: Ask): Keyed {
  if (ask.kind === 'text') return { type: 'text', text: ask.text }
  const url = ask.kind === 'image' ? `data:image/png;base64,${ask.base64}` : ask.url
  return { type: 'image_url', image_url: { url } }
}

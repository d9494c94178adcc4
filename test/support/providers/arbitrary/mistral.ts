import fc from 'fast-check'

import type { Keyed } from '../violations.js'
import { changed, changes, type Format, type Style } from './oddities.js'
import { naming, talk, type Ask, type Talk, type Turn } from './talk.js'

const FORMAT: Format = {
  content: 'content',
  role: 'role',
  ids: ['id', 'toolCallId'],
  input: 'arguments',
  inputIsText: true,
  signatures: ['signature'],
  emptyText: { type: 'text', text: '' },
  system: { role: 'system', content: 'From now on, in French.' },
  isResult: ({ role }) => role === 'tool',
}

export function arbitraryMistral(style: Style = 'odd'): fc.Arbitrary<{ messages: readonly Keyed[] }> {
  return fc.tuple(talk, changes(style)).map(([talk, list]) => ({ messages: changed(messagesOf(talk), list, FORMAT) }))
}

function messagesOf(talk: Talk): readonly Keyed[] {
  const named = naming(talk, true)
  const messages = [
    ...talk.system.map((text) => ({ role: 'system', content: texts(text, talk) })),
    ...talk.turns.flatMap((turn) => turnOf(turn, talk, named)),
  ]
  const last = messages.at(-1)!
  // The model goes on with what it began.
  if (last.role === 'assistant') messages[messages.length - 1] = { ...last, prefix: true } as typeof last
  return messages
}

function turnOf(turn: Turn, talk: Talk, named: ReturnType<typeof naming>): { role: string; content: unknown }[] {
  const [first] = turn.asks
  const isText = turn.asks.length === 1 && first?.kind === 'text'
  const isEnd = turn.steps.length === 0 && turn.answer === undefined
  return [
    // A system message may not be the last.
    ...(turn.told === undefined || !isEnd
      ? []
      : [
          { role: 'user', content: 'Listen.' },
          { role: 'system', content: turn.told },
        ]),
    { role: 'user', content: isText ? texts(first.text, talk) : turn.asks.map(chunkOf) },
    ...(turn.told === undefined || isEnd ? [] : [{ role: 'system', content: turn.told }]),
    ...turn.steps.flatMap((step) => {
      const { calls, results } = named(step)
      const thought =
        step.thought === undefined ? [] : [{ type: 'thinking', thinking: [{ type: 'text', text: step.thought }] }]
      const says = step.says === undefined ? [] : [{ type: 'text', text: step.says }]
      const list = [...thought, ...says]
      return [
        {
          role: 'assistant',
          content: list.length === 0 ? '' : thought.length === 0 && !talk.lists ? step.says : list,
          toolCalls: calls.map(({ id, name, input }) => ({
            function: { arguments: JSON.stringify(input), name },
            id: nine(id),
            type: 'function',
          })),
        },
        ...results.map(({ id, name, result }) => ({ role: 'tool', content: result, toolCallId: nine(id), name })),
      ]
    }),
    ...(turn.answer === undefined ? [] : [{ role: 'assistant', content: texts(turn.answer, talk) }]),
  ]
}

/** `call_1` as Mistral would name it. */
function nine(id: string): string {
  return id.replace('_', '').padEnd(9, 'x').slice(0, 9)
}

function texts(text: string, { lists }: Talk): unknown {
  return lists ? [{ type: 'text', text }] : text
}

function chunkOf(ask: Ask): Keyed {
  if (ask.kind === 'text') return { type: 'text', text: ask.text }
  return { type: 'image_url', imageUrl: ask.kind === 'image' ? `data:image/png;base64,${ask.base64}` : ask.url }
}

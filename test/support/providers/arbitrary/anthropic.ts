import fc from 'fast-check'

import type { AnthropicRequest } from '../recorded.js'
import type { Keyed } from '../violations.js'
import { changed, changes, type Format, type Style } from './oddities.js'
import { naming, talk, type Ask, type Talk } from './talk.js'

const FORMAT: Format = {
  content: 'content',
  role: 'role',
  ids: ['id', 'tool_use_id'],
  input: 'input',
  inputIsText: false,
  signatures: ['signature'],
  emptyText: { type: 'text', text: '' },
  system: { role: 'system', content: 'From now on, in French.' },
  isResult: ({ content }) => Array.isArray(content) && content.some(({ type }: Keyed) => type === 'tool_result'),
}

export function arbitraryAnthropic(style: Style = 'odd'): fc.Arbitrary<AnthropicRequest> {
  return fc.tuple(talk, changes(style)).map(([talk, list]) => {
    const messages = changed(messagesOf(talk), list, FORMAT)
    const system = talk.lists ? talk.system.map((text) => ({ type: 'text', text })) : talk.system.join('\n\n')
    return system.length === 0 ? { messages } : { system, messages }
  })
}

function messagesOf(talk: Talk): readonly Keyed[] {
  const named = naming(talk, false)
  return talk.turns.flatMap(({ asks, told, steps, answer }) => {
    const messages: Keyed[] = [
      { role: 'user', content: asks.length === 1 && !talk.lists ? askText(asks[0]!) : asks.map(blockOf) },
    ]
    if (told !== undefined) messages.push({ role: 'system', content: told })
    for (const step of steps) {
      const { calls, results } = named(step)
      const { thought, says } = step
      messages.push({
        role: 'assistant',
        content: [
          ...(thought === undefined ? [] : [{ type: 'thinking', thinking: thought, signature: 'c2lnbmVk' }]),
          ...(says === undefined ? [] : [{ type: 'text', text: says }]),
          ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
        ],
      })
      messages.push({
        role: 'user',
        content: results.map(({ id, result, failed }) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: talk.lists && result !== '' ? [{ type: 'text', text: result }] : result,
          ...(failed ? { is_error: true } : {}),
        })),
      })
    }
    if (answer !== undefined)
      messages.push({ role: 'assistant', content: talk.lists ? [{ type: 'text', text: answer }] : answer })
    return messages
  })
}

function askText(ask: Ask): unknown {
  return ask.kind === 'text' ? ask.text : [blockOf(ask)]
}

function blockOf(ask: Ask): Keyed {
  if (ask.kind === 'text') return { type: 'text', text: ask.text }
  if (ask.kind === 'link') return { type: 'image', source: { type: 'url', url: ask.url } }
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: ask.base64 } }
}

import fc from 'fast-check'

import type { Keyed } from '../violations.js'
import { changed, changes, type Format, type Style } from './oddities.js'
import { naming, talk, type Ask, type Talk } from './talk.js'

const FORMAT: Format = {
  content: 'content',
  role: 'role',
  ids: ['toolUseId'],
  input: 'input',
  inputIsText: false,
  signatures: ['signature'],
  emptyText: { text: '' },
  system: { role: 'system', content: [{ text: 'From now on, in French.' }] },
  isResult: ({ content }) =>
    Array.isArray(content) && content.some((block: Keyed) => block['toolResult'] !== undefined),
}

export function arbitraryBedrock(
  style: Style = 'odd',
): fc.Arbitrary<{ system?: readonly Keyed[]; messages: readonly Keyed[] }> {
  return fc.tuple(talk, changes(style)).map(([talk, list]) => {
    const messages = changed(messagesOf(talk), list, FORMAT)
    return talk.system.length === 0 ? { messages } : { system: talk.system.map((text) => ({ text })), messages }
  })
}

function messagesOf(talk: Talk): readonly Keyed[] {
  const named = naming(talk, false)
  return talk.turns.flatMap(({ asks, steps, answer = 'Done.' }, turn) => {
    const messages: Keyed[] = [{ role: 'user', content: asks.map(blockOf) }]
    for (const step of steps) {
      const { calls, results } = named(step)
      const { thought, says } = step
      messages.push({
        role: 'assistant',
        content: [
          ...(thought === undefined
            ? []
            : [{ reasoningContent: { reasoningText: { text: thought, signature: 'c2lnbmVk' } } }]),
          ...(says === undefined ? [] : [{ text: says }]),
          ...calls.map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } })),
        ],
      })
      messages.push({
        role: 'user',
        content: results.map(({ id, result, failed }) => ({
          toolResult: {
            toolUseId: id,
            content: result === '' ? [] : talk.lists ? [{ json: { result } }] : [{ text: result }],
            ...(failed ? { status: 'error' } : {}),
          },
        })),
      })
    }
    const isOpen = turn === talk.turns.length - 1 && talk.idsRecur
    return isOpen ? messages : [...messages, { role: 'assistant', content: [{ text: answer }] }]
  })
}

/** Bedrock reads no addresses: a link is a text. */
function blockOf(ask: Ask): Keyed {
  if (ask.kind === 'image') return { image: { format: 'png', source: { bytes: ask.base64 } } }
  return { text: ask.kind === 'text' ? ask.text : ask.url }
}

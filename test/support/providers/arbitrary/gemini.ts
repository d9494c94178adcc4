import fc from 'fast-check'

import type { GeminiRequest } from '../recorded.js'
import type { Keyed } from '../violations.js'
import { changed, changes, type Format, type Style } from './oddities.js'
import { naming, talk, type Ask, type Named, type Talk } from './talk.js'

const FORMAT: Format = {
  content: 'parts',
  role: 'role',
  ids: ['id'],
  input: 'args',
  inputIsText: false,
  signatures: ['thoughtSignature'],
  emptyText: { text: '' },
  system: { role: 'system', parts: [{ text: 'From now on, in French.' }] },
  isResult: ({ parts }) => Array.isArray(parts) && parts.some((part: Keyed) => part['functionResponse'] !== undefined),
}

export function arbitraryGemini(style: Style = 'odd'): fc.Arbitrary<GeminiRequest> {
  return fc.tuple(talk, changes(style)).map(([talk, list]) => {
    const contents = changed(contentsOf(talk), list, FORMAT)
    const parts = talk.system.map((text) => ({ text }))
    return parts.length === 0 ? { contents } : { systemInstruction: { role: 'user', parts }, contents }
  })
}

function contentsOf(talk: Talk): readonly Keyed[] {
  const named = naming(talk, true)
  const idOf = ({ id }: Named): Keyed => (talk.ids ? { id } : {})
  return talk.turns.flatMap(({ asks, told, steps, answer }) => [
    { ...(talk.lists ? { role: 'user' } : {}), parts: asks.map(partOf) },
    // There is no system message in mid-conversation here; such text is the user's.
    ...(told === undefined ? [] : [{ role: 'user', parts: [{ text: told }] }]),
    ...steps.flatMap((step) => {
      const { calls, results } = named(step)
      const { thought, says } = step
      const signed = thought === undefined ? {} : { thoughtSignature: 'c2lnbmVk' }
      return [
        {
          role: 'model',
          parts: [
            ...(thought === undefined ? [] : [{ text: thought, thought: true }]),
            ...(says === undefined ? [] : [{ text: says }]),
            ...calls.map((call, at) => ({
              functionCall: { ...idOf(call), name: call.name, args: call.input },
              ...(at === 0 ? signed : {}),
            })),
          ],
        },
        {
          role: 'user',
          parts: results.map((call) => ({
            functionResponse: {
              ...idOf(call),
              name: call.name,
              response: call.failed ? { error: call.result } : { output: call.result },
            },
          })),
        },
      ]
    }),
    ...(answer === undefined ? [] : [{ role: 'model', parts: [{ text: answer }] }]),
  ])
}

function partOf(ask: Ask): Keyed {
  if (ask.kind === 'text') return { text: ask.text }
  if (ask.kind === 'link') return { fileData: { fileUri: ask.url, mimeType: 'image/png' } }
  return { inlineData: { mimeType: 'image/png', data: ask.base64 } }
}

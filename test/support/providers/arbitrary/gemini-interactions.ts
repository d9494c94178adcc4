import fc from 'fast-check'

import type { Keyed } from '../violations.js'
import { changed, changes, type Format, type Style } from './oddities.js'
import { naming, talk, type Ask, type Talk } from './talk.js'

const FORMAT: Format = {
  content: 'content',
  role: 'type',
  ids: ['id', 'call_id'],
  input: 'arguments',
  inputIsText: false,
  signatures: ['signature'],
  emptyText: { type: 'text', text: '' },
  system: { type: 'user_input', content: [{ type: 'text', text: 'From now on, in French.' }] },
  isResult: ({ type }) => type === 'function_result',
}

export type InteractionRequest = Readonly<{ system_instruction?: string; input: string | readonly Keyed[] }>

export function arbitraryInteractions(style: Style = 'odd'): fc.Arbitrary<InteractionRequest> {
  return fc.tuple(talk, changes(style)).map(([talk, list]) => {
    const told = talk.system.join('\n\n')
    const input = changed(stepsOf(talk), list, FORMAT)
    return told === '' ? { input } : { system_instruction: told, input }
  })
}

function stepsOf(talk: Talk): readonly Keyed[] {
  const named = naming(talk, true)
  let searches = 0
  return talk.turns.flatMap(({ asks, told, steps, answer }) => [
    { type: 'user_input', content: asks.map(contentOf) },
    ...(told === undefined ? [] : [{ type: 'user_input', content: [words(told)] }]),
    ...steps.flatMap((step) => {
      const { calls, results } = named(step)
      const { thought, says } = step
      return [
        ...(thought === undefined ? [] : [{ type: 'thought', signature: 'c2lnbmVk', summary: [words(thought)] }]),
        // A model that does not say what it thinks has a signature all the same.
        ...(talk.ids ? [{ type: 'thought', signature: 'c2ln' }, ...search(`s${++searches}`)] : []),
        ...(says === undefined ? [] : [{ type: 'model_output', content: [words(says)] }]),
        ...calls.map(({ id, name, input }) => ({ type: 'function_call', id, name, arguments: input })),
        ...results.map(({ id, name, result, failed }) => ({
          type: 'function_result',
          call_id: id,
          ...(talk.ids ? { name } : {}),
          result: talk.lists ? [words(result)] : result,
          ...(failed ? { is_error: true } : {}),
        })),
      ]
    }),
    ...(answer === undefined ? [] : [{ type: 'model_output', content: [words(answer)] }]),
  ])
}

function search(id: string): readonly Keyed[] {
  return [
    { type: 'google_search_call', id, arguments: { queries: ['news'] }, signature: 'c2ln' },
    { type: 'google_search_result', call_id: id, result: [{ search_suggestions: '<b>news</b>' }], signature: 'c2ln' },
  ]
}

function words(text: string): Keyed {
  return { type: 'text', text }
}

function contentOf(ask: Ask): Keyed {
  if (ask.kind === 'text') return words(ask.text)
  if (ask.kind === 'link') return { type: 'image', uri: ask.url, mime_type: 'image/png' }
  return { type: 'image', data: ask.base64, mime_type: 'image/png' }
}

import fc from 'fast-check'

import type { ResponsesRequest } from '../recorded.js'
import type { Keyed } from '../violations.js'
import { changed, changes, type Format, type Style } from './oddities.js'
import { naming, talk, type Ask, type Talk } from './talk.js'

const FORMAT: Format = {
  content: 'content',
  role: 'role',
  ids: ['call_id'],
  input: 'arguments',
  inputIsText: true,
  signatures: ['encrypted_content'],
  emptyText: { type: 'input_text', text: '' },
  system: { role: 'developer', content: 'From now on, in French.' },
  isResult: ({ type }) => type === 'function_call_output',
}

export function arbitraryResponses(style: Style = 'odd'): fc.Arbitrary<ResponsesRequest> {
  return fc.tuple(talk, changes(style)).map(([talk, list]) => {
    const instructions = talk.system.join('\n\n')
    const input = changed(itemsOf(talk), list, FORMAT)
    return instructions === '' ? { input } : { instructions, input }
  })
}

function itemsOf(talk: Talk): readonly Keyed[] {
  const named = naming(talk, true)
  let items = 0
  return talk.turns.flatMap(({ asks, told, steps, answer }) => [
    { role: 'user', content: asks.length === 1 && !talk.lists ? askText(asks[0]!) : asks.map(partOf) },
    ...(told === undefined ? [] : [{ type: 'message', role: 'system', content: told }]),
    ...steps.flatMap((step) => {
      const { calls, results } = named(step)
      const { thought, says } = step
      return [
        ...(thought === undefined ? [] : [reasoning(thought, `rs_${++items}`)]),
        ...(says === undefined ? [] : [said(says, talk, `msg_${++items}`)]),
        ...calls.map(({ id, name, input }) => ({
          type: 'function_call',
          ...(talk.ids ? { id: `fc_${++items}` } : {}),
          call_id: id,
          name,
          arguments: JSON.stringify(input),
        })),
        ...results.map(({ id, result }) => ({
          type: 'function_call_output',
          call_id: id,
          output: talk.lists ? [{ type: 'input_text', text: result }] : result,
        })),
      ]
    }),
    ...(answer === undefined ? [] : [said(answer, talk, `msg_${++items}`)]),
  ])
}

function reasoning(text: string, id: string): Keyed {
  return { type: 'reasoning', id, summary: [{ type: 'summary_text', text }], encrypted_content: 'c2VjcmV0' }
}

function said(text: string, { lists, ids }: Talk, id: string): Keyed {
  if (!lists) return { role: 'assistant', content: text }
  const content = [{ type: 'output_text', text, annotations: [] }]
  return {
    type: 'message',
    role: 'assistant',
    ...(ids ? { id, status: 'completed', phase: 'commentary' } : {}),
    content,
  }
}

function askText(ask: Ask): unknown {
  return ask.kind === 'text' ? ask.text : [partOf(ask)]
}

function partOf(ask: Ask): Keyed {
  if (ask.kind === 'text') return { type: 'input_text', text: ask.text }
  const url = ask.kind === 'image' ? `data:image/png;base64,${ask.base64}` : ask.url
  return { type: 'input_image', detail: 'auto', image_url: url }
}

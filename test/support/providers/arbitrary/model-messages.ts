import fc from 'fast-check'

import type { Keyed } from '../violations.js'
import { changed, changes, type Format, type Style } from './oddities.js'
import { naming, talk, type Ask, type Call, type Talk } from './talk.js'

export type ModelMessagesRequest = Readonly<{ system?: string | readonly Keyed[]; messages: readonly Keyed[] }>

const FORMAT: Format = {
  content: 'content',
  role: 'role',
  ids: ['toolCallId'],
  input: 'input',
  inputIsText: false,
  signatures: ['providerOptions'],
  emptyText: { type: 'text', text: '' },
  system: { role: 'system', content: 'From now on, in French.' },
  isResult: ({ role }) => role === 'tool',
}

/** Valid ones, too, hold `URL`s and bytes, as images and files. */
export function arbitraryModelMessages(style: Style = 'odd'): fc.Arbitrary<ModelMessagesRequest> {
  return fc.tuple(talk, changes(style)).map(([talk, list]) => {
    const messages = changed(messagesOf(talk), list, FORMAT)
    if (talk.system.length === 0) return { messages }
    const system = talk.lists ? talk.system.map((content) => ({ role: 'system', content })) : talk.system.join('\n\n')
    return { system, messages }
  })
}

function messagesOf(talk: Talk): readonly Keyed[] {
  const named = naming(talk, true)
  return talk.turns.flatMap(({ asks, told, steps, answer }): Keyed[] => {
    const [first] = asks
    const isText = asks.length === 1 && first?.kind === 'text' && !talk.lists
    return [
      { role: 'user', content: isText ? first.text : asks.map((ask, at) => partOf(ask, at % 2 === 0)) },
      ...(told === undefined ? [] : [{ role: 'system', content: told }]),
      ...steps.flatMap((step) => {
        const { calls, results } = named(step)
        const { thought, says } = step
        const signed = { providerOptions: { anthropic: { signature: 'c2lnbmVk' } } }
        return [
          {
            role: 'assistant',
            content: [
              ...(thought === undefined ? [] : [{ type: 'reasoning', text: thought, ...signed }]),
              ...(says === undefined ? [] : [{ type: 'text', text: says }]),
              ...calls.map(({ id, name, input }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input })),
            ],
          },
          ...toolMessages(
            results.map((call) => ({
              type: 'tool-result',
              toolCallId: call.id,
              toolName: call.name,
              output: outputOf(call, talk),
            })),
            talk,
          ),
        ]
      }),
      ...(answer === undefined
        ? []
        : [{ role: 'assistant', content: talk.lists ? [{ type: 'text', text: answer }] : answer }]),
    ]
  })
}

/** The results of a step are in one message or in one each. */
function toolMessages(results: readonly Keyed[], { lists }: Talk): Keyed[] {
  return lists ? [{ role: 'tool', content: results }] : results.map((result) => ({ role: 'tool', content: [result] }))
}

function outputOf({ result, failed, input }: Call, { lists }: Talk): Keyed {
  if (failed) return { type: 'error-text', value: result }
  return lists ? { type: 'json', value: { result, input } } : { type: 'text', value: result }
}

function partOf(ask: Ask, asFile: boolean): Keyed {
  if (ask.kind === 'text') return { type: 'text', text: ask.text }
  if (ask.kind === 'link') {
    const url = new URL(ask.url)
    return asFile ? { type: 'file', data: url, mediaType: 'application/pdf' } : { type: 'image', image: url }
  }
  const bytes = Uint8Array.from(Buffer.from(ask.base64, 'base64'))
  return asFile
    ? { type: 'image', image: ask.base64, mediaType: 'image/png' }
    : { type: 'file', data: bytes, mediaType: 'image/png' }
}

import { checkGeminiInteractions, INTERACTION_RULES } from '../gemini-interactions.js'
import type { Keyed } from '../violations.js'
import { before, instead, type Judged, type Planted } from './planted.js'

const words = (text: string): Keyed => ({ type: 'text', text })
const user = (...content: readonly unknown[]): Keyed => ({ type: 'user_input', content })
const model = (...content: readonly unknown[]): Keyed => ({ type: 'model_output', content })
const call = (id: string): Keyed => ({ type: 'function_call', id, name: 'look', arguments: { q: 1 } })
const result = (id: string): Keyed => ({ type: 'function_result', call_id: id, name: 'look', result: 'a cat' })

const INPUT: readonly Keyed[] = [
  user(words('What is this?'), { type: 'image', data: 'AAAA', mime_type: 'image/png' }),
  { type: 'thought', signature: 'c2ln', summary: [words('Hm.')] },
  { type: 'google_search_call', id: 's', arguments: { queries: ['cats'] }, signature: 'c2ln' },
  { type: 'google_search_result', call_id: 's', result: [{}] },
  call('a'),
  call('b'),
  result('b'),
  result('a'),
  model(words('A cat.')),
  user(words('And this?')),
]
const REQUEST: Keyed = { system_instruction: 'Be short.', input: INPUT }

function at(place: number, ...steps: readonly Keyed[]): Keyed {
  return { ...REQUEST, input: instead(INPUT, place, ...steps) }
}

const planted: readonly Planted[] = [
  { rule: 'json', what: 'a bigint among the arguments', request: at(4, { ...call('a'), arguments: { n: 1n } }) },
  { rule: 'request', what: 'no steps', request: { input: [] } },
  { rule: 'request', what: 'an instruction that is a list', request: { ...REQUEST, system_instruction: ['x'] } },
  { rule: 'kind', what: 'a step of no kind', request: at(8, { type: 'dream' }) },
  { rule: 'kind', what: 'a content of no kind', request: at(8, model({ type: 'hologram' })) },
  { rule: 'shape', what: 'arguments that are text', request: at(4, { ...call('a'), arguments: '{}' }) },
  { rule: 'shape', what: 'a result that is a number', request: at(6, { ...result('b'), result: [1] }) },
  { rule: 'unknown-key', what: 'of a step', request: at(8, { ...model(words('x')), role: 'model' }) },
  { rule: 'unknown-key', what: 'of a content', request: at(8, model({ ...words('x'), tone: 'warm' })) },
  { rule: 'empty-content', what: 'nothing said', request: at(8, model()) },
  { rule: 'empty-content', what: 'no content', request: at(8, { type: 'model_output' }) },
  {
    rule: 'media-source',
    what: 'a picture from nowhere',
    request: at(9, user({ type: 'image', mime_type: 'image/png' })),
  },
  { rule: 'call-first', what: 'a call first', request: { input: INPUT.slice(4) }, also: [] },
  { rule: 'call-unanswered', what: 'a result is gone', request: at(7) },
  {
    rule: 'between',
    what: 'a user speaks',
    request: { ...REQUEST, input: before(INPUT, 7, user(words('x'))) },
    also: ['result-orphan'],
  },
  { rule: 'result-orphan', what: 'a call is gone', request: at(4) },
  { rule: 'result-orphan', what: 'a result twice', request: at(7, result('a'), result('a')) },
  { rule: 'result-name', what: 'of another tool', request: at(7, { ...result('a'), name: 'other' }) },
  { rule: 'tool-name', what: 'with a space', request: at(4, { ...call('a'), name: 'a b' }), also: ['result-name'] },
  { rule: 'server-half', what: 'a result alone', request: at(2) },
  { rule: 'server-half', what: 'a call alone', request: at(3) },
]

export const INTERACTIONS: Judged = {
  name: 'Gemini Interactions',
  rules: INTERACTION_RULES,
  check: (body) => checkGeminiInteractions(body),
  valid: [
    { what: 'a conversation', request: REQUEST },
    { what: 'a text', request: { input: 'Hi' } },
    {
      what: 'a result for a call that the server holds',
      request: { previous_interaction_id: 'v1', input: [result('a')] },
    },
    { what: 'a call of a tool of the provider at the end', request: { input: INPUT.slice(0, 3) } },
  ],
  planted,
}

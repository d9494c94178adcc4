import { checkGemini, GEMINI_RULES, type GeminiOptions } from '../gemini.js'
import type { Keyed } from '../violations.js'
import { before, instead, withProto, type Judged, type Planted } from './planted.js'

const words = (text: string): Keyed => ({ text })
const user = (...parts: readonly unknown[]): Keyed => ({ role: 'user', parts })
const model = (...parts: readonly unknown[]): Keyed => ({ role: 'model', parts })
const call = (name: string, id?: string): Keyed => ({
  functionCall: { name, args: { q: 1 }, ...(id === undefined ? {} : { id }) },
})
const signed = (part: Keyed): Keyed => ({ ...part, thoughtSignature: 'c2ln' })
const response = (name: string, id?: string): Keyed => ({
  functionResponse: { name, response: { output: 1 }, ...(id === undefined ? {} : { id }) },
})

const CONTENTS: readonly Keyed[] = [
  user(words('What is this?'), { inlineData: { mimeType: 'image/png', data: 'AAAA' } }),
  model({ text: 'Hm.', thought: true }, signed(call('look', 'a')), call('look', 'b'), call('count')),
  user(response('count'), response('look', 'b'), response('look', 'a')),
  model(signed(words('A cat.'))),
  user(words('And this?')),
]
const REQUEST: Keyed = { systemInstruction: { role: 'user', parts: [words('Be short.')] }, contents: CONTENTS }

const planted: readonly Planted<GeminiOptions>[] = [
  { rule: 'json', what: 'an undefined key', request: { ...REQUEST, systemInstruction: undefined } },
  {
    rule: 'json',
    what: 'a bigint among the arguments',
    request: {
      contents: [user(words('x')), model({ functionCall: { name: 'look', args: { n: 1n } } }), user(response('look'))],
    },
  },
  { rule: 'request', what: 'no contents', request: { contents: [] } },
  { rule: 'request', what: 'a text', request: { contents: 'x' } },
  { rule: 'role', what: 'a role of another provider', request: at(3, { role: 'assistant', parts: [words('x')] }) },
  { rule: 'role', what: 'a system', request: at(4, { role: 'system', parts: [words('x')] }) },
  { rule: 'shape', what: 'a string as a part', request: at(4, user('x')) },
  { rule: 'shape', what: 'no parts', request: at(4, { role: 'user' }) },
  {
    rule: 'shape',
    what: 'a response that is a text',
    request: single({ functionResponse: { name: 'look', response: 'x' } }),
  },
  {
    rule: 'shape',
    what: 'a response that is a list',
    request: single({ functionResponse: { name: 'look', response: [] } }),
  },
  { rule: 'shape', what: 'no response', request: single({ functionResponse: { name: 'look' } }) },
  { rule: 'shape', what: 'a system instruction that is a text', request: { ...REQUEST, systemInstruction: 'x' } },
  {
    rule: 'shape',
    what: 'a key in both spellings',
    request: at(4, user({ ...words('x'), thoughtSignature: 'a', thought_signature: 'b' })),
  },
  { rule: 'unknown-key', what: 'of a content', request: at(4, { ...user(words('x')), name: 'y' }) },
  { rule: 'unknown-key', what: 'of a part', request: at(4, user({ ...words('x'), type: 'text' })) },
  {
    rule: 'unknown-key',
    what: 'of a call',
    request: at(
      1,
      model({ functionCall: { name: 'look', arguments: {} } }),
      user(response('look')),
      user(words('x')),
      model(call('look', 'a'), call('look', 'b'), call('count')),
    ),
  },
  { rule: 'unknown-key', what: '__proto__', request: at(4, withProto(user(words('x')))) },
  { rule: 'empty-parts', what: 'no part', request: at(4, user()) },
  { rule: 'part-data', what: 'none', request: at(4, user(signed({}))) },
  {
    rule: 'part-data',
    what: 'two',
    request: at(4, user({ text: 'x', inlineData: { mimeType: 'image/png', data: '' } })),
  },
  {
    rule: 'part-role',
    what: 'a call of a user',
    request: { contents: [user(words('x')), user(call('look')), user(response('look'))] },
  },
  {
    rule: 'part-role',
    what: 'a response of a model',
    request: { contents: [user(words('x')), model(call('look')), model(response('look'))] },
  },
  { rule: 'call-turn', what: 'at the start', request: { contents: CONTENTS.slice(1) } },
  {
    rule: 'call-turn',
    what: 'behind a model',
    request: { contents: before(CONTENTS, 1, model(words('Let me see.'))) },
  },
  { rule: 'call-unanswered', what: 'one of three', request: at(2, user(response('look', 'a'), response('look', 'b'))) },
  { rule: 'call-unanswered', what: 'at the end', request: { contents: CONTENTS.slice(0, 2) } },
  {
    rule: 'between',
    what: 'a user',
    request: { contents: before(CONTENTS, 2, user(words('Wait.'))) },
    also: ['response-orphan'],
  },
  { rule: 'response-orphan', what: 'no call', request: at(4, user(response('look'))) },
  { rule: 'response-orphan', what: 'at the start', request: { contents: [user(response('look')), ...CONTENTS] } },
  {
    rule: 'response-orphan',
    what: 'twice',
    request: at(2, user(response('count'), response('count'), response('look', 'a'), response('look', 'b'))),
  },
  {
    rule: 'response-orphan',
    what: 'another id',
    request: { contents: [user(words('x')), model(call('look', 'a')), user(response('look', 'z'))] },
    also: ['call-unanswered'],
  },
  {
    rule: 'response-name',
    what: 'another name with its id',
    request: { contents: [user(words('x')), model(call('look', 'a')), user(response('find', 'a'))] },
  },
  {
    rule: 'response-mixed',
    what: 'text behind the responses',
    request: { contents: [user(words('x')), model(call('look')), user(response('look'), words('Hurry.'))] },
  },
  {
    rule: 'signature',
    what: 'none',
    request: { contents: [user(words('x')), model(call('look')), user(response('look'))] },
    options: { signatures: true },
  },
  {
    rule: 'signature',
    what: 'only on the second',
    request: {
      contents: [
        user(words('x')),
        model(call('look', 'a'), signed(call('look', 'b'))),
        user(response('look', 'a'), response('look', 'b')),
      ],
    },
    options: { signatures: true },
  },
  {
    rule: 'signature',
    what: 'in a later step',
    request: {
      contents: [
        user(words('x')),
        model(signed(call('look'))),
        user(response('look')),
        model(call('look')),
        user(response('look')),
      ],
    },
    options: { signatures: true },
  },
  {
    rule: 'prefill',
    what: 'a model at the end',
    request: { contents: [user(words('x')), model(words('y'))] },
    options: { prefill: false },
  },
]

export const GEMINI: Judged<GeminiOptions> = {
  name: 'Gemini',
  rules: GEMINI_RULES,
  check: checkGemini,
  valid: [
    { what: 'a conversation with everything', request: REQUEST, options: { signatures: true, prefill: false } },
    {
      what: 'snake_case',
      request: {
        contents: [
          user({ file_data: { file_uri: 'x', mime_type: 'y' } }),
          model({ function_call: { name: 'look', args: { some_key: 1 } }, thought_signature: 's' }),
          user({ function_response: { name: 'look', response: { a_b: 1 } } }),
        ],
      },
      options: { signatures: true },
    },
    {
      what: 'keys of any spelling within arguments and responses',
      request: single({
        functionResponse: { name: 'look', response: withProto({ Some_Key: 1, someKey: 2, some_key: 3 }) },
      }),
    },
    { what: 'no role', request: { contents: [{ parts: [words('x')] }, ...CONTENTS] } },
    { what: 'an empty text', request: { contents: [user(words(''))] } },
    { what: 'an empty text with a signature', request: at(3, model(words('x'), signed(words('')))) },
    {
      what: 'users and models in a row',
      request: {
        contents: [user(words('x')), user(words('y')), model(words('z')), model(words('z')), user(words('x'))],
      },
    },
    { what: 'the start and the end a model’s', request: { contents: [model(words('x'))] } },
    {
      what: 'text beside the responses, for older models',
      request: { contents: [user(words('x')), model(call('look')), user(response('look'), words('Hurry.'))] },
      options: { mixed: true },
    },
    {
      what: 'two calls of one name, answered in any order',
      request: {
        contents: [
          user(words('x')),
          model(call('a'), call('b'), call('a')),
          user(response('a'), response('a'), response('b')),
        ],
      },
    },
    {
      what: 'a response without the id of its call',
      request: { contents: [user(words('x')), model(call('look', 'a')), user(response('look'))] },
    },
    {
      what: 'earlier turns without signatures',
      request: {
        contents: [user(words('x')), model(call('look')), user(response('look')), model(words('y')), user(words('z'))],
      },
      options: { signatures: true },
    },
    {
      what: 'a server’s tools',
      request: at(
        3,
        model({ toolCall: { id: 'a', tool_type: 'X' } }, { toolResponse: { id: 'a', response: {} } }, words('y')),
      ),
    },
  ],
  planted,
}

function at(place: number, ...contents: readonly Keyed[]): Keyed {
  return { ...REQUEST, contents: instead(CONTENTS, place, ...contents) }
}

function single(part: Keyed): Keyed {
  return { contents: [user(words('x')), model(call('look')), user(part)] }
}

// The parts of ModelMessages, by role and type. The SDK lets keys pass that it does not know, so they stay; a URL and bytes may be
// where an image or a file has its data, and nowhere else.

import {
  anything,
  byKind,
  either,
  fields,
  flag,
  listOf,
  matching,
  object,
  oneOf,
  text,
  type Fit,
} from '../conversation/fit.js'
import { asJson, isForeign } from './tagged.js'

/** JSON, with the address of a URL and the base64 of bytes in their place. */
const json: Fit = (value) => asJson(value)
const options = { providerOptions: jsonAfter(object) }
const id = matching(/./s)

const bytes: Fit = (value) =>
  typeof value === 'string' || (typeof value === 'object' && isForeign(value)) ? value : undefined

const TEXT = part('text', { text }, options)
const FILE = part('file', { data: bytes, mediaType: text }, { filename: text, ...options })
const IMAGE = part('image', { image: bytes }, { mediaType: text, ...options })

const OUTPUT_PART = byKind('type', {
  text: TEXT,
  media: part('media', { data: text, mediaType: text }, {}),
  'file-data': part('file-data', { data: text, mediaType: text }, { filename: text, ...options }),
  'file-url': part('file-url', { url: text }, { mediaType: text, ...options }),
  'file-id': part('file-id', { fileId: either(text, object) }, options),
  'image-data': part('image-data', { data: text, mediaType: text }, options),
  'image-url': part('image-url', { url: text }, options),
  'image-file-id': part('image-file-id', { fileId: either(text, object) }, options),
  custom: part('custom', {}, options),
})

const OUTPUT = byKind('type', {
  text: part('text', { value: text }, options),
  json: part('json', { value: json }, options),
  'error-text': part('error-text', { value: text }, options),
  'error-json': part('error-json', { value: json }, options),
  'execution-denied': part('execution-denied', {}, { reason: text, ...options }),
  content: part('content', { value: listOf(OUTPUT_PART) }, {}),
})

const RESULT = part('tool-result', { toolCallId: id, toolName: text, output: OUTPUT }, options)

export const ANSWER: Fit = part(
  'tool-approval-response',
  { approvalId: text, approved: flag },
  { reason: text, providerExecuted: flag },
)
export const REQUEST: Fit = part(
  'tool-approval-request',
  { approvalId: text, toolCallId: id },
  { signature: text, inputSchemaInput: anything },
)

/** The parts of a message, by its role. */
export const PARTS: Readonly<Record<'user' | 'assistant' | 'tool', Fit>> = {
  user: byKind('type', { text: TEXT, image: IMAGE, file: FILE }),
  assistant: byKind('type', {
    text: TEXT,
    file: FILE,
    reasoning: part('reasoning', { text }, options),
    'tool-call': part(
      'tool-call',
      { toolCallId: id, toolName: text, input: json },
      { providerExecuted: flag, ...options },
    ),
    'tool-result': RESULT,
    'tool-approval-request': REQUEST,
  }),
  tool: byKind('type', { 'tool-result': RESULT, 'tool-approval-response': ANSWER }),
}

/** The keys of a message other than role and content. */
export const MESSAGE_KEYS: Fit = fields({}, options, undefined, json)

function part(type: string, needed: Readonly<Record<string, Fit>>, optional: Readonly<Record<string, Fit>>): Fit {
  return fields({ type: oneOf(type), ...needed }, optional, undefined, json)
}

function jsonAfter(fit: Fit): Fit {
  return (value, dropped) => {
    const fitted = fit(value, dropped)
    return fitted === undefined ? undefined : asJson(fitted)
  }
}

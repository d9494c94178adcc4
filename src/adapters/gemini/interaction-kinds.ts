// The steps of an interaction and the contents in them: how each kind is read, and the keys that it may have.

import type { JsonObject, JsonValue } from '../../core/index.js'
import {
  anything,
  asCame,
  byKind,
  either,
  fields,
  type Fit,
  flag,
  isKnown,
  listOf,
  number,
  object,
  text,
} from '../conversation/fit.js'
import { SOME_IMAGE } from '../conversation/media.js'
import type { Output, OutputPart, Part } from '../conversation/neutral.js'
import {
  asOutputPart,
  callRow,
  mediaRow,
  otherRow,
  type PartReader,
  type PartRow,
  type PartTable,
  type ReadMedia,
  resultRow,
  rowsOf,
  textRow,
  typedReader,
} from '../conversation/part-reader.js'
import { isObject, type PlainObject } from '../conversation/plain-json.js'
import type { Tie } from '../conversation/steps.js'
import { knownBy, type KnowsPart } from '../conversation/wire.js'
import { wordsRow } from '../conversation/words.js'
import { codeWords, isOwnFile } from './kinds.js'

export const INTERACTIONS = 'gemini-interactions'

const type = anything
const list = asCame(listOf(anything))
const given = asCame(object)
const bytes = { type, data: text, uri: text, mime_type: text }

/** Bytes, or where they are. */
function media(keys: Readonly<Record<string, Fit>> = {}): Fit {
  const fit = fields({}, { ...bytes, ...keys })
  return (value, dropped) => {
    const fitted = fit(value, dropped)
    return isObject(fitted) && (fitted['data'] ?? fitted['uri']) !== undefined ? fitted : undefined
  }
}

/** Contents of inputs, outputs and results. */
const CONTENTS: PartTable<never> = {
  text: { read: textRow('text', true), fit: fields({ text }, { type, annotations: asCame(listOf(object)) }) },
  image: { read: mediaRow((data) => readMedia(data, SOME_IMAGE)), fit: media({ resolution: text }) },
  audio: { read: mediaRow((data) => readMedia(data)), fit: media({ channels: number, sample_rate: number }) },
  document: { read: mediaRow((data) => readMedia(data)), fit: media() },
  video: {
    read: mediaRow((data) => readMedia(data)),
    fit: media({ resolution: text, name: text, processing: asCame(either(text, object)) }),
  },
}

export const CONTENT_FIT: Fit = byKind('type', fitsIn(CONTENTS))

const RESULT = either(text, listOf(CONTENT_FIT), object)

/** Steps that are neither an input nor an output; those of the provider's own tools come in pairs. */
const STEPS: PartTable<never> = {
  thought: {
    read: readThought,
    fit: fields({}, { type, signature: text, summary: listOf(byKind('type', pick('text', 'image'))) }),
  },
  function_call: {
    read: callRow({ id: 'id', name: 'name', input: 'arguments' }),
    fit: fields({ id: text, name: text, arguments: object }, { type }),
  },
  function_result: {
    read: resultRow({ id: 'call_id', name: 'name' }, ({ result, is_error: isError }) => ({
      output: readOutput(result),
      isError: isError === true,
    })),
    fit: fields({ call_id: text, result: RESULT }, { type, name: text, is_error: flag }),
  },
  code_execution_call: {
    read: wordsRow(({ arguments: given }) => (isObject(given) ? codeWords(given) : undefined)),
    fit: call({ arguments: given }),
  },
  code_execution_result: {
    read: wordsRow(({ result }) => wordsIn(result)),
    fit: result({ result: either(text, listOf(CONTENT_FIT)) }, { is_error: flag }),
  },
  mcp_server_tool_call: { read: otherRow, fit: call({ name: text, server_name: text, arguments: object }) },
  mcp_server_tool_result: {
    read: wordsRow(({ result }) => wordsIn(result)),
    fit: result({ result: RESULT }, { name: text, server_name: text }),
  },
  google_search_call: { read: otherRow, fit: call({ arguments: given }, { search_type: text }) },
  google_search_result: { read: otherRow, fit: result({ result: list }, { is_error: flag }) },
  google_maps_call: { read: otherRow, fit: call({}, { arguments: given }) },
  google_maps_result: { read: otherRow, fit: result({ result: list }) },
  url_context_call: { read: otherRow, fit: call({ arguments: given }) },
  url_context_result: { read: otherRow, fit: result({ result: list }, { is_error: flag }) },
  file_search_call: { read: otherRow, fit: call({}) },
  file_search_result: { read: otherRow, fit: result({}, { result: list }) },
  retrieval_call: { read: otherRow, fit: call({ arguments: given }, { retrieval_type: text }) },
  retrieval_result: { read: otherRow, fit: result({}, { is_error: flag }) },
  processing_call: { read: otherRow, fit: call({}) },
  processing_result: { read: otherRow, fit: result({}) },
}

function call(needed: Readonly<Record<string, Fit>>, may: Readonly<Record<string, Fit>> = {}): Fit {
  return fields({ id: text, ...needed }, { type, signature: text, ...may })
}

function result(needed: Readonly<Record<string, Fit>>, may: Readonly<Record<string, Fit>> = {}): Fit {
  return fields({ call_id: text, ...needed }, { type, signature: text, ...may })
}

function fitsIn(table: PartTable<never>): Readonly<Record<string, Fit>> {
  return Object.fromEntries(Object.entries(table).map(([kind, { fit }]) => [kind, fit]))
}

function pick(...kinds: readonly string[]): Readonly<Record<string, Fit>> {
  return Object.fromEntries(kinds.map((kind) => [kind, CONTENTS[kind]!.fit]))
}

/** Any content or step by itself. */
export const STEP_FIT: Fit = byKind('type', { ...fitsIn(CONTENTS), ...fitsIn(STEPS) })

/** The keys of an input and of an output other than their content. */
export const INPUT_KEYS: Fit = fields({})
export const OUTPUT_KEYS: Fit = fields({}, { error: given })

const knowsContent = knownBy(CONTENT_FIT)
const knowsStep = knownBy(byKind('type', fitsIn(STEPS)))

/** True if every key of a step, or of all contents of an input or output, is known. */
export const knowsInteractionPart: KnowsPart = ({ content, envelope = {}, looksInside }) => {
  if (isObject(content)) return knowsStep({ content, looksInside })
  if (!isKnown(envelope as PlainObject, OUTPUT_KEYS, looksInside)) return false
  return !Array.isArray(content) || content.every((each: JsonValue) => knowsContent({ content: each, looksInside }))
}

/** Tools of the provider that are not known here end like those that are. */
export const readInteractionPart: PartReader = typedReader(
  INTERACTIONS,
  { ...rowsOf(CONTENTS), ...rowsOf(STEPS) },
  /_(?:call|result)$/,
)

const readContent = typedReader(INTERACTIONS, rowsOf(CONTENTS))

/** A tool of the provider may be called in one turn and give its result in the next. */
export function serverTie({ kind, shape, raw }: Pick<Part, 'kind' | 'shape' | 'raw'>): Tie | undefined {
  if (kind !== 'other' || shape !== INTERACTIONS || !isObject(raw)) return undefined
  const { type: called, id, call_id: answered } = raw
  if (typeof called !== 'string') return undefined
  if (called.endsWith('_call') && typeof id === 'string') return { opens: id }
  return called.endsWith('_result') && typeof answered === 'string' ? { answers: answered } : undefined
}

function readOutput(given: JsonValue | undefined): Output {
  if (typeof given === 'string') return { kind: 'text', text: given }
  const parts = Array.isArray(given) ? given.map((part: JsonValue) => outputPart(part)) : [undefined]
  if (!parts.includes(undefined)) return { kind: 'parts', parts: parts as OutputPart[] }
  return { kind: 'json', value: given ?? null }
}

function outputPart(part: JsonValue): OutputPart | undefined {
  return isObject(part) ? asOutputPart(readContent(part, undefined)) : undefined
}

/** The texts of a result. */
function wordsIn(given: JsonValue | undefined): string | undefined {
  const output = readOutput(given)
  if (output.kind === 'text') return output.text
  if (output.kind === 'json') return undefined
  return output.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')
}

function readThought(value: JsonObject, common: Parameters<PartRow>[1]): ReturnType<PartRow> {
  return { kind: 'reasoning', ...common, text: wordsIn(value['summary'] ?? []) }
}

function readMedia({ data, uri, mime_type: mime }: JsonObject, unknown?: string): ReadMedia | undefined {
  const mediaType = typeof mime === 'string' ? mime : unknown
  if (typeof data === 'string') return { mediaType, source: { kind: 'base64', data } }
  return typeof uri === 'string' && !isOwnFile(uri) ? { mediaType, source: { kind: 'url', url: uri } } : undefined
}

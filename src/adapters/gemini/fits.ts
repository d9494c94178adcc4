// The parts that Gemini takes, each with its one field of data. The API reads both spellings of a key.

import { anything, fields, flag, listOf, object, text, type Fit } from '../conversation/fit.js'
import type { PlainObject } from '../conversation/plain-json.js'

const INLINE = fields({ data: text, mimeType: text }, { displayName: text }, camel)
const FILE = fields({ fileUri: text }, { mimeType: text, displayName: text }, camel)

const DATA: Readonly<Record<string, Fit>> = {
  text,
  inlineData: INLINE,
  fileData: FILE,
  functionCall: fields(
    { name: text },
    { id: text, args: object, partialArgs: listOf(object), willContinue: flag },
    camel,
  ),
  functionResponse: fields(
    { name: text, response: object },
    {
      id: text,
      parts: listOf(fields({}, { inlineData: INLINE, fileData: FILE, mediaProcessing: anything }, camel)),
      scheduling: text,
      willContinue: flag,
    },
    camel,
  ),
  executableCode: object,
  codeExecutionResult: object,
  toolCall: object,
  toolResponse: object,
  audioTranscription: object,
}

const BESIDE: Readonly<Record<string, Fit>> = {
  thought: flag,
  thoughtSignature: text,
  videoMetadata: object,
  mediaResolution: object,
  mediaProcessing: anything,
  speechMetadata: object,
  partMetadata: object,
}

const ANY = fields({}, { ...DATA, ...BESIDE }, camel)

/** A part with exactly one field of data. */
export const PART: Fit = (value, dropped) => {
  const own = new Set<string>()
  const fitted = ANY(value, own) as PlainObject | undefined
  const data = Object.keys(fitted ?? {}).filter((key) => Object.hasOwn(DATA, camel(key)))
  // The other keys of a part say nothing if its data does not fit.
  if (data.length !== 1 || [...own].some((key) => Object.hasOwn(DATA, camel(key)))) return undefined
  for (const key of own) dropped.add(key)
  return fitted
}

export function camel(key: string): string {
  return key.replaceAll(/(?<=[a-z])_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

// Words of parts that only their own provider has, such as the output of code that it ran: every other provider gets them as text.

import { coversOf, type JsonObject, type JsonValue } from '../../core/index.js'
import type { Message, Output, OutputPart, Part, TextPart } from './neutral.js'
import type { PartRow } from './part-reader.js'
import { isObject } from './plain-json.js'
import type { Notes } from './request-writer.js'

/** A part that only its own format understands, with the words in it, if it has any. */
export function wordsRow(read: (data: JsonObject) => string | undefined): PartRow {
  return (data, common) => {
    const words = read(data)
    return { kind: 'other', ...common, ...(words === undefined || words.trim() === '' ? {} : { words }) }
  }
}

/**
 * The messages with the words of other formats' parts as texts; each is noted, and so are keys of texts that only the other format has. Words of a
 * picture or file come before it.
 */
export function withWords(messages: readonly Message[], format: string, notes: Notes): readonly Message[] {
  for (const { parts } of messages) for (const part of parts) noteKeys(part, format, notes)
  const isForeign = (part: Part | OutputPart): boolean => part.shape !== format && wordsOf(part) !== undefined
  const needsWords = (part: Part): boolean =>
    isForeign(part) || (part.kind === 'result' && part.output.kind === 'parts' && part.output.parts.some(isForeign))
  const inWords = (part: Part): readonly Part[] => {
    if (!needsWords(part)) return [part]
    const { record } = part
    notes.note('converted', record, `${record.id} is given as text: only the provider it came from has such a part.`)
    if (part.kind !== 'result') return asTexts(part).map((each) => ({ ...each, record }))
    if (part.output.kind !== 'parts') return [part]
    const parts = part.output.parts.flatMap((each) => (isForeign(each) ? asTexts(each) : [each]))
    return [{ ...part, output: { kind: 'parts', parts } satisfies Output }]
  }
  return messages.map((message) =>
    message.parts.some(needsWords) ? { ...message, parts: message.parts.flatMap(inWords) } : message,
  )
}

/** The words of a part, if it has any. Those of a summary are not needed where others get the nodes that it stands for. */
function wordsOf(part: Part | OutputPart): string | undefined {
  if (part.kind !== 'other' && part.kind !== 'media') return undefined
  return 'record' in part && (coversOf(part.record)?.length ?? 0) > 0 ? undefined : part.words
}

function asTexts<Given extends Part | OutputPart>(part: Given): readonly (Given | Omit<TextPart, 'record'>)[] {
  const text = wordsOf(part) ?? ''
  const said = { kind: 'text', raw: undefined, shape: undefined, text, keys: undefined } as const
  return part.kind === 'media' ? [said, part] : [said]
}

/** Notes what another format says next to a text, such as citations. */
function noteKeys(part: Part, format: string, notes: Notes): void {
  const texts = part.kind === 'result' && part.output.kind === 'parts' ? part.output.parts : [part]
  const keys = new Set(texts.flatMap((each) => (each.kind === 'text' && each.shape !== format ? keysBeside(each) : [])))
  if (keys.size === 0) return
  const { record } = part
  const names = [...keys].join(', ')
  notes.note('dropped-key', record, `The text ${record.id} is sent without ${names}: only another provider knows it.`)
}

function keysBeside({ keys, raw }: Omit<TextPart, 'record'>): readonly string[] {
  const own = keys ?? (isObject(raw) ? raw : undefined)
  if (own === undefined) return NO_NAMES
  const names = Object.keys(own)
  // Some formats have a part under its only key.
  const inner = names.length === 1 && own['type'] === undefined ? own[names[0]!] : undefined
  return isObject(inner) ? telling(inner) : telling(own)
}

function telling(values: JsonObject): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => (TEXTUAL.has(key) || isEmpty(value) ? [] : [key]))
}

function isEmpty(value: JsonValue): boolean {
  return value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)
}

const NO_NAMES: readonly string[] = []
/** Keys that are part of the text, or say how it is written; cache marks are of one request. */
const TEXTUAL: ReadonlySet<string> = new Set([
  'type',
  'text',
  'refusal',
  'content',
  'data',
  'mediaType',
  'cache_control',
  'prompt_cache_breakpoint',
])

/** Everything in a value of a provider that can be read, line by line. */
export function wordsIn(value: JsonValue | undefined): string {
  return textsIn(value)
    .filter((text) => text.trim() !== '')
    .join('\n')
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap((each: JsonValue) => textsIn(each))
  if (!isObject(value) || value['type'] === 'base64') return []
  return READABLE.flatMap((key) => textsIn(value[key]))
}

/** The keys with text that a person can read, in their order; `data` is a text unless its source is `base64`. */
const READABLE: readonly string[] = [
  'title',
  'url',
  'context',
  'source',
  'text',
  'data',
  'stdout',
  'stderr',
  'error_code',
  'error_message',
  'lines',
  'content',
]

// Words of parts that only their own provider has, such as the output of code that it ran: every other provider gets them as text.

import type { JsonObject } from '../../core/index.js'
import type { Message, OtherPart, Output, OutputPart, Part, TextPart } from './neutral.js'
import type { PartRow } from './part-reader.js'
import type { Notes } from './request-writer.js'

/** A part that only its own format understands, with the words in it, if it has any. */
export function wordsRow(read: (data: JsonObject) => string | undefined): PartRow {
  return (data, common) => {
    const words = read(data)
    return { kind: 'other', ...common, ...(words === undefined || words.trim() === '' ? {} : { words }) }
  }
}

/** The messages with the words of other formats' parts as texts; each is noted. */
export function withWords(messages: readonly Message[], format: string, notes: Notes): readonly Message[] {
  const isForeign = (part: Part | OutputPart): boolean =>
    part.kind === 'other' && part.words !== undefined && part.shape !== format
  const needsWords = (part: Part): boolean =>
    isForeign(part) || (part.kind === 'result' && part.output.kind === 'parts' && part.output.parts.some(isForeign))
  const inWords = (part: Part): Part => {
    if (!needsWords(part)) return part
    const { record } = part
    notes.note('converted', record, `${record.id} is given as text: only the provider it came from has such a part.`)
    if (part.kind === 'other') return { ...asText(part), record }
    if (part.kind !== 'result' || part.output.kind !== 'parts') return part
    const parts = part.output.parts.map((each) => (isForeign(each) ? asText(each as Omit<OtherPart, 'record'>) : each))
    return { ...part, output: { kind: 'parts', parts } satisfies Output }
  }
  return messages.map((message) =>
    message.parts.some(needsWords) ? { ...message, parts: message.parts.map(inWords) } : message,
  )
}

function asText({ words = '' }: Omit<OtherPart, 'record'>): Omit<TextPart, 'record'> {
  return { kind: 'text', raw: undefined, shape: undefined, text: words, keys: undefined }
}

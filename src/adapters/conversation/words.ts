// Words of parts that only their own provider has, such as the output of code that it ran: every other provider gets them as text.

import { coversOf, type JsonObject } from '../../core/index.js'
import type { Message, Output, OutputPart, Part, TextPart } from './neutral.js'
import type { PartRow } from './part-reader.js'
import type { Notes } from './request-writer.js'

/** A part that only its own format understands, with the words in it, if it has any. */
export function wordsRow(read: (data: JsonObject) => string | undefined): PartRow {
  return (data, common) => {
    const words = read(data)
    return { kind: 'other', ...common, ...(words === undefined || words.trim() === '' ? {} : { words }) }
  }
}

/** The messages with the words of other formats' parts as texts; each is noted. Words of a picture or file come before it. */
export function withWords(messages: readonly Message[], format: string, notes: Notes): readonly Message[] {
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

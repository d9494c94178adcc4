// Gemini's generateContent: the system instruction beside the contents, calls behind a user's words.

import type { Message } from '../conversation/neutral.js'
import { inOrder, plainJson, plainObject, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import type { Pen, RequestFormat } from '../conversation/request-format.js'
import type { GeminiOptions } from './types.js'
import { elementOf, isCall, isOwn, joinCalls, partsIn, writeContents } from './write.js'

export const GEMINI: RequestFormat<GeminiOptions> = {
  name: 'gemini',
  version: 1,
  list: 'contents',
  // It takes an empty text of its own back.
  isBlank: (text, { shape }) => text === '' && shape !== 'gemini',
  write: writeContents,
  seam: (before, after) => {
    const joined = joinCalls(before, after)
    return joined && [joined]
  },
  filler: (text) => inOrder({ role: 'user', parts: Object.freeze([inOrder({ text })]) }),
  request: (system, list, pen, { form }) => {
    const instruction = instructionOf(system, pen)
    const keys = instruction === undefined ? {} : { systemInstruction: instruction }
    const isLate = pen.repair && list[0]?.['role'] === 'model' && partsIn(list[0]).some(isCall)
    return {
      before: form === 'sdk' ? {} : keys,
      after: form === 'sdk' && instruction !== undefined ? { config: inOrder(keys) } : {},
      start: isLate ? { drop: 0, put: [FIRST] } : undefined,
    }
  },
}

/** What stands before calls that would come first. */
const FIRST: PlainObject = inOrder({ role: 'user', parts: Object.freeze([inOrder({ text: '(continued)' })]) })

function instructionOf(system: readonly Message[], pen: Pen): PlainValue | undefined {
  const [only] = system
  if (only !== undefined && system.length === 1 && isOwn(only)) {
    if (only.form !== 'list') return plainJson(only.record.content ?? '')
    return inOrder({ parts: only.parts.flatMap((part) => elementOf(part, pen)) }, plainObject(only.envelope))
  }
  const parts = system.flatMap((message) =>
    message.parts.flatMap((part) => {
      if (part.kind === 'text') return elementOf(part, pen)
      pen.note('left-out', part.record, `${part.record.id} is left out: a system instruction holds text only.`)
      return []
    }),
  )
  return parts.length === 0 ? undefined : inOrder({ parts })
}

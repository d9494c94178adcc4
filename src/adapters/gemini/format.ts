// Gemini's generateContent: the system instruction beside the contents, calls behind a user's words.

import type { Message } from '../conversation/neutral.js'
import { inOrder, plainJson, plainObject, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import type { Changes, Pen, RequestFormat } from '../conversation/request-format.js'
import { partOf } from './parts.js'
import type { GeminiOptions } from './types.js'
import { elementOf, isCall, isOwn, nodeOf, partsIn, writeContents } from './write.js'

export const GEMINI: RequestFormat<GeminiOptions> = {
  name: 'gemini',
  version: 1,
  list: 'contents',
  // It takes an empty text of its own back.
  isBlank: (text, { shape }) => text === '' && shape !== 'gemini',
  write: writeContents,
  filler: (text) => inOrder({ role: 'user', parts: Object.freeze([inOrder({ text })]) }),
  request: (system, list, pen, { form }) => {
    const instruction = pen.repair ? instructionOf(system, pen) : heldInstruction(system, pen)
    const keys = instruction === undefined ? {} : { systemInstruction: instruction }
    return {
      before: form === 'sdk' ? {} : keys,
      after: form === 'sdk' && instruction !== undefined ? { config: inOrder(keys) } : {},
      changed: pen.repair ? callsBehindUsers(list, pen) : undefined,
    }
  },
}

/** A content with calls stands behind a user's: what the model said before it is joined to it, and where nothing stands before, a line is put. */
function callsBehindUsers(list: readonly PlainObject[], pen: Pen): Changes {
  const changes = new Map<PlainObject, readonly PlainObject[]>()
  let run: PlainObject[] = []
  for (const [at, content] of list.entries()) {
    run = content['role'] === 'model' ? [...run, content] : []
    if (run.length === 0 || !partsIn(content).some(isCall)) continue
    const record = nodeOf(content)
    if (run.length > 1) {
      if (record !== undefined) pen.note('merged', record, `${record.id} is joined to what the model said before it.`)
      for (const each of run) changes.set(each, [])
      changes.set(content, [inOrder({ role: 'model', parts: Object.freeze(run.flatMap(partsIn)) })])
    }
    if (run.length <= at) continue
    if (record !== undefined)
      pen.note('added', record, `A line of the user stands before ${record.id}: Gemini wants one.`)
    changes.set(content, [FIRST, ...(changes.get(content) ?? [content])])
  }
  return changes
}

/** What stands before calls that would come first. */
const FIRST: PlainObject = inOrder({ role: 'user', parts: Object.freeze([inOrder({ text: '(continued)' })]) })

function instructionOf(system: readonly Message[], pen: Pen): PlainValue | undefined {
  const parts = system.flatMap((message) =>
    message.parts.flatMap((part): readonly PlainObject[] => {
      if (part.kind === 'text') return [partOf(part, pen)].filter((made) => made !== undefined)
      pen.note('left-out', part.record, `${part.record.id} is left out: a system instruction holds text only.`)
      return []
    }),
  )
  const [only] = system
  const role = system.length === 1 && isOwn(only!) ? only!.envelope['role'] : undefined
  return parts.length === 0
    ? undefined
    : inOrder({ role: typeof role === 'string' ? role : undefined, parts: Object.freeze(parts) })
}

function heldInstruction(system: readonly Message[], pen: Pen): PlainValue | undefined {
  const [only] = system
  if (only === undefined) return undefined
  if (system.length === 1 && isOwn(only) && only.form !== 'list') return plainJson(only.record.content ?? '')
  const parts = system.flatMap((message) => message.parts.flatMap((part) => elementOf(part, pen)))
  return inOrder({ parts }, system.length === 1 && isOwn(only) ? plainObject(only.envelope) : {})
}

// Gemini's generateContent: the system instruction beside the contents, calls behind a user's words.

import type { Message } from '../conversation/neutral.js'
import { inOrder, plainJson, plainObject, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import { askedOnce, type Changes, type Pen, type RequestFormat, type Stretch } from '../conversation/request-format.js'
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
  request: (system, list, pen, { form }, stretches) => {
    const instruction = pen.repair ? instructionOf(system, pen) : heldInstruction(system, pen)
    const keys = instruction === undefined ? {} : { systemInstruction: instruction }
    return {
      before: form === 'sdk' ? {} : keys,
      after: form === 'sdk' && instruction !== undefined ? { config: inOrder(keys) } : {},
      changed: pen.repair ? callsBehindUsers(list, stretches, pen) : undefined,
    }
  },
}

/** A content with calls stands behind a user's: what the model said before it is joined to it, and where nothing stands before, a line is put. */
function callsBehindUsers(list: readonly PlainObject[], stretches: readonly Stretch[], pen: Pen): Changes {
  const changes = new Map<PlainObject, readonly PlainObject[]>()
  let start = 0
  for (const stretch of stretches) {
    const { leading, isRight } = look(stretch)
    const end = start + (isRight ? leading : stretch.length)
    for (let at = start; at < end; at++) standBehindUser(list, at, changes, pen)
    start += stretch.length
  }
  return changes
}

/** How many contents of the model a stretch begins with, and whether each call behind them stands directly behind a user. */
const look = askedOnce((stretch) => {
  const isModel = (content: PlainObject | undefined): boolean => content?.['role'] === 'model'
  const user = stretch.findIndex((content) => !isModel(content))
  const leading = user < 0 ? stretch.length : user
  const isRight = stretch.every((content, at) => {
    return at <= leading || !isModel(content) || !isModel(stretch[at - 1]) || !partsIn(content).some(isCall)
  })
  return { leading, isRight }
})

function standBehindUser(
  list: readonly PlainObject[],
  at: number,
  changes: Map<PlainObject, readonly PlainObject[]>,
  pen: Pen,
): void {
  const content = list[at]!
  if (content['role'] !== 'model' || !partsIn(content).some(isCall)) return
  let start = at
  while (start > 0 && list[start - 1]!['role'] === 'model') start--
  const run = list.slice(start, at + 1)
  const record = nodeOf(content)
  if (run.length > 1) {
    if (record !== undefined) pen.note('merged', record, `${record.id} is joined to what the model said before it.`)
    for (const each of run) changes.set(each, [])
    changes.set(content, [inOrder({ role: 'model', parts: Object.freeze(run.flatMap(partsIn)) })])
  }
  if (start > 0) return
  if (record !== undefined)
    pen.note('added', record, `A line of the user stands before ${record.id}: Gemini wants one.`)
  changes.set(content, [FIRST, ...(changes.get(content) ?? [content])])
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

// The AI SDK's prompts: `{ system?, messages }`, since version 7 takes no system messages among the others unless told to.

import type { Message } from '../conversation/neutral.js'
import { inOrder, isObject, NO_KEYS, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import type { Pen, RequestFormat } from '../conversation/request-format.js'
import { approvedCalls } from './approvals.js'
import { AI_SDK_CACHE } from './cache.js'
import { MESSAGE_KEYS } from './fits.js'
import { untag } from './tagged.js'
import type { ModelMessageOptions } from './types.js'
import { isOwn, writeModelMessages } from './write.js'

export const AI_SDK: RequestFormat<ModelMessageOptions> = {
  name: 'ai-sdk',
  version: 1,
  list: 'messages',
  // An empty text of an assistant can be the carrier of a signature.
  isBlank: (text, { keys, record }) =>
    text === '' && !(record.role === 'assistant' && isObject(keys?.['providerOptions'])),
  cache: AI_SDK_CACHE,
  waiting: approvedCalls,
  write: writeModelMessages,
  filler: (text) => inOrder({ role: 'user', content: text }),
  request: (system, _list, pen, options) => {
    if (system.length === 0) return { before: NO_KEYS }
    // What stood among the messages stays there, unless the prompt is to be valid.
    const listed = pen.repair
      ? []
      : system.filter(({ form }) => form !== undefined && form !== 'list' && form !== 'value')
    const beside = system.filter((message) => !listed.includes(message))
    const text = systemOf(beside, pen)
    return {
      before: text === undefined ? {} : ownedText({ system: text }, beside, pen),
      start: listed.length === 0 ? undefined : { drop: 0, put: writeModelMessages(listed, pen, options) },
    }
  },
}

/** A text that is not in a message is still somebody's; of several that are one text, the first stands for them. */
function ownedText(before: { system: PlainValue }, [first]: readonly Message[], pen: Pen): { system: PlainValue } {
  return typeof before.system === 'string' && first !== undefined ? pen.ownAt(before, 'system', first.record) : before
}

/** One text; system messages where any has options of its own, or where they stood so. */
function systemOf(system: readonly Message[], pen: Pen): PlainValue | undefined {
  const [only] = system
  if (only === undefined) return undefined
  if (!pen.repair && isOwn(only) && only.form === 'value') return messageOf(only, pen)
  if (!pen.repair && isOwn(only) && only.form === 'list') return system.map((message) => messageOf(message, pen))
  if (pen.repair) {
    for (const { parts } of system) {
      for (const { kind, record } of parts) {
        if (kind !== 'text') pen.note('left-out', record, `${record.id} is left out: a system text is text only.`)
      }
    }
  }
  const said = pen.repair ? system.filter((message) => textIn(message) !== '') : system
  if (said.length === 0) return undefined
  const isList = said.some(
    (message) => isOwn(message) && (message.form === 'list' || Object.keys(message.envelope).length > 0),
  )
  return isList ? said.map((message) => messageOf(message, pen)) : said.map(textIn).join('\n\n')
}

function messageOf(message: Message, pen: Pen): PlainObject {
  const envelope = isOwn(message) ? (untag(message.envelope) as PlainObject) : {}
  const keys = pen.repair ? (MESSAGE_KEYS(envelope, new Set()) as PlainObject) : envelope
  return pen.own(inOrder({ role: 'system', content: textIn(message) }, keys), message.record)
}

function textIn({ parts }: Message): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')
}

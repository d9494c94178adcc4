// The AI SDK's prompts: `{ system?, messages }`, since version 7 takes no system messages among the others unless told to.

import type { Message } from '../conversation/neutral.js'
import { inOrder, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import type { Pen, RequestFormat } from '../conversation/request-format.js'
import { AI_SDK_CACHE } from './cache.js'
import { untag } from './tagged.js'
import type { ModelMessageOptions } from './types.js'
import { approvedCalls, isOwn, writeModelMessages } from './write.js'

export const AI_SDK: RequestFormat<ModelMessageOptions> = {
  name: 'ai-sdk',
  version: 1,
  list: 'messages',
  isBlank: (text) => text === '',
  knowsLast: true,
  cache: AI_SDK_CACHE,
  waiting: approvedCalls,
  write: writeModelMessages,
  filler: (text) => inOrder({ role: 'user', content: text }),
  request: (system, _list, pen) => {
    // What stood among the messages stays there, unless the prompt is to be valid.
    const listed = pen.repair
      ? []
      : system.filter(({ form }) => form !== undefined && form !== 'list' && form !== 'value')
    const beside = system.filter((message) => !listed.includes(message))
    const text = systemOf(beside, pen)
    return {
      before: text === undefined ? {} : ownedText({ system: text }, beside, pen),
      start: listed.length === 0 ? undefined : { drop: 0, put: writeModelMessages(listed, pen) },
      end: undefined,
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
  const isBare = (message: Message): boolean => Object.keys(message.envelope).length === 0
  if (!pen.repair && isOwn(only) && only.form === 'value') return messageOf(only, pen)
  if (!pen.repair && isOwn(only) && only.form === 'list') return system.map((message) => messageOf(message, pen))
  const texts = system.map(textIn)
  if (system.every(isBare)) return texts.join('\n\n')
  return system.map((message) => messageOf(message, pen))
}

function messageOf(message: Message, pen: Pen): PlainObject {
  const envelope = isOwn(message) ? (untag(message.envelope) as PlainObject) : {}
  return pen.own(inOrder({ role: 'system', content: textIn(message) }, envelope), message.record)
}

function textIn({ parts }: Message): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')
}

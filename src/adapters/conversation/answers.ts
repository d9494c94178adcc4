// Results as messages: those that were put behind their calls, and those that stand for what is gone.

import type { CallPart, Message, ResultPart } from './neutral.js'
import type { Notes } from './repairs.js'

/** What stands in the place of a result that the context does not have any more (D48). */
export const STUB = '[tool result no longer in context]'

export function stubOf(call: CallPart): ResultPart {
  return {
    kind: 'result',
    record: call.record,
    raw: undefined,
    shape: undefined,
    callId: call.callId,
    name: call.name,
    output: { kind: 'text', text: STUB },
    isError: true,
    isStub: true,
  }
}

/** A result in a message of its own; in the one it came in, where that held nothing else. */
export function resultMessage(part: ResultPart, message: Message | undefined): Message {
  if (message !== undefined && message.parts.length === 1) return { ...message, parts: [part] }
  return {
    record: part.record,
    place: 'core',
    role: 'tool',
    format: undefined,
    form: undefined,
    envelope: {},
    parts: [part],
  }
}

/** Whether a result is not shown where it stands; one that answers nothing is told of. */
export function isDropped({ record }: ResultPart, why: 'taken' | 'orphan' | undefined, notes: Notes): boolean {
  if (why === 'orphan') {
    const text = `The result ${record.id} is left out: no call of the id it answers stands open before it.`
    notes.note('orphan-result', record, text)
  }
  return why !== undefined
}

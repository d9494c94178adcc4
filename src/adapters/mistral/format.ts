// The form of a conversation with Mistral: like Chat Completions, with call ids of nine characters, an assistant behind the results of tools, and
// the user, a tool or a beginning of the answer at the end.

import type { RequestOptions } from '../conversation/adapter.js'
import { defineAdapter, type DefinedAdapter } from '../conversation/define-adapter.js'
import type { BlocksOptions } from '../conversation/message-options.js'
import { inOrder, NO_KEYS, type PlainObject } from '../conversation/plain-json.js'
import type { Changes } from '../conversation/request-format.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import { readMistralPart } from './kinds.js'
import { type MistralInput, readConversation, readReply, REPLIES } from './read.js'
import type { MistralRequest } from './types.js'
import { writeMessages } from './write.js'

export type MistralOptions = RequestOptions &
  BlocksOptions<'user' | 'system'> &
  Readonly<{
    /** `sdk`, the default: keys as the client `@mistralai/mistralai` spells them. `rest`: as the REST API does. */
    form?: 'sdk' | 'rest' | undefined
  }>

export const MISTRAL: DefinedAdapter<MistralInput, MistralOptions, MistralRequest> = defineAdapter({
  calls: { from: 'fromMistral', to: 'toMistral', receive: 'receiveMistral' },
  options: ['form'],
  format: {
    name: 'mistral',
    version: 5,
    list: 'messages',
    isBlank: (text) => text === '',
    write: writeMessages,
    filler: (text) => inOrder({ role: 'user', content: text }),
    request: (system, list, out, options) => {
      const texts = writeMessages(system, out, options)
      const changed = out.repair ? inValidOrder(list, texts.at(-1)?.['role'], out) : undefined
      const isAlone = out.repair && list.length === 0 && texts.length > 0
      if (isAlone)
        out.note('added', system[0]!.record, 'A line of the user is behind the system text: Mistral wants one.')
      return { before: NO_KEYS, start: { drop: 0, put: isAlone ? [...texts, FIRST] : texts }, changed }
    },
  },
  readPart: readMistralPart,
  readConversation,
  readReply,
  replies: REPLIES,
})

/** The messages that have to change for the sake of their neighbours; `before` is the role of the last system text. */
function inValidOrder(list: readonly PlainObject[], before: unknown, out: RequestWriter): Changes {
  const changes = new Map<PlainObject, readonly PlainObject[]>()
  const end = list.at(-1)
  let last = before
  for (const message of list) {
    const { role } = message
    const isLate = last === 'assistant' || last === 'tool' || message === end
    let made = message
    if (role === 'system' && isLate) {
      made = out.like(inOrder({ ...message, role: 'user' }), message)
      out.noteOf(
        message,
        'moved-system',
        (id) => `The system message ${id} is given as the user's: Mistral takes none there.`,
      )
    } else if (role === 'assistant' && (message['prefix'] === true) !== (message === end)) {
      const { prefix, ...rest } = message
      made = out.like(inOrder(prefix === true ? rest : { ...rest, prefix: true }), message)
      if (prefix === true)
        out.noteOf(message, 'dropped-key', (id) => `${id} is sent without prefix: it is not the last message.`)
      else
        out.noteOf(
          message,
          'added',
          (id) => `${id} is marked as the beginning of the answer, since it is the last message.`,
        )
    }
    const isAdded = last === 'tool' && made['role'] !== 'assistant' && made['role'] !== 'tool'
    if (isAdded)
      out.noteOf(message, 'added', (id) => `A line of the assistant is before ${id}: Mistral wants one behind results.`)
    if (isAdded || made !== message) changes.set(message, isAdded ? [CONTINUED, made] : [made])
    last = made['role']
  }
  return changes
}

const FIRST: PlainObject = inOrder({ role: 'user', content: '(no messages)' })

/** The message between results and what a user says to them. */
const CONTINUED: PlainObject = inOrder({ role: 'assistant', content: '(continued)' })

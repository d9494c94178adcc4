// The option `thinking`: which thoughts of the model a request holds.

import { describe } from '../../errors/index.js'
import { invalid } from './check-input.js'
import type { Message } from './neutral.js'
import { withParts } from './neutral.js'
import type { Notes } from './repairs.js'

/** The option of formats whose thoughts are signed. */
export type ThinkingOptions = Readonly<{
  /**
   * The thoughts of the model that are sent. `bound`, the default: those behind the same beginning as when they were made, since newer
   * models of Claude refuse others. `all`: all of them. `off`: none, for calls with thinking off.
   */
  thinking?: 'bound' | 'all' | 'off' | undefined
}>

const VALUES: readonly unknown[] = ['bound', 'all', 'off', undefined]

export function checkThinking(thinking: unknown): void {
  if (VALUES.includes(thinking)) return
  throw invalid('thinking', `The option thinking is 'bound', 'all' or 'off', not ${describe(thinking)}.`)
}

/** The messages without what the model thought. */
export function withoutThoughts(messages: readonly Message[], notes: Notes): readonly Message[] {
  return messages.flatMap((message) => {
    const parts = message.parts.filter(({ kind, record }) => {
      if (kind !== 'reasoning') return true
      notes.note('left-out', record, `The thought ${record.id} is left out: thinking is off in this call.`)
      return false
    })
    if (parts.length === message.parts.length) return [message]
    return parts.length === 0 ? [] : [withParts(message, parts)]
  })
}

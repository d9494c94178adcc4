// Who says a message, in the words that every provider has some form of.

import { hasKind, type Message } from './neutral.js'

export type Speaker = 'system' | 'developer' | 'user' | 'assistant' | 'tool'

const SPEAKERS: Readonly<Record<string, Speaker>> = {
  system: 'system',
  developer: 'developer',
  user: 'user',
  assistant: 'assistant',
  model: 'assistant',
  tool: 'tool',
  function: 'tool',
}

/** A role that nobody knows is the user's, unless the message calls a tool. */
export function speakerOf({ role, place, parts }: Message): Speaker {
  if (role === undefined) return place === 'system' ? 'system' : 'user'
  if (hasKind(parts, 'call')) return 'assistant'
  return Object.hasOwn(SPEAKERS, role) ? SPEAKERS[role]! : 'user'
}

/** Whether the role of a message is one that `speakerOf` only guesses. */
export function isGuessed({ role }: Message): boolean {
  return role !== undefined && !Object.hasOwn(SPEAKERS, role)
}

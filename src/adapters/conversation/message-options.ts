// Options about messages. `blocks` are those around the turns, documents, plans, memories: they have no role, so they are a user's by default. `thinking`
// says which thoughts of the model a request holds.

import { checkOption, checkOptions, describe, invalid, isRecord, oneOf, type OptionRule } from '../../errors/index.js'
import { type Message, type Part, type TextPart } from './neutral.js'
import type { Notes } from './request-writer.js'
import { wellFormed } from './well-formed.js'

/** Options for blocks without a role: those before and after a turn, and notes. */
export type BlocksOptions<Role extends string> = Readonly<{
  blocks?:
    | Readonly<{
        /** Who says them; the user by default. */
        role?: Role | undefined
        /** The text before each block; `{key}` and `{id}` are those of the block. */
        before?: string | undefined
        after?: string | undefined
        /** `thread` sends them before and behind their turn, as the thread has them; by default each stays where it was first sent. */
        place?: 'thread' | undefined
      }>
    | undefined
}>

/** The messages with their context blocks as the options want them. */
export function withBlocks(messages: readonly Message[], { blocks }: BlocksOptions<string>): readonly Message[] {
  let first = 0
  while (first < messages.length && !isBlock(messages[first]!)) first++
  if (first === messages.length) return messages
  return messages.map((message) => {
    if (!isBlock(message)) return message
    const { role = 'user', before = '', after = '' } = blocks ?? {}
    return { ...message, role, parts: framed(message, filled(before, message), filled(after, message)) }
  })
}

function isBlock({ role, place, format }: Message): boolean {
  return role === undefined && place !== 'system' && format === undefined
}

function filled(text: string, { record }: Message): string {
  const said = text.replaceAll(/\{(key|id)\}/g, (_, name) => (name === 'id' ? record.id : (record.rare?.key ?? '')))
  return wellFormed(said)
}

function framed({ record, parts }: Message, before: string, after: string): readonly Part[] {
  if (before === '' && after === '') return parts
  const [only] = parts
  if (only?.kind === 'text' && parts.length === 1)
    return [{ ...only, raw: undefined, text: before + only.text + after }]
  const text = (said: string): TextPart[] =>
    said === '' ? [] : [{ kind: 'text', record, raw: undefined, shape: undefined, text: said, keys: undefined }]
  // A deleted block gets no frame.
  return parts.every((part) => part.kind === 'gone') ? parts : [...text(before), ...parts, ...text(after)]
}

const TEXT: OptionRule = { form: 'a text', allows: (value) => typeof value === 'string' }

const BLOCKS: Readonly<Record<string, OptionRule>> = {
  place: { form: "'thread' or not given", allows: (value) => value === 'thread' },
  role: oneOf('user', 'system', 'developer'),
  before: TEXT,
  after: TEXT,
}

/** Refuses what says nothing about blocks; values are plain data, so that an attempt can keep them. */
export function checkBlocks(blocks: unknown): void {
  if (blocks === undefined) return
  if (!isRecord(blocks))
    throw invalid('blocks', `The option blocks is an object such as { role: 'user' }, not ${describe(blocks)}.`)
  checkOptions(blocks, BLOCKS, "{ role: 'user' }")
}

/** The option of formats whose thoughts are signed. */
export type ThinkingOptions = Readonly<{
  /**
   * The thoughts of the model that are sent. `bound`, the default: those behind the same beginning as when they were made, since newer
   * models of Claude refuse others. `all`: all of them. `off`: none, for calls with thinking off.
   */
  thinking?: 'bound' | 'all' | 'off' | undefined
}>

/** The option about parts and keys that this package does not know (wire.ts). */
export type UnknownOptions = Readonly<{
  /** Those that the same provider sent go back by default; `drop` leaves them out. */
  unknown?: 'keep' | 'drop' | undefined
}>

export const UNKNOWN: OptionRule = oneOf('keep', 'drop')

export const THINKING: OptionRule = oneOf('bound', 'all', 'off')

/** The option of formats that can show a message for one turn. */
export type ExpiryOptions = Readonly<{
  /**
   * `clear-at`: a context block with a ttl of 1 is a system message that the provider hides after its turn, and stays in requests, so that its end changes
   * nothing before later messages. By default it is a message like others, and leaves when it expires.
   */
  expiry?: 'clear-at' | undefined
}>

const EXPIRY: OptionRule = oneOf('clear-at')

/** Refuses a value that is none, and models that take no system messages. */
export function checkExpiry({ expiry, systemMessages }: ExpiryOptions & Readonly<{ systemMessages?: unknown }>): void {
  checkOption('expiry', expiry, EXPIRY)
  if (expiry === undefined || systemMessages !== 'user') return
  throw invalid(
    'expiry',
    "expiry: 'clear-at' needs system messages in mid-conversation; leave out systemMessages: 'user'.",
  )
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
    return parts.length === 0 ? [] : [{ ...message, parts: parts }]
  })
}

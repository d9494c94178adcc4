// A message as the tree holds it, for requests without repairs: to the letter, if it came in the format that is written.

import type { JsonValue } from '../../core/index.js'
import type { Message, Part } from './neutral.js'
import { inOrder, NO_KEYS, plainJson, plainObject, type PlainObject, type PlainValue } from './plain-json.js'
import type { RequestWriter } from './request-writer.js'
import { heldContent } from './specs.js'

/** The form of messages with a list of parts. */
export type HeldForm = Readonly<{
  format: string
  /** The key of the list. */
  key: 'content' | 'parts'
  /** The role, and the other keys of a message that came in this format. */
  about(message: Message): Readonly<{ role: string | undefined; envelope?: PlainObject }>
  /** A value as a request has it. */
  plain?(value: JsonValue): PlainValue
  /** One text in the place of the list, for a message of another format. */
  text?(message: Message): PlainValue | undefined
  /** A part in its own form, or in this one. */
  element(part: Part, message: Message): PlainValue | undefined
}>

export function heldMessage(message: Message, form: HeldForm, out: RequestWriter): PlainObject {
  const { record, parts } = message
  const own = message.format === form.format
  const { plain = plainJson, key } = form
  const { role, envelope = own ? (plain(plainObject(message.envelope)) as PlainObject) : NO_KEYS } = form.about(message)
  if (own && message.form === 'absent') return out.own(inOrder({ role }, envelope), record)
  const isValue = own && message.form !== 'list' && record.nodeClass === 'block'
  const value = isValue ? plain(heldContent(record.content)) : own ? undefined : form.text?.(message)
  if (value !== undefined) return out.own(inOrder({ role, [key]: value }, envelope), record)
  return inOrder({ role, [key]: parts.flatMap((part) => heldElement(part, message, form)) }, envelope)
}

/** The elements of a list that a part is: one, or none. */
export function heldElement(part: Part, message: Message, form: HeldForm): readonly PlainValue[] {
  const { record } = part
  // An element that was no object is held as it was.
  const isBare = record.kind === 'string' || record.kind === 'value'
  const made = isBare ? (form.plain ?? plainJson)(heldContent(record.content)) : form.element(part, message)
  return made === undefined ? [] : [made]
}

/** The text of a message that is one text. */
export function onlyText({ parts }: Message): string | undefined {
  const [only] = parts
  return parts.length === 1 && only!.kind === 'text' ? only!.text : undefined
}

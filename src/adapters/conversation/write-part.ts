// Parts and messages as a format writes them: as they came, where they came in this format and still are what they were, else made of what all formats
// share. Rules for arguments, names, ids and texts that several providers share.

import { parseJson } from '../../codec/index.js'
import { type JsonObject, type JsonValue, LIMITS, type NodeRecord } from '../../core/index.js'
import { PactError } from '../../errors/index.js'
import {
  type CallPart,
  isAsThought,
  type MediaPart,
  type Message,
  type OutputPart,
  type Part,
  type ResultPart,
  type TextPart,
  derivedId,
} from './neutral.js'
import {
  inOrder,
  isObject,
  NO_KEYS,
  plainJson,
  type PlainObject,
  plainObject,
  type PlainValue,
  textOf,
} from './plain-json.js'
import { droppedKeys, type Fit } from './fit.js'
import type { RequestWriter } from './request-writer.js'
import { heldContent } from './specs.js'

/** Why a part of another provider is left out. */
const NOT_ITS_OWN = 'only the provider it came from understands it'

/** Why keys of another provider are not sent. */
export const OTHERS_KNOW = 'only another provider knows it'

/** Keys of messages in other formats whose values are in a part of the message that is written. */
export const ELSEWHERE: readonly string[] = ['role', 'tool_call_id', 'tool_calls', 'call_id', 'type']

/** True if a message or part came in a format: then it can go back as it came. */
export function isOf(format: string): (message: Readonly<{ format: string | undefined }>) => boolean {
  return (message) => message.format === format
}

/** True if a text came as one, or was written by hand: it has no keys of its own. */
export function isBare({ keys, raw }: TextPart): boolean {
  return keys === undefined && raw === undefined
}

/** True if a text has no keys of its own. */
export function hasNoKeys({ keys }: Pick<TextPart, 'keys'>): boolean {
  return keys === undefined || Object.keys(keys).length === 0
}

/** The names of tools that a provider takes: their length, the characters that it refuses, and how they begin. */
export type NameRule = Readonly<{ most: number; refused: RegExp; start?: RegExp }>

/** A name that the provider takes; a number stands for names of letters, digits, `_` and `-` that have this length at most. */
export function validName(name: string, rule: number | NameRule): string {
  const { most, refused, start }: NameRule =
    typeof rule === 'number' ? { most: rule, refused: /[^a-zA-Z0-9_-]/g } : rule
  const made = name.replaceAll(refused, '_')
  const begun = made === '' || start === undefined || start.test(made) ? made : `_${made}`
  return begun.slice(0, most) || 'tool'
}

/** The name of a call as the provider takes it; a name that was changed is noted. */
export function toolName({ name, record }: CallPart, rule: number | NameRule, out: RequestWriter): string {
  const made = validName(name, rule)
  if (made !== name)
    out.note('converted', record, `The call ${record.id} is of the tool ${made}: its own name would be refused.`)
  return made
}

/** The ids of calls that a provider takes; `make` gives one for an id that it refuses. */
export type IdRule = Readonly<{ fits: RegExp; make?: (id: string) => string; why: string }>

/** The id of a call or of a result, the same for both; an id that was changed is noted with the call. */
export function callId(
  { kind, callId: id, record }: CallPart | ResultPart,
  { fits, make = derivedId, why }: IdRule,
  out: RequestWriter,
): string {
  if (fits.test(id)) return id
  const made = make(id)
  if (kind === 'call')
    out.note('renamed-id', record, `The call ${record.id} and its result have the id ${made}: ${why}.`)
  return made
}

/** The arguments of a call as an object, for providers that take nothing else. */
export function inputObject(part: CallPart, out: RequestWriter): PlainObject {
  const { value, isObjectItself } = parsedInput(part)
  const { record } = part
  if (!isObjectItself) {
    const text = `The arguments of ${record.id} are no JSON object. They are sent inside one, under "arguments".`
    out.note('converted', record, text)
  }
  return out.plain(value, record) as PlainObject
}

/**
 * A part as it came in its own format; undefined for a part of another format. `first` are the keys of a text before its other keys,
 * `as` makes of the part what the client takes.
 */
export function heldPart(
  part: Part,
  shape: string,
  first: Readonly<Record<string, string>>,
  out: RequestWriter,
  as: (value: PlainObject) => PlainObject = (value) => value,
): PlainObject | undefined {
  if (part.shape !== shape && !(isOpaque(part) && out.keepsUnknown(part.record))) return undefined
  const plain = (value: JsonObject): PlainObject => as(out.plain(value, part.record) as PlainObject)
  if (part.kind === 'text' && part.raw === undefined && part.keys !== undefined) {
    return inOrder({ ...first, text: part.text }, plain(part.keys))
  }
  return isObject(part.raw) ? plain(part.raw) : undefined
}

/** True if only the provider of a part can use it. A part that looks like another format's goes back if it came from this one. */
function isOpaque({ kind }: Part): boolean {
  return kind === 'other' || kind === 'reasoning'
}

/** A format in which a role may not say everything; `part` gives what it may say, `user` a message of the user. */
export type CarryingForm = Readonly<{
  name: string
  part(part: Part | OutputPart, record: NodeRecord, role: string, out: RequestWriter): PlainObject | undefined
  user(content: PlainValue): PlainObject
}>

/** Writes messages and items. Parts that only a user may say follow the step in a message of the user. */
export class CarryingWriter {
  protected readonly out: RequestWriter
  protected readonly made: PlainObject[] = []
  readonly #form: CarryingForm
  #carried: PlainObject[] = []

  constructor(form: CarryingForm, out: RequestWriter) {
    this.#form = form
    this.out = out
  }

  done(): readonly PlainObject[] {
    this.flush()
    return this.made
  }

  /** A message or an item as it is. */
  put(made: PlainObject): void {
    this.made.push(made)
  }

  /** Writes the parts that had to wait. */
  protected flush(): void {
    if (this.#carried.length > 0) this.made.push(this.#form.user(Object.freeze(this.#carried)))
    this.#carried = []
  }

  /** Results are messages of their own; other words of a tool are for the model to read. */
  protected role(message: Message): string {
    const speaker = this.out.speakerOf(message)
    return speaker === 'tool' ? 'user' : speaker
  }

  protected parts(parts: readonly (Part | OutputPart)[], role: string, record?: NodeRecord): readonly PlainObject[] {
    const made = parts.map((part) => this.#part(part, record ?? (part as Part).record, role))
    return made.filter((each) => each !== undefined)
  }

  #part(part: Part | OutputPart, record: NodeRecord, role: string): PlainObject | undefined {
    const made = this.#form.part(part, record, role, this.out)
    const carried = made ?? this.#form.part(part, record, 'user', this.out)
    noteName(part, carried, record, this.out)
    if (made !== undefined) return this.out.own(made, record)
    if (carried === undefined) return this.out.leaveOut({ record }, `${this.#form.name} has no place for it`)
    this.out.note('converted', record, `${record.id} is sent in a user message: no other role may have it.`)
    this.#carried.push(this.out.own(carried, record))
    return undefined
  }
}

/** An object of the format's own without the keys that the provider refuses; undefined if it does not take the object at all. One that was made here is not changed. */
export function withKeys(
  value: JsonObject,
  fit: Fit,
  record: NodeRecord,
  out: RequestWriter,
  isMade = false,
): PlainObject | undefined {
  const dropped = isMade ? droppedKeys(false, false) : out.droppedOf(record)
  const fitted = fit(value as PlainObject, dropped)
  if (fitted === undefined) return undefined
  out.dropKeys(record, [...dropped], 'it would be refused')
  return out.plain(fitted, record) as PlainObject
}

/** The texts of a result that is a list of parts. */
export function textsIn({ output }: ResultPart): readonly string[] {
  return output.kind === 'parts' ? output.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])) : []
}

/** As text: to the letter where the call has one, else JSON with every digit. */
export function inputText({ input, inputText: text }: Pick<CallPart, 'input' | 'inputText'>): string {
  return text ?? textOf(input ?? {})
}

/** The arguments; a value that is no object is put into one, under `arguments`. */
export function parsedInput({
  input,
  inputText: text,
}: Pick<CallPart, 'input' | 'inputText'>): Readonly<{ value: JsonObject; isObjectItself: boolean }> {
  const value = text === undefined ? input : inputValue(text)
  if (isObject(value)) return { value, isObjectItself: true }
  return value === undefined && text === undefined
    ? { value: {}, isObjectItself: true }
    : { value: { arguments: value ?? text ?? null }, isObjectItself: false }
}

/** The value that a text of arguments stands for, undefined for what is no JSON; a call without arguments often has an empty text. */
export function inputValue(text: string): JsonValue | undefined {
  if (text.trim() === '') return {}
  try {
    return parseJson(text, LIMITS.depth)
  } catch (error) {
    if (PactError.is(error)) return undefined
    throw error
  }
}

export type PartForm<Role extends string> = Readonly<{
  format: string
  /** The provider, as repairs call it. */
  who: string
  /** The keys of a text before its others. */
  first?: Readonly<Record<string, string>>
  /** A part that came in this format, as the client takes it. */
  plain?(value: PlainObject): PlainObject
  /** The same in a message of this role, with the id and the name of its call; undefined if the provider would refuse it. */
  own(held: PlainObject, part: Part, role: Role, out: RequestWriter): PlainObject | undefined
  text(text: string): PlainObject
  call(part: CallPart, out: RequestWriter): PlainObject
  result(part: ResultPart, out: RequestWriter): PlainObject
  media(part: MediaPart, role: Role): PlainObject | undefined
  /** Reasons why the other parts are left out. */
  leavesOut: Readonly<{ media?: string; thought?: string; other: string }>
  /** True if a thought may have been changed. */
  takesAnyThought?: boolean
}>

/** The part in a message of a role; undefined where the provider cannot have it. */
export function writtenPart<Role extends string>(
  part: Part,
  role: Role,
  form: PartForm<Role>,
  out: RequestWriter,
): PlainObject | undefined {
  const made = ownPart(part, role, form, out) ?? newPart(part, role, form, out)
  return made && out.own(made, part.record)
}

function ownPart<Role extends string>(
  part: Part,
  role: Role,
  form: PartForm<Role>,
  out: RequestWriter,
): PlainObject | undefined {
  const held = heldPart(part, form.format, form.first ?? {}, out, form.plain)
  if (held === undefined || !out.repair) return held
  if (part.kind !== 'reasoning') return form.own(held, part, role, out)
  if (form.takesAnyThought !== true && !isAsThought(part.record)) return undefined
  const thought = form.own(held, part, role, out)
  return thought && out.think(thought, part.record)
}

function newPart<Role extends string>(
  part: Part,
  role: Role,
  form: PartForm<Role>,
  out: RequestWriter,
): PlainObject | undefined {
  const { leavesOut, who } = form
  switch (part.kind) {
    case 'text':
      return form.text(part.text)
    case 'call':
      return form.call(part, out)
    case 'result':
      return form.result(part, out)
    case 'media': {
      const made = form.media(part, role) ?? out.leaveOut(part, leavesOut.media ?? leavesOut.other)
      noteName(part, made, part.record, out)
      return made
    }
    case 'reasoning': {
      const usual = isAsThought(part.record) ? NOT_ITS_OWN : `${who} takes back no thought that was changed`
      return out.leaveOut(part, leavesOut.thought ?? usual)
    }
    case 'other':
      // The words of other formats' parts are texts by now.
      if (part.words === undefined || part.shape !== form.format) return out.leaveOut(part, leavesOut.other)
      out.note('converted', part.record, `${part.record.id} is sent as text: ${leavesOut.other}.`)
      return form.text(part.words)
    case 'gone':
      return out.repair ? undefined : form.text('')
  }
}

/** Notes the name of a file that is sent without it, since the provider has no place for names. */
export function noteName(
  part: Part | OutputPart,
  made: PlainObject | undefined,
  record: NodeRecord,
  out: RequestWriter,
): void {
  const name = part.kind === 'media' ? letters(part.filename ?? '') : ''
  if (name === '' || made === undefined || hasName(made, name)) return
  out.note('dropped-key', record, `A file in ${record.id} is sent without its name: the provider has no place for it.`)
}

/** Names may be written with other punctuation, and without an ending. */
function hasName(value: PlainValue, name: string): boolean {
  if (typeof value === 'string') return value.length <= LONGEST_FILE_NAME && letters(value).includes(name)
  return typeof value === 'object' && value !== null && Object.values(value).some((each) => hasName(each, name))
}

function letters(name: string): string {
  return name
    .slice(0, LONGEST_FILE_NAME)
    .replace(/\.[a-z0-9]+$/i, '')
    .replaceAll(/[^a-z0-9]/gi, '')
}

const LONGEST_FILE_NAME = 400

/** The parts of a result; a part that is not written and not blank is noted. */
export function outputList(
  parts: readonly OutputPart[],
  record: NodeRecord,
  who: string,
  write: (part: OutputPart) => PlainObject | undefined,
  out: RequestWriter,
): readonly PlainObject[] {
  const made = parts.map((part) => {
    const block = write(part)
    noteName(part, block, record, out)
    return { part, block }
  })
  if (made.some(({ part, block }) => block === undefined && part.kind !== 'text'))
    out.note('left-out', record, `A part of the result ${record.id} is left out: ${who} cannot have it in a result.`)
  return Object.freeze(made.flatMap(({ block }) => (block === undefined ? [] : [block])))
}

/** System texts outside the messages, which hold text only. */
export function systemParts(
  parts: readonly Part[],
  why: string,
  write: (part: Part) => PlainObject | undefined,
  out: RequestWriter,
): readonly PlainObject[] {
  const made = parts.map((part) => (part.kind === 'text' ? write(part) : out.leaveOut(part, why)))
  return made.filter((each) => each !== undefined)
}

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

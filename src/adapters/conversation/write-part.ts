// Rules for writing parts that several providers share: arguments, names, texts.

import { parseJson } from '../../codec/index.js'
import { type JsonObject, type JsonValue, LIMITS } from '../../core/index.js'
import { PactError } from '../../errors/index.js'
import type { CallPart, Part, ResultPart, TextPart } from './neutral.js'
import { type PlainObject, inOrder, isObject, textOf } from './plain-json.js'
import { derivedId } from './read-part.js'
import type { RequestWriter } from './request-writer.js'

/** Why a part of another provider is left out. */
export const NOT_ITS_OWN = 'only the provider it came from understands it'

/** Why keys of another provider are not sent. */
export const OTHERS_KNOW = 'only another provider knows it'

/** True if a message or part came in a format: then it can go back as it came. */
export function isOf(format: string): (message: Readonly<{ format: string | undefined }>) => boolean {
  return (message) => message.format === format
}

/** True if a text came as one, or was written by hand: it has no keys of its own. */
export function isBare({ keys, raw }: TextPart): boolean {
  return keys === undefined && raw === undefined
}

/** A name that the provider takes: letters, digits, `_` and `-`, at most `most` of them. */
export function validName(name: string, most: number): string {
  if (name.length > 0 && name.length <= most && /^[a-zA-Z0-9_-]+$/.test(name)) return name
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, most) || 'tool'
}

/** The name of a call as the provider takes it; a name that was changed is noted. */
export function toolName({ name, record }: CallPart, most: number, out: RequestWriter): string {
  const made = validName(name, most)
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
    const text = `The arguments of ${record.id} are no JSON object; they stand in one, under "arguments".`
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
  if (part.shape !== shape) return undefined
  const plain = (value: JsonObject): PlainObject => as(out.plain(value, part.record) as PlainObject)
  if (part.kind === 'text' && part.raw === undefined && part.keys !== undefined) {
    return inOrder({ ...first, text: part.text }, plain(part.keys))
  }
  return isObject(part.raw) ? plain(part.raw) : undefined
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

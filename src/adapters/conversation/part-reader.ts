// The parts of a provider's messages, read by a table: one row for each kind of part, with the keys under which its data is.

import type { JsonObject, JsonValue } from '../../core/index.js'
import { refused, type Fit } from './fit.js'
import type { MediaPart, Output, OutputPart, ReadPart } from './neutral.js'
import { isObject } from './plain-json.js'

/** Gives the part that a value is in one format, if it is one there. `kind` is what the node calls it, if it says. */
export type PartReader = (value: JsonObject, kind: string | undefined) => ReadPart | undefined

/** The value of a part as it came, and the name of its format. */
export type PartOrigin = Readonly<{ raw: JsonValue; shape: string }>

/** Reads the data of one kind of part; `common` goes into the part. */
export type PartRow = (data: JsonObject, common: PartOrigin) => ReadPart | undefined

/** A text under a key; `isKeyed` where its other keys belong to the text and go with it. */
export function textRow(key: string, isKeyed = false): PartRow {
  return (data, common) => {
    const text = data[key]
    if (typeof text !== 'string') return undefined
    const { type: _type, text: _text, refusal: _refusal, ...keys } = data
    return { kind: 'text', ...common, text, keys: isKeyed ? keys : undefined }
  }
}

/** A call: the keys of its id, its name and its arguments. `isText` where the arguments may be JSON text. */
export function callRow(keys: Readonly<{ id: string; name: string; input: string; isText?: boolean }>): PartRow {
  return (data, common) => {
    const { [keys.id]: id, [keys.name]: name, [keys.input]: input } = data
    return typeof name === 'string' ? callPart(common, id, name, input, keys.isText === true) : undefined
  }
}

export function callPart(
  { raw, shape }: PartOrigin,
  id: JsonValue | undefined,
  name: string,
  given: JsonValue | undefined,
  mayBeText: boolean,
): ReadPart {
  const isText = mayBeText && typeof given === 'string'
  const [input, inputText] = isText ? [undefined, given] : [given, undefined]
  return { kind: 'call', raw, shape, callId: textIn(id), name, input, inputText }
}

/** A result: the keys of the id of its call and of the tool's name, and how its output is read. */
export function resultRow(
  keys: Readonly<{ id: string; name?: string }>,
  read: (data: JsonObject) => Readonly<{ output: Output; isError: boolean }>,
): PartRow {
  return (data, { raw, shape }) => {
    const { [keys.id]: id } = data
    const callId = typeof id === 'string' ? id : ''
    const name = keys.name === undefined ? undefined : data[keys.name]
    return { kind: 'result', raw, shape, callId, name: typeof name === 'string' ? name : undefined, ...read(data) }
  }
}

/** A thought, with its text under a key where it has one that can be read. */
export function thoughtRow(key?: string): PartRow {
  return (data, common) => {
    const text = key === undefined ? undefined : data[key]
    return { kind: 'reasoning', ...common, text: typeof text === 'string' ? text : undefined }
  }
}

/** The source and the type of an image, a file or a sound; undefined for one that only the provider has. */
export type ReadMedia = Partial<Pick<MediaPart, 'mediaType' | 'filename'>> & Pick<MediaPart, 'source'>

/** Media; a file that only the provider has means nothing to others. */
export function mediaRow(read: (data: JsonObject) => ReadMedia | undefined): PartRow {
  return (data, common) => {
    const media = read(data)
    if (media === undefined) return { kind: 'other', ...common }
    return { kind: 'media', ...common, mediaType: undefined, filename: undefined, ...media }
  }
}

/** A part that only its own format understands. */
export const otherRow: PartRow = (_data, common) => ({ kind: 'other', ...common })

/** A summary that the provider made of the messages before it, if `isOne`; `read` reads it as any other part. */
export function summaryRow(isOne: (data: JsonObject) => boolean, read: PartRow = otherRow): PartRow {
  return (data, common) => {
    const part = read(data, common)
    return part?.kind === 'other' && isOne(data) ? { ...part, isSummary: true } : part
  }
}

/** A kind of part: how it is read, who may say it, if that matters, and the keys that the provider takes of it. */
export type PartKind<Role extends string> = Readonly<{ read?: PartRow | undefined; by?: readonly Role[]; fit: Fit }>

/** All kinds of parts of a format, by their type or their key. */
export type PartTable<Role extends string> = Readonly<Record<string, PartKind<Role>>>

/** The rows by which a table reads parts. */
export function rowsOf(table: PartTable<string>): Readonly<Record<string, PartRow>> {
  return Object.fromEntries(
    Object.entries(table).flatMap(([kind, { read }]) => (read === undefined ? [] : [[kind, read]])),
  )
}

/** The parts that any role may say. */
export function anyFitOf(table: PartTable<string>, select: (fits: Readonly<Record<string, Fit>>) => Fit): Fit {
  return select(Object.fromEntries(Object.entries(table).map(([kind, { fit }]) => [kind, fit])))
}

/** The parts that a role may say; `select` chooses among the kinds, of which those of other roles fit nothing. */
export function fitsOf<Role extends string>(
  table: PartTable<Role>,
  select: (fits: Readonly<Record<string, Fit>>) => Fit,
): (role: Role) => Fit {
  const rows = Object.entries(table)
  const roles = [...new Set(rows.flatMap(([, { by = [] }]) => by))].map((role) => {
    const own = rows.map(([kind, { by = [], fit }]) => [kind, by.includes(role) ? fit : refused])
    return [role, select(Object.fromEntries(own) as Readonly<Record<string, Fit>>)] as const
  })
  const fits = new Map(roles)
  return (role) => fits.get(role)!
}

/** Reads parts that name their type. `others` matches types that only this format has; `read` reads them. */
export function typedReader(
  shape: string,
  rows: Readonly<Record<string, PartRow>>,
  others?: RegExp,
  read: PartRow = otherRow,
): PartReader {
  return (value) => {
    const { type } = value
    if (typeof type !== 'string') return undefined
    if (Object.hasOwn(rows, type)) return rows[type]!(value, { raw: value, shape })
    return others?.test(type) === true ? read(value, { raw: value, shape }) : undefined
  }
}

/** Reads parts whose one key says what they are, with their data under it; `rest` reads parts that no row applies to. */
export function keyedReader(
  shape: string,
  rows: Readonly<Record<string, PartRow>>,
  rest: PartRow,
  spelled: (key: string) => string = (key) => key,
): PartReader {
  return (value) => {
    // Every other format names the type of a part.
    if (value['type'] !== undefined) return undefined
    for (const key of Object.keys(rows)) {
      const data = value[key] ?? value[spelled(key)]
      if (isObject(data)) return rows[key]!(data, { raw: value, shape })
    }
    return rest(value, { raw: value, shape })
  }
}

/** The part, if a result may hold it. */
export function asOutputPart(part: ReadPart | undefined): OutputPart | undefined {
  return part?.kind === 'text' || part?.kind === 'media' || part?.kind === 'other' ? part : undefined
}

/** A text that is not empty. */
export function textIn(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

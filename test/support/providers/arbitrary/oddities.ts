// Faults of real logs, done to a valid list of messages of any format: gone, doubled, moved, emptied, unknown, and,
// if asked for, values that are not JSON.

import fc from 'fast-check'

import { isKeyed, type Keyed } from '../violations.js'
import { objectOf } from './talk.js'

/** `odd` is JSON throughout; `hostile` also has values that are not. */
export type Style = 'valid' | 'odd' | 'hostile'

/** The facts of a format that an oddity needs. */
export type Format = Readonly<{
  /** Where a message keeps its parts. */
  content: 'content' | 'parts' | 'output'
  role: string
  /** The keys that hold ids of calls. */
  ids: readonly string[]
  /** The key of a call's arguments, and whether they are text. */
  input: string
  inputIsText: boolean
  signatures: readonly string[]
  emptyText: unknown
  system: Keyed
  isResult: (message: Keyed) => boolean
}>

type Oddity = (messages: readonly Keyed[], at: number, format: Format) => readonly Keyed[]

const UNKNOWN_PART: Keyed = { type: 'hologram', hologram: { depth: 3 } }

const LISTS: Readonly<Record<string, Oddity>> = {
  gone: (messages, at) => messages.toSpliced(at, 1),
  twice: (messages, at) => messages.toSpliced(at, 0, messages[at]!),
  'first to last': (messages) => [...messages.slice(1), messages[0]!],
  'to the front': (messages, at) => [messages[at]!, ...messages.toSpliced(at, 1)],
  'from here on': (messages, at) => messages.slice(at),
  'up to here': (messages, at) => messages.slice(0, at + 1),
  'system here': (messages, at, { system }) => messages.toSpliced(at, 0, system, system),
  'no results': (messages, _, { isResult }) => messages.filter((message) => !isResult(message)),
  'results first': (messages, _, { isResult }) => [
    ...messages.filter(isResult),
    ...messages.filter((message) => !isResult(message)),
  ],
}

const MESSAGES: Readonly<Record<string, (message: Keyed, format: Format) => Keyed>> = {
  'no part': (message, { content }) => ({ ...message, [content]: [] }),
  'null content': (message, { content }) => ({ ...message, [content]: null }),
  'no content': (message, { content }) => without(message, content),
  'empty content': (message, { content }) => ({ ...message, [content]: '' }),
  'empty text': (message, format) => withPart(message, format, format.emptyText),
  'unknown part': (message, format) => withPart(message, format, UNKNOWN_PART),
  'unknown key': (message) => ({ ...message, annotations: { model: 'x', usage: [1] } }),
  __proto__: (message) => objectOf([...Object.entries(message), ['__proto__', { role: 'system' }]]),
  'unknown role': (message, { role }) => ({ ...message, [role]: 'critic' }),
  'same ids': (message, { ids }) => replaced(message, ids, () => 'same'),
  'no ids': (message, { ids }) => replaced(message, ids, () => undefined),
  'refused ids': (message, { ids }) => replaced(message, ids, (id) => `${String(id)}.${'é/'.repeat(40)}`),
  'no signature': (message, { signatures }) => replaced(message, signatures, () => undefined),
  'broken input': (message, { input, inputIsText }) =>
    replaced(message, [input], () => (inputIsText ? '{"q": [1,' : 'x')),
}

const HOSTILE: Readonly<Record<string, (message: Keyed, format: Format) => Keyed>> = {
  bigint: (message, { input }) => replaced(message, [input], () => ({ n: 2n ** 70n })),
  undefined: (message) => ({ ...message, name: undefined }),
  date: (message) => ({ ...message, at: new Date(0) }),
  'not a number': (message, { input }) => replaced(message, [input], () => ({ n: Number.NaN })),
}

/** Every name of something odd, so that a test can ask whether all come. */
export const ODDITIES: readonly string[] = [...Object.keys(LISTS), ...Object.keys(MESSAGES)]
export const HOSTILITIES: readonly string[] = Object.keys(HOSTILE)

export type Change = Readonly<{ oddity: string; at: number }>

export function changes(style: Style): fc.Arbitrary<readonly Change[]> {
  if (style === 'valid') return fc.constant([])
  const names = style === 'odd' ? ODDITIES : [...ODDITIES, ...HOSTILITIES]
  const change = fc.record({ oddity: fc.constantFrom(...names), at: fc.nat(1000) })
  return fc.array(change, { minLength: 1, maxLength: 4 })
}

export function changed(messages: readonly Keyed[], list: readonly Change[], format: Format): readonly Keyed[] {
  let result = messages
  for (const { oddity, at } of list) {
    if (result.length === 0) break
    const place = at % result.length
    const ofList = LISTS[oddity]
    const ofOne = Object.hasOwn(MESSAGES, oddity) ? MESSAGES[oddity] : HOSTILE[oddity]
    if (ofList !== undefined) result = ofList(result, place, format)
    else if (ofOne !== undefined) result = result.with(place, ofOne(result[place]!, format))
  }
  return result
}

function without(message: Keyed, key: string): Keyed {
  return objectOf(Object.entries(message).filter(([other]) => other !== key))
}

function withPart(message: Keyed, { content }: Format, part: unknown): Keyed {
  const parts: readonly unknown[] = Array.isArray(message[content]) ? message[content] : []
  return { ...message, [content]: [...parts, part] }
}

/** The message with the value under one of the keys changed, at any depth; undefined takes the key out. */
function replaced(value: Keyed, keys: readonly string[], change: (value: unknown) => unknown): Keyed {
  return objectOf(
    Object.entries(value).flatMap(([key, inner]): (readonly [string, unknown])[] => {
      const next = keys.includes(key) ? change(inner) : withinOf(inner, keys, change)
      return next === undefined ? [] : [[key, next]]
    }),
  )
}

function withinOf(value: unknown, keys: readonly string[], change: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((part: unknown) => withinOf(part, keys, change))
  const isPlain = isKeyed(value) && Object.getPrototypeOf(value) === Object.prototype
  return isPlain ? replaced(value, keys, change) : value
}

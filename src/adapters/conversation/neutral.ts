// A conversation between the tree and a request: messages with parts, as the tree holds them, each with the node it comes from.
// Every format is read into this and written from it, so that any context renders for every provider.

import { canonicalJson, DIGESTS, sha256Hex } from '../../codec/index.js'
import { KEPT_KEYS, type JsonObject, type JsonValue, type NodeRecord } from '../../core/index.js'

/** The place of a message: in `^sys`, in the core of a turn, or in the context before or after that core. */
export type Place = 'system' | 'pre' | 'core' | 'post'

export type Message = Readonly<{
  /** The block or container that it is; the first one, where several blocks make one message. */
  record: NodeRecord
  place: Place
  /** As the tree has it; undefined for notes and context blocks. */
  role: string | undefined
  /** The format it was imported from, if it was. */
  format: string | undefined
  form: Form | undefined
  /** Its other keys, as they came. */
  envelope: JsonObject
  parts: readonly Part[]
}>

/** True if there is a part of this kind. */
export function hasKind(parts: readonly Part[], kind: Part['kind']): boolean {
  return parts.some((part) => part.kind === kind)
}

export type Part = TextPart | CallPart | ResultPart | ReasoningPart | MediaPart | OtherPart | GonePart

export type PartBase = Readonly<{
  record: NodeRecord
  /** The part in its own format; undefined for a part that was written by hand. */
  raw: JsonValue | undefined
  /** The format whose part `raw` is. */
  shape: string | undefined
}>

export type TextPart = PartBase & Readonly<{ kind: 'text'; text: string; keys: JsonObject | undefined }>

export type CallPart = PartBase &
  Readonly<{
    kind: 'call'
    /** Never empty: a call without an id has one that follows from its node. */
    callId: string
    name: string
    /** The arguments as a value, if they are one. */
    input: JsonValue | undefined
    /** The arguments as they were written, in formats that have them as text; it may be no JSON. */
    inputText: string | undefined
    /** True if the tool takes any text, so that a text that is no JSON is whole. */
    isFreeText?: boolean | undefined
  }>

export type ResultPart = PartBase &
  Readonly<{
    kind: 'result'
    /** Empty for a result that names no call: it answers the first open call of its name. */
    callId: string
    /** The name of the tool, if the result or its call tells. */
    name: string | undefined
    output: Output
    isError: boolean
    /** True if it stands for a result that the context does not have any more. */
    isStub: boolean
  }>

/** The output of a tool: one text, a value, or parts. */
export type Output =
  | Readonly<{ kind: 'text'; text: string }>
  | Readonly<{ kind: 'json'; value: JsonValue }>
  | Readonly<{ kind: 'parts'; parts: readonly OutputPart[] }>

/** A part within a result; the result's node is its own. */
export type OutputPart = Omit<TextPart, 'record'> | Omit<MediaPart, 'record'> | Omit<OtherPart, 'record'>

/** A thought of a model: only the format that it came in can take it back. */
export type ReasoningPart = PartBase & Readonly<{ kind: 'reasoning'; text: string | undefined }>

/** An image, a file or a sound. */
export type MediaPart = PartBase &
  Readonly<{
    kind: 'media'
    /** Such as `image/png`; undefined where it is not said. */
    mediaType: string | undefined
    source: Readonly<{ kind: 'url'; url: string }> | Readonly<{ kind: 'base64'; data: string }>
    filename: string | undefined
    /** Words that come with it, which other providers get as a text before it. */
    words?: string
  }>

/** A part that only its own format understands. */
export type OtherPart = PartBase &
  Readonly<{
    kind: 'other'
    /** Its words as text for other providers, if they can read it. */
    words?: string
    /** True for a summary that the provider made of the messages before it. */
    isSummary?: boolean
  }>

/** A part whose content was deleted or forgotten: its node is there, and says nothing. */
export type GonePart = PartBase & Readonly<{ kind: 'gone'; callId: string | undefined }>

/** A part as a format's reader gives it: the reader knows no node. */
export type ReadPart =
  | Omit<TextPart, 'record'>
  | (Omit<CallPart, 'record' | 'callId'> & Readonly<{ callId: string | undefined }>)
  | Omit<ResultPart, 'record' | 'isStub'>
  | Omit<ReasoningPart, 'record'>
  | Omit<MediaPart, 'record'>
  | Omit<OtherPart, 'record'>

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

/** An unknown role is the user's, unless the message calls a tool. */
export function speakerOf({ role, place, parts }: Message): Speaker {
  if (role === undefined) return place === 'system' ? 'system' : 'user'
  if (hasKind(parts, 'call')) return 'assistant'
  return Object.hasOwn(SPEAKERS, role) ? SPEAKERS[role]! : 'user'
}

/** True if the role of a message is one that `speakerOf` only guesses. */
export function isGuessed({ role }: Message): boolean {
  return role !== undefined && !Object.hasOwn(SPEAKERS, role)
}

/** Attributes of the nodes that adapters make and read. */
export const ATTRIBUTES = {
  /** On a message: the format it came in. */
  format: 'data_format',
  /** On a message: how its content stood there, where the nodes do not tell. */
  form: 'data_form',
  /** On a message: its other keys. */
  message: KEPT_KEYS.message,
  /** On a reply that the provider keeps: its id there, and digests of the request and of the reply (held.ts). */
  reply: 'data_reply',
  /** On a container in `^sys` that says nothing itself: keys of the request other than its messages. */
  request: 'data_request',
  /** On a reply: the id of the container in which the provider's tools ran. */
  container: 'data_container',
  /** On a text part: its other keys. */
  part: KEPT_KEYS.part,
  /** On a thought: a digest of it, by which one that was changed is known; its provider takes it to the letter or not at all. */
  thought: DIGESTS.thought,
  /** On a part that its format's tables do not know: the format, and a digest of the part as it came (wire.ts). */
  wire: DIGESTS.wire,
  /** On a call and on its results: what ties them together. */
  callId: 'data_call_id',
  /** On a result: the name of the tool, for formats that ask for it. */
  toolName: 'data_tool_name',
  /** True on a result whose tool failed, where the content does not say it. */
  error: 'data_error',
} as const

/** Forms of the content of a message: a list of parts, one text, null, nothing at all, or another value. */
export const FORMS = ['list', 'text', 'null', 'absent', 'value'] as const

export type Form = (typeof FORMS)[number]

export function digestOf(content: JsonValue): string {
  return sha256Hex(canonicalJson(content)).slice(0, 16)
}

/** True if a thought is the one that was imported, or was written by hand: a provider takes back no other. */
export function isAsThought({ content = '', rare }: NodeRecord): boolean {
  const digest = rare?.attributes?.get(ATTRIBUTES.thought)
  return digest === undefined || digest === digestOf(content)
}

/** An id that every provider takes, the same for the same text in every rendering. */
export function derivedId(text: string): string {
  return `call_${sha256Hex(canonicalJson(text)).slice(0, 24)}`
}

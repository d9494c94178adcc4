// A conversation with Gemini, as it is sent or was logged, and Gemini's replies, as messages for a context.

import { copyJson, CUT } from '../../codec/index.js'
import type { AnyContext } from '../../context/index.js'
import type { JsonObject, JsonValue } from '../../core/index.js'
import { describe, invalid, isRecord } from '../../errors/index.js'
import { checkJson, checkList } from '../conversation/check-input.js'
import type { MessageSpec, PartSpec } from '../conversation/import-messages.js'
import type { ReadPart } from '../conversation/neutral.js'
import { isObject } from '../conversation/plain-json.js'
import type { Reply } from '../conversation/receive.js'
import { type ReplyTable, type Usage, usageOf } from '../conversation/reported.js'
import { elementSpec, heldContent, isListOf } from '../conversation/specs.js'
import { GEMINI_KEYS, readGeminiPart } from './kinds.js'
import { withWholeCalls } from './streamed-calls.js'
import { madeId } from './write.js'

/**
 * Anything that has the contents of a request, in the form of the REST call or of the client; other keys are not looked at. As for the client, the
 * contents may be a text, a content, a part, or a list of texts and parts.
 */
export type GeminiConversation = Readonly<{
  systemInstruction?: unknown
  config?: Readonly<{ systemInstruction?: unknown }> | undefined
  contents: string | object | readonly (string | object)[]
}>

export function readConversation(conversation: GeminiConversation): readonly MessageSpec[] {
  const takes = 'fromGemini takes { systemInstruction?, contents: […] }, as generateContent does.'
  const {
    contents: said,
    config,
    ...others
  }: Readonly<Record<string, unknown>> = isRecord(conversation) ? conversation : {}
  const { systemInstruction = isRecord(config) ? config['systemInstruction'] : undefined } = others
  const contents = checkList({ contents: asContents(said) }, 'contents', takes)
  let given = 0
  const calls = new Calls(() => madeId(`${given++}`))
  return [
    ...(systemInstruction === undefined ? [] : [readSystem(copyJson(systemInstruction))]),
    ...contents.map((content, i) => readContent(copyJson(content), `contents[${i}]`, calls)),
  ]
}

/** The client takes a text, a content or a part alone, and makes one content of the user of a list of parts. */
function asContents(said: unknown): unknown {
  if (typeof said === 'string') return [ofUser([said])]
  if (Array.isArray(said)) return said.some((each) => isPart(each)) ? [ofUser(said)] : said
  return isPart(said) ? [ofUser([said])] : isRecord(said) && 'parts' in said ? [said] : said
}

function ofUser(parts: readonly unknown[]): object {
  return { role: 'user', parts: parts.map((part) => (typeof part === 'string' ? { text: part } : part)) }
}

/** True for a text, and for an object that has the data of a part and no list of parts. */
function isPart(value: unknown): boolean {
  return (
    typeof value === 'string' || (isRecord(value) && !('parts' in value) && GEMINI_KEYS.some((key) => key in value))
  )
}

/** Gemini's calls often have no id: they get one, and the next response of that name has it too. */
class Calls {
  readonly #mint: () => string
  #open: { id: string; name: string }[] = []

  constructor(mint: () => string) {
    this.#mint = mint
  }

  /** The part with its id. */
  named(part: ReadPart | undefined): ReadPart | undefined {
    if (part?.kind === 'call') {
      const callId = part.callId ?? this.#mint()
      this.#open.push({ id: callId, name: part.name })
      return { ...part, callId }
    }
    if (part?.kind !== 'result') return part
    const at = this.#open.findIndex(({ id, name }) => (part.callId === '' ? name === part.name : id === part.callId))
    const [call] = at < 0 ? [] : this.#open.splice(at, 1)
    return { ...part, callId: call?.id ?? part.callId }
  }
}

/** One content; `path` is how an error calls it. */
function readContent(content: JsonValue, path: string, calls: Calls): MessageSpec {
  if (!isObject(content)) throw invalid(path, `${path} is ${describe(content)}; a content is { role, parts }.`)
  const { role, parts, ...envelope } = content
  const speaker = role === 'model' ? 'assistant' : 'user'
  return {
    role: speaker,
    isSystem: false,
    startsTurn: speaker === 'user' && !isListOf(parts, isResponse),
    format: 'gemini',
    form: parts === undefined ? 'absent' : Array.isArray(parts) ? 'list' : 'value',
    // The role, where that of the node does not tell it.
    envelope: role === (speaker === 'user' ? 'user' : 'model') ? envelope : { ...envelope, role: role ?? null },
    body: Array.isArray(parts)
      ? { parts: parts.map((part: JsonValue) => readElement(part, calls)) }
      : { content: heldContent(parts) },
  }
}

function readElement(value: JsonValue, calls: Calls): PartSpec {
  const part = isObject(value) ? calls.named(readGeminiPart(value, undefined)) : undefined
  return elementSpec(value, part, (other) => Object.keys(other)[0])
}

/** A content, or in the client's form a text, a part or a list of them. */
function readSystem(system: JsonValue): MessageSpec {
  const about = { role: 'system', isSystem: true, startsTurn: false, format: 'gemini' } as const
  if (!isObject(system) || !Array.isArray(system['parts'])) {
    return { ...about, form: typeof system === 'string' ? 'text' : 'value', envelope: {}, body: { content: system } }
  }
  const { parts, ...envelope } = system
  const calls = new Calls(() => madeId('system'))
  const body = { parts: (parts as readonly JsonValue[]).map((part) => readElement(part, calls)) }
  return { ...about, form: 'list', envelope, body }
}

function isResponse(part: JsonObject): boolean {
  return part['functionResponse'] !== undefined || part['function_response'] !== undefined
}

/** A reply: what `generateContent` gives, the content in it, or the pieces of a stream, which no client puts together. */
export function readReply(reply: unknown, ctx: AnyContext): Reply {
  const pieces = Array.isArray(reply) ? (reply as readonly unknown[]) : [reply]
  if (pieces.length === 0) throw notAReply()
  const read = pieces.map((piece) => readPiece(piece))
  const { parts, isOpen } = withWholeCalls(read.flatMap((piece) => piece.parts))
  const about: Readonly<Record<string, unknown>> = Object.assign({}, ...read.map((piece) => piece.about))
  const { finishReason: word, blockReason: blocked } = about
  return {
    // Where a prompt was blocked, or nothing was said before the end, nothing is to be sent back.
    messages: parts.length === 0 ? [] : [replyMessage(joined(parts), isOpen, ctx)],
    // Each piece counts everything before it.
    usage: read.findLast(({ usage }) => usage !== undefined)?.usage,
    stop: typeof blocked === 'string' ? blocked : typeof word === 'string' ? word : undefined,
    end: typeof blocked === 'string' ? 'filter' : undefined,
    about,
  }
}

/** Sources that the provider used for a reply. */
const SEEN = ['groundingMetadata', 'urlContextMetadata', 'citationMetadata'] as const

export const REPLIES: ReplyTable = {
  stops: {
    STOP: 'end',
    MAX_TOKENS: 'length',
    SAFETY: 'filter',
    RECITATION: 'filter',
    LANGUAGE: 'filter',
    BLOCKLIST: 'filter',
    PROHIBITED_CONTENT: 'filter',
    SPII: 'filter',
    IMAGE_SAFETY: 'filter',
    IMAGE_PROHIBITED_CONTENT: 'filter',
    IMAGE_RECITATION: 'filter',
    CONTINUATION: 'pause',
  },
  id: 'responseId',
  model: 'modelVersion',
  details: [
    'usageMetadata',
    'promptFeedback',
    'finishMessage',
    'safetyRatings',
    'continuationToken',
    'modelStatus',
    ...SEEN,
  ],
}

/** The content of a reply; a last call that did not end is cut off. */
function replyMessage(parts: JsonValue[], isOpen: boolean, ctx: AnyContext): MessageSpec {
  const message = readContent({ role: 'model', parts }, 'reply', callsOf(ctx))
  const { body } = message
  if (!isOpen || !('parts' in body)) return message
  return { ...message, body: { parts: [...body.parts.slice(0, -1), { ...body.parts.at(-1)!, stop: CUT }] } }
}

type ReplyPiece = Readonly<{ parts: readonly JsonValue[]; usage: Usage | undefined; about: object }>

/** The client's objects have more than JSON, so only the keys that are read are copied. */
function readPiece(piece: unknown): ReplyPiece {
  if (typeof piece !== 'object' || piece === null) throw notAReply()
  const { candidates, usageMetadata, promptFeedback, role, parts } = piece as Readonly<Record<string, unknown>>
  if (parts !== undefined && (role === 'model' || role === undefined)) {
    return { parts: partsOf({ parts: checkJson(parts, 'reply') }), usage: undefined, about: {} }
  }
  const isKnown = Array.isArray(candidates) || promptFeedback !== undefined || usageMetadata !== undefined
  if (!isKnown || role !== undefined) throw notAReply()
  const [first] = Array.isArray(candidates) ? (candidates as readonly unknown[]) : []
  const candidate = (typeof first === 'object' && first !== null ? first : {}) as Readonly<Record<string, unknown>>
  const { content } = candidate
  const said = content === undefined || content === null ? undefined : checkJson(content, 'reply')
  const counted = usageMetadata === undefined ? undefined : checkJson(usageMetadata, 'usageMetadata')
  return {
    parts: said === undefined ? [] : partsOf(said),
    usage: isObject(counted) ? readCounts(counted) : undefined,
    about: given({ ...piece, ...candidate, ...(promptFeedback as object | null | undefined) }),
  }
}

/** The keys that a piece has a value for: later pieces leave out what earlier ones said. */
function given(about: object): object {
  return Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined && value !== null))
}

function partsOf(content: JsonValue): readonly JsonValue[] {
  const { parts = [] } = isObject(content) ? content : { parts: null }
  if (Array.isArray(parts)) return parts as readonly JsonValue[]
  throw notAReply()
}

/** Thoughts are counted apart from the answer. */
function readCounts(counted: JsonObject): Usage | undefined {
  const { promptTokenCount: prompt, toolUsePromptTokenCount: tools } = counted
  const { candidatesTokenCount, thoughtsTokenCount: thought } = counted
  const said = candidatesTokenCount ?? (typeof thought === 'number' ? 0 : undefined)
  const output = typeof said === 'number' && typeof thought === 'number' ? said + thought : said
  // Tokens that the provider's own tools read are added to those of the prompt.
  const input = typeof prompt === 'number' && typeof tools === 'number' ? prompt + tools : prompt
  return usageOf(input, output, counted['cachedContentTokenCount'])
}

/** Joins texts that a stream cut; a text with a signature goes back in the part it came in. */
function joined(parts: readonly JsonValue[]): JsonValue[] {
  const all: JsonValue[] = []
  for (const part of parts) {
    const before = all.at(-1)
    if (isPlainText(part) && isPlainText(before) && part['thought'] === before['thought'])
      all[all.length - 1] = { ...before, text: before.text + part.text }
    else all.push(part)
  }
  return all
}

function isPlainText(part: JsonValue | undefined): part is JsonObject & { text: string } {
  if (!isObject(part) || typeof part['text'] !== 'string') return false
  return Object.keys(part).every((key) => key === 'text' || key === 'thought')
}

/** Calls without an id get one that no node of the open turn has. */
function callsOf(ctx: AnyContext): Calls {
  const dialect = '1.0'
  let n = ctx.count("^ah .block[kind='call']", { dialect })
  return new Calls(() => {
    for (;;) {
      const id = madeId(`${ctx.cycle} ${n++}`)
      if (ctx.count(`^ah .block[data_call_id='${id}']`, { dialect }) === 0) return id
    }
  })
}

function notAReply(): Error {
  return invalid(
    'reply',
    'The reply is what generateContent gives, { candidates, usageMetadata? }, a list of such pieces of a stream, or { role: "model", parts }.',
  )
}

// A conversation with Gemini, as it is sent or was logged, into messages for a context.

import { describe, PactError } from '../../errors/index.js'
import type { JsonObject, JsonValue } from '../../core/index.js'
import { copyJson } from '../../codec/index.js'
import type { MessageSpec, PartSpec } from '../conversation/import-messages.js'
import type { ReadPart } from '../conversation/neutral.js'
import { isObject } from '../conversation/plain-json.js'
import { readGeminiPart } from '../parts/gemini.js'
import { madeId } from './call-ids.js'

/** Anything that has the contents of a request; other keys are not looked at. */
export type GeminiConversation = Readonly<{ systemInstruction?: unknown; contents: readonly object[] }>

export function readConversation(conversation: GeminiConversation): readonly MessageSpec[] {
  if (typeof conversation !== 'object' || conversation === null || !Array.isArray(conversation.contents)) {
    throw new PactError(
      'E_CONTENT_INVALID',
      'fromGemini takes { systemInstruction?, contents: […] }, as generateContent does.',
      {
        name: 'contents',
      },
    )
  }
  const { systemInstruction } = conversation
  const calls = new Calls()
  return [
    ...(systemInstruction === undefined ? [] : [readSystem(copyJson(systemInstruction))]),
    ...conversation.contents.map((content, i) => readContent(copyJson(content), `contents[${i}]`, calls)),
  ]
}

/** Gemini's calls often have no id: they get one, and the response of that name that comes next has it too. */
export class Calls {
  readonly #mint: () => string
  #open: { id: string; name: string }[] = []

  constructor(mint: () => string = idsOfConversation()) {
    this.#mint = mint
  }

  idOf(part: ReadPart | undefined): string | undefined {
    if (part?.kind === 'call') {
      const id = part.callId ?? this.#mint()
      this.#open.push({ id, name: part.name })
      return id
    }
    if (part?.kind !== 'result') return undefined
    const at = this.#open.findIndex(({ id, name }) => (part.callId === '' ? name === part.name : id === part.callId))
    const [call] = at < 0 ? [] : this.#open.splice(at, 1)
    return call?.id ?? (part.callId === '' ? undefined : part.callId)
  }
}

function idsOfConversation(): () => string {
  let given = 0
  return () => madeId(`${given++}`)
}

/** One content; `path` is how an error calls it. */
export function readContent(content: JsonValue, path: string, calls: Calls): MessageSpec {
  if (!isObject(content)) {
    throw new PactError('E_CONTENT_INVALID', `${path} is ${describe(content)}; a content is { role, parts }.`, {
      name: path,
    })
  }
  const { role, parts, ...envelope } = content
  const speaker = role === 'model' ? 'assistant' : 'user'
  return {
    role: speaker,
    isSystem: false,
    startsTurn: speaker === 'user' && !isOnlyResponses(parts),
    format: 'gemini',
    form: parts === undefined ? 'absent' : Array.isArray(parts) ? 'list' : 'value',
    // What the role of the node does not tell.
    envelope: role === (speaker === 'user' ? 'user' : 'model') ? envelope : { ...envelope, role: role ?? null },
    body: Array.isArray(parts)
      ? { parts: parts.map((part: JsonValue) => readElement(part, calls)) }
      : { content: parts ?? '' },
  }
}

function readElement(value: JsonValue, calls: Calls): PartSpec {
  if (typeof value === 'string') return { content: value, kind: 'string' }
  if (!isObject(value)) return { content: value, kind: 'value' }
  const part = readGeminiPart(value, undefined)
  const callId = calls.idOf(part)
  const { text, ...keys } = value
  if (part?.kind === 'text' && typeof text === 'string') return { content: text, kind: 'text', keys }
  if (part?.kind === 'call') return { content: value, kind: 'call', callId, toolName: part.name }
  if (part?.kind === 'result') return { content: value, kind: 'result', callId, toolName: part.name }
  return { content: value, kind: part?.kind === 'reasoning' ? 'reasoning' : (Object.keys(value)[0] ?? 'value') }
}

/** A content, or in the client's form a text, a part or a list of them. */
function readSystem(system: JsonValue): MessageSpec {
  const about = { role: 'system', isSystem: true, startsTurn: false, format: 'gemini' } as const
  if (isObject(system) && Array.isArray(system['parts'])) {
    const { parts, ...envelope } = system
    return {
      ...about,
      form: 'list',
      envelope,
      body: { parts: (parts as readonly JsonValue[]).map((part) => readElement(part, new Calls())) },
    }
  }
  return { ...about, form: typeof system === 'string' ? 'text' : 'value', envelope: {}, body: { content: system } }
}

function isOnlyResponses(parts: JsonValue | undefined): boolean {
  return (
    Array.isArray(parts) && parts.length > 0 && parts.every((part: JsonValue) => isObject(part) && isResponse(part))
  )
}

function isResponse(part: JsonObject): boolean {
  return part['functionResponse'] !== undefined || part['function_response'] !== undefined
}

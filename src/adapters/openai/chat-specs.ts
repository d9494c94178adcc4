// Chat Completions messages as what is put into a context: a text is a block, parts and calls are a container of blocks, and the
// keys of a message that its nodes do not say stand in its envelope.

import type { JsonObject, JsonValue } from '../../core/index.js'
import type { MessageSpec, PartSpec } from '../conversation/import-messages.js'
import type { Form } from '../conversation/names.js'
import { isObject, textOf } from '../conversation/plain-json.js'
import { derivedId } from '../conversation/read-part.js'

const FORMAT = 'openai-chat'

/** Leading system texts go into `^sys`; what comes behind a user's message stays where it is. */
export function chatSpecs(messages: readonly JsonObject[]): readonly MessageSpec[] {
  const reader = new ChatReader()
  const leading = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  return messages.map((message, at) => reader.spec(message, leading < 0 || at < leading))
}

class ChatReader {
  /** The older calls have no ids; their results come right behind them. */
  #olderCalls = 0
  #olderId: string | undefined

  spec(message: JsonObject, isSystem: boolean): MessageSpec {
    const { role, content, ...others } = message
    const isNamed = typeof role === 'string' && role !== ''
    const envelope = isNamed || role === undefined ? others : { role, ...others }
    const about = {
      role: isNamed ? role : undefined,
      isSystem,
      startsTurn: role === 'user',
      format: FORMAT,
    } as const
    if (role === 'tool' || role === 'function') return { ...about, ...this.#result(content, envelope, role) }
    const form = formOf(content)
    const { calls, said, envelope: rest } = role === 'assistant' ? this.#assistant(envelope, form) : NONE(envelope)
    const parts = [
      ...(form === 'list' ? listed(content as readonly JsonValue[]) : textual(content, form)),
      ...said,
      ...calls,
    ]
    if (form === 'list' || calls.length + said.length > 0) return { ...about, form, envelope: rest, body: { parts } }
    return {
      ...about,
      form: form === 'text' ? undefined : form,
      envelope: rest,
      body: { content: content ?? held(form) },
    }
  }

  #result(
    content: JsonValue | undefined,
    envelope: JsonObject,
    role: 'tool' | 'function',
  ): Pick<MessageSpec, 'form' | 'envelope' | 'body'> {
    const form = formOf(content)
    const { tool_call_id: callId, tool_call_ids: callIds, name } = envelope
    const [listedId] = Array.isArray(callIds) ? (callIds as readonly JsonValue[]) : []
    const { tool_call_id: _told, ...rest } = envelope
    const isTold = isText(callId) && callIds === undefined && role === 'tool'
    const id = role === 'function' ? this.#olderId : isText(callId) ? callId : isText(listedId) ? listedId : undefined
    return {
      form: form === 'text' ? undefined : form,
      envelope: isTold ? rest : envelope,
      body: {
        content: content ?? held(form),
        kind: 'result',
        callId: id,
        toolName: isText(name) ? name : undefined,
      },
    }
  }

  /** What an assistant's message says beside its content. */
  #assistant(envelope: JsonObject, form: Form): Beside {
    const { tool_calls: calls, function_call: older, refusal, ...rest } = envelope
    const areCalls = Array.isArray(calls) && calls.length > 0
    const isOlder = isObject(older) && typeof older['name'] === 'string'
    const isRefusal = typeof refusal === 'string' && form !== 'list'
    return {
      calls: [
        ...(areCalls ? (calls as readonly JsonValue[]).map(callSpec) : []),
        ...(isOlder ? [this.#olderCall(older)] : []),
      ],
      said: isRefusal ? [{ content: { type: 'refusal', refusal }, kind: 'refusal' }] : [],
      envelope: {
        ...rest,
        ...(areCalls || calls === undefined ? {} : { tool_calls: calls }),
        ...(isOlder || older === undefined ? {} : { function_call: older }),
        ...(isRefusal || refusal === undefined ? {} : { refusal }),
      },
    }
  }

  #olderCall(older: JsonObject): PartSpec {
    this.#olderId = derivedId(`function_call ${this.#olderCalls++} ${textOf(older)}`)
    return { content: { function_call: older }, kind: 'call', callId: this.#olderId }
  }
}

type Beside = Readonly<{ calls: readonly PartSpec[]; said: readonly PartSpec[]; envelope: JsonObject }>

const NONE = (envelope: JsonObject): Beside => ({ calls: [], said: [], envelope })

function formOf(content: JsonValue | undefined): Form {
  if (content === undefined) return 'absent'
  if (content === null) return 'null'
  if (typeof content === 'string') return 'text'
  return Array.isArray(content) ? 'list' : 'value'
}

/** A block has content; what it stands for tells the form. */
function held(form: Form): JsonValue {
  return form === 'null' ? null : ''
}

/** A content that is one value, among other parts; an empty text beside calls is none. */
function textual(content: JsonValue | undefined, form: Form): readonly PartSpec[] {
  if (content === undefined || content === null || content === '') return []
  return [{ content, kind: 'text', form: form === 'value' ? 'value' : undefined }]
}

function listed(content: readonly JsonValue[]): readonly PartSpec[] {
  return content.map((part): PartSpec => {
    if (!isObject(part)) return { content: part, form: 'value' }
    const { type, text, ...keys } = part
    if (type === 'text' && typeof text === 'string') return { content: text, kind: 'text', keys }
    return { content: part, kind: isText(type) && !ROLES_OF_PARTS.has(type) ? type : undefined }
  })
}

/** Kinds that mean something to us; a part that calls itself so is still unknown. */
const ROLES_OF_PARTS: ReadonlySet<string> = new Set(['text', 'call', 'result', 'reasoning'])

function callSpec(call: JsonValue): PartSpec {
  const id = isObject(call) ? call['id'] : undefined
  return { content: call, kind: 'call', callId: isText(id) ? id : undefined }
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== ''
}

// UI messages of the AI SDK as nodes: the ModelMessages that the SDK makes of them, and next to each part the data that only the UI has. Parts that no model gets
// (data, sources, the start of a step) are kept with the node before them.

import { type Bound, canonicalJson, copyJson } from '../../codec/index.js'
import type { Covers, JsonObject, JsonValue } from '../../core/index.js'
import type { NodeSpec } from '../../edit/index.js'
import { describe, invalid } from '../../errors/index.js'
import { type MessageSpec, type PartSpec, specOf } from '../conversation/import-messages.js'
import { isObject } from '../conversation/plain-json.js'
import { readMessage } from './read.js'
import { tag } from './tagged.js'
import { keptOf, modelPart, shownPart, shownTool, type ToolPieces, UI } from './ui-parts.js'

/** A UI message of any version, with data, tools and metadata of any type. */
export type UIMessageLike = Readonly<{
  id: string
  role: 'system' | 'user' | 'assistant'
  metadata?: unknown
  parts: readonly (Readonly<{ type: string }> | Readonly<{ type: string; [key: string]: unknown }>)[]
}>

/** A UI message as JSON. */
export type UIMessageJson = Readonly<{ id: string; role: UIMessageLike['role']; parts: readonly JsonObject[] }> &
  JsonObject

/** UI messages as JSON, checked; `name` is how an error calls the list. */
export function checkUIMessages(messages: unknown, name: string): readonly UIMessageJson[] {
  if (!Array.isArray(messages)) throw invalid(name, `${name} is a list of UI messages, not ${describe(messages)}.`)
  const ids = new Set<string>()
  return messages.map((given: unknown, i) => {
    const path = `${name}[${i}]`
    const message = jsonOf(given, path)
    const { id, role, parts } = isObject(message) ? message : {}
    if (typeof id !== 'string' || !ROLES.has(role) || !Array.isArray(parts) || !parts.every(isPart)) {
      const hint =
        isObject(message) && 'content' in message ? ' This looks like a ModelMessage; use fromModelMessages.' : ''
      throw invalid(name, `${path} is no UI message: { id, role, parts } with the type of each part.${hint}`)
    }
    if (ids.has(id)) throw invalid(name, `${path} has the id of an earlier message: ${describe(id)}.`)
    ids.add(id)
    return message as UIMessageJson
  })
}

const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant'])

function isPart(part: JsonValue): boolean {
  return isObject(part) && typeof part['type'] === 'string'
}

/** As it would be stored: JSON, without keys that are undefined. */
function jsonOf(given: unknown, path: string): JsonValue {
  try {
    return copyJson(JSON.parse(JSON.stringify(given ?? null)))
  } catch (error) {
    throw invalid(path, `${path} is not JSON: ${error instanceof Error ? error.message : describe(error)}`)
  }
}

/** A UI message as the messages of a conversation, with the data of the UI. */
export type UIDraft = Readonly<{
  message: UIMessageJson
  /** Its ModelMessages. Thoughts in them may be bound before they become nodes. */
  messages: readonly MessageSpec[]
  blocks: readonly Block[]
  /** The data of the UI about the whole message. */
  ui: JsonObject
}>

/** A ModelMessage to be, and the data of the UI about it and its parts. */
type Block = {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: JsonObject[]
  ui: JsonObject
  uis: Map<number, JsonObject>
}

export function draftOf(message: UIMessageJson, path: string): UIDraft {
  const { id, metadata, role, parts, ...others } = message
  const about = {
    id,
    ...(metadata === undefined ? {} : { metadata }),
    ...(Object.keys(others).length === 0 ? {} : { others }),
  }
  if (role === 'system') return systemDraft(message, about)
  const blocks = new Blocks(role)
  for (const part of parts) blocks.add(part)
  const { made, end } = blocks.done()
  const run = new Set<JsonValue>()
  const messages = made.map((block) => {
    const model = copyJson(tag({ role: block.role, content: block.content }))
    return { ...readMessage(model, path, run), startsTurn: false }
  })
  // Words of the user may be the first of an assistant's message.
  const spoken = made[0]?.role === 'user' && role === 'assistant' ? { role } : {}
  return { message, messages, blocks: made, ui: { ...about, ...spoken, ...(end.length === 0 ? {} : { end }) } }
}

/** A system message is one text; the lengths of its parts divide it again. */
function systemDraft(message: UIMessageJson, about: JsonObject): UIDraft {
  const { parts } = message
  const texts = parts.map((part) => (part['type'] === 'text' && typeof part['text'] === 'string' ? part['text'] : ''))
  const said = parts.filter(({ type }) => type === 'text')
  const options = Object.assign({}, ...said.map((part) => part['providerMetadata'] ?? {})) as JsonObject
  const cuts = parts.map(({ text, ...part }, i) => ({
    ...part,
    ...(typeof text === 'string' ? { length: texts[i]!.length } : {}),
  }))
  const isPlain =
    parts.length === 1 && Object.keys(parts[0]!).length === 2 && parts[0]!['type'] === 'text' && texts[0] !== ''
  const envelope: JsonObject = Object.keys(options).length === 0 ? {} : { providerOptions: options }
  const spec: MessageSpec = {
    role: 'system',
    isSystem: false,
    startsTurn: false,
    format: 'ai-sdk',
    form: 'text',
    envelope,
    body: { content: texts.join('') },
  }
  return { message, messages: [spec], blocks: [], ui: isPlain ? about : { ...about, cuts } }
}

/** The blocks of a message: each step of an assistant is one, and so are its results. */
class Blocks {
  readonly #role: 'user' | 'assistant'
  readonly #made: Block[] = []
  #block: Block | undefined
  #results: JsonObject[] = []
  #answers: JsonObject[] = []
  /** Parts for the UI alone that have no node before them yet. */
  #waiting: JsonObject[] = []

  constructor(role: 'user' | 'assistant') {
    this.#role = role
  }

  add(part: JsonObject): void {
    const type = part['type'] as string
    if (this.#role === 'assistant') {
      if (type === 'step-start') this.#close()
      if (type === 'steering-message' && Array.isArray(part['parts'])) return this.#steer(part)
      if ((type.startsWith('tool-') || type === 'dynamic-tool') && typeof part['toolCallId'] === 'string') {
        if (part['state'] !== 'input-streaming') return this.#addTool(part)
      }
    }
    const model = modelPart(part, this.#role)
    if (model === undefined || isBlank(model, this.#role)) this.#waiting.push(part)
    else this.#put(model, keptOf(part, shownPart(model)!))
  }

  done(): Readonly<{ made: readonly Block[]; end: readonly JsonObject[] }> {
    this.#close()
    const last = this.#made.findLast(({ role }) => role !== 'tool')
    // The parts of a steering message are in it; these are behind it.
    if (last === undefined || 'steering' in last.ui) return { made: this.#made, end: this.#waiting }
    this.#attach(last, last.content.length - 1, 'after')
    return { made: this.#made, end: [] }
  }

  /** Keeps the waiting parts with a part for models. */
  #attach({ uis }: Block, at: number, where: 'before' | 'after'): void {
    if (this.#waiting.length > 0) uis.set(at, { ...uis.get(at), [where]: this.#waiting })
    this.#waiting = []
  }

  #put(model: JsonObject, kept?: JsonObject): void {
    this.#block ??= this.#begin(this.#role)
    const { content, uis } = this.#block
    if (kept !== undefined) uis.set(content.length, kept)
    this.#attach(this.#block, Math.max(0, content.length - 1), content.length === 0 ? 'before' : 'after')
    content.push(model)
  }

  #begin(role: Block['role']): Block {
    const block: Block = { role, content: [], ui: {}, uis: new Map() }
    this.#made.push(block)
    return block
  }

  /** Ends the step; the results of its tools follow it. */
  #close(): void {
    this.#block = undefined
    // A request has results directly behind their calls.
    const content = [...this.#results, ...this.#answers]
    if (content.length > 0) this.#begin('tool').content.push(...content)
    this.#results = []
    this.#answers = []
  }

  /** Words of the user between two steps. */
  #steer(part: JsonObject): void {
    const { parts, ...steering } = part
    this.#close()
    const inner = new Blocks('user')
    for (const each of parts as readonly JsonObject[]) inner.add(each)
    const [block] = inner.done().made
    if (block === undefined) return void this.#waiting.push(part)
    const before = this.#waiting
    this.#waiting = []
    this.#made.push({ ...block, ui: { before, steering } })
  }

  #addTool(part: JsonObject): void {
    const pieces = piecesOf(part)
    const { call, request, answer, result } = pieces
    const isRun = part['providerExecuted'] === true
    this.#put(call, keptOf(part, shownTool(pieces)))
    if (request !== undefined) this.#put(request)
    if (result !== undefined && isRun) this.#put(result)
    if (answer !== undefined) this.#answers.push(answer)
    if (result !== undefined && !isRun) this.#results.push(result)
  }
}

/** True for a text that no request has. */
function isBlank({ type, text, providerOptions }: JsonObject, role: 'user' | 'assistant'): boolean {
  return type === 'text' && text === '' && (role === 'user' || providerOptions === undefined)
}

/** A tool part as the call, the request for approval, its answer and the result that it stands for. */
function piecesOf(part: JsonObject): ToolPieces {
  const { type, toolCallId: id, state, input, rawInput, output, errorText, providerExecuted, approval } = part
  const { callProviderMetadata: options, resultProviderMetadata: told } = part
  const toolName = type === 'dynamic-tool' ? textOr(part['toolName'], 'tool') : (type as string).slice('tool-'.length)
  const about = { toolCallId: id!, toolName }
  const own = options ?? (state === 'output-error' ? told : undefined)
  const isRun = providerExecuted === true
  const call: JsonObject = {
    type: 'tool-call',
    ...about,
    input: input ?? (state === 'output-error' ? rawInput : undefined) ?? {},
    ...(typeof providerExecuted === 'boolean' ? { providerExecuted } : {}),
    ...(isObject(own) ? { providerOptions: own } : {}),
  }
  const toldOf = isRun ? (told ?? options) : options
  const result = (said: JsonObject): JsonObject => ({
    type: 'tool-result',
    ...about,
    output: said,
    ...(isObject(toldOf) ? { providerOptions: toldOf } : {}),
  })
  const { request, answer } = isObject(approval) ? approvalPieces(approval, id!, providerExecuted) : NO_APPROVAL
  const reason = isObject(approval) && typeof approval['reason'] === 'string' ? approval['reason'] : undefined
  const pieces = { call, request, answer }
  if (state === 'output-available') {
    const value = output ?? null
    return { ...pieces, result: result(typeof value === 'string' ? { type: 'text', value } : { type: 'json', value }) }
  }
  if (state === 'output-error')
    return { ...pieces, result: result({ type: isRun ? 'error-json' : 'error-text', value: errorText ?? '' }) }
  if (isRun) return pieces
  if (state === 'output-denied')
    return { ...pieces, result: result({ type: 'error-text', value: reason ?? 'Tool call execution denied.' }) }
  const isRefused = state === 'approval-responded' && answer?.['approved'] === false
  return isRefused
    ? { ...pieces, result: result({ type: 'execution-denied', ...(reason === undefined ? {} : { reason }) }) }
    : pieces
}

const NO_APPROVAL = { request: undefined, answer: undefined }

function approvalPieces(
  { id: approvalId, approved, reason, requestReason, isAutomatic, signature, inputSchemaInput }: JsonObject,
  toolCallId: JsonValue,
  providerExecuted: JsonValue | undefined,
): Pick<ToolPieces, 'request' | 'answer'> {
  const request = {
    type: 'tool-approval-request',
    approvalId,
    toolCallId,
    reason: requestReason,
    isAutomatic,
    signature,
    inputSchemaInput,
  }
  const answer = { type: 'tool-approval-response', approvalId, approved, reason, providerExecuted }
  return { request: given(request), answer: typeof approved === 'boolean' ? given(answer) : undefined }
}

function given(keys: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined)) as JsonObject
}

/** The node of a UI message: a container of its ModelMessages. It has no role, so another message can take its place. */
export function nodeOf({ message: { role }, messages, blocks, ui }: UIDraft, covers: () => Covers): NodeSpec {
  const nodes = messages.map((each, i) => withUi(specOf(each, covers), blocks[i]))
  const empty: MessageSpec = { ...NOTHING, role }
  return { children: nodes.length === 0 ? [specOf(empty)] : nodes, removable: true, [UI]: ui }
}

/** A message without a part for models, which no request has. */
const NOTHING: Omit<MessageSpec, 'role'> = {
  isSystem: false,
  startsTurn: false,
  format: 'ai-sdk',
  form: 'list',
  envelope: {},
  body: { parts: [] },
}

function withUi(node: NodeSpec, block: Block | undefined): NodeSpec {
  if (block === undefined) return node
  const { ui, uis } = block
  const children = node.children?.map((child, i) => (uis.has(i) ? { ...child, [UI]: uis.get(i)! } : child))
  return {
    ...node,
    ...(children === undefined ? {} : { children }),
    ...(Object.keys(ui).length === 0 ? {} : { [UI]: ui }),
  }
}

/** The same draft with known digests of its thoughts, by their content. */
export function withBounds(draft: UIDraft, known: ReadonlyMap<string, Bound>): UIDraft {
  if (known.size === 0) return draft
  const keep = (part: PartSpec): PartSpec => ({ ...part, bound: known.get(canonicalJson(part.content)) })
  const messages = draft.messages.map((each) =>
    'parts' in each.body ? { ...each, body: { parts: each.body.parts.map(keep) } } : each,
  )
  return { ...draft, messages }
}

function textOr(value: unknown, instead: string): string {
  return typeof value === 'string' ? value : instead
}

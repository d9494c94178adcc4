// UI messages of a tree. Nodes that came from a UI message give it back; others (of runOn, of another provider, by hand) are shown as the SDK would show
// them: a message of the assistant holds all steps up to the next message of the user.

import { type AnyContext, renderSource, type Snapshot } from '../../context/index.js'
import { type JsonObject, type JsonValue, type Lens, type NodeRecord, shedOf, withOriginal } from '../../core/index.js'
import { Branch, recordOf, regionOf, type TreeNode, type View } from '../../timeline/index.js'
import { type Message, type Part, speakerOf } from '../conversation/neutral.js'
import { isObject } from '../conversation/plain-json.js'
import { messagesOf, systemMessages } from '../conversation/read-messages.js'
import { objectIn, partsOf } from '../conversation/read-part.js'
import { RequestWriter } from '../conversation/request-writer.js'
import type { UIMessageJson } from './from-ui.js'
import { shownPart, shownTool, UI, withKept } from './ui-parts.js'
import { PART } from './write.js'

/** A UI message, and the nodes that say it. */
export type Shown = Readonly<{
  message: UIMessageJson
  /** One container, if it came from a UI message and nothing was added since. */
  nodes: readonly NodeRecord[]
  isSystem: boolean
}>

export function shownIn(source: AnyContext | Snapshot, lens?: Lens): readonly Shown[] {
  const { view } = renderSource(source, lens)
  const groups: Group[] = []
  for (const message of messagesIn(view)) {
    const last = groups.at(-1)
    if (last?.takes(message) === true) last.add(message)
    else if (isShown(message)) groups.push(new Group(message))
  }
  return groups
    .map((group) => group.shown())
    .filter(({ message: { parts }, nodes }) => parts.length > 0 || hasId(nodes))
}

function hasId([first]: readonly NodeRecord[]): boolean {
  return first !== undefined && ownerId(first) !== undefined
}

/** The id of the UI message that a node came from. */
export function ownerId(record: NodeRecord): string | undefined {
  const id = objectIn(record, UI)?.['id']
  return typeof id === 'string' ? id : undefined
}

/** A message of the tree, and the node of the UI message that it belongs to, if it came from one. */
type Held = Readonly<{ message: Message; owner: NodeRecord | undefined }>

function messagesIn({ tree }: View): readonly Held[] {
  const system = regionOf(tree, '^sys')
  const owners = new Map<string, NodeRecord>()
  const turns = [...(regionOf(tree, '^seq').children.toArray() as readonly Branch[]), regionOf(tree, '^ah')]
  for (const branch of [system, ...turns]) addOwners(owners, branch, undefined)
  const held = (message: Message): Held => ({ message, owner: owners.get(message.record.id) })
  // Other system texts are the program's own.
  const told = systemMessages(system, recordOf)
    .map(held)
    .filter(({ owner }) => owner !== undefined)
  return [
    ...told,
    ...turns
      .flatMap((turn) => messagesOf(turn))
      .filter(({ place }) => place === 'core')
      .map(held),
  ]
}

function addOwners(owners: Map<string, NodeRecord>, node: TreeNode, above: NodeRecord | undefined): void {
  const record = recordOf(node)
  const owner = above ?? (ownerId(record) === undefined ? undefined : record)
  if (owner !== undefined) owners.set(record.id, owner)
  if (node instanceof Branch) for (const child of node.children.toArray()) addOwners(owners, child, owner)
}

function isShown({ message, owner }: Held): boolean {
  if (owner !== undefined) return true
  return message.role !== undefined && message.parts.some(({ kind }) => kind !== 'gone')
}

/** The messages of the tree that one UI message shows. */
class Group {
  readonly #role: UIMessageJson['role']
  readonly #owner: NodeRecord | undefined
  readonly #held: Held[]

  constructor(first: Held) {
    const isAssistants = first.owner !== undefined && objectIn(first.owner, UI)?.['role'] === 'assistant'
    const speaker = isAssistants ? 'assistant' : speakerOf(first.message)
    this.#role = speaker === 'user' ? 'user' : speaker === 'system' || speaker === 'developer' ? 'system' : 'assistant'
    this.#owner = first.owner
    this.#held = [first]
  }

  /** All of an owner, and all that an assistant goes on to say. */
  takes({ message, owner }: Held): boolean {
    if (owner !== undefined) return owner === this.#owner
    const speaker = speakerOf(message)
    return this.#role === 'assistant' && (speaker === 'assistant' || speaker === 'tool')
  }

  add(held: Held): void {
    this.#held.push(held)
  }

  shown(): Shown {
    const ui = (this.#owner && objectIn(this.#owner, UI)) ?? {}
    const others = isObject(ui['others']) ? ui['others'] : {}
    const metadata = 'metadata' in ui ? { metadata: ui['metadata']! } : {}
    const first = this.#held[0]!.message
    const id = typeof ui['id'] === 'string' ? ui['id'] : first.record.id
    const parts = this.#role === 'system' ? systemParts(first, ui) : this.#parts(ui)
    return {
      message: { id, role: this.#role, ...metadata, parts, ...others },
      nodes: this.#nodes(),
      isSystem: first.place === 'system',
    }
  }

  #parts(ui: JsonObject): readonly JsonObject[] {
    const pieces = new Pieces(this.#held.flatMap(({ message }) => message.parts))
    const parts = this.#held.flatMap(({ message, owner }) => {
      const own = objectIn(message.record, UI)
      const isStep = owner === undefined && this.#role === 'assistant' && speakerOf(message) === 'assistant'
      const shown = message.parts.flatMap((part) => {
        const beside = besideOf(part, message)
        return [...listIn(beside, 'before'), ...pieces.shown(part), ...listIn(beside, 'after')]
      })
      const steering = own?.['steering']
      const all = isObject(steering) ? [{ ...steering, parts: shown }] : shown
      return [...listIn(own, 'before'), ...(isStep && shown.length > 0 ? [STEP] : []), ...all]
    })
    return [...parts, ...listIn(ui, 'end')]
  }

  #nodes(): readonly NodeRecord[] {
    const nodes = this.#held.flatMap(({ message, owner }) =>
      owner === undefined && message.record.nodeClass === 'block'
        ? message.parts.map(({ record }) => record)
        : [owner ?? message.record],
    )
    return [...new Map(nodes.map((node) => [node.id, node])).values()]
  }
}

const STEP: JsonObject = { type: 'step-start' }

/** The data of the UI about a part, unless it is about the whole message. */
function besideOf({ record }: Part, message: Message): JsonObject | undefined {
  return record === message.record ? undefined : objectIn(record, UI)
}

function systemParts({ parts }: Message, ui: JsonObject): readonly JsonObject[] {
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')
  const cuts = listIn(ui, 'cuts')
  const lengths = cuts.map(({ length }) => (typeof length === 'number' ? length : 0))
  const isWhole = lengths.reduce((sum, length) => sum + length, 0) === text.length
  if (cuts.length === 0 || !isWhole) return text === '' ? [] : [{ type: 'text', text }]
  let at = 0
  return cuts.map(({ length, ...part }) => {
    if (typeof length !== 'number') return part
    return { ...part, text: text.slice(at, (at += length)) }
  })
}

/** The parts of one UI message, as ModelMessages have them: a tool part is made of several. */
class Pieces {
  readonly #models = new Map<Part, JsonObject>()
  readonly #results = new Map<unknown, JsonObject>()
  readonly #requests = new Map<unknown, JsonObject>()
  readonly #answers = new Map<unknown, JsonObject>()

  constructor(parts: readonly Part[]) {
    for (const part of parts) {
      const model = modelOf(part)
      if (model === undefined) continue
      this.#models.set(part, model)
      const { type, toolCallId, approvalId } = model
      if (type === 'tool-result') this.#results.set(toolCallId, model)
      if (type === 'tool-approval-request') this.#requests.set(toolCallId, model)
      if (type === 'tool-approval-response') this.#answers.set(approvalId, model)
    }
  }

  shown(part: Part): readonly JsonObject[] {
    const model = this.#models.get(part)
    if (model === undefined) return []
    const made = model['type'] === 'tool-call' ? this.#tool(model) : shownPart(model)
    return made === undefined ? [] : [withKept(made, objectIn(part.record, UI))]
  }

  #tool(call: JsonObject): JsonObject {
    const { toolCallId } = call
    const request = this.#requests.get(toolCallId)
    const answer = request && this.#answers.get(request['approvalId'])
    return shownTool({ call, request, answer, result: this.#results.get(toolCallId) })
  }
}

/** A part as ModelMessages have it. The content of a shed result is the original. */
function modelOf(given: Part): JsonObject | undefined {
  const part =
    shedOf(given.record) === undefined ? given : (partsOf(withOriginal(given.record), given.shape)[0] ?? given)
  const { kind, raw, shape } = part
  if (shape === 'ai-sdk' && isObject(raw))
    return kind === 'call' || kind === 'result' ? { ...raw, toolCallId: part.callId } : raw
  const out = new RequestWriter({ format: 'ai-sdk', repair: true, dropsUnknown: false }, NO_IDS, false)
  switch (kind) {
    case 'text':
      return { type: 'text', text: part.text, ...(shape === 'ai-sdk' ? part.keys : {}) }
    case 'reasoning':
      return part.text === undefined ? undefined : { type: 'reasoning', text: part.text }
    case 'call':
      return PART.call(part, out)
    case 'result':
      return PART.result(part, out)
    case 'media':
      return PART.media(part, 'assistant')
    default:
      return undefined
  }
}

const NO_IDS: ReadonlySet<string> = new Set()

function listIn(ui: JsonObject | undefined, name: string): readonly JsonObject[] {
  const list: JsonValue | undefined = ui?.[name]
  return Array.isArray(list) ? (list as readonly JsonValue[]).filter(isObject) : []
}

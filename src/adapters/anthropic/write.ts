// Messages of a turn as Claude takes them: user and assistant, results in a user's message directly behind the calls, thoughts as they came.

import type { Message, Part } from '../conversation/neutral.js'
import { inOrder, plainJson, plainObject, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import { derivedId } from '../conversation/read-part.js'
import type { Pen } from '../conversation/request-format.js'
import { blockOf } from './blocks.js'
import type { AnthropicOptions } from './types.js'

export function writeMessages(
  messages: readonly Message[],
  pen: Pen,
  options: AnthropicOptions,
): readonly PlainObject[] {
  if (!pen.repair) return messages.map((message) => asHeld(message, pen))
  const ids = new CallIds(pen)
  const written: PlainObject[] = []
  let last: Message | undefined
  for (const message of messages) {
    const made = writeMessage(message, ids, pen, options)
    if (made === undefined) continue
    if (last !== undefined && isResults(last) && isResults(message) && !(isOwn(last) && isOwn(message))) {
      // The results of one step from several messages.
      const before = written.pop()!
      written.push(
        inOrder({
          role: 'user',
          content: [...(before['content'] as PlainValue[]), ...(made['content'] as PlainValue[])],
        }),
      )
    } else written.push(made)
    last = message
  }
  return withWholeServerTools(written, pen)
}

/** Call ids as Claude takes them: of these characters, and each once in a request. */
class CallIds {
  readonly #pen: Pen
  readonly #seen = new Set<string>()
  /** The ids of the last step, by what its results call them. */
  #step = new Map<string, string>()

  constructor(pen: Pen) {
    this.#pen = pen
  }

  of(part: Part): string {
    if (part.kind === 'result') return this.#step.get(part.callId) ?? part.callId
    if (part.kind !== 'call') return ''
    const id = this.#fitting(part.callId)
    this.#step.set(part.callId, id)
    this.#seen.add(id)
    if (id !== part.callId) {
      this.#pen.note(
        'renamed-id',
        part.record,
        `The call ${part.record.id} has the id ${id} here: Claude refuses its own, or has it already.`,
      )
    }
    return id
  }

  #fitting(callId: string): string {
    const isFree = (id: string): boolean => !this.#seen.has(id) && !this.#pen.taken.has(id)
    if (FITTING.test(callId) && isFree(callId)) return callId
    for (let n = 1; ; n++) {
      const id = derivedId(n === 1 ? callId : `${callId} ${n}`)
      if (isFree(id)) return id
    }
  }
}

const FITTING = /^[a-zA-Z0-9_-]+$/

function writeMessage(message: Message, ids: CallIds, pen: Pen, options: AnthropicOptions): PlainObject | undefined {
  const role = roleOf(message, pen, options)
  if (Object.keys(message.envelope).length > 0 && isOwn(message)) {
    const keys = Object.keys(message.envelope).join(', ')
    pen.note(
      'dropped-key',
      message.record,
      `The keys ${keys} of ${message.record.id} are left out: Claude refuses them.`,
    )
  }
  const [only] = message.parts
  if (message.parts.length === 1 && only!.kind === 'text' && only!.keys === undefined && only!.raw === undefined) {
    return pen.own(inOrder({ role, content: only!.text }), message.record)
  }
  const blocks = message.parts
    .filter((part) => isAllowed(part, role, pen, options))
    .map((part) => blockOf(part, ids.of(part), pen))
    .filter((block) => block !== undefined)
  if (role === 'assistant') dropLastThoughts(blocks, message, pen)
  return blocks.length === 0 ? undefined : inOrder({ role, content: blocks })
}

/** A thought that nothing follows from any more cannot be given back. */
function dropLastThoughts(blocks: PlainObject[], { record }: Message, pen: Pen): void {
  while (blocks.length > 0 && isThought(blocks.at(-1)!)) {
    pen.note('left-out', record, `A thought at the end of ${record.id} is left out: nothing follows from it any more.`)
    blocks.pop()
  }
}

/** What a role may not say. */
function isAllowed(part: Part, role: string, pen: Pen, { thinking }: AnthropicOptions): boolean {
  if (thinking === 'off' && part.kind === 'reasoning') {
    pen.note('left-out', part.record, `The thought ${part.record.id} is left out: thinking is off in this call.`)
    return false
  }
  if (part.kind !== 'media' || role !== 'assistant' || part.shape === 'anthropic') return true
  pen.note('left-out', part.record, `${part.record.id} is left out: Claude's own messages hold no images or files.`)
  return false
}

function roleOf({ role, record }: Message, pen: Pen, { systemMessages = 'keep' }: AnthropicOptions): string {
  if (role === 'assistant' || role === 'model') return 'assistant'
  if (role !== 'system' && role !== 'developer') return 'user'
  if (systemMessages === 'keep') return 'system'
  pen.note(
    'moved-system',
    record,
    `The system message ${record.id} is given as the user's: this model takes none in mid-conversation.`,
  )
  return 'user'
}

/** A message as the tree holds it: to the letter, if it came from Claude. */
function asHeld(message: Message, pen: Pen): PlainObject {
  const { role = 'user', form, parts, record } = message
  const own = isOwn(message)
  const envelope = own ? plainObject(message.envelope) : {}
  const speaker = own || role === 'assistant' || role === 'system' ? role : 'user'
  if (form === 'absent') return pen.own(inOrder({ role: speaker }, envelope), record)
  if (own && form !== 'list' && record.nodeClass === 'block') {
    return pen.own(inOrder({ role: speaker, content: plainJson(record.content ?? '') }, envelope), record)
  }
  const [only] = parts
  if (!own && parts.length === 1 && only!.kind === 'text')
    return pen.own(inOrder({ role: speaker, content: only!.text }), record)
  return inOrder({ role: speaker, content: parts.flatMap((part) => elementOf(part, pen)) }, envelope)
}

function elementOf(part: Part, pen: Pen): readonly PlainValue[] {
  const { record } = part
  if (record.kind === 'string' || record.kind === 'value') return [plainJson(record.content ?? '')]
  const callId = part.kind === 'call' || part.kind === 'result' ? part.callId : ''
  return [blockOf(part, callId, pen) ?? []].flat()
}

export function isOwn({ format }: Message): boolean {
  return format === 'anthropic'
}

function isResults({ parts }: Message): boolean {
  return parts.every((part) => part.kind === 'result')
}

function isThought({ type }: PlainObject): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

/** Tools that run at the provider are called and answered within one turn of the assistant; half of that is left out. */
function withWholeServerTools(written: readonly PlainObject[], pen: Pen): readonly PlainObject[] {
  if (!written.some((message) => blocksIn(message).some(isServerTool))) return written
  const halves = halfServerTools(written, pen)
  if (halves.size === 0) return written
  return written.flatMap((message) => {
    const blocks = blocksIn(message)
    const kept = blocks.filter((block) => !halves.has(block))
    if (kept.length === blocks.length) return [message]
    return kept.length === 0 ? [] : [inOrder({ role: message['role'], content: kept })]
  })
}

/** The calls without a result in the same run of assistant messages, unless it is the last, and the results without a call. */
function halfServerTools(written: readonly PlainObject[], pen: Pen): ReadonlySet<PlainObject> {
  const halves = new Set<PlainObject>()
  let open = new Map<unknown, PlainObject>()
  for (const message of written) {
    if (message['role'] !== 'assistant' && !isOnlyResults(message)) {
      for (const block of open.values()) halves.add(block)
      open = new Map()
    }
    for (const block of blocksIn(message)) {
      if (!isServerTool(block)) continue
      const id = block['tool_use_id']
      if (id === undefined) open.set(block['id'], block)
      else if (!open.delete(id)) halves.add(block)
    }
  }
  // The last turn may be a paused one, which goes on from there.
  if (!pen.isLast) for (const block of open.values()) halves.add(block)
  return halves
}

/** The turn goes on behind it. */
function isOnlyResults(message: PlainObject): boolean {
  const blocks = blocksIn(message)
  return blocks.length > 0 && blocks.every(({ type }) => type === 'tool_result')
}

function isServerTool({ type }: PlainObject): boolean {
  return (
    typeof type === 'string' &&
    type !== 'tool_result' &&
    /^(?:server_tool_use|mcp_tool_use|\w+_tool_result)$/.test(type)
  )
}

export function blocksIn({ content }: PlainObject): readonly PlainObject[] {
  return Array.isArray(content) ? (content as readonly PlainObject[]) : []
}

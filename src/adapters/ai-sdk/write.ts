// Messages of a turn as ModelMessages: results in a tool message, texts of the system alone, approvals with the calls they are about.

import type { Message, Part } from '../conversation/neutral.js'
import { inOrder, isObject, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import type { Pen } from '../conversation/request-format.js'
import { partOf } from './parts.js'
import { untag } from './tagged.js'

export function writeModelMessages(messages: readonly Message[], pen: Pen): readonly PlainObject[] {
  if (!pen.repair) return messages.map((message) => asHeld(message, pen))
  const names = new Map<string, string>()
  const written: PlainObject[] = []
  let last: Message | undefined
  for (const message of withKnownApprovals(messages, pen)) {
    for (const part of message.parts) if (part.kind === 'call') names.set(part.callId, part.name)
    for (const made of modelMessages(message, names, pen)) {
      const before = written.at(-1)
      const isSplit = before?.['role'] === 'tool' && made['role'] === 'tool' && !(isOwn(last!) && isOwn(message))
      if (isSplit)
        written[written.length - 1] = inOrder({ role: 'tool', content: [...contentOf(before), ...contentOf(made)] })
      else written.push(made)
    }
    last = message
  }
  return written
}

function contentOf({ content }: PlainObject): readonly PlainValue[] {
  return content as readonly PlainValue[]
}

/** A message of its own, or one with results in it: these come first, in a tool message. */
function modelMessages(message: Message, names: ReadonlyMap<string, string>, pen: Pen): readonly PlainObject[] {
  const results = message.parts.filter((part) => part.kind === 'result')
  if (results.length === 0 || message.role === 'tool' || isOwn(message))
    return one(message, roleOf(message), names, pen)
  const rest = message.parts.filter((part) => part.kind !== 'result')
  return [
    ...one({ ...message, parts: results }, 'tool', names, pen),
    ...one({ ...message, parts: rest }, roleOf(message), names, pen),
  ]
}

function one(message: Message, role: string, names: ReadonlyMap<string, string>, pen: Pen): readonly PlainObject[] {
  const { parts, record } = message
  const envelope = isOwn(message) ? (untag(message.envelope) as PlainObject) : {}
  const [only] = parts
  const isPlain = parts.length === 1 && only!.kind === 'text' && only!.keys === undefined && only!.raw === undefined
  if (role === 'system') {
    const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')
    return text === '' ? [] : [pen.own(inOrder({ role, content: text }, envelope), record)]
  }
  if (isPlain && role !== 'tool') return [pen.own(inOrder({ role, content: only!.text }, envelope), record)]
  const made = parts
    .filter((part) => isAllowed(part, role, pen))
    .map((part) => partOf(part, role, part.kind === 'result' ? names.get(part.callId) : undefined, pen))
    .filter((part) => part !== undefined)
  return made.length === 0 ? [] : [inOrder({ role, content: made }, envelope)]
}

function roleOf({ role, parts }: Message): string {
  if (role === 'assistant' || role === 'model') return 'assistant'
  if (role === 'system' || role === 'developer') return 'system'
  if (role === 'tool') return parts.every(isForTools) ? 'tool' : 'user'
  return 'user'
}

/** What a tool message may hold. */
function isForTools(part: Part): boolean {
  return part.kind === 'result' || (part.kind === 'other' && part.shape === 'ai-sdk')
}

/** What a role may not say. */
function isAllowed(part: Part, role: string, pen: Pen): boolean {
  if (role !== 'user' || part.kind === 'text' || part.kind === 'media') return true
  if (part.kind === 'other' && part.shape !== 'ai-sdk') return true
  pen.note(
    'left-out',
    part.record,
    `${part.record.id} is left out: the user's messages hold texts, images and files only.`,
  )
  return false
}

/** Requests for approval stand with their call, answers with their request; the rest of either is left out. */
function withKnownApprovals(messages: readonly Message[], pen: Pen): readonly Message[] {
  if (!messages.some(({ parts }) => parts.some(isApproval))) return messages
  const known = new Set<PlainValue | undefined>()
  return messages.flatMap((message) => {
    const calls = new Set(message.parts.flatMap((part) => callIdsIn(part)))
    const parts = message.parts.filter((part) => {
      if (!isApproval(part) || !isObject(part.raw)) return true
      const { type, approvalId, toolCallId } = part.raw
      const isKnown =
        type === 'tool-approval-request' ? calls.has(toolCallId as string) : known.has(approvalId as PlainValue)
      if (isKnown) known.add(approvalId as PlainValue)
      else
        pen.note(
          'left-out',
          part.record,
          `${part.record.id} is left out: what it is about is not in the context any more.`,
        )
      return isKnown
    })
    return parts.length === 0 ? [] : [parts.length === message.parts.length ? message : { ...message, parts }]
  })
}

function callIdsIn(part: Part): readonly string[] {
  if (part.kind === 'call') return [part.callId]
  return part.kind === 'other' &&
    isObject(part.raw) &&
    typeof part.raw['toolCallId'] === 'string' &&
    part.raw['type'] === 'tool-call'
    ? [part.raw['toolCallId']]
    : []
}

function isApproval(part: Part): boolean {
  if (part.kind !== 'other' || part.shape !== 'ai-sdk' || !isObject(part.raw)) return false
  return part.raw['type'] === 'tool-approval-request' || part.raw['type'] === 'tool-approval-response'
}

/** Calls whose approval the last message gives: they are run before anything is sent, so nothing is missing. */
export function approvedCalls(messages: readonly Message[]): ReadonlySet<string> {
  const answers = new Set(
    (messages.at(-1)?.parts ?? []).filter(isApproval).map(({ raw }) => (raw as { approvalId?: unknown }).approvalId),
  )
  const calls = messages.flatMap(({ parts }) =>
    parts.filter(isApproval).map(({ raw }) => raw as { approvalId?: unknown; toolCallId?: unknown }),
  )
  return new Set(
    calls.flatMap(({ approvalId, toolCallId }) =>
      typeof toolCallId === 'string' && answers.has(approvalId) ? [toolCallId] : [],
    ),
  )
}

/** A message as the tree holds it: to the letter, if it came as one. */
function asHeld(message: Message, pen: Pen): PlainObject {
  const { role = 'user', form, parts, record } = message
  const own = isOwn(message)
  const envelope = own ? (untag(message.envelope) as PlainObject) : {}
  const speaker = own ? role : roleOf(message)
  if (form === 'absent') return pen.own(inOrder({ role: speaker }, envelope), record)
  if (record.nodeClass === 'block' && (own || (parts.length === 1 && parts[0]!.kind === 'text'))) {
    return pen.own(inOrder({ role: speaker, content: untag(record.content ?? '') as PlainValue }, envelope), record)
  }
  return inOrder({ role: speaker, content: parts.flatMap((part) => elementOf(part, speaker, pen)) }, envelope)
}

function elementOf(part: Part, role: string, pen: Pen): readonly PlainValue[] {
  const { record } = part
  if (record.kind === 'string' || record.kind === 'value') return [untag(record.content ?? '') as PlainValue]
  const made = partOf(part, role, undefined, pen)
  return made === undefined ? [] : [made]
}

export function isOwn({ format }: Message): boolean {
  return format === 'ai-sdk'
}

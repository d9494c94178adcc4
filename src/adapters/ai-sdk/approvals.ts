// Requests for approval go with their call, answers with their request; the rest of either is left out.

import type { Message, Part } from '../conversation/neutral.js'
import { isObject, plainJson, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import type { Tie } from '../conversation/steps.js'
import { ANSWER, REQUEST } from './kinds.js'

export function withKnownApprovals(messages: readonly Message[], out: RequestWriter): readonly Message[] {
  if (!messages.some(({ parts }) => parts.some(isApproval))) return messages
  const known = new Set<PlainValue | undefined>()
  return messages.map((message) => {
    const calls = new Set<PlainValue | undefined>(message.parts.flatMap(callIdsIn))
    const parts = message.parts.filter((part) => {
      if (!isApproval(part)) return true
      const [request, answer] = [fitted(part, 'request'), fitted(part, 'answer')]
      const isKnown =
        request === undefined
          ? known.has(answer?.['approvalId']) && answer !== undefined
          : calls.has(request['toolCallId'])
      if (isKnown && request !== undefined) known.add(request['approvalId'])
      if (!isKnown) {
        const text = `${part.record.id} is left out: what it is about is not in the context any more.`
        out.note('left-out', part.record, text)
      }
      return isKnown
    })
    return parts.length === message.parts.length ? message : { ...message, parts }
  })
}

/**
 * The ids of calls that the last messages approve: the SDK runs them before it sends anything, so no result is missing. Words in a tool's message
 * become a message of the user, behind which the SDK runs nothing.
 */
export function approvedCalls(messages: readonly Message[]): ReadonlySet<string> {
  const isAnswers = ({ role, parts }: Message): boolean =>
    role === 'tool' && parts.some(isApproval) && parts.every((part) => isApproval(part) || part.kind === 'result')
  const end = messages.findLastIndex((message) => !isAnswers(message))
  if (end === messages.length - 1) return NONE
  const last = messages.slice(end + 1).flatMap(({ parts }) => parts)
  const answers = new Set(last.flatMap((part) => fitted(part, 'answer')?.['approvalId'] ?? []))
  return new Set(
    messages.flatMap(({ parts }) => {
      const calls = new Set<PlainValue | undefined>(parts.flatMap(callIdsIn))
      const requests = parts.map((part) => fitted(part, 'request')).filter((request) => request !== undefined)
      return requests
        .filter(({ approvalId, toolCallId }) => answers.has(approvalId!) && calls.has(toolCallId))
        .map(({ toolCallId }) => toolCallId as string)
    }),
  )
}

/** The calls that wait for an approval, and those that were refused one: a loop must not make either. */
export function unapproved(messages: readonly Message[]): Readonly<{ waiting: TextSet; refused: TextSet }> {
  const parts = messages.flatMap((message) => message.parts).filter(isApproval)
  if (parts.length === 0) return { waiting: NONE, refused: NONE }
  const answers = new Map(
    parts.flatMap((part) => {
      const answer = fitted(part, 'answer')
      return answer === undefined ? [] : [[answer['approvalId'], answer['approved']] as const]
    }),
  )
  const asked = parts.map((part) => fitted(part, 'request')).filter((request) => request !== undefined)
  const calls = (isWanted: (approvalId: PlainValue) => boolean): TextSet =>
    new Set(asked.flatMap(({ approvalId, toolCallId }) => (isWanted(approvalId!) ? [toolCallId as string] : [])))
  return { waiting: calls((id) => !answers.has(id)), refused: calls((id) => answers.get(id) === false) }
}

type TextSet = ReadonlySet<string>

/** An approval may be asked for in one turn and given in the next. */
export function approvalTie(part: Part): Tie | undefined {
  const [request, answer] = [fitted(part, 'request'), fitted(part, 'answer')]
  if (request !== undefined) return { opens: request['approvalId'] as string }
  return answer === undefined ? undefined : { answers: answer['approvalId'] as string }
}

const NONE: ReadonlySet<string> = new Set()

function fitted(part: Part, kind: 'request' | 'answer'): PlainObject | undefined {
  if (!isApproval(part)) return undefined
  return (kind === 'request' ? REQUEST : ANSWER)(plainJson(part.raw!), new Set()) as PlainObject | undefined
}

function callIdsIn(part: Part): readonly PlainValue[] {
  if (part.kind === 'call') return [part.callId]
  if (part.kind !== 'other' || !isObject(part.raw) || part.raw['type'] !== 'tool-call') return []
  return typeof part.raw['toolCallId'] === 'string' ? [part.raw['toolCallId']] : []
}

function isApproval(part: Part): boolean {
  if (part.kind !== 'other' || part.shape !== 'ai-sdk' || !isObject(part.raw)) return false
  return part.raw['type'] === 'tool-approval-request' || part.raw['type'] === 'tool-approval-response'
}

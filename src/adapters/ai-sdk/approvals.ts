// Requests for approval stand with their call, answers with their request; the rest of either is left out.

import type { Message, Part } from '../conversation/neutral.js'
import { isObject, plainJson, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import type { Pen } from '../conversation/request-format.js'
import { ANSWER, REQUEST } from './fits.js'

export function withKnownApprovals(messages: readonly Message[], pen: Pen): readonly Message[] {
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
        pen.note('left-out', part.record, text)
      }
      return isKnown
    })
    return parts.length === message.parts.length ? message : { ...message, parts }
  })
}

/** Calls whose approval the last message gives: they are run before anything is sent, so nothing is missing. */
export function approvedCalls(messages: readonly Message[]): ReadonlySet<string> {
  const last = messages.at(-1)
  if (last?.role !== 'tool' || !last.parts.some(isApproval)) return NONE
  const answers = new Set(last.parts.flatMap((part) => fitted(part, 'answer')?.['approvalId'] ?? []))
  const requests = messages.flatMap((message) => {
    const calls = new Set<PlainValue | undefined>(message.parts.flatMap(callIdsIn))
    return message.parts
      .map((part) => fitted(part, 'request'))
      .filter((request) => request !== undefined && calls.has(request['toolCallId']))
  })
  return new Set(
    requests
      .filter((request) => answers.has(request!['approvalId']!))
      .map((request) => request!['toolCallId'] as string),
  )
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

// Checks of calls whose content comes first: a message, a reply or a conversation in the place of the content, and roles that no provider has.

import { invalid, isRecord, short, suggestNames } from '../errors/index.js'
import type { Warning } from '../core/index.js'
import type { Edit } from '../edit/index.js'

export type SayingEdit = Extract<Edit, { op: 'user' | 'assistant' | 'tool' | 'pre' | 'post' | 'add' }>

/** The roles that requests know, and the other names that are read as one of them. */
const ROLES: readonly string[] = ['system', 'developer', 'user', 'assistant', 'tool', 'model', 'function']
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['human', 'user'],
  ['ai', 'assistant'],
  ['bot', 'assistant'],
])

/** Refuses messages, conversations and replies in the place of the content, which would be sent as a text of JSON. */
export function checkSaid(edit: SayingEdit): void {
  checkMessage(edit)
  const { op, content, header } = edit
  // Calls, results and documents are data of the caller, whatever they look like.
  if ((op !== 'user' && op !== 'assistant') || (isRecord(header) && header['kind'] !== undefined)) return
  if (Array.isArray(content) && content.length > 0 && content.every(isMessage)) {
    throw invalid(
      'content',
      `${op}() takes the content of one message, not a list of messages; a from function makes a context of a conversation, such as fromAnthropic({ messages }) or fromOpenAIChat({ messages }).`,
    )
  }
  const way = isRecord(content) ? wayOfReply(content) : undefined
  if (way === undefined) return
  throw invalid(
    'content',
    `${op}() takes the content of a message, not the reply of a model; take the reply in with attempt.receive(reply) or ${way}(ctx, reply).`,
  )
}

function isMessage(item: unknown): boolean {
  if (!isRecord(item)) return false
  const { role, content, parts } = item
  return typeof role === 'string' && ROLES.includes(role) && (content !== undefined || Array.isArray(parts))
}

/** The function that takes a reply in, by the keys that only replies of its provider have; undefined for other data. */
function wayOfReply(keys: Readonly<Record<string, unknown>>): string | undefined {
  const { role, type, content, stop_reason: stop, choices, output, candidates, response, tool_calls: calls } = keys
  if (Array.isArray(content) && role === 'assistant' && (type === 'message' || stop !== undefined))
    return 'receiveAnthropic'
  if (Array.isArray(choices) && choices.some((each) => isRecord(each) && isRecord(each['message'])))
    return 'receiveOpenAIChat'
  if (role === 'assistant' && Array.isArray(calls)) return 'receiveOpenAIChat'
  if (Array.isArray(output) && output.some((each) => isRecord(each) && typeof each['type'] === 'string'))
    return 'receiveOpenAIResponses'
  if (Array.isArray(candidates) && candidates.some((each) => isRecord(each) && isRecord(each['content'])))
    return 'receiveGemini'
  if (isRecord(output) && isRecord(output['message'])) return 'receiveBedrock'
  if (isRecord(response) && Array.isArray(response['messages'])) return 'receiveModelMessages'
  return undefined
}

function checkMessage({ op, content }: SayingEdit): void {
  if (!isRecord(content) || Object.keys(content).length !== 2 || !Object.hasOwn(content, 'content')) return
  const role = content['role']
  if (typeof role !== 'string' || !ROLES.includes(role)) return
  const way = ['user', 'assistant', 'tool'].includes(role) ? `ctx.${role}(…)` : `ctx.add(…, { role: '${role}' })`
  throw invalid('content', `${op}() takes the content first, not a message; write ${way} with the content alone.`)
}

/** The warning of a role that requests send as the user's. */
export function oddRole({ header }: SayingEdit): Warning | undefined {
  const { role } = (header ?? {}) as Readonly<{ role?: unknown }>
  if (typeof role !== 'string' || ROLES.includes(role)) return undefined
  const near = ALIASES.get(role) ?? suggestNames(role, ROLES)
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`
  const message = `Providers have no role ${short(role)}, so requests send it as the user's.${hint}`
  return { message, details: { kind: 'unknown-role', role: role.slice(0, 200) } }
}

// Message threads: Claude keeps a conversation for some minutes, with its system text and tools. A request names the last reply and holds only what
// comes after it. Each reply can be gone on from once.

import type { JsonObject } from '../../core/index.js'
import type { HeldFormat } from '../conversation/held.js'
import { inOrder, isObject } from '../conversation/plain-json.js'

export const THREADS: HeldFormat = {
  keys: (before, after) =>
    after === undefined
      ? inOrder({ ...before, thread: inOrder({ type: 'create' }) })
      : inOrder({ thread: inOrder({ type: 'continue', previous_message_id: after }) }),
  holdsPrompt: true,
  isOnce: true,
  resumesAlone: true,
  excludes: (params) => EXCLUDED.some((name) => params[name] !== undefined && params[name] !== null),
  isSaid: ({ role }) => role === 'assistant',
  isForgotten: (error) => FORGOTTEN.has(codeOf(error)),
}

/** The params that a thread has from its first request. */
export function keptParams({ thread }: JsonObject): readonly string[] {
  return isObject(thread) && thread['type'] === 'continue' ? ['system', 'tools'] : []
}

/** The params of calls that threads do not take: compaction and clearing on the server, and other models that answer in Claude's place. */
const EXCLUDED: readonly string[] = ['context_management', 'compaction', 'fallbacks']

/** For each of them the API asks for the whole conversation, or takes it: the params of a thread may change only with a new one. */
const FORGOTTEN: ReadonlySet<unknown> = new Set([
  'thread_not_found',
  'thread_already_continued',
  'thread_continue_in_flight',
  'thread_fingerprint_mismatch',
])

/** The API's code for an error; clients before version 1.10 have it in the body alone. */
function codeOf(error: unknown): unknown {
  const { errorCode, error: body } = (error ?? {}) as Readonly<Record<string, unknown>>
  if (typeof errorCode === 'string') return errorCode
  const inner = (body as JsonObject | undefined)?.['error']
  const details = isObject(inner) ? inner['details'] : undefined
  return isObject(details) ? details['error_code'] : undefined
}

// The attempts of a context as requests: what each sent, and where it parts from the one before.

import { ADAPTERS } from '../../adapters/index.js'
import { timeOf, type KnownCall } from '../../cost/index.js'
import { PactError } from '../../errors/index.js'
import { isObject, type JsonObject } from '../../core/index.js'
import type { AttemptRecord } from '../../api/index.js'
import type { FormatName } from '../../formats/index.js'
import type { OpenContext } from '../pool.js'
import { formatOfCall } from '../sends.js'

/** A completed call: the request without cache marks, in the form of its provider. */
export type SentCall = Readonly<{ format: FormatName; body: JsonObject; call: KnownCall }>

/** The completed calls whose requests can be given again, oldest first. */
export function sentCalls(ctx: OpenContext): readonly SentCall[] {
  const calls: SentCall[] = []
  let before: AttemptRecord | undefined
  for (const record of ctx.attempts()) {
    const format = record.adapter === undefined ? undefined : formatOfCall(record)
    if (format === undefined || record.status !== 'completed') continue
    const body = bodyOf(ctx, record, format)
    if (body === undefined) continue
    calls.push({ format, body, call: { format, ...factsOf(record), ...changeSince(ctx, before, record, format) } })
    before = record
  }
  return calls
}

/** All that was sent, also where the provider had most of it already; undefined where the tree is no longer known. */
function bodyOf(
  ctx: OpenContext,
  { attempt_id: id, params }: AttemptRecord,
  format: FormatName,
): JsonObject | undefined {
  const tools = isObject(params) ? params['tools'] : undefined
  try {
    const request = ADAPTERS[format].to(ctx.snapshot(id)) as unknown as JsonObject
    return { ...(tools === undefined ? {} : { tools }), ...request }
  } catch (error) {
    if (PactError.is(error) && (error.code === 'E_CONFLICT' || error.code === 'E_SNAPSHOT_NOT_FOUND')) return undefined
    throw error
  }
}

function factsOf({
  attempt_id: attempt,
  started_at: started,
  reported,
  token_in: input,
  token_out: output,
}: AttemptRecord) {
  const { tokenIn = input ?? 0, tokenOut = output ?? 0, cacheRead = 0, cacheWrite = 0 } = reported ?? {}
  const usage = { read: cacheRead, write: cacheWrite, plain: tokenIn - cacheRead - cacheWrite, output: tokenOut }
  const at = timeOf(started)
  return { attempt, ...(at === undefined ? {} : { at }), ...(tokenIn + tokenOut === 0 ? {} : { usage }) }
}

/** Calls of two providers have nothing in common. */
function changeSince(
  ctx: OpenContext,
  before: AttemptRecord | undefined,
  record: AttemptRecord,
  format: FormatName,
): Pick<KnownCall, 'change'> {
  if (before === undefined || formatOfCall(before) !== format) return {}
  const { first, tokens, params } = ctx.prefix(before.attempt_id, record.attempt_id, { for: ADAPTERS[format].to })
  if (first === undefined) return {}
  const [kept, lost] = [tokens + (params?.tokens ?? 0), first.lost + (params?.lost ?? 0)]
  return { change: { cause: first.cause, kept, lost } }
}

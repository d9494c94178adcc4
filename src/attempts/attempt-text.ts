// Attempts in words, for String and console.log.

import { countText, oneLine, type AttemptRecord } from '../core/index.js'

export function attemptText(record: AttemptRecord): string {
  const { attempt_id: id, provider, model, cycle_id: cycle, status, started_at: start, ended_at: end } = record
  const { token_in: tokenIn, token_out: tokenOut, error } = record
  const parts = [
    `${id}: ${oneLine(provider)} ${oneLine(model)}, cycle ${cycle}, ${status}`,
    end === null ? `since ${start}` : `${start} to ${end}`,
    ...(tokenIn === null ? [] : [`${countText(tokenIn, 'token')} in`]),
    ...(tokenOut === null ? [] : [`${countText(tokenOut, 'token')} out`]),
    ...(error === undefined ? [] : [`${oneLine(error.name)}: ${oneLine(error.message, 200)}`]),
  ]
  return parts.join(', ')
}

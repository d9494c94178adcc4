// Contexts and attempts in words, for String and console.log.

import { countText, oneLine, type Dialect } from '../core/index.js'
import { outlineText } from '../outline/index.js'
import type { View } from '../timeline/index.js'
import type { AttemptRecord } from './attempts.js'

type About = Readonly<{ id: string; dialect: Dialect; cycle: number; snapshots: number }>

/** What the context is and how much each region holds, then the working state. */
export function contextText({ id, dialect, cycle, snapshots }: About, working: View): string {
  const regions = working.tree.regions.map(
    ({ record, children }) => `${record.nodeType} ${countText(children.count, 'node')}`,
  )
  const past = snapshots === 0 ? 'nothing committed yet' : countText(snapshots, 'snapshot')
  const head = `Context ${oneLine(id)} (dialect ${dialect}): cycle ${cycle} is open, ${past}; ${regions.join(', ')}`
  return `${head}\n${outlineText(working)}`
}

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

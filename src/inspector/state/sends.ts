// The columns of the timeline as sends: what each provider call of a cycle has sent, in order, or the snapshot of a cycle without calls.
// The last call that sent the snapshot itself goes by the name of the cycle, so that `c12` means the same before and after it.

import type { Column, Figures, Send as Told } from '../api/types.js'
import { sendOf, type At } from './link.js'

export type Send = Readonly<{
  at: At
  cycle: number
  /** The attempt that sent it; undefined for a snapshot that nobody sent. */
  attempt: string | undefined
  status: Told['status'] | undefined
  /** Which call of its cycle it is, from 1, and how many there are. */
  nth: number
  of: number
  /** How large it is; undefined where nobody can tell what was sent. */
  figures: Figures | undefined
}>

const known = new WeakMap<Column, readonly Send[]>()

/** The sends of a cycle, or its snapshot; with the snapshot also where it was not sent itself. The same column gives the same sends. */
export function sendsIn(column: Column, withSnapshot = false): readonly Send[] {
  if (withSnapshot) return listed(column, true)
  const sends = known.get(column) ?? listed(column, false)
  known.set(column, sends)
  return sends
}

function listed(column: Column, withSnapshot: boolean): readonly Send[] {
  const { cycle, sends } = column
  const own: At = `c${cycle}`
  const last = sends.findLastIndex(({ sent }) => sent === 'snapshot')
  const list = sends.map((send, i): Send => {
    const { attempt, status } = send
    const isFirst = sends.findIndex(({ sent }) => sent === 'snapshot') === i
    const at = i === last ? own : sendOf(cycle, attempt)
    return { at, cycle, attempt, status, nth: i + 1, of: sends.length, figures: figuresOf(column, send, isFirst) }
  })
  const isMissing = column.open !== true && last < 0 && (sends.length === 0 || withSnapshot)
  const unsent = { cycle, attempt: undefined, status: undefined, nth: 0, of: sends.length, figures: column }
  return isMissing ? [...list, { at: own, ...unsent }] : list
}

/** A snapshot that is sent once more is all the same. */
function figuresOf(column: Column, { sent, figures }: Told, isFirst: boolean): Figures | undefined {
  if (sent !== 'snapshot') return figures
  if (isFirst) return column
  const { items, bytes, tokens, runs } = column
  const same = runs.map((run) => ({ ...run, same: true }))
  return { items, bytes, tokens, runs: same, causes: {}, prefix: { tokens, broken: false } }
}

/** How a send went, in a word. */
export function statusWord(status: Told['status']): string {
  return status === 'completed' ? 'sent' : status === 'error' ? 'failed' : status
}

// Timeline columns as sends: the request of each provider call of a cycle, in order, or the snapshot of a cycle without calls.
// The last call that sent the snapshot itself is named by its cycle, so that `c12` keeps its meaning.

import type { Column, Figures, Send as Told } from '../../api/index.js'
import { sendOf, type At } from './link.js'

export type Send = Readonly<{
  at: At
  cycle: number
  /** The attempt that sent it; undefined for a snapshot that was not sent. */
  attempt: string | undefined
  status: Told['status'] | undefined
  /** The tree that it sent: the snapshot, the open cycle, or one that is not known. */
  sent: Told['sent'] | undefined
  format: Told['format']
  /** Its position among the calls of its cycle, from 1, and their number. */
  nth: number
  of: number
  /** Input tokens as the provider reported them, and those that its cache had. */
  billed: Told['billed']
  /** The context that made its calls, if they were made before the fork, and how the last one ended. */
  before: Column['before']
  /** Its size; undefined if the request cannot be rendered again. */
  figures: Figures | undefined
}>

const known = new WeakMap<Column, readonly Send[]>()

/** The sends of a cycle, or its snapshot; optionally also an unsent snapshot. Equal columns return the same array. */
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
    const { attempt, status, sent, format, billed } = send
    const isFirst = sends.findIndex(({ sent }) => sent === 'snapshot') === i
    const at = i === last ? own : sendOf(cycle, attempt)
    return {
      at,
      cycle,
      attempt,
      status,
      sent,
      format,
      nth: i + 1,
      of: sends.length,
      billed,
      before: undefined,
      figures: figuresOf(column, send, isFirst),
    }
  })
  // Calls whose tree is not known leave the cycle without a picture.
  const isUntold = list.every(({ figures }) => figures === undefined)
  const isMissing = column.open !== true && last < 0 && (isUntold || withSnapshot)
  const unsent = {
    cycle,
    attempt: undefined,
    status: undefined,
    sent: undefined,
    format: undefined,
    nth: 0,
    of: sends.length,
    billed: undefined,
    before: column.before,
    figures: column,
  }
  return isMissing ? [...list, { at: own, ...unsent }] : list
}

/** A repeated send of a snapshot has the same content. */
function figuresOf(column: Column, { sent, figures }: Told, isFirst: boolean): Figures | undefined {
  if (sent !== 'snapshot') return figures
  if (isFirst) return column
  const { items, bytes, tokens, runs, groups } = column
  const same = runs.map((run) => ({ ...run, same: true }))
  const repeated = groups?.map((each) => ({ ...each, repeated: each.tokens }))
  return {
    items,
    bytes,
    tokens,
    runs: same,
    ...(repeated === undefined ? {} : { groups: repeated }),
    causes: {},
    prefix: { tokens, broken: false },
  }
}

/** The outcome of a send in one word. */
export function statusWord(status: Told['status']): string {
  return status === 'completed' ? 'sent' : status === 'error' ? 'failed' : status
}

/** The label of a column: the cycle, and the number of a further call. */
export function columnName(send: Send | undefined): string {
  if (send === undefined) return ''
  return send.nth <= 1 ? String(send.cycle) : `·${send.nth}`
}

// What is known of one provider call, as data (03 §6.2).

import { erasedJson } from '../codec/index.js'
import type { Lens } from '../core/index.js'
import type { Erasing } from '../timeline/index.js'
import type { AttemptError } from './attempt-input.js'
import type { OpenNodes } from './sent-nodes.js'

export type AttemptStatus = 'running' | 'completed' | 'canceled' | 'error'

/** One provider call in the specification's names; plain JSON. */
export type AttemptRecord = Readonly<{
  attempt_id: string
  /** The cycle that was open when it started. */
  cycle_id: number
  status: AttemptStatus
  started_at: string
  ended_at: string | null
  provider: string
  model: string
  /** SHA-256 of the canonical JSON of the parameters. */
  params_hash: string
  token_in: number | null
  token_out: number | null
  error?: AttemptError
  /** SHA-256 of the thread's bytes. */
  thread_hash: string
  request_hash?: string
  lens: Lens
  /** The committed cycle that the thread builds on; null before the first commit. */
  base_cycle: number | null
  /** The later attempt of the same cycle from whose thread this one is told instead; only in the list of all. */
  base_attempt?: string
}> &
  OpenNodes

/** The same without what nodes said; the hashes stay, of what was sent (D56). */
export function withErased(record: AttemptRecord, erasing: Erasing): AttemptRecord {
  const nodes = erasedJson(record.nodes, erasing.ids)
  return nodes === record.nodes ? record : Object.freeze({ ...record, nodes })
}

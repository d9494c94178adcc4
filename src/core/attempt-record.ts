// What is known of one provider call, as data (03 §6.2).

import type { PactError } from '../errors/index.js'
import type { JsonObject } from './json.js'
import type { Lens } from './lens.js'

export type AttemptStatus = 'running' | 'completed' | 'canceled' | 'error'

/** Why an attempt failed. */
export type AttemptError = Readonly<{ name: string; message: string }>

/** What tells a thread from another one, its base: that of the base cycle, or of a later attempt. */
export type OpenNodes = Readonly<{
  /** The rendered nodes that the base does not hold in this form, in the order of the thread. */
  nodes: readonly JsonObject[]
  /** Which item of the thread each of them is. */
  thread_indexes: readonly number[]
  /** The items of the base's thread that this one lacks. */
  absent_ids: readonly string[]
}>

/** What tells a tree from that of its base, beside the nodes of the thread. */
export type SentStructure = Readonly<{
  /** The nodes without an item in the thread, such as segments, that the base does not hold in this form. */
  nodes: readonly JsonObject[]
  /** Those of the base that this tree lacks. */
  absent_ids: readonly string[]
  /** What stands under which node, of all that is not in the base or stands elsewhere there. */
  places: readonly Readonly<{ parent_id: string; ids: readonly string[] }>[]
}>

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
  /** SHA-256 of the request's body: the one that was given, or that the adapter made. */
  request_hash?: string
  /** The body itself, if it was to be kept; null once something was forgotten. */
  request_body?: string | null
  /** Which adapter made the request, in which version, and with which options, unless there are functions in them. */
  adapter?: string
  adapter_version?: number
  adapter_options?: JsonObject
  lens: Lens
  /** The committed cycle that the thread builds on; null before the first commit. */
  base_cycle: number | null
  /** The later attempt of the same cycle from whose thread this one is told instead; only in the list of all. */
  base_attempt?: string
  /** Only where an adapter made the request of the open cycle: its tree, as far as the nodes do not tell it. */
  structure?: SentStructure
}> &
  OpenNodes

/** The attempts of one context, oldest first, and where the ids of the next ones go on. */
export type KeptAttempts = Readonly<{
  records: readonly AttemptRecord[]
  /** The cycle that was open when the last of all started; 0 where none has. */
  cycle: number
  /** How many have started in that cycle, whether they are kept or not. */
  started: number
  /** Those that cannot be read any more, by id, with the error that whoever asks for one gets. */
  damaged?: ReadonlyMap<string, PactError> | undefined
  /** Where that is so of the newest of all. */
  newestDamage?: PactError | undefined
}>

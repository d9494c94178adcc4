// The record of one provider call, as data (03 §6.2).

import type { PactError } from '../errors/index.js'
import type { JsonObject } from './json.js'
import type { AttemptId, Lens } from './types.js'
import type { Reported } from './reported.js'

export type AttemptStatus = 'running' | 'completed' | 'canceled' | 'error'

/** Why an attempt failed. */
export type AttemptError = Readonly<{ name: string; message: string }>

/** The difference of a thread from its base: the thread of the base cycle, or of a later attempt. */
export type OpenNodes = Readonly<{
  /** The rendered nodes that the base does not hold in this form, in the order of the thread. */
  nodes: readonly JsonObject[]
  /** The index of each of them in the thread. */
  thread_indexes: readonly number[]
  /** The items of the base's thread that this one lacks. */
  absent_ids: readonly string[]
}>

/** The difference of a tree from its base, in addition to the nodes of the thread. */
export type SentStructure = Readonly<{
  /** The nodes without an item in the thread, such as segments, that the base does not hold in this form. */
  nodes: readonly JsonObject[]
  /** Those of the base that this tree lacks. */
  absent_ids: readonly string[]
  /** The parent of each node that is not in the base or has another place there. */
  places: readonly Readonly<{ parent_id: string; ids: readonly string[] }>[]
}>

/** One provider call in the specification's names; plain JSON. */
export type AttemptRecord = Readonly<{
  attempt_id: AttemptId
  /** The cycle that was open when it started. */
  cycle_id: number
  status: AttemptStatus
  started_at: string
  ended_at: string | null
  provider: string
  model: string
  /** SHA-256 of the canonical JSON of the parameters. */
  params_hash: string
  /** The parameters themselves, if an adapter made the request; null once something in them was forgotten. */
  params?: JsonObject | null
  /** The message that this request had after everything else; null once something in it was forgotten. */
  append?: string | null
  token_in: number | null
  token_out: number | null
  /** Everything that the provider reported about the call: usage, stop reason, ids. */
  reported?: Reported
  error?: AttemptError
  /** SHA-256 of the thread's bytes. */
  thread_hash: string
  /** SHA-256 of the request's body: the one that was given, or that the adapter made. */
  request_hash?: string
  /** The body itself, if it was to be kept; null once something was forgotten. */
  request_body?: string | null
  /** The adapter that made the request, its version, and its options, unless they contain functions. */
  adapter?: string
  adapter_version?: number
  adapter_options?: JsonObject
  lens: Lens
  /** The committed cycle that the thread builds on; null before the first commit. */
  base_cycle: number | null
}>

/** A record with its difference from a base: everything needed to give its thread and tree again. Kept and stored, never shown. */
export type SentRecord = AttemptRecord &
  OpenNodes &
  Readonly<{
    /** The later attempt of the same cycle that is the base instead of the base cycle. */
    base_attempt?: AttemptId
    /** Only for a request of the open cycle that an adapter made: its tree, as far as the nodes do not show it. */
    structure?: SentStructure
  }>

/** The attempts of one context, oldest first, and where the ids of the next ones go on. */
export type KeptAttempts = Readonly<{
  records: readonly SentRecord[]
  /** The cycle that was open when the last of all started; 0 where none has. */
  cycle: number
  /** The number of attempts that have started in that cycle, kept or not. */
  started: number
  /** The attempts that cannot be read any more, by id, with the error for a caller that asks for one. */
  damaged?: ReadonlyMap<string, PactError> | undefined
  /** The same error for the newest of all attempts. */
  newestDamage?: PactError | undefined
}>

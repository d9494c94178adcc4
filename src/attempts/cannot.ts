// The errors about requests that cannot be given again: a sentence for people, and a reason for programs.

import { PactError } from '../errors/index.js'
import type { SentRecord } from '../core/index.js'

export type WhyNot =
  | 'no-adapter'
  | 'own-body'
  | 'adapter-unknown'
  | 'renderer-changed'
  | 'functions'
  | 'forgotten'
  | 'base-gone'
  | 'incomplete'

export function cannot({ attempt_id: id }: SentRecord, reason: WhyNot, why: string, cause?: unknown): PactError {
  const message = `The request of ${id} cannot be given again: ${why}.`
  return new PactError('E_CONFLICT', message, { id, reason }, cause === undefined ? {} : { cause })
}

/** A record is plain JSON, which has no integers beyond 2^53. */
export function notExact(record: SentRecord, cause?: unknown): PactError {
  return cannot(record, 'incomplete', 'the record does not tell its tree exactly', cause)
}

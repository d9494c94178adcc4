// Errors of stores.

import type { Replayed } from '../context/persistence.js'
import { PactError, short, type ErrorDetails } from '../errors/index.js'
import type { NewCommit, Rows } from './rows.js'

/** 'failed': certainly nothing was written. 'unknown': it may have been. */
export type Outcome = 'failed' | 'unknown'

export function storeFault(message: string, outcome: Outcome, details: ErrorDetails = {}, cause?: unknown): PactError {
  return new PactError('E_STORE', message, { outcome, ...details }, cause === undefined ? {} : { cause })
}

/** A sentence about a database, with its name. */
export function named(sentence: string, name: string): string {
  return sentence.replace('NAME', () => name)
}

/** True if the failed call may still have been done. */
export function isUnknown(error: unknown): boolean {
  return !PactError.is(error) || error.code !== 'E_STORE' || error.details['outcome'] === 'unknown'
}

/** E_STORE after a commit whose outcome is unknown. */
export function unknownOutcome(id: string, cycle: number, cause: unknown): PactError {
  const message = `It is not known whether cycle ${cycle} of ${id} was written: ${messageOf(cause)} Call commit() again: it checks that first, and never commits twice.`
  const reason = PactError.is(cause) ? cause.details['reason'] : undefined
  return storeFault(message, 'unknown', { cycle, ...(reason === undefined ? {} : { reason }) }, cause)
}

/** E_CONFLICT for a rebase or a save while the outcome of a commit is unknown. */
export function stillUnknown(id: string, cycle: number, call: 'rebase' | 'save'): PactError {
  const message = `It is not known yet whether cycle ${cycle} of ${id} was written; call commit() again, which checks it, and ${call} then.`
  return new PactError('E_CONFLICT', message, { cycle, reason: 'unknown' })
}

/** E_CONFLICT for a commit with another key while the outcome of an earlier commit is unknown. */
export function otherKeyPending(
  id: string,
  { row, answer }: Pick<NewCommit, 'row' | 'answer'>,
  key: string,
): PactError {
  const { cycle } = row
  const [has, how] =
    answer === undefined ? ['has no key', ' without one'] : [`has the key ${short(answer.key)}`, ' with that one']
  const message = `It is not known yet whether cycle ${cycle} of ${id} was written, and its commit ${has}, not ${short(key)}; call commit()${how} first, which checks it.`
  return new PactError('E_CONFLICT', message, { cycle, key: answer?.key ?? null, reason: 'key' })
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'the database did not answer.'
}

/**
 * Wraps rows so that every error is a PactError. A foreign error becomes E_STORE with the reason 'driver', which fsck
 * does not take for damage.
 */
export function faultsInOurWords(rows: Rows): Rows {
  return new Proxy(rows, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return async (...args: readonly unknown[]) => {
        try {
          return (await Reflect.apply(value, target, args)) as unknown
        } catch (error) {
          if (PactError.is(error)) throw error
          throw storeFault(`${rows.name} failed: ${messageOf(error)}`, 'unknown', { reason: 'driver' }, error)
        }
      }
    },
  })
}

export function taken(id: string): PactError {
  return new PactError('E_CONFLICT', `There is a context ${short(id)} already; open it, or choose another id.`, { id })
}

export function missing(id: string): PactError {
  return new PactError('E_STORE', `There is no context ${short(id)} in this store.`, {
    id,
    outcome: 'failed',
    reason: 'missing',
  })
}

// ---- Rebase

/** Result of `rebase`. */
export type RebaseReport = Replayed &
  Readonly<{
    /** The open cycle after the rebase. */
    cycle: number
    /**
     * The open cycle before the rebase. Equal to `cycle` if no other writer has committed; then nothing was changed.
     */
    before: number
  }>

export function unchanged(cycle: number): RebaseReport {
  return Object.freeze({ cycle, before: cycle, ids: new Map<string, string>(), elsewhere: Object.freeze([]) })
}

/** E_CONFLICT for an edit that cannot be repeated on the new head. The cause is the edit's own error. */
export function cannotRebase(id: string, cycle: number, head: number, error: unknown): unknown {
  if (!PactError.is(error) || error.code === 'E_INTERNAL' || error.details['reason'] === 'draft') return error
  const { operation } = error.details
  const message = `The edits of ${id} could not be repeated after cycle ${head}: ${error.message} Nothing was changed, and the edits are still here: undo what is in the way, or open the context again.`
  const details = { ...error.details, cycle, head, reason: 'rebase', operation: operation ?? null, code: error.code }
  return new PactError('E_CONFLICT', message, details, { cause: error })
}

// One provider call as its caller holds it.

import { PactError, showCallers } from '../errors/index.js'
import { addOwn, INSPECT, ownGetters, type AttemptRecord, type Inspect } from '../core/index.js'
import type { Erasing } from '../timeline/index.js'
import { checkUsage, errorOf, type AttemptUsage } from './attempt-input.js'
import { attemptText } from './attempt-text.js'
import { erasedAttempt } from './erased-attempt.js'

export type Ending = Partial<Pick<AttemptRecord, 'status' | 'token_in' | 'token_out' | 'error'>>

/** Makes the final record and keeps it; the span is ended after the handle knows it, since that runs foreign code. */
export type End = (ending: Ending, current: AttemptRecord) => Readonly<{ ended: AttemptRecord; endSpan: () => void }>

/** What contexts with one past have forgotten, as often as that has happened (D56). */
export type Forgotten = Readonly<{ times: number; since: (times: number) => readonly Erasing[] }>

/** The request of an attempt, and the tokens that were counted for it here. */
export type SentRequest = Readonly<{
  body: (record: AttemptRecord) => Uint8Array
  tokens: () => Readonly<{ total: number; overhead?: number }>
}>

/** One provider call, from its start to its end. */
export class Attempt<Tree> {
  /** The tree whose thread was sent; `snapshot.threadBytes()` gives it again. */
  readonly snapshot: Tree
  #record: AttemptRecord
  readonly #forgotten: Forgotten
  #timesForgotten: number
  readonly #end: End
  readonly #sent: SentRequest

  /** @internal Use Context.startAttempt. */
  constructor(record: AttemptRecord, snapshot: Tree, forgotten: Forgotten, end: End, sent: SentRequest) {
    this.#record = record
    this.snapshot = snapshot
    this.#forgotten = forgotten
    this.#timesForgotten = forgotten.times
    this.#end = end
    this.#sent = sent
    Object.freeze(addOwn(this, Attempt.#own))
  }

  static readonly #own = ownGetters(Attempt.prototype, ['id', 'record'])

  static {
    showCallers(this.prototype)
  }

  get id(): string {
    return this.#record.attempt_id
  }

  /** What is known of it now. */
  get record(): AttemptRecord {
    for (const erasing of this.#forgotten.since(this.#timesForgotten))
      this.#record = erasedAttempt(this.#record, erasing)
    this.#timesForgotten = this.#forgotten.times
    return this.#record
  }

  /**
   * The body of the request that the adapter made, byte for byte as it was, or the kept one; where it cannot be given again, an
   * E_CONFLICT says why.
   */
  request(): Uint8Array {
    return this.#sent.body(this.record)
  }

  /** How many tokens were sent, as they are counted here: those of the request if an adapter made it, else of the tree. */
  tokens(): Readonly<{ total: number; overhead?: number }> {
    return this.#sent.tokens()
  }

  /** The provider has answered; leave out what it did not count. */
  complete(usage: AttemptUsage = {}): AttemptRecord {
    this.#checkRunning()
    const { tokenIn, tokenOut } = checkUsage(usage)
    return this.#finish({ status: 'completed', token_in: tokenIn, token_out: tokenOut })
  }

  /** The call was stopped; the open cycle can be edited and sent again. */
  cancel(): AttemptRecord {
    this.#checkRunning()
    return this.#finish({ status: 'canceled' })
  }

  /** The call failed with whatever was thrown; name and message are kept. */
  fail(error: unknown): AttemptRecord {
    this.#checkRunning()
    return this.#finish({ status: 'error', error: errorOf(error) })
  }

  /** One line about it. */
  toString(): string {
    return attemptText(this.record)
  }

  /** @internal What console.log prints. */
  [INSPECT](depth: number, options: object, inspect: Inspect): string {
    return depth < 0 ? `[Attempt ${this.id}]` : `Attempt ${inspect(this.record, options)}`
  }

  toJSON(): AttemptRecord {
    return this.record
  }

  #finish(ending: Ending): AttemptRecord {
    const { ended, endSpan } = this.#end(ending, this.record)
    this.#record = ended
    endSpan()
    return ended
  }

  #checkRunning(): void {
    const { attempt_id: id, status, ended_at: endedAt } = this.#record
    if (status === 'running') return
    const how = status === 'error' ? 'failed' : `was ${status}`
    throw new PactError('E_CONFLICT', `Attempt ${id} ${how} at ${endedAt} and cannot end again; start another.`, {
      id,
      status,
    })
  }
}

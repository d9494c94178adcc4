// One provider call as its caller holds it.

import { PactError, showCallers } from '../errors/index.js'
import {
  addOwn,
  countText,
  deepFreeze,
  INSPECT,
  oneLine,
  ownGetters,
  type AttemptId,
  type AttemptRecord,
  type Inspect,
  type JsonObject,
  type SentRecord,
} from '../core/index.js'
import type { Erasing } from '../timeline/index.js'
import { checkUsage, errorOf, type AttemptUsage } from './attempt-input.js'
import { erasedAttempt } from './erased-attempt.js'

export type Ending = Partial<Pick<SentRecord, 'status' | 'token_in' | 'token_out' | 'reported' | 'error'>>

/** Makes the final record and keeps it; the span is ended after the handle knows it, since that runs foreign code. */
export type End = (ending: Ending, current: SentRecord) => Readonly<{ ended: SentRecord; endSpan: () => void }>

/** The erasures of all contexts with one past, in order (D56). */
export type Forgotten = Readonly<{ times: number; since: (times: number) => readonly Erasing[] }>

/** The request of an attempt, and the tokens that were counted for it here. */
export type SentRequest = Readonly<{
  /** The body that the adapter made; undefined without one. */
  body: JsonObject | undefined
  /** The repairs that the adapter listed. */
  repairs: () => readonly AttemptRepair[]
  bytes: (record: SentRecord) => Uint8Array
  tokens: (record: SentRecord) => Readonly<{ total: number; overhead?: number }>
}>

/** An entry of `repairs`: an act of the adapter, or a finding about the request. The codes are those of the adapters. */
export type AttemptRepair = Readonly<{
  code: string
  node: string
  text: string
  cause?: string
  limit?: number
  actual?: number
}>

/** The readers of a provider's replies; each completes the attempt. */
export type ReplyReaders<Received> = Readonly<{
  receive: (reply: object, options: ReaderOptions) => Received
  text: (reply: object, options: ReaderOptions) => string
}>

type ReaderOptions = Readonly<{ attempt: Attempt<unknown> }>

/** One provider call, from its start to its end. */
export class Attempt<Tree, Body = unknown, Received = unknown, Reply extends object = object> {
  /** The tree whose thread was sent; `snapshot.threadBytes()` gives the bytes again. */
  readonly snapshot: Tree
  #record: SentRecord
  readonly #forgotten: Forgotten
  #timesForgotten: number
  readonly #end: End
  readonly #sent: SentRequest
  readonly #readers: ReplyReaders<Received> | undefined
  #body: JsonObject | undefined

  /** @internal Use Context.startAttempt. */
  constructor(
    record: SentRecord,
    snapshot: Tree,
    forgotten: Forgotten,
    end: End,
    sent: SentRequest,
    readers: ReplyReaders<Received> | undefined,
  ) {
    this.#record = record
    this.snapshot = snapshot
    this.#forgotten = forgotten
    this.#timesForgotten = forgotten.times
    this.#end = end
    this.#sent = sent
    this.#readers = readers
    this.#body = sent.body
    Object.freeze(addOwn(this, Attempt.#own))
  }

  static readonly #own = ownGetters(Attempt.prototype, ['id', 'record'])

  static {
    showCallers(this.prototype, ['body'])
  }

  get id(): AttemptId {
    return this.#record.attempt_id
  }

  /** The record as it is now. */
  get record(): AttemptRecord {
    return shownRecord(this.#current)
  }

  get #current(): SentRecord {
    const erasings = this.#forgotten.since(this.#timesForgotten)
    // The body may hold what was erased; it is made again on demand.
    if (erasings.length > 0) this.#body = undefined
    for (const erasing of erasings) this.#record = erasedAttempt(this.#record, erasing)
    this.#timesForgotten = this.#forgotten.times
    return this.#record
  }

  /**
   * The request, with `for`: the params and what the adapter renders, in one frozen object for the client's call. Undefined without `for`.
   * If something in it was forgotten, an E_CONFLICT says so.
   */
  get body(): Body {
    if (this.#current.adapter !== undefined) {
      this.#body ??= deepFreeze(JSON.parse(new TextDecoder().decode(this.request())) as JsonObject)
    }
    return this.#body as Body
  }

  /** Everything that the adapter had to do for the request, as `repairs` of the request itself; none without `for`. */
  get repairs(): readonly AttemptRepair[] {
    return this.#sent.repairs()
  }

  /**
   * The body of the request that the adapter made, byte for byte as it was, or the kept one; where it cannot be given again, an
   * E_CONFLICT says why.
   */
  request(): Uint8Array {
    return this.#sent.bytes(this.#current)
  }

  /** The tokens that were sent, as the context counts them: those of the request if an adapter made it, else those of the tree. */
  tokens(): Readonly<{ total: number; overhead?: number }> {
    return this.#sent.tokens(this.#current)
  }

  /**
   * Takes the reply, or a stream that was put together, into the open turn of the context, and completes the attempt with everything that the
   * provider reported. Needs `for`. A reply that cannot be read changes nothing: the attempt is still running, and can be failed.
   */
  receive(reply: Reply): Received {
    return this.#reader('receive')(reply, { attempt: this })
  }

  /** The text of the reply, which is not added to the context; completes the attempt like `receive`. */
  text(reply: Reply): string {
    return this.#reader('text')(reply, { attempt: this })
  }

  #reader<Name extends keyof ReplyReaders<Received>>(name: Name): ReplyReaders<Received>[Name] {
    this.#checkRunning()
    if (this.#readers !== undefined) return this.#readers[name]
    const message = `${this.id} was started without for; call ctx.receive(reply, { from: fromAnthropic, attempt }).`
    throw new PactError('E_CONTENT_INVALID', message, { name: 'for', id: this.id })
  }

  /** The provider has answered; leave out what it did not count. */
  complete(usage: AttemptUsage = {}): AttemptRecord {
    this.#checkRunning()
    return this.#finish({ status: 'completed', ...checkUsage(usage) })
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
    const { ended, endSpan } = this.#end(ending, this.#current)
    this.#record = ended
    endSpan()
    return shownRecord(ended)
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

/** One line about an attempt. */
function attemptText(record: AttemptRecord): string {
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

/**
 * The public form of a record: without its difference from a base, which depends on later attempts and on whether the context was reopened. The
 * result is the same object for the same record.
 */
export function shownRecord(record: SentRecord): AttemptRecord {
  const known = SHOWN.get(record)
  if (known !== undefined) return known
  const {
    nodes: _nodes,
    thread_indexes: _indexes,
    absent_ids: _absent,
    base_attempt: _base,
    structure: _structure,
    ...shown
  } = record
  SHOWN.set(record, Object.freeze(shown))
  return shown
}

const SHOWN = new WeakMap<SentRecord, AttemptRecord>()

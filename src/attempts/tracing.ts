// Spans for attempts and commits, in the names of OpenTelemetry's conventions for generative AI. The tracer belongs to
// the caller and is known only by its shape. Nothing is imported, and nothing that the tracer does or throws changes a result.

import { PactError } from '../errors/index.js'
import type { AttemptRecord } from '../core/index.js'
import { sha256Hex } from '../codec/index.js'

/** The methods that this package uses of a tracer; every Tracer of `@opentelemetry/api` has them. */
export interface Tracer {
  startSpan(name: string, options?: TracerSpanOptions): TracerSpan
}

export type TracerSpanOptions = {
  /** A SpanKind: 0 for internal work, 2 for a call to another service. */
  kind?: number
  attributes?: TracerAttributes
}

export type TracerAttributes = Record<string, string | number>

/** The methods that this package uses of a span. */
export interface TracerSpan {
  isRecording(): boolean
  setAttributes(attributes: TracerAttributes): unknown
  /** Code 2 is an error; of anything else the status stays unset. */
  setStatus(status: { code: number; message?: string }): unknown
  end(): void
}

const INTERNAL = 0
const CLIENT = 2
const ERROR = 2

/** Makes a call that can neither write to the context nor break anything; gives undefined where it throws. */
export type Aside = <T>(call: () => T) => T | undefined

export class Tracing {
  readonly #tracer: Tracer | undefined
  readonly #contextId: string
  /** Runs the tracer without letting it write, and without letting its errors reach the traced call. */
  readonly #aside: Aside

  constructor(tracer: Tracer | undefined, contextId: string, aside: Aside) {
    this.#tracer = tracer
    this.#contextId = contextId
    this.#aside = aside
  }

  /** Starts the span of an attempt and gives what ends it. */
  attempt(record: AttemptRecord): (ended: AttemptRecord) => void {
    const span = this.#start(`chat ${record.model}`, CLIENT, {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': record.provider,
      'gen_ai.request.model': record.model,
      'pact.context.id': this.#contextId,
      'pact.cycle': record.cycle_id,
      'pact.attempt.id': record.attempt_id,
      'pact.thread.hash': record.thread_hash,
    })
    return (ended) => {
      const attributes: TracerAttributes = { 'pact.attempt.status': ended.status }
      if (ended.token_in !== null) attributes['gen_ai.usage.input_tokens'] = ended.token_in
      if (ended.token_out !== null) attributes['gen_ai.usage.output_tokens'] = ended.token_out
      Object.assign(attributes, reportedIn(ended))
      if (ended.error !== undefined) attributes['error.type'] = ended.error.name
      this.#end(span, attributes, ended.error?.message)
    }
  }

  /** Runs a commit inside a span of its own. */
  commit<Tree extends Exportable>(cycle: number, run: () => Tree): Tree {
    if (this.#tracer === undefined) return run()
    const span = this.#startCommit(cycle)
    try {
      return this.#committed(span, run())
    } catch (error) {
      throw this.#failed(span, error)
    }
  }

  /** Traces a commit that is written asynchronously. */
  async commitLater<Tree extends Exportable>(cycle: number, run: () => Promise<Tree>): Promise<Tree> {
    if (this.#tracer === undefined) return run()
    const span = this.#startCommit(cycle)
    try {
      return this.#committed(span, await run())
    } catch (error) {
      throw this.#failed(span, error)
    }
  }

  #startCommit(cycle: number): TracerSpan | undefined {
    return this.#start('pact.commit', INTERNAL, { 'pact.context.id': this.#contextId, 'pact.cycle': cycle })
  }

  #committed<Tree extends Exportable>(span: TracerSpan | undefined, snapshot: Tree): Tree {
    // An export costs the whole tree, so it is made only if the tracer reads it.
    const hash = this.#aside(() => (span?.isRecording() === true ? sha256Hex(snapshot.export()) : undefined))
    this.#end(span, hash === undefined ? {} : { 'pact.snapshot.hash': hash })
    return snapshot
  }

  #failed(span: TracerSpan | undefined, error: unknown): unknown {
    this.#end(span, { 'error.type': PactError.is(error) ? error.code : 'Error' }, messageOf(error))
    return error
  }

  #start(name: string, kind: number, attributes: TracerAttributes): TracerSpan | undefined {
    const tracer = this.#tracer
    return tracer === undefined ? undefined : this.#aside(() => tracer.startSpan(name, { kind, attributes }))
  }

  /** Three calls, each aside: a span that takes no attributes is ended all the same. */
  #end(span: TracerSpan | undefined, attributes: TracerAttributes, failure?: string): void {
    if (span === undefined) return
    this.#aside(() => span.setAttributes(attributes))
    if (failure !== undefined) this.#aside(() => span.setStatus({ code: ERROR, message: failure }))
    this.#aside(() => span.end())
  }
}

/** The cached tokens are part of `gen_ai.usage.input_tokens`. */
function reportedIn({ reported: { id, model, stop, cacheRead, cacheWrite } = {} }: AttemptRecord): TracerAttributes {
  const said = {
    'gen_ai.response.id': id,
    'gen_ai.response.model': model,
    'pact.attempt.stop': stop,
    'gen_ai.usage.cache_read.input_tokens': cacheRead,
    'gen_ai.usage.cache_creation.input_tokens': cacheWrite,
  }
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)) as TracerAttributes
}

type Exportable = Readonly<{ export: () => Uint8Array }>

/** A commit fails with a PactError, whose message never contains what the caller's own functions threw. */
function messageOf(error: unknown): string {
  return PactError.is(error) ? error.message : 'The commit failed.'
}

// generateText, streamText and agents of the AI SDK on a context: each step sends what the context renders, and what the model and the tools
// say is added to it, once.

import type { AnyContext, Attempt } from '../../context/index.js'
import { asCall } from '../../errors/index.js'
import { addMessage } from '../conversation/import-messages.js'
import { sentBody } from '../conversation/sent-body.js'
import { AI_SDK, type ModelMessageOptions } from './format.js'
import { completeCall, type ModelNames, startCall, watchModel, withSentThoughts } from './model-call.js'
import { readSaid } from './read.js'
import type { AnyModelMessage } from './types.js'

/** Options of a request, and the names under which attempts are recorded; by default those of the model. */
export type RunOptions = ModelMessageOptions & ModelNames

/** A step as the SDK tells of it: its messages, with version 6 those of all steps so far, and what the provider said about it. */
export type StepTold = Readonly<{
  stepNumber?: number
  response: Readonly<{ messages: readonly object[] }>
  usage?: object | undefined
  finishReason?: string | undefined
  rawFinishReason?: string | undefined
  providerMetadata?: object | undefined
}>

/**
 * A step that is about to begin: its messages are those of the call, then those of all steps so far. Version 7 gives the latter
 * by themselves, too.
 */
export type StepToCome<Model = unknown> = Readonly<{
  steps?: readonly StepTold[]
  model?: Model
  messages?: readonly object[]
  responseMessages?: readonly object[]
}>

/** The prompt of a step, and the model that gets it: the caller's own, watched. */
export type PreparedStep<Model = unknown> = Readonly<{
  system?: string
  messages: AnyModelMessage[]
  model?: Model
}>

/** Can be spread into the call of generateText, streamText or an agent. */
export type ContextRun = Readonly<{
  system?: string
  messages: AnyModelMessage[]
  prepareStep: <Model>(step: StepToCome<Model>) => PreparedStep<Model>
  onStepFinish: (step: StepTold) => void
}>

/**
 * Runs a call of the SDK on a context: `generateText({ model, tools, ...runOn(ctx) })`. Every step sends the context as it is
 * then, what comes back is added to the open cycle, and each step is an attempt. Commit when the turn is over.
 */
export function runOn(ctx: AnyContext, options: RunOptions = {}): ContextRun {
  return asCall(runOn, () => new Run(ctx, options).parts)
}

class Run {
  readonly #ctx: AnyContext
  readonly #options: ModelMessageOptions
  readonly #names: ModelNames
  /** The number of messages the call was made with; those behind them are the run's own. */
  #given = 0
  /** The number of messages of the reply that are in the context. */
  #taken = 0
  /** True if a step gives its own messages alone, as with version 7. */
  #tellsOwn = false
  /** The steps that are in the context: the SDK may tell of one twice. */
  #steps = 0
  #attempt: Attempt | undefined

  constructor(ctx: AnyContext, { provider, model, ...options }: RunOptions) {
    this.#ctx = ctx
    this.#options = options
    this.#names = { provider, model }
  }

  get parts(): ContextRun {
    const prompt = this.#prompt(this.#options)
    this.#given = prompt.messages.length
    return {
      ...prompt,
      prepareStep: (step) => asCall(runOn, () => this.#prepare(step)),
      onStepFinish: (step) => asCall(runOn, () => this.#finish(step, step.stepNumber ?? this.#steps)),
    }
  }

  #prompt(options: ModelMessageOptions): Pick<ContextRun, 'system' | 'messages'> {
    return { ...AI_SDK.to(this.#ctx, options) } as unknown as Pick<ContextRun, 'system' | 'messages'>
  }

  /** The SDK may ask for the next step before it tells of the last one. */
  #prepare<Model>({ steps = [], model, messages = [], responseMessages }: StepToCome<Model>): PreparedStep<Model> {
    this.#tellsOwn = responseMessages !== undefined
    const last = steps.at(-1)
    if (last !== undefined) this.#finish(last, steps.length - 1)
    // Tools that were approved have run before the first step; no step tells of them.
    else this.#takeIn(messages.slice(this.#given))
    // Each call is an attempt, also one that the SDK makes again after one that failed.
    const watched = watchModel(model, (call) => {
      const attempt = this.#start(model, call)
      return {
        fail: (error) => running(attempt)?.fail(error),
        cancel: () => running(attempt)?.cancel(),
        // The SDK reports no step whose reply it cannot use, so the attempt ends with the model's answer.
        complete: (result) => completeCall(running(attempt), result),
        options: withSentThoughts(call, attempt),
      }
    })
    if (watched === undefined) this.#start(model, {})
    // The attempt starts when the model is called, after the prompt was made: both must see the same tree.
    this.#ctx.trim()
    if (watched === undefined) return this.#prompt(this.#options)
    return { ...this.#prompt(this.#withThoughts), model: watched as Model }
  }

  /** The thoughts to send are known once the tools are: the call of a watched model leaves the others out. */
  get #withThoughts(): ModelMessageOptions {
    const { thinking = 'bound', repair = true } = this.#options
    return repair && thinking === 'bound' ? { ...this.#options, thinking: 'all' } : this.#options
  }

  #start(model: unknown, call: object): Attempt {
    return (this.#attempt = startCall(this.#ctx, model, call, { ...this.#options, ...this.#names }))
  }

  /** Takes a step in whole or not at all. The attempt of a model that is only a name ends here. */
  #finish(step: StepTold, at: number): void {
    if (at < this.#steps) return
    const { response, usage, finishReason, rawFinishReason, providerMetadata } = step
    const fresh = this.#tellsOwn ? response.messages : response.messages.slice(this.#taken)
    const attempt = this.#attempt
    this.#attempt = undefined
    // A model that says nothing has answered, too.
    if (fresh.length === 0 && !ANSWERED.has(attempt?.record.status)) return
    const reply = { messages: fresh, response, usage, finishReason, rawFinishReason, providerMetadata }
    const isRunning = attempt !== undefined && running(attempt) !== undefined
    AI_SDK.receive(this.#ctx, reply, isRunning ? { attempt } : { request: sentBody(attempt, 'ai-sdk') })
    this.#taken += fresh.length
    this.#steps = at + 1
  }

  /** Adds messages that no step tells of. */
  #takeIn(messages: readonly object[]): void {
    const specs = readSaid(messages.slice(this.#taken), this.#ctx)
    this.#ctx.batch(() => specs.forEach((spec) => addMessage(this.#ctx, spec)))
    this.#taken += specs.length
  }
}

const ANSWERED: ReadonlySet<unknown> = new Set(['running', 'completed'])

/** The attempt, if it has not ended yet. */
function running(attempt: Attempt): Attempt | undefined {
  return attempt.record.status === 'running' ? attempt : undefined
}

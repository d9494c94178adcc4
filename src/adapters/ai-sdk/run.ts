// generateText, streamText and agents of the AI SDK on a context: each step sends what the context renders, and what the model and the tools
// say is added to it, once.

import { asCall } from '../../errors/index.js'
import { copyJson } from '../../codec/index.js'
import type { AnyContext, Attempt } from '../../context/index.js'
import { addMessage } from '../conversation/import-messages.js'
import { AI_SDK } from './format.js'
import { readMessage } from './read.js'
import { tag } from './tagged.js'
import type { AnyModelMessage, ModelMessageOptions } from './types.js'
import { watchModel } from './watch-model.js'

export type RunOptions = ModelMessageOptions &
  Readonly<{
    /** The names under which attempts are recorded; by default those of the model. */
    provider?: string | undefined
    model?: string | undefined
  }>

/** A step as the SDK tells of it: its messages, with version 6 those of all steps so far, and what the provider counted. */
export type StepTold = Readonly<{
  stepNumber?: number
  response: Readonly<{ messages: readonly object[] }>
  usage?: Readonly<{ inputTokens?: number | undefined; outputTokens?: number | undefined }> | undefined
}>

/**
 * A step that is about to begin: its messages are those of the call, then those of all steps so far. Version 7 gives the latter
 * by themselves, too.
 */
export type StepToCome = Readonly<{
  steps?: readonly StepTold[]
  model?: unknown
  messages?: readonly object[]
  responseMessages?: readonly object[]
}>

/** The prompt of a step, and the model that gets it: the caller's own, watched. */
export type PreparedStep = Readonly<{
  system?: string
  messages: AnyModelMessage[]
  // oxlint-disable-next-line typescript/no-explicit-any -- each version of the SDK has its own type of models
  model?: any
}>

/** Can be spread into the call of generateText, streamText or an agent. */
export type ContextRun = Readonly<{
  system?: string
  messages: AnyModelMessage[]
  prepareStep: (step: StepToCome) => PreparedStep
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
  readonly #names: Readonly<{ provider: string | undefined; model: string | undefined }>
  /** The number of messages the call was made with; those behind them are the run's own. */
  #given = 0
  /** The number of messages of the reply that are in the context. */
  #taken = 0
  /** True if a step gives its own messages alone, as with version 7; then the number of steps in the context. */
  #tellsOwn = false
  #steps = 0
  #attempt: Attempt | undefined

  constructor(ctx: AnyContext, { provider, model, ...options }: RunOptions) {
    this.#ctx = ctx
    this.#options = options
    this.#names = { provider, model }
  }

  get parts(): ContextRun {
    const prompt = this.#prompt()
    this.#given = prompt.messages.length
    return {
      ...prompt,
      prepareStep: (step) => asCall(runOn, () => this.#prepare(step)),
      onStepFinish: (step) => asCall(runOn, () => this.#finish(step)),
    }
  }

  #prompt(): Pick<ContextRun, 'system' | 'messages'> {
    return { ...AI_SDK.to(this.#ctx, this.#options) } as unknown as Pick<ContextRun, 'system' | 'messages'>
  }

  /** The SDK may ask for the next step before it tells of the last one. */
  #prepare({ steps = [], model, messages = [], responseMessages }: StepToCome): PreparedStep {
    this.#tellsOwn = responseMessages !== undefined
    const last = steps.at(-1)
    if (last !== undefined) this.#finish(last)
    // Tools that were approved have run before the first step; no step tells of them.
    else this.#takeIn(messages.slice(this.#given))
    const start = () => this.#start(model)
    start()
    const watched = watchModel(model, {
      // A call that is made once more, after one that failed, is an attempt of its own.
      begin: () => (this.#attempt?.record.status === 'running' ? undefined : start()),
      fail: (error) => this.#running()?.fail(error),
      cancel: () => this.#running()?.cancel(),
    })
    return { ...this.#prompt(), ...(watched === undefined ? {} : { model: watched }) }
  }

  #start(model: unknown): void {
    const { provider = textIn(model, 'provider') ?? 'ai-sdk', model: name = textIn(model, 'modelId') ?? 'model' } =
      this.#names
    const { lens, ...options } = this.#options
    const rendering = { for: AI_SDK.to, options, lens }
    this.#attempt = this.#ctx.startAttempt({ provider, model: name, params: {}, ...rendering })
  }

  #running(): Attempt | undefined {
    return this.#attempt?.record.status === 'running' ? this.#attempt : undefined
  }

  #finish({ response: { messages }, usage, stepNumber = this.#steps }: StepTold): void {
    if (!this.#tellsOwn) this.#takeIn(messages)
    else if (stepNumber >= this.#steps) {
      this.#add(messages)
      this.#steps = stepNumber + 1
    }
    this.#running()?.complete({ tokenIn: usage?.inputTokens, tokenOut: usage?.outputTokens })
  }

  /** Adds the messages of all steps so far, those that are not in the context yet. */
  #takeIn(messages: readonly object[]): void {
    this.#add(messages.slice(this.#taken))
    this.#taken = Math.max(this.#taken, messages.length)
  }

  #add(messages: readonly object[]): void {
    for (const message of messages) addMessage(this.#ctx, readMessage(copyJson(tag(message)), 'response.messages'))
  }
}

function textIn(value: unknown, name: string): string | undefined {
  if (typeof value === 'string') return name === 'modelId' ? value : undefined
  const text =
    typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
  return typeof text === 'string' && text !== '' ? text : undefined
}

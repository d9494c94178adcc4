// generateText, streamText and agents of the AI SDK on a context: each step sends what the context renders, and what the model and the tools
// say is added to it, once.

import { asCall } from '../../errors/index.js'
import { copyJson } from '../../codec/index.js'
import type { Attempt, Context } from '../../context/index.js'
import { addMessage } from '../conversation/import-messages.js'
import { AI_SDK_ADAPTER } from './adapter.js'
import { readMessage } from './from.js'
import { tag } from './tagged.js'
import type { AnyModelMessage, ModelMessageOptions } from './types.js'

export type RunOptions = ModelMessageOptions &
  Readonly<{
    /** What attempts are recorded as; the model says it itself where the SDK tells which one it is. */
    provider?: string | undefined
    model?: string | undefined
  }>

/** A step as the SDK tells of it: the messages of all steps so far, and what the provider counted. */
export type StepTold = Readonly<{
  response: Readonly<{ messages: readonly object[] }>
  usage?: Readonly<{ inputTokens?: number | undefined; outputTokens?: number | undefined }> | undefined
}>

/** What is known when a step is about to begin. */
export type StepToCome = Readonly<{ steps?: readonly StepTold[]; model?: unknown }>

/** Can be spread into the call of generateText, streamText or an agent. */
export type ContextRun = Readonly<{
  system?: string
  messages: AnyModelMessage[]
  prepareStep: (step: StepToCome) => Readonly<{ system?: string; messages: AnyModelMessage[] }>
  onStepFinish: (step: StepTold) => void
}>

/**
 * Runs a call of the SDK on a context: `generateText({ model, tools, ...runOn(ctx) })`. Every step sends the context as it is
 * then, what comes back is added to the open cycle, and each step is an attempt. Commit when the turn is over.
 */
export function runOn(ctx: Context, options: RunOptions = {}): ContextRun {
  return asCall(runOn, () => new Run(ctx, options).parts)
}

class Run {
  readonly #ctx: Context
  readonly #options: ModelMessageOptions
  readonly #names: Readonly<{ provider: string | undefined; model: string | undefined }>
  /** How many of the messages that came back are in the context. */
  #taken = 0
  #attempt: Attempt | undefined

  constructor(ctx: Context, { provider, model, ...options }: RunOptions) {
    this.#ctx = ctx
    this.#options = options
    this.#names = { provider, model }
  }

  get parts(): ContextRun {
    return {
      ...this.#prompt(),
      prepareStep: (step) => asCall(runOn, () => this.#prepare(step)),
      onStepFinish: (step) => asCall(runOn, () => this.#finish(step)),
    }
  }

  #prompt(): Pick<ContextRun, 'system' | 'messages'> {
    return { ...AI_SDK_ADAPTER.request(this.#ctx, this.#options) } as unknown as Pick<ContextRun, 'system' | 'messages'>
  }

  /** The SDK may ask for the next step before it tells of the last one. */
  #prepare({ steps = [], model }: StepToCome): Pick<ContextRun, 'system' | 'messages'> {
    const last = steps.at(-1)
    if (last !== undefined) this.#finish(last)
    const { provider = textIn(model, 'provider') ?? 'ai-sdk', model: name = textIn(model, 'modelId') ?? 'model' } =
      this.#names
    this.#attempt = this.#ctx.startAttempt({ provider, model: name, params: {} })
    return this.#prompt()
  }

  #finish({ response, usage }: StepTold): void {
    const { messages } = response
    for (const message of messages.slice(this.#taken)) {
      addMessage(this.#ctx, readMessage(copyJson(tag(message)), 'response.messages'))
    }
    this.#taken = Math.max(this.#taken, messages.length)
    const attempt = this.#attempt
    if (attempt?.record.status !== 'running') return
    attempt.complete({ tokenIn: usage?.inputTokens, tokenOut: usage?.outputTokens })
  }
}

function textIn(value: unknown, name: string): string | undefined {
  if (typeof value === 'string') return name === 'modelId' ? value : undefined
  const text =
    typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
  return typeof text === 'string' && text !== '' ? text : undefined
}

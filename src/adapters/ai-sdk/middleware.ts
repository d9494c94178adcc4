// A model of the AI SDK that always sees the context: whatever calls it, the messages that are new go into the context, and the
// context is what the model gets.

import { canonicalJson, copyJson } from '../../codec/index.js'
import type { AnyContext, Attempt } from '../../context/index.js'
import type { JsonValue } from '../../core/index.js'
import { asCall, isRecord } from '../../errors/index.js'
import type { CallPrompt } from '../../thread/index.js'
import { addMessage, type MessageSpec } from '../conversation/import-messages.js'
import { sentBody } from '../conversation/sent-body.js'
import { type FileForm, promptFile, promptOutput } from './file-data.js'
import { AI_SDK, type ModelMessageOptions } from './format.js'
import { type Begin, completeCall, promptBeside, startCall, watchedCall } from './model-call.js'
import { readMessage } from './read.js'
import { tag } from './tagged.js'

/** The parameters of a call to a model, as far as they matter here. */
export type CallParams = Readonly<{ prompt: readonly object[] }>

/** For `wrapLanguageModel({ model, middleware })`, of versions 6 and 7. */
export type ContextMiddleware = Readonly<{
  specificationVersion: 'v3'
  transformParams: <T extends CallParams>(call: Readonly<{ params: T; model?: unknown }>) => Promise<T>
  wrapGenerate: <T>(call: WrappedCall & Readonly<{ doGenerate: () => PromiseLike<T> }>) => Promise<T>
  wrapStream: <T>(call: WrappedCall & Readonly<{ doStream: () => PromiseLike<T> }>) => Promise<T>
}>

/** A call as it goes to the model. */
export type WrappedCall = Readonly<{
  params: CallParams & Readonly<{ abortSignal?: AbortSignal | undefined }>
  model?: unknown
}>

/**
 * Takes the messages of each call into the context, those that the last call did not have, and gives the model what the context
 * renders. Each call of the model is an attempt. The SDK sends the whole conversation each time; where a call begins another one, all of it is new. Of the first call,
 * what the context renders already is not.
 */
export function contextMiddleware(ctx: AnyContext, options: ModelMessageOptions = {}): ContextMiddleware {
  return asCall(contextMiddleware, () => {
    let seen: readonly string[] | undefined
    let last: Attempt | undefined
    const begin =
      (model: unknown): Begin =>
      (call) => {
        const attempt = (last = startCall(ctx, model, call, options))
        const once = (end: () => void): void => (attempt.record.status === 'running' ? end() : undefined)
        return {
          fail: (error) => once(() => attempt.fail(error)),
          cancel: () => once(() => attempt.cancel()),
          complete: (result) => once(() => completeCall(attempt, result)),
        }
      }
    // A bad option shows here and not at the first call.
    AI_SDK.to(ctx, options)
    return {
      specificationVersion: 'v3',
      transformParams: ({ params, model }) => {
        const form = fileForm(model)
        const messages = params.prompt.map((message) => copyJson(tag(message)))
        const texts = messages.map((message) => canonicalJson(message))
        const known = seen ?? textsIn(ctx, options, form, texts)
        const same = texts.findIndex((text, i) => text !== known[i])
        takeIn(ctx, messages, same < 0 ? texts.length : same, last)
        last = undefined
        seen = texts
        // As `startAttempt` does, which comes after the prompt is made.
        ctx.trim()
        return Promise.resolve({ ...params, prompt: promptOf(ctx, options, form, promptBeside(params)) })
      },
      wrapGenerate: ({ doGenerate, params, model }) => watchedCall(doGenerate, params, begin(model)),
      wrapStream: ({ doStream, params, model }) => watchedCall(doStream, params, begin(model)),
    }
  })
}

/** The texts that the context renders, if a call begins with all of them. */
function textsIn(
  ctx: AnyContext,
  options: ModelMessageOptions,
  form: FileForm,
  given: readonly string[],
): readonly string[] {
  const texts = promptOf(ctx, options, form).map((message) => canonicalJson(copyJson(tag(message))))
  return texts.every((text, i) => text === given[i]) ? texts : []
}

/** Adds the messages from `start` on, all or none. `last` is the call that the first message of the assistant answers. */
function takeIn(ctx: AnyContext, messages: readonly JsonValue[], start: number, last: Attempt | undefined): void {
  const run = new Set<JsonValue>()
  const specs = messages.map((message, i) => readMessage(message, `prompt[${i}]`, run)).slice(start)
  ctx.batch(() => addAll(ctx, specs, last))
}

function addAll(ctx: AnyContext, specs: readonly MessageSpec[], last: Attempt | undefined): void {
  let asked = last
  for (const spec of specs) {
    const request = spec.role === 'assistant' ? asked : undefined
    if (spec.role === 'assistant') asked = undefined
    const bind = (): readonly MessageSpec[] => AI_SDK.bind([spec], ctx, () => request && sentBody(request, 'ai-sdk'))
    // A system text comes with every call; it is new where `^sys` does not say it yet.
    if (spec.role !== 'system') for (const bound of bind()) addMessage(ctx, bound)
    else if (!hasSystem(ctx, spec)) addMessage(ctx, { ...spec, isSystem: true })
  }
}

function hasSystem(ctx: AnyContext, { body }: ReturnType<typeof readMessage>): boolean {
  return 'content' in body && ctx.nodes('^sys .block').some(({ content }) => content === body.content)
}

type Part = Readonly<Record<string, unknown>>
type Renders = (ctx: AnyContext, options: ModelMessageOptions, beside?: CallPrompt) => unknown

/** The context in the form that models get: lists of parts, and images as files. */
function promptOf(
  ctx: AnyContext,
  options: ModelMessageOptions,
  form: FileForm,
  beside?: CallPrompt,
): readonly object[] {
  const render: Renders = AI_SDK.to
  const { system, messages } = render(ctx, options, beside) as {
    system?: unknown
    messages: readonly Part[]
  }
  const texts =
    typeof system === 'string' ? [{ role: 'system', content: system }] : ((system ?? []) as readonly object[])
  return [...texts, ...messages.map((message) => promptMessage(message, form))]
}

function promptMessage(message: Part, form: FileForm): Part {
  const { role, content } = message
  if (role === 'system') return message
  if (typeof content === 'string') return { ...message, content: [{ type: 'text', text: content }] }
  return { ...message, content: (content as readonly Part[]).map((part) => promptPart(part, form)) }
}

function promptPart(part: Part, form: FileForm): Part {
  const { type, output } = part
  if (type === 'tool-result') return { ...part, output: promptOutput(output as Part, form) }
  return type === 'image' || type === 'file' || type === 'reasoning-file' ? promptFile(part, form) : part
}

/** Models of version 7 have the version 4. */
function fileForm(model: unknown): FileForm {
  const { specificationVersion: version, provider } = isRecord(model) ? model : {}
  return { isTagged: version === 'v4', provider: typeof provider === 'string' ? provider.split('.')[0]! : 'provider' }
}

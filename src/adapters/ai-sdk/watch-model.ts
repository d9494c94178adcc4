// Watches the calls of a model: the SDK reports steps that succeed, but not steps that fail.

import type { ModelResult } from './model-call.js'

/** Callbacks for one call of a model: how it ended, each at most once. A stream tells its end when it was read. */
export type CallEnd = Readonly<{
  fail: (error: unknown) => void
  cancel: () => void
  complete?: ((result: ModelResult) => void) | undefined
  /** The options that the model gets instead. */
  options?: object | undefined
}>

/** Called when a call begins, with the options that the model gets. */
export type Begin = (call: object) => CallEnd

type Call = (options: CallOptions) => PromiseLike<unknown>
type CallOptions = Readonly<{ abortSignal?: AbortSignal | undefined }>

/** The same model for its callers; undefined if the model is only a name. */
export function watchModel(model: unknown, begin: Begin): object | undefined {
  if (typeof model !== 'object' || model === null) return undefined
  return new Proxy(model, {
    get(target, name) {
      // Bound to the model itself, which may have private fields.
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      const call = value.bind(target) as Call
      if (name !== 'doGenerate' && name !== 'doStream') return call
      return (options: CallOptions) => watchedCall((given) => call(given), options, begin)
    },
  })
}

/** Makes a call of a model and tells how it ended. */
export async function watchedCall<Result>(
  call: (options: CallOptions) => PromiseLike<Result>,
  options: CallOptions,
  begin: Begin,
): Promise<Result> {
  const { abortSignal } = options
  const { fail, cancel, complete, options: given = options } = begin(options)
  // A stopped call throws, and is no failure.
  const end = (error: unknown): void => (abortSignal?.aborted === true ? cancel() : fail(error))
  abortSignal?.addEventListener('abort', cancel, { once: true })
  try {
    const result = await call(given)
    if (hasStream(result)) return { ...result, stream: watchedStream(result, { fail: end, cancel, complete }) }
    complete?.(result as ModelResult)
    return result
  } catch (error) {
    end(error)
    throw error
  }
}

type Streamed = Readonly<{ stream: ReadableStream<unknown>; response?: unknown }>

function hasStream(result: unknown): result is Streamed {
  return typeof result === 'object' && result !== null && 'stream' in result && result.stream instanceof ReadableStream
}

/** A stream can fail in its middle, by itself or by a part that says so, and its reader can stop. */
function watchedStream({ stream }: Streamed, { fail, cancel, complete }: CallEnd): ReadableStream<unknown> {
  const reader = stream.getReader()
  let response: object = {}
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        if (isPart(value, 'error')) fail((value as Readonly<{ error?: unknown }>).error)
        if (isPart(value, 'response-metadata')) response = { ...response, ...value }
        if (isPart(value, 'finish')) complete?.({ ...value, response })
        controller.enqueue(value)
      } catch (error) {
        fail(error)
        controller.error(error)
      }
    },
    cancel(reason) {
      cancel()
      return reader.cancel(reason)
    },
  })
}

function isPart(part: unknown, type: string): part is object {
  return typeof part === 'object' && part !== null && 'type' in part && part.type === type
}

// Watches the calls of a model: the SDK reports steps that succeed, but not steps that fail.

/** Callbacks for the calls of a model. */
export type Watcher = Readonly<{ begin: () => void; fail: (error: unknown) => void; cancel: () => void }>

type Call = (options: CallOptions) => PromiseLike<unknown>
type CallOptions = Readonly<{ abortSignal?: AbortSignal | undefined }>

/** The same model for its callers; undefined if the model is only a name. */
export function watchModel(model: unknown, watcher: Watcher): object | undefined {
  if (typeof model !== 'object' || model === null) return undefined
  return new Proxy(model, {
    get(target, name) {
      // Bound to the model itself, which may have private fields.
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      const call = value.bind(target) as Call
      return name === 'doGenerate' || name === 'doStream' ? watched(call, watcher) : call
    },
  })
}

function watched(call: Call, { begin, fail, cancel }: Watcher): Call {
  return async (options) => {
    const { abortSignal } = options
    // A stopped call throws, and is no failure.
    const end = (error: unknown): void => (abortSignal?.aborted === true ? cancel() : fail(error))
    begin()
    abortSignal?.addEventListener('abort', cancel, { once: true })
    try {
      const result = await call(options)
      return hasStream(result) ? { ...result, stream: watchedStream(result.stream, { fail: end, cancel }) } : result
    } catch (error) {
      end(error)
      throw error
    }
  }
}

function hasStream(result: unknown): result is { stream: ReadableStream<unknown> } {
  return typeof result === 'object' && result !== null && 'stream' in result && result.stream instanceof ReadableStream
}

/** A stream can fail in its middle, by itself or by a part that says so, and its reader can stop. */
function watchedStream(
  stream: ReadableStream<unknown>,
  watcher: Pick<Watcher, 'fail' | 'cancel'>,
): ReadableStream<unknown> {
  const reader = stream.getReader()
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        if (isError(value)) watcher.fail(value.error)
        controller.enqueue(value)
      } catch (error) {
        watcher.fail(error)
        controller.error(error)
      }
    },
    cancel(reason) {
      watcher.cancel()
      return reader.cancel(reason)
    },
  })
}

function isError(part: unknown): part is Readonly<{ error: unknown }> {
  return typeof part === 'object' && part !== null && 'type' in part && part.type === 'error' && 'error' in part
}

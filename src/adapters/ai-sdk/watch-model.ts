// A model that is watched while it is called: the SDK tells when a step has ended well, and nobody when it has not.

/** What is told about the calls of a model. */
export type Watcher = Readonly<{ begin: () => void; fail: (error: unknown) => void; cancel: () => void }>

type Call = (options: CallOptions) => PromiseLike<unknown>
type CallOptions = Readonly<{ abortSignal?: AbortSignal | undefined }>

/** The same model for whoever calls it; undefined where it is only named. */
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

function watched(call: Call, watcher: Watcher): Call {
  return async (options) => {
    const { abortSignal } = options
    watcher.begin()
    abortSignal?.addEventListener('abort', watcher.cancel, { once: true })
    try {
      const result = await call(options)
      return hasStream(result) ? { ...result, stream: result.stream.pipeThrough(tellErrors(watcher)) } : result
    } catch (error) {
      if (abortSignal?.aborted === true) watcher.cancel()
      else watcher.fail(error)
      throw error
    }
  }
}

function hasStream(result: unknown): result is { stream: ReadableStream<unknown> } {
  return typeof result === 'object' && result !== null && 'stream' in result && result.stream instanceof ReadableStream
}

/** An error in the middle of a stream is one of its parts. */
function tellErrors(watcher: Watcher): TransformStream<unknown, unknown> {
  return new TransformStream({
    transform(part, controller) {
      const { type, error } = (typeof part === 'object' && part !== null ? part : {}) as {
        type?: unknown
        error?: unknown
      }
      if (type === 'error') watcher.fail(error)
      controller.enqueue(part)
    },
  })
}

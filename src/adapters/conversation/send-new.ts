// One call of a provider that keeps replies: it gets only what is new, and everything once it has forgotten.

import type { AnyContext, Received, RequestBody, RequestInput } from '../../context/index.js'
import type { JsonObject } from '../../core/index.js'
import { checkRenderer, type RendersRequests, type ReplyTo } from '../../thread/index.js'
import { Adapter } from './adapter.js'

/**
 * Sends what the provider does not have yet, and takes the reply into the open turn. If the provider has forgotten what it had, the
 * whole is sent. Each call of `send` is an attempt, which is completed or failed.
 */
export async function sendNew<To extends RendersRequests, Params extends object>(
  ctx: AnyContext,
  call: RequestInput<To, Params>,
  send: (body: RequestBody<To, Params>) => PromiseLike<ReplyTo<To>>,
): Promise<Received> {
  const renderer = checkRenderer(call.for)
  const held = renderer instanceof Adapter ? renderer.held : undefined
  const ask = async (options: object | undefined): Promise<Received> => {
    const attempt = ctx.startAttempt({ ...call, options })
    try {
      return attempt.receive(await send(attempt.body))
    } catch (error) {
      if (attempt.record.status === 'running') attempt.fail(error)
      throw error
    }
  }
  if (held === undefined || held.excludes((call.params ?? {}) as JsonObject)) return ask(call.options)
  try {
    return await ask({ onlyNew: true, ...call.options })
  } catch (error) {
    if (!held.isForgotten(error)) throw error
    return ask({ ...call.options, onlyNew: false })
  }
}

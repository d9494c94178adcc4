// A context as a prompt of the AI SDK.

import { asCall } from '../../errors/index.js'
import type { AnyContext, Snapshot } from '../../context/index.js'
import { RENDERER, type HasRenderer } from '../../thread/index.js'
import { AI_SDK_ADAPTER } from './adapter.js'
import type { ModelMessageOptions, ModelPrompt } from './types.js'

/** The prompt for generateText: `{ system?, messages }`, valid unless `repair` is false. */
export const toModelMessages: HasRenderer &
  ((ctx: AnyContext | Snapshot, options?: ModelMessageOptions) => ModelPrompt) = Object.assign(
  function toModelMessages(ctx: AnyContext | Snapshot, options?: ModelMessageOptions): ModelPrompt {
    return asCall(toModelMessages, () => AI_SDK_ADAPTER.request(ctx, options) as unknown as ModelPrompt)
  },
  { [RENDERER]: AI_SDK_ADAPTER },
)

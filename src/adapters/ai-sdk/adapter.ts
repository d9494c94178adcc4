// The one adapter of this format: what it keeps with trees is shared by everything that renders for the SDK.

import { Adapter } from '../conversation/adapter.js'
import { AI_SDK } from './format.js'
import type { ModelMessageOptions } from './types.js'

export const AI_SDK_ADAPTER: Adapter<ModelMessageOptions> = new Adapter<ModelMessageOptions>(AI_SDK, ['systemMessages'])

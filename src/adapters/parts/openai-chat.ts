// The parts of a message in the format openai-chat, read into what all formats share.

import type { JsonObject } from '../../core/index.js'
import type { ReadPart } from '../conversation/neutral.js'

export function readChatPart(_value: JsonObject, _kind: string | undefined): ReadPart | undefined {
  return undefined
}

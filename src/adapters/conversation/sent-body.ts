// The body that an attempt has sent.

import type { Attempt } from '../../context/index.js'
import type { JsonObject } from '../../core/index.js'
import { PactError } from '../../errors/index.js'

/** Stands for a request in which something was forgotten. */
export const FORGOTTEN: JsonObject = Object.freeze({})

/** The body that an attempt has sent, if it is one of this format. If something in it was forgotten, the reply comes in all the same. */
export function sentBody(attempt: Attempt | undefined, format: string): JsonObject | undefined {
  if (attempt?.record.adapter !== format) return undefined
  try {
    return attempt.body as JsonObject
  } catch (error) {
    if (PactError.is(error)) return FORGOTTEN
    throw error
  }
}

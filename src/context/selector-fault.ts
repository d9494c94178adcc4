// What a selector is told that cannot be answered: where in its text the fault lies (D40).

import { PactError } from '../errors/index.js'
import type { View } from '../timeline/index.js'
import { selectorError, type Span } from '../selector/index.js'
import type { Plan } from '../query/index.js'

/** A snapshot that is missing is a fault of the text that named it, so the error says where it does (D40). */
export function placed(text: string, { start, end }: Span, find: () => View): View {
  try {
    return find()
  } catch (error) {
    if (!PactError.is(error)) throw error
    const { code, message, details } = error
    throw selectorError(code, message, text, start, end, details)
  }
}

export function faultAt(text: string, { time }: Plan, sentence: string): PactError {
  const { start, end } = time?.span ?? { start: 0, end: text.length }
  return selectorError('E_SELECTOR_INVALID', sentence, text, start, end)
}

// The answer of a selector, from the engine or from the naive evaluator, in a form that both can be compared in.

import { PactError } from '../../src/errors/index.js'
import { OracleError } from '../oracle/selector.js'

/** Ids, or the code of the error. */
export function answer(ask: () => readonly string[]): unknown {
  try {
    return [...ask()]
  } catch (error) {
    if (PactError.is(error) || error instanceof OracleError) return { error: error.code }
    throw error
  }
}

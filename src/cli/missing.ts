import { PactError, short } from '../errors/index.js'

/** A context that is not there. */
export function missing(id: string): PactError {
  return new PactError('E_STORE', `There is no context ${short(id)} in this store.`, {
    id,
    outcome: 'failed',
    reason: 'missing',
  })
}

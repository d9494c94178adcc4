// A suggestion for the id of a context that does not exist.

import { PactError } from '../errors/index.js'
import { suggestNames } from '../errors/index.js'
import type { Store } from '../store/index.js'

/** The number of ids that are searched. */
const MOST = 2000

/** An error about a missing context with a suggestion; any other error as it is. */
export async function withNearId(error: unknown, store: Store): Promise<unknown> {
  if (!PactError.is(error) || error.details['reason'] !== 'missing') return error
  const { id } = error.details
  if (typeof id !== 'string') return error
  const near = await nearId(id, store)
  const advice = near === undefined ? 'pctx ls lists those that there are.' : `Did you mean ${JSON.stringify(near)}?`
  return new PactError(error.code, `${error.message} ${advice}`, {
    ...error.details,
    ...(near === undefined ? {} : { near }),
  })
}

export async function nearId(id: string, store: Store): Promise<string | undefined> {
  const { contexts } = await store.list({ limit: MOST })
  return suggestNames(
    id,
    contexts.map((context) => context.id),
  )
}

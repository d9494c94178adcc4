// A context that is not there, and one whose name is near.

import { PactError } from '../errors/index.js'
import { suggestNames } from '../context/index.js'
import type { Store } from '../store/index.js'

/** How many names are looked at. */
const MOST = 2000

/** The same error, with a name that may be meant; any other error as it is. */
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

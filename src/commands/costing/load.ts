// Costing needs every adapter, so it is loaded on demand.

import type { SessionCost } from '../../cost/index.js'
import type { ContextPool } from '../pool.js'
import type { CostFileOptions, CostOrNot } from './cost-file.js'

/** Gives the cost of the sessions that a stream of bytes holds, one after another. */
export async function* costFile(
  chunks: AsyncIterable<Uint8Array>,
  options: CostFileOptions,
): AsyncGenerator<CostOrNot, void, undefined> {
  const costing = await import('./cost-file.js')
  yield* costing.costFile(chunks, options)
}

/** Gives the cost of a context of a store. */
export async function costContext(pool: ContextPool, id: string, options: CostFileOptions): Promise<SessionCost> {
  const costing = await import('./cost-file.js')
  return costing.costContext(pool, id, options)
}

// A read of the state that operations would give. Nothing of them is left afterwards.

import { applyOperations, type Context } from '../context/index.js'
import type { Operation } from '../edit/index.js'
import type { StoredContext } from '../store/index.js'

export type OpenContext = StoredContext | Context

/** The ids that each operation touched. */
export type TouchedIds = readonly (readonly string[])[]

/** Applies operations, reads, and takes the operations back. */
export function withOperations<T>(ctx: OpenContext, operations: readonly Operation[], read: (ids: TouchedIds) => T): T {
  return ctx.rehearse(() => read(applyOperations(ctx, operations)))
}

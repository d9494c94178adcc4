// Operations tried on a context and taken back: whoever reads in between sees the state that they would give, and afterwards
// nothing is left of them, not even a spent id.

import { applyOperations, type Context, type Operation } from '../context/index.js'
import type { StoredContext } from '../store/index.js'

export type OpenContext = StoredContext | Context

/** What was read, on its way out of a batch that is not to be kept. */
class Read<T> extends Error {
  readonly value: T

  constructor(value: T) {
    super('This was only to be read.')
    this.value = value
  }
}

/** The ids that each operation touched. */
export type TouchedIds = readonly (readonly string[])[]

export function withOperations<T>(ctx: OpenContext, operations: readonly Operation[], read: (ids: TouchedIds) => T): T {
  try {
    return ctx.batch((): T => {
      const ids = applyOperations(ctx, operations)
      throw new Read(read(ids))
    })
  } catch (thrown) {
    if (thrown instanceof Read) return thrown.value as T
    throw thrown
  }
}

// A version of an id from some cycle on: a node, or its departure.

import type { Cause } from './cause.js'
import type { NodeRecord } from './record.js'

/** Marks that an id is gone from this cycle on. */
export class Gone {
  readonly id: string
  readonly born: number
  /** Why it went. */
  readonly cause: Cause
  /** The id of the node that took its place, if one did. */
  readonly successor: string | undefined

  constructor(id: string, born: number, cause: Cause, successor?: string) {
    this.id = id
    this.born = born
    this.cause = cause
    this.successor = successor
  }
}

export type Version = NodeRecord | Gone

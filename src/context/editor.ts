// Applies edits to the open cycle of a context: the one way in for calls and for edits as data.

import type { Maker, SavedEdit } from '../core/index.js'
import type { TreeNode } from '../timeline/index.js'
import { changeFor, readOperation, type ApplyEdit, type Edit } from '../edit/index.js'
import type { OpenCycle, Written } from './open-cycle.js'
import type { Queries } from './query.js'

export class Editor {
  readonly open: OpenCycle
  readonly #queries: Queries

  constructor(open: OpenCycle, queries: Queries) {
    this.open = open
    this.#queries = queries
  }

  /** Checks an edit and does it, whole or not at all. */
  apply(edit: Edit): Written {
    return this.open.write(makerOf(edit), this.#changeFor(edit))
  }

  /** Makes a saved edit again. */
  again(saved: SavedEdit): void {
    const edit = readOperation(saved.operation)
    this.open.again(saved, makerOf(edit), this.#changeFor(edit))
  }

  #changeFor(edit: Edit): ApplyEdit {
    return changeFor(edit, (selector) => this.#queries.mutation(selector))
  }
}

function makerOf({ region, op }: Edit): Maker {
  return region === 'system' ? `system.${op}` : op
}

/** One node or more, as a list. */
export function eachOf(touched: TreeNode | readonly TreeNode[]): readonly TreeNode[] {
  return Array.isArray(touched) ? (touched as readonly TreeNode[]) : [touched as TreeNode]
}

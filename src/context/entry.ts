// A compiled selector with its last answer, which is given again as long as nothing was written.

import type { View } from '../timeline/index.js'
import type { Plan } from '../selector/index.js'

export class Entry {
  readonly plan: Plan
  /** When `ids` was the whole answer: see Queries.touch. */
  stamp = -1
  ids: readonly string[] = NO_IDS
  /** What the plan found in which tree, before any window. */
  found: readonly string[] | undefined
  tree: View['tree'] | undefined
  cycle = 0
  isWorking = false
  runs = 0
  /** When `count` was the whole answer to how many. */
  countStamp = -1
  count = 0

  constructor(plan: Plan) {
    this.plan = plan
  }

  holds({ tree, cycle, isWorking }: View): boolean {
    return this.tree === tree && this.cycle === cycle && this.isWorking === isWorking
  }
}

const NO_IDS: readonly string[] = Object.freeze([])

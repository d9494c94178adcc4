// The task (D59): the last block in a core with role `user`. No limit takes it. The answer for a turn and for a chunk of turns is kept with
// it, so a commit looks at the turns that changed.

import { compactedOf, type NodeRecord } from '../core/index.js'
import { Fact } from './facts.js'
import { Branch, recordOf, type Sequence, type TreeNode } from './sequence.js'
import { regionOf, type Tree } from './tree.js'

export function taskOf(tree: Tree): NodeRecord | undefined {
  const task = OF_TURN.of(regionOf(tree, '^ah')) || OF_TURNS.of(regionOf(tree, '^seq').children)
  return task === false ? undefined : task
}

/** Results of tools have the role `user` in some formats, a deletion marker keeps the role of the deleted node, and a summary asks for nothing. */
function isTask(record: NodeRecord): boolean {
  const { nodeClass, role, kind, isMarker } = record
  if (nodeClass !== 'block' || role !== 'user' || kind === 'result') return false
  return !isMarker && compactedOf(record) === undefined
}

type Task = NodeRecord | false

/** The last one in a segment or in the active head. */
const OF_TURN = new Fact<Branch, Task>(({ children }) => {
  for (let i = children.size - 1; i >= 0; i--) {
    const child = children.at(i)!
    const task = recordOf(child).offset === 0 && lastIn(child)
    if (task !== false) return task
  }
  return false
})

const OF_TURNS: Fact<Sequence, Task> = new Fact(({ chunks, items }) => {
  for (const chunk of chunks?.toReversed() ?? []) {
    const task = OF_TURNS.of(chunk)
    if (task !== false) return task
  }
  for (const item of items?.toReversed() ?? []) {
    const task = item instanceof Branch && OF_TURN.of(item)
    if (task !== false) return task
  }
  return false
})

function lastIn(node: TreeNode): Task {
  if (!(node instanceof Branch)) return isTask(node) && node
  for (const child of node.children.toArray().toReversed()) {
    const task = lastIn(child)
    if (task !== false) return task
  }
  return false
}

// A message after everything that a request says, for one attempt alone: the tree of the context does not change. It is a turn of its own, so that
// no rule about places can put it anywhere but at the end.

import { describe, invalid } from '../errors/index.js'
import { className, NodeRecord, type Dialect } from '../core/index.js'
import { Branch, recordOf, regionOf, Sequence, type TreeNode, type View } from '../timeline/index.js'

export function checkAppend(append: unknown, hasAdapter: boolean): string | undefined {
  if (append === undefined) return undefined
  if (typeof append !== 'string' || append === '') {
    throw invalid('append', `append is the text of one message, and not ${describe(append)}.`)
  }
  if (hasAdapter) return append
  throw invalid('append', 'append is a message for the request that an adapter makes; give for, too.')
}

/** The tree with one more message of the user at its end. */
export function withAppended(view: View, text: string, dialect: Dialect): View {
  const { tree } = view
  const head = regionOf(tree, '^ah')
  const isOpen = head.children.toArray().some((child) => recordOf(child).nodeClass !== 'core' || hasAny(child))
  if (isOpen) {
    throw invalid(
      'append',
      'append needs a tree whose turn is closed: the preview, which is the default, or a snapshot.',
    )
  }
  const [id, coreId] = [freeId(view, 'append'), freeId(view, 'append-core')]
  const made = { ...LAST, cycle: view.cycle, born: view.cycle, ttlFrom: view.cycle }
  const core = {
    nodeClass: 'core',
    nodeType: className(dialect, 'cont'),
    id: coreId,
    parentId: head.record.id,
  } as const
  const block = { nodeClass: 'block', nodeType: className(dialect, 'block'), id, parentId: coreId } as const
  const records = [
    new NodeRecord({ ...made, ...core, role: undefined, content: undefined }),
    new NodeRecord({ ...made, ...block, role: 'user', content: text }),
  ] as const
  const turn = new Branch(records[0], Sequence.fromSorted([records[1]]))
  const [sys, seq] = tree.regions
  return view.withTree({ ...tree, regions: [sys, seq, head.withChildren(Sequence.fromSorted([turn]))] }, records)
}

function hasAny(node: TreeNode): boolean {
  return node instanceof Branch && node.children.size > 0
}

function freeId(view: View, wanted: string): string {
  for (let id = wanted, n = 2; ; id = `${wanted}-${n++}`) if (view.find(id) === undefined) return id
}

const LAST = {
  offset: 0,
  // Later than anything that a clock gives.
  createdAtNs: 1n << 80n,
  creationIndex: 0,
  priority: 0,
  ttl: null,
  kind: undefined,
  rare: undefined,
  by: 'user',
} as const

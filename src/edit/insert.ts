// insert (004 §6.1, D19, D30): a node into the active head, next to a sealed core, or into a new segment of history.

import type { Template, Zone } from '../core/index.js'
import type { TreeNode } from '../timeline/index.js'
import { rehearsed, type EditSession } from './edit-session.js'
import { checkCadencePlace, noteWrites } from './cadence.js'
import { recordsOf } from './make-node.js'
import { keepOrder } from './demotion.js'
import { placeNew } from './choose-offset.js'
import type { ParsedPosition } from './position.js'
import { resolve, type Reach, type Target } from './resolve-position.js'

/** Inserts a node at a position. */
export function insertNode(
  session: EditSession,
  template: Template,
  zone: Zone | undefined,
  position: ParsedPosition,
  reach: Reach,
): TreeNode {
  return rehearsed(session, (trial) => {
    const target = resolve(trial, position, { offset: template.offset, zone }, reach)
    const node = placeNew(trial, template, target)
    checkCadencePlace(trial, node)
    keepOrder(trial, recordsOf(node), true)
    noteWrites(trial, node, recordsOf(node), offsetIn(target))
    return node
  })
}

/** The offset that the caller named in a zone of the head, for later instances to take again. */
function offsetIn(target: Target): number | undefined {
  if (target.kind === 'splice' || target.where.kind !== 'offset') return undefined
  const { nodeType, nodeClass } = target.container
  return nodeType === '^ah' || nodeClass === 'core' ? target.where.offset : undefined
}

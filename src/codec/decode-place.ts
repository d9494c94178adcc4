// One imported node: its headers, a check of its place in the tree, and its class (D4, D14).

import {
  className,
  classOfType,
  isRegion,
  NodeRecord,
  type Dialect,
  type NamedClass,
  type NodeClass,
} from '../core/index.js'
import { anyAt, idAt, integerAt, optionalTextAt, rareAt, timeAt, ttlAt } from './decode-headers.js'
import { fault, type RawNode } from './raw.js'

/** The parent of a node, as far as its children need it. */
export type Parent = Readonly<{ id: string; nodeClass: NodeClass; nodeType: string }>

/** Facts about the document that all its nodes share. */
export type Edition = Readonly<{ cycle: number; dialect: Dialect }>

/**
 * Reads every header of a node, with the documented defaults for what is missing. `index` is its place among the printed
 * children of its parent; the root has none. The values go into the record by one literal, and no object is made for them.
 */
export function decodeRecord(raw: RawNode, parent: Parent | undefined, index: number, edition: Edition): NodeRecord {
  const { cycle } = edition
  const { ns, isUsual } = timeAt(raw)
  const id = idAt(raw)
  const offset = integerAt(raw, 'offset', raw.offset, 0)
  const nodeClass = classAt(raw, offset, parent)
  return new NodeRecord({
    id,
    parentId: parent?.id,
    nodeClass,
    nodeType: typeOf(raw, nodeClass, edition.dialect),
    offset,
    createdAtNs: ns,
    creationIndex: integerAt(raw, 'creation_index', raw.creationIndex, index),
    cycle: integerAt(raw, 'cycle', raw.cycle, cycle),
    priority: integerAt(raw, 'priority', raw.priority, 0),
    ttl: ttlAt(raw),
    ttlFrom: cycle,
    role: optionalTextAt(raw, 'role', raw.role),
    kind: optionalTextAt(raw, 'kind', raw.kind),
    content: anyAt(raw, 'content', raw.content),
    rare: rareAt(raw, isUsual),
    born: cycle,
    by: 'import',
  })
}

/** The class of a node; an unknown type gets its class here, once, by shape (D14). */
function classAt(raw: RawNode, offset: number, parent: Parent | undefined): NodeClass {
  const nodeType = typeAt(raw)
  if (raw.rare?.removable === true && (parent === undefined || parent.nodeClass === 'root')) {
    throw fault(`${raw.path}.removable`, 'Root and regions cannot be removable.')
  }
  if (parent === undefined) {
    if (nodeType === undefined || nodeType === '^root') return 'root'
    throw fault(`${raw.path}.nodeType`, `The root is of type ^root, not "${nodeType}".`)
  }
  if (parent.nodeClass === 'root') {
    if (nodeType !== undefined && isRegion(nodeType)) return 'region'
    throw fault(`${raw.path}.nodeType`, 'Only the regions ^sys, ^seq and ^ah may be directly under the root.')
  }
  if (nodeType?.startsWith('^')) throw fault(`${raw.path}.nodeType`, `${nodeType} may only be directly under the root.`)
  const named = nodeType === undefined ? undefined : classOfType(nodeType)
  const found = parent.nodeType === '^seq' ? segmentAt(raw, named) : otherAt(raw, named)
  const isCore = found === 'cont' && offset === 0 && (parent.nodeClass === 'seg' || parent.nodeType === '^ah')
  if (raw.rare?.removable === true && (found === 'seg' || isCore)) {
    throw fault(`${raw.path}.removable`, 'Segments and cores cannot be removable.')
  }
  return isCore ? 'core' : found
}

/** The type that the node says it has, or the edition's own name of its class. A region always says it. */
function typeOf({ nodeType }: RawNode, nodeClass: NodeClass, dialect: Dialect): string {
  if (typeof nodeType === 'string') return nodeType
  if (nodeClass === 'root') return '^root'
  return className(dialect, nodeClass === 'seg' || nodeClass === 'block' ? nodeClass : 'cont')
}

function segmentAt(raw: RawNode, named: NamedClass | undefined): NamedClass {
  if (named === undefined || named === 'seg') return 'seg'
  throw fault(`${raw.path}.nodeType`, 'Only segments may be directly under ^seq.')
}

function otherAt(raw: RawNode, named: NamedClass | undefined): NamedClass {
  if (named === 'seg') throw fault(`${raw.path}.nodeType`, 'A segment may only be directly under ^seq.')
  return named ?? (raw.children === undefined ? 'block' : 'cont')
}

function typeAt(raw: RawNode): string | undefined {
  const { nodeType } = raw
  if (nodeType === undefined || (typeof nodeType === 'string' && nodeType !== '')) return nodeType
  throw fault(`${raw.path}.nodeType`, 'A nodeType is a string that is not empty.')
}

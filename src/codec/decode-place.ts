// One imported node: all its headers, whether it may stand where it stands, and the class it has there (D4, D14).

import {
  className,
  classOfType,
  isRegion,
  type Dialect,
  type NamedClass,
  type NodeClass,
  type RecordFields,
} from '../core/index.js'
import { anyAt, fault, idAt, integerAt, rareAt, textAt, timeAt, ttlAt, type RawObject } from './decode-headers.js'

/** Where a node stands in the file: under which parent (the root has none), at which printed place. */
export type Place = Readonly<{
  parent: Readonly<{ id: string; nodeClass: NodeClass; nodeType: string }> | undefined
  index: number
}>

type Class = Readonly<{ nodeClass: NodeClass; nodeType: string }>

/** Reads every header of a node, with the documented defaults for what is missing. One object: there are many nodes. */
export function decodeHeaders(raw: RawObject, place: Place, cycle: number, dialect: Dialect): RecordFields {
  const createdAtNs = timeAt(raw)
  const id = idAt(raw)
  const offset = integerAt(raw, 'offset', 0)
  const { nodeClass, nodeType } = classOf(raw, offset, place, dialect)
  return {
    id,
    parentId: place.parent?.id,
    nodeClass,
    nodeType,
    offset,
    createdAtNs,
    creationIndex: integerAt(raw, 'creation_index', place.index),
    cycle: integerAt(raw, 'cycle', cycle),
    priority: integerAt(raw, 'priority', 0),
    ttl: ttlAt(raw),
    ttlFrom: cycle,
    role: textAt(raw, 'role'),
    kind: textAt(raw, 'kind'),
    content: anyAt(raw, 'content'),
    rare: rareAt(raw, createdAtNs),
    born: cycle,
    by: 'import',
  }
}

/** Gives a node its class and type; an unknown type gets its class here, once, by shape (D14). */
function classOf(raw: RawObject, offset: number, place: Place, dialect: Dialect): Class {
  const nodeType = typeAt(raw)
  const { parent } = place
  if (raw.own('removable') === true && (parent === undefined || parent.nodeClass === 'root')) {
    throw fault(`${raw.path}.removable`, 'Root and regions cannot be removable.')
  }
  if (parent === undefined) {
    if (nodeType === undefined || nodeType === '^root') return { nodeClass: 'root', nodeType: '^root' }
    throw fault(`${raw.path}.nodeType`, `The root is of type ^root, not "${nodeType}".`)
  }
  if (parent.nodeClass === 'root') {
    if (nodeType !== undefined && isRegion(nodeType)) return { nodeClass: 'region', nodeType }
    throw fault(`${raw.path}.nodeType`, 'Only the regions ^sys, ^seq and ^ah stand directly under the root.')
  }
  if (nodeType?.startsWith('^')) throw fault(`${raw.path}.nodeType`, `${nodeType} stands only directly under the root.`)
  const named = nodeType === undefined ? undefined : classOfType(nodeType)
  const found = parent.nodeType === '^seq' ? segmentAt(raw, named) : otherAt(raw, named)
  const isCore = found === 'cont' && offset === 0 && (parent.nodeClass === 'seg' || parent.nodeType === '^ah')
  if (raw.own('removable') === true && (found === 'seg' || isCore)) {
    throw fault(`${raw.path}.removable`, 'Segments and cores cannot be removable.')
  }
  return { nodeClass: isCore ? 'core' : found, nodeType: nodeType ?? className(dialect, found) }
}

function segmentAt(raw: RawObject, named: NamedClass | undefined): NamedClass {
  if (named === undefined || named === 'seg') return 'seg'
  throw fault(`${raw.path}.nodeType`, 'Only segments stand directly under ^seq.')
}

function otherAt(raw: RawObject, named: NamedClass | undefined): NamedClass {
  if (named === 'seg') throw fault(`${raw.path}.nodeType`, 'A segment stands only directly under ^seq.')
  return named ?? (raw.own('children') === undefined ? 'block' : 'cont')
}

function typeAt(raw: RawObject): string | undefined {
  const nodeType = raw.own('nodeType')
  if (nodeType === undefined || (typeof nodeType === 'string' && nodeType !== '')) return nodeType
  throw fault(`${raw.path}.nodeType`, 'A nodeType is a string that is not empty.')
}

// Nodes in records, with what a document does not say: the maker of a version, the cycle since which it holds, and the one since which its
// ttl runs.

import {
  CAUSES,
  Gone,
  MAKERS,
  NodeRecord,
  type NodeClass,
  type RareHeaders,
  type RecordFields,
  type Version,
} from '../core/index.js'
import { readBodiless, readBody, writeBody, type NodeText } from './bodies.js'
import {
  attributes,
  boolean,
  checked,
  count,
  digits,
  frozen,
  integer,
  json,
  list,
  mapped,
  name,
  object,
  oneOf,
  optional,
  orNull,
  some,
  sparse,
  text,
  tuple,
  type FieldTable,
  type Form,
} from './forms.js'
import { fault } from './raw.js'
import type { ReadScope, WriteScope } from './scope.js'

const CLASSES: readonly NodeClass[] = ['root', 'region', 'seg', 'core', 'cont', 'block']
const WHOLE = integer()
const TEXTS = frozen(list(text))

/** In the order of their names, so that they are not sorted again. */
const RARE = object<RareHeaders>({
  attributes: optional(attributes),
  cad: optional(integer(1)),
  createdAtIso: optional(text),
  key: optional(text),
  pinned: optional(boolean),
  provenance: optional(json),
  refs: optional(TEXTS),
  removable: optional(boolean),
  standsFor: optional(TEXTS),
  supersedes: optional(text),
  tags: optional(TEXTS),
})

/** A node as its fields by place. */
type NodeRow = Readonly<
  Omit<RecordFields, 'createdAtNs' | 'ttlFrom' | 'born'> & {
    /** The distance from the time of the node before, or the time itself. */
    time: number | bigint
    /** For how many cycles the ttl had run when this version began to hold. */
    ttlAge: number
  }
>

const TIME: Form<number | bigint> = {
  write: (time, scope) => (typeof time === 'bigint' ? digits.write(time, scope) : WHOLE.write(time, scope)),
  read: (value, path, scope) => (typeof value === 'string' ? digits : WHOLE).read(value, path, scope),
}

/** The content is that of the node, or the number of its body where bodies are written apart. */
const NODE_FIELDS: FieldTable<NodeRow> = {
  id: name,
  parentId: sparse(name),
  nodeClass: oneOf(CLASSES),
  nodeType: name,
  offset: WHOLE,
  time: TIME,
  creationIndex: WHOLE,
  cycle: WHOLE,
  priority: WHOLE,
  ttl: orNull(count),
  ttlAge: count,
  by: oneOf(MAKERS),
  role: sparse(text),
  kind: sparse(text),
  rare: sparse(RARE),
  content: optional(json),
}
const LEFT_OUT = 4

const NODE: Form<NodeRecord> = mapped(tuple(NODE_FIELDS, LEFT_OUT), rowOf, (row, path, scope) =>
  recordOf(row, path, scope, scope.cycle),
)

/** A node of a tree also says since when its version holds. */
const TREE_NODE: Form<NodeRecord> = mapped(
  tuple<NodeRow & { born: number }>({ born: count, ...NODE_FIELDS }, LEFT_OUT),
  rowOf,
  (row, path, scope) => {
    if (row.born <= scope.cycle) return recordOf(row, path, scope, row.born)
    throw fault(`${path}[0]`, `A node of cycle ${scope.cycle} cannot hold from a later cycle on.`)
  },
)

function rowOf(record: NodeRecord, scope: WriteScope): NodeRow & { born: number } {
  const { rare, content } = scope.bodies === undefined ? record : writeBody(record, scope)
  return {
    born: record.born,
    id: record.id,
    parentId: record.parentId,
    nodeClass: record.nodeClass,
    nodeType: record.nodeType,
    offset: record.offset,
    time: scope.distanceTo(record.createdAtNs),
    creationIndex: record.creationIndex,
    cycle: record.cycle,
    priority: record.priority,
    ttl: record.ttl,
    ttlAge: record.born - record.ttlFrom,
    by: record.by,
    role: record.role,
    kind: record.kind,
    rare,
    content,
  }
}

function recordOf(row: NodeRow, path: string, scope: ReadScope, born: number): NodeRecord {
  const isRoot = row.nodeClass === 'root'
  if (isRoot !== (row.parentId === undefined)) throw fault(path, 'Every node but the root names its parent.')
  const { content, rare } = readNodeText(row, path, scope)
  // Field by field: a spread of the row allocates several times as much as the record itself.
  return new NodeRecord({
    id: row.id,
    parentId: row.parentId,
    nodeClass: row.nodeClass,
    nodeType: row.nodeType,
    offset: row.offset,
    createdAtNs: scope.timeAfter(row.time),
    creationIndex: row.creationIndex,
    cycle: row.cycle,
    priority: row.priority,
    ttl: row.ttl,
    ttlFrom: born - row.ttlAge,
    role: row.role,
    kind: row.kind,
    content,
    rare,
    born,
    by: row.by,
  })
}

function readNodeText({ id, rare, content }: NodeRow, path: string, scope: ReadScope): NodeText {
  if (content === undefined) return readBodiless(id, rare, scope)
  if (scope.bodies === undefined) return { rare, content }
  return readBody(WHOLE.read(content, path, scope), path, id, rare, scope)
}

/** The nodes of a tree, parents before children. */
export const NODES: Form<readonly NodeRecord[]> = listed(some(TREE_NODE))

type Removal = Pick<Gone, 'id' | 'cause'> & { mark: 0; successor: string | true | undefined }

/** In the place of an id, it marks a removal. */
const MARK: Form<0> = {
  write: () => '0',
  read: (value, path) => {
    if (value === 0) return 0
    throw fault(path, 'A removal begins with 0.')
  },
}

/** The id of a successor, or true for a node that was edited before it left: such a node has none. */
const SUCCESSOR: Form<string | true> = {
  write: (value, scope) => (value === true ? 'true' : name.write(value, scope)),
  read: (value, path, scope) => (value === true ? true : name.read(value, path, scope)),
}

/** A removal is [0, id, cause, successor?]. */
export const GONE: Form<Gone> = mapped(
  tuple<Removal>({ mark: MARK, id: name, cause: oneOf(CAUSES), successor: optional(SUCCESSOR) }, 1),
  ({ id, cause, successor, wasEdited }) => ({
    mark: 0 as const,
    id,
    cause,
    successor: wasEdited ? (true as const) : successor,
  }),
  ({ id, cause, successor }, _path, { cycle }) =>
    successor === true ? new Gone(id, cycle, cause, undefined, true) : new Gone(id, cycle, cause, successor),
)

const VERSION: Form<Version> = {
  write: (version, scope) => (version instanceof Gone ? GONE.write(version, scope) : NODE.write(version, scope)),
  read: (value, path, scope) =>
    Array.isArray(value) && value[0] === 0 ? GONE.read(value, path, scope) : NODE.read(value, path, scope),
}

/** The versions that began to hold in one cycle. */
export const VERSIONS: Form<readonly Version[]> = checked(listed(some(VERSION)), (versions, path) => {
  const ids = new Set<string>()
  for (const [i, { id }] of versions.entries()) {
    if (ids.has(id)) throw fault(`${path}[${i}]`, `The id "${id}" is in this list twice.`)
    ids.add(id)
  }
})

/** A list of versions: times are counted from its start, and a later list of the same record may follow its versions. */
function listed<T extends Version>(form: Form<readonly T[]>): Form<readonly T[]> {
  return {
    write: (versions, scope) => {
      scope.begin()
      const written = form.write(versions, scope)
      scope.add(versions)
      return written
    },
    read: (value, path, scope) => {
      scope.begin()
      const versions = form.read(value, path, scope)
      scope.add(versions)
      return versions
    },
  }
}

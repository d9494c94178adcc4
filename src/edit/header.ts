// The header of a new node, checked whole before anything is made, so that a bad header changes nothing.

import { describe, isRecord, PactError, suggestNames, type ErrorCode } from '../errors/index.js'
import {
  COVERS,
  isCovers,
  className,
  classOfType,
  LIMITS,
  type ContentInput,
  type Dialect,
  type JsonValue,
  type RareHeaders,
  type Template,
} from '../core/index.js'
import { BOUND, copyJson, isBound, isStop, STOP } from '../codec/index.js'

/** The headers of a new node; `data_*`, `content_*` and `namespace:name` are free for custom values. */
export type Header = Readonly<{
  offset?: number | undefined
  /** The number of snapshots it is in; null, the default, for all of them; 0 for none. */
  ttl?: number | null | undefined
  /** For a node of the active head with a key: it returns every `cad` cycles. */
  cad?: number | undefined
  /** Lower goes first when a budget prunes; 0 by default. */
  priority?: number | undefined
  role?: string | undefined
  kind?: string | undefined
  key?: string | undefined
  tags?: readonly string[] | undefined
  type?: string | undefined
  nodeType?: string | undefined
  /** Ids of nodes that must stay while this one does. */
  refs?: readonly string[] | undefined
  /** For containers: leave at the commit that finds it emptied. */
  removable?: boolean | undefined
  /** Never pruned; a ttl still ends it. */
  pinned?: boolean | undefined
  provenance?: unknown
}> &
  Readonly<Partial<Record<CustomName, unknown>>>

/** The form of a custom attribute's name. */
export type CustomName = `data_${string}` | `content_${string}` | `${string}:${string}`

/** A node to be made, with its header next to its content; with `children` a container. */
export type NodeSpec = Header &
  Readonly<{ content?: ContentInput | undefined; children?: readonly NodeSpec[] | undefined }>

const RESERVED: ReadonlySet<string> = new Set([
  'id',
  'cycle',
  'created_at_ns',
  'created_at_iso',
  'creation_index',
  'content_hash',
  'parent',
  'parent_id',
  'parentId',
  'supersedes',
  'createdAtNs',
  'createdAtIso',
  'creationIndex',
  'contentHash',
])

/** The destination of a header: the record itself, its rare headers, or its attributes. */
const HEADERS: ReadonlyMap<string, 'common' | 'rare' | 'attribute'> = new Map([
  ['offset', 'common'],
  ['ttl', 'common'],
  ['priority', 'common'],
  ['role', 'common'],
  ['kind', 'common'],
  ['nodeType', 'common'],
  ['content', 'common'],
  ['children', 'common'],
  ['key', 'rare'],
  ['cad', 'rare'],
  ['tags', 'rare'],
  ['refs', 'rare'],
  ['removable', 'rare'],
  ['pinned', 'rare'],
  ['provenance', 'rare'],
  ['type', 'attribute'],
])

/** Checks a spec and everything under it. */
export function prepareNode(spec: NodeSpec, dialect: Dialect): Template {
  const node = prepare(spec, dialect, LIMITS.depth, { left: LIMITS.nodes })
  if (node.rare?.cad !== undefined && node.rare.key === undefined) throw cadenceWithoutKey()
  return node
}

/** The input of `replace`: a node without a place of its own. */
export type Replacement = Omit<NodeSpec, 'offset'> & Readonly<{ offset?: undefined; zone?: undefined }>

/** The fields that a replacement names; the rest comes from the node that it replaces. */
export type Overlay = Readonly<{
  nodeClass: Template['nodeClass'] | undefined
  nodeType: string | undefined
  ttl: number | null | undefined
  priority: number | undefined
  role: string | undefined
  kind: string | undefined
  content: JsonValue | undefined
  rare: RareHeaders | undefined
  children: readonly Template[] | undefined
}>

/** A replacement that names nothing. */
export const NOTHING_NAMED: Overlay = {
  nodeClass: undefined,
  nodeType: undefined,
  ttl: undefined,
  priority: undefined,
  role: undefined,
  kind: undefined,
  content: undefined,
  rare: undefined,
  children: undefined,
}

/** Checks a replacement. It stays at the place of its target, so it has no place of its own. */
export function prepareOverlay(replacement: Replacement, dialect: Dialect): Overlay {
  checkHeader(replacement)
  const spec: NodeSpec = { ...replacement }
  const ttl = spec.ttl === undefined ? undefined : ttlOf(spec.ttl)
  checkCadence(spec.cad, true)
  const budget = { left: LIMITS.nodes }
  const children = childrenIn(spec, dialect, LIMITS.depth, budget)
  for (const name of ['offset', 'zone'] as const) {
    if ((spec as Readonly<Record<string, unknown>>)[name] === undefined) continue
    throw refusal('E_PLACEMENT_INVALID', name, `A replacement stays in its place; use move() for another ${name}.`)
  }
  const { nodeType, nodeClass } = spec.nodeType === undefined ? UNTYPED : typeOf(spec, dialect)
  const isTyped = nodeType !== undefined && classOfType(nodeType) !== undefined
  return {
    nodeClass: children !== undefined ? 'cont' : isTyped ? nodeClass : undefined,
    nodeType,
    ttl,
    priority: spec.priority === undefined ? undefined : integer(spec.priority, 'priority', 'E_CONTENT_INVALID'),
    role: text(spec.role, 'role'),
    kind: text(spec.kind, 'kind'),
    content: spec.content === undefined ? undefined : json(spec.content, 'content'),
    rare: rareOf(spec),
    children,
  }
}

const UNTYPED: Readonly<{ nodeType: undefined; nodeClass: undefined }> = { nodeType: undefined, nodeClass: undefined }

export function cadenceWithoutKey(): PactError {
  return refusal('E_CADENCE_INVALID', 'cad', 'A node that returns needs a key, so that its instances are known as one.')
}

function checkCadence(cad: unknown, isTop: boolean): void {
  if (cad === undefined || cad === null) return
  if (typeof cad !== 'number' || !Number.isSafeInteger(cad) || cad < 1) {
    throw refusal('E_CADENCE_INVALID', 'cad', `A cadence is a whole number of cycles from 1 up, not ${describe(cad)}.`)
  }
  if (!isTop) throw cadenceOfChild()
}

export function cadenceOfChild(): PactError {
  return refusal('E_CADENCE_INVALID', 'cad', 'A child returns with its container; give that one the cadence.')
}

/** Refuses a value that is no key; an empty key could not be selected. */
export function checkKey(key: unknown): string {
  if (typeof key === 'string' && key !== '') return text(key, 'key')!
  throw refusal('E_CONTENT_INVALID', 'key', `A key is a string that is not empty, not ${describe(key)}.`)
}

/** The header of a call that got none. */
export const NO_HEADER: Header = Object.freeze({})

/** Refuses a value that is no header, and names that the call decides itself. */
export function checkHeader(header: unknown, decided: readonly string[] = []): void {
  if (!isRecord(header)) {
    throw refusal('E_CONTENT_INVALID', 'header', `A header is an object such as { ttl: 2 }, not ${describe(header)}.`)
  }
  if (header === NO_HEADER) return
  for (const name of decided) {
    if (Object.hasOwn(header, name) && ((header as Record<string, unknown>)[name] ?? undefined) !== undefined) {
      const advice = name === 'content' ? 'it is the first argument' : 'use add() to choose it'
      throw refusal('E_CONTENT_INVALID', name, `This call takes no ${name} in its header; ${advice}.`)
    }
  }
}

function prepare(
  spec: NodeSpec,
  dialect: Dialect,
  depth: number,
  budget: { left: number },
  isTop: boolean = true,
): Template {
  checkHeader(spec)
  if (depth < 1) throw refusal('E_PLACEMENT_INVALID', 'children', 'A tree may not be deeper than 128 nodes.')
  // A few shared objects can spell out millions of nodes.
  if (--budget.left < 0) throw tooManyNodes()
  const ttl = ttlOf(spec.ttl)
  checkCadence(spec.cad, isTop)
  const { nodeClass, nodeType } = typeOf(spec, dialect)
  const content = spec.content === undefined ? undefined : json(spec.content, 'content')
  if (content === undefined && nodeClass === 'block') {
    throw refusal('E_CONTENT_INVALID', 'content', "A block needs content; pass '' for an empty one.")
  }
  if (spec.removable === true && nodeClass !== 'cont') {
    throw refusal('E_PLACEMENT_INVALID', 'removable', 'Only a container can be removable; give it children.')
  }
  return {
    nodeClass,
    nodeType,
    offset: offsetOf(spec),
    ttl,
    priority: spec.priority === undefined ? 0 : integer(spec.priority, 'priority', 'E_CONTENT_INVALID'),
    role: text(spec.role, 'role'),
    kind: text(spec.kind, 'kind'),
    content,
    rare: rareOf(spec),
    children: childrenIn(spec, dialect, depth, budget) ?? NO_CHILDREN,
  }
}

function childrenIn(
  spec: NodeSpec,
  dialect: Dialect,
  depth: number,
  budget: { left: number },
): readonly Template[] | undefined {
  if (spec.children === undefined) return undefined
  // A copy: own names only, and each value read once, so that the checked values are the ones that are used.
  return childrenOf(spec).map((child) => {
    checkHeader(child)
    return prepare({ ...child }, dialect, depth - 1, budget, false)
  })
}

/** The headers that may change while a node lives. */
export type Changes = Readonly<{
  /** Counts from the open cycle again; null keeps the node. */
  ttl?: number | null | undefined
  priority?: number | undefined
  pinned?: boolean | undefined
  tags?: readonly string[] | undefined
}>

/** Checks the changes of an update; absent names stay as they are. */
export function prepareChanges(changes: unknown): Changes {
  checkHeader(changes)
  const given = Object.entries(changes as Changes).filter(([, value]) => value !== undefined)
  if (given.length === 0) throw refusal('E_CONTENT_INVALID', 'changes', `An update names ${CHANGEABLE.join(', ')}.`)
  const checked = given.map(([name, value]) => {
    if (name === 'ttl') return [name, ttlOf(value)] as const
    if (name === 'priority') return [name, integer(value, name, 'E_CONTENT_INVALID')] as const
    if (name === 'pinned') return [name, flag(value, name)] as const
    if (name === 'tags') return [name, texts(value, name)] as const
    const advice = `only ${CHANGEABLE.join(', ')} can; replace() makes a node with other headers`
    throw refusal('E_CONTENT_INVALID', name, `"${name}" cannot change while a node lives; ${advice}.`)
  })
  return Object.fromEntries(checked)
}

const CHANGEABLE: readonly string[] = ['ttl', 'priority', 'pinned', 'tags']

export function offsetOf(spec: NodeSpec): number | undefined {
  return spec.offset === undefined ? undefined : integer(spec.offset, 'offset', 'E_PLACEMENT_INVALID')
}

function typeOf(spec: NodeSpec, dialect: Dialect): Pick<Template, 'nodeClass' | 'nodeType'> {
  const given = text(spec.nodeType, 'nodeType')
  const shape = spec.children === undefined ? 'block' : 'cont'
  if (given === undefined) return { nodeClass: shape, nodeType: className(dialect, shape) }
  if (given === '') throw refusal('E_RESERVED_NAME', 'nodeType', 'A nodeType cannot be empty; leave it out.')
  if (given.startsWith('^')) {
    throw refusal('E_RESERVED_NAME', 'nodeType', `"${given}" cannot be a nodeType: ^ is for root and regions.`)
  }
  const named = classOfType(given)
  if (named === 'seg') {
    throw refusal('E_PLACEMENT_INVALID', 'nodeType', 'Segments are made by committing; add blocks and containers.')
  }
  if (named === 'block' && shape === 'cont') {
    throw refusal('E_PARENT_NOT_CONTAINER', 'children', `A node of type ${given} is a block and cannot hold children.`)
  }
  if (named === undefined && dialect === '0.1' && !given.includes(':')) {
    throw refusal('E_RESERVED_NAME', 'nodeType', `In PACT/0.1 a user type needs a namespace, such as cb:${given}.`)
  }
  return { nodeClass: named ?? shape, nodeType: given }
}

function rareOf(spec: NodeSpec): RareHeaders | undefined {
  const rare: { -readonly [K in keyof RareHeaders]: RareHeaders[K] } = {}
  let attributes: Map<string, JsonValue> | undefined
  for (const name in spec) {
    const value = (spec as Readonly<Record<string, unknown>>)[name]
    // Null says the same as absent for every header; a custom attribute may well be null.
    if (value === undefined || (value === null && HEADERS.has(name)) || !Object.hasOwn(spec, name)) continue
    const headerKind = HEADERS.get(name)
    if (headerKind === 'common') continue
    if (headerKind === 'rare') setRare(rare, name as keyof RareHeaders, value)
    else {
      attributes ??= new Map()
      attributes.set(name, headerKind === 'attribute' ? text(value, name)! : custom(value, name))
    }
  }
  if (attributes !== undefined) rare.attributes = attributes
  for (const _name in rare) return rare
  return undefined
}

function setRare(
  rare: { -readonly [K in keyof RareHeaders]: RareHeaders[K] },
  name: keyof RareHeaders,
  value: unknown,
): void {
  if (name === 'key') rare.key = checkKey(value)
  else if (name === 'cad') rare.cad = value as number
  else if (name === 'tags' || name === 'refs') rare[name] = texts(value, name)
  else if (name === 'removable' || name === 'pinned') rare[name] = flag(value, name)
  else rare.provenance = json(value, name)
}

function custom(value: unknown, name: string): JsonValue {
  // The names of the engine that an edit brings: receiving a reply is an edit, and edits are data.
  if (name === STOP && isStop(value)) return value as string
  if (name === BOUND && isBound(value)) return json(value, name)
  if (name === COVERS && isCovers(value)) return json(value, name)
  if (RESERVED.has(name) || name.startsWith('pact:'))
    throw refusal('E_RESERVED_NAME', name, `"${name}" is given by the engine and cannot be set.`)
  if (isCustomName(name)) return json(value, name)
  throw refusal('E_RESERVED_NAME', name, `${describe(name)} is no header; ${adviceOn(name)}`)
}

function adviceOn(name: string): string {
  if (name === 'zone') return 'pre(), post(), add(), set(), put() and insert() choose the zone.'
  if (CALL_IDS.has(name)) return 'did you mean "data_call_id"?'
  const near = suggestNames(name, [...HEADERS.keys()])
  if (near !== undefined) return `did you mean "${near}"?`
  return 'custom attributes are called data_…, content_… or namespace:name.'
}

/** The names that providers have for the id of a call. */
const CALL_IDS: ReadonlySet<string> = new Set([
  'tool_call_id',
  'toolCallId',
  'call_id',
  'callId',
  'tool_use_id',
  'toolUseId',
])

function isCustomName(name: string): boolean {
  return /^(?:data_.|content_.)/s.test(name) || /^[^:]+:./s.test(name)
}

const NO_CHILDREN: readonly Template[] = []

function childrenOf(spec: NodeSpec): readonly NodeSpec[] {
  if (Array.isArray(spec.children) && spec.children.length > LIMITS.nodes) throw tooManyNodes()
  // Array.from: a hole must be met, not skipped.
  if (Array.isArray(spec.children)) return Array.from(spec.children as readonly NodeSpec[])
  throw refusal('E_CONTENT_INVALID', 'children', 'children is a list of nodes such as { content, role }.')
}

function tooManyNodes(): PactError {
  return refusal('E_PLACEMENT_INVALID', 'children', `One call may add at most ${LIMITS.nodes} nodes.`)
}

function json(value: unknown, name: string): JsonValue {
  try {
    return copyJson(value)
  } catch (error) {
    if (!PactError.is(error)) throw error
    throw new PactError(error.code, `${name}: ${error.message}`, { ...error.details, name })
  }
}

function ttlOf(ttl: unknown): number | null {
  if (ttl === undefined || ttl === null) return null
  if (typeof ttl === 'number' && Number.isSafeInteger(ttl) && ttl >= 0) return ttl === 0 ? 0 : ttl
  throw refusal('E_TTL_INVALID', 'ttl', `A ttl is null or a whole number of cycles from 0 up, not ${describe(ttl)}.`)
}

function integer(value: unknown, name: string, code: ErrorCode): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value === 0 ? 0 : value
  throw refusal(code, name, `${name} must be an integer, not ${describe(value)}.`)
}

function text(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && value.length <= LIMITS.text) return value
  throw refusal('E_CONTENT_INVALID', name, `${name} must be a string of at most ${LIMITS.text} characters.`)
}

function texts(value: unknown, name: string): readonly string[] {
  // Before it is copied: a list without anything in it may say that it has billions.
  if (Array.isArray(value) && value.length > LIMITS.items) {
    throw refusal('E_CONTENT_INVALID', name, `${name} may have at most ${LIMITS.items} entries.`)
  }
  if (Array.isArray(value) && Array.from(value).every((each) => typeof each === 'string')) {
    return json(value, name) as readonly string[]
  }
  throw refusal('E_CONTENT_INVALID', name, `${name} must be a list of strings.`)
}

function flag(value: unknown, name: string): boolean {
  if (typeof value === 'boolean') return value
  throw refusal('E_CONTENT_INVALID', name, `${name} must be true or false.`)
}

function refusal(code: ErrorCode, name: string, message: string): PactError {
  return new PactError(code, message, { name })
}

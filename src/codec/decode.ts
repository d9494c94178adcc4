// Import (D4): an exported snapshot, or any tree in the documents' fixture form, becomes records. Every value present is
// kept, what is missing is filled in, and a fault names the place in the file. Nothing recurses deeper than LIMITS.depth.

import { PactError } from '../errors/index.js'
import {
  compareSiblings,
  LIMITS,
  NEVER,
  NodeRecord,
  REGIONS,
  type Dialect,
  type JsonValue,
  type Schedules,
  type Warning,
} from '../core/index.js'
import { pathTo } from './canonical-json.js'
import {
  engineNameFault,
  fault,
  isEngineName,
  listAt,
  objectAt,
  type RawObject,
  type Source,
} from './decode-headers.js'
import { decodeHeaders, type Place } from './decode-place.js'
import { contentHashOfRecord, EMPTIED, STANDS_FOR } from './document.js'
import { isWithin, readIsoTime } from './iso-time.js'
import { decodeUtf8, parseJson } from './json-text.js'
import { checkSure, parseQuickly, Unsure } from './quick-parse.js'
import { decodeSchedules } from './schedules.js'
import { checkClaims, type Claim } from './stand-ins.js'

/** A node with its children in canonical order; blocks have none. */
export type DecodedNode = Readonly<{
  record: NodeRecord
  children: readonly DecodedNode[] | undefined
  /** Whether an empty container is known to have held something (D26). */
  everHeld?: boolean
}>

export type DecodedSnapshot = Readonly<{
  dialect: Dialect
  specVersion: string
  cycle: number
  root: NodeRecord
  /** `^sys`, `^seq`, `^ah`. */
  regions: readonly DecodedNode[]
  schedules: Schedules
  /** Names at the top of the document that nobody here knows; an export gives them back. */
  extras: ReadonlyMap<string, JsonValue>
  warnings: readonly Warning[]
}>

const SPEC_VERSIONS: Readonly<Record<Dialect, string>> = { '1.0': 'PACT/1.0.0', '0.1': 'PACT/0.1.0' }

/** Leaves room for as many cycles again, and for their segments' offsets. */
const LAST_CYCLE = (NEVER - 1) / 2

const TOP_NAMES: ReadonlySet<string> = new Set(['spec_version', 'cycle', 'schedules', 'root', 'lens'])

export function specVersionOf(dialect: Dialect): string {
  return SPEC_VERSIONS[dialect]
}

/** Reads a snapshot from text, bytes or an object; `dialect` overrides what its spec_version says. */
export function decodeSnapshot(input: unknown, dialect?: Dialect): DecodedSnapshot {
  const steps = decodeInSteps(input, dialect)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** The same, step by step: between two of them somebody else may have a turn. */
export function* decodeInSteps(input: unknown, dialect?: Dialect): Generator<void, DecodedSnapshot, undefined> {
  const text = textOf(input)
  if (text === undefined) return yield* decodeDocument(input, dialect, { isExact: true, marksRead: 0 })
  const quick = parseQuickly(text)
  yield
  if (quick !== undefined) {
    const source = { isExact: false, marksRead: 0 }
    try {
      const decoded = yield* decodeDocument(quick.document, dialect, source)
      if (source.marksRead === quick.marks) return decoded
    } catch (error) {
      if (!PactError.is(error) && !(error instanceof Unsure)) throw error
    }
  }
  // Two levels a node (object and list), then the deepest content.
  const document = parseJson(text, LIMITS.depth * 3 + 8)
  yield
  return yield* decodeDocument(document, dialect, { isExact: true, marksRead: 0 })
}

function* decodeDocument(
  input: unknown,
  dialect: Dialect | undefined,
  source: Source,
): Generator<void, DecodedSnapshot, undefined> {
  const document = objectAt(input, '', source)
  if (!source.isExact) for (const name of document.names) if (name !== 'root') checkSure(document.any(name))
  const named = document.own('spec_version')
  const edition = dialectOf(named)
  if (document.own('lens') !== undefined) {
    throw fault('lens', 'This is an export of the working state, which is for comparing only; import a snapshot.')
  }
  const cycle = cycleOf(document.own('cycle'))
  const spoken = dialect ?? edition
  const decoder = new Decoder(spoken, cycle)
  const { root, regions } = yield* decoder.decodeRoot(objectAt(document.own('root'), 'root', source))
  const extras = document.rest(TOP_NAMES)
  for (const name of extras.keys()) if (isEngineName(name)) throw engineNameFault(name)
  return {
    dialect: spoken,
    specVersion: typeof named === 'string' && spoken === edition ? named : specVersionOf(spoken),
    cycle,
    root,
    regions,
    schedules: decodeSchedules(document.own('schedules'), cycle, spoken),
    extras,
    warnings: decoder.warnings,
  }
}

/** How many nodes make a step. */
const STEP = 2000

/** Steps end between the children of nodes down to this depth, regions and segments; each child is done at once. */
const STEP_DEPTH = 3

const NO_CHILDREN: readonly unknown[] = []

type Opened = Readonly<{ record: NodeRecord; printed: readonly unknown[]; below: number }>

class Decoder {
  readonly warnings: Warning[] = []
  readonly #dialect: Dialect
  readonly #cycle: number
  readonly #ids = new Set<string>()
  /** The nodes that say whose place they took. */
  readonly #claims: Claim[] = []
  /** How many nodes there will be when it is time for a rest. */
  #restAt = STEP

  constructor(dialect: Dialect, cycle: number) {
    this.#dialect = dialect
    this.#cycle = cycle
  }

  *decodeRoot(raw: RawObject): Generator<void, { root: NodeRecord; regions: readonly DecodedNode[] }, undefined> {
    const printed = raw.own('children') === undefined ? [] : listAt(raw.own('children'), 'root.children')
    const children = printed.map((child, i) => raw.child(child, i))
    // Ids that the document gives come first: the ones made up for a missing root or region must avoid them all.
    const place = { parent: undefined, index: 0 }
    const named = raw.own('id') === undefined ? undefined : this.#record(raw, place)
    const found = new Map<string, DecodedNode>()
    const rootPlace = { id: named?.id ?? '', nodeClass: 'root', nodeType: '^root' } as const
    for (const [index, child] of children.entries()) {
      const node = yield* this.#decodeInSteps(child, { parent: rootPlace, index }, 2)
      if (found.has(node.record.nodeType)) {
        throw fault(`${child.path}.nodeType`, `A tree has one ${node.record.nodeType}; this is a second one.`)
      }
      found.set(node.record.nodeType, node)
    }
    const root = named ?? this.#record(raw.withId(this.#freeId('root')), place)
    const regions = REGIONS.map((region, i): DecodedNode => {
      const node = found.get(region)
      if (node !== undefined) return named ? node : { ...node, record: node.record.movedTo(root.id, this.#cycle) }
      const made = objectAt({ id: this.#freeId(region.slice(1)), nodeType: region }, '')
      return { record: this.#record(made, { parent: root, index: children.length + i }), children: [] }
    })
    checkClaims(this.#claims, (id) => this.#ids.has(id))
    return { root, regions }
  }

  /** A node near the root, with a rest after every few thousand nodes. */
  *#decodeInSteps(raw: RawObject, place: Place, depth: number): Generator<void, DecodedNode, undefined> {
    const { record, printed, below } = this.#open(raw, place, depth)
    const children: DecodedNode[] = []
    for (let index = 0; index < printed.length; index++) {
      const child = raw.child(printed[index], index)
      const next = { parent: record, index }
      const isNear = below <= STEP_DEPTH
      children.push(isNear ? yield* this.#decodeInSteps(child, next, below) : this.#decodeNode(child, next, below))
      if (this.#ids.size < this.#restAt) continue
      this.#restAt = this.#ids.size + STEP
      yield
    }
    return this.#close(record, children, raw)
  }

  #decodeNode(raw: RawObject, place: Place, depth: number): DecodedNode {
    const { record, printed, below } = this.#open(raw, place, depth)
    const children = printed.map((child, index) => {
      return this.#decodeNode(raw.child(child, index), { parent: record, index }, below)
    })
    return this.#close(record, children, raw)
  }

  /** The node itself, what it says of children, and how deep these stand. */
  #open(raw: RawObject, place: Place, depth: number): Opened {
    if (depth > LIMITS.depth) {
      throw fault(raw.path, `The tree is deeper than ${LIMITS.depth} nodes here, or holds itself.`)
    }
    const record = this.#record(raw, place)
    // What stands in the active head stands deeper once it is sealed, in a core if it has none, and must fit then too.
    const isBare = place.parent?.nodeType === '^ah' && record.offset === 0 && record.nodeClass !== 'core'
    const below = depth + (record.nodeType === '^ah' ? 2 : isBare ? 2 : 1)
    const given = raw.own('children')
    const printed = given === undefined ? NO_CHILDREN : listAt(given, () => `${raw.path}.children`)
    if (record.nodeClass === 'block' && printed.length > 0) {
      throw fault(`${raw.path}.children`, `${record.id} is a block and cannot hold children.`)
    }
    return { record, printed, below }
  }

  #close(record: NodeRecord, children: DecodedNode[], raw: RawObject): DecodedNode {
    if (record.nodeClass === 'block') return { record, children: undefined }
    this.#warnOfTwoCores(record, children, raw)
    if (isEmptied(record)) {
      if (children.length > 0) throw emptiedFault(raw)
      return { record: withoutEmptied(record), children, everHeld: true }
    }
    if (children.length > 1) children.sort((a, b) => compareSiblings(a.record, b.record))
    return { record, children }
  }

  #record(raw: RawObject, place: Place): NodeRecord {
    const fields = decodeHeaders(raw, place, this.#cycle, this.#dialect)
    const { id } = fields
    if (this.#ids.has(id)) throw fault(`${raw.path}.id`, `The id "${id}" stands twice in this tree.`)
    this.#ids.add(id)
    const record = new NodeRecord(fields)
    this.#warnOfOtherHash(raw, record)
    this.#warnOfOtherTime(raw, record)
    if (isEmptied(record) && !record.isRemovable) throw emptiedFault(raw)
    if (record.rare?.supersedes !== undefined || record.rare?.standsFor !== undefined) this.#claim(record, raw.path)
    return record
  }

  #claim(record: NodeRecord, path: string): void {
    if (record.rare!.standsFor !== undefined && record.nodeClass !== 'block' && record.nodeClass !== 'cont') {
      throw fault(pathTo(path, STANDS_FOR), `${record.id} is no block and no container, so it stands in for nothing.`)
    }
    this.#claims.push({ record, path })
  }

  /** A hash in the file is checked, not kept: it follows from the content. */
  #warnOfOtherHash(raw: RawObject, record: NodeRecord): void {
    const given = raw.own('content_hash')
    if (given === undefined) return
    if (!raw.source.isExact) checkSure(given)
    if (given === contentHashOfRecord(record)) return
    this.#warn({
      message: `The content_hash of ${record.id} is not that of its content; somebody changed one of them.`,
      details: { path: `${raw.path}.content_hash`, id: record.id },
    })
  }

  /** A time in the file is kept as it is spelled; where it contradicts created_at_ns, that one counts (02 §3.2). */
  #warnOfOtherTime(raw: RawObject, record: NodeRecord): void {
    const given = record.rare?.createdAtIso
    if (given === undefined) return
    const time = readIsoTime(given)
    // Where only the text is given, nothing contradicts it.
    if (time !== undefined && (raw.own('created_at_ns') === undefined || isWithin(record.createdAtNs, time))) return
    const what = time === undefined ? 'no time' : 'another time than its created_at_ns'
    this.#warn({
      message: `The created_at_iso of ${record.id} is ${what}; it is kept as it is, and created_at_ns counts.`,
      details: { path: `${raw.path}.created_at_iso`, id: record.id },
    })
  }

  #warn({ message, details }: Warning): void {
    this.warnings.push(Object.freeze({ message, details: Object.freeze(details) }))
  }

  /** An id for a root or region that the document leaves out (D4). */
  #freeId(name: string): string {
    let id = name
    for (let n = 1; this.#ids.has(id); n++) id = `${name}-${n}`
    return id
  }

  #warnOfTwoCores(record: NodeRecord, children: readonly DecodedNode[], raw: RawObject): void {
    let count = 0
    for (const child of children) if (child.record.nodeClass === 'core') count++
    if (count < 2) return
    const cores = Object.freeze(
      children.filter((child) => child.record.nodeClass === 'core').map((child) => child.record.id),
    )
    this.#warn({
      message: `${record.id} has ${cores.length} containers at offset 0 (${cores.join(', ')}); a segment should have one.`,
      details: { path: raw.path, parent: record.id, cores },
    })
  }
}

/** Text and bytes are parsed, also bytes that another realm made; anything else is taken as the document itself. */
function textOf(input: unknown): string | undefined {
  if (typeof input === 'string') return input
  const bytes = bytesOf(input)
  return bytes === undefined ? undefined : decodeUtf8(bytes)
}

function bytesOf(input: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
  const isBuffer = Object.prototype.toString.call(input) === '[object ArrayBuffer]'
  return isBuffer ? new Uint8Array(input as ArrayBuffer) : undefined
}

function isEmptied({ rare }: NodeRecord): boolean {
  return rare?.attributes?.has(EMPTIED) === true
}

function emptiedFault({ path }: RawObject): PactError {
  return fault(pathTo(path, EMPTIED), 'Only an empty removable container can have been emptied.')
}

function withoutEmptied(record: NodeRecord): NodeRecord {
  const { attributes, ...rare } = record.rare!
  const rest = new Map([...attributes!].filter(([name]) => name !== EMPTIED))
  return new NodeRecord({ ...record, rare: rest.size === 0 ? rare : { ...rare, attributes: rest } })
}

function dialectOf(version: unknown): Dialect {
  if (version === undefined) return '0.1'
  if (typeof version === 'string') {
    if (/^PACT\/1(?!\d)/.test(version)) return '1.0'
    if (/^PACT\/0\.1(?!\d)/.test(version)) return '0.1'
  }
  throw fault('spec_version', 'spec_version must start with PACT/1 or PACT/0.1; this document is of another edition.')
}

function cycleOf(value: unknown): number {
  if (value === undefined) return 1
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= LAST_CYCLE) return value
  throw fault('cycle', `cycle must be an integer from 0 to ${LAST_CYCLE}.`)
}

// Import (D4): an exported snapshot, or any tree in the documents' fixture form, becomes records. Every value present is
// kept, what is missing is filled in, and a fault names the place in the file. Nothing recurses deeper than LIMITS.depth.

import { PactError } from '../errors/index.js'
import {
  COMPACTED,
  compactedOf,
  compareSiblings,
  LIMITS,
  NEVER,
  NodeRecord,
  REGIONS,
  SHED,
  shedOf,
  type Dialect,
  type JsonValue,
  type Schedules,
  type Warning,
} from '../core/index.js'
import { pathTo } from './canonical-json.js'
import { engineNameFault, isEngineName, restOf } from './decode-headers.js'
import { decodeRecord, type Edition, type Parent } from './decode-place.js'
import { contentHashOfRecord, EMPTIED, STANDS_FOR } from './document.js'
import { isWithin, readIsoTime } from './iso-time.js'
import { decodeUtf8, parseJson } from './json-text.js'
import { checkSure, parseQuickly, Unsure } from './quick-parse.js'
import { fault, listAt, nodeAt, objectAt, type RawNode, type Source } from './raw.js'
import { decodeSchedules } from './schedules.js'
import { isCompacted } from './originals.js'
import { checkClaims, checkSummaries, type Claim } from './stand-ins.js'

/** A block is its record alone, as in the tree that it becomes part of. */
export type DecodedNode = NodeRecord | DecodedBranch

/** A node that may hold others, with its children in canonical order. */
export class DecodedBranch {
  readonly record: NodeRecord
  /** The caller owns this list and may change it. */
  readonly children: DecodedNode[]
  /** Set for an empty container that is known to have held something (D26). */
  readonly everHeld: boolean

  constructor(record: NodeRecord, children: DecodedNode[], everHeld: boolean) {
    this.record = record
    this.children = children
    this.everHeld = everHeld
  }
}

export type DecodedSnapshot = Readonly<{
  dialect: Dialect
  cycle: number
  root: NodeRecord
  /** `^sys`, `^seq`, `^ah`. */
  regions: readonly DecodedBranch[]
  /** Every node of the tree by its id. The caller owns this map. */
  byId: Map<string, NodeRecord>
  schedules: Schedules
  /** Unknown names at the top of the document, and its version if the engine writes another; an export gives them back. */
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

/** The same in steps, so that the caller can yield to the event loop between two of them. */
export function* decodeInSteps(input: unknown, dialect?: Dialect): Generator<void, DecodedSnapshot, undefined> {
  const text = textInput(input)
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
  const decoder = new Decoder({ dialect: spoken, cycle })
  const { root, regions } = yield* decoder.decodeRoot(nodeAt(document.own('root'), 'root', source))
  const extras = restOf(document, TOP_NAMES)
  for (const name of extras.keys()) if (isEngineName(name)) throw engineNameFault(name)
  // The version of this one file: later snapshots are the engine's own (D1).
  if (typeof named === 'string' && spoken === edition && named !== specVersionOf(spoken)) {
    extras.set('spec_version', named)
  }
  return {
    dialect: spoken,
    cycle,
    root,
    regions,
    byId: decoder.byId,
    schedules: decodeSchedules(document, cycle, spoken),
    extras,
    warnings: decoder.warnings,
  }
}

/** The number of nodes in a step. */
const STEP = 2000

const NO_CHILDREN: readonly unknown[] = []

/** A node whose children are being read. */
type Level = Readonly<{
  raw: RawNode
  record: NodeRecord
  /** Its children in the file, and how many these were when it was opened. */
  printed: readonly unknown[]
  count: number
  /** Those that are read. */
  children: DecodedNode[]
  /** The depth of its children. */
  below: number
  /** The level of its parent; undefined for a region. */
  above: Level | undefined
}>

class Decoder {
  readonly warnings: Warning[] = []
  readonly byId = new Map<string, NodeRecord>()
  readonly #edition: Edition
  /** The nodes that say whose place they took. */
  readonly #claims: Claim[] = []
  readonly #summaries: Claim[] = []

  constructor(edition: Edition) {
    this.#edition = edition
  }

  *decodeRoot(raw: RawNode): Generator<void, { root: NodeRecord; regions: readonly DecodedBranch[] }, undefined> {
    const printed = raw.children === undefined ? NO_CHILDREN : listAt(raw, 'children', raw.children)
    // Array.from: a hole must be met, not skipped.
    const children = Array.from(printed, (child, i) => raw.child(child, i))
    // Ids that the document gives come first: the ones made up for a missing root or region must avoid them all.
    const isNamed = raw.id !== undefined
    const named = isNamed ? this.#record(raw, undefined, 0) : undefined
    const found = new Map<string, DecodedBranch>()
    const parent = named ?? ({ id: '', nodeClass: 'root', nodeType: '^root' } as const)
    for (const [index, child] of children.entries()) {
      const region = yield* this.#decodeRegion(child, parent, index)
      const { nodeType } = region.record
      if (found.has(nodeType))
        throw fault(`${child.path}.nodeType`, `A tree has one ${nodeType}; this is a second one.`)
      found.set(nodeType, region)
    }
    if (!isNamed) raw.id = this.#freeId('root')
    const root = named ?? this.#record(raw, undefined, 0)
    const regions = REGIONS.map((name, i): DecodedBranch => {
      const region = found.get(name)
      if (region !== undefined) return isNamed ? region : this.#under(root, region)
      const made = nodeAt({ id: this.#freeId(name.slice(1)), nodeType: name }, '')
      return new DecodedBranch(this.#record(made, root, children.length + i), [], false)
    })
    checkClaims(this.#claims, (id) => this.byId.has(id))
    checkSummaries(this.#summaries, (id) => this.byId.has(id))
    return { root, regions }
  }

  #under(root: NodeRecord, { record, children, everHeld }: DecodedBranch): DecodedBranch {
    return this.#branch(record.movedTo(root.id, this.#edition.cycle), children, everHeld)
  }

  /** A branch whose record takes the place of the one that was read. */
  #branch(record: NodeRecord, children: DecodedNode[], everHeld: boolean): DecodedBranch {
    this.byId.set(record.id, record)
    return new DecodedBranch(record, children, everHeld)
  }

  /** A region with all that it holds, with a rest after every few thousand nodes. */
  *#decodeRegion(raw: RawNode, parent: Parent, index: number): Generator<void, DecodedBranch, undefined> {
    const region = this.#open(raw, this.#record(raw, parent, index), 2, undefined)
    for (let level: Level | undefined = region; ;) {
      level = this.#readOn(level)
      if (level === undefined) return this.#close(region)
      yield
    }
  }

  /** Reads on in an open node, for one step: gives the node to go on in, or undefined where the whole region is read. */
  #readOn(from: Level): Level | undefined {
    let level = from
    for (let nodes = 0; nodes < STEP;) {
      const index = level.children.length
      if (index < level.count) {
        const raw = level.raw.child(level.printed[index], index)
        if (level.below > LIMITS.depth) throw depthFault(raw)
        const record = this.#record(raw, level.record, index)
        if (record.nodeClass === 'block') level.children.push(leaf(raw, record))
        else level = this.#open(raw, record, level.below, level)
        nodes++
      } else if (level.above === undefined) {
        return undefined
      } else {
        level.above.children.push(this.#close(level))
        level = level.above
      }
    }
    return level
  }

  #open(raw: RawNode, record: NodeRecord, depth: number, above: Level | undefined): Level {
    // Nodes of the active head are deeper once it is sealed, in a core if it has none, and must fit then too.
    const isBare = above?.record.nodeType === '^ah' && record.offset === 0 && record.nodeClass !== 'core'
    const below = depth + (record.nodeType === '^ah' || isBare ? 2 : 1)
    const printed = raw.children === undefined ? NO_CHILDREN : listAt(raw, 'children', raw.children)
    return { raw, record, printed, count: printed.length, children: [], below, above }
  }

  #close({ raw, record, children }: Level): DecodedBranch {
    let cores = 0
    let isSorted = true
    for (let i = 0; i < children.length; i++) {
      const child = recordOf(children[i]!)
      if (child.nodeClass === 'core') cores++
      if (i > 0 && isSorted) isSorted = compareSiblings(recordOf(children[i - 1]!), child) < 0
    }
    if (cores > 1) this.#warnOfCores(record, children, raw)
    if (isEmptied(record)) {
      if (children.length > 0) throw emptiedFault(raw)
      return this.#branch(withoutEmptied(record), children, true)
    }
    // An export has its nodes in order.
    if (!isSorted) children.sort((a, b) => compareSiblings(recordOf(a), recordOf(b)))
    // A list that grew has room to spare, which a copy has not.
    return new DecodedBranch(record, children.slice(), false)
  }

  #record(raw: RawNode, parent: Parent | undefined, index: number): NodeRecord {
    const record = decodeRecord(raw, parent, index, this.#edition)
    const { id, rare } = record
    const { size } = this.byId
    this.byId.set(id, record)
    if (this.byId.size === size) throw fault(`${raw.path}.id`, `The id "${id}" occurs twice in this tree.`)
    if (raw.contentHash !== undefined) this.#warnOfOtherHash(raw, record)
    if (rare === undefined) return record
    if (rare.createdAtIso !== undefined) this.#warnOfOtherTime(raw, record, rare.createdAtIso)
    if (isEmptied(record) && !record.isRemovable) throw emptiedFault(raw)
    if (shedOf(record) !== undefined && (record.nodeClass !== 'block' || record.content === undefined))
      throw shedFault(raw)
    const compacted = compactedOf(record)
    if (compacted !== undefined && !(record.nodeClass === 'block' && isCompacted(compacted))) throw listFault(raw)
    if (compacted !== undefined) this.#summaries.push({ record, path: raw.path })
    if (rare.supersedes !== undefined || rare.standsFor !== undefined) this.#claim(record, raw.path)
    return record
  }

  #claim(record: NodeRecord, path: string): void {
    if (record.rare!.standsFor !== undefined && record.nodeClass !== 'block' && record.nodeClass !== 'cont') {
      throw fault(pathTo(path, STANDS_FOR), `${record.id} is no block and no container, so it stands in for nothing.`)
    }
    this.#claims.push({ record, path })
  }

  /** A hash in the file is checked, not kept: it follows from the content. */
  #warnOfOtherHash(raw: RawNode, record: NodeRecord): void {
    if (!raw.source.isExact) checkSure(raw.contentHash)
    if (raw.contentHash === contentHashOfRecord(record)) return
    this.#warn({
      message: `The content_hash of ${record.id} is not that of its content; somebody changed one of them.`,
      details: { path: `${raw.path}.content_hash`, id: record.id },
    })
  }

  /** A time in the file is kept as it is spelled; where it contradicts created_at_ns, that one counts (02 §3.2). */
  #warnOfOtherTime(raw: RawNode, record: NodeRecord, given: string): void {
    const time = readIsoTime(given)
    // A text without nanoseconds contradicts nothing.
    if (time !== undefined && (raw.createdAtNs === undefined || isWithin(record.createdAtNs, time))) return
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
    for (let n = 1; this.byId.has(id); n++) id = `${name}-${n}`
    return id
  }

  #warnOfCores(record: NodeRecord, children: readonly DecodedNode[], { path }: RawNode): void {
    const records = children.map(recordOf).filter((child) => child.nodeClass === 'core')
    const cores = Object.freeze(records.map((core) => core.id))
    this.#warn({
      message: `${record.id} has ${cores.length} containers at offset 0 (${cores.join(', ')}); a segment should have one.`,
      details: { path, parent: record.id, cores },
    })
  }
}

function recordOf(node: DecodedNode): NodeRecord {
  return node instanceof DecodedBranch ? node.record : node
}

/** A block, which may say that it has no children, but not that it has some. */
function leaf(raw: RawNode, record: NodeRecord): NodeRecord {
  if (raw.children !== undefined && listAt(raw, 'children', raw.children).length > 0) {
    throw fault(`${raw.path}.children`, `${record.id} is a block and cannot hold children.`)
  }
  return record
}

function depthFault({ path }: RawNode): PactError {
  return fault(path, `The tree is deeper than ${LIMITS.depth} nodes here, or holds itself.`)
}

/** Text and bytes are parsed, also bytes that another realm made; anything else is taken as the document itself. */
function textInput(input: unknown): string | undefined {
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

function emptiedFault({ path }: RawNode): PactError {
  return fault(pathTo(path, EMPTIED), 'Only an empty removable container can have been emptied.')
}

function shedFault({ path }: RawNode): PactError {
  return fault(pathTo(path, SHED), 'Only a block has a line in the place of its content.')
}

function listFault({ path }: RawNode): PactError {
  return fault(pathTo(path, COMPACTED), 'The nodes that a block stands for are expected here: { cycle, nodes }.')
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

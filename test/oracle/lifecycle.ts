// A naive second opinion on the lifecycle (03 §7; D24–D27, D36, D37): what a context holds after adds, holds and commits.
// It shares no code with the engine. Every question is answered by walking the whole tree again, every closure is grown
// until it stops growing, and a snapshot is a deep copy. Only well-formed input is modelled: refusals are the engine's.

export type OracleSpec = {
  content?: unknown
  zone?: 'pre' | 'core' | 'post'
  region?: 'sys'
  offset?: number
  ttl?: number | null
  priority?: number
  role?: string
  kind?: string
  key?: string
  tags?: string[]
  refs?: string[]
  removable?: boolean
  pinned?: boolean
  nodeType?: string
  provenance?: unknown
  data_call_id?: string | string[]
  data_signature?: string
  data_note?: unknown
  content_note?: string
  children?: OracleSpec[]
}

export type OraclePolicy = {
  maxNodes?: number
  maxNodesPerSegment?: number
  maxDepth?: number
  maxTokens?: number | Partial<Record<'^sys' | '^seq' | '^ah', number>>
  protectSegments?: number
  unit?: 'node' | 'turn'
  target?: number
  unmet?: 'report' | 'error'
}

export type OracleReceipt = {
  removed: { id: string; rule: string; priority: number; age: number }[]
  limits: { rule: string; limit: number; target?: number; before: number; after: number }[]
  unmet: { rule: string; limit: number; actual: number }[]
}

type RegionName = '^sys' | '^seq' | '^ah'

type ModelNode = {
  id: string
  class: 'region' | 'seg' | 'cont' | 'block' // the root counts as a region here
  core: boolean
  nodeType: string
  offset: number
  ttl: number | null // as given
  expiry: number | null // the first cycle whose snapshot lacks the node (D24)
  priority: number
  cycle: number
  createdAtNs: bigint
  creationIndex: number
  given: Record<string, unknown> // the optional headers, as given, for the exported form
  kind: string | undefined
  refs: string[]
  callIds: string[]
  removable: boolean
  pinned: boolean
  everHeldNode: boolean
  children: ModelNode[]
}

/** The documents' JSON form of one node with its subtree (D35). Only blocks lack `children`. */
type TreeJson = {
  id: string
  role?: string
  kind?: string
  content?: unknown
  children?: TreeJson[]
  [header: string]: unknown
}

/** One limit of the policy: how far the snapshot to be is from it, and what may help, in the order in which it goes. */
type Limit = {
  rule: string
  limit: number
  measure: () => number
  turns: () => ModelNode[] // for compaction, in document order
  nodes: () => ModelNode[] // for pruning, in its order
  segmentsOver?: () => ModelNode[] // where each segment has this limit for itself: those that pass it
}

const SEGMENT_STEP = 1_048_576

const CLASS_NAMES = {
  '1.0': { seg: 'seg', cont: 'cont', block: 'block' },
  '0.1': { seg: 'mt', cont: 'mc', block: 'cb' },
} as const

const OPTIONAL_HEADERS = [
  'content',
  'role',
  'kind',
  'key',
  'tags',
  'refs',
  'removable',
  'pinned',
  'provenance',
  'data_call_id',
  'data_signature',
  'data_note',
  'content_note',
] as const

/** One context, modelled as plainly as the rules are written. */
export class Oracle {
  readonly #dialect: '1.0' | '0.1'
  readonly #clock: () => bigint
  readonly #emptySegments: 'keep' | 'remove'
  readonly #policy: OraclePolicy
  readonly #countTokens: (text: string) => number
  #root: ModelNode = emptyTree()
  #cycle = 1
  #made = 0 // nodes made in the open cycle: the next id's n
  #highestNs = 0n
  readonly #holds = new Map<string, number>()
  readonly #snapshots = new Map<number, TreeJson>()

  constructor(options: {
    dialect: '1.0' | '0.1'
    clock: () => bigint
    prune?: OraclePolicy
    countTokens?: (text: string) => number
    emptySegments?: 'keep' | 'remove'
  }) {
    this.#emptySegments = options.emptySegments ?? 'keep'
    this.#dialect = options.dialect
    this.#clock = options.clock
    this.#policy = options.prune ?? {}
    this.#countTokens =
      options.countTokens ??
      (() => {
        throw new Error('The oracle needs countTokens where the policy has maxTokens.')
      })
  }

  get cycle(): number {
    return this.#cycle
  }

  /** Adds a node, with its children, to `^sys` or to the active head (D17). */
  add(spec: OracleSpec): string {
    if (spec.region === 'sys') return this.#place(spec, region(this.#root, '^sys'), spec.offset).id
    const head = region(this.#root, '^ah')
    const offset = spec.offset
    const zone = spec.zone ?? (offset === undefined || offset === 0 ? 'core' : offset < 0 ? 'pre' : 'post')
    if (zone === 'pre') return this.#place(spec, head, offset ?? -1).id
    if (zone === 'post') return this.#place(spec, head, offset ?? Math.max(0, ...offsetsIn(head)) + 1).id
    return this.#place(spec, coreOf(head) ?? this.#makeCore(head), offset).id
  }

  /** Keeps a node alive until the returned function is called (D26). Holds add up. */
  hold(id: string): () => void {
    if (!walk(this.#root).some(({ node }) => node.id === id)) throw new Error(`E_NODE_NOT_FOUND: ${id}`)
    this.#holds.set(id, (this.#holds.get(id) ?? 0) + 1)
    let released = false
    return () => {
      if (released) return
      released = true
      this.#holds.set(id, this.#holds.get(id)! - 1)
    }
  }

  /** Expiry with cascade, pruning with cascade, sealing, snapshot (03 §7, D25). All or nothing. */
  commit(): OracleReceipt {
    const before = structuredClone(this.#root)
    try {
      this.#expire()
      this.#cascade(this.#root)
      const receipt = this.#prune()
      this.#cascade(this.#root)
      if (this.#policy.unmet === 'error' && receipt.unmet.length > 0) {
        const parts = receipt.unmet.map((miss) => `${miss.rule} is ${miss.limit}, the snapshot has ${miss.actual}`)
        throw new Error(`E_BUDGET: ${parts.join('; ')}`)
      }
      this.#seal()
      this.#snapshots.set(
        this.#cycle,
        toJson(this.#root, (node) => ttlInSnapshot(node, this.#cycle)),
      )
      this.#cycle += 1
      this.#made = 0
      return receipt
    } catch (error) {
      this.#root = before
      throw error
    }
  }

  /** The tree in the documents' form: the live one, or the snapshot of a cycle. */
  tree(lens: 'working' | number): unknown {
    return this.#read(lens)
  }

  /** The provider thread (02 §12, D36): every block, and any other node with content. */
  thread(lens: 'working' | number): { id: string; role?: string; kind?: string; content: unknown }[] {
    const items: { id: string; role?: string; kind?: string; content: unknown }[] = []
    const visit = (node: TreeJson, defaultRole: string): void => {
      if (node.children === undefined || 'content' in node) {
        const role = node.role ?? (this.#dialect === '0.1' ? defaultRole : undefined)
        items.push({
          id: node.id,
          ...(role === undefined ? {} : { role }),
          ...(node.kind === undefined ? {} : { kind: node.kind }),
          content: 'content' in node ? node.content : '',
        })
      }
      for (const child of node.children ?? []) visit(child, defaultRole)
    }
    for (const child of this.#read(lens).children!) visit(child, child['nodeType'] === '^sys' ? 'system' : 'user')
    return items
  }

  #read(lens: 'working' | number): TreeJson {
    if (lens === 'working') {
      // A new node reads as given, a committed one as the latest snapshot shows it (D24).
      return toJson(this.#root, (node) =>
        node.cycle === this.#cycle ? node.ttl : ttlInSnapshot(node, this.#cycle - 1),
      )
    }
    const snapshot = this.#snapshots.get(lens)
    if (snapshot === undefined) throw new Error(`E_SNAPSHOT_NOT_FOUND: cycle ${lens}`)
    return structuredClone(snapshot)
  }

  // Making nodes

  #place(spec: OracleSpec, parent: ModelNode, offset: number | undefined): ModelNode {
    const base = spec.nodeType?.split(':')[0]
    const isContainer = spec.children !== undefined || base === 'cont' || base === 'mc'
    const node = this.#make(isContainer ? 'cont' : 'block', parent, offset ?? this.#nextOffset(parent), spec)
    for (const child of spec.children ?? []) this.#place(child, node, child.offset)
    return node
  }

  #nextOffset(parent: ModelNode): number {
    if (this.#dialect === '0.1' || parent.children.length === 0) return 0
    return Math.max(-1, ...offsetsIn(parent)) + 1
  }

  #makeCore(head: ModelNode): ModelNode {
    const core = this.#make('cont', head, 0, {})
    core.core = true
    return core
  }

  #make(nodeClass: 'seg' | 'cont' | 'block', parent: ModelNode, offset: number, spec: OracleSpec): ModelNode {
    const name = CLASS_NAMES[this.#dialect][nodeClass]
    const index = this.#made
    this.#made += 1
    const reading = this.#clock()
    this.#highestNs = reading > this.#highestNs ? reading : this.#highestNs + 1n
    const given: Record<string, unknown> = {}
    for (const header of OPTIONAL_HEADERS) {
      if (spec[header] !== undefined) given[header] = structuredClone(spec[header])
    }
    const ttl = spec.ttl ?? null
    const node: ModelNode = {
      id: `${name}:${this.#cycle}-${index}`,
      class: nodeClass,
      core: false,
      nodeType: spec.nodeType ?? name,
      offset,
      ttl,
      expiry: ttl === null ? null : this.#cycle + ttl,
      priority: spec.priority ?? 0,
      cycle: this.#cycle,
      createdAtNs: this.#highestNs,
      creationIndex: this.#cycle === 1 ? index + 4 : index, // root and regions took 0–3 of cycle 1 (D37)
      given,
      kind: spec.kind,
      refs: [...(spec.refs ?? [])],
      callIds: typeof spec.data_call_id === 'string' ? [spec.data_call_id] : [...(spec.data_call_id ?? [])],
      removable: spec.removable === true,
      pinned: spec.pinned === true,
      everHeldNode: false,
      children: [],
    }
    parent.children.push(node)
    parent.everHeldNode = true
    return node
  }

  // Expiry and cascade

  /**
   * Keeps the least set that holds every held node, every node whose expired ancestors-or-self are all in it, and, with
   * each member, its ancestors and what its refs name (D26).
   */
  #expire(): void {
    const kept = new Set<string>()
    let size = -1
    while (size !== kept.size) {
      size = kept.size
      for (const { node, ancestors } of walk(this.#root)) {
        const line = [...ancestors, node]
        const expired = line.filter((member) => member.expiry !== null && member.expiry <= this.#cycle)
        if (!kept.has(node.id) && !this.#isHeld(node) && !expired.every((member) => kept.has(member.id))) continue
        for (const member of line) kept.add(member.id)
        for (const ref of node.refs) kept.add(ref)
      }
    }
    removeWhere(this.#root, (node) => !kept.has(node.id))
  }

  /** Removes emptied removable containers, one at a time, until there is none (02 §5.3.1, D26). */
  #cascade(root: ModelNode): ModelNode[] {
    const gone: ModelNode[] = []
    const order = walk(root).map(({ node }) => node)
    for (;;) {
      const nodes = walk(root).map(({ node }) => node)
      const goes = nodes.find(
        (node) =>
          node.class === 'cont' &&
          !node.core &&
          node.removable &&
          node.everHeldNode &&
          node.children.length === 0 &&
          !this.#isHeld(node) &&
          !nodes.some((other) => other !== node && other.refs.includes(node.id)),
      )
      const unit = goes === undefined ? this.#hollowSegment(nodes) : [goes]
      if (unit === undefined) return gone.toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
      gone.push(...unit)
      removeWhere(root, (node) => unit.includes(node))
    }
  }

  /** A segment in which only empty cores are left, with these, if the context lets such go and nothing needs it (D55). */
  #hollowSegment(nodes: readonly ModelNode[]): ModelNode[] | undefined {
    if (this.#emptySegments === 'keep') return undefined
    for (const segment of nodes.filter((node) => node.class === 'seg')) {
      const unit = [segment, ...segment.children]
      const isHollow = segment.children.every((child) => child.core && child.children.length === 0)
      const outside = nodes.filter((node) => !unit.includes(node))
      const isNeeded = unit.some((node) => this.#isHeld(node) || outside.some(({ refs }) => refs.includes(node.id)))
      if (isHollow && !isNeeded) return unit
    }
    return undefined
  }

  #isHeld(node: ModelNode): boolean {
    return (this.#holds.get(node.id) ?? 0) > 0
  }

  // Pruning

  /**
   * Compaction, if the policy asks for it, then pruning. Each takes the limits one after the other; once a limit has been
   * found passed, both go down to its target, until nothing more can be taken (02 §7, D27, D51).
   */
  #prune(): OracleReceipt {
    const receipt: OracleReceipt = { removed: [], limits: [], unmet: [] }
    const limits = this.#limits()
    const passed = new Map<Limit, { before: number; segments: string[] }>()
    const bled = new Set<string>() // segments that lost a block to pruning
    for (const stage of this.#policy.unit === 'turn' ? (['turns', 'nodes'] as const) : (['nodes'] as const)) {
      for (const limit of limits) {
        const before = limit.measure()
        if (!passed.has(limit) && before > limit.limit) {
          passed.set(limit, { before, segments: limit.segmentsOver?.().map(({ id }) => id) ?? [] })
        }
        const isFull = (segment: ModelNode): boolean =>
          passed.get(limit)!.segments.includes(segment.id) && countDescendants(segment) > this.#goalOf(limit)
        while (passed.has(limit)) {
          const full = region(this.#root, '^seq').children.filter(isFull)
          if (limit.segmentsOver === undefined ? limit.measure() <= this.#goalOf(limit) : full.length === 0) break
          const helps = (node: ModelNode): boolean =>
            limit.segmentsOver === undefined || full.some((segment) => subtree(segment).includes(node))
          const candidates = stage === 'turns' ? inTurnOrder(limit.turns()) : limit.nodes()
          const candidate = candidates.filter(helps).find((each) => !this.#isProtected(unitOf(this.#root, each)))
          if (candidate === undefined) break
          const unit = unitOf(this.#root, candidate)
          for (const segment of region(this.#root, '^seq').children) {
            if (blocksUnder(segment).some((block) => unit.has(block.id))) bled.add(segment.id)
          }
          this.#take(unit, limit.rule, receipt)
          this.#takeEmptied(bled, limit.rule, receipt)
        }
      }
    }
    for (const { rule, limit, measure } of limits) {
      const actual = measure()
      if (actual > limit) receipt.unmet.push({ rule, limit, actual })
    }
    receipt.limits = [...passed].map(([limit, { before }]) => {
      const target = this.#goalOf(limit) === limit.limit ? {} : { target: this.#goalOf(limit) }
      return { rule: limit.rule, limit: limit.limit, ...target, before, after: limit.measure() }
    })
    return receipt
  }

  /** A share of each limit, or a number of tokens for `maxTokens` (D51). */
  #goalOf({ rule, limit }: Limit): number {
    const { target = 1 } = this.#policy
    if (target <= 1) return target * limit
    return rule === 'maxTokens' ? target : limit
  }

  #limits(): Limit[] {
    const { maxDepth, maxNodesPerSegment, maxNodes, maxTokens } = this.#policy
    const limits: Limit[] = []
    const segments = (): ModelNode[] => region(this.#root, '^seq').children
    const speaking = (): ModelNode[] => segments().filter((segment) => blocksUnder(segment).length > 0)
    const nodes = (): ModelNode[] => candidatesUnderSeq(this.#root)
    if (maxDepth !== undefined) {
      limits.push({
        rule: 'maxDepth',
        limit: maxDepth,
        measure: () => segments().length + (willSeal(this.#root) ? 1 : 0),
        turns: segments,
        nodes: () => segments().toSorted(compareForPruning),
      })
    }
    if (maxNodesPerSegment !== undefined) {
      limits.push({
        rule: 'maxNodesPerSegment',
        limit: maxNodesPerSegment,
        measure: () => Math.max(0, ...segments().map(countDescendants)),
        segmentsOver: () => segments().filter((segment) => countDescendants(segment) > maxNodesPerSegment),
        turns: segments,
        nodes,
      })
    }
    if (maxNodes !== undefined) {
      limits.push({
        rule: 'maxNodes',
        limit: maxNodes,
        measure: () => {
          const added = willSeal(this.#root) ? (coreOf(region(this.#root, '^ah')) === undefined ? 2 : 1) : 0
          return walk(this.#root).length + added
        },
        turns: segments,
        nodes,
      })
    }
    const tokens = (node: ModelNode): number => subtree(node).reduce((sum, each) => sum + this.#tokens(each), 0)
    if (typeof maxTokens === 'number') {
      const measure = (): number => tokens(this.#root)
      limits.push({ rule: 'maxTokens', limit: maxTokens, measure, turns: speaking, nodes })
    } else if (maxTokens !== undefined) {
      for (const name of ['^sys', '^seq', '^ah'] as const) {
        const limit = maxTokens[name]
        if (limit === undefined) continue
        limits.push({
          rule: `maxTokens ${name}`,
          limit,
          measure: () => {
            const own = tokens(region(this.#root, name))
            return name === '^seq' && willSeal(this.#root) ? own + tokens(region(this.#root, '^ah')) : own
          },
          // Pruning takes nothing outside ^seq, and what it takes there does not count for the other two.
          turns: name === '^seq' ? speaking : () => [],
          nodes: name === '^seq' ? nodes : () => [],
        })
      }
    }
    return limits
  }

  #tokens(node: ModelNode): number {
    if (!('content' in node.given)) return 0
    const content = node.given['content']
    return this.#countTokens(typeof content === 'string' ? content : canonicalJson(content))
  }

  #isProtected(unit: Set<string>): boolean {
    const nodes = walk(this.#root).map(({ node }) => node)
    const segments = sorted(region(this.#root, '^seq').children)
    const newest = segments.slice(Math.max(0, segments.length - (this.#policy.protectSegments ?? 1)))
    const safe = new Set<ModelNode>()
    for (const top of [region(this.#root, '^sys'), region(this.#root, '^ah'), ...newest]) {
      for (const node of subtree(top)) safe.add(node)
    }
    return nodes.some(
      (node) =>
        unit.has(node.id) &&
        (safe.has(node) || node.pinned || this.#isHeld(node) || isReferredToFromOutside(node.id, unit, nodes)),
    )
  }

  /** After each unit: the cascade, then a segment that pruning left without a block, and so on (D26, D27). */
  #takeEmptied(bled: Set<string>, rule: string, receipt: OracleReceipt): void {
    for (;;) {
      for (const node of this.#cascade(this.#root)) this.#list(node, rule, receipt)
      const goes = sorted(region(this.#root, '^seq').children).find(
        (segment) =>
          bled.has(segment.id) && blocksUnder(segment).length === 0 && !this.#isProtected(unitOf(this.#root, segment)),
      )
      if (goes === undefined) return
      this.#take(unitOf(this.#root, goes), rule, receipt)
    }
  }

  #take(unit: Set<string>, rule: string, receipt: OracleReceipt): void {
    for (const { node } of walk(this.#root)) {
      if (unit.has(node.id)) this.#list(node, rule, receipt)
    }
    removeWhere(this.#root, (node) => unit.has(node.id))
  }

  #list(node: ModelNode, rule: string, receipt: OracleReceipt): void {
    receipt.removed.push({ id: node.id, rule, priority: node.priority, age: this.#cycle - node.cycle })
  }

  // Sealing

  /** Turns the head's children into a new segment, unless there is nothing but an empty core (D25, D30). */
  #seal(): void {
    if (!willSeal(this.#root)) return
    const head = region(this.#root, '^ah')
    const seq = region(this.#root, '^seq')
    if (coreOf(head) === undefined) this.#makeCore(head)
    const newest = sorted(seq.children).at(-1)
    const own = this.#cycle * SEGMENT_STEP
    const offset = newest === undefined ? own : Math.max(own, newest.offset + SEGMENT_STEP)
    const segment = this.#make('seg', seq, offset, {})
    segment.children = head.children
    head.children = []
  }
}

// Trees

function emptyTree(): ModelNode {
  const make = (name: string, creationIndex: number, children: ModelNode[]): ModelNode => ({
    id: name,
    class: 'region',
    core: false,
    nodeType: `^${name}`,
    offset: 0,
    ttl: null,
    expiry: null,
    priority: 0,
    cycle: 1,
    createdAtNs: 0n,
    creationIndex,
    given: {},
    kind: undefined,
    refs: [],
    callIds: [],
    removable: false,
    pinned: false,
    everHeldNode: false,
    children,
  })
  return make('root', 0, [make('sys', 1, []), make('seq', 2, []), make('ah', 3, [])])
}

function region(root: ModelNode, name: RegionName): ModelNode {
  return root.children.find((child) => child.nodeType === name)!
}

function coreOf(parent: ModelNode): ModelNode | undefined {
  return parent.children.find((child) => child.core)
}

function offsetsIn(parent: ModelNode): number[] {
  return parent.children.map((child) => child.offset)
}

/** Every node in document order, with its ancestors from the root down (D20). */
function walk(top: ModelNode, ancestors: ModelNode[] = []): { node: ModelNode; ancestors: ModelNode[] }[] {
  const below = sorted(top.children).flatMap((child) => walk(child, [...ancestors, top]))
  return [{ node: top, ancestors }, ...below]
}

function subtree(top: ModelNode): ModelNode[] {
  return walk(top).map(({ node }) => node)
}

function countDescendants(top: ModelNode): number {
  return subtree(top).length - 1
}

function blocksUnder(top: ModelNode): ModelNode[] {
  return subtree(top).filter((node) => node.class === 'block')
}

function removeWhere(top: ModelNode, goes: (node: ModelNode) => boolean): void {
  top.children = top.children.filter((child) => !goes(child))
  for (const child of top.children) removeWhere(child, goes)
}

/** True unless the head holds nothing but an empty core, or nothing at all (D25). */
function willSeal(root: ModelNode): boolean {
  return region(root, '^ah').children.some((child) => !child.core || child.children.length > 0)
}

function isReferredToFromOutside(id: string, inside: Set<string>, nodes: ModelNode[]): boolean {
  return nodes.some((node) => !inside.has(node.id) && node.refs.includes(id))
}

// Pruning: candidates, groups and units (D27)

/**
 * Lowest priority first, which is the highest of a segment's blocks, then the oldest (D51); segments without a block come
 * before all others (D55).
 */
function inTurnOrder(segments: ModelNode[]): ModelNode[] {
  const keyOf = (segment: ModelNode): PruningKey => {
    const priority = Math.max(...blocksUnder(segment).map((block) => block.priority))
    return { priority, createdAtNs: segment.createdAtNs, id: segment.id }
  }
  return segments.toSorted((a, b) => compareForPruning(keyOf(a), keyOf(b)))
}

/** Blocks and non-core containers inside segments; a member of a group stands where its group stands. */
function candidatesUnderSeq(root: ModelNode): ModelNode[] {
  const groups = groupsIn(root)
  const keyOf = (node: ModelNode): PruningKey => {
    const group = groups.find((members) => members.has(node)) ?? new Set([node])
    const oldest = [...group].toSorted((a, b) => compare(a.createdAtNs, b.createdAtNs) || compareText(a.id, b.id))[0]!
    const priority = Math.max(...[...group].map((member) => member.priority))
    return { priority, createdAtNs: oldest.createdAtNs, id: oldest.id }
  }
  return subtree(region(root, '^seq'))
    .filter((node) => node.class === 'block' || (node.class === 'cont' && !node.core))
    .map((node) => ({ node, key: keyOf(node) }))
    .toSorted((a, b) => compareForPruning(a.key, b.key))
    .map(({ node }) => node)
}

/** The groups of the live tree, each node in at most one: overlapping ones are joined. */
function groupsIn(root: ModelNode): Set<ModelNode>[] {
  const nodes = subtree(root)
  const groups: Set<ModelNode>[] = []
  for (const callId of new Set(nodes.flatMap((node) => node.callIds))) {
    let group = new Set<ModelNode>()
    groups.push(group)
    for (const node of nodes.filter((each) => each.callIds.includes(callId))) {
      if (node.kind === 'call') groups.push((group = new Set()))
      group.add(node)
    }
  }
  for (const result of nodes.filter((node) => node.kind === 'result')) {
    const calls = nodes.filter((node) => node.kind === 'call' && result.refs.includes(node.id))
    if (calls.length > 0) groups.push(new Set([result, ...calls]))
  }
  // Reasoning belongs to the call that it stands directly before, alone or with more of it (D48).
  for (const parent of nodes) {
    let thoughts: ModelNode[] = []
    for (const child of sorted(parent.children)) {
      if (child.kind === 'call' && thoughts.length > 0) groups.push(new Set([...thoughts, child]))
      thoughts = child.kind === 'reasoning' ? [...thoughts, child] : []
    }
  }
  return joinOverlapping(groups.filter((group) => group.size > 0))
}

function joinOverlapping(groups: Set<ModelNode>[]): Set<ModelNode>[] {
  for (const [i, group] of groups.entries()) {
    const j = groups.findIndex((other, at) => at > i && [...other].some((node) => group.has(node)))
    if (j === -1) continue
    const rest = groups.filter((_, at) => at !== i && at !== j)
    return joinOverlapping([...rest, new Set([...group, ...groups[j]!])])
  }
  return groups
}

/** The least set that holds the candidate and, with each member, its subtree and its whole group. */
function unitOf(root: ModelNode, candidate: ModelNode): Set<string> {
  const groups = groupsIn(root)
  const unit = new Set([candidate])
  for (const member of unit) {
    // a set may grow while it is walked: new members get their turn too
    for (const node of subtree(member)) unit.add(node)
    for (const group of groups) {
      if (group.has(member)) for (const node of group) unit.add(node)
    }
  }
  return new Set([...unit].map((node) => node.id))
}

// Orders

function sorted(siblings: ModelNode[]): ModelNode[] {
  return siblings.toSorted(
    (a, b) =>
      compare(a.offset, b.offset) ||
      compare(a.createdAtNs, b.createdAtNs) ||
      compare(a.creationIndex, b.creationIndex) ||
      compareText(a.id, b.id),
  )
}

type PruningKey = { priority: number; createdAtNs: bigint; id: string }

function compareForPruning(a: PruningKey, b: PruningKey): number {
  return compare(a.priority, b.priority) || compare(a.createdAtNs, b.createdAtNs) || compareText(a.id, b.id)
}

function compare<T extends number | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** By code point: `<` would rank UTF-16 units. */
function compareText(a: string, b: string): number {
  const left = Array.from(a, (char) => char.codePointAt(0)!)
  const right = Array.from(b, (char) => char.codePointAt(0)!)
  const at = left.findIndex((point, i) => point !== right[i])
  if (at === -1) return left.length - right.length
  return at < right.length ? left[at]! - right[at]! : 1
}

// Output

function ttlInSnapshot(node: ModelNode, cycle: number): number | null {
  return node.expiry === null ? null : Math.max(0, node.expiry - cycle)
}

function toJson(node: ModelNode, ttlOf: (node: ModelNode) => number | null): TreeJson {
  return {
    id: node.id,
    nodeType: node.nodeType,
    offset: node.offset,
    ttl: ttlOf(node),
    priority: node.priority,
    cycle: node.cycle,
    created_at_ns: node.createdAtNs,
    created_at_iso: isoOf(node.createdAtNs),
    creation_index: node.creationIndex,
    ...structuredClone(node.given),
    ...(node.class === 'cont' && node.removable && node.everHeldNode && node.children.length === 0 && !node.core
      ? { 'pact:emptied': true } // N10: the one thing about a node that its headers do not tell
      : {}),
    ...(node.class === 'block' ? {} : { children: sorted(node.children).map((child) => toJson(child, ttlOf)) }),
  }
}

/** UTC with nine fraction digits (D37). */
function isoOf(ns: bigint): string {
  const second = new Date(Number(ns / 1_000_000_000n) * 1000).toISOString().replace('.000Z', '')
  return `${second}.${String(ns % 1_000_000_000n).padStart(9, '0')}Z`
}

/** Python's `json.dumps(sort_keys=True, separators=(',',':'), ensure_ascii=True)` (D33). */
function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return pythonNumber(value)
  if (typeof value === 'string') return pythonString(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object') throw new Error(`E_CONTENT_INVALID: ${typeof value}`)
  const entries = Object.entries(value).toSorted(([a], [b]) => compareText(a, b))
  return `{${entries.map(([key, each]) => `${pythonString(key)}:${canonicalJson(each)}`).join(',')}}`
}

function pythonNumber(value: number): string {
  if (!Number.isFinite(value)) throw new Error(`E_CONTENT_INVALID: ${value}`)
  if (Number.isSafeInteger(value)) return String(value)
  // Both languages print the shortest digits that read back the same; they differ in where the exponent starts.
  const [digits, power] = value.toExponential().split('e') as [string, string]
  const exponent = Number(power)
  if (exponent < -4 || exponent >= 16) {
    return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
  }
  if (Number.isInteger(value)) return `${BigInt(value)}.0`
  if (exponent >= 0) return String(value)
  const sign = value < 0 ? '-' : ''
  return `${sign}0.${'0'.repeat(-exponent - 1)}${digits.replace('-', '').replace('.', '')}`
}

function pythonString(text: string): string {
  const short: Record<string, string> = {
    '"': '\\"',
    '\\': '\\\\',
    '\b': '\\b',
    '\f': '\\f',
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
  }
  const escaped = text.replace(
    /["\\]|[^ -~]/g, // without the u flag: astral characters become two escapes, as in Python
    (unit) => short[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `"${escaped}"`
}

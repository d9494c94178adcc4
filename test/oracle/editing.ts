// The naive model of a context (02 §3–§8, 03, 004 §6; D19, D24–D31, D36, D37, D41–D43, D46, D48, D51, D52, D54, D55): the tree
// after any sequence of adds, inserts, replacements, moves, deletions, redactions, updates, undos, holds, commits, forks and
// imports, the receipt of each commit, and the code of each refusal. The laws of editing and of the lifecycle compare the
// engine with it. It shares no code with the engine. An edit works on the live tree, and a deep copy from before comes back if
// anything fails. Every question is answered by walking the whole tree again. Where the decisions leave something open,
// `CHOICE n` states the reading of this model.

import {
  type CommitRules,
  expireAndPrune,
  forgetUnnamed,
  sheddingNow,
  type OraclePolicy,
  type OracleReceipt,
} from './editing-commit.js'
import { hashOf, insideOf, listFor, listOf, nodeOf, planIn, type Entry, type Listed } from './editing-compact.js'
import { parsePosition, type ParsedPosition, type Position } from './editing-position.js'
import { noteNode } from './editing-note.js'
import { shedHeaders, shedNode, type ToShed } from './editing-shed.js'
import {
  isSignedReasoning,
  redactedHeaders,
  type Redaction,
  redactionOf,
  type RedactOptions,
} from './editing-redact.js'
import {
  anchorAt,
  canonicalJson,
  CLASS_NAMES,
  compareAge,
  compareText,
  copyTree,
  coreOf,
  depthOf,
  type Dialect,
  type EditSpec,
  emptyTree,
  findById,
  hasZones,
  headersOf,
  inSealedCore,
  isMarker,
  keyOf,
  lineOf,
  type ModelNode,
  offsetsIn,
  parentOf,
  region,
  resolver,
  SEGMENT_STEP,
  sorted,
  subtree,
  toJson,
  type TreeJson,
  ttlInSnapshot,
  ttlInWorking,
  walk,
  willSeal,
  type Zone,
  zoneInHead,
} from './editing-tree.js'
import { OracleError, parseOracleSelector } from './selector-parse.js'
import { oracleSelect } from './selector.js'

export type { RedactOptions } from './editing-redact.js'
export type { OraclePolicy } from './editing-commit.js'
export type { Position } from './editing-position.js'
export type { EditSpec, TreeJson, Zone } from './editing-tree.js'
export { OracleError } from './selector-parse.js'

export type EditingOptions = {
  dialect: Dialect
  clock: () => bigint
  odi?: 'demote' | 'reject'
  prune?: OraclePolicy
  emptySegments?: 'keep' | 'remove'
  countTokens?: (text: string) => number
  notice?: (feature: string) => void // called with each rule of D41–D54 that a call met; for tests of the programs
}

export type Changes = { ttl?: number | null; priority?: number; pinned?: boolean; tags?: string[] }
export type DeleteOptions = { author?: string; reason?: string }
export type Lens = 'working' | number

/** One entry of `schedules` in an export. */
export type ScheduleJson = {
  key: string
  cad: number
  first_cycle: number
  zone: Zone
  offset?: number
  node: Record<string, unknown>
}

type Schedule = { first: number; cad: number; zone: Zone; offset: number | undefined; spec: EditSpec }
type Saved = { root: ModelNode; schedules: Map<string, Schedule> }
type Caller = 'ordinary' | 'system'
type ParsedSelector = { body: string; optional: boolean }

/** The next instance of a schedule, and which nodes of that a selector means (D46). */
type Imagined = { key: string; schedule: Schedule; top: ModelNode; hits: ModelNode[] }

/** Where nodes go: a new segment, or a container with an offset, a gap between two children, or D17's next offset. */
type Target =
  | { kind: 'splice'; depth: number; offset: number | undefined }
  | { kind: 'container'; container: ModelNode; where: Where; zone: Zone | undefined }
type Where =
  | { kind: 'offset'; offset: number }
  | { kind: 'gap'; left: ModelNode | undefined; right: ModelNode | undefined; atStart: boolean }
  | { kind: 'next'; side: 'pre' | 'post' | 'inside' }

/** One context, modelled as plainly as the rules are written. Calls give the ids of the nodes they touched. */
export class EditingOracle {
  readonly dialect: Dialect
  readonly odi: 'demote' | 'reject'
  readonly #clock: () => bigint
  readonly #emptySegments: 'keep' | 'remove'
  readonly #policy: OraclePolicy
  readonly #countTokens: (text: string) => number
  readonly #notice: ((feature: string) => void) | undefined
  #root: ModelNode = emptyTree()
  #schedules = new Map<string, Schedule>()
  #cycle = 1
  #idsGiven = 0 // in the open cycle
  #indexesGiven = 4 // in the open cycle; root and regions took 0–3 of cycle 1 (D37, N5)
  #highestNs = 0n
  #forkName = ''
  #forks = 0
  #snapshots = new Map<number, Saved>()
  #steps: Saved[] = [] // what the calls of the open cycle found
  #fresh: { node: ModelNode; superseding: boolean }[] = [] // nodes of this edit that have no id yet
  #touchedSchedule = false // by this edit, as a schedule and not by writing its key
  readonly #holds = new Map<string, number>()

  constructor(options: EditingOptions) {
    this.dialect = options.dialect
    this.odi = options.odi ?? 'demote'
    this.#clock = options.clock
    this.#policy = options.prune ?? {}
    this.#emptySegments = options.emptySegments ?? 'keep'
    this.#countTokens = options.countTokens ?? ((text) => text.length)
    this.#notice = options.notice
  }

  get cycle(): number {
    return this.#cycle
  }

  /** The cycles whose snapshots this context has. */
  get cycles(): number[] {
    return [...this.#snapshots.keys()]
  }

  // ------------------------------------------------------------------------------------------------------------ reading

  /** The tree in the documents' form: the live one, or the snapshot of a cycle. */
  tree(lens: Lens): TreeJson {
    if (lens === 'working') return toJson(this.#root, (node) => ttlInWorking(node, this.#cycle))
    return toJson(this.#snapshot(lens).root, (node) => ttlInSnapshot(node, lens))
  }

  /** CHOICE 4: one entry per key, in code point order of the keys; `[]` where there is none; the spelling is ours. */
  schedules(lens: Lens): ScheduleJson[] {
    const { schedules } = lens === 'working' ? { schedules: this.#schedules } : this.#snapshot(lens)
    return [...schedules]
      .toSorted(([a], [b]) => compareText(a, b))
      .map(([key, { first, cad, zone, offset, spec }]) => {
        const { key: _key, cad: _cad, ...node } = structuredClone(spec)
        return { key, cad, first_cycle: first, zone, ...(offset === undefined ? {} : { offset }), node }
      })
  }

  /** The whole exported document (D35, N11). CHOICE 55: the working state's `cycle` is the open one. */
  document(lens: Lens): Record<string, unknown> {
    return {
      spec_version: `PACT/${this.dialect}.0`,
      cycle: lens === 'working' ? this.#cycle : lens,
      ...(lens === 'working' ? { lens } : {}),
      root: this.tree(lens),
      schedules: this.schedules(lens),
    }
  }

  /** The exported bytes, as text. */
  exportText(lens: Lens): string {
    return canonicalJson(this.document(lens))
  }

  /** The provider thread (02 §12, D36): every block, and any other node with content. */
  thread(lens: Lens): { id: string; role?: string; kind?: string; content: unknown }[] {
    const items: { id: string; role?: string; kind?: string; content: unknown }[] = []
    const visit = (node: TreeJson, defaultRole: string): void => {
      if (node.children === undefined || 'content' in node) {
        const role = node.role ?? (this.dialect === '0.1' ? defaultRole : undefined)
        items.push({
          id: node.id,
          ...(role === undefined ? {} : { role }),
          ...(node.kind === undefined ? {} : { kind: node.kind }),
          content: 'content' in node ? node.content : '',
        })
      }
      for (const child of node.children ?? []) visit(child, defaultRole)
    }
    for (const child of this.tree(lens).children!) visit(child, child['nodeType'] === '^sys' ? 'system' : 'user')
    return items
  }

  /** The number of calls that `undo` could take back now. */
  get undoable(): number {
    return this.#steps.length
  }

  /** The ids that are held now, as they were when they were held. */
  get held(): ReadonlySet<string> {
    return new Set([...this.#holds].filter(([, count]) => count > 0).map(([id]) => id))
  }

  #snapshot(cycle: number): Saved {
    const found = this.#snapshots.get(cycle)
    if (found === undefined) throw new OracleError('E_SNAPSHOT_NOT_FOUND')
    return found
  }

  // -------------------------------------------------------------------------------------------------------------- calls

  /** A node for the active head (D17). */
  add(spec: EditSpec): string {
    return this.#insert(spec, { depth: 0 }, 'ordinary')
  }

  insert(spec: EditSpec, position: Position): string {
    return this.#insert(spec, position, 'ordinary')
  }

  replace(selector: string, spec: EditSpec): string[] {
    return this.#replace(selector, spec, 'ordinary')
  }

  move(selector: string, position: Position): string[] {
    return this.#move(selector, position, 'ordinary')
  }

  delete(selector: string, options: DeleteOptions = {}): string[] {
    return this.#delete(selector, options, 'ordinary')
  }

  redact(selector: string, options: RedactOptions): string[] {
    return this.#redact(selector, options, 'ordinary')
  }

  /** D31: the same calls on `^sys`, which is all that their selectors see. */
  readonly system = {
    add: (spec: EditSpec): string => this.#insert(spec, { depth: -1 }, 'system'),
    insert: (spec: EditSpec, position: Position): string => this.#insert(spec, position, 'system'),
    replace: (selector: string, spec: EditSpec): string[] => this.#replace(selector, spec, 'system'),
    move: (selector: string, position: Position): string[] => this.#move(selector, position, 'system'),
    delete: (selector: string, options: DeleteOptions = {}): string[] => this.#delete(selector, options, 'system'),
    update: (selector: string, changes: Changes): string[] => this.#update(selector, changes, 'system'),
    redact: (selector: string, options: RedactOptions): string[] => this.#redact(selector, options, 'system'),
    put: (key: string, content: unknown, header: EditSpec = {}): string =>
      this.#putInSystem({ ...header, key, content }, false),
    set: (key: string, content: unknown, header: EditSpec = {}): string =>
      this.#putInSystem({ ...header, key, content, pinned: header.pinned ?? true }, true),
  }

  /**
   * Replaces the key's instance in the active head, or adds one.
   * CHOICE 5: where there is an instance, `zone` and `offset` are ignored: they say where a first one goes.
   */
  put(key: string, content: unknown, header: EditSpec = {}): string {
    const spec: EditSpec = { ...header, key, content }
    const instances = subtree(region(this.#root, '^ah')).filter((node) => keyOf(node) === key)
    const newest = instances.toSorted(compareAge).at(-1)
    if (newest === undefined) return this.add(spec)
    checkSpec(spec)
    checkZoneAndOffset(spec)
    return this.#edit(() => this.#replaceNodes([newest], withoutPlace(spec)))[0]!
  }

  /**
   * The key's one live instance, in the active head (D52): changed there as `put` does, or added, and every other one leaves
   * without a trace in the tree.
   * CHOICE 62: an offset without a zone says where as well, so only where the header has neither is it the post-context.
   * CHOICE 63: what leaves is not deleted: it ends no schedule, its own key's or another's. CHOICE 64: the schedule stays in
   * its zone and at its offset, whatever the header says. CHOICE 65: zone and offset that disagree are found before `^sys`.
   * D59: it is pinned unless the header says otherwise. CHOICE 78: a key that returns is not.
   */
  set(key: string, content: unknown, header: EditSpec = {}): string {
    const returns = typeof header.cad === 'number' || this.#schedules.has(key)
    const spec: EditSpec = { ...header, key, content, ...(returns ? {} : { pinned: header.pinned ?? true }) }
    checkSpec(spec)
    checkZoneAndOffset(spec)
    const [id] = this.#edit(() => {
      const instances = subtree(this.#root).filter((node) => keyOf(node) === key)
      const depth = (node: ModelNode): number => depthOf(this.#root, node)!
      if (instances.some((node) => depth(node) === -1)) this.#refuse('E_NOT_AUTHORIZED', 'D52 set refused')
      const last = instances
        .filter((node) => depth(node) === 0)
        .toSorted(compareAge)
        .at(-1)
      // D59: other words, once the model has spoken since the first ones, are a new instance.
      const isSaid = spec.content !== undefined || spec.children !== undefined
      const spoken =
        last === undefined || !isSaid ? [] : this.#modelNodes().filter((each) => compareAge(last, each) < 0)
      if (spoken.length > 0) this.#notice?.('D59 set after the model')
      const newest = spoken.length > 0 ? undefined : last
      const scheduled = this.#instanceOf(key)
      const others = this.#outermost(instances.filter((node) => node !== newest))
      if (others.length > 0)
        this.#notice?.(`D52 set clears ${others.some((node) => depth(node) > 0) ? 'history' : 'the head'}`)
      for (const node of others) detach(this.#root, node)
      const isPlaced = spec.zone !== undefined || spec.offset !== undefined
      const [node] =
        newest === undefined
          ? this.#insertAt(isPlaced ? spec : { ...spec, zone: 'post' }, parsePosition({ depth: 0 }), 'ordinary')
          : this.#replaceNodes([newest], withoutPlace(spec))
      this.#notice?.(newest === undefined ? 'D52 set adds' : 'D52 set in place')
      if (scheduled !== undefined) {
        this.#notice?.('D52 set with a schedule')
        this.#rewriteSchedules([scheduled], ({ top }) => {
          if (newest !== undefined) return this.#changeTemplate(top, top, withoutPlace(spec))
          // CHOICE 77: what was added says what the key's node is, and what it holds (N30).
          this.#changeTemplate(top, top, { ...withoutPlace(spec), children: spec.children ?? [] })
          Object.assign(top, { class: node!.class, nodeType: node!.nodeType })
          if (top.class === 'block') {
            top.children = []
            delete top.given['removable']
          }
        })
      }
      return [node!]
    })
    return id!
  }

  /** Everything with the role `assistant` in the core of the head. */
  #modelNodes(): readonly ModelNode[] {
    const core = coreOf(region(this.#root, '^ah'))
    return core === undefined ? [] : subtree(core).filter((node) => node.given['role'] === 'assistant')
  }

  /** D52 for `^sys`. CHOICE 66: as in `put`, a zone or an offset says where a first one goes. */
  #putInSystem(spec: EditSpec, isAlone: boolean): string {
    checkSpec(spec)
    const [id] = this.#edit(() => {
      const instances = subtree(region(this.#root, '^sys')).filter((node) => keyOf(node) === spec.key)
      const newest = instances.toSorted(compareAge).at(-1)
      const others = isAlone ? this.#outermost(instances.filter((node) => node !== newest)) : []
      for (const node of others) detach(this.#root, node)
      this.#notice?.(`D52 system.${isAlone ? 'set' : 'put'} ${newest === undefined ? 'adds' : 'in place'}`)
      if (newest !== undefined) return this.#replaceNodes([newest], withoutPlace(spec))
      return this.#insertAt(spec, parsePosition({ depth: -1 }), 'system')
    })
    return id!
  }

  /**
   * CHOICE 6: every match is updated, also one inside another. CHOICE 7: a core takes no ttl (E_PLACEMENT_INVALID), since a
   * segment without a core is none; segments take all four. CHOICE 8: a ttl set on a committed node reads as given until
   * the next commit.
   */
  update(selector: string, changes: Changes): string[] {
    return this.#update(selector, changes, 'ordinary')
  }

  #update(selector: string, changes: Changes, caller: Caller): string[] {
    const parsed = this.#parseSelector(selector)
    if (Object.values(changes).every((value) => value === undefined)) throw new OracleError('E_CONTENT_INVALID')
    checkSpec(changes)
    return this.#edit(() => {
      const matches = this.#match(parsed, caller)
      if (changes.ttl !== undefined && matches.some((node) => node.core)) throw new OracleError('E_PLACEMENT_INVALID')
      for (const node of matches) {
        if (changes.ttl !== undefined) this.#setTtl(node, changes.ttl)
        if (changes.priority !== undefined) node.priority = changes.priority
        if (changes.pinned !== undefined) node.given['pinned'] = changes.pinned
        if (changes.tags !== undefined) node.given['tags'] = [...changes.tags]
      }
      return matches
    })
  }

  /**
   * Takes back one call of the open cycle: tree, schedules, demotions (D30, D37).
   * CHOICE 54: not only ids but also indexes and times stay used up: the next time is above those of undone nodes.
   */
  undo(): boolean {
    const step = this.#steps.pop()
    if (step === undefined) return false
    this.#root = step.root
    this.#schedules = step.schedules
    return true
  }

  /** Keeps a node alive until the returned function is called (D26). Holds add up; undo does not touch them. */
  hold(id: string): () => void {
    if (findById(this.#root, id) === undefined) throw new OracleError('E_NODE_NOT_FOUND')
    this.#holds.set(id, (this.#holds.get(id) ?? 0) + 1)
    let released = false
    return () => {
      if (released) return
      released = true
      this.#holds.set(id, this.#holds.get(id)! - 1)
    }
  }

  /** Expiry, pruning, sealing, snapshot (03 §7, D25); then the next cycle opens, with the instances due in it (D28). All or nothing. */
  commit(): OracleReceipt {
    const before = this.#save()
    const idsGiven = this.#idsGiven
    const rules = { ...this.#commitRules(), policy: this.#policy, held: this.held }
    let receipt: OracleReceipt
    try {
      receipt = expireAndPrune(this.#root, {
        ...rules,
        follows: true,
        shed: (_root, each) => {
          this.#fresh = []
          this.#shed(each)
          this.#giveIds()
        },
        note: (line) => this.#note(line),
      })
    } catch (error) {
      this.#restore(before)
      this.#idsGiven = idsGiven
      throw error
    }
    this.#noticeProtection(before.root)
    this.#noticeThrift(before.root, receipt)
    receipt.shed = this.#shedInCycle()
    const compacted = this.#compactedInCycle()
    if (compacted !== undefined) receipt.compacted = compacted
    if (receipt.shed.length > 0) this.#notice?.('D61 shed')
    this.#fresh = []
    this.#seal()
    this.#giveIds()
    forgetUnnamed(this.#root, rules)
    if (subtree(this.#root).some(({ standsFor }) => standsFor.length > 0))
      this.#notice?.('D41 stands_for in a snapshot')
    this.#snapshots.set(this.#cycle, this.#save())
    this.#steps = []
    this.#openCycle(this.#cycle + 1)
    return receipt
  }

  /** D60: a segment of its own at the beginning of history; later lines supersede the first. */
  #note(line: string): void {
    this.#fresh = []
    const old = noteNode(this.#root)
    if (old !== undefined) this.#supersede(old, { ...old, cycle: this.#cycle }, { ...old.given, content: line })
    else {
      const core = this.#splice(region(this.#root, '^seq').children.length + 1)
      attach(core, this.#make({ content: line, kind: 'pruned', pinned: true }), 0)
    }
    this.#giveIds()
    this.#notice?.(old === undefined ? 'D60 a note' : 'D60 another note')
  }

  #commitRules(): Pick<CommitRules, 'cycle' | 'countTokens' | 'emptySegments' | 'excepted'> {
    const { except } = this.#policy.results ?? {}
    return {
      cycle: this.#cycle,
      countTokens: this.#countTokens,
      emptySegments: this.#emptySegments,
      excepted: (root) => new Set(except === undefined ? [] : this.#selectIn(root, except)),
    }
  }

  // ----------------------------------------------------------------------------------------------------------- shedding

  #selectIn(root: ModelNode, selector: string): string[] {
    const working = toJson(root, (node) => ttlInWorking(node, this.#cycle))
    return oracleSelect({ dialect: this.dialect, snapshots: [], working }, `@working ${selector}`)
  }

  /** D61: sheds what the next commit would shed, as one edit; gives the nodes with a line. */
  trim(): string[] {
    const rules = { ...this.#commitRules(), policy: this.#policy, held: this.held, follows: true, shed: () => {} }
    const shed = sheddingNow(copyTree(this.#root), rules)
    return this.#edit(() => shed.map((each) => this.#shed(each)))
  }

  /** D61: the original content again. */
  unshed(id: string): string {
    return this.#edit(() => {
      const node = shedNode(this.#root, id)
      if (node === undefined || depthOf(this.#root, node) === -1) throw new OracleError('E_NODE_NOT_FOUND')
      return [this.#replaceNode(node, { content: (node.given['pact:shed'] as { content: unknown }).content }).node]
    })[0]!
  }

  /** D61: by the id of the original or of the node with the line. */
  recall(id: string): unknown {
    const node = shedNode(this.#root, id)
    if (node !== undefined) return (node.given['pact:shed'] as { content: unknown }).content
    const whole = resolver(this.#root, true)(id)
    const isResult = whole?.class === 'block' && whole.given['kind'] === 'result' && depthOf(this.#root, whole) !== -1
    if (!isResult) throw new OracleError('E_NODE_NOT_FOUND')
    return whole.given['content']
  }

  #shed({ id, line }: ToShed): ModelNode {
    const target = findById(this.#root, id)!
    const given = shedHeaders(target, line)
    if (depthOf(this.#root, target) === 0) return Object.assign(target, { given })
    const node = { ...target, cycle: this.#cycle }
    this.#supersede(target, node, given)
    return node
  }

  // --------------------------------------------------------------------------------------------------------- compaction

  /** D63: the ids of the nodes that would go, and the reasons of the others. */
  planCompaction(keep: number): { nodes: string[]; stays: { id: string; why: string }[] } {
    const { nodes, stays } = planIn(this.#root, keep, this.held)
    return { nodes: nodes.map(({ id }) => id), stays }
  }

  /** D63: one summary in the place of everything that the plan takes. */
  compact(keep: number, text: string): string {
    return this.#edit(() => {
      const { nodes } = planIn(this.#root, keep, this.held)
      if (nodes.length === 0) throw new OracleError('E_CONFLICT')
      const latest = this.#snapshots.get(this.#cycle - 1)?.root
      const list = listFor(this.#root, nodes, latest, this.#cycle, (node) => {
        const { content } = node.given
        if (content === undefined) return 0
        return this.#countTokens(typeof content === 'string' ? content : canonicalJson(content))
      })
      const tops = this.#outermost(nodes)
      const isSpoken = (node: ModelNode): boolean => parentOf(this.#root, node).class === 'cont' || node.offset === 0
      const first = tops.find(isSpoken) ?? tops[0]!
      const priority = Math.max(0, ...nodes.map((node) => node.priority)) + 1
      const node: ModelNode = {
        ...first,
        class: 'block',
        nodeType: CLASS_NAMES[this.dialect].block,
        ttl: null,
        ttlCycle: this.#cycle,
        expiry: null,
        priority,
        cycle: this.#cycle,
        everHeldNode: false,
        children: [],
      }
      const names = nodes.flatMap((each) => [
        each.id,
        each.given['supersedes'] as string | undefined,
        ...each.standsFor,
      ])
      this.#supersede(first, node, { role: 'user', kind: 'summary', content: text, 'pact:compacted': list })
      const { supersedes } = node.given
      node.standsFor = [...new Set(names)]
        .filter((name): name is string => name !== undefined && name !== supersedes)
        .toSorted(compareText)
      for (const top of tops) if (top !== first) detach(this.#root, top)
      this.#notice?.('D63 compact')
      return [node]
    })[0]!
  }

  /** D63: the nodes that a summary stands for. CHOICE 91: where the parent is gone, the place is that of the summary. */
  expand(id: string): string[] {
    return this.#edit(() => {
      const summary = findById(this.#root, id) ?? resolver(this.#root, true)(id)
      const list = summary && listOf(summary)
      if (list === undefined || depthOf(this.#root, summary!) === -1) throw new OracleError('E_NODE_NOT_FOUND')
      const entries = list.nodes.filter(({ of }) => of === undefined)
      const originals = entries.map((entry) => this.#original(entry, list))
      const around = parentOf(this.#root, summary!)
      detach(this.#root, summary!)
      const byId = new Map(originals.map((each) => [each.node.id, each.node]))
      const tops = originals.filter(({ parent }) => !byId.has(parent))
      for (const { node, parent } of originals) byId.get(parent)?.children.push(node)
      for (const { node } of originals) node.everHeldNode ||= node.children.length > 0
      for (const { node, parent, core } of tops) {
        const home = core === undefined ? findById(this.#root, parent) : this.#around(core)
        const isElsewhere = home?.nodeType === '^ah' && core === undefined && node.cycle !== this.#cycle
        const isHome = home !== undefined && !isElsewhere && home.class !== 'block'
        if (!isHome) node.offset = summary!.offset
        const into = isHome ? home : around
        into.children.push(node)
        into.everHeldNode = true
      }
      this.#notice?.('D63 expand')
      return tops.map(({ node }) => node)
    })
  }

  #around(core: string): ModelNode | undefined {
    const node = findById(this.#root, core)
    return node && parentOf(this.#root, node)
  }

  /** One original with its place, as it travels or as its snapshot holds it. */
  #original(entry: Entry, list: Listed): { node: ModelNode; parent: string; core: string | undefined } {
    if (findById(this.#root, entry.id) !== undefined) throw new OracleError('E_ID_DUPLICATE')
    if ('erased' in entry) throw new OracleError('E_CONFLICT')
    const held = entry.node === undefined ? this.#snapshots.get(list.cycle)?.root : undefined
    const there = held && findById(held, entry.id)
    if (entry.node === undefined && there === undefined) throw new OracleError('E_SNAPSHOT_NOT_FOUND')
    const node = there === undefined ? nodeOf(entry) : { ...copyTree(there), children: [] }
    node.everHeldNode = entry.held ?? false
    if (hashOf(node.given) !== entry.hash) throw new OracleError('E_CONFLICT')
    const inside = insideOf(list.nodes, entry.id)
    if (inside.length > 0) node.given['pact:compacted'] = { cycle: entry.summary ?? list.cycle, nodes: inside }
    if (node.expiry !== null && node.expiry < this.#cycle) {
      Object.assign(node, { ttl: 0, ttlCycle: this.#cycle, expiry: this.#cycle })
    }
    const parent = there === undefined ? entry.at!.parent : parentOf(held!, there).id
    return { node, parent, core: entry.at?.core }
  }

  /** Summaries whose list the last snapshot does not have. */
  #compactedInCycle(): OracleReceipt['compacted'] {
    const latest = this.#snapshots.get(this.#cycle - 1)?.root
    const idsOf = (node: ModelNode | undefined): string =>
      canonicalJson((node && listOf(node)?.nodes.map((each) => each.id)) ?? [])
    const summaries = subtree(this.#root).filter((node) => {
      const before = [node.id, node.given['supersedes'] as string | undefined].map(
        (id) => id && latest && findById(latest, id),
      )
      return listOf(node) !== undefined && before.every((each) => idsOf(each || undefined) !== idsOf(node))
    })
    if (summaries.length === 0) return undefined
    return summaries.map((node) => {
      const own = listOf(node)!.nodes.filter(({ of }) => of === undefined)
      return { id: node.id, nodes: own.length, tokens: own.reduce((sum, each) => sum + (each.tokens ?? 0), 0) }
    })
  }

  /** Results that the last snapshot has whole, or does not have. */
  #shedInCycle(): OracleReceipt['shed'] {
    const latest = this.#snapshots.get(this.#cycle - 1)?.root
    const wasShed = (id: unknown): boolean => {
      const before = latest === undefined || typeof id !== 'string' ? undefined : findById(latest, id)
      return before?.given['pact:shed'] !== undefined
    }
    return subtree(this.#root).flatMap((node) => {
      const shed = node.given['pact:shed'] as { id: string; content: unknown } | undefined
      if (shed === undefined || wasShed(node.id) || wasShed(node.given['supersedes'])) return []
      const text = typeof shed.content === 'string' ? shed.content : canonicalJson(shed.content)
      return [{ id: shed.id, standIn: node.id, size: Buffer.byteLength(text) }]
    })
  }

  /** Says whether this commit would have gone otherwise if references and holds meant nothing but the ids they name. */
  #noticeProtection(before: ModelNode): void {
    if (this.#notice === undefined) return
    const rules = { ...this.#commitRules(), follows: false }
    const idsWith = (held: ReadonlySet<string>, policy: OraclePolicy): string => {
      const root = copyTree(before)
      expireAndPrune(root, { ...rules, policy: { ...policy, unmet: 'report' }, held })
      return canonicalJson(subtree(root).map(({ id }) => id))
    }
    const resolve = resolver(before, true)
    const held = new Set([...this.held].map((id) => resolve(id)?.id ?? id))
    const expired = copyTree(before)
    expireAndPrune(expired, { ...rules, policy: {}, held, follows: true })
    const ids = canonicalJson(subtree(expired).map(({ id }) => id))
    if (idsWith(held, {}) !== idsWith(this.held, {})) this.#notice('D41 a hold keeps a stand-in')
    if (idsWith(held, {}) !== ids) this.#notice('D41 a reference keeps a stand-in')
    const pruned = canonicalJson(subtree(this.#root).map(({ id }) => id))
    if (pruned !== ids && pruned !== idsWith(held, this.#policy)) this.#notice('D41 pruning follows stand-ins')
  }

  /** Says what of D48 and D51 this commit has met. */
  #noticeThrift(before: ModelNode, { removed, limits }: OracleReceipt): void {
    const went = subtree(before).filter(({ id }) => removed.some((each) => each.id === id))
    if (this.#policy.unit === 'turn' && went.some((node) => node.class === 'seg')) this.#notice?.('D51 a turn goes')
    if (limits.some(({ target }) => target !== undefined)) this.#notice?.('D51 a target')
    const kinds = went.map(({ given }) => given['kind'])
    if (kinds.includes('reasoning') && kinds.includes('call')) this.#notice?.('D48 reasoning goes with a call')
  }

  /** An empty model with the same rules. */
  #another(): EditingOracle {
    return new EditingOracle({
      dialect: this.dialect,
      odi: this.odi,
      clock: this.#clock,
      prune: this.#policy,
      emptySegments: this.#emptySegments,
      countTokens: this.#countTokens,
      ...(this.#notice === undefined ? {} : { notice: this.#notice }),
    })
  }

  /**
   * The result of importing an export of a snapshot: that snapshot and nothing before it (D4, D35). The next cycle opens
   * as after the commit.
   */
  reimport(cycle: number): EditingOracle {
    const copy = this.#another()
    const saved = this.#snapshot(cycle)
    copy.#snapshots.set(cycle, structuredClone(saved))
    copy.#restore(structuredClone(saved))
    for (const node of subtree(copy.#root)) {
      if (node.createdAtNs > copy.#highestNs) copy.#highestNs = node.createdAtNs
      Object.assign(node, { ttl: ttlInSnapshot(node, cycle), ttlCycle: cycle })
    }
    for (const node of subtree(copy.#snapshots.get(cycle)!.root)) {
      Object.assign(node, { ttl: ttlInSnapshot(node, cycle), ttlCycle: cycle })
    }
    copy.#openCycle(cycle + 1)
    return copy
  }

  /**
   * An independent context: of a snapshot, or of the working state with its uncommitted edits (D6, N12). Undo steps and
   * holds are not taken.
   * CHOICE 9: `fork` of a snapshot opens the next cycle as the commit did, so what is due in it is placed, with ids and
   * times of the fork; a fork of the working state has those nodes already. CHOICE 10: a fork of the working state goes on
   * counting indexes where its parent stood; its ids carry its name and count from 0 (D37, N12).
   */
  fork(lens: Lens): EditingOracle {
    const source = lens === 'working' ? this.#save() : structuredClone(this.#snapshot(lens))
    const fork = this.#another()
    this.#forks += 1
    fork.#forkName = `${this.#forkName === '' ? '' : `${this.#forkName}.`}f${this.#forks}`
    fork.#restore(source)
    fork.#highestNs = this.#highestNs
    fork.#snapshots = new Map([...this.#snapshots].filter(([cycle]) => lens === 'working' || cycle <= lens))
    if (lens === 'working') {
      fork.#cycle = this.#cycle
      fork.#indexesGiven = this.#indexesGiven
    } else fork.#openCycle(lens + 1)
    return fork
  }

  // ---------------------------------------------------------------------------------------------------- one edit, whole

  #save(): Saved {
    return { root: copyTree(this.#root), schedules: structuredClone(this.#schedules) }
  }

  #restore(saved: Saved): void {
    this.#root = saved.root
    this.#schedules = saved.schedules
  }

  /**
   * Runs an edit, all or nothing; only then are ids, indexes and readings taken.
   * CHOICE 11: a call that touched no node (no match and `?`, or a segment with nothing to mark) is no step to undo; any
   * other call is one, also where every value stayed the same, and also where it touched a schedule alone (D46).
   */
  #edit(run: () => ModelNode[]): string[] {
    const before = this.#save()
    this.#fresh = []
    this.#touchedSchedule = false
    let touched: ModelNode[]
    try {
      touched = run()
    } catch (error) {
      this.#restore(before)
      throw error
    }
    this.#giveIds()
    if (touched.length === 0 && this.#touchedSchedule) this.#notice?.('D46 nothing but a schedule')
    if (touched.length > 0 || this.#touchedSchedule) this.#steps.push(before)
    return touched.map((node) => node.id)
  }

  /**
   * CHOICE 12: a superseding node has its target's time and index, so it takes an id and nothing else: no clock reading,
   * no creation_index.
   */
  #giveIds(): void {
    for (const { node, superseding } of this.#fresh) {
      node.id = this.#nextId(node.class as 'seg' | 'cont' | 'block')
      if (superseding) continue
      const reading = this.#clock()
      this.#highestNs = reading > this.#highestNs ? reading : this.#highestNs + 1n
      node.createdAtNs = this.#highestNs
      node.creationIndex = this.#indexesGiven++
    }
    this.#fresh = []
  }

  #nextId(nodeClass: 'seg' | 'cont' | 'block'): string {
    const fork = this.#forkName === '' ? '' : `${this.#forkName}:`
    for (;;) {
      const id = `${CLASS_NAMES[this.dialect][nodeClass]}:${fork}${this.#cycle}-${this.#idsGiven++}`
      const inUse = findById(this.#root, id) !== undefined || this.#isInSnapshot(id) // N6
      if (!inUse) return id
    }
  }

  #isInSnapshot(id: string): boolean {
    const latest = this.#snapshots.get(this.#cycle - 1)
    return latest !== undefined && findById(latest.root, id) !== undefined
  }

  // ------------------------------------------------------------------------------------------------------- making nodes

  /** A node without id; its provisional time is newer than every one in the tree, as the real one will be. */
  #makeOne(nodeClass: 'seg' | 'cont' | 'block', offset: number, spec: EditSpec): ModelNode {
    const n = this.#fresh.length + 1
    const node: ModelNode = {
      id: `(new ${n})`,
      class: nodeClass,
      core: false,
      nodeType: spec.nodeType ?? CLASS_NAMES[this.dialect][nodeClass],
      offset,
      ttl: null,
      ttlCycle: this.#cycle,
      expiry: null,
      priority: spec.priority ?? 0,
      cycle: this.#cycle,
      createdAtNs: this.#highestNs + BigInt(n),
      creationIndex: this.#indexesGiven + n,
      given: headersOf(spec),
      standsFor: [],
      everHeldNode: false,
      children: [],
    }
    this.#setTtl(node, spec.ttl ?? null)
    this.#fresh.push({ node, superseding: false })
    return node
  }

  /** A node with its children, parents first; nothing holds it yet. */
  #make(spec: EditSpec): ModelNode {
    const base = spec.nodeType?.split(':')[0]
    const isContainer = spec.children !== undefined || base === 'cont' || base === 'mc'
    const node = this.#makeOne(isContainer ? 'cont' : 'block', 0, spec)
    this.#makeChildren(node, spec.children ?? [])
    return node
  }

  #makeChildren(parent: ModelNode, specs: EditSpec[]): void {
    for (const spec of specs) {
      const child = this.#make(spec)
      attach(parent, child, spec.offset ?? this.#nextOffset(parent))
    }
  }

  #makeCore(parent: ModelNode): ModelNode {
    const core = this.#makeOne('cont', 0, {})
    core.core = true
    attach(parent, core, 0)
    return core
  }

  #nextOffset(parent: ModelNode): number {
    if (this.dialect === '0.1' || parent.children.length === 0) return 0
    return Math.max(-1, ...offsetsIn(parent)) + 1
  }

  #setTtl(node: ModelNode, ttl: number | null): void {
    node.ttl = ttl
    node.ttlCycle = this.#cycle
    node.expiry = ttl === null ? null : this.#cycle + ttl
  }

  // ------------------------------------------------------------------------------------------------------------ matches

  /**
   * CHOICE 13: the order in which faults are judged: the selector's text, the spec or the changes, the position's form, the
   * match (E_NODE_NOT_FOUND), authorization of the matches, root and regions, each match in canonical order, the target,
   * cadence, overlap.
   */
  #parseSelector(text: string): ParsedSelector {
    const optional = /\?\s*$/.test(text)
    const body = optional ? text.replace(/\?\s*$/, '') : text
    const parsed = parseOracleSelector(body, this.dialect)
    if (parsed.time !== undefined) throw new OracleError('E_SELECTOR_INVALID', 'A time prefix in a mutation (D5)')
    return { body, optional }
  }

  /**
   * The matches in canonical order, whatever order the selector gives. Where a schedule is meant, no node need be (D46).
   * CHOICE 14: `ctx.system` sees the tree with `^seq` and `^ah` empty, of which it can only mean the nodes in `^sys`:
   * neither the root nor a region, `^sys` included. CHOICE 15: of an ordinary call that matches both a node in `^sys` and a
   * region, E_NOT_AUTHORIZED is the answer; the region `^sys` itself is a region.
   */
  #match(selector: ParsedSelector, caller: Caller, imagined: readonly Imagined[] = []): ModelNode[] {
    const ids = this.#select(selector, caller)
    if (ids.length === 0) {
      if (selector.optional || imagined.some(({ hits }) => hits.length > 0)) return []
      throw new OracleError('E_NODE_NOT_FOUND')
    }
    const matches = walk(this.#root).filter(({ node }) => ids.includes(node.id))
    const sys = region(this.#root, '^sys')
    if (caller === 'ordinary' && matches.some(({ ancestors }) => ancestors.includes(sys))) {
      throw new OracleError('E_NOT_AUTHORIZED')
    }
    if (matches.some(({ node }) => node.class === 'region')) throw new OracleError('E_PLACEMENT_INVALID')
    return matches.map(({ node }) => node)
  }

  /** D61: a redaction also means the shed results that match with their original content. */
  #matchOriginals(selector: ParsedSelector, caller: Caller, imagined: readonly Imagined[]): ModelNode[] {
    const whole = copyTree(this.#root)
    const shed = subtree(whole).filter((node) => node.given['pact:shed'] !== undefined)
    for (const node of shed) Object.assign(node.given, { content: (node.given['pact:shed'] as EditSpec).content })
    // D63: a summary is searched as a container of the nodes that travel with it.
    const summaries = subtree(whole).filter((node) => listOf(node)?.nodes.some((each) => each.node !== undefined))
    const inside = new Map(summaries.map((node) => [node.id, this.#opened(node)]))
    const isNone = shed.length + summaries.length === 0
    const found = caller === 'system' || isNone ? [] : this.#selectIn(whole, selector.body)
    const more = subtree(this.#root).filter(({ id }) => {
      const own = inside.get(id)
      if (own !== undefined) return own.some((each) => found.includes(each))
      return shed.some((node) => node.id === id) && found.includes(id)
    })
    const isFound = more.length > 0 || selector.optional
    const own = this.#match({ ...selector, optional: isFound }, caller, imagined)
    return subtree(this.#root).filter((node) => own.includes(node) || more.includes(node))
  }

  /** Puts the nodes that travel with a summary into it; gives their ids. */
  #opened(summary: ModelNode): string[] {
    const travelling = listOf(summary)!.nodes.filter((each) => each.node !== undefined)
    summary.class = 'cont'
    delete summary.given['content']
    summary.children = travelling.map((entry): ModelNode => {
      const node = nodeOf(entry)
      const shed = node.given['pact:shed'] as EditSpec | undefined
      return { ...node, class: 'block', given: { ...node.given, ...(shed && { content: shed.content }) } }
    })
    return travelling.map(({ id }) => id)
  }

  #select({ body }: ParsedSelector, caller: Caller): string[] {
    const working = this.tree('working')
    const world = { dialect: this.dialect, snapshots: [], working }
    if (caller === 'ordinary') return oracleSelect(world, `@working ${body}`)
    for (const child of working.children!) if (child['nodeType'] !== '^sys') child.children = []
    return oracleSelect(world, `@working ${body}`, { visible: (place) => place.class !== 'region' })
  }

  /** Without the matches inside other matches. */
  #outermost(matches: ModelNode[]): ModelNode[] {
    return matches.filter((node) => !matches.some((other) => other !== node && subtree(other).includes(node)))
  }

  // ------------------------------------------------------------------------------------------------------------- insert

  #insert(spec: EditSpec, position: Position, caller: Caller): string {
    checkSpec(spec)
    if (isNamed(spec.cad) && !isNamed(spec.key)) throw new OracleError('E_CADENCE_INVALID')
    const parsed = parsePosition(position)
    return this.#edit(() => this.#insertAt(spec, parsed, caller))[0]!
  }

  #insertAt(spec: EditSpec, position: ParsedPosition, caller: Caller): ModelNode[] {
    const target = this.#resolve(position, spec, caller === 'system' ? 'system insert' : 'ordinary', [])
    const [node, offset] = this.#insertNode(spec, target)
    if (isNamed(spec.cad) && depthOf(this.#root, node) !== 0) throw new OracleError('E_CADENCE_INVALID')
    this.#keepOrder(subtree(node))
    this.#noteWrites(subtree(node), node, offset)
    return [node]
  }

  /** The node in its place, and the offset if the caller named one that a later instance can take again. */
  #insertNode(spec: EditSpec, target: Target): [ModelNode, number | undefined] {
    if (target.kind === 'splice') {
      const core = this.#splice(target.depth)
      const node = this.#make(spec)
      attach(core, node, target.offset ?? 0)
      return [node, undefined]
    }
    const node = this.#make(spec)
    this.#place([node], target)
    const { container, where } = target
    const inZone = container.nodeType === '^ah' || container.core
    return [node, where.kind === 'offset' && inZone ? where.offset : undefined]
  }

  /**
   * A new segment with an empty core at a depth; gives the core. It is sealed from the start.
   * CHOICE 16: ids in the order segment, core, nodes. CHOICE 17: at depth 1 its offset is that of a segment sealed now;
   * below the oldest it is the oldest one's minus 1,048,576; the middle of a gap is rounded down.
   */
  #splice(depth: number): ModelNode {
    const seq = region(this.#root, '^seq')
    const older = depth <= seq.children.length ? anchorAt(this.#root, depth) : undefined
    const newer = depth > 1 ? anchorAt(this.#root, depth - 1) : undefined
    const segment = this.#makeOne('seg', 0, {})
    attach(seq, segment, this.#spliceOffset(segment, older, newer))
    return this.#makeCore(segment)
  }

  #spliceOffset(segment: ModelNode, older: ModelNode | undefined, newer: ModelNode | undefined): number {
    if (newer === undefined) return this.#sealingOffset()
    if (older === undefined) return newer.offset - SEGMENT_STEP
    const middle = Math.floor((older.offset + newer.offset) / 2)
    return middle > older.offset ? middle : offsetBetween(older, segment, newer, false)
  }

  #sealingOffset(): number {
    const newest = anchorAt(this.#root, 1)
    const own = this.#cycle * SEGMENT_STEP
    return newest === undefined ? own : Math.max(own, newest.offset + SEGMENT_STEP)
  }

  // ---------------------------------------------------------------------------------------------------------- positions

  /**
   * Where a position is in this tree; a missing core of the head is made (D19). `moved` are the nodes of a move, which leave
   * their places.
   */
  #resolve(
    parsed: ParsedPosition,
    header: { offset?: number; zone?: Zone },
    caller: 'ordinary' | 'system insert' | 'system move',
    moved: ModelNode[],
  ): Target {
    const placed = parsed.kind === 'coordinate' ? undefined : parsed.zone
    const named = parsed.kind === 'depth' ? undefined : parsed.offset
    const sentinel = parsed.kind === 'coordinate' ? parsed.sentinel : undefined
    // CHOICE 18: an offset or a zone in the header that the position contradicts, or an offset next to a sentinel.
    const contradicts =
      (placed !== undefined && header.zone !== undefined && placed !== header.zone) ||
      (named !== undefined && header.offset !== undefined && named !== header.offset) ||
      (sentinel !== undefined && header.offset !== undefined)
    if (contradicts) throw new OracleError('E_PLACEMENT_INVALID')
    const zone = placed ?? header.zone
    const offset = named ?? header.offset
    if (parsed.kind === 'depth' && parsed.depth > 0) {
      if (caller === 'system insert') throw new OracleError('E_PLACEMENT_INVALID')
      if (parsed.depth > region(this.#root, '^seq').children.length + 1) throw new OracleError('E_DEPTH_INVALID')
      if (zone !== undefined && zone !== 'core') throw new OracleError('E_PLACEMENT_INVALID')
      return { kind: 'splice', depth: parsed.depth, offset }
    }
    if (parsed.kind === 'depth' && parsed.depth === 0) checkZoneAndOffset({ ...header, zone, offset } as EditSpec)

    const container = this.#containerOf(parsed, caller)
    if (container.class === 'block') throw new OracleError('E_PARENT_NOT_CONTAINER')
    if (container.class !== 'region' && inSealedCore(this.#root, container)) throw new OracleError('E_SEALED_CORE')
    if (moved.some((node) => subtree(node).includes(container))) throw new OracleError('E_CYCLE_DETECTED')

    const at = (where: Where, inside = container): Target => ({ kind: 'container', container: inside, where, zone })
    if (sentinel !== undefined) return at(gapAt(container, sentinel, moved))
    const isHead = container.nodeType === '^ah'
    if (offset !== undefined) {
      // CHOICE 19: as in `add`, `{ depth: 0 }` with an offset and no zone takes the zone from the sign.
      if (parsed.kind === 'depth' && isHead && (zone === 'core' || (zone === undefined && offset === 0))) {
        return at({ kind: 'offset', offset }, this.#coreOfHead())
      }
      // CHOICE 20: only the core is at offset 0 of a head or segment, no container either.
      if (hasZones(container) && offset === 0) throw new OracleError('E_DUPLICATE_CORE')
      return at({ kind: 'offset', offset })
    }
    if (!hasZones(container)) return at({ kind: 'next', side: 'inside' })
    // CHOICE 21: with neither offset nor zone a node goes to the core of the head, but to the post-context of a segment.
    const side = zone ?? (isHead ? 'core' : 'post')
    if (side !== 'core') return at({ kind: 'next', side })
    if (!isHead) throw new OracleError('E_SEALED_CORE')
    return at({ kind: 'next', side: 'inside' }, this.#coreOfHead())
  }

  /**
   * The container that a position names.
   * CHOICE 22: `(dK, …)` with no such depth, or a hop to an offset where no child is, is E_PARENT_NOT_FOUND; a hop to
   * several children is E_PLACEMENT_INVALID. CHOICE 23: `{ parent }` is an id; root and `^seq` are E_PLACEMENT_INVALID.
   * CHOICE 24: `system.insert` outside `^sys` is E_PLACEMENT_INVALID, while `system.move` may go anywhere.
   */
  #containerOf(parsed: ParsedPosition, caller: 'ordinary' | 'system insert' | 'system move'): ModelNode {
    const start = parsed.kind === 'parent' ? findById(this.#root, parsed.parent) : anchorAt(this.#root, parsed.depth)
    if (start === undefined) throw new OracleError('E_PARENT_NOT_FOUND')
    if (start === this.#root || start === region(this.#root, '^seq')) throw new OracleError('E_PLACEMENT_INVALID')
    const inSys = depthOf(this.#root, start) === -1
    if (inSys && caller === 'ordinary') throw new OracleError('E_NOT_AUTHORIZED')
    if (!inSys && caller === 'system insert') throw new OracleError('E_PLACEMENT_INVALID')
    let container = start
    for (const hop of parsed.kind === 'coordinate' ? parsed.hops : []) {
      if (container.nodeType === '^ah' && hop === 0) {
        container = this.#coreOfHead()
        continue
      }
      const found = container.children.filter((child) => child.offset === hop)
      if (found.length === 0) throw new OracleError('E_PARENT_NOT_FOUND')
      if (found.length > 1) throw new OracleError('E_PLACEMENT_INVALID')
      container = found[0]!
    }
    return container
  }

  #isInSys(parsed: ParsedPosition): boolean {
    const start = parsed.kind === 'parent' ? findById(this.#root, parsed.parent) : anchorAt(this.#root, parsed.depth)
    return start !== undefined && start !== this.#root && depthOf(this.#root, start) === -1
  }

  #coreOfHead(): ModelNode {
    const head = region(this.#root, '^ah')
    return coreOf(head) ?? this.#makeCore(head)
  }

  /** Puts nodes that nothing holds into their place, in order. */
  #place(nodes: ModelNode[], { container, where, zone }: Extract<Target, { kind: 'container' }>): void {
    let left = where.kind === 'gap' ? where.left : undefined
    for (const [i, node] of nodes.entries()) {
      let offset: number
      if (where.kind === 'offset') offset = where.offset
      else if (where.kind === 'gap') offset = gapOffset(container, where, left, node, nodes.length - i)
      else if (where.side === 'pre') offset = -1
      else if (where.side === 'post') offset = Math.max(0, ...offsetsIn(container)) + 1
      else offset = this.#nextOffset(container)
      // CHOICE 25: `zone` is for heads, segments and cores; it must agree with the place of the node.
      if (zone !== undefined) {
        const actual = hasZones(container) ? (offset < 0 ? 'pre' : 'post') : container.core ? 'core' : undefined
        if (actual !== zone) throw new OracleError('E_PLACEMENT_INVALID')
      }
      attach(container, node, offset)
      left = node
    }
  }

  // ------------------------------------------------------------------------------------------------------------ replace

  #replace(selector: string, spec: EditSpec, caller: Caller): string[] {
    const parsed = this.#parseSelector(selector)
    checkSpec(spec)
    // CHOICE 26: a replacement stays in its place, so `offset` and `zone` are E_PLACEMENT_INVALID.
    if (spec.offset !== undefined || spec.zone !== undefined) throw new OracleError('E_PLACEMENT_INVALID')
    return this.#edit(() => {
      const imagined = this.#imagine(parsed, caller)
      const nodes = this.#replaceNodes(this.#outermost(this.#match(parsed, caller, imagined)), spec)
      const hit = imagined.filter(({ hits }) => hits.length > 0)
      if (hit.length > 0) this.#notice?.(`D46 replace${nodes.length > 0 ? ' with nodes' : ''}`)
      this.#rewriteSchedules(hit, ({ top, hits }) => {
        for (const node of hits.filter(
          (each) => !hits.some((other) => other !== each && subtree(other).includes(each)),
        )) {
          this.#changeTemplate(top, node, spec)
        }
      })
      return nodes
    })
  }

  /**
   * CHOICE 27: content and children that the spec does not name are the target's; children stay with their ids, also under
   * a superseding container. With `children`, the old ones leave and new ones are made. CHOICE 28: a null header is not
   * named, so `replace` cannot take a header away.
   */
  #replaceNodes(targets: ModelNode[], spec: EditSpec): ModelNode[] {
    if (targets.some((node) => node.class === 'seg' || node.core)) throw new OracleError('E_PLACEMENT_INVALID')
    const results = targets.map((target) => this.#replaceNode(target, spec))
    const nodes = results.map(({ node }) => node)
    if (isNamed(spec.cad)) {
      for (const node of nodes) {
        if (keyOf(node) === undefined || depthOf(this.#root, node) !== 0) throw new OracleError('E_CADENCE_INVALID')
      }
    }
    // CHOICE 29: a node whose key stays is no new instance, in any surroundings; a new key is judged by D29.
    const rekeyed = results.some(({ keyBefore, node }) => keyBefore !== keyOf(node))
    const made = results.flatMap((result) => result.made)
    this.#keepOrder([...(rekeyed ? nodes : []), ...made])
    for (const { node, made: children, key, keyBefore } of results) {
      if (keyBefore !== key && depthOf(this.#root, node) === 0) this.#schedules.delete(keyBefore ?? '')
      const before = this.#schedules.get(key ?? '')
      const isThere = before !== undefined && depthOf(this.#root, node) === 0
      const keeps = isThere && before.zone === zoneInHead(this.#root, node)
      this.#noteWrites([node, ...children], node, keeps ? before.offset : undefined)
    }
    return nodes
  }

  #replaceNode(
    target: ModelNode,
    spec: EditSpec,
  ): { node: ModelNode; keyBefore: string | undefined; key: string | undefined; made: ModelNode[] } {
    const keyBefore = keyOf(target)
    const { nodeClass, nodeType, given } = this.#changed(target, spec)
    if (nodeClass === 'block' || spec.children !== undefined) this.#checkNothingIsLost(target)
    const changesKind =
      nodeType !== target.nodeType || given['role'] !== target.given['role'] || given['kind'] !== target.given['kind']
    let node = target
    if (depthOf(this.#root, target)! > 0 || changesKind) {
      node = { ...target, class: nodeClass, nodeType, cycle: this.#cycle }
      this.#supersede(target, node, given)
      if (nodeClass === 'block') node.children = []
    } else node.given = given
    if (isNamed(spec.priority)) node.priority = spec.priority!
    if (spec.ttl !== undefined) this.#setTtl(node, spec.ttl)
    if (spec.children !== undefined) {
      node.children = []
      this.#makeChildren(node, spec.children)
    }
    const made = spec.children === undefined ? [] : subtree(node).slice(1)
    return { node, keyBefore, key: keyOf(node), made }
  }

  /** A replacement of a node, or of one in a schedule. D42: `removable` is what it was when the node was made. */
  #changed(target: ModelNode, spec: EditSpec) {
    if (isNamed(spec.removable) && spec.removable !== (target.given['removable'] ?? false)) {
      this.#refuse('E_PLACEMENT_INVALID', 'D42 refused')
    }
    const base = spec.nodeType?.split(':')[0] ?? ''
    const nodeClass =
      spec.children !== undefined || ['cont', 'mc'].includes(base)
        ? ('cont' as const)
        : ['block', 'cb'].includes(base)
          ? ('block' as const)
          : (target.class as 'cont' | 'block')
    const nodeType =
      spec.nodeType ?? (nodeClass === target.class ? target.nodeType : CLASS_NAMES[this.dialect][nodeClass])
    const given: Record<string, unknown> = { ...target.given, ...headersOf(spec) }
    // CHOICE 74: a container that becomes a block leaves the flag behind: nothing can empty a block.
    if (nodeClass === 'block' && given['removable'] === true) delete given['removable']
    // D61: another content is no line, and a container has none.
    const isOther = isNamed(spec.content) && spec['pact:shed'] === undefined
    if (isOther || nodeClass === 'cont') delete given['pact:shed']
    if (nodeClass === 'cont') delete given['pact:compacted']
    return { nodeClass, nodeType, given }
  }

  /**
   * D43: a container that no snapshot holds cannot lose in history what a snapshot does hold.
   * CHOICE 67: a marker in it counts too; it is the trace of something that a snapshot holds.
   */
  #checkNothingIsLost(target: ModelNode): void {
    if (depthOf(this.#root, target)! <= 0 || this.#idInSnapshots(target) !== undefined) return
    if (this.#holdsCommitted(target)) this.#refuse('E_PLACEMENT_INVALID', 'D43 replace refused')
  }

  /** True if anything below the node is in a snapshot, or takes the place of what is. */
  #holdsCommitted(node: ModelNode): boolean {
    return subtree(node)
      .slice(1)
      .some((each) => this.#idInSnapshots(each) !== undefined)
  }

  /**
   * The new node is at the place of the target; the target is gone from the working state.
   * CHOICE 30: `supersedes` names the node that the latest snapshot holds, also through a chain of replacements in the
   * open cycle; where no snapshot holds any of them the header is left out. CHOICE 31: at depth > 0 a node of the open
   * cycle is superseded like any other. D41: all the other ids of the chain are in `standsFor`, whether a snapshot ever held
   * them or not.
   */
  #supersede(target: ModelNode, node: ModelNode, given: Record<string, unknown>): void {
    const parent = parentOf(this.#root, target)
    const { supersedes: _old, ...rest } = given
    const supersedes = this.#idInSnapshots(target)
    node.given = { ...rest, ...(supersedes === undefined ? {} : { supersedes }) }
    const earlier = [...target.standsFor, target.given['supersedes'] as string | undefined, target.id]
    const chain = new Set(earlier.filter((id) => id !== undefined && id !== supersedes)) as Set<string>
    node.standsFor = [...chain].toSorted(compareText)
    if (node.standsFor.length > 1) this.#notice?.('D41 a chain of several')
    node.id = `(new ${this.#fresh.length + 1})`
    parent.children[parent.children.indexOf(target)] = node
    this.#fresh.push({ node, superseding: true })
  }

  /** The id under which the snapshots hold a node, or what it stands in for. */
  #idInSnapshots(node: ModelNode): string | undefined {
    return this.#isHeld(node) ? node.id : (node.given['supersedes'] as string | undefined)
  }

  /** CHOICE 92: a node that came back from a summary is held as the summary was. */
  #isHeld({ id, cycle }: ModelNode): boolean {
    return cycle < this.#cycle || this.#isInSnapshot(id)
  }

  // ------------------------------------------------------------------------------------------------------------- delete

  #delete(selector: string, options: DeleteOptions, caller: Caller): string[] {
    const parsed = this.#parseSelector(selector)
    return this.#edit(() => {
      const imagined = this.#imagine(parsed, caller)
      const matches = this.#outermost(this.#match(parsed, caller, imagined))
      const targets = matches.flatMap(contentsOf).filter((target) => !this.#isSealedMarker(target))
      const touched = targets.flatMap((target) => this.#deleteNode(target, options))
      for (const { key, hits } of imagined) {
        if (hits.length === 0) continue
        this.#endSchedule(key)
        this.#notice?.('D46 delete')
      }
      return touched
    })
  }

  #endSchedule(key: string | undefined): void {
    if (key !== undefined && this.#schedules.delete(key)) this.#touchedSchedule = true
  }

  /**
   * CHOICE 57: in history a marker is not deleted again: it would lose its author and reason.
   * CHOICE 56: the touched nodes of a deletion are the dropped nodes and the markers, in canonical order of the targets.
   * CHOICE 32: a node of the open cycle that stands in for one the snapshots hold is not dropped but marked, or a
   * replacement and a deletion in one cycle would leave no trace. CHOICE 33: a marker has priority 0 and no header beyond
   * those D30 names. CHOICE 34: every instance that leaves with a deleted node ends its key's schedule, in any region.
   */
  #isSealedMarker(node: ModelNode): boolean {
    return isMarker(node) && depthOf(this.#root, node)! > 0
  }

  /**
   * The markers and the dropped nodes, in document order.
   * CHOICE 68: a schedule ends with its key's instance, also where that is a container which has to stay (D43).
   */
  #deleteNode(target: ModelNode, options: DeleteOptions): ModelNode[] {
    // CHOICE 76: so does that of an instance around it, which would bring it back (N29).
    for (const node of [...this.#above(target), ...subtree(target)]) this.#endSchedule(keyOf(node))
    return this.#takeOut(target, options)
  }

  /** The nodes around a node, up to its region. */
  #above(target: ModelNode): ModelNode[] {
    return walk(this.#root).find(({ node }) => node === target)?.ancestors ?? []
  }

  /** D43: what a snapshot holds leaves a marker where it stood, and so what holds such a marker stays. */
  #takeOut(target: ModelNode, options: DeleteOptions): ModelNode[] {
    if (depthOf(this.#root, target)! <= 0) {
      detach(this.#root, target)
      return [target]
    }
    if (this.#isSealedMarker(target)) return []
    if (this.#idInSnapshots(target) !== undefined) return [this.#mark(target, options)]
    if (this.#holdsCommitted(target)) {
      this.#notice?.('D43 delete')
      return sorted(target.children).flatMap((child) => this.#takeOut(child, options))
    }
    detach(this.#root, target)
    return [target]
  }

  #mark(target: ModelNode, { author, reason }: DeleteOptions): ModelNode {
    const { role, data_call_id } = target.given
    const marker: ModelNode = {
      ...target,
      class: 'block',
      nodeType: `${CLASS_NAMES[this.dialect].block}:redaction`,
      ttl: null,
      ttlCycle: this.#cycle,
      expiry: null,
      priority: 0,
      cycle: this.#cycle,
      everHeldNode: false,
      children: [],
    }
    this.#supersede(target, marker, {
      content: '',
      ...(role === undefined ? {} : { role }),
      ...(data_call_id === undefined ? {} : { data_call_id: structuredClone(data_call_id) }),
      ...(author === undefined ? {} : { data_author: author }),
      ...(reason === undefined ? {} : { data_reason: reason }),
    })
    return marker
  }

  // ------------------------------------------------------------------------------------------------------------- redact

  /**
   * Takes a text out of every match by itself (D54), as a replacement would, but it writes no key (D28 does not name it).
   * CHOICE 69: what an instance has shown to hold the text, in any region, its schedule loses everywhere, not only in its
   * top node, and its count goes on (N29).
   * CHOICE 70: a match inside a node that goes whole goes with it.
   */
  #redact(selector: string, options: RedactOptions, caller: Caller): string[] {
    const parsed = this.#parseSelector(selector)
    const redaction = redactionOf(options)
    return this.#edit(() => {
      const imagined = this.#imagine(parsed, caller)
      const hit = this.#matchOriginals(parsed, caller, imagined).filter((node) => occursIn(node, redaction))
      if (hit.some((node) => node.class === 'seg' || node.core)) throw new OracleError('E_PLACEMENT_INVALID')
      if (hit.length === 0) this.#notice?.('D54 nothing found')
      const gone = this.#outermost(hit.filter(isSignedReasoning)).flatMap(subtree)
      const shown = hit.flatMap((node) => [...this.#above(node), node].map(keyOf))
      const touched = hit.flatMap((target) => {
        if (!gone.includes(target)) return this.#redactNode(target, redaction, options)
        this.#notice?.('D54 signed reasoning')
        return gone.some((node) => node.children.includes(target)) ? [] : this.#deleteNode(target, options)
      })
      const ended = gone.map(keyOf)
      for (const each of imagined.filter(({ key }) => !ended.includes(key))) {
        this.#redactSchedule(each, shown.includes(each.key) ? subtree(each.top) : each.hits, redaction, options)
      }
      return touched
    })
  }

  #redactNode(target: ModelNode, redaction: Redaction, options: RedactOptions): ModelNode[] {
    this.#notice?.(depthOf(this.#root, target)! > 0 ? 'D54 superseding' : 'D54 in place')
    return [this.#replaceNode(target, redactedSpec(target, redaction, options)).node]
  }

  #redactSchedule(imagined: Imagined, nodes: ModelNode[], redaction: Redaction, options: RedactOptions): void {
    const hit = nodes.filter((node) => occursIn(node, redaction))
    if (hit.length === 0) return
    this.#notice?.(imagined.hits.length > 0 ? 'D46 redact' : 'D46 redact through an instance')
    if (hit.some(isSignedReasoning)) return this.#endSchedule(imagined.key)
    this.#rewriteSchedules([imagined], () => {
      for (const node of hit) node.given = { ...node.given, ...redactedSpec(node, redaction, options) }
    })
  }

  // --------------------------------------------------------------------------------------------------------------- move

  /**
   * CHOICE 35: sentinels count the children before the move, the moved ones included; a gap whose edge moves
   * away is the gap between what stays. CHOICE 36: a plain offset is taken by every moved node, and D17's default offsets
   * hold for moves too; then their ages decide among equals. CHOICE 37: the head's core is E_PLACEMENT_INVALID, a sealed
   * one E_SEALED_CORE. CHOICE 38: out of `^sys`, every node of the subtree that a snapshot holds becomes a new one (id,
   * cycle, time, index; no `supersedes`), with its running ttl.
   */
  #move(selector: string, position: Position, caller: Caller): string[] {
    const parsedSelector = this.#parseSelector(selector)
    const parsed = parsePosition(position)
    return this.#edit(() => {
      const moved = this.#outermost(this.#match(parsedSelector, caller))
      if (moved.length === 0) return []
      // CHOICE 73: a target in `^sys` is judged before what a single match forbids (D31 "matches or targets", N21).
      if (caller === 'ordinary' && this.#isInSys(parsed)) throw new OracleError('E_NOT_AUTHORIZED')
      for (const node of moved) {
        if (node.class === 'seg') throw new OracleError('E_SEGMENT_MOVE')
        if (inSealedCore(this.#root, node)) throw new OracleError('E_SEALED_CORE')
        if (node.core) throw new OracleError('E_PLACEMENT_INVALID')
      }
      const target = this.#resolve(parsed, {}, caller === 'system' ? 'system move' : 'ordinary', moved)
      const core = target.kind === 'splice' ? this.#splice(target.depth) : undefined
      const container = target.kind === 'splice' ? core! : target.container
      const wasInSys = depthOf(this.#root, moved[0]!) === -1
      for (const node of moved) detach(this.#root, node)
      if (wasInSys !== (depthOf(this.#root, container) === -1)) for (const node of moved) this.#renew(node)
      // CHOICE 39: in the core of a spliced segment the nodes take 0, 1, 2… in both dialects, to stay in order.
      if (target.kind === 'splice') for (const [i, node] of moved.entries()) attach(container, node, i)
      else this.#place(moved, target)
      this.#keepOrder(moved.flatMap(subtree))
      return moved
    })
  }

  /** Makes a node, and everything in it, a new one where a snapshot holds it. */
  #renew(top: ModelNode): void {
    for (const node of subtree(top)) {
      if (!this.#isHeld(node)) continue
      const n = this.#fresh.length + 1
      node.id = `(new ${n})`
      node.cycle = this.#cycle
      node.createdAtNs = this.#highestNs + BigInt(n)
      node.creationIndex = this.#indexesGiven + n
      delete node.given['supersedes']
      node.standsFor = []
      this.#fresh.push({ node, superseding: false })
    }
  }

  // -------------------------------------------------------------------------------------------------- overlap (D29)

  /**
   * Judges the keys of the nodes that a call placed, and demotes.
   * CHOICE 40: the rule is that of the newest instance: every other one must be deeper than it. A placed node that is not
   * the newest must itself be deeper than the newest, and demotes none. Deletion, expiry and pruning judge nothing.
   * CHOICE 41: every node that a move carries counts as placed, also where its depth stays. CHOICE 42: an older instance
   * inside another older one goes with it; one that holds the new instance cannot be demoted (E_ODI_VIOLATION). CHOICE 43:
   * where a demoted node carries the newest instance of another key, that key is judged again.
   */
  #keepOrder(placed: readonly ModelNode[]): void {
    const queue = [...new Set(placed.map(keyOf))].filter((key) => key !== undefined)
    const judge = (key: string, mine: readonly ModelNode[], isCarried: boolean): void => {
      const instances = subtree(this.#root).filter((node) => keyOf(node) === key)
      const depth = (node: ModelNode): number => depthOf(this.#root, node)!
      const newest = instances.toSorted(compareAge).at(-1)
      if (newest === undefined) return
      if (!isCarried && new Set(mine.map(depth)).size < mine.length) throw violation()
      if (!mine.includes(newest)) {
        if (!isCarried && mine.some((node) => depth(node) <= depth(newest))) throw violation()
        return
      }
      const k = depth(newest)
      const offenders = instances.filter((node) => node !== newest && depth(node) <= k)
      if (offenders.length === 0) return
      const deeper = anchorAt(this.#root, k + 1)
      const refused =
        this.odi === 'reject' ||
        deeper?.class !== 'seg' ||
        offenders.some(
          (node) =>
            (mine.includes(node) && !isCarried) ||
            depth(node) === -1 ||
            inSealedCore(this.#root, node) ||
            subtree(node).includes(newest),
        )
      if (refused) throw violation()
      const demoted = this.#outermost(offenders)
      for (const node of demoted) {
        detach(this.#root, node)
        attach(deeper, node, Math.max(0, ...offsetsIn(deeper)) + 1)
      }
      const carried = demoted.flatMap((node) => subtree(node).slice(1))
      for (const other of new Set(carried.map(keyOf))) {
        if (other === undefined || other === key) continue
        judge(
          other,
          carried.filter((node) => keyOf(node) === other),
          true,
        )
      }
    }
    for (const key of queue) {
      judge(
        key,
        placed.filter((node) => keyOf(node) === key),
        false,
      )
    }
  }

  // ------------------------------------------------------------------------------------------------------ cadence (D28)

  /**
   * Schedules after a write: at depth 0 every written key has its schedule replaced or ended.
   * CHOICE 58: in the head, replacing a node's key ends the schedule of the key it had.
   * CHOICE 44: a schedule starts again in the cycle of the write, also where `replace` or `put` takes `cad` from its target.
   * CHOICE 45: it keeps the offset only where the caller named one directly in a zone (and `replace` keeps that of the
   * schedule before, as long as the node is in the same zone); without one, D17's default holds for each instance. CHOICE 46: `cad` on a child of a spec is
   * E_CADENCE_INVALID, while a keyed child without it ends that key's schedule. CHOICE 47: writes at other depths change
   * no schedule. CHOICE 48: a node written deeper inside a zone registers that zone; instances are directly in it.
   */
  #noteWrites(written: readonly ModelNode[], top: ModelNode, offset: number | undefined): void {
    if (depthOf(this.#root, top) !== 0) return
    for (const node of written) {
      const key = keyOf(node)
      if (key === undefined) continue
      const cad = node.given['cad'] as number | undefined
      if (node !== top || cad === undefined) this.#schedules.delete(key)
      else {
        const zone = zoneInHead(this.#root, node)
        this.#schedules.set(key, { first: this.#cycle, cad, zone, offset, spec: specOf(node, this.#cycle) })
      }
    }
  }

  /**
   * D46: for each schedule by itself, what it would put into the head now, and which nodes of that the selector means in the
   * tree with it. Nothing of it stays. A selector of `ctx.system` means none of them, but what it finds in `^sys` may be an
   * instance (CHOICE 34, CHOICE 69).
   */
  #imagine(selector: ParsedSelector, caller: Caller): Imagined[] {
    // CHOICE 75: who asks for the first of some, or for a place in a row, means a node that is there, if one is (N29).
    const isWindowed = /@(?:first|limit|skip)|:(?:first|last|nth\()/.test(selector.body)
    const isBlind = caller === 'system' || (isWindowed && this.#select(selector, caller).length > 0)
    return [...this.#schedules]
      .toSorted(([a], [b]) => compareText(a, b))
      .map(([key, schedule]) => {
        const before = this.#save()
        const [top] = this.#placeInstance(schedule)
        const ids = isBlind ? [] : this.#select(selector, caller)
        const hits = subtree(top).filter(({ id }) => ids.includes(id))
        this.#restore(before)
        this.#fresh = []
        return { key, schedule, top, hits }
      })
  }

  /** The next instance of a key's schedule, without a place; undefined if there is no schedule. */
  #instanceOf(key: string): Imagined | undefined {
    const schedule = this.#schedules.get(key)
    if (schedule === undefined) return undefined
    const count = this.#fresh.length
    const top = this.#make(schedule.spec)
    this.#fresh.length = count
    return { key, schedule, top, hits: [top] }
  }

  /**
   * Changes what schedules make; their first cycles, zones and offsets stay, whatever the same call did to the keys by writing
   * nodes. CHOICE 71: with another key, a schedule takes the place of one that the key had; two that would get one key are
   * E_ODI_VIOLATION, or one of them would be lost (N29).
   */
  #rewriteSchedules(imagined: readonly Imagined[], change: (each: Imagined) => void): void {
    for (const { key } of imagined) this.#schedules.delete(key)
    const given = new Set<string>()
    for (const each of imagined) {
      change(each)
      const { top, schedule, key } = each
      if (given.has(keyOf(top)!)) throw new OracleError('E_ODI_VIOLATION')
      given.add(keyOf(top)!)
      if (keyOf(top) !== key) this.#notice?.('D46 another key')
      const spec = specOf(top, this.#cycle)
      this.#schedules.set(keyOf(top)!, { ...schedule, cad: top.given['cad'] as number, spec })
      this.#touchedSchedule = true
    }
  }

  /** A replacement of a node that a schedule makes. CHOICE 72: `cad` is for the top node: a child returns with its container. */
  #changeTemplate(top: ModelNode, node: ModelNode, spec: EditSpec): void {
    if (isNamed(spec.cad) && node !== top) throw new OracleError('E_CADENCE_INVALID')
    const { nodeClass, nodeType, given } = this.#changed(node, spec)
    Object.assign(node, { class: nodeClass, nodeType, given })
    if (isNamed(spec.priority)) node.priority = spec.priority!
    if (spec.ttl !== undefined) this.#setTtl(node, spec.ttl)
    if (spec.children !== undefined || node.class === 'block') node.children = []
    const count = this.#fresh.length
    this.#makeChildren(node, spec.children ?? [])
    this.#fresh.length = count
  }

  /**
   * Opens a cycle and places what is due.
   * CHOICE 49: instances come in code point order of their keys. CHOICE 50: one that D29 would refuse (an older instance in
   * `^sys`, or overlap with `odi: 'reject'`) is left out this time; the schedule goes on and the commit goes through.
   */
  #openCycle(cycle: number): void {
    this.#cycle = cycle
    this.#idsGiven = 0
    this.#indexesGiven = 0
    const due = [...this.#schedules]
      .filter(([, { first, cad }]) => (cycle - first) % cad === 0)
      .toSorted(([a], [b]) => compareText(a, b))
    for (const [, schedule] of due) {
      const before = this.#save()
      this.#fresh = []
      try {
        const [node] = this.#placeInstance(schedule)
        this.#keepOrder(subtree(node))
        this.#giveIds()
      } catch (error) {
        if (!(error instanceof OracleError)) throw error
        this.#restore(before)
      }
    }
  }

  #placeInstance({ zone, offset, spec }: Schedule): [ModelNode, number | undefined] {
    const header = { ...spec, zone, ...(offset === undefined ? {} : { offset }) }
    const target = this.#resolve({ kind: 'depth', depth: 0, zone }, header, 'ordinary', [])
    return this.#insertNode(header, target)
  }

  #refuse(code: string, feature: string): never {
    this.#notice?.(feature)
    throw new OracleError(code)
  }

  // ------------------------------------------------------------------------------------------------------------ sealing

  /** Turns the head's children into a new segment, unless there is nothing but an empty core (D25, D30). */
  #seal(): void {
    if (!willSeal(this.#root)) return
    const head = region(this.#root, '^ah')
    if (coreOf(head) === undefined) this.#makeCore(head)
    const segment = this.#makeOne('seg', 0, {})
    attach(region(this.#root, '^seq'), segment, this.#sealingOffset())
    segment.children = head.children
    segment.everHeldNode = true
    head.children = []
  }
}

// ---------------------------------------------------------------------------------------------------------------- trees

function attach(parent: ModelNode, node: ModelNode, offset: number): void {
  node.offset = offset
  parent.children.push(node)
  parent.everHeldNode = true
}

function detach(root: ModelNode, node: ModelNode): void {
  const parent = lineOf(root, node).at(-2)!
  parent.children = parent.children.filter((child) => child !== node)
}

/** The nodes that deleting a match takes: for a segment or a core, everything it holds but the core itself (D30). */
function contentsOf(node: ModelNode): ModelNode[] {
  return node.class === 'seg' || node.core ? sorted(node.children).flatMap(contentsOf) : [node]
}

/** A spec that makes the node again, for the instances of a schedule. CHOICE 59: with the ttl that the working state shows. */
function specOf(node: ModelNode, cycle: number): EditSpec {
  const { supersedes: _supersedes, ...given } = structuredClone(node.given)
  if (node.class === 'block') delete given['removable']
  return {
    nodeType: node.nodeType,
    ttl: ttlInWorking(node, cycle),
    priority: node.priority,
    ...given,
    ...(node.class === 'block'
      ? {}
      : {
          children: sorted(node.children).map((child) => {
            const { cad: _cad, ...spec } = specOf(child, cycle) // a child returns with its container
            return { ...spec, offset: child.offset }
          }),
        }),
  }
}

/** The same without a place, for what stays in its own. */
function withoutPlace({ zone: _zone, offset: _offset, ...rest }: EditSpec): EditSpec {
  return rest
}

function occursIn(node: ModelNode, redaction: Redaction): boolean {
  return Object.keys(redactedHeaders(node, redaction)).length > 0
}

function redactedSpec(node: ModelNode, redaction: Redaction, { author, reason }: RedactOptions): EditSpec {
  return {
    ...redactedHeaders(node, redaction),
    ...(author === undefined ? {} : { data_author: author }),
    ...(reason === undefined ? {} : { data_reason: reason }),
  }
}

// --------------------------------------------------------------------------------------------------------------- checks

function isNamed(value: unknown): boolean {
  return value !== undefined && value !== null
}

function violation(): OracleError {
  return new OracleError('E_ODI_VIOLATION', 'OverlapWouldViolateODI')
}

/** The facts of a spec alone: ttl and cad of every node in it, parents first. */
function checkSpec(spec: EditSpec, isTop = true): void {
  const { ttl, cad } = spec
  if (ttl !== undefined && ttl !== null && (!Number.isSafeInteger(ttl) || ttl < 0)) {
    throw new OracleError('E_TTL_INVALID')
  }
  if (isNamed(cad) && (!isTop || !Number.isSafeInteger(cad) || cad! < 1)) throw new OracleError('E_CADENCE_INVALID')
  for (const child of spec.children ?? []) checkSpec(child, false)
}

/** In the head, pre is below 0 and post above; inside the core any offset will do. */
function checkZoneAndOffset({ zone, offset }: EditSpec): void {
  if (offset === undefined) return
  if ((zone === 'pre' && offset >= 0) || (zone === 'post' && offset <= 0)) throw new OracleError('E_PLACEMENT_INVALID')
}

// --------------------------------------------------------------------------------------------------- sentinels (D19)

type Gap = Extract<Where, { kind: 'gap' }>

/** CHOICE 51: a child N that is not there is E_PLACEMENT_INVALID. */
function gapAt(
  container: ModelNode,
  sentinel: NonNullable<Extract<ParsedPosition, { kind: 'coordinate' }>['sentinel']>,
  moved: readonly ModelNode[],
): Gap {
  const siblings = sorted(container.children)
  let index = 0
  if (sentinel.kind === 'end') index = siblings.length
  else if (sentinel.kind !== 'start') {
    if (sentinel.n > siblings.length) throw new OracleError('E_PLACEMENT_INVALID')
    index = sentinel.kind === 'after' ? sentinel.n : sentinel.n - 1
  }
  const stays = (node: ModelNode): boolean => !moved.includes(node)
  return {
    kind: 'gap',
    left: siblings.slice(0, index).findLast(stays),
    right: siblings.slice(index).find(stays),
    atStart: index === 0 && sentinel.kind !== 'end',
  }
}

/**
 * The offset of the next of `count` nodes, behind `left` (the one before it, once placed).
 * CHOICE 52: in both dialects n nodes at the start take the n integers below, n at the end the n above, and 0, 1, 2… in an
 * empty container without zones. CHOICE 53: between neighbours each takes the lowest free integer above the one before it,
 * else the offset of the one before it, else (beyond D19's letter) that of the right neighbour, where ages then put it there:
 * an older node could otherwise never move between two neighbours that leave no integer free.
 */
function gapOffset(
  container: ModelNode,
  { left: first, right, atStart }: Gap,
  left: ModelNode | undefined,
  node: ModelNode,
  count: number,
): number {
  const zones = hasZones(container)
  if (first === undefined && right === undefined) {
    if (zones) return atStart ? -count : left === undefined ? 1 : left.offset + 1
    return left === undefined ? 0 : left.offset + 1
  }
  if (first === undefined) return (zones ? Math.min(0, right!.offset) : right!.offset) - count
  if (right === undefined) return (zones ? Math.max(0, left!.offset) : left!.offset) + 1
  return offsetBetween(left!, node, right, zones)
}

function offsetBetween(left: ModelNode, node: ModelNode, right: ModelNode, zones: boolean): number {
  let free = left.offset + 1
  if (zones && free === 0) free = 1
  if (free < right.offset) return free
  for (const { offset } of [left, right]) {
    const behindLeft = left.offset < offset || compareAge(left, node) < 0
    const beforeRight = offset < right.offset || compareAge(node, right) < 0
    if (behindLeft && beforeRight && !(zones && offset === 0)) return offset
  }
  throw new OracleError('E_PLACEMENT_INVALID')
}

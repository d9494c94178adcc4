// Shared by the conformance tests: ways to read trees and bytes, clocks, generated programs, and one checker of
// everything that chapters 01 and 02 say of every tree. Nothing here asks the engine for an expectation.

import { readFileSync } from 'node:fs'

import fc from 'fast-check'
import {
  PactError,
  type AddHeader,
  type Context,
  type Dialect,
  type Hold,
  type Node,
  type RangeDiffLatestResult,
  type SiblingKey,
  type Snapshot,
} from 'pact-context'
import { expect } from 'vitest'

import { decodeJson } from './json.js'

export const DIALECTS = ['0.1', '1.0'] as const

/** The editions' names for turn, container and block (D1). */
export const NAMES = {
  '0.1': { seg: 'mt', cont: 'mc', block: 'cb' },
  '1.0': { seg: 'seg', cont: 'cont', block: 'block' },
} as const

/** 2023-11-14T22:13:20Z, where the clocks of the tests start. */
export const START_NS = 1_700_000_000_000_000_000n

/** A node as an export spells it; only blocks lack `children`. */
export type ExportedNode = Readonly<{ id: string; nodeType: string; children?: readonly ExportedNode[] }> &
  Readonly<Record<string, unknown>>

export type ExportedSnapshot = Readonly<{ spec_version: string; cycle: number; root: ExportedNode }>

/** A clock that moves on by the same step at every reading; with step 0 it does not move. */
export function clockOf(step = 1n, start = START_NS): () => bigint {
  let now = start - step
  return () => (now += step)
}

/** The names of what an object's classes give it, the inner ones too. */
export function memberNames(object: object): readonly string[] {
  const owner = Object.getPrototypeOf(object) as object
  return owner === Object.prototype ? [] : [...Object.getOwnPropertyNames(owner), ...memberNames(owner)]
}

export function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}

/** Reads an export without the engine's parser; created_at_ns is a bigint. */
export function readExport(bytes: Uint8Array): ExportedSnapshot {
  return decodeJson(textOf(bytes)) as ExportedSnapshot
}

/** A fixture of the documents, as printed. */
export function readGolden(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../golden/${name}`, import.meta.url), 'utf8')) as unknown
}

/** A node and everything under it, parents before children. */
export function walk(node: Node): Node[] {
  return [node, ...node.children.flatMap(walk)]
}

export function walkExport(node: ExportedNode): ExportedNode[] {
  return [node, ...(node.children ?? []).flatMap(walkExport)]
}

export function idsOf(nodes: readonly Readonly<{ id: string }>[]): string[] {
  return nodes.map((node) => node.id)
}

/** The three regions, found by type, not by place. */
export function regionsOf(snapshot: Snapshot): Readonly<{ sys: Node; seq: Node; ah: Node }> {
  const find = (nodeType: string): Node => {
    const found = snapshot.root.children.filter((child) => child.nodeType === nodeType)
    expect(found, `regions of type ${nodeType}`).toHaveLength(1)
    return found[0]!
  }
  return { sys: find('^sys'), seq: find('^seq'), ah: find('^ah') }
}

/** True if the node can hold others, as its JSON form shows. */
export function isContainer(node: Node): boolean {
  return node.children.length > 0 || Object.hasOwn(node.toJSON(), 'children')
}

/** The containers at offset 0: exactly one in a sealed segment (02 §4.2). */
export function coresOf(parent: Node): Node[] {
  return parent.children.filter((child) => child.offset === 0 && isContainer(child))
}

/** Runs what must be refused and gives the error. */
export function refusal(run: () => unknown): PactError {
  let thrown: unknown
  try {
    run()
  } catch (error) {
    thrown = error
  }
  if (!PactError.is(thrown)) {
    throw new Error(thrown === undefined ? 'Nothing was refused.' : 'It failed without a PactError.', { cause: thrown })
  }
  return thrown
}

/** Runs what must be refused with this code and checks that the context is as it was, open cycle and all. */
export function expectRefused(ctx: Context, run: () => unknown, code: string): PactError {
  const before = [textOf(ctx.export('working')), ctx.cycle, ctx.snapshots().length]
  const error = refusal(run)
  expect(error.code).toBe(code)
  expect([textOf(ctx.export('working')), ctx.cycle, ctx.snapshots().length]).toEqual(before)
  return error
}

// The checker.

export type TreeKind = Readonly<{
  /** The tree was imported, so its cores, times and indexes are the document's own. */
  imported?: boolean
  /** The open cycle, whose head is not sealed yet. */
  working?: boolean
}>

const SEALED_HEAD = 'Right after a commit the head holds nothing but an empty core.'

/** Checks all that holds of every tree; fails with one sentence per fault. */
export function expectSound(snapshot: Snapshot, kind: TreeKind = {}): void {
  expect(faultsOf(snapshot, kind)).toEqual([])
}

/** Everything in a tree that breaks a rule of chapters 01 and 02, in words. */
export function faultsOf(snapshot: Snapshot, kind: TreeKind = {}): string[] {
  const faults: string[] = []
  const { root } = snapshot
  const nodes = walk(root)
  const check = (holds: boolean, node: Node, rule: string): void => {
    if (!holds) faults.push(`${node.id}: ${rule}`)
  }

  // One root, three regions (02 §2).
  check(root.nodeType === '^root' && root.parentId === undefined, root, 'The root is ^root and has no parent.')
  const types = root.children.map((child) => child.nodeType)
  check(types.join() === '^sys,^seq,^ah', root, `The root holds exactly ^sys, ^seq, ^ah, not ${types.join()}.`)

  // Ids name one node each, and parents agree with the tree (02 §3.1).
  const ids = new Set(nodes.map((node) => node.id))
  check(ids.size === nodes.length, root, 'No id stands twice.')
  for (const node of nodes) {
    for (const child of node.children) check(child.parentId === node.id, child, `Its parentId is ${node.id}.`)
    check(snapshot.node(node.id)?.id === node.id, node, 'A look-up by id finds it.')
    if (node !== root) check(!node.nodeType.startsWith('^') || node.parentId === root.id, node, 'Regions stand on top.')
  }

  // The nine headers, each of its type (02 §3.2).
  const forms = walkExport(root.toJSON() as ExportedNode)
  check(forms.length === nodes.length, root, 'Its JSON form holds every node.')
  for (const [i, node] of nodes.entries()) faults.push(...headerFaults(node, forms[i] ?? {}, snapshot.cycle, kind))

  // A total order among siblings; the regions' order is fixed (02 §4.3).
  for (const node of nodes.slice(1)) {
    for (const [i, child] of node.children.entries()) {
      const left = node.children[i - 1]
      if (left !== undefined)
        check(bySiblingRule(left, child) < 0, child, `It stands behind ${left.id} against 02 §4.3.`)
    }
  }

  // One core per turn, at most one per head (02 §4.2).
  const [, seq, ah] = root.children as [Node, Node, Node]
  for (const segment of seq.children) {
    check(isContainer(segment), segment, 'Only turns stand under ^seq.')
    if (kind.imported) continue
    const atZero = segment.children.filter((child) => child.offset === 0)
    check(atZero.length === 1 && isContainer(atZero[0]!), segment, 'One container, and nothing else, is at offset 0.')
  }
  if (!kind.imported) {
    const atZero = ah.children.filter((child) => child.offset === 0)
    check(atZero.length <= 1 && atZero.every(isContainer), ah, 'The head has at most one core at offset 0.')
    if (!kind.working) check(ah.children.length === atZero.length && atZero.every(isEmpty), ah, SEALED_HEAD)
  }

  // Only containers that are no cores, segments or regions can be removable (02 §5.3.1).
  for (const node of nodes) {
    if (!node.removable) continue
    const structural = node === root || node.parentId === root.id || node.parentId === seq.id
    const core = node.offset === 0 && (node.parentId === ah.id || seq.children.some((seg) => seg.id === node.parentId))
    check(isContainer(node) && !structural && !core, node, 'It cannot be removable.')
  }

  // Times rise with creation, within and across cycles (02 §4.4).
  if (!kind.imported) {
    const hasOwn = (node: Node): boolean => node !== root && node.parentId !== root.id && hasOwnAge(node)
    const made = nodes.filter(hasOwn).toSorted(byCreation)
    for (const [i, node] of made.entries()) {
      const earlier = made[i - 1]
      if (earlier === undefined) continue
      check(node.createdAtNs > earlier.createdAtNs, node, `It is no later than ${earlier.id}, which was made before.`)
      const sameIndex = node.cycle === earlier.cycle && node.creationIndex === earlier.creationIndex
      check(!sameIndex, node, `It shares its creation_index with ${earlier.id}.`)
    }
  }

  // Returned values cannot be changed (02 §6.4).
  check(Object.isFrozen(snapshot), root, 'The snapshot is frozen.')
  for (const node of nodes) faults.push(...frozenFaults(node, node.id))
  return faults
}

/** False for a node with the age of another one: what supersedes has that of its target, a summary that of the node in whose place it is (D30, D63). */
export function hasOwnAge({ supersedes, attributes }: Node): boolean {
  return supersedes === undefined && attributes['pact:compacted'] === undefined
}

function headerFaults(node: Node, json: Readonly<Record<string, unknown>>, cycle: number, kind: TreeKind): string[] {
  const faults: string[] = []
  const check = (name: string, holds: boolean): void => {
    if (!holds) faults.push(`${node.id}: ${name} is ${String(json[name])}`)
  }
  check('id', typeof node.id === 'string' && node.id !== '' && json['id'] === node.id)
  check('nodeType', typeof node.nodeType === 'string' && node.nodeType !== '' && json['nodeType'] === node.nodeType)
  check('offset', Number.isSafeInteger(node.offset) && json['offset'] === node.offset)
  check('ttl', (node.ttl === null || isCount(node.ttl)) && json['ttl'] === node.ttl)
  check('priority', Number.isSafeInteger(node.priority) && json['priority'] === node.priority)
  check('cycle', Number.isSafeInteger(node.cycle) && json['cycle'] === node.cycle)
  check('created_at_ns', typeof node.createdAtNs === 'bigint' && json['created_at_ns'] === Number(node.createdAtNs))
  check('created_at_iso', typeof node.createdAtIso === 'string' && json['created_at_iso'] === node.createdAtIso)
  check('creation_index', isCount(node.creationIndex) && json['creation_index'] === node.creationIndex)
  for (const name of ['role', 'kind'] as const) {
    check(name, node[name] === undefined ? !Object.hasOwn(json, name) : json[name] === node[name])
  }
  if (!kind.imported) {
    check('created_at_iso', node.createdAtIso === isoOf(node.createdAtNs))
    // The working state belongs to the open cycle; no node comes from a later one.
    check('cycle', node.cycle >= 1 && node.cycle <= cycle)
  }
  return faults
}

function frozenFaults(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  const faults = Object.isFrozen(value) ? [] : [`${path} is not frozen.`]
  if (isNode(value)) {
    // Getters count too: what they give must be as safe as what is stored. Children are nodes of their own.
    const { children, content, tags, refs, attributes, provenance } = value
    if (!Object.isFrozen(children)) faults.push(`${path}.children is not frozen.`)
    for (const [name, part] of Object.entries({ content, tags, refs, attributes, provenance })) {
      faults.push(...frozenFaults(part, `${path}.${name}`))
    }
    return faults
  }
  for (const [name, part] of Object.entries(value)) faults.push(...frozenFaults(part, `${path}.${name}`))
  return faults
}

function isNode(value: object): value is Node {
  return 'createdAtNs' in value && 'children' in value
}

/** The order of 02 §4.3, written a second time. */
export function bySiblingRule(a: SiblingKey, b: SiblingKey): number {
  if (a.offset !== b.offset) return a.offset < b.offset ? -1 : 1
  if (a.createdAtNs !== b.createdAtNs) return a.createdAtNs < b.createdAtNs ? -1 : 1
  if (a.creationIndex !== b.creationIndex) return a.creationIndex < b.creationIndex ? -1 : 1
  return byCodePoint(a.id, b.id)
}

/** Compares text by code point, the slow and plain way (D20). */
export function byCodePoint(a: string, b: string): number {
  const left = Array.from(a, (char) => char.codePointAt(0)!)
  const right = Array.from(b, (char) => char.codePointAt(0)!)
  for (let i = 0; i < Math.min(left.length, right.length); i++) if (left[i] !== right[i]) return left[i]! - right[i]!
  return left.length - right.length
}

function byCreation(a: Node, b: Node): number {
  return a.cycle - b.cycle || a.creationIndex - b.creationIndex
}

function isEmpty(node: Node): boolean {
  return node.children.length === 0
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

/** Nine fraction digits and Z (D37), for the years that Date knows. */
function isoOf(ns: bigint): string {
  const seconds = new Date(Number(ns / 1_000_000_000n) * 1000).toISOString().slice(0, 19)
  return `${seconds}.${String(ns % 1_000_000_000n).padStart(9, '0')}Z`
}

// Generated programs.

export type Write = Readonly<{
  to: 'sys' | 'pre' | 'core' | 'post'
  content?: unknown
  header: Readonly<Record<string, unknown>>
}>

export type Step =
  | Readonly<{ do: 'write'; write: Write }>
  | Readonly<{ do: 'hold'; pick: number }>
  | Readonly<{ do: 'release'; pick: number }>
  | Readonly<{ do: 'commit' }>

/** Facts that a run knows and the trees alone do not show. */
export type Trace = {
  /** Every node that a step wrote, with its children, as it was when written. */
  made: Node[]
  /** The nodes that the steps wrote themselves, without their children. */
  written: Set<string>
  /** Ids that something has ever referred to or held. */
  needed: Set<string>
  /** Ids that are held now. */
  held: Set<string>
  /** Ids that receipts name. */
  pruned: Set<string>
}

const contents = fc.oneof(
  fc.constantFrom('', 'short', 'a somewhat longer text', 'é😀"\\\n'),
  fc.constant({ b: [1, { c: null }], a: 'x' }),
)

const commonHeaders = {
  ttl: fc.option(fc.nat(3), { nil: undefined, freq: 1 }),
  priority: fc.option(fc.integer({ min: -1, max: 2 }), { nil: undefined }),
  role: fc.option(fc.constantFrom('user', 'assistant', 'tool', 'other'), { nil: undefined }),
  kind: fc.option(fc.constantFrom('text', 'call', 'result'), { nil: undefined }),
  pinned: fc.option(fc.boolean(), { nil: undefined, freq: 1 }),
  data_call_id: fc.option(fc.constantFrom('c1', 'c2'), { nil: undefined, freq: 1 }),
  'app:note': fc.option(fc.constant({ by: ['me'] }), { nil: undefined, freq: 1 }),
}

const offsets = {
  sys: fc.integer({ min: -2, max: 3 }),
  pre: fc.integer({ min: -3, max: -1 }),
  core: fc.integer({ min: -2, max: 3 }),
  post: fc.integer({ min: 1, max: 3 }),
}

/** Programs for a context of this edition; default ids are predictable, so refs may name what does not exist yet. */
export function programsFor(dialect: Dialect): fc.Arbitrary<Step[]> {
  const { seg, cont, block } = NAMES[dialect]
  const someId = fc
    .tuple(fc.constantFrom(block, block, cont, seg), fc.integer({ min: 1, max: 5 }), fc.nat(8))
    .map(([name, cycle, n]) => `${name}:${cycle}-${n}`)
  const headers = { ...commonHeaders, refs: fc.option(fc.array(someId, { maxLength: 2 }), { nil: undefined, freq: 2 }) }
  const blockSpec = fc.record({ content: contents, ...headers }, { requiredKeys: ['content'] })
  const containerSpec = fc.record(
    { children: fc.array(blockSpec, { maxLength: 3 }), removable: fc.boolean(), ...headers },
    { requiredKeys: ['children'] },
  )
  const place = fc.constantFrom('sys' as const, 'pre' as const, 'core' as const, 'core' as const, 'post' as const)
  const write = place.chain((to) =>
    fc
      .tuple(
        fc.oneof({ weight: 4, arbitrary: blockSpec }, { weight: 1, arbitrary: containerSpec }),
        fc.option(offsets[to], { nil: undefined, freq: 1 }),
      )
      .map(([spec, offset]): Step => {
        const { content, ...header } = spec as Record<string, unknown>
        return { do: 'write', write: { to, content, header: { ...header, offset } } }
      }),
  )
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 9, arbitrary: write },
    { weight: 4, arbitrary: fc.constant<Step>({ do: 'commit' }) },
    { weight: 1, arbitrary: fc.nat(20).map((pick): Step => ({ do: 'hold', pick })) },
    { weight: 1, arbitrary: fc.nat(5).map((pick): Step => ({ do: 'release', pick })) },
  )
  return fc.array(step, { minLength: 5, maxLength: 40 }).map((steps) => [...steps, { do: 'commit' }])
}

/** Runs a program; `afterCommit` sees every snapshot as it is made. */
export function runProgram(
  ctx: Context,
  steps: readonly Step[],
  afterCommit: (snapshot: Snapshot, trace: Trace) => void = () => {},
): Trace {
  const trace: Trace = { made: [], written: new Set(), needed: new Set(), held: new Set(), pruned: new Set() }
  const holds: Hold[] = []
  for (const step of steps) {
    if (step.do === 'write') noteWrite(trace, writeTo(ctx, step.write))
    else if (step.do === 'hold') {
      const node = trace.made[step.pick % (trace.made.length || 1)]
      if (node === undefined || ctx.node(node.id) === undefined) continue
      holds.push(ctx.hold(node.id))
      trace.needed.add(node.id)
    } else if (step.do === 'release') holds.splice(step.pick % (holds.length || 1), 1)[0]?.release()
    else {
      trace.held = new Set(holds.map((hold) => hold.id))
      const snapshot = ctx.commit()
      for (const { id } of snapshot.receipt.removed) trace.pruned.add(id)
      afterCommit(snapshot, trace)
    }
  }
  return trace
}

/** One write of a program. */
export function writeTo(ctx: Context, { to, content, header }: Write): Node {
  const given = Object.fromEntries(Object.entries(header).filter(([, value]) => value !== undefined)) as AddHeader
  if (to === 'sys') return ctx.system.add(content as string, given)
  return ctx.add(content as string, { ...given, zone: to })
}

function noteWrite(trace: Trace, node: Node): void {
  trace.written.add(node.id)
  for (const each of walk(node)) {
    trace.made.push(each)
    for (const id of each.refs) trace.needed.add(id)
  }
}

/** The ids of an answer whose selector is known at run time only; a range result is no such list. */
export function listOf(found: RangeDiffLatestResult | readonly string[]): readonly string[] {
  if ('diffs' in found) throw new Error(`${found.query} is a range.`)
  return found
}

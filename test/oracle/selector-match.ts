// The nodes of one tree that a parsed selector means (D2, D10–D17, D20–D22, D45, D53). Sets of places, step by step: every step asks the
// whole tree again who is reached, then drops, condition by condition from left to right, who does not satisfy it. The
// virtual core (D12) is a place without a node; only the outermost caller drops it.

import type { Body, Condition, Dialect, Group, Region, Side, Step, Union } from './selector-parse.js'
import { compareCodePoints, compareValue } from './selector-values.js'

/**
 * A tree in the documents' JSON form with every header filled in: { id, nodeType, offset, ttl, priority, cycle,
 * created_at_ns (bigint or number), created_at_iso, creation_index, role?, kind?, key?, tags?, cad?, content?, custom…,
 * children? }. The root has children ^sys, ^seq, ^ah.
 */
export type OracleTree = Readonly<Record<string, unknown>>

export type Class = 'region' | 'seg' | 'cont' | 'block'

/** A node at its place, or (`node` undefined) the virtual core of its parent. */
export type Place = {
  node: OracleTree | undefined
  parent: Place | undefined
  children: Place[] // in canonical order; of a virtual core, the blocks it holds
  class: Class
  region: Region | undefined // set on root and the three regions only
  depth: number | undefined // D10; root and ^seq have none
  offsets: bigint[] // the numbers of the coordinate behind dK
  level: number
}

/** One tree to be asked, in one dialect, as the snapshot of one cycle (undefined for the working state). */
export type View = { root: Place; dialect: Dialect; cycle: number | undefined }

export function viewOf(tree: OracleTree, dialect: Dialect, cycle: number | undefined): View {
  return { root: placeRoot(tree), dialect, cycle }
}

/** Every node in document order (D20), parents before children. */
export function documentOrder(view: View): Place[] {
  return [view.root, ...below(view.root)]
}

/** The places of `A ?? B`: those of the first union that has any. Virtual cores are among them. */
export function evaluateBody(view: View, body: Body, visible: (place: Place) => boolean = () => true): Place[] {
  let places: Place[] = []
  for (const union of body) {
    places = evaluateUnion(view, union).filter(visible)
    if (places.some(isReal)) return places
  }
  return places
}

/** D45: every `A ?? B`, also one in parentheses, as the one union that counts: B only where A is empty in all trees. */
export function judgedOnTheWhole(views: readonly View[], body: Body): Body {
  const unions = body.map((union) => union.map((group) => group.map((step) => judgedStep(views, step))))
  const found = unions.find((union) => views.some((view) => evaluateUnion(view, union).some(isReal)))
  return [found ?? unions.at(-1)!]
}

function judgedStep(views: readonly View[], step: Step): Step {
  if (step.source.kind !== 'selector') return step
  return { ...step, source: { kind: 'selector', body: judgedOnTheWhole(views, step.source.body) } }
}

/** D20: dialect 0.1 sorts the union as a whole, 1.0 concatenates its groups. */
function evaluateUnion(view: View, union: Union): Place[] {
  const places = [...new Set(union.flatMap((group) => evaluateGroup(view, group)))]
  return view.dialect === '0.1' ? sortByDocument(view, places) : places
}

function evaluateGroup(view: View, group: Group): Place[] {
  let places: Place[] = []
  let previous: Step | undefined
  for (const step of group) {
    places = evaluateStep(view, step, previous, places)
    previous = step
  }
  const last = group.at(-1)!
  if (view.dialect === '1.0' && last.conditions.some(testsOneKey)) return places.toSorted(compareSameKey)
  if (last.source.kind === 'selector') return places // a union in written order stays in it (D17)
  return sortByDocument(view, places)
}

function evaluateStep(view: View, step: Step, previous: Step | undefined, from: Place[]): Place[] {
  let places = sourceOf(view, step, previous, from)
  for (const condition of step.conditions) {
    places =
      condition.kind === 'position'
        ? atPosition(view, places, condition.nth)
        : places.filter((place) => holds(view, place, condition))
  }
  return places
}

// ---------------------------------------------------------------------------------------------------- where steps reach

function sourceOf(view: View, step: Step, previous: Step | undefined, from: Place[]): Place[] {
  const { source } = step
  switch (source.kind) {
    case 'reached': {
      const reached = reach(view, step, previous, from)
      return namesContainers(view, step) ? reached : reached.filter(isReal)
    }
    case 'zone':
      return reach(view, step, previous, from).filter((place) => isReal(place) && inZone(place, source.side))
    case 'depth':
      return documentOrder(view).filter(
        (place) => isDepthAnchor(place) && place.depth! >= source.from && place.depth! <= source.to,
      )
    case 'coordinate':
      return atCoordinate(view, source.depth, source.offsets)
    case 'selector':
      return evaluateBody(view, source.body)
    default:
      return unreachable(source)
  }
}

/** The places that the combinator of a step reaches from the places of the step before it, virtual cores included. */
function reach(view: View, step: Step, previous: Step | undefined, from: Place[]): Place[] {
  const everything = [view.root, ...belowWithVirtual(view.root)]
  if (step.reach === 'first') return everything
  const reached = new Set(
    from.flatMap((place) => {
      if (previous?.source.kind === 'zone') {
        return step.reach === 'child' ? [place] : [place, ...belowWithVirtual(place)] // D13
      }
      if (step.reach === 'child') return childrenWithVirtual(place)
      if (previous?.source.kind === 'depth' && previous.conditions.length === 0 && place.class === 'seg')
        return [place, ...belowWithVirtual(place)] // D11
      return belowWithVirtual(place)
    }),
  )
  return [...reached]
}

/** Only a `.cont` or `.mc` step, in any spelling of that test, matches a virtual core (D12). */
function namesContainers(view: View, step: Step): boolean {
  return step.conditions.some((condition) => {
    if (condition.kind === 'type') return CLASS_NAMES[typeName(view, condition.name)] === 'cont'
    return (
      view.dialect === '1.0' &&
      condition.kind === 'compare' &&
      condition.name === 'nodeType' &&
      condition.operator === '=' &&
      condition.literals.some((literal) => CLASS_NAMES[literal.text] === 'cont')
    )
  })
}

function inZone(place: Place, side: Side): boolean {
  const { parent } = place
  const holdsZones = parent?.class === 'seg' || parent?.region === '^ah' || parent?.region === '^sys'
  return holdsZones && onSide(place, side)
}

function onSide(place: Place, side: Side): boolean {
  const offset = offsetOf(place)
  return side === 'pre' ? offset < 0n : side === 'core' ? offset === 0n : offset > 0n
}

/** ^sys, ^ah and the sealed segments: what `dK` and `(dK)` name. */
function isDepthAnchor(place: Place): boolean {
  return place.depth !== undefined && place.offsets.length === 0
}

/** D17: (dK), then the children with each offset; siblings that share one are all meant. */
export function atCoordinate(view: View, depth: bigint, offsets: readonly bigint[]): Place[] {
  let places = documentOrder(view).filter((place) => isDepthAnchor(place) && BigInt(place.depth!) === depth)
  for (const offset of offsets) {
    places = places.flatMap((place) => place.children.filter((child) => offsetOf(child) === offset))
  }
  return places
}

/** D16: counts within each parent, in canonical order, among the places given. The root is alone. */
function atPosition(view: View, places: Place[], nth: bigint | 'last'): Place[] {
  const siblings = (place: Place): Place[] =>
    canonical(
      view,
      places.filter((other) => other.parent === place.parent),
    )
  return places.filter((place) =>
    nth === 'last' ? siblings(place).at(-1) === place : siblings(place).indexOf(place) === Number(nth) - 1,
  )
}

/** Document order, with a virtual core at offset 0 among the containers of its parent. */
function canonical(view: View, siblings: Place[]): Place[] {
  const real = sortByDocument(view, siblings.filter(isReal))
  const virtual = siblings.filter((place) => !isReal(place))
  const before = real.filter((place) => offsetOf(place) < 0n)
  return virtual.length === 0 ? real : [...before, ...virtual, ...real.slice(before.length)]
}

// ---------------------------------------------------------------------------------------------------------- conditions

function holds(view: View, place: Place, condition: Exclude<Condition, { kind: 'position' }>): boolean {
  switch (condition.kind) {
    case 'region':
      return place.region === condition.region
    case 'type':
      return isOfType(view, place, typeName(view, condition.name))
    case 'handle':
      return read(view, place, view.dialect === '1.0' ? 'key' : 'id') === condition.text
    case 'tag':
      return ((read(view, place, 'tags') as unknown[] | null) ?? []).includes(condition.tag)
    case 'present':
      return read(view, place, condition.name) !== null
    case 'behavior': {
      const ttl = read(view, place, 'ttl')
      if (ttl === null) return false
      return condition.name === 'ephemeral' ? Number(ttl) <= 1 : Number(read(view, place, 'cad')) === 1
    }
    case 'compare': {
      const { name, operator, literals, list } = condition
      const test = (one: '=' | typeof operator, index: number): boolean => {
        const literal = literals[index]!
        if (name === 'nodeType' && view.dialect === '1.0' && literal.kind !== 'null' && (one === '=' || one === '!=')) {
          return isOfType(view, place, literal.text) === (one === '=')
        }
        return compareValue(name, read(view, place, name), one, literal)
      }
      if (!list) return test(operator, 0)
      const member = literals.some((_literal, index) => test('=', index))
      return operator === '=' ? member : !member
    }
    case 'side':
      return onSide(place, condition.side)
    case 'depth':
      return (
        isReal(place) &&
        place.class === 'seg' &&
        isDepthAnchor(place) &&
        condition.ranges.some(({ from, to }) => place.depth! >= from && place.depth! <= to)
      )
    default:
      return unreachable(condition)
  }
}

const CLASS_NAMES: Readonly<Record<string, Class>> = Object.assign(Object.create(null) as Record<string, Class>, {
  seg: 'seg',
  mt: 'seg',
  cont: 'cont',
  mc: 'cont',
  block: 'block',
  cb: 'block',
} satisfies Record<string, Class>)

/** In 1.0 `.anything:x` is `.x` (D14). */
function typeName(view: View, token: string): string {
  return view.dialect === '1.0' ? token.slice(token.lastIndexOf(':') + 1) : token
}

function isOfType(view: View, place: Place, name: string): boolean {
  const named = CLASS_NAMES[name]
  if (named !== undefined) return place.class === named
  if (place.node === undefined) return false
  const nodeType = place.node['nodeType'] as string
  if (view.dialect === '0.1' || name.includes(':')) return nodeType === name
  const names = [nodeType, nodeType.slice(nodeType.lastIndexOf(':') + 1)]
  if (typeof place.node['type'] === 'string') names.push(place.node['type'])
  return names.some((whole) => whole === name || whole.split('.').includes(name))
}

/** An attribute by the name the documents give it; what is missing reads null. */
function read(view: View, place: Place, name: string): unknown {
  if (place.node === undefined) return name === 'offset' ? 0 : null
  switch (name) {
    case 'depth':
      return place.depth ?? null
    case 'born_turn':
      return place.node['cycle']
    case 'age':
      return view.cycle! - Number(place.node['cycle'])
    case 'tag':
    case 'tags': {
      const tags = tagsOf(place.node)
      return tags.length === 0 ? null : tags
    }
    case 'children':
      return null
    default:
      if (Object.hasOwn(place.node, name)) return place.node[name] ?? null
      return name.includes('.') ? readInside(view, place, name) : null
  }
}

/** N139: the texts in `tags`, then those of `tag` (a text or a list), each once. */
export function tagsOf(node: Readonly<Record<string, unknown>>): string[] {
  const all: unknown[] = []
  for (const name of ['tags', 'tag'])
    all.push(...(Array.isArray(node[name]) ? (node[name] as unknown[]) : [node[name]]))
  return all.filter((each, i): each is string => typeof each === 'string' && all.indexOf(each) === i)
}

/** D53: `content.command` by keys and indexes from an attribute on; only what is there by its own name, else null. */
function readInside(view: View, place: Place, name: string): unknown {
  const [attribute, ...steps] = name.split('.')
  let value = read(view, place, attribute!)
  for (const step of steps) {
    const isKey = typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, step)
    const isIndex = Array.isArray(value) && String(Number(step)) === step && Object.hasOwn(value, step)
    value = isKey || isIndex ? (value as Record<string, unknown>)[step] : null
  }
  return value ?? null
}

// --------------------------------------------------------------------------------------------------------------- orders

export function sortByDocument(view: View, places: readonly Place[]): Place[] {
  const rank = new Map([view.root, ...belowWithVirtual(view.root)].map((place, index) => [place, index]))
  return places.toSorted((a, b) => rank.get(a)! - rank.get(b)!)
}

function testsOneKey(condition: Condition): boolean {
  if (condition.kind === 'handle') return true
  return (
    condition.kind === 'compare' &&
    condition.name === 'key' &&
    condition.operator === '=' &&
    !condition.list &&
    condition.literals[0]!.kind !== 'null'
  )
}

/** 001 §3.5.2 as D20 reads it: depth descending, without depth last, newest first, then id. */
function compareSameKey(a: Place, b: Place): number {
  if (a.node === undefined || b.node === undefined) return 0 // a virtual core has no key
  if (a.depth !== b.depth) return (b.depth ?? -2) - (a.depth ?? -2)
  return (
    compareBig(integer(b.node['created_at_ns']), integer(a.node['created_at_ns'])) ||
    compareBig(integer(b.node['creation_index']), integer(a.node['creation_index'])) ||
    compareCodePoints(idOf(a), idOf(b))
  )
}

/** Document order between two trees: the regions in their order, below them the order of siblings, level by level. */
export function compareAcross(a: Place, b: Place): number {
  const [left, right] = [lineage(a), lineage(b)]
  for (const [level, one] of left.entries()) {
    const other = right[level]
    if (other === undefined) return 1
    const regions = ['^root', '^sys', '^seq', '^ah']
    const order =
      one.region === undefined || other.region === undefined
        ? compareSiblings(one.node!, other.node!)
        : regions.indexOf(one.region) - regions.indexOf(other.region)
    if (order !== 0) return order
  }
  return left.length - right.length
}

/** True if the lineage of one place begins with that of another, by what orders them. */
export function isAbove(upper: Place, lower: Place): boolean {
  const from = lineage(upper)
  const to = lineage(lower)
  return from.length < to.length && compareAcross(upper, to[from.length - 1]!) === 0
}

/** The places from the root down to this one. */
function lineage(place: Place): Place[] {
  return [...(place.parent === undefined ? [] : lineage(place.parent)), place]
}

function compareSiblings(a: OracleTree, b: OracleTree): number {
  return (
    compareBig(integer(a['offset']), integer(b['offset'])) ||
    compareBig(integer(a['created_at_ns']), integer(b['created_at_ns'])) ||
    compareBig(integer(a['creation_index']), integer(b['creation_index'])) ||
    compareCodePoints(String(a['id']), String(b['id']))
  )
}

export function compareBig(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

// ---------------------------------------------------------------------------------------------------------------- trees

export function isReal(place: Place): boolean {
  return place.node !== undefined
}

export function idOf(place: Place): string {
  return place.node!['id'] as string
}

export function offsetOf(place: Place): bigint {
  return place.node === undefined ? 0n : integer(place.node['offset'])
}

function integer(value: unknown): bigint {
  return BigInt(value as number | bigint)
}

export function below(place: Place): Place[] {
  return place.children.flatMap((child) => [child, ...below(child)])
}

function belowWithVirtual(place: Place): Place[] {
  return childrenWithVirtual(place).flatMap((child) => (isReal(child) ? [child, ...belowWithVirtual(child)] : [child]))
}

/** The children of a place and, behind them, its virtual core: D12's rule asked each time, one object per parent. */
function childrenWithVirtual(place: Place): Place[] {
  const core = virtualCoreOf(place)
  return core === undefined ? place.children : [...place.children, core]
}

const VIRTUAL_CORES = new WeakMap<Place, Place>()

export function virtualCoreOf(place: Place): Place | undefined {
  if (!isReal(place) || !(place.class === 'seg' || place.region === '^ah')) return undefined
  const atZero = place.children.filter((child) => offsetOf(child) === 0n)
  if (atZero.length === 0 || atZero.some((child) => child.class === 'cont')) return undefined
  const core = VIRTUAL_CORES.get(place) ?? {
    node: undefined,
    parent: place,
    children: atZero,
    class: 'cont',
    region: undefined,
    depth: undefined,
    offsets: [],
    level: place.level + 1,
  }
  VIRTUAL_CORES.set(place, core)
  return core
}

function placeRoot(tree: OracleTree): Place {
  const root = placeAt(tree, undefined, 'region', '^root')
  const regions = (['^sys', '^seq', '^ah'] as const).map((name) => {
    const node = childNodes(tree).find((child) => child['nodeType'] === name)
    if (node === undefined) throw new Error(`The tree has no ${name}.`)
    return placeAt(node, root, 'region', name)
  })
  root.children = regions
  for (const region of regions) {
    if (region.region === '^sys') region.depth = -1
    if (region.region === '^ah') region.depth = 0
    placeChildren(region)
  }
  return root
}

function placeChildren(parent: Place): void {
  const nodes = childNodes(parent.node!).toSorted(compareSiblings)
  parent.children = nodes.map((node, index) => {
    const place = placeAt(node, parent, classOf(node, parent.region === '^seq'), undefined)
    if (parent.region === '^seq') place.depth = nodes.length - index
    else if (parent.depth !== undefined) {
      place.depth = parent.depth
      place.offsets = [...parent.offsets, offsetOf(place)]
    }
    return place
  })
  for (const child of parent.children) placeChildren(child)
}

function placeAt(node: OracleTree, parent: Place | undefined, ofClass: Class, region: Region | undefined): Place {
  const level = parent === undefined ? 0 : parent.level + 1
  return { node, parent, children: [], class: ofClass, region, depth: undefined, offsets: [], level }
}

function childNodes(node: OracleTree): readonly OracleTree[] {
  return (node['children'] ?? []) as readonly OracleTree[]
}

/** D14: by a canonical name or prefix, else by shape. */
function classOf(node: OracleTree, underSequence: boolean): Class {
  const prefix = (node['nodeType'] as string).split(':')[0]!
  return CLASS_NAMES[prefix] ?? (underSequence ? 'seg' : node['children'] === undefined ? 'block' : 'cont')
}

function unreachable(value: never): never {
  throw new Error(`Unforeseen: ${JSON.stringify(value)}`)
}

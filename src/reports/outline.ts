// A view as text for people: one line for each node, with its address, its role, its ttl and the beginning of its content.
// However large the tree, the text is small: old segments are counted, not listed, and long lists are cut in the middle.

import { checkOptions, type OptionRule } from '../errors/index.js'
import {
  countText,
  labelOf,
  numberText,
  oneLine,
  previewOf,
  ttlText,
  withoutMedia,
  zoneOfOffset,
  type Dialect,
  type JsonValue,
  type NodeRecord,
  type Zone,
} from '../core/index.js'
import {
  Branch,
  childrenOf,
  coordinateOf,
  nodeView,
  recordOf,
  walkNodes,
  type TreeNode,
  type View,
} from '../timeline/index.js'
import { estimate } from '../tokens/index.js'

/** The kind of a piece of a line, for painting. */
export type OutlineStyle = 'plain' | 'bold' | 'dim' | 'place' | 'time'
export type OutlineSpan = readonly [style: OutlineStyle, text: string]
export type OutlineLine = readonly OutlineSpan[]

/** The amount to draw; Infinity draws everything. */
export type OutlineOptions = Readonly<{
  /** The number of sealed segments to list, counted from the newest; 6 by default. */
  segments?: number | undefined
  /** The number of these that are drawn with their nodes; 2 by default. */
  full?: number | undefined
  /** The number of children to draw of any other node, half of them from either end; 20 by default. */
  children?: number | undefined
  /** The largest number of lines about nodes; 200 by default. */
  lines?: number | undefined
  /** The number of characters to show of a content; 60 by default. */
  preview?: number | undefined
}>

type Limits = Readonly<{ [K in keyof OutlineOptions]-?: number }>

const USUAL: Limits = { segments: 6, full: 2, children: 20, lines: 200, preview: 60 }

const AMOUNT: OptionRule = {
  form: 'a number from 0 up',
  allows: (value) => typeof value === 'number' && value >= 0,
}
const RULES = Object.fromEntries(Object.keys(USUAL).map((name) => [name, AMOUNT]))

/** Draws the regions and their nodes. */
export function outlineOf(view: View, options: OutlineOptions = {}): readonly OutlineLine[] {
  checkOptions(options, RULES, '{ lines: 50 }')
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  return Object.freeze(new Drawing(view, { ...USUAL, ...Object.fromEntries(given) }).draw())
}

/** The outline as one text. */
export function outlineText(view: View, options?: OutlineOptions): string {
  return outlineOf(view, options).map(lineText).join('\n')
}

function lineText(line: OutlineLine): string {
  return line
    .map(([, text]) => text)
    .join('')
    .trimEnd()
}

/** Wide enough for the deepest usual branch and its coordinate, so that the columns to the right line up. */
const BRANCH = 23
const LABEL = 15
const TTL = 8
const TOKENS = 10
const KEY = 24

/** A segment with more nodes than this is counted, not measured. */
const MEASURED = 1_000

class Drawing {
  readonly #view: View
  readonly #limits: Limits
  readonly #lines: OutlineLine[] = []
  #left: number

  constructor(view: View, limits: Limits) {
    this.#view = view
    this.#limits = limits
    this.#left = limits.lines
  }

  draw(): OutlineLine[] {
    const { regions } = this.#view.tree
    for (const [at, region] of regions.entries()) {
      const isLast = at === regions.length - 1
      const { nodeType } = region.record
      this.#add(['dim', isLast ? '└─ ' : '├─ '], ['bold', nodeType.padEnd(6)], ['dim', aboutRegion(region)])
      const indent = isLast ? '   ' : '│  '
      if (nodeType === '^seq') this.#segments(region, indent)
      else this.#children(region, indent, undefined)
    }
    return this.#lines
  }

  /** Oldest first, as in the tree; the newest are usually wanted. */
  #segments({ children }: Branch, indent: string): void {
    const { segments, full } = this.#limits
    const skipped = Math.max(0, children.size - segments)
    if (skipped > 0) this.#rest(indent, skipped, 'older segment', skipped < children.size)
    for (let at = skipped; at < children.size; at++) {
      this.#subtree(children.at(at)!, indent, at === children.size - 1, undefined, children.size - at > full)
    }
  }

  #children(parent: Branch, indent: string, zone: Zone | undefined): void {
    const { children, record } = parent
    const { size } = children
    const room = Math.min(this.#limits.children, this.#left)
    // The middle of a list is left out: both ends say more than the beginning alone.
    const before = size <= room ? size : Math.ceil(room / 2)
    const after = size <= room ? 0 : Math.floor(room / 2)
    for (let at = 0; at < size; at++) {
      if (at === before && before + after < size) {
        at = size - after
        this.#rest(indent, size - before - after, 'more node', after > 0)
        if (after === 0) return
      }
      const child = children.at(at)!
      const hasZones = record.nodeType === '^ah' || record.nodeClass === 'seg'
      const below = hasZones ? zoneOfOffset(recordOf(child).offset) : zone
      this.#subtree(child, indent, at === size - 1, below, false)
    }
  }

  #subtree(node: TreeNode, indent: string, isLast: boolean, zone: Zone | undefined, isFolded: boolean): void {
    this.#left = Math.max(0, this.#left - 1)
    const branch = `${indent}${isLast ? '└─ ' : '├─ '}`
    this.#add(
      ['dim', branch],
      ['place', `${oneLine(coordinateOf(this.#view, recordOf(node)))} `.padEnd(BRANCH - branch.length)],
      ...this.#about(node, zone, isFolded),
    )
    if (node instanceof Branch && !isFolded) this.#children(node, `${indent}${isLast ? '   ' : '│  '}`, zone)
  }

  #about(node: TreeNode, zone: Zone | undefined, isFolded: boolean): OutlineSpan[] {
    const record = recordOf(node)
    if (record.nodeClass === 'seg') {
      const about = aboutSegment(this.#view, node)
      return [
        ['plain', 'segment '],
        ['dim', isFolded ? `${about} …` : about],
      ]
    }
    // A container that says nothing of its own is named by the zone it makes.
    const isBare = node instanceof Branch && labelOf(record) === ''
    const label = isBare ? (zone ?? oneLine(record.nodeType)) : labelOf(record, zone)
    const { key } = record.rare ?? NO_HEADERS
    if (isBare && record.ttl === null && record.content === undefined && key === undefined) return [['plain', label]]
    const size = record.content === undefined ? '' : tokenText(tokensAbout(this.#view, node))
    return [
      ['plain', oneLine(label, LABEL - 1).padEnd(LABEL)],
      ['time', ttlText(this.#view.ttlOf(record)).padEnd(TTL)],
      ['dim', `${size.padStart(TOKENS)}  `],
      ['place', key === undefined ? '' : `#${oneLine(key, KEY)} `],
      ['plain', previewOf(record, this.#limits.preview)],
    ]
  }

  #rest(indent: string, amount: number, noun: string, goesOn: boolean): void {
    this.#add(['dim', `${indent}${goesOn ? '├─ ' : '└─ '}… ${countText(amount, noun)}`])
  }

  #add(...line: OutlineSpan[]): void {
    this.#lines.push(Object.freeze(line.map((span) => Object.freeze(span))))
  }
}

function aboutRegion({ record, children }: Branch): string {
  const empty = children.size === 0 ? 'empty, ' : ''
  if (record.nodeType === '^sys') return `depth -1, the system: ${empty}it is above every turn`
  if (record.nodeType === '^seq') return `${countText(children.size, 'sealed segment')}, oldest first`
  return `depth 0, the active head: ${empty}the next turn is written here`
}

function aboutSegment(view: View, node: TreeNode): string {
  const { cycle } = recordOf(node)
  const depth = view.depthOf(recordOf(node))
  const { count } = childrenOf(node)
  if (count > MEASURED) return `depth ${depth}, cycle ${cycle}, ${countText(count, 'node')}`
  const blocks = [...walkNodes(node)].filter((each) => recordOf(each).nodeClass === 'block')
  const tokens = blocks.reduce((total, block) => total + tokensAbout(view, block), 0)
  return `depth ${depth}, cycle ${cycle}, ${countText(blocks.length, 'block')}, ${tokenText(tokens)}`
}

/** An estimate, since drawing a tree runs no code of the caller. */
function tokensAbout(view: View, node: TreeNode): number {
  const { content } = recordOf(node)
  if (content === undefined || content === null) return 0
  const said = withoutMedia(content)
  return estimate(typeof said === 'string' ? said : JSON.stringify(said, withNumbers), nodeView(view, node))
}

function withNumbers(_name: string, value: JsonValue): JsonValue {
  return typeof value === 'bigint' ? Number(value) : value
}

function tokenText(tokens: number): string {
  return `~${numberText(tokens)} tok`
}

const NO_HEADERS: NonNullable<NodeRecord['rare']> = {}

type About = Readonly<{ id: string; dialect: Dialect; cycle: number; snapshots: number }>

/** The context in one line with the size of each region, then the working state. */
export function contextText({ id, dialect, cycle, snapshots }: About, working: View): string {
  const regions = working.tree.regions.map(
    ({ record, children }) => `${record.nodeType} ${countText(children.count, 'node')}`,
  )
  const past = snapshots === 0 ? 'nothing committed yet' : countText(snapshots, 'snapshot')
  const head = `Context ${oneLine(id)} (dialect ${dialect}): cycle ${cycle} is open, ${past}; ${regions.join(', ')}`
  return `${head}\n${outlineText(working)}`
}

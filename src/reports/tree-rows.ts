// A tree as rows for a screen: a window of them, marked against another tree, with departed nodes in their places.

import { compactedOf, defined, shedOf, traceLine, type Lens, type NodeRecord } from '../core/index.js'
import { Branch, childrenOf, lineOf, recordOf, sortByPlace, type TreeNode, type View } from '../timeline/index.js'
import { loggedChanges, type DiffCause } from '../diff/index.js'
import type { TokenCounts } from '../commit/index.js'
import { toolOf } from './call-pair.js'
import { redactionOf } from './explain.js'
import { ruleFor, zoneIn } from './place.js'
import { childRows, RowWindow, segmentsOf, type Row } from './rows.js'
import type { ReportSource } from './source.js'

export type TreeRowsInput = Readonly<{
  at: Lens
  from: Lens | undefined
  open: readonly string[] | 'all'
  closed: readonly string[]
  row: number
  rows: number
  find: string | undefined
  ghosts: boolean
  /** The ids that are marked as found; and whether only these are shown, with the turns that hold them. */
  matches: readonly string[] | undefined
  only: boolean
}>

/** The number of characters of a content in a row. */
const TEXT = 200
/** The number of row numbers to list. */
const LISTED = 1000
/** Turns with marks are open by themselves, up to this many. */
const OPENED = 40
/** The number of departed nodes to show. */
const GHOSTS = 20_000
/** The number of keys of a closed turn to list. */
const KEYS = 8

/** The rows as data; the answer of the endpoint (`TREE` in api/tree-answers.ts) says what each field means. */
export function treeRows({ trees, tokens }: ReportSource, input: TreeRowsInput): ReturnType<TreeScreen['show']> {
  const [older, view] = input.from === undefined ? [undefined, trees.of(input.at)] : trees.pair(input.from, input.at)
  return tokens.reading(() => new TreeScreen(view, older, tokens.counts, input).show())
}

/** The mark of a node against the earlier tree; for one that left, the limit that took it or the node that replaced it. */
type NodeMark = Readonly<{ mark: '' | '+' | '-' | '~'; cause?: DiffCause; rule?: string; heir?: string }>

class TreeScreen {
  readonly #view: View
  readonly #older: View | undefined
  readonly #counts: TokenCounts
  readonly #input: TreeRowsInput
  readonly #marks = new Map<string, NodeMark>()
  readonly #left = new Map<string, Readonly<{ record: NodeRecord; cause: DiffCause }>>()
  /** Turns of the older tree that have another name in this one. */
  readonly #joined = new Map<string, string>()
  readonly #matches: ReadonlySet<string>

  constructor(view: View, older: View | undefined, counts: TokenCounts, input: TreeRowsInput) {
    this.#view = view
    this.#older = older
    this.#counts = counts
    this.#input = input
    this.#matches = new Set(input.matches)
    if (older === undefined) return
    for (const { what, record, cause } of loggedChanges(older, view, true)) {
      if (what === 'removed') this.#left.set(record.id, { record, cause })
      else this.#marks.set(record.id, { mark: what === 'added' ? '+' : '~', cause })
    }
    if (older.isOpen && !older.isWorking) this.#joinTurns(older.cycle)
  }

  /** A cycle that was sent before it was committed sealed its turn under another name each time: it is one turn all the same. */
  #joinTurns(cycle: number): void {
    const isTurn = ({ nodeClass, cycle: made }: NodeRecord): boolean =>
      (nodeClass === 'seg' || nodeClass === 'core') && made === cycle
    const came = [...this.#marks.keys()].map((id) => this.#view.find(id)!).filter(isTurn)
    for (const { record } of [...this.#left.values()].filter((each) => isTurn(each.record))) {
      const same = came.find(({ nodeClass }) => nodeClass === record.nodeClass)
      if (same === undefined) continue
      this.#left.delete(record.id)
      this.#marks.delete(same.id)
      this.#joined.set(record.id, same.id)
    }
  }

  show() {
    const { at, from, matches, only, row, rows, find } = this.#input
    const window = this.#window()
    const listed = only && matches !== undefined ? this.#onlyMatches(matches) : undefined
    const shown = listed?.slice(row, row + rows) ?? window.rows(row, rows)
    const found = find === undefined ? undefined : this.#rowOf(window, find)
    const newest = segmentsOf(this.#view).last
    const marked = [...this.#marks.keys()].filter((id) => this.#isRow(id))
    return defined({
      at: { lens: at, cycle: this.#view.cycle },
      from: from && { lens: from, cycle: this.#older!.cycle },
      total: listed?.length ?? window.total,
      rows: shown.map((each) => this.#shown(each)),
      changed: from && this.#rowsOf(window, marked),
      newest: newest && window.rowOf(recordOf(newest)),
      matches: matches?.length,
      matched: listed?.flatMap((each) => this.#ifMatch(each)) ?? (matches && this.#rowsOf(window, matches)),
      found,
    })
  }

  /** A core has no row of its own. */
  #isRow(id: string): boolean {
    return this.#view.find(id)?.nodeClass !== 'core'
  }

  #ifMatch({ node, row }: Row): readonly number[] {
    return this.#matches.has(recordOf(node).id) && row < LISTED ? [row] : []
  }

  #rowOf(window: RowWindow, id: string): number | undefined {
    const record = this.#view.find(id)
    return record && window.rowOf(record)
  }

  #rowsOf(window: RowWindow, ids: readonly string[]): readonly number[] {
    const rows = ids.slice(0, 4 * LISTED).flatMap((id) => this.#rowOf(window, id) ?? [])
    return [...new Set(rows)].sort((a, b) => a - b).slice(0, LISTED)
  }

  #window(): RowWindow {
    const { open, closed, find, ghosts } = this.#input
    const isAllOpen = open === 'all'
    const opened = new Set(isAllOpen ? [] : open)
    const shut = new Set(closed)
    const newest = segmentsOf(this.#view).last
    const turns = this.#markedTurns()
    for (const id of turns.length > OPENED ? [] : turns) opened.add(id)
    if (newest !== undefined) opened.add(recordOf(newest).id)
    for (const id of shut) opened.delete(id)
    const wanted = find === undefined ? undefined : this.#view.find(find)
    if (wanted !== undefined && wanted.nodeClass !== 'root') {
      for (const { id } of lineOf(this.#view, wanted).slice(0, -1)) {
        opened.add(id)
        shut.delete(id)
      }
    }
    return new RowWindow(this.#view, {
      open: opened,
      closed: shut,
      isAllOpen,
      ghosts: ghosts ? this.#ghosts() : [],
      causeOf: ({ id }) => this.#left.get(id)!.cause,
    })
  }

  /** The turns in which something has a mark. */
  #markedTurns(): readonly string[] {
    const turns = new Set<string>()
    for (const id of this.#marks.keys()) {
      const record = this.#view.find(id)!
      if (record.nodeClass === 'root' || record.nodeClass === 'seg') continue
      const [region, turn] = lineOf(this.#view, record)
      if (region!.nodeType === '^seq' && turn !== undefined) turns.add(turn.id)
      if (turns.size > OPENED) break
    }
    for (const { record } of this.#left.values()) {
      if (turns.size > OPENED) break
      for (let up = record.parentId; up !== undefined;) {
        const above: NodeRecord | undefined = this.#view.find(up)
        if (above?.nodeClass === 'seg') turns.add(above.id)
        up = above?.parentId
      }
    }
    return [...turns]
  }

  #ghosts(): readonly NodeRecord[] {
    const records = Array.from(this.#left.values(), ({ record }) => record).slice(0, GHOSTS)
    if (this.#older === undefined) return []
    return sortByPlace(this.#older, records).map((record) => {
      const parent = this.#joined.get(record.parentId ?? '')
      return parent === undefined ? record : record.movedTo(parent, record.born)
    })
  }

  /** The matches, each under the turn or region that holds it. */
  #onlyMatches(matches: readonly string[]): readonly Row[] {
    const rows: Row[] = []
    const records = matches.flatMap((id) => this.#view.find(id) ?? [])
    let group: NodeRecord | undefined
    for (const record of sortByPlace(this.#view, records)) {
      if (record.nodeClass === 'root') continue
      const [region, turn] = lineOf(this.#view, record)
      const top = region!.nodeType === '^seq' && turn !== undefined ? turn : region!
      const level = top === region ? 1 : 2
      if (top !== group) rows.push(this.#plainRow(rows.length, top, level, true))
      group = top
      if (record !== top) rows.push(this.#plainRow(rows.length, record, level + 1, undefined))
    }
    return rows
  }

  #plainRow(row: number, record: NodeRecord, level: number, isOpen: boolean | undefined): Row {
    return { row, node: this.#view.nodeOf(record), isGhost: false, level, index: 1, size: 1, isOpen }
  }

  #shown({ row, node, isGhost, level, index, size, isOpen, holders, gone, run }: Row) {
    const view = isGhost ? this.#older! : this.#view
    const { id } = recordOf(node)
    const record = isGhost ? this.#left.get(id)!.record : recordOf(node)
    const { nodeClass, nodeType, offset, role, kind, rare, tags } = record
    const isTurn = nodeClass === 'seg'
    const said = gone !== undefined ? gone[0] : isTurn && isOpen === false ? firstSaid(node) : record
    const text = said === undefined ? '' : traceLine(said, TEXT)
    const redacted = redactionOf(record)
    return defined({
      row,
      id,
      level,
      index,
      size,
      kind: nodeClass === 'root' ? 'region' : nodeClass,
      nodeType,
      zone: zoneIn(view, record) ?? ('' as const),
      offset: holders?.[0]?.offset ?? offset,
      holders: holders?.map((each) => each.id),
      ...(isTurn ? this.#aboutTurn(node, isOpen === false) : {}),
      run: run && { turns: run.length, to: run.at(-1)!.cycle },
      role: role ?? holders?.at(-1)?.role,
      says: said?.kind ?? kind,
      name: toolOf(view, said ?? record),
      key: rare?.key,
      tags: tags.length === 0 ? undefined : tags,
      ttl: view.ttlOf(record) ?? undefined,
      cad: rare?.cad,
      pinned: rare?.pinned === true ? (true as const) : undefined,
      refs: rare?.refs,
      text,
      cut: text.endsWith('…'),
      tokens:
        gone?.reduce((sum, each) => sum + this.#counts.ofNode(each, view), 0) ??
        this.#tokensOf(node, view, isOpen === false),
      reason: redacted?.reason?.slice(0, TEXT),
      author: redacted?.author?.slice(0, TEXT),
      shed: shedOf(record) === undefined ? undefined : (true as const),
      standsFor: compactedOf(record)?.nodes.filter(({ of }) => of === undefined).length,
      open: view.isOpen && record.born === view.cycle ? (true as const) : undefined,
      ...this.#markOf([id, ...(holders ?? []).map((each) => each.id)], isGhost),
      isOpen,
      children: isGhost ? (gone?.length ?? 0) : childRows(node),
      matches: this.#matches.has(id) ? (true as const) : undefined,
    })
  }

  #aboutTurn(node: TreeNode, isClosed: boolean) {
    const record = recordOf(node)
    const depth = this.#view.find(record.id) === undefined ? undefined : this.#view.depthOf(record)
    const children = isClosed ? Array.from(childrenOf(node), recordOf) : []
    const keys = children.flatMap(({ rare }) => rare?.key ?? []).slice(0, KEYS)
    return defined({ depth, cycle: record.cycle, keys: keys.length === 0 ? undefined : keys })
  }

  #tokensOf(node: TreeNode, view: View, isClosed: boolean): number {
    const { nodeClass } = recordOf(node)
    // A turn and a region have no content of their own, so their nodes count.
    const isWhole = isClosed || nodeClass === 'region' || nodeClass === 'seg'
    return isWhole && node instanceof Branch ? this.#counts.ofBranch(node, view) : this.#counts.ofNode(node, view)
  }

  /** The mark of a node, or else of a container that is folded into its row. */
  #markOf(ids: readonly string[], isGhost: boolean): NodeMark {
    const id = ids[0]!
    if (!isGhost) return ids.map((each) => this.#marks.get(each)).find((each) => each !== undefined) ?? { mark: '' }
    const { cause } = this.#left.get(id)!
    const gone = this.#view.departureOf(id)
    const rule = gone && cause === 'pruned' ? ruleFor(id, gone.born, this.#view) : undefined
    return defined({ mark: '-' as const, cause, rule, heir: gone?.successor })
  }
}

/** The first content of a turn: of its core, or else of any zone. */
function firstSaid(turn: TreeNode): NodeRecord | undefined {
  let other: NodeRecord | undefined
  for (const child of childrenOf(turn)) {
    const said = firstOf(child)
    if (recordOf(child).offset === 0 && said !== undefined) return said
    other ??= said
  }
  return other
}

function firstOf(node: TreeNode): NodeRecord | undefined {
  const record = recordOf(node)
  if (record.isRendered) return record
  for (const child of childrenOf(node)) {
    const found = firstOf(child)
    if (found !== undefined) return found
  }
  return undefined
}

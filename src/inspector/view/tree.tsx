// The tree as rows. Only visible rows are in the DOM, and only rows near them are loaded.

import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Tree, TreeRow } from '../../api/index.js'
import type { Session } from '../state/session.js'
import { fetchAnswer, useRead } from '../state/reads.js'
import { useActions } from './actions.js'
import { nameOf } from './bits.js'
import { matchedTurnsAsk, treeAsk } from './tree-ask.js'
import { Row } from './tree-row.js'
import { Loading } from './states.js'
import { useNarrow } from './use-narrow.js'
import { useSession } from './use-session.js'
import { Untold } from './untold.js'
import { useVirtual } from './use-virtual.js'

/** Rows are loaded in pages, so that a small scroll loads nothing. */
const STRETCH = 50

export function TreeView(): JSX.Element {
  const session = useSession()
  const { place, tree } = session
  const { pick } = useActions()
  const box = useRef<HTMLDivElement>(null)
  const isNarrow = useNarrow()
  const height = isNarrow ? 46 : 26
  // Only an answer says how many rows there are, and the rows in sight decide what is asked.
  const virtual = useVirtual(box, { count: Infinity, rowHeight: height })
  const start = Math.floor(virtual.from / STRETCH) * STRETCH
  const many = Math.ceil((virtual.to - start) / STRETCH) * STRETCH + STRETCH
  const { value, about, isFresh } = useRead(() => treeAsk(session, start, many))

  const turns = useRead(() => matchedTurnsAsk(session)).value
  useEffect(() => {
    const ids = (turns?.rows ?? []).filter(({ kind }) => kind === 'seg').map(({ id }) => id)
    if (ids.join() !== tree.matched.peek().join()) tree.matched.value = ids
  }, [turns])
  /** The row that stays in sight until the user scrolls or goes to another. */
  const held = useRef<number | null>(null)
  const letGo = (): void => void (held.current = null)
  const shown = useRef(0)
  useEffect(() => {
    const sought = tree.sought.value
    if (sought === null || value === undefined || shown.current === sought.turn) return
    letGo()
    const here = isFresh ? value.rows.find(({ id, holders = [] }) => [id, ...holders].includes(sought.id)) : undefined
    if (here !== undefined) {
      shown.current = sought.turn
      return virtual.show(here.row)
    }
    // The row is not loaded. The server knows its position; loading the rows there completes the scroll.
    void (sought.row === undefined ? rowOf(session, sought.id) : Promise.resolve(sought.row)).then((row) => {
      if (row === undefined) shown.current = sought.turn
      else if (tree.sought.peek() === sought) virtual.show(row)
    })
  }, [tree.sought.value, value])

  // A moment opens at its first change, and a followed one at its newest turn. A change or a chosen node in sight keeps the scroll. Answers that
  // come later make the tree lower: the row stays in sight until the user scrolls. On a narrow page the timeline would scroll away with the tree,
  // so only new commits scroll that page, while it follows.
  const opened = useRef<Readonly<{ moment: string; isFollowing: boolean }>>({ moment: '', isFollowing: false })
  const isFollowing = session.isFollowing.value
  useEffect(() => {
    if (value === undefined || !isFresh) return
    const { context, node } = place.value
    const before = opened.current
    const moment = `${context} ${about?.at}`
    opened.current = { moment, isFollowing }
    const isOther = before.moment !== moment
    if (isOther || (isFollowing && !before.isFollowing)) {
      const isNext = isOther && before.moment.startsWith(`${context} `)
      if (node !== null || (isNarrow && !(isNext && isFollowing))) return letGo()
    } else if (held.current === null) return
    // Changes are counted in rows of the whole tree.
    if (tree.onlyMatches.value) return letGo()
    const { changed = [], newest } = value
    const end = newest ?? 0
    held.current = isFollowing ? (changed.at(-1) ?? end) : (changed.find(virtual.sees) ?? changed[0] ?? end)
  }, [value, isFresh, isFollowing])
  useEffect(() => {
    if (held.current !== null) virtual.show(held.current)
  })

  if (session.isUntold.value) return <Untold />
  if (value === undefined || about === undefined) return <Loading />
  const rows = ghostsFirst(value.rows).filter(({ row }) => row >= virtual.from && row < virtual.to)
  const chosen = rows.find(({ id, holders = [] }) => [id, ...holders].includes(place.value.node ?? ''))

  const move = (event: KeyboardEvent): void => {
    letGo()
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const target = targetOf(event.key, value, place.value.node)
    if (target === undefined) return
    event.preventDefault()
    event.stopPropagation()
    if (typeof target === 'object') return tree.toggle(target.id, target.isOpen)
    void rowAt(session, value, target).then((row) => {
      if (row === undefined) return
      pick(row.id, false)
      tree.seek(row.id, row.row)
    })
  }

  return (
    <div
      class="tree"
      id="tree"
      ref={box}
      role="tree"
      aria-label={`Tree at ${nameOf(about.at)}`}
      aria-busy={!isFresh}
      aria-activedescendant={chosen === undefined ? undefined : `row-${chosen.row}`}
      tabIndex={0}
      data-shows={nameOf(about.at)}
      onKeyDown={move}
      onWheel={letGo}
      onPointerDown={letGo}
    >
      <div class="rows" role="presentation" style={{ height: `${virtual.topOf(value.total)}px` }}>
        {rows.map((row) => (
          <Row key={`${row.row} ${row.id}`} row={row} top={virtual.topOf(row.row)} isChosen={row === chosen} />
        ))}
      </div>
    </div>
  )
}

/** A replaced node is drawn above its successor. */
function ghostsFirst(rows: readonly TreeRow[]): readonly TreeRow[] {
  const sorted = [...rows]
  for (let i = 1; i < sorted.length; i++) {
    const [above, ghost] = [sorted[i - 1]!, sorted[i]!]
    if (ghost.mark !== '-' || ghost.heir !== above.id) continue
    sorted[i - 1] = { ...ghost, row: above.row }
    sorted[i] = { ...above, row: ghost.row }
  }
  return sorted
}

async function rowOf(session: Session, id: string): Promise<number | undefined> {
  const question = treeAsk(session, id, STRETCH)
  const answer = question === null ? undefined : await fetchAnswer(question).catch(() => undefined)
  const { found, rows = [] } = answer ?? {}
  if (found === undefined) return undefined
  // The server opened the ancestors for this answer; ask for them open from now on.
  const owner = rows.findLast((row) => row.isOpen === true && row.kind !== 'region' && row.row < found)
  if (owner !== undefined && !session.tree.opened.peek().includes(owner.id)) session.tree.toggle(owner.id, true)
  return found
}

/** A row by number; past the end, the last row. */
async function rowAt(session: Session, shown: Tree, wanted: number): Promise<TreeRow | undefined> {
  const all = wanted === Infinity ? treeAsk(session, 0, 1) : null
  const total = all === null ? shown.total : (await fetchAnswer(all).catch(() => shown)).total
  const row = Math.min(wanted, total - 1)
  const here = wanted === Infinity ? undefined : shown.rows.find((each) => each.row === row)
  if (here !== undefined) return here
  const question = treeAsk(session, row, STRETCH)
  const found = question === null ? undefined : await fetchAnswer(question).catch(() => undefined)
  return found?.rows.find((each) => each.row === row)
}

/** The target of a key: a row to go to, or a row to open or close. */
function targetOf(
  key: string,
  tree: Tree,
  chosen: string | null,
): number | { id: string; isOpen: boolean } | undefined {
  const row = tree.rows.find(({ id, holders = [] }) => [id, ...holders].includes(chosen ?? ''))
  const last = tree.total - 1
  const at = row?.row ?? -1
  switch (key) {
    case 'ArrowDown':
      return Math.min(last, at + 1)
    case 'ArrowUp':
      return Math.max(0, at - 1)
    case 'Home':
      return 0
    case 'End':
      return Infinity
    case 'ArrowRight':
      if (row?.isOpen === false) return { id: row.id, isOpen: true }
      return Math.min(last, at + 1)
    case 'ArrowLeft':
      if (row?.isOpen === true && row.kind !== 'region') return { id: row.id, isOpen: false }
      return row === undefined ? 0 : parentOf(tree, row)
    default:
      return undefined
  }
}

function parentOf({ rows }: Tree, row: TreeRow): number {
  const above = rows.filter((each) => each.row < row.row && each.level < row.level)
  return above.at(-1)?.row ?? Math.max(0, row.row - row.index)
}

// A conversation that has gone on since it was imported: the steps that are new in it are taken, turn by turn. Where what was imported has been
// edited since, or the file itself has, nothing is.

import { PactError, short } from '../../errors/index.js'
import { canonicalJson } from '../../codec/index.js'
import { createContext } from '../../context/index.js'
import { REDACTION, type JsonValue, type Node } from '../../core/index.js'
import type { StoredContext } from '../../store/index.js'
import { play, type Deed, type Pieces, type Placed } from './play.js'

/** The number of messages added. */
export async function addNew(stored: StoredContext, deeds: readonly Deed[], signal?: AbortSignal): Promise<number> {
  const nodes = stored.cycle === 1 ? [] : messagesOf(stored.snapshot('@t0').root)
  const { done, list } = progressOf(stored.id, deeds, nodes)
  let added = 0
  let at = 0
  const placed = list.map((pieces): Placed => {
    const own = nodes.slice(at, (at += pieces.length))
    return { pieces, ids: own.map(({ id }) => id), cycle: 0 }
  })
  for (const asked of play(stored, deeds.slice(done), placed, (pieces) => (added += pieces.length))) {
    if (asked !== 'commit') continue
    signal?.throwIfAborted()
    await stored.commit()
  }
  if (stored.operations().length > 0) await stored.commit()
  return added
}

type Progress = Readonly<{ done: number; list: readonly Pieces[] }>

/** The number of steps that lead to the stored list, and the list after them; the largest number, if there are several. */
function progressOf(id: string, deeds: readonly Deed[], stored: readonly Node[]): Progress {
  const shapes = stored.map(shapeText)
  const made = shapesIn(deeds)
  const shapesOf = (pieces: Pieces): readonly string[] => made.get(pieces)!
  const list: Pieces[] = []
  let size = 0
  let found: Progress | undefined
  const sizeOf = (all: readonly Pieces[]): number => all.reduce((sum, { length }) => sum + length, 0)
  const isThere = (): boolean =>
    size === shapes.length && list.flatMap(shapesOf).every((shape, i) => shape === shapes[i])
  if (isThere()) found = { done: 0, list: [] }
  for (const [i, deed] of deeds.entries()) {
    const swaps = 'say' in deed ? [{ from: list.length, take: 0, by: [deed.say] }] : deed.swaps
    for (const { from, take, by } of swaps) size += sizeOf(by) - sizeOf(list.splice(from, take, ...by))
    if (isThere()) found = { done: i + 1, list: [...list] }
  }
  if (found !== undefined) return found
  const now = list.flatMap(shapesOf)
  const at = shapes.findIndex((shape, i) => shape !== now[i])
  const message = `The context ${short(id)} no longer begins as the file does: message ${at + 1} is another one, or is not in the file. Import it under another id.`
  throw new PactError('E_CONFLICT', message, { id, message: at })
}

/** The messages of a file as nodes of a context that has nothing else. */
function shapesIn(deeds: readonly Deed[]): ReadonlyMap<Pieces, readonly string[]> {
  const shapes = new Map<Pieces, readonly string[]>()
  const fresh = createContext({ history: 1 })
  for (const asked of play(fresh, deeds, [], (pieces, nodes) => shapes.set(pieces, nodes.map(shapeText)))) {
    if (asked === 'commit') fresh.commit()
  }
  return shapes
}

/** The messages, where imports put them: in `^sys` and in the cores of segments. */
function messagesOf({ children }: Node): readonly Node[] {
  const inRegion = (region: string): readonly Node[] =>
    children.find(({ nodeType }) => nodeType === region)?.children ?? []
  const turns = inRegion('^seq').map((segment) => segment.children.find(({ offset }) => offset === 0)?.children ?? [])
  return [...inRegion('^sys'), ...turns.flat()].filter(({ nodeType }) => !nodeType.endsWith(REDACTION))
}

/** The fields of a message, without the id and the time that its context gave it. */
function shapeText(node: Node): string {
  return canonicalJson(shapeOf(node))
}

function shapeOf({ content, role, kind, removable, attributes, children, nodeType }: Node): JsonValue {
  return {
    ...attributes,
    ...(content === undefined ? {} : { content }),
    ...(role === undefined ? {} : { role }),
    ...(kind === undefined ? {} : { kind }),
    ...(removable ? { removable } : {}),
    ...(nodeType === 'cont' ? { children: children.map(shapeOf) } : {}),
  }
}

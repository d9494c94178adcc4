// Rules about the place of a message in the whole request: system messages, compactions, cache marks, the end.

import type { Piece } from '../conversation/piece.js'
import { inOrder, type PlainObject } from '../conversation/plain-json.js'
import type { Changes } from '../conversation/request-format.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import { blocksIn, messageLike } from './messages.js'

/** Rare things in a piece: a system message, and a compaction or a cache mark somewhere in a message. */
type Rarities = Readonly<{ hasSystem: boolean; hasSpecial: boolean }>

export function raritiesIn(list: readonly PlainObject[]): Rarities {
  let [hasSystem, hasSpecial] = [false, false]
  for (let i = 0; i < list.length; i++) {
    hasSystem ||= list[i]!['role'] === 'system'
    const blocks = blocksIn(list[i]!)
    for (let at = 0; at < blocks.length; at++) {
      hasSpecial ||= isSpecial(blocks[at]!) || blocksIn(blocks[at]!).some(isSpecial)
    }
  }
  return hasSystem || hasSpecial ? { hasSystem, hasSpecial } : NOTHING_RARE
}

const NOTHING_RARE: Rarities = { hasSystem: false, hasSpecial: false }

function anyIn(pieces: readonly Piece[]): Rarities {
  let [hasSystem, hasSpecial] = [false, false]
  for (let i = 0; i < pieces.length; i++) {
    const look = pieces[i]!.look as Rarities
    if (look === NOTHING_RARE) continue
    hasSystem ||= look.hasSystem
    hasSpecial ||= look.hasSpecial
  }
  return { hasSystem, hasSpecial }
}

function isSpecial(block: PlainObject): boolean {
  return isMarked(block) || block['type'] === 'compaction'
}

/** System messages that come before any other, but for those of one turn: they belong to the system text. */
export function leadingSystem(list: readonly PlainObject[]): readonly PlainObject[] {
  const end = list.findIndex(({ role, clear_at: end }) => role !== 'system' || end === 'next_user_message')
  return list.slice(0, end < 0 ? list.length : end).filter((message) => !isDirective(message))
}

/** The messages that change, so that Claude accepts them at their place. `ahead` are the system blocks. */
export function placed(
  list: readonly PlainObject[],
  pieces: readonly Piece[],
  ahead: readonly PlainObject[],
  out: RequestWriter,
): Placed {
  const places = new Places(list, out)
  const { hasSystem, hasSpecial } = anyIn(pieces)
  const leading = hasSystem ? leadingSystem(list) : NO_MESSAGES
  for (const message of leading) places.put(message)
  if (hasSystem) places.moveSystem(new Set(leading), new Set(pieces.flatMap(({ past }) => past)))
  const isMarkable = hasSpecial || ahead.some(isMarked)
  if (isMarkable) places.dropCompactions()
  const system = isMarkable ? places.dropMarks(ahead) : ahead
  places.trimEnd()
  return { changes: places.changes, leading, system }
}

const NO_MESSAGES: readonly PlainObject[] = []

export type Placed = Readonly<{
  changes: Changes
  leading: readonly PlainObject[]
  system: readonly PlainObject[]
}>

class Places {
  readonly changes = new Map<PlainObject, readonly PlainObject[]>()
  readonly #list: readonly PlainObject[]
  readonly #out: RequestWriter

  constructor(list: readonly PlainObject[], out: RequestWriter) {
    this.#list = list
    this.#out = out
  }

  /** Puts a message in the place of another one; without one, the other is left out. */
  put(message: PlainObject, made?: PlainObject): void {
    this.changes.set(message, made === undefined ? [] : [made])
  }

  /**
   * A system message follows a user's and precedes an assistant's or the end; any other becomes a user's. `past` are messages of nodes that have
   * expired: they are hidden from the model by a later message of the user, and left out if none follows.
   */
  moveSystem(leading: ReadonlySet<PlainObject>, past: ReadonlySet<PlainObject>): void {
    const list = this.#list.filter((message) => !leading.has(message))
    const after: unknown[] = []
    for (let at = list.length - 1, role: unknown; at >= 0; at--) {
      after[at] = role
      if (list[at]!['role'] !== 'system') role = list[at]!['role']
    }
    let [before, lastUser] = [undefined as unknown, -1]
    const sentOn: { at: number; message: PlainObject }[] = []
    for (const [at, message] of list.entries()) {
      if (message['role'] !== 'system') before = message['role']
      if (message['role'] === 'user') lastUser = at
      if (message['role'] !== 'system' || isDirective(message)) continue
      // A system message between two users' would be moved, and so would the message before it: it is the user's either way.
      const isRight = before === 'user' && after[at] !== 'user'
      if (past.has(message)) sentOn.push({ at: isRight ? at : Infinity, message })
      if (isRight || past.has(message)) continue
      lastUser = at
      this.#out.noteOf(
        message,
        'moved-system',
        'A system message is sent with the role user: Claude takes none at this place.',
      )
      const content = message['content']
      const texts = typeof content === 'string' ? content : blocksIn(message).filter(({ type }) => type === 'text')
      const made = texts.length === 0 ? undefined : messageLike('user', texts, message, this.#out)
      this.put(message, made && this.#out.like(made, message))
    }
    for (const { at, message } of sentOn) {
      if (at < lastUser) continue
      const text = (id: string): string => `The expired block ${id} is left out: the model would see it.`
      this.#out.noteOf(message, 'left-out', text)
      this.put(message)
    }
  }

  /** The last one that says something stays, and a signed one only as the first block of all. */
  dropCompactions(): void {
    const blocks = this.#list.flatMap((message) => blocksIn(message).filter(({ type }) => type === 'compaction'))
    if (blocks.length === 0) return
    const last = blocks.findLast(({ content }) => typeof content === 'string')
    const [head] = this.#current()
    const first = head === undefined ? undefined : blocksIn(head.now)[0]
    const isRefused = (block: PlainObject): boolean =>
      block['type'] === 'compaction' &&
      ((typeof block['content'] === 'string' && block !== last) ||
        (typeof block['signature'] === 'string' && block !== first))
    this.#eachBlock(
      (block) => (isRefused(block) ? [] : [block]),
      'A summary of the server is left out: another one stands for it, or it is not the first block.',
    )
  }

  /** At most four marks, the last ones, and none that lasts longer than one before it. Gives the system blocks that remain. */
  dropMarks(ahead: readonly PlainObject[]): readonly PlainObject[] {
    const inner = (block: PlainObject): readonly PlainObject[] => [...blocksIn(block), block]
    const blocks = [...ahead, ...this.#current().flatMap(({ now }) => blocksIn(now))].flatMap(inner).filter(isMarked)
    const refused = new Set<PlainObject>()
    let isShort = false
    for (const block of blocks) {
      const isLong = (block['cache_control'] as PlainObject)['ttl'] === '1h'
      if (isLong && isShort) refused.add(block)
      isShort ||= !isLong
    }
    const rest = blocks.filter((block) => !refused.has(block))
    for (const block of rest.slice(0, Math.max(0, rest.length - MOST_MARKS))) refused.add(block)
    if (refused.size === 0) return ahead
    const without = (block: PlainObject): PlainObject => {
      const content = blocksIn(block)
      const isInside = content.some((part) => refused.has(part))
      if (!isInside && !refused.has(block)) return block
      const { cache_control: mark, ...rest } = block
      const made = refused.has(block) || mark === undefined ? rest : { ...rest, cache_control: mark }
      return this.#out.like(inOrder(isInside ? { ...made, content: content.map(without) } : made), block)
    }
    this.#eachBlock(
      (block) => [without(block)],
      'A cache mark is left out: there are four at most, and longer ones come first.',
    )
    return ahead.map(without)
  }

  /** A last message of the assistant may not end in white space. */
  trimEnd(): void {
    const from = this.#list.findLast((message) => this.changes.get(message)?.length !== 0)
    const last = from && (this.changes.get(from)?.[0] ?? from)
    if (last?.['role'] !== 'assistant') return
    const { content } = last
    const blocks = blocksIn(last)
    const block = blocks.at(-1)
    const text = typeof content === 'string' ? content : block?.['type'] === 'text' ? (block['text'] as string) : ''
    if (text === text.trimEnd()) return
    const end = block && this.#out.like(inOrder({ ...block, text: text.trimEnd() }), block)
    const trimmed = end === undefined ? text.trimEnd() : [...blocks.slice(0, -1), end]
    this.#out.noteOf(
      last,
      'converted',
      'The white space at the end of the last message is left out: Claude refuses it there.',
    )
    this.put(from!, this.#out.like(messageLike('assistant', trimmed, last, this.#out), last))
  }

  /** The list so far, with the message that each was. */
  #current(): readonly Readonly<{ from: PlainObject; now: PlainObject }>[] {
    return this.#list.flatMap((from) => (this.changes.get(from) ?? [from]).map((now) => ({ from, now })))
  }

  #eachBlock(change: (block: PlainObject) => readonly PlainObject[], text: string): void {
    for (const { from, now } of this.#current()) {
      const blocks = blocksIn(now)
      const changed = blocks.flatMap(change)
      if (changed.length === blocks.length && changed.every((block, i) => block === blocks[i])) continue
      this.#out.noteOf(now, 'left-out', text)
      const role = now['role'] as 'user'
      this.put(from, changed.length === 0 ? undefined : messageLike(role, Object.freeze(changed), now, this.#out))
    }
  }
}

const MOST_MARKS = 4

function isMarked({ cache_control: mark }: PlainObject): boolean {
  return mark !== undefined && mark !== null
}

/** A system message that only sets the output may be anywhere. */
function isDirective({ role, content, output_config: config }: PlainObject): boolean {
  const isEmpty = content === undefined || (Array.isArray(content) && content.length === 0)
  return role === 'system' && isEmpty && config !== undefined
}

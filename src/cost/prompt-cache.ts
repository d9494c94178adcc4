// The rigorous cache model: providers' rules as they are documented. A trie holds every prefix that was sent, one node for each message; a node
// knows at which of its blocks an entry was written and until when it lives. Requests that begin as the one before cost only what is new in them.

import { commonRun, type CostBlock, type CostMessage } from './messages.js'
import type { CacheRules, Split } from './rules.js'
import type { CacheModel } from './whole-messages.js'

type Prefix = {
  /** The prefixes that are one message longer, by the id of that message. Most have one or none. */
  next: Map<number, Prefix> | undefined
  /** When the entry that ends with a block dies, by the place of the block. Most have none. */
  entries: Map<number, number> | undefined
  /** When the prefix dies, for providers without marks. */
  seenUntil: number
}

/** A message of the current request: its prefix, and what comes before it. */
type Step = Readonly<{ prefix: Prefix; tokens: number; positions: number; lastKind: string }>

/** The end of a block: where it is, and the tokens up to there. */
type CachePlace = Readonly<{ message: number; block: number; tokens: number; position: number }>

/** Marks are put this far apart, so that each is found from the next one. */
const APART = 18

/** The most prefixes in memory. Beyond that only those of the current request stay, which bounds the memory of long sessions. */
const REMEMBERED = 200_000

export class PromptCache implements CacheModel {
  readonly #rules: CacheRules
  readonly #root: Prefix = emptyPrefix()
  #remembered = 0
  #messages: readonly CostMessage[] = []
  #path: Step[] = []
  #total = { tokens: 0, positions: 0, lastKind: '' }

  constructor(rules: CacheRules) {
    this.#rules = rules
  }

  request(messages: readonly CostMessage[], at: number = 0, kept?: number): Split {
    this.#follow(messages, kept)
    return this.#rules.lookBack === undefined ? this.#automatic(at) : this.#marked(this.#rules.lookBack, at)
  }

  /** The end of the prefix that was sent last: equal values mean equal requests. */
  get place(): object {
    return this.#path.at(-1)?.prefix ?? this.#root
  }

  /** The end of the prefix before a message of the request that was sent last. */
  placeBefore(message: number): object {
    return this.#path[message - 1]?.prefix ?? this.#root
  }

  #follow(messages: readonly CostMessage[], kept: number | undefined): void {
    const same = commonRun(this.#messages, this.#path.length, messages, kept)
    const first = this.#path[same]
    if (first !== undefined) {
      this.#total = { tokens: first.tokens, positions: first.positions, lastKind: first.lastKind }
    }
    this.#path.length = same
    this.#messages = messages
    let at = this.#path.at(-1)?.prefix ?? this.#root
    for (let i = same; i < messages.length; i++) {
      const message = messages[i]!
      let prefix = at.next?.get(message.id)
      if (prefix === undefined) {
        prefix = emptyPrefix()
        at.next ??= new Map()
        at.next.set(message.id, prefix)
        this.#remembered += 1
      }
      this.#path.push({ prefix, ...this.#total })
      let { positions, lastKind } = this.#total
      for (const block of message.blocks) {
        positions += opensPosition(block, lastKind) ? 1 : 0
        lastKind = block.kind
      }
      this.#total = { tokens: this.#total.tokens + message.tokens, positions, lastKind }
      at = prefix
    }
    if (this.#remembered > REMEMBERED + messages.length) this.#forget()
  }

  #forget(): void {
    let at = this.#root
    for (const [i, { prefix }] of this.#path.entries()) {
      at.next = new Map([[this.#messages[i]!.id, prefix]])
      at = prefix
    }
    this.#remembered = this.#path.length
  }

  #marked(lookBack: number, at: number): Split {
    const marks = this.#marks()
    let [hit, hitEntry]: [CachePlace | undefined, Prefix | undefined] = [undefined, undefined]
    // Later marks see longer prefixes, so the first hit from the end is the longest.
    for (const mark of marks.toReversed()) {
      for (const place of this.#back(mark, lookBack)) {
        const { prefix } = this.#path[place.message]!
        if ((prefix.entries?.get(place.block) ?? -1) < at) continue
        hit = place
        hitEntry = prefix
        break
      }
      if (hit !== undefined) break
    }
    const until = at + this.#rules.ttl * 1000
    if (hit !== undefined) hitEntry!.entries!.set(hit.block, until)
    const written = marks.filter(({ tokens }) => tokens >= this.#rules.least)
    for (const { message, block } of written) {
      const { prefix } = this.#path[message]!
      prefix.entries ??= new Map()
      prefix.entries.set(block, until)
    }
    const read = hit?.tokens ?? 0
    const end = Math.max(read, written.at(-1)?.tokens ?? 0)
    return { read, write: end - read, plain: this.#total.tokens - end }
  }

  /** Marks behind the system text and behind the last block, and between them every 18 positions, the last ones that there is room for. */
  #marks(): readonly CachePlace[] {
    const { marks = 1 } = this.#rules
    const last = this.#placeAt(this.#total.positions)
    if (last === undefined) return []
    const system = this.#messages.findIndex(({ role }) => role !== 'system')
    const behindSystem = system > 0 ? this.#endOf(system - 1) : undefined
    const found = [last]
    for (let at = Math.floor((last.position - 1) / APART) * APART; at > 0 && found.length < marks - 1; at -= APART) {
      const place = this.#placeAt(at)
      if (place !== undefined && place.tokens > (behindSystem?.tokens ?? 0)) found.push(place)
    }
    if (marks > 1 && behindSystem !== undefined && behindSystem.tokens < last.tokens) found.push(behindSystem)
    return found.toReversed()
  }

  /** The last block at a position. */
  #placeAt(position: number): CachePlace | undefined {
    const path = this.#path
    let [low, high] = [0, path.length - 1]
    // The last message that begins before the position ends it or holds its last block, unless the run goes on in messages after it.
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (path[middle]!.positions < position) low = middle
      else high = middle - 1
    }
    let found: CachePlace | undefined
    for (let message = low; message < path.length && path[message]!.positions <= position; message++) {
      for (const place of this.#placesOf(message)) if (place.position === position) found = place
    }
    return found
  }

  #endOf(message: number): CachePlace | undefined {
    return this.#placesOf(message).at(-1)
  }

  /** The ends of the blocks of a message. The tokens around the message count with its last block. */
  #placesOf(message: number): readonly CachePlace[] {
    const step = this.#path[message]!
    const { blocks, tokens: whole } = this.#messages[message]!
    let { tokens, positions, lastKind } = step
    return blocks.map((block, i) => {
      positions += opensPosition(block, lastKind) ? 1 : 0
      lastKind = block.kind
      tokens = i === blocks.length - 1 ? step.tokens + whole : tokens + block.tokens
      return { message, block: i, tokens, position: positions }
    })
  }

  /** The ends of blocks from a mark backwards, as far as the mark looks. */
  *#back(mark: CachePlace, lookBack: number): Generator<CachePlace> {
    for (let message = mark.message; message >= 0; message--) {
      for (const place of this.#placesOf(message).toReversed()) {
        if (place.position <= mark.position - lookBack) return
        if (place.tokens <= mark.tokens) yield place
      }
    }
  }

  #automatic(at: number): Split {
    const { least, step = 1, ttl } = this.#rules
    let held = 0
    for (const [i, { prefix }] of this.#path.entries()) {
      if (prefix.seenUntil >= at) held = this.#path[i + 1]?.tokens ?? this.#total.tokens
      else if (prefix.seenUntil < 0) break
    }
    for (const { prefix } of this.#path) prefix.seenUntil = at + ttl * 1000
    const whole = Math.floor(held / step) * step
    const read = whole >= least ? whole : 0
    return { read, write: this.#total.tokens - read, plain: 0 }
  }
}

function opensPosition({ kind }: CostBlock, before: string): boolean {
  return kind !== before || (kind !== 'call' && kind !== 'result')
}

function emptyPrefix(): Prefix {
  return { next: undefined, entries: undefined, seenUntil: -1 }
}

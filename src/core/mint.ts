// The source of ids, times and indexes of new nodes (D37). A mint is copied before an edit or a commit and kept only if that succeeds, so a
// failed call uses nothing up.

import { callOption, invalid, PactError, short } from '../errors/index.js'
import { LIMITS } from './limits.js'
import { className, type Dialect, type NamedClass } from './types.js'

/** The description of a node that an id source has to name. */
export type IdRequest = Readonly<{ context: string; cycle: number; index: number; nodeType: string }>

export type IdSource = (request: IdRequest) => string

/** Wall-clock time in nanoseconds, or any other source of rising integers. */
export type Clock = () => bigint

/** The parts of a record that only a mint can give. */
export type Stamp = Readonly<{ id: string; createdAtNs: bigint; creationIndex: number; cycle: number }>

/** A node that needs a stamp. */
export type StampRequest = Readonly<{
  nodeClass: NamedClass
  nodeType: string
  /** For a node that takes another one's place and age: it needs an id and nothing else. */
  age?: Readonly<{ createdAtNs: bigint; creationIndex: number }> | undefined
}>

/** The destination of new nodes, which knows the ids that are taken. */
export type IdHolder = Readonly<{ holds: (id: string) => boolean }>

/** The constants of a context. */
export type MintSources = Readonly<{
  context: string
  dialect: Dialect
  clock: Clock
  ids: IdSource | undefined
  /** The name that ids made in a fork carry, `''` outside forks. */
  fork: string
  /** True if the tree may hold ids that no default source gave; otherwise a default id cannot be taken. */
  hasForeignIds: boolean
}>

/** The counters that every new node advances. */
export type MintCounters = Readonly<{ cycle: number; idsGiven: number; indexesGiven: number; lastNs: bigint }>

export class Mint {
  readonly #sources: MintSources
  #counters: MintCounters
  /** Identities that were given out before and are given again, in order. */
  #again: readonly Stamp[] | undefined

  constructor(sources: MintSources, counters: MintCounters) {
    this.#sources = sources
    this.#counters = counters
  }

  get sources(): MintSources {
    return this.#sources
  }

  get counters(): MintCounters {
    return this.#counters
  }

  copy(): Mint {
    return new Mint(this.#sources, this.#counters)
  }

  /** A copy that gives these identities again, and asks neither the clock nor the caller's id source (D62). */
  giving(stamps: readonly Stamp[]): Mint {
    const copy = new Mint(this.#sources, this.#counters)
    copy.#again = stamps
    return copy
  }

  /** The number of identities that are still to be given again. */
  get left(): number {
    return this.#again?.length ?? 0
  }

  /** A copy that goes on with other counters. */
  from(counters: Omit<MintCounters, 'cycle'>): Mint {
    return new Mint(this.#sources, { ...counters, cycle: this.#counters.cycle })
  }

  /** A copy that asks neither the clock nor the caller's id source, for trees that are only shown (D5). */
  provisional(): Mint {
    return new Mint({ ...this.#sources, ids: undefined, clock: () => this.#counters.lastNs }, this.#counters)
  }

  /** A copy for the next cycle, whose ids and indexes count from 0 again. */
  nextCycle(): Mint {
    const { cycle, lastNs } = this.#counters
    return new Mint(this.#sources, { cycle: cycle + 1, idsGiven: 0, indexesGiven: 0, lastNs })
  }

  /**
   * Gives new nodes their identities, in order. The tree knows the ids that it already holds. Ids are checked before the first
   * clock reading, so that a bad id uses none up.
   */
  stamp(requests: readonly StampRequest[], tree: IdHolder): readonly Stamp[] {
    if (this.#again !== undefined) return this.#giveAgain(requests.length, this.#again)
    const before = this.#counters
    const { ids, hasForeignIds } = this.#sources
    const asked = ids === undefined ? undefined : this.#askForIds(requests, tree)
    const free = ids === undefined && hasForeignIds ? this.#freeIndexes(requests, tree) : undefined
    try {
      return requests.map((request, i) => this.#stampOne(request, asked?.[i], free?.[i]))
    } catch (error) {
      this.#counters = before
      throw error
    }
  }

  #giveAgain(count: number, all: readonly Stamp[]): readonly Stamp[] {
    if (count > all.length) {
      const message = 'The saved edits make more nodes than they did when they were saved.'
      throw new PactError('E_SNAPSHOT_INVALID', message)
    }
    const stamps = all.slice(0, count)
    this.#again = all.slice(count)
    for (const { createdAtNs } of stamps) {
      if (createdAtNs > this.#counters.lastNs) this.#counters = { ...this.#counters, lastNs: createdAtNs }
    }
    return stamps
  }

  #stampOne({ nodeClass, age }: StampRequest, asked: string | undefined, free: number | undefined): Stamp {
    const { cycle, idsGiven, indexesGiven, lastNs } = this.#counters
    const index = free ?? idsGiven
    const id = asked ?? this.#prefixFor(nodeClass) + index
    if (age !== undefined) {
      this.#counters = { cycle, idsGiven: index + 1, indexesGiven, lastNs }
      return { id, createdAtNs: age.createdAtNs, creationIndex: age.creationIndex, cycle }
    }
    const createdAtNs = later(readClock(this.#sources.clock), lastNs)
    this.#counters = { cycle, idsGiven: index + 1, indexesGiven: indexesGiven + 1, lastNs: createdAtNs }
    return { id, createdAtNs, creationIndex: indexesGiven, cycle }
  }

  /** The next numbers that make free ids. */
  #freeIndexes(requests: readonly StampRequest[], tree: IdHolder): readonly number[] {
    let index = this.#counters.idsGiven
    return requests.map(({ nodeClass }) => {
      while (tree.holds(this.#prefixFor(nodeClass) + index)) index++
      return index++
    })
  }

  /** The prefix of ids of a class in this cycle. */
  #prefixFor(nodeClass: NamedClass): string {
    const { fork, dialect } = this.#sources
    return `${className(dialect, nodeClass)}:${fork === '' ? '' : `${fork}:`}${this.#counters.cycle}-`
  }

  #askForIds(requests: readonly StampRequest[], tree: IdHolder): readonly string[] {
    const { cycle, idsGiven } = this.#counters
    const asked = new Set<string>()
    const isTaken = (given: string): boolean => asked.has(given) || tree.holds(given)
    for (const [i, { nodeType }] of requests.entries()) {
      asked.add(askForId(this.#sources, cycle, idsGiven + i, nodeType, isTaken))
    }
    return [...asked]
  }
}

function askForId(
  { ids, context }: MintSources,
  cycle: number,
  index: number,
  nodeType: string,
  inUse: (id: string) => boolean,
): string {
  const id: unknown = callOption('ids', () => ids!({ context, cycle, index, nodeType }))
  if (typeof id !== 'string' || id === '' || id.length > LIMITS.text) {
    throw invalid('ids', 'The ids option must give a non-empty string for every node.')
  }
  if (inUse(id)) {
    throw new PactError('E_ID_DUPLICATE', `The ids option gave "${short(id)}", which is already in use.`, { id })
  }
  return id
}

function readClock(clock: Clock): bigint {
  const now: unknown = callOption('clock', clock)
  if (typeof now !== 'bigint') {
    throw invalid('clock', 'The clock option must give nanoseconds as a bigint.')
  }
  return now
}

/** A clock that stops or goes back must not give two nodes one time (02 §4.4). */
function later(now: bigint, last: bigint): bigint {
  const next = now > last ? now : last + 1n
  if (next > USUAL && next.toString().length > LIMITS.digits) {
    throw invalid('clock', `A time may not have more than ${LIMITS.digits} digits.`)
  }
  return next
}

/** Below this, digits need not be counted. */
const USUAL = 2n ** 256n

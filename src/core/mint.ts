// Where a new node's id, time and index come from (D37). A mint is copied before an edit or a commit and kept only if
// that goes through, so a failed call uses nothing up.

import { PactError } from '../errors/index.js'
import { className, type Dialect, type NamedClass } from './types.js'

/** What an id source is told about the node it names. */
export type IdRequest = Readonly<{ context: string; cycle: number; index: number; nodeType: string }>

export type IdSource = (request: IdRequest) => string

/** Wall-clock time in nanoseconds, or any other source of rising integers. */
export type Clock = () => bigint

/** The parts of a record that only a mint can give. */
export type Stamp = Readonly<{ id: string; createdAtNs: bigint; creationIndex: number; cycle: number }>

/** What stays the same for the whole life of a context. */
export type MintSources = Readonly<{
  context: string
  dialect: Dialect
  clock: Clock
  ids: IdSource | undefined
  /** The name that ids made in a fork carry, `''` outside forks. */
  fork: string
}>

/** What every node moves on. */
export type MintCounters = Readonly<{ cycle: number; idsGiven: number; indexesGiven: number; lastNs: bigint }>

export class Mint {
  readonly #sources: MintSources
  #counters: MintCounters
  /** Given by this copy: an edit of several nodes inserts them only at its end. Default ids cannot repeat by themselves. */
  #fresh: Set<string> | undefined

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

  /** A copy that asks neither the clock nor the caller's id source, for trees that are only shown (D5). */
  provisional(): Mint {
    return new Mint({ ...this.#sources, ids: undefined, clock: () => this.#counters.lastNs }, this.#counters)
  }

  /** A copy for the next cycle, whose ids and indexes count from 0 again. */
  nextCycle(): Mint {
    const { cycle, lastNs } = this.#counters
    return new Mint(this.#sources, { cycle: cycle + 1, idsGiven: 0, indexesGiven: 0, lastNs })
  }

  /** Gives the next node its identity. `inUse` says which ids the tree already holds. */
  stamp(nodeClass: NamedClass, nodeType: string, inUse: (id: string) => boolean): Stamp {
    const sources = this.#sources
    const before = this.#counters
    let { idsGiven } = before
    let id: string
    if (sources.ids === undefined) {
      const prefix = idPrefix(sources, className(sources.dialect, nodeClass), before.cycle)
      while (inUse(prefix + idsGiven)) idsGiven++
      id = prefix + idsGiven
    } else {
      id = askForId(sources, before, nodeType, (given) => this.#fresh?.has(given) === true || inUse(given))
      this.#fresh = (this.#fresh ?? new Set()).add(id)
    }
    const createdAtNs = later(readClock(sources.clock), before.lastNs)
    const { cycle, indexesGiven } = before
    this.#counters = { cycle, idsGiven: idsGiven + 1, indexesGiven: indexesGiven + 1, lastNs: createdAtNs }
    return { id, createdAtNs, creationIndex: indexesGiven, cycle }
  }
}

function idPrefix(sources: MintSources, name: string, cycle: number): string {
  return sources.fork === '' ? `${name}:${cycle}-` : `${name}:${sources.fork}:${cycle}-`
}

function askForId(
  { ids, context }: MintSources,
  { cycle, idsGiven }: MintCounters,
  nodeType: string,
  inUse: (id: string) => boolean,
): string {
  const id: unknown = ids!({ context, cycle, index: idsGiven, nodeType })
  if (typeof id !== 'string' || id === '') {
    throw new PactError('E_CONTENT_INVALID', 'The ids option must give a non-empty string for every node.', {
      name: 'ids',
    })
  }
  if (inUse(id)) {
    throw new PactError('E_ID_DUPLICATE', `The ids option gave "${id}", which the tree already holds.`, { id })
  }
  return id
}

function readClock(clock: Clock): bigint {
  const now: unknown = clock()
  if (typeof now !== 'bigint') {
    throw new PactError('E_CONTENT_INVALID', 'The clock option must give nanoseconds as a bigint.', { name: 'clock' })
  }
  return now
}

/** A clock that stands still or goes back must not give two nodes one time (02 §4.4). */
function later(now: bigint, last: bigint): bigint {
  return now > last ? now : last + 1n
}

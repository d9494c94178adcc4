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

export type MintState = Readonly<{
  context: string
  dialect: Dialect
  clock: Clock
  ids: IdSource | undefined
  /** The name that ids made in a fork carry, `''` outside forks. */
  fork: string
  cycle: number
  idsGiven: number
  indexesGiven: number
  lastNs: bigint
}>

export class Mint {
  #state: MintState
  /** Given by this copy: an edit of several nodes inserts them only at its end. */
  #fresh = new Set<string>()

  constructor(state: MintState) {
    this.#state = state
  }

  get state(): MintState {
    return this.#state
  }

  copy(): Mint {
    return new Mint(this.#state)
  }

  /** A copy that asks neither the clock nor the caller's id source, for trees that are only shown (D5). */
  provisional(): Mint {
    return new Mint({ ...this.#state, ids: undefined, clock: () => 0n })
  }

  /** A copy for the next cycle, whose ids and indexes count from 0 again. */
  nextCycle(): Mint {
    return new Mint({ ...this.#state, cycle: this.#state.cycle + 1, idsGiven: 0, indexesGiven: 0 })
  }

  /** Gives the next node its identity. `inUse` says which ids the tree already holds. */
  stamp(nodeClass: NamedClass, nodeType: string, inUse: (id: string) => boolean): Stamp {
    const before = this.#state
    const taken = (id: string): boolean => this.#fresh.has(id) || inUse(id)
    const { id, idsGiven } = before.ids
      ? { id: askForId(before, before.ids, nodeType, taken), idsGiven: before.idsGiven + 1 }
      : defaultId(before, className(before.dialect, nodeClass), taken)
    const createdAtNs = later(readClock(before.clock), before.lastNs)
    const { cycle, indexesGiven } = before
    this.#fresh.add(id)
    this.#state = { ...before, idsGiven, indexesGiven: indexesGiven + 1, lastNs: createdAtNs }
    return { id, createdAtNs, creationIndex: indexesGiven, cycle }
  }
}

function defaultId(state: MintState, name: string, inUse: (id: string) => boolean): { id: string; idsGiven: number } {
  const prefix = state.fork === '' ? `${name}:${state.cycle}-` : `${name}:${state.fork}:${state.cycle}-`
  let n = state.idsGiven
  while (inUse(prefix + n)) n++
  return { id: prefix + n, idsGiven: n + 1 }
}

function askForId(state: MintState, ids: IdSource, nodeType: string, inUse: (id: string) => boolean): string {
  const id: unknown = ids({ context: state.context, cycle: state.cycle, index: state.idsGiven, nodeType })
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

// One context with limited history and a pruning policy, and as many commits as are asked for.

import { createContext } from '../../dist/index.js'
import { Chance } from './chance.mjs'
import { checkHistory, checkNewIds, checkTwin, checkUndo } from './checks.mjs'
import { heapInUse, verdictOf } from './curve.mjs'
import { edit } from './edits.mjs'
import { ask } from './questions.mjs'
import { Sides } from './sides.mjs'
import { playTurn } from './turns.mjs'

/**
 * @typedef {{ commits: number, heap: number, nodes: number, snapshots: number, perSecond: number }} Point
 * @typedef {{ commits: number, seed: number, history: number, deadline: number, onPoint: (point: Point) => void }} Settings
 */

const HISTORY = 100
/** The number of points of the curve, and the least number of commits between two of them. */
const POINTS = 50
const LEAST_STRETCH = 20
/** A verdict on memory needs points to put a line through, and a first half in which all that is bounded has filled up. */
const LEAST_POINTS = 10
const LEAST_COMMITS = 50_000
/** The number of commits after which the new ids of all of them are looked at, and the newest snapshot is imported. */
const IDS_EVERY = 10
const TWIN_EVERY = 1000
/** The number of commits between two looks at the clock. */
const LOOK_EVERY = 100

/** The options of the context, as a server would set them. */
const PRUNE = { maxDepth: 40, maxNodes: 250, maxTokens: 12_000 }

/**
 * Plays the run and gives its curve and what was done. Stops early at the deadline.
 * @param {Settings} settings
 */
export async function soak({ commits, seed, history, deadline, onPoint }) {
  const run = new Run(seed, history)
  const every = Math.max(LEAST_STRETCH, Math.floor(commits / POINTS))
  /** @type {Point[]} */
  const points = []
  let done = 0
  while (done < commits && performance.now() < deadline) {
    const started = performance.now()
    const stretch = Math.min(every, commits - done)
    const before = done
    while (done < before + stretch) {
      run.step(++done)
      if (done % LOOK_EVERY === 0 && performance.now() >= deadline) break
    }
    const perSecond = ((done - before) / (performance.now() - started)) * 1000
    run.rest(done)
    points.push({ commits: done, heap: await heapInUse(), ...run.sizes(), perSecond })
    onPoint(/** @type {Point} */ (points.at(-1)))
  }
  const isLong = points.length >= LEAST_POINTS && done >= LEAST_COMMITS
  const verdict = isLong ? verdictOf(points) : undefined
  return { commits: done, seed, points, verdict, edits: run.edits }
}

export class Run {
  /** The outcome of the edits, by call and code. @type {Map<string, number>} */
  #edits = new Map()
  #seed
  #chance
  #ctx
  #sides

  /**
   * @param {number} seed
   * @param {number} [history]
   */
  constructor(seed, history = HISTORY) {
    this.#seed = seed
    this.#chance = new Chance(seed)
    let now = 1_767_225_600_000_000_000n
    const clock = () => (now += 1_000_000n)
    this.#ctx = createContext({ id: 'soak', history, prune: PRUNE, keepAttempts: 100, clock, attemptClock: clock })
    this.#ctx.system.add('You are a helpful assistant.', { key: 'rules' })
    this.#sides = new Sides(this.#ctx, this.#chance)
  }

  /**
   * One commit with all that goes with it.
   * @param {number} n
   */
  step(n) {
    const [ctx, chance] = [this.#ctx, this.#chance]
    if (chance.isOneIn(12)) this.#edit()
    playTurn(ctx, chance)
    if (chance.isOneIn(40)) this.#edit()
    if (chance.isOneIn(25)) ctx.undo()
    if (chance.isOneIn(300)) checkUndo(ctx, chance)
    if (chance.isOneIn(50)) ctx.preview().count('.block')
    ctx.commit()
    if (chance.isOneIn(4)) ask(ctx, chance)
    this.#sides.step()
    if (n % IDS_EVERY === 0) checkNewIds(ctx, IDS_EVERY)
    if (n % TWIN_EVERY === 0) checkTwin(ctx)
  }

  /**
   * A quiet moment, in which nothing is under way and the wider checks are made.
   * @param {number} n
   */
  rest(n) {
    this.#sides.rest()
    checkTwin(this.#ctx)
    checkHistory(this.#ctx, this.#seed + n)
    const changed = this.#sides.changed()
    if (changed.length > 0) throw new Error(`Kept snapshots have other bytes now: cycles ${changed.join(', ')}.`)
  }

  sizes() {
    return { nodes: this.#ctx.count('@t0 *'), snapshots: this.#ctx.snapshots().length }
  }

  get edits() {
    return Object.fromEntries([...this.#edits].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  #edit() {
    const did = edit(this.#ctx, this.#chance)
    this.#edits.set(did, (this.#edits.get(did) ?? 0) + 1)
  }
}

// Side work next to the one context for a while: forks that go their own way, holds, attempts that run, snapshots that the
// program keeps. All of it ends; what it leaves behind would show in the curve.

import { createHash } from 'node:crypto'

import { edit } from './edits.mjs'
import { ask } from './questions.mjs'
import { playTurn } from './turns.mjs'

/**
 * @typedef {import('pact-context').Context} Context
 * @typedef {import('pact-context').Snapshot} Snapshot
 * @typedef {import('./chance.mjs').Chance} Chance
 */

const CALL = { provider: 'acme', model: 'large-1' }
/** The number of snapshots that are kept, each for thousands of commits. */
const KEPT = 12

export class Sides {
  #ctx
  #chance
  /** @type {{ fork: Context, until: number }[]} */
  #forks = []
  /** @type {{ hold: import('pact-context').Hold, until: number }[]} */
  #holds = []
  /** @type {{ attempt: import('pact-context').Attempt, until: number }[]} */
  #attempts = []
  /** @type {{ snapshot: Snapshot, digest: string, cycle: number }[]} */
  #kept = []

  /**
   * @param {Context} ctx
   * @param {Chance} chance
   */
  constructor(ctx, chance) {
    this.#ctx = ctx
    this.#chance = chance
  }

  /** The side work of one commit. */
  step() {
    const [ctx, chance] = [this.#ctx, this.#chance]
    if (chance.isOneIn(60)) this.#hold()
    if (chance.isOneIn(50)) this.#attempt()
    if (chance.isOneIn(200)) this.#fork()
    if (chance.isOneIn(300)) this.#keep()
    for (const each of this.#forks) if (chance.isOneIn(5)) this.#playFork(each.fork)
    this.#end(ctx.cycle)
  }

  /** Ends all of it but the kept snapshots. */
  rest() {
    this.#end(Infinity)
  }

  /** Says which kept snapshots have other bytes than when they were taken. */
  changed() {
    return this.#kept.filter(({ snapshot, digest }) => digestOf(snapshot) !== digest).map(({ cycle }) => cycle)
  }

  #hold() {
    const ids = this.#ctx.select(`d${this.#chance.between(0, 9)} .block`)
    if (ids.length === 0) return
    this.#holds.push({ hold: this.#ctx.hold(this.#chance.pick(ids)), until: this.#soon(30) })
  }

  #attempt() {
    const params = { temperature: this.#chance.below(10) / 10 }
    const lens = this.#chance.isOneIn(2) ? '@t0' : 'preview'
    const attempt = this.#ctx.startAttempt({ ...CALL, params, lens })
    this.#attempts.push({ attempt, until: this.#soon(3) })
  }

  /** From the newest snapshot, an older one, the open cycle or what it would become. */
  #fork() {
    const back = this.#chance.below(this.#ctx.snapshots().length)
    const lens = this.#chance.pick(/** @type {const} */ (['@t0', `@t-${back}`, 'working', 'preview']))
    const options = this.#chance.isOneIn(3) ? { history: this.#chance.between(1, 200) } : {}
    this.#forks.push({ fork: this.#ctx.fork(lens, options), until: this.#soon(100) })
  }

  /** @param {Context} fork */
  #playFork(fork) {
    if (this.#chance.isOneIn(4)) edit(fork, this.#chance)
    playTurn(fork, this.#chance)
    fork.commit()
    ask(fork, this.#chance)
  }

  /** Keeps the newest snapshot in the place of one that was kept before, which is looked at a last time. */
  #keep() {
    const snapshot = this.#ctx.snapshot(this.#chance.isOneIn(4) ? 'working' : '@t0')
    const entry = { snapshot, digest: digestOf(snapshot), cycle: snapshot.cycle }
    if (this.#kept.length < KEPT) this.#kept.push(entry)
    else this.#kept[this.#chance.below(KEPT)] = entry
  }

  /** @param {number} cycle */
  #end(cycle) {
    if (this.#forks.some(({ until }) => until <= cycle)) this.#forks = this.#forks.filter(({ until }) => until > cycle)
    if (this.#holds.some(({ until }) => until <= cycle)) {
      for (const { hold, until } of this.#holds) if (until <= cycle) hold.release()
      this.#holds = this.#holds.filter(({ until }) => until > cycle)
    }
    if (this.#attempts.some(({ until }) => until <= cycle)) {
      for (const { attempt, until } of this.#attempts) if (until <= cycle) this.#finish(attempt)
      this.#attempts = this.#attempts.filter(({ until }) => until > cycle)
    }
  }

  /** @param {import('pact-context').Attempt} attempt */
  #finish(attempt) {
    const how = this.#chance.below(3)
    if (how === 0) attempt.complete({ tokenIn: 900, tokenOut: 40 })
    else if (how === 1) attempt.cancel()
    else attempt.fail(new Error('429: slow down'))
  }

  /** @param {number} commits */
  #soon(commits) {
    return this.#ctx.cycle + this.#chance.between(1, commits)
  }
}

/** @param {Snapshot} snapshot */
export function digestOf(snapshot) {
  return createHash('sha256').update(snapshot.export()).update(snapshot.threadBytes()).digest('hex')
}

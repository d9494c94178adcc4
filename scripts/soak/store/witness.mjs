// Who remembers what a store has acknowledged, and looks whether it is still there: every acknowledged snapshot with the same
// bytes, every acknowledged attempt, and at most so much more as was under way.

import { faultsOf, OPTIONS, storeAt, sumOf, sumsOf, told as saidBy } from './files.mjs'

/** @typedef {import('./children.mjs').Line} Line */

export class Witness {
  /** By context, what each cycle has shown. @type {Map<string, Map<number, string>>} */
  #sums = new Map()
  /** @type {Map<string, Set<string>>} */
  #attempts = new Map()
  /** By context, the open cycle that was saved last, and what it has shown. @type {Map<string, Line>} */
  #saved = new Map()
  /** The newest keyed commit that was sent, and the cycle that it got if it was acknowledged. @type {Line | undefined} */
  #sent
  acknowledged = 0
  saves = 0

  /**
   * @param {readonly Line[]} lines
   * @returns {readonly string[]} what contradicts what was said before
   */
  take(lines) {
    /** @type {string[]} */
    const failures = []
    for (const line of lines) {
      if (line.say === 'commit') failures.push(...this.#commit(line))
      if (line.say === 'forked') this.#forked(line)
      if (line.say === 'try') this.#sent = line
      if (line.say === 'saved') this.#saved.set(line.id ?? '', line)
    }
    return failures
  }

  /**
   * Opens the file and compares.
   * @param {string} file
   * @param {{ more?: number, from?: number }} [allowed] how many commits or forks may be there beyond those acknowledged, and
   *   from which cycle on it was listening
   * @returns {Promise<readonly string[]>} what does not hold
   */
  async check(file, { more = 1, from = 0 } = {}) {
    /** @type {string[]} */
    const failures = []
    try {
      const store = storeAt(file)
      try {
        let extra = 0
        const { contexts } = await store.list({ limit: 10_000 })
        const ids = contexts.map(({ id }) => id)
        for (const id of this.#sums.keys()) if (!ids.includes(id)) failures.push(`The context ${id} is lost.`)
        for (const id of ids) {
          const found = await store.open(id, OPTIONS)
          extra += this.#compare(id, sumsOf(found), failures, from)
          failures.push(...this.#compareSaved(found))
          /** @type {Set<string>} */
          const attempts = new Set(found.attempts().map((attempt) => attempt.attempt_id))
          for (const attempt of this.#attempts.get(id) ?? []) {
            if (!attempts.has(attempt)) failures.push(`${id} has lost ${attempt}.`)
          }
        }
        if (extra > more)
          failures.push(`${extra} commits were written that nobody was told of; at most ${more} can be.`)
        if (this.#sent !== undefined) failures.push(...(await this.#sendAgain(store, this.#sent)))
        failures.push(...(await faultsOf(file, store)))
      } finally {
        await store.close()
      }
    } catch (error) {
      failures.push(`It cannot be read: ${saidBy(error)}`)
    }
    return failures
  }

  /** @param {Line} line */
  #commit({ id = '', cycle = 0, sum = '', attempt, key }) {
    this.acknowledged++
    const sums = this.#of(id)
    const before = sums.get(cycle)
    sums.set(cycle, sum)
    if (attempt !== undefined) this.#attempts.set(id, (this.#attempts.get(id) ?? new Set()).add(attempt))
    if (key !== undefined && this.#sent?.key === key) this.#sent = { ...this.#sent, cycle }
    return before === undefined || before === sum ? [] : [`${id} has acknowledged cycle ${cycle} twice.`]
  }

  /** @param {Line} line */
  #forked({ id = '', sums = [] }) {
    this.acknowledged++
    const known = this.#of(id)
    for (const [cycle, sum] of sums) known.set(cycle, sum)
  }

  /**
   * The open cycle that was saved last is there as it was, unless it is committed.
   * @param {import('./files.mjs').StoredContext} found
   */
  #compareSaved(found) {
    const saved = this.#saved.get(found.id)
    if (saved?.cycle !== found.cycle) return []
    this.saves++
    if (found.draft?.state !== 'loaded') return [`The draft of ${found.id} is lost.`]
    return sumOf(found.snapshot('working')) === saved.sum ? [] : [`The draft of ${found.id} has other bytes.`]
  }

  /**
   * Compares one context, takes up what it has more, and says how much that is.
   * @param {string} id
   * @param {Map<number, string>} found
   * @param {string[]} failures
   * @param {number} from
   */
  #compare(id, found, failures, from) {
    const known = this.#sums.get(id)
    for (const [cycle, sum] of known ?? []) {
      const now = found.get(cycle)
      if (now === undefined) failures.push(`Cycle ${cycle} of ${id} is lost.`)
      else if (now !== sum) failures.push(`Cycle ${cycle} of ${id} has other bytes.`)
    }
    const more = [...found.keys()].filter((cycle) => cycle > from && known?.has(cycle) !== true)
    this.#sums.set(id, found)
    // The first context is made before any acknowledgement; a fork without one brings a past along.
    if (known === undefined) return id === 'main' ? more.length : 1
    return more.length
  }

  /**
   * Sends the newest keyed commit again, as a writer without an answer would: the store returns its cycle, and commits nothing
   * that is there already.
   * @param {import('../../../dist/store/index.js').Store} store
   * @param {Line} sent
   */
  async #sendAgain(store, { id = '', key = '', cycle: told }) {
    this.#sent = undefined
    const ctx = await store.open(id, { ...OPTIONS, draft: 'leave' })
    const answered = await ctx.answerTo(key)
    const head = ctx.cycle - 1
    /** @type {string[]} */
    const failures = []
    const expected = answered === undefined ? head + 1 : answered.cycle
    if (told !== undefined && told !== answered?.cycle) failures.push(`The answer to ${key} is lost.`)
    for (let times = 0; times < 2; times++) {
      ctx.user(`said ${key}`)
      const { cycle } = await ctx.commit({ key })
      if (cycle !== expected) failures.push(`The key ${key} gave cycle ${cycle}, not ${expected}.`)
      if (ctx.cycle - 1 !== Math.max(head, expected)) failures.push(`The key ${key} has committed twice.`)
    }
    this.#sums.set(id, sumsOf(ctx))
    return failures
  }

  /** @param {string} id */
  #of(id) {
    let sums = this.#sums.get(id)
    if (sums === undefined) this.#sums.set(id, (sums = new Map()))
    return sums
  }
}

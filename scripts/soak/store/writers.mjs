// Several processes and one context: one winner per cycle, and no late winner.

import { setTimeout as sleep } from 'node:timers/promises'

import { Child } from './children.mjs'
import { countOf, faultsOf, intercepted, OPTIONS, scratch, storeAt } from './files.mjs'

/**
 * Several processes commit into one context, beginning with a file that is not there yet.
 * @param {{ processes: number, commits: number, node?: string | undefined }} settings
 */
export async function raceWriters({ processes, commits, node }) {
  const { file, remove } = scratch()
  const path = file('race.db')
  /** @type {string[]} */
  const failures = []
  try {
    const children = Array.from(
      { length: processes },
      (_, n) => new Child('race', { file: path, name: `writer ${n}`, commits }, { node }),
    )
    await Promise.all(children.map((child) => child.heard('ready')))
    for (const child of children) child.tell('go')
    const ended = await Promise.all(children.map((child) => child.ended))
    const lines = ended.flatMap((child) => child.lines)
    const said = (/** @type {string} */ what) => lines.filter(({ say }) => say === what)
    failures.push(...said('fault').map(({ text }) => `A writer failed: ${text}`))
    for (const { errors, code } of ended)
      if (code !== 0 || errors !== '') failures.push(`A writer ended with ${code}: ${errors}`)
    const store = storeAt(path)
    const ctx = await store.open('main', OPTIONS)
    const head = ctx.cycle - 1
    const acknowledged = said('commit').map(({ cycle }) => Number(cycle))
    if (acknowledged.length !== processes * commits) failures.push(`${acknowledged.length} commits were acknowledged.`)
    if (new Set(acknowledged).size !== acknowledged.length) failures.push('A cycle was given twice.')
    if (head !== acknowledged.length)
      failures.push(`${acknowledged.length} commits were acknowledged, and the head is ${head}.`)
    for (const { cycle, text } of said('commit')) {
      const shown = Buffer.from(ctx.export(`@c${Number(cycle)}`)).toString('utf8')
      if (!shown.includes(JSON.stringify(text))) failures.push(`Cycle ${cycle} does not say ${text}.`)
    }
    for (const { cycle, head: seen, reason, kept } of said('conflict')) {
      const isRight = reason === 'stale' && Number(seen) >= Number(cycle) && Number(seen) <= head && kept === 1
      if (!isRight) failures.push(`A loser of cycle ${cycle} was told ${JSON.stringify({ seen, reason, kept })}.`)
    }
    failures.push(...(await faultsOf(path, store)))
    await store.close()
    return { commits: acknowledged.length, conflicts: said('conflict').length, packs: countOf(path, 'packs'), failures }
  } finally {
    remove()
  }
}

/**
 * Several processes add messages to one context, and rebase where another was first: nothing is lost, nothing is there
 * twice, and everyone's messages are in the order in which they were said.
 * @param {{ processes: number, commits: number, node?: string | undefined }} settings
 */
export async function rebaseWriters({ processes, commits, node }) {
  const { file, remove } = scratch()
  const path = file('rebase.db')
  /** @type {string[]} */
  const failures = []
  try {
    const names = Array.from({ length: processes }, (_, n) => `writer ${n}`)
    // A watcher hears of each commit once, in order; one of the two comes back after every few.
    const watching = storeAt(path)
    const watched = Promise.all([
      cyclesSeen(watching, processes * commits, 1000),
      cyclesSeen(watching, processes * commits, 7),
    ])
    const children = names.map((name) => new Child('rebases', { file: path, name, commits }, { node }))
    await Promise.all(children.map((child) => child.heard('ready')))
    for (const child of children) child.tell('go')
    const ended = await Promise.all(children.map((child) => child.ended))
    for (const { errors, code } of ended)
      if (code !== 0 || errors !== '') failures.push(`A writer ended with ${code}: ${errors}`)
    const lines = ended.flatMap((child) => child.lines)
    const all = Array.from({ length: processes * commits }, (_, n) => n + 1)
    for (const seen of failures.length > 0 ? [] : await watched) {
      if (seen.join() !== all.join()) failures.push(`Who watched was told of ${seen.join(', ')}.`)
    }
    await watching.close()
    const store = storeAt(path)
    const ctx = await store.open('main', { history: 'all' })
    const messages = ctx
      .nodes('@t0 .block')
      .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
    for (const name of names) {
      const expected = Array.from({ length: commits }, (_, n) => `${name} says ${n}`)
      // The newest turn comes first in document order.
      const found = messages.filter((text) => text.startsWith(`${name} `)).toReversed()
      if (found.join() !== expected.join() && found.toReversed().join() !== expected.join()) {
        failures.push(`Of ${name} there is: ${found.join(', ')}.`)
      }
    }
    if (ctx.cycle - 1 !== processes * commits) failures.push(`The head is ${ctx.cycle - 1}.`)
    failures.push(...(await faultsOf(path, store)))
    await store.close()
    const rebased = lines.filter(({ say }) => say === 'rebased').length
    return { messages: messages.length, rebased, packs: countOf(path, 'packs'), failures }
  } finally {
    remove()
  }
}

/**
 * The cycles that a watch reports, up to the last; after every `every` of them the watch is ended, and another one goes on.
 * @param {import('../../../dist/store/index.js').Store} store
 * @param {number} last
 * @param {number} most
 */
async function cyclesSeen(store, last, most) {
  /** @type {number[]} */
  const seen = []
  while (seen.at(-1) !== last) {
    let count = 0
    for await (const { kind, cycle } of store.watch('main', { from: seen.at(-1) ?? 0, every: 5 })) {
      if (kind === 'commit') seen.push(cycle)
      if (cycle === last || ++count === most) break
    }
  }
  return seen
}

/**
 * A writer is stopped between reading and committing, another commits, the first goes on: it is refused and keeps its edits. In
 * every second round it waits inside its commit; now and then enough commits come in between that its rows are packed.
 * @param {{ rounds: number, node?: string | undefined }} settings
 */
export async function stopWriters({ rounds, node }) {
  const { file, remove } = scratch()
  const path = file('stale.db')
  /** @type {string[]} */
  const failures = []
  let [refused, packed] = [0, 0]
  const store = storeAt(path)
  const child = new Child('stale', { file: path, rounds }, { node })
  try {
    let ctx = await store.open('main', OPTIONS)
    for (let round = 1; round <= rounds; round++) {
      await child.heard('waiting', round)
      child.kill('SIGSTOP')
      await sleep(1)
      const packs = countOf(path, 'packs')
      for (let n = round % 4 < 2 ? 1 : 24; n > 0; n--) {
        ctx.user(`in time ${round}/${n}`)
        await ctx.commit()
      }
      if (countOf(path, 'packs') > packs + 2) packed++
      child.kill('SIGCONT')
      child.tell('go')
      const outcome = await child.heard('outcome', round)
      const details = outcome?.details ?? {}
      const isRefused = outcome?.code === 'E_CONFLICT' && details['head'] === ctx.cycle - 1 && outcome.kept === 1
      if (isRefused) refused++
      else {
        failures.push(`Round ${round}: the writer that came too late was told ${JSON.stringify(outcome)}.`)
        ctx = await store.open('main', OPTIONS)
      }
    }
    const { errors } = await child.ended
    if (errors !== '') failures.push(errors)
    failures.push(...(await faultsOf(path, store)))
    await store.close()
    return { refused, packed, failures }
  } finally {
    child.kill()
    remove()
  }
}

/**
 * Commits, also where others commit after the last look of `open` or `rebase`. They stop after some time.
 *
 * @param {import('../../../dist/store/index.js').StoredContext} ctx
 */
async function committed(ctx) {
  for (let tries = 0; ; tries++) {
    try {
      return await ctx.commit()
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code !== 'E_CONFLICT' || tries === 100) throw error
      await ctx.rebase()
    }
  }
}

/** The looks of the packing process, one after the other. */
const LOOKS = ['unpacked', 'byNumber', 'pack']

/**
 * Rows are packed while others commit between any two looks of the packing process: a writer that opened the context before all of
 * them is refused, although some rows are not packed yet.
 * @param {{ rounds: number }} settings
 */
export async function packBetweenCommits({ rounds }) {
  const { file, remove } = scratch()
  /** @type {string[]} */
  const failures = []
  let packs = 0
  try {
    for (let round = 0; round < rounds; round++) {
      const path = file(`${round}.db`)
      // This one packs nothing by itself.
      const other = storeAt(path, { sizes: undefined })
      const late = await other.open('main', OPTIONS)
      late.user('too late')
      // Packing goes on until it has caught up, so it ends.
      let left = 30
      const inBetween = async () => {
        if (left-- <= 0) return
        const ctx = await other.open('main', OPTIONS)
        ctx.user('in between')
        await ctx.commit()
      }
      const wrap = (/** @type {import('./files.mjs').Rows} */ rows) =>
        LOOKS.filter((_, i) => ((round + 1) >> i) % 2 === 1).reduce(
          (wrapped, name) =>
            intercepted(wrapped, name, async (go) => {
              const result = await go()
              await inBetween()
              return result
            }),
          rows,
        )
      const store = storeAt(path, { wrap })
      for (let n = 0; n < 20; n++) {
        const ctx = await store.open('main', OPTIONS)
        ctx.user(`one ${n}`)
        await committed(ctx)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      const outcome = await late.commit().then(
        ({ cycle }) => `cycle ${cycle}`,
        (error) => String(error.code),
      )
      if (outcome !== 'E_CONFLICT') failures.push(`Round ${round}: who came too late got ${outcome}.`)
      await store.close()
      await other.close()
      packs += countOf(path, 'packs')
      const last = storeAt(path)
      const ctx = await last.open('main', OPTIONS)
      if (ctx.snapshots().length !== ctx.cycle - 1) failures.push(`Round ${round}: cycles are missing.`)
      failures.push(...(await faultsOf(path, last)))
      await last.close()
    }
    return { packs, failures }
  } finally {
    remove()
  }
}

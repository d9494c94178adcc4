// Several processes and one context: one winner per cycle, and nobody wins late.

import { setTimeout as sleep } from 'node:timers/promises'

import { Child } from './children.mjs'
import { countOf, faultsOf, intercepted, OPTIONS, scratch, storeAt } from './files.mjs'

/**
 * So many processes commit so many times each into one context, beginning with a file that is not there yet.
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
 * A writer is stopped between reading and committing, another commits, the first goes on: it is refused and keeps its edits. In
 * every second round it stands inside its commit; now and then so many commits come in between that its rows are packed.
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

/** What whoever packs looks at, one after the other. */
const LOOKS = ['unpacked', 'byNumber', 'pack']

/**
 * Rows are packed while others commit between any two looks of whoever packs: a writer that opened the context before all of
 * them is refused, whatever rows still stand alone.
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
      // Whoever packs goes on until it has caught up, so there is an end to it.
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
        await ctx.commit()
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

// Several processes and one context: one winner per cycle, and nobody wins late.

import { setTimeout as sleep } from 'node:timers/promises'

import { Child } from './children.mjs'
import { countOf, faultsOf, OPTIONS, scratch, storeAt } from './files.mjs'

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
    failures.push(...said('fault').map(({ text }) => `A writer failed: ${String(text)}`))
    for (const { errors, code } of ended) if (code !== 0 || errors !== '') failures.push(`A writer ended with ${code}: ${errors}`)
    const store = storeAt(path)
    const ctx = await store.open('main', OPTIONS)
    const head = ctx.cycle - 1
    const acknowledged = said('commit').map(({ cycle }) => Number(cycle))
    if (acknowledged.length !== processes * commits) failures.push(`${acknowledged.length} commits were acknowledged.`)
    if (new Set(acknowledged).size !== acknowledged.length) failures.push('A cycle was given twice.')
    if (head !== acknowledged.length) failures.push(`${acknowledged.length} commits were acknowledged, and the head is ${head}.`)
    for (const { cycle, text } of said('commit')) {
      const shown = Buffer.from(ctx.export(`@c${Number(cycle)}`)).toString('utf8')
      if (!shown.includes(JSON.stringify(text))) failures.push(`Cycle ${String(cycle)} does not say ${String(text)}.`)
    }
    for (const { cycle, head: seen, reason, kept } of said('conflict')) {
      const isRight = reason === 'stale' && Number(seen) >= Number(cycle) && Number(seen) <= head && kept === 1
      if (!isRight) failures.push(`A loser of cycle ${String(cycle)} was told ${JSON.stringify({ seen, reason, kept })}.`)
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
  try {
    const store = storeAt(path)
    const ctx = await store.open('main', OPTIONS)
    const child = new Child('stale', { file: path, rounds }, { node })
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
      const details = /** @type {Record<string, unknown>} */ (outcome?.['details'] ?? {})
      const isRefused = outcome?.['code'] === 'E_CONFLICT' && details['head'] === ctx.cycle - 1 && outcome['kept'] === 1
      if (isRefused) refused++
      else failures.push(`Round ${round}: the writer that came too late was told ${JSON.stringify(outcome)}.`)
    }
    const { errors } = await child.ended
    if (errors !== '') failures.push(errors)
    failures.push(...(await faultsOf(path, store)))
    await store.close()
    return { refused, packed, failures }
  } finally {
    remove()
  }
}

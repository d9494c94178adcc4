// kill -9 at any moment: a process commits in a loop, is killed, and the next one to open the file finds every commit that was
// acknowledged, with the same bytes, and at most the one that was under way.

import { setTimeout as sleep } from 'node:timers/promises'

import { Chance } from '../chance.mjs'
import { Child, each } from './children.mjs'
import { countOf, scratch } from './files.mjs'
import { Witness } from './witness.mjs'

/** The number of processes that write into one file, one after the other, before the next file. */
const A_FILE = 8
/** After how many commits a child is killed at most, and how many milliseconds later. */
const COMMITS = 6
const LONGEST = 40
/** Before it writes it loads the engine, opens the file, makes the tables: one in this many is killed there. */
const EARLY = 6

/**
 * @param {{ kills: number, seed?: number, atOnce?: number, deadline?: number, node?: string | undefined }} settings
 */
export async function killWriters({ kills, seed = 1, atOnce = 2, deadline = Infinity, node }) {
  const { file, remove } = scratch()
  /** @type {string[]} */
  const failures = []
  const done = { kills: 0, acknowledged: 0, early: 0, packs: 0, drafts: 0 }
  try {
    await each(Math.ceil(kills / A_FILE), atOnce, async (n) => {
      const chance = new Chance(seed * 7919 + n)
      const witness = new Witness()
      const left = Math.min(A_FILE, kills - n * A_FILE)
      let startup = 300
      for (let kill = 0; kill < left && performance.now() < deadline; kill++) {
        const started = performance.now()
        const child = new Child('commits', { file: file(`${n}.db`), seed: chance.below(1e9) }, { node })
        if (chance.isOneIn(EARLY)) await sleep(startup * (0.5 + chance.next() * 0.6))
        else {
          await child.heard('ready')
          startup = performance.now() - started
          const commits = chance.below(COMMITS)
          if (commits > 0) await child.heard('commit', commits)
          await sleep(chance.next() * LONGEST)
        }
        child.kill('SIGKILL')
        const { lines, signal, errors } = await child.ended
        if (signal !== 'SIGKILL') failures.push(`A writer ended by itself: ${errors}`)
        const heard = [...witness.take(lines), ...(await witness.check(file(`${n}.db`)))]
        failures.push(...heard.map((each) => `file ${n}, kill ${kill}: ${each}`))
        done.kills++
        if (!lines.some(({ say }) => say === 'commit')) done.early++
      }
      if (witness.acknowledged > 0) done.packs += countOf(file(`${n}.db`), 'packs')
      done.acknowledged += witness.acknowledged
      done.drafts += witness.saves
    })
  } finally {
    remove()
  }
  return { ...done, failures }
}

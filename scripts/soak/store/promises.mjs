// The promises of a store in SQLite, one after the other, at as many trials as are asked for. The tests play the same with fewer.

import { failEachCall, failReads, whyNoStrace } from './calls.mjs'
import { damageFiles } from './damage.mjs'
import { damageLog, keepLog } from './log.mjs'
import { fillDisk, whyNoDisk } from './disk.mjs'
import { killErasing } from './erasing.mjs'
import { killWriters } from './kills.mjs'
import { fsckAmongWriters, keepContextsOpen, loadAmongWriters, moveFamilies, retryAtTwoServers } from './live.mjs'
import { migrateUnderFire } from './migrations.mjs'
import { broughtNode, otherNode } from './other-node.mjs'
import { testOwnSqlite } from './own-sqlite.mjs'
import { killRetaining, retainLaw } from './retaining.mjs'
import { loseAnswers } from './retries.mjs'
import { failEachStatement, WORK_NAMES } from './statements.mjs'
import { packBetweenCommits, raceWriters, rebaseWriters, stopWriters } from './writers.mjs'

/**
 * `leftOut` is what there was no time for.
 * @typedef {{ failures: readonly string[], leftOut?: readonly string[] } & Record<string, unknown>} Result
 * @typedef {{ name: string, held: boolean | undefined, leftOut: readonly string[], numbers: object, failures: readonly string[], seconds: number }} Kept
 * @typedef {{ seed: number, deadline: number, node?: string | undefined }} Settings
 * @typedef {{ name: string, why?: () => string | undefined | Promise<string | undefined>, run: (kills: number, settings: Settings) => Promise<Result> }} Promised
 */

/** @type {readonly Promised[]} */
const PROMISES = [
  {
    name: "the contracts, the reopening law and that of sharing with Node's own SQLite",
    why: async () => (await broughtNode()).why,
    run: (kills, { seed }) => testOwnSqlite({ programs: Math.max(20, Math.ceil(kills / 5)), seed }),
  },
  { name: 'kill -9 at any moment', run: (kills, settings) => killWriters({ kills, ...settings }) },
  {
    name: 'kill -9 at each call that writes',
    why: whyNoStrace,
    run: (kills, settings) => failEachCall({ faults: ['signal=KILL'], ...settings, oneIn: strideOf(kills) }),
  },
  {
    name: 'an error at each call that writes',
    why: whyNoStrace,
    run: (kills, settings) =>
      failEachCall({ faults: ['error=EIO', 'error=ENOSPC'], ...settings, oneIn: strideOf(kills) }),
  },
  {
    name: 'an error at each call that reads',
    why: whyNoStrace,
    run: (kills, settings) => failReads({ ...settings, oneIn: strideOf(kills) }),
  },
  {
    name: 'damage to the log of a killed process',
    run: (kills, { seed, node }) => damageLog({ damages: Math.max(160, kills), seed, node }),
  },
  {
    name: 'what kills leave in a log is no damage',
    run: (kills, { seed, node }) => keepLog({ kills: Math.max(10, Math.ceil(kills / 10)), seed, node }),
  },
  { name: 'a fault before each statement', run: failStatements },
  {
    name: 'one winner per cycle',
    run: (kills, { node }) => raceWriters({ processes: 10, commits: Math.max(100, Math.ceil(kills / 5)), node }),
  },
  {
    name: 'nobody wins late',
    run: (kills, { node }) => stopWriters({ rounds: Math.max(20, Math.ceil(kills / 10)), node }),
  },
  { name: 'nobody wins late while rows are packed', run: () => packBetweenCommits({ rounds: 7 }) },
  {
    name: 'nothing is lost by who rebases, or missed by who watches',
    run: (kills, { node }) => rebaseWriters({ processes: 10, commits: Math.max(100, Math.ceil(kills / 5)), node }),
  },
  {
    name: 'kill -9 before each statement of an erasure',
    run: (_kills, { node }) => killErasing({ node }),
  },
  {
    name: 'kill -9 before each statement of a retention',
    run: (_kills, { node }) => killRetaining({ node }),
  },
  {
    name: 'what a retention keeps is what it was',
    run: (kills, { seed }) => retainLaw({ programs: Math.max(40, Math.ceil(kills / 2)), seed }),
  },
  { name: 'lost acknowledgements', run: (kills) => loseAnswers({ commits: Math.max(200, kills) }) },
  {
    name: 'fsck next to writers finds nothing wrong',
    run: (kills, settings) => fsckAmongWriters({ rounds: Math.max(10, Math.ceil(kills / 2)), ...settings }),
  },
  {
    name: 'loads among retentions, erasures and deletions show one state',
    run: (kills, settings) => loadAmongWriters({ rounds: Math.max(20, 2 * kills), ...settings }),
  },
  {
    name: 'a request with a key at two servers is committed once',
    run: (kills, settings) => retryAtTwoServers({ requests: Math.max(20, kills), ...settings }),
  },
  {
    name: 'contexts in use on a server stay open',
    run: (kills, settings) => keepContextsOpen({ contexts: Math.min(700, Math.max(64, 5 * kills)), ...settings }),
  },
  {
    name: 'nothing is lost when a family is moved',
    run: (kills, settings) => moveFamilies({ moves: Math.max(6, Math.ceil(kills / 5)), ...settings }),
  },
  { name: 'a full disk', why: whyNoDisk, run: (kills) => fillDisk({ rounds: Math.max(24, Math.ceil(kills / 5)) }) },
  {
    name: 'damage to a closed file',
    run: (kills, settings) => damageFiles({ damages: Math.max(200, 2 * kills), ...settings }),
  },
  {
    name: 'migrations under fire',
    run: (kills, settings) =>
      migrateUnderFire({ kills: Math.max(12, Math.ceil(kills / 10)), openers: 10, ...settings }),
  },
  {
    name: "kill -9 with Node's own SQLite",
    why: () => otherNode().why,
    run: (kills, settings) =>
      killWriters({ kills: Math.max(8, Math.ceil(kills / 10)), ...settings, node: otherNode().node }),
  },
]

/**
 * @param {{ kills: number, seed: number, deadline: number, say: (line: string) => void }} settings
 */
export async function keepPromises({ kills, seed, deadline, say }) {
  /** @type {Kept[]} */
  const kept = []
  for (const { name, why, run } of PROMISES) {
    const reason = performance.now() >= deadline ? 'no time was left' : await why?.()
    if (reason !== undefined) {
      kept.push({ name, held: undefined, leftOut: [reason], numbers: {}, failures: [], seconds: 0 })
      say(`store: left out  ${name}: ${reason}`)
      continue
    }
    const started = performance.now()
    const { failures, leftOut = [], ...numbers } = await run(kills, { seed, deadline })
    const seconds = (performance.now() - started) / 1000
    kept.push({ name, held: failures.length === 0, leftOut, numbers, failures, seconds })
    say(
      `store: ${failures.length === 0 ? 'held' : 'FAILED'}  ${name} ${JSON.stringify(numbers)} ${seconds.toFixed(1)} s`,
    )
    if (leftOut.length > 0) say(`store: left out  ${name}: no time was left for ${leftOut.join(', ')}`)
    for (const failure of failures.slice(0, 20)) console.error(`store: ${failure}`)
  }
  const count = (/** @type {(each: Kept) => boolean} */ is) => kept.filter(is).length
  const [all, missing] = [count(({ held }) => held === true), count(({ held }) => held === undefined)]
  const partly = count(({ held, leftOut }) => held !== undefined && leftOut.length > 0)
  say(`store: ${all} of ${kept.length} promises held; ${missing} were left out, ${partly} were played in part`)
  return { ok: kept.every(({ held }) => held !== false), kills, promises: kept }
}

/** With few kills, one in this many calls. @param {number} kills */
function strideOf(kills) {
  return Math.max(1, Math.round(500 / kills))
}

/**
 * @param {number} _kills
 * @param {Settings} settings
 */
async function failStatements(_kills, { deadline }) {
  const done = { works: 0, statements: 0, faults: 0, failures: /** @type {string[]} */ ([]) }
  const leftOut = /** @type {string[]} */ ([])
  for (const name of WORK_NAMES) {
    if (performance.now() >= deadline) {
      leftOut.push(name)
      continue
    }
    const { statements, faults, failures } = await failEachStatement(name)
    done.works++
    done.statements += statements
    done.faults += faults
    done.failures.push(...failures)
  }
  return { ...done, leftOut }
}

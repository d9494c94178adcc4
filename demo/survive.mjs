// @ts-check
// A context that survives its process: the one of the run goes into a store on disk, gets one turn more there, and is opened again as
// another process would. The store is in a temporary folder, which is gone when the demo ends.

import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { PactError } from 'pact-context'
import { openStore } from 'pact-context/store'

/**
 * @typedef {import('pact-context').Context} Context
 * @typedef {import('./run.mjs').Commit} Commit
 * @typedef {{ id: string, snapshots: number, same: number, cycle: number, said: unknown, open: number, rows: number,
 *   sound: boolean, bytes: number }} Survival
 */

const SAID = '[demo] And one thing more.'

/**
 * Stores a context, goes on with it, and compares what comes back with what was there at each commit.
 * @param {Context} ctx
 * @param {readonly Commit[]} commits
 * @returns {Promise<Survival | null>} null where there is no SQLite
 */
export async function survive(ctx, commits) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-demo-'))
  try {
    return await storeAndReopen(ctx, commits, path.join(folder, 'demo.db'))
  } catch (error) {
    if (PactError.is(error) && error.details['reason'] === 'no-driver') return null
    throw error
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * @param {Context} ctx
 * @param {readonly Commit[]} commits
 * @param {string} file
 * @returns {Promise<Survival>}
 */
async function storeAndReopen(ctx, commits, file) {
  const before = await openStore(`sqlite:${file}`)
  const id = 'demo'
  await before.put(ctx, id)
  const writer = await before.open(id)
  writer.user(SAID)
  await writer.commit()
  writer.user('[demo] Never committed.')
  await before.close()

  const after = await openStore(`sqlite:${file}`)
  try {
    const opened = await after.open(id, { history: 'all' })
    const same = commits.filter(({ cycle, export: atCommit }) => {
      return (
        createHash('sha256')
          .update(opened.export(`@c${cycle}`))
          .digest('hex') === atCommit.sha256
      )
    })
    const { rows, ok } = await after.fsck(id)
    return {
      id,
      snapshots: commits.length,
      same: same.length,
      cycle: opened.snapshot('@t0').cycle,
      said: opened.thread('@t0').at(-1)?.content ?? null,
      open: opened.operations().length,
      rows,
      sound: ok,
      bytes: fs.statSync(file).size,
    }
  } finally {
    await after.close()
  }
}

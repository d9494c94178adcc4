// Promises of a database to callers that wait for a change.

import type { Rows } from 'pact-context/store'

import { holds, there } from './checks.js'
import type { Promises } from './contract.js'
import { forkFor, made, nextFor } from './sample-rows.js'

/** Longest wait for a notification, in milliseconds. */
const PATIENCE = 30_000

export const CHANGED: Promises<Rows> = {
  'whoever waits is told of what this connection and others do': async (bench) => {
    const rows = await bench.open()
    for (const writer of [rows, await bench.open()]) {
      const id = writer === rows ? 'mine' : 'yours'
      const acts: readonly (readonly [string, () => Promise<unknown>])[] = [
        ['making a context', () => made(writer, id)],
        ['a commit', async () => writer.commit(nextFor(there(await writer.find(id), id)))],
        ['making a fork', async () => writer.create(forkFor(`${id} fork`, there(await writer.find(id), id)))],
        ['deleting', async () => writer.delete(there(await writer.find(id), id).ctx, true)],
      ]
      for (const [name, act] of acts) {
        const signal = new AbortController().signal
        const since = await rows.changed(undefined, 1, signal)
        const waiting = rows.changed(since, 1, signal)
        await act()
        holds((await soon(waiting, name)) !== since, `${name} gave the text that was there before`)
      }
    }
  },
  'what happened before somebody waits is told at once': async (bench) => {
    const rows = await bench.open()
    const one = await made(rows, 'one')
    const { signal } = new AbortController()
    const since = await rows.changed(undefined, 1, signal)
    await rows.commit(nextFor(one))
    holds((await soon(rows.changed(since, 60_000, signal), 'a commit')) !== since, 'a commit was not noticed')
  },
  'waiting ends with its signal': async (bench) => {
    const rows = await bench.open()
    await made(rows, 'one')
    const ending = new AbortController()
    const since = await rows.changed(undefined, 60_000, ending.signal)
    const waiting = rows.changed(since, 60_000, ending.signal)
    ending.abort()
    await soon(waiting, 'the end')
    await soon(rows.changed(since, 60_000, ending.signal), 'a wait that has ended before it began')
  },
}

async function soon<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Nobody was told of ${what}.`)), PATIENCE)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

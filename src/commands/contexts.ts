// Contexts as a whole: list, create, describe, remove, fork.

import type { ContextList, ContextSummary } from '../api/index.js'
import { glanceAt, reportSource, type AnyContext } from '../context/index.js'
import { PactError } from '../errors/index.js'
import { FORMAT_NAMES } from '../formats/index.js'
import { measure } from '../reports/index.js'
import { command } from './command.js'
import { loadAdapters } from './formats.js'
import { formatOfCall } from './sends.js'
import { missingContext, type ContextPool } from './pool.js'
import type { ContextInfo } from '../store/index.js'

const PAGE = 100

/** Lists contexts in the order of their ids, a page at a time. */
export const listContexts = command('contexts', async (pool, { limit = PAGE, cursor }) => {
  const { contexts, next } = await pool.list(limit, cursor)
  const listed = contexts.map(entryOf)
  return next === undefined ? { contexts: listed } : { contexts: listed, cursor: next }
})

/** The contexts that share a past with one. */
export const listFamily = command('family', async (pool, { id }) => {
  const contexts = await pool.family(id)
  if (contexts.length === 0) throw missingContext(id)
  return { contexts: contexts.map(entryOf) }
})

function entryOf({ parent, ...info }: ContextInfo): ContextList['contexts'][number] {
  return { ...info, ...(parent === undefined ? {} : { parent: parent.id, from: parent.cycle }) }
}

/** Makes an empty context; E_CONFLICT if the id is taken. */
export const makeContext = command('create', async (pool, { id, dialect }) => {
  await pool.store('Making a context').create(id, dialect === undefined ? {} : { dialect })
  return summaryOf(pool, id)
})

/** The size of a context, and the part of its history that is kept. */
export const describeContext = command('summary', async (pool, { id }) => summaryOf(pool, id))

async function summaryOf(pool: ContextPool, id: string): Promise<ContextSummary> {
  const { readOnly } = pool
  const { forks, epoch, draft } = await pool.state(id)
  await loadAdapters()
  return pool.read({ id }, (ctx) => {
    const { first = 0, newest = 0, thinned } = glanceAt(ctx)
    const { nodes, tokens, createdAt, cameAs } = measure(reportSource(ctx))
    const calls = ctx.attempts()
    const last = calls.at(-1)
    const times = [createdAt, last?.ended_at, last?.started_at].flatMap((time) => time ?? [])
    const updatedAt = times.toSorted().at(-1) ?? null
    const attempts = {
      count: calls.length,
      failed: calls.filter(({ status }) => status === 'error').length,
      ...(last === undefined
        ? {}
        : { last: last.status, ...(last.adapter === undefined ? {} : { adapter: last.adapter }) }),
    }
    const format = (last && formatOfCall(last)) ?? FORMAT_NAMES.find((name) => name === cameAs)
    const kept = newest === 0 ? 0 : newest - first + 1 - thinned.count(first, newest)
    const about = {
      id,
      dialect: ctx.dialect,
      cycle: newest,
      epoch,
      forks,
      nodes,
      tokens,
      first,
      kept,
      readOnly,
      updatedAt,
      attempts,
      ...(format === undefined ? {} : { format }),
    }
    return { ...about, ...(draft === true ? { draft } : {}), ...turnOf(ctx) }
  })
}

/** The state of the turn; not known if a call has the form of an adapter that is not loaded here. */
function turnOf(ctx: AnyContext): Pick<ContextSummary, 'due' | 'openCalls'> {
  try {
    const openCalls = ctx.openCalls().map(({ arguments: given, ...call }) => ({
      ...call,
      ...(given === undefined ? {} : { arguments: given }),
    }))
    return { due: ctx.due(), openCalls }
  } catch (error) {
    if (PactError.is(error) && error.code === 'E_CONTENT_INVALID') return { due: null, openCalls: [] }
    throw error
  }
}

/** Deletes a context with its history. */
export const removeContext = command('delete', async (pool, { id, forks = false }) => ({
  deleted: await pool.store('Removing a context').delete(id, { forks }),
}))

/** Makes a context that shares the history of another up to a snapshot. */
export const forkContext = command('fork', async (pool, { from, lens = '@t0', id }) => {
  pool.store('Forking a context')
  // Loads the snapshot, and fails if there is none.
  await pool.read({ id: from }, (ctx) => (ctx.cycle === 1 ? undefined : ctx.snapshot(lens)))
  await pool.alone(from, async (ctx) => {
    // Before the first commit there is no snapshot, and the open cycle is empty.
    await ctx.fork(ctx.cycle === 1 && lens === '@t0' ? 'working' : lens, { id })
  })
  return summaryOf(pool, id)
})

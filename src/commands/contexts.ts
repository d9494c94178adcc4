// Contexts as a whole: making, describing, removing, forking them.

import { glanceAt, measure } from '../context/index.js'
import type { ContextSummary, ForkInput, MakeContextInput, OfContext, RemoveContextInput, Removed } from './answers.js'
import { checkInput, flagIn, lensIn, oneOf, textOf } from './check.js'
import type { Desk } from './desk.js'

/** Makes an empty context; E_CONFLICT where there is one of this id. */
export async function makeContext(desk: Desk, input: MakeContextInput): Promise<ContextSummary> {
  const given = checkInput(input, ['id', 'dialect'])
  const id = textOf(given, 'id')
  const dialect = oneOf(given, 'dialect', ['1.0', '0.1'])
  await desk.store('Making a context').create(id, dialect === undefined ? {} : { dialect })
  return describeContext(desk, { id })
}

/** Tells how large a context is and what of it there is. */
export async function describeContext(desk: Desk, input: OfContext): Promise<ContextSummary> {
  const id = textOf(checkInput(input, ['id']), 'id')
  const { forks, epoch } = await desk.state(id)
  return desk.read(id, {}, (ctx) => {
    const { first = 0, newest = 0, thinned } = glanceAt(ctx)
    const { nodes, tokens } = measure(ctx)
    const kept = newest === 0 ? 0 : newest - first + 1 - thinned.count(first, newest)
    return { id, dialect: ctx.dialect, cycle: newest, epoch, forks, nodes, tokens, first, kept }
  })
}

/** Deletes a context with all its past. */
export async function removeContext(desk: Desk, input: RemoveContextInput): Promise<Removed> {
  const given = checkInput(input, ['id', 'forks'])
  const id = textOf(given, 'id')
  const deleted = await desk.store('Removing a context').delete(id, { forks: flagIn(given, 'forks') ?? false })
  return { deleted }
}

/** Makes a context that shares another one's past up to a snapshot. */
export async function forkContext(desk: Desk, input: ForkInput): Promise<ContextSummary> {
  const given = checkInput(input, ['id', 'lens', 'newId'])
  const [id, newId] = [textOf(given, 'id'), textOf(given, 'newId')]
  const lens = lensIn(given, 'lens') ?? '@t0'
  desk.store('Forking a context')
  // Loads the snapshot that it leaves from, and finds out whether there is one.
  await desk.read(id, {}, (ctx) => (ctx.cycle === 1 ? undefined : ctx.snapshot(lens)))
  await desk.alone(id, async (ctx) => {
    // Before the first commit there is no snapshot, and the open cycle is empty.
    await ctx.fork(ctx.cycle === 1 && lens === '@t0' ? 'working' : lens, { id: newId })
  })
  return describeContext(desk, { id: newId })
}

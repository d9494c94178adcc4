// Edits as data, applied to a context: a list of them, all or none. The errors are those of the calls, and say which
// operation is at fault.

import { asCall, describe, foreignError, invalid, PactError } from '../errors/index.js'
import { LIMITS, type Dialect } from '../core/index.js'
import { recordOf } from '../timeline/index.js'
import { readOperation, renameIn, type NodeSpec, type Operation } from '../edit/index.js'
import { eachOf, type Editor } from './editor.js'
import { ContextEdits, type AnyContext } from './edits.js'
import type { Written } from './open-cycle.js'
import type { Parts } from './parts.js'

type Read = ReturnType<typeof readOperation>

/**
 * Applies operations in order, as one step to undo; gives the ids of the nodes that each of them touched. It does not
 * commit. A fault in operation n leaves the context as it was, spends no id and says `details.operation: n`.
 */
export function applyOperations(ctx: AnyContext, operations: readonly Operation[]): readonly (readonly string[])[] {
  return asCall(applyOperations, () =>
    applyAll('applyOperations', ctx, operations, (editor, read) => editor.apply(read)),
  )
}

/** Called between operations: undefined to go on at once, or a promise to wait for; it throws to give the operations up. */
export type Pause = () => Promise<void> | undefined

/** Operations that are applied; `keep` or `takeBack` has to follow. */
export type AppliedOperations = Readonly<{
  ids: readonly (readonly string[])[]
  keep: () => void
  takeBack: () => void
}>

/**
 * The same as applyOperations, with pauses between operations. The caller makes sure that no other code reads or writes the
 * context until the operations are kept or taken back.
 */
export async function applyWithPauses(
  ctx: AnyContext,
  operations: readonly Operation[],
  pause: Pause,
): Promise<AppliedOperations> {
  const name = 'applyOperations'
  const { editor, all } = readAll(name, ctx, operations)
  const { keep, takeBack } = editor.open.openBatch()
  try {
    const ids: (readonly string[])[] = []
    for (const [n, read] of all.entries()) {
      const pausing = pause()
      if (pausing !== undefined) await pausing
      ids.push(Object.freeze(idsOf(within(name, n, () => editor.apply(read)))))
    }
    return { ids: Object.freeze(ids), keep: () => keep(true), takeBack }
  } catch (error) {
    takeBack()
    throw error
  }
}

/**
 * Applies the operations of another context, as its `operations()` gave them, to one with the same tree, such as a fork: the same
 * edits, with ids and times of its own. An operation that names a node made by an earlier one of the list means the node that was
 * made here.
 */
export function replayOperations(ctx: AnyContext, operations: readonly Operation[]): readonly (readonly string[])[] {
  const ids = new Map<string, string>()
  return asCall(replayOperations, () =>
    applyAll('replayOperations', ctx, operations, (editor, read) => replay(editor, read, ids, ctx.dialect)),
  )
}

/** Edits that were made again elsewhere. */
export type Replayed = Readonly<{
  /** The ids of nodes there, each with its id here, if the two differ. */
  ids: ReadonlyMap<string, string>
  /** The edits whose selectors or positions mean other nodes here, with the nodes that they touched there and here. */
  elsewhere: readonly Readonly<{ operation: number; before: readonly string[]; now: readonly string[] }>[]
}>

/**
 * Makes the open edits of a context again in another one: all or none, with the same steps to undo. The first `skip` edits are in the
 * other one already; `known` pairs ids that earlier calls have paired.
 */
export function replayOpenEdits(
  from: Parts,
  to: Parts,
  skip = 0,
  known: ReadonlyMap<string, string> = new Map(),
): Replayed {
  const ids = new Map(known)
  const touched: (string[] | undefined)[] = []
  const { editor, home } = to
  const all = from.open.operations().map((operation, n) => within('rebase', n, () => readOperation(operation)))
  const replayTo = (end: number): void => {
    for (let n = touched.length; n < end; n++) {
      const written =
        n < skip ? undefined : within('rebase', n, () => replay(editor, all[n]!, ids, home.edition.dialect))
      touched.push(written && idsOf(written))
    }
  }
  editor.open.batch(() => {
    for (const size of from.open.steps) editor.open.batch(() => replayTo(touched.length + size))
  }, false)
  const elsewhere = from.open.touched.flatMap((before, operation) => {
    const now = touched[operation]
    if (now === undefined) return []
    const there = before.map((id) => replaced(from, id) ?? ids.get(id) ?? id)
    const here = now.map((id) => replaced(to, id) ?? id)
    if (there.toSorted().join('\n') === here.toSorted().join('\n')) return []
    return [Object.freeze({ operation, before: Object.freeze([...before]), now: Object.freeze(now) })]
  })
  return { ids: new Map([...ids].filter(([old, id]) => old !== id)), elsewhere: Object.freeze(elsewhere) }
}

/** The node of history that one of the open cycle has replaced. */
function replaced({ open }: Parts, id: string): string | undefined {
  return open.draft.find(id)?.rare?.supersedes
}

function replay(editor: Editor, read: Read, ids: Map<string, string>, dialect: Dialect): Written {
  pairAll(ids, read.opened, editor.open.opened)
  const written = editor.apply(renameIn(read, ids, dialect))
  pair(ids, read, written)
  return written
}

function applyAll(
  name: string,
  ctx: AnyContext,
  operations: unknown,
  apply: (editor: Editor, read: Read) => Written,
): readonly (readonly string[])[] {
  const { editor, all } = readAll(name, ctx, operations)
  return editor.open.batch(() =>
    Object.freeze(
      all.map((read, n) => {
        return Object.freeze(idsOf(within(name, n, () => apply(editor, read))))
      }),
    ),
  )
}

/** Reads all operations before the first is applied. */
function readAll(
  name: string,
  ctx: AnyContext,
  operations: unknown,
): Readonly<{ editor: Editor; all: readonly Read[] }> {
  const editor = ContextEdits.editorOf(ctx)
  if (editor === undefined) throw invalid('ctx', `${name} takes a context, not ${describe(ctx)}.`)
  if (!Array.isArray(operations)) throw invalid('operations', `Operations are a list, not ${describe(operations)}.`)
  if (operations.length > LIMITS.operations) {
    const message = `One call may apply at most ${LIMITS.operations} operations, not ${operations.length}; make several.`
    throw invalid('operations', message)
  }
  // Array.from: a hole must be met, not skipped.
  const all = Array.from({ length: operations.length }, (_, n) => within(name, n, () => readOperation(operations[n])))
  return { editor, all }
}

function idsOf({ touched }: Written): string[] {
  return eachOf(touched).map((node) => recordOf(node).id)
}

/** Runs the work on one operation; its error names the operation. */
function within<T>(name: string, operation: number, work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    const advice = 'the cause of this error is what was thrown.'
    const message = `${name}() could not read operation ${operation}; ${advice}`
    const error = foreignError(thrown, 'E_CONTENT_INVALID', message, {})
    // A bug of ours is the cause itself, since its stack shows the place.
    const cause: unknown = error.code === 'E_INTERNAL' ? error : error.cause
    const details = { ...error.details, operation }
    throw new PactError(error.code, error.message, details, cause === undefined ? {} : { cause })
  }
}

/** Notes which node here is which node there. */
function pair(ids: Map<string, string>, read: Read, { touched, made }: Written): void {
  const old = read.made ?? []
  if (old.length === made.length) pairAll(ids, old, made)
  else if (!Array.isArray(touched)) pairOne(ids, old, made, specSize(read), recordOf(touched as never).id)
}

function pairAll(ids: Map<string, string>, old: readonly string[] = [], made: readonly string[]): void {
  if (old.length === made.length) for (const [i, id] of old.entries()) ids.set(id, made[i]!)
}

/**
 * Pairs one node that was made with more or fewer nodes around it than there: a core or a segment was missing on one side only,
 * or the key had a node already. The nodes of the spec were made last, a container before its children.
 */
function pairOne(
  ids: Map<string, string>,
  old: readonly string[],
  made: readonly string[],
  size: number,
  top: string,
): void {
  const oldTop = old.at(-size)
  if (oldTop !== undefined && old.length >= size) ids.set(oldTop, top)
  const below = size - 1
  if (below > 0 && Math.min(old.length, made.length) >= below) pairAll(ids, old.slice(-below), made.slice(-below))
}

/** The number of nodes in the spec of an operation, with all that it holds. */
function specSize(read: Read): number {
  const spec = 'spec' in read ? read.spec : 'header' in read ? read.header : undefined
  const sizeOf = (each: Pick<NodeSpec, 'children'> | undefined): number =>
    1 + (each?.children ?? []).reduce((sum, child) => sum + sizeOf(child), 0)
  return sizeOf(spec as Pick<NodeSpec, 'children'> | undefined)
}

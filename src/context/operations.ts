// Edits as data, applied to a context: a list of them, all or none. The errors are those of the calls, and say which
// operation is at fault.

import { asCall, describe, foreignError, PactError } from '../errors/index.js'
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

/**
 * Applies what `operations()` of another context gave to one with the same tree, such as a fork: the same edits, with ids
 * and times of its own. Where an operation names a node that an earlier one of the list made, it means the node that this
 * one has made here.
 */
export function replayOperations(ctx: AnyContext, operations: readonly Operation[]): readonly (readonly string[])[] {
  const ids = new Map<string, string>()
  return asCall(replayOperations, () =>
    applyAll('replayOperations', ctx, operations, (editor, read) => replay(editor, read, ids, ctx.dialect)),
  )
}

/** Edits that were made again elsewhere. */
export type Replayed = Readonly<{
  /** Which node there is which one here, where the two have other ids. */
  ids: ReadonlyMap<string, string>
  /** The edits whose selectors or places mean other nodes here, with the nodes that they touched there and here. */
  elsewhere: readonly Readonly<{ operation: number; before: readonly string[]; now: readonly string[] }>[]
}>

/** Makes the open edits of a context again in another one that has nothing open: all or none, with the same steps to undo. */
export function replayOpenEdits(from: Parts, to: Parts): Replayed {
  const ids = new Map<string, string>()
  const touched: string[][] = []
  const { editor, home } = to
  const all = from.open.operations().map((operation, n) => within('rebase', n, () => readOperation(operation)))
  const replayTo = (end: number): void => {
    for (let n = touched.length; n < end; n++) {
      const written = within('rebase', n, () => replay(editor, all[n]!, ids, home.edition.dialect))
      touched.push(idsOf(written))
    }
  }
  editor.open.batch(() => {
    for (const size of from.open.steps) editor.open.batch(() => replayTo(touched.length + size))
  }, false)
  const elsewhere = from.open.touched.flatMap((before, operation) => {
    const now = touched[operation]!
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
  const editor = ContextEdits.editorOf(ctx)
  if (editor === undefined) throw invalid('ctx', `${name} takes a context, not ${describe(ctx)}.`)
  if (!Array.isArray(operations)) throw invalid('operations', `Operations are a list, not ${describe(operations)}.`)
  if (operations.length > LIMITS.operations) {
    const message = `One call may apply at most ${LIMITS.operations} operations, not ${operations.length}; make several.`
    throw invalid('operations', message)
  }
  // Array.from: a hole must be met, not skipped. All are read before the first is applied.
  const all = Array.from({ length: operations.length }, (_, n) => within(name, n, () => readOperation(operations[n])))
  return editor.open.batch(() =>
    Object.freeze(
      all.map((read, n) => {
        return Object.freeze(idsOf(within(name, n, () => apply(editor, read))))
      }),
    ),
  )
}

function idsOf({ touched }: Written): string[] {
  return eachOf(touched).map((node) => recordOf(node).id)
}

/** Does what concerns one operation; its error says which. */
function within<T>(name: string, operation: number, work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    const advice = 'the cause of this error is what was thrown.'
    const message = `${name}() could not read operation ${operation}; ${advice}`
    const error = foreignError(thrown, 'E_CONTENT_INVALID', message, {})
    // One of ours that is a bug tells by its own stack where.
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
 * One node that was made there with more around it than here, or the other way round: a core or a segment was missing on
 * one side only, or the key had its node already. What the spec names was made last, a container before what it holds.
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

/** How many nodes an operation that makes one names, with all that it holds. */
function specSize(read: Read): number {
  const spec = 'spec' in read ? read.spec : 'header' in read ? read.header : undefined
  const sizeOf = (each: Pick<NodeSpec, 'children'> | undefined): number =>
    1 + (each?.children ?? []).reduce((sum, child) => sum + sizeOf(child), 0)
  return sizeOf(spec as Pick<NodeSpec, 'children'> | undefined)
}

function invalid(name: string, message: string): PactError {
  return new PactError('E_CONTENT_INVALID', message, { name })
}

// The state of the turn: what comes next, and the calls that wait for a result. Adapters know the forms of calls, and adapters import this
// room, so the reader of all forms is given to it when the first adapter is loaded.

import { checkNames, checkOption, describe, FLAG, invalid, isRecord, PactError, short } from '../errors/index.js'
import type { Due } from '../core/index.js'
import type { RoleHeader } from '../edit/index.js'
import type { Tree } from '../timeline/index.js'
import type { ReceivedCall } from './receive.js'

/** The state of a tree's newest turn. */
export type TurnState = Readonly<{ due: Due; calls: readonly ReceivedCall[] }>

/** Reads calls in the forms of all providers. */
export type TurnReader = Readonly<{
  stateOf: (tree: Tree) => TurnState
  /** The newest call with an id that has no result, else the newest with that id; undefined if there is none. */
  callIn: (tree: Tree, id: string) => Readonly<{ call: ReceivedCall; isAnswered: boolean }> | undefined
}>

let known: TurnReader | undefined

export function addTurnReader(reader: TurnReader): void {
  known = reader
}

/** The reader; every adapter brings it. */
export function turnReader(): TurnReader {
  if (known !== undefined) return known
  const message =
    "Adapters read the calls of a context, and none is loaded; import one of them, such as 'pact-context/anthropic'."
  throw new PactError('E_CONTENT_INVALID', message, { name: 'adapter' })
}

/** Options of `result`. */
export type ResultOptions = Readonly<{
  /** True if the tool failed: providers that have a sign for that get it. */
  error?: boolean | undefined
  /** The lifetime of the result, in commits. */
  ttl?: RoleHeader['ttl'] | undefined
}>

/** The header of a result for a call of a tree; refuses a call that is not there, or has its result. */
export function resultHeader(tree: Tree, call: ReceivedCall | string, options: ResultOptions): RoleHeader {
  checkNames(options, ['error', 'ttl'], '{ error: true }')
  const { error = false, ttl } = options
  checkOption('error', error, FLAG)
  const { id, name } = answerable(tree, call)
  return {
    kind: 'result',
    data_call_id: id,
    data_tool_name: name,
    ...(error ? { data_error: true } : {}),
    ...(ttl === undefined ? {} : { ttl }),
  }
}

function answerable(tree: Tree, given: ReceivedCall | string): ReceivedCall {
  const id: unknown = isRecord(given) ? given['id'] : given
  if (typeof id !== 'string') {
    throw invalid('call', `result takes a call that openCalls gave, or its id, and not ${describe(given)}.`)
  }
  const reader = turnReader()
  const open = reader.stateOf(tree).calls.find((call) => call.id === id)
  if (open !== undefined) return open
  // The model may have gone on without a result: a late one still finds its call.
  const found = reader.callIn(tree, id)
  if (found?.isAnswered === false) return found.call
  if (found !== undefined) {
    throw new PactError('E_CONFLICT', `The call ${short(id)} has its result; ctx.replace changes that.`, { id })
  }
  const message = `There is no call ${short(id)} here; ctx.openCalls() lists the calls that wait for a result.`
  throw new PactError('E_NODE_NOT_FOUND', message, { id })
}

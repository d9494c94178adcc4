// Repairs: everything that a rendering leaves out, completes or moves so that the provider takes the request, each with its node.

import type { NodeRecord } from '../../core/index.js'

/** The kind of a repair: callers may branch on it. */
export type RepairCode =
  | 'left-out' // a part or message that is empty, deleted, forgotten or refused
  | 'orphan-result' // a result without its call
  | 'stub-result' // a call whose result is gone got a short text
  | 'stale-thought' // a signed thought is left out: what was before it has changed
  | 'cut-call' // a call whose arguments were cut off is left out
  | 'moved-result' // a result was put directly behind its call
  | 'converted' // a part was written in another form than it came in
  | 'renamed-id' // a call id that the provider refuses, or has twice
  | 'dropped-key' // a key that the provider refuses
  | 'merged' // messages were joined
  | 'moved-system' // system text is elsewhere
  | 'added' // something the provider asks for was put in
  | 'rounded' // an integer beyond a double
  | 'over-budget' // nothing was done: the request has more tokens than the context's limit

/** One intervention: which node, and what happened to it, in a sentence. A request over budget has the limit and its tokens. */
export type Repair = Readonly<{
  code: RepairCode
  node: string
  text: string
  /** Why the result is gone, or what happened to the node that `changed` names. */
  cause?: string
  /** Of a stale thought: the node before it that changed, if the history tells. */
  changed?: string
  limit?: number
  actual?: number
}>

/** A repair, with the call id by which its cause may be found, or the thought whose beginning has changed. */
export type Noted = Readonly<{ repair: Repair; callId: string | undefined; stale?: NodeRecord | undefined }>

export type Notes = {
  /** Notes a repair; `callId` where the cause may be looked up by it. */
  note(code: RepairCode, record: NodeRecord, text: string, callId?: string): void
}

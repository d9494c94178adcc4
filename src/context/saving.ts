// The open cycle as a store saves it (D62): the edits since the last save, with the identities that they got. Where a redaction or an
// erasure took texts out of earlier edits, the state is saved instead: it has none of these texts.

import { PactError } from '../errors/index.js'
import type { DraftRecord, MintCounters, Opening } from '../core/index.js'
import { encodeDraft } from '../codec/index.js'
import { beginningOf, openingOf } from './beginning.js'
import type { Parts } from './parts.js'

/** A save that is worked out; until it is done or given up, the context takes no edits. */
export type PendingSave = Readonly<{
  /** The open cycle. */
  cycle: number
  /** True if it replaces everything that was saved in this cycle. */
  isWhole: boolean
  body: Uint8Array
  /** Notes that it is written, and lets edits in again. */
  done: () => void
  /** Lets edits in again; the next save includes these. */
  giveUp: () => void
}>

/** Undefined if nothing has changed since the last save, of which `last` are the counters. */
export function prepareSave(parts: Parts, last: MintCounters): PendingSave | undefined {
  const { open } = parts
  const release = open.pause('save')
  try {
    const { isWhole, edits } = open.log.unsaved
    // An edit that was undone or refused has spent ids, or has changed the order in which the draft lists its changes.
    if (!isWhole && edits.length === 0 && !open.log.isReordered && isSame(last, open.mint.counters)) {
      release()
      return undefined
    }
    const isState = edits.some(({ operation }) => operation['op'] === 'redact')
    const saved = isState ? stateOf(parts) : editsOf(parts, isWhole, edits)
    return {
      cycle: open.draft.cycle,
      ...saved,
      done: () => {
        open.log.markSaved()
        release()
      },
      giveUp: release,
    }
  } catch (error) {
    release()
    throw error
  }
}

function isSame(a: MintCounters, b: MintCounters): boolean {
  return a.idsGiven === b.idsGiven && a.indexesGiven === b.indexesGiven && a.lastNs === b.lastNs
}

type Saved = Pick<PendingSave, 'isWhole' | 'body'>

function editsOf(parts: Parts, isWhole: boolean, edits: DraftRecord['edits']): Saved {
  const { log, draft } = parts.open
  const base = isWhole ? log.base : undefined
  const order = isWhole || log.isReordered ? Array.from(draft.changes, ({ id }) => id) : []
  try {
    return { isWhole, body: encodeDraft({ cycle: draft.cycle, base, edits, order, counters: countersOf(parts) }) }
  } catch (error) {
    // An edit may nest deeper than one JSON value may; its nodes do not.
    if (!PactError.is(error) || error.code !== 'E_CONTENT_INVALID') throw error
    return stateOf(parts)
  }
}

/** The open cycle as its state, without its edits. */
function stateOf(parts: Parts): Saved {
  return { isWhole: true, body: encodeState(parts) }
}

export function encodeState(parts: Parts): Uint8Array {
  const { cycle } = parts.open.draft
  return encodeDraft({ cycle, base: workingState(parts), edits: [], order: [], counters: countersOf(parts) })
}

/** The working state in the form of the beginning of a cycle. */
function workingState({ open, timeline }: Parts): Opening {
  const { draft, mint, beginning } = open
  const { newest } = timeline
  const state = beginningOf(draft.tree, draft.changes, mint, beginning)
  if (newest === undefined) return openingOf(state, undefined, () => undefined)
  return openingOf(state, timeline.treeAt(newest), (id) => timeline.find(id, newest))
}

function countersOf({ open }: Parts): DraftRecord['counters'] {
  const { idsGiven, indexesGiven, lastNs } = open.mint.counters
  return { idsGiven, indexesGiven, lastNs }
}

/** Makes saved edits again, in a context whose open cycle is as it began, or as the base of the first record. */
export function restoreSaved({ editor, open }: Parts, records: readonly DraftRecord[]): void {
  open.log.base = records[0]?.base
  for (const { edits, order } of records) {
    for (const edit of edits) editor.again(edit)
    if (order.length > 0) open.draft.reorder(order)
  }
  const last = records.at(-1)
  if (last !== undefined) open.goOn(last.counters)
}

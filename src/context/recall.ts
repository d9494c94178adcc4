// The original content of a shed tool result (D61).

import { PactError, short } from '../errors/index.js'
import { isToolResult, shedOf, type JsonValue } from '../core/index.js'
import { regionNameOf, shedResult, type Draft } from '../timeline/index.js'

export function recall(id: string, draft: Draft): JsonValue {
  const shed = shedResult(draft, id)
  if (shed !== undefined) return shedOf(shed)!.content
  // A model may ask for a result that was put back since it saw the line.
  const meant = draft.meant(id)
  if (meant !== undefined && isToolResult(meant) && regionNameOf(draft, meant) !== '^sys') return meant.content!
  const message = `The working state has no tool result ${short(id)} to recall: it may be pruned, expired or deleted; snapshots may still hold it.`
  throw new PactError('E_NODE_NOT_FOUND', message, { id })
}

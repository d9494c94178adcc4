// An attempt without what was forgotten.

import type { AttemptRecord, SentStructure } from '../core/index.js'
import { erasedJson } from '../codec/index.js'
import type { Erasing } from '../timeline/index.js'

/**
 * The same without what nodes said; the hashes stay, of what was sent (D56). A body that was kept goes with anything that is
 * forgotten: it may say it, and a record does not tell all that was in it.
 */
export function erasedAttempt(record: AttemptRecord, erasing: Erasing): AttemptRecord {
  const nodes = erasedJson(record.nodes, erasing.ids)
  const structure = record.structure && erasedStructure(record.structure, erasing)
  const losesBody = typeof record.request_body === 'string' && erasing.ids.size > 0
  if (nodes === record.nodes && structure === record.structure && !losesBody) return record
  return Object.freeze({
    ...record,
    nodes,
    ...(structure === undefined ? {} : { structure }),
    ...(losesBody ? { request_body: null } : {}),
  })
}

function erasedStructure(structure: SentStructure, erasing: Erasing): SentStructure {
  const nodes = erasedJson(structure.nodes, erasing.ids)
  return nodes === structure.nodes ? structure : Object.freeze({ ...structure, nodes })
}

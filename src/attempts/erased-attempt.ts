// An attempt without what was forgotten.

import type { AttemptRecord } from '../core/index.js'
import { erasedJson } from '../codec/index.js'
import type { Erasing } from '../timeline/index.js'

/** The same without what nodes said; the hashes stay, of what was sent (D56). */
export function erasedAttempt(record: AttemptRecord, erasing: Erasing): AttemptRecord {
  const nodes = erasedJson(record.nodes, erasing.ids)
  return nodes === record.nodes ? record : Object.freeze({ ...record, nodes })
}

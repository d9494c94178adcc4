export { decodeAttempt, encodeAttempt } from './attempt-record.js'
export { canonicalJson, copyJson, escapeJson, quoteJson } from './canonical-json.js'
export { decodeCommitRecord, encodeCommitRecord } from './commit-record.js'
export { decodeCheckpoint, decodeManifest, encodeCheckpoint, encodeManifest } from './context-record.js'
export { contentHashOf } from './content-hash.js'
export {
  DecodedBranch,
  decodeInSteps,
  decodeSnapshot,
  specVersionOf,
  type DecodedNode,
  type DecodedSnapshot,
} from './decode.js'
export { decodeDraft, encodeDraft } from './draft-record.js'
export {
  contentHashOfRecord,
  CALL_ID,
  DIGESTS,
  CUT,
  createdAtIso,
  EMPTIED,
  ERASED,
  encodeNode,
  encodeReference,
  fieldsOf,
  isStop,
  nodeToJson,
  sortForReference,
  STOP,
  BOUND,
  isBound,
  type Bound,
  withoutBigints,
} from './document.js'
export { isoTime } from './iso-time.js'
export { parseJson } from './json-text.js'
export { countPacked, hashOfName, packNames, unpackNames } from './name-hashes.js'
export { decodeInnerPage, decodeLeafPage, encodeInnerPage, encodeLeafPage, pageKey } from './pages.js'
export type { BodyOwner, BodyReader, BodyWriter } from './scope.js'
export { encodeSchedule, encodeSchedules, schedulesToJson, scheduleToJson } from './schedules.js'
export { withJsonForm } from './json-form.js'
export { sha256Hex } from './sha256.js'
export { erasedJson } from './erased-json.js'
export {
  erasedEntries,
  isCompacted,
  isEntry,
  isErasedEntry,
  travellingForm,
  travellingNode,
  withoutErased,
  type Original,
} from './originals.js'

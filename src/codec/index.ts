export type { BodyOwner, BodyReader, BodyWriter } from './bodies.js'
export { decodeAttempt, encodeAttempt } from './attempt-record.js'
export { canonicalJson, copyJson, escapeJson, quoteJson } from './canonical-json.js'
export { decodeCheckpoint, encodeCheckpoint } from './checkpoint.js'
export { decodeCommitRecord, encodeCommitRecord, withCommitRecord } from './commit-record.js'
export { contentHashOf } from './content-hash.js'
export {
  DecodedBranch,
  decodeInSteps,
  decodeSnapshot,
  specVersionOf,
  type DecodedNode,
  type DecodedSnapshot,
} from './decode.js'
export {
  contentHashOfRecord,
  createdAtIso,
  EMPTIED,
  ERASED,
  encodeNode,
  encodeReference,
  fieldsOf,
  nodeToJson,
  sortForReference,
  withoutBigints,
} from './document.js'
export { isoTime } from './iso-time.js'
export { parseJson } from './json-text.js'
export { decodeManifest, encodeManifest } from './manifest.js'
export { countPacked, hashOfName, packNames, unpackNames } from './name-hashes.js'
export { decodeInnerPage, decodeLeafPage, decodePageKeys, encodeInnerPage, encodeLeafPage, pageKey } from './pages.js'
export { encodeSchedule, encodeSchedules, schedulesToJson, scheduleToJson } from './schedules.js'
export { withJsonForm } from './json-form.js'
export { sha256Hex } from './sha256.js'
export { erasedJson } from './erased-json.js'

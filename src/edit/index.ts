export { openCycle, type LeftOut } from './cadence.js'
export { changeFor, type Applied, type ApplyEdit } from './change-for.js'
export { heldIn, stale, type NodeToCompact } from './compact.js'
export { CompactionRange, isSummary, type StayReason } from './steps.js'
export { checkDeleteOptions, type DeleteOptions } from './delete.js'
export { MintSession, type EditSession, type OdiMode } from './edit-session.js'
export { erasedData } from './erased-data.js'
export type { Changes, CustomName, Header, NodeSpec, Replacement } from './header.js'
export {
  readOperation,
  type AddHeader,
  type Edit,
  type InsertSpec,
  type Operation,
  type RedactData,
  type RoleHeader,
  type SummaryHeader,
} from './operation.js'
export { operationsByPlace } from './own-ids.js'
export type { Position } from './position.js'
export type { RedactOptions } from './redact.js'
export type { Redacted } from './redacted.js'
export type { ShedResult } from './shed.js'
export { renameIn } from './rename.js'
export { dataOf, type Data } from './said.js'
export { scheduledHits, type Asked } from './scheduled.js'

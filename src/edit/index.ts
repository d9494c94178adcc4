export { addToHead, addToSystem } from './add.js'
export { MintSession, type EditSession, type Caller, type OdiMode } from './edit-session.js'
export { openCycle, type LeftOut } from './cadence.js'
export { checkDeleteOptions, deleteNodes, type DeleteOptions } from './delete.js'
export { checkHeader, NO_HEADER, prepareChanges, prepareNode, prepareOverlay } from './header.js'
export type { Changes, CustomName, Header, NodeSpec, Replacement } from './header.js'
export { insertNode } from './insert.js'
export { moveNodes } from './move.js'
export {
  readOperation,
  type AddHeader,
  type Edit,
  type InsertSpec,
  type Operation,
  type RedactData,
  type RoleHeader,
} from './operation.js'
export { parsePosition, type Position } from './position.js'
export { putInSystem, putNode, setInSystem, setNode } from './put.js'
export { checkRedactOptions, redactNodes, type RedactOptions } from './redact.js'
export type { Redacted } from './redacted.js'
export { renameIn } from './rename.js'
export { replaceNodes } from './replace.js'
export { contentAndHeader, dataOf, positionData, someOf, specData, type Data, type Taken } from './said.js'
export { scheduledHits, type Asked, type ScheduledHit } from './scheduled.js'
export { checkTargets } from './check-targets.js'
export { updateNodes } from './update.js'
export { checkZone } from './zone.js'
export { erasedData } from './erased-data.js'

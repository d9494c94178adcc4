export {
  Context,
  createContext,
  importSnapshot,
  type AddHeader,
  type ForkOptions,
  type RoleHeader,
  type SystemRegion,
} from './context.js'
export type { Hold } from './holds.js'
export type { Lens, SnapshotRef } from './lens.js'
export type { ContextOptions } from './options.js'
export type { SelectOptions } from './query.js'
export { Snapshot } from './snapshot.js'

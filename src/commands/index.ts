// The commands: one function for each thing that a user can ask for, over a desk.

export type {
  AttemptList,
  AttemptRecord,
  AttemptsInput,
  Bin,
  Breakpoint,
  BytesAnswer,
  BytesInput,
  CareInput,
  Cause,
  CauseCounts,
  Column,
  CommandOptions,
  CommitInput,
  Committed,
  ContextLine,
  ContextList,
  ContextSummary,
  CycleAnswer,
  CycleInput,
  CycleLine,
  CyclePage,
  Dialect,
  DiffAnswer,
  DiffInput,
  DiffOptions,
  Difference,
  EraseAnswer,
  EraseInput,
  Explanation,
  Figures,
  ForkInput,
  FormatName,
  FsckAnswer,
  FsckInput,
  ImportFormat,
  ImportInput,
  Imported,
  JsonObject,
  JsonValue,
  Lens,
  Life,
  LintAnswer,
  LintInput,
  LintResult,
  ListContextsInput,
  MakeContextInput,
  OfContext,
  Operation,
  PageInput,
  Prefix,
  PrefixAnswer,
  PrefixInput,
  PreviewInput,
  Previewed,
  Progress,
  Reading,
  Receipt,
  RecordAttemptInput,
  RemoveContextInput,
  Removed,
  RenderInput,
  Rendered,
  RenderedFormat,
  ReplayAnswer,
  RetainAnswer,
  RetainInput,
  Run,
  SelectInput,
  SelectOptions,
  Selected,
  Send,
  SnapshotLine,
  SnapshotPage,
  SnapshotRef,
  SourceEntry,
  ThreadItem,
  Timeline,
  TimelineInput,
  TokensAnswer,
  TokensBy,
  TokensInput,
  WatchInput,
  WatchedEvent,
} from './answers.js'
export type {
  ExplainAnswer,
  NameCount,
  Names,
  NamesInput,
  NodeAnswer,
  NodeInput,
  Tree,
  TreeInput,
  TreeRow,
} from './tree-answers.js'
export { listAttempts, recordAttempt } from './attempts.js'
export { fsckStore, lintText, replayStore } from './care.js'
export { describeContext, forkContext, makeContext, removeContext } from './contexts.js'
export { listSnapshots, logCycles, readCycle } from './cycles.js'
export type { Desk, DeskOptions } from './desk.js'
export { importConversation } from './import.js'
export { importFile } from './importing/load.js'
export type { ImportedContext, ImportedFile, ImportFileInput, ImportFileOptions } from './importing/import-file.js'
export type { Unread } from './importing/sessions.js'
export { listContexts } from './list-contexts.js'
export { explainNode, readNode } from './nodes.js'
export type { PageAsked } from './pages.js'
export { contextDesk, storeDesk } from './open-desk.js'
export { diffSnapshots, readExport, readPrefix, readThread, readTokens, renderRequest, selectNodes } from './reads.js'
export { timeline } from './timeline.js'
export { readNames, readTree } from './tree.js'
export { watchContext } from './watch.js'
export { commitOperations, eraseNodes, previewOperations, retainSnapshots } from './writes.js'
export type {
  AddHeader,
  Changes,
  ContentInput,
  DeleteOptions,
  Header,
  InsertSpec,
  Position,
  RedactData,
  Replacement,
  RoleHeader,
} from '../context/index.js'

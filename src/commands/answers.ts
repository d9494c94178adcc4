// What every command takes and gives: JSON values, so that each door only translates. A door's user reads these shapes over
// HTTP, from `pctx --json` and in the inspector alike.

import type { Problem } from '../store/index.js'
import type { FormatName, ImportFormat, RenderedFormat } from '../formats/index.js'
import type { PageAsked } from './pages.js'
import type {
  AttemptRecord,
  Breakpoint,
  Cause,
  Dialect,
  DiffOptions,
  Explanation,
  JsonObject,
  JsonValue,
  Lens,
  Life,
  LintResult,
  Operation,
  Prefix,
  Receipt,
  SelectOptions,
  SizedPrefix,
  SnapshotRef,
  SourceEntry,
  ThreadItem,
  TokensBy,
} from '../context/index.js'

export type {
  AttemptRecord,
  Breakpoint,
  Cause,
  Dialect,
  DiffOptions,
  Explanation,
  FormatName,
  ImportFormat,
  JsonObject,
  JsonValue,
  Lens,
  Life,
  LintResult,
  Operation,
  Prefix,
  Receipt,
  RenderedFormat,
  SelectOptions,
  SnapshotRef,
  SourceEntry,
  ThreadItem,
  TokensBy,
}

/** What every command may be told beside its input. */
export type CommandOptions = Readonly<{
  /** Ends it where it can be ended. */
  signal?: AbortSignal | undefined
  /** Told now and then how far it is. */
  onProgress?: ((progress: Progress) => void) | undefined
}>

export type Progress = Readonly<{ id: string; done: number; total: number }>

/**
 * With operations a read shows the state that these would give, as 'working' and 'preview' of a context that has them; nothing is
 * kept and no id is spent. With `base`, only where that cycle is still the newest.
 */
export type Reading = Readonly<{ base?: number | undefined; operations?: readonly Operation[] | undefined }>

export type OfContext = Readonly<{ id: string }>

// Contexts

export type ListContextsInput = PageAsked
export type ContextLine = Readonly<{
  id: string
  cycle: number
  forks: number
  /** Where its newest rows are lost, so that it cannot be opened. */
  damaged?: true
}>
export type ContextList = Readonly<{ contexts: readonly ContextLine[]; cursor?: string }>

export type MakeContextInput = OfContext & Readonly<{ dialect?: Dialect | undefined }>

export type ContextSummary = Readonly<{
  id: string
  dialect: Dialect
  /** The newest committed cycle, 0 before the first commit. */
  cycle: number
  /** Another number whenever something was erased. */
  epoch: number
  forks: number
  /** Of the newest snapshot. */
  nodes: number
  tokens: number
  /** The oldest cycle that there is, and how many there are; 0 and 0 before the first commit. */
  first: number
  kept: number
}>

export type RemoveContextInput = OfContext & Readonly<{ forks?: boolean | undefined }>
export type Removed = Readonly<{ deleted: boolean }>

export type ImportInput = OfContext &
  Readonly<{
    /** `auto` finds out. */
    format?: ImportFormat | 'auto' | undefined
    /** A conversation as the provider's client has it, or an exported snapshot; text or the parsed value. */
    body: JsonValue
    dialect?: Dialect | undefined
  }>
export type Imported = Readonly<{ id: string; cycle: number; format: ImportFormat; unread: readonly string[] }>

export type ForkInput = OfContext & Readonly<{ lens?: Lens | undefined; newId: string }>

// Cycles

export type PageInput = OfContext & Readonly<{ limit?: number | undefined; before?: number | undefined }>

export type SnapshotLine = Readonly<{
  cycle: number
  ref: SnapshotRef
  /** When its newest node was made; null where it has none of its own. */
  createdAt: string | null
  nodes: number
  /** Of the provider thread. */
  items: number
  bytes: number
  tokens: number
  receipt: Receipt
}>
export type SnapshotPage = Readonly<{ snapshots: readonly SnapshotLine[]; before?: number }>

/** How many nodes came, left or changed for each reason. */
export type CauseCounts = Readonly<Partial<Record<Cause, number>>>

export type CycleLine = Readonly<{
  cycle: number
  createdAt: string | null
  /** Blocks and containers; segments, roots and regions are not counted. */
  added: number
  removed: number
  changed: number
  causes: CauseCounts
  tokens: number
  /** All of it in one line for people. */
  words: string
}>
export type CyclePage = Readonly<{ cycles: readonly CycleLine[]; before?: number }>

export type TimelineInput = OfContext &
  Readonly<{
    /** The first and the last cycle that are wanted; the newest 200 by default, at most 1000. */
    from?: number | undefined
    to?: number | undefined
    /** Also sums over everything that there is, in so many bins. */
    bins?: number | undefined
    /** Whose request the prefix is of; without it, that of the provider-neutral thread. */
    for?: FormatName | undefined
    /** Adds a last column for the open cycle: what a commit would make now. Given operations, it is always there. */
    open?: boolean | undefined
  }> &
  Reading

/** Neighbouring items of a thread that are alike: which part they are in, and whether the cycle before had them in the same place. */
export type Run = Readonly<{ part: 'sys' | 'core' | 'ctx'; tokens: number; same: boolean }>

export type Figures = Readonly<{
  items: number
  bytes: number
  tokens: number
  /** In the order of the thread; where there are too many, neighbours are joined. */
  runs: readonly Run[]
  causes: CauseCounts
  /** What of the send before can be used again, and whether anything cannot. */
  prefix: Readonly<{ tokens: number; broken: boolean; node?: string; cause?: string }>
}>

/** One provider call: it has sent the snapshot, what was open (with figures of its own), or nobody can tell what. */
export type Send = Readonly<{
  attempt: string
  status: AttemptRecord['status']
  sent: 'snapshot' | 'open' | 'untold'
  figures?: Figures
}>

/** A snapshot, or what a commit would make now. */
export type Column = Figures &
  Readonly<{
    cycle: number
    /** Set where it is no snapshot yet. */
    open?: true
    /** The calls of the cycle, oldest first, the newest 200. */
    sends: readonly Send[]
  }>
export type Bin = Readonly<{ from: number; to: number; tokens: number; broken: number; causes: CauseCounts }>
export type Timeline = Readonly<{ first: number; newest: number; columns: readonly Column[]; bins?: readonly Bin[] }>

export type CycleInput = OfContext & Readonly<{ at?: Lens | undefined }> & Reading
/** One cycle for a pane beside a timeline. */
export type CycleAnswer = Readonly<{
  cycle: number
  createdAt: string | null
  segments: number
  nodes: number
  tokens: number
  receipt: Receipt
  schedules: readonly JsonObject[]
  /** The nodes with the most tokens. */
  largest: readonly Readonly<{
    id: string
    tokens: number
    role?: string
    kind?: string
    key?: string
    name?: string
  }>[]
  attempts: readonly AttemptRecord[]
  /** The edits of the open cycle, where it is one. */
  operations?: readonly JsonObject[]
}>

// Reads

export type SelectInput = OfContext &
  Readonly<{
    selector: string
    options?: SelectOptions | undefined
    nodes?: boolean | undefined
    /** Whose tree, where the selector names none. */
    at?: Lens | undefined
  }> &
  Reading
export type Selected =
  | Readonly<{ ids: readonly string[]; count: number; nodes?: readonly JsonObject[] }>
  | Readonly<{ range: JsonObject }>

export type DiffInput = OfContext &
  Readonly<{
    a: Lens
    b: Lens
    selector?: string | undefined
    options?: DiffOptions | undefined
    detailed?: boolean | undefined
  }> &
  Reading
/** `Diff` of the library, or with `detailed` its `DetailedDiff`, as JSON. */
export type DiffAnswer = JsonObject

export type RenderInput = OfContext &
  Readonly<{ for: RenderedFormat; lens?: Lens | undefined; options?: JsonObject | undefined }> &
  Reading
export type Rendered = Readonly<{
  format: RenderedFormat
  lens: Lens
  cycle: number
  /** Exactly the body of the request. */
  text: string
  /** Of all nodes in it. */
  tokens: number
  repairs: readonly JsonObject[]
  /** Which bytes are whose, in order, and in which item of the list: a message, a thread item. */
  sourceMap: readonly (SourceEntry & Readonly<{ part: Run['part']; item: number }>)[]
  breakpoints: readonly Breakpoint[]
}>

export type PrefixInput = OfContext &
  Readonly<{
    a?: Lens | undefined
    b?: Lens | undefined
    for?: RenderedFormat | undefined
    options?: JsonObject | undefined
  }> &
  Reading
/** `sizes` are the bytes of both renderings. */
export type PrefixAnswer = SizedPrefix

export type TokensInput = OfContext &
  Readonly<{ lens?: Lens | undefined; by?: TokensBy | undefined; for?: FormatName | undefined }> &
  Reading
export type TokensAnswer = Readonly<{ total: number; overhead?: number; by?: Readonly<Record<string, number>> }>

export type BytesInput = OfContext & Readonly<{ lens?: Lens | undefined }> & Reading
export type BytesAnswer = Readonly<{ bytes: Uint8Array; cycle: number; epoch: number }>

// Writes

export type PreviewInput = OfContext &
  Readonly<{ base?: number | undefined; operations: readonly Operation[]; thread?: boolean | undefined }>
export type Previewed = Readonly<{
  /** The cycle that a commit would make. */
  cycle: number
  ids: readonly (readonly string[])[]
  /** From the newest snapshot to the one that a commit would make. */
  diff: JsonObject
  thread?: readonly ThreadItem[]
  receipt: Receipt
}>

export type CommitInput = OfContext &
  Readonly<{ base?: number | undefined; operations: readonly Operation[]; key?: string | undefined }>
export type Committed = Readonly<{
  cycle: number
  ids: readonly (readonly string[])[]
  receipt: Receipt
  /** Set where it was committed before, under the same key. */
  repeated?: true
}>

// Attempts

export type AttemptsInput = OfContext & Readonly<{ cycle?: number | undefined }> & PageAsked
export type AttemptList = Readonly<{ attempts: readonly AttemptRecord[]; cursor?: string }>

export type RecordAttemptInput = OfContext &
  Readonly<{
    provider: string
    model: string
    params: JsonValue
    lens?: Lens | undefined
    for?: FormatName | undefined
    options?: JsonObject | undefined
    /** The body on the wire: text as it is, anything else as canonical JSON. */
    request?: JsonValue | undefined
    keepRequest?: boolean | undefined
    /** How it ended; `running` is not for doors, since nobody would end it. */
    status?: 'completed' | 'canceled' | 'error' | undefined
    tokenIn?: number | undefined
    tokenOut?: number | undefined
    error?: Readonly<{ name?: string; message: string }> | undefined
  }> &
  Reading

// Care

export type CareInput = Readonly<{ id?: string | undefined }>
export type FsckInput = CareInput & Readonly<{ repair?: boolean | undefined }>
export type FsckAnswer = Readonly<{
  ok: boolean
  contexts: number
  rows: number
  problems: readonly Readonly<{ id?: string; cycle?: number; kind: Problem['kind']; message: string }>[]
  repaired: boolean
}>

/** Something that is not as it was: where, and which byte is the first that differs. */
export type Difference = Readonly<{
  id: string
  cycle: number
  /** The attempt whose request it is; else it is the snapshot's. */
  attempt?: string
  what: 'export' | 'thread' | 'request'
  /** -1 where it could not be rendered at all. */
  byte: number
  message: string
}>
export type ReplayAnswer = Readonly<{
  ok: boolean
  contexts: number
  snapshots: number
  attempts: number
  /** Attempts whose request was not kept, and whose renderer is gone or has changed. */
  unknown: number
  differences: readonly Difference[]
}>

/** Which snapshots stay: so many of the newest, those of every so manieth cycle, those since a time (ISO). */
export type RetainInput = OfContext &
  Readonly<{
    newest?: number | undefined
    every?: number | undefined
    since?: string | undefined
    author?: string | undefined
    reason?: string | undefined
  }>
export type RetainAnswer = JsonObject &
  Readonly<{ id: string; thinned: number; kept: number; needed: readonly number[]; texts: number; at: string }>
export type EraseInput = OfContext &
  Readonly<{ selector: string; author?: string | undefined; reason?: string | undefined }>
export type EraseAnswer = JsonObject

export type LintInput = Readonly<{ selector: string; dialect?: Dialect | undefined; migrate?: boolean | undefined }>
export type LintAnswer = LintResult

export type WatchInput = OfContext & Readonly<{ from?: number | string | undefined }>
export type WatchedEvent = Readonly<{
  cycle: number
  kind: 'commit' | 'made' | 'deleted' | 'erased' | 'edited'
  /** Where a watch goes on after this, as `from`. */
  mark: string
}>

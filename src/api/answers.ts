// The answers about contexts, cycles and writes. The comments of the fields go into the declaration files with the types.

import { CAUSES, STOPS, type AttemptId, type AttemptRecord, type Reported } from '../core/index.js'
import type { Lens } from '../core/index.js'
import { FORMAT_NAMES, type FormatName } from '../formats/index.js'
import { operation } from './fields.js'
import {
  dict,
  flag,
  json,
  list,
  literal,
  nullable,
  number,
  object,
  oneOf,
  record,
  string,
  texts,
  union,
  whole,
  type Schema,
} from './schema.js'

/** A whole number that may be negative. */
export const integer: Schema<number> = whole(Number.MIN_SAFE_INTEGER)
export const count: Schema<number> = whole(0)
export const tokens: Schema<number> = number
export const lens: Schema<Lens> = string.as<Lens>()

export const ATTEMPT_STATUS = oneOf(['running', 'completed', 'canceled', 'error'])

// Drafts

export const DRAFT = object({
  /** Changes with every save; 0 if there is no draft. */
  version: count,
  /** The open cycle that it was saved in. */
  cycle: count,
  /** Another writer has committed since. */
  behind: flag,
  /** The saved operations with the ids that they gave out. */
  operations: list(operation),
}).named('Draft')

export const SAVED = object({
  version: count,
  cycle: count,
  /** The ids that each operation touched. */
  ids: list(texts),
}).named('SavedDraft')

// Cycles

export const RECEIPT = object({
  /** The author of the commit, if one was given. */
  author: string.optional(),
  /** The nodes that left, in order. */
  removed: list(
    object({
      id: string,
      rule: string,
      priority: number,
      /** In cycles, since the node was made. */
      age: integer,
      /** UTF-8 bytes of the content. */
      size: count,
    }),
  ),
  /** The tool results that were shed: the original, the node with the line, and the bytes of the original content. */
  shed: list(object({ id: string, standIn: string, size: count })),
  /** The summaries that were made: how many nodes each stands for, and the tokens that these had. */
  compacted: list(object({ id: string, nodes: count, tokens: number })).optional(),
  /** Every limit that was exceeded, in the order in which they are met. */
  limits: list(
    object({
      rule: string,
      limit: number,
      /** The value to prune down to, if the policy has one. */
      target: number.optional(),
      before: number,
      after: number,
      /** For an unmet limit: the first nodes that pruning had to leave. */
      kept: texts,
    }),
  ),
  /** The limits that are still exceeded. */
  unmet: list(object({ rule: string, limit: number, actual: number })),
}).named('Receipt')

const REF = object({ kind: oneOf(['t', 'c']), value: integer, label: string, cycle: count }).named('SnapshotRef')

export const SNAPSHOT_PAGE = object({
  snapshots: list(
    object({
      cycle: count,
      ref: REF,
      /** Time of the newest node of the cycle; null if the cycle made none. */
      createdAt: nullable(string),
      nodes: count,
      /** Items, bytes and tokens of the provider thread. */
      items: count,
      bytes: count,
      tokens,
      receipt: RECEIPT,
    }),
  ),
  /** The `before` of the next page. */
  before: count.optional(),
}).named('SnapshotPage')

const CAUSE_COUNTS = record(count, CAUSES).says('Nodes that came, left or changed, by reason.').named('CauseCounts')

export const CYCLE_PAGE = object({
  cycles: list(
    object({
      cycle: count,
      createdAt: nullable(string),
      /** Blocks and containers; segments, roots and regions are not counted. */
      added: count,
      removed: count,
      changed: count,
      causes: CAUSE_COUNTS,
      tokens,
      /** The same in one line for people. */
      words: string,
    }),
  ),
  before: count.optional(),
}).named('CyclePage')

export const PART = oneOf(['sys', 'core', 'ctx'])

const FIGURES = {
  items: count,
  bytes: count,
  tokens,
  /** Neighbouring items of the thread in the same part; `same` if the cycle before had them in the same place. */
  runs: list(object({ part: PART, tokens, same: flag })),
  /** With `by`: the tokens by its values, the largest first, and those that the cycle before had in the same place. */
  groups: list(object({ name: string, tokens, repeated: tokens })).optional(),
  causes: CAUSE_COUNTS,
  /** The part of the previous request that this one repeats, and the node that ends it. */
  prefix: object({ tokens, broken: flag, node: string.optional(), cause: string.optional() }),
} as const

export const TIMELINE = object({
  first: count,
  newest: count,
  /** Snapshots, oldest first; the last column may be the open cycle. */
  columns: list(
    object({
      cycle: count,
      /** Set for the open cycle, which is no snapshot yet. */
      open: literal(true).optional(),
      ...FIGURES,
      /** The provider calls of the cycle, oldest first, the newest 200. */
      sends: list(
        object({
          attempt: string,
          status: ATTEMPT_STATUS,
          /** The format of the request: that of its adapter, else the usual one of its provider, if it is one of this package. */
          format: oneOf<FormatName>(FORMAT_NAMES).optional(),
          /** The call sent the snapshot, the open cycle (with figures of its own), or a tree that the record does not give. */
          sent: oneOf(['snapshot', 'open', 'untold']),
          /** Input tokens as the provider reported them, and those that its cache had. */
          billed: object({ input: count, read: count }).optional(),
          figures: object(FIGURES).optional(),
        }),
      ),
      /** For a cycle that a fork has of another context: that context, and how its last call ended. */
      before: object({ context: string, status: ATTEMPT_STATUS }).optional(),
    }),
  ),
  /** Token limits: those of the pruning policy, else those that a cycle of this answer has exceeded. */
  limits: list(object({ rule: string, limit: number })),
  bins: list(
    object({
      from: count,
      to: count,
      /** The most of any cycle. */
      tokens,
      /** Cycles that broke the prefix, and failed calls. */
      broken: count,
      failed: count,
      causes: CAUSE_COUNTS,
    }),
  ).optional(),
}).named('Timeline')

const REPORTED: Schema<Reported> = object({
  id: string.optional(),
  model: string.optional(),
  stop: oneOf(STOPS).optional(),
  providerStop: string.optional(),
  tokenIn: count.optional(),
  tokenOut: count.optional(),
  cacheRead: count.optional(),
  cacheWrite: count.optional(),
  cacheWrites: record(count).optional(),
  container: string.optional(),
  details: dict.optional(),
}).named('Reported')
export const ATTEMPT: Schema<AttemptRecord> = object({
  attempt_id: string as Schema<AttemptId>,
  cycle_id: count,
  status: ATTEMPT_STATUS,
  started_at: string,
  ended_at: nullable(string),
  provider: string,
  model: string,
  params_hash: string,
  params: nullable(dict).optional(),
  append: nullable(string).optional(),
  token_in: nullable(number),
  token_out: nullable(number),
  reported: REPORTED.optional(),
  error: object({ name: string, message: string }).optional(),
  thread_hash: string,
  request_hash: string.optional(),
  request_body: nullable(string).optional(),
  adapter: string.optional(),
  adapter_version: number.optional(),
  adapter_options: dict.optional(),
  lens,
  base_cycle: nullable(count),
}).named('AttemptRecord')

export const ATTEMPT_LIST = object({ attempts: list(ATTEMPT), cursor: string.optional() }).named('AttemptList')

export const CYCLE = object({
  cycle: count,
  createdAt: nullable(string),
  segments: count,
  nodes: count,
  tokens,
  receipt: RECEIPT,
  schedules: list(dict),
  /** The nodes with the most tokens. */
  largest: list(
    object({
      id: string,
      tokens,
      role: string.optional(),
      kind: string.optional(),
      key: string.optional(),
      name: string.optional(),
    }),
  ),
  attempts: list(ATTEMPT),
  /** For a cycle that a fork has of another context: that context, and its attempts. */
  before: object({ context: string, attempts: list(ATTEMPT) }).optional(),
  /** The edits of the open cycle, if it is one. */
  operations: list(dict).optional(),
}).named('CycleAnswer')

// Diffs and writes

const DIFF = object({
  added: texts,
  removed: texts,
  changed: list(object({ id: string, fields: texts })),
}).named('Diff')

const SIDE = object({ lens: string, cycle: count })
const DIFF_CAUSE = oneOf([...CAUSES, 'selection'])
const INDEX = nullable(count)

const PLACED_NODE = object({
  id: string,
  cause: DIFF_CAUSE,
  /** The cycle in which the node came or left. */
  cycle: count,
  parent: nullable(string),
  /** The node can hold children. */
  is_container: flag,
  /** Every header and the content, as in an export, without the children. */
  node: dict,
  /** Its index in the provider thread; null if it is no item. */
  thread_index: INDEX,
}).named('PlacedNode')

export const DETAILED_DIFF = object({
  from: SIDE,
  to: SIDE,
  added: list(PLACED_NODE),
  removed: list(PLACED_NODE),
  changed: list(
    object({
      id: string,
      fields: texts,
      /** The value of every changed field before and after; null if it was missing. */
      delta: record(object({ from: json, to: json })),
      /** The contents, if they differ; a side without content has none. */
      content: object({ from: json.optional(), to: json.optional() }).optional(),
      parent_changed: flag,
      offset_changed: flag,
      cause: DIFF_CAUSE,
      cycle: count,
      thread_index: object({ from: INDEX, to: INDEX }),
    }),
  ),
  /** Every parent that gained or lost one of these nodes. */
  parents: list(object({ id: string, children_added: texts, children_removed: texts })),
  /** Pairs of a removed and an added node with the same content hash. */
  moves: list(object({ from: string, to: string, content_hash: string })),
  schedules: object({
    added: list(dict),
    removed: list(dict),
    changed: list(object({ key: string, from: dict, to: dict })),
  }).optional(),
  /** Hashes that are equal although the contents differ. */
  warnings: texts.optional(),
}).named('DetailedDiff')

/** With `detailed`, values, causes and places; else ids. */
export const DIFF_ANSWER = union(DIFF, DETAILED_DIFF).named('DiffAnswer')

export const THREAD = list(
  object({ id: string, role: string.optional(), kind: string.optional(), content: json }),
).named('Thread')

/** The ids that each operation touched. */
const IDS = list(texts)

export const PREVIEWED = object({
  /** The cycle that a commit would make. */
  cycle: count,
  ids: IDS,
  /** From the newest snapshot to the one that a commit would make. */
  diff: DETAILED_DIFF,
  thread: THREAD.optional(),
  receipt: RECEIPT,
  /** The number of signed thoughts that requests would lose, since something before them changes. */
  stale_thoughts: count,
}).named('Previewed')

export const COMMITTED = object({ cycle: count, ids: IDS, receipt: RECEIPT }).named('Committed')

export const WATCHED_EVENT = object({
  cycle: count,
  kind: oneOf(['commit', 'made', 'deleted', 'erased', 'edited']),
  /** The `from` with which a watch continues after this event. */
  mark: string,
}).named('WatchedEvent')

// Maintenance, in a terminal only

export const FSCK = object({
  ok: flag,
  contexts: count,
  rows: count,
  problems: list(
    object({
      id: string.optional(),
      cycle: count.optional(),
      kind: oneOf(['damage', 'derived', 'unfinished']),
      message: string,
    }),
  ),
  repaired: flag,
}).named('FsckAnswer')

export const REPLAY = object({
  ok: flag,
  contexts: count,
  snapshots: count,
  attempts: count,
  /** Attempts whose request was not kept, and whose renderer is gone or has changed. */
  unknown: count,
  differences: list(
    object({
      id: string,
      cycle: count,
      /** The attempt whose request differs; missing if the snapshot differs. */
      attempt: string.optional(),
      what: oneOf(['export', 'thread', 'request']),
      /** The first byte that differs; -1 if it could not be rendered. */
      byte: integer,
      message: string,
    }),
  ),
}).named('ReplayAnswer')

const AUDIT = { at: string, author: string.optional(), reason: string.optional(), audit: string.optional() } as const

export const RETAINED = object({
  id: string,
  /** Snapshots that this call removed, and those that the context still has. */
  thinned: count,
  kept: count,
  /** Cycles kept only because a fork or an attempt needs them. */
  needed: list(count),
  /** Texts that no snapshot shows any more, and that were removed. */
  texts: count,
  ...AUDIT,
}).named('RetainAnswer')

export const ERASED = object({
  ids: texts,
  /** Keys that return no more, because their schedules held such content. */
  schedules: texts,
  /** Texts that were removed. */
  versions: count,
  /** The contexts that were searched. */
  contexts: texts,
  attempts: count,
  answers: count,
  ...AUDIT,
  /** Places that no store can reach. */
  outOfReach: texts,
}).named('EraseAnswer')

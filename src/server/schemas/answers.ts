// What answers look like, as schemas: for the description of the API, and for the tests that hold every answer against them.

import { z } from 'zod'
import { CAUSES } from '../../context/index.js'

const whole = z.number().int()
const tokens = z.number()
const texts = z.array(z.string())
/** Any JSON object: nodes, explanations, receipts in the documents' form. */
const dict = z.record(z.string(), z.unknown())

function named(id: string, schema: z.ZodType): z.ZodType {
  return schema.meta({ id })
}

export const ERROR: z.ZodType = named(
  'Error',
  z.strictObject({
    error: z.strictObject({ code: z.string(), message: z.string(), details: dict }),
  }),
)

export const HEALTH: z.ZodType = named('Health', z.strictObject({ ok: z.literal(true) }))

const contextLine = z.strictObject({ id: z.string(), cycle: whole, forks: whole, damaged: z.literal(true).optional() })

export const CONTEXTS: z.ZodType = named(
  'ContextList',
  z.strictObject({ contexts: z.array(contextLine), cursor: z.string().optional() }),
)

export const SUMMARY: z.ZodType = named(
  'ContextSummary',
  z.strictObject({
    id: z.string(),
    dialect: z.enum(['1.0', '0.1']),
    cycle: whole,
    epoch: whole,
    forks: whole,
    nodes: whole,
    tokens,
    first: whole,
    kept: whole,
    readOnly: z.boolean(),
  }),
)

export const IMPORTED: z.ZodType = named(
  'Imported',
  z.strictObject({ id: z.string(), cycle: whole, format: z.string(), unread: texts }),
)

const receipt = named(
  'Receipt',
  z.strictObject({ removed: z.array(dict), limits: z.array(dict), unmet: z.array(dict) }),
)

const ref = named(
  'SnapshotRef',
  z.strictObject({ kind: z.enum(['t', 'c']), value: whole, label: z.string(), cycle: whole }),
)

export const SNAPSHOTS: z.ZodType = named(
  'SnapshotPage',
  z.strictObject({
    snapshots: z.array(
      z.strictObject({
        cycle: whole,
        ref,
        createdAt: z.string().nullable(),
        nodes: whole,
        items: whole,
        bytes: whole,
        tokens,
        receipt,
      }),
    ),
    before: whole.optional(),
  }),
)

const causes = named('CauseCounts', z.partialRecord(z.enum(CAUSES), whole).describe('How many nodes for each reason.'))

export const LOG: z.ZodType = named(
  'CyclePage',
  z.strictObject({
    cycles: z.array(
      z.strictObject({
        cycle: whole,
        createdAt: z.string().nullable(),
        added: whole,
        removed: whole,
        changed: whole,
        causes,
        tokens,
        words: z.string(),
      }),
    ),
    before: whole.optional(),
  }),
)

const part = z.enum(['sys', 'core', 'ctx'])

const figures = {
  items: whole,
  bytes: whole,
  tokens,
  runs: z.array(z.strictObject({ part, tokens, same: z.boolean() })),
  causes,
  prefix: z.strictObject({
    tokens,
    broken: z.boolean(),
    node: z.string().optional(),
    cause: z.string().optional(),
  }),
}

export const TIMELINE: z.ZodType = named(
  'Timeline',
  z.strictObject({
    first: whole,
    newest: whole,
    columns: z.array(
      z.strictObject({
        cycle: whole,
        open: z.literal(true).optional(),
        ...figures,
        sends: z.array(
          z.strictObject({
            attempt: z.string(),
            status: z.enum(['running', 'completed', 'canceled', 'error']),
            sent: z.enum(['snapshot', 'open', 'untold']),
            figures: z.strictObject(figures).optional(),
          }),
        ),
      }),
    ),
    bins: z.array(z.strictObject({ from: whole, to: whole, tokens, broken: whole, causes })).optional(),
  }),
)

const attempt = named(
  'AttemptRecord',
  z.looseObject({
    attempt_id: z.string(),
    cycle_id: whole,
    status: z.enum(['running', 'completed', 'canceled', 'error']),
    provider: z.string(),
    model: z.string(),
  }),
)

export const ATTEMPT: z.ZodType = attempt
export const ATTEMPTS: z.ZodType = named(
  'AttemptList',
  z.strictObject({ attempts: z.array(attempt), cursor: z.string().optional() }),
)

export const CYCLE: z.ZodType = named(
  'CycleAnswer',
  z.strictObject({
    cycle: whole,
    createdAt: z.string().nullable(),
    segments: whole,
    nodes: whole,
    tokens,
    receipt,
    schedules: z.array(dict),
    largest: z.array(
      z.strictObject({
        id: z.string(),
        tokens,
        role: z.string().optional(),
        kind: z.string().optional(),
        key: z.string().optional(),
        name: z.string().optional(),
      }),
    ),
    attempts: z.array(attempt),
    operations: z.array(dict).optional(),
  }),
)

const side = z.strictObject({ lens: z.string(), cycle: whole })

export const TREE: z.ZodType = named(
  'Tree',
  z.strictObject({
    at: side,
    from: side.optional(),
    total: whole,
    rows: z.array(
      z.strictObject({
        row: whole,
        id: z.string(),
        level: whole,
        index: whole,
        size: whole,
        kind: z.enum(['region', 'seg', 'core', 'cont', 'block']),
        nodeType: z.string(),
        zone: z.enum(['pre', 'core', 'post', '']),
        offset: z.number(),
        depth: whole.optional(),
        cycle: whole.optional(),
        keys: texts.optional(),
        role: z.string().optional(),
        says: z.string().optional(),
        name: z.string().optional(),
        key: z.string().optional(),
        tags: texts.optional(),
        ttl: z.number().optional(),
        cad: z.number().optional(),
        pinned: z.literal(true).optional(),
        refs: texts.optional(),
        text: z.string(),
        cut: z.boolean(),
        tokens,
        mark: z.enum(['', '+', '-', '~']),
        cause: z.string().optional(),
        rule: z.string().optional(),
        reason: z.string().optional(),
        author: z.string().optional(),
        heir: z.string().optional(),
        isOpen: z.boolean().optional(),
        children: whole,
        matches: z.literal(true).optional(),
      }),
    ),
    changed: z.array(whole).optional(),
    matches: whole.optional(),
    matched: z.array(whole).optional(),
    found: whole.optional(),
  }),
)

const life = named(
  'Life',
  z.strictObject({ runs: z.array(z.strictObject({ from: whole, to: whole })), events: z.array(dict) }),
)

export const NODE: z.ZodType = named(
  'NodeAnswer',
  z.strictObject({
    node: dict.optional(),
    shownAt: whole.optional(),
    coordinate: z.string().optional(),
    cut: whole.optional(),
    explanation: dict,
    words: z.string(),
    life,
    place: z.strictObject({ item: whole, start: whole, end: whole }).optional(),
    pair: texts.optional(),
  }),
)

export const EXPLAIN: z.ZodType = named('ExplainAnswer', z.strictObject({ explanation: dict, words: z.string() }))

const names = z.array(z.strictObject({ name: z.string(), count: whole, values: texts.optional() }))

export const NAMES: z.ZodType = named(
  'Names',
  z.strictObject({
    types: names,
    keys: names,
    tags: names,
    roles: names,
    kinds: names,
    attributes: names,
    cursor: z.string().optional(),
  }),
)

export const SELECTED: z.ZodType = named(
  'Selected',
  z.union([
    z.strictObject({ ids: texts, count: whole, nodes: z.array(dict).optional() }),
    z.strictObject({ range: dict }),
  ]),
)

export const DIFF: z.ZodType = named(
  'DiffAnswer',
  z.looseObject({ added: z.array(z.unknown()), removed: z.array(z.unknown()), changed: z.array(z.unknown()) }),
)

export const RENDERED: z.ZodType = named(
  'Rendered',
  z.strictObject({
    format: z.string(),
    lens: z.string(),
    cycle: whole,
    text: z.string(),
    tokens,
    repairs: z.array(dict),
    sourceMap: z.array(z.strictObject({ node: z.string(), start: whole, end: whole, tokens, part, item: whole })),
    breakpoints: z.array(dict),
  }),
)

export const PREFIX: z.ZodType = named(
  'Prefix',
  z.strictObject({
    bytes: whole,
    tokens,
    total: tokens,
    sizes: z.strictObject({ a: whole, b: whole }),
    first: z
      .strictObject({
        byte: whole,
        item: whole,
        node: z.string(),
        cause: z.string(),
        lost: tokens,
        breakpoint: dict.optional(),
      })
      .optional(),
  }),
)

export const TOKENS: z.ZodType = named(
  'TokensAnswer',
  z.strictObject({ total: tokens, overhead: tokens.optional(), by: z.record(z.string(), tokens).optional() }),
)

/** Exported snapshots and threads: exactly the bytes of the call. */
export const EXPORT: z.ZodType = named('Export', z.looseObject({ root: dict }))
export const THREAD: z.ZodType = named(
  'Thread',
  z.array(
    z.strictObject({
      id: z.string(),
      role: z.string().optional(),
      kind: z.string().optional(),
      content: z.unknown(),
    }),
  ),
)

export const PREVIEWED: z.ZodType = named(
  'Previewed',
  z.strictObject({ cycle: whole, ids: z.array(texts), diff: DIFF, thread: THREAD.optional(), receipt }),
)

export const COMMITTED: z.ZodType = named('Committed', z.strictObject({ cycle: whole, ids: z.array(texts), receipt }))

export const LINTED: z.ZodType = named(
  'LintAnswer',
  z.strictObject({ diagnostics: z.array(dict), fixed: z.string().optional() }),
)

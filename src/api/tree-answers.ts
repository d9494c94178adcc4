// The answers about trees, nodes, renderings and selectors.

import { CAUSES } from '../core/index.js'
import { RENDERED_FORMATS, type RenderedFormat } from '../formats/index.js'
import { count, integer, lens, PART, tokens } from './answers.js'
import { dict, flag, json, list, literal, number, object, oneOf, record, string, texts, union } from './schema.js'

const SIDE = object({ lens, cycle: count })

export const TREE = object({
  at: SIDE,
  from: SIDE.optional(),
  /** The number of all rows. */
  total: count,
  rows: list(
    object({
      row: count,
      id: string,
      /** From 1; the children of a turn's core are on the level of the turn's other children. */
      level: count,
      /** Its place among its siblings, from 1, and their number. */
      index: count,
      size: count,
      /** The class of node. */
      kind: oneOf(['region', 'seg', 'core', 'cont', 'block']),
      nodeType: string,
      /** The zone of its turn or of the active head, '' elsewhere. */
      zone: oneOf(['pre', 'core', 'post', '']),
      offset: number,
      /** The containers that are folded into this row, since it is all that they hold; the outermost first. */
      holders: texts.optional(),
      /** For a turn: its depth and the cycle that made it. For a closed turn: the first 8 keys in it. */
      depth: count.optional(),
      cycle: count.optional(),
      keys: texts.optional(),
      /** For turns in a row that left for one reason, as one closed row: their number, and the cycle that made the last. */
      run: object({ turns: count, to: count }).optional(),
      role: string.optional(),
      /** Its own kind, such as `call`. */
      says: string.optional(),
      /** The name of the tool of a call or a result. */
      name: string.optional(),
      key: string.optional(),
      tags: texts.optional(),
      ttl: number.optional(),
      cad: number.optional(),
      pinned: literal(true).optional(),
      refs: texts.optional(),
      /**
       * The first 200 characters of the content, on one line: of a call its arguments, of a result its output, of a message its words. A closed
       * turn has the line, kind and tool of its first content.
       */
      text: string,
      /** The content is longer. */
      cut: flag,
      /** Its own; for a closed row, of everything under it. */
      tokens,
      /** Against `from`: came, left, changed. */
      mark: oneOf(['', '+', '-', '~']),
      cause: oneOf([...CAUSES, 'selection']).optional(),
      /** The limit that it was pruned for. */
      rule: string.optional(),
      /** Reason and author of a redaction, if they were given. */
      reason: string.optional(),
      author: string.optional(),
      /** The content was shed: the row shows the line in its place. */
      shed: literal(true).optional(),
      /** For a summary: the number of nodes that it stands for. */
      standsFor: count.optional(),
      /** It came or changed in the open cycle, so no snapshot holds it like this. */
      open: literal(true).optional(),
      /** The node that took the place of one that left. */
      heir: string.optional(),
      /** Only for rows with children. */
      isOpen: flag.optional(),
      children: count,
      /** The row matches `q`. */
      matches: literal(true).optional(),
    }),
  ),
  /** With `from`: the rows that have a mark, the first 1000. */
  changed: list(count).optional(),
  /** The row of the newest turn; missing if there is none. */
  newest: count.optional(),
  /** With `q`: the number of nodes that match, and their visible rows, the first 1000. */
  matches: count.optional(),
  matched: list(count).optional(),
  /** With `find`: its row; missing if there is no such node. */
  found: count.optional(),
}).named('Tree')

export const CHANGES = object({
  from: SIDE,
  to: SIDE,
  /** With `other`: the newest cycle that both contexts have, 0 if there is none. */
  common: count.optional(),
  /** The number of all rows. */
  total: count,
  /** The number of changes by cause, with those that are left out. */
  causes: record(count, [...CAUSES, 'selection']),
  /** The same by group. */
  groups: record(count, ['Redacted', 'Replaced', 'Left', 'Changed', 'Came']),
  rows: list(
    object({
      row: count,
      group: oneOf(['Redacted', 'Replaced', 'Left', 'Changed', 'Came']),
      /** Came, left, changed or replaced. */
      mark: oneOf(['+', '-', '~']),
      id: string,
      /** The node whose place it took. */
      old: string.optional(),
      cause: oneOf([...CAUSES, 'selection']),
      cycle: count,
      /** The changed headers of a node that both sides have, and their values as JSON, cut. */
      fields: texts,
      delta: record(object({ from: string, to: string })).optional(),
      /** Its index in the provider thread, before and after; missing if it is no item. */
      item: object({ from: count.optional(), to: count.optional() }),
      nodeType: string,
      zone: oneOf(['pre', 'core', 'post', '']),
      role: string.optional(),
      says: string.optional(),
      name: string.optional(),
      key: string.optional(),
      reason: string.optional(),
      author: string.optional(),
      /** The first 200 characters of the content; empty if it was redacted. */
      text: string,
      cut: flag,
    }),
  ),
  /** With `find`: its row; missing if the node did not change. */
  found: count.optional(),
}).named('Changes')

const LIFE = object({
  /** The cycles whose snapshots hold the node, from the oldest run to the newest; both ends are included. */
  runs: list(object({ from: count, to: count })),
  /** The events of the node, oldest first, with those of the open cycle. */
  events: list(object({ cycle: count, what: string, by: string.optional() })),
}).named('Life')

/** A node in the documents' form, without the children, and its place. */
export const NODE = object({
  /** If the node is gone: its form in the newest earlier snapshot that is kept. */
  node: dict.optional(),
  /** The cycle of that snapshot; missing if the node still exists. */
  shownAt: count.optional(),
  coordinate: string.optional(),
  /** The length of the whole content, if the content is cut. */
  cut: count.optional(),
  explanation: dict,
  words: string,
  life: LIFE,
  /** Its bytes in the thread, or in the request of `for`. */
  place: object({ item: count, start: count, end: count }).optional(),
  /** The call of a result, or the results of a call. */
  pair: texts.optional(),
}).named('NodeAnswer')

export const RECALLED = object({ content: json }).named('RecallAnswer')

export const COMPACTION = object({
  /** The nodes that would go, in document order. */
  nodes: list(object({ id: string, hash: string, tokens })),
  tokens,
  /** The nodes that stay, and why. */
  stays: list(object({ id: string, why: string })),
  /** The instruction for the model that writes the summary. */
  prompt: string,
}).named('CompactionPlan')

export const EXPLAINED = object({ explanation: dict, words: string }).named('ExplainAnswer')

const NAME_COUNTS = list(object({ name: string, count, values: texts.optional() }))

/** Names in a tree, the most frequent first. */
export const NAMES = object({
  types: NAME_COUNTS,
  keys: NAME_COUNTS,
  tags: NAME_COUNTS,
  roles: NAME_COUNTS,
  kinds: NAME_COUNTS,
  /** Attributes with some of their values. */
  attributes: NAME_COUNTS,
  cursor: string.optional(),
}).named('Names')

export const SELECTED = union(
  object({
    ids: texts,
    count,
    /** The number of all nodes that match, if `limit` left some out. */
    total: count.optional(),
    nodes: list(dict).optional(),
    /** The advice on a selector that found nothing and may mean something else. */
    advice: string.optional(),
  }),
  object({ range: dict }),
).named('Selected')

/** Nodes with the words: in document order for one tree, newest first for all history. */
const HITS = list(
  object({
    id: string,
    /** The words as they are written there, and the text around them, each on one line. */
    before: string,
    match: string,
    after: string,
    role: string.optional(),
    says: string.optional(),
    name: string.optional(),
    key: string.optional(),
    /** The cycle that wrote this text. */
    cycle: count,
    /** The cycles whose snapshots hold the node: the run with that cycle. Missing for a node of the open cycle. */
    from: count.optional(),
    to: count.optional(),
  }),
)

export const SEARCHED = union(
  object({
    hits: HITS,
    /** The nodes of the tree that have the words, the first 5000, and the number of all. */
    ids: texts,
    count,
  }),
  object({
    hits: HITS,
    /** The number of cycles that were searched. */
    cycles: count,
    /** Send it as `before` for older cycles; missing at the oldest. */
    next: count.optional(),
  }),
).named('Searched')

const BREAKPOINT = object({ node: string, byte: count, item: count, least: count.optional() })

const SOURCE_MAP = list(
  object({
    node: string,
    start: count,
    end: count,
    tokens,
    part: PART,
    item: count,
    /** Its end in the rendering without cache marks and params, in which prefixes and breakpoints count. */
    plainEnd: count,
  }),
)

export const RENDERED = object({
  format: oneOf<RenderedFormat>(RENDERED_FORMATS),
  lens,
  cycle: count,
  /** Exactly the body of the request. */
  text: string,
  /** Of all nodes in it. */
  tokens,
  repairs: list(dict),
  /** The node of every byte range, in order, and the item of the list: a message, a thread item. */
  sourceMap: SOURCE_MAP,
  breakpoints: list(BREAKPOINT),
}).named('Rendered')

export const SENT_REQUEST = object({
  attempt: string,
  /** The SHA-256 of the body, as the record has it. */
  hash: string.optional(),
  /** The record holds the body itself. */
  isKept: flag,
  /** Exactly the body that was sent; missing if it cannot be given again. */
  text: string.optional(),
  why: object({ reason: string, message: string }).optional(),
  /** As in a rendering; missing if the tree of the call is not known. */
  tokens: tokens.optional(),
  repairs: list(dict).optional(),
  sourceMap: SOURCE_MAP.optional(),
  breakpoints: list(BREAKPOINT).optional(),
}).named('SentRequest')

export const PREFIX = object({
  /** With `other`: the newest cycle that both contexts have, 0 if there is none. */
  common: count.optional(),
  /** The bytes that are the same, and their tokens in the later rendering. */
  bytes: count,
  tokens,
  /** The tokens of the later rendering. */
  total: tokens,
  /** The tokens of the tools and the system text in the params of the calls, in no other figure. */
  params: object({ tokens, total: tokens, lost: tokens }).optional(),
  /** The bytes of both renderings. */
  sizes: object({ a: count, b: count }),
  /** The first difference; missing if the later rendering only adds to the earlier one. */
  first: object({
    byte: integer,
    item: integer,
    node: string,
    cause: string,
    /** Tokens of the earlier rendering that cannot be used again. */
    lost: tokens,
    /** The first cache mark of the earlier request after the difference. */
    breakpoint: BREAKPOINT.optional(),
  }).optional(),
}).named('Prefix')

export const TOKENS = object({
  total: tokens,
  overhead: tokens.optional(),
  by: record(tokens).optional(),
}).named('TokensAnswer')

export const TOKEN_MAP = object({
  at: SIDE,
  total: tokens,
  /** In the order of the thread: the system, the turns, the open cycle. Small neighbours share one entry, from one cycle to another. */
  turns: list(
    object({
      id: string,
      zone: oneOf(['sys', 'turn', 'open']),
      from: count,
      to: count,
      tokens,
      nodes: list(
        object({
          /** The node, or the first of `count` small neighbours. */
          id: string,
          count: count.optional(),
          tokens,
          part: PART,
          role: string.optional(),
          kind: string.optional(),
          /** The tool of a call or a result. */
          name: string.optional(),
          key: string.optional(),
        }),
      ),
    }),
  ),
}).named('TokenMap')

export const EXPORTED = object({ root: dict }, true).named('Export')

export const LINTED = object({
  diagnostics: list(
    object({
      /** The name of a rule, or the code of the parser's error. */
      code: string,
      severity: oneOf(['error', 'warning', 'info']),
      message: string,
      /** UTF-16 units; the end is not included. */
      start: count,
      end: count,
      /** The replacement for the span. */
      fix: string.optional(),
    }),
  ),
  /** The text with every fix made; missing if nothing changed. */
  fixed: string.optional(),
}).named('LintAnswer')

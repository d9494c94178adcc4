// The answers about contexts as a whole.

import { DUE, type Due } from '../core/index.js'
import { FORMAT_NAMES, IMPORT_FORMATS, type FormatName, type ImportFormat } from '../formats/index.js'
import { ATTEMPT_STATUS, count, tokens } from './answers.js'
import { edition } from './fields.js'
import { flag, json, list, literal, nullable, object, oneOf, string, texts } from './schema.js'

const LISTED = object({
  id: string,
  cycle: count,
  forks: count,
  /** Set if edits of its open cycle are saved. */
  draft: literal(true).optional(),
  /** Set if its newest rows are lost, so that it cannot be opened. */
  damaged: literal(true).optional(),
  /** The context that it is a fork of, and the newest cycle that both have. */
  parent: string.optional(),
  from: count.optional(),
  /** Grows with every context that is made; not in PostgreSQL. */
  made: count.optional(),
}).named('ListedContext')

export const CONTEXT_LIST = object({ contexts: list(LISTED), cursor: string.optional() }).named('ContextList')

export const FAMILY = object({ contexts: list(LISTED) }).named('Family')

export const SUMMARY = object({
  id: string,
  dialect: edition,
  /** The newest committed cycle, 0 before the first commit. */
  cycle: count,
  /** Grows with every erasure. */
  epoch: count,
  forks: count,
  /** Set if edits of its open cycle are saved. */
  draft: literal(true).optional(),
  /** Nodes and tokens of the newest snapshot. */
  nodes: count,
  tokens,
  /**
   * The next thing to come: a message of the user, results of calls, a reply of the model, or nothing, since a person has to approve a
   * call. Null if a call has the form of an adapter that is not loaded here.
   */
  due: nullable(oneOf<Due>(DUE)),
  /** The calls that wait for a result; none if `due` is null. */
  openCalls: list(
    object({
      id: string,
      name: string,
      /** Absent where the model wrote no JSON. */
      arguments: json.optional(),
      /** The arguments as the model wrote them. */
      argumentsText: string,
    }),
  ),
  /** The oldest cycle that is kept, and the number of cycles that are kept; 0 and 0 before the first commit. */
  first: count,
  kept: count,
  /** When the newest turn was made, or the last attempt ended; null before that. */
  updatedAt: nullable(string),
  /** The number of attempts and of those that failed; the status of the last one, and the adapter that it was sent with. */
  attempts: object({ count, failed: count, last: ATTEMPT_STATUS.optional(), adapter: string.optional() }),
  /** The format of its last call, else that of the conversation it came from, if either is known. */
  format: oneOf<FormatName>(FORMAT_NAMES).optional(),
  /** The server refuses writes. */
  readOnly: flag,
}).named('ContextSummary')

export const REMOVED = object({ deleted: flag })

export const IMPORTED = object({
  id: string,
  cycle: count,
  format: oneOf<ImportFormat>(IMPORT_FORMATS),
  /** Parts of the conversation that could not be read. */
  unread: texts,
}).named('Imported')

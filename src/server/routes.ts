// Every route there is, as a table: what it takes, what it gives, and which command does it. The app registers it, the description is
// generated from it, and the tests go through it row by row.

import {
  commitOperations,
  describeContext,
  explainNode,
  forkContext,
  importConversation,
  lintText,
  listAttempts,
  listContexts,
  listSnapshots,
  logCycles,
  makeContext,
  previewOperations,
  readCycle,
  readExport,
  readNames,
  readNode,
  readPrefix,
  readThread,
  readTokens,
  readTree,
  recordAttempt,
  removeContext,
  renderRequest,
  timeline,
  type CommandOptions,
  type Desk,
} from '../commands/index.js'
import type { z } from 'zod'
import { PactError } from '../errors/index.js'
import { limitedDiff, limitedSelect, type WorkLimits } from './limits.js'
import * as answer from './schemas/answers.js'
import { FIELD, type Fields } from './schemas/fields.js'
import { refused } from './status.js'

export type Input = Readonly<Record<string, unknown>>

/** What a route works with. */
export type Office = Readonly<{ desk: Desk; readOnly: boolean; limits: WorkLimits }>

/** What goes out: JSON, or exactly these bytes. */
export type Answer = Readonly<{ json: unknown } | { bytes: Uint8Array } | { nothing: true }> &
  Readonly<{ headers?: Readonly<Record<string, string>> }>

export type Route = Readonly<{
  method: 'get' | 'post' | 'delete'
  /** As Hono has it: `/v1/contexts/:id`. */
  path: string
  /** One sentence. */
  about: string
  /** Beside the parameters in the path. */
  fields: Fields
  needs?: readonly string[]
  /** What it answers; undefined for no body. */
  answer: z.ZodType | undefined
  status: 200 | 201 | 204
  /** Whether it changes something; what does not answers GET, and is there in read-only mode. */
  writes: boolean
  /** Whether the answer follows from the context's version, so that its tag is known before it is worked out. */
  isVersioned: boolean
  run: Run
}>

/** What stands in the path, and what was asked beside it. */
type Run = (office: Office, params: Input, input: Input, options: CommandOptions) => Promise<Answer>

const json = (value: unknown): Answer => ({ json: value })
const READING: Fields = { base: FIELD.base, operations: FIELD.operations }

/** A command's input is checked by the command: what came is handed on as it came. */
type Command = (desk: Desk, input: never, options: CommandOptions) => Promise<unknown>

function plain(command: Command): Run {
  return async ({ desk }, params, input, options) => json(await command(desk, joined(params, input), options))
}

function bytes(command: (desk: Desk, input: never) => Promise<Readonly<{ bytes: Uint8Array }>>): Run {
  return async ({ desk }, params, input) => ({ bytes: (await command(desk, joined(params, input))).bytes })
}

/** What the path says wins. */
function joined(params: Input, input: Input): never {
  return { ...input, ...params } as never
}

/** A read below a context: GET with its parameters, and POST with operations beside them. */
function reading(
  name: string,
  about: string,
  fields: Fields,
  schema: z.ZodType,
  run: Run,
  needs: readonly string[] = [],
): Route[] {
  const path = `/v1/contexts/:id/${name}`
  const shared = { path, about, answer: schema, status: 200, writes: false, run, needs } as const
  return [
    { ...shared, method: 'get', fields, isVersioned: name !== 'timeline' && name !== 'cycle' },
    {
      ...shared,
      method: 'post',
      about: `${about} With operations: of the state that they would give; nothing is kept.`,
      fields: { ...fields, ...READING },
      isVersioned: false,
    },
  ]
}

/** `lens` and `at` are two names for one thing where a node is read. */
function withLens(run: Run): Run {
  return async (office, params, { lens, ...input }, options) => {
    if (lens === undefined || input['at'] !== undefined) return run(office, params, input, options)
    return calledHere('at', 'lens', () => run(office, params, { ...input, at: lens }, options))
  }
}

/** What a command says of a field, under the name that the field has here. */
async function calledHere<T>(theirs: string, ours: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!PactError.is(error) || error.code !== 'E_CONTENT_INVALID' || error.details['name'] !== theirs) throw error
    const message = error.message.replace(theirs, ours)
    throw new PactError(error.code, message, { ...error.details, name: ours }, { cause: error })
  }
}

/** A summary also says what may be done here. */
function summary(command: Command): Run {
  return async ({ desk, readOnly }, params, input, options) =>
    json({ ...((await command(desk, joined(params, input), options)) as object), readOnly })
}

export const ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/v1/contexts',
    about: 'Lists contexts in the order of their ids.',
    fields: { limit: FIELD.limit, cursor: FIELD.cursor },
    answer: answer.CONTEXTS,
    status: 200,
    writes: false,
    isVersioned: false,
    run: plain(listContexts),
  },
  {
    method: 'post',
    path: '/v1/contexts',
    about: 'Makes an empty context; 409 where there is one of this id.',
    fields: { id: FIELD.id, dialect: FIELD.dialect },
    needs: ['id'],
    answer: answer.SUMMARY,
    status: 201,
    writes: true,
    isVersioned: false,
    run: summary(makeContext),
  },
  {
    method: 'get',
    path: '/v1/contexts/:id',
    about: 'Tells how large a context is and what of it there is.',
    fields: {},
    answer: answer.SUMMARY,
    status: 200,
    writes: false,
    isVersioned: false,
    run: summary(describeContext),
  },
  {
    method: 'delete',
    path: '/v1/contexts/:id',
    about: 'Deletes a context with all its past; 409 where it has forks, unless these go too.',
    fields: { forks: FIELD.forks },
    answer: undefined,
    status: 204,
    writes: true,
    isVersioned: false,
    run: async ({ desk }, params, input) => {
      const { deleted } = await removeContext(desk, joined(params, input))
      if (!deleted) throw refused(404, 'E_STORE', 'There is no such context.', { reason: 'missing' })
      return { nothing: true }
    },
  },
  {
    method: 'post',
    path: '/v1/contexts/:id/import',
    about: 'Reads a conversation, or an export, into a new context; 409 where the id exists.',
    fields: { format: FIELD.format, body: FIELD.body, dialect: FIELD.dialect },
    needs: ['body'],
    answer: answer.IMPORTED,
    status: 201,
    writes: true,
    isVersioned: false,
    run: plain(importConversation),
  },
  {
    method: 'get',
    path: '/v1/contexts/:id/snapshots',
    about: 'Lists snapshots, newest first, with sizes and receipts.',
    fields: { limit: FIELD.limit, before: FIELD.before },
    answer: answer.SNAPSHOTS,
    status: 200,
    writes: false,
    isVersioned: true,
    run: plain(listSnapshots),
  },
  {
    method: 'get',
    path: '/v1/contexts/:id/log',
    about: 'Tells what each commit changed and why, newest first.',
    fields: { limit: FIELD.limit, before: FIELD.before },
    answer: answer.LOG,
    status: 200,
    writes: false,
    isVersioned: true,
    run: plain(logCycles),
  },
  ...reading('export', 'Exactly the bytes of `export`.', { lens: FIELD.lens }, answer.EXPORT, bytes(readExport)),
  ...reading('thread', 'Exactly the bytes of `threadBytes`.', { lens: FIELD.lens }, answer.THREAD, bytes(readThread)),
  ...reading(
    'nodes/:node',
    'One node: headers, content, explanation, life, place.',
    { at: FIELD.at, lens: FIELD.lens, for: FIELD.forAny, full: FIELD.full },
    answer.NODE,
    withLens(plain(readNode)),
  ),
  ...reading(
    'explain/:node',
    'Why a node is there and what will happen to it.',
    { at: FIELD.at, lens: FIELD.lens },
    answer.EXPLAIN,
    withLens(plain(explainNode)),
  ),
  ...reading(
    'tree',
    'The tree as rows, a window of them, marked against another tree.',
    {
      at: FIELD.at,
      from: FIELD.fromLens,
      open: FIELD.open,
      closed: FIELD.closed,
      row: FIELD.row,
      rows: FIELD.rows,
      find: FIELD.find,
      q: FIELD.q,
      only: FIELD.only,
      ghosts: FIELD.ghosts,
    },
    answer.TREE,
    plain(readTree),
  ),
  ...reading(
    'names',
    'Types, keys, tags, roles, kinds and attributes, with counts, the most frequent first; `limit` of each.',
    { at: FIELD.at, limit: FIELD.limit, cursor: FIELD.cursor },
    answer.NAMES,
    plain(readNames),
  ),
  ...reading(
    'cycle',
    'One cycle: sizes, receipt, schedules, largest nodes, attempts.',
    { at: FIELD.at },
    answer.CYCLE,
    plain(readCycle),
  ),
  ...reading(
    'timeline',
    'Columns of cycles: sizes, parts, causes, prefixes.',
    { from: FIELD.from, to: FIELD.to, bins: FIELD.bins, for: FIELD.for, open: FIELD.isOpen },
    answer.TIMELINE,
    plain(timeline),
  ),
  ...reading(
    'tokens',
    'How many tokens a tree or a request has.',
    { lens: FIELD.lens, by: FIELD.by, for: FIELD.for },
    answer.TOKENS,
    plain(readTokens),
  ),
  ...reading(
    'render',
    'The request of a provider as exact text, and whose bytes are whose.',
    { for: FIELD.forAny, lens: FIELD.lens, options: FIELD.options },
    answer.RENDERED,
    plain(renderRequest),
    ['for'],
  ),
  ...reading(
    'prefix',
    'How much of one rendering is the beginning of another, and what ended it.',
    { a: FIELD.a, b: FIELD.b, for: FIELD.forAny, options: FIELD.options },
    answer.PREFIX,
    plain(readPrefix),
  ),
  {
    method: 'post',
    path: '/v1/contexts/:id/select',
    about: 'Finds nodes by a selector; for a range of snapshots, what changed in it.',
    fields: { selector: FIELD.selector, at: FIELD.at, options: FIELD.options, nodes: FIELD.nodes, ...READING },
    needs: ['selector'],
    answer: answer.SELECTED,
    status: 200,
    writes: false,
    isVersioned: false,
    run: async ({ desk, limits }, params, input) => json(await limitedSelect(desk, joined(params, input), limits)),
  },
  {
    method: 'post',
    path: '/v1/contexts/:id/diff',
    about: 'What changed from one tree to another.',
    fields: {
      a: FIELD.a,
      b: FIELD.b,
      selector: FIELD.selector,
      options: FIELD.options,
      detailed: FIELD.detailed,
      ...READING,
    },
    needs: ['a', 'b'],
    answer: answer.DIFF,
    status: 200,
    writes: false,
    isVersioned: false,
    run: async ({ desk, limits }, params, input) => json(await limitedDiff(desk, joined(params, input), limits)),
  },
  {
    method: 'post',
    path: '/v1/contexts/:id/preview',
    about: 'What a commit of these operations would give; nothing is kept.',
    fields: { ...READING, thread: FIELD.thread },
    needs: ['operations'],
    answer: answer.PREVIEWED,
    status: 200,
    writes: false,
    isVersioned: false,
    run: plain(previewOperations),
  },
  {
    method: 'post',
    path: '/v1/contexts/:id/commit',
    about:
      'Applies operations as one cycle; 409 where `base` is no longer the newest. The same key again gives the same answer.',
    fields: { ...READING, key: FIELD.key },
    needs: ['base', 'operations'],
    answer: answer.COMMITTED,
    status: 201,
    writes: true,
    isVersioned: false,
    run: async ({ desk }, params, input) => {
      if (input['base'] === undefined) {
        const message = 'base is missing: the newest cycle that you know of, 0 before the first commit.'
        throw refused(400, 'E_CONTENT_INVALID', message, { name: 'base' })
      }
      const { repeated, ...answered } = await commitOperations(desk, joined(params, input))
      return { json: answered, ...(repeated === true ? { headers: { 'idempotent-replayed': 'true' } } : {}) }
    },
  },
  {
    method: 'post',
    path: '/v1/contexts/:id/fork',
    about: 'Makes a context that shares the past up to a snapshot.',
    fields: { lens: FIELD.lens, id: FIELD.id },
    needs: ['id'],
    answer: answer.SUMMARY,
    status: 201,
    writes: true,
    isVersioned: false,
    run: (office, params, { id: newId, ...input }, options) =>
      calledHere('newId', 'id', () => summary(forkContext)(office, params, { ...input, newId }, options)),
  },
  {
    method: 'get',
    path: '/v1/contexts/:id/attempts',
    about: 'The records of attempts, oldest first.',
    fields: { cycle: FIELD.cycle, limit: FIELD.limit, cursor: FIELD.cursor },
    answer: answer.ATTEMPTS,
    status: 200,
    writes: false,
    isVersioned: false,
    run: plain(listAttempts),
  },
  {
    method: 'post',
    path: '/v1/contexts/:id/attempts',
    about: 'Notes a provider call that has ended.',
    fields: {
      provider: FIELD.provider,
      model: FIELD.model,
      params: FIELD.params,
      lens: FIELD.lens,
      for: FIELD.for,
      options: FIELD.options,
      request: FIELD.request,
      keepRequest: FIELD.keepRequest,
      status: FIELD.status,
      tokenIn: FIELD.tokenIn,
      tokenOut: FIELD.tokenOut,
      error: FIELD.error,
      ...READING,
    },
    needs: ['provider', 'model', 'params'],
    answer: answer.ATTEMPT,
    status: 201,
    writes: true,
    isVersioned: false,
    run: plain(recordAttempt),
  },
  {
    method: 'post',
    path: '/v1/lint',
    about: 'Lists what is wrong with a selector, or could be better.',
    fields: { selector: FIELD.selector, dialect: FIELD.dialect, migrate: FIELD.migrate },
    needs: ['selector'],
    answer: answer.LINTED,
    status: 200,
    writes: false,
    isVersioned: false,
    run: async (_office, _params, input) => json(lintText(input as never)),
  },
]

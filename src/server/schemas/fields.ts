// What a request may say, field by field: one schema for its JSON form, and how the same field is read from a query string.

import { z } from 'zod'
import { FORMAT_NAMES, IMPORT_FORMATS, RENDERED_FORMATS } from '../../formats/index.js'

export type Field = Readonly<{
  schema: z.ZodType
  /** What a query parameter means; what is wrong with it, the command says. */
  read: (text: string) => unknown
  /** Whether it may be there several times, and is a list. */
  isList: boolean
  about: string
}>

export type Fields = Readonly<Record<string, Field>>

function field(schema: z.ZodType, read: Field['read'], about: string, isList: boolean = false): Field {
  return { schema: schema.describe(about), read, about, isList }
}

const asText = (text: string): unknown => text
const asNumber = (text: string): unknown => (/^-?\d{1,15}$/.test(text) ? Number(text) : text)
const asFlag = (text: string): unknown => (text === 'true' || text === '' ? true : text === 'false' ? false : text)
const asJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const text = (about: string): Field => field(z.string().min(1), asText, about)
const whole = (about: string): Field => field(z.number().int().min(0), asNumber, about)
const flag = (about: string): Field => field(z.boolean(), asFlag, about)
const dict = (about: string): Field => field(z.record(z.string(), z.unknown()), asJson, about)

export const OPERATION: z.ZodType = z
  .looseObject({ op: z.string() })
  .describe('A call of Context as data: `op`, and its arguments by name.')
  .meta({ id: 'Operation' })

type FieldName =
  | 'lens'
  | 'at'
  | 'fromLens'
  | 'a'
  | 'b'
  | 'selector'
  | 'limit'
  | 'cursor'
  | 'before'
  | 'base'
  | 'operations'
  | 'key'
  | 'for'
  | 'forAny'
  | 'options'
  | 'nodes'
  | 'detailed'
  | 'thread'
  | 'by'
  | 'from'
  | 'to'
  | 'bins'
  | 'isOpen'
  | 'open'
  | 'closed'
  | 'row'
  | 'rows'
  | 'find'
  | 'q'
  | 'only'
  | 'ghosts'
  | 'full'
  | 'cycle'
  | 'forks'
  | 'id'
  | 'dialect'
  | 'migrate'
  | 'format'
  | 'body'
  | 'provider'
  | 'model'
  | 'params'
  | 'request'
  | 'keepRequest'
  | 'status'
  | 'tokenIn'
  | 'tokenOut'
  | 'error'

/** Every field of every request, by name: one name means one thing. */
export const FIELD: Readonly<Record<FieldName, Field>> = {
  lens: text(
    'Whose tree: `@t0`, `@t-3`, `@c12`, `working`, `preview`, or `attempt:12-0` for what that attempt has sent.',
  ),
  at: text(
    'Whose tree: `@t0`, `@t-3`, `@c12`, `working`, `preview`, or `attempt:12-0` for what that attempt has sent.',
  ),
  fromLens: text('The tree it is compared with.'),
  a: text('The earlier tree.'),
  b: text('The later tree.'),
  selector: text('A selector.'),
  limit: field(z.number().int().min(1).max(1000), asNumber, 'How many at the most.'),
  cursor: text('The `cursor` of the page before.'),
  before: whole('Only cycles before this one.'),
  base: whole('The newest cycle, as the caller knows it; 0 before the first commit.'),
  operations: field(z.array(OPERATION), asJson, 'Edits as data, applied in order, all or none.'),
  key: text('Names the commit: the same key again gives the same answer.'),
  for: field(z.enum(FORMAT_NAMES), asText, 'Whose request.'),
  forAny: field(z.enum(RENDERED_FORMATS), asText, 'Whose request, or the provider-neutral thread.'),
  options: dict('Options of the call, by name.'),
  nodes: flag('Whether nodes come with their ids.'),
  detailed: flag('With values, causes and places.'),
  thread: flag('Whether the thread comes with it.'),
  by: field(z.enum(['region', 'depth', 'role', 'key', 'node']), asText, 'What tokens are told apart by.'),
  from: whole('The first cycle.'),
  to: whole('The last cycle.'),
  bins: field(z.number().int().min(1).max(500), asNumber, 'Sums of everything in so many bins.'),
  isOpen: flag('Adds a column for the open cycle.'),
  open: field(z.union([z.literal('all'), z.array(z.string())]), asText, 'Rows that are open; `all` opens all.', true),
  closed: field(z.array(z.string()), asText, 'Rows that are closed.', true),
  row: whole('The first row.'),
  rows: field(z.number().int().min(0).max(1000), asNumber, 'How many rows.'),
  find: text('A node whose row is to be told.'),
  q: text('A selector, or a text that contents hold.'),
  only: flag('Only what matches.'),
  ghosts: flag('Whether nodes that left keep their place.'),
  full: flag('Gives large contents whole.'),
  cycle: whole('Only of this cycle.'),
  forks: flag('Whether its forks go with it.'),
  id: text('The id of a context.'),
  dialect: field(z.enum(['1.0', '0.1']), asText, 'The edition of the specification.'),
  migrate: flag('Says what dialect 1.0 wants instead.'),
  format: field(
    z.enum(['auto', ...IMPORT_FORMATS]),
    asText,
    'The format of the conversation; `auto` finds out, which is usual.',
  ),
  body: field(z.unknown(), asJson, 'The conversation, as JSON or as text.'),
  provider: text('Who was called.'),
  model: text('The model.'),
  params: field(z.unknown(), asJson, 'Parameters of the call; only their hash is kept.'),
  request: field(z.unknown(), asJson, 'The body on the wire.'),
  keepRequest: flag('Keeps the body with the record.'),
  status: field(z.enum(['completed', 'canceled', 'error']), asText, 'How it ended.'),
  tokenIn: whole('Tokens that the provider counted in.'),
  tokenOut: whole('Tokens that the provider counted out.'),
  error: dict('`{ name?, message }` of what went wrong.'),
}

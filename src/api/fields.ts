// The fields of requests. One name means one thing wherever it occurs.

import type { DiffOptions, SelectOptions } from '../context/index.js'
import type { JsonObject, Lens } from '../core/index.js'
import type { Operation } from '../edit/index.js'
import {
  FORMAT_NAMES,
  IMPORT_FORMATS,
  RENDERED_FORMATS,
  type ImportFormat,
  type RenderedFormat,
} from '../formats/index.js'
import {
  dict,
  flag,
  json,
  list,
  literal,
  object,
  oneOf,
  string,
  text,
  texts,
  union,
  whole,
  type Schema,
} from './schema.js'

const TREE = '`@t0`, `@t-3`, `@c12`, `working`, `preview`, or `attempt:12-0` for the tree that an attempt sent.'
const tree: Schema<Lens> = text.as<Lens>()

export const id = text.says('The id of a context.')
export const node = text.says('The id of a node.')
export const oneNode = text.says('The id of a node, or a selector that finds one node.')
export const attempt = text.says('The id of an attempt.')
export const lens = tree.says(`The tree: ${TREE}`).optional()
export const fromLens = tree.says('The tree to compare with.').optional()
export const a = tree.says('The earlier tree.')
export const b = tree.says('The later tree.')
export const other = text.says('The context of `a`, if it is another one; `a` is one of its snapshots then.').optional()
export const selector = text.says('A selector.')

/** Entries of a page. */
export const limit = whole(1, 1000).says('The largest number of entries.').optional()
export const cursor = text.says('The `cursor` of the page before.').optional()
export const before = whole(0).says('Only cycles before this one.').optional()

export const operation: Schema<Operation> = object({ op: string }, true)
  .says('A call of Context as data: `op`, and its arguments by name.')
  .named('Operation')
  .as<Operation>()

export const keep = whole(1).says('How many of the newest steps stay; 12 by default.').optional()
export const prompt = text.says('The instruction for the model that writes the summary.').optional()

export const select = text.says('Counts the nodes that this selector finds, and no others.').optional()

/** The engine checks operations one by one, and names the one at fault by its number. */
const operationList = list(operation)
  .checkedAs('a list of operations', Array.isArray)
  .says('Edits as data, applied in order, all or none.')

/**
 * With operations a read shows the state that they would give, as `working` and `preview` of a context that has them. Nothing is
 * kept and no id is spent. With `base`, only if that cycle is still the newest.
 */
export const READING = {
  base: whole(0).says('The newest cycle that the caller knows; 0 before the first commit.').optional(),
  operations: operationList.optional(),
} as const

export const operations = operationList.orMissing(
  'operations are missing: a list such as [{ "op": "user", "content": "Hi" }].',
)
export const draft = whole(1).says('The version of the draft that the commit includes.').optional()
export const version = whole(0).says('The version of the draft that the caller knows; 0 if there is none.')
export const key = text.says('Names the commit: the same key again gives the same answer.').optional()

export const providerFormat = oneOf(FORMAT_NAMES).says('The format of a provider.').optional()
const anyFormat = oneOf<RenderedFormat>(RENDERED_FORMATS).says(
  'The format of a provider, or the provider-neutral thread.',
)
export const format = anyFormat.optional()
export const renderedFormat = anyFormat.orMissing(`for is missing: one of ${RENDERED_FORMATS.join(', ')}.`)
export const options = dict.says('Options of the call, by name.').optional()
export const selectOptions = options.as<SelectOptions & JsonObject>()
export const diffOptions = options.as<DiffOptions & JsonObject>()

export const nodes = flag.says('Adds the nodes to their ids.').optional()
export const detailed = flag.says('Adds values, causes and places.').optional()
export const thread = flag.says('Adds the thread.').optional()
export const by = oneOf(['region', 'depth', 'role', 'kind', 'name', 'key', 'node'])
  .says('Splits the tokens by this.')
  .optional()
export const columnsBy = oneOf(['role', 'kind', 'name'])
  .says('Adds the tokens of each column by role, by kind, or by the name of the tool.')
  .optional()

// Timelines and trees

export const fromCycle = whole(0).says('The first cycle.').optional()
export const toCycle = whole(0).says('The last cycle.').optional()
export const bins = whole(1, 500).says('Adds sums over the whole history, in this many bins.').optional()
export const binsFrom = whole(0).says('Sums begin at this cycle.').optional()
export const binsTo = whole(0).says('Sums end at this cycle.').optional()
export const words = text.says('Words to look for in contents, in upper or lower case.')
export const isOpen = flag.says('Adds a column for the open cycle.').optional()
export const open = union(literal('all'), texts, 'a list of texts')
  .says('Rows that are open; `all` opens all.')
  .optional()
export const closed = texts.says('Rows that are closed.').optional()
export const row = whole(0).says('The first row.').optional()
export const rows = whole(0, 1000).says('The number of rows.').optional()
export const find = text.says('A node whose row is wanted; its parents are opened.').optional()
export const without = texts.says('Causes whose changes are left out.').optional()
export const q = text.says('A selector, or a text to search for in contents.').optional()
export const only = flag.says('Only rows that match `q`, and the turns that hold them.').optional()
export const ghosts = flag.says('Nodes that left since `from` keep their place; true by default.').optional()
export const full = flag.says('Gives contents of more than 64 KB whole.').optional()

// Contexts

export const edition: Schema<'1.0' | '0.1'> = oneOf(['1.0', '0.1'])
export const dialect = edition.says('The edition of the specification.').optional()
export const forks = flag.says('Removes its forks too.').optional()
export const migrate = flag.says('Reads 0.1 and shows the 1.0 form.').optional()
export const importFormat = oneOf<ImportFormat | 'auto'>(['auto', ...IMPORT_FORMATS])
  .says('The format of the conversation; `auto` detects it, and is the default.')
  .optional()
export const body = json
  .says('The conversation, as JSON or as text.')
  .orMissing('body is missing: the conversation, as text or as JSON.')

// Attempts: the engine checks most fields of one, with sentences of its own.

const engineText = text.checkedAs('', () => true)

export const cycle = whole(0).says('Only of this cycle.').optional()
export const provider = engineText.says('The provider that was called; needed without `for`.').optional()
export const model = engineText.says('The model; needed without `for`, or if the params do not name it.').optional()
export const params = json
  .checkedAs('', () => true)
  .says('Parameters of the call; the record keeps them with `for`, else only their hash.')
export const sentOptions = options.checkedAs('', () => true)
export const request = json.says('The body on the wire: text as it is, anything else as canonical JSON.').optional()
export const keepRequest = flag
  .checkedAs('', () => true)
  .says('Keeps the body with the record.')
  .optional()
export const status = oneOf(['completed', 'canceled', 'error']).says('The outcome.').optional()
export const tokenIn = whole(0).says('Input tokens by the count of the provider.').optional()
export const tokenOut = whole(0).says('Output tokens by the count of the provider.').optional()
export const error = dict.says('`{ name?, message }` of the failure.').optional()

// Maintenance

export const anId = id.optional()
export const repair = flag.says('Rebuilds derived data that is wrong.').optional()
export const newest = whole(1).says('Keeps this many of the newest snapshots.').optional()
export const every = whole(1).says('Keeps the snapshots of every nth cycle.').optional()
export const since = text.says('Keeps the snapshots from this time on, such as 2026-05-01.').optional()
export const match = text
  .says('Only nodes with this text; in the newest state the rest of their words stays.')
  .optional()
export const author = text.says('Who does it.').optional()
export const reason = text.says('Why.').optional()
export const watchFrom = union(text, whole(0), 'a whole number from 0 up')
  .says('The cycle of the last event that was seen, or its mark.')
  .optional()

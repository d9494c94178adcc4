// The tools of the MCP server. A read is a row of the table of endpoints with some of its fields. A write makes one commit, and names the
// newest cycle that its caller knows: of two agents that write at once, the second gets an error that says what to do.

import {
  ENDPOINTS,
  json,
  objectJson,
  oneOf,
  text,
  whole,
  type Definitions,
  type EndpointName,
  type Endpoint,
  type JsonSchema,
  type RemoteName,
  type Shape,
} from '../api/index.js'
import type { Operation } from '../edit/index.js'

/** A permission that a tool needs: `write` for all writes, and one more for those that take contents away. */
export type Permission = 'write' | 'redact'

export type Tool = Readonly<{
  name: string
  title: string
  /** The endpoint that answers. */
  endpoint: RemoteName
  about: string
  input: Shape
  /** Turns the arguments into the input of the endpoint; by default they are the input. */
  toInput?: (given: Fields) => Fields
  needs?: Permission
  isDestructive?: boolean
  isIdempotent?: boolean
}>

export type Fields = Readonly<Record<string, unknown>>

const { id } = ENDPOINTS.summary.input
const { selector } = ENDPOINTS.select.input
const base = whole(0).says(
  'The newest cycle that you know, as `contexts` or the last write gave it; 0 for a new context.',
)
const content = text.says('The text.')

/** Some fields of an endpoint. */
function fields<N extends EndpointName>(name: N, ...names: readonly (keyof (typeof ENDPOINTS)[N]['input'])[]): Shape {
  const shape: Shape = ENDPOINTS[name].input
  return Object.fromEntries(names.map((each) => [each, shape[each as string]!]))
}

function read(name: string, title: string, endpoint: Tool['endpoint'], input: Shape, more = ''): Tool {
  const { about }: Endpoint = ENDPOINTS[endpoint]
  return { name, title, endpoint, about: more === '' ? about : `${about} ${more}`, input }
}

type Write = Omit<Tool, 'endpoint' | 'toInput' | 'input'> &
  Readonly<{ input: Shape; operation: (given: Fields) => Operation }>

/** A tool that commits one operation. */
function write({ operation, ...tool }: Write): Tool {
  return {
    needs: 'write',
    ...tool,
    endpoint: 'commit',
    input: { id, base, ...tool.input },
    toInput: (given) => ({ id: given['id'], base: given['base'], operations: [operation(given)] }),
  }
}

const WORDS =
  'Selectors look like `.block[role=\'tool\']`, `#plan`, `[content~"error"]`; `@c12` in front asks an older snapshot.'

export const TOOLS: readonly Tool[] = [
  read('contexts', 'List contexts', 'contexts', fields('contexts', 'limit', 'cursor')),
  read('show', 'Show a node', 'node', fields('node', 'id', 'node', 'lens')),
  read('select', 'Find nodes', 'select', fields('select', 'id', 'selector', 'options', 'nodes', 'at'), WORDS),
  read('thread', 'Read the conversation', 'thread', fields('thread', 'id', 'lens')),
  read('snapshot', 'Read a whole snapshot', 'export', fields('export', 'id', 'lens')),
  read('log', 'List commits', 'log', fields('log', 'id', 'limit', 'before')),
  read('diff', 'Compare two snapshots', 'diff', fields('diff', 'id', 'a', 'b', 'selector', 'detailed')),
  read('explain', 'Explain a node', 'explain', fields('explain', 'id', 'node', 'lens')),
  read('tokens', 'Count tokens', 'tokens', fields('tokens', 'id', 'lens', 'by')),
  read('recall', 'Recall an original', 'recall', fields('recall', 'id', 'node')),
  read('lint', 'Check a selector', 'lint', fields('lint', 'selector')),
  {
    name: 'create',
    title: 'Make a context',
    endpoint: 'create',
    about: ENDPOINTS.create.about,
    input: fields('create', 'id'),
    needs: 'write',
  },
  write({
    name: 'add',
    title: 'Add a message',
    about: 'Adds a message to a context and commits it.',
    input: {
      role: oneOf(['user', 'assistant', 'tool', 'pre', 'post']).says(
        'A message of that role; `pre` and `post` are context before and after the conversation of a turn.',
      ),
      content,
    },
    operation: ({ role, content: said }) => ({ op: role as 'user', content: String(said) }),
  }),
  write({
    name: 'set',
    title: 'Set a keyed block',
    about:
      'Sets the content of the block with a key, such as a plan, and commits it. The snapshots before keep the old content.',
    input: { key: text.says('The key of the block.'), content },
    isIdempotent: true,
    operation: ({ key, content: said }) => ({ op: 'set', key: String(key), content: String(said) }),
  }),
  write({
    name: 'replace',
    title: 'Replace nodes',
    about: 'Replaces the nodes that a selector finds, and commits it. The snapshots before keep the old content.',
    input: { selector, content },
    isDestructive: true,
    operation: ({ selector: found, content: said }) => ({
      op: 'replace',
      selector: String(found),
      spec: { content: String(said) },
    }),
  }),
  {
    name: 'fork',
    title: 'Fork a context',
    endpoint: 'fork',
    about: ENDPOINTS.fork.about,
    input: fields('fork', 'from', 'lens', 'id'),
    needs: 'write',
  },
  write({
    name: 'redact',
    title: 'Redact nodes',
    about:
      'Replaces every occurrence of a text in the nodes that a selector finds by `[redacted]`, and commits it. The snapshots before keep the text; `pctx erase` removes it from those.',
    input: { selector, match: text.says('The text.'), reason: text.says('Why; the node keeps it.') },
    needs: 'redact',
    isDestructive: true,
    operation: ({ selector: found, match, reason }) => ({
      op: 'redact',
      selector: String(found),
      options: { match: String(match), reason: String(reason) },
    }),
  }),
]

/** The JSON Schema of the arguments of a tool. */
export function inputSchema(tool: Tool): JsonSchema {
  const definitions: Definitions = {}
  const cursor = text.says('The `nextCursor` of the part before.').optional()
  const schema = objectJson(isPaged(tool) ? { ...tool.input, cursor } : tool.input, definitions)
  const whole = Object.keys(definitions).length === 0 ? schema : { ...schema, $defs: definitions }
  return JSON.parse(JSON.stringify(whole).replaceAll('#/components/schemas/', '#/$defs/')) as JsonSchema
}

/** The structured result of every tool. The schemas of answers are in OpenAPI: here they would cost every client some thousand tokens. */
export const RESULT: JsonSchema = objectJson(
  {
    answer: json.says('The whole answer.').optional(),
    part: text.says('A part of a long answer; all parts joined are the answer as JSON, or a text.').optional(),
    nextCursor: text.says('Pass it as `cursor` for the next part.').optional(),
    total: whole(0).says('The length of all parts.').optional(),
  },
  {},
)

/** Reads come in parts; `contexts` has pages of its own. */
export function isPaged({ name, needs }: Tool): boolean {
  return needs === undefined && name !== 'contexts'
}

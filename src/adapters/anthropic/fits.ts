// The blocks that Claude takes, by their type, with the keys that each may have, and who may say them.

import {
  anything,
  byKind,
  either,
  fields,
  flag,
  listOf,
  matching,
  nullable,
  object,
  oneOf,
  text,
  type Fit,
} from '../conversation/fit.js'

export const CALL_ID: RegExp = /^[a-zA-Z0-9_-]+$/
export const TOOL_NAME: RegExp = /^[a-zA-Z0-9_-]{1,128}$/

/** Claude refuses a text that says nothing. */
const said = matching(/\S/)
const id = matching(CALL_ID)
const toolName = matching(TOOL_NAME)
const mark = nullable(fields({ type: oneOf('ephemeral') }, { ttl: oneOf('5m', '1h') }))
const marked = { cache_control: mark }
const called = { ...marked, caller: object }
const toolset = { toolset_name: nullable(text) }

const TEXT = block('text', { text: said }, { ...marked, citations: nullable(listOf(object)) })
const LINK = block('url', { url: said }, {})
const FILE = block('file', { file_id: said }, {})

const IMAGE_TYPES: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

export function isImageType(type: string | undefined): boolean {
  return type !== undefined && IMAGE_TYPES.includes(type)
}

const IMAGE = block(
  'image',
  {
    source: byKind('type', {
      base64: block('base64', { data: said, media_type: oneOf(...IMAGE_TYPES) }, {}),
      url: LINK,
      file: FILE,
    }),
  },
  { ...marked, transformations: nullable(object) },
)

const DOCUMENT = block(
  'document',
  {
    source: byKind('type', {
      base64: block('base64', { data: said, media_type: oneOf('application/pdf') }, {}),
      text: block('text', { data: text, media_type: oneOf('text/plain') }, {}),
      content: block('content', { content: either(text, listOf(byKind('type', { text: TEXT, image: IMAGE }))) }, {}),
      url: LINK,
      file: FILE,
    }),
  },
  { ...marked, citations: nullable(object), context: nullable(text), title: nullable(text) },
)

const FOUND = block(
  'search_result',
  { content: listOf(TEXT), source: text, title: text },
  { ...marked, citations: object },
)

const RESULT_PARTS = {
  text: TEXT,
  image: IMAGE,
  document: DOCUMENT,
  search_result: FOUND,
  tool_reference: block('tool_reference', { tool_name: said }, marked),
  browser_state: block(
    'browser_state',
    { tabs: listOf(object) },
    { ...marked, state_changes: nullable(listOf(object)) },
  ),
}

/** Blocks in a result. */
export const RESULT_PART: Fit = byKind('type', RESULT_PARTS)

/** Blocks of every role. */
const BOTH = {
  text: TEXT,
  container_upload: block('container_upload', { file_id: said }, marked),
  compaction: block(
    'compaction',
    {},
    {
      ...marked,
      content: nullable(said),
      encrypted_content: nullable(text),
      signature: nullable(text),
      tool_changes: nullable(listOf(object)),
    },
  ),
}

const SERVER_RESULTS = [
  'web_search_tool_result',
  'web_fetch_tool_result',
  'advisor_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
]

const serverCall = { id, name: toolName, input: object }

/** The blocks of a message, by its role. */
export const BLOCKS: Readonly<Record<'user' | 'assistant' | 'system', Fit>> = {
  user: byKind('type', {
    ...BOTH,
    image: IMAGE,
    document: DOCUMENT,
    search_result: FOUND,
    tool_result: block(
      'tool_result',
      { tool_use_id: id },
      {
        content: either(text, listOf(RESULT_PART)),
        is_error: flag,
        ...marked,
        ...toolset,
      },
    ),
    mcp_tool_listing: block('mcp_tool_listing', { mcp_server_name: text, tools: listOf(object) }, {}),
  }),
  assistant: byKind('type', {
    ...BOTH,
    thinking: block('thinking', { thinking: text, signature: said }, {}),
    redacted_thinking: block('redacted_thinking', { data: text }, {}),
    tool_use: block('tool_use', { id, name: toolName, input: object }, { ...called, ...toolset }),
    server_tool_use: block('server_tool_use', serverCall, called),
    mcp_tool_use: block('mcp_tool_use', { ...serverCall, server_name: text }, marked),
    mcp_tool_result: block(
      'mcp_tool_result',
      { tool_use_id: id },
      {
        content: either(text, listOf(TEXT)),
        is_error: flag,
        ...marked,
      },
    ),
    ...Object.fromEntries(
      SERVER_RESULTS.map((type) => [
        type,
        block(type, { tool_use_id: id, content: either(object, listOf(object)) }, called),
      ]),
    ),
    fallback: block('fallback', { from: object, to: object }, { trigger: anything }),
  }),
  system: byKind('type', {
    text: TEXT,
    tool_addition: block('tool_addition', { tool: object }, marked),
    tool_removal: block('tool_removal', { tool: object }, marked),
  }),
}

/** The keys that a system message may have, other than role and content. */
export const SYSTEM_KEYS: Fit = fields(
  {},
  { clear_at: nullable(oneOf('next_user_message', 'never')), output_config: nullable(object) },
)

function block(type: string, needed: Readonly<Record<string, Fit>>, optional: Readonly<Record<string, Fit>>): Fit {
  return fields({ type: oneOf(type), ...needed }, optional)
}

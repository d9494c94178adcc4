// The forms of the blocks of a Messages request, from the client's own types (its beta ones, which are the wider), and which
// role may hold which.

import type Anthropic from '@anthropic-ai/sdk'

import {
  anything,
  byKind,
  either,
  fields,
  flag,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  text,
  textOr,
  type Shape,
} from './shape.js'

type Block = Anthropic.Beta.BetaContentBlockParam

const mark = optional(
  nullable(
    fields<Anthropic.Beta.BetaCacheControlEphemeral>({ type: oneOf('ephemeral'), ttl: optional(oneOf('5m', '1h')) }),
  ),
)
const caller = optional(object)
const toolset = optional(nullable(text))

const TEXT = fields<Anthropic.Beta.BetaTextBlockParam>({
  type: oneOf('text'),
  text,
  cache_control: mark,
  citations: optional(nullable(listOf(object))),
})

const FILE = fields<Anthropic.Beta.BetaFileImageSource>({ type: oneOf('file'), file_id: text })
const LINK = fields<Anthropic.Beta.BetaURLImageSource>({ type: oneOf('url'), url: text })

const IMAGE = fields<Anthropic.Beta.BetaImageBlockParam>({
  type: oneOf('image'),
  source: byKind('type', {
    base64: fields<Anthropic.Beta.BetaBase64ImageSource>({
      type: oneOf('base64'),
      data: text,
      media_type: oneOf('image/jpeg', 'image/png', 'image/gif', 'image/webp'),
    }),
    url: LINK,
    file: FILE,
  }),
  cache_control: mark,
  transformations: optional(nullable(object)),
})

const DOCUMENT = fields<Anthropic.Beta.BetaRequestDocumentBlock>({
  type: oneOf('document'),
  source: byKind('type', {
    base64: fields<Anthropic.Beta.BetaBase64PDFSource>({
      type: oneOf('base64'),
      data: text,
      media_type: oneOf('application/pdf'),
    }),
    text: fields<Anthropic.Beta.BetaPlainTextSource>({
      type: oneOf('text'),
      data: text,
      media_type: oneOf('text/plain'),
    }),
    content: fields<Anthropic.Beta.BetaContentBlockSource>({
      type: oneOf('content'),
      content: textOr(listOf(byKind('type', { text: TEXT, image: IMAGE }))),
    }),
    url: LINK,
    file: FILE,
  }),
  cache_control: mark,
  citations: optional(nullable(object)),
  context: optional(nullable(text)),
  title: optional(nullable(text)),
})

const SEARCH_RESULT = fields<Anthropic.Beta.BetaSearchResultBlockParam>({
  type: oneOf('search_result'),
  content: listOf(byKind('type', { text: TEXT })),
  source: text,
  title: text,
  cache_control: mark,
  citations: optional(object),
})

const TOOL_RESULT_PARTS = {
  text: TEXT,
  image: IMAGE,
  search_result: SEARCH_RESULT,
  document: DOCUMENT,
  tool_reference: fields<Anthropic.Beta.BetaToolReferenceBlockParam>({
    type: oneOf('tool_reference'),
    tool_name: text,
    cache_control: mark,
  }),
  browser_state: fields<Anthropic.Beta.BetaBrowserStateBlockParam>({
    type: oneOf('browser_state'),
    tabs: listOf(object),
    cache_control: mark,
    state_changes: optional(nullable(listOf(object))),
  }),
}

const TOOL_CHANGES = {
  tool_addition: fields<Anthropic.Beta.BetaRequestToolAdditionBlock>({
    type: oneOf('tool_addition'),
    tool: object,
    cache_control: mark,
  }),
  tool_removal: fields<Anthropic.Beta.BetaRequestToolRemovalBlock>({
    type: oneOf('tool_removal'),
    tool: object,
    cache_control: mark,
  }),
}

/** The results of server tools have one form; what is in them is the server's. */
function serverResult(kind: string): Shape {
  const common = { type: oneOf(kind), tool_use_id: text, content: either(object, listOf(object)), cache_control: mark }
  return fields<Anthropic.Beta.BetaWebSearchToolResultBlockParam>({ ...common, caller })
}

const BLOCKS = {
  text: TEXT,
  image: IMAGE,
  document: DOCUMENT,
  search_result: SEARCH_RESULT,
  thinking: fields<Anthropic.Beta.BetaThinkingBlockParam>({ type: oneOf('thinking'), thinking: text, signature: text }),
  redacted_thinking: fields<Anthropic.Beta.BetaRedactedThinkingBlockParam>({
    type: oneOf('redacted_thinking'),
    data: text,
  }),
  tool_use: fields<Anthropic.Beta.BetaToolUseBlockParam>({
    type: oneOf('tool_use'),
    id: text,
    name: text,
    input: object,
    cache_control: mark,
    caller,
    toolset_name: toolset,
  }),
  tool_result: fields<Anthropic.Beta.BetaToolResultBlockParam>({
    type: oneOf('tool_result'),
    tool_use_id: text,
    content: optional(textOr(listOf(byKind('type', TOOL_RESULT_PARTS)))),
    is_error: optional(flag),
    cache_control: mark,
    toolset_name: toolset,
  }),
  server_tool_use: fields<Anthropic.Beta.BetaServerToolUseBlockParam>({
    type: oneOf('server_tool_use'),
    id: text,
    name: text,
    input: object,
    cache_control: mark,
    caller,
  }),
  mcp_tool_use: fields<Anthropic.Beta.BetaMCPToolUseBlockParam>({
    type: oneOf('mcp_tool_use'),
    id: text,
    name: text,
    input: object,
    server_name: text,
    cache_control: mark,
  }),
  mcp_tool_result: fields<Anthropic.Beta.BetaRequestMCPToolResultBlockParam>({
    type: oneOf('mcp_tool_result'),
    tool_use_id: text,
    content: optional(textOr(listOf(byKind('type', { text: TEXT })))),
    is_error: optional(flag),
    cache_control: mark,
  }),
  mcp_tool_listing: fields<Anthropic.Beta.BetaMCPToolListingBlockParam>({
    type: oneOf('mcp_tool_listing'),
    mcp_server_name: text,
    tools: listOf(object),
  }),
  web_search_tool_result: serverResult('web_search_tool_result'),
  web_fetch_tool_result: serverResult('web_fetch_tool_result'),
  advisor_tool_result: serverResult('advisor_tool_result'),
  code_execution_tool_result: serverResult('code_execution_tool_result'),
  bash_code_execution_tool_result: serverResult('bash_code_execution_tool_result'),
  text_editor_code_execution_tool_result: serverResult('text_editor_code_execution_tool_result'),
  tool_search_tool_result: serverResult('tool_search_tool_result'),
  container_upload: fields<Anthropic.Beta.BetaContainerUploadBlockParam>({
    type: oneOf('container_upload'),
    file_id: text,
    cache_control: mark,
  }),
  compaction: fields<Anthropic.Beta.BetaCompactionBlockParam>({
    type: oneOf('compaction'),
    cache_control: mark,
    content: optional(nullable(text)),
    encrypted_content: optional(nullable(text)),
    signature: optional(nullable(text)),
    tool_changes: optional(nullable(listOf(object))),
  }),
  fallback: fields<Anthropic.Beta.BetaFallbackBlockParam>({
    type: oneOf('fallback'),
    from: object,
    to: object,
    trigger: optional(anything),
  }),
  ...TOOL_CHANGES,
} satisfies Record<Block['type'], Shape>

/** Of the kinds above, those that only one of the two speaks. The types allow all everywhere; the server does not. */
const USER_ONLY = ['image', 'document', 'search_result', 'tool_result']
const BOTH = ['text', 'container_upload', 'compaction']
const SYSTEM_ONLY = Object.keys(TOOL_CHANGES)

const content = (kinds: Readonly<Record<string, Shape>>) => textOr(listOf(byKind('type', kinds)))

export const MESSAGES = {
  user: fields<Anthropic.Beta.BetaUserMessageParam>({
    role: oneOf('user'),
    content: content(kinds((kind) => USER_ONLY.includes(kind) || BOTH.includes(kind))),
  }),
  assistant: fields<Anthropic.Beta.BetaAssistantMessageParam>({
    role: oneOf('assistant'),
    content: content(kinds((kind) => !USER_ONLY.includes(kind) && !SYSTEM_ONLY.includes(kind))),
  }),
  system: fields<Anthropic.Beta.BetaSystemMessageParam>({
    role: oneOf('system'),
    content: optional(content({ text: TEXT, ...TOOL_CHANGES })),
    clear_at: optional(nullable(oneOf('next_user_message', 'never'))),
    output_config: optional(nullable(object)),
  }),
} satisfies Record<Anthropic.Beta.BetaMessageParam['role'], Shape>

export const SYSTEM: Shape = content({ text: TEXT })

function kinds(keeps: (kind: string) => boolean): Readonly<Record<string, Shape>> {
  return Object.fromEntries(Object.entries(BLOCKS).filter(([kind]) => keeps(kind)))
}

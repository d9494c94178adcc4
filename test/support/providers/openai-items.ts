// The forms of the items of a Responses request, from the client's own types.

import type { OpenAI } from 'openai'

import {
  anything,
  byKind,
  fields,
  flag,
  listOf,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  textOr,
  type Shape,
} from './shape.js'
import { isKeyed, type Keyed } from './violations.js'

type Item = OpenAI.Responses.ResponseInputItem

/** Keys that version 7 of the client has; test/node22 holds requests against its types. */
type Newer<T, Keys extends string> = T & Partial<Record<Keys, unknown>>

const id = optional(nullable(text))
const caller = optional(nullable(object))
const status = optional(
  nullable(
    oneOf('in_progress', 'completed', 'incomplete', 'searching', 'generating', 'failed', 'calling', 'interpreting'),
  ),
)
const phase = optional(nullable(oneOf('commentary', 'final_answer')))
const mark = optional(nullable(fields<{ mode: 'explicit' }>({ mode: oneOf('explicit') })))

const INPUT_PARTS = {
  input_text: fields<OpenAI.Responses.ResponseInputTextContent>({
    type: oneOf('input_text'),
    text,
    prompt_cache_breakpoint: mark,
  }),
  input_image: fields<OpenAI.Responses.ResponseInputImageContent>({
    type: oneOf('input_image'),
    detail: optional(nullable(oneOf('low', 'high', 'auto', 'original'))),
    file_id: id,
    image_url: optional(nullable(text)),
    prompt_cache_breakpoint: mark,
  }),
  input_file: fields<OpenAI.Responses.ResponseInputFileContent>({
    type: oneOf('input_file'),
    detail: optional(oneOf('auto', 'low', 'high')),
    file_data: optional(nullable(text)),
    file_id: id,
    file_url: optional(nullable(text)),
    filename: optional(nullable(text)),
    prompt_cache_breakpoint: mark,
  }),
}
const OUTPUT = textOr(listOf(byKind('type', INPUT_PARTS)))

const OUTPUT_PARTS = {
  // The type asks for annotations, the server does not.
  output_text: fields<Omit<OpenAI.Responses.ResponseOutputText, 'annotations'> & { annotations?: unknown[] }>({
    type: oneOf('output_text'),
    text,
    annotations: optional(listOf(object)),
    logprobs: optional(nullable(listOf(object))),
  }),
  refusal: fields<OpenAI.Responses.ResponseOutputRefusal>({ type: oneOf('refusal'), refusal: text }),
}

/** The three types of messages as one: what the model said has an id and a status, what others say needs neither. */
type Message = Pick<OpenAI.Responses.EasyInputMessage, 'role' | 'content' | 'phase' | 'type'> &
  Partial<Pick<OpenAI.Responses.ResponseOutputMessage, 'id' | 'status'>>

function message(role: string, parts: Readonly<Record<string, Shape>>): Shape {
  return fields<Message>({
    type: optional(oneOf('message')),
    role: oneOf(role),
    content: textOr(listOf(byKind('type', parts))),
    id: optional(text),
    status,
    phase,
  })
}

const MESSAGES = {
  user: message('user', INPUT_PARTS),
  system: message('system', INPUT_PARTS),
  developer: message('developer', INPUT_PARTS),
  assistant: message('assistant', OUTPUT_PARTS),
} satisfies Record<OpenAI.Responses.EasyInputMessage['role'], Shape>

const IMAGE_KEYS = ['action', 'background', 'output_format', 'quality', 'revised_prompt', 'size'] as const
const IMAGE = Object.fromEntries(IMAGE_KEYS.map((key) => [key, optional(nullable(text))])) as Record<
  (typeof IMAGE_KEYS)[number],
  typeof id
>

const ITEMS = {
  message: byKind('role', MESSAGES),
  function_call: fields<Newer<OpenAI.Responses.ResponseFunctionToolCall, 'async'>>({
    async: optional(flag),
    type: oneOf('function_call'),
    call_id: text,
    name: text,
    arguments: text,
    id: optional(text),
    caller,
    namespace: optional(text),
    status,
  }),
  function_call_output: fields<Newer<OpenAI.Responses.ResponseInputItem.FunctionCallOutput, 'name' | 'namespace'>>({
    name: optional(nullable(text)),
    namespace: optional(nullable(text)),
    type: oneOf('function_call_output'),
    call_id: text,
    output: OUTPUT,
    id,
    caller,
    status,
  }),
  custom_tool_call: fields<Newer<OpenAI.Responses.ResponseCustomToolCall, 'async'>>({
    async: optional(flag),
    type: oneOf('custom_tool_call'),
    call_id: text,
    name: text,
    input: text,
    id: optional(text),
    caller,
    namespace: optional(text),
  }),
  custom_tool_call_output: fields<OpenAI.Responses.ResponseCustomToolCallOutput>({
    type: oneOf('custom_tool_call_output'),
    call_id: text,
    output: OUTPUT,
    id: optional(text),
    caller,
  }),
  reasoning: fields<OpenAI.Responses.ResponseReasoningItem>({
    type: oneOf('reasoning'),
    id: text,
    summary: listOf(byKind('type', { summary_text: textPart('summary_text') })),
    content: optional(listOf(byKind('type', { reasoning_text: textPart('reasoning_text') }))),
    encrypted_content: optional(nullable(text)),
    status,
  }),
  item_reference: fields<OpenAI.Responses.ResponseInputItem.ItemReference>({
    type: optional(nullable(oneOf('item_reference'))),
    id: text,
  }),
  tool_search_call: fields<OpenAI.Responses.ResponseInputItem.ToolSearchCall>({
    type: oneOf('tool_search_call'),
    arguments: anything,
    call_id: id,
    execution: optional(oneOf('server', 'client')),
    id,
    status,
  }),
  tool_search_output: fields<OpenAI.Responses.ResponseToolSearchOutputItemParam>({
    type: oneOf('tool_search_output'),
    tools: listOf(object),
    call_id: id,
    execution: optional(oneOf('server', 'client')),
    id,
    status,
  }),
  additional_tools: fields<OpenAI.Responses.ResponseInputItem.AdditionalTools>({
    type: oneOf('additional_tools'),
    role: oneOf('developer'),
    tools: listOf(object),
    id,
  }),
  compaction: fields<OpenAI.Responses.ResponseCompactionItemParam>({
    type: oneOf('compaction'),
    encrypted_content: text,
    id,
  }),
  compaction_trigger: fields<Newer<OpenAI.Responses.ResponseInputItem.CompactionTrigger, 'id'>>({
    type: oneOf('compaction_trigger'),
    id,
  }),
  configuration_update: fields<{ type: string; id?: string; reasoning?: object; text?: object }>({
    type: oneOf('configuration_update'),
    id,
    reasoning: optional(object),
    text: optional(object),
  }),
  file_search_call: fields<OpenAI.Responses.ResponseFileSearchToolCall>({
    type: oneOf('file_search_call'),
    id: text,
    queries: listOf(text),
    status: status.optional,
    results: optional(nullable(listOf(object))),
  }),
  web_search_call: fields<OpenAI.Responses.ResponseFunctionWebSearch>({
    type: oneOf('web_search_call'),
    id: text,
    action: object,
    status: status.optional,
  }),
  code_interpreter_call: fields<OpenAI.Responses.ResponseCodeInterpreterToolCall>({
    type: oneOf('code_interpreter_call'),
    id: text,
    code: nullable(text),
    container_id: text,
    outputs: nullable(listOf(object)),
    status: status.optional,
  }),
  image_generation_call: fields<
    Newer<OpenAI.Responses.ResponseInputItem.ImageGenerationCall, (typeof IMAGE_KEYS)[number] | 'error' | 'svg_usage'>
  >({
    ...IMAGE,
    error: optional(object),
    svg_usage: optional(object),
    type: oneOf('image_generation_call'),
    id: text,
    result: nullable(text),
    status: status.optional,
  }),
  computer_call: fields<OpenAI.Responses.ResponseComputerToolCall>({
    type: oneOf('computer_call'),
    id: text,
    call_id: text,
    pending_safety_checks: listOf(object),
    status: status.optional,
    action: optional(object),
    actions: optional(listOf(object)),
  }),
  computer_call_output: fields<OpenAI.Responses.ResponseInputItem.ComputerCallOutput>({
    type: oneOf('computer_call_output'),
    call_id: text,
    output: object,
    id,
    acknowledged_safety_checks: optional(nullable(listOf(object))),
    status,
  }),
  local_shell_call: fields<OpenAI.Responses.ResponseInputItem.LocalShellCall>({
    type: oneOf('local_shell_call'),
    id: text,
    call_id: text,
    action: object,
    status: status.optional,
  }),
  local_shell_call_output: fields<OpenAI.Responses.ResponseInputItem.LocalShellCallOutput>({
    type: oneOf('local_shell_call_output'),
    id: text,
    output: text,
    status,
  }),
  shell_call: fields<OpenAI.Responses.ResponseInputItem.ShellCall>({
    type: oneOf('shell_call'),
    call_id: text,
    action: object,
    id,
    caller,
    environment: optional(nullable(object)),
    status,
  }),
  shell_call_output: fields<OpenAI.Responses.ResponseInputItem.ShellCallOutput>({
    type: oneOf('shell_call_output'),
    call_id: text,
    output: listOf(object),
    id,
    caller,
    max_output_length: optional(nullable(number)),
    status,
  }),
  apply_patch_call: fields<OpenAI.Responses.ResponseInputItem.ApplyPatchCall>({
    type: oneOf('apply_patch_call'),
    call_id: text,
    operation: object,
    status: status.optional,
    id,
    caller,
  }),
  apply_patch_call_output: fields<OpenAI.Responses.ResponseInputItem.ApplyPatchCallOutput>({
    type: oneOf('apply_patch_call_output'),
    call_id: text,
    status: status.optional,
    id,
    caller,
    output: optional(nullable(text)),
  }),
  mcp_list_tools: fields<OpenAI.Responses.ResponseInputItem.McpListTools>({
    type: oneOf('mcp_list_tools'),
    id: text,
    server_label: text,
    tools: listOf(object),
    error: optional(nullable(text)),
  }),
  mcp_approval_request: fields<OpenAI.Responses.ResponseInputItem.McpApprovalRequest>({
    type: oneOf('mcp_approval_request'),
    id: text,
    arguments: text,
    name: text,
    server_label: text,
  }),
  mcp_approval_response: fields<OpenAI.Responses.ResponseInputItem.McpApprovalResponse>({
    type: oneOf('mcp_approval_response'),
    approval_request_id: text,
    approve: flag,
    id,
    reason: optional(nullable(text)),
  }),
  mcp_call: fields<OpenAI.Responses.ResponseInputItem.McpCall>({
    type: oneOf('mcp_call'),
    id: text,
    arguments: text,
    name: text,
    server_label: text,
    approval_request_id: optional(nullable(text)),
    error: optional(nullable(anything)),
    output: optional(nullable(text)),
    status,
  }),
  program: fields<OpenAI.Responses.ResponseInputItem.Program>({
    type: oneOf('program'),
    id: text,
    call_id: text,
    code: text,
    fingerprint: text,
  }),
  program_output: fields<OpenAI.Responses.ResponseInputItem.ProgramOutput>({
    type: oneOf('program_output'),
    id: text,
    call_id: text,
    result: text,
    status: status.optional,
  }),
} satisfies Record<NonNullable<Item['type']> | 'configuration_update', Shape>

/** A message and a reference may leave their type out. */
export function kindOf(item: Keyed): string | undefined {
  const type = item['type'] ?? undefined
  if (typeof type === 'string') return type
  if (type !== undefined) return undefined
  return item['role'] === undefined && item['id'] !== undefined ? 'item_reference' : 'message'
}

export const ITEM: Shape = (value, path) => {
  if (!isKeyed(value)) return object(value, path)
  const kind = kindOf(value)
  if (kind === undefined || !Object.hasOwn(ITEMS, kind)) {
    return [{ fault: 'kind', path: `${path}.type`, text: `type ${JSON.stringify(value['type'])} is not one of these` }]
  }
  return ITEMS[kind as keyof typeof ITEMS](value, path)
}

function textPart(type: string): Shape {
  return fields<{ type: string; text: string }>({ type: oneOf(type), text })
}

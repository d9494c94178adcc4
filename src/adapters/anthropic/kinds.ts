// The blocks of a message to Claude: one row for each type, with how it is read, who may say it, and the keys that Claude takes.

import type { JsonObject, JsonValue } from '../../core/index.js'
import {
  anything,
  asCame,
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
  wordOf,
  type Fit,
} from '../conversation/fit.js'
import type { Output, OutputPart, ReadPart } from '../conversation/neutral.js'
import {
  anyFitOf,
  asOutputPart,
  callRow,
  fitsOf,
  otherRow,
  resultRow,
  rowsOf,
  summaryRow,
  textRow,
  thoughtRow,
  typedReader,
  type PartKind,
  type PartOrigin,
  type PartReader,
  type PartRow,
  type PartTable,
} from '../conversation/part-reader.js'
import { isObject, textOf } from '../conversation/plain-json.js'
import { knownBy, type KnowsPart } from '../conversation/wire.js'
import { wordsIn, wordsRow } from '../conversation/words.js'
import { resultWords, summaryWords } from './words.js'

export type Role = 'user' | 'assistant' | 'system'

/** Who says a block: a message, or the result of a tool. */
type Speaker = Role | 'result'

export const CALL_ID: RegExp = /^[a-zA-Z0-9_-]+$/

/** Claude refuses a text that says nothing. */
const said = matching(/\S/)
const id = matching(CALL_ID)
const toolName = matching(/^[a-zA-Z0-9_-]{1,128}$/)
const marked = { cache_control: nullable(block({}, { ttl: oneOf('5m', '1h') }, 'ephemeral')) }
const called = { ...marked, caller: asCame(object) }
const toolset = { toolset_name: nullable(text) }

const TEXT = block({ text: said }, { ...marked, citations: asCame(nullable(listOf(object))) })
const LINKS = { url: block({ url: said }), file: block({ file_id: said }) }

const IMAGE_TYPES: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

export function isImageType(type: string | undefined): boolean {
  return type !== undefined && IMAGE_TYPES.includes(type)
}

const IMAGE = block(
  { source: byKind('type', { ...LINKS, base64: block({ data: said, media_type: oneOf(...IMAGE_TYPES) }) }) },
  { ...marked, transformations: asCame(nullable(object)) },
)
const DOCUMENT_SOURCE = byKind('type', {
  ...LINKS,
  base64: block({ data: said, media_type: oneOf('application/pdf') }),
  text: block({ data: text, media_type: oneOf('text/plain') }),
  content: block({ content: either(text, listOf(byKind('type', { text: TEXT, image: IMAGE }))) }),
})
const call = { id, name: toolName, input: object }
/** Its tools, as the client's types name them. */
const serverTool = wordOf(
  'web_search',
  'web_fetch',
  'code_execution',
  'bash_code_execution',
  'text_editor_code_execution',
  'tool_search_tool_regex',
  'tool_search_tool_bm25',
  'advisor',
)
const CONFIGURED = fields({}, { enabled: flag })
const serverResult = row(wordsRow(resultWords), ['assistant'], {
  needs: { tool_use_id: id, content: asCame(either(object, listOf(object))) },
  may: called,
})
const toolChange = row(otherRow, ['system'], { needs: { tool: asCame(object) }, may: marked })

const KINDS: PartTable<Speaker> = {
  text: { read: textRow('text'), by: ['user', 'assistant', 'system', 'result'], fit: TEXT },
  image: { read: readMedia, by: ['user', 'result'], fit: IMAGE },
  document: row(readMedia, ['user', 'result'], {
    needs: { source: DOCUMENT_SOURCE },
    may: { ...marked, citations: nullable(CONFIGURED), context: nullable(text), title: nullable(text) },
  }),
  search_result: row(wordsRow(wordsIn), ['user', 'result'], {
    needs: { content: listOf(TEXT), source: text, title: text },
    may: { ...marked, citations: CONFIGURED },
  }),
  tool_use: row(callRow({ id: 'id', name: 'name', input: 'input' }), ['assistant'], {
    needs: call,
    may: { ...called, ...toolset },
  }),
  tool_result: row(
    resultRow({ id: 'tool_use_id' }, ({ content, is_error: isError }) => ({
      output: readOutput(content),
      isError: isError === true,
    })),
    ['user'],
    {
      needs: { tool_use_id: id },
      may: { content: (value, dropped) => OUTPUT(value, dropped), is_error: flag, ...marked, ...toolset },
    },
  ),
  thinking: row(thoughtRow('thinking'), ['assistant'], { needs: { thinking: text, signature: said } }),
  redacted_thinking: row(thoughtRow(), ['assistant'], { needs: { data: text } }),
  container_upload: row(otherRow, ['user', 'assistant'], { needs: { file_id: said }, may: marked }),
  compaction: row(
    summaryRow(({ content }) => typeof content === 'string', wordsRow(summaryWords)),
    ['user', 'assistant'],
    {
      may: {
        ...marked,
        content: nullable(said),
        encrypted_content: asCame(nullable(text)),
        signature: asCame(nullable(text)),
        tool_changes: asCame(nullable(listOf(object))),
      },
    },
  ),
  tool_reference: row(undefined, ['result'], { needs: { tool_name: said }, may: marked }),
  browser_state: row(undefined, ['result'], {
    needs: { tabs: asCame(listOf(object)) },
    may: { ...marked, state_changes: asCame(nullable(listOf(object))) },
  }),
  mcp_tool_listing: row(otherRow, ['assistant'], { needs: { mcp_server_name: text, tools: asCame(listOf(object)) } }),
  server_tool_use: row(otherRow, ['assistant'], { needs: { ...call, name: serverTool }, may: called }),
  mcp_tool_use: row(otherRow, ['assistant'], { needs: { ...call, server_name: text }, may: marked }),
  mcp_tool_result: row(wordsRow(resultWords), ['assistant'], {
    needs: { tool_use_id: id },
    may: { content: either(text, listOf(TEXT)), is_error: flag, ...marked },
  }),
  web_search_tool_result: serverResult,
  web_fetch_tool_result: serverResult,
  advisor_tool_result: serverResult,
  code_execution_tool_result: serverResult,
  bash_code_execution_tool_result: serverResult,
  text_editor_code_execution_tool_result: serverResult,
  tool_search_tool_result: serverResult,
  fallback: row(otherRow, ['assistant'], {
    needs: { from: asCame(object), to: asCame(object) },
    may: { trigger: asCame(anything) },
  }),
  tool_addition: toolChange,
  tool_removal: toolChange,
}

/** True if every key of a block is one of the table. */
export const knowsAnthropicPart: KnowsPart = knownBy(anyFitOf(KINDS, (fits) => byKind('type', fits)))

/** The blocks of a message, by its role, and of a result. */
export const blocksBy: (speaker: Speaker) => Fit = fitsOf(KINDS, (fits) => byKind('type', fits))

/** The output of a tool. */
export const OUTPUT: Fit = either(text, listOf(blocksBy('result')))

/** The keys that a system message may have, other than role and content. */
export const SYSTEM_KEYS: Fit = fields(
  {},
  {
    clear_at: nullable(oneOf('next_user_message', 'never')),
    output_config: nullable(fields({}, { effort: nullable(wordOf('low', 'medium', 'high', 'xhigh', 'max')) })),
  },
)

/** Results of tools that run at the provider may be of types that are not known yet. */
export const readAnthropicPart: PartReader = typedReader(
  'anthropic',
  rowsOf(KINDS),
  /^\w+_tool_result$/,
  wordsRow(resultWords),
)

type Fits = Readonly<Record<string, Fit>>

function row(
  read: PartRow | undefined,
  by: readonly Speaker[],
  { needs = {}, may = {} }: Readonly<{ needs?: Fits; may?: Fits }>,
): PartKind<Speaker> {
  return { read, by, fit: block(needs, may) }
}

function block(needs: Fits, may: Fits = {}, type?: string): Fit {
  return fields({ type: type === undefined ? text : oneOf(type), ...needs }, may)
}

function readOutput(content: JsonValue | undefined): Output {
  if (content === undefined || content === null) return { kind: 'text', text: '' }
  if (typeof content === 'string') return { kind: 'text', text: content }
  if (!Array.isArray(content)) return { kind: 'json', value: content }
  return { kind: 'parts', parts: content.map(readOutputPart) }
}

function readOutputPart(raw: JsonValue): OutputPart {
  const part = isObject(raw) ? asOutputPart(readAnthropicPart(raw, undefined)) : undefined
  if (part !== undefined) return part
  if (isObject(raw) && typeof raw['type'] === 'string') return { kind: 'other', raw, shape: 'anthropic' }
  return { kind: 'text', raw, shape: 'anthropic', text: textOf(raw), keys: undefined }
}

/** An image or a document. A document may be a text; a file that only the provider has, by its id, means nothing to others. */
function readMedia(block: JsonObject, common: PartOrigin): ReadPart | undefined {
  const { type: kind, source, title, context } = block
  if (!isObject(source)) return undefined
  const { type, media_type: given, data, url } = source
  const mediaType = typeof given === 'string' ? given : undefined
  const filename = typeof title === 'string' ? title : undefined
  const words = wordsIn(context)
  const media = { kind: 'media', ...common, filename, ...(words === '' ? {} : { words }) } as const
  if (type === 'base64' && typeof data === 'string') return { ...media, mediaType, source: { kind: 'base64', data } }
  if (type === 'url' && typeof url === 'string') {
    const usual = kind === 'image' ? 'image/*' : 'application/pdf'
    return { ...media, mediaType: mediaType ?? usual, source: { kind: 'url', url } }
  }
  return (type === 'file' ? otherRow : wordsRow(wordsIn))(block, common)
}

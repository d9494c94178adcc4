// Tool results whose content was shed (D61): the line that takes the place of the content, in the form that the content had, and the original,
// which stays with the node.

import { isObject, type JsonObject, type JsonValue } from './json.js'
import { numberText } from './node-words.js'
import { CALL_HOLDERS } from './trace-line.js'
import { deepFreeze } from './objects.js'
import { oneLine } from './one-line.js'
import { NodeRecord } from './record.js'

/** Holds, on a result whose content was shed, the original: its id and its content. */
export const SHED = 'pact:shed'

/** The original of a shed result. */
export type Shed = Readonly<{ id: string; content: JsonValue }>

/** The original of a result, if its content was shed. */
export function shedOf({ rare }: Pick<NodeRecord, 'rare'>): Shed | undefined {
  return rare?.attributes?.get(SHED) as Shed | undefined
}

/** True for a tool's result, shed or not. */
export function isToolResult({ nodeClass, kind, content }: NodeRecord): boolean {
  return nodeClass === 'block' && kind === 'result' && content !== undefined
}

/**
 * True if the later version of a result was shed since the earlier one. A version in the record of a call has the line and not the original, which was
 * not sent.
 */
export function wasShed(before: NodeRecord, after: NodeRecord): boolean {
  return isLineFor(after, after.id) && !isLineFor(before, after.id)
}

/** True if a result has a line in place of its content, or in place of the content of the result with that id. */
export function isLineFor(record: NodeRecord, id: string): boolean {
  if (!isToolResult(record)) return false
  return shedOf(record) !== undefined || hasText(record.content!, `shed; recall ${id}]`)
}

function hasText(value: JsonValue, end: string): boolean {
  if (typeof value === 'string') return value.startsWith('[') && value.endsWith(end) && !value.includes('\n')
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((each) => hasText(each, end))
}

/** The same result with its original content again. */
export function withOriginal(record: NodeRecord): NodeRecord {
  const shed = shedOf(record)
  if (shed === undefined) return record
  const attributes = new Map([...record.rare!.attributes!].filter(([name]) => name !== SHED))
  return new NodeRecord({ ...record, content: shed.content, rare: { ...record.rare, attributes } })
}

/** A result whose content is a line instead; undefined for a form that has no place for a line. */
export function withLine(record: NodeRecord, tool: string | undefined, tokens: number): NodeRecord | undefined {
  const { id, content, rare } = record
  const said = lineIn(content!, shedLine(id, tool, tokens))
  if (said === undefined) return undefined
  const original: Shed = Object.freeze({ id, content: content! })
  const attributes = new Map([...(rare?.attributes ?? []), [SHED, original as unknown as JsonValue] as const])
  return new NodeRecord({ ...record, content: deepFreeze(said), rare: { ...rare, attributes } })
}

/** `[result of read_file, 1,532 tokens, shed; recall block:17-3]`. */
function shedLine(id: string, tool: string | undefined, tokens: number): string {
  const name = tool === undefined ? 'tool result' : `result of ${oneLine(tool, LONGEST_NAME)}`
  return `[${name}, ${numberText(Math.round(tokens))} tokens, shed; recall ${id}]`
}

const LONGEST_NAME = 64

/**
 * A line in the form of a result's content, so that every provider still takes the result: the id of the call and the mark of an error stay.
 * A content that is no provider's form is the output itself.
 */
function lineIn(content: JsonValue, line: string): JsonValue | undefined {
  if (Array.isArray(content)) {
    const isTyped = content.length > 0 && content.every((part: JsonValue) => typeof fieldOf(part, 'type') === 'string')
    return isTyped ? [{ type: 'text', text: line }] : line
  }
  if (!isObject(content)) return line
  const { type } = content
  if (type === 'tool_result') return { ...content, content: line }
  if (type === 'function_call_output' || type === 'custom_tool_call_output') return { ...content, output: line }
  if (type === 'tool-result') {
    const isError = AI_SDK_ERRORS.has(fieldOf(content['output'], 'type'))
    return { ...content, output: { type: isError ? 'error-text' : 'text', value: line } }
  }
  // The result of a tool that runs at a provider, which takes it back to the letter.
  if (typeof type === 'string' && /_(?:tool_result|call_output)$/.test(type)) return undefined
  if (type === undefined) return keyedLine(content, line)
  return line
}

/** Forms whose one key says what they are. */
function keyedLine(content: JsonObject, line: string): JsonValue {
  for (const key of ['functionResponse', 'function_response']) {
    const held = content[key]
    if (!isObject(held)) continue
    const { parts: _parts, ...rest } = held
    const name = fieldOf(held['response'], 'error') === undefined ? 'output' : 'error'
    return { ...content, [key]: { ...rest, response: { [name]: line } } }
  }
  const { toolResult: held } = content
  return isObject(held) ? { ...content, toolResult: { ...held, content: [{ text: line }] } } : line
}

const AI_SDK_ERRORS: ReadonlySet<unknown> = new Set(['error-text', 'error-json', 'execution-denied'])

/** The name of the tool of a call or a result, as far as the node itself says it. */
export function toolName({ kind, content, rare }: Pick<NodeRecord, 'kind' | 'content' | 'rare'>): string | undefined {
  const said = rare?.attributes?.get('data_tool_name') ?? rare?.attributes?.get('data_name')
  if (typeof said === 'string') return said
  const held = CALL_HOLDERS.map((key) => fieldOf(content, key)).find(isObject)
  const name = fieldOf(held, 'name') ?? fieldOf(content, 'toolName')
  if (typeof name === 'string') return name
  const own = kind === 'call' ? fieldOf(content, 'name') : undefined
  return typeof own === 'string' ? own : undefined
}

function fieldOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

// Judges a request to Bedrock's Converse API by what it refuses: the client's types, and the rules of turns and tools.

import type {
  CachePointBlock,
  DocumentBlock,
  ImageBlock,
  ReasoningTextBlock,
  ToolResultBlock,
  ToolUseBlock,
} from '@aws-sdk/client-bedrock-runtime'

import { fields, listOf, notJson, object, oneOf, optional, text, type Shape } from './shape.js'
import { Findings, isKeyed, keyedList, repeated, textAt, type Keyed, type Violation } from './violations.js'

export const BEDROCK_RULES = {
  json: 'every value is JSON, but for bytes',
  request: '`messages` is a list with at least one message [T]',
  role: 'the role is user or assistant [T]',
  shape: 'a block has the form of the client’s type [T]',
  kind: 'a block has one key, and one that this role may say [T]',
  content: 'the content of a message is a list that is not empty [E]',
  blank: 'a text is not blank [E]',
  turns: 'user and assistant take turns, and the user begins [E]',
  'call-unanswered': 'every call is answered in the next message, which is the user’s [E]',
  'result-orphan': 'a result answers a call of the message before it, once [E]',
  'call-id': 'a call id is 1 to 64 of a-z, A-Z, 0-9, _ and - [D]',
  'call-id-twice': 'call ids are unique within a message [E]',
  'tool-name': 'the name of a tool is 1 to 64 of a-z, A-Z, 0-9, _ and - [D]',
  thought: 'a message does not end with a thought [E]',
} as const

type Rule = keyof typeof BEDROCK_RULES

const bytes: Shape = (value, path) =>
  value instanceof Uint8Array || typeof value === 'string' ? [] : [{ fault: 'shape', path, text: 'it is bytes' }]
const source = either(fields<{ bytes: Uint8Array }>({ bytes }), object)
const document = fields<DocumentBlock>({
  format: optional(oneOf('csv', 'doc', 'docx', 'html', 'md', 'pdf', 'txt', 'xls', 'xlsx')),
  name: text,
  source,
  context: optional(text),
  citations: optional(object),
})
const image = fields<ImageBlock>({ format: oneOf('gif', 'jpeg', 'png', 'webp'), source, error: optional(object) })

function either(...shapes: readonly Shape[]): Shape {
  return (value, path) =>
    shapes.map((shape) => shape(value, path)).find((faults) => faults.length === 0) ?? [
      { fault: 'shape', path, text: 'it is one of these' },
    ]
}

const RESULT: Readonly<Record<string, Shape>> = {
  text,
  json: object,
  image,
  document,
  video: object,
  searchResult: object,
}
const SHARED: Readonly<Record<string, Shape>> = {
  text,
  cachePoint: fields<CachePointBlock>({ type: oneOf('default'), ttl: optional(text) }),
}
const BLOCKS: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  user: {
    ...SHARED,
    image,
    document,
    video: object,
    audio: object,
    guardContent: object,
    searchResult: object,
    toolResult: fields<ToolResultBlock>({
      toolUseId: text,
      content: listOf(blockIn(RESULT)),
      status: optional(oneOf('success', 'error')),
      type: optional(text),
    }),
  },
  assistant: {
    ...SHARED,
    image,
    audio: object,
    citationsContent: object,
    toolResult: object,
    toolUse: fields<ToolUseBlock>({ toolUseId: text, name: text, input: object, type: optional(text) }),
    reasoningContent: either(
      fields<{ reasoningText: ReasoningTextBlock }>({
        reasoningText: fields<ReasoningTextBlock>({ text, signature: optional(text) }),
      }),
      fields<{ redactedContent: Uint8Array }>({ redactedContent: bytes }),
    ),
  },
  system: { ...SHARED, guardContent: object },
}

function blockIn(kinds: Readonly<Record<string, Shape>>): Shape {
  return (value, path) => {
    const entries = isKeyed(value) ? Object.entries(value) : []
    const [[key, data] = ['', undefined]] = entries
    const shape = entries.length === 1 && Object.hasOwn(kinds, key) ? kinds[key]! : undefined
    return shape === undefined
      ? [{ fault: 'kind', path, text: `${Object.keys(value ?? {}).join()} is no block here` }]
      : shape(data, `${path}.${key}`)
  }
}

export function checkBedrock(body: unknown): Violation[] {
  const findings = new Findings<Rule>(BEDROCK_RULES)
  for (const path of notJson(body, 'body', (value) => value instanceof Uint8Array)) findings.add('json', path)
  const { system, messages } = isKeyed(body) ? body : { system: undefined, messages: undefined }
  if (system !== undefined) checkBlocks(system, 'system', 'system', findings)
  if (!Array.isArray(messages) || messages.length === 0) findings.add('request', 'messages')
  const list: readonly unknown[] = Array.isArray(messages) ? messages : []
  for (const [at, message] of list.entries()) {
    const { role, content, ...others } = isKeyed(message) ? message : { role: undefined, content: undefined }
    const path = `messages[${at}]`
    if (role !== 'user' && role !== 'assistant') findings.add('role', path)
    else checkBlocks(content, role, path, findings)
    if (Object.keys(others).length > 0) findings.add('shape', path, Object.keys(others).join())
    if (role !== (at % 2 === 0 ? 'user' : 'assistant')) findings.add('turns', path)
  }
  checkPairs(list.filter(isKeyed), findings)
  return findings.list
}

function checkBlocks(content: unknown, role: string, path: string, findings: Findings<Rule>): void {
  if (!Array.isArray(content) || content.length === 0) return findings.add('content', path)
  for (const { fault, path: at, text: why } of listOf(blockIn(BLOCKS[role]!))(content, path)) {
    findings.add(fault === 'kind' ? 'kind' : 'shape', at, why)
  }
  for (const block of keyedList(content)) {
    const { toolUse, text: said } = block
    if (typeof said === 'string' && said.trim() === '') findings.add('blank', path)
    if (!isKeyed(toolUse)) continue
    const [id, name] = [textAt(toolUse, 'toolUseId') ?? '', textAt(toolUse, 'name') ?? '']
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(id)) findings.add('call-id', path, id)
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) findings.add('tool-name', path, name)
  }
  if (role === 'assistant' && keyedList(content).at(-1)?.['reasoningContent'] !== undefined)
    findings.add('thought', path)
}

function idsIn({ content }: Keyed, key: 'toolUse' | 'toolResult'): readonly string[] {
  return keyedList(content).flatMap((block) => {
    const data = block[key]
    return isKeyed(data) && data['type'] === undefined ? (textAt(data, 'toolUseId') ?? []) : []
  })
}

function checkPairs(messages: readonly Keyed[], findings: Findings<Rule>): void {
  let open: readonly string[] = []
  for (const [at, message] of messages.entries()) {
    const answered = idsIn(message, 'toolResult')
    for (const id of answered) if (!open.includes(id)) findings.add('result-orphan', `messages[${at}]`, id)
    for (const id of repeated(answered)) findings.add('result-orphan', `messages[${at}]`, id)
    for (const id of open) if (!answered.includes(id)) findings.add('call-unanswered', `messages[${at}]`, id)
    open = idsIn(message, 'toolUse')
    for (const id of repeated(open)) findings.add('call-id-twice', `messages[${at}]`, id)
  }
  for (const id of open) findings.add('call-unanswered', 'messages', id)
}

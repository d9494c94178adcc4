// Judges the messages of a Mistral request by what the provider refuses: the client's types, and the order of roles that
// mistral-common checks.

import type {
  AssistantMessage,
  AudioChunk,
  DocumentURLChunk,
  FileChunk,
  FunctionCall,
  ImageURLChunk,
  ReferenceChunk,
  SystemMessage,
  TextChunk,
  ThinkChunk,
  ToolCall,
  ToolMessage,
  UserMessage,
} from '@mistralai/mistralai/models/components'

import {
  anything,
  byKind,
  either,
  fields,
  flag,
  listOf,
  notJson,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  textOr,
  type Shape,
} from './shape.js'
import { Findings, isKeyed, keyedList, repeated, textAt, type Keyed, type Violation } from './violations.js'

export const MISTRAL_RULES = {
  json: 'every value is JSON',
  request: '`messages` is a list with at least one message [T]',
  role: 'the role is one of system, user, assistant, tool [T]',
  shape: 'a message has the form of the client’s type [T]',
  'unknown-key': 'the key is not of the client’s type [T]',
  content: 'a message says something; only one that calls, or a tool, may say nothing [E]',
  'empty-text': 'a text is not empty',
  'call-unanswered': 'every call is answered by the tool messages right behind it [E]',
  'result-orphan': 'a tool message answers a call of the assistant message before it, once [E]',
  'call-id': 'a call id is nine letters and digits [E]',
  'call-id-twice': 'call ids are unique within a message',
  'tool-name': 'the name of a tool is 1 to 64 of a-z, A-Z, 0-9, _ and - [E]',
  order: 'a system message is not behind an assistant or a tool, and behind a tool is an assistant or another tool [E]',
  end: 'the last message is of a user or a tool, or of an assistant with prefix [E]',
} as const

type Rule = keyof typeof MISTRAL_RULES
/** The client fills in the type of a chunk itself; we always say it. */
type Typed<T> = Omit<T, 'type'> & { type: string }

const CHUNKS: Readonly<Record<string, Shape>> = {
  text: fields<Typed<TextChunk>>({ type: oneOf('text'), text }),
  image_url: fields<Typed<ImageURLChunk>>({ type: oneOf('image_url'), imageUrl: textOr(object) }),
  document_url: fields<Typed<DocumentURLChunk>>({
    type: oneOf('document_url'),
    documentUrl: text,
    documentName: optional(nullable(text)),
  }),
  input_audio: fields<Typed<AudioChunk>>({ type: oneOf('input_audio'), inputAudio: text }),
  file: fields<Typed<FileChunk>>({ type: oneOf('file'), fileId: text }),
  reference: fields<Typed<ReferenceChunk>>({ type: oneOf('reference'), referenceIds: listOf(either(text, number)) }),
  thinking: fields<Typed<ThinkChunk>>({
    type: oneOf('thinking'),
    thinking: listOf(object),
    signature: optional(nullable(text)),
    closed: optional(flag),
  }),
}

const CONTENT = textOr(listOf(byKind('type', CHUNKS)))
const CALL = fields<ToolCall>({
  id: optional(text),
  type: optional(anything),
  function: fields<FunctionCall>({ name: text, arguments: textOr(object) }),
  index: optional(number),
})

const MESSAGES: Readonly<Record<string, Shape>> = {
  system: fields<SystemMessage>({
    role: oneOf('system'),
    content: textOr(listOf(byKind('type', pick('text', 'thinking')))),
  }),
  user: fields<UserMessage>({ role: oneOf('user'), content: CONTENT }),
  assistant: fields<AssistantMessage>({
    role: optional(oneOf('assistant')),
    content: optional(nullable(CONTENT)),
    toolCalls: optional(nullable(listOf(CALL))),
    prefix: optional(flag),
  }),
  tool: fields<ToolMessage>({
    role: oneOf('tool'),
    content: nullable(CONTENT),
    toolCallId: optional(nullable(text)),
    name: optional(nullable(text)),
  }),
}

export function checkMistral(body: unknown): Violation[] {
  const findings = new Findings<Rule>(MISTRAL_RULES)
  for (const path of notJson(body, 'body')) findings.add('json', path)
  const messages = isKeyed(body) ? body['messages'] : undefined
  if (!Array.isArray(messages) || messages.length === 0) findings.add('request', 'messages')
  const list: readonly unknown[] = Array.isArray(messages) ? messages : []
  for (const [at, message] of list.entries()) checkMessage(message, `messages[${at}]`, findings)
  checkOrder(list.filter(isKeyed), findings)
  return findings.list
}

function checkMessage(message: unknown, path: string, findings: Findings<Rule>): void {
  const role = isKeyed(message) ? message['role'] : undefined
  if (!isKeyed(message) || typeof role !== 'string' || !Object.hasOwn(MESSAGES, role)) return findings.add('role', path)
  for (const { fault, path: at, text: why } of MESSAGES[role]!(message, path)) {
    findings.add(fault === 'unknown-key' ? 'unknown-key' : 'shape', at, why)
  }
  const { content, toolCalls } = message
  const isEmpty = (content ?? '') === '' || (Array.isArray(content) && content.length === 0)
  const calls = keyedList(toolCalls)
  if (isEmpty && role !== 'tool' && calls.length === 0) findings.add('content', path)
  for (const part of keyedList(content)) {
    if (part['type'] === 'text' && part['text'] === '') findings.add('empty-text', path)
  }
  for (const call of calls) {
    const tool = call['function']
    const name = isKeyed(tool) ? textAt(tool, 'name') : undefined
    if (!/^[a-zA-Z0-9]{9}$/.test(textAt(call, 'id') ?? '')) findings.add('call-id', path, textAt(call, 'id'))
    if (name !== undefined && !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) findings.add('tool-name', path, name)
  }
}

function checkOrder(messages: readonly Keyed[], findings: Findings<Rule>): void {
  let open: string[] = []
  let before: unknown
  for (const [at, message] of messages.entries()) {
    const { role } = message
    const path = `messages[${at}]`
    if (role === 'system' && (before === 'assistant' || before === 'tool')) findings.add('order', path)
    if (before === 'tool' && role !== 'assistant' && role !== 'tool') findings.add('order', path)
    before = role
    if (role === 'tool') {
      const id = textAt(message, 'toolCallId') ?? ''
      if (!open.includes(id)) findings.add('result-orphan', path, id)
      open = open.filter((other) => other !== id)
      continue
    }
    for (const id of open) findings.add('call-unanswered', path, id)
    const ids = keyedList(message['toolCalls']).flatMap((call) => textAt(call, 'id') ?? [])
    for (const id of repeated(ids)) findings.add('call-id-twice', path, id)
    open = [...new Set(ids)]
  }
  for (const id of open) findings.add('call-unanswered', 'messages', id)
  const last = messages.at(-1)
  const isAnswer = last?.['role'] === 'assistant' && last['prefix'] !== true
  if (last?.['role'] === 'system' || isAnswer) findings.add('end', 'messages')
}

function pick(...kinds: readonly string[]): Readonly<Record<string, Shape>> {
  return Object.fromEntries(kinds.map((kind) => [kind, CHUNKS[kind]!]))
}

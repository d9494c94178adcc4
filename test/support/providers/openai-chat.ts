// Judges the messages of a Chat Completions request by what the provider refuses, from the types of the client and the
// errors that others met.

import type { OpenAI } from 'openai'

import {
  byKind,
  fields,
  listOf,
  notJson,
  nullable,
  object,
  oneOf,
  optional,
  text,
  textOr,
  type Shape,
} from './shape.js'
import { Findings, isKeyed, keyedList, repeated, textAt, type Keyed, type Violation } from './violations.js'

type Chat = OpenAI.ChatCompletionMessageParam
type Part = OpenAI.ChatCompletionContentPart | OpenAI.ChatCompletionContentPartRefusal

export type ChatOptions = Readonly<{
  /** Compatible servers tolerate keys of their own, and so does OpenAI today. */
  unknownKeys?: 'refused' | 'passed'
}>

export const CHAT_RULES = {
  json: 'every value is JSON',
  request: '`messages` is a list with at least one message [T]',
  role: 'the role is one of developer, system, user, assistant, tool, function [T]',
  shape: 'a message has the form of the client’s type [T]',
  part: 'the content of this role takes parts of these kinds only [T]',
  'unknown-key': 'the key is not of the client’s type [E, 2023]',
  'content-missing': '`content` is there unless the message calls, refuses or speaks [T]',
  'empty-list': '`content` and `tool_calls` are not empty lists [E]',
  'empty-text': 'a text is not empty',
  'call-unanswered': 'every call is answered by the tool messages right behind it [E]',
  between: 'nothing stands between a call and its results [E]',
  'result-orphan': 'a tool message answers a call of the assistant message right before it, once [E]',
  'call-id': 'a call id has 1 to 40 characters [E]',
  'call-id-twice': 'call ids are unique within a message [R]',
  'tool-name': 'the name of a tool is 1 to 64 of a-z, A-Z, 0-9, _ and - [E]',
} as const

type Rule = keyof typeof CHAT_RULES

const MARK = optional(fields<{ mode: 'explicit' }>({ mode: oneOf('explicit') }))

const PARTS = {
  text: fields<OpenAI.ChatCompletionContentPartText>({
    type: oneOf('text'),
    text,
    prompt_cache_breakpoint: MARK,
  }),
  image_url: fields<OpenAI.ChatCompletionContentPartImage>({
    type: oneOf('image_url'),
    image_url: fields<OpenAI.ChatCompletionContentPartImage.ImageURL>({
      url: text,
      detail: optional(oneOf('auto', 'low', 'high')),
    }),
    prompt_cache_breakpoint: MARK,
  }),
  input_audio: fields<OpenAI.ChatCompletionContentPartInputAudio>({
    type: oneOf('input_audio'),
    input_audio: fields<OpenAI.ChatCompletionContentPartInputAudio.InputAudio>({
      data: text,
      format: oneOf('wav', 'mp3'),
    }),
    prompt_cache_breakpoint: MARK,
  }),
  file: fields<OpenAI.ChatCompletionContentPart.File>({
    type: oneOf('file'),
    file: fields<OpenAI.ChatCompletionContentPart.File.File>({
      file_data: optional(text),
      file_id: optional(text),
      filename: optional(text),
    }),
    prompt_cache_breakpoint: MARK,
  }),
  refusal: fields<OpenAI.ChatCompletionContentPartRefusal>({ type: oneOf('refusal'), refusal: text }),
} satisfies Record<Part['type'], Shape>

const CALLS = {
  function: fields<OpenAI.ChatCompletionMessageFunctionToolCall>({
    id: text,
    type: oneOf('function'),
    function: fields<OpenAI.ChatCompletionMessageFunctionToolCall.Function>({ name: text, arguments: text }),
  }),
  custom: fields<OpenAI.ChatCompletionMessageCustomToolCall>({
    id: text,
    type: oneOf('custom'),
    custom: fields<OpenAI.ChatCompletionMessageCustomToolCall.Custom>({ name: text, input: text }),
  }),
} satisfies Record<OpenAI.ChatCompletionMessageToolCall['type'], Shape>

const TEXTS = textOr(listOf(byKind('type', pick('text'))))

const MESSAGES = {
  developer: fields<OpenAI.ChatCompletionDeveloperMessageParam>({
    role: oneOf('developer'),
    content: TEXTS,
    name: optional(text),
  }),
  system: fields<OpenAI.ChatCompletionSystemMessageParam>({
    role: oneOf('system'),
    content: TEXTS,
    name: optional(text),
  }),
  user: fields<OpenAI.ChatCompletionUserMessageParam>({
    role: oneOf('user'),
    content: textOr(listOf(byKind('type', pick('text', 'image_url', 'input_audio', 'file')))),
    name: optional(text),
  }),
  assistant: fields<OpenAI.ChatCompletionAssistantMessageParam>({
    role: oneOf('assistant'),
    content: optional(nullable(textOr(listOf(byKind('type', pick('text', 'refusal')))))),
    refusal: optional(nullable(text)),
    audio: optional(nullable(fields<{ id: string }>({ id: text }))),
    name: optional(text),
    tool_calls: optional(listOf(byKind('type', CALLS))),
    // oxlint-disable-next-line typescript/no-deprecated -- logs still have it, and the provider still takes it
    function_call: optional(nullable(object)),
  }),
  tool: fields<OpenAI.ChatCompletionToolMessageParam>({
    role: oneOf('tool'),
    content: TEXTS,
    tool_call_id: text,
  }),
  function: fields<{ role: 'function'; name: string; content: string | null }>({
    role: oneOf('function'),
    name: text,
    content: nullable(text),
  }),
} satisfies Record<Chat['role'], Shape>

const FAULTS = { shape: 'shape', kind: 'part', 'unknown-key': 'unknown-key' } as const

export function checkOpenAIChat(body: unknown, options: ChatOptions = {}): Violation[] {
  const findings = new Findings<Rule>(CHAT_RULES)
  for (const path of notJson(body, 'body')) findings.add('json', path)
  const messages = isKeyed(body) ? body['messages'] : undefined
  if (!Array.isArray(messages) || messages.length === 0) findings.add('request', 'messages')
  const list: readonly unknown[] = Array.isArray(messages) ? messages : []
  list.forEach((message, at) => checkMessage(message, `messages[${at}]`, options, findings))
  checkPairs(
    list.map((message) => (isKeyed(message) ? message : {})),
    findings,
  )
  return findings.list
}

function checkMessage(message: unknown, path: string, options: ChatOptions, findings: Findings<Rule>): void {
  const role = isKeyed(message) ? message['role'] : undefined
  if (!isKeyed(message) || typeof role !== 'string' || !Object.hasOwn(MESSAGES, role)) {
    return findings.add('role', path, JSON.stringify(role) ?? '')
  }
  for (const { fault, path: at, text } of MESSAGES[role as Chat['role']](message, path)) {
    if (fault !== 'unknown-key' || options.unknownKeys === 'refused') findings.add(FAULTS[fault], at, text)
  }
  checkContent(message, role, path, findings)
  for (const [at, call] of keyedList(message['tool_calls']).entries()) {
    checkCall(call, `${path}.tool_calls[${at}]`, findings)
  }
}

function checkContent(message: Keyed, role: string, path: string, findings: Findings<Rule>): void {
  const { content } = message
  for (const key of ['content', 'tool_calls']) {
    const value = message[key]
    if (Array.isArray(value) && value.length === 0) findings.add('empty-list', `${path}.${key}`)
  }
  const speaks = ['tool_calls', 'function_call', 'audio', 'refusal'].some((key) => (message[key] ?? null) !== null)
  if (role === 'assistant' && (content ?? null) === null && !speaks) findings.add('content-missing', `${path}.content`)
  // A tool may have nothing to say, and a call needs no words.
  const mayBeEmpty = role === 'tool' || role === 'function' || (role === 'assistant' && speaks)
  if (content === '' && !mayBeEmpty) findings.add('empty-text', `${path}.content`)
  for (const [at, part] of keyedList(content).entries()) {
    if (part['type'] === 'text' && part['text'] === '') findings.add('empty-text', `${path}.content[${at}].text`)
  }
}

function checkCall(call: Keyed, path: string, findings: Findings<Rule>): void {
  const id = textAt(call, 'id')
  if (id !== undefined && (id.length < 1 || id.length > 40)) findings.add('call-id', `${path}.id`, id)
  const tool = call['function'] ?? call['custom']
  const name = isKeyed(tool) ? textAt(tool, 'name') : undefined
  if (name !== undefined && !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) findings.add('tool-name', path, name)
}

function checkPairs(messages: readonly Keyed[], findings: Findings<Rule>): void {
  let open: string[] = []
  for (const [at, message] of messages.entries()) {
    if (message['role'] === 'tool') {
      const id = textAt(message, 'tool_call_id')
      if (id === undefined) continue
      if (!open.includes(id)) findings.add('result-orphan', `messages[${at}].tool_call_id`, id)
      open = open.filter((other) => other !== id)
      continue
    }
    leaveOpen(messages, at, open, findings)
    const ids = keyedList(message['tool_calls']).flatMap((call) => textAt(call, 'id') ?? [])
    for (const id of repeated(ids)) findings.add('call-id-twice', `messages[${at}].tool_calls`, id)
    open = [...new Set(ids)]
  }
  leaveOpen(messages, messages.length, open, findings)
}

/** `at` is where something other than a result follows, or the end. */
function leaveOpen(messages: readonly Keyed[], at: number, open: readonly string[], findings: Findings<Rule>): void {
  for (const id of open) {
    const later = messages.slice(at).some((message) => message['role'] === 'tool' && message['tool_call_id'] === id)
    if (later) findings.add('between', `messages[${at}]`, `before the result of ${id}`)
    else findings.add('call-unanswered', `messages[${at - 1}]`, id)
  }
}

function pick(...kinds: readonly (keyof typeof PARTS)[]): Readonly<Record<string, Shape>> {
  return Object.fromEntries(kinds.map((kind) => [kind, PARTS[kind]]))
}

// Judges `{ system?, messages }` of the AI SDK: what its own validators refuse, and what they let pass though every provider
// behind them would not (orphan results, something between a call and its results).

import type {
  AssistantContent,
  AssistantModelMessage,
  FilePart,
  ImagePart,
  ModelMessage,
  SystemModelMessage,
  TextPart,
  ToolApprovalRequest,
  ToolApprovalResponse,
  ToolCallPart,
  ToolModelMessage,
  ToolResultPart,
  UserModelMessage,
} from 'ai'

import {
  anything,
  byKind,
  fields,
  flag,
  listOf,
  notJson,
  object,
  oneOf,
  optional,
  text,
  textOr,
  type Shape,
} from './shape.js'
import { Findings, isKeyed, keyedList, textAt, type Keyed, type Violation } from './violations.js'

export type ModelMessagesOptions = Readonly<{
  /** False for version 7, which by default refuses system messages among the messages. */
  systemInMessages?: boolean
  /** The schemas let unknown keys pass, and lose them on the way to the model. */
  unknownKeys?: 'refused' | 'passed'
}>

export const MODEL_MESSAGES_RULES = {
  json: 'every value is JSON, but for the bytes and URLs of images and files',
  request: '`messages` is a list with at least one message [V]',
  system: '`system` is a text, a system message or a list of them, not empty [V]',
  'system-message': 'system messages stand in `system` [V, 7]',
  role: 'the role is one of system, user, assistant, tool [V]',
  shape: 'a message or part has the form of the schema [V]',
  part: 'the content of this role takes parts of these kinds only [V]',
  'unknown-key': 'the key is not of the schema and is lost on the way',
  'empty-content': '`content` is not an empty list',
  'empty-text': 'a text is not empty, unless it carries options of a provider',
  'call-unanswered': 'every call that the provider did not run is answered by the tool messages right behind it [V]',
  between: 'nothing stands between a call and its results [V]',
  'result-orphan': 'a result answers a call of the assistant message right before it, once',
  'result-place': 'a result in an assistant message is of a call that the provider ran, before it in the turn',
  'call-id': 'a call id is not empty',
  'call-id-twice': 'call ids are unique within a message',
  'approval-orphan': 'an approval answers a request, and a request is about a call [V]',
} as const

type Rule = keyof typeof MODEL_MESSAGES_RULES
type Found = Findings<Rule>

const options = optional(object)
const BYTES: Shape = (value, path) => {
  const isFine = typeof value === 'string' || (typeof value === 'object' && value !== null && isForeign(value))
  return isFine ? [] : [{ fault: 'shape', path, text: 'it is a text, bytes or a URL' }]
}

const TEXT = fields<TextPart>({ type: oneOf('text'), text, providerOptions: options })
const FILE = fields<FilePart>({
  type: oneOf('file'),
  data: BYTES,
  mediaType: text,
  filename: optional(text),
  providerOptions: options,
})

type OutputPart = Extract<ToolResultPart['output'], { type: 'content' }>['value'][number]
type OutputOf<Type extends OutputPart['type']> = Omit<Extract<OutputPart, { type: Type }>, 'type'> & { type: Type }

const OUTPUT_PARTS = {
  text: TEXT,
  media: fields<OutputOf<'media'>>({ type: oneOf('media'), data: text, mediaType: text }),
  'file-data': fields<OutputOf<'file-data'>>({
    type: oneOf('file-data'),
    data: text,
    mediaType: text,
    filename: optional(text),
    providerOptions: options,
  }),
  'file-url': fields<OutputOf<'file-url'>>({
    type: oneOf('file-url'),
    url: text,
    mediaType: optional(text),
    providerOptions: options,
  }),
  'file-id': fields<OutputOf<'file-id'>>({ type: oneOf('file-id'), fileId: textOr(object), providerOptions: options }),
  'image-data': fields<OutputOf<'image-data'>>({
    type: oneOf('image-data'),
    data: text,
    mediaType: text,
    providerOptions: options,
  }),
  'image-url': fields<OutputOf<'image-url'>>({ type: oneOf('image-url'), url: text, providerOptions: options }),
  'image-file-id': fields<OutputOf<'image-file-id'>>({
    type: oneOf('image-file-id'),
    fileId: textOr(object),
    providerOptions: options,
  }),
  custom: fields<OutputOf<'custom'>>({ type: oneOf('custom'), providerOptions: options }),
} satisfies Record<OutputPart['type'], Shape>

type Valued = { type: string; value: string; providerOptions?: object }
const valued = (type: string, value: Shape) => fields<Valued>({ type: oneOf(type), value, providerOptions: options })
const OUTPUTS = {
  text: valued('text', text),
  json: valued('json', anything),
  'error-text': valued('error-text', text),
  'error-json': valued('error-json', anything),
  'execution-denied': fields<{ type: string; reason?: string; providerOptions?: object }>({
    type: oneOf('execution-denied'),
    reason: optional(text),
    providerOptions: options,
  }),
  content: fields<{ type: string; value: unknown[] }>({
    type: oneOf('content'),
    value: listOf(byKind('type', OUTPUT_PARTS)),
  }),
} satisfies Record<ToolResultPart['output']['type'], Shape>

const RESULT = fields<ToolResultPart>({
  type: oneOf('tool-result'),
  toolCallId: text,
  toolName: text,
  output: byKind('type', OUTPUTS),
  providerOptions: options,
})

const ASSISTANT_PARTS = {
  text: TEXT,
  file: FILE,
  reasoning: fields<Extract<Exclude<AssistantContent, string>[number], { type: 'reasoning' }>>({
    type: oneOf('reasoning'),
    text,
    providerOptions: options,
  }),
  'tool-call': fields<ToolCallPart>({
    type: oneOf('tool-call'),
    toolCallId: text,
    toolName: text,
    input: anything,
    providerExecuted: optional(flag),
    providerOptions: options,
  }),
  'tool-result': RESULT,
  'tool-approval-request': fields<ToolApprovalRequest>({
    type: oneOf('tool-approval-request'),
    approvalId: text,
    toolCallId: text,
    signature: optional(text),
    inputSchemaInput: optional(anything),
  }),
} satisfies Record<Exclude<AssistantContent, string>[number]['type'], Shape>

const MESSAGES = {
  system: fields<SystemModelMessage>({ role: oneOf('system'), content: text, providerOptions: options }),
  user: fields<UserModelMessage>({
    role: oneOf('user'),
    content: textOr(
      listOf(
        byKind('type', {
          text: TEXT,
          file: FILE,
          image: fields<ImagePart>({
            type: oneOf('image'),
            image: BYTES,
            mediaType: optional(text),
            providerOptions: options,
          }),
        }),
      ),
    ),
    providerOptions: options,
  }),
  assistant: fields<AssistantModelMessage>({
    role: oneOf('assistant'),
    content: textOr(listOf(byKind('type', ASSISTANT_PARTS))),
    providerOptions: options,
  }),
  tool: fields<ToolModelMessage>({
    role: oneOf('tool'),
    content: listOf(
      byKind('type', {
        'tool-result': RESULT,
        'tool-approval-response': fields<ToolApprovalResponse>({
          type: oneOf('tool-approval-response'),
          approvalId: text,
          approved: flag,
          reason: optional(text),
          providerExecuted: optional(flag),
        }),
      }),
    ),
    providerOptions: options,
  }),
} satisfies Record<ModelMessage['role'], Shape>

const FAULTS = { shape: 'shape', kind: 'part', 'unknown-key': 'unknown-key' } as const

export function checkModelMessages(body: unknown, options: ModelMessagesOptions = {}): Violation[] {
  const findings: Found = new Findings(MODEL_MESSAGES_RULES)
  for (const path of notJson(body, 'body', isForeignAt)) findings.add('json', path)
  const request = isKeyed(body) ? body : {}
  const messages: readonly unknown[] = Array.isArray(request['messages']) ? request['messages'] : []
  if (messages.length === 0) findings.add('request', 'messages')
  checkSystem(request['system'], findings)
  messages.forEach((message, at) => checkMessage(message, `messages[${at}]`, options, findings))
  const list = messages.map((message) => (isKeyed(message) ? message : {}))
  checkPairs(list, findings)
  checkApprovals(list, findings)
  return findings.list
}

function checkSystem(system: unknown, findings: Found): void {
  if (system === undefined) return
  const texts: readonly unknown[] = Array.isArray(system) ? system : [system]
  if (texts.length === 0) findings.add('system', 'system')
  texts.forEach((message, at) => {
    const isText = typeof message === 'string' && !Array.isArray(system)
    const faults = isText
      ? []
      : MESSAGES.system(message, `system[${at}]`).filter(({ fault }) => fault !== 'unknown-key')
    for (const { path, text } of faults) findings.add('system', path, text)
    if (message === '' || (isKeyed(message) && message['content'] === '')) findings.add('system', `system[${at}]`)
  })
}

function checkMessage(message: unknown, path: string, options: ModelMessagesOptions, findings: Found): void {
  const role = isKeyed(message) ? message['role'] : undefined
  if (!isKeyed(message) || typeof role !== 'string' || !Object.hasOwn(MESSAGES, role)) {
    return findings.add('role', path, JSON.stringify(role) ?? '')
  }
  for (const { fault, path: at, text } of MESSAGES[role as ModelMessage['role']](message, path)) {
    if (fault !== 'unknown-key' || options.unknownKeys === 'refused') findings.add(FAULTS[fault], at, text)
  }
  if (role === 'system' && options.systemInMessages === false) findings.add('system-message', path)
  const { content } = message
  if (Array.isArray(content) && content.length === 0) findings.add('empty-content', `${path}.content`)
  if (content === '') findings.add('empty-text', `${path}.content`)
  for (const [at, part] of keyedList(content).entries()) {
    const place = `${path}.content[${at}]`
    // An empty text of an assistant can be the carrier of a signature.
    const carries = role === 'assistant' && part['providerOptions'] !== undefined
    if (part['type'] === 'text' && part['text'] === '' && !carries) findings.add('empty-text', place)
    if (part['type'] === 'tool-call' && part['toolCallId'] === '') findings.add('call-id', place)
  }
}

// ---- Calls and results

function checkPairs(messages: readonly Keyed[], findings: Found): void {
  const approved = approvedAtTheEnd(messages)
  let open: string[] = []
  /** Calls that the provider ran; their results may come in a later message of the turn. */
  const ran = new Set<string>()
  const leave = (at: number): void => {
    for (const id of open) {
      if (approved.has(id)) continue
      const isLater = messages
        .slice(at)
        .some((message) => message['role'] === 'tool' && resultIds(message).includes(id))
      if (isLater) findings.add('between', `messages[${at}]`, id)
      else findings.add('call-unanswered', `messages[${at - 1}]`, id)
    }
  }
  for (const [at, message] of messages.entries()) {
    if (message['role'] === 'tool') {
      for (const id of resultIds(message)) {
        if (!open.includes(id)) findings.add('result-orphan', `messages[${at}]`, id)
        open = open.filter((other) => other !== id)
      }
      continue
    }
    leave(at)
    if (message['role'] === 'user') ran.clear()
    open = message['role'] === 'assistant' ? checkOwnCalls(message, `messages[${at}]`, ran, findings) : []
  }
  leave(messages.length)
}

/** Gives the ids of the calls that wait for a result of the client. */
function checkOwnCalls(message: Keyed, path: string, ran: Set<string>, findings: Found): string[] {
  const seen = new Set<string>()
  const open: string[] = []
  for (const [at, part] of keyedList(message['content']).entries()) {
    const id = textAt(part, 'toolCallId') ?? ''
    if (part['type'] === 'tool-result' && !ran.delete(id)) findings.add('result-place', `${path}.content[${at}]`, id)
    if (part['type'] !== 'tool-call') continue
    if (seen.has(id)) findings.add('call-id-twice', `${path}.content[${at}]`, id)
    else if (part['providerExecuted'] === true) ran.add(id)
    else open.push(id)
    seen.add(id)
  }
  return open
}

function resultIds(message: Keyed): string[] {
  const results = keyedList(message['content']).filter((part) => part['type'] === 'tool-result')
  return results.map((part) => textAt(part, 'toolCallId') ?? '')
}

// ---- Approvals

/** Calls that the SDK runs, or says are denied, before it asks the model: their answer is in the last message. */
function approvedAtTheEnd(messages: readonly Keyed[]): ReadonlySet<string> {
  const last = messages.at(-1)
  if (last?.['role'] !== 'tool') return new Set()
  const answers = keyedList(last['content']).filter((part) => part['type'] === 'tool-approval-response')
  const requests = partsOf(messages, 'tool-approval-request')
  const answered = requests.filter(({ part }) => answers.some((answer) => answer['approvalId'] === part['approvalId']))
  return new Set(answered.map(({ part }) => textAt(part, 'toolCallId') ?? ''))
}

function checkApprovals(messages: readonly Keyed[], findings: Found): void {
  const calls = new Set(partsOf(messages, 'tool-call').map(({ part }) => part['toolCallId']))
  const requests = partsOf(messages, 'tool-approval-request')
  for (const { part, path } of requests) {
    if (!calls.has(part['toolCallId'])) findings.add('approval-orphan', path)
  }
  const asked = new Set(requests.map(({ part }) => part['approvalId']))
  for (const { part, path } of partsOf(messages, 'tool-approval-response')) {
    if (!asked.has(part['approvalId'])) findings.add('approval-orphan', path)
  }
}

function partsOf(messages: readonly Keyed[], type: string): readonly Readonly<{ part: Keyed; path: string }>[] {
  return messages.flatMap(({ content }, at) => {
    const parts = keyedList(content).map((part, place) => ({ part, path: `messages[${at}].content[${place}]` }))
    return parts.filter(({ part }) => part['type'] === type)
  })
}

// ---- Values that are not JSON

function isForeign(value: object): boolean {
  return value instanceof URL || value instanceof Uint8Array || value instanceof ArrayBuffer
}

function isForeignAt(value: object, path: string): boolean {
  return isForeign(value) && /^body\.messages\[\d+\]\.content\[\d+\]\.(?:image|data)$/.test(path)
}

// Judges the contents of a Gemini request by what the provider refuses. The API reads camelCase and snake_case alike, so a
// key is judged by its camelCase name wherever a name of the API may be, and never within arguments and responses.

import type { Blob as Bytes, Content, FileData, FunctionCall, FunctionResponse, Part } from '@google/genai'

import { anything, fields, flag, listOf, notJson, object, oneOf, optional, text } from './shape.js'
import { Findings, isKeyed, keyedList, textAt, type Keyed, type Violation } from './violations.js'

export type GeminiOptions = Readonly<{
  /** True for Gemini 3: the first call of each step of the current turn carries its signature. */
  signatures?: boolean
  /** False for models that refuse a request that ends with a model turn. */
  prefill?: boolean
  /** True for older models, which take text and media next to the responses of a turn. */
  mixed?: boolean
}>

export const GEMINI_RULES = {
  json: 'every value is JSON',
  request: '`contents` is a list with at least one content [T]',
  role: 'the role is user, model or absent [T]',
  shape: 'a content or part has the form of the client’s type [T]',
  'unknown-key': 'a content or part has the keys of its type and no others [E]',
  'empty-parts': '`parts` is not empty [E]',
  'part-data': 'a part has exactly one field with data [E]',
  'part-role': 'a model calls, a user responds [T]',
  'call-turn': 'a turn with calls comes right after a user turn or a turn of responses [E]',
  'call-unanswered': 'the next turn has as many responses as there were calls [E]',
  between: 'nothing stands between a call and its response [E]',
  'response-orphan': 'a response answers a call of the turn right before, once [E]',
  'response-name': 'a response has the name of its call [E]',
  'response-mixed': 'a turn of responses holds nothing else [E]',
  signature: 'the first call of each step of the current turn has its thought signature [D, E]',
  prefill: 'this model refuses a request that ends with a model turn [E]',
} as const

type Rule = keyof typeof GEMINI_RULES
type Found = Findings<Rule>
type Turn = Readonly<{ path: string; role: string; parts: readonly Keyed[]; calls: Keyed[]; responses: Keyed[] }>

const DATA = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
  'audioTranscription',
]

const BYTES = {
  inlineData: fields<Bytes>({ data: optional(text), mimeType: optional(text), displayName: optional(text) }, camel),
  fileData: fields<FileData>({ fileUri: optional(text), mimeType: optional(text), displayName: optional(text) }, camel),
}

const PART = fields<Part>(
  {
    text: optional(text),
    inlineData: optional(BYTES.inlineData),
    fileData: optional(BYTES.fileData),
    functionCall: optional(
      fields<FunctionCall & { name: string }>(
        {
          name: text,
          id: optional(text),
          args: optional(object),
          partialArgs: optional(listOf(object)),
          willContinue: optional(flag),
        },
        camel,
      ),
    ),
    functionResponse: optional(
      fields<FunctionResponse & { name: string; response: object }>(
        {
          name: text,
          id: optional(text),
          response: object,
          parts: optional(
            listOf(
              fields<{ inlineData?: Bytes; fileData?: FileData; mediaProcessing?: unknown }>(
                {
                  inlineData: optional(BYTES.inlineData),
                  fileData: optional(BYTES.fileData),
                  mediaProcessing: optional(anything),
                },
                camel,
              ),
            ),
          ),
          scheduling: optional(text),
          willContinue: optional(flag),
        },
        camel,
      ),
    ),
    executableCode: optional(object),
    codeExecutionResult: optional(object),
    toolCall: optional(object),
    toolResponse: optional(object),
    audioTranscription: optional(object),
    thought: optional(flag),
    thoughtSignature: optional(text),
    videoMetadata: optional(object),
    mediaResolution: optional(object),
    mediaProcessing: optional(anything),
    speechMetadata: optional(object),
    partMetadata: optional(object),
  },
  camel,
)

const CONTENT = fields<Content & { parts: Part[] }>(
  { role: optional(oneOf('user', 'model')), parts: listOf(PART) },
  camel,
)
// Whose a system instruction is does not matter; the client writes `user`.
const INSTRUCTION = fields<Content & { parts: Part[] }>({ role: optional(text), parts: listOf(PART) }, camel)

export function checkGemini(body: unknown, options: GeminiOptions = {}): Violation[] {
  const findings: Found = new Findings(GEMINI_RULES)
  for (const path of notJson(body, 'body')) findings.add('json', path)
  const request = isKeyed(body) ? body : {}
  const contents: readonly unknown[] = Array.isArray(request['contents']) ? request['contents'] : []
  if (contents.length === 0) findings.add('request', 'contents')
  if (request['systemInstruction'] !== undefined) checkContent(request['systemInstruction'], undefined, findings)
  contents.forEach((content, at) => checkContent(content, at, findings))
  const turns = contents.map((content, at) => turnOf(content, `contents[${at}]`))
  checkTurns(turns, options, findings)
  if (options.signatures === true) checkSignatures(turns, findings)
  const last = turns.at(-1)
  if (options.prefill === false && last?.role === 'model') findings.add('prefill', last.path)
  return findings.list
}

/** `at` is absent for the system instruction. */
function checkContent(content: unknown, at: number | undefined, findings: Found): void {
  const path = at === undefined ? 'systemInstruction' : `contents[${at}]`
  const faults = at === undefined ? INSTRUCTION(content, path) : CONTENT(content, path)
  for (const { fault, path: place, text } of faults) {
    if (place === `${path}.role`) findings.add('role', place, text)
    else findings.add(fault === 'unknown-key' ? 'unknown-key' : 'shape', place, text)
  }
  if (!isKeyed(content) || !Array.isArray(content['parts'])) return
  if (content['parts'].length === 0) findings.add('empty-parts', `${path}.parts`)
  for (const [at, part] of content['parts'].entries()) {
    if (!isKeyed(part)) continue
    const data = Object.keys(part).filter((key) => DATA.includes(camel(key)) && part[key] !== undefined)
    if (data.length !== 1) findings.add('part-data', `${path}.parts[${at}]`, data.join(', '))
    const speaker = content['role'] ?? 'user'
    const expected = dataOf(part, 'functionCall') !== undefined ? 'model' : 'user'
    if ((dataOf(part, 'functionCall') ?? dataOf(part, 'functionResponse')) === undefined) continue
    if (speaker !== expected) findings.add('part-role', `${path}.parts[${at}]`)
  }
}

function turnOf(content: unknown, path: string): Turn {
  const keyed = isKeyed(content) ? content : {}
  const parts = keyedList(keyed['parts'])
  return {
    path,
    role: textAt(keyed, 'role') ?? 'user',
    parts,
    calls: dataOfAll(parts, 'functionCall'),
    responses: dataOfAll(parts, 'functionResponse'),
  }
}

function checkTurns(turns: readonly Turn[], options: GeminiOptions, findings: Found): void {
  for (const [at, turn] of turns.entries()) {
    const { path, calls, responses } = turn
    if (calls.length > 0 && turns[at - 1]?.role !== 'user') findings.add('call-turn', path)
    const isMixed = responses.length > 0 && responses.length < turn.parts.length
    if (isMixed && options.mixed !== true) findings.add('response-mixed', path)
    const answers = unpaired(calls, turns[at + 1]?.responses ?? [])
    for (const call of answers.calls) {
      const isLater = turns.slice(at + 2).some((other) => unpaired([call], other.responses).calls.length === 0)
      const isNamed = (turns[at + 1]?.responses ?? []).some(({ id }) => id !== undefined && id === call['id'])
      findings.add(isNamed ? 'response-name' : isLater ? 'between' : 'call-unanswered', path, String(call['name']))
    }
    for (const response of unpaired(turns[at - 1]?.calls ?? [], responses).responses) {
      const isNamed = (turns[at - 1]?.calls ?? []).some(({ id }) => id !== undefined && id === response['id'])
      findings.add(isNamed ? 'response-name' : 'response-orphan', path, String(response['name']))
    }
  }
}

/** Those left when each response has taken the call with its id and name, or with its name where one has no id. */
function unpaired(
  calls: readonly Keyed[],
  responses: readonly Keyed[],
): Readonly<Record<'calls' | 'responses', Keyed[]>> {
  let open = [...calls]
  const byId = (a: Keyed, b: Keyed): boolean => a['name'] === b['name'] && a['id'] !== undefined && a['id'] === b['id']
  const byName = (a: Keyed, b: Keyed): boolean =>
    a['name'] === b['name'] && (a['id'] === undefined || b['id'] === undefined)
  const left = responses.filter((response) => {
    const call = open.find((other) => byId(other, response)) ?? open.find((other) => byName(other, response))
    open = open.filter((other) => other !== call)
    return call === undefined
  })
  return { calls: open, responses: left }
}

function checkSignatures(turns: readonly Turn[], findings: Found): void {
  const asked = turns.findLastIndex(({ role, parts, responses }) => role === 'user' && responses.length < parts.length)
  for (const { path, parts, calls } of turns.slice(asked + 1)) {
    if (calls.length === 0) continue
    const first = parts.find((part) => dataOf(part, 'functionCall') !== undefined) ?? {}
    const signature = Object.keys(first).find((key) => camel(key) === 'thoughtSignature')
    if (signature === undefined || first[signature] === '') findings.add('signature', path)
  }
}

function dataOfAll(parts: readonly Keyed[], name: string): Keyed[] {
  return parts.map((part) => dataOf(part, name)).filter((data) => data !== undefined)
}

function dataOf(part: Keyed, name: string): Keyed | undefined {
  const key = Object.keys(part).find((other) => camel(other) === name)
  const data = key === undefined ? undefined : part[key]
  return isKeyed(data) ? data : undefined
}

function camel(key: string): string {
  return key.replaceAll(/(?<=[a-z])_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

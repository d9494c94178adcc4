// The parts of UI messages, made of the parts of ModelMessages that say the same. A UI message has keys that no model gets (titles, states, ids); a node
// keeps those that do not follow from its part, so a UI message comes back as it went in, and shows every edit of its nodes.

import { canonicalJson } from '../../codec/index.js'
import type { JsonObject, JsonValue } from '../../core/index.js'
import { exactType, toBase64, urlOf } from '../conversation/media.js'
import { isObject, type PlainValue } from '../conversation/plain-json.js'
import { readMedia, textData } from './file-data.js'
import { asJson, untag } from './tagged.js'

/** The attribute of a node with the data that only the UI has. */
export const UI = 'data_ui'

/** The ModelMessage part that says the same as a UI part other than a tool's; undefined if models do not get it. */
export function modelPart(part: JsonObject, role: 'user' | 'assistant'): JsonObject | undefined {
  const { type, text, kind, mediaType, filename, url, providerReference: names, providerMetadata: options } = part
  const own = isObject(options) ? { providerOptions: options } : {}
  if (type === 'text' && typeof text === 'string') return { type, text, ...own }
  if (type === 'file' && typeof mediaType === 'string' && (typeof url === 'string' || isObject(names))) {
    const data = isObject(names) ? { type: 'reference', reference: names } : url!
    return { type, data, mediaType, ...(typeof filename === 'string' ? { filename } : {}), ...own }
  }
  if (role === 'user') return undefined
  if (type === 'reasoning' && typeof text === 'string') return { type, text, ...own }
  if (type === 'custom' && typeof kind === 'string') return { type, kind, ...own }
  if (type !== 'reasoning-file' || typeof url !== 'string' || typeof mediaType !== 'string') return undefined
  return { type, data: url, mediaType, ...own }
}

/** The UI part of a ModelMessage part other than calls, results and approvals; undefined if a UI has none. */
export function shownPart(part: JsonObject): JsonObject | undefined {
  const { type, text, kind, providerOptions: options } = part
  const own = isObject(options) ? { providerMetadata: plain(options) } : {}
  if ((type === 'text' || type === 'reasoning') && typeof text === 'string') return { type, text, ...own }
  if (type === 'custom' && typeof kind === 'string') return { type, kind, ...own }
  if (type !== 'file' && type !== 'image' && type !== 'reasoning-file') return undefined
  const file = fileOf(part, type === 'image' ? part['image'] : part['data'])
  return file && { type: type === 'image' ? 'file' : type, ...file, ...own }
}

function fileOf(part: JsonObject, data: JsonValue | undefined): JsonObject | undefined {
  const { mediaType: type, filename } = part
  const name = typeof filename === 'string' ? { filename } : {}
  const said = typeof type === 'string' ? type : undefined
  if (typeof data === 'string' && /^(?:https?|data):/.test(data))
    return { mediaType: said ?? 'image/png', url: data, ...name }
  const text = textData(data)
  if (text !== undefined) {
    const mediaType = said ?? 'text/plain'
    const base64 = toBase64(new TextEncoder().encode(text))
    return { mediaType, url: urlOf({ source: { kind: 'base64', data: base64 }, mediaType }), ...name }
  }
  const media = readMedia(part, data, part['type'] === 'image' ? 'image/*' : undefined)
  if (media === undefined) {
    const names = isObject(data) ? (data['reference'] ?? data) : undefined
    return isObject(names) ? { mediaType: said ?? 'image/png', url: '', providerReference: names, ...name } : undefined
  }
  const mediaType =
    media.mediaType?.endsWith('/*') === true
      ? (exactType({ mediaType: undefined, ...media }) ?? 'image/png')
      : media.mediaType
  const known = mediaType ?? 'application/octet-stream'
  return { mediaType: known, url: urlOf({ source: media.source, mediaType: known }), ...name }
}

/** The parts of ModelMessages that make up a tool part. */
export type ToolPieces = Readonly<{
  call: JsonObject
  request?: JsonObject | undefined
  answer?: JsonObject | undefined
  result?: JsonObject | undefined
}>

/** The tool part of a UI message. */
export function shownTool({ call, request, answer, result }: ToolPieces): JsonObject {
  const { toolCallId, toolName, input, providerExecuted, providerOptions: options } = call
  const output = isObject(result?.['output']) ? result['output'] : undefined
  const isDenied = answer?.['approved'] === false && (output === undefined || DENIALS.has(output['type']))
  const approval = approvalOf(request, answer, result !== undefined)
  const told = result?.['providerOptions']
  const isOwn = isObject(told) && providerExecuted === true && !isSame(told, options)
  return {
    type: `tool-${typeof toolName === 'string' ? toolName : ''}`,
    toolCallId: toolCallId ?? '',
    input: plain(input ?? {}),
    ...(typeof providerExecuted === 'boolean' ? { providerExecuted } : {}),
    ...(isObject(options) ? { callProviderMetadata: plain(options) } : {}),
    ...(isOwn ? { resultProviderMetadata: plain(told) } : {}),
    ...(approval === undefined ? {} : { approval }),
    ...(result === undefined
      ? {
          state:
            answer !== undefined
              ? 'approval-responded'
              : request === undefined
                ? 'input-available'
                : 'approval-requested',
        }
      : isDenied
        ? { state: 'output-denied' }
        : outputOf(output)),
  }
}

/** A refused call has one of these results. */
const DENIALS: ReadonlySet<unknown> = new Set(['execution-denied', 'error-text'])

function outputOf(output: JsonObject | undefined): JsonObject {
  const { type, value, reason } = output ?? {}
  if (type === 'error-text' || type === 'error-json')
    return { state: 'output-error', errorText: typeof value === 'string' ? value : canonicalJson(plain(value ?? null)) }
  if (type === 'execution-denied')
    return { state: 'output-error', errorText: typeof reason === 'string' ? reason : 'Tool call execution denied.' }
  return { state: 'output-available', output: plain(value ?? null) }
}

function approvalOf(
  request: JsonObject | undefined,
  answer: JsonObject | undefined,
  isDone: boolean,
): JsonObject | undefined {
  const id = request?.['approvalId'] ?? answer?.['approvalId']
  if (typeof id !== 'string') return undefined
  const { reason: why, isAutomatic, signature, inputSchemaInput } = request ?? {}
  const asked = { requestReason: why, isAutomatic, signature, inputSchemaInput }
  // A call with a result was approved.
  const given =
    answer === undefined
      ? isDone
        ? { approved: true }
        : {}
      : { approved: answer['approved'], reason: answer['reason'] }
  const entries = Object.entries({ id, ...asked, ...given }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries.map(([name, value]) => [name, plain(value!)]))
}

/** The keys of a UI part that do not follow from its nodes, for its node to keep; undefined if there are none. */
export function keptOf(part: JsonObject, shown: JsonObject): JsonObject | undefined {
  const keys = Object.entries(part).filter(([name, value]) => !(name in shown) || !isSame(value, shown[name]))
  const without = Object.keys(shown).filter((name) => !(name in part))
  if (keys.length + without.length === 0) return undefined
  const state = shown['state']
  return {
    ...(keys.length === 0 ? {} : { keys: Object.fromEntries(keys) }),
    ...(without.length === 0 ? {} : { without }),
    ...(state === undefined ? {} : { at: state }),
  }
}

/** The UI part with the keys that its node keeps. A tool part that has gone on since has only those that say nothing about its state. */
export function withKept(shown: JsonObject, kept: JsonObject | undefined): JsonObject {
  if (kept === undefined) return shown
  const isThen = kept['at'] === shown['state']
  const keys = isObject(kept['keys']) ? Object.entries(kept['keys']) : []
  const without = isThen && Array.isArray(kept['without']) ? (kept['without'] as readonly JsonValue[]) : []
  const left = Object.entries(shown).filter(([name]) => !without.includes(name))
  return Object.fromEntries([...left, ...keys.filter(([name]) => isThen || STEADY.has(name))])
}

const STEADY: ReadonlySet<string> = new Set([
  'type',
  'toolName',
  'dynamic',
  'title',
  'toolMetadata',
  'callProviderMetadata',
])

export function isSame(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b))
}

/** A value of a node as JSON of a UI message. */
function plain(value: JsonValue): JsonValue {
  return asJson(untag(value) as PlainValue)
}

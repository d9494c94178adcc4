// The AI SDK's prompts: `{ system?, messages }`, since version 7 takes no system messages among the others by default.

import type { JsonObject, JsonValue } from '../../core/index.js'
import type { RequestOptions } from '../conversation/adapter.js'
import type { ThoughtFormat } from '../conversation/bound.js'
import type { CacheFormat, CacheMarks } from '../conversation/cache-marks.js'
import { defineAdapter, type DefinedAdapter } from '../conversation/define-adapter.js'
import type { BlocksOptions, ThinkingOptions } from '../conversation/message-options.js'
import type { Message } from '../conversation/neutral.js'
import { inOrder, isObject, NO_KEYS, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import { approvalTie, approvedCalls } from './approvals.js'
import { MESSAGE_KEYS, readAiSdkPart } from './kinds.js'
import { type ModelConversation, readConversation, readReply, REPLIES } from './read.js'
import type { ModelPrompt } from './types.js'
import { tag, untag } from './tagged.js'
import { isOwn, providersTie, writeModelMessages } from './write.js'

export type ModelMessageOptions = RequestOptions &
  BlocksOptions<'user' | 'system'> &
  ThinkingOptions &
  Readonly<{
    /** System messages in mid-conversation: kept, or given as the user's, since version 7 refuses them by default. */
    systemMessages?: 'keep' | 'user' | undefined
    /** Marks for Claude's prompt cache; other providers do not look at them. */
    cache?: boolean | CacheMarks | undefined
  }>

// The SDK hands cache marks on to Claude: `providerOptions.anthropic.cacheControl`, on a message for its end, on a part for the part. Texts may stay
// texts, since the SDK makes lists of them itself; a system text is a message, to have a place for the mark.
const AI_SDK_CACHE: CacheFormat = {
  names: ['at', 'ttl', 'tools'],
  most: 4,
  lookBack: 20,
  system: {
    key: 'system',
    listed: (value) => {
      if (typeof value === 'string') return [inOrder({ role: 'system', content: value })]
      return (Array.isArray(value) ? value : [value]).map((message: PlainValue) => unmarked(message as PlainObject))
    },
  },
  bare: (message) => {
    const { content } = message
    if (!Array.isArray(content)) return unmarked(message)
    return unmarked(inOrder({ ...message, content: content.map((part: PlainValue) => unmarked(part as PlainObject)) }))
  },
  canMark: (block) => {
    if (typeof block === 'string') return block.trim() !== ''
    const { type, text } = block as PlainObject
    return type === 'text' ? typeof text === 'string' && text.trim() !== '' : MARKABLE.has(type)
  },
  marksMessages: true,
  marked: (made, { ttl }) => {
    const options = (made['providerOptions'] ?? {}) as PlainObject
    const anthropic = (options['anthropic'] ?? {}) as PlainObject
    const cacheControl = inOrder({ type: 'ephemeral', ttl })
    return inOrder({
      ...made,
      providerOptions: inOrder({ ...options, anthropic: inOrder({ ...anthropic, cacheControl }) }),
    })
  },
}

/** Not what a model thought, and not what stands for no block of Claude's. */
const MARKABLE: ReadonlySet<unknown> = new Set(['image', 'file', 'tool-call', 'tool-result'])

/** Marks that came with an import are of another request. */
function unmarked(made: PlainObject): PlainObject {
  const options = made['providerOptions'] as PlainObject | undefined
  const anthropic = options?.['anthropic'] as PlainObject | undefined
  const isMarked = typeof anthropic === 'object' && anthropic !== null && NAMES.some((name) => name in anthropic)
  if (!isMarked) return made
  const own = Object.fromEntries(Object.entries(anthropic).filter(([name]) => !NAMES.includes(name)))
  const others = Object.fromEntries(Object.entries(options!).filter(([name]) => name !== 'anthropic'))
  const kept = Object.keys(own).length === 0 ? others : { ...others, anthropic: own }
  const { providerOptions: _, ...rest } = made
  return inOrder(Object.keys(kept).length === 0 ? rest : { ...rest, providerOptions: inOrder(kept) })
}

const NAMES: readonly string[] = ['cacheControl', 'cache_control']

/** Claude's thoughts, by the options that its providers in the SDK give them. System texts are messages, as the SDK has them. */
const AI_SDK_THOUGHTS: ThoughtFormat = {
  isBound: isBoundThought,
  system: (value) => (value === undefined ? [] : AI_SDK_CACHE.system!.listed(value).map((each) => tag(each))),
  // Other keys of a message are the caller's own; no model gets them.
  message: (message) => {
    const { role, content, providerOptions: options } = AI_SDK_CACHE.bare(message)
    return tag({ role, content, ...(isObject(options) ? { providerOptions: options } : {}) })
  },
  tools: (value) => tag(value),
  keys: ({ providerOptions: options }) => (isObject(options) ? { providerOptions: options } : {}),
  plain: (value) => untag(value) as PlainValue,
}

/** True for a part that Claude has signed or encrypted. */
export function isBoundThought({ providerOptions: options }: JsonObject): boolean {
  return isObject(options) && CLAUDES.some((name) => isSigned(options[name]))
}

const CLAUDES: readonly string[] = ['anthropic', 'bedrock']

function isSigned(options: JsonValue | undefined): boolean {
  return isObject(options) && (typeof options['signature'] === 'string' || typeof options['redactedData'] === 'string')
}

export const AI_SDK: DefinedAdapter<ModelConversation, ModelMessageOptions, ModelPrompt> = defineAdapter({
  calls: { from: 'fromModelMessages', to: 'toModelMessages', receive: 'receiveModelMessages' },
  options: ['systemMessages'],
  format: {
    name: 'ai-sdk',
    version: 8,
    list: 'messages',
    // An empty text of an assistant can be the carrier of a signature.
    isBlank: (text, { keys, record }) =>
      text === '' && !(record.role === 'assistant' && isObject(keys?.['providerOptions'])),
    cache: AI_SDK_CACHE,
    thoughts: AI_SDK_THOUGHTS,
    waiting: approvedCalls,
    ties: (part) => approvalTie(part) ?? providersTie(part),
    summaries: 'first',
    write: writeModelMessages,
    filler: (text) => inOrder({ role: 'user', content: text }),
    request: (system, _list, out, options) => {
      if (system.length === 0) return { before: NO_KEYS }
      // System messages among the others stay there, unless the prompt is to be valid.
      const listed = out.repair
        ? []
        : system.filter(({ form }) => form !== undefined && form !== 'list' && form !== 'value')
      const beside = system.filter((message) => !listed.includes(message))
      const text = systemOf(beside, out)
      return {
        before: text === undefined ? {} : ownedText({ system: text }, beside, out),
        start: listed.length === 0 ? undefined : { drop: 0, put: writeModelMessages(listed, out, options) },
      }
    },
  },
  readPart: readAiSdkPart,
  readConversation,
  readReply,
  replies: REPLIES,
})

/** A text that is not in a message is still somebody's; of several that are one text, the first stands for them. */
function ownedText(
  before: { system: PlainValue },
  [first]: readonly Message[],
  out: RequestWriter,
): { system: PlainValue } {
  return typeof before.system === 'string' && first !== undefined ? out.ownAt(before, 'system', first.record) : before
}

/** One text; system messages where any has options of its own, or where they stood so. */
function systemOf(system: readonly Message[], out: RequestWriter): PlainValue | undefined {
  const [only] = system
  if (only === undefined) return undefined
  if (!out.repair && isOwn(only) && only.form === 'value') return messageOf(only, out)
  if (!out.repair && isOwn(only) && only.form === 'list') return system.map((message) => messageOf(message, out))
  if (out.repair) {
    for (const { parts } of system) {
      for (const { kind, record } of parts) {
        if (kind !== 'text') out.note('left-out', record, `${record.id} is left out: a system text is text only.`)
      }
    }
  }
  const said = out.repair ? system.filter((message) => textIn(message) !== '') : system
  if (said.length === 0) return undefined
  const isList = said.some(
    (message) => isOwn(message) && (message.form === 'list' || Object.keys(message.envelope).length > 0),
  )
  return isList ? said.map((message) => messageOf(message, out)) : said.map(textIn).join('\n\n')
}

function messageOf(message: Message, out: RequestWriter): PlainObject {
  const envelope = isOwn(message) ? (untag(message.envelope) as PlainObject) : {}
  const keys = out.repair ? (MESSAGE_KEYS(envelope, new Set()) as PlainObject) : envelope
  return out.own(inOrder({ role: 'system', content: textIn(message) }, keys), message.record)
}

function textIn({ parts }: Message): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')
}

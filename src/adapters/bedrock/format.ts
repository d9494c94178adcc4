// Bedrock's Converse API: system texts and messages, user and assistant in turns, the user first.

import type { RequestOptions } from '../conversation/adapter.js'
import type { ThoughtFormat } from '../conversation/bound.js'
import { defineAdapter, type DefinedAdapter } from '../conversation/define-adapter.js'
import type { BlocksOptions, ThinkingOptions } from '../conversation/message-options.js'
import type { Message } from '../conversation/neutral.js'
import { inOrder, isObject, NO_KEYS, plainJson, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import type { Changes } from '../conversation/request-format.js'
import type { RequestWriter } from '../conversation/request-writer.js'
import { heldContent } from '../conversation/specs.js'
import { heldElement, type PartForm, writtenPart } from '../conversation/write-part.js'
import { withBase64 } from './bytes.js'
import { readBedrockPart } from './kinds.js'
import { type BedrockConversation, readConversation, readReply, REPLIES } from './read.js'
import { BLOCK, heldForm, isOwn, writeMessages } from './write.js'
import type { BedrockRequest } from './types.js'

export type BedrockOptions = RequestOptions & BlocksOptions<'user'> & ThinkingOptions

/** A thought with a signature, or an encrypted one, is Claude's. Cache points are no difference. */
const BEDROCK_THOUGHTS: ThoughtFormat = {
  isBound: ({ reasoningContent: thought }) => {
    if (!isObject(thought)) return false
    const { reasoningText: text, redactedContent: hidden } = thought
    return hidden !== undefined || (isObject(text) && typeof text['signature'] === 'string')
  },
  system: (value) => (Array.isArray(value) ? value.filter(isNoMark).map((each) => withBase64(each)) : []),
  message: (message) => {
    const { content } = message
    return withBase64(Array.isArray(content) ? { ...message, content: content.filter(isNoMark) } : message)
  },
  tools: (value) => {
    const tools = isObject(value) ? value['tools'] : undefined
    return Array.isArray(tools) ? tools.filter(isNoMark) : []
  },
}

function isNoMark(block: PlainValue): boolean {
  return !isObject(block) || block['cachePoint'] === undefined
}

export const BEDROCK: DefinedAdapter<BedrockConversation, BedrockOptions, BedrockRequest> = defineAdapter({
  calls: { from: 'fromBedrock', to: 'toBedrock', receive: 'receiveBedrock' },
  format: {
    name: 'bedrock',
    version: 5,
    list: 'messages',
    isBlank: (text) => text.trim() === '',
    thoughts: BEDROCK_THOUGHTS,
    write: writeMessages,
    filler: (text) => inOrder({ role: 'user', content: Object.freeze([inOrder({ text })]) }),
    request: (system, list, out) => {
      const texts = out.repair ? systemBlocks(system, out) : heldSystem(system, out)
      const changed = out.repair ? inTurns(list, out) : undefined
      return { before: texts === undefined ? NO_KEYS : { system: texts }, changed }
    },
  },
  params: () => ({ model: 'modelId', tools: ['toolConfig'] }),
  readPart: readBedrockPart,
  readConversation,
  readReply,
  replies: REPLIES,
})

/** Joins neighbours of one speaker, and puts a line of the user first where an assistant would be. */
function inTurns(list: readonly PlainObject[], out: RequestWriter): Changes {
  const changes = new Map<PlainObject, readonly PlainObject[]>()
  let start = 0
  for (let at = 0; at < list.length; at++) {
    if (list[at + 1]?.['role'] === list[at]!['role']) continue
    if (at > start) joinRun(list.slice(start, at + 1), changes, out)
    start = at + 1
  }
  const [first] = list
  if (first?.['role'] !== 'assistant') return changes
  out.noteOf(first, 'added', (id) => `A line of the user is before ${id}: Bedrock wants one.`)
  changes.set(first, [FIRST, ...(changes.get(first) ?? [first])])
  return changes
}

function joinRun(
  run: readonly PlainObject[],
  changes: Map<PlainObject, readonly PlainObject[]>,
  out: RequestWriter,
): void {
  const [first, ...others] = run
  for (const message of others) {
    out.noteOf(message, 'merged', (id) => `${id} is joined to the message before it: speakers take turns.`)
    changes.set(message, [])
  }
  const content = run.flatMap((message) => message['content'] as readonly PlainObject[])
  changes.set(first!, [inOrder({ role: first!['role'], content: Object.freeze(content) })])
}

const FIRST: PlainObject = inOrder({ role: 'user', content: Object.freeze([inOrder({ text: '(continued)' })]) })

/** The same in a system text. */
const SYSTEM: PartForm<'system'> = { ...BLOCK, leavesOut: { other: 'a system text is text only' } }

function systemBlocks(system: readonly Message[], out: RequestWriter): PlainValue | undefined {
  const blocks: PlainObject[] = []
  for (const part of system.flatMap(({ parts }) => parts)) {
    const isSystem = part.kind === 'text' || part.kind === 'other'
    const block = isSystem ? writtenPart(part, 'system', SYSTEM, out) : out.leaveOut(part, 'a system text is text only')
    if (block !== undefined) blocks.push(block)
  }
  return blocks.length === 0 ? undefined : Object.freeze(blocks)
}

function heldSystem(system: readonly Message[], out: RequestWriter): PlainValue | undefined {
  const [only] = system
  if (only === undefined) return undefined
  if (system.length === 1 && isOwn(only) && only.form !== 'list') return plainJson(heldContent(only.record.content))
  return system.flatMap((message) => message.parts.flatMap((part) => heldElement(part, message, heldForm(out))))
}

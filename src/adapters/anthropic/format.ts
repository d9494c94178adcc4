// Claude's Messages API: system text beside the messages, call ids once, no half of a server tool, no white space at the end.

import type { Message } from '../conversation/neutral.js'
import { inOrder, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import type { End, Pen, RequestFormat } from '../conversation/request-format.js'
import { ANTHROPIC_CACHE } from './cache.js'
import { blockOf } from './blocks.js'
import type { AnthropicOptions } from './types.js'
import { blocksIn, isOwn, writeMessages } from './write.js'

export const ANTHROPIC: RequestFormat<AnthropicOptions> = {
  name: 'anthropic',
  version: 1,
  list: 'messages',
  isBlank: (text) => text.trim() === '',
  knowsLast: true,
  cache: ANTHROPIC_CACHE,
  write: writeMessages,
  uniqueIds: (written) => written.flatMap((message) => blocksIn(message).flatMap(idOf)),
  filler: (text) => inOrder({ role: 'user', content: text }),
  request: (system, list, pen) => {
    const leading = pen.repair ? leadingSystem(list) : []
    const texts = systemOf(system, leading, pen)
    return {
      before: texts === undefined ? {} : ownedText({ system: texts }, system, pen),
      start: leading.length > 0 ? { drop: leading.length, put: [] } : undefined,
      end: pen.repair ? endOf(list, pen) : undefined,
    }
  },
}

/** A text that is not in a block is still somebody's. */
function ownedText(before: { system: PlainValue }, [first]: readonly Message[], pen: Pen): { system: PlainValue } {
  return typeof before.system === 'string' && first !== undefined
    ? pen.ownAt(before, 'system', first.parts[0]?.record ?? first.record)
    : before
}

function idOf(block: PlainObject): readonly string[] {
  return block['type'] === 'tool_use' ? [block['id'] as string] : []
}

/** System messages that would come first: they belong beside the list. */
function leadingSystem(list: readonly PlainObject[]): readonly PlainObject[] {
  const end = list.findIndex((message) => message['role'] !== 'system')
  return list.slice(0, end < 0 ? list.length : end)
}

/** One text as it is; several as blocks. */
function systemOf(system: readonly Message[], leading: readonly PlainObject[], pen: Pen): PlainValue | undefined {
  const [only] = system
  if (only !== undefined && system.length === 1 && leading.length === 0 && isText(only, pen)) {
    return only.form === 'null' ? null : only.form === 'text' || only.form === undefined ? textIn(only) : []
  }
  const blocks = system.flatMap((message) =>
    message.parts.flatMap((part) => {
      if (part.kind === 'text') return blockOf(part, '', pen) ?? []
      if (!pen.repair) return blockOf(part, '', pen) ?? []
      pen.note('left-out', part.record, `${part.record.id} is left out: Claude's system text holds text only.`)
      return []
    }),
  )
  const texts = leading.flatMap(textBlocks)
  return blocks.length + texts.length === 0
    ? system.length > 0 && !pen.repair
      ? []
      : undefined
    : [...blocks, ...texts]
}

function isText(message: Message, pen: Pen): boolean {
  if (message.form === 'list') return !pen.repair && message.parts.length === 0
  return (
    message.parts.length === 1 &&
    message.parts[0]!.kind === 'text' &&
    (isOwn(message) || message.form === undefined || message.form === 'text')
  )
}

function textIn({ parts }: Message): string {
  const [only] = parts
  return only?.kind === 'text' ? only.text : ''
}

function textBlocks({ content }: PlainObject): readonly PlainObject[] {
  if (typeof content === 'string') return [inOrder({ type: 'text', text: content })]
  return (content as readonly PlainObject[]).filter(({ type }) => type === 'text')
}

/** A last message of the assistant may not end in white space. */
function endOf(list: readonly PlainObject[], pen: Pen): End | undefined {
  const last = list.at(-1)
  if (last?.['role'] !== 'assistant') return undefined
  const trimmed = withTrimmedEnd(last, pen)
  return trimmed === last ? undefined : { drop: 1, put: [pen.like(trimmed, last)] }
}

function withTrimmedEnd(message: PlainObject, pen: Pen): PlainObject {
  const { content } = message
  if (typeof content === 'string') {
    return content === content.trimEnd() ? message : inOrder({ role: 'assistant', content: content.trimEnd() })
  }
  const blocks = blocksIn(message)
  const last = blocks.at(-1)
  const text = last?.['text']
  if (last === undefined || typeof text !== 'string' || text === text.trimEnd()) return message
  const trimmed = pen.like(inOrder({ type: 'text', text: text.trimEnd() }, last), last)
  return inOrder({ role: 'assistant', content: [...blocks.slice(0, -1), trimmed] })
}

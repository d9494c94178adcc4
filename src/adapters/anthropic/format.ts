// Claude's Messages API: system text beside the messages, call ids once, no half of a server tool, no white space at the end.

import type { NodeRecord } from '../../core/index.js'
import type { Message } from '../conversation/neutral.js'
import { inOrder, NO_KEYS, plainJson, type PlainObject, type PlainValue } from '../conversation/plain-json.js'
import type { Head, Pen, RequestFormat } from '../conversation/request-format.js'
import { ANTHROPIC_CACHE } from './cache.js'
import { blockOf } from './blocks.js'
import { blocksIn } from './made.js'
import { placed, raritiesIn } from './places.js'
import type { AnthropicOptions } from './types.js'
import { heldElement, isOwn, saysWithoutParts, writeMessages } from './write.js'

export const ANTHROPIC: RequestFormat<AnthropicOptions> = {
  name: 'anthropic',
  version: 1,
  list: 'messages',
  isBlank: (text) => text.trim() === '',
  saysWithoutParts,
  cache: ANTHROPIC_CACHE,
  write: writeMessages,
  look: raritiesIn,
  uniqueIds: callIdsIn,
  filler: (text) => inOrder({ role: 'user', content: text }),
  request: (system, list, pen, _options, pieces) => {
    if (!pen.repair) return systemKey(heldSystem(system, pen), undefined, pen)
    const blocks = system.flatMap((message) => systemBlocks(message, pen))
    const { changes, leading, system: kept } = placed(list, pieces, blocks, pen)
    if (kept.length + leading.length === 0) return { before: NO_KEYS, changed: changes }
    const [only] = system
    const isOneText = kept.length === 1 && leading.length === 0 && system.length === 1 && isBare(only!)
    const texts = [...kept, ...leading.flatMap(textBlocks)]
    const about = isOneText
      ? systemKey(kept[0]!['text'], only!.parts[0]!.record, pen)
      : systemKey(texts.length === 0 ? undefined : Object.freeze(texts), undefined, pen)
    return { ...about, changed: changes }
  },
}

function systemKey(system: PlainValue | undefined, owner: NodeRecord | undefined, pen: Pen): Head {
  const before: Record<string, PlainValue> = system === undefined ? {} : { system }
  return { before: owner === undefined ? before : pen.ownAt(before, 'system', owner) }
}

function callIdsIn(written: readonly PlainObject[]): readonly string[] {
  const ids: string[] = []
  for (let i = 0; i < written.length; i++) {
    const blocks = blocksIn(written[i]!)
    for (let at = 0; at < blocks.length; at++) {
      const { type, id } = blocks[at]!
      if (type === 'tool_use') ids.push(id as string)
    }
  }
  return ids
}

/** Whether a text came as one, or was written by hand as one. */
function isBare({ form, parts }: Message): boolean {
  const [only] = parts
  return (
    form !== 'list' && parts.length === 1 && only?.kind === 'text' && only.keys === undefined && only.raw === undefined
  )
}

/** The blocks of a system text; Claude has texts only there. */
function systemBlocks({ parts }: Message, pen: Pen): readonly PlainObject[] {
  return parts.flatMap((part): readonly PlainObject[] => {
    if (part.kind === 'text') return [blockOf(part, '', 'system', pen)].filter((block) => block !== undefined)
    const { record } = part
    pen.note('left-out', record, `${record.id} is left out: Claude's system text holds text only.`)
    return []
  })
}

function textBlocks(message: PlainObject): readonly PlainObject[] {
  const { content } = message
  if (typeof content === 'string') return [inOrder({ type: 'text', text: content })]
  return blocksIn(message).filter(({ type }) => type === 'text')
}

/** What stood beside the messages, as the tree holds it. */
function heldSystem(system: readonly Message[], pen: Pen): PlainValue | undefined {
  const [only] = system
  if (only === undefined) return undefined
  if (system.length === 1 && isOwn(only) && only.form !== 'list') return plainJson(only.record.content ?? '')
  if (system.length === 1 && !isOwn(only) && isBare(only)) return plainJson(only.record.content ?? '')
  return system.flatMap(({ parts }) => parts.flatMap((part) => heldElement(part, pen)))
}

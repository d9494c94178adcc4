// Messages as a bill sees them: which ones are equal, and how many tokens each part has. Texts are not kept, so a session of any length fits.

import { sha256Hex } from '../codec/index.js'
import { namesOfCall, type JsonValue } from '../core/index.js'

export type BlockKind = 'text' | 'call' | 'result' | 'thought'

/** One part of a message. `call` pairs a call with its result; `names` are those in the arguments of a call, or in the note of pruning. */
export type CostBlock = Readonly<{ kind: BlockKind; tokens: number; call?: string; names?: readonly string[] }>

export type CostRole = 'system' | 'user' | 'assistant' | 'tool'

export type CostMessage = Readonly<{
  /** Equal numbers mean equal contents. */
  id: number
  /** The `id` of the message that this is a form of; its own, if it is whole. */
  base: number
  role: CostRole
  tokens: number
  blocks: readonly CostBlock[]
  /** Milliseconds since 1970, if the recording has the time. */
  at?: number
}>

/** A message as it was read, with its texts. */
export type TextMessage = Readonly<{
  role: CostRole
  blocks: readonly Readonly<{ kind: BlockKind; text: string; call?: string; media?: number }>[]
  at?: number
}>

/** Tokens around each message, for its role; providers print 3 or 4. */
export const AROUND = 3

/** The messages of one session: counts each text once and numbers equal messages alike. */
export class Messages {
  readonly #count: (text: string) => number
  readonly #numbers = new Map<string, number>()
  readonly #tokens = new Map<string, number>()
  readonly #onText: ((block: CostBlock, text: string) => void) | undefined

  /** `onText` is called with the text of every block, for callers that need it later. */
  constructor(count: (text: string) => number, onText?: (block: CostBlock, text: string) => void) {
    this.#count = count
    this.#onText = onText
  }

  /** A message with its tokens. */
  of(message: TextMessage): CostMessage {
    const blocks = message.blocks.map(({ kind, text, call, media = 0 }): CostBlock => {
      const tokens = this.tokens(text) + media
      const names = kind === 'call' ? [...new Set(namesOfCall(argumentsIn(text)))] : []
      const block = {
        kind,
        tokens,
        ...(call === undefined ? {} : { call }),
        ...(names.length === 0 ? {} : { names }),
      }
      this.#onText?.(block, text)
      return block
    })
    const texts = message.blocks.map(({ kind, text, call = '' }) => [kind, call, text])
    return this.#made(message.role, blocks, JSON.stringify([message.role, texts]), message.at)
  }

  /** Another form of a message: some of its blocks, or other blocks in their place. `name` tells the forms apart. */
  form({ id, base, role, at }: CostMessage, blocks: readonly CostBlock[], name: string): CostMessage {
    return { ...this.#made(role, blocks, `${id} ${name}`, at), base }
  }

  tokens(text: string): number {
    const known = this.#tokens.get(text)
    if (known !== undefined) return known
    const tokens = this.#count(text)
    // Short texts come again (markers, shed results); long ones are told apart by their hash anyway.
    if (text.length < 200) this.#tokens.set(text, tokens)
    return tokens
  }

  #made(role: CostRole, blocks: readonly CostBlock[], key: string, at: number | undefined): CostMessage {
    const hash = key.length < 64 ? key : sha256Hex(key)
    const id = this.#numbers.get(hash) ?? this.#numbers.size
    this.#numbers.set(hash, id)
    const tokens = blocks.reduce((sum, block) => sum + block.tokens, AROUND)
    return { id, base: id, role, tokens, blocks, ...(at === undefined ? {} : { at }) }
  }
}

/** The arguments in the text of a call, which begins with the name of the tool. */
function argumentsIn(text: string): JsonValue {
  return { arguments: text.slice(text.indexOf(' ') + 1) }
}

/**
 * The number of leading messages that two requests share. A strategy may give the same list each time, changed from `kept` on; by default it has
 * only grown. Otherwise the lists are compared.
 */
export function commonRun(
  before: readonly CostMessage[],
  length: number,
  now: readonly CostMessage[],
  kept: number = length,
): number {
  const most = Math.min(length, now.length)
  if (before === now) return Math.min(most, kept)
  let same = 0
  while (same < most && before[same]!.id === now[same]!.id) same += 1
  return same
}

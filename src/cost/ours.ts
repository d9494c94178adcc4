// Our own policies as strategies: a real context with a real pruning policy, committed before every request. Its nodes hold numbers in place of texts,
// and its counter looks the tokens up, so that a session of any length is replayed without its texts.

import { createContext, type Context } from '../context/index.js'
import type { PrunePolicy } from '../commit/index.js'
import type { CostBlock, CostMessage, Messages } from './messages.js'
import type { Strategy } from './strategy.js'

export type OurPolicy = Omit<PrunePolicy, 'maxTokens'>

/** A context with `prune: { maxTokens: budget, ...policy }`. */
export function ours(name: string, policy: OurPolicy): Strategy {
  return {
    name,
    start: ({ budget, messages }) => {
      const replayed = new Replayed(budget, policy, messages)
      return (added) => ({ messages: replayed.next(added) })
    },
  }
}

const KINDS = { call: 'call', result: 'result', thought: 'reasoning', text: undefined } as const

class Replayed {
  readonly #context: Context
  readonly #messages: Messages
  /** Messages by number, and where each node came from. */
  readonly #all: CostMessage[] = []
  #clock = 0n

  constructor(budget: number, policy: OurPolicy, messages: Messages) {
    this.#messages = messages
    this.#context = createContext({
      prune: { ...policy, maxTokens: budget },
      countTokens: (text) => this.#tokens(text),
      clock: () => (this.#clock += 1n),
      history: 1,
    })
  }

  next(added: readonly CostMessage[]): readonly CostMessage[] {
    for (const message of added) this.#add(message)
    this.#context.commit()
    return this.#sent()
  }

  #add(message: CostMessage): void {
    const number = this.#all.push(message) - 1
    for (const [i, { kind, call }] of message.blocks.entries()) {
      const content = `${number}.${i}`
      const named = KINDS[kind]
      const header = {
        ...(named === undefined ? {} : { kind: named }),
        ...(call === undefined ? {} : { data_call_id: call }),
      }
      if (message.role === 'system') this.#context.system.add(content)
      else this.#context[message.role](content, header)
    }
  }

  /** The blocks of the newest snapshot, put together to the messages that they are parts of. */
  #sent(): readonly CostMessage[] {
    const sent: CostMessage[] = []
    let open: { number: number; blocks: CostBlock[]; name: string } | undefined
    const close = (): void => {
      if (open === undefined) return
      const message = this.#all[open.number]!
      const isWhole =
        open.blocks.length === message.blocks.length && open.blocks.every((block, i) => block === message.blocks[i])
      sent.push(isWhole ? message : this.#messages.form(message, open.blocks, open.name))
    }
    for (const { content } of this.#context.thread('@t0')) {
      const place = placeOf(content)
      if (place === undefined) continue
      if (open?.number !== place.number) {
        close()
        open = { number: place.number, blocks: [], name: '' }
      }
      open.blocks.push(this.#all[place.number]!.blocks[place.block]!)
      open.name += `.${place.block}`
    }
    close()
    return sent
  }

  #tokens(text: string): number {
    const place = placeOf(text)
    if (place === undefined) return this.#messages.tokens(text)
    const { blocks, tokens } = this.#all[place.number]!
    const around = place.block === 0 ? tokens - blocks.reduce((sum, block) => sum + block.tokens, 0) : 0
    return blocks[place.block]!.tokens + around
  }
}

function placeOf(content: unknown): Readonly<{ number: number; block: number }> | undefined {
  const found = typeof content === 'string' ? /^(\d+)\.(\d+)$/.exec(content) : null
  return found === null ? undefined : { number: Number(found[1]), block: Number(found[2]) }
}

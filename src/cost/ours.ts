// Our own policies as strategies: a real context with a real pruning policy, committed before every request. Its nodes hold numbers in place of texts,
// and calls their names, too. Its counter looks the tokens up, so that a session of any length is replayed without its texts.

import { createContext, type Context } from '../context/index.js'
import type { PrunePolicy } from '../commit/index.js'
import { AROUND, type CostBlock, type CostMessage, type Messages } from './messages.js'
import type { Outgoing, Strategy } from './strategy.js'

export type OurPolicy = Omit<PrunePolicy, 'maxTokens'>

/** A context with `prune: { maxTokens: budget, ...policy }`. */
export function ours(name: string, policy: OurPolicy): Strategy {
  return {
    name,
    start: ({ budget, messages }) => {
      const replayed = new Replayed(messages, { ...policy, maxTokens: budget })
      return (added) => ({ messages: replayed.next(added) })
    },
  }
}

export type OurCompaction = Readonly<{
  /** The newest steps that stay. */
  keep: number
  /** The share of the budget past which the context is compacted. */
  at: number
  /** The length of a summary as a share of the tokens that it stands for, and the largest length. */
  share?: number
  most?: number
}>

/** A context that is compacted past a share of the budget, with a request that is appended to the session. The text of a summary is simulated by its length. */
export function oursCompacted(name: string, { keep, at, share = 0.1, most = 1500 }: OurCompaction): Strategy {
  return {
    name,
    start: ({ budget, messages }) => {
      const replayed = new Replayed(messages)
      return (added) => {
        const sent = replayed.next(added)
        const total = sent.reduce((sum, { tokens }) => sum + tokens, 0)
        if (total <= at * budget) return { messages: sent }
        return replayed.compact(sent, keep, (tokens) => {
          // A compaction that frees little would come again at once.
          const isWorth = total > budget || tokens > total * WORTH
          return isWorth ? Math.min(most, Math.ceil(tokens * share)) : undefined
        })
      }
    },
  }
}

const WORTH = 0.3

const KINDS = { call: 'call', result: 'result', thought: 'reasoning', text: undefined } as const

class Replayed {
  readonly #context: Context
  readonly #messages: Messages
  /** Messages by number, and where each node came from. */
  readonly #all: CostMessage[] = []
  readonly #shedPlaces = new Map<string, BlockPlace>()
  readonly #prompt: CostMessage
  #clock = 0n
  #summaries = 0

  constructor(messages: Messages, prune?: PrunePolicy) {
    this.#messages = messages
    this.#prompt = messages.of({ role: 'user', blocks: [{ kind: 'text', text: 'Summarize the conversation so far.' }] })
    this.#context = createContext({
      ...(prune === undefined ? {} : { prune }),
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

  /** Compacts the context. `lengthFor` gives the length of a summary for the tokens that it replaces, or undefined to leave the context as it is. */
  compact(sent: readonly CostMessage[], keep: number, lengthFor: (tokens: number) => number | undefined): Outgoing {
    const plan = this.#context.planCompaction({ keep })
    const output = plan.nodes.length === 0 ? undefined : lengthFor(plan.tokens)
    if (output === undefined) return { messages: sent }
    this.#context.compact(plan, `~${++this.#summaries}:${output}~`, { intro: '' })
    this.#context.commit()
    return { messages: this.#sent(), side: { messages: [...sent, this.#prompt], output, isAppended: true } }
  }

  #add(message: CostMessage): void {
    const number = this.#all.push(message) - 1
    for (const [i, { kind, call, names }] of message.blocks.entries()) {
      const place = `${number}.${i}`
      const content = names === undefined ? place : [place, ...names]
      const named = KINDS[kind]
      const header = {
        ...(named === undefined ? {} : { kind: named }),
        ...(call === undefined ? {} : { data_call_id: call }),
      }
      if (message.role === 'system') this.#context.system.add(place)
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
    for (const { id, kind, content } of this.#context.thread('@t0')) {
      if (kind === 'pruned' && typeof content === 'string') {
        close()
        open = undefined
        sent.push(this.#note(content))
        continue
      }
      const length = lengthOf(content)
      if (length !== undefined) {
        close()
        open = undefined
        sent.push(this.#messages.form(this.#prompt, [{ kind: 'text', tokens: length }], content as string))
        continue
      }
      const whole = placeOf(content)
      const place = whole ?? this.#shed(id)
      if (open?.number !== place.number) {
        close()
        open = { number: place.number, blocks: [], name: '' }
      }
      const block = this.#all[place.number]!.blocks[place.block]!
      const line = whole === undefined && typeof content === 'string' ? content : undefined
      open.blocks.push(line === undefined ? block : { ...block, tokens: this.#messages.tokens(line) })
      open.name += line === undefined ? `.${place.block}` : `.${place.block} ${line}`
    }
    close()
    return sent
  }

  /** The note of pruning, which is before everything else of the history. */
  #note(line: string): CostMessage {
    const message = this.#messages.of({ role: 'user', blocks: [{ kind: 'text', text: line }] })
    return { ...message, blocks: message.blocks.map((block) => ({ ...block, names: [line] })) }
  }

  /** The place of a result that was shed: its node holds a line, and `recall` gives the original. */
  #shed(id: string): BlockPlace {
    let place = this.#shedPlaces.get(id)
    if (place === undefined) {
      this.#shedPlaces.set(id, (place = placeOf(this.#context.recall(id))!))
    }
    return place
  }

  #tokens(text: string): number {
    const length = lengthOf(text)
    if (length !== undefined) return length + AROUND
    const place = placeOf(text)
    if (place === undefined) return this.#messages.tokens(text) + AROUND
    return this.#all[place.number]!.blocks[place.block]!.tokens + (place.block === 0 ? AROUND : 0)
  }
}

/** The length of a summary. */
function lengthOf(content: unknown): number | undefined {
  const found = typeof content === 'string' ? /^~\d+:(\d+)~$/.exec(content) : null
  return found === null ? undefined : Number(found[1])
}

/** The number of a message and of a block in it. */
type BlockPlace = Readonly<{ number: number; block: number }>

function placeOf(content: unknown): BlockPlace | undefined {
  const said: unknown = Array.isArray(content) ? content[0] : content
  // A counter gets the JSON of a list.
  const found = typeof said === 'string' ? /^(?:\[")?(\d+)\.(\d+)(?:"|$)/.exec(said) : null
  return found === null ? undefined : { number: Number(found[1]), block: Number(found[2]) }
}

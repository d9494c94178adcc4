// Strategies: before each reply they get what was said since the request before, and give the messages that they would send.

import { faultOf } from './faults.js'
import type { CostBlock, CostMessage, Messages } from './messages.js'

/** A request besides those of the agent, such as one for a summary. */
export type SideRequest = Readonly<{
  messages: readonly CostMessage[]
  /** The tokens of the reply. */
  output: number
  /** The request begins as the agent's last one did, so it reads from its cache. Else it is billed as input that no cache holds. */
  isAppended: boolean
}>

export type Outgoing = Readonly<{
  messages: readonly CostMessage[]
  /** If the list is the one of the request before: how many messages at its beginning are as they were; by default all. */
  kept?: number
  side?: SideRequest
}>

export type Start = Readonly<{ budget: number; messages: Messages }>

export type Strategy = Readonly<{
  name: string
  start: (session: Start) => (added: readonly CostMessage[]) => Outgoing
}>

/** Sends everything, always. */
export const fullHistory: Strategy = {
  name: 'full history',
  start: () => {
    const messages: CostMessage[] = []
    return (added) => {
      messages.push(...added)
      return { messages }
    }
  },
}

/** Keeps the system text and as many of the newest messages as fit, at every request: the usual sliding window, as a plain loop. */
export const slidingWindow: Strategy = {
  name: 'sliding window (newest messages that fit)',
  start: ({ budget }) => {
    const history: CostMessage[] = []
    let from = 0
    let held = 0
    return (added) => {
      for (const message of added) {
        history.push(message)
        held += message.tokens
      }
      const head = history.findIndex(({ role }) => role !== 'system')
      from = Math.max(from, head < 0 ? 0 : head)
      for (; held > budget && from < history.length - 1; from++) held -= history[from]!.tokens
      return { messages: [...history.slice(0, Math.max(0, head)), ...history.slice(from)] }
    }
  },
}

const CLEARED = '[Old tool result content cleared]'

/** Claude's `clear_tool_uses` as it is documented: past the limit, all results but the newest ones are replaced by a line, again at every request. */
export function clearToolUses(keep: number): Strategy {
  return {
    name: `clear_tool_uses, keep ${keep} (simulated)`,
    start: ({ budget, messages }) => {
      const history: CostMessage[] = []
      const results: number[] = []
      let [total, cleared] = [0, 0]
      const clear = (at: number): void => {
        const message = history[at]!
        const blocks = message.blocks.map((block): CostBlock =>
          block.kind === 'result' ? { ...block, tokens: Math.min(block.tokens, messages.tokens(CLEARED)) } : block,
        )
        history[at] = messages.form(message, blocks, 'cleared')
      }
      return (added) => {
        for (const message of added) {
          if (message.blocks.some(({ kind }) => kind === 'result')) results.push(history.length)
          history.push(message)
          total += message.tokens
        }
        const kept = results[cleared]
        if (total <= budget || cleared >= results.length - keep) return { messages: history }
        for (; cleared < results.length - keep; cleared++) clear(results[cleared]!)
        return { messages: history, kept: kept! }
      }
    },
  }
}

export type SummaryOptions = Readonly<{
  /** The newest messages that stay. */
  keep: number
  /** The length of a summary as a share of the tokens that it stands for. */
  share?: number
  /** The largest length, in tokens. */
  most?: number
  isAppended: boolean
}>

/** Past the limit, all but the newest messages become one summary, whose text is simulated by its length. */
export function summarise({ keep, share = 0.1, most = 1500, isAppended }: SummaryOptions): Strategy {
  return {
    name: `summarise, keep ${keep}, ${isAppended ? 'appended to the session' : 'own request'} (simulated)`,
    start: ({ budget, messages }) => {
      const history: CostMessage[] = []
      let [total, summaries] = [0, 0]
      const prompt = messages.of({
        role: 'user',
        blocks: [{ kind: 'text', text: 'Summarize the conversation so far.' }],
      })
      return (added) => {
        history.push(...added)
        total += added.reduce((sum, { tokens }) => sum + tokens, 0)
        if (total <= budget) return { messages: history.slice() }
        const first = Math.max(
          0,
          history.findIndex(({ role }) => role !== 'system'),
        )
        const cut = cutBefore(history, Math.max(first, history.length - keep))
        if (cut <= first) return { messages: history.slice() }
        const old = history.slice(first, cut).reduce((sum, { tokens }) => sum + tokens, 0)
        const length = Math.min(most, Math.ceil(old * share))
        const block: CostBlock = { kind: 'text', tokens: length }
        const summary = messages.form(prompt, [block], `summary ${(summaries += 1)}`)
        const asked = isAppended ? history.slice() : history.slice(0, cut)
        history.splice(first, cut - first, summary)
        total = history.reduce((sum, { tokens }) => sum + tokens, 0)
        return { messages: history.slice(), side: { messages: [...asked, prompt], output: length, isAppended } }
      }
    },
  }
}

/** The last place, at or before one, where a history can be cut: what follows a summary there is a request that providers take. */
function cutBefore(history: readonly CostMessage[], at: number): number {
  for (let cut = at; cut > 0; cut--) {
    const rest = history.slice(cut)
    if (rest[0]?.role === 'assistant' && faultOf([ASKED, ...rest]) === undefined) return cut
    if (rest[0]?.role === 'user' && faultOf(rest) === undefined) return cut
  }
  return 0
}

const ASKED: CostMessage = { id: -1, base: -1, role: 'user', tokens: 0, blocks: [{ kind: 'text', tokens: 0 }] }

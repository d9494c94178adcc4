// Peers that people use today, as they come from npm. Each gets messages in its own form, and what it gives is mapped back by reference, so that every
// strategy is billed for the same texts.

import { loadPeer } from '../peers.mjs'

/**
 * The strategies of peers that run on this machine: each as its documentation has it, and at the best setting of those that `--search` tries. A
 * strategy of a peer is async: `(session) => (added) => promise of messages`.
 */
export async function peerStrategies(isSearch = false) {
  const langchain = await loadPeer(() => import('@langchain/core/messages'))
  const ai = await loadPeer(() => import('ai'))
  return [
    ...(langchain === undefined ? [] : langchainStrategies(langchain, isSearch)),
    ...(ai === undefined ? [] : aiSdkStrategies(ai, isSearch)),
  ]
}

function langchainStrategies(langchain, isSearch) {
  const { trimMessages } = langchain
  /** `to`: only over budget, down to this share of it, and what was trimmed stays away. Without it, every request is trimmed to the budget. */
  const strategy = (name, options, to) => ({
    name,
    peer: '@langchain/core',
    start: (session) => {
      let history = []
      // It copies messages, and keeps their ids.
      const sources = new Map()
      return async (added) => {
        for (const message of added) {
          const id = String(sources.size)
          sources.set(id, message)
          history.push(toLangChain(langchain, session, message, id))
        }
        const tokenCounter = (list) => list.reduce((sum, { id }) => sum + sources.get(id).tokens, 0)
        const back = (list) => list.map(({ id }) => sources.get(id))
        if (to !== undefined && tokenCounter(history) <= session.budget) return back(history)
        const maxTokens = Math.round(session.budget * (to ?? 1))
        const kept = await trimMessages(history, {
          strategy: 'last',
          includeSystem: true,
          maxTokens,
          tokenCounter,
          ...options,
        })
        // Where not even the system text fits, it gives a list with undefined in it.
        const trimmed = kept.filter((each) => each !== undefined)
        if (to !== undefined) history = trimmed
        return back(trimmed)
      }
    },
  })
  const human = { startOn: 'human' }
  const over = (to, options, name) => strategy(`LangChain \`trimMessages\`, ${name}over budget, to ${to}`, options, to)
  const shares = [1, 0.6, 0.3, 0.2, 0.1]
  return [
    strategy('LangChain `trimMessages`, `last`', {}),
    strategy("LangChain `trimMessages`, `startOn: 'human'`", human),
    ...(isSearch ? shares : [BEST_SHARE]).map((to) => over(to, human, "`startOn: 'human'`, ")),
    ...(isSearch ? shares.map((to) => over(to, {}, '')) : []),
  ]
}

/** The least cost on pi-mono of the settings with nothing invalid, nothing over budget, and nine tenths of the ids. */
const BEST_SHARE = 0.2

function toLangChain({ SystemMessage, HumanMessage, AIMessage, ToolMessage }, { texts }, { role, blocks }, id) {
  const content = blocks
    .filter(({ kind }) => kind !== 'call')
    .map((block) => texts.get(block))
    .join('\n')
  if (role === 'system') return new SystemMessage({ content, id })
  if (role === 'user') return new HumanMessage({ content, id })
  if (role === 'tool') return new ToolMessage({ content, id, tool_call_id: blocks[0].call })
  const calls = blocks.filter(({ kind }) => kind === 'call')
  return new AIMessage({
    content,
    id,
    tool_calls: calls.map(({ call }) => ({ id: call, name: 'tool', args: {}, type: 'tool_call' })),
  })
}

function aiSdkStrategies({ pruneMessages }, isSearch) {
  const strategy = (name, options, isAlways) => ({
    name,
    peer: 'ai',
    start: (session) => {
      let history = []
      const blocksOfParts = new Map()
      const back = (message) => {
        const { source, content } = message
        const blocks = content.map((part) => blocksOfParts.get(part))
        const places = blocks.map((block) => source.blocks.indexOf(block)).join()
        return blocks.length === source.blocks.length ? source : session.messages.form(source, blocks, `only ${places}`)
      }
      return async (added) => {
        history.push(...added.map((message) => toAiSdk(session, message, blocksOfParts)))
        const isOver = history.map(back).reduce((sum, { tokens }) => sum + tokens, 0) > session.budget
        if (isAlways) return pruneMessages({ messages: history, ...options }).map(back)
        if (isOver) history = pruneMessages({ messages: history, ...options })
        return history.map(back)
      }
    },
  })
  const documented = { reasoning: 'before-last-message', toolCalls: 'before-last-2-messages', emptyMessages: 'remove' }
  return [
    strategy('AI SDK `pruneMessages`, every request, last 2', documented, true),
    ...(isSearch ? [2, 4, 6, 10, 20, 40] : [BEST_LAST]).map((last) =>
      strategy(
        `AI SDK \`pruneMessages\`, over budget, last ${last}`,
        { toolCalls: `before-last-${last}-messages`, emptyMessages: 'remove' },
        false,
      ),
    ),
  ]
}

const BEST_LAST = 2

function toAiSdk({ texts }, source, blocksOfParts) {
  const content = source.blocks.map((block) => {
    const text = texts.get(block)
    const part =
      block.kind === 'call'
        ? { type: 'tool-call', toolCallId: block.call, toolName: 'tool', input: {} }
        : block.kind === 'result'
          ? { type: 'tool-result', toolCallId: block.call, toolName: 'tool', output: { type: 'text', value: text } }
          : { type: block.kind === 'thought' ? 'reasoning' : 'text', text }
    blocksOfParts.set(part, block)
    return part
  })
  return { role: source.role, content, source }
}

// Peers that people use today, as they come from npm. Each gets messages in its own form, and what it gives is mapped back by reference, so that every
// strategy is billed for the same texts.

import { loadPeer } from '../peers.mjs'

/** The strategies of peers that run on this machine. A strategy of a peer is async: `(session) => (added) => promise of messages`. */
export async function peerStrategies() {
  const langchain = await loadPeer(() => import('@langchain/core/messages'))
  const ai = await loadPeer(() => import('ai'))
  return [
    ...(langchain === undefined ? [] : langchainStrategies(langchain)),
    ...(ai === undefined ? [] : aiSdkStrategies(ai)),
  ]
}

function langchainStrategies(langchain) {
  const { trimMessages } = langchain
  const strategy = (name, options) => ({
    name,
    peer: '@langchain/core',
    start: (session) => {
      const history = []
      // It copies messages, and keeps their ids.
      const sources = new Map()
      return async (added) => {
        for (const message of added) {
          const id = String(history.length)
          sources.set(id, message)
          history.push(toLangChain(langchain, session, message, id))
        }
        const tokenCounter = (list) => list.reduce((sum, { id }) => sum + sources.get(id).tokens, 0)
        const kept = await trimMessages(history, {
          maxTokens: session.budget,
          strategy: 'last',
          tokenCounter,
          ...options,
        })
        // Where not even the system text fits, it gives a list with undefined in it.
        return kept.filter((each) => each !== undefined).map(({ id }) => sources.get(id))
      }
    },
  })
  return [
    strategy('LangChain `trimMessages`, `last`', { includeSystem: true }),
    strategy("LangChain `trimMessages`, `startOn: 'human'`", { includeSystem: true, startOn: 'human' }),
  ]
}

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

function aiSdkStrategies({ pruneMessages }) {
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
    strategy(
      'AI SDK `pruneMessages`, over budget, last 6',
      { toolCalls: 'before-last-6-messages', emptyMessages: 'remove' },
      false,
    ),
  ]
}

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

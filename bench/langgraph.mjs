// LangGraph as a peer: the smallest graph its documentation shows (messages, one model node, MemorySaver). The model is
// a function that answers at once, so that what is timed is the keeping of state.

import { assertWork } from './harness.mjs'
import { loadPeer, peerName } from './peers.mjs'
import { makeText } from './turns.mjs'

export const LANGGRAPH = `${peerName('@langchain/langgraph').replace('@langchain/langgraph', 'LangGraph')}, MemorySaver`

/** A conversation that starts with `seeded` messages and grows by one call of `invoke` per turn, or by many steps. */
export async function openLangGraph(seeded) {
  const [langgraph, messages] = [
    await loadPeer(() => import('@langchain/langgraph')),
    await loadPeer(() => import('@langchain/core/messages')),
  ]
  if (!langgraph || !messages) return undefined
  const { StateGraph, MessagesAnnotation, MemorySaver, START, END } = langgraph
  const { HumanMessage, AIMessage } = messages

  let wanted = 0
  const checkpoints = new Map()
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('model', (state) => ({ messages: [new AIMessage(makeText(state.messages.length, 2))] }))
    .addEdge(START, 'model')
    .addConditionalEdges('model', (state) => (state.messages.length < wanted ? 'model' : END))
    .compile({ checkpointer: new MemorySaver() })
  const config = { configurable: { thread_id: 'bench' }, recursionLimit: 10_000 }
  await graph.invoke({ messages: Array.from({ length: seeded }, (_, i) => new HumanMessage(makeText(i, 1))) }, config)

  return {
    /** One turn: a user message goes in, the model's answer is kept; state is read and checkpoints are written. */
    turn: async () => {
      const { messages: kept } = await graph.invoke({ messages: [new HumanMessage(makeText(0, 1))] }, config)
      assertWork(kept.at(-1).content.length === 100 && kept.length >= seeded + 2, 'LangGraph kept the new messages')
    },
    /** Goes on step by step, one message and one checkpoint each, until there are `total` messages. */
    async stepUntil(total) {
      wanted = total
      for await (const state of await graph.stream({ messages: [] }, { ...config, streamMode: 'checkpoints' })) {
        // Its id is the documented key by which a state can be had back.
        checkpoints.set(state.values.messages.length, state.config.configurable.checkpoint_id)
      }
      wanted = 0
      assertWork(checkpoints.has(total), `LangGraph took its steps to ${total} messages`)
    },
    /** Whether there is a checkpoint of the time when there were `count` messages. */
    has: (count) => checkpoints.has(count),
    /** The state when there were `count` messages. */
    async goBack(count) {
      const { thread_id } = config.configurable
      const state = await graph.getState({ configurable: { thread_id, checkpoint_id: checkpoints.get(count) } })
      assertWork(state.values.messages.length === count, `LangGraph went back to ${count} messages`)
    },
  }
}

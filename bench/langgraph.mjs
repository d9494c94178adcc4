// LangGraph as a peer. To go back it needs a past, made by the smallest graph its documentation shows (messages, one model
// node, MemorySaver). For a commit its saver is called by itself: the graph engine around it is not the keeping of state.

import { assertWork } from './harness.mjs'
import { loadPeer, peerName } from './peers.mjs'
import { makeText } from './turns.mjs'

export const LANGGRAPH = `${peerName('@langchain/langgraph').replace('@langchain/langgraph', 'LangGraph')}, MemorySaver`

/** A conversation that starts with `seeded` messages and grows step by step. */
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
      return state.values.messages
    },
  }
}

/** The saver and the reducer of messages alone: a step is `size` messages more and one checkpoint. */
export async function openSaver(seeded, size = 2, makeSaver) {
  const [langgraph, messages] = [
    await loadPeer(() => import('@langchain/langgraph')),
    await loadPeer(() => import('@langchain/core/messages')),
  ]
  if (!langgraph || !messages) return undefined
  const { MemorySaver, emptyCheckpoint, messagesStateReducer } = langgraph
  const { HumanMessage, AIMessage } = messages
  const saver = makeSaver === undefined ? new MemorySaver() : makeSaver()
  let kept = messagesStateReducer(
    [],
    Array.from({ length: seeded }, (_, i) => new HumanMessage(makeText(i, 1))),
  )
  let config = { configurable: { thread_id: 'bench', checkpoint_ns: '' } }
  let step = 0
  return async () => {
    const said = [new HumanMessage(makeText(step, 1)), new AIMessage(makeText(step, 2))].slice(0, size)
    kept = messagesStateReducer(kept, said)
    const checkpoint = { ...emptyCheckpoint(), channel_values: { messages: kept } }
    config = await saver.put(config, checkpoint, { source: 'loop', step: step++, parents: {} })
    assertWork(kept.length === seeded + size * step && config.configurable.checkpoint_id !== undefined, 'it is saved')
  }
}

/**
 * LangGraph's saver for SQLite, on a database of the driver that ours has: its own one would have to be compiled, and the
 * same engine under both leaves what each of them does with it. Undefined where it is not installed.
 */
export async function loadSqliteSaver() {
  const module = await loadPeer(() => import('@langchain/langgraph-checkpoint-sqlite'))
  return module && ((db) => new module.SqliteSaver(asBetterSqlite(db)))
}

/** What the saver calls of better-sqlite3. */
function asBetterSqlite(db) {
  return {
    pragma: (text) => db.exec(`PRAGMA ${text}`),
    exec: (sql) => db.exec(sql),
    prepare: (sql) => {
      const statement = db.prepare(sql)
      const given = (values) => values.map((value) => value ?? null)
      return {
        run: (...values) => statement.run(...given(values)),
        get: (...values) => statement.get(...given(values)),
        all: (...values) => statement.all(...given(values)),
      }
    },
  }
}

// LangGraph as a peer. Its saver is called directly, without the graph engine around it, which does not keep state.

import { assertWork } from './harness.mjs'
import { loadPeer } from './peers.mjs'
import { makeText } from './turns.mjs'

/** A saver and the reducer of messages: a step adds `size` messages, and puts the checkpoint and the writes of its task. */
export async function openSaver(seeded, size, makeSaver) {
  const [langgraph, messages] = [
    await loadPeer(() => import('@langchain/langgraph')),
    await loadPeer(() => import('@langchain/core/messages')),
  ]
  if (!langgraph || !messages) return undefined
  const { emptyCheckpoint, messagesStateReducer } = langgraph
  const { HumanMessage, AIMessage } = messages
  const saver = makeSaver()
  let kept = messagesStateReducer(
    [],
    Array.from({ length: seeded }, (_, i) => new HumanMessage(makeText(i, 1))),
  )
  let config = { configurable: { thread_id: 'bench', checkpoint_ns: '' } }
  let step = 0
  return async () => {
    const said = [new HumanMessage(makeText(step, 1)), new AIMessage(makeText(step, 2))].slice(0, size)
    kept = messagesStateReducer(kept, said)
    const versions = { messages: step + 1 }
    const checkpoint = { ...emptyCheckpoint(), channel_values: { messages: kept }, channel_versions: versions }
    if (step > 0) await saver.putWrites(config, [['messages', said]], 'task')
    config = await saver.put(config, checkpoint, { source: 'loop', step: step++, parents: {} }, versions)
    assertWork(kept.length === seeded + size * step && config.configurable.checkpoint_id !== undefined, 'it is saved')
  }
}

/** Our saver, on a store. */
export async function loadPactSaver() {
  const { PactSaver } = await import('../dist/langgraph/index.js')
  return (store) => new PactSaver(store)
}

/**
 * LangGraph's saver for SQLite, on our driver: its own driver would have to be compiled, and the same engine makes both comparable. Undefined
 * if it is not installed.
 */
export async function loadSqliteSaver() {
  const module = await loadPeer(() => import('@langchain/langgraph-checkpoint-sqlite'))
  return module && ((db) => new module.SqliteSaver(asBetterSqlite(db)))
}

/** The calls of better-sqlite3 that the saver uses. */
function asBetterSqlite(db) {
  return {
    pragma: (text) => db.exec(`PRAGMA ${text}`),
    exec: (sql) => db.exec(sql),
    transaction: (work) => (rows) => {
      db.exec('BEGIN')
      work(rows)
      db.exec('COMMIT')
    },
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

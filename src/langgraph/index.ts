// LangGraph on a store: a checkpointer whose threads are contexts, and a long-term memory.

export { PactMemory } from './memory.js'
export { PactSaver, type PactSaverOptions } from './saver.js'

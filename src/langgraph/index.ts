// LangGraph on a store: a checkpointer whose threads are contexts.

export { PactSaver, type PactSaverOptions } from './saver.js'

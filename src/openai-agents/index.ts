// `pact-context/openai-agents`: a session of the OpenAI Agents SDK in a store.

export {
  createSession,
  type Compaction,
  type CompactionInput,
  type SessionOptions,
  type StoreSession,
} from './session.js'

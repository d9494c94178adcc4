// `pact-context/claude-agent-sdk`: transcripts of the Claude Agent SDK in a store.

export {
  createSessionStore,
  type ClaudeSessionStore,
  type SessionEntry,
  type SessionKey,
  type SessionStoreOptions,
  type SessionSummary,
} from './session-store.js'

// An MCP server over a store: contexts for agents.

export { createMcpServer, type McpOptions, type PactMcpServer } from './server.js'

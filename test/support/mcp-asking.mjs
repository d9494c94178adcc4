// An MCP server over stdio whose own tools ask the client: for a completion of its model, and for input of its user.
// node test/support/mcp-asking.mjs

// Clients of the 2025 era are asked by calls that are deprecated since 2026.
/* oxlint-disable typescript/no-deprecated */

import { createMcpServer } from '../../dist/mcp/index.js'
import { openStore } from '../../dist/store/index.js'

/** @param {unknown} value */
const answer = (value) => ({ content: [{ type: /** @type {const} */ ('text'), text: JSON.stringify(value) }] })
/** @type {import('@modelcontextprotocol/server').CreateMessageRequest['params']} */
const SAMPLE = { messages: [{ role: 'user', content: { type: 'text', text: 'A city?' } }], maxTokens: 10 }
/** @type {import('@modelcontextprotocol/server').ElicitRequestFormParams} */
const FORM = {
  message: 'Where?',
  requestedSchema: {
    type: 'object',
    properties: { city: { type: 'string', default: 'Turin', enum: ['Turin', 'Rome'] } },
  },
}

const mcp = createMcpServer(await openStore('memory:'), {
  extend: (server) => {
    server.registerTool('sample', { description: 'Asks the model.' }, async (ctx) =>
      answer(await ctx.mcpReq.requestSampling(SAMPLE)),
    )
    server.registerTool('elicit', { description: 'Asks the user.' }, async (ctx) =>
      answer(await ctx.mcpReq.elicitInput(FORM)),
    )
  },
})
await mcp.stdio()

// Writes through an integration until it is killed. What was acknowledged is printed, line by line.
// node test/support/killed-writer.mjs INTEGRATION ADDRESS NAME

import { openStore } from '../../dist/store/index.js'

const [integration = '', address = '', name = ''] = process.argv.slice(2)
const store = await openStore(address, { durability: 'relaxed' })

/** @param {string[]} a @param {string[]} b */
const both = (a, b) => [...a, ...b]

/** @type {Readonly<Record<string, () => Promise<(said: string, n: number) => Promise<unknown>>>>} */
const WRITERS = {
  'claude-agent-sdk': async () => {
    const { createSessionStore } = await import('../../dist/claude-agent-sdk/index.js')
    const sessions = createSessionStore(store)
    const key = { projectKey: 'p', sessionId: 'shared' }
    return async (said, n) => {
      const batch = [said, `${said} again`].map((uuid) => ({
        type: 'user',
        uuid,
        message: { role: 'user', content: uuid },
      }))
      await sessions.append(key, batch)
      // The SDK tries again if it has no answer in time.
      if (n % 3 === 0) await sessions.append(key, batch)
    }
  },
  langgraph: async () => {
    const { Annotation, END, START, StateGraph } = await import('@langchain/langgraph')
    const { PactSaver } = await import('../../dist/langgraph/index.js')
    const State = Annotation.Root({
      log: Annotation({ reducer: both, default: () => /** @type {string[]} */ ([]) }),
    })
    const graph = new StateGraph(State)
      .addNode('answer', ({ log }) => ({ log: [`${log.at(-1)} answered`] }))
      .addEdge(START, 'answer')
      .addEdge('answer', END)
      .compile({ checkpointer: new PactSaver(store) })
    const config = { configurable: { thread_id: name }, durability: /** @type {const} */ ('sync') }
    return (said) => graph.invoke({ log: [said] }, config)
  },
  'ai-sdk': async () => {
    const { loadChat, saveChat } = await import('../../dist/adapters/ai-sdk/index.js')
    return async (said) => {
      const messages = /** @type {const} */ (['user', 'assistant']).map((role) => ({
        id: `${role} ${said}`,
        role,
        parts: [{ type: 'text', text: said }],
      }))
      await saveChat(store, { chatId: 'shared', messages: [...(await loadChat(store, 'shared')), ...messages] })
    }
  },
  mcp: async () => {
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
    const { createMcpServer } = await import('../../dist/mcp/index.js')
    const mcp = createMcpServer(store, { write: true })
    const { url } = await mcp.listen()
    const client = new Client({ name, version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
    const headers = { authorization: `Bearer ${mcp.token}` }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }))
    await store.open('shared')
    let base = 0
    return async (content) => {
      for (;;) {
        const input = { id: 'shared', base, role: 'user', content }
        const { isError, structuredContent } = await client.callTool({ name: 'add', arguments: input })
        const { details, answer } = /** @type {any} */ (structuredContent)
        base = isError ? details.head : answer.cycle
        if (!isError) return
      }
    }
  },
}

const write = await /** @type {NonNullable<(typeof WRITERS)[string]>} */ (WRITERS[integration])()
for (let n = 0; n < 10_000; n++) {
  const said = `${name} ${n}`
  await write(said, n)
  process.stdout.write(`${said}\n`)
}

// The servers of `pctx serve` and `pctx mcp`. This file is no part of the bundle, since it serves pages next to its own files. So it opens the store itself,
// with the library as it was compiled.

import { defined } from '../core/index.js'
import { PactError } from '../errors/index.js'
import type { createMcpServer } from '../mcp/index.js'
import { createServer, type Listening } from '../server/index.js'
import { openAt } from './open-store.js'

export type ServingOptions = Readonly<{
  host?: string | undefined
  port: number
  token?: string | undefined
  readOnly: boolean
  /** Megabytes of contexts that are kept open. */
  cache?: number | undefined
}>

/** Serves the store of an address; `close` ends the server, and then the store. */
export async function serveStore(address: string, options: ServingOptions): Promise<Listening> {
  const { host, port, token, readOnly, cache } = options
  const limits = cache === undefined ? {} : { cacheBytes: cache * 2 ** 20 }
  const store = await openAt(address, readOnly ? 'read' : 'make')
  try {
    const server = createServer({ store, readOnly, limits, ...(token === undefined ? {} : { token }) })
    const listening = await server.listen({ port, ...(host === undefined ? {} : { host }) })
    const close = async (): Promise<void> => {
      await listening.close()
      await store.close()
    }
    return { url: listening.url, link: listening.link, close }
  } catch (error) {
    await store.close()
    throw error
  }
}

export type McpServing = Readonly<{
  /** Undefined for stdin and stdout. */
  port: number | undefined
  host?: string | undefined
  token?: string | undefined
  write: boolean
  allow: readonly 'redact'[]
}>

/** Serves the store of an address to agents. Over HTTP the result has the URL and the token. */
export async function serveMcp(
  address: string,
  { port, host, token, write, allow }: McpServing,
): Promise<Readonly<{ url?: string; token?: string; close: () => Promise<void> }>> {
  const mcpRoom = await loadMcp()
  const store = await openAt(address, write ? 'make' : 'read')
  try {
    const mcp = mcpRoom.createMcpServer(store, { write, allow, ...(token === undefined ? {} : { token }) })
    const listening = port === undefined ? undefined : await mcp.listen(defined({ port, host }))
    const serving = listening ?? (await mcp.stdio())
    const close = async (): Promise<void> => {
      await serving.close()
      await store.close()
    }
    return listening === undefined ? { close } : { url: `${listening.url}/mcp`, token: mcp.token, close }
  } catch (error) {
    await store.close()
    throw error
  }
}

async function loadMcp(): Promise<{ createMcpServer: typeof createMcpServer }> {
  try {
    return await import('../mcp/index.js')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause
    const message = 'pctx mcp needs a package that is not installed: npm install @modelcontextprotocol/server'
    throw new PactError('E_STORE', message, { reason: 'no-driver', outcome: 'failed' }, { cause })
  }
}

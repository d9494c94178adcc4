// The servers of `pctx serve`, `pctx open` and `pctx mcp`, in a file of their own: no other command needs them.

import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

import { importFile, type ImportedFile, type PortableConversation } from '../commands/index.js'
import { defined } from '../core/index.js'
import { PactError } from '../errors/index.js'
import type { createMcpServer } from '../mcp/index.js'
import { createServer, type Listening } from '../server/index.js'
import type { Store } from '../store/index.js'
import { openAt } from './open-store.js'

export type ServingOptions = Readonly<{
  host?: string | undefined
  port: number
  token?: string | undefined
  readOnly: boolean
  /** Megabytes of contexts that are kept open. */
  cache?: number | undefined
}>

/** A file to read, and the id of a conversation in it that has none. */
export type NamedFile = Readonly<{ name: string; chunks: AsyncIterable<Uint8Array> }>

/** Serves the store of an address; `close` ends the server, and then the store. */
export async function serveStore(address: string, options: ServingOptions): Promise<Listening> {
  return serve(await openAt(address, options.readOnly ? 'read' : 'make'), options)
}

/** Serves the conversations of files from a store in memory, which nothing outlives. */
export async function serveFiles(
  files: readonly NamedFile[],
  { signal, port }: Readonly<{ signal: AbortSignal; port: number }>,
): Promise<Readonly<{ results: readonly ImportedFile[]; serve: () => Promise<Listening> }>> {
  const store = await openAt('memory:', 'make')
  const results: ImportedFile[] = []
  for (const file of files) results.push(await importFile(store, file, { signal }))
  return { results, serve: () => serve(store, { port, readOnly: false }) }
}

/** Also from the sources, the built pages are in dist. */
const BUILT = new URL('../../dist/', import.meta.url)

/** The inspector with conversations in it, as one page. Its policy allows its own scripts, by their hashes, and no request. */
export function pageOf(conversations: readonly PortableConversation[]): string {
  const folder = new URL('inspector/', BUILT)
  const text = (file: string): string => fs.readFileSync(new URL(file, folder), 'utf8')
  const assets = fs.readdirSync(new URL('assets/', folder)).map((file) => `assets/${file}`)
  const only = (ending: string): string =>
    assets
      .filter((file) => file.endsWith(ending))
      .map(text)
      .join('\n')
  const engine = brotliDecompressSync(fs.readFileSync(new URL('offline/page.js.br', BUILT))).toString()
  const scripts = [engine, only('.js')].map(insideScript)
  const style = only('.css')
  const policy = [
    "default-src 'none'",
    `script-src ${scripts.map(hashOf).join(' ')}`,
    `style-src ${hashOf(style)}`,
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const [before = '', after = ''] = text('index.html')
    .replace(/<(?:script|link rel="stylesheet")[^>]*>(?:<\/script>)?\s*/g, '')
    .split('</head>')
  const data = JSON.stringify(conversations).replaceAll('<', '\\u003c')
  return [
    before.replace('<head>', () => `<head>\n<meta http-equiv="Content-Security-Policy" content="${policy}" />`),
    `<style>${style}</style>\n</head>`,
    after.replace('<body>', () => {
      const parts = [`<script type="application/json" id="pact-conversations">${data}</script>`]
      return `<body>\n${[...parts, ...scripts.map((each) => `<script type="module">${each}</script>`)].join('\n')}`
    }),
  ].join('')
}

/** Inside a script, these two would end it or begin a comment. */
function insideScript(code: string): string {
  return code.replace(/<(?=\/script|!--|script)/gi, '\\x3c')
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

async function serve(store: Store, { host, port, token, readOnly, cache }: ServingOptions): Promise<Listening> {
  const limits = cache === undefined ? {} : { cacheBytes: cache * 2 ** 20 }
  try {
    const server = createServer({ store, readOnly, limits, ...(token === undefined ? {} : { token }) })
    const listening = await server.listen({ port, ...(host === undefined ? {} : { host }) })
    const close = async (): Promise<void> => {
      await listening.close()
      await store.close()
    }
    return { ...listening, close }
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

// A server over a store in memory, for tests: asked directly, or over a socket. Every answer must be what the OpenAPI document says.

import { createClient, type Client } from 'pact-context/client'
import { createServer, type Server, type ServerOptions } from 'pact-context/server'
import { openStore, type Store } from 'pact-context/store'
import { agreeing } from './openapi.js'

export type Served = Readonly<{
  store: Store
  server: Server
  client: Client
  /** Asks with the token; `body` is sent as JSON. */
  ask: (method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Response>
}>

export async function served(options: Partial<ServerOptions> = {}): Promise<Served> {
  const store = options.store ?? (await openStore('memory:'))
  const made = createServer({ store, ...options })
  const server: Server = { ...made, fetch: agreeing(made.fetch) }
  const client = createClient({ url: 'http://127.0.0.1', token: server.token, fetch: server.fetch })
  const ask: Served['ask'] = (method, path, body, headers = {}) =>
    server.fetch(
      new Request(`http://127.0.0.1${path}`, {
        method,
        headers: {
          host: '127.0.0.1',
          authorization: `Bearer ${server.token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    )
  return { store, server, client, ask }
}

/** A context with a few turns: a system prompt, a call with its result, something that expires. */
export async function aConversation({ client }: Pick<Served, 'client'>, id = 'support-42', turns = 4): Promise<void> {
  const ctx = await client.create(id)
  ctx.system.add('You are a helpful assistant.')
  for (let turn = 1; turn <= turns; turn++) {
    ctx.user(`Question ${turn}`)
    ctx.assistant({ name: 'search', arguments: { q: `topic ${turn}` } }, { kind: 'call', data_call_id: `call-${turn}` })
    ctx.tool(`Found ${turn}`, { kind: 'result', data_call_id: `call-${turn}` })
    ctx.assistant(`Answer ${turn}`, { tags: ['said'] })
    ctx.post(`Doc ${turn}`, { key: 'kb', ttl: 2 })
    await ctx.commit()
  }
}

export async function bodyOf<T = Record<string, unknown>>(response: Response): Promise<T> {
  return (await response.json()) as T
}

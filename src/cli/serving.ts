// The server of `pctx serve`. It is no part of the bundle, since it serves pages next to its own files. So it opens the store itself,
// with the library as it was compiled.

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

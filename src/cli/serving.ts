// The server of `pctx serve`. It is no part of the bundle: it serves pages that lie beside its own files, so it opens the store itself,
// with the library as it was compiled.

import { createServer, type Listening } from '../server/index.js'
import { openAt } from './open-store.js'

export type ServingOptions = Readonly<{
  host?: string | undefined
  port: number
  token?: string | undefined
  readOnly: boolean
}>

/** Serves the store of an address; `close` ends the server, and then the store. */
export async function serveStore(address: string, options: ServingOptions): Promise<Listening> {
  const { host, port, token, readOnly } = options
  const store = await openAt(address, !readOnly)
  try {
    const server = createServer({ store, readOnly, ...(token === undefined ? {} : { token }) })
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

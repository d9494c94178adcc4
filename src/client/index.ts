// The client of a server, the door of the room and the subpath `pact-context/client`; it also runs in a browser.

export { createClient, Client } from './client.js'
export type { ClientOptions } from '../api/index.js'
export { RemoteContext, type Page } from './remote-context.js'

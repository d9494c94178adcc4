// The client of a server, the door of the room and the subpath `pact-context/client`; it runs in a browser, too.

export { createClient, Client } from './client.js'
export type { ClientOptions } from './http.js'
export { RemoteContext, type Page } from './remote-context.js'

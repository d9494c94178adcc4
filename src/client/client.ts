// The client of a server: contexts by their ids, with the calls of `Context`, each a promise.

import {
  Http,
  type ClientOptions,
  type ContextList,
  type Dialect,
  type Imported,
  type ImportFormat,
  type JsonValue,
  type PageInput,
} from '../api/index.js'
import { RemoteContext } from './remote-context.js'

export class Client {
  readonly #http: Http

  /** @internal Use createClient. */
  constructor(http: Http) {
    this.#http = http
  }

  /** Lists contexts in the order of their ids; `cursor` is that of the page before. */
  list(page: PageInput = {}): Promise<ContextList> {
    return this.#http.ask('contexts', page)
  }

  /** Opens a context; E_STORE if there is none of this id. */
  async open(id: string): Promise<RemoteContext> {
    const { cycle, dialect } = await this.#http.ask('summary', { id })
    return new RemoteContext(this.#http, id, dialect, cycle)
  }

  /** Makes a context; E_CONFLICT if the id is taken. */
  async create(id: string, options: Readonly<{ dialect?: Dialect }> = {}): Promise<RemoteContext> {
    const { cycle, dialect } = await this.#http.ask('create', { id, ...options })
    return new RemoteContext(this.#http, id, dialect, cycle)
  }

  /** Reads a conversation, or an export, into a new context. */
  import(id: string, body: JsonValue, format: ImportFormat | 'auto' = 'auto'): Promise<Imported> {
    return this.#http.ask('import', { id, format, body })
  }

  /** Deletes a context with its history. */
  async delete(id: string, options: Readonly<{ forks?: boolean }> = {}): Promise<void> {
    await this.#http.send('delete', { id, ...options })
  }

  /** Resolves to true if the server is running. */
  async health(): Promise<boolean> {
    const response = await this.#http.fetch({ method: 'GET', path: '/health' })
    return ((await response.json()) as Readonly<{ ok: boolean }>).ok
  }
}

/** A client of the server at an address. */
export function createClient(options: ClientOptions): Client {
  return new Client(new Http(options))
}

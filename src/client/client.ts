// The client of a server: contexts by their ids, with the calls of `Context`, each a promise.

import type {
  ContextList,
  ContextSummary,
  Dialect,
  Imported,
  ImportFormat,
  JsonValue,
  PageAsked,
} from '../commands/index.js'
import { Http, segment, type ClientOptions } from './http.js'
import { RemoteContext } from './remote-context.js'

export class Client {
  readonly #http: Http

  /** @internal Use createClient. */
  constructor(http: Http) {
    this.#http = http
  }

  /** Lists contexts in the order of their ids; `cursor` is that of the page before. */
  list(page: PageAsked = {}): Promise<ContextList> {
    return this.#http.get('/v1/contexts', page)
  }

  /** Opens a context that is there. */
  async open(id: string): Promise<RemoteContext> {
    const { cycle, dialect } = await this.#http.get<ContextSummary>(`/v1/contexts/${segment(id)}`)
    return new RemoteContext(this.#http, id, dialect, cycle)
  }

  /** Makes a context; E_CONFLICT where there is one of this id. */
  async create(id: string, options: Readonly<{ dialect?: Dialect }> = {}): Promise<RemoteContext> {
    const { cycle, dialect } = await this.#http.post<ContextSummary>('/v1/contexts', { id, ...options })
    return new RemoteContext(this.#http, id, dialect, cycle)
  }

  /** Reads a conversation, or an export, into a new context. */
  import(id: string, body: JsonValue, format: ImportFormat | 'auto' = 'auto'): Promise<Imported> {
    return this.#http.post(`/v1/contexts/${segment(id)}/import`, { format, body })
  }

  /** Deletes a context with all its past. */
  async delete(id: string, options: Readonly<{ forks?: boolean }> = {}): Promise<void> {
    await this.#http.send('DELETE', `/v1/contexts/${segment(id)}`, { query: options })
  }

  /** Whether the server lives. */
  async health(): Promise<boolean> {
    return (await this.#http.get<Readonly<{ ok: boolean }>>('/health')).ok
  }
}

/** A client of the server at an address. */
export function createClient(options: ClientOptions): Client {
  return new Client(new Http(options))
}

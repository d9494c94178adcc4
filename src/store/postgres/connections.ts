// A few connections to a server, which may go away and come back. What was refused because others were at it is tried again, and so
// is whatever does no harm when it is done twice.

import { setTimeout as pause } from 'node:timers/promises'

import { openPool, type Client, type Pool, type Result, type Value } from './driver.js'
import { faultOf, isAway, isLost, isRefusedForNow, isUnsent, ROLLBACK } from './faults.js'
import { STATEMENTS, type StatementName } from './statements.js'

export type ConnectionOptions = Readonly<{
  /** How many connections at most; 4 by default. */
  connections?: number | undefined
  /** How long to wait for the server to be there again, in milliseconds; 5,000 by default. */
  connectTimeout?: number | undefined
  /** How long a statement may take, in milliseconds; 60,000 by default. */
  statementTimeout?: number | undefined
}>

/** Sends one statement: by its name, or as it is. */
export type Run = (statement: string, ...values: readonly Value[]) => Promise<Result>

/** How often something is tried, the first time included. */
const TRIES = 12
/** So much longer than the server we wait for its answer. */
const GRACE = 5000

export class Connections {
  readonly #pool: Pool
  readonly #name: string
  readonly #connectTimeout: number
  readonly #tries: number
  /** Whoever was there once is waited for. */
  #wasThere = false
  #isClosed = false

  /** Tests connect in a way of their own, to see what every statement leaves behind, and are not patient. */
  constructor(
    url: string,
    name: string,
    { connections = 4, connectTimeout = 5000, statementTimeout = 60_000 }: ConnectionOptions,
    opened: typeof openPool = openPool,
    tries: number = TRIES,
  ) {
    this.#name = name
    this.#tries = tries
    this.#connectTimeout = connectTimeout
    this.#pool = opened({
      connectionString: url,
      max: connections,
      connectionTimeoutMillis: connectTimeout,
      statement_timeout: statementTimeout,
      // One who was stopped in the middle does not keep others waiting for ever.
      idle_in_transaction_session_timeout: statementTimeout,
      query_timeout: statementTimeout + GRACE,
      keepAlive: true,
      allowExitOnIdle: true,
      application_name: 'pact-context',
    })
    // Whoever waits for an answer is told; an idle one is replaced. Without a listener the process would end.
    this.#pool.on('error', ignore)
    this.#pool.on('connect', (client) => client.on('error', ignore))
  }

  /** One statement that only looks. */
  async rows(name: StatementName, ...values: readonly Value[]): Promise<Result['rows']> {
    return (await this.reading((run) => run(name, ...values))).rows
  }

  /** Something that only looks. */
  reading<T>(work: (run: Run) => Promise<T>): Promise<T> {
    return this.#try((run) => work(run), true)
  }

  /** One statement that writes, and is a step by itself. What is answered is done; where the answer is lost nobody knows. */
  run(statement: string, ...values: readonly Value[]): Promise<Result> {
    return this.#try((run, sent) => {
      sent()
      return run(statement, ...values)
    }, false)
  }

  /** The same for one that does no harm when it is done twice. */
  runAgain(statement: string, ...values: readonly Value[]): Promise<Result> {
    return this.#try((run, sent) => {
      sent()
      return run(statement, ...values)
    }, true)
  }

  /** Several statements that are one step, which does no harm when it is done twice. */
  transaction<T>(work: (run: Run) => Promise<T>): Promise<T | undefined> {
    return this.#try(async (run, sent) => {
      await run('BEGIN')
      let result: T
      try {
        result = await work(run)
      } catch (error) {
        if (!isLost(error)) await run('ROLLBACK')
        if (error === ROLLBACK) return undefined
        throw error
      }
      sent()
      await run('COMMIT')
      return result
    }, true)
  }

  /** Something that may as well be left undone: it is tried once, and what was wrong with it is given back. What was done by half is wrong, too. */
  async aside(text: string, ...values: readonly Value[]): Promise<Error | undefined> {
    try {
      const client = await this.#pool.connect()
      let [wrong, isBroken]: [Error | undefined, boolean] = [undefined, true]
      const notice = (said: Error): void => {
        wrong ??= said
      }
      client.on('notice', notice)
      try {
        await client.query({ text, values })
        isBroken = false
      } finally {
        client.off('notice', notice)
        client.release(isBroken)
      }
      return wrong
    } catch (error) {
      return error as Error
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#pool.end()
  }

  /** The work says when it sends what cannot be taken back. */
  async #try<T>(work: (run: Run, sent: () => void) => Promise<T>, isRepeatable: boolean): Promise<T> {
    // Whether something that was sent was never answered.
    let isOpen = false
    for (let tries = 1; ; tries++) {
      const client = await this.#client(isOpen)
      let [isSent, isBroken, isInside] = [false, false, false]
      try {
        return await work(
          (statement, ...values) => {
            if (statement === 'BEGIN') isInside = true
            const answered = client.query(queryOf(statement, values))
            if (statement !== 'COMMIT' && statement !== 'ROLLBACK') return answered
            return answered.then((result) => {
              isInside = false
              return result
            })
          },
          () => {
            isSent = true
          },
        )
      } catch (error) {
        isBroken = isLost(error)
        isOpen ||= isBroken && isSent && !isUnsent(error)
        const isHarmless = isRefusedForNow(error) || (isBroken && (isRepeatable || !isOpen))
        if (!isHarmless || tries === this.#tries) throw faultOf(error, this.#name, isOpen ? 'unknown' : 'failed')
      } finally {
        // Nobody else gets one that may stand in the middle of a transaction.
        client.release(isBroken || isInside)
      }
      // Those who met do not meet again.
      await pause(Math.random() * Math.min(200, 2 ** tries))
    }
  }

  async #client(isOpen: boolean): Promise<Client> {
    const end = performance.now() + this.#connectTimeout
    for (let wait = 10; ; wait = Math.min(250, wait * 2)) {
      try {
        const client = await this.#pool.connect()
        this.#wasThere = true
        return client
      } catch (error) {
        const isLate = performance.now() + wait > end
        const isWaitedFor = this.#wasThere && !this.#isClosed && isAway(error)
        if (!isWaitedFor || isLate) throw faultOf(error, this.#name, isOpen ? 'unknown' : 'failed')
      }
      await pause(wait)
    }
  }
}

/**
 * What has a name is prepared once for each connection. The driver copies each property that a query has of its own, which takes longer
 * than all else it does with one; so name and text stand above it, the same for all.
 */
function queryOf(statement: string, values: readonly Value[]): Parameters<Client['query']>[0] {
  const shared = PREPARED.get(statement)
  if (shared === undefined) return { text: statement, values }
  const query = Object.create(shared) as Prepared
  query.values = values
  return query
}

type Prepared = { readonly name: string; readonly text: string; values: readonly Value[] }

const PREPARED: ReadonlyMap<string, object> = new Map(
  Object.entries(STATEMENTS).map(([name, text]) => [name, { name: `pact_${name}`, text }]),
)

function ignore(): void {}

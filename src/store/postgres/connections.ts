// A pool of connections to a server that may restart. Statements that were refused because of concurrency are retried,
// and so are those that can safely be repeated.

import { setTimeout as pause } from 'node:timers/promises'

import { openPool, type Client, type Pool, type Result, type Value } from './driver.js'
import { faultOf, isAway, isLost, isRefusedForNow, isUnsent } from './faults.js'
import { ROLLBACK } from '../sql/query.js'
import { STATEMENTS, type StatementName } from './statements.js'

export type ConnectionOptions = Readonly<{
  /** Maximum number of connections; 4 by default. */
  connections?: number | undefined
  /** Milliseconds to wait for a server that is down; 5,000 by default. */
  connectTimeout?: number | undefined
  /** Time limit of a statement, in milliseconds; 60,000 by default. */
  statementTimeout?: number | undefined
}>

/** Runs a statement, given by name or as SQL. */
export type RunStatement = (statement: string, ...values: readonly Value[]) => Promise<Result>

/** Attempts, including the first. */
const TRIES = 12
/** Extra time to wait for the server's answer, in milliseconds. */
const GRACE = 5000

export class Connections {
  readonly #pool: Pool
  readonly #name: string
  readonly connectTimeout: number
  readonly #tries: number
  /** Only a server that was reached once is waited for. */
  #wasThere = false
  #isClosed = false

  /** Tests pass their own pool and fewer attempts. */
  constructor(
    url: string,
    name: string,
    { connections = 4, connectTimeout = 5000, statementTimeout = 60_000 }: ConnectionOptions,
    opened: typeof openPool = openPool,
    tries: number = TRIES,
  ) {
    this.#name = name
    this.#tries = tries
    this.connectTimeout = connectTimeout
    this.#pool = opened({
      connectionString: url,
      max: connections,
      connectionTimeoutMillis: connectTimeout,
      statement_timeout: statementTimeout,
      // A process suspended in a transaction must not block others for ever.
      idle_in_transaction_session_timeout: statementTimeout,
      query_timeout: statementTimeout + GRACE,
      keepAlive: true,
      allowExitOnIdle: true,
      application_name: 'pact-context',
    })
    // Pending queries get the error; idle connections are replaced. Without a listener the process would exit.
    this.#pool.on('error', ignore)
    this.#pool.on('connect', (client) => client.on('error', ignore))
  }

  /** Runs a reading statement. */
  async rows(name: StatementName, ...values: readonly Value[]): Promise<Result['rows']> {
    return (await this.reading((run) => run(name, ...values))).rows
  }

  /** Runs several reading statements. */
  reading<T>(work: (run: RunStatement) => Promise<T>): Promise<T> {
    return this.#try((run) => work(run), true)
  }

  /** Runs a writing statement as a step of its own. If the answer is lost, the outcome is unknown. */
  run(statement: string, ...values: readonly Value[]): Promise<Result> {
    return this.#try((run, sent) => {
      sent()
      return run(statement, ...values)
    }, false)
  }

  /** Runs an idempotent transaction. Undefined if the work throws ROLLBACK. */
  transaction<T>(work: (run: RunStatement) => Promise<T>): Promise<T | undefined> {
    return this.#transaction(work, true)
  }

  /** The same for a transaction that must not run twice: it is retried only if COMMIT was not sent. */
  once<T>(work: (run: RunStatement) => Promise<T>): Promise<T | undefined> {
    return this.#transaction(work, false)
  }

  #transaction<T>(work: (run: RunStatement) => Promise<T>, isRepeatable: boolean): Promise<T | undefined> {
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
    }, isRepeatable)
  }

  /** Runs an optional statement once. Returns its error or notice; undefined if it succeeded. */
  async runOptional(text: string, ...values: readonly Value[]): Promise<Error | undefined> {
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

  /** The work calls `sent` before it sends something that may take effect without an answer. */
  async #try<T>(work: (run: RunStatement, sent: () => void) => Promise<T>, isRepeatable: boolean): Promise<T> {
    // True if a sent statement was never answered.
    let isOpen = false
    // Deadline for a server that is down.
    let end: number | undefined
    for (let tries = 1; ; tries++) {
      const client = await this.#client(isOpen)
      let [isSent, isBroken, isInside] = [false, false, false]
      try {
        return await work(
          (statement, ...values) => {
            if (statement === 'BEGIN') isInside = true
            const answered = client.query({ ...(PREPARED.get(statement) ?? { text: statement }), values })
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
        end ??= performance.now() + this.connectTimeout
        const isOver = tries >= this.#tries && !(isAway(error) && performance.now() < end)
        if (!isHarmless || isOver) throw faultOf(error, this.#name, isOpen ? 'unknown' : 'failed')
      } finally {
        // A connection that may still be in a transaction is not reused.
        client.release(isBroken || isInside)
      }
      // Random delay, so that conflicting transactions do not collide again.
      await pause(Math.random() * Math.min(200, 2 ** tries))
    }
  }

  async #client(isOpen: boolean): Promise<Client> {
    const end = performance.now() + this.connectTimeout
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

/** Statements that are prepared once per connection, by their name or text. */
const PREPARED = new Map(Object.entries(STATEMENTS).map(([name, text]) => [name, { name: `pact_${name}`, text }]))

/** Lets a statement be prepared under a name that begins with `kind`, and returns it. */
export function prepared(text: string, kind: string): string {
  if (!PREPARED.has(text)) PREPARED.set(text, { name: `pact_${kind}_${PREPARED.size}`, text })
  return text
}

function ignore(): void {}

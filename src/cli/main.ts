// `pctx` from its arguments to its exit status: 0 done; 1 refused, damaged or different; 2 wrong usage, or the store or a file cannot be
// read. A mistake of the user is a sentence, never a stack.

import { PactError } from '../errors/index.js'
import type { ContextPool } from '../commands/index.js'
import type { Catalog, Store } from '../store/index.js'
import { jsonText, picked, type JsonChoice } from './json-out.js'
import { Asked, partJson, programOf, type Parsed } from './program.js'
import type { Call, CommandSpec } from './spec.js'
import type { StoreUse } from './store-at.js'
import { Terminal, type Streams, spelled } from './terminal.js'
import { UsageError } from './usage-error.js'

export type MainOptions = Readonly<{ version: string; specs: readonly CommandSpec[] }>

/** The status after Ctrl-C, as in shells: 128 and the number of the signal. */
const INTERRUPTED = 130
const USUAL_STORE = 'sqlite:.pact/contexts.db'
/** A command reads few contexts, or one after another. */
const CACHE_BYTES = 16 * 2 ** 20

/** Runs the command of the arguments, and gives the exit status when all output has left the process. */
export async function main(args: readonly string[], streams: Streams, options: MainOptions): Promise<number> {
  const terminal = new Terminal(streams, { color: colorOf(args) })
  const status = await done(args, terminal, options)
  await terminal.flush()
  if (terminal.fault === undefined) return status
  terminal.note('bad', `pctx: Standard output could not be written: ${spelled(terminal.fault.message)}.`)
  return 2
}

async function done(args: readonly string[], terminal: Terminal, options: MainOptions): Promise<number> {
  let wantsJson = args.some((arg) => arg === '--json' || arg.startsWith('--json='))
  try {
    const parsed = parse(args, options)
    const { pager, json } = parsed.options
    wantsJson = json === true
    terminal.pages = pager !== false
    return await act(parsed, terminal)
  } catch (error) {
    if (error instanceof Asked) {
      await terminal.write(error.message)
      return 0
    }
    return report(error, terminal, wantsJson, helpFor(args, options))
  }
}

function parse(args: readonly string[], { specs, version }: MainOptions): Parsed {
  let parsed: Parsed | undefined
  const [first, topic = 'help'] = args.filter((arg) => !arg.startsWith('-'))
  if (first === 'help' && topic !== 'help' && !specs.some(({ name }) => name === topic)) {
    throw new UsageError(`There is no command "${topic}" to tell about.`)
  }
  const program = programOf(specs, version, (found) => (parsed = found))
  program.parse(partJson(args, specs), { from: 'user' })
  if (parsed === undefined) throw new Asked(program.helpInformation())
  return parsed
}

/** Read before the other arguments, since errors in these have colours too. The last one counts. */
function colorOf(args: readonly string[]): boolean | undefined {
  const last = args.findLast((arg) => arg === '--color' || arg === '--no-color')
  return last === undefined ? undefined : last === '--color'
}

async function act({ spec, words, options, sequence }: Parsed, terminal: Terminal): Promise<number> {
  const opened = new Opened(options, terminal, useOf(spec, options))
  const interrupted: { by?: AbortSignal } = {}
  const ended: (() => void)[] = []
  const json = jsonOf(options)
  const call: Call = {
    terminal,
    arguments: words.map((word) => (typeof word === 'string' ? word : undefined)),
    rest: words.flatMap((word) => (Array.isArray(word) ? word.filter((each) => typeof each === 'string') : [])),
    options,
    sequence,
    json,
    isQuiet: options['quiet'] === true,
    address: () => opened.address,
    store: () => opened.store(),
    catalog: () => opened.catalog(),
    pool: () => opened.pool(),
    answer: async (value, lines) => {
      if (json === undefined) await terminal.lines(lines())
      else await terminal.write(`${jsonText(picked(value, json))}\n`)
    },
    interruptible: () => {
      const controller = new AbortController()
      // A second Ctrl-C ends the process as usual.
      const stop = (): void => {
        interrupted.by = controller.signal
        controller.abort()
      }
      process.once('SIGINT', stop)
      ended.push(() => process.off('SIGINT', stop))
      return controller.signal
    },
    stdin: () => terminal.streams.stdin,
  }
  try {
    const run = await spec.load()
    return (await run(call)) ?? (interrupted.by === undefined ? 0 : INTERRUPTED)
  } catch (error) {
    if (interrupted.by !== undefined && error === interrupted.by.reason) return INTERRUPTED
    throw await opened.advised(error)
  } finally {
    for (const end of ended) end()
    await opened.close()
  }
}

function jsonOf({ json, jsonFields }: Parsed['options']): JsonChoice | undefined {
  if (json !== true) return undefined
  if (typeof jsonFields !== 'string') return { fields: undefined }
  const fields = jsonFields.split(',').map((field) => field.trim())
  if (fields.includes('')) throw new UsageError('--json= takes names of fields with commas between them.')
  return { fields }
}

/** The use of the store by a command. A dry run makes nothing, not even a store. */
function useOf({ makes, reads }: Parsed['spec'], { dryRun, repair }: Parsed['options']): StoreUse {
  if (dryRun === true) return makes === true ? 'try' : 'read'
  if (reads === true && repair !== true) return 'read'
  return makes === true ? 'make' : 'write'
}

/** The store of a run, opened on first use and closed at the end. */
class Opened {
  readonly address: string
  readonly #use: StoreUse
  #store: Promise<Store> | undefined
  #catalog: Promise<Catalog> | undefined
  #pool: ContextPool | undefined

  constructor({ store }: Parsed['options'], { streams: { env } }: Terminal, use: StoreUse) {
    this.#use = use
    this.address = typeof store === 'string' ? store : env['PACT_STORE'] || USUAL_STORE
  }

  store(): Promise<Store> {
    this.#store ??= this.#open()
    return this.#store
  }

  catalog(): Promise<Catalog> {
    this.#catalog ??= this.#openCatalog()
    return this.#catalog
  }

  async pool(): Promise<ContextPool> {
    const store = await this.store()
    if (this.#pool !== undefined) return this.#pool
    const { storePool } = await import('../commands/index.js')
    this.#pool = storePool(store, { cacheBytes: CACHE_BYTES })
    return this.#pool
  }

  /** Adds a suggestion to an error about a missing context. */
  async advised(error: unknown): Promise<unknown> {
    const isMissing = PactError.is(error) && error.details['reason'] === 'missing'
    if (!isMissing || this.#store === undefined) return error
    const { withNearId } = await import('./near-ids.js')
    return withNearId(error, await this.#store)
  }

  async close(): Promise<void> {
    const store = await this.#store?.catch(() => undefined)
    const catalog = await this.#catalog?.catch(() => undefined)
    this.#pool?.close()
    await store?.close()
    await catalog?.close()
  }

  async #openCatalog(): Promise<Catalog> {
    const { catalogAt } = await import('./open-catalog.js')
    return catalogAt(this.address, this.#use)
  }

  async #open(): Promise<Store> {
    const { openAt } = await import('./open-store.js')
    return openAt(this.address, this.#use)
  }
}

/** The help for an error: the page of the command, if one was named. */
function helpFor(args: readonly string[], { specs }: MainOptions): string {
  const name = args.find((arg) => specs.some((spec) => spec.name === arg && spec.group !== ''))
  return name === undefined ? 'pctx --help' : `pctx ${name} --help`
}

/** Prints an error, and gives its exit status. */
async function report(error: unknown, terminal: Terminal, wantsJson: boolean, help: string): Promise<number> {
  const reported = reportOf(error, help)
  if (terminal.streams.env['PACT_DEBUG'] !== undefined) console.error(error)
  if (wantsJson) {
    terminal.streams.stderr.write(`${jsonText(reported.json)}\n`)
    return reported.status
  }
  const [first = '', ...rest] = reported.message.split('\n').map(spelled)
  terminal.note('bad', `pctx: ${first}${reported.code === undefined ? '' : ` (${reported.code})`}`)
  // The lines below show a wrong selector, with a mark under the place.
  for (const line of rest) terminal.note('plain', line)
  return reported.status
}

/** Also for an error from files outside the bundle, which have a class of their own. */
function isUsageError(error: unknown): error is UsageError {
  return error instanceof Error && error.name === 'UsageError'
}

type Report = Readonly<{ status: number; message: string; code?: string; json: object }>

function reportOf(error: unknown, help: string): Report {
  if (isUsageError(error)) {
    const { message } = error
    return {
      status: 2,
      message: error.isOfWords === false ? message : `${message} Try ${help}.`,
      json: new PactError('E_CONTENT_INVALID', message, { reason: 'usage' }).toJSON(),
    }
  }
  if (!PactError.is(error)) {
    const message = `pctx failed by a bug of its own: ${error instanceof Error ? error.message : String(error)}; PACT_DEBUG=1 shows where.`
    return { status: 1, message, json: new PactError('E_INTERNAL', message).toJSON() }
  }
  const isUnreadable = error.code === 'E_STORE' && error.details['reason'] !== 'missing'
  return { status: isUnreadable ? 2 : 1, message: error.message, code: error.code, json: error.toJSON() }
}

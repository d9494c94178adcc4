// An adapter's `to…`: takes a context or a snapshot and options, and gives the request. Renderings are kept per adapter and options, since
// what they keep with the tree is theirs.

import { describe, PactError } from '../../errors/index.js'
import { canonicalJson } from '../../codec/index.js'
import { renderSource, type Lens } from '../../context/index.js'
import type { BlocksOptions } from './context-blocks.js'
import { RequestRendering } from './rendering.js'
import { makeRequest, type MadeRequest } from './request.js'
import type { RequestFormat } from './request-format.js'

/** What every `to…` takes. */
export type RequestOptions = Readonly<{
  /** Which tree: by default what would be sent now, the preview if anything is open, else the newest snapshot. */
  lens?: Lens | undefined
  /** False gives exactly what the tree holds, valid or not. */
  repair?: boolean | undefined
}>

/** Under this symbol a `to…` function tells who it is, for calls that take it as `for`. */
export const ADAPTER: unique symbol = Symbol.for('pact-context.adapter') as never

/** Renders requests of one format; made once for each. */
export class Adapter<Options extends RequestOptions & BlocksOptions<string>> {
  readonly format: RequestFormat<Options>
  readonly #names: readonly string[]
  readonly #usual: Readonly<Record<'repaired' | 'asIs', RequestRendering<Options>>>
  /** For other options: with the context or snapshot that they were given for, the newest few. */
  readonly #others = new WeakMap<object, Map<string, RequestRendering<Options>>>()

  /** `names` are the options that it takes beside those of all. */
  constructor(format: RequestFormat<Options>, names: readonly (keyof Options & string)[] = []) {
    this.format = format
    this.#names = [...COMMON, ...names]
    const none = {} as Options
    this.#usual = {
      repaired: new RequestRendering(format, none, true),
      asIs: new RequestRendering(format, none, false),
    }
  }

  request(source: object, options: Options = {} as Options): MadeRequest {
    const { lens, repair = true, ...rest } = this.#checked(options)
    const { view, tokensOf } = renderSource(source, lens)
    const rendered = this.#rendering(source, rest as unknown as Options, repair).render(view)
    return makeRequest(rendered, this.format.list, view, tokensOf)
  }

  #rendering(source: object, options: Options, repair: boolean): RequestRendering<Options> {
    const given = Object.entries(options).filter(([, value]) => value !== undefined)
    if (given.length === 0) return repair ? this.#usual.repaired : this.#usual.asIs
    const key = `${repair}${canonicalJson(Object.fromEntries(given.map(([name, value]) => [name, keyOf(value)])))}`
    let kept = this.#others.get(source)
    if (kept === undefined) this.#others.set(source, (kept = new Map()))
    let rendering = kept.get(key)
    if (rendering === undefined) {
      rendering = new RequestRendering(this.format, options, repair)
      if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value!)
      kept.set(key, rendering)
    }
    return rendering
  }

  #checked(options: Options): Options {
    if (typeof options !== 'object' || options === null || Array.isArray(options)) {
      throw new PactError(
        'E_CONTENT_INVALID',
        `The options are an object such as { lens: '@t0' }, not ${describe(options)}.`,
        {
          name: 'options',
        },
      )
    }
    for (const name of Object.keys(options)) {
      if (this.#names.includes(name)) continue
      throw new PactError(
        'E_CONTENT_INVALID',
        `There is no option "${name}" here; there are ${this.#names.join(', ')}.`,
        {
          name,
        },
      )
    }
    if (options.repair === undefined || typeof options.repair === 'boolean') return options
    throw new PactError('E_CONTENT_INVALID', `The option repair is true or false, not ${describe(options.repair)}.`, {
      name: 'repair',
    })
  }
}

const COMMON: readonly string[] = ['lens', 'repair']

/** How many renderings with other options one context keeps. */
const MOST_KEPT = 8

const functions = new WeakMap<object, number>()
let given = 0

/** Functions are told apart by which they are. */
function keyOf(value: unknown): unknown {
  if (typeof value !== 'function') return value
  let serial = functions.get(value)
  if (serial === undefined) functions.set(value, (serial = given++))
  return { function: serial }
}

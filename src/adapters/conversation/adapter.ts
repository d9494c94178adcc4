// An adapter's `to…`: takes a context or a snapshot and options, and gives the request. Renderings are kept per adapter and options, since
// what they keep with the tree is theirs.

import { describe, PactError, short } from '../../errors/index.js'
import { canonicalJson } from '../../codec/index.js'
import { renderSource } from '../../context/index.js'
import type { Lens } from '../../core/index.js'
import type { Breakpoint, ParamsForm, RenderedBytes, Renderer } from '../../thread/index.js'
import type { View } from '../../timeline/index.js'
import { checkCache } from './cache-options.js'
import { withMarks, type MarkedRequest } from './cache-marks.js'
import { checkBlocks, type BlocksOptions } from './context-blocks.js'
import { RequestRendering, type Rendered } from './rendering.js'
import { makeRequest, type MadeRequest } from './request.js'
import { requestChunks } from './request-text.js'
import type { RequestFormat } from './request-format.js'

/** Options of every `to…`. */
export type RequestOptions = Readonly<{
  /** The tree: by default the one that would be sent now, the preview if anything is open, else the newest snapshot. */
  lens?: Lens | undefined
  /** False gives exactly what the tree holds, valid or not. */
  repair?: boolean | undefined
}>

/** Renders requests of one format; made once for each. */
export class Adapter<Options extends RequestOptions & BlocksOptions<string>> implements Renderer {
  readonly format: RequestFormat<Options>
  readonly #names: readonly string[]
  readonly #usual: Readonly<Record<'repaired' | 'asIs', RequestRendering<Options>>>
  /** For other options, the newest few; what they keep goes with the trees. */
  readonly #others = new Map<string, RequestRendering<Options>>()

  readonly #params: (options: Options) => Partial<ParamsForm>

  /** `names` are the options that it takes in addition to those of all. */
  constructor(
    format: RequestFormat<Options>,
    names: readonly (keyof Options & string)[] = [],
    params: (options: Options) => Partial<ParamsForm> = () => ({}),
  ) {
    this.format = format
    this.#params = params
    this.#names = [...COMMON, ...names, ...(format.cache === undefined ? [] : ['cache'])]
    const none = {} as Options
    this.#usual = {
      repaired: new RequestRendering(format, none, true),
      asIs: new RequestRendering(format, none, false),
    }
  }

  /** `tools` are those of the call, where they are known. */
  request(source: object, options?: Options, tools?: unknown): MadeRequest {
    const { list, name } = this.format
    const { lens, ...rest } = options === undefined ? NO_OPTIONS : this.#checked(options)
    const from = renderSource(source, lens)
    const { view } = from
    const { rendered, marked } =
      options === undefined ? { rendered: this.#usual.repaired.render(view) } : this.#rendered(view, rest)
    const over = from.budget?.over({ view, name, chunks: requestChunks(rendered, list), tools })
    return makeRequest(rendered, list, from, marked, over)
  }

  get name(): string {
    return this.format.name
  }

  get version(): number {
    return this.format.version
  }

  bytesOf(view: View, options: object): RenderedBytes {
    const { rendered, marked } = this.#rendered(view, this.#checked(options as Options))
    return requestChunks(marked?.rendered ?? rendered, this.format.list)
  }

  breakpointsOf(view: View, options: object): readonly Breakpoint[] {
    return this.#rendered(view, this.#checked(options as Options)).marked?.breakpoints ?? []
  }

  params(options: object): Partial<ParamsForm> {
    return this.#params(options as Options)
  }

  #rendered(view: View, options: Given): Readonly<{ rendered: Rendered; marked?: MarkedRequest }> {
    const { lens: _, repair = true, cache: wanted, ...rest } = options
    const rendered = this.#rendering(rest as unknown as Options, repair).render(view)
    const cache = this.format.cache && checkCache(wanted, this.format.cache.names)
    return cache === undefined ? { rendered } : { rendered, marked: withMarks(rendered, this.format, view, cache) }
  }

  #rendering(options: Options, repair: boolean): RequestRendering<Options> {
    const given = Object.entries(options).filter(([, value]) => value !== undefined)
    if (given.length === 0) return repair ? this.#usual.repaired : this.#usual.asIs
    const key = `${repair}${canonicalJson(Object.fromEntries(given.map(([name, value]) => [name, keyOf(value)])))}`
    const rendering = this.#others.get(key) ?? new RequestRendering(this.format, options, repair)
    this.#others.delete(key)
    if (this.#others.size >= MOST_KEPT) this.#others.delete(this.#others.keys().next().value!)
    this.#others.set(key, rendering)
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
        `There is no option "${short(name)}" here; there are ${this.#names.join(', ')}.`,
        {
          name,
        },
      )
    }
    checkBlocks(options.blocks)
    if (options.repair === undefined || typeof options.repair === 'boolean') return options
    throw new PactError('E_CONTENT_INVALID', `The option repair is true or false, not ${describe(options.repair)}.`, {
      name: 'repair',
    })
  }
}

type Given = RequestOptions & Readonly<{ cache?: unknown }>

const NO_OPTIONS: Given = {}

const COMMON: readonly string[] = ['lens', 'repair', 'blocks']

/** The number of renderings with other options that are kept. */
const MOST_KEPT = 32

const functions = new WeakMap<object, number>()
let given = 0

/** Functions are told apart by which they are. */
function keyOf(value: unknown): unknown {
  if (typeof value !== 'function') return value
  let serial = functions.get(value)
  if (serial === undefined) functions.set(value, (serial = given++))
  return { function: serial }
}

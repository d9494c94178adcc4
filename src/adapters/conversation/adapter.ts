// An adapter's `to…`: takes a context or a snapshot and options, and gives the request. Renderings are kept per adapter and options, since
// what they keep with the tree is theirs.

import { type Bound, canonicalJson } from '../../codec/index.js'
import { type AnyContext, type Attempt, renderSource } from '../../context/index.js'
import type { JsonObject, JsonValue, Lens, NodeRecord } from '../../core/index.js'
import { checkNames, checkOption, FLAG, isRecord } from '../../errors/index.js'
import {
  type Breakpoint,
  type CallPrompt,
  formOfParams,
  type ParamsForm,
  type RenderedBytes,
  type Renderer,
} from '../../thread/index.js'
import type { View } from '../../timeline/index.js'
import { type Beginning, BoundThoughts, LOST } from './bound.js'
import { checkCache, type MarkedRequest, withMarks } from './cache-marks.js'
import { HeldReplies, type OnlyNewOptions } from './held.js'
import type { MessageSpec } from './import-messages.js'
import { requestChunks } from './marks.js'
import {
  type BlocksOptions,
  checkBlocks,
  checkExpiry,
  type ExpiryOptions,
  type ThinkingOptions,
  THINKING,
  UNKNOWN,
  type UnknownOptions,
} from './message-options.js'
import type { PlainObject, PlainValue } from './plain-json.js'
import { type Rendered, RequestRendering } from './rendering.js'
import type { RequestFormat } from './request-format.js'
import { type MadeRequest, makeRequest } from './request.js'
import { FORGOTTEN, sentBody } from './sent-body.js'

/** Options of every `to…`. */
export type RequestOptions = Readonly<{
  /** The tree: by default the one that would be sent now, the preview if anything is open, else the newest snapshot. */
  lens?: Lens | undefined
  /** False gives exactly what the tree holds, valid or not. */
  repair?: boolean | undefined
}> &
  UnknownOptions

/** Renders requests of one format; made once for each. */
export class Adapter<
  Options extends RequestOptions & BlocksOptions<string> & ThinkingOptions & ExpiryOptions,
> implements Renderer {
  readonly format: RequestFormat<Options>
  /** Looks after thoughts that are bound, if the format has such. */
  readonly bound: BoundThoughts | undefined
  /** Looks after replies that the provider keeps, if it does. */
  readonly held: HeldReplies | undefined
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
    const { cache, thoughts, scoped, held } = format
    const own = [cache && 'cache', thoughts && 'thinking', scoped && 'expiry', held && 'onlyNew']
    this.#names = [...COMMON, ...names, ...own.filter((name) => name !== undefined)]
    this.bound = format.thoughts && new BoundThoughts(format.thoughts)
    this.held = format.held && new HeldReplies(format.name, format.held, (tools) => this.comparableTools(tools))
    const none = {} as Options
    this.#usual = {
      repaired: new RequestRendering(format, none, true, this.bound),
      asIs: new RequestRendering(format, none, false),
    }
  }

  /** `prompt` is the part of the prompt that is in the params of the call, if they are known. */
  request(source: object, options?: Options, prompt?: CallPrompt): MadeRequest {
    const { list, name } = this.format
    const { lens, ...rest } = options === undefined ? NO_OPTIONS : this.#checked(options)
    const from = renderSource(source, lens)
    const { view } = from
    const whole = options === undefined ? this.#usual.repaired.render(view, prompt) : this.#whole(view, rest, prompt)
    const rendered = this.#sent(whole, view, rest, prompt)
    const over = from.budget?.over({ view, name, chunks: requestChunks(whole, list), prompt })
    return makeRequest(rendered, list, from, this.#marked(rendered, view, rest, prompt), over)
  }

  /** The reply as a later request finds it, if the provider keeps it under an id. `attempt` is the one that sent the request. */
  kept(messages: readonly MessageSpec[], id: string, ctx: AnyContext, attempt?: Attempt): readonly MessageSpec[] {
    const { adapter, append, adapter_options: given, params } = attempt?.record ?? {}
    const isOther = attempt !== undefined && (adapter !== this.name || append !== undefined || given === undefined)
    if (this.held === undefined || isOther || !this.held.keepsFor(params ?? {})) return messages
    const options = (given ?? {}) as Given
    const { view } = renderSource(attempt?.snapshot ?? ctx)
    const prompt = promptOf(attempt, this)
    const whole = this.#whole(view, options, prompt)
    const sent = this.#sent(whole, view, options, prompt)
    // The nodes of other requests stay as they are.
    const isWanted = options.onlyNew !== undefined || sent !== whole || this.held.isPlaced(whole)
    return isWanted ? this.held.kept(messages, id, whole, sent, prompt) : messages
  }

  /** The body that an attempt sent, with everything that the provider had already. */
  bodyOf(attempt: Attempt | undefined): JsonObject | undefined {
    const body = sentBody(attempt, this.name)
    const { lens: _, ...options } = (attempt?.record.adapter_options ?? {}) as Given
    if (body === undefined || body === FORGOTTEN || options.onlyNew !== true) return body
    const { before, list } = this.#whole(renderSource(attempt!.snapshot).view, options, promptOf(attempt, this))
    return { ...attempt!.record.params, ...body, ...before, [this.format.list]: list }
  }

  /** The beginning that a reply has: the request that it answers, or what a context or a snapshot renders. */
  beginningOf(request: JsonObject | undefined, source: object): Beginning {
    if (request === FORGOTTEN) return LOST
    const messages = request?.[this.format.list]
    if (request === undefined || !Array.isArray(messages)) {
      const { before, list } = this.#usual.repaired.render(renderSource(source).view)
      return { before: this.bound!.behind({ system: before['system'], messages: list }), tools: undefined }
    }
    const { system } = request as PlainObject
    const tools = toolsIn(request, formOfParams(this, {}))
    return {
      before: this.bound!.behind({ system, messages: messages as readonly PlainObject[] }),
      tools: tools && this.bound!.tools(tools),
    }
  }

  get name(): string {
    return this.format.name
  }

  get version(): number {
    return this.format.version
  }

  bytesOf(view: View, options: object, prompt?: CallPrompt): RenderedBytes {
    const given = this.#checked(options as Options)
    const rendered = this.#whole(view, given, prompt)
    return requestChunks(this.#marked(rendered, view, given, prompt)?.rendered ?? rendered, this.format.list)
  }

  beginningsOf(view: View, thoughts: readonly NodeRecord[]): ReadonlyMap<string, Bound> {
    if (this.bound?.areAny(thoughts) !== true) return new Map()
    return this.bound.beginnings(this.#usual.repaired.render(view))
  }

  breakpointsOf(view: View, options: object, prompt?: CallPrompt): readonly Breakpoint[] {
    const given = this.#checked(options as Options)
    return this.#marked(this.#whole(view, given, prompt), view, given, prompt)?.breakpoints ?? []
  }

  comparableTools(tools: JsonValue): unknown {
    return this.format.thoughts?.tools(tools as PlainValue) ?? tools
  }

  params(options: object): Partial<ParamsForm> {
    return this.#params(options as Options)
  }

  /** Everything that the model reads, also what the provider has already. */
  #whole(view: View, options: Given, prompt?: CallPrompt): Rendered {
    const { lens: _lens, repair = true, cache: _cache, onlyNew: _onlyNew, ...rest } = options
    return this.#rendering(rest as unknown as Options, repair).render(view, prompt)
  }

  /** The part of it that is sent. */
  #sent(whole: Rendered, view: View, { repair = true, onlyNew }: Given, prompt?: CallPrompt): Rendered {
    return this.held === undefined || !repair ? whole : this.held.onlyNew(whole, view, onlyNew, prompt)
  }

  #marked(rendered: Rendered, view: View, { cache: wanted }: Given, prompt?: CallPrompt): MarkedRequest | undefined {
    const cache = this.format.cache && checkCache(wanted, this.format.cache)
    return cache && withMarks(rendered, this.format, view, cache, prompt)
  }

  #rendering(options: Options, repair: boolean): RequestRendering<Options> {
    const given = Object.entries(options).filter(([, value]) => value !== undefined)
    if (given.length === 0) return repair ? this.#usual.repaired : this.#usual.asIs
    const made = new RequestRendering(this.format, options, repair, this.bound)
    if (given.some(([, value]) => typeof value === 'function')) return made
    const key = `${repair}${canonicalJson(Object.fromEntries(given))}`
    const rendering = this.#others.get(key) ?? made
    this.#others.delete(key)
    if (this.#others.size >= MOST_KEPT) this.#others.delete(this.#others.keys().next().value!)
    this.#others.set(key, rendering)
    return rendering
  }

  #checked(options: Options): Options {
    checkNames(options, this.#names, "{ lens: '@t0' }")
    checkBlocks(options.blocks)
    checkOption('thinking', options.thinking, THINKING)
    checkExpiry(options)
    checkOption('repair', options.repair, FLAG)
    checkOption('onlyNew', (options as OnlyNewOptions).onlyNew, FLAG)
    checkOption('unknown', options.unknown, UNKNOWN)
    return options
  }
}

/** The tools of a body. One that names no model may not be all that was sent, and without tools says nothing about them. */
function toolsIn(
  body: JsonObject,
  { tools: path, model }: ParamsForm,
): readonly PlainValue[] | PlainObject | undefined {
  let value: JsonValue | undefined = body
  for (const name of path) value = isRecord(value) ? value[name] : undefined
  if (isRecord(value) || Array.isArray(value)) return value as readonly PlainValue[] | PlainObject
  return body[model] === undefined ? undefined : []
}

/** The part of the prompt that is in the params of an attempt. */
function promptOf(attempt: Attempt | undefined, renderer: Renderer): CallPrompt | undefined {
  const body = sentBody(attempt, renderer.name)
  if (body === undefined || body === FORGOTTEN) return undefined
  const form = formOfParams(renderer, attempt!.record.adapter_options ?? {})
  const params = attempt!.record.params ?? {}
  // A body that goes on from a reply does not repeat its tools.
  return { tools: toolsIn({ ...params, ...body }, form) as JsonValue | undefined, system: params[form.system[0]!] }
}

type Given = RequestOptions & OnlyNewOptions & Readonly<{ cache?: unknown }>

const NO_OPTIONS: Given = {}

const COMMON: readonly string[] = ['lens', 'repair', 'blocks', 'unknown']

/** The number of renderings with other options that are kept. */
const MOST_KEPT = 32

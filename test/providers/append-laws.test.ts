// Law 1: in a program that only adds, each request begins with the request before it, for every adapter and across commits. Programs combine
// replies of every provider, steps, parallel calls answered in any order, errors, streams, replies that are cut off or break off, documents, plans,
// words while a reply is under way, commits anywhere, forks that both go on, files, and reopening from a store with the open turn.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { fromAnthropic, toAnthropic } from '../../src/adapters/anthropic/index.js'
import { ADAPTERS } from '../../src/adapters/index.js'
import { FORMAT_NAMES, type FormatName } from '../../src/formats/index.js'
import { createContext, importSnapshot } from '../../src/index.js'
import { openStore, type Store, type StoredContext } from '../../src/store/index.js'
import { BoundClaude, type Said } from '../support/providers/bound-claude.js'
import { streamed } from '../support/providers/claude-stream.js'
import { replyOf } from '../support/providers/replies.js'
import { runs } from '../support/runs.js'

type Added = 'user' | 'pre' | 'post' | 'set'
type Adapter = FormatName

type Ask = Readonly<{
  do: 'ask'
  /** The provider that replies; Claude thinks. */
  by: Adapter
  said: Said
  /** The reply comes whole or as a stream that the client puts together; it ends, is cut off by its length, or breaks off. */
  comes: 'whole' | 'streamed'
  ends: 'ends' | 'length' | 'breaks'
  late: Added | undefined
  /** A commit falls behind the calls, or behind the first result. */
  commits: 'calls' | 'results' | undefined
  /** The results come in the order of the calls, or the other way round. */
  isBackwards: boolean
  error: boolean
}>

type Step =
  | Readonly<{ do: 'add'; what: Added }>
  | Ask
  | Readonly<{ do: 'commit' | 'file' | 'reopen' | 'fork' }>
  | Readonly<{ do: 'switch'; to: number }>

const ADDED = fc.constantFrom<Added>('user', 'pre', 'post', 'set')
const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('add'), what: ADDED }) },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constant('ask'),
      by: fc.oneof(
        { weight: 2, arbitrary: fc.constant<Adapter>('anthropic') },
        { weight: 1, arbitrary: fc.constantFrom(...FORMAT_NAMES) },
      ),
      said: fc.record({
        calls: fc.integer({ min: 0, max: 3 }),
        text: fc.boolean(),
        interleaved: fc.boolean(),
        redacted: fc.boolean(),
        thinks: fc.boolean(),
      }),
      comes: fc.constantFrom('whole', 'streamed'),
      ends: fc.constantFrom('ends', 'ends', 'ends', 'length', 'breaks'),
      late: fc.option(ADDED, { nil: undefined, freq: 4 }),
      commits: fc.option(fc.constantFrom('calls', 'results'), { nil: undefined }),
      isBackwards: fc.boolean(),
      error: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('commit', 'file', 'reopen', 'fork') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('switch'), to: fc.nat(5) }) },
)

type Request = Readonly<Record<string, unknown>>

/** The key of a request's list, and its items: blocks where neighbours of one speaker are joined, else messages. */
const LISTS: Readonly<Record<Adapter, Readonly<{ key: string; inner?: string }>>> = {
  'openai-chat': { key: 'messages' },
  'openai-responses': { key: 'input' },
  anthropic: { key: 'messages' },
  'ai-sdk': { key: 'messages' },
  mistral: { key: 'messages' },
  gemini: { key: 'contents', inner: 'parts' },
  'gemini-interactions': { key: 'input' },
  bedrock: { key: 'messages', inner: 'content' },
}

function itemsOf(request: Request, name: Adapter): readonly string[] {
  const { key, inner } = LISTS[name]
  const list = request[key] as readonly Readonly<Record<string, unknown>>[]
  if (inner === undefined) return list.map((message) => JSON.stringify(message))
  return list.flatMap(({ role, [inner]: blocks }) =>
    (blocks as readonly unknown[]).map((block) => JSON.stringify({ role, block })),
  )
}

function restOf(request: Request, name: Adapter): string {
  const { [LISTS[name].key]: _, ...rest } = request
  return JSON.stringify(rest)
}

/** The number of times that a program did what it is to combine. */
type Seen = Record<
  | 'compared'
  | 'forks'
  | 'switches'
  | 'cut'
  | 'streams'
  | 'broken'
  | 'parallel'
  | 'errors'
  | 'reopened'
  | 'files'
  | 'halved'
  | 'appended',
  number
>

/** A line of the conversation; a fork begins with what its parent has. */
type Branch = {
  ctx: StoredContext
  readonly before: Map<Adapter, Request>
  /** The reply of the turn has not come yet; then only core blocks may be added behind the first request, and none where documents follow. */
  isOpening: boolean
  hasPost: boolean
  /** The model has ended its turn: nothing is asked before a user speaks. */
  isOver: boolean
}

class Program {
  readonly #store: Store
  readonly #claude = new BoundClaude()
  readonly #branches: Branch[] = []
  #at = 0
  #words = 0
  #calls = 0
  /** The ids of calls that were cut off, which no request may have. */
  readonly #cut: string[] = []
  readonly #seen: Seen

  constructor(store: Store, seen: Seen) {
    this.#store = store
    this.#seen = seen
  }

  get #branch(): Branch {
    return this.#branches[this.#at]!
  }

  async run(steps: readonly Step[]): Promise<void> {
    const ctx = await this.#store.open('0')
    this.#branches.push({ ctx, before: new Map(), isOpening: true, hasPost: false, isOver: false })
    ctx.system.add('You are a clerk.')
    this.#add('user')
    for (const step of steps) await this.#play(step)
    for (const at of this.#branches.keys()) {
      this.#at = at
      if (this.#branch.isOver) this.#add('user')
      this.#compare()
      this.#append()
    }
  }

  async #play(step: Step): Promise<void> {
    if (step.do === 'add') this.#add(step.what)
    else if (step.do === 'ask') await this.#ask(step)
    else if (step.do === 'commit') await this.#commit()
    else if (step.do === 'file') await this.#toFile()
    else if (step.do === 'reopen') await this.#reopen()
    else if (step.do === 'fork') await this.#fork()
    else if (step.do === 'switch') {
      this.#seen.switches += this.#branches.length > 1 ? 1 : 0
      this.#at = step.to % this.#branches.length
    }
  }

  async #commit(): Promise<void> {
    await this.#branch.ctx.commit()
    this.#branch.isOpening = true
    this.#branch.hasPost = false
  }

  /** A commit, and on with what a file of it holds. */
  async #toFile(): Promise<void> {
    await this.#commit()
    const id = `file ${++this.#words}`
    await this.#store.put(importSnapshot(this.#branch.ctx.export()), id)
    this.#branch.ctx = await this.#store.open(id)
    this.#seen.files++
  }

  /** As after a kill: the open cycle comes from its draft. */
  async #reopen(): Promise<void> {
    await this.#branch.ctx.save()
    this.#branch.ctx = await this.#store.open(this.#branch.ctx.id)
    this.#seen.reopened++
  }

  async #fork(): Promise<void> {
    const { ctx, before, ...rest } = this.#branch
    const fork = await ctx.fork('working', { id: `fork ${++this.#words}` })
    this.#branches.push({ ...rest, ctx: fork, before: new Map(before) })
    this.#seen.forks++
  }

  #add(what: Added): void {
    const branch = this.#branch
    const words = `words ${this.#words++}`
    if (what === 'set') branch.ctx.set(`key${this.#words}`, words)
    else branch.ctx[what](words)
    branch.hasPost ||= what === 'post' || what === 'set'
    if (what === 'user') branch.isOver = false
  }

  async #ask(step: Ask): Promise<void> {
    const { late, commits, isBackwards, error } = step
    if (this.#branch.isOver) this.#add('user')
    this.#compare()
    const branch = this.#branch
    const params = { [step.by === 'bedrock' ? 'modelId' : 'model']: 'scripted' }
    const attempt = branch.ctx.startAttempt({ for: ADAPTERS[step.by].to, params } as never)
    const reply = await this.#reply(step, attempt.body)
    const isAllowed = !branch.isOpening || (late === 'user' && !branch.hasPost)
    if (late !== undefined && isAllowed) this.#add(late)
    const { calls, cut } = attempt.receive(reply)
    branch.isOpening = false
    branch.isOver = calls.length === 0
    this.#seen.cut += cut.length
    this.#cut.push(...cut.map(({ id }) => id))
    this.#seen.parallel += calls.length > 1 ? 1 : 0
    if (commits === 'calls') await this.#commit()
    for (const [at, call] of (isBackwards ? calls.toReversed() : calls).entries()) {
      const isError = error && at === 0
      branch.ctx.result(call, `result ${call.id}`, { error: isError })
      this.#seen.errors += isError ? 1 : 0
      if (commits === 'results' && at === 0) {
        await this.#commit()
        this.#seen.halved += calls.length > 1 ? 1 : 0
      }
    }
  }

  /** The reply of a provider. The last call of one that is cut off has no end. */
  async #reply({ by, said, comes, ends }: Ask, body: object): Promise<object> {
    if (by !== 'anthropic') {
      const calls = Array.from({ length: said.calls }, () => {
        const id = `call_${++this.#calls}`
        return { id, name: 'look_up', arguments: { question: id } }
      })
      const text = said.text || calls.length === 0 ? `Words ${++this.#words}.` : ''
      return replyOf(by, { text, calls, ...(ends === 'ends' ? {} : { stop: 'length' }) })
    }
    const whole = this.#claude.create(body, said)
    const reply = ends === 'length' ? { ...whole, stop_reason: 'max_tokens' } : whole
    if (comes === 'whole' && ends !== 'breaks') return reply
    this.#seen[ends === 'breaks' ? 'broken' : 'streams']++
    return streamed(reply, ends === 'breaks')
  }

  /** Every adapter's request against its request before. */
  #compare(): void {
    const { ctx, before } = this.#branch
    for (const name of Object.keys(ADAPTERS) as Adapter[]) {
      const request = JSON.parse(JSON.stringify(ADAPTERS[name].to(ctx as never, ALL[name]))) as Request
      const text = JSON.stringify(request)
      for (const id of this.#cut) expect(text).not.toContain(`"${id}"`)
      const was = before.get(name)
      before.set(name, request)
      if (was === undefined) continue
      const items = itemsOf(was, name)
      expect(itemsOf(request, name).slice(0, items.length), name).toEqual(items)
      expect(restOf(request, name)).toBe(restOf(was, name))
      this.#seen.compared++
    }
  }

  /** A message for one attempt alone is behind everything, for every adapter, and no part of the context. */
  #append(): void {
    const { ctx } = this.#branch
    const tree = ctx.export('working')
    for (const name of Object.keys(ADAPTERS) as Adapter[]) {
      const { to } = ADAPTERS[name]
      const input = { for: to, options: ALL[name] ?? {}, params: { model: 'm', modelId: 'm' } }
      const plain = ctx.startAttempt(input as never)
      const attempt = ctx.startAttempt({ ...input, append: 'Sum up.' } as never)
      const [items, more] = [plain, attempt].map(({ body }) =>
        itemsOf(JSON.parse(JSON.stringify(body)) as Request, name),
      )
      expect(more!.slice(0, items!.length), name).toEqual(items)
      // A provider may want words of the model between a result and a message.
      expect(more!.length - items!.length, name).toBeOneOf(name === 'mistral' ? [1, 2] : [1])
      this.#seen.appended++
      expect(more!.at(-1), name).toMatch(/"(?:role":"user|type":"user_input)".*Sum up\.|Sum up\..*"role":"user"/)
      expect(new TextDecoder().decode(ctx.requestOf(attempt.id))).toBe(JSON.stringify(attempt.body))
      expect(ctx.prefix(plain.id as never, attempt.id as never).first, name).toBeUndefined()
    }
    expect(ctx.export('working')).toEqual(tree)
  }
}

function newSeen(): Seen {
  const none = { compared: 0, forks: 0, switches: 0, cut: 0, streams: 0, broken: 0 }
  return { ...none, parallel: 0, errors: 0, reopened: 0, files: 0, halved: 0, appended: 0 }
}

/** Words that come while a reply is under way make its thought stale, which is law 2. */
const ALL: Partial<Record<Adapter, object>> = { anthropic: { thinking: 'all' } }

describe('a program that only adds', () => {
  it('makes requests that begin with the request before', async () => {
    const seen = newSeen()
    let programs = 0
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 4, maxLength: 30, size: 'max' }), async (steps) => {
        const store = await openStore('memory:')
        await new Program(store, seen).run(steps)
        await store.close()
        programs++
      }),
      { numRuns: runs(30) },
    )
    // Each program compares dozens of requests, and each feature occurs in number.
    const { compared, ...features } = seen
    expect(compared).toBeGreaterThan(programs * 20)
    expect(Math.min(...Object.values(features)), JSON.stringify(features)).toBeGreaterThan(programs / 2)
  })

  it('is seen to change a request if it sets a plan again', () => {
    const ctx = createContext()
    ctx.set('plan', 'one')
    ctx.user('Begin.')
    const reply = { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }], stop_reason: 'end_turn' }
    ctx.receive(reply, { from: fromAnthropic })
    const before = itemsOf(JSON.parse(JSON.stringify(toAnthropic(ctx))) as Request, 'anthropic')
    ctx.set('plan', 'two')
    const after = itemsOf(JSON.parse(JSON.stringify(toAnthropic(ctx))) as Request, 'anthropic')
    expect(after.slice(0, before.length)).not.toEqual(before)
  })
})

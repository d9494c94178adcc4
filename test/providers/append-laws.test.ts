// Law 1: in a program that only adds, each request begins with the request before it, for every adapter and across commits. Programs combine
// steps, parallel calls answered in any order, errors, documents, plans, words while a reply is under way, and commits anywhere.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { fromAnthropic, toAnthropic } from '../../src/adapters/anthropic/index.js'
import { ADAPTERS } from '../../src/adapters/index.js'
import { createContext, importSnapshot, type Context } from '../../src/index.js'
import { BoundClaude, type Said } from '../support/providers/bound-claude.js'
import { runs } from '../support/runs.js'

type Added = 'user' | 'pre' | 'post' | 'set'

type Step =
  | Readonly<{ do: 'add'; what: Added }>
  | Readonly<{
      do: 'ask'
      said: Said
      late: Added | undefined
      cut: 'calls' | 'results' | undefined
      /** The results come in the order of the calls, or the other way round. */
      isBackwards: boolean
      error: boolean
    }>
  | Readonly<{ do: 'commit' | 'file' }>

const ADDED = fc.constantFrom<Added>('user', 'pre', 'post', 'set')
const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('add'), what: ADDED }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('ask'),
      said: fc.record({
        calls: fc.integer({ min: 0, max: 3 }),
        text: fc.boolean(),
        interleaved: fc.boolean(),
        redacted: fc.boolean(),
        thinks: fc.boolean(),
      }),
      late: fc.option(ADDED, { nil: undefined, freq: 4 }),
      cut: fc.option(fc.constantFrom('calls', 'results'), { nil: undefined }),
      isBackwards: fc.boolean(),
      error: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('commit', 'file') }) },
)

type Request = Readonly<Record<string, unknown>>
type Adapter = keyof typeof ADAPTERS

/** The key of a request's list, and its items: blocks where neighbours of one speaker are joined, else messages. */
const LISTS: Readonly<Record<Adapter, Readonly<{ key: string; inner?: string }>>> = {
  'openai-chat': { key: 'messages' },
  'openai-responses': { key: 'input' },
  anthropic: { key: 'messages' },
  'ai-sdk': { key: 'messages' },
  mistral: { key: 'messages' },
  gemini: { key: 'contents', inner: 'parts' },
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

class Program {
  #ctx: Context = createContext()
  readonly #claude = new BoundClaude()
  readonly #before = new Map<Adapter, Request>()
  /** The reply of the turn has not come yet; then only core blocks may be added behind the first request, and none where documents follow. */
  #isOpening = true
  #hasPost = false
  /** The model has ended its turn: nothing is asked before a user speaks. */
  #isOver = false
  #words = 0
  compared = 0
  appended = 0

  run(steps: readonly Step[]): void {
    this.#ctx.system.add('You are a clerk.')
    this.#add('user')
    for (const step of steps) {
      if (step.do === 'add') this.#add(step.what)
      else if (step.do === 'ask') this.#ask(step)
      else this.#commit(step.do === 'file')
    }
    if (this.#isOver) this.#add('user')
    this.#compare()
    this.#append()
  }

  #commit(toFile = false): void {
    this.#ctx.commit()
    if (toFile) this.#ctx = importSnapshot(this.#ctx.export())
    this.#isOpening = true
    this.#hasPost = false
  }

  #add(what: Added): void {
    const words = `words ${this.#words++}`
    if (what === 'set') this.#ctx.set(`key${this.#words}`, words)
    else this.#ctx[what](words)
    this.#hasPost ||= what === 'post' || what === 'set'
    if (what === 'user') this.#isOver = false
  }

  #ask({ said, late, cut, isBackwards, error }: Extract<Step, { do: 'ask' }>): void {
    if (this.#isOver) this.#add('user')
    this.#compare()
    const attempt = this.#ctx.startAttempt({ for: toAnthropic, params: { model: 'claude' } })
    const reply = this.#claude.create(attempt.body, said)
    const isAllowed = !this.#isOpening || (late === 'user' && !this.#hasPost)
    if (late !== undefined && isAllowed) this.#add(late)
    const { calls } = attempt.receive(reply)
    this.#isOpening = false
    this.#isOver = calls.length === 0
    if (cut === 'calls') this.#commit()
    for (const [at, call] of (isBackwards ? calls.toReversed() : calls).entries()) {
      this.#ctx.result(call, `result ${call.id}`, { error: error && at === 0 })
      if (cut === 'results' && at === 0) this.#commit()
    }
  }

  /** Every adapter's request against its request before. */
  #compare(): void {
    for (const name of Object.keys(ADAPTERS) as Adapter[]) {
      const request = JSON.parse(JSON.stringify(ADAPTERS[name].to(this.#ctx, ALL[name]))) as Request
      const before = this.#before.get(name)
      this.#before.set(name, request)
      if (before === undefined) continue
      const items = itemsOf(before, name)
      expect(itemsOf(request, name).slice(0, items.length), name).toEqual(items)
      expect(restOf(request, name)).toBe(restOf(before, name))
      this.compared++
    }
  }

  /** A message for one attempt alone is behind everything, for every adapter, and no part of the context. */
  #append(): void {
    const tree = this.#ctx.export('working')
    for (const name of Object.keys(ADAPTERS) as Adapter[]) {
      const { to } = ADAPTERS[name]
      const input = { for: to, options: ALL[name] ?? {}, params: { model: 'm', modelId: 'm' } }
      const plain = this.#ctx.startAttempt(input as never)
      const attempt = this.#ctx.startAttempt({ ...input, append: 'Sum up.' } as never)
      const [items, more] = [plain, attempt].map(({ body }) =>
        itemsOf(JSON.parse(JSON.stringify(body)) as Request, name),
      )
      expect(more!.slice(0, items!.length), name).toEqual(items)
      // A provider may want words of the model between a result and a message.
      expect(more!.length - items!.length, name).toBeOneOf(name === 'mistral' ? [1, 2] : [1])
      this.appended++
      expect(more!.at(-1), name).toMatch(/"role":"user".*Sum up\.|Sum up\..*"role":"user"/)
      expect(new TextDecoder().decode(this.#ctx.requestOf(attempt.id))).toBe(JSON.stringify(attempt.body))
      expect(this.#ctx.prefix(plain.id as never, attempt.id as never).first, name).toBeUndefined()
    }
    expect(this.#ctx.export('working')).toEqual(tree)
  }
}

/** Words that come while a reply is under way make its thought stale, which is law 2. */
const ALL: Partial<Record<Adapter, object>> = { anthropic: { thinking: 'all' } }

describe('a program that only adds', () => {
  it('makes requests that begin with the request before', () => {
    let compared = 0
    let appended = 0
    fc.assert(
      fc.property(fc.array(STEP, { minLength: 4, maxLength: 30 }), (steps) => {
        const program = new Program()
        program.run(steps)
        compared += program.compared
        appended += program.appended
      }),
      { numRuns: runs(120) },
    )
    expect(compared).toBeGreaterThan(1000)
    expect(appended).toBeGreaterThan(100)
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

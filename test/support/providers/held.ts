// Providers that keep replies: a server that keeps and forgets them, and the tests that hold for each of them, over edits, forks and reopening. The
// server checks the messages that the model would read against the whole request, which is rendered by itself.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'

import { type Context, createContext, importSnapshot } from '../../../src/index.js'
import { sendNew } from '../../../src/adapters/conversation/index.js'
import { openStore } from '../../../src/store/index.js'
import type { RendersRequests } from '../../../src/thread/index.js'
import { runs } from '../runs.js'

export type Item = Record<string, unknown>
export type Body = Record<string, unknown>

/** The words of a provider. */
export type HeldProvider = Readonly<{
  to: RendersRequests & ((ctx: Context, options?: object) => object)
  params: object
  /** The id of the nth reply. */
  id(n: number): string
  list(body: object): Item[]
  /** The id that a body names. */
  after(body: Body): string | undefined
  /** Throws if the server would not take the body. */
  check?(body: Body): void
  /** The messages of a reply that ends, or calls a tool. */
  said(id: string, isAnswer: boolean): Item[]
  isResult(item: Item): boolean
  reply(id: string, said: Item[]): object
  /** The answer to an id that is not known, by the key that names it, or that was gone on from already. */
  refusal(body: Body, isContinued: boolean): Readonly<{ status: number; answer: object }>
  /** True if a reply can be gone on from once. */
  isOnce?: boolean
  /** The part of a body before the list that the server keeps with a reply, if it keeps one. */
  prompt?(body: Body): unknown
  /** The error that the client makes of it. */
  error(status: number, answer: object): Error
  client(url: string): (body: object) => PromiseLike<object>
  /** Messages without the keys that only the server's copy has. */
  plain(items: readonly Item[]): unknown
  /** The key of a place that has everything that was sent there, and the place that the server has at first. */
  place?: Readonly<{ key: string; id: string }>
}>

/** Keeps replies, and reads requests as the API says: everything before, then the list. */
export class Keeper {
  readonly bodies: Body[] = []
  /** The messages that the model read, by request. */
  readonly read: Item[][] = []
  /** The rest of the prompt, by request. */
  readonly prompts: unknown[] = []
  readonly #provider: HeldProvider
  readonly #replies = new Map<string, Readonly<{ all: Item[]; prompt: unknown }>>()
  readonly #continued = new Set<string>()
  readonly #places = new Map<string, Item[]>()
  #count = 0
  #server: Server | undefined

  constructor(provider: HeldProvider) {
    this.#provider = provider
    if (provider.place !== undefined) this.#places.set(provider.place.id, [])
  }

  forget(): void {
    this.#replies.clear()
    this.#places.clear()
  }

  /** The reply to a body; throws what the client would throw. */
  reply(body: Body): object {
    const { status, answer } = this.#answer(body)
    if (status !== 200) throw this.#provider.error(status, answer)
    return answer
  }

  async client(): Promise<(body: object) => PromiseLike<object>> {
    const server = (this.#server = createServer((request, response) => {
      let text = ''
      request.on('data', (part: Buffer) => (text += part.toString()))
      request.on('end', () => {
        const { status, answer } = this.#answer(JSON.parse(text) as Body)
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
      })
    }))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    return this.#provider.client(`http://127.0.0.1:${port}`)
  }

  close(): void {
    this.#server?.close()
  }

  #answer(body: Body): Readonly<{ status: number; answer: object }> {
    const { after: named, check, id: idOf, list, isResult, said, reply, refusal, place: form, prompt } = this.#provider
    this.bodies.push(body)
    check?.(body)
    const after = named(body)
    const place = form === undefined ? undefined : (body[form.key] as string | undefined)
    const kept = after === undefined ? { all: [], prompt: prompt?.(body) } : this.#replies.get(after)
    const before = place === undefined ? kept?.all : this.#places.get(place)
    const isContinued = this.#provider.isOnce === true && after !== undefined && this.#continued.has(after)
    if (before === undefined || isContinued) return refusal(body, isContinued)
    const id = idOf(++this.#count)
    if (after !== undefined) this.#continued.add(after)
    this.prompts.push(kept?.prompt)
    const all = [...before, ...list(body)]
    // Calls a tool for a user's message, and answers a result.
    const output = said(id, isResult(all.at(-1)!))
    this.read.push(all)
    this.#replies.set(id, { all: [...all, ...output], prompt: kept?.prompt })
    if (place !== undefined) this.#places.set(place, [...all, ...output])
    return { status: 200, answer: reply(id, output) }
  }
}

/** The server of a test, and turns against it. */
export class HeldTest {
  readonly provider: HeldProvider
  keeper: Keeper
  #send: ((body: object) => PromiseLike<object>) | undefined

  constructor(provider: HeldProvider) {
    this.provider = provider
    this.keeper = new Keeper(provider)
    afterEach(() => {
      this.keeper.close()
      this.keeper = new Keeper(provider)
      this.#send = undefined
    })
  }

  get after(): (string | undefined)[] {
    return this.keeper.bodies.map((body) => this.provider.after(body))
  }

  /** The number of messages of each request, and the id that it names. */
  get sizes(): unknown[] {
    return this.keeper.bodies.map((body) => [this.provider.list(body).length, this.provider.after(body)])
  }

  async send(body: object): Promise<object> {
    this.#send ??= await this.keeper.client()
    return this.#send(body)
  }

  /** The loop of docs/agents.md. */
  async turn(ctx: Context, question: string, options: object = {}): Promise<void> {
    ctx.user(question)
    while (ctx.due() !== 'nothing') await this.step(ctx, (body) => this.send(body), options)
    ctx.commit()
  }

  async step(ctx: Context, send: (body: object) => Promise<object>, options: object = {}): Promise<void> {
    const { to, params, list, plain, prompt } = this.provider
    for (const call of ctx.openCalls()) ctx.result(call, 'sunny')
    const whole = to(ctx)
    await sendNew(ctx, { for: to, params, options }, send)
    expect(plain(this.keeper.read.at(-1)!)).toEqual(plain(list(whole)))
    expect(this.keeper.prompts.at(-1)).toEqual(prompt?.({ ...params, ...whole }))
  }
}

/** The tests of every provider that keeps replies. */
export function heldTests(test: HeldTest): void {
  const { to, params, id, after, list, isOnce = false } = test.provider

  describe('only what is new', () => {
    it('goes on from the newest reply, in and between turns', async () => {
      const ctx = createContext()
      ctx.system.add('Be brief.')
      await test.turn(ctx, 'Rome?')
      await test.turn(ctx, 'Oslo?')
      expect(test.sizes).toEqual([
        [1, undefined],
        [1, id(1)],
        [1, id(2)],
        [1, id(3)],
      ])
    })

    it('goes back to an earlier reply after an edit, and sends the whole after one at the start', async () => {
      const ctx = createContext()
      for (const city of ['Rome?', 'Oslo?', 'Bonn?']) await test.turn(ctx, city)
      ctx.replace("d2 .block[role='user']", { content: 'Bergen?' })
      await test.turn(ctx, 'And then?')
      expect(test.after.slice(6)).toEqual([isOnce ? undefined : id(2), id(7)])
      ctx.replace("d4 .block[role='user']", { content: 'Berlin?' })
      await test.turn(ctx, 'Go on.')
      expect(test.after.slice(8)).toEqual([undefined, id(9)])
    })

    it.each([
      ['the words of the reply were changed', (ctx: Context) => ctx.replace(lastSaid(ctx), { content: 'No.' })],
      ['a result was deleted', (ctx: Context) => ctx.delete("d1 .block[kind='result']", { author: 'me', reason: 'r' })],
      [
        'something was said in between',
        (ctx: Context) => ctx.insert({ content: 'A note.', role: 'user' }, '(d2, end)'),
      ],
    ])('is right where %s', async (_, edit) => {
      const ctx = createContext()
      await test.turn(ctx, 'Rome?')
      await test.turn(ctx, 'Oslo?')
      edit(ctx)
      await test.turn(ctx, 'Bonn?')
      expect(test.after[4]).not.toBe(id(4))
    })

    it('sends words that came while a reply was under way', async () => {
      const ctx = createContext()
      ctx.user('Rome?')
      await sendNew(ctx, { for: to, params }, async (body) => {
        const reply = await test.send(body)
        ctx.user('In winter!')
        return reply
      })
      for (const call of ctx.openCalls()) ctx.result(call, 'sunny')
      await sendNew(ctx, { for: to, params }, (body) => test.send(body))
      expect(JSON.stringify(test.keeper.read.at(-1))).toContain('In winter!')
    })

    it('goes on in forks, each by itself', async () => {
      const ctx = createContext()
      await test.turn(ctx, 'Rome?')
      const fork = ctx.fork()
      await test.turn(fork, 'Oslo?')
      await test.turn(ctx, 'Bonn?')
      const refused = isOnce ? [id(2), undefined] : [id(2)]
      expect(test.after).toEqual([undefined, id(1), id(2), id(3), ...refused, id(5)])
    })

    it('goes on after reopening and after an import', async () => {
      const store = await openStore('memory:')
      const ctx = await store.open('a')
      ctx.user('Rome?')
      await sendNew(ctx, { for: to, params }, (body) => test.send(body))
      await ctx.commit()
      const again = await store.open('a')
      for (const call of again.openCalls()) again.result(call, 'sunny')
      await sendNew(again, { for: to, params }, (body) => test.send(body))
      await again.commit()
      await test.turn(importSnapshot(again.export()), 'Oslo?')
      expect(test.after.slice(0, 3)).toEqual([undefined, id(1), id(2)])
      await store.close()
    })

    it('sends the whole once the server has forgotten, and then goes on', async () => {
      const ctx = createContext()
      await test.turn(ctx, 'Rome?')
      test.keeper.forget()
      await test.turn(ctx, 'Oslo?')
      const whole = list(test.keeper.bodies[3]!).length
      expect(whole).toBeGreaterThan(3)
      expect(test.sizes).toEqual([
        [1, undefined],
        [1, id(1)],
        [1, id(2)], // refused
        [whole, undefined],
        [1, id(3)],
      ])
      const ends = ctx.attempts().map(({ status }) => status)
      expect(ends).toEqual(['completed', 'completed', 'error', 'completed', 'completed'])
    })

    it('sends the whole after a budget took the beginning', async () => {
      const ctx = createContext({ prune: { maxDepth: 2 } })
      for (const city of ['Rome?', 'Oslo?', 'Bonn?', 'Bern?']) await test.turn(ctx, city)
      expect(test.keeper.bodies.some((body) => after(body) === undefined && list(body).length > 1)).toBe(true)
    })

    it('gives the bytes of such a request again, and compares what the model reads', async () => {
      const ctx = createContext()
      await test.turn(ctx, 'Rome?')
      await test.turn(ctx, 'Oslo?')
      const ids = ctx.attempts().map(({ attempt_id: attempt }) => attempt)
      ids.forEach((attempt, at) => {
        expect(JSON.parse(new TextDecoder().decode(ctx.requestOf(attempt)))).toEqual(test.keeper.bodies[at])
      })
      expect(ctx.prefix(ids[2] as '@t0', ids[3] as '@t0', { for: to }).first).toBeUndefined()
    })

    it('throws other errors after one attempt', async () => {
      const ctx = createContext()
      ctx.user('Rome?')
      const error = Object.assign(new Error('overloaded'), { status: 529 })
      await expect(sendNew(ctx, { for: to, params }, () => Promise.reject(error))).rejects.toBe(error)
      expect(ctx.attempts().map(({ status }) => status)).toEqual(['error'])
    })

    it('refuses an option that is no flag', () => {
      expect(() => to(createContext(), { onlyNew: 'yes' })).toThrow('onlyNew')
    })
  })

  it('lets the model read what the context says, whatever was edited (law)', async () => {
    let shortened = 0
    await fc.assert(
      fc.asyncProperty(PROGRAM, async (program) => {
        let ctx = createContext({ prune: { maxDepth: 4 } })
        for (const [at, { acts, forks }] of program.entries()) {
          ctx.user(`question ${at}`)
          for (let step = 0; step < 3 && ctx.due() !== 'nothing'; step++) {
            await test.step(ctx, async (body) => test.keeper.reply(JSON.parse(JSON.stringify(body)) as Body))
            if (after(test.keeper.bodies.at(-1)!) !== undefined) shortened++
          }
          for (const [name, n] of acts) ACTS[name]!(ctx, n, test.keeper)
          ctx.commit()
          if (forks === 0) ctx = ctx.fork()
        }
      }),
      { numRuns: runs(30) },
    )
    expect(shortened).toBeGreaterThan(30)
  })
}

/** The selector of the newest words of the model. */
function lastSaid(ctx: Context): string {
  return `[id='${ctx.nodes("d1 .block[role='assistant']").at(-1)!.id}']`
}

/** An act between two requests. `n` chooses among the nodes. */
const ACTS: Readonly<Record<string, (ctx: Context, n: number, keeper: Keeper) => void>> = {
  edit: (ctx, n) => {
    const nodes = ctx.nodes(".block[role='user']")
    if (nodes.length > 0) ctx.replace(`[id='${nodes[n % nodes.length]!.id}']?`, { content: `edited ${n}` })
  },
  remove: (ctx, n) => {
    const nodes = ctx.nodes('d1 .block, d2 .block')
    if (nodes.length > 0) ctx.delete(`[id='${nodes[n % nodes.length]!.id}']?`, { author: 'me', reason: 'r' })
  },
  plan: (ctx, n) => void ctx.set('plan', `plan ${n}`),
  document: (ctx, n) => void ctx.post(`document ${n}`, { ttl: 1 }),
  note: (ctx, n) => void ctx.assistant(`by hand ${n}`),
  undo: (ctx) => void ctx.undo(),
  commit: (ctx) => void ctx.commit(),
  forget: (_ctx, _n, keeper) => keeper.forget(),
}

const ACT = fc.tuple(fc.constantFrom(...Object.keys(ACTS)), fc.nat(9))
const PROGRAM = fc.array(fc.record({ acts: fc.array(ACT, { maxLength: 3 }), forks: fc.nat(5) }), {
  minLength: 2,
  maxLength: 8,
})

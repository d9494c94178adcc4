// Replies that OpenAI keeps: requests with only what is new, over edits, forks, reopening, and a server on loopback that forgets. The server checks
// what the model would read against the whole request, which is rendered by itself.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import OpenAI from 'openai'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'

import { type Context, createContext, importSnapshot } from '../../src/index.js'
import {
  fromOpenAIResponses,
  receiveOpenAIResponses,
  sendNew,
  toOpenAIResponses,
} from '../../src/adapters/openai/index.js'
import { openStore } from '../../src/store/index.js'
import { runs } from '../support/runs.js'

type Item = Record<string, unknown>
type Body = { input: string | Item[]; previous_response_id?: string; conversation?: string; instructions?: string }

/** Keeps responses and conversations, and reads them as the API says: everything before, then the input. */
class Keeper {
  readonly bodies: Body[] = []
  /** The items that the model read, by request. */
  readonly read: Item[][] = []
  readonly #responses = new Map<string, Item[]>()
  readonly #conversations = new Map<string, Item[]>([['conv_1', []]])
  #count = 0
  #server: Server | undefined

  forget(): void {
    this.#responses.clear()
    this.#conversations.clear()
  }

  /** The reply to a body; throws what the client would throw. */
  reply(body: Body): object {
    const { status, answer } = this.#answer(body)
    if (status !== 200) throw Object.assign(new Error('refused'), { status, ...(answer as { error: object }).error })
    return answer
  }

  async client(): Promise<OpenAI> {
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
    return new OpenAI({ apiKey: 'none', baseURL: `http://127.0.0.1:${port}`, maxRetries: 0 })
  }

  close(): void {
    this.#server?.close()
  }

  #answer(body: Body): { status: number; answer: object } {
    this.bodies.push(body)
    const { previous_response_id: after, conversation: place } = body
    const before =
      place !== undefined ? this.#conversations.get(place) : after === undefined ? [] : this.#responses.get(after)
    if (before === undefined) {
      const param = place === undefined ? 'previous_response_id' : 'conversation'
      const error = { message: 'Not found.', type: 'invalid_request_error', param, code: null }
      return { status: place === undefined ? 400 : 404, answer: { error } }
    }
    const input = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input
    const id = `resp_${++this.#count}`
    const all = [...before, ...input]
    const output = this.#reply(all, id)
    this.read.push(all)
    this.#responses.set(id, [...all, ...output])
    if (place !== undefined) this.#conversations.set(place, [...all, ...output])
    return { status: 200, answer: { id, object: 'response', status: 'completed', store: true, output } }
  }

  /** Calls a tool for a user's message, and answers a result. */
  #reply(items: Item[], id: string): Item[] {
    const thought = { type: 'reasoning', id: `rs_${id}`, summary: [] }
    if (items.at(-1)!['type'] === 'function_call_output') return [said(id, `answer ${id}`)]
    return [thought, { type: 'function_call', id: `fc_${id}`, call_id: `call_${id}`, name: 'f', arguments: '{}' }]
  }
}

function said(id: string, text: string): Item {
  const content = [{ type: 'output_text', text, annotations: [] }]
  return { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content }
}

let keeper: Keeper
afterEach(() => keeper.close())

const params = { model: 'gpt-5.6' }

/** The loop of docs/agents.md. */
async function turn(ctx: Context, client: OpenAI, question: string, options: object = {}): Promise<void> {
  ctx.user(question)
  while (ctx.due() !== 'nothing') {
    for (const call of ctx.openCalls()) ctx.result(call, 'sunny')
    const whole = items(toOpenAIResponses(ctx).input)
    await sendNew(ctx, { for: toOpenAIResponses, params, options }, (body) => client.responses.create(body))
    expect(plain(keeper.read.at(-1)!)).toEqual(plain(whole))
  }
  ctx.commit()
}

function items(input: string | object[]): Item[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : (input as Item[])
}

/** Items without the keys that only the server's copy has. */
function plain(list: readonly Item[]): unknown {
  return list.map(({ status: _status, type, ...item }) => ({ ...item, ...(type === 'message' ? {} : { type }) }))
}

function sizes(): unknown {
  return keeper.bodies.map(({ input, previous_response_id: after }) => [items(input as object[]).length, after])
}

describe('only what is new', () => {
  it('goes on from the newest reply, in and between turns', async () => {
    keeper = new Keeper()
    const client = await keeper.client()
    const ctx = createContext()
    ctx.system.add('Be brief.')
    await turn(ctx, client, 'Rome?')
    await turn(ctx, client, 'Oslo?')
    expect(sizes()).toEqual([
      [1, undefined],
      [1, 'resp_1'],
      [1, 'resp_2'],
      [1, 'resp_3'],
    ])
    // Instructions are not kept with a response.
    expect(keeper.bodies.map(({ instructions }) => instructions)).toEqual(Array(4).fill('Be brief.'))
  })

  it('goes back to an earlier reply after an edit, and sends the whole after one at the start', async () => {
    keeper = new Keeper()
    const client = await keeper.client()
    const ctx = createContext()
    for (const city of ['Rome?', 'Oslo?', 'Bonn?']) await turn(ctx, client, city)
    ctx.replace("d2 .block[role='user']", { content: 'Bergen?' })
    await turn(ctx, client, 'And then?')
    expect(keeper.bodies[6]).toMatchObject({ previous_response_id: 'resp_2' })
    expect(keeper.bodies[7]).toMatchObject({ previous_response_id: 'resp_7' })
    ctx.replace("d4 .block[role='user']", { content: 'Berlin?' })
    await turn(ctx, client, 'Go on.')
    expect(keeper.bodies[8]!.previous_response_id).toBeUndefined()
    expect(keeper.bodies[9]).toMatchObject({ previous_response_id: 'resp_9' })
  })

  it.each([
    [
      'the words of the reply were changed',
      (ctx: Context) => ctx.replace("d1 .block[role='assistant'][kind='message']", { content: 'No.' }),
    ],
    ['a result was deleted', (ctx: Context) => ctx.delete("d1 .block[kind='result']", { author: 'me', reason: 'r' })],
    ['something was said in between', (ctx: Context) => ctx.insert({ content: 'A note.', role: 'user' }, '(d2, end)')],
  ])('is right where %s', async (_, edit) => {
    keeper = new Keeper()
    const client = await keeper.client()
    const ctx = createContext()
    await turn(ctx, client, 'Rome?')
    await turn(ctx, client, 'Oslo?')
    edit(ctx)
    await turn(ctx, client, 'Bonn?')
    expect(keeper.bodies[4]?.previous_response_id).not.toBe('resp_4')
  })

  it('sends words that came while a reply was under way', async () => {
    keeper = new Keeper()
    const client = await keeper.client()
    const ctx = createContext()
    ctx.user('Rome?')
    await sendNew(ctx, { for: toOpenAIResponses, params }, async (body) => {
      const reply = await client.responses.create(body)
      ctx.user('In winter!')
      return reply
    })
    for (const call of ctx.openCalls()) ctx.result(call, 'sunny')
    await sendNew(ctx, { for: toOpenAIResponses, params }, (body) => client.responses.create(body))
    expect(JSON.stringify(keeper.read.at(-1))).toContain('In winter!')
  })

  it('goes on in forks, each by itself', async () => {
    keeper = new Keeper()
    const client = await keeper.client()
    const ctx = createContext()
    await turn(ctx, client, 'Rome?')
    const fork = ctx.fork()
    await turn(fork, client, 'Oslo?')
    await turn(ctx, client, 'Bonn?')
    expect(keeper.bodies.map(({ previous_response_id: after }) => after)).toEqual([
      undefined,
      'resp_1',
      'resp_2',
      'resp_3',
      'resp_2',
      'resp_5',
    ])
  })

  it('goes on after reopening and after an import', async () => {
    keeper = new Keeper()
    const client = await keeper.client()
    const store = await openStore('memory:')
    const ctx = await store.open('a')
    ctx.user('Rome?')
    await sendNew(ctx, { for: toOpenAIResponses, params }, (body) => client.responses.create(body))
    await ctx.commit()
    const again = await store.open('a')
    for (const call of again.openCalls()) again.result(call, 'sunny')
    await sendNew(again, { for: toOpenAIResponses, params }, (body) => client.responses.create(body))
    expect(keeper.bodies[1]).toMatchObject({ previous_response_id: 'resp_1' })
    await again.commit()
    const imported = importSnapshot(again.export())
    await turn(imported, client, 'Oslo?')
    expect(keeper.bodies[2]).toMatchObject({ previous_response_id: 'resp_2' })
    await store.close()
  })

  it('sends the whole once the server has forgotten, and then goes on', async () => {
    keeper = new Keeper()
    const client = await keeper.client()
    const ctx = createContext()
    await turn(ctx, client, 'Rome?')
    keeper.forget()
    await turn(ctx, client, 'Oslo?')
    expect(sizes()).toEqual([
      [1, undefined],
      [1, 'resp_1'],
      [1, 'resp_2'], // refused
      [6, undefined],
      [1, 'resp_3'],
    ])
    expect(ctx.attempts().map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'error',
      'completed',
      'completed',
    ])
  })

  it('sends the whole after a budget took the beginning', async () => {
    keeper = new Keeper()
    const client = await keeper.client()
    const ctx = createContext({ prune: { maxDepth: 2 } })
    for (const city of ['Rome?', 'Oslo?', 'Bonn?', 'Bern?']) await turn(ctx, client, city)
    expect(
      keeper.bodies.some(({ input, previous_response_id: after }) => after === undefined && input.length > 1),
    ).toBe(true)
  })

  it('gives the bytes of such a request again, and compares what the model reads', async () => {
    keeper = new Keeper()
    const client = await keeper.client()
    const ctx = createContext()
    await turn(ctx, client, 'Rome?')
    await turn(ctx, client, 'Oslo?')
    const ids = ctx.attempts().map(({ attempt_id: id }) => id)
    ids.forEach((id, at) => {
      expect(JSON.parse(new TextDecoder().decode(ctx.requestOf(id)))).toEqual(keeper.bodies[at])
    })
    expect(ctx.prefix(ids[2] as '@t0', ids[3] as '@t0', { for: toOpenAIResponses }).first).toBeUndefined()
  })

  it('does not go on from a reply that was not stored, that was cut off, or to a request with append', () => {
    keeper = new Keeper()
    for (const [reply, input] of [
      [{ store: false }, {}],
      [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, {}],
      [{}, { append: 'Sum up.' }],
    ] as const) {
      const ctx = createContext()
      ctx.user('Hello')
      const attempt = ctx.startAttempt({ for: toOpenAIResponses, params, options: { onlyNew: true }, ...input })
      attempt.receive({ id: 'resp_1', status: 'completed', output: [said('1', 'Hi!')], ...reply })
      ctx.user('Go on.')
      expect(toOpenAIResponses(ctx, { onlyNew: true }).previous_response_id).toBeUndefined()
    }
  })

  it('refuses an option that is no flag', () => {
    keeper = new Keeper()
    expect(() => toOpenAIResponses(createContext(), { onlyNew: 'yes' as never })).toThrow('onlyNew')
  })
})

/** An act between two requests. `n` chooses among the nodes. */
const ACTS: Readonly<Record<string, (ctx: Context, n: number) => void>> = {
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
  forget: () => keeper.forget(),
}

const ACT = fc.tuple(fc.constantFrom(...Object.keys(ACTS)), fc.nat(9))
const PROGRAM = fc.array(fc.record({ acts: fc.array(ACT, { maxLength: 3 }), forks: fc.nat(5) }), {
  minLength: 2,
  maxLength: 8,
})

it('lets the model read what the context says, whatever was edited (law)', async () => {
  keeper = new Keeper()
  let shortened = 0
  await fc.assert(
    fc.asyncProperty(PROGRAM, async (program) => {
      let ctx = createContext({ prune: { maxDepth: 4 } })
      for (const [at, { acts, forks }] of program.entries()) {
        ctx.user(`question ${at}`)
        for (let step = 0; step < 3 && ctx.due() !== 'nothing'; step++) {
          for (const call of ctx.openCalls()) ctx.result(call, 'sunny')
          const whole = items(toOpenAIResponses(ctx).input)
          await sendNew(ctx, { for: toOpenAIResponses, params }, async (body) => keeper.reply(body as Body))
          expect(plain(keeper.read.at(-1)!)).toEqual(plain(whole))
          if (keeper.bodies.at(-1)!.previous_response_id !== undefined) shortened++
        }
        for (const [name, n] of acts) ACTS[name]!(ctx, n)
        ctx.commit()
        if (forks === 0) ctx = ctx.fork()
      }
    }),
    { numRuns: runs(60) },
  )
  expect(shortened).toBeGreaterThan(60)
})

describe('a conversation', () => {
  it('gets only what is new, as a key of the import (l07)', () => {
    keeper = new Keeper()
    const ctx = fromOpenAIResponses({ conversation: 'conv_1', input: 'Hello' })
    expect(toOpenAIResponses(ctx)).toMatchObject({ conversation: 'conv_1', input: 'Hello' })
    receiveOpenAIResponses(ctx, { id: 'resp_1', output: [said('1', 'Hi!')] })
    ctx.user('How are you?')
    expect(toOpenAIResponses(ctx)).toEqual({
      conversation: 'conv_1',
      input: [{ role: 'user', content: 'How are you?' }],
    })
  })

  it('gets only what is new, as an option', async () => {
    keeper = new Keeper()
    const client = await keeper.client()
    const ctx = createContext()
    await turn(ctx, client, 'Rome?', { conversation: 'conv_1' })
    await turn(ctx, client, 'Oslo?', { conversation: 'conv_1' })
    expect(keeper.bodies.map(({ input, conversation }) => `${input.length} ${conversation}`)).toEqual(
      Array(4).fill('1 conv_1'),
    )
  })

  it('is left once the context says something else than it holds, and responses go on', async () => {
    keeper = new Keeper()
    const client = await keeper.client()
    const ctx = createContext()
    const options = { conversation: 'conv_1' }
    await turn(ctx, client, 'Rome?', options)
    ctx.replace("d1 .block[role='user']", { content: 'Bergen?' })
    const { repairs, ...request } = toOpenAIResponses(ctx, options)
    expect(Object.keys(request)).toEqual(['input'])
    expect(repairs.map(({ code, text }) => [code, text])).toEqual([
      ['dropped-key', 'The request is sent without conversation: conv_1 does not hold what the context holds now.'],
    ])
    await turn(ctx, client, 'Oslo?', options)
    expect(
      keeper.bodies.slice(2).map(({ conversation, previous_response_id: after }) => [conversation, after]),
    ).toEqual([
      [undefined, undefined],
      [undefined, 'resp_3'],
    ])
  })

  it('is left once the server has forgotten it', async () => {
    keeper = new Keeper()
    const client = await keeper.client()
    const ctx = createContext()
    await turn(ctx, client, 'Rome?', { conversation: 'conv_1' })
    keeper.forget()
    await turn(ctx, client, 'Oslo?', { conversation: 'conv_1' })
    expect(keeper.bodies.at(-1)).toMatchObject({ previous_response_id: 'resp_3' })
  })
})

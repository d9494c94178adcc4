// The state of the turn: what comes next, which calls wait for a result, and how a result is given, whatever provider a call came from.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { ADAPTERS } from '../../src/adapters/index.js'
import { receiveAnthropic, toAnthropic } from '../../src/adapters/anthropic/index.js'
import { fromModelMessages, toModelMessages } from '../../src/adapters/ai-sdk/index.js'
import { fromOpenAIChat } from '../../src/adapters/openai/index.js'
import { toGemini } from '../../src/adapters/gemini/index.js'
import { FORMAT_NAMES, type FormatName } from '../../src/formats/index.js'
import {
  applyOperations,
  createContext,
  importSnapshot,
  type Context,
  type Due,
  type ReceivedCall,
} from '../../src/index.js'
import { refusal } from '../support/context.js'
import { canPause, replyOf } from '../support/providers/replies.js'
import { reopened } from '../support/reopened.js'
import { runs } from '../support/runs.js'

type Act =
  | Readonly<{ act: 'user' | 'commit' | 'export' | 'note' | 'plan' | 'instruction' }>
  | Readonly<{ act: 'reply'; format: FormatName | 'hand'; calls: number; stop: 'pause' | 'length' | undefined }>
  | Readonly<{ act: 'result'; which: number; error: boolean }>

const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ act: fc.constant('user' as const) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constantFrom('commit' as const, 'export' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constantFrom('note' as const, 'plan' as const, 'instruction' as const) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('reply' as const),
      format: fc.constantFrom(...FORMAT_NAMES, 'hand' as const),
      calls: fc.nat(3),
      stop: fc.option(fc.constantFrom('pause' as const, 'length' as const), { nil: undefined }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ act: fc.constant('result' as const), which: fc.nat(3), error: fc.boolean() }) },
)

/** A naive model: what was said last, in which cycle, and which ids wait. It knows no tree. */
class Model {
  open: string[] = []
  last: 'user' | 'result' | 'reply' | 'paused' | undefined
  isThisCycle = false

  say(last: Model['last']): void {
    this.last = last
    this.isThisCycle = true
  }

  get due(): Due {
    if (this.open.length > 0) return 'calls'
    if (this.last === undefined) return 'user'
    if (this.last !== 'reply') return 'reply'
    return this.isThisCycle ? 'nothing' : 'user'
  }
}

/** Plays an act on both; gives the context to go on with. */
function play(ctx: Context, model: Model, act: Act, serial: number): Context {
  switch (act.act) {
    case 'user':
      ctx.user(`Question ${serial}`)
      model.say('user')
      return ctx
    case 'note':
      ctx.post(`Document ${serial}`)
      return ctx
    case 'plan':
      ctx.set(`plan-${serial}`, 'Book it.')
      return ctx
    case 'instruction':
      ctx.add(`Be brief ${serial}`, { role: 'system', zone: 'core' })
      return ctx
    case 'result': {
      const call = ctx.openCalls()[act.which % Math.max(1, model.open.length)]
      if (call === undefined) return ctx
      ctx.result(act.which % 2 === 0 ? call : call.id, { text: `Result ${serial}` }, { error: act.error })
      model.open = model.open.filter((id) => id !== call.id)
      model.say('result')
      return ctx
    }
    case 'reply': {
      reply(ctx, model, act, serial)
      return ctx
    }
    case 'commit':
      ctx.commit()
      model.isThisCycle = false
      return ctx
    case 'export':
      ctx.commit()
      model.isThisCycle = false
      return importSnapshot(ctx.export())
  }
}

function reply(
  ctx: Context,
  model: Model,
  { format, calls: count, stop }: Act & { act: 'reply' },
  serial: number,
): void {
  const calls = Array.from({ length: count }, (_, at) => ({
    id: `call_${serial}_${at}`,
    name: 'look',
    arguments: { at, text: 'x' },
  }))
  // A reply that goes on adds to its calls. After anything else, and over a commit, the model has gone on without results.
  const goesOn = model.last === 'paused' || (model.last === 'reply' && model.isThisCycle)
  const before = goesOn ? model.open : []
  if (format === 'hand') {
    ctx.assistant('Let me see.')
    for (const call of calls) {
      ctx.assistant({ name: call.name, arguments: call.arguments }, { kind: 'call', data_call_id: call.id })
    }
    model.open = [...before, ...calls.map(({ id }) => id)]
    return model.say('reply')
  }
  const ends = stop === 'pause' && !canPause(format) ? undefined : stop
  const received = receive(
    ctx,
    format,
    replyOf(format, { text: 'Let me see.', calls, ...(ends ? { stop: ends } : {}) }),
  )
  model.open = [...before, ...received.map(({ id }) => id)]
  model.say(ends === 'pause' ? 'paused' : 'reply')
}

function receive(ctx: Context, format: FormatName, given: object): readonly ReceivedCall[] {
  return ctx.receive(given, { from: ADAPTERS[format].from }).calls
}

describe('due and openCalls', () => {
  test('are what a model without a tree says, after every act, in every form, over commits and files', () => {
    const seen = new Map<Due, number>()
    fc.assert(
      fc.property(fc.array(acts, { maxLength: 24 }), (program) => {
        let ctx = createContext()
        const model = new Model()
        for (const [serial, act] of program.entries()) {
          ctx = play(ctx, model, act, serial)
          expect(ctx.openCalls().map(({ id }) => id)).toEqual(model.open)
          expect(ctx.due()).toBe(model.due)
          seen.set(model.due, (seen.get(model.due) ?? 0) + 1)
        }
        // Once all of them are answered, no request lacks a result of the newest reply.
        for (const call of ctx.openCalls()) ctx.result(call, 'done')
        const open = new Set(model.open.flatMap((id) => ctx.select(`[data_call_id='${id}']`)))
        for (const { to } of Object.values(ADAPTERS)) {
          const missing = to(ctx).repairs.filter(({ code }) => code === 'stub-result')
          expect(missing.filter(({ node }) => open.has(node))).toEqual([])
        }
      }),
      { numRuns: runs(150) },
    )
    expect([...seen.keys()].sort()).toEqual(['calls', 'nothing', 'reply', 'user'])
  })
})

describe.each(FORMAT_NAMES)('a call of %s', (format) => {
  const calls = [
    { id: 'call_a', name: 'look', arguments: { path: '/x' } },
    { id: 'call_b', name: 'look', arguments: { path: '/y', deep: { list: [1, 'two', null] } } },
  ]

  function asked(): Context {
    const ctx = createContext()
    ctx.user('Look at both.')
    receive(ctx, format, replyOf(format, { calls }))
    return ctx
  }

  test('is open as it was received, in the open cycle, behind a commit and reopened from a file', async () => {
    const ctx = asked()
    const received = ctx.openCalls()
    expect(received).toMatchObject(calls)
    expect(received.every((call) => Object.isFrozen(call)) && Object.isFrozen(received)).toBe(true)
    ctx.commit()
    expect(ctx.openCalls()).toEqual(received)
    const stored = await reopened(ctx)
    expect([stored.due(), stored.openCalls()]).toEqual(['calls', received])
    stored.result('call_b', 'second')
    expect([stored.due(), stored.openCalls().map(({ id }) => id)]).toEqual(['calls', ['call_a']])
    stored.result(received[0]!, 'first')
    expect([stored.due(), stored.openCalls()]).toEqual(['reply', []])
  })

  test('has its result in every request, as one written by hand', () => {
    const [given, byHand] = [asked(), asked()]
    for (const ctx of [given, byHand]) ctx.commit()
    for (const { id, name } of given.openCalls()) {
      given.result(id, { text: 'seen', lang: 'en' })
      const header = { kind: 'result', data_call_id: id, data_tool_name: name }
      byHand.tool({ text: 'seen', lang: 'en' }, header)
    }
    for (const [name, { to }] of Object.entries(ADAPTERS)) {
      const request = to(given)
      expect(JSON.stringify(request), name).toBe(JSON.stringify(to(byHand)))
      expect(JSON.stringify(request), name).toMatch(/lang\W+en/)
      expect(
        request.repairs.filter(({ code }) => code === 'stub-result' || code === 'orphan-result'),
        name,
      ).toEqual([])
    }
  })

  test('that failed is an error where the provider has a sign for it', () => {
    const ctx = asked()
    for (const call of ctx.openCalls()) ctx.result(call, 'No such file.', { error: true })
    const signs: Partial<Record<FormatName, string>> = {
      anthropic: '"is_error":true',
      bedrock: '"status":"error"',
      gemini: '"error":"No such file."',
      'ai-sdk': '"type":"error-text"',
    }
    for (const [name, { to }] of Object.entries(ADAPTERS)) {
      expect(JSON.stringify(to(ctx)).split(signs[name as FormatName] ?? '"No such file."').length - 1, name).toBe(2)
    }
  })
})

describe('result', () => {
  function asked(): Context {
    const ctx = createContext()
    ctx.user('Look.')
    ctx.assistant({ name: 'look', arguments: {} }, { kind: 'call', data_call_id: 'a' })
    return ctx
  }

  test('refuses a call that is not there, that has its result, or that is none', () => {
    const ctx = asked()
    expect(refusal(() => ctx.result('b', 'x'))).toMatchObject({
      code: 'E_NODE_NOT_FOUND',
      message: expect.stringContaining('ctx.openCalls()'),
    })
    const [call] = ctx.openCalls()
    ctx.result(call!, 'x')
    expect(refusal(() => ctx.result(call!, 'x'))).toMatchObject({ code: 'E_CONFLICT', details: { id: 'a' } })
    ctx.assistant('Done.')
    expect(refusal(() => ctx.result('a', 'x')).code).toBe('E_CONFLICT')
    for (const wrong of [undefined, null, 7, {}, ['a']]) {
      expect(refusal(() => ctx.result(wrong as never, 'x'))).toMatchObject({ code: 'E_CONTENT_INVALID' })
    }
    expect(refusal(() => asked().result('a', 'x', { isError: true } as never)).message).toContain('isError')
    expect(refusal(() => asked().result('a', 'x', { error: 'yes' } as never)).code).toBe('E_CONTENT_INVALID')
  })

  test('is one edit: undone as one, replayed elsewhere, with a lifetime if it is given', () => {
    const ctx = asked()
    ctx.result('a', undefined, { ttl: 2 })
    expect(ctx.nodes("[kind='result']")).toMatchObject([{ content: '', ttl: 2 }])
    const copy = createContext()
    applyOperations(copy, ctx.operations())
    expect(copy.due()).toBe('reply')
    ctx.undo()
    expect(ctx.due()).toBe('calls')
  })

  test('is a plain value, also if it looks like a part of a message', () => {
    const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }
    const outputs = [
      { text: 'hi', lang: 'en' },
      { type: 'text', text: 'hi' },
      { type: 'function_call_output', output: 'q' },
      png,
    ]
    const contents = outputs.map((output) => {
      const ctx = asked()
      ctx.result('a', output)
      const [block] = toAnthropic(ctx).messages.at(-1)!.content as unknown as readonly { content: unknown }[]
      return block?.content
    })
    expect(contents).toEqual([
      ...outputs.slice(0, 3).map((output) => JSON.stringify(output, Object.keys(output).sort())),
      [png],
    ])
  })

  test('that comes late still finds its call', () => {
    const ctx = asked()
    ctx.user('Never mind.')
    ctx.assistant('As you like.')
    expect([ctx.due(), ctx.openCalls()]).toEqual(['nothing', []])
    ctx.result('a', 'seen')
    expect(toGemini(ctx).repairs.map(({ code }) => code)).toEqual(['moved-result', 'added'])
  })
})

describe('a call', () => {
  test('stays open while the user speaks, and is closed when the model has gone on', () => {
    const ctx = createContext()
    ctx.user('Look.')
    ctx.assistant({ name: 'look', arguments: {} }, { kind: 'call', data_call_id: 'a' })
    ctx.commit()
    ctx.user('Hurry!')
    expect(ctx.due()).toBe('calls')
    ctx.assistant('I cannot look.')
    expect([ctx.due(), ctx.openCalls()]).toEqual(['nothing', []])
  })

  test('whose result expired, or was deleted from history, is not made again', () => {
    const ctx = createContext()
    ctx.user('Look.')
    ctx.assistant({ name: 'look', arguments: {} }, { kind: 'call', data_call_id: 'a' })
    ctx.result('a', 'seen', { ttl: 1 })
    ctx.assistant('It is there.')
    ctx.commit()
    ctx.user('And now?')
    ctx.commit()
    expect([ctx.count("@t0 [kind='result']"), ctx.due()]).toEqual([0, 'reply'])
    // Also within the open cycle, by an edit.
    const edited = createContext()
    edited.user('Look.')
    edited.assistant({ name: 'look', arguments: {} }, { kind: 'call', data_call_id: 'a' })
    const { id } = edited.result('a', 'seen')
    edited.assistant('It is there.')
    edited.delete(`[id='${id}']`)
    expect([edited.due(), edited.openCalls()]).toEqual(['nothing', []])
    const other = createContext()
    other.user('Look.')
    other.assistant({ name: 'look', arguments: {} }, { kind: 'call', data_call_id: 'a' })
    other.result('a', 'a secret')
    other.commit()
    other.delete("[kind='result']", { reason: 'a secret' })
    expect([other.due(), other.openCalls()]).toEqual(['reply', []])
  })

  test('whose result was taken back in the open cycle is open again', () => {
    const ctx = createContext()
    ctx.user('Look.')
    ctx.assistant({ name: 'look', arguments: {} }, { kind: 'call', data_call_id: 'a' })
    const { id } = ctx.result('a', 'seen')
    ctx.delete(`[id='${id}']`)
    expect(ctx.openCalls().map((call) => call.id)).toEqual(['a'])
  })

  test('has the id that requests give it where it came without one, and two of one id are answered in order', () => {
    const ctx = createContext()
    ctx.user('Look.')
    ctx.assistant({ name: 'look', arguments: {} }, { kind: 'call' })
    const [call] = ctx.openCalls()
    expect(JSON.stringify(toAnthropic(ctx))).toContain(`"id":"${call!.id}"`)
    ctx.result(call!, 'seen')
    expect(ctx.due()).toBe('reply')
    const twice = createContext()
    twice.user('Look.')
    receiveAnthropic(twice, {
      role: 'assistant',
      content: ['x', 'y'].map((path) => ({ type: 'tool_use', id: 'a', name: 'look', input: { path } })),
    })
    for (const path of ['x', 'y']) {
      expect(twice.openCalls()[0]?.arguments).toEqual({ path })
      twice.result('a', path)
    }
    expect(twice.due()).toBe('reply')
    expect(refusal(() => twice.result('a', 'z')).code).toBe('E_CONFLICT')
  })

  test('in a list of parts, or of an id that an earlier turn had, is a call as any other', () => {
    const ctx = createContext()
    for (const turn of ['first', 'second']) {
      ctx.user(turn)
      ctx.assistant([
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_use', id: 'call_0', name: 'look', input: { turn } },
      ])
      expect(ctx.openCalls()).toMatchObject([{ id: 'call_0', arguments: { turn } }])
      ctx.result('call_0', turn)
      expect(ctx.due()).toBe('reply')
      ctx.assistant('Seen.')
      ctx.commit()
    }
  })

  test('of an adapter that is not loaded is an error that names it', () => {
    const ctx = createContext()
    ctx.user('Look.')
    ctx.assistant({ acme: 1 }, { kind: 'call', data_call_id: 'a', data_format: 'acme' })
    const wrong = refusal(() => ctx.openCalls())
    expect([wrong.code, wrong.message]).toEqual(['E_CONTENT_INVALID', expect.stringContaining('"acme"')])
  })

  test('that a provider makes itself is none of ours', () => {
    const ctx = createContext()
    ctx.user('Search.')
    receiveAnthropic(ctx, {
      role: 'assistant',
      content: [{ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }],
      stop_reason: 'pause_turn',
    })
    expect([ctx.due(), ctx.openCalls()]).toEqual(['reply', []])
    const sdk = fromModelMessages([
      { role: 'user', content: 'Search.' },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 's', toolName: 'search', input: {}, providerExecuted: true }],
      },
    ])
    expect([sdk.due(), sdk.openCalls()]).toEqual(['user', []])
  })

  test('of a conversation that was imported in the middle of a step is open', () => {
    const messages = [
      { role: 'user', content: 'Look.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{"deep":1e400}' } }],
      },
    ]
    const ctx = fromOpenAIChat({ messages })
    expect([ctx.due(), ctx.openCalls()]).toMatchObject(['calls', [{ id: 'a', argumentsText: '{"deep":1e400}' }]])
    expect(fromOpenAIChat({ messages: messages.slice(0, 1) }).due()).toBe('reply')
  })
})

describe('a call that needs an approval', () => {
  const call = { type: 'tool-call', toolCallId: 'a', toolName: 'book', input: {} }
  const request = { type: 'tool-approval-request', approvalId: 'p', toolCallId: 'a' }
  const response = (approved: boolean): object => ({ type: 'tool-approval-response', approvalId: 'p', approved })

  function waiting(): Context {
    const ctx = createContext()
    ctx.user('Book it.')
    ctx.receive([{ role: 'assistant', content: [call, request] }], { from: fromModelMessages })
    return ctx
  }

  test('waits for a person: the loop ends, and nothing may be executed', () => {
    const ctx = waiting()
    expect([ctx.due(), ctx.openCalls()]).toEqual(['nothing', []])
    ctx.commit()
    expect([ctx.due(), ctx.openCalls()]).toEqual(['nothing', []])
    ctx.user('Something else, please.')
    expect(ctx.due()).toBe('reply')
  })

  test('is open once it is approved, and the model has to hear of it where it was refused', () => {
    for (const commits of [false, true]) {
      const [yes, no] = [waiting(), waiting()]
      if (commits) for (const ctx of [yes, no]) ctx.commit()
      yes.tool(response(true), { kind: 'approval' })
      no.tool(response(false), { kind: 'approval' })
      expect([yes.due(), yes.openCalls()]).toMatchObject(['calls', [{ id: 'a', name: 'book' }]])
      expect([no.due(), no.openCalls()]).toEqual(['reply', []])
      yes.result('a', 'booked')
      expect(yes.due()).toBe('reply')
      expect(toModelMessages(yes).repairs.filter(({ code }) => code === 'stub-result')).toEqual([])
    }
  })
})

// Cache marks: their places, the items that carry them, and that nothing but the marks differs.

import { describe, expect, it } from 'vitest'

import { toModelMessages } from '../../src/adapters/ai-sdk/index.js'
import { fromAnthropic, toAnthropic } from '../../src/adapters/anthropic/index.js'
import { toGemini } from '../../src/adapters/gemini/index.js'
import { fromOpenAIChat, toOpenAIChat, toOpenAIResponses } from '../../src/adapters/openai/index.js'
import { renderSource } from '../../src/context/index.js'
import { RENDERER } from '../../src/thread/index.js'
import { createContext, type Context } from '../../src/index.js'
import { checkAnthropic } from '../support/providers/anthropic.js'
import { recordedAnthropic, recordedChats } from '../support/providers/recorded.js'

type Block = Readonly<Record<string, unknown>>

function talk(turns = 3): Context {
  const ctx = createContext()
  ctx.system.add('rules')
  for (let turn = 0; turn < turns; turn++) {
    ctx.user(`question ${turn}`)
    ctx.assistant(`answer ${turn}`)
    ctx.commit()
  }
  return ctx
}

function blocksIn(request: ReturnType<typeof toAnthropic>): readonly Block[] {
  return [
    ...(request.system ?? []),
    ...request.messages.flatMap(({ content }) => content as readonly unknown[]),
  ] as readonly Block[]
}

function markedTexts(request: ReturnType<typeof toAnthropic>): readonly unknown[] {
  return blocksIn(request).flatMap((block) => (block['cache_control'] === undefined ? [] : [block['text']]))
}

/** The request without its marks, and texts as texts. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key: string, each: unknown) => {
      if (key === 'cache_control' || key === 'prompt_cache_breakpoint') return undefined
      if (key !== 'content' && key !== 'system') return each
      const [only] = Array.isArray(each) ? (each as Block[]) : []
      return only?.['type'] === 'text' && (each as Block[]).length === 1 ? only['text'] : each
    }),
  )
}

describe('marks for Claude', () => {
  it('stand behind the system texts and behind what stays; every text that may carry one is a list', () => {
    const ctx = talk()
    ctx.user('now')
    const request = toAnthropic(ctx, { cache: true })
    expect(markedTexts(request)).toEqual(['rules', 'now'])
    expect(request.messages.every(({ content }) => Array.isArray(content))).toBe(true)
    expect(plain(request)).toEqual(plain(toAnthropic(ctx)))
    expect(checkAnthropic(JSON.parse(JSON.stringify(request)) as never)).toEqual([])
  })

  it.each([toAnthropic, toOpenAIChat, toOpenAIResponses, toModelMessages])(
    'do not change the tokens that are counted (%#)',
    (to) => {
      const ctx = talk()
      ctx.user('now')
      const counted = (options: object): object => ctx.tokens('preview', { for: to, options, by: 'node' })
      expect(counted({ cache: true })).toEqual(counted({}))
      const attempt = ctx.startAttempt({ for: to, params: { model: 'm' }, options: { cache: true } })
      expect(attempt.tokens().total).toBe(ctx.tokens('preview', { for: to }).total)
    },
  )

  it('are off unless they are asked for', () => {
    const ctx = talk()
    expect(toAnthropic(ctx, { cache: false })).toEqual(toAnthropic(ctx))
    expect(markedTexts(toAnthropic(ctx))).toEqual([])
    expect(toAnthropic(ctx).breakpoints).toEqual([])
  })

  it('come before whatever is not there for long, unless told otherwise', () => {
    const ctx = talk()
    ctx.user('now')
    ctx.set('plan', 'the plan')
    expect(markedTexts(toAnthropic(ctx, { cache: true }))).toEqual(['rules', 'now'])
    expect(markedTexts(toAnthropic(ctx, { cache: { at: 'end' } }))).toEqual(['rules', 'the plan'])
    ctx.pre('a document')
    expect(markedTexts(toAnthropic(ctx, { cache: true }))).toEqual(['rules', 'answer 2'])
    ctx.assistant('soon gone', { ttl: 3 })
    ctx.commit()
    ctx.user('next')
    expect(markedTexts(toAnthropic(ctx, { cache: true }))).toEqual(['rules', 'the plan', 'next'])
    ctx.system.add('for a while', { ttl: 2 })
    expect(markedTexts(toAnthropic(ctx, { cache: true }))).toEqual(['rules', 'next'])
  })

  it('come behind everything too, once the model has spoken: the steps of a turn only append', () => {
    const ctx = talk()
    ctx.user('now')
    ctx.set('plan', 'the plan')
    for (const step of [1, 2]) {
      ctx.assistant({ name: 'look', arguments: {} }, { kind: 'call', data_call_id: `c${step}` })
      ctx.tool(`result ${step}`, { kind: 'result', data_call_id: `c${step}` })
      const [rules, before, last, ...others] = toAnthropic(ctx, { cache: true }).breakpoints
      expect([rules, before, last].map((each) => ctx.node(each!.node)!.content)).toEqual([
        'rules',
        'now',
        `result ${step}`,
      ])
      expect(others).toEqual([])
    }
  })

  it('stand where ids say, and no more than a request may have', () => {
    const ctx = talk()
    const ids = ctx.select(".block[role='user']")
    expect(markedTexts(toAnthropic(ctx, { cache: { at: [ids[1]!] } }))).toEqual(['question 1'])
    expect(markedTexts(toAnthropic(ctx, { cache: { at: [] } }))).toEqual([])
    const all = ctx.select('.block')
    expect(() => toAnthropic(ctx, { cache: { at: all } })).toThrow(
      expect.objectContaining({ code: 'E_CONTENT_INVALID' }),
    )
  })

  it('find what the request before kept, however many blocks a turn has up to two steps', () => {
    for (const grown of [2, 10, 19, 30, 36]) {
      const ctx = createContext()
      ctx.system.add('rules')
      let before: number[] = []
      for (let turn = 0; turn < 12; turn++) {
        for (let i = 0; i < grown; i += 2) {
          ctx.user(`u${turn}.${i}`)
          if (i + 1 < grown) ctx.assistant(`a${turn}.${i}`)
        }
        const request = toAnthropic(ctx, { cache: true })
        const marks = blocksIn(request).flatMap((block, at) => ('cache_control' in block ? [at] : []))
        expect(marks.length).toBeLessThanOrEqual(4)
        const isFound = marks.some((at) => before.some((kept) => kept > 0 && kept <= at && at - kept <= 20))
        if (turn > 0) expect(isFound).toBe(true)
        expect(marks.at(-1)).toBe(blocksIn(request).length - 1)
        before = marks
        ctx.commit()
      }
    }
  })

  it('leave one free for the tools, and have the lifetime that is wanted', () => {
    const ctx = talk(60)
    const request = toAnthropic(ctx, { cache: { tools: true, ttl: '1h' } })
    const marks = blocksIn(request).flatMap((block) => block['cache_control'] ?? [])
    expect(marks).toEqual(Array.from({ length: 3 }, () => ({ type: 'ephemeral', ttl: '1h' })))
    expect(toAnthropic(ctx, { cache: true }).breakpoints).toHaveLength(4)
  })

  it('are no difference: bytes are those of the request, everything else is told of it without marks', () => {
    const ctx = talk(40)
    const [request, bare] = [toAnthropic(ctx, { cache: true }), toAnthropic(ctx)]
    expect(Buffer.from(request.bytes).toString()).toBe(JSON.stringify(request))
    expect(request.sourceMap).toEqual(bare.sourceMap)
    expect(Object.keys(request)).toEqual(Object.keys(bare))
    const text = Buffer.from(bare.bytes)
    for (const { node, byte, item } of request.breakpoints) {
      const { content } = ctx.snapshot('@t0').node(node)!
      expect(text.subarray(0, byte).toString().endsWith(JSON.stringify(content))).toBe(true)
      if (item > 0) expect(bare.messages[item]!.content).toBe(content)
    }
    expect(ctx.prefix('@t-1', '@t0', { for: toAnthropic, options: { cache: true } })).toEqual(
      ctx.prefix('@t-1', '@t0', { for: toAnthropic }),
    )
  })

  it('of an import are gone, also within results', () => {
    const mark = { cache_control: { type: 'ephemeral' } }
    const ctx = fromAnthropic({
      system: [{ type: 'text', text: 'rules', ...mark }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'go', ...mark }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 't', input: {}, ...mark }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'r', ...mark }] }],
        },
      ],
    })
    expect(JSON.stringify(toAnthropic(ctx, { cache: true })).match(/cache_control/g)).toHaveLength(2)
    expect(JSON.stringify(toAnthropic(ctx)).match(/cache_control/g)).toHaveLength(4)
  })

  it.each([[{ at: 'top' }], [{ ttl: '2h' }], [{ tools: 1 }], [{ key: 'k' }], ['yes'], [7]])('refuse %j', (cache) => {
    expect(() => toAnthropic(talk(), { cache: cache as never })).toThrow(
      expect.objectContaining({ code: 'E_CONTENT_INVALID', details: { name: 'cache' } }),
    )
  })

  it('keep every recorded conversation valid, also an edited one', () => {
    const contexts = [
      ...recordedAnthropic().map(({ request }) => fromAnthropic(request as never)),
      ...recordedChats()
        .slice(0, 200)
        .map(({ request }) => fromOpenAIChat(request)),
    ]
    expect(contexts.length).toBeGreaterThan(50)
    for (const ctx of contexts) {
      for (const cut of [false, true]) {
        if (cut) ctx.delete("^seq .block[role='user']?")
        const request = JSON.parse(JSON.stringify(toAnthropic(ctx, { cache: true }))) as never
        const faults = checkAnthropic(request).map(({ rule }) => rule)
        expect(faults.filter((rule) => rule.startsWith('cache'))).toEqual([])
        expect(plain(request)).toEqual(plain(toAnthropic(ctx)))
      }
    }
  })
})

describe('marks for others', () => {
  it('are breakpoints on parts and a key for Chat Completions', () => {
    const ctx = talk()
    const request = toOpenAIChat(ctx, { cache: { key: 'support' } })
    const mark = { prompt_cache_breakpoint: { mode: 'explicit' } }
    expect(request.prompt_cache_key).toBe('support')
    expect(request.messages[0]).toEqual({ role: 'system', content: [{ type: 'text', text: 'rules', ...mark }] })
    expect(request.messages.at(-1)).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'answer 2', ...mark }],
    })
    expect(JSON.stringify(request).match(/explicit/g)).toHaveLength(2)
    expect(Buffer.from(request.bytes).toString()).toBe(JSON.stringify(request))
    expect({ ...(plain(request) as object), prompt_cache_key: undefined }).toEqual(plain(toOpenAIChat(ctx)))
  })

  it('are breakpoints on what goes in, and a key, for Responses', () => {
    const ctx = talk()
    ctx.user('now')
    const request = toOpenAIResponses(ctx, { cache: { key: 'support' } })
    expect(request.prompt_cache_key).toBe('support')
    expect(JSON.stringify(request).match(/explicit/g)).toHaveLength(1)
    expect(JSON.stringify(request.input.at(-1))).toContain('explicit')
    expect(Buffer.from(request.bytes).toString()).toBe(JSON.stringify(request))
  })

  it('are in the bytes of an attempt that is rendered again', () => {
    const ctx = talk()
    const { [RENDERER]: renderer } = toAnthropic
    const { view } = renderSource(ctx)
    const chunks = renderer.bytesOf(view, { cache: true })
    expect(chunks.map(({ text }) => text).join('')).toBe(JSON.stringify(toAnthropic(ctx, { cache: true })))
  })

  it('are options of messages for the AI SDK', () => {
    const ctx = talk()
    const request = toModelMessages(ctx, { cache: { ttl: '1h' } })
    const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral', ttl: '1h' } } }
    expect(request.system).toEqual([{ role: 'system', content: 'rules', providerOptions }])
    expect(request.messages.at(-1)).toEqual({ role: 'assistant', content: 'answer 2', providerOptions })
    expect(request.breakpoints.map(({ item }) => item)).toEqual([0, 5])
  })

  it('do not exist for Gemini, which says so', () => {
    expect(() => toGemini(talk(), { cache: true } as never)).toThrow(
      'There is no option "cache"; there are lens, repair, blocks, unknown, form, signatures',
    )
  })
})

describe('what a difference costs', () => {
  it('is what stands behind it, or with marks what was kept behind the last mark that holds', () => {
    const ctx = talk(4)
    const whole = ctx.tokens('@t0').total
    const rules = ctx.first('^sys .block', { includeContent: true })!
    ctx.system.replace('^sys .block', { content: 'other rules' })
    const options = { for: toAnthropic, options: { cache: true } }
    const top = ctx.prefix('@t0', 'preview', options).first!
    expect(top).toMatchObject({ lost: whole, breakpoint: { node: rules.id, item: 0 } })
    expect(ctx.prefix('@t0', 'preview', { for: toAnthropic }).first).toMatchObject({ lost: whole })
    ctx.undo()
    ctx.delete("(d1) .block[role='assistant']")
    const late = ctx.prefix('@t0', 'preview', options).first!
    expect(late.breakpoint).toMatchObject({ item: 7 })
    expect(late.lost).toBe(whole - ctx.tokens('@t0', { by: 'region' }).by['^sys']!)
  })

  it('is nothing where the difference stands behind every mark', () => {
    const ctx = talk(4)
    ctx.user('now')
    ctx.set('plan', 'one')
    ctx.commit()
    ctx.user('next')
    ctx.set('plan', 'two')
    const { first } = ctx.prefix('@t0', 'preview', { for: toAnthropic, options: { cache: true } })
    expect(first).toMatchObject({ lost: 0 })
    expect(first).not.toHaveProperty('breakpoint')
  })
})

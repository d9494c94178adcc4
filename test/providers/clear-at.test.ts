// `expiry: 'clear-at'`: blocks with a ttl of 1 are hidden by the server instead of leaving the request. Programs combine turns with steps, blocks made
// at any time, commits anywhere, cadences, forks, edits and forgetting. The server says which facts the model sees.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import type { AnyContext } from '../../src/context/index.js'
import { createContext, importSnapshot, type Context } from '../../src/index.js'
import { openStore } from '../../src/store/index.js'
import type { ClaudeBody } from '../support/providers/bound-claude.js'
import { checkAnthropic } from '../support/providers/anthropic.js'
import { ClearingClaude } from '../support/providers/clearing-claude.js'
import { factsIn } from '../support/providers/compacting.js'
import { runs } from '../support/runs.js'

const options = { expiry: 'clear-at' } as const
const params = { model: 'claude', max_tokens: 100 }

type Step =
  | Readonly<{ do: 'ask'; calls: number; thinks: boolean; cache: boolean }>
  | Readonly<{ do: 'pre' | 'post'; ttl: number | undefined; cad: boolean }>
  | Readonly<{ do: 'edit' | 'delete' | 'redact' | 'forget' | 'hold' | 'insert'; at: number }>
  | Readonly<{ do: 'user' | 'results' | 'commit' | 'fork' | 'working' | 'file' }>

const ADDS: readonly fc.WeightedArbitrary<Step>[] = [
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('ask'),
      calls: fc.integer({ min: 0, max: 2 }),
      thinks: fc.boolean(),
      cache: fc.boolean(),
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constantFrom('pre', 'post'),
      ttl: fc.constantFrom(1, 1, 1, undefined),
      cad: fc.constant(false),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('commit', 'fork') }) },
]

const STEP: fc.Arbitrary<Step> = fc.oneof(
  ...ADDS,
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('user', 'results', 'commit') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('working', 'file') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('pre', 'post'),
      ttl: fc.constantFrom(0, 1, 2, undefined),
      cad: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('edit', 'delete', 'redact', 'forget', 'hold', 'insert'),
      at: fc.nat(60),
    }),
  },
)

class Play {
  ctx: Context = createContext()
  readonly claude = new ClearingClaude()
  readonly #bodies: { id: string; text: string; of: Context }[] = []
  #open: string[] = []
  #facts = 0
  #before: ClaudeBody['messages'] = []
  /** Facts that were redacted or replaced; those of returning notes are also in older instances. */
  readonly #redacted = new Set<string>()
  hidden = 0
  forgot = false

  constructor() {
    this.ctx.system.add('You are a clerk.')
    this.ctx.user(`Begin ${this.fact()}.`)
  }

  fact(): string {
    return `fact-${this.#facts++}`
  }

  run(steps: readonly Step[], onlyAdds: boolean): void {
    for (const step of steps) {
      try {
        if (step.do === 'ask') this.#ask(step, onlyAdds)
        else this.#do(step)
      } catch (error) {
        // An edit may be refused; a request may not.
        if (!(error instanceof Error) || error.name !== 'PactError' || step.do === 'ask') throw error
      }
    }
    this.#ask({ calls: 0, thinks: true, cache: false }, onlyAdds)
    if (this.forgot) return
    for (const { id, text, of } of this.#bodies) expect(textOf(of.requestOf(id))).toBe(text)
  }

  #do(step: Exclude<Step, { do: 'ask' }>): void {
    const { ctx } = this
    switch (step.do) {
      case 'user':
        return void ctx.user(`The user says ${this.fact()}.`)
      case 'results':
        for (const id of this.#open.splice(0)) ctx.tool(`Result ${this.fact()}`, { kind: 'result', data_call_id: id })
        return
      case 'pre':
      case 'post': {
        const header = step.cad ? { key: `key-${this.#facts}`, cad: 1 } : {}
        return void ctx[step.do](`Note ${this.fact()}`, {
          ...header,
          ...(step.ttl === undefined ? {} : { ttl: step.ttl }),
        })
      }
      case 'commit':
        return void ctx.commit()
      case 'fork':
        ctx.commit()
        this.ctx = ctx.fork()
        return
      case 'working':
        this.ctx = ctx.fork('working')
        return
      case 'file':
        ctx.commit()
        this.ctx = importSnapshot(ctx.export())
        return
      default:
        return this.#change(step)
    }
  }

  #change({ do: how, at }: Extract<Step, { at: number }>): void {
    const nodes = this.ctx.nodes('.block')
    if (nodes.length === 0) return
    const { id, key, content } = nodes[at % nodes.length]!
    const selector = `[id='${id}']`
    const facts = key === undefined && (how === 'redact' || how === 'edit') ? factsIn(content) : []
    this.#apply(how, selector, id, at)
    for (const fact of facts) this.#redacted.add(fact)
  }

  #apply(how: Extract<Step, { at: number }>['do'], selector: string, id: string, at: number): void {
    if (how === 'edit') this.ctx.replace(selector, { content: `Edited ${this.fact()}` })
    else if (how === 'delete') this.ctx.delete(selector)
    else if (how === 'redact') this.ctx.redact(selector, { match: /fact-\d+/ })
    else if (how === 'hold') this.ctx.hold(id)
    else if (how === 'insert')
      this.ctx.insert({ content: `Inserted ${this.fact()}`, ttl: 1 }, `(d${1 + (at % 2)}, end)`)
    else {
      this.ctx.forget(selector)
      this.forgot = true
    }
  }

  #ask({ calls, thinks, cache }: Omit<Extract<Step, { do: 'ask' }>, 'do'>, onlyAdds: boolean): void {
    const attempt = this.ctx.startAttempt({ for: toAnthropic, params, options: { ...options, cache } })
    const made = this.claude.thoughts
    const said = { calls, thinks, text: true, interleaved: false, redacted: false }
    const reply = this.claude.create(attempt.body, said)
    const request = this.claude.requests.at(-1)!
    expect(checkAnthropic(request)).toEqual([])
    expect(factsIn(request).filter((fact) => this.#redacted.has(fact))).toEqual([])
    // A live fact is one that is in the request without the option.
    const plain = toAnthropic(attempt.snapshot, { thinking: 'all' })
    expect([...this.claude.seen(request)].toSorted()).toEqual(
      [...new Set(factsIn([plain.messages, plain.system ?? '']))].toSorted(),
    )
    this.hidden += new Set(factsIn(request)).size - this.claude.seen(request).size
    if (onlyAdds) {
      const unmarked = withoutMarks(request.messages)
      expect(unmarked.slice(0, this.#before.length)).toEqual(this.#before)
      expect(this.claude.signaturesIn(request)).toHaveLength(made)
      this.#before = unmarked
    }
    this.#bodies.push({ id: attempt.id, text: JSON.stringify(attempt.body), of: this.ctx })
    this.#open.push(...attempt.receive(reply).calls.map(({ id }) => id))
  }
}

function withoutMarks(messages: ClaudeBody['messages']): ClaudeBody['messages'] {
  return messages.map((message) => ({
    ...message,
    content:
      typeof message.content === 'string'
        ? [{ type: 'text', text: message.content }]
        : message.content.map(({ cache_control: _mark, ...block }) => block),
  }))
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

/** Calls are answered, and a user speaks, before anything else follows a reply. */
function answering(steps: readonly Step[]): readonly Step[] {
  return steps.flatMap((step): Step[] => {
    return step.do === 'ask' ? [step, { do: step.calls === 0 ? 'user' : 'results' }] : [step]
  })
}

describe('a server that clears', () => {
  it('shows every live fact and no other, whatever a program does, and gives every request again', () => {
    let hidden = 0
    fc.assert(
      fc.property(fc.array(STEP, { minLength: 5, maxLength: 40 }), (steps) => {
        const play = new Play()
        play.run(steps, false)
        hidden += play.hidden
      }),
      { numRuns: runs(60) },
    )
    // The law would hold of requests that hide nothing, too.
    expect(hidden).toBeGreaterThan(50)
  })

  it('gets requests that only grow, with all thoughts, from a program that only adds', () => {
    let hidden = 0
    fc.assert(
      fc.property(fc.array(fc.oneof(...ADDS), { minLength: 5, maxLength: 40 }), (steps) => {
        const play = new Play()
        play.run(answering(steps), true)
        hidden += play.hidden
      }),
      { numRuns: runs(40) },
    )
    expect(hidden).toBeGreaterThan(50)
  })
})

/** Three turns with a note each; the second has a step. */
function threeTurns(ctx: AnyContext, commit: () => void): void {
  for (const at of [1, 2, 3]) {
    ctx.user(`Question fact-${at}0`)
    ctx.post(`Note fact-${at}1`, { ttl: 1 })
    if (at === 2) {
      ctx.assistant({ name: 'read', arguments: {} }, { kind: 'call', data_call_id: 'a' })
      ctx.tool('Result', { kind: 'result', data_call_id: 'a' })
    }
    if (at === 3) return
    ctx.assistant(`Answer ${at}`)
    commit()
  }
}

const request = (ctx: Parameters<typeof toAnthropic>[0]): ReturnType<typeof toAnthropic> => toAnthropic(ctx, options)
const notesIn = (made: object): readonly string[] => factsIn(made).filter((fact) => fact.endsWith('1'))
const codes = (made: ReturnType<typeof toAnthropic>): readonly string[] => made.repairs.map(({ code }) => code)

describe('a note of an earlier turn', () => {
  it('is sent on from the snapshot that held it, behind every message of the user in its turn', () => {
    const ctx = createContext()
    threeTurns(ctx, () => ctx.commit())
    expect(notesIn(request(ctx).messages)).toEqual(['fact-11', 'fact-21', 'fact-21', 'fact-31'])
    expect(codes(request(ctx))).toEqual([])
    expect(notesIn(toAnthropic(ctx).messages)).toEqual(['fact-31'])
    expect(ctx.tokens('preview', { for: toAnthropic, options }).total).toBeLessThan(
      ctx.tokens('preview', { for: toAnthropic }).total + 20,
    )
    expect(request(ctx.fork('working')).messages).toEqual(request(ctx).messages)
  })

  it('does not break the prefix when it expires', () => {
    const ctx = createContext()
    ctx.user('Question')
    ctx.post('Note', { ttl: 1 })
    const first = ctx.startAttempt({ for: toAnthropic, params, options })
    first.receive({ role: 'assistant', content: [{ type: 'text', text: 'Answer' }], stop_reason: 'end_turn' })
    ctx.commit()
    ctx.user('Next')
    const difference = (given: object): unknown =>
      ctx.prefix('@t0', 'preview', { for: toAnthropic, options: given }).first?.item
    expect(difference(options)).toBeUndefined()
    expect(difference({})).toBe(1)
  })

  it('is left out, with a repair, where its snapshot is not there', () => {
    const ctx = createContext()
    threeTurns(ctx, () => ctx.commit())
    ctx.commit()
    const imported = request(importSnapshot(ctx.export()))
    expect(notesIn(imported.messages)).toEqual(['fact-31'])
    expect(imported.repairs).toMatchObject([{ code: 'left-out', node: 'seg:2-6' }])
  })

  it('is left out once it was deleted or forgotten', () => {
    const ctx = createContext()
    threeTurns(ctx, () => ctx.commit())
    const fork = ctx.fork()
    fork.delete('[ttl=1]')
    for (const text of ['Next', 'And on']) {
      fork.user(text)
      expect(notesIn(request(fork).messages)).toEqual(['fact-11'])
      fork.assistant('Answer')
      fork.commit()
    }
    expect(notesIn(request(ctx).messages)).toContain('fact-21')
    ctx.forget("[content~'fact-21']")
    expect(notesIn(request(ctx).messages)).not.toContain('fact-21')
    expect(codes(request(ctx))).toContain('left-out')
  })

  it.each(['redact', 'replace'] as const)('is left out after a %s in the cycle in which it expires', async (edit) => {
    const store = await openStore('memory:')
    const ctx = await store.open('a')
    ctx.user('Question')
    ctx.post('Card 4111', { ttl: 1 })
    ctx.assistant('Answer')
    await ctx.commit()
    ctx.user('Next')
    if (edit === 'redact') ctx.redact('[ttl=1]', { match: '4111' })
    else ctx.replace('[ttl=1]', { content: 'Card' })
    for (const at of [1, 2]) {
      expect(JSON.stringify(request(ctx))).not.toContain('4111')
      await ctx.commit()
      ctx.user(`More ${at}`)
    }
    const again = await store.open('a')
    await again.loadHistory('@*')
    expect(JSON.stringify(request(again))).not.toContain('4111')
    await store.close()
  })

  it('is there again after reopening, once its history is loaded, and so are requests that were sent', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pact-clear-'))
    const address = `sqlite:${path.join(folder, 'a.db')}`
    const store = await openStore(address)
    const ctx = await store.open('a')
    for (const at of [1, 2, 3]) {
      ctx.user(`Question ${at}`)
      ctx.post(`Note fact-${at}1`, { ttl: 1 })
      ctx.assistant(`Answer ${at}`)
      await ctx.commit()
    }
    ctx.user('Last')
    const attempt = ctx.startAttempt({ for: toAnthropic, params, options })
    expect(notesIn(attempt.body)).toEqual(['fact-11', 'fact-21', 'fact-31'])
    await ctx.save()
    await store.close()
    const later = await openStore(address)
    const again = await later.open('a', { history: 1 })
    expect(notesIn(request(again).messages)).toEqual(['fact-31'])
    expect(codes(request(again))).toEqual(['left-out'])
    await again.loadHistory('@*')
    expect(request(again).messages).toEqual(attempt.body.messages)
    expect(textOf(again.requestOf(attempt.id))).toBe(JSON.stringify(attempt.body))
    await later.close()
    fs.rmSync(folder, { recursive: true })
  })

  it('needs models that take system messages', () => {
    const ctx = createContext()
    for (const wrong of [{ expiry: 'never' }, { ...options, systemMessages: 'user' }]) {
      expect(() => toAnthropic(ctx, wrong as never)).toThrow(expect.objectContaining({ code: 'E_CONTENT_INVALID' }))
    }
  })
})

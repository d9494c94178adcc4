// Law 2: every thought that is sent has the beginning that it was made for, and nothing else about a request changes because of that. Programs
// combine steps, parallel calls, commits anywhere, plans, documents, edits, budgets, forks, files and tools that change.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { fromModelMessages, toModelMessages } from '../../src/adapters/ai-sdk/index.js'
import { fromAnthropic, toAnthropic } from '../../src/adapters/anthropic/index.js'
import { fromBedrock, toBedrock } from '../../src/adapters/bedrock/index.js'
import { createContext, importSnapshot, type Context, type ContextOptions } from '../../src/index.js'
import {
  AI_SDK,
  ANTHROPIC,
  BEDROCK,
  BoundClaude,
  type ClaudeBody,
  type Said,
  type Spelling,
} from '../support/providers/bound-claude.js'
import { runs } from '../support/runs.js'

type Step =
  | Readonly<{ do: 'ask'; said: Said; byHand: boolean }>
  | Readonly<{ do: 'user' | 'pre' | 'post'; ttl: number | undefined }>
  | Readonly<{ do: 'results'; ttl: number | undefined; most: number }>
  | Readonly<{ do: 'set' | 'system'; key: string }>
  | Readonly<{ do: 'edit' | 'delete' | 'redact' | 'insert' | 'tag' | 'move'; at: number }>
  | Readonly<{ do: 'commit' | 'undo' | 'fork' | 'file' | 'tools' }>

const SAID: fc.Arbitrary<Said> = fc.record({
  calls: fc.integer({ min: 0, max: 3 }),
  text: fc.boolean(),
  interleaved: fc.boolean(),
  redacted: fc.boolean(),
  thinks: fc.integer({ min: 0, max: 4 }).map((n) => n > 0),
})

const NO_TTL = fc.constant(undefined)
const ADDS: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 8, arbitrary: fc.record({ do: fc.constant('ask'), said: SAID, byHand: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('user'), ttl: NO_TTL }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('results'), ttl: NO_TTL, most: fc.constant(9) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('commit') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('file') }) },
]

const TTL = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined })
const AT = fc.nat(60)
const STEP: fc.Arbitrary<Step> = fc.oneof(
  ...ADDS,
  { weight: 2, arbitrary: fc.record({ do: fc.constant('results'), ttl: TTL, most: fc.integer({ min: 1, max: 2 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('pre', 'post', 'user'), ttl: TTL }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('set', 'system'), key: fc.constantFrom('plan', 'notes') }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('edit', 'delete', 'redact', 'insert', 'tag', 'move'), at: AT }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('undo', 'fork', 'tools') }) },
)

const OPTIONS: fc.Arbitrary<ContextOptions> = fc.constantFrom<ContextOptions>(
  {},
  {},
  { prune: { maxTokens: 120 } },
  { prune: { maxTokens: 200, unit: 'turn' } },
  { prune: { maxDepth: 2 } },
)

/** The parts of an adapter that a program needs. */
type Provider = Readonly<{
  to: typeof toAnthropic
  from: typeof fromAnthropic
  speaks: Spelling
  params: (tools: object[]) => object
}>

const PROVIDERS: Readonly<Record<string, Provider>> = {
  anthropic: {
    to: toAnthropic,
    from: fromAnthropic,
    speaks: ANTHROPIC,
    params: (tools) => ({ model: 'claude', tools }),
  },
  'ai-sdk': {
    to: toModelMessages as unknown as typeof toAnthropic,
    from: fromModelMessages,
    speaks: AI_SDK,
    params: (tools) => ({ model: 'claude', tools }),
  },
  bedrock: {
    to: toBedrock as unknown as typeof toAnthropic,
    from: fromBedrock,
    speaks: BEDROCK,
    params: (tools) => ({ modelId: 'claude', toolConfig: { tools } }),
  },
}

class Play {
  ctx: Context
  readonly claude: BoundClaude
  readonly #provider: Provider
  #open: string[] = []
  #tools = 1
  #isFree = true
  #said = 0
  /** The thoughts that were in a request, and those that were left out. */
  sent = 0
  stale = 0

  constructor(provider: Provider, options: ContextOptions) {
    this.#provider = provider
    this.claude = new BoundClaude(provider.speaks)
    this.ctx = createContext(options)
    this.ctx.system.add('You are a clerk.')
    this.ctx.user('Begin.')
  }

  /** With `keepsAll`, every request has all thoughts that were ever made. */
  run(steps: readonly Step[], keepsAll: boolean): void {
    // A request by hand does not know the tools, so they stay what they are.
    this.#isFree = steps.every((step) => step.do !== 'tools')
    for (const step of steps) {
      try {
        if (step.do === 'ask') this.#ask(!(step.byHand && this.#isFree), step.said, keepsAll)
        else this.#do(step)
      } catch (error) {
        // An edit may be refused; a thought may not.
        if (!(error instanceof Error) || error.name !== 'PactError') throw error
      }
    }
    this.#ask(true, { calls: 0, text: true, interleaved: false, redacted: false, thinks: true }, false)
  }

  #do(step: Exclude<Step, { do: 'ask' }>): void {
    const { ctx } = this
    const words = `words ${this.#said++}`
    switch (step.do) {
      case 'user':
        return void ctx.user(words, ttlOf(step.ttl))
      case 'pre':
      case 'post':
        return void ctx[step.do](words, ttlOf(step.ttl))
      case 'results':
        for (const id of this.#open.splice(0, step.most)) {
          ctx.tool(words, { kind: 'result', data_call_id: id, ...ttlOf(step.ttl) })
        }
        return
      case 'set':
        return void ctx.set(step.key, words)
      case 'system':
        return void ctx.system.set(step.key, words)
      case 'commit':
        return void ctx.commit()
      case 'undo':
        return void ctx.undo()
      case 'fork':
        ctx.commit()
        this.ctx = ctx.fork()
        return
      case 'file':
        ctx.commit()
        this.ctx = importSnapshot(ctx.export())
        return
      case 'tools':
        this.#tools = (this.#tools % 2) + 1
        return
      default:
        return this.#change(step, words)
    }
  }

  #change({ do: how, at }: Extract<Step, { at: number }>, words: string): void {
    const nodes = this.ctx.nodes('.block')
    if (nodes.length === 0) return
    const { id } = nodes[at % nodes.length]!
    const selector = `[id='${id}']`
    if (how === 'edit') this.ctx.replace(selector, { content: words })
    else if (how === 'delete') this.ctx.delete(selector)
    else if (how === 'redact') this.ctx.redact(selector, { match: /\w/, author: 'dpo', reason: 'law' })
    else if (how === 'tag') this.ctx.update(selector, { tags: ['seen'] })
    else if (how === 'move') this.ctx.move(selector, { depth: at % 3, zone: 'pre' } as never)
    else this.ctx.insert({ content: words }, { depth: 1 + (at % 2), zone: at % 2 === 0 ? 'pre' : 'post' } as never)
  }

  /** A request, its check, and the reply. */
  #ask(byAttempt: boolean, said: Said, keepsAll: boolean): void {
    const { to, from, params } = this.#provider
    const before = this.claude.thoughts
    const tools = Array.from({ length: this.#tools }, (_, i) => ({ name: `tool${i}` }))
    const given = params(tools) as { model: string }
    if (byAttempt) {
      const attempt = this.ctx.startAttempt({ for: to, params: given })
      const made = to(attempt.snapshot)
      if (this.#isFree) expect(JSON.stringify({ ...made })).toBe(JSON.stringify(renderedOnly(attempt.body as object)))
      const reply = this.claude.create(attempt.body, said)
      this.#compare(attempt.snapshot, attempt.body)
      expect(new TextDecoder().decode(attempt.request())).toBe(JSON.stringify(attempt.body))
      this.#open.push(...attempt.receive(reply).calls.map(({ id }) => id))
    } else {
      const body = { ...params([{ name: 'tool0' }]), ...to(this.ctx) }
      const reply = this.claude.create(body, said)
      this.#compare(this.ctx, body)
      this.#open.push(...this.ctx.receive(reply, { from }).calls.map(({ id }) => id))
    }
    if (keepsAll) expect(this.claude.signaturesIn(this.claude.requests.at(-1)!)).toHaveLength(before)
  }

  /** The request is that with all thoughts, minus thoughts. */
  #compare(source: Parameters<typeof toAnthropic>[0], body: ClaudeBody): void {
    const [sent, all] = [plain(body), plain(this.#provider.to(source, { thinking: 'all' }))]
    const without = this.claude.withoutThoughts(sent)
    expect(without.messages).toEqual(this.claude.withoutThoughts(all).messages)
    expect(sent['system']).toEqual(all['system'])
    const [kept, every] = [this.claude.signaturesIn(sent), this.claude.signaturesIn(all)]
    expect(every.filter((signature) => kept.includes(signature))).toEqual(kept)
    this.sent += kept.length
    this.stale += every.length - kept.length
    expect(this.claude.signaturesIn(plain(this.#provider.to(source, { thinking: 'off' }) as never))).toEqual([])
  }
}

function plain(body: object): ClaudeBody {
  return JSON.parse(JSON.stringify({ ...body })) as ClaudeBody
}

function renderedOnly(body: object): object {
  const {
    model: _,
    modelId: _id,
    tools: _tools,
    toolConfig: _config,
    ...rest
  } = body as Readonly<Record<string, unknown>>
  return rest
}

function ttlOf(ttl: number | undefined): { ttl?: number } {
  return ttl === undefined ? {} : { ttl }
}

describe.each(Object.entries(PROVIDERS))('%s', (_, provider) => {
  it('sends no thought behind another beginning, whatever a program does', () => {
    let [sent, stale] = [0, 0]
    fc.assert(
      fc.property(OPTIONS, fc.array(STEP, { minLength: 5, maxLength: 40 }), (options, steps) => {
        const play = new Play(provider, options)
        play.run(steps, false)
        sent += play.sent
        stale += play.stale
      }),
      { numRuns: runs(120) },
    )
    // The law would hold of requests without thoughts, too.
    expect(sent).toBeGreaterThan(200)
    expect(stale).toBeGreaterThan(200)
  })

  it('keeps every thought of a program that only adds', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(...ADDS), { minLength: 5, maxLength: 40 }), (steps) => {
        new Play(provider, {}).run(answering(steps), true)
      }),
      { numRuns: runs(80) },
    )
  })
})

/** Calls are answered before anything follows: a result that comes later takes the place of its stub, which is a change. Then a user speaks. */
function answering(steps: readonly Step[]): readonly Step[] {
  return steps.flatMap((step): Step[] => {
    if (step.do !== 'ask') return step.do === 'results' ? [] : [step]
    return [step, { do: step.said.calls === 0 ? 'user' : 'results', ttl: undefined, most: 9 }]
  })
}

// Laws of budgets (LOOP laws 4 and 5; D59–D61) over generated programs: steps with parallel calls and errors, edits, redactions, sets, forks,
// commits anywhere, trims, undo, exports and imports, and reopening from a store. The naive model says what the tree is; what was shed is also
// remembered here, by content, without any model.

import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { toGemini } from '../../src/adapters/gemini/index.js'
import { toOpenAIChat } from '../../src/adapters/openai/index.js'
import { createContext, importSnapshot, PactError, type Context } from '../../src/index.js'
import { openStore } from '../../src/store/index.js'
import { EditingOracle, type OraclePolicy } from '../oracle/editing.js'
import { runs } from '../support/runs.js'
import { decodeJson } from '../support/json.js'

const SEED = Number(process.env['PACT_SEED'] ?? 61)

type Result = { size: number; secret: boolean; isError: boolean; pinned: boolean }

type Step =
  | { do: 'ask'; words: string }
  | { do: 'call'; results: readonly Result[] }
  | { do: 'say'; words: string }
  | { do: 'set'; words: string }
  | { do: 'commit' | 'trim' | 'undo' }
  | { do: 'unshed' | 'redact' | 'delete' | 'tag' | 'replace' | 'expire'; pick: number }

const result = fc.record({
  size: fc.constantFrom(5, 60, 90, 150, 300),
  secret: fc.boolean(),
  isError: fc.constantFrom(false, false, true),
  pinned: fc.constantFrom(false, false, false, false, true),
})

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom('hi', 'do it please').map((words): Step => ({ do: 'ask', words })) },
  {
    weight: 6,
    arbitrary: fc.array(result, { minLength: 1, maxLength: 3 }).map((results): Step => ({ do: 'call', results })),
  },
  { weight: 1, arbitrary: fc.constantFrom('done', 'well').map((words): Step => ({ do: 'say', words })) },
  { weight: 1, arbitrary: fc.constantFrom('plan A', 'plan B').map((words): Step => ({ do: 'set', words })) },
  { weight: 5, arbitrary: fc.constantFrom<Step>({ do: 'commit' }, { do: 'commit' }, { do: 'trim' }, { do: 'undo' }) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom('unshed', 'redact', 'delete', 'tag', 'replace', 'expire'), fc.nat(50))
      .map(([what, pick]): Step => ({ do: what as 'unshed', pick })),
  },
)

const policy = fc.record({
  maxTokens: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(150, 300, 600, 1200) },
    {
      weight: 1,
      arbitrary: fc.constantFrom({ '^seq': 300 }, { '^ah': 200 }, { '^sys': 1, '^seq': 200, '^ah': 300 }),
    },
  ),
  protectSegments: fc.constantFrom(undefined, 0, 2),
  unit: fc.constantFrom(undefined, 'turn' as const),
  target: fc.constantFrom(undefined, undefined, 0.3, 1),
  names: fc.constantFrom(undefined, 2, 40),
  results: fc.record({
    keep: fc.constantFrom(0, 1, 2, 4),
    atLeast: fc.constantFrom(undefined, undefined, 0.2, 0.5),
    except: fc.constantFrom(undefined, undefined, ".block[data_error='yes']", '.block:last'),
  }),
})

const program = fc.record({
  dialect: fc.constantFrom('1.0' as const, '0.1' as const),
  prune: policy,
  steps: fc.array(step, { minLength: 4, maxLength: 30, size: 'max' }),
})

const SECRET = 'SESAME'

/** The same calls on both sides, or without a model on one. */
class Both {
  readonly ctx: Context
  readonly oracle: EditingOracle | undefined
  /** The ids of all results ever made. */
  readonly made: string[] = []
  calls = 0

  constructor(ctx: Context, oracle: EditingOracle | undefined) {
    this.ctx = ctx
    this.oracle = oracle
  }

  #same(actual: unknown, expected: (oracle: EditingOracle) => unknown): void {
    if (this.oracle !== undefined) expect(actual).toEqual(expected(this.oracle))
  }

  add(content: string | object, header: Record<string, unknown>): string {
    const { id } = this.ctx.add(content, { ...header, zone: 'core' })
    this.#same(id, (oracle) => oracle.add({ content, ...header, zone: 'core' }))
    return id
  }

  /** A live result. */
  pick(pick: number): string {
    const ids = this.ctx.select("@working .block[kind='result']")
    return ids[pick % ids.length] ?? 'none'
  }

  run(given: Step): void {
    const { ctx } = this
    switch (given.do) {
      case 'ask':
        return void this.add(given.words, { role: 'user' })
      case 'say':
        return void this.add(given.words, { role: 'assistant' })
      case 'set':
        return this.#same(ctx.set('plan', given.words).id, (oracle) => oracle.set('plan', given.words))
      case 'call':
        return this.#call(given.results)
      case 'commit': {
        const { removed, shed, limits, unmet } = ctx.commit().receipt
        const receipt = {
          removed: removed.map(({ size: _size, ...rest }) => rest),
          shed,
          limits: limits.map(({ kept: _kept, ...rest }) => rest),
          unmet,
        }
        return this.#same(receipt, (oracle) => oracle.commit())
      }
      case 'trim':
        return this.#same(
          ctx.trim().map(({ standIn }) => standIn),
          (oracle) => oracle.trim(),
        )
      case 'undo':
        return this.#same(ctx.undo(), (oracle) => oracle.undo())
      case 'redact': {
        const selector = given.pick % 2 === 0 ? '.block?' : `.block[content~'${SECRET}']?`
        const options = { match: SECRET, with: 'xxx' }
        return this.#same(idsOf(ctx.redact(selector, options)), (oracle) => oracle.redact(selector, options))
      }
      default:
        return this.#change(given.do, this.pick(given.pick))
    }
  }

  #call(results: readonly Result[]): void {
    const calls = results.map((each) => ({ ...each, callId: `c${++this.calls}` }))
    for (const { callId } of calls) {
      const path = `src/${this.calls % 4}/file-${this.calls}.ts`
      this.add(
        { name: `tool_${callId}`, arguments: { path, order: `#W${this.calls % 3}00` } },
        { role: 'assistant', kind: 'call', data_call_id: callId },
      )
    }
    for (const { callId, size, secret, isError, pinned } of calls) {
      const content = `${callId} ${'x'.repeat(size)}${secret ? SECRET : ''}`
      const flags = { ...(isError ? { data_error: 'yes' } : {}), ...(pinned ? { pinned } : {}) }
      this.made.push(this.add(content, { role: 'tool', kind: 'result', data_call_id: callId, ...flags }))
    }
  }

  #change(what: 'unshed' | 'delete' | 'tag' | 'replace' | 'expire', id: string): void {
    const { ctx } = this
    const selector = `[id='${id}']?`
    if (what === 'unshed') {
      const unshed = attempt(() => ctx.unshed(id).id)
      return this.#same(unshed, (oracle) => attempt(() => oracle.unshed(id)))
    }
    if (what === 'delete') return this.#same(idsOf(ctx.delete(selector)), (oracle) => oracle.delete(selector))
    if (what === 'expire') {
      return this.#same(idsOf(ctx.update(selector, { ttl: 1 })), (oracle) => oracle.update(selector, { ttl: 1 }))
    }
    const spec = what === 'tag' ? { tags: ['seen'] } : { content: `${id} ${'n'.repeat(80)}` }
    this.#same(idsOf(ctx.replace(selector, spec)), (oracle) => oracle.replace(selector, spec))
  }
}

function idsOf(nodes: readonly { id: string }[]): string[] {
  return nodes.map(({ id }) => id)
}

function attempt(run: () => string): string {
  try {
    return run()
  } catch (error) {
    return PactError.is(error) ? error.code : (error as Error).message
  }
}

type Program = typeof program extends fc.Arbitrary<infer T> ? T : never

function start({ dialect, prune }: Omit<Program, 'steps'>, hasModel = true): Both {
  const options = {
    dialect,
    countTokens: (text: string) => text.length,
    prune: withoutUndefined(prune) as OraclePolicy,
  }
  const oracle = hasModel ? new EditingOracle({ ...options, clock: ticking() }) : undefined
  return new Both(createContext({ ...options, clock: ticking() }), oracle)
}

function ticking(): () => bigint {
  let now = 1_700_000_000_000_000_000n
  return () => (now += 7n)
}

function withoutUndefined(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  return Object.fromEntries(entries.map(([name, each]) => [name, withoutUndefined(each)]))
}

function treeOf(ctx: Context): unknown {
  return (decodeJson(new TextDecoder().decode(ctx.export('working'))) as { root: unknown }).root
}

describe('shedding', () => {
  test('is what the naive model says, after every call (D59–D61)', () => {
    const seen = { shed: 0, deep: 0, trims: 0, notes: 0, laterNotes: 0 }
    fc.assert(
      fc.property(program, ({ steps, ...given }) => {
        const both = start(given)
        for (const each of steps) {
          both.run(each)
          const { ctx, oracle } = both
          expect(treeOf(ctx)).toEqual(oracle!.tree('working'))
          for (const id of both.made) {
            expect(attempt(() => JSON.stringify(ctx.recall(id)))).toEqual(
              attempt(() => JSON.stringify(oracle!.recall(id))),
            )
          }
          if (each.do === 'commit') {
            const { shed } = ctx.snapshot().receipt
            seen.shed += shed.length
            seen.deep += shed.filter(({ id, standIn }) => id !== standIn).length
            const notes = ctx.nodes("@t0 .block[kind='pruned']").filter(({ cycle }) => cycle === ctx.snapshot().cycle)
            for (const { supersedes } of notes) seen[supersedes === undefined ? 'notes' : 'laterNotes']++
          }
          if (each.do === 'trim' && ctx.operations().at(-1)?.op === 'shed') seen.trims++
        }
      }),
      { numRuns: runs(75), seed: SEED },
    )
    // The programs meet all of it.
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(10)
  })

  test('keeps the original wherever the context goes: forks, exports, stores (LOOP law 5)', async () => {
    let met = 0
    await fc.assert(
      fc.asyncProperty(program, async ({ steps, ...given }) => {
        const { ctx, run } = engineOnly(given)
        for (const each of steps) run(each)
        sameInForks(ctx, originalsIn(ctx))
        ctx.commit()
        const originals = originalsIn(ctx)
        met += originals.size
        const imported = importSnapshot(ctx.export('@t0'))
        const store = await openStore('memory:')
        await store.put(ctx, 'a')
        const opened = await store.open('a')
        for (const other of [imported, opened]) {
          expect(originalsIn(other)).toEqual(originals)
          for (const [id, content] of originals) expect(other.recall(id)).toEqual(content)
        }
        await store.close()
      }),
      { numRuns: runs(30), seed: SEED },
    )
    expect(met).toBeGreaterThan(10)
  })

  test('is never in a thread, a selector answer or a content hash', () => {
    fc.assert(
      fc.property(program, ({ steps, ...given }) => {
        const { ctx, run } = engineOnly(given)
        for (const each of steps) run(each)
        for (const node of ctx.nodes('@working .block')) {
          expect(Object.keys(node.attributes)).not.toContain('pact:shed')
        }
        expect(ctx.select('@working .block[pact:shed]')).toEqual([])
        const shed = new Set(originalsIn(ctx).keys())
        const lines = ctx.thread().filter(({ content }) => /, shed; recall /.test(JSON.stringify(content)))
        expect(lines.length).toBe(shed.size)
      }),
      { numRuns: runs(30), seed: SEED },
    )
  })
})

function engineOnly(given: Omit<Program, 'steps'>): { ctx: Context; run: (step: Step) => void } {
  const both = start(given, false)
  return { ctx: both.ctx, run: (each) => both.run(each) }
}

function sameInForks(ctx: Context, originals: ReadonlyMap<string, unknown>): void {
  for (const [id, content] of originals) {
    expect(ctx.recall(id)).toEqual(content)
    const copy = ctx.fork('working')
    expect(originalsIn(copy)).toEqual(originals)
    const { id: whole } = copy.unshed(id)
    expect(copy.node(whole)?.content).toEqual(content)
    expect(copy.recall(whole)).toEqual(content)
  }
}

/** The originals of a context by the id that the lines name. */
function originalsIn(ctx: Pick<Context, 'export'>): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>()
  const visit = (node: Record<string, unknown>): void => {
    const shed = node['pact:shed'] as { id: string; content: unknown } | undefined
    if (shed !== undefined) found.set(shed.id, shed.content)
    for (const child of (node['children'] ?? []) as Record<string, unknown>[]) visit(child)
  }
  visit((decodeJson(new TextDecoder().decode(ctx.export('working'))) as { root: Record<string, unknown> }).root)
  return found
}

describe('a request', () => {
  test('has the task and what is pinned, and says when it is over its limit (LOOP law 4)', () => {
    const seen = { over: 0, within: 0, tasks: 0, pins: 0 }
    const adapters = { anthropic: toAnthropic, chat: toOpenAIChat, gemini: toGemini } as const
    fc.assert(
      fc.property(program, fc.constantFrom('anthropic', 'chat', 'gemini'), ({ steps, ...given }, name) => {
        const { ctx, run } = engineOnly(given)
        const to = adapters[name as 'chat']
        const tools = [{ name: 'read', description: 'd'.repeat(40) }]
        const bodies = new Map<string, string>()
        for (const each of steps) {
          run(each)
          for (const [id, body] of [...bodies].slice(-2)) expect(new TextDecoder().decode(ctx.requestOf(id))).toBe(body)
          if (ctx.count('@working .block') === 0) continue
          const { length } = ctx.operations()
          const attempt = ctx.startAttempt({
            for: to,
            params: { model: 'm', tools },
            provider: 'p',
            model: 'm',
          })
          const sent = JSON.stringify(attempt.body)
          bodies.set(attempt.id, sent)
          const { total } = attempt.tokens()
          const limit = given.prune.maxTokens
          const over = attempt.repairs.find(({ code }) => code === 'over-budget')
          const isOver = typeof limit === 'number' && total > limit
          expect(over === undefined ? undefined : [over.limit, over.actual]).toEqual(
            isOver ? [limit, total] : undefined,
          )
          seen[isOver ? 'over' : 'within']++
          if (isOver) expect(ctx.warnings.some(({ details }) => details['kind'] === 'over-budget')).toBe(true)
          const blocks = ctx.nodes('@working .block')
          const task = blocks.findLast(({ role, kind }) => role === 'user' && kind === undefined)
          if (task !== undefined) {
            seen.tasks++
            expect(sent).toContain(JSON.stringify(task.content).slice(1, -1))
          }
          for (const { content, pinned, ttl, kind } of blocks) {
            // A ttl may take it, and the commit may write the note of pruning again.
            if (!pinned || ttl !== null || kind === 'pruned') continue
            seen.pins++
            expect(JSON.stringify(content)).not.toContain('shed; recall')
            expect(sent).toContain(JSON.stringify(content).slice(1, -1))
          }
          // One step at the most; the next request finds nothing more to shed or to prune.
          const ops = ctx.operations().slice(length)
          expect(['', 'shed', 'prune', 'shed prune']).toContain(ops.map(({ op }) => op).join(' '))
          const cut = ctx.operations().length
          ctx.startAttempt({ for: to, params: { model: 'm', tools }, provider: 'p', model: 'm' })
          expect(ctx.operations()).toHaveLength(cut)
          expect(ctx.trim()).toEqual([])
        }
      }),
      { numRuns: runs(30), seed: SEED },
    )
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(10)
  })
})

// Budgets that act in time (D59–D61), case by case: policies that are refused, what trims and requests do, what is kept whole, redaction and
// forgetting of originals, causes, explanations and warnings.

import { describe, expect, test } from 'vitest'

import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import {
  applyOperations,
  createContext,
  importSnapshot,
  PactError,
  type Context,
  type PrunePolicy,
} from '../../src/index.js'
import { openStore } from '../../src/store/index.js'

const LONG = 'x'.repeat(300)

/** One token for each character, and a limit that sheds the first of two long results. */
function shedding(prune: PrunePolicy = {}): Context {
  return createContext({
    countTokens: (text) => text.length,
    prune: { maxTokens: 500, results: { keep: 1 }, ...prune },
  })
}

/** A turn with a call and its result; gives the id of the result. */
function step(ctx: Context, callId: string, content = LONG, header: object = {}): string {
  ctx.assistant({ name: 'read', arguments: {} }, { kind: 'call', data_call_id: callId })
  return ctx.tool(content, { kind: 'result', data_call_id: callId, ...header }).id
}

/** Two results in the open turn, the first of which a trim sheds. */
function twoResults(ctx: Context, first = LONG, header: object = {}): readonly [string, string] {
  ctx.user('read both')
  return [step(ctx, 'a', first, header), step(ctx, 'b')]
}

function code(run: () => unknown): string | undefined {
  try {
    run()
  } catch (error) {
    return PactError.is(error) ? error.code : String(error)
  }
  return undefined
}

describe('prune.results', () => {
  test.each([
    [5],
    [{}],
    [{ keep: -1 }],
    [{ keep: 1.5 }],
    [{ keep: 1, atleast: 1 }],
    [{ keep: 1, atLeast: 2 }],
    [{ keep: 1, atLeast: '1' }],
    [{ keep: 1, except: 5 }],
  ])('(%#) is refused', (results) => {
    expect(code(() => shedding({ results: results as never }))).toBe('E_BUDGET')
  })

  test('needs a token limit, and a selector that can be read', () => {
    expect(code(() => createContext({ prune: { maxDepth: 1, results: { keep: 1 } } }))).toBe('E_BUDGET')
    expect(code(() => shedding({ results: { keep: 1, except: '.block[' } }))).toBe('E_SELECTOR_INVALID')
    expect(code(() => shedding({ results: { keep: 1, except: '@t0 .block' } }))).toBe('E_SELECTOR_INVALID')
  })

  test('keeps whole what is newest, pinned, excepted or not longer than its line', () => {
    for (const results of [{ keep: 2 }, { keep: 0, except: '.block' }, { keep: 1, atLeast: 0.9 }]) {
      const ctx = shedding({ results })
      twoResults(ctx)
      expect(ctx.trim()).toEqual([])
    }
    const pinned = shedding()
    twoResults(pinned, LONG, { pinned: true })
    expect(pinned.trim()).toEqual([])
    const short = shedding({ maxTokens: 100 })
    twoResults(short, 'short')
    expect(short.trim()).toEqual([])
  })
})

describe('trim', () => {
  test('is one edit: undone as one step, and replayed elsewhere', () => {
    const ctx = shedding()
    const [first] = twoResults(ctx)
    const before = ctx.export('working')
    expect(ctx.trim()).toEqual([{ id: first, standIn: first, size: 300 }])
    expect(ctx.trim()).toEqual([])
    expect(ctx.node(first)?.content).toBe(`[result of read, 300 tokens, shed; recall ${first}]`)
    expect(ctx.operations().at(-1)).toEqual({ op: 'shed', results: [{ id: first, tokens: 300 }] })
    const other = createContext()
    applyOperations(other, ctx.operations())
    expect(other.thread()).toEqual(ctx.thread())
    expect(ctx.undo()).toBe(true)
    expect(ctx.export('working')).toEqual(before)
  })

  test('is done by startAttempt, but not for a lens, and it stays', () => {
    const ctx = shedding()
    const [first] = twoResults(ctx)
    const params = { model: 'claude', max_tokens: 9 }
    ctx.startAttempt({ for: toAnthropic, params, lens: 'working' })
    expect(ctx.recall(first)).toBe(LONG)
    expect(ctx.operations().at(-1)?.op).toBe('tool')
    const { body } = ctx.startAttempt({ for: toAnthropic, params })
    expect(JSON.stringify(body)).toContain('shed; recall')
    expect(ctx.operations().at(-1)?.op).toBe('shed')
    // The next request begins with all of this one.
    ctx.assistant('Read.')
    const next = ctx.startAttempt({ for: toAnthropic, params }).body
    expect(next.messages.slice(0, body.messages.length)).toEqual(body.messages)
    expect(ctx.commit().receipt.shed).toEqual([{ id: first, standIn: first, size: 300 }])
  })

  test('is taken back where the attempt is refused', () => {
    const ctx = shedding()
    twoResults(ctx)
    const before = ctx.export('working')
    const params = { model: 'claude', max_tokens: 9, messages: [] }
    expect(code(() => ctx.startAttempt({ for: toAnthropic, params }))).toBe('E_CONTENT_INVALID')
    expect([ctx.export('working'), ctx.operations().at(-1)?.op]).toEqual([before, 'tool'])
  })

  test('counts what is sent: tools may pass the limit', () => {
    const tools = [{ name: 'read', description: 'd'.repeat(300), input_schema: { type: 'object' } }]
    for (const given of [[], tools]) {
      const ctx = shedding({ maxTokens: 1200 })
      twoResults(ctx)
      ctx.startAttempt({ for: toAnthropic, params: { model: 'claude', max_tokens: 9, tools: given } })
      expect(ctx.operations().at(-1)?.op).toBe(given.length === 0 ? 'tool' : 'shed')
    }
  })

  test('does not happen where the snapshot is sent: the commit has shed', () => {
    const ctx = shedding()
    twoResults(ctx)
    ctx.commit()
    const { record } = ctx.startAttempt({ for: toAnthropic, params: { model: 'claude', max_tokens: 9 } })
    expect([record.lens, ctx.operations()]).toEqual(['@t0', []])
  })
})

describe('a result in history', () => {
  function committed(): readonly [ctx: Context, original: string, standIn: string] {
    const ctx = shedding()
    ctx.user('read')
    const original = step(ctx, 'a')
    ctx.commit()
    ctx.user('read more')
    step(ctx, 'b')
    const [shed] = ctx.commit().receipt.shed
    expect(shed?.id).toBe(original)
    return [ctx, original, shed!.standIn]
  }

  test('is superseded with the cause shed, in diffs, lives and explanations', () => {
    const [ctx, original, standIn] = committed()
    expect(standIn).not.toBe(original)
    const causes = ctx.diffDetailed('@t-1', '@t0')
    const all = [...causes.added, ...causes.removed].filter(({ id }) => id === original || id === standIn)
    expect(all.map(({ cause }) => cause)).toEqual([expect.stringContaining('shed'), expect.stringContaining('shed')])
    expect(ctx.explain(original).left?.cause).toBe('shed')
    expect(ctx.explain(original).supersededBy).toBe(standIn)
    expect(String(ctx.explain(standIn))).toContain('Its content was shed')
    expect([ctx.recall(original), ctx.recall(standIn)]).toEqual([LONG, LONG])
  })

  test('is put back by unshed, by either id', () => {
    for (const pick of [1, 2] as const) {
      const given = committed()
      const [ctx] = given
      const whole = ctx.unshed(given[pick])
      expect([whole.content, whole.supersedes]).toEqual([LONG, given[2]])
      expect(ctx.operations().at(-1)).toMatchObject({ op: 'unshed', id: given[pick] })
    }
  })

  test('is no secret of redact: the original is searched and changed', () => {
    const ctx = shedding()
    ctx.user('read')
    const original = step(ctx, 'a', `${LONG}SESAME`)
    ctx.commit()
    ctx.user('more')
    step(ctx, 'b')
    ctx.commit()
    expect(ctx.redact("[content~'SESAME']", { match: 'SESAME' })).toHaveLength(1)
    expect(ctx.recall(original)).toBe(`${LONG}[redacted]`)
    // The edit as data has what the original says now, for this result alone.
    const [edit] = ctx.operations()
    expect(edit).toMatchObject({ op: 'redact', options: { replaced: [{ spec: { 'pact:shed': { id: original } } }] } })
    const other = createContext()
    other.user('hi')
    const forged = {
      op: 'redact',
      selector: '.block',
      options: { replaced: [{ id: 'block:1-1', spec: { 'pact:shed': 1 } }] },
    }
    applyOperations(other, [forged as never])
    expect(new TextDecoder().decode(other.export('working'))).not.toContain('pact:shed')
    ctx.commit()
    expect(new TextDecoder().decode(ctx.export('@t0'))).not.toContain('SESAME')
    expect(importSnapshot(ctx.export('@t0')).recall(original)).toBe(`${LONG}[redacted]`)
  })

  test.each(['original', 'stand-in', 'words'])('is forgotten everywhere, by %s', (by) => {
    const [ctx, original, standIn] = committed()
    const selector =
      by === 'words' ? "[content~'xxxx'][data_call_id='a']" : `[id='${by === 'original' ? original : standIn}']`
    expect(ctx.forget(selector).ids).toEqual(expect.arrayContaining([original, standIn]))
    for (const lens of ['@t0', '@t-1'] as const)
      expect(ctx.node(by === 'original' ? original : standIn, lens)?.content ?? '').toBe('')
    expect(code(() => ctx.unshed(original))).toBe('E_NODE_NOT_FOUND')
    expect(JSON.stringify(ctx.toJSON()).split('xxxx').length).toBeLessThan(
      JSON.stringify(committed()[0].toJSON()).split('xxxx').length,
    )
  })

  test('is erased in a store, in every row', async () => {
    const [ctx, original] = committed()
    const store = await openStore('memory:')
    await store.put(ctx, 'a')
    await store.erase('a', "[content~'xxxx']")
    const opened = await store.open('a')
    await opened.loadHistory('@*')
    for (const lens of ['@t0', '@t-1'] as const) {
      expect(new TextDecoder().decode(opened.export(lens))).not.toContain('xxxx')
    }
    expect(code(() => opened.unshed(original))).toBe('E_NODE_NOT_FOUND')
    await store.close()
  })
})

test('a shed result that gets another content is no longer shed', () => {
  const ctx = shedding()
  const [first] = twoResults(ctx)
  ctx.trim()
  ctx.replace(`[id='${first}']`, { tags: ['read'] })
  expect(ctx.recall(first)).toBe(LONG)
  ctx.replace(`[id='${first}']`, { content: 'new' })
  expect(ctx.recall(first)).toBe('new')
  expect(code(() => ctx.unshed(first))).toBe('E_NODE_NOT_FOUND')
})

test('recall gives results alone, and says when there is none', () => {
  const ctx = shedding()
  const question = ctx.user('read')
  const result = step(ctx, 'a')
  expect(ctx.recall(result)).toBe(LONG)
  expect(code(() => ctx.recall(question.id))).toBe('E_NODE_NOT_FOUND')
  expect(code(() => ctx.recall('block:9-9'))).toBe('E_NODE_NOT_FOUND')
})

test('explain says what a budget will do', () => {
  const ctx = shedding()
  const task = ctx.user('read both')
  const first = step(ctx, 'a')
  const second = step(ctx, 'b', LONG)
  expect(String(ctx.explain(task.id))).toContain('It is the task')
  expect(ctx.explain(first).shedding).toBe('next')
  expect(ctx.explain(second).shedding).toBe('newest')
  ctx.update(`[id='${first}']`, { pinned: true })
  expect(ctx.explain(first).shedding).toBe('excepted')
  ctx.update(`[id='${first}']`, { pinned: false })
  ctx.trim()
  expect(ctx.explain(first).shedding).toBe('shed')
  ctx.commit()
  ctx.user('next')
  ctx.commit()
  expect([ctx.explain(second).shedding, ctx.explain(second).prunable, ctx.explain(task.id).isTask]).toEqual([
    'newest',
    true,
    false,
  ])
})

test('a target at the limit is warned of once, when the context is made', () => {
  for (const prune of [
    { maxTokens: 9, target: 1 },
    { maxTokens: 9, target: 9 },
    { maxTokens: { '^seq': 9 }, target: 1 },
  ]) {
    const ctx = createContext({ prune })
    ctx.fork('working')
    expect(ctx.warnings.map(({ details }) => details['kind'])).toEqual(['target-at-limit'])
  }
  expect(createContext({ prune: { maxTokens: 9 } }).warnings).toEqual([])
  expect(createContext({ prune: { maxDepth: 9, target: 1 } }).warnings).toEqual([])
})

test('a request over its limit says so each time, and warns when it begins', () => {
  const ctx = createContext({ countTokens: (text) => text.length, prune: { maxTokens: 100 } })
  ctx.user('x'.repeat(200))
  for (let n = 0; n < 2; n++) {
    const repair = toAnthropic(ctx).repairs.find(({ code: each }) => each === 'over-budget')
    expect([repair?.limit, repair?.node]).toEqual([100, 'root'])
    expect(repair?.actual).toBe(ctx.tokens('preview', { for: toAnthropic }).total)
  }
  expect(ctx.warnings.filter(({ details }) => details['kind'] === 'over-budget')).toHaveLength(1)
  const within = createContext({ countTokens: (text) => text.length, prune: { maxTokens: 100_000 } })
  within.user('x'.repeat(200))
  expect([toAnthropic(within).repairs, within.warnings]).toEqual([[], []])
})

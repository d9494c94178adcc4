// Law 6 of the loop: `requestOf(id)` gives the bytes of `attempt.body`, whatever has happened since. A typed error is allowed only after its
// cause: something was erased, history was dropped or retained, or the renderer has changed. The law counts that errors are rare.

import fc from 'fast-check'
import { createContext, type Context, type Lens } from 'pact-context'
import { openStore, type Store, type StoredContext } from 'pact-context/store'
import { beforeEach, expect, test } from 'vitest'

import { ADAPTERS } from '../../src/adapters/index.js'
import { FORMAT_NAMES, type FormatName } from '../../src/formats/index.js'
import { PactError } from '../../src/errors/index.js'
import { RENDERER } from '../../src/thread/index.js'
import { textOf } from '../support/context.js'
import { replyOf } from '../support/providers/replies.js'
import { runs } from '../support/runs.js'

/** An act, with numbers that choose what it is done to. */
type Act = Readonly<{ act: (typeof ACTS)[number]; pick: number; format: FormatName }>

const ACTS = [
  'user',
  'ask',
  'ask',
  'ask',
  'answer',
  'answer',
  'document',
  'plan',
  'system',
  'edit',
  'redact',
  'delete',
  'move',
  'undo',
  'commit',
  'commit',
  'fork',
  'reopen',
  'retain',
  'erase',
] as const

const program = fc.record({
  acts: fc.array(
    fc.record({ act: fc.constantFrom(...ACTS), pick: fc.nat(99), format: fc.constantFrom(...FORMAT_NAMES) }),
    { minLength: 5, maxLength: 30 },
  ),
  prune: fc.option(fc.constantFrom({ maxTokens: 60 }, { maxDepth: 2 }, { maxNodes: 12, unit: 'turn' as const }), {
    nil: undefined,
  }),
})

/** One attempt that was started: its bytes, and what has happened since that may make them impossible. */
type Sent = { id: string; context: string; format: FormatName; text: string; causes: Set<Cause> }

/** The causes of typed errors, and the reason that each error gives. */
type Cause = 'erase' | 'retain' | 'drop'
const REASONS: Readonly<Record<string, readonly Cause[]>> = {
  forgotten: ['erase'],
  'base-gone': ['retain', 'drop'],
  dropped: ['drop', 'retain'],
}

let seen = { checks: 0, given: 0, withCause: 0, refused: new Map<string, number>() }

beforeEach(() => {
  seen = { checks: 0, given: 0, withCause: 0, refused: new Map() }
})

/** Errors come after their causes alone, and they are rare: most bytes outlive the erasure of other nodes, too. */
function expectRare(share: number, reasons: readonly string[]): void {
  const refused = [...seen.refused.values()].reduce((sum, count) => sum + count, 0)
  expect(seen.withCause).toBeGreaterThan(seen.checks / 10)
  expect(seen.given).toBeGreaterThan(seen.checks / 2)
  expect(refused / seen.checks).toBeLessThan(share)
  expect([...seen.refused.keys()].sort()).toEqual(reasons)
}

/** Starts an attempt and gives its reply, so that calls and thoughts of all providers get into the context. */
function ask(ctx: StoredContext | Context, { pick, format }: Act): Sent | undefined {
  const { to } = ADAPTERS[format]
  const params = {
    ...(format === 'bedrock' ? { modelId: 'scripted' } : { model: 'scripted' }),
    temperature: pick / 7,
    big: 1e21,
    '10': 'a key that sorts first',
    metadata: { z: 'ü', a: [null, true, { b: pick }] },
  }
  const lens: Lens | undefined = pick % 11 === 0 ? 'working' : undefined
  const options = pick % 3 === 0 ? { blocks: { before: `{key}: ` } } : pick % 5 === 0 ? { repair: false } : {}
  const attempt = ctx.startAttempt({ for: to, params, options, ...(lens === undefined ? {} : { lens }) })
  const text = JSON.stringify(attempt.body)
  expect(textOf(ctx.requestOf(attempt.id))).toBe(text)
  const calls = Array.from({ length: pick % 3 }, (_, at) => ({
    id: `call_${pick}_${at}`,
    name: 'look',
    arguments: { at: pick },
  }))
  if (pick % 4 === 0) attempt.cancel()
  else attempt.receive(replyOf(format, { text: `Reply ${pick}`, calls }))
  return { id: attempt.id, context: ctx.id, format, text, causes: new Set() }
}

/** Edits that need no store. */
function edit(ctx: StoredContext | Context, { act, pick }: Act): void {
  const nodes = ctx.nodes('^ah .block, ^seq .block')
  const node = nodes[pick % Math.max(1, nodes.length)]
  switch (act) {
    case 'user':
      ctx.user(`Question ${pick}`)
      return
    case 'answer':
      for (const call of ctx.openCalls().slice(0, 1 + (pick % 2)))
        ctx.result(call, { seen: pick }, { ttl: 1 + (pick % 3) })
      return
    case 'document':
      ctx.post(`Document ${pick}`, { ttl: pick % 3, key: `doc-${pick % 4}` })
      return
    case 'plan':
      ctx.set('plan', `Plan ${pick}`)
      return
    case 'system':
      ctx.system.put('role', `You are agent ${pick}.`)
      return
    case 'edit':
      if (node) ctx.replace(`[id='${node.id}']`, { content: `Changed ${pick}` })
      return
    case 'redact':
      ctx.redact('.block?', { match: String(pick) })
      return
    case 'delete':
      if (node) ctx.delete(`[id='${node.id}']`)
      return
    case 'move':
      if (node) ctx.move(`[id='${node.id}']`, '(d0, end)')
      return
    default:
      ctx.undo()
  }
}

/** Does an edit that may be refused, since acts are chosen without a look at the tree. */
function tryEdit(ctx: StoredContext | Context, act: Act): void {
  try {
    edit(ctx, act)
  } catch (error) {
    if (!PactError.is(error)) throw error
  }
}

/** Asks for the bytes again: they are the same, or an error names a cause that was there. */
function check(ctx: StoredContext | Context, { id, format, text, causes }: Sent): void {
  seen.checks++
  if (causes.size > 0) seen.withCause++
  try {
    expect(textOf(ctx.requestOf(id))).toBe(text)
    expect(textOf(ctx.requestOf(id, { for: ADAPTERS[format].to }))).toBe(text)
    seen.given++
  } catch (error) {
    if (!PactError.is(error)) throw error
    // A stored context may have to load a snapshot first; the last check loads all of them.
    if (error.code === 'E_HISTORY_NOT_LOADED') return
    const reason = String(error.details['reason'])
    const allowed = (REASONS[reason] ?? []).filter((cause) => causes.has(cause))
    expect({ reason, message: error.message, allowed }).toMatchObject({ allowed: [expect.anything()] })
    seen.refused.set(reason, (seen.refused.get(reason) ?? 0) + 1)
  }
}

test('stored: whatever was committed, edited, pruned, forked, reopened, retained or erased since', async () => {
  await fc.assert(
    fc.asyncProperty(program, async ({ acts, prune }) => {
      const store = await openStore('memory:')
      const options = prune === undefined ? {} : { prune }
      let ctx = await store.open('main', options)
      const sent: Sent[] = []
      for (const act of acts) ctx = await play(store, ctx, act, sent, options)
      await ctx.commit()
      const all = new Map<string, StoredContext>()
      for (const each of sent) {
        if (!all.has(each.context)) all.set(each.context, await store.open(each.context, { history: 'all' }))
        check(all.get(each.context)!, each)
      }
      await store.close()
    }),
    { numRuns: runs(60) },
  )
  expectRare(0.2, ['forgotten'])
})

async function play(store: Store, ctx: StoredContext, act: Act, sent: Sent[], options: object): Promise<StoredContext> {
  const own = sent.filter(({ context }) => context === ctx.id)
  switch (act.act) {
    case 'ask': {
      const made = ask(ctx, act)
      if (made !== undefined) sent.push(made)
      return ctx
    }
    case 'commit':
      await ctx.commit()
      for (const each of own) check(ctx, each)
      return ctx
    case 'fork': {
      if (ctx.cycle === 1) return ctx
      return ctx.fork('@t0', { id: `fork-${sent.length}-${act.pick}-${ctx.cycle}-${ctx.id.length}` })
    }
    case 'reopen':
      await ctx.commit()
      return store.open(ctx.id, { ...options, history: 1 + (act.pick % 3) })
    case 'retain':
      await ctx.commit()
      await store.retain(ctx.id, { keep: { newest: 1 } })
      for (const each of sent) each.causes.add('retain')
      return store.open(ctx.id, options)
    case 'erase':
      await ctx.commit()
      // Every context here shares history with the others.
      await store.erase(ctx.id, `[content~'${act.pick % 10}']?`)
      for (const each of sent) each.causes.add('erase')
      return store.open(ctx.id, options)
    default:
      tryEdit(ctx, act)
      return ctx
  }
}

test('in memory: dropped history and what was forgotten are the only losses', () => {
  fc.assert(
    fc.property(program, fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }), ({ acts, prune }, history) => {
      const ctx = createContext({
        ...(prune === undefined ? {} : { prune }),
        ...(history === undefined ? {} : { history }),
      })
      const sent: Sent[] = []
      for (const act of acts) {
        if (act.act === 'ask') {
          const made = ask(ctx, act)
          if (made !== undefined) sent.push(made)
        } else if (act.act === 'commit' || act.act === 'reopen' || act.act === 'retain') {
          ctx.commit()
          if (history !== undefined) for (const each of sent) each.causes.add('drop')
        } else if (act.act === 'erase') {
          ctx.forget(`[content~'${act.pick % 10}']?`)
          for (const each of sent) each.causes.add('erase')
        } else if (act.act === 'fork') {
          ctx.fork('working').commit()
        } else tryEdit(ctx, act)
        for (const each of sent) check(ctx, each)
      }
    }),
    { numRuns: runs(60) },
  )
  expectRare(0.4, ['dropped', 'forgotten'])
})

test('a changed renderer is named, and nothing else is', () => {
  for (const format of FORMAT_NAMES) {
    const ctx = createContext()
    ctx.user('Question 1')
    const sent = ask(ctx, { act: 'ask', pick: 1, format })!
    const { to } = ADAPTERS[format]
    const later = Object.assign((...args: Parameters<typeof to>) => to(...args), {
      [RENDERER]: { ...to[RENDERER], name: to[RENDERER].name, version: to[RENDERER].version + 1 },
    })
    let wrong: unknown
    try {
      ctx.requestOf(sent.id, { for: later as unknown as typeof to })
    } catch (error) {
      wrong = error
    }
    expect(wrong).toMatchObject({ code: 'E_CONFLICT', details: { reason: 'renderer-changed' } })
    expect(textOf(ctx.requestOf(sent.id))).toBe(sent.text)
  }
})

// The promises of every adapter, as tests that take the adapter as a row: what goes in comes out, what comes out is valid, bytes are
// the request's, and a rendering after a commit is the one that a fresh context gives.

import { isDeepStrictEqual } from 'node:util'

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { importSnapshot, PactError, type Context, type Snapshot } from '../../../src/index.js'
import { runs } from '../runs.js'
import { expectSame } from '../same.js'
import type { Style } from './arbitrary/oddities.js'
import type { Recorded } from './recorded.js'
import { arbitraryShakes, shake } from './shaken.js'
import type { Violation } from './violations.js'

export type Made = object &
  Readonly<{
    repairs: readonly Readonly<{ code: string; node: string; text: string }>[]
    bytes: Uint8Array
    sourceMap: readonly Readonly<{ node: string; start: number; end: number }>[]
  }>

export type AdapterRow<Request extends object> = Readonly<{
  from: (request: Request) => Context
  to: (source: Context | Snapshot, options?: { repair?: boolean }) => Made
  check: (request: unknown) => readonly Violation[]
  judge: (request: never) => Promise<Readonly<{ errors: readonly string[] }>>
  recorded: () => readonly Pick<Recorded<Request>, 'name' | 'request'>[]
  arbitrary: (style: Style) => fc.Arbitrary<Request>
  /** By hand; `isRefused` where the judge does not see what the provider would refuse. */
  odd: readonly Readonly<{ what: string; request: Request; isRefused?: boolean }>[]
}>

const SEED = Number(process.env['PACT_SEED'] ?? 20261116)

export function adapterLaws<Request extends object>(row: AdapterRow<Request>): void {
  const { from, to, check, judge, arbitrary, odd } = row
  /** As JSON: a request may hold bytes, which are text there. */
  const plain = (made: object): object => JSON.parse(JSON.stringify(made)) as object
  const held = (ctx: Context): object => plain(to(ctx, { repair: false }))
  const recorded = row.recorded()

  const expectBack = (request: Request, name = ''): void => {
    const ctx = from(request)
    // A key that says undefined says nothing in JSON, and is not there any more.
    const told = plain(request)
    expectSame(held(ctx), told, name)
    expectSame(held(importSnapshot(ctx.export('@t0'))), told, name)
  }

  const expectValid = (request: Request, name = '', isRefused = false): void => {
    const made = to(from(request))
    expect(check({ ...made }), name).toEqual([])
    if (made.repairs.some(({ code }) => code === 'summarized')) return expectSummarized(request, made, name)
    if (!isRefused && check(request).length === 0) {
      expectSame(plain(made), plain(request), name)
      expect(made.repairs, name).toEqual([])
    } else expect(made.repairs, name).not.toEqual([])
  }

  /** A summary that the provider made is sent in place of what it stands for; the messages that are left are as they were. */
  const expectSummarized = (request: Request, made: object, name: string): void => {
    const [all, sent] = [request, made].map((each) => messagesIn(plain(each)))
    expect(JSON.stringify(sent)).toContain('"compaction"')
    expect(sent!.length).toBeLessThan(all!.length)
    let at = -1
    for (const message of sent!) {
      const next = all!.findIndex((each, i) => i > at && isDeepStrictEqual(each, message))
      expect(next, `${name}: ${JSON.stringify(message).slice(0, 200)}`).toBeGreaterThan(at)
      at = next
    }
  }

  const expectBytes = (ctx: Context, name = ''): void => {
    for (const made of [to(ctx), to(ctx, { repair: false })]) {
      expect(new TextDecoder().decode(made.bytes), name).toBe(JSON.stringify(made))
      let last = 0
      const wrong = made.sourceMap.filter(({ node, start, end }) => {
        const isRight =
          start >= last && end >= start && (ctx.node(node, 'preview') ?? ctx.node(node, '@t0')) !== undefined
        last = end
        return !isRight
      })
      expect(wrong, name).toEqual([])
    }
  }

  describe('every recorded conversation', () => {
    test('comes back as it was, also after export and import', () => {
      for (const { name, request } of recorded) expectBack(request, name)
    })

    test('is valid by default, and unchanged where it was', () => {
      for (const { name, request } of recorded) expectValid(request, name)
    })

    test('has its bytes, and every node its part of them', () => {
      for (const { name, request } of recorded) expectBytes(from(request), name)
    })

    test('goes through the client as it is', async () => {
      for (const { name, request } of recorded) {
        expect((await judge({ ...to(from(request)) } as never)).errors, name).toEqual([])
      }
    })
  })

  describe.runIf(odd.length > 0)('what no recording has', () => {
    test.each(odd)('$what', ({ request, isRefused }) => {
      expectBack(request)
      expectValid(request, '', isRefused)
      expectBytes(from(request))
    })
  })

  describe('whatever is made up', () => {
    const assertLaw = (count: number, style: Style, holds: (request: Request) => void): void => {
      fc.assert(fc.property(arbitrary(style), holds), { seed: SEED, numRuns: runs(count) })
    }

    test('valid conversations come back, and come out unchanged', () => {
      assertLaw(20, 'valid', (request) => {
        expectBack(request)
        expectValid(request)
      })
    })

    test('odd ones come back, and come out valid', () => {
      assertLaw(20, 'odd', (request) => {
        expectBack(request)
        expect(check({ ...to(from(request)) })).toEqual([])
        expectBytes(from(request))
      })
    })

    test('hostile ones are refused, or come out valid', () => {
      assertLaw(15, 'hostile', (request) => {
        const ctx = accepted(() => from(request))
        if (ctx === undefined) return
        expect(check({ ...to(ctx) })).toEqual([])
        expectBytes(ctx)
      })
    })

    test('what is left of them after edits comes out valid, and the same as from a fresh context', () => {
      fc.assert(
        fc.property(arbitrary('valid'), arbitraryShakes(), fc.option(fc.nat(20)), (request, shakes, budget) => {
          const whole = from(request)
          const ctx = budget === null ? whole : whole.fork('@t0', { prune: { maxNodes: budget } })
          for (const each of shakes) {
            shake(ctx, [each])
            const made = to(ctx)
            expect(check({ ...made })).toEqual([])
            ctx.commit()
            const committed = to(ctx)
            const fresh = to(importSnapshot(ctx.export('@t0')))
            expect(new TextDecoder().decode(committed.bytes)).toBe(new TextDecoder().decode(fresh.bytes))
          }
          expectBytes(ctx)
        }),
        { seed: SEED, numRuns: runs(15) },
      )
    })
  })
}

/** Undefined for what the context may refuse: it is no JSON. */
function accepted(work: () => Context): Context | undefined {
  try {
    return work()
  } catch (error) {
    if (PactError.is(error) && error.code === 'E_CONTENT_INVALID') return undefined
    throw error
  }
}

function messagesIn(request: object): readonly unknown[] {
  return Object.values(request).find((value): value is unknown[] => Array.isArray(value)) ?? []
}

// Promise 8 of compaction: a signed thought behind a summary is left out of the request, with a repair that names the change, and Claude, which
// refuses a thought with another beginning, takes every request of a loop that compacts.

import fc from 'fast-check'
import { expect, test } from 'vitest'

import { toAnthropic } from '../../src/adapters/anthropic/index.js'
import { createContext } from '../../src/index.js'
import { BoundClaude } from '../support/providers/bound-claude.js'
import { runs } from '../support/runs.js'

const SAID = { text: true, interleaved: true, redacted: false, thinks: true }

test('thoughts that a compaction makes stale leave, each with a repair', () => {
  let left = 0
  const step = fc.record({ calls: fc.integer({ min: 1, max: 2 }), compacts: fc.nat(3), commits: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { minLength: 3, maxLength: 10 }), (steps) => {
      const ctx = createContext()
      const claude = new BoundClaude()
      ctx.user('The task.')
      for (const { calls, compacts, commits } of steps) {
        const attempt = ctx.startAttempt({ for: toAnthropic, params: { model: 'claude' } })
        for (const call of attempt.receive(claude.create(attempt.body, { ...SAID, calls })).calls)
          ctx.result(call, 'ok')
        if (commits) ctx.commit()
        const plan = ctx.planCompaction({ keep: 1 })
        if (compacts > 0 || plan.nodes.length === 0) continue
        const before = JSON.stringify(toAnthropic(ctx).messages).split('"thinking":').length
        ctx.compact(plan, 'What was done.')
        const { messages, repairs } = toAnthropic(ctx)
        const stale = repairs.filter(({ code }) => code === 'stale-thought')
        expect(JSON.stringify(messages)).not.toContain('"thinking":')
        if (before > 1) expect(stale.length).toBeGreaterThan(0)
        if (!commits) for (const { text } of stale) expect(text).toMatch(/compacted|left/)
        left += stale.length
      }
    }),
    { numRuns: runs(40) },
  )
  expect(left).toBeGreaterThan(20)
})

// Conversations under everything that a context does to them: budgets from tiny to ample, edits of history, ttls, moves, markers,
// forgetting. Whatever is left, every request is one that its provider takes.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { budgets, rewrite, rewrites, type Rewrite } from '../support/providers/rewrites.js'
import { FORMATS, generated, recordedConversations, type Conversation } from '../support/providers/formats.js'
import { runs } from '../support/runs.js'
import type { Context, ContextOptions } from '../../src/index.js'

const seed = Number(process.env['PACT_SEED'] ?? 14)

describe('every request is valid for its provider, whatever was expired, pruned, redacted, moved, replaced or forgotten', () => {
  test('recorded conversations', () => {
    const recorded = recordedConversations()
    const program = fc.record({ conversation: fc.nat(recorded.length - 1), options: budgets, edits: rewrites })
    fc.assert(
      fc.property(program, ({ conversation, options, edits }) => hold(recorded[conversation]!, options, edits)),
      { seed, numRuns: runs(40) },
    )
  })

  test.each(FORMATS)('generated conversations of $name', (format) => {
    const program = fc.record({ conversation: generated(format), options: budgets, edits: rewrites })
    fc.assert(
      fc.property(program, ({ conversation, options, edits }) => hold(conversation, options, edits)),
      { seed, numRuns: runs(12) },
    )
  })
})

function hold(conversation: Conversation, options: ContextOptions, edits: readonly Rewrite[]): void {
  const ctx = conversation.open(options)
  expectValid(ctx, conversation)
  for (const edit of edits) {
    rewrite(ctx, edit)
    expectValid(ctx, conversation)
  }
}

function expectValid(ctx: Context, { thoughts }: Conversation): void {
  for (const { name, faults } of FORMATS) expect({ [name]: faults(ctx, thoughts) }).toEqual({ [name]: [] })
}

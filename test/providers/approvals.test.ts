// Approvals with version 6 of the AI SDK; test/node22 plays the same with version 7.

import fc from 'fast-check'
import { generateText, jsonSchema, stepCountIs, tool, type ToolSet } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { expect, it } from 'vitest'

import { runOn } from '../../src/adapters/ai-sdk/index.js'
import { approvalPrograms, playApprovals, type Sdk } from '../support/providers/approvals.js'

const SDK: Sdk = {
  model: (replies, prompts) => {
    let at = 0
    return new MockLanguageModelV3({
      doGenerate: async ({ prompt }) => {
        prompts.push(prompt)
        return replies[at++] as never
      },
    })
  },
  tool: (needsApproval, run) =>
    tool({
      inputSchema: jsonSchema({ type: 'object', properties: {} }),
      needsApproval,
      execute: (_input, { toolCallId }) => run(toolCallId),
    }),
  generate: (model, tools, ctx) =>
    generateText({
      model: model as MockLanguageModelV3,
      tools: tools as ToolSet,
      stopWhen: stepCountIs(5),
      ...runOn(ctx),
    }),
}

it('approved calls run once, in whatever order, blocks and cycles they are approved', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(approvalPrograms, async (program) => {
      const { ran, expected, repairs, prompt } = await playApprovals(SDK, program)
      expect(ran).toEqual(expected)
      expect(repairs).toEqual([])
      expect(prompt).not.toContain('no longer in context')
      if (program.calls.some(({ needs }) => needs)) for (const id of expected) expect(prompt).toContain(`${id} has run`)
    }),
    { numRuns: 60 },
  )
})

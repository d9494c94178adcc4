// Approvals with version 6 of the AI SDK; test/node22 plays the same with version 7.

import fc from 'fast-check'
import { generateText, jsonSchema, stepCountIs, tool, type ToolSet } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { expect, it } from 'vitest'

import { fromModelMessages, runOn, toModelMessages } from '../../src/adapters/ai-sdk/index.js'
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

it('approved calls run once, in whatever order, blocks and cycles they are approved', async () => {
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

it('an approved call whose result became words has a stub, since the words are the last message', () => {
  const output = { type: 'text', value: 'gone' }
  const ctx = fromModelMessages([
    { role: 'user', content: 'Delete it.' },
    {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId: 'a', toolName: 'delete', input: {} },
        { type: 'tool-approval-request', approvalId: 'ap', toolCallId: 'a' },
      ],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-approval-response', approvalId: 'ap', approved: true },
        { type: 'tool-result', toolCallId: 'a', toolName: 'delete', output },
      ],
    },
  ])
  ctx.replace("[kind='result']", { content: { type: 'text', text: 'It is gone.' } })
  const { messages, repairs } = toModelMessages(ctx)
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  expect(repairs.map(({ code }) => code)).toEqual(['stub-result'])
})

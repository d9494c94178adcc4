// A commit inside a step, between a call and its answers, changes no request: every adapter writes steps, not turns.

import fc from 'fast-check'
import { createContext, type Context } from 'pact-context'
import { receiveAnthropic, toAnthropic } from 'pact-context/anthropic'
import { toModelMessages } from 'pact-context/ai-sdk'
import { toGemini } from 'pact-context/gemini'
import { fromOpenAIResponses, toOpenAIChat, toOpenAIResponses } from 'pact-context/openai'
import { describe, expect, test } from 'vitest'

import { addMessage, type MessageSpec } from '../../src/adapters/conversation/import-messages.js'
import { ADAPTERS } from '../../src/adapters/index.js'
import type { FormatName } from '../../src/formats/index.js'
import { FORMATS } from '../support/providers/formats.js'
import { runs } from '../support/runs.js'

const SEED = Number(process.env['PACT_SEED'] ?? 20261118)

/** The ids of calls that a message makes, and of those that it answers. */
function idsIn({ body }: MessageSpec, kind: 'call' | 'result'): readonly string[] {
  const parts = 'parts' in body ? body.parts : [body]
  return parts.flatMap((part) => (part.kind === kind && part.callId !== undefined ? [part.callId] : []))
}

/** A context of these messages, committed before each turn and, where `cuts` say so, inside steps. */
function played(specs: readonly MessageSpec[], cuts: readonly boolean[]): Context {
  // Ids that do not depend on commits: Claude's ids for calls that come twice follow from them.
  const given = new Map<string, number>()
  const ids = ({ nodeType }: { nodeType: string }): string => {
    given.set(nodeType, (given.get(nodeType) ?? 0) + 1)
    return `${nodeType}-${given.get(nodeType)}`
  }
  const ctx = createContext({ ids })
  const open = new Set<string>()
  for (const [at, spec] of specs.entries()) {
    if ((spec.startsTurn && at > 0) || (open.size > 0 && cuts[at % cuts.length] === true)) ctx.commit()
    addMessage(ctx, spec)
    for (const id of idsIn(spec, 'result')) open.delete(id)
    for (const id of idsIn(spec, 'call')) open.add(id)
  }
  ctx.commit()
  return ctx
}

describe.each(FORMATS)('a conversation of $name', ({ name, arbitrary }) => {
  test('with commits inside its steps is the same for every provider', () => {
    const read = ADAPTERS[name as FormatName].read
    fc.assert(
      fc.property(arbitrary('valid'), fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }), (request, cuts) => {
        const specs = read(request as never)
        const [whole, cut] = [played(specs, [false]), played(specs, cuts)]
        for (const { to } of Object.values(ADAPTERS)) expect(JSON.stringify(to(cut))).toBe(JSON.stringify(to(whole)))
      }),
      { seed: SEED, numRuns: runs(20) },
    )
  })
})

function call(ctx: Context, id: string): void {
  ctx.assistant({ name: 'look', arguments: {} }, { kind: 'call', data_call_id: id })
}

function answer(ctx: Context, id: string, content: Parameters<Context['tool']>[0] = 'seen'): void {
  ctx.tool(content, { kind: 'result', data_call_id: id })
}

describe('over a commit', () => {
  test('a call that Claude gets under another id has its result under the same one', () => {
    const ctx = createContext()
    for (const isCut of [false, true]) {
      ctx.user('question')
      call(ctx, 'call_0')
      if (isCut) ctx.commit()
      answer(ctx, 'call_0')
      ctx.commit()
    }
    const blocks = toAnthropic(ctx).messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    const ids = blocks.flatMap((block) =>
      block.type === 'tool_use' ? [block.id] : block.type === 'tool_result' ? [block.tool_use_id] : [],
    )
    expect(ids).toEqual(['call_0', 'call_0', expect.stringMatching(/^call_[0-9a-f]{24}$/), ids[2]])
  })

  test('a picture of the first result stands behind the last result of its step', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }
    const ctx = createContext()
    ctx.user('Look at both.')
    call(ctx, 'a')
    call(ctx, 'b')
    answer(ctx, 'a', [{ type: 'text', text: 'page 1' }, image])
    ctx.commit()
    answer(ctx, 'b')
    expect(toOpenAIChat(ctx).messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user'])
    const { contents, repairs } = toGemini(ctx)
    expect(contents.map(({ parts }) => parts.map((part: object) => Object.keys(part)[0]))).toEqual([
      ['text'],
      ['functionCall', 'functionCall'],
      ['functionResponse', 'functionResponse'],
      ['inlineData'],
    ])
    expect(repairs.map(({ code }) => code)).toEqual(['added'])
  })

  test('a paused turn of Claude goes on: the call of the server and its result both stay', () => {
    const ctx = createContext()
    ctx.user('Look it up.')
    const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } }
    receiveAnthropic(ctx, { role: 'assistant', stop_reason: 'pause_turn', content: [search] })
    ctx.commit()
    const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] }
    receiveAnthropic(ctx, { role: 'assistant', content: [found, { type: 'text', text: 'Found.' }] })
    ctx.commit()
    ctx.user('Thanks.')
    const { messages, repairs } = toAnthropic(ctx)
    expect(messages.slice(1, 3).map(({ content }) => content[0])).toEqual([search, found])
    expect(repairs).toEqual([])
  })

  test('an approval of the Responses API answers its request', () => {
    const request = { type: 'mcp_approval_request', id: 'mcpr_1', arguments: '{}', name: 'rm', server_label: 's' }
    const ctx = fromOpenAIResponses({ input: [{ role: 'user', content: 'Clean up.' }, request] })
    const approval = { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true }
    ctx.user(approval, { data_format: 'openai-responses' })
    ctx.commit()
    expect(toOpenAIResponses(ctx).input.at(-1)).toEqual(approval)
  })

  test.each([false, true])(
    'approvals of the AI SDK, one by one, leave their calls to the SDK (commit: %s)',
    (isCut) => {
      const ctx = createContext()
      ctx.user('Clean up.')
      const calls = ['a', 'b'].map((id) => ({ type: 'tool-call', toolCallId: id, toolName: 'rm', input: {} }))
      const requests = ['a', 'b'].map((id) => ({
        type: 'tool-approval-request',
        approvalId: `ok ${id}`,
        toolCallId: id,
      }))
      ctx.receive({ response: { messages: [{ role: 'assistant', content: [...calls, ...requests] }] } }, { from: FROM })
      if (isCut) ctx.commit()
      for (const { approvalId } of requests) {
        ctx.tool({ type: 'tool-approval-response', approvalId, approved: true }, { kind: 'approval' })
      }
      const { messages, repairs } = toModelMessages(ctx)
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
      expect(messages[2]?.content).toMatchObject([{ approvalId: 'ok a' }, { approvalId: 'ok b' }])
      expect(repairs).toEqual([])
    },
  )
})

const FROM = ADAPTERS['ai-sdk'].from as never

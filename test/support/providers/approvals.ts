// Calls that need an approval, answered in any order, in one block or several, across commits and reopening, with any version of the AI SDK.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import fc from 'fast-check'
import { onTestFinished } from 'vitest'

import { toModelMessages } from '../../../src/adapters/ai-sdk/index.js'
import { createContext, type Context } from '../../../src/index.js'
import { openStore, type StoredContext } from '../../../src/store/index.js'

type Held = Context | StoredContext
type Said = Readonly<{ content: readonly object[]; finishReason: object; usage: object; warnings: never[] }>
type Requested = Readonly<{ type: string; approvalId?: string; toolCall?: Readonly<{ toolCallId: string }> }>

/** The calls of one version of the SDK that a program needs. */
export type Sdk = Readonly<{
  /** A model that says these one after another, and keeps the prompts in `prompts`. */
  model: (replies: readonly Said[], prompts: object[]) => unknown
  /** A tool; `run` gets the call. */
  tool: (needsApproval: boolean, run: (id: string) => string) => unknown
  generate: (model: unknown, tools: unknown, ctx: Held) => PromiseLike<Readonly<{ content: readonly Requested[] }>>
}>

/** A call of the model, and the answer of the person that is asked. */
type Call = Readonly<{ needs: boolean; approved: boolean }>

export type ApprovalProgram = Readonly<{
  calls: readonly Call[]
  /** Numbers by which the answers are ordered. */
  order: readonly number[]
  isOneBlock: boolean
  /** The steps before the first answer, before each other answer, and behind the last. */
  between: readonly ('nothing' | 'commit' | 'reopen')[]
}>

const MOST = 3

export const approvalPrograms: fc.Arbitrary<ApprovalProgram> = fc.record({
  calls: fc.array(fc.record({ needs: fc.boolean(), approved: fc.boolean() }), { minLength: 1, maxLength: MOST }),
  order: fc.array(fc.nat(), { minLength: MOST, maxLength: MOST }),
  isOneBlock: fc.boolean(),
  between: fc.array(fc.constantFrom('nothing', 'commit', 'reopen'), { minLength: MOST + 1, maxLength: MOST + 1 }),
})

const USAGE = {
  inputTokens: { total: 5, noCache: 5, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 8, text: 8, reasoning: 0 },
}

function said(content: readonly object[], unified: string): Said {
  return { content, finishReason: { unified, raw: undefined }, usage: USAGE, warnings: [] }
}

/** Plays a program; gives the ids of the calls that ran, and of those that have to, in order of their ids, and the last prompt. */
export async function playApprovals(
  sdk: Sdk,
  { calls, order, isOneBlock, between }: ApprovalProgram,
): Promise<Readonly<{ ran: string[]; expected: string[]; repairs: string[]; prompt: string }>> {
  const ran: string[] = []
  const run = (id: string): string => `${id} has run (${ran.push(id)})`
  const tools = { ask: sdk.tool(true, run), go: sdk.tool(false, run) }
  const asked = calls.map(({ needs }, i) => ({
    type: 'tool-call',
    toolCallId: `call ${i}`,
    toolName: needs ? 'ask' : 'go',
    input: '{}',
  }))
  const prompts: object[] = []
  const model = sdk.model([said(asked, 'tool-calls'), said([{ type: 'text', text: 'done' }], 'stop')], prompts)
  const first = createContext()
  first.user('clean up')
  let ctx: Held = first
  const { content } = await sdk.generate(model, tools, ctx)
  const requests = content.filter(({ type }) => type === 'tool-approval-request')
  const answers = requests
    .map(({ approvalId, toolCall }) => {
      const at = Number(toolCall!.toolCallId.split(' ')[1])
      return { key: order[at]!, part: { type: 'tool-approval-response', approvalId, approved: calls[at]!.approved } }
    })
    .toSorted((a, b) => a.key - b.key)
    .map(({ part }) => part)
  const blocks: readonly unknown[] = isOneBlock && answers.length > 1 ? [answers] : answers
  for (const [i, what] of between.entries()) {
    if (i > blocks.length) break
    if (what !== 'nothing' && answers.length > 0) ctx = await goOn(ctx, what)
    if (i < blocks.length) ctx.tool(blocks[i] as never, { kind: 'approval' })
  }
  if (answers.length > 0) await sdk.generate(model, tools, ctx)
  const expected = calls.flatMap(({ needs, approved }, i) => (needs && !approved ? [] : [`call ${i}`]))
  const { repairs } = toModelMessages(ctx)
  return {
    ran: ran.toSorted(),
    expected,
    repairs: repairs.map(({ code }) => code).filter((code) => code !== 'moved-result'),
    prompt: JSON.stringify(prompts.at(-1)),
  }
}

async function goOn(ctx: Held, what: 'commit' | 'reopen'): Promise<Held> {
  await ctx.commit()
  if (what === 'commit') return ctx
  const folder = mkdtempSync(join(tmpdir(), 'pact-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const url = `sqlite:${join(folder, 'contexts.db')}`
  const store = await openStore(url)
  await store.put(ctx, 'main')
  await store.close()
  const again = await openStore(url)
  onTestFinished(() => again.close())
  return again.open('main')
}

// The longest recorded session: 914 messages of a coding agent. It is not part of this repository.

import { existsSync, readFileSync } from 'node:fs'

import type { Context } from 'pact-context'

const SESSION = new URL('../../../shared/data/badlogic__pi-mono.jsonl', import.meta.url)

/** Why a test cannot have it; undefined where it can. */
export const NO_SESSION: string | undefined = existsSync(SESSION)
  ? undefined
  : '../shared/data is not beside this checkout, and the session is only there'

type Part = { type: string; text?: string; thinking?: string; id?: string; name?: string; arguments?: unknown }
export type Message = { role: string; content: Part[]; toolCallId?: string }

/** A fixed measure, so that the figures stay when a better counter comes. */
export function countTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4)
}

/** Adds a message as its adapter would: every part a block, calls and results by their id. */
export function addMessage(
  ctx: Pick<Context, 'user' | 'assistant' | 'tool'>,
  { role, content, toolCallId }: Message,
): void {
  if (role === 'toolResult') {
    ctx.tool(content, { kind: 'result', ...(toolCallId === undefined ? {} : { data_call_id: toolCallId }) })
    return
  }
  for (const part of content) {
    if (role === 'user') ctx.user(part.text ?? part)
    else if (part.type === 'toolCall') ctx.assistant(part, { kind: 'call', data_call_id: part.id! })
    else ctx.assistant(part.text ?? part, part.type === 'thinking' ? { kind: 'reasoning' } : {})
  }
}

export function readSession(): readonly Message[] {
  const [line] = readFileSync(SESSION, 'utf8').split('\n')
  return (JSON.parse(line!) as { messages: Message[] }).messages
}

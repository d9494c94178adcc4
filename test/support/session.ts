// The longest recorded session: 914 messages of a coding agent.

import type { Context } from 'pact-context'

import { recordingsOf } from '../recordings/read.mjs'

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
  const [session] = recordingsOf('badlogic__pi-mono')
  return session!.record['messages'] as readonly Message[]
}

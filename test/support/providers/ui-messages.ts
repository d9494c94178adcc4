// UI messages judged by the AI SDK itself, of whichever version: its validator, and what it makes of them for a model.

import { expect } from 'vitest'

import { fromUIMessages, toModelMessages, toUIMessages } from '../../../src/adapters/ai-sdk/index.js'
import { importSnapshot, type Context } from '../../../src/index.js'
import type { UiMessage } from './arbitrary/ui-messages.js'

/** The calls of one version of the SDK. */
export type UiSdk = Readonly<{
  validate: (messages: readonly object[]) => PromiseLike<Readonly<{ success: boolean; error?: Error }>>
  convert: (messages: readonly object[]) => PromiseLike<readonly object[]>
}>

/** Checks that a chat comes back as it went in, also after an export, and that the SDK takes it. */
export async function checkRoundTrip(sdk: UiSdk, messages: readonly UiMessage[]): Promise<void> {
  await checkValid(sdk, messages)
  const ctx = fromUIMessages(messages)
  expect(toUIMessages(ctx)).toEqual(messages)
  const again = toUIMessages(importSnapshot(ctx.export()))
  expect(again).toEqual(messages)
  await checkValid(sdk, again)
}

export async function checkValid(sdk: UiSdk, messages: readonly object[]): Promise<void> {
  const { success, error } = await sdk.validate(structuredClone(messages))
  expect({ success, error: error?.message.slice(0, 2000) }).toEqual({ success: true, error: undefined })
}

/** Checks that a request for the chat is what the SDK makes of it, but for the differences that `docs/chats.md` names. */
export async function checkRequest(sdk: UiSdk, messages: readonly UiMessage[]): Promise<Context> {
  const ctx = fromUIMessages(messages)
  const { system, messages: made } = toModelMessages(ctx)
  const converted = (await sdk.convert(structuredClone(messages))) as readonly ModelMessage[]
  const expected = converted.flatMap(said)
  const leading = expected.findIndex(({ role }) => role !== 'system')
  const told = expected.slice(0, leading < 0 ? expected.length : leading)
  const hasOptions = told.some(({ providerOptions }) => providerOptions !== undefined)
  const text = told.map(({ content }) => content as string).join('\n\n')
  expect(system).toEqual(told.length === 0 ? undefined : hasOptions ? told : text)
  const rest = expected.slice(told.length)
  expect(evened(made)).toEqual(evened(rest.length === 0 ? NO_MESSAGES : rest))
  return ctx
}

const NO_MESSAGES = [{ role: 'user', content: '(no messages)' }]

type ModelMessage = Readonly<{ role: string; content: string | readonly ModelPart[]; providerOptions?: object }>
type ModelPart = Readonly<Record<string, unknown>>

/** A message without empty texts; none if that leaves nothing. */
function said(message: ModelMessage): readonly ModelMessage[] {
  const { role, content } = message
  if (typeof content === 'string') return content === '' ? [] : [message]
  const parts = content.filter(({ type, text, providerOptions }) => {
    return type !== 'text' || text !== '' || (role === 'assistant' && providerOptions !== undefined)
  })
  return parts.length === 0 ? [] : [{ ...message, content: parts }]
}

/** One form of data: an address as text; an empty input for calls without one; results before answers to requests for approval. */
function evened(messages: readonly object[]): unknown {
  return (messages as readonly ModelMessage[]).map((message) => {
    if (typeof message.content === 'string') return message
    const content = message.content.map(evenedPart)
    if (message.role !== 'tool') return { ...message, content }
    const isResult = ({ type }: ModelPart): boolean => type === 'tool-result'
    return { ...message, content: [...content.filter(isResult), ...content.filter((part) => !isResult(part))] }
  })
}

function evenedPart(part: ModelPart): ModelPart {
  const { data, type } = part
  const tagged = typeof data === 'object' && data !== null && (data as ModelPart)['type'] === 'url'
  const even = tagged ? { ...part, data: String((data as ModelPart)['url']) } : part
  return type === 'tool-call' ? { ...even, input: even['input'] ?? {} } : even
}

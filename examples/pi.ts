// An extension for pi: the conversation of a session is a context in a store, and each call of the model gets what the context renders, within its budget. A call
// is never separated from its result, and the turn that runs is never pruned.
//
// In the folder of this file `npm install pact-context gpt-tokenizer`, and then `pi --extension ./pi.ts`.

import os from 'node:os'
import path from 'node:path'

import type { ContextEvent, ExtensionContext, ExtensionFactory } from '@earendil-works/pi-coding-agent'
import type { JsonValue } from 'pact-context'
import { type OpenOptions, openStore, type StoredContext } from 'pact-context/store'
import { o200k } from 'pact-context/tokens'

type Message = ContextEvent['messages'][number]
type Part = Readonly<{ type: string; id?: string }>

const SETTINGS: OpenOptions = {
  countTokens: o200k,
  prune: { maxTokens: 100_000, unit: 'turn', results: { keep: 10 } },
}

/** On each node: the key of its message, and the message without its content. A node without the second has the message as its content. */
const [KEY, REST] = ['data_pi_key', 'data_pi']

export function pactExtension(address: string, settings = SETTINGS): ExtensionFactory {
  return (pi) => {
    let opened: ReturnType<typeof openStore> | undefined
    let current: Readonly<{ id: string; ctx: StoredContext }> | undefined
    /** The messages that pi had for the last call of the model. */
    let given: readonly Message[] = []

    async function contextOf({ sessionManager }: ExtensionContext): Promise<StoredContext> {
      const id = sessionManager.getSessionId()
      if (current?.id !== id)
        current = { id, ctx: await (await (opened ??= openStore(address))).open(`pi/${id}`, settings) }
      return current.ctx
    }

    pi.on('context', async ({ messages }, session) => {
      const ctx = await contextOf(session)
      given = messages
      await take(ctx, messages)
      ctx.trim()
      await ctx.save()
      return { messages: ctx.thread('preview').map(({ id }) => messageOf(ctx, id)) }
    })
    // The reply to that call, and the results of its calls.
    pi.on('turn_end', async ({ message, toolResults }, session) => {
      const ctx = await contextOf(session)
      await take(ctx, [...given, message, ...toolResults])
      await ctx.save()
    })
    pi.on('session_shutdown', async () => {
      const store = await opened
      opened = current = undefined
      await store?.close()
    })
  }
}

/** Messages after the last one that the context has are new; those that pi has no more, since the user went back or pi compacted, leave the context. */
async function take(ctx: StoredContext, messages: readonly Message[]): Promise<void> {
  const keys = keysOf(messages)
  const known = new Map<JsonValue | undefined, string>()
  for (const { id } of ctx.thread('working')) known.set(ctx.node(id, 'working')?.attributes[KEY], id)
  const start = keys.findLastIndex((key) => known.has(key)) + 1
  const kept = new Set<JsonValue | undefined>([...keys, undefined])
  const gone = [...known].filter(([key]) => !kept.has(key))
  // The past keeps them.
  if (gone.length > 0) await ctx.commit()
  for (const [, id] of gone) ctx.delete(`[id='${id}']`)
  for (const [at, message] of messages.entries()) {
    if (at < start) continue
    if (message.role === 'user' && ctx.thread('working').length > 0) await ctx.commit()
    add(ctx, message, keys[at]!)
  }
}

/** Role, time and call; messages of the same millisecond are numbered. */
function keysOf(messages: readonly Message[]): readonly string[] {
  const times = new Map<string, number>()
  return messages.map((message) => {
    const key = [message.role, message.timestamp, 'toolCallId' in message ? message.toolCallId : ''].join(' ')
    times.set(key, (times.get(key) ?? 0) + 1)
    return `${key} ${times.get(key)}`
  })
}

/** A message is one node: a call goes with its results because they share its id. */
function add(ctx: StoredContext, message: Message, key: string): void {
  const { content, ...rest } = JSON.parse(JSON.stringify(message)) as Message & { content?: string | readonly Part[] }
  const header = { [KEY]: key, ...(content !== undefined && { [REST]: rest as JsonValue }) }
  const said = (content === undefined ? rest : plain(content)) as JsonValue
  if (message.role === 'toolResult') {
    ctx.tool(said, {
      kind: 'result',
      data_call_id: message.toolCallId,
      ...(message.isError && { data_error: true }),
      ...header,
    })
  } else if (message.role === 'assistant') {
    const calls = message.content.flatMap((part) => (part.type === 'toolCall' ? [part.id] : []))
    ctx.assistant(said, { ...(calls.length > 0 && { kind: 'call', data_call_id: calls }), ...header })
  } else ctx.user(said, header)
}

/** The text, if that is all there is. */
function plain(content: string | readonly Part[]): string | readonly Part[] {
  const [part, ...others] = content as readonly (Part & { text?: string })[]
  const isText =
    typeof content !== 'string' && part?.type === 'text' && others.length === 0 && Object.keys(part).length === 2
  return isText ? part.text! : content
}

/** Of the node, so an edit of its content reaches the model. What was added by other means is said by the user. */
function messageOf(ctx: StoredContext, id: string): Message {
  const { content = '', attributes } = ctx.node(id, 'preview')!
  const rest = attributes[REST] as unknown as Message | undefined
  if (rest === undefined && attributes[KEY] !== undefined) return content as unknown as Message
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  if (rest === undefined) return { role: 'user', content: text, timestamp: 0 }
  const isList = rest.role === 'assistant' || rest.role === 'toolResult'
  return { ...rest, content: typeof content === 'string' && isList ? [{ type: 'text', text }] : content } as Message
}

export default pactExtension(`sqlite:${path.join(os.homedir(), '.pi/agent/pact.db')}`)

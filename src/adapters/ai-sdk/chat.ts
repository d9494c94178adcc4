// Chats of the AI SDK: UI messages as a context, a context as UI messages, and both in a store. Messages are saved by their ids, so two writers lose
// nothing of each other.

import { BOUND, type Bound, canonicalJson, isBound } from '../../codec/index.js'
import {
  type AnyContext,
  type Context,
  type ContextOptions,
  createContext,
  renderSource,
  type Snapshot,
} from '../../context/index.js'
import type { JsonObject, Lens } from '../../core/index.js'
import { asAsyncCall, asCall, checkOptions, describe, type OptionRule, PactError } from '../../errors/index.js'
import { coversIn } from '../conversation/summaries.js'
import { AI_SDK } from './format.js'
import {
  checkUIMessages,
  draftOf,
  nodeOf,
  type UIDraft,
  type UIMessageJson,
  type UIMessageLike,
  withBounds,
} from './from-ui.js'
import { ownerId, type Shown, shownIn } from './to-ui.js'
import { isSame } from './ui-parts.js'

/** A context from the messages of useChat, committed turn by turn. `toUIMessages` gives them back. */
export function fromUIMessages(messages: readonly UIMessageLike[], options?: ContextOptions): Context {
  return asCall(fromUIMessages, () => {
    const list = checkUIMessages(messages, 'messages')
    const ctx = createContext(options)
    const drafts = list.map((message, i) => draftOf(message, `messages[${i}]`))
    for (const [at, draft] of drafts.entries()) {
      if (draft.message.role === 'user' && ctx.operations().length > 0 && hasSaid(drafts.slice(0, at))) ctx.commit()
      addDraft(ctx, draft, isLeading(drafts, at))
    }
    ctx.commit()
    return ctx
  })
}

function hasSaid(drafts: readonly UIDraft[]): boolean {
  return drafts.some(({ message: { role } }) => role !== 'system')
}

function isLeading(drafts: readonly UIDraft[], at: number): boolean {
  return drafts.slice(0, at + 1).every(({ message: { role } }) => role === 'system')
}

export type UIMessagesOptions = Readonly<{
  /** The tree whose messages are shown; by default the one that would be sent now. */
  lens?: Lens | undefined
}>

/**
 * The messages of a context for useChat. Messages that came from UI messages come back as they were, with every edit of their nodes since; what models and
 * tools said otherwise is shown as the SDK shows it. Context blocks and system texts of the program are not shown.
 */
export function toUIMessages<Message extends UIMessageLike = UIMessageLike>(
  source: AnyContext | Snapshot,
  options: UIMessagesOptions = {},
): Message[] {
  return asCall(toUIMessages, () => {
    checkOptions(options, { lens: LENS }, '{ lens }')
    return messagesOf<Message>(shownIn(source, options.lens))
  })
}

const LENS: OptionRule = { form: "a lens such as '@t0'", allows: (value) => typeof value === 'string' }

/** Copies that the caller may change. */
function messagesOf<Message>(shown: readonly Shown[]): Message[] {
  return shown.map(({ message }) => JSON.parse(JSON.stringify(message)) as Message)
}

/** Any store of `pact-context/store`. */
export type ChatStore = Readonly<{
  open(id: string, options: Readonly<{ draft: 'leave' }>): PromiseLike<ChatContext>
  find(id: string): PromiseLike<unknown>
}>

type ChatContext = AnyContext & Readonly<{ commit(): PromiseLike<unknown> }>

export type ChatToSave<Message extends UIMessageLike = UIMessageLike> = Readonly<{
  /** The id of the chat, and of its context in the store. */
  chatId: string
  /** Messages to add, or to change if the chat has them: all of them, or only the new ones. */
  messages: readonly Message[]
  /** The messages as they were loaded. Those that are missing in `messages` are deleted, and those that are the same there are left as the store has them. */
  loaded?: readonly Message[] | undefined
}>

/** The messages of a chat; none if the store has no such chat. */
export function loadChat<Message extends UIMessageLike = UIMessageLike>(
  store: ChatStore,
  chatId: string,
): Promise<Message[]> {
  return asAsyncCall(loadChat, async () => {
    if ((await store.find(chatId)) === undefined) return []
    return messagesOf<Message>(shownIn(await store.open(chatId, { draft: 'leave' })))
  })
}

/**
 * Saves messages of a chat in one commit: a message with a new id is added, one with a known id is changed. When it resolves, they are durable. If another
 * writer was faster, it looks again; messages of both stay. A message that both have changed is `E_CONFLICT`.
 */
export function saveChat<Message extends UIMessageLike>(store: ChatStore, chat: ChatToSave<Message>): Promise<void> {
  return asAsyncCall(saveChat, async () => {
    checkOptions(chat, CHAT, '{ chatId, messages }')
    const messages = checkUIMessages(chat.messages, 'messages')
    const loaded = chat.loaded === undefined ? undefined : checkUIMessages(chat.loaded, 'loaded')
    for (let tries = 1; ; tries++) {
      const ctx = await store.open(chat.chatId, { draft: 'leave' })
      const changes = changesOf(shownIn(ctx), messages, loaded)
      if (changes.length === 0) return
      ctx.batch(() => changes.forEach((change) => change(ctx)))
      try {
        await ctx.commit()
        return
      } catch (error) {
        const isLate = PactError.is(error) && error.code === 'E_CONFLICT'
        if (!isLate || tries === TRIES) throw error
      }
    }
  })
}

/** Another writer won each time. */
const TRIES = 20

const CHAT: Readonly<Record<string, OptionRule>> = {
  chatId: { form: 'the id of the chat', allows: (value) => typeof value === 'string' && value !== '' },
  messages: { form: 'a list of UI messages', allows: Array.isArray },
  loaded: { form: 'the messages as they were loaded', allows: Array.isArray },
}

type Change = (ctx: AnyContext) => void

function changesOf(
  stored: readonly Shown[],
  messages: readonly UIMessageJson[],
  loaded: readonly UIMessageJson[] | undefined,
): readonly Change[] {
  const known = new Map(stored.map((shown) => [shown.message.id, shown]))
  const before = new Map(loaded?.map((message) => [message.id, message]))
  const given = new Map(messages.map((message) => [message.id, message]))
  const changed = messages.filter((message) => {
    const [now, base] = [known.get(message.id), before.get(message.id)]
    if (isSame(now?.message, message) || isSame(base, message)) return false
    if (base !== undefined && !isSame(base, now?.message)) throw changedByBoth(message.id)
    return true
  })
  const gone = [...before.values()].flatMap((base) => {
    const now = given.has(base.id) ? undefined : known.get(base.id)
    if (now !== undefined && !isSame(base, now.message)) throw changedByBoth(base.id)
    return now ?? []
  })
  const left = stored.filter((shown) => !gone.includes(shown))
  const updated = new Map(changed.flatMap((message) => (known.has(message.id) ? [[message.id, message] as const] : [])))
  // Messages of models that came from no UI message cannot be replaced where they are; those behind them move with them.
  const from = left.findIndex((shown) => updated.has(shown.message.id) && !isOneNode(shown))
  const [kept, moved] = from < 0 ? [left, []] : [left.slice(0, from), left.slice(from)]
  return [
    ...[...gone, ...moved].map(
      (shown): Change =>
        (ctx) =>
          remove(ctx, shown),
    ),
    ...kept.flatMap((shown): readonly Change[] => {
      const message = updated.get(shown.message.id)
      return message === undefined ? [] : [(ctx) => replaceDraft(ctx, asDraft(message), shown)]
    }),
    ...moved.map(
      ({ message }): Change =>
        (ctx) =>
          addDraft(ctx, asDraft(updated.get(message.id) ?? message), false),
    ),
    ...changed
      .filter(({ id }) => !known.has(id))
      .map((message, at, added): Change => {
        const isSystem = stored.length === 0 && added.slice(0, at + 1).every(({ role }) => role === 'system')
        return (ctx) => addDraft(ctx, asDraft(message), isSystem)
      }),
  ]
}

function asDraft(message: UIMessageJson): UIDraft {
  return draftOf(message, `the message ${describe(message.id)}`)
}

function isOneNode({ nodes, message }: Shown): boolean {
  const [only] = nodes
  return nodes.length === 1 && only !== undefined && only.role === undefined && ownerId(only) === message.id
}

function changedByBoth(id: string): PactError {
  const message = `The message ${describe(id)} was changed by another writer since it was loaded; load the chat again and apply the change to it.`
  return new PactError('E_CONFLICT', message, { message: id })
}

function byId(id: string): string {
  return `[id='${id}']`
}

/** Adds a message to the end of the open turn, or to `^sys`. */
function addDraft(ctx: AnyContext, draft: UIDraft, isSystem: boolean): void {
  const messages = AI_SDK.bind(draft.messages, ctx, () => requestBefore(ctx))
  const { content, ...header } = nodeOf({ ...draft, messages }, coversOf(ctx))
  if (isSystem) ctx.system.add(content, header)
  else ctx.add(content, { ...header, zone: 'core' })
}

/** Puts a message in the place of the one that is there. Thoughts that are the same stay bound to what they were made for. */
function replaceDraft(ctx: AnyContext, draft: UIDraft, { nodes: [node], isSystem }: Shown): void {
  const known = new Map<string, Bound>()
  for (const { content, attributes } of ctx.nodes(`${byId(node!.id)} .block[kind='reasoning']`)) {
    const bound = attributes[BOUND]
    if (isBound(bound)) known.set(canonicalJson(content), bound)
  }
  const made = { ...nodeOf(withBounds(draft, known), coversOf(ctx)), offset: undefined }
  if (isSystem) ctx.system.replace(byId(node!.id), made)
  else ctx.replace(byId(node!.id), made)
}

function remove(ctx: AnyContext, { nodes, isSystem }: Shown): void {
  for (const { id } of nodes) {
    if (isSystem) ctx.system.delete(byId(id))
    else ctx.delete(byId(id))
  }
}

/** The request that a new message answers. Where a context says nothing yet, it has no messages. */
function requestBefore(ctx: AnyContext): JsonObject {
  const { system, messages, repairs } = AI_SDK.to(ctx)
  const isEmpty = repairs.some(({ code }) => code === 'added')
  return { ...(system === undefined ? {} : { system }), messages: isEmpty ? [] : messages } as unknown as JsonObject
}

function coversOf(ctx: AnyContext): Parameters<typeof nodeOf>[1] {
  return () => coversIn(renderSource(ctx, 'working').view)
}

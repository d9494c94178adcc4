// Rollouts of Codex: a line for each item of the history, and lines about it. `compacted` puts another history in place of the old one, and
// `thread_rolled_back` goes back to before a turn. Rollouts of the first versions have bare items behind a header.

import { isObject, type JsonObject, type JsonValue } from '../../core/index.js'
import { Plan, recognized, type Entry, type Said, type Session, type Unread } from './plan.js'

const LINES = ['session_meta', 'response_item', 'event_msg', 'turn_context', 'compacted']

/** Any line of a rollout. */
export function isCodexLine({ type, payload }: JsonObject): boolean {
  return typeof type === 'string' && LINES.includes(type) && isObject(payload)
}

/** The first line of a rollout of the first versions. */
export function isCodexHeader(value: JsonObject): boolean {
  const { id, timestamp, type, role } = value
  const isBare = Object.keys(value).every((key) => ['id', 'timestamp', 'instructions', 'git'].includes(key))
  return typeof id === 'string' && typeof timestamp === 'string' && type === undefined && role === undefined && isBare
}

/** Items that are in the file and in no request. */
const NOT_SENT = ['ghost_snapshot', 'other']

/** Texts that the agent puts into messages of the user. They begin no turn, and no compaction keeps them. */
const ADDED =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|skill|user_shell_command|subagent_notification)\b|# AGENTS\.md instructions)/

/** Compactions of older versions keep the newest messages of the user, up to this size. Codex counts 4 bytes as a token. */
const KEPT_BYTES = 20_000 * 4

/** Notes the size of every message that the user wrote, before a caller makes the texts of the line shorter. */
export function withSizes(value: JsonValue): JsonValue {
  if (!isObject(value)) return value
  const { type, payload } = value
  if (!isObject(payload)) return withSize(value)
  if (type === 'response_item') return { ...value, payload: withSize(payload) }
  const { replacement_history: history } = payload
  if (type !== 'compacted' || !Array.isArray(history)) return value
  return { ...value, payload: { ...payload, replacement_history: history.map(withSize) } }
}

function withSize(item: JsonValue): JsonValue {
  if (!isObject(item) || item['type'] !== 'message' || item['role'] !== 'user') return item
  const text = textIn(item)
  return ADDED.test(text) ? item : { ...item, [SIZE]: Buffer.byteLength(text) }
}

/** The key of that note. No item is sent with it. */
const SIZE = 'pact:size'

/** The item that a line adds to the history. */
function itemIn(value: JsonObject): JsonObject | undefined {
  const { type, payload } = value
  if (isCodexLine(value)) return type === 'response_item' && isObject(payload) ? payload : undefined
  return typeof type === 'string' && !isObject(payload) ? value : undefined
}

export function readCodexSession(entries: readonly Entry[]): Session {
  const reader = new CodexReader()
  for (const entry of entries) reader.read(entry)
  const { id, system, plan, unread } = reader
  return {
    ...(id === undefined ? {} : { id }),
    ...(system === undefined ? {} : { system }),
    steps: plan.steps,
    unread,
  }
}

/** The items of one reply are one entry of the list. */
type Spoken = { messages: JsonObject[]; at: JsonValue | undefined; usage?: JsonValue; isSummary?: boolean }

class CodexReader {
  readonly plan = new Plan()
  readonly unread: Unread[] = []
  id: string | undefined
  system: JsonObject | undefined
  /** The messages of the user in the list, with their sizes. */
  readonly #sizes = new Map<Said, number>()
  /** The list as it was before each turn. */
  readonly #turns: { list: readonly Said[]; length: number }[] = []
  /** The reply that the next item may belong to, and the newest one. */
  #open: Spoken | undefined
  #reply: Spoken | undefined

  read({ line, value }: Entry): void {
    const what = this.#take(value)
    if (what !== undefined) this.unread.push({ line, what })
  }

  /** Gives a reason if there is nothing to take. */
  #take(value: JsonObject): string | undefined {
    const { type, payload, timestamp } = value
    if (isCodexHeader(value)) return this.#begin(value)
    const item = itemIn(value)
    if (item !== undefined) return this.#item(item, timestamp)
    const about = isObject(payload) ? payload : {}
    if (type === 'session_meta') return this.#begin(about)
    if (type === 'compacted') return this.#compact(about, timestamp)
    if (type === 'event_msg' && about['type'] === 'token_count') return this.#count(about)
    if (type === 'event_msg' && about['type'] === 'thread_rolled_back') return this.#goBack(about)
    const name = type === 'event_msg' ? `${type} ${textOf(about['type'])}` : type
    return `an entry of the type ${JSON.stringify(name ?? null)}`
  }

  /** A session that was made from another one has the header of that one too, behind its own. */
  #begin({ id, base_instructions: base, history_base: earlier }: JsonObject): string | undefined {
    if (this.id !== undefined) return 'the header of the session that this one was made from'
    if (typeof id === 'string' && id !== '') this.id = id
    if (isObject(base) && typeof base['text'] === 'string') this.system = { instructions: base['text'] }
    return isObject(earlier) ? 'the history before it, which is in another file' : undefined
  }

  #item(item: JsonObject, at: JsonValue | undefined): string | undefined {
    if (!isSent(item)) return `an item of the type ${JSON.stringify(item['type'] ?? null)}`
    if (isOfModel(item)) {
      if (this.#open !== undefined) this.#open.messages.push(item)
      else {
        this.#open = this.#reply = { messages: [item], at }
        this.plan.say(this.#open)
      }
      return undefined
    }
    this.#open = undefined
    const said = this.#sized({ messages: [item], at })
    if (this.#sizes.has(said)) this.#turns.push({ list: this.plan.now, length: this.plan.now.length })
    this.plan.say(said)
    return undefined
  }

  /** Takes the note off a message of the user. */
  #sized(said: Said): Said {
    const { [SIZE]: size, ...item } = said.messages[0]!
    if (typeof size !== 'number') return said
    const bare = { ...said, messages: [item] }
    this.#sizes.set(bare, size)
    return bare
  }

  /** The usage of the newest reply. The same numbers come again with other events. */
  #count({ info }: JsonObject): string | undefined {
    const usage = isObject(info) ? info['last_token_usage'] : undefined
    if (this.#reply !== undefined && isObject(usage)) this.#reply.usage ??= usage
    return undefined
  }

  #compact({ message, replacement_history: given }: JsonObject, at: JsonValue | undefined): string | undefined {
    this.#open = undefined
    if (Array.isArray(given)) {
      const all = inReplies(given.filter(isSent), at).map((said) => this.#sized(said))
      const next = [...recognized(all, this.plan.now)]
      const last = next.at(-1)
      if (last !== undefined && !this.plan.now.includes(last)) next.splice(-1, 1, { ...last, isSummary: true })
      this.plan.become(next, 'compaction')
      return undefined
    }
    if (typeof message !== 'string' || message === '') return 'a compaction without a summary'
    const text = { type: 'message', role: 'user', content: [{ type: 'input_text', text: message }] }
    this.plan.become([...this.#keptUsers(), { messages: [text], at, isSummary: true }], 'compaction')
    return undefined
  }

  /** The words that lead a history are there again after a compaction, and so are the newest messages of the user. */
  #keptUsers(): readonly Said[] {
    const { now } = this.plan
    const begin = now.findIndex((said) => this.#sizes.has(said) || !isContext(said))
    let room = KEPT_BYTES
    const kept: Said[] = []
    for (const said of now.toReversed()) {
      const size = this.#sizes.get(said)
      if (size === undefined) continue
      room -= size
      if (room < 0) break
      kept.unshift(said)
    }
    return [...(begin < 0 ? now : now.slice(0, begin)), ...kept]
  }

  #goBack({ num_turns: count }: JsonObject): string | undefined {
    const turns = typeof count === 'number' && count > 0 ? this.#turns.splice(-count) : []
    const [turn] = turns
    this.#open = undefined
    if (turn !== undefined) this.plan.become(turn.list.slice(0, turn.length), 'return')
    return undefined
  }
}

/** Joins the items of one reply. */
function inReplies(items: readonly JsonObject[], at: JsonValue | undefined): readonly Said[] {
  const all: Spoken[] = []
  let open: Spoken | undefined
  for (const item of items) {
    if (open !== undefined && isOfModel(item)) open.messages.push(item)
    else all.push((open = { messages: [item], at }))
    if (!isOfModel(item)) open = undefined
  }
  return all
}

function isSent(item: JsonValue): item is JsonObject {
  return isObject(item) && typeof item['type'] === 'string' && !NOT_SENT.includes(item['type'])
}

function isOfModel({ type, role }: JsonObject): boolean {
  if (type === 'message') return role === 'assistant'
  return type === 'reasoning' || textOf(type).endsWith('_call')
}

/** Words of the agent itself that lead a history. */
function isContext({ messages, isSummary }: Said): boolean {
  const [item] = messages
  return isSummary !== true && messages.length === 1 && item!['type'] === 'message' && item!['role'] !== 'assistant'
}

function textIn({ content }: JsonObject): string {
  if (typeof content === 'string') return content
  const parts = Array.isArray(content) ? content.filter(isObject) : []
  return parts.map(({ text }) => textOf(text)).join('')
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

// Sessions of pi (versions 1 to 3): a tree of entries, of which the branch of the last one is read. `compaction` and `context_edit` are applied as pi
// applies them when it opens a session.

import { isObject, type JsonObject, type JsonValue } from '../../core/index.js'
import { Plan, recognized, type Entry, type Said, type Session, type Unread } from './plan.js'

/** The first line of a session of pi. */
export function isPiHeader(value: JsonObject): boolean {
  return value['type'] === 'session' && ['cwd', 'version', 'timestamp'].some((key) => value[key] !== undefined)
}

/** Messages of other roles are for the screen, or are read from entries of their own. */
const SENT_ROLES = ['user', 'assistant', 'toolResult']

export function readPiSession(entries: readonly Entry[]): Session {
  const [header] = entries
  const id = header !== undefined && isPiHeader(header.value) ? header.value['id'] : undefined
  const rest = entries.filter(({ value }) => !isPiHeader(value))
  const reader = new PiReader(entries)
  const isInBranch = branchOf(rest)
  for (const entry of rest) reader.read(entry, isInBranch(entry.value))
  const { plan, unread } = reader
  return { ...(typeof id === 'string' && id !== '' ? { id } : {}), steps: plan.steps, unread }
}

/** An entry of the branch, and its words; undefined if an edit has taken them. */
type Spoken = { readonly entry: JsonObject; said: Said | undefined }

class PiReader {
  readonly plan = new Plan()
  readonly unread: Unread[] = []
  readonly #entries: readonly Entry[]
  readonly #spoken: Spoken[] = []
  readonly #byId = new Map<unknown, Spoken>()
  /** The number of messages before an entry, by the entry and by its id. */
  readonly #before = new Map<unknown, number>()
  /** The list is this, and then what was said from a place on. */
  #head: readonly Said[] = []
  #from = 0

  constructor(entries: readonly Entry[]) {
    this.#entries = entries
  }

  read({ line, value }: Entry, isInBranch: boolean): void {
    const what = isInBranch ? this.#take(value) : 'an entry of a branch that was left'
    if (what !== undefined) this.unread.push({ line, what })
  }

  /** Gives a reason if there is nothing to take. */
  #take(entry: JsonObject): string | undefined {
    const { id, type } = entry
    this.#before.set(entry, this.#spoken.length)
    if (id !== undefined) this.#before.set(id, this.#spoken.length)
    if (type === 'compaction') return this.#compact(entry)
    if (type === 'context_edit') return this.#edit(entry)
    const message = messageIn(entry)
    if (typeof message === 'string') return message
    const spoken = { entry, said: saidOf(entry, message) }
    this.#spoken.push(spoken)
    if (id !== undefined) this.#byId.set(id, spoken)
    this.plan.say(spoken.said)
    return undefined
  }

  /** The summary comes first, then what was kept: messages that the entry holds itself, or those from an entry on. */
  #compact(entry: JsonObject): string | undefined {
    const { summary, retainedTail, timestamp: at } = entry
    if (typeof summary !== 'string') return 'a compaction without a summary'
    const said: Said = { messages: [{ role: 'user', content: summary }], isSummary: true, at }
    const tail = Array.isArray(retainedTail) ? retainedTail.filter(isObject).map(sentForm).filter(isObject) : []
    const kept = tail.map((message) => saidOf({}, message))
    this.#head = [said, ...recognized(kept, this.plan.now)]
    this.#from = Array.isArray(retainedTail) ? this.#spoken.length : this.#keptFrom(entry)
    this.#become('compaction')
    return undefined
  }

  /** Version 1 counts the entries of the file. Nothing was kept if there is no such entry. */
  #keptFrom({ firstKeptEntryId: id, firstKeptEntryIndex: index }: JsonObject): number {
    const first = typeof index === 'number' ? this.#entries[index]?.value : id
    return this.#before.get(first) ?? this.#spoken.length
  }

  /** The newest edit of a message decides: another content, or none at all. */
  #edit({ targetId, replacement }: JsonObject): string | undefined {
    const spoken = this.#byId.get(targetId)
    const content = isObject(replacement) ? replacement['content'] : undefined
    if (spoken === undefined || (replacement !== null && content === undefined)) return 'an edit of no message'
    const message = messageIn(spoken.entry) as JsonObject
    spoken.said = content === undefined ? undefined : saidOf(spoken.entry, { ...message, content })
    this.#become('edit')
    return undefined
  }

  #become(why: 'compaction' | 'edit'): void {
    const kept = this.#spoken.slice(this.#from).flatMap(({ said }) => said ?? [])
    this.plan.become([...this.#head, ...kept], why)
  }
}

function saidOf(entry: JsonObject, message: JsonObject): Said {
  const usage = message['role'] === 'assistant' ? message['usage'] : undefined
  return {
    messages: [withList(message)],
    at: message['timestamp'] ?? entry['timestamp'],
    ...(usage === undefined ? {} : { usage }),
    ...(entry['type'] === 'branch_summary' ? { isSummary: true } : {}),
  }
}

/** The message that an entry adds to requests, or a reason why it adds none. */
function messageIn(entry: JsonObject): JsonObject | string {
  const { type, message, content, summary } = entry
  if (type === 'custom_message') return { role: 'user', content: content ?? '' }
  if (type === 'branch_summary' && typeof summary === 'string') return { role: 'user', content: summary }
  if (type !== 'message' || !isObject(message)) return `an entry of the type ${JSON.stringify(type ?? null)}`
  return sentForm(message)
}

/** A message as it is sent: commands of the user and messages of extensions are the user's words. */
function sentForm(message: JsonObject): JsonObject | string {
  const { role, content, timestamp } = message
  if (typeof role === 'string' && SENT_ROLES.includes(role)) return message
  const at = timestamp === undefined ? {} : { timestamp }
  if (role === 'custom' || role === 'hookMessage') return { role: 'user', content: content ?? '', ...at }
  if (role !== 'bashExecution') return `a message of the role ${JSON.stringify(role ?? null)}`
  if (message['excludeFromContext'] === true) return 'a command that was kept out of the context'
  return { role: 'user', content: commandText(message), ...at }
}

function commandText({ command, output, exitCode, cancelled }: JsonObject): string {
  const lines = [`$ ${textOf(command)}`, textOf(output)]
  if (cancelled === true) lines.push('(cancelled)')
  else if (typeof exitCode === 'number' && exitCode !== 0) lines.push(`(exit code ${exitCode})`)
  return lines.filter((line) => line !== '').join('\n')
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** Contents are lists, so that an edited message can take the place of the original. */
function withList(message: JsonObject): JsonObject {
  const { content = '' } = message
  return Array.isArray(content) ? message : { ...message, content: [{ type: 'text', text: content }] }
}

/** Entries of the first version are in order; later ones name the entry before, and the last one is the end of the session. */
function branchOf(entries: readonly Entry[]): (value: JsonObject) => boolean {
  const byId = new Map(entries.map(({ value }) => [value['id'], value]))
  const last = entries.findLast(({ value }) => typeof value['id'] === 'string')
  if (last === undefined || !entries.some(({ value }) => Object.hasOwn(value, 'parentId'))) return () => true
  const branch = new Set<JsonObject>()
  let at: JsonObject | undefined = last.value
  while (at !== undefined && !branch.has(at)) {
    branch.add(at)
    const parent: unknown = at['parentId']
    at = typeof parent === 'string' ? byId.get(parent) : undefined
  }
  return (value) => branch.has(value)
}

// Sessions of coding agents as files: one entry on each line, of which some are messages. Entries form a tree, in which an
// older attempt stays in the file; the branch that the session ended on is read.

import type { JsonObject } from '../../core/index.js'
import { isObject } from './shapes.js'

export type Entry = Readonly<{ line: number; value: JsonObject }>

/** Something that a file holds and a context does not. */
export type Unread = Readonly<{ line?: number; what: string }>

export type Session = Readonly<{ id?: string; messages: readonly JsonObject[]; unread: readonly Unread[] }>

/** The first line of a session of pi. */
export function isPiHeader(value: JsonObject): boolean {
  return value['type'] === 'session' && ['cwd', 'version', 'timestamp'].some((key) => value[key] !== undefined)
}

const CLAUDE_MARKS = ['sessionId', 'parentUuid', 'leafUuid', 'isSidechain', 'isSnapshotUpdate']

/** Any line of a session of Claude Code. */
export function isClaudeEntry(value: JsonObject): boolean {
  return typeof value['type'] === 'string' && CLAUDE_MARKS.some((key) => Object.hasOwn(value, key))
}

/** Roles of pi that a provider is sent. */
const PI_ROLES = ['user', 'assistant', 'toolResult']

/** The messages of a session of pi, in the form that `fromPi` reads. */
export function readPiSession(entries: readonly Entry[]): Session {
  const [header] = entries
  const id = header !== undefined && isPiHeader(header.value) ? header.value['id'] : undefined
  const rest = entries.filter(({ value }) => !isPiHeader(value))
  const unread: Unread[] = []
  const messages: JsonObject[] = []
  const isInBranch = branchOf(rest)
  for (const { line, value } of rest) {
    const { type, message } = value
    const role = isObject(message) ? message['role'] : undefined
    if (!isInBranch(value)) unread.push({ line, what: 'an entry of a branch that was left' })
    else if (type === 'compaction' || type === 'branch_summary') {
      unread.push({ line, what: `a ${type}, since what it sums up is there` })
    } else if (type !== 'message' || !isObject(message)) {
      unread.push({ line, what: `an entry of the type ${JSON.stringify(type ?? null)}` })
    } else if (typeof role !== 'string' || !PI_ROLES.includes(role)) {
      unread.push({ line, what: `a message of the role ${JSON.stringify(role ?? null)}` })
    } else messages.push(message)
  }
  return { ...(typeof id === 'string' && id !== '' ? { id } : {}), messages, unread }
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

/** The messages of a session of Claude Code, in the form of Anthropic's. */
export function readClaudeSession(entries: readonly Entry[]): Session {
  const unread: Unread[] = []
  const isLeft = leftPrompts(entries)
  const seen = new Set<unknown>()
  const said: { message: JsonObject; id: unknown }[] = []
  let id: string | undefined
  for (const { line, value } of entries) {
    const { type, message, uuid } = value
    if (typeof value['sessionId'] === 'string' && value['sessionId'] !== '') id = value['sessionId']
    if ((type !== 'user' && type !== 'assistant') || !isObject(message)) {
      unread.push({ line, what: `an entry of the type ${JSON.stringify(type ?? null)}` })
    } else if (value['isSidechain'] === true) unread.push({ line, what: 'a message of a subagent' })
    else if (uuid !== undefined && seen.has(uuid))
      unread.push({ line, what: 'a message that stands in the file twice' })
    else if (isLeft(value)) unread.push({ line, what: 'a message of a branch that was left' })
    else {
      seen.add(uuid)
      add(said, message)
    }
  }
  return { ...(id === undefined ? {} : { id }), messages: said.map(({ message }) => message), unread }
}

/** An answer is written part by part, each with the id of the whole. */
function add(said: { message: JsonObject; id: unknown }[], given: JsonObject): void {
  const {
    id,
    type: _type,
    model: _model,
    usage: _usage,
    stop_reason: _reason,
    stop_sequence: _stop,
    ...message
  } = given
  const before = said.at(-1)
  const { content } = message
  const earlier = before?.message['content']
  if (
    before !== undefined &&
    id !== undefined &&
    before.id === id &&
    Array.isArray(earlier) &&
    Array.isArray(content)
  ) {
    before.message = { ...before.message, ...message, content: [...earlier, ...content] }
  } else said.push({ message, id })
}

/**
 * A prompt that was written again has the same parent as the earlier one, and all that follows from the earlier one was left. Results of
 * parallel calls share a parent too, and are no prompts.
 */
function leftPrompts(entries: readonly Entry[]): (value: JsonObject) => boolean {
  const newest = new Map<unknown, unknown>()
  for (const { value } of entries) {
    if (isPrompt(value) && typeof value['parentUuid'] === 'string') newest.set(value['parentUuid'], value['uuid'])
  }
  const left = new Set<unknown>()
  return (value) => {
    const { uuid, parentUuid } = value
    const isOld = isPrompt(value) && newest.has(parentUuid) && newest.get(parentUuid) !== uuid
    if (!isOld && !left.has(parentUuid)) return false
    left.add(uuid)
    return true
  }
}

function isPrompt({ type, message, isSidechain, isMeta }: JsonObject): boolean {
  if (type !== 'user' || !isObject(message) || isSidechain === true || isMeta === true) return false
  const { content } = message
  return !Array.isArray(content) || !content.some((part) => isObject(part) && part['type'] === 'tool_result')
}

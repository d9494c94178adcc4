// Transcripts of the Claude Agent SDK: a context for each transcript, a node for each entry, a commit for each batch. What an entry means is the
// business of the SDK, so an entry is the content of its node, verbatim. The types repeat the SDK's, whose package brings a program of 170 MB.

import { copyJson } from '../codec/index.js'
import type { JsonObject, Node } from '../core/index.js'
import { invalid, isRecord } from '../errors/index.js'
import { OpenContexts, Remembered } from '../sessions/index.js'
import type { Store, StoredContext } from '../store/index.js'

/** The name of a transcript. Those of subagents have a `subpath`. */
export type SessionKey = { projectKey: string; sessionId: string; subpath?: string }

/** One entry of a transcript: any JSON object with a type. */
export type SessionEntry = { type: string; uuid?: string; timestamp?: string; [key: string]: unknown }

/** A summary that the SDK keeps of a session; `data` is its own. */
export type SessionSummary = { sessionId: string; mtime: number; data: Record<string, unknown> }

export type SessionStoreOptions = Readonly<{
  /** The function of the same name of the SDK. With it the store has `listSessionSummaries`, and lists of sessions read no transcripts. */
  foldSessionSummary?:
    | ((prev: SessionSummary | undefined, key: SessionKey, entries: SessionEntry[]) => SessionSummary)
    | undefined
}>

/** A `SessionStore` of the SDK: pass it as `sessionStore` to `query`. */
export type ClaudeSessionStore = {
  append(key: SessionKey, entries: SessionEntry[]): Promise<void>
  load(key: SessionKey): Promise<SessionEntry[] | null>
  listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>
  listSessionSummaries?(projectKey: string): Promise<SessionSummary[]>
  delete(key: SessionKey): Promise<void>
  listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]>
}

/**
 * A `SessionStore` of the Claude Agent SDK on a store.
 *
 * @example
 * ```ts
 * import { createSessionStore } from 'pact-context/claude-agent-sdk'
 * import { openStore } from 'pact-context/store'
 *
 * const sessionStore = createSessionStore(await openStore('memory:'))
 * const key = { projectKey: 'shop', sessionId: 's1' }
 * await sessionStore.append(key, [{ type: 'user', uuid: 'u1', message: { role: 'user', content: 'Hi' } }])
 * await sessionStore.load(key) // → [{ type: 'user', uuid: 'u1', message: { role: 'user', content: 'Hi' } }]
 * ```
 */
export function createSessionStore(store: Store, options: SessionStoreOptions = {}): ClaudeSessionStore {
  const { foldSessionSummary: fold } = options
  const contexts = new OpenContexts(store)
  const known = new Remembered(uuidsIn)

  const append = async (key: SessionKey, entries: SessionEntry[]): Promise<void> => {
    const given = entries.map(readEntry)
    if (given.length === 0) return
    let uuids: ReadonlySet<string> = new Set()
    const edit = (ctx: StoredContext): void => {
      const before = known.of(ctx)
      const added = given.filter(({ uuid }, n) => !isDuplicate(uuid, before, given, n))
      uuids = new Set([...before, ...uuidsOf(added)])
      const summary = fold && key.subpath === undefined ? folded(fold, ctx, key, added) : undefined
      for (const [n, entry] of added.entries()) {
        const isLast = n === added.length - 1
        ctx.add(entry, { ...headerOf(entry), zone: 'core', ...(isLast && summary ? { [SUMMARY]: summary } : {}) })
      }
    }
    await contexts.change(idOf(key), edit, { committed: (ctx) => known.note(ctx, uuids) })
  }

  const load = async (key: SessionKey): Promise<SessionEntry[] | null> => {
    const entries = (await contexts.read(idOf(key), entriesIn)) ?? []
    return entries.length === 0 ? null : entries
  }

  /** The newest node of every session of a project. */
  const newest = async (projectKey: string): Promise<readonly (readonly [string, Node])[]> => {
    const found: (readonly [string, Node])[] = []
    for (const name of await namesUnder(store, [projectKey])) {
      if (name.includes(SEPARATOR)) continue
      const node = await contexts.read(`${pathOf([projectKey])}${name}`, newestIn)
      if (node !== undefined) found.push([decodeURIComponent(name), node])
    }
    return found
  }

  const listSessions: ClaudeSessionStore['listSessions'] = async (projectKey) => {
    return (await newest(projectKey)).map(([sessionId, node]) => ({ sessionId, mtime: timeOf(node) }))
  }
  const listSessionSummaries = async (projectKey: string): Promise<SessionSummary[]> => {
    return (await newest(projectKey)).flatMap(([sessionId, node]) => summaryIn(node, sessionId) ?? [])
  }
  const listSubkeys: ClaudeSessionStore['listSubkeys'] = async ({ projectKey, sessionId }) => {
    return (await namesUnder(store, [projectKey, sessionId])).map(decodeURIComponent)
  }

  const remove = async (key: SessionKey): Promise<void> => {
    const { projectKey, sessionId, subpath } = key
    // The transcript itself goes last: after a crash, the next call finds the rest.
    const subkeys = subpath === undefined ? await listSubkeys({ projectKey, sessionId }) : []
    for (const each of subkeys) await contexts.delete(idOf({ projectKey, sessionId, subpath: each }), { forks: true })
    await contexts.delete(idOf(key), { forks: true })
  }

  const summaries = fold === undefined ? {} : { listSessionSummaries }
  return { append, load, listSessions, ...summaries, delete: remove, listSubkeys }
}

/** On the newest entry of a batch: the summary of the session so far. */
const SUMMARY = 'data_summary'
const SEPARATOR = '/'

/** The start of the ids of everything under a project, or under a session. */
function pathOf(names: readonly string[]): string {
  return ['claude', ...names.map(encodeURIComponent), ''].join(SEPARATOR)
}

function idOf({ projectKey, sessionId, subpath }: SessionKey): string {
  if (subpath === '')
    throw invalid('subpath', 'A subpath is not empty; leave it out for the transcript of the session.')
  return pathOf(subpath === undefined ? [projectKey, sessionId] : [projectKey, sessionId, subpath]).slice(0, -1)
}

/** The rest of the ids of contexts that begin with the path of these names. */
async function namesUnder(store: Store, names: readonly string[]): Promise<readonly string[]> {
  const path = pathOf(names)
  const found: string[] = []
  let after: string | undefined = path
  while (after !== undefined) {
    const { contexts, next } = await store.list({ after })
    const ids = contexts.map(({ id }) => id).filter((id) => id.startsWith(path))
    found.push(...ids.map((id) => id.slice(path.length)))
    after = ids.length < contexts.length ? undefined : next
  }
  return found
}

function readEntry(given: unknown): JsonObject {
  if (isRecord(given)) return copyJson(given) as JsonObject
  throw invalid('entries', 'An entry of a transcript is an object with a type.')
}

/** The words by which selectors find an entry. */
function headerOf({ type, uuid, message }: JsonObject) {
  const role = isRecord(message) ? message['role'] : undefined
  return {
    ...(typeof role === 'string' && role !== '' ? { role } : {}),
    ...(typeof type === 'string' ? { data_type: type } : {}),
    ...(typeof uuid === 'string' ? { data_uuid: uuid } : {}),
  }
}

function entriesIn(ctx: StoredContext): SessionEntry[] {
  return ctx.nodes(ENTRIES).map(({ content }) => structuredClone(content) as unknown as SessionEntry)
}

const ENTRIES = '^seq .block[data_type]'

/** Each batch is a segment of its own, so the newest entry is in the newest segment. */
function newestIn(ctx: StoredContext): Node | undefined {
  return ctx.nodes('d1 .block[data_type]').at(-1)
}

function timeOf({ createdAtNs }: Node): number {
  return Number(createdAtNs / 1_000_000n)
}

function summaryIn(node: Node, sessionId: string): SessionSummary | undefined {
  const data = node.attributes[SUMMARY]
  return isRecord(data) ? { sessionId, mtime: timeOf(node), data: structuredClone(data) } : undefined
}

/** The summary with new entries. Without an earlier one, all entries before them are read. */
function folded(
  fold: NonNullable<SessionStoreOptions['foldSessionSummary']>,
  ctx: StoredContext,
  key: SessionKey,
  added: readonly JsonObject[],
): JsonObject {
  const node = newestIn(ctx)
  const before = node && summaryIn(node, key.sessionId)
  const entries = [
    ...(before === undefined ? entriesIn(ctx) : []),
    ...(structuredClone(added) as unknown as SessionEntry[]),
  ]
  return readEntry(fold(before, key, entries).data)
}

function uuidsOf(entries: readonly JsonObject[]): readonly string[] {
  return entries.flatMap(({ uuid }) => (typeof uuid === 'string' ? [uuid] : []))
}

/** True if the entry is stored, or comes earlier in its batch. Entries without a uuid never are. */
function isDuplicate(uuid: unknown, before: ReadonlySet<string>, batch: readonly JsonObject[], n: number): boolean {
  if (typeof uuid !== 'string') return false
  return before.has(uuid) || batch.findIndex((entry) => entry['uuid'] === uuid) < n
}

function uuidsIn(ctx: StoredContext): ReadonlySet<string> {
  const uuids = ctx.nodes('^seq .block[data_uuid]').map(({ attributes }) => attributes['data_uuid'])
  return new Set(uuids.filter((uuid) => typeof uuid === 'string'))
}

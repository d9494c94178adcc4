// Generated sessions of agents, written by the published formats: several compactions, branches, edits and entries that say nothing.

import fc from 'fast-check'

import { piBranch, type Line } from '../oracle/sessions.js'

/** A number that a session takes its choices from, and what to do. */
export type Move = Readonly<{ kind: number; pick: number }>

/** `isLinear` sessions only go on: whatever they have at one time can be imported, and updated later. */
export const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.record({ kind: fc.nat({ max: 99 }), pick: fc.nat({ max: 9999 }) }),
  { minLength: 1, maxLength: 40 },
)

export function piSession(given: readonly Move[], isLinear = false): readonly Line[] {
  const lines: Line[] = [{ type: 'session', version: 3, id: 'pi', timestamp: '2026-01-01T00:00:00Z', cwd: '/' }]
  let leaf: string | null = null
  const put = (entry: object): void => {
    const id = `e${lines.length}`
    lines.push({ ...entry, id, parentId: leaf, timestamp: '2026-01-01T00:00:00Z' })
    leaf = id
  }
  const text = (): string => `t${lines.length}`
  const say = (message: object): void => put({ type: 'message', message })
  for (const { kind, pick } of given) {
    const path = piBranch(
      leaf === null ? [] : [...lines.filter(({ id }) => id !== leaf), lines.find(({ id }) => id === leaf)!],
    )
    const isEditable = ({ type, message }: Line): boolean =>
      type === 'custom_message' ||
      (type === 'message' && ['user', 'assistant'].includes(message.role) && message.content[0].type !== 'toolCall')
    const from = <T>(all: readonly T[]): T | undefined => all[pick % Math.max(1, all.length)]
    if (kind < 25) say({ role: 'user', content: pick % 2 === 0 ? text() : [{ type: 'text', text: text() }] })
    else if (kind < 45) say({ role: 'assistant', content: [{ type: 'text', text: text() }] })
    else if (kind < 60) {
      const id = `c${lines.length}`
      say({
        role: 'assistant',
        content: [
          { type: 'text', text: text() },
          { type: 'toolCall', id, name: 'f', arguments: {} },
        ],
      })
      say({
        role: 'toolResult',
        toolCallId: id,
        toolName: 'f',
        content: [{ type: 'text', text: text() }],
        isError: false,
      })
    } else if (kind < 64)
      say({ role: 'bashExecution', command: text(), output: 'out', exitCode: 0, excludeFromContext: pick % 3 === 0 })
    else if (kind < 67) put({ type: 'custom_message', customType: 'x', content: text(), display: true })
    else if (kind < 70) put({ type: 'model_change', provider: 'p', modelId: 'm' })
    else if (kind < 80) {
      const kept = from(path.filter(({ type, message }) => type !== 'context_edit' && message?.role !== 'toolResult'))
      const summary = `summary ${text()}`
      if (pick % 5 === 0 && !isLinear) {
        const messages = path
          .filter(({ type }) => type === 'message')
          .map(({ message }) => message)
          .slice(-(pick % 3) - 1)
        put({
          type: 'compaction',
          summary,
          tokensBefore: 1,
          retainedTail: messages.filter(({ role }) => role !== 'toolResult'),
        })
      } else
        put({
          type: 'compaction',
          summary,
          tokensBefore: 1,
          firstKeptEntryId: pick % 7 === 0 ? `e${lines.length}` : kept?.['id'],
        })
    } else if (kind < 92) {
      const target = from(path.filter(isEditable))
      if (target === undefined) continue
      const content = pick % 2 === 0 ? `edited ${text()}` : [{ type: 'text', text: `edited ${text()}` }]
      put({ type: 'context_edit', targetId: target['id'], replacement: pick % 3 === 0 ? null : { content } })
    } else if (!isLinear && path.length > 0) {
      leaf = from(path)!['id'] as string
      if (pick % 2 === 0) put({ type: 'branch_summary', fromId: path.at(-1)!['id'], summary: `summary ${text()}` })
    }
  }
  return lines
}

export function claudeSession(given: readonly Move[], isLinear = false): readonly Line[] {
  const lines: Line[] = []
  let leaf: string | null = null
  const all = { sessionId: 'claude', isSidechain: false, userType: 'external', cwd: '/', version: '2.1.0' }
  const put = (entry: object): string => {
    const uuid = `u${lines.length}`
    lines.push({ parentUuid: leaf, ...all, ...entry, uuid, timestamp: '2026-01-01T00:00:00Z' })
    leaf = uuid
    return uuid
  }
  const text = (): string => `t${lines.length}`
  const say = (role: string, content: unknown, more: object = {}): string =>
    put({
      type: role,
      message: role === 'user' ? { role, content } : { role, content, type: 'message', ...more },
      ...(role === 'user' ? more : {}),
    })
  /** The agent's present request; a test of its own would be no simpler. */
  let list: Line[] = []
  say('user', text())
  list.push(lines[0]!)
  for (const { kind, pick } of given) {
    const before = lines.length
    const from = <T>(each: readonly T[]): T | undefined => each[pick % Math.max(1, each.length)]
    const id = `m${before}`
    if (kind < 25) say('user', pick % 2 === 0 ? text() : [{ type: 'text', text: text() }])
    else if (kind < 40) {
      say('assistant', [{ type: 'text', text: text() }], { id })
      if (pick % 2 === 0 && !isLinear) say('assistant', [{ type: 'text', text: text() }], { id })
    } else if (kind < 60) {
      say('assistant', [{ type: 'tool_use', id: `c${before}`, name: 'f', input: {} }], { id })
      say('user', [{ type: 'tool_result', tool_use_id: `c${before}`, content: text() }])
    } else if (kind < 64) lines.push({ type: 'file-history-snapshot', messageId: 'x', isSnapshotUpdate: false })
    else if (kind < 67)
      lines.push({
        ...all,
        type: 'user',
        uuid: `s${before}`,
        parentUuid: leaf,
        isSidechain: true,
        message: { role: 'user', content: 'no' },
      })
    else if (kind < 69 && list.length > 0) lines.push(from(list)!)
    else if (kind < 79 && leaf !== null) {
      const kept = list.slice(list.length - (pick % (list.length + 1)))
      const boundary = `u${before}`
      const anchorUuid = pick % 4 === 0 ? boundary : `u${before + 1}`
      const about =
        kept.length === 0 || pick % 3 === 0
          ? {}
          : pick % 3 === 1
            ? { preservedMessages: { anchorUuid, uuids: kept.map(({ uuid }) => uuid) } }
            : { preservedSegment: { anchorUuid, headUuid: kept[0]!['uuid'], tailUuid: kept.at(-1)!['uuid'] } }
      const logicalParentUuid = leaf
      leaf = null
      put({
        type: 'system',
        subtype: 'compact_boundary',
        logicalParentUuid,
        compactMetadata: { trigger: 'auto', preTokens: 1, ...about },
      })
      const said = say('user', `summary ${text()}`, { isCompactSummary: true })
      const summary = lines.find(({ uuid }) => uuid === said)!
      const stays = 'preservedMessages' in about || 'preservedSegment' in about ? kept : []
      list = anchorUuid === boundary && stays.length > 0 ? [...stays, summary] : [summary, ...stays]
      continue
    } else if (kind < 84 && leaf !== null) {
      const gone = list.filter((_, i) => (pick + i) % 3 === 0).map(({ uuid }) => uuid)
      put({ type: 'system', subtype: 'snip_boundary', snipMetadata: { removedUuids: gone } })
      list = list.filter(({ uuid }) => !gone.includes(uuid))
    } else if (kind < 92 && leaf !== null) {
      const calls = list
        .flatMap(({ message }) => (Array.isArray(message.content) ? message.content : []))
        .flatMap((part: Line) => part['tool_use_id'] ?? [])
      const call = from(calls)
      if (call === undefined) continue
      if (pick % 2 === 0)
        put({ type: 'system', subtype: 'microcompact_boundary', microcompactMetadata: { compactedToolIds: [call] } })
      else
        lines.push({
          type: 'content-replacement',
          sessionId: 'claude',
          replacements: [{ kind: 'tool-result', toolUseId: call, replacement: `short ${before}` }],
        })
    } else if (!isLinear) {
      const prompts = logical(lines, leaf).filter(({ type, parentUuid, message, isCompactSummary }) => {
        const isResult = Array.isArray(message?.content) && message.content[0].type === 'tool_result'
        return type === 'user' && parentUuid !== null && !isResult && isCompactSummary !== true
      })
      const old = from(prompts)
      if (old === undefined) continue
      leaf = old['parentUuid'] as string
      say('user', text())
      list = []
      continue
    }
    list.push(
      ...lines
        .slice(before)
        .filter(
          ({ type, isSidechain, uuid }) =>
            (type === 'user' || type === 'assistant') &&
            isSidechain !== true &&
            !list.some((each) => each['uuid'] === uuid),
        ),
    )
  }
  return lines
}

function logical(lines: readonly Line[], leaf: string | null | undefined): readonly Line[] {
  const entry = leaf === undefined ? undefined : lines.find(({ uuid }) => uuid === leaf)
  return entry === undefined ? [] : [...logical(lines, entry['parentUuid'] ?? entry['logicalParentUuid']), entry]
}

export function codexSession(given: readonly Move[], isLinear = false): readonly Line[] {
  const lines: Line[] = []
  const put = (type: string, payload: object): void =>
    void lines.push({ timestamp: '2026-01-01T00:00:00Z', type, payload })
  put('session_meta', { id: 'codex', timestamp: '2026-01-01T00:00:00Z', cwd: '/' })
  const text = (): string => `t${lines.length}`
  const message = (role: string, said: string): object => ({
    type: 'message',
    role,
    content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text: said }],
  })
  const say = (item: object): void => {
    put('response_item', item)
    said.push(item)
  }
  const said: object[] = []
  for (const { kind, pick } of given) {
    if (kind < 5) say(message('developer', text()))
    else if (kind < 10) say(message('user', `<environment_context>${text()}</environment_context>`))
    else if (kind < 30) {
      put('event_msg', { type: 'user_message', message: text() })
      say(message('user', text()))
    } else if (kind < 45 && !isLinear) say(message('assistant', text()))
    else if (kind < 65) {
      const call = `c${lines.length}`
      if (pick % 2 === 0) say({ type: 'reasoning', id: `r${lines.length}`, summary: [] })
      say({ type: 'function_call', name: 'f', arguments: '{}', call_id: call })
      say({ type: 'function_call_output', call_id: call, output: text() })
      put('event_msg', { type: 'token_count', info: { last_token_usage: { input_tokens: 9, output_tokens: 1 } } })
    } else if (kind < 70) put('turn_context', { cwd: '/', model: 'm' })
    else if (kind < 85) {
      const summary = message('user', `summary ${text()}`)
      const kept = said.filter((_, i) => (pick + i) % 4 !== 0 && (pick % 2 === 0 || i % 2 === 0))
      put(
        'compacted',
        pick % 3 === 0 ? { message: `summary ${text()}` } : { message: '', replacement_history: [...kept, summary] },
      )
      if (pick % 3 !== 0) said.splice(0, said.length, ...kept)
    } else if (!isLinear) put('event_msg', { type: 'thread_rolled_back', num_turns: 1 + (pick % 3) })
  }
  return lines
}

// The next request of an agent, straight from the rules of its format: each function looks at a whole file and computes the end result once,
// without following the session step by step. Shares no code with src/commands/importing.

// oxlint-disable-next-line typescript/no-explicit-any -- whatever the file holds
export type Line = Readonly<Record<string, any>>

/** One part of a message. */
export type Sent = Readonly<{ role: string; text: string }>

/** pi: the branch of the last entry; the last compaction of it, with what it kept; the newest edit of each message. */
export function piSends(lines: readonly Line[]): readonly Sent[] {
  const path = piBranch(lines)
  const edits = new Map<string, Line | null>()
  for (const { type, targetId, replacement } of path) if (type === 'context_edit') edits.set(targetId, replacement)
  const last = path.findLastIndex(({ type }) => type === 'compaction')
  if (last < 0) return path.flatMap((entry) => piEntry(entry, edits))
  const { summary, retainedTail, firstKeptEntryId } = path[last]!
  const first = path.findIndex(({ id }) => id === firstKeptEntryId)
  const kept = retainedTail ?? (first < 0 ? [] : path.slice(first, last))
  return [
    { role: 'user', text: summary },
    ...kept.flatMap((each: Line) => (retainedTail === undefined ? piEntry(each, edits) : piMessage(each))),
    ...path.slice(last + 1).flatMap((entry) => piEntry(entry, edits)),
  ]
}

/** The entries from the root to the last line. */
export function piBranch(lines: readonly Line[]): readonly Line[] {
  const path: Line[] = []
  for (let at = lines.at(-1); at !== undefined && at['type'] !== 'session';) {
    path.unshift(at)
    const parent: unknown = at['parentId']
    at = lines.find(({ id, type }) => type !== 'session' && id === parent)
  }
  return path
}

function piEntry(entry: Line, edits: ReadonlyMap<string, Line | null>): readonly Sent[] {
  const { type, id, message, summary, content } = entry
  if (type === 'branch_summary') return [{ role: 'user', text: summary }]
  if (type !== 'message' && type !== 'custom_message') return []
  const whole = type === 'message' ? message : { role: 'user', content }
  const edit = edits.get(id)
  if (edit === undefined) return piMessage(whole)
  return edit === null ? [] : piMessage({ ...whole, content: edit['content'] })
}

function piMessage({ role, content, command, output, toolCallId, excludeFromContext }: Line): readonly Sent[] {
  if (role === 'bashExecution')
    return excludeFromContext === true ? [] : [{ role: 'user', text: `$ ${command}\n${output}` }]
  const parts: readonly Line[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  if (role === 'toolResult') {
    return [{ role: 'user', text: `result ${toolCallId}: ${parts.map(({ text }) => text).join('')}` }]
  }
  return parts.map(({ type, id, text }) => ({
    role: role === 'assistant' ? 'assistant' : 'user',
    text: type === 'toolCall' ? `call ${id}` : text,
  }))
}

/** Claude Code: the chain of parents from the last entry. A boundary has no parent; it names what was kept of the chain before it. */
export function claudeSends(given: readonly Line[]): readonly Sent[] {
  const lines = given.filter(
    ({ uuid }, i) => uuid === undefined || given.findIndex((line) => line['uuid'] === uuid) === i,
  )
  const leaf = lines.findLast(({ uuid, isSidechain }) => uuid !== undefined && isSidechain !== true)
  const results = new Map<string, string>()
  const chain = leaf === undefined ? [] : logicalChain(lines, leaf['uuid'])
  for (const line of lines) {
    const cleared = chain.includes(line) ? line['microcompactMetadata'] : undefined
    for (const id of cleared?.compactedToolIds ?? []) results.set(id, '[tool result no longer in context]')
    for (const each of line['replacements'] ?? []) results.set(each.toolUseId, each.replacement)
  }
  const snipped = new Set(chain.flatMap(({ snipMetadata }) => snipMetadata?.removedUuids ?? []))
  const list = leaf === undefined ? [] : claudeList(lines, leaf['uuid'])
  return list
    .filter(({ uuid }) => !snipped.has(uuid))
    .flatMap(({ message: { role, content } }) => {
      const parts: readonly Line[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
      return parts.map((part) => ({ role, text: claudePart(part, results) }))
    })
}

function claudePart(
  { type, id, text, tool_use_id: call, content }: Line,
  results: ReadonlyMap<string, string>,
): string {
  if (type === 'tool_use') return `call ${id}`
  return type === 'tool_result' ? `result ${call}: ${results.get(call) ?? content}` : text
}

function claudeList(lines: readonly Line[], leaf: string): readonly Line[] {
  const chain = chainTo(lines, leaf)
  const said = chain.filter(({ type }) => type === 'user' || type === 'assistant')
  const [boundary] = chain
  if (boundary?.['subtype'] !== 'compact_boundary') return said
  const before = claudeList(lines, boundary['logicalParentUuid'])
  const { preservedMessages: named, preservedSegment: segment } = boundary['compactMetadata']
  const at = (uuid: string): number => before.findIndex((entry) => entry['uuid'] === uuid)
  const kept = named
    ? before.filter(({ uuid }) => named.uuids.includes(uuid))
    : segment
      ? before.slice(at(segment.headUuid), at(segment.tailUuid) + 1)
      : []
  const [summary, ...rest] = said
  // The agent was stopped before it wrote the summary.
  if (summary === undefined) return before
  const isLast = (named ?? segment)?.anchorUuid === boundary['uuid']
  return isLast ? [...kept, summary, ...rest] : [summary, ...kept, ...rest]
}

function chainTo(lines: readonly Line[], leaf: string | null): readonly Line[] {
  const entry = lines.find(({ uuid }) => uuid === leaf)
  return entry === undefined ? [] : [...chainTo(lines, entry['parentUuid']), entry]
}

function logicalChain(lines: readonly Line[], leaf: string | null | undefined): readonly Line[] {
  const entry = leaf === undefined ? undefined : lines.find(({ uuid }) => uuid === leaf)
  if (entry === undefined) return []
  return [...logicalChain(lines, entry['parentUuid'] ?? entry['logicalParentUuid']), entry]
}

/** Codex: items one after another; a compaction is another history, a rollback the history before a turn of the user. */
export function codexSends(lines: readonly Line[]): readonly Sent[] {
  let items: readonly Line[] = []
  const turns: (readonly Line[])[] = []
  for (const { type, payload } of lines) {
    if (type === 'response_item') {
      if (isUsers(payload)) turns.push(items)
      items = [...items, payload]
    }
    if (type === 'compacted') items = payload.replacement_history ?? rebuilt(items, payload.message)
    if (type === 'event_msg' && payload.type === 'thread_rolled_back') {
      const gone = turns.splice(-payload.num_turns)
      if (gone.length > 0) items = gone[0]!
    }
  }
  return items.map(codexItem)
}

/** Before `replacement_history` there was a rule: what leads, the words of the user, the summary. Summaries are no words of the user. */
function rebuilt(items: readonly Line[], message: string): readonly Line[] {
  const isSummary = (item: Line): boolean => codexItem(item).text.startsWith('summary')
  const first = items.findIndex((item) => item['type'] !== 'message' || item['role'] === 'assistant' || isUsers(item))
  const leading = items.slice(0, first < 0 ? items.length : first).filter((item) => !isSummary(item))
  const users = items.filter((item) => isUsers(item) && !isSummary(item))
  const summary = { type: 'message', role: 'user', content: [{ type: 'input_text', text: message }] }
  return [...leading, ...users, summary]
}

function isUsers({ type, role, content }: Line): boolean {
  return type === 'message' && role === 'user' && !content[0].text.startsWith('<environment_context>')
}

function codexItem({ type, role, content, call_id: call, output, id }: Line): Sent {
  if (type === 'message') return { role, text: content.map(({ text }: Line) => text).join('') }
  if (type === 'function_call_output') return { role: 'tool', text: `result ${call}: ${output}` }
  return { role: 'assistant', text: type === 'reasoning' ? `thought ${id}` : `call ${call}` }
}

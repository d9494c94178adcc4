// redact (D54): removes a text from nodes and keeps the nodes. The text that is searched for is not kept anywhere, and no error contains
// it.

import { describe, invalid, isRecord, PactError } from '../errors/index.js'
import {
  COMPACTED,
  compactedOf,
  compareText,
  NodeRecord,
  SHED,
  shedOf,
  type Compacted,
  type JsonValue,
  type RareHeaders,
  type Shed,
  type Template,
} from '../core/index.js'
import {
  contentHashOfRecord,
  copyJson,
  DIGESTS,
  isCompacted,
  travellingForm,
  travellingNode,
  withoutErased,
} from '../codec/index.js'
import { recordOf, type TreeNode } from '../timeline/index.js'
import { rehearsed, type EditSession } from './edit-session.js'
import { authorshipOf, checkAuthorship, deleteEach, type DeleteOptions } from './delete.js'
import { NOTHING_NAMED, type Overlay } from './header.js'
import {
  checkRedacted,
  isSearched,
  redactedData,
  type Changed,
  type Finding,
  type FoundAt,
  type Redacted,
} from './redacted.js'
import { mergeTemplate, replaceNode } from './replace.js'
import { rewriteScheduled, schedulesOf, wholeOf, type Rewrite, type ScheduledHit } from './scheduled.js'

export type RedactOptions = Readonly<{
  /** Every occurrence is removed, for any flags of a regular expression. */
  match: string | RegExp
  /** The literal replacement; `[redacted]` by default. */
  with?: string | undefined
  author?: string | undefined
  reason?: string | undefined
}>

/** Gives a text without the occurrences; undefined if it has none. */
type Apply = (text: string) => string | undefined

/** The parts of a node that a redaction searches. */
type Searched = Pick<NodeRecord, 'kind' | 'content' | 'rare'>

/** The change of a redaction to a node, undefined if nothing is found; with its author and reason. */
type Redaction = DeleteOptions & Readonly<{ find: (node: Searched, place: FoundAt) => Finding | undefined }>

const NAMES: readonly string[] = ['match', 'with', 'author', 'reason']

/** Checks the options of a redaction, or a redaction as data; no message has their values. */
export function checkRedactOptions(options: unknown): Redaction {
  if (!isRecord(options)) {
    throw invalid('options', 'Options of redact are an object such as { match: "4111 1111" }.')
  }
  const {
    match,
    with: instead = '[redacted]',
    author,
    reason,
    replaced,
    ...rest
  } = options as RedactOptions & Readonly<{ replaced?: unknown }>
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) {
    throw invalid(unknown, `redact takes ${NAMES.join(', ')}, and no ${describe(unknown)}.`)
  }
  if (typeof instead !== 'string') throw invalid('with', 'with must be a string.')
  checkAuthorship({ author, reason })
  if (replaced === undefined) return { find: searching(replacing(match, instead)), author, reason }
  if (match !== undefined) throw invalid('match', 'A redaction has a match or replaced, and not both.')
  const found = checkRedacted(replaced)
  return { find: (_node, place) => found(place), author, reason }
}

function searching(apply: Apply): Redaction['find'] {
  return (node) => {
    const changed = changedBy(node, apply)
    return changed !== undefined && isSigned(node) ? 'gone' : changed
  }
}

function replacing(match: unknown, instead: string): Apply {
  const pattern = typeof match === 'string' ? match : patternOf(match)
  if (pattern === undefined || pattern === '') {
    throw invalid('match', 'match must be a string that is not empty, or a regular expression.')
  }
  const once: Apply = (text) => {
    let isFound = false
    // An empty occurrence does not count.
    const redacted = text.replaceAll(pattern, (found) => {
      isFound ||= found !== ''
      return found === '' ? '' : instead
    })
    return isFound ? redacted : undefined
  }
  // If the replacement is empty, the text around an occurrence may form a new one.
  return instead === '' ? (text) => untilNone(once, text) : once
}

function untilNone(once: Apply, text: string): string | undefined {
  let redacted = once(text)
  for (let next = redacted; next !== undefined; next = once(next)) redacted = next
  return redacted
}

/** The same expression for every occurrence; undefined for a value that is no regular expression, whatever it pretends. */
function patternOf(match: unknown): RegExp | undefined {
  try {
    // This getter, taken from its place, works on real expressions alone, also on those of another realm.
    const source = SOURCE.get!.call(match) as string
    return new RegExp(source, `${(match as RegExp).flags.replaceAll(/[gy]/g, '')}g`)
  } catch {
    return undefined
  }
}

const SOURCE = Object.getOwnPropertyDescriptor(RegExp.prototype, 'source')!

/** The nodes that a redaction touched, and its replacements as data. */
type RedactedNodes = Readonly<{ touched: readonly TreeNode[]; replaced: readonly Redacted[] }>

/** Redacts every target in which something is found; gives the nodes that are there now, and those that were removed whole. */
export function redactNodes(
  session: EditSession,
  targets: readonly NodeRecord[],
  { author, reason, find: search }: Redaction,
  scheduled: readonly ScheduledHit[],
): RedactedNodes {
  return rehearsed(session, (trial) => {
    const { draft } = trial
    const touched: TreeNode[] = []
    const replaced: Redacted[] = []
    const find: Redaction['find'] = (node, place) => {
      const finding = withOwnOriginal(search(node, place), node)
      if (finding !== undefined) replaced.push(redactedData(place, finding))
      return finding
    }
    const redaction = { author, reason, find }
    for (const { id } of targets) {
      // One that stood in a node deleted just now is gone with it.
      const target = draft.find(id)
      if (target !== undefined) touched.push(...redactNode(trial, target, redaction))
    }
    // A text that an instance must not contain is also removed from its schedule (D46).
    const { schedules } = draft.tree
    const own = schedulesOf(trial, touched.map(recordOf))
    // One that signed reasoning has ended stays so.
    const meant = scheduled.filter(
      ({ schedule }) => schedules.get(schedule.key) !== undefined && !own.includes(schedule),
    )
    const hits = [...meant, ...own.map(wholeOf)]
    rewriteScheduled(trial, hits, (...scheduled) => redactTemplate(trial, scheduled, redaction), 'each')
    const standing = touched.map((node) => {
      const record = draft.find(recordOf(node).id)
      return record === undefined ? node : draft.nodeOf(record)
    })
    return { touched: standing, replaced: Object.freeze(replaced) }
  })
}

/** A redaction as data may come from anywhere: it brings the originals of a node that has them here, and no others. */
function withOwnOriginal(finding: Finding | undefined, node: Searched): Finding | undefined {
  if (finding === undefined || finding === 'gone') return finding
  const { attributes: given } = finding
  if (!given.has(SHED) && !given.has(COMPACTED)) return finding
  const attributes = new Map([...given].filter(([name]) => name !== SHED && name !== COMPACTED))
  const [own, shed] = [shedOf(node), given.get(SHED) as Partial<Shed> | null | undefined]
  if (own !== undefined && given.has(SHED)) {
    attributes.set(SHED, copyJson({ id: own.id, content: shed?.content ?? own.content }))
  }
  const compacted = ownList(compactedOf(node), given.get(COMPACTED))
  if (compacted !== undefined) attributes.set(COMPACTED, compacted)
  return { ...finding, attributes }
}

function redactNode(session: EditSession, target: NodeRecord, redaction: Redaction): readonly TreeNode[] {
  const { id, nodeClass } = target
  const finding = redaction.find(target, { id })
  if (finding === undefined) return []
  if (nodeClass === 'seg' || nodeClass === 'core') {
    const message = `${id} is a ${nodeClass === 'seg' ? 'segment' : 'core'}, whose own content cannot be changed.`
    throw new PactError('E_PLACEMENT_INVALID', message, { id })
  }
  if (finding === 'gone') return deleteEach(session, [target], redaction)
  return [replaceNode(session, target, overlayOf(finding, redaction), 'redacted').node]
}

function redactTemplate(
  session: EditSession,
  [template, at, { key }]: Parameters<Rewrite>,
  redaction: Redaction,
): Template | undefined {
  const finding = redaction.find(template, { key, at })
  if (finding === undefined) return template
  return finding === 'gone' ? undefined : mergeTemplate(template, overlayOf(finding, redaction), session.dialect)
}

/** The changes of a search to a node; undefined for none. */
function changedBy({ content, rare }: Searched, apply: Apply): Changed | undefined {
  const changed = (value: JsonValue | undefined): JsonValue | undefined => {
    const redacted = value === undefined ? undefined : redactJson(value, apply)
    return redacted === undefined ? undefined : copyJson(redacted)
  }
  const attributes = new Map<string, JsonValue>()
  for (const [name, value] of rare?.attributes ?? []) {
    const redacted = isSearched(name) ? changed(value) : undefined
    if (redacted !== undefined) attributes.set(name, redacted)
  }
  const [text, provenance] = [changed(content), changed(rare?.provenance)]
  if (text !== undefined || attributes.size > 0) {
    for (const name of Object.values(DIGESTS)) if (rare?.attributes?.has(name) === true) attributes.set(name, '')
  }
  const shed = shedOf({ rare })
  const original = shed && changed(shed.content)
  // Another line is still the line of this original.
  if (shed !== undefined && (text !== undefined || original !== undefined)) {
    attributes.set(SHED, copyJson({ ...shed, content: original ?? shed.content }))
  }
  const compacted = compactedOf({ rare })
  const redacted = compacted && redactedList(compacted, apply)
  if (redacted !== compacted) attributes.set(COMPACTED, redacted as unknown as JsonValue)
  if (text === undefined && provenance === undefined && attributes.size === 0) return undefined
  return { content: text, provenance, attributes }
}

/** The list of a summary with the nodes that travel with it redacted; the same list if nothing is found in them. */
function redactedList(compacted: Compacted, apply: Apply): Compacted {
  let isFound = false
  const nodes = compacted.nodes.flatMap((entry) => {
    const original = travellingNode(entry)
    const changed = original && changedBy(original.record, apply)
    if (original === undefined || changed === undefined) return [entry]
    isFound = true
    if (isSigned(original.record)) return []
    const record = withChanges(original.record, changed)
    return [{ ...entry, hash: contentHashOfRecord(record), ...travellingForm({ ...original, record }) }]
  })
  if (!isFound) return compacted
  // A list names at least one node.
  if (nodes.length === 0) return withoutErased(compacted, new Set(compacted.nodes.map(({ id }) => id)))
  return copyJson({ ...compacted, nodes }) as unknown as Compacted
}

function withChanges(record: NodeRecord, { content, provenance, attributes }: Changed): NodeRecord {
  const all = new Map([...(record.rare?.attributes ?? []), ...attributes])
  const rare = { ...record.rare, attributes: all, ...(provenance === undefined ? {} : { provenance }) }
  return new NodeRecord({ ...record, content: content ?? record.content, rare })
}

/** A list that a redaction as data brings: of the same nodes as the node's own one, or of fewer. */
function ownList(own: Compacted | undefined, given: JsonValue | undefined): JsonValue | undefined {
  if (own === undefined || given === undefined || !isCompacted(given)) return undefined
  const ids = new Set(own.nodes.map(({ id }) => id))
  const isOwn = given.cycle === own.cycle && given.nodes.every(({ id }) => ids.has(id))
  return isOwn ? given : undefined
}

/** The headers with the author and reason of the redaction. */
function overlayOf({ content, provenance, attributes: changed }: Changed, authorship: DeleteOptions): Overlay {
  const attributes = new Map([...changed, ...authorshipOf(authorship)])
  const headers: RareHeaders = {
    ...(attributes.size === 0 ? {} : { attributes }),
    ...(provenance === undefined ? {} : { provenance }),
  }
  return { ...NOTHING_NAMED, content, rare: headers }
}

/** The value with every text in it redacted, the names in objects too; undefined where nothing was found. */
function redactJson(value: JsonValue, apply: Apply): JsonValue | undefined {
  if (typeof value === 'string') return apply(value)
  if (typeof value !== 'object' || value === null) return undefined
  if (!Array.isArray(value)) return redactObject(value as Readonly<Record<string, JsonValue>>, apply)
  const list = value as readonly JsonValue[]
  const redacted = list.map((item) => redactJson(item, apply))
  return redacted.every(isUndefined) ? undefined : redacted.map((item, i) => item ?? list[i]!)
}

function isUndefined(value: unknown): boolean {
  return value === undefined
}

function redactObject(object: Readonly<Record<string, JsonValue>>, apply: Apply): JsonValue | undefined {
  const names = Object.keys(object).sort(compareText)
  const renamed = names.map(apply)
  const values = names.map((name) => redactJson(object[name]!, apply))
  if (renamed.every(isUndefined) && values.every(isUndefined)) return undefined
  const taken = new Set(names.filter((_, i) => renamed[i] === undefined))
  // fromEntries defines own properties, so even a name such as __proto__ stays data.
  return Object.fromEntries(
    names.map((name, i) => {
      const free = renamed[i] === undefined ? name : freeName(renamed[i], taken)
      taken.add(free)
      return [free, values[i] ?? object[name]!]
    }),
  )
}

/** Two names that differed only in the removed text must not become one. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  for (let n = 2; ; n++) if (!taken.has(`${name} ${n}`)) return `${name} ${n}`
}

/** A provider refuses signed reasoning of which a letter has changed: it goes whole. */
function isSigned({ kind, content, rare }: Searched): boolean {
  return kind === 'reasoning' && (rare?.attributes?.has('data_signature') === true || hasSignature(content ?? null))
}

/** The names that providers use for a signature, or for reasoning that only they can read. */
const SIGNATURES: ReadonlySet<string> = new Set([
  'signature',
  'thoughtSignature',
  'thought_signature',
  'encrypted_content',
  'reasoningEncryptedContent',
])

function hasSignature(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return (value as readonly JsonValue[]).some(hasSignature)
  return Object.entries(value).some(([name, part]) => SIGNATURES.has(name) || hasSignature(part))
}

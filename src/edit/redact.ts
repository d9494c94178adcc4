// redact (D54): takes a text out of nodes instead of the nodes out of the tree. What is searched for is not kept anywhere,
// nor told by an error: it is what nobody should see.

import { describe, PactError } from '../errors/index.js'
import { compareText, type JsonValue, type NodeRecord, type RareHeaders, type Template } from '../core/index.js'
import { copyJson } from '../codec/index.js'
import { recordOf, type TreeNode } from '../timeline/index.js'
import { rehearsed, type EditSession } from './edit-session.js'
import { authorshipOf, checkAuthorship, deleteEach, type DeleteOptions } from './delete.js'
import type { Overlay } from './header.js'
import { mergeTemplate, replaceNode } from './replace.js'
import { rewriteScheduled, schedulesOf, wholeOf, type ScheduledHit } from './scheduled.js'

export type RedactOptions = Readonly<{
  /** Every occurrence is taken out; of a regular expression, too, whatever its flags say. */
  match: string | RegExp
  /** What stands there instead, to the letter; `[redacted]` by default. */
  with?: string | undefined
  author?: string | undefined
  reason?: string | undefined
}>

/** Gives a text without what was searched for; undefined where it does not have it. */
type Apply = (text: string) => string | undefined

/** What a redaction does to a text, and who does it and why. */
type Redaction = DeleteOptions & Readonly<{ apply: Apply }>

const NAMES: readonly string[] = ['match', 'with', 'author', 'reason']

/** Checks the options of a redaction; no message has their values. */
export function checkRedactOptions(options: unknown): Redaction {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalid('options', 'Options of redact are an object such as { match: "4111 1111" }.')
  }
  const { match, with: instead = '[redacted]', author, reason, ...rest } = options as RedactOptions
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) {
    throw invalid(unknown, `redact takes ${NAMES.join(', ')}, and no ${describe(unknown)}.`)
  }
  if (typeof instead !== 'string') throw invalid('with', 'with must be a string.')
  checkAuthorship({ author, reason })
  return { apply: replacing(match, instead), author, reason }
}

function replacing(match: unknown, instead: string): Apply {
  const pattern = typeof match === 'string' ? match : patternOf(match)
  if (pattern === undefined || pattern === '') {
    throw invalid('match', 'match must be a string that is not empty, or a regular expression.')
  }
  const once: Apply = (text) => {
    let isFound = false
    // An empty occurrence is none.
    const redacted = text.replaceAll(pattern, (found) => {
      isFound ||= found !== ''
      return found === '' ? '' : instead
    })
    return isFound ? redacted : undefined
  }
  // Where nothing takes its place, what stood around an occurrence may be one now.
  return instead === '' ? (text) => untilNone(once, text) : once
}

function untilNone(once: Apply, text: string): string | undefined {
  let redacted = once(text)
  for (let next = redacted; next !== undefined; next = once(next)) redacted = next
  return redacted
}

/** The same expression for every occurrence, wherever it stands; undefined for what is none, whatever it pretends. */
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

/** Redacts every target in which something is found; gives the nodes that stand there now, and those that went whole. */
export function redactNodes(
  session: EditSession,
  targets: readonly NodeRecord[],
  redaction: Redaction,
  scheduled: readonly ScheduledHit[] = [],
): readonly TreeNode[] {
  return rehearsed(session, (trial) => {
    const { draft } = trial
    const touched: TreeNode[] = []
    for (const { id } of targets) {
      // One that stood in a node deleted just now is gone with it.
      const target = draft.find(id)
      if (target !== undefined) touched.push(...redactNode(trial, target, redaction))
    }
    // What an instance must not say its next one must not say either (D46).
    const { schedules } = draft.tree
    const own = schedulesOf(trial, touched.map(recordOf))
    // One that signed reasoning has ended stays so.
    const meant = scheduled.filter(
      ({ schedule }) => schedules.get(schedule.key) !== undefined && !own.includes(schedule),
    )
    const hits = [...meant, ...own.map(wholeOf)]
    rewriteScheduled(trial, hits, (template) => redactTemplate(trial, template, redaction), 'each')
    return touched.map((node) => {
      const record = draft.find(recordOf(node).id)
      return record === undefined ? node : draft.nodeOf(record)
    })
  })
}

function redactNode(session: EditSession, target: NodeRecord, redaction: Redaction): readonly TreeNode[] {
  const overlay = overlayFor(target, redaction)
  if (overlay === undefined) return []
  const { id, nodeClass } = target
  if (nodeClass === 'seg' || nodeClass === 'core') {
    const message = `${id} is a ${nodeClass === 'seg' ? 'segment' : 'core'}, whose own content cannot be changed.`
    throw new PactError('E_PLACEMENT_INVALID', message, { id })
  }
  if (isSigned(target)) return deleteEach(session, [target], redaction)
  return [replaceNode(session, target, overlay, 'redacted').node]
}

function redactTemplate(session: EditSession, template: Template, redaction: Redaction): Template | undefined {
  const overlay = overlayFor(template, redaction)
  if (overlay === undefined) return template
  return isSigned(template) ? undefined : mergeTemplate(template, overlay, session.dialect)
}

/** What redaction changes in a node; undefined for nothing. */
function overlayFor(
  { content, rare }: Pick<NodeRecord, 'content' | 'rare'>,
  redaction: Redaction,
): Overlay | undefined {
  const changed = (value: JsonValue | undefined): JsonValue | undefined => {
    const redacted = value === undefined ? undefined : redactJson(value, redaction.apply)
    return redacted === undefined ? undefined : copyJson(redacted)
  }
  const attributes = new Map<string, JsonValue>()
  for (const [name, value] of rare?.attributes ?? []) {
    const redacted = isSearched(name) ? changed(value) : undefined
    if (redacted !== undefined) attributes.set(name, redacted)
  }
  const [text, provenance] = [changed(content), changed(rare?.provenance)]
  if (text === undefined && provenance === undefined && attributes.size === 0) return undefined
  for (const [name, value] of authorshipOf(redaction)) attributes.set(name, value)
  const headers: RareHeaders = {
    ...(attributes.size === 0 ? {} : { attributes }),
    ...(provenance === undefined ? {} : { provenance }),
  }
  return { ...NOTHING_NAMED, content: text, rare: headers }
}

/** Not the id that ties a call to its result: the pair would break, and two of them might become one. */
function isSearched(name: string): boolean {
  return (name.startsWith('data_') && name !== 'data_call_id') || name.startsWith('content_')
}

const NOTHING_NAMED: Overlay = {
  nodeClass: undefined,
  nodeType: undefined,
  ttl: undefined,
  priority: undefined,
  role: undefined,
  kind: undefined,
  content: undefined,
  rare: undefined,
  children: undefined,
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

/** Two names that differed in nothing but what was taken out must not become one. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  for (let n = 2; ; n++) if (!taken.has(`${name} ${n}`)) return `${name} ${n}`
}

/** A provider refuses signed reasoning of which a letter has changed: it goes whole. */
function isSigned({ kind, content, rare }: Pick<NodeRecord, 'kind' | 'content' | 'rare'>): boolean {
  return kind === 'reasoning' && (rare?.attributes?.has('data_signature') === true || hasSignature(content ?? null))
}

/** What providers call a signature, or reasoning that only they can read. */
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

function invalid(name: string, message: string): PactError {
  return new PactError('E_CONTENT_INVALID', message, { name })
}

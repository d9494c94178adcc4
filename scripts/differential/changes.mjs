// Differences on purpose. Each change has a name for --changes and does the least that makes both builds comparable: programs avoid it, or
// one field of an answer is left out. A change in this list is also in CHANGELOG.md.

import { hasOpenStep } from './scene.mjs'
import { omit, show } from './show.mjs'

/** The changes, and what is done about each. @type {Readonly<Record<string, string>>} */
export const CHANGES = {
  'attempt-records':
    'attempts are not compared by fields that were dropped or added, and are not rendered for a provider',
  'block-places': "requests of the second build are written with blocks: { place: 'thread' }, the order of the first",
  'cache-marks': "requests have cache: { at: 'end' } where they would have 'stable'",
  compaction: 'compact and expand are left out',
  'content-turns': 'policies are played with blocks in place of containers that have content and no nodes in them',
  'default-lens': 'a refusal of a snapshot that a selector does not name is compared without the place in the selector',
  'empty-replies': 'a recorded reply that adds no node in the first build is left out',
  'empty-commit': 'warnings of the kind empty-commit are left out',
  'erase-search':
    'erase takes .block for its selector; erase and forget are left out if the context has schedules, or if the program has attempts',
  'explain-keepers': 'expires, outlives, empties and keptBy.keeper of an explanation are left out',
  'fork-history': "stored contexts with forks are opened with history: 'all', and load none",
  'idle-names':
    'exports that differ are compared again without the ids of pact:stands_for that no refs in them name; then no rows are compared',
  'imported-tag': 'files that are imported have no header tag',
  'marker-updates': 'a program has update or delete, not both',
  'low-water': 'a policy without a target gets target: 1',
  'open-steps':
    'requests to Responses with repair: false are left out if a call of an earlier turn has no result and a picture of the model follows it',
  'opening-prose':
    'a commit row with a schedule that was left out is compared without the sentence for it, and all rows of such a context without hashes',
  'protected-turn':
    'a policy with a token limit and no protectSegments gets protectSegments: 1; warnings of the kind cuts-in-a-row are left out',
  'redact-causes': 'a program has redact or set, not both, and no container is replaced by an empty one',
  'receive-reports': 'cut, stop, providerStop and reported of what receive returns are left out; it gets no attempt',
  pruning:
    'policies are played without tasks (role user), empty turns, pins, references, calls and imported conversations; nodes that left in one commit are compared in any order, and commit rows of such programs only by what reopening shows',
  'set-instances': 'a set is left out if a block of the model is in the head',
  'set-pins': 'every set says pinned: false unless it says something else',
  'stand-in-causes':
    'a diff that differs is compared again with the cause of the container for the nodes in it, and a past without causes; then causes of explanations and lives, and rows, are not compared',
  'stands-for': 'standsFor of an explanation is left out',
  'store-version':
    'of a stored context, commit rows and what reopening shows are compared, not the rows that version 4 changed nor the version of openAt',
  'thinned-bounds': 'a refusal of openAt for a cycle that was thinned out is compared without lens and newest',
  visits: 'no read has maxVisits',
}

/** Fields that changes have added to an answer or taken from it, by what the answer is about. */
const FIELDS = {
  attempts: {
    'attempt-records': [
      'nodes',
      'thread_indexes',
      'absent_ids',
      'base_attempt',
      'structure',
      'params',
      'reported',
      'adapter_version',
    ],
  },
  causes: { 'stand-in-causes': ['cause', 'left', 'what'] },
  explain: { 'explain-keepers': ['expires', 'outlives', 'empties', 'keeper'], 'stands-for': ['standsFor'] },
  receive: { 'receive-reports': ['cut', 'stop', 'providerStop', 'reported'] },
}

/** @typedef {ReadonlySet<string>} Changes */

/**
 * The names of a list such as `low-water,set-pins`; `all` stands for every change.
 * @param {string} list
 * @returns {Changes}
 */
export function readChanges(list) {
  const names = list === 'all' ? Object.keys(CHANGES) : list.split(',').filter((name) => name !== '')
  for (const name of names) {
    if (!Object.hasOwn(CHANGES, name))
      throw new Error(`There is no change ${name}. --changes takes ${Object.keys(CHANGES).join(', ')}, or all.`)
  }
  return new Set(names)
}

/**
 * An answer without the fields that a change has added to it or taken from it, also those of objects in it.
 * @param {keyof typeof FIELDS} about
 * @param {Changes} changes
 */
export function unchanged(about, value, changes) {
  const names = Object.entries(FIELDS[about]).flatMap(([change, fields]) => (changes.has(change) ? fields : []))
  return names.length === 0 ? value : withoutFields(value, new Set(names))
}

function withoutFields(value, names) {
  if (Array.isArray(value)) return value.map((each) => withoutFields(each, names))
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => (names.has(name) ? [] : [[name, withoutFields(field, names)]])),
  )
}

/** Warnings that both builds give. @param {readonly any[]} warnings @param {Changes} changes */
export function sameWarnings(warnings, changes) {
  const added = { 'empty-commit': 'empty-commit', 'protected-turn': 'cuts-in-a-row' }
  const kinds = Object.entries(added).flatMap(([change, kind]) => (changes.has(change) ? [kind] : []))
  return warnings.filter((each) => !kinds.includes((each.details ?? each).kind))
}

/** Options of a context that mean the same to both builds. @param {Changes} changes */
export function sameOptions(options, isImport, changes) {
  const { prune } = options
  if (prune === undefined) return options
  if (isImport && changes.has('pruning')) return { ...options, prune: undefined }
  const spared = changes.has('protected-turn') && prune.maxTokens !== undefined ? { protectSegments: 1 } : {}
  const target = changes.has('low-water') ? { target: 1 } : {}
  return { ...options, prune: { ...spared, ...target, ...prune } }
}

/** Edits that may leave a turn empty, keep a node by another one, or spread a call group over turns. */
const UNSETTLING = new Set([
  'delete',
  'erase',
  'fading',
  'forget',
  'hold',
  'keep',
  'late',
  'move',
  'receive',
  'replace',
  'rival',
  'set',
  'update',
])

/** Steps that answer differently one after the other; a program has the first or the others. */
const EITHER = {
  'erase-search': [['attempt'], ['erase', 'forget']],
  'marker-updates': [['update'], ['delete']],
  'redact-causes': [['redact'], ['set']],
}

/**
 * True if a step or an edit of this name means the same to both builds.
 * @param {Readonly<{ seed: number, options: any }>} program
 * @param {Changes} changes
 */
export function isSameStep(name, { seed, options }, changes) {
  if (isSettled(options, changes) && UNSETTLING.has(name)) return false
  if (changes.has('compaction') && (name === 'compact' || name === 'expand')) return false
  return !Object.entries(EITHER).some(([change, pair]) => changes.has(change) && pair[seed % 2].includes(name))
}

function isSettled({ prune }, changes) {
  return prune !== undefined && changes.has('pruning')
}

/**
 * A call that means the same to both builds; undefined if there is none.
 * @param {import('./scene.mjs').Scene} scene
 * @param {import('./program.mjs').Program} program
 * @param {Changes} changes
 */
export function sameCall(call, scene, program, changes) {
  const same = (each) => sameCall(each, scene, program, changes)
  switch (call.do) {
    case 'batch':
      return { ...call, calls: sameBatch(call.calls, changes).flatMap((each) => same(each) ?? []) }
    case 'turns':
      return { ...call, turns: call.turns.map((turn) => turn.map(same)) }
    case 'edit':
      return isSameStep(call.method, program, changes) ? sameEdit(call, scene, program, changes) : undefined
    case 'attempt':
      return changes.has('attempt-records') ? { ...call, input: omit(call.input, 'adapter') } : call
    case 'erase':
    case 'forget':
      return changes.has('erase-search') ? sameErasure(call, scene) : call
    case 'receive':
      return changes.has('receive-reports') ? { ...call, attempt: false } : call
    case 'reopen':
      return loadsAll(program, changes) ? { ...call, history: 'all' } : call
    case 'load':
    case 'unload':
      return loadsAll(program, changes) ? undefined : call
    case 'read':
      return sameRead(call, changes)
    default:
      return call
  }
}

/** A set in a batch is left out if a block of the model comes before it. */
function sameBatch(calls, changes) {
  if (!changes.has('set-instances')) return calls
  const isAnswer = ({ method, args }) => method === 'assistant' || args.some((each) => each?.role === 'assistant')
  return calls.filter(({ method }, at) => method !== 'set' || !calls.slice(0, at).some(isAnswer))
}

function sameEdit(call, { nodes }, { options }, changes) {
  const isPruned = isSettled(options, changes)
  const method = isPruned && call.method === 'user' ? 'assistant' : call.method
  const settledArgs = isPruned ? call.args.map(settled) : call.args
  const args = options.prune !== undefined && changes.has('content-turns') ? settledArgs.map(asBlock) : settledArgs
  if (method === 'replace' && changes.has('redact-causes')) return { ...call, args: [args[0], filled(args[1])] }
  if (method !== 'set') return { ...call, method, args }
  const isAnswered = nodes.some(({ node, region }) => region === '^ah' && node.role === 'assistant')
  if (changes.has('set-instances') && isAnswered) return undefined
  const [key, content, header] = args
  return changes.has('set-pins') ? { ...call, args: [key, content, { pinned: false, ...header }] } : { ...call, args }
}

function sameErasure(call, { text }) {
  if (text.includes('"cad":') || text.includes('"schedules":[{')) return undefined
  return call.do === 'erase' ? { ...call, selector: '.block' } : call
}

function sameRead(call, changes) {
  const [first, second] = call.args
  if (changes.has('block-places') && (call.name === 'prefix' || call.name === 'tokens'))
    return { ...call, args: [first, second] }
  return changes.has('visits') && second?.maxVisits !== undefined ? { ...call, args: [first] } : call
}

/** A spec whose containers hold something. */
function filled(spec) {
  return spec?.children?.length === 0 ? { ...spec, children: [{ content: 'x' }] } : spec
}

/** True if the context is opened with all of its history. */
function loadsAll({ steps }, changes) {
  return changes.has('fork-history') && steps.some((step) => step.do === 'fork')
}

/** The first lines of a program, so that both builds load the same. @param {Changes} changes */
export function sameStart(start, steps, changes) {
  return start.kind === 'stored' && loadsAll({ steps }, changes) ? { ...start, history: 'all' } : start
}

/** A spec or header without what makes nodes leave or stay for a reason of their own, or as a group. */
function settled(value) {
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value
  const { children, ...rest } = omit(filled(value), 'ttl', 'pinned', 'refs', 'data_call_id')
  if (rest.role === 'user') rest.role = 'critic'
  return children === undefined ? rest : { ...rest, children: children.map(settled) }
}

/** A spec or header in which containers with content are blocks. */
function asBlock(value) {
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value
  if (value.children !== undefined) return { ...value, children: value.children.map(asBlock) }
  return value.nodeType === 'cont' || value.nodeType === 'mc' ? omit(value, 'nodeType') : value
}

/** True if a request to a provider means the same to both builds. @param {() => string} exported @param {Changes} changes */
export function isSameRequest(format, options, exported, changes) {
  if (!changes.has('open-steps') || format !== 'openai-responses' || options?.repair !== false) return true
  try {
    return !hasOpenStep(exported())
  } catch {
    return true
  }
}

/** Options of a request, as this build has to be asked so that both write the blocks in one order. @param {Changes} changes */
export function requestOptions(options, changes, isSecond) {
  const cache = changes.has('cache-marks') ? cacheAtEnd(options?.cache) : options?.cache
  const same = cache === options?.cache ? options : { ...options, cache }
  if (!isSecond || !changes.has('block-places')) return same
  return { ...same, blocks: { ...same?.blocks, place: 'thread' } }
}

function cacheAtEnd(cache) {
  if (cache === true) return { at: 'end' }
  return typeof cache === 'object' && (cache.at ?? 'stable') === 'stable' ? { ...cache, at: 'end' } : cache
}

/** Rows and answers that version 4 of the tables has left as they were. */
const SAME_ROWS = /: commit rows$|^table commits$|^version$/

/** Rows that both versions of a store write alike. @param {string} name @param {import('./program.mjs').Program} program @param {Changes} changes */
export function isCompared(name, { options }, changes) {
  if (isSettled(options, changes)) return false
  return !changes.has('store-version') || SAME_ROWS.test(name)
}

/** The details of a refusal that both builds name. @param {Changes} changes */
export function sameRefusal(error, changes) {
  const { code, details } = error ?? {}
  if (!changes.has('default-lens') || code !== 'E_SNAPSHOT_NOT_FOUND' || details?.token !== '') return error
  return { code, details: omit(details, 'pos', 'selector', 'token') }
}

/** The past of a context; in any order if the change says so. @param {readonly any[]} past @param {Changes} changes */
export function samePast(past, changes) {
  if (!changes.has('pruning')) return past
  return past.map(({ changes: list, ...rest }) => ({ ...rest, changes: new Set(list.map(show).toSorted()) }))
}

/** A refusal of `openAt`, with the details that both builds name. @param {Changes} changes */
export function sameOpening(error, changes) {
  const { code, details } = error ?? {}
  if (!changes.has('thinned-bounds') || code !== 'E_SNAPSHOT_NOT_FOUND' || details?.reason !== 'thinned') return error
  return { code, details: omit(details, 'lens', 'newest') }
}

/** The key, the code and the sentence of a schedule that was left out when its cycle was opened, as a commit row has them. */
const LEFT_OUT = /(\["(?:[^"\\]|\\.)*","E_[A-Z_]+",)"(?:[^"\\]|\\.)*"/g

/** Commit rows as text, without a sentence in them and without what follows from it. @param {string} text @param {Changes} changes */
export function sameRowText(text, changes) {
  if (!changes.has('opening-prose') || !text.includes('"leftOut":[[')) return text
  return text.replace(LEFT_OUT, '$1""').replaceAll(/0x[0-9a-f]{64}/g, 'a hash')
}

/** Causes of nodes in a container that was deleted or replaced. */
const STOOD_IN = new Set(['redacted', 'superseded'])

/** A detailed diff of which both builds may give another one: see `isAlike`. @param {Changes} changes */
export function causesByContainer(diff, isSecond, changes) {
  if (!changes.has('stand-in-causes')) return undefined
  const led = (list) => {
    const containers = new Map(list.map((each) => [each.id, each]))
    return list.map((each) => {
      const { cause, cycle } = containers.get(each.parent) ?? {}
      const isLed = cause === each.cause || (!isSecond && STOOD_IN.has(each.cause))
      return isLed && cycle === each.cycle ? { ...each, cause: 'that of its container' } : each
    })
  }
  return { ...diff, removed: led(diff.removed), added: led(diff.added) }
}

/** @typedef {Readonly<{ text: string, other?: string | undefined, onlyAfter?: boolean }>} Seen */

/**
 * True if two values are alike though they are not equal.
 * @param {readonly [Seen, Seen]} seen
 * @param {boolean} isUneven an earlier value of this program was alike and not equal
 * @param {Changes} changes
 */
export function isAlike(name, [before, after], isUneven, changes) {
  if (isUneven && SAME_ROWS.test(name)) return true
  const mayBeOther = before.other !== undefined && (isUneven || before.onlyAfter !== true)
  if (mayBeOther && before.other === after.other) return true
  return changes.has('idle-names') && withoutIdleNames(before.text) === withoutIdleNames(after.text)
}

/** Lists of ids in exports, which may be quoted in another text. */
const NAMES = /,?\\*"pact:stands_for\\*":\[([^\]]*)\]/g
const REFS = /\\*"refs\\*":\[([^\]]*)\]/g

function withoutIdleNames(text) {
  const named = new Set(Array.from(text.matchAll(REFS)).flatMap(([, list]) => list.split(',')))
  return text.replaceAll(NAMES, (_, list) => {
    const kept = list.split(',').filter((id) => named.has(id))
    return kept.length === 0 ? '' : `,stands for ${kept.join()}`
  })
}

// @ts-check
// The run itself: a recording fed to a context turn by turn, and everything there is to show about it as plain data.
// Printing is render.mjs; `--json` prints this. Only the public API is used, as any other program would.

import { createHash } from 'node:crypto'

import { createContext, importSnapshot } from 'pact-context'

import { survive } from './survive.mjs'

/**
 * @typedef {import('pact-context').Context} Context
 * @typedef {import('pact-context').Snapshot} Snapshot
 * @typedef {import('pact-context').Node} Node
 * @typedef {import('pact-context').ContextOptions} ContextOptions
 * @typedef {import('./conversation.mjs').Conversation} Conversation
 * @typedef {import('./turns.mjs').Block} Block
 */

/**
 * @typedef {{ bytes: number, sha256: string }} Digest
 * @typedef {'pre' | 'core' | 'post'} Zone
 * @typedef {{ id: string, nodeType: string, coordinate: string | null, depth: number | null, zone: Zone | null,
 *   cycle: number, role: string | null, kind: string | null, ttl: number | null, callIds: string[],
 *   tokens: number, content: unknown }} Row One node, flat.
 * @typedef {Row & { children: Tree[] }} Tree
 * @typedef {{ row: Row, why: 'ttl' | 'pruned' }} Gone
 * @typedef {{ row: Row, from: number | null, to: number | null }} TtlChange
 * @typedef {{ bytes: number, of: number, brokenBy: Row | null, left: boolean }} Shared
 * @typedef {{ cycle: number, turn: number | null, nodes: number, blocks: number, added: Row[], gone: Gone[], ttl: TtlChange[],
 *   thread: Digest & { items: number }, export: Digest, sharedWithPrevious: Shared | null }} Commit
 * @typedef {{ policy: { maxNodes: number, protectSegments: number }, cycle: number, nodes: number,
 *   removed: { row: Row, rule: string, priority: number, age: number, size: number }[], unmet: unknown }} Pruning
 * @typedef {{ lens: string, cycle: number, atCommit: string, now: string, same: boolean }} Reread
 * @typedef {{ conversation: Omit<Conversation, 'system' | 'turns' | 'plan' | 'note'> & { turns: number }, commits: Commit[],
 *   tree: Tree, thread: Digest & { items: unknown[] }, proof: { snapshots: Reread[], roundTrip: Digest & { same: boolean } },
 *   pruning: Pruning | null, survival: import('./survive.mjs').Survival | null }} Report
 */

/** A day that never changes: with the clock given, every run on every machine makes the same bytes (D37). */
const START = 1_735_689_600_000_000_000n // 2025-01-01T00:00:00Z
const MILLISECOND = 1_000_000n

/** So that a TTL can be seen running down, even a conversation of one turn gets a second commit. */
const LEAST_COMMITS = 2

/**
 * Plays a conversation and gathers what the demo shows.
 * @param {Conversation} conversation
 * @returns {Promise<{ report: Report, newest: Snapshot }>} the newest snapshot can draw itself
 */
export async function runDemo(conversation) {
  const ctx = openContext(conversation, {})
  /** @type {Commit[]} */
  const commits = []
  /** @type {Snapshot | null} */
  let previous = null
  for (const snapshot of play(ctx, conversation)) {
    commits.push(describeCommit(previous, snapshot, conversation))
    previous = snapshot
  }
  const { system: _system, turns, plan: _plan, note: _note, ...about } = conversation
  const newest = ctx.snapshot('@t0')
  const report = {
    conversation: { ...about, turns: turns.length },
    commits,
    tree: readTree(newest),
    thread: { items: [...newest.thread()], ...digest(newest.threadBytes()) },
    proof: prove(ctx, commits),
    pruning: playPruned(conversation, commits),
    survival: await survive(ctx, commits),
  }
  return { report, newest }
}

/**
 * @param {Conversation} conversation
 * @param {ContextOptions} options
 */
function openContext(conversation, options) {
  let now = START
  const clock = () => (now += MILLISECOND)
  return createContext({ id: conversation.name, clock, ...options })
}

/**
 * Writes each turn into the active head and commits it; what the demo adds itself says so in its first word.
 * @param {Context} ctx
 * @param {Conversation} conversation
 * @param {number} [toolPriority] lower leaves first when a budget is exceeded
 */
function* play(ctx, conversation, toolPriority = 0) {
  for (const text of conversation.system) ctx.system.add(text, { role: 'system' })
  for (const [at, turn] of conversation.turns.entries()) {
    ctx.pre(`[demo] Plan for turn ${at + 1}: ${conversation.plan}`, { ttl: 1, kind: 'plan', key: 'plan' })
    for (const block of turn) writeBlock(ctx, block, toolPriority)
    if (at % 2 === 0) ctx.post(`[demo] Retrieved: ${conversation.note}`, { ttl: 2, kind: 'note', key: 'note' })
    yield ctx.commit()
  }
  for (let made = conversation.turns.length; made < LEAST_COMMITS; made += 1) yield ctx.commit()
}

/**
 * @param {Context} ctx
 * @param {Block} block
 * @param {number} toolPriority
 */
function writeBlock(ctx, block, toolPriority) {
  const { role, kind, content, callId } = block
  const header = kind === undefined ? {} : { kind, priority: toolPriority }
  ctx.add(content, {
    role,
    zone: 'core',
    ...header,
    ...(callId === undefined || callId === '' ? {} : { data_call_id: callId }),
  })
}

/**
 * The changes of one commit, seen by walking the two snapshots around it.
 * @param {Snapshot | null} previous
 * @param {Snapshot} snapshot
 * @param {Conversation} conversation
 * @returns {Commit}
 */
function describeCommit(previous, snapshot, conversation) {
  const before = previous === null ? new Map() : rowsById(previous)
  const after = rowsById(snapshot)
  const pruned = new Set(snapshot.receipt.removed.map((removal) => removal.id))
  /** @type {Row[]} */
  const added = []
  /** @type {TtlChange[]} */
  const ttl = []
  for (const row of after.values()) {
    const old = before.get(row.id)
    // Root and regions are there from the start; no commit brings them.
    if (old === undefined && !row.nodeType.startsWith('^')) added.push(row)
    if (old !== undefined && old.ttl !== row.ttl) ttl.push({ row, from: old.ttl, to: row.ttl })
  }
  /** @type {Gone[]} */
  const gone = []
  for (const row of before.values()) {
    if (!after.has(row.id)) gone.push({ row, why: pruned.has(row.id) ? 'pruned' : 'ttl' })
  }
  return {
    cycle: snapshot.cycle,
    turn: snapshot.cycle <= conversation.turns.length ? snapshot.cycle : null,
    nodes: after.size,
    blocks: [...after.values()].filter(isBlock).length,
    added,
    gone,
    ttl,
    thread: { items: snapshot.thread().length, ...digest(snapshot.threadBytes()) },
    export: digest(snapshot.export()),
    sharedWithPrevious: previous === null ? null : sharedPrefix(previous, snapshot, before, after),
  }
}

/**
 * The part of the thread that a provider's prompt cache could use again, and the node that ended it.
 * @param {Snapshot} previous
 * @param {Snapshot} snapshot
 * @param {Map<string, Row>} before
 * @param {Map<string, Row>} after
 * @returns {Shared}
 */
function sharedPrefix(previous, snapshot, before, after) {
  const old = previous.threadBytes()
  const now = snapshot.threadBytes()
  let bytes = 0
  while (bytes < old.length && bytes < now.length && old[bytes] === now[bytes]) bytes += 1
  const items = snapshot.thread()
  const broken = previous.thread().find((item, at) => JSON.stringify(item) !== JSON.stringify(items[at]))
  const id = broken?.id
  return {
    bytes,
    of: now.length,
    brokenBy: id === undefined ? null : (before.get(id) ?? null),
    left: id !== undefined && !after.has(id),
  }
}

/**
 * Reads every snapshot again after all the later commits, and sends the newest once round through export and import.
 * @param {Context} ctx
 * @param {readonly Commit[]} commits
 */
function prove(ctx, commits) {
  const snapshots = commits.toReversed().map((commit, back) => {
    /** @type {import('pact-context').Lens} */
    const lens = back === 0 ? '@t0' : `@t-${back}`
    const now = digest(ctx.snapshot(lens).export()).sha256
    return { lens, cycle: commit.cycle, atCommit: commit.export.sha256, now, same: now === commit.export.sha256 }
  })
  const exported = ctx.export('@t0')
  const again = importSnapshot(exported).export('@t0')
  return { snapshots, roundTrip: { ...digest(again), same: digest(again).sha256 === digest(exported).sha256 } }
}

/**
 * Plays the same conversation again under a budget that its last commit exceeds by one node.
 * @param {Conversation} conversation
 * @param {readonly Commit[]} commits of the run without a budget
 * @returns {Pruning | null}
 */
function playPruned(conversation, commits) {
  const full = commits.at(-1)?.nodes ?? 0
  // The newest turn is never pruned by default; where it is the only one, the demo lifts that protection.
  const policy = { maxNodes: full - 1, protectSegments: conversation.turns.length > 1 ? 1 : 0 }
  const ctx = openContext(conversation, { prune: policy })
  /** @type {Map<string, Row>} */
  let before = new Map()
  for (const snapshot of play(ctx, conversation, -1)) {
    const { removed, unmet } = snapshot.receipt
    const after = rowsById(snapshot)
    if (removed.length > 0) {
      const rows = removed.flatMap(({ id, rule, priority, age, size }) => {
        const row = before.get(id)
        return row === undefined ? [] : [{ row, rule, priority, age, size }]
      })
      return { policy, cycle: snapshot.cycle, nodes: after.size, removed: rows, unmet }
    }
    before = after
  }
  return null
}

/** @param {Snapshot} snapshot */
function rowsById(snapshot) {
  /** @type {Map<string, Row>} */
  const rows = new Map()
  /** @param {Tree} tree */
  const visit = ({ children, ...row }) => {
    rows.set(row.id, row)
    for (const child of children) visit(child)
  }
  visit(readTree(snapshot))
  return rows
}

/**
 * @param {Snapshot} snapshot
 * @returns {Tree}
 */
function readTree(snapshot) {
  return readNode(snapshot, snapshot.tokens({ by: 'node' }).by, snapshot.root, null, null)
}

/**
 * @param {Snapshot} snapshot
 * @param {Readonly<Record<string, number>>} tokens by id
 * @param {Node} node
 * @param {number | null} depth
 * @param {Zone | null} zone
 * @returns {Tree}
 */
function readNode(snapshot, tokens, node, depth, zone) {
  const { children } = node
  const callId = node.attributes['data_call_id']
  return {
    id: node.id,
    nodeType: node.nodeType,
    coordinate: depth === null ? null : snapshot.coordinate(node.id),
    depth,
    zone,
    cycle: node.cycle,
    role: node.role ?? null,
    kind: node.kind ?? null,
    ttl: node.ttl ?? null,
    callIds: (Array.isArray(callId) ? callId : [callId]).filter((id) => typeof id === 'string'),
    tokens: tokens[node.id] ?? 0,
    content: node.content ?? null,
    children: children.map((child, at) => {
      // Depth counts back from the active head: the last sealed segment is 1 (D10).
      const childDepth = { '^root': rootDepth(child.nodeType), '^seq': children.length - at }[node.nodeType] ?? depth
      const holdsZones = node.nodeType === '^ah' || node.nodeType === 'seg'
      return readNode(snapshot, tokens, child, childDepth, holdsZones ? zoneOf(child.offset) : zone)
    }),
  }
}

/** @param {string} region */
function rootDepth(region) {
  return region === '^sys' ? -1 : region === '^ah' ? 0 : null
}

/**
 * @param {number} offset
 * @returns {Zone}
 */
function zoneOf(offset) {
  return offset < 0 ? 'pre' : offset > 0 ? 'post' : 'core'
}

/** @param {Row} row */
function isBlock(row) {
  return row.nodeType === 'block'
}

/** @param {Uint8Array} bytes */
function digest(bytes) {
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}

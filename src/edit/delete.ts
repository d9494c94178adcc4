// delete (004 §6.4, D30): what no snapshot holds, and what stands at depth 0 or in `^sys`, is dropped; in history a marker
// takes its place.

import { describe, PactError } from '../errors/index.js'
import { className, NodeRecord, type JsonValue } from '../core/index.js'
import { childrenOf, recordOf, type Draft, type TreeNode } from '../timeline/index.js'
import { rehearsed, type Bench } from './bench.js'
import { endSchedules } from './cadence.js'
import { outermost } from './overlap.js'
import { standsFor, superseding } from './replace.js'
import { depthIn } from './target.js'

/** Who deleted and why: written into the markers. */
export type DeleteOptions = Readonly<{ author?: string | undefined; reason?: string | undefined }>

/** Deletes every target; gives the dropped nodes and the markers, in the order of the targets. */
export function deleteNodes(bench: Bench, targets: readonly NodeRecord[], options: DeleteOptions): readonly TreeNode[] {
  return rehearsed(bench, (trial) => {
    const nodes = outermost(trial.draft, targets).map((target) => trial.draft.nodeOf(target))
    const contents = nodes.flatMap(contentsOf).filter((node) => !isMarker(trial.draft, recordOf(node)))
    return contents.map((node) => deleteNode(trial, node, options))
  })
}

/** Checks the options of a deletion. */
export function checkDeleteOptions(options: unknown): DeleteOptions {
  if (typeof options !== 'object' || options === null) {
    throw invalid('options', `Options of delete are an object such as { reason }, not ${describe(options)}.`)
  }
  // Read once: what was checked is what is written.
  const given = { ...options }
  for (const [name, value] of Object.entries(given)) {
    if (name !== 'author' && name !== 'reason') throw invalid(name, `delete takes author and reason, and no "${name}".`)
    if (value !== undefined && typeof value !== 'string') {
      throw invalid(name, `${name} must be a string, not ${describe(value)}.`)
    }
  }
  return given
}

/** Segments and cores are never deleted themselves: what they hold is. */
function contentsOf(node: TreeNode): readonly TreeNode[] {
  const { nodeClass } = recordOf(node)
  return nodeClass === 'seg' || nodeClass === 'core' ? Array.from(childrenOf(node)).flatMap(contentsOf) : [node]
}

/** A marker stays as it is: deleting it again would lose who deleted what it stands for, and why. */
function isMarker(draft: Draft, record: NodeRecord): boolean {
  const { nodeClass, nodeType, content, ttl, kind, rare } = record
  const isTyped = nodeClass === 'block' && MARKER_TYPES.includes(nodeType) && rare?.supersedes !== undefined
  // One that was written over is a node like any other.
  const isBare =
    content === '' && ttl === null && kind === undefined && [rare?.key, rare?.tags, rare?.refs].every(isAbsent)
  return isTyped && isBare && depthIn(draft, record) > 0
}

function isAbsent(value: unknown): boolean {
  return value === undefined
}

function deleteNode(bench: Bench, node: TreeNode, options: DeleteOptions): TreeNode {
  const { draft } = bench
  const target = recordOf(node)
  endSchedules(draft, node)
  const isNew = target.cycle === draft.cycle && standsFor(draft, target) === undefined
  if (isNew || depthIn(draft, target) <= 0) return draft.remove(target, 'edited')
  const marker = superseding(bench, target, markerFor(bench, target, options))
  draft.supersede(target, marker, 'redacted')
  return marker
}

function markerFor({ draft, dialect }: Bench, target: NodeRecord, { author, reason }: DeleteOptions): NodeRecord {
  const attributes = new Map<string, JsonValue>()
  const callId = target.rare?.attributes?.get('data_call_id')
  if (callId !== undefined) attributes.set('data_call_id', callId)
  if (author !== undefined) attributes.set('data_author', author)
  if (reason !== undefined) attributes.set('data_reason', reason)
  const iso = target.rare?.createdAtIso
  return new NodeRecord({
    ...target,
    nodeClass: 'block',
    nodeType: `${className(dialect, 'block')}${REDACTION}`,
    priority: 0,
    ttl: null,
    ttlFrom: draft.cycle,
    kind: undefined,
    content: '',
    rare: { ...(attributes.size === 0 ? {} : { attributes }), ...(iso === undefined ? {} : { createdAtIso: iso }) },
  })
}

/** What marks the type of a node that stands in for a deleted one. */
export const REDACTION = ':redaction'

/** In both editions' names. */
const MARKER_TYPES: readonly string[] = [
  `${className('1.0', 'block')}${REDACTION}`,
  `${className('0.1', 'block')}${REDACTION}`,
]

function invalid(name: string, message: string): PactError {
  return new PactError('E_CONTENT_INVALID', message, { name })
}

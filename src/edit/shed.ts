// shed and unshed (D61): a line in place of the content of tool results, and the content again. The original stays with the node.

import { describe, invalid, isRecord, PactError, short } from '../errors/index.js'
import { isToolResult, LIMITS, shedOf, type NodeRecord } from '../core/index.js'
import { regionNameOf, shedOne, shedResult, shedVersion, type TreeNode } from '../timeline/index.js'
import { rehearsed, type EditSession } from './edit-session.js'
import { NOTHING_NAMED } from './header.js'
import { replaceNode } from './replace.js'

/** A result to shed, and the tokens of its content, which the line names. */
export type ShedResult = Readonly<{ id: string; tokens: number }>

export function checkShed(results: unknown): readonly ShedResult[] {
  if (!Array.isArray(results) || results.length > LIMITS.nodes) {
    throw invalid('results', `results is a list such as [{ id, tokens }], not ${describe(results)}.`)
  }
  return Object.freeze(Array.from(results as readonly unknown[], checkOne))
}

function checkOne(given: unknown): ShedResult {
  const { id, tokens, ...rest }: Partial<ShedResult> = isRecord(given) ? given : {}
  const isRight = typeof id === 'string' && typeof tokens === 'number' && Number.isFinite(tokens) && tokens >= 0
  if (isRight && Object.keys(rest).length === 0) return Object.freeze({ id, tokens })
  throw invalid('results', `A result to shed is an object such as { id, tokens }, not ${describe(given)}.`)
}

/** Sheds those of the results that are there and whole; others need nothing, wherever the edit is made again. */
export function shedNodes(session: EditSession, results: readonly ShedResult[]): readonly TreeNode[] {
  return rehearsed(session, (trial) => {
    const { draft } = trial
    return results.flatMap(({ id, tokens }) => {
      const record = draft.find(id)
      if (record === undefined || !isToolResult(record) || shedOf(record) !== undefined) return []
      if (regionNameOf(draft, record) === '^sys') return []
      const version = shedVersion(draft, record, tokens)
      if (version === undefined) return []
      return shedOne(draft, record, version, trial.by, (age) => {
        return trial.stamp([{ nodeClass: 'block', nodeType: age.nodeType, age }])[0]!
      })
    })
  })
}

/** Puts the original content of a shed result back; the id is that of the original or of the node with the line. */
export function unshedNode(session: EditSession, id: unknown): TreeNode {
  if (typeof id !== 'string') throw invalid('id', `unshed takes the id of a result, not ${describe(id)}.`)
  return rehearsed(session, (trial) => {
    const record = shedInWorking(trial.draft, id)
    return replaceNode(trial, record, { ...NOTHING_NAMED, content: shedOf(record)!.content }).node
  })
}

function shedInWorking(draft: EditSession['draft'], id: string): NodeRecord {
  const record = shedResult(draft, id)
  if (record !== undefined && regionNameOf(draft, record) !== '^sys') return record
  const message = `The working state has no shed result ${short(id)}; the line in its place says which id to give.`
  throw new PactError('E_NODE_NOT_FOUND', message, { id })
}

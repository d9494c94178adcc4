// A declared pruning policy (02 §7), checked once when a context is made, so that a commit cannot meet a bad one.

import { describe, isRecord, PactError, short } from '../errors/index.js'
import { isRegion, REGIONS, type Region } from '../core/index.js'

export type PrunePolicy = Readonly<{
  /** The largest number of nodes in the snapshot, root and regions included. */
  maxNodes?: number | undefined
  /** The largest number of nodes in a sealed segment. */
  maxNodesPerSegment?: number | undefined
  /** The largest number of segments in `^seq`. */
  maxDepth?: number | undefined
  /** The largest number of tokens in all regions together, or in single regions. */
  maxTokens?: number | Readonly<Partial<Record<Region, number>>> | undefined
  /**
   * The newest segments that are never touched; 1 by default. Without a number, and with a token limit, the turn that the commit seals is that one.
   */
  protectSegments?: number | undefined
  /**
   * 'node' (the default) takes single nodes. 'turn' takes whole turns first: those of the lowest priority, which is the highest
   * of the blocks in them, then the oldest. A turn with a node that has to stay is skipped.
   */
  unit?: 'node' | 'turn' | undefined
  /**
   * The goal once a limit is passed: a share of it, such as 0.7, or a number of tokens if `maxTokens` is a number. A prompt cache
   * then lasts many turns. A target that protection keeps out of reach leaves no limit unmet.
   */
  target?: number | undefined
  /** Sheds old tool results before anything is pruned, where a token limit is passed. */
  results?: ResultsPolicy | undefined
  /**
   * The most names (paths, file names, ids and numbers in the arguments of calls that pruning took) that stay, in one line at the beginning of
   * history; 0 by default.
   */
  names?: number | undefined
  /** The reaction if protection leaves a limit unmet: report it in the receipt (the default) or refuse the commit. */
  unmet?: 'report' | 'error' | undefined
}>

/** Old tool results get a line in place of their content, as many as bring the tokens to the target. */
export type ResultsPolicy = Readonly<{
  /** The newest results, which stay whole. */
  keep: number
  /** The share of the limit that has to be freed, 0.1 by default; if less can be, nothing is shed. */
  atLeast?: number | undefined
  /** A selector for results that stay whole. */
  except?: string | undefined
}>

const NAMES: ReadonlySet<string> = new Set([
  'maxNodes',
  'maxNodesPerSegment',
  'maxDepth',
  'maxTokens',
  'protectSegments',
  'unit',
  'target',
  'results',
  'names',
  'unmet',
])

/** Gives a frozen copy, or refuses the policy. */
export function checkPolicy(policy: PrunePolicy | undefined): PrunePolicy | undefined {
  if (policy === undefined) return undefined
  if (typeof policy !== 'object' || policy === null) throw badPolicy('prune', 'prune is an object of limits.')
  for (const name of Object.keys(policy)) {
    if (!NAMES.has(name)) throw badPolicy(name, `prune has no "${short(name)}"; it takes ${[...NAMES].join(', ')}.`)
  }
  const { maxTokens, unmet, unit, target, results, ...counts } = policy
  for (const [name, value] of Object.entries(counts)) checkCount(value, name)
  if (unit !== undefined && unit !== 'node' && unit !== 'turn') {
    throw badPolicy('unit', `prune.unit is 'node' or 'turn', not ${describe(unit)}.`)
  }
  if (unmet !== undefined && unmet !== 'report' && unmet !== 'error') {
    throw badPolicy('unmet', "prune.unmet is 'report' or 'error'.")
  }
  const shedding = results === undefined ? {} : { results: checkResults(results, maxTokens) }
  if (typeof maxTokens === 'object' && maxTokens !== null) {
    for (const [region, value] of Object.entries(maxTokens)) {
      if (!isRegion(region)) throw badPolicy('maxTokens', `maxTokens knows ${REGIONS.join(', ')}, not "${region}".`)
      checkCount(value, 'maxTokens')
    }
    checkTarget(target, undefined)
    return Object.freeze({ ...policy, ...shedding, maxTokens: Object.freeze({ ...maxTokens }) })
  }
  checkCount(maxTokens, 'maxTokens')
  checkTarget(target, maxTokens)
  return Object.freeze({ ...policy, ...shedding })
}

/**
 * The newest segments of the tree before sealing that are never touched. If the policy has a token limit and names no number, the newest segment is
 * that of the snapshot to be (D60): one more kept turn is written to the cache again by every cut, and a small limit stays unmet.
 */
export function protectedSegments({ protectSegments, maxTokens }: PrunePolicy, seals: boolean): number {
  return protectSegments ?? (maxTokens !== undefined && seals ? 0 : 1)
}

function checkResults(results: unknown, maxTokens: PrunePolicy['maxTokens']): ResultsPolicy {
  if (!isRecord(results))
    throw badPolicy('results', `prune.results is an object such as { keep: 6 }, not ${describe(results)}.`)
  const { keep, atLeast, except, ...rest }: Partial<ResultsPolicy> = results
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) {
    throw badPolicy('results', `prune.results has no "${short(unknown)}"; it takes keep, atLeast, except.`)
  }
  if (keep === undefined)
    throw badPolicy('results', 'prune.results needs keep, the number of newest results that stay whole.')
  checkCount(keep, 'results.keep')
  if (atLeast !== undefined && !(typeof atLeast === 'number' && atLeast >= 0 && atLeast <= 1)) {
    throw badPolicy('results', `prune.results.atLeast is a share of the limit from 0 to 1, not ${describe(atLeast)}.`)
  }
  if (except !== undefined && typeof except !== 'string') {
    throw badPolicy('results', `prune.results.except is a selector, not ${describe(except)}.`)
  }
  if (maxTokens === undefined) throw badPolicy('results', 'prune.results sheds for a token limit; give maxTokens, too.')
  return Object.freeze({ ...results }) as ResultsPolicy
}

/** Checks a share of the limits, or a number of tokens if there is one limit for all of them. */
function checkTarget(target: unknown, maxTokens: number | undefined): void {
  if (target === undefined || (typeof target === 'number' && target > 0 && target <= 1)) return
  if (typeof target !== 'number' || !Number.isSafeInteger(target) || target <= 1) {
    const forms = 'a share above 0 and up to 1, or a whole number of tokens'
    throw badPolicy('target', `prune.target must be ${forms}, not ${describe(target)}.`)
  }
  if (maxTokens === undefined) {
    throw badPolicy('target', `prune.target is ${target} tokens, which needs maxTokens as one number; give a share.`)
  }
  if (target > maxTokens) {
    throw badPolicy('target', `prune.target is ${target} tokens, which is more than maxTokens, ${maxTokens}.`)
  }
}

function checkCount(value: unknown, name: string): void {
  if (value === undefined || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)) return
  throw badPolicy(name, `prune.${name} must be a whole number from 0 up, not ${describe(value)}.`)
}

function badPolicy(name: string, message: string): PactError {
  return new PactError('E_BUDGET', message, { name })
}

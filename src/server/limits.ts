// How much one request may make the server do.

import { PactError } from '../errors/index.js'
import { diffSnapshots, selectNodes, type Desk, type DiffAnswer, type Selected } from '../commands/index.js'

export type WorkLimits = Readonly<{
  /** How many nodes a selector may look at. */
  visits: number
  /** How many ids an answer may have, and how many whole nodes. */
  results: number
  nodes: number
}>

export const WORK: WorkLimits = { visits: 5_000_000, results: 100_000, nodes: 5_000 }

type Input = Readonly<Record<string, unknown>>

/** A selection that looks at no more than is allowed and gives no more; E_SELECTOR_TOO_LARGE where that is not enough. */
export async function limitedSelect(desk: Desk, input: Input, limits: WorkLimits): Promise<Selected> {
  const options = optionsOf(input)
  // What is no object, the command refuses.
  if (options === undefined) return selectNodes(desk, input as never)
  const most = input['nodes'] === true ? limits.nodes : limits.results
  const asked = options['limit'] ?? Infinity
  // What is no number, the engine refuses.
  const limit = typeof asked === 'number' && asked > most ? { limit: most + 1 } : {}
  const bounded = { ...options, ...boundedVisits(options, limits), ...limit }
  const answer = await selectNodes(desk, { ...input, options: bounded } as never)
  if (!('ids' in answer) || answer.ids.length <= most) return answer
  const message = `More than ${most} nodes match; ask for fewer with options.limit, and for the others with options.skip.`
  throw new PactError('E_SELECTOR_TOO_LARGE', message, { limit: most })
}

/** A diff whose selector looks at no more than is allowed. */
export async function limitedDiff(desk: Desk, input: Input, limits: WorkLimits): Promise<DiffAnswer> {
  const options = optionsOf(input)
  if (options === undefined) return diffSnapshots(desk, input as never)
  return diffSnapshots(desk, { ...input, options: { ...options, ...boundedVisits(options, limits) } } as never)
}

/** What was asked for, nothing where nothing was; undefined where it is no object. */
function optionsOf({ options = {} }: Input): Input | undefined {
  const isObject = typeof options === 'object' && options !== null && !Array.isArray(options)
  return isObject ? (options as Input) : undefined
}

function boundedVisits({ maxVisits: asked }: Input, { visits }: WorkLimits): Input {
  const allowed = asked ?? visits
  return typeof allowed === 'number' ? { maxVisits: Math.min(allowed, visits) } : {}
}

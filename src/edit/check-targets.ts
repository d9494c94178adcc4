// The nodes that a mutation may touch (D31): none in the system region without its capability, and never root or regions.

import { PactError } from '../errors/index.js'
import type { NodeRecord } from '../core/index.js'
import { regionNameOf, sortByPlace, type Draft } from '../timeline/index.js'
import type { Caller } from './edit-session.js'

/** The matches of a mutation's selector in canonical order, if all of them may be touched. */
export function checkTargets(
  draft: Draft,
  matches: readonly NodeRecord[],
  selector: string,
  caller: Caller,
): readonly NodeRecord[] {
  for (const record of caller === 'system' ? [] : matches) {
    if (record.nodeClass === 'root' || record.nodeClass === 'region') continue
    if (regionNameOf(draft, record) === '^sys') {
      const message = `${record.id} is in ^sys, which only ctx.system may change.`
      throw new PactError('E_NOT_AUTHORIZED', message, { id: record.id, selector })
    }
  }
  for (const { id, nodeClass } of matches) {
    if (nodeClass !== 'root' && nodeClass !== 'region') continue
    const what = nodeClass === 'root' ? 'the root' : 'a region'
    const message = `${id} is ${what}, which no call changes; name what it holds, such as "^ah > *".`
    throw new PactError('E_PLACEMENT_INVALID', message, { id, selector })
  }
  return sortByPlace(draft, matches)
}

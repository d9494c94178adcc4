// The previous request and this one as two strips on one scale, without params and cache marks, in which prefixes count; the shared part is pale.

import type { JSX } from 'preact'
import type { PrefixAnswer } from '../../api/index.js'
import type { At } from '../state/link.js'
import type { Fragment, Fragments } from '../words/request.js'
import { count } from '../words/numbers.js'
import { nameOf } from './bits.js'

type Props = Readonly<{ last: Fragments; now: Fragments; prefix: PrefixAnswer; from: At; to: At }>

/** Neighbours of one part are merged, so that a long request needs few elements. */
type Stretch = Readonly<{ part: Fragment['part']; isSame: boolean; bytes: number }>

export function Strips({ last, now, prefix, from, to }: Props): JSX.Element {
  const { a, b } = prefix.sizes
  const most = Math.max(a, b, 1)
  const share = (bytes: number): string => `${((bytes / most) * 100).toFixed(3)}%`
  const strip = (of: Fragments, isNow: boolean): JSX.Element => (
    <div class="strip">
      {stretchesOf(of.list, prefix.bytes, isNow ? b : a).map((each, i) => (
        <i key={i} class={`part-${each.part}${each.isSame ? ' same' : ''}`} style={{ width: share(each.bytes) }} />
      ))}
      {isNow &&
        of.list.map(({ breakpoint }, i) =>
          breakpoint === undefined ? null : (
            <span
              key={`b${i}`}
              class={`bp${breakpoint.byte <= prefix.bytes ? '' : ' miss'}`}
              style={{ left: share(breakpoint.byte) }}
            />
          ),
        )}
      {prefix.first !== undefined && <span class="fd" style={{ left: share(prefix.bytes) }} />}
    </div>
  )
  return (
    <div class="strips" role="img" aria-label="The last request above this one; pale is the same in both">
      <span>{nameOf(from)}</span>
      {strip(last, false)}
      <span class="right">{count(a)} B</span>
      <span>{nameOf(to)}</span>
      {strip(now, true)}
      <span class="right">{count(b)} B</span>
    </div>
  )
}

function stretchesOf(list: readonly Fragment[], shared: number, size: number): Stretch[] {
  const found: Stretch[] = []
  let at = 0
  for (const { part, plainEnd } of list) {
    const isSame = plainEnd <= shared
    const bytes = Math.max(0, Math.min(plainEnd, size) - at)
    at += bytes
    const before = found.at(-1)
    if (before !== undefined && before.part === part && before.isSame === isSame) {
      found[found.length - 1] = { ...before, bytes: before.bytes + bytes }
    } else found.push({ part, isSame, bytes })
  }
  return found
}

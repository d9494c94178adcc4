// The requests of the moment in view and of its base, rendered and split, with their shared prefix.

import { useMemo } from 'preact/hooks'
import type { Failure } from '../api/http.js'
import type { JsonObject, PrefixAnswer, Rendered } from '../../api/index.js'
import { FORMATS, type At, type Format } from '../state/link.js'
import { cutRequest, type Fragments } from '../words/request.js'
import { useSession } from './use-session.js'

export type Side = Readonly<{ rendered: Rendered; cut: Fragments }>

export type Request = Readonly<{
  now: Side | undefined
  last: Side | undefined
  prefix: PrefixAnswer | undefined
  diff: JsonObject | undefined
  from: At | null
  failure: Failure | undefined
  /** The format that was sent, if an attempt recorded it. */
  sentAs: Format | undefined
}>

export function useRequest(): Request {
  const { base, shared } = useSession()
  const { value: now, failure } = shared.rendered.value
  const prefix = shared.prefix.value
  return {
    now: useSide(now, shared.marked.value.isFresh ? shared.marked.value.value : undefined),
    last: useSide(shared.renderedLast.value.value, undefined),
    prefix: prefix.isFresh ? prefix.value : undefined,
    diff: shared.diff.value.value,
    from: base.value,
    failure: failure?.kind === 'refused' ? failure : undefined,
    sentAs: useSentFormat(),
  }
}

/** The format sent in the cycle in view, if an attempt recorded it. */
export function useSentFormat(): Format | undefined {
  const { shared, sends, at } = useSession()
  const send = at.value === null ? undefined : sends.find(at.value)
  return formatOf(shared.cycle.value.value?.attempts.find(({ attempt_id: id }) => id === send?.attempt))
}

function useSide(rendered: Rendered | undefined, marked: Rendered | undefined): Side | undefined {
  return useMemo(() => {
    if (rendered === undefined) return undefined
    return { rendered, cut: cutRequest({ ...rendered, breakpoints: breakpointsIn(rendered, marked) }) }
  }, [rendered, marked])
}

/** Positions of cache marks in the request without marks: the ends of the same nodes. */
function breakpointsIn({ sourceMap }: Rendered, marked: Rendered | undefined): Rendered['breakpoints'] {
  return (marked?.breakpoints ?? []).flatMap((mark) => {
    const last = sourceMap.findLast(({ node }) => node === mark.node)
    return last === undefined ? [] : [{ ...mark, byte: last.end }]
  })
}

function formatOf(attempt: { adapter?: string; provider: string } | undefined): Format | undefined {
  if (attempt === undefined) return undefined
  const name = attempt.adapter ?? (attempt.provider === 'openai' ? 'openai-chat' : attempt.provider)
  return [...FORMATS.keys()].find((format) => format === name)
}

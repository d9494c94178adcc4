// The request in view, as it was sent or as it would be, and that of its base: split by node, with their shared prefix.

import { useMemo } from 'preact/hooks'
import type { Failure } from '../api/http.js'
import type { Changes, PrefixAnswer, Rendered } from '../../api/index.js'
import type { At } from '../state/link.js'
import type { Session } from '../state/session.js'
import { cutRequest, type Fragments } from '../words/request.js'
import { useSession } from './use-session.js'

export type InView = Pick<Rendered, 'text' | 'repairs' | 'sourceMap' | 'breakpoints'> &
  Readonly<{
    /** Undefined if the tree of the call is not known. */
    tokens: number | undefined
    isSent: boolean
    /** The moment that the bytes belong to. */
    at: At
  }>

/** The bytes of the moment in view: those that were sent, else those that its format would have. */
export function requestInView({ shared }: Session): InView | undefined {
  const { value: sent, about } = shared.sent.value
  if (shared.isAsSent.value && sent?.text !== undefined) {
    const { text, tokens, repairs = [], sourceMap = [], breakpoints = [] } = sent
    return { text, tokens, repairs, sourceMap, breakpoints, isSent: true, at: about!.at }
  }
  const { value, about: of } = shared.rendered.value
  return value && { ...value, isSent: false, at: of!.at }
}

export type Request = Readonly<{
  now: (InView & Readonly<{ cut: Fragments }>) | undefined
  last: Fragments | undefined
  prefix: PrefixAnswer | undefined
  changes: Changes | undefined
  from: At | null
  failure: Failure | undefined
}>

export function useRequest(): Request {
  const session = useSession()
  const { base, shared } = session
  const { failure } = shared.rendered.value
  const prefix = shared.prefix.value
  const now = requestInView(session)
  const marked = shared.marked.value.isFresh ? shared.marked.value.value : undefined
  const breakpoints = now?.isSent === true ? now.breakpoints : (marked?.breakpoints ?? [])
  const last = shared.renderedLast.value.value
  const cut = useMemo(() => now && cutRequest({ ...now, breakpoints }), [now?.text, now?.sourceMap, marked])
  return {
    now: now && { ...now, cut: cut! },
    last: useMemo(() => last && cutRequest({ ...last, breakpoints: [] }), [last]),
    prefix: prefix.isFresh ? prefix.value : undefined,
    changes: shared.changes.value.value,
    from: base.value,
    failure: failure?.kind === 'refused' ? failure : undefined,
  }
}

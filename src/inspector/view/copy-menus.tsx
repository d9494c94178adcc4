// "Copy as": the request in view, and one node of it, as what another tool takes.

import type { JSX } from 'preact'
import { isOffline } from '../api/http.js'
import * as routes from '../api/routes.js'
import { attemptOf, lensOf } from '../state/link.js'
import { fetchAnswer } from '../state/reads.js'
import { asCurl, asFetch, asRender, asRequestOf, isPosted, pretty, type Posted } from '../words/copy-as.js'
import { useActions } from './actions.js'
import { Menu, type MenuItem } from './menu.js'
import { download } from './request-actions.js'
import { requestInView } from './use-request.js'
import { useSession } from './use-session.js'

export function CopyRequest(): JSX.Element | null {
  const session = useSession()
  const { place, as, at, shared, sends } = session
  const { copy } = useActions()
  const request = requestInView(session)
  const format = as.value
  const moment = at.value
  if (request === undefined || request.at !== moment || format === null) return null
  const { context } = place.value
  const attempt = sends.find(moment)?.attempt
  const record = shared.cycle.value.value?.attempts.find(({ attempt_id: id }) => id === attempt)
  // Another format than that of the call has other params.
  const isOwn = request.isSent || (record !== undefined && format === sends.find(moment)?.format)
  const posted: Posted = {
    as: format,
    text: request.text,
    ...(isOwn ? { model: record?.model, params: record?.params } : {}),
  }
  const item = (name: string, hint: string, text: () => string): MenuItem => ({
    name,
    hint,
    act: () => copy(text(), `Copied: ${name}.`),
  })
  const items: readonly (MenuItem | false)[] = [
    item('Bytes', 'exactly', () => request.text),
    item('Pretty JSON', 'with line breaks', () => pretty(request.text)),
    isPosted(format) && item('curl', 'for a shell', () => asCurl(posted)),
    isPosted(format) && item('fetch', 'for JavaScript', () => asFetch(posted)),
    attempt !== undefined && item('ctx.requestOf(…)', 'for a program', () => asRequestOf(context, attempt)),
    moment !== 'working' && item('pctx render …', 'for a shell', () => asRender(context, lensOf(moment), format)),
    item('Link', 'to this place', () => location.href),
  ]
  return <Menu name="Copy as" items={items.filter((each) => each !== false)} />
}

/** One node as text, as its bytes in the request, as code. */
export function CopyNode({ id, text }: { id: string; text: string | undefined }): JSX.Element {
  const session = useSession()
  const { at } = session
  const { copy } = useActions()
  const request = requestInView(session)
  const ranges = request?.at === at.value ? request.sourceMap.filter(({ node }) => node === id) : []
  const bytes = (): string => {
    const all = new TextEncoder().encode(request?.text)
    return new TextDecoder().decode(all.slice(ranges[0]!.start, ranges.at(-1)!.end))
  }
  const item = (name: string, hint: string, given: () => string): MenuItem => ({
    name,
    hint,
    act: () => copy(given(), `Copied: ${name}.`),
  })
  const lens = at.value === null ? '@t0' : lensOf(at.value)
  const isJson = text !== undefined && /^\s*[[{]/.test(text)
  const items: readonly (MenuItem | false)[] = [
    text !== undefined && item('Content', 'as it is', () => text),
    isJson && item('Pretty JSON', 'with line breaks', () => pretty(text)),
    ranges.length > 0 && item('Bytes in the request', 'exactly', bytes),
    item('ctx.node(…)', 'for a program', () => `ctx.node(${JSON.stringify(id)}, ${JSON.stringify(lens)})`),
    item('Link', 'to this place', () => location.href),
  ]
  return <Menu name="Copy as" items={items.filter((each) => each !== false)} />
}

/** Saves the snapshot in view as a file that `pctx open` and `pctx import` read. */
export function ExportSnapshot(): JSX.Element | null {
  const { at, place, say } = useSession()
  const moment = at.value
  if (isOffline || moment === null || moment === 'working' || attemptOf(moment) !== null) return null
  const save = (): void => {
    const { context } = place.peek()
    fetchAnswer(routes.exported(context, moment)).then(
      (found) => download(JSON.stringify(found), `${context.replace(/\W+/g, '-')}-${moment}.json`, 'application/json'),
      () => say('The snapshot could not be read.'),
    )
  }
  return (
    <button type="button" class="btn" onClick={save}>
      Export snapshot
    </button>
  )
}

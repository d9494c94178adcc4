// A text with the words of a search marked.

import type { ComponentChildren, JSX } from 'preact'
import { wordsPattern } from '../../core/index.js'
import { useSession } from './use-session.js'

/** A text with more is marked up to here. */
const MOST = 200

export function Marked({ text }: { text: string }): JSX.Element {
  const { selection } = useSession()
  const query = selection.query.value
  if (query.kind !== 'words') return <>{text}</>
  const parts: ComponentChildren[] = []
  let from = 0
  for (const { 0: found, index } of text.matchAll(wordsPattern(query.words, 'g'))) {
    parts.push(text.slice(from, index), <mark key={index}>{found}</mark>)
    from = index + found.length
    if (parts.length >= 2 * MOST) break
  }
  if (parts.length === 0) return <>{text}</>
  return (
    <span class="hit">
      {parts}
      {text.slice(from)}
    </span>
  )
}

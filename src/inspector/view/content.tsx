// A node's content. Long content is cut until the user asks for the rest.

import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import * as routes from '../api/routes.js'
import type { JsonObject } from '../../api/index.js'
import type { At } from '../state/link.js'
import { fetchAnswer, useRead } from '../state/reads.js'
import { size, utf8Length } from '../words/numbers.js'
import { useActions } from './actions.js'
import { contentOf } from './changes.js'
import { download } from './request-actions.js'
import { isIndented } from './view-state.js'
import { useSession } from './use-session.js'

/** Longer content belongs in an editor. */
const MOST_SHOWN = 1_000_000

type Props = Readonly<{ id: string; node: JsonObject; at: At; isGone: boolean; cut: number | undefined }>

export function Content({ id, node, at, isGone, cut }: Props): JSX.Element {
  const { place, as, edits, say } = useSession()
  const { copy } = useActions()
  const wanted = useSignal('')
  const mine = `${at} ${id}`
  const { value: whole } = useRead(() => {
    const { context } = place.value
    return wanted.value !== mine || cut === undefined
      ? null
      : routes.node(context, { node: id, at, as: as.value, isWhole: true }, edits.draft.value)
  })
  const text = contentOf(whole?.node ?? node)
  const isShort = cut !== undefined && whole === undefined
  const length = cut ?? text.length
  const isJson = !isShort && /^\s*[[{]/.test(text) && text.length < 1_000_000
  /** Copy and save use the whole content, whatever is shown. */
  const withWhole = (use: (all: string) => void): void => {
    if (!isShort) return use(text)
    const { context } = place.peek()
    fetchAnswer(routes.node(context, { node: id, at, as: as.peek(), isWhole: true }, edits.draft.peek())).then(
      ({ node }) => use(contentOf(node)),
      () => say('The content could not be read.'),
    )
  }
  const pretty = isJson && isIndented.value ? indented(text) : text
  return (
    <section>
      <h3>
        Content <span>{isShort ? `${size(cut)}, the first ${size(text.length)} shown` : size(utf8Length(text))}</span>
        <span class="sp" />
        {isJson && (
          <button type="button" onClick={() => (isIndented.value = !isIndented.value)}>
            {isIndented.value ? 'As stored' : 'Indent JSON'}
          </button>
        )}
        <button type="button" onClick={() => withWhole((all) => copy(all, 'Copied.'))}>
          Copy
        </button>
        {length > MOST_SHOWN && (
          <button
            type="button"
            onClick={() => withWhole((all) => download(all, `${id.replace(/\W+/g, '-')}.txt`, 'text/plain'))}
          >
            Save
          </button>
        )}
      </h3>
      <div
        class={`content outside${isJson ? '' : ' text'}${isGone ? ' gone' : ''}`}
        tabIndex={0}
        role="region"
        aria-label="Content"
        dir="auto"
      >
        {text === '' ? <span class="muted">(empty)</span> : pretty.slice(0, MOST_SHOWN)}
      </div>
      {isShort && (
        <p>
          <button type="button" class="link" onClick={() => (wanted.value = mine)}>
            {length > MOST_SHOWN ? `Show ${size(MOST_SHOWN)} of ${size(length)}` : `Show all ${size(length)}`}
          </button>
        </p>
      )}
    </section>
  )
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 1)
  } catch {
    return text
  }
}

// A node's content. Long content is cut until the user asks for the rest.

import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import * as routes from '../api/routes.js'
import type { JsonObject } from '../../api/index.js'
import type { At } from '../state/link.js'
import { fetchAnswer, useRead } from '../state/reads.js'
import { size, utf8Length } from '../words/numbers.js'
import { picturesIn } from '../words/pictures.js'
import { useActions } from './actions.js'
import { contentOf, textField } from './changes.js'
import { Marked } from './marked.js'
import { download } from './request-actions.js'
import { Thumbnail } from './thumbnail.js'
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
  const shown = whole?.node ?? node
  const text = contentOf(shown)
  const pictures = useMemo(() => picturesIn(shown['content']), [shown['content']])
  const isTool = /^(?:call|result)$/.test(textField(node, 'kind') ?? '')
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
      {pictures.map((each) => (
        <Thumbnail key={each.base64} of={each} />
      ))}
      <div
        class={`content outside${isJson || isTool ? '' : ' text'}${isGone ? ' gone' : ''}`}
        tabIndex={0}
        role="region"
        aria-label="Content"
        dir="auto"
      >
        {text === '' ? <span class="muted">(empty)</span> : <Visible text={pretty.slice(0, MOST_SHOWN)} />}
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

// Tabs, line breaks and the joiners of emoji are what they look like.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u
const MARKED = /(?![\t\n\r\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** The text with its control and bidi characters as marks, so that none of them can hide or turn anything. */
function Visible({ text }: { text: string }): JSX.Element {
  if (!INVISIBLE.test(text)) return <Marked text={text} />
  const parts: ComponentChildren[] = []
  let from = 0
  for (const { 0: char, index } of text.matchAll(MARKED)) {
    parts.push(
      <Marked text={text.slice(from, index)} />,
      <span class="ctl">U+{char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}</span>,
    )
    from = index + char.length
  }
  return (
    <>
      {parts}
      <Marked text={text.slice(from)} />
    </>
  )
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 1)
  } catch {
    return text
  }
}

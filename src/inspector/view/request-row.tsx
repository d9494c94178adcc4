// One row of the request.

import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { causeWord } from '../words/causes.js'
import { count, size } from '../words/numbers.js'
import type { Fragment } from '../words/request.js'
import { useActions } from './actions.js'
import { Linked, nameOf, NodeLink } from './bits.js'
import { Marked } from './marked.js'
import type { RequestRow } from './request-rows.js'
import { wholeItems } from './view-state.js'
import { useSession } from './use-session.js'

/** Length shown for a closed row, and for an open one. */
const SHORT = 1200
const LONG = 200_000

export function RequestRowView({ row }: { row: RequestRow }): JSX.Element {
  switch (row.kind) {
    case 'item':
      return <Item fragment={row.fragment} isSame={row.isSame} />
    case 'difference':
      return <Difference row={row} />
    case 'new':
      return (
        <div class="rule bp">
          <strong>New from here</strong>
          <span>
            byte {count(row.byte)}; everything above is as in {nameOf(row.from)}
          </span>
        </div>
      )
    case 'left':
      return (
        <div class="rule left">
          <span class="mono" aria-hidden="true">
            −
          </span>
          <NodeLink id={row.id} />
          <span>
            {causeWord(row.cause)}; was item {row.item} of {nameOf(row.from)}
          </span>
        </div>
      )
    case 'breakpoint':
      return (
        <div class={`rule bp${row.isReadable ? '' : ' miss'}`}>
          <strong>Cache breakpoint</strong>
          <span>
            {count(row.byte)} bytes, {count(row.tokens)} tokens ·{' '}
            {row.isReadable
              ? 'can be read: unchanged up to here'
              : row.isFirst
                ? 'will be written'
                : 'will be written: the bytes above differ'}
          </span>
        </div>
      )
  }
}

function Difference({ row }: { row: Extract<RequestRow, { kind: 'difference' }> }): JSX.Element {
  const first = row.prefix.first!
  return (
    <div class="rule fd" id="first-difference">
      <strong>First difference</strong>
      <span>byte {count(row.byte)}</span>
      <span class="outside">
        <Linked text={first.cause} ids={[first.node]} />, so the {count(row.lost)} tokens below cannot be read from a
        cache
      </span>
    </div>
  )
}

function Item({ fragment, isSame }: { fragment: Fragment; isSame: boolean }): JSX.Element {
  const { place, selection } = useSession()
  const { pick } = useActions()
  const { node, lead, text } = fragment
  const isOpen = node !== null && wholeItems.value.has(node)
  const isMatch = node !== null && selection.matches.value?.has(node) === true
  const classes = [
    'ritem',
    isSame ? 'same' : '',
    node === null ? 'pun' : '',
    isMatch ? 'match' : '',
    isOpen ? 'open' : '',
  ]
  const most = isOpen ? LONG : SHORT
  // A closed row has four lines, and only their layout says whether the text needs more.
  const body = useRef<HTMLButtonElement>(null)
  const isCut = useSignal(false)
  useLayoutEffect(() => {
    const { current } = body
    if (current !== null && !isOpen) isCut.value = text.length > most || current.scrollHeight > current.clientHeight
  })
  const toggle = (): void => {
    if (node === null) return
    const next = new Set(wholeItems.value)
    if (!next.delete(node)) next.add(node)
    wholeItems.value = next
  }
  const choose = (): void => {
    if (node === null) return
    if (getSelection()?.isCollapsed === false) return
    if (place.value.node === node) toggle()
    pick(node, false)
  }
  return (
    <div
      class={classes.filter((each) => each !== '').join(' ')}
      {...(node !== null && place.value.node === node ? { 'aria-current': 'true' as const } : {})}
    >
      <span class="off">{count(fragment.start)}</span>
      <span class="ix">{node === null ? '' : fragment.item}</span>
      {node === null ? (
        <span class="body">{text}</span>
      ) : (
        <button type="button" class="body outside" ref={body} onClick={choose}>
          {lead !== '' && <span class="lead">{lead}</span>}
          <Marked text={text.slice(0, most)} />
          {text.length > most && <span class="muted"> … {size(text.length - most)} more</span>}
        </button>
      )}
      <span class="tok">{node === null ? '' : count(fragment.tokens)}</span>
      {node !== null && (isOpen || isCut.value) && (
        <button
          type="button"
          class="link unfold"
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'less' : 'more'} of ${node}, ${size(text.length)} in all`}
          title={isOpen ? 'Show the first lines' : `Show all ${size(text.length)}`}
          onClick={toggle}
        >
          {isOpen ? 'less' : 'more'}
        </button>
      )}
    </div>
  )
}

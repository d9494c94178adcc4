// Two texts side by side, line by line.

import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { At } from '../state/link.js'
import { pairLines, type Line } from '../words/diff.js'
import { count, size } from '../words/numbers.js'
import { nameOf } from './bits.js'

/** Enough for a reader, and few enough for the page to stay fast. */
const MOST_TEXT = 200_000
const MOST_LINES = 3000

type Props = Readonly<{ old: string | null; now: string | null; from: At; to: At }>

export function SideBySide({ old, now, from, to }: Props): JSX.Element {
  const left = old?.slice(0, MOST_TEXT) ?? null
  const right = now?.slice(0, MOST_TEXT) ?? null
  const pairs = useMemo(() => (left === null || right === null ? [] : pairLines(left, right)), [left, right])
  const isCut = (old?.length ?? 0) > MOST_TEXT || (now?.length ?? 0) > MOST_TEXT
  return (
    <>
      <div class="side" tabIndex={0} role="region" aria-label="Content of both sides">
        <h4>{nameOf(from)}</h4>
        <h4>{nameOf(to)}</h4>
        {left === null || right === null ? (
          <>
            {left === null ? <div class="ln muted">not there</div> : <Whole text={left} kind="del" />}
            {right === null ? <div class="ln muted">not there</div> : <Whole text={right} kind="add" />}
          </>
        ) : (
          pairs
            .slice(0, MOST_LINES)
            .flatMap(([a, b], i) => [<LineView key={`${i}a`} of={a} />, <LineView key={`${i}b`} of={b} />])
        )}
      </div>
      {(isCut || pairs.length > MOST_LINES) && (
        <p class="muted">
          The first {isCut ? size(MOST_TEXT) : `${count(MOST_LINES)} lines`} are compared here. Copy or save the rest
          from the node.
        </p>
      )}
    </>
  )
}

function Whole({ text, kind }: { text: string; kind: 'add' | 'del' }): JSX.Element {
  return <div class={`ln outside ${kind}`}>{text === '' ? <span class="muted">(empty)</span> : text}</div>
}

function LineView({ of }: { of: Line }): JSX.Element {
  const name = of.kind === 'old' ? 'del' : of.kind === 'new' ? 'add' : of.kind === 'pad' ? 'pad' : ''
  return (
    <div class={`ln outside ${name}`}>
      {of.pieces.map((piece, i) =>
        piece.changed ? (
          of.kind === 'old' ? (
            <del key={i}>{piece.text}</del>
          ) : (
            <ins key={i}>{piece.text}</ins>
          )
        ) : (
          piece.text
        ),
      )}
    </div>
  )
}

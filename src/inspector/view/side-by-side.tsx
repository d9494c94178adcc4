// Two texts side by side, or one under the other, line by line. Stretches without a change are folded.

import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { At } from '../state/link.js'
import { foldLines, pairLines, type Line } from '../words/diff.js'
import { count, plural, size } from '../words/numbers.js'
import { nameOf } from './bits.js'
import { nameOfBase } from './other-context.js'
import { useSession } from './use-session.js'
import { isUnified } from './view-state.js'

/** Enough for a reader, and few enough for the page to stay fast. */
const MOST_TEXT = 200_000
const MOST_LINES = 3000

type Props = Readonly<{ old: string | null; now: string | null; from: At; to: At }>

export function SideBySide({ old, now, from, to }: Props): JSX.Element {
  const session = useSession()
  const other = session.other.value
  const baseName = nameOfBase(from, other)
  const ownName = other === null ? nameOf(to) : nameOfBase(to, session.place.value.context)
  const left = old?.slice(0, MOST_TEXT) ?? null
  const right = now?.slice(0, MOST_TEXT) ?? null
  const opened = useSignal<ReadonlySet<number>>(new Set())
  const box = useRef<HTMLDivElement>(null)
  const place = useRef(-1)
  const pairs = useMemo(() => (left === null || right === null ? [] : pairLines(left, right)), [left, right])
  const folded = foldLines(pairs, opened.value)
  const isCut = (old?.length ?? 0) > MOST_TEXT || (now?.length ?? 0) > MOST_TEXT
  const differences = (): readonly HTMLElement[] => [...(box.current?.querySelectorAll<HTMLElement>('.first') ?? [])]
  const go = (by: 1 | -1): void => {
    const list = differences()
    if (list.length === 0) return
    place.current = (place.current + by + list.length) % list.length
    const line = list[place.current]!
    box.current!.scrollTop = line.offsetTop - box.current!.clientHeight / 3
  }
  useLayoutEffect(() => {
    place.current = -1
    if (differences().length > 0) go(1)
  }, [left, right])
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'n' && event.key !== 'N') return
    event.preventDefault()
    event.stopPropagation()
    go(event.key === 'n' ? 1 : -1)
  }
  if (left === null || right === null) {
    return (
      <div class="side" tabIndex={0} role="region" aria-label="Content of both sides">
        <h4>{baseName}</h4>
        <h4>{ownName}</h4>
        {left === null ? <div class="ln muted">not there</div> : <Whole text={left} kind="del" />}
        {right === null ? <div class="ln muted">not there</div> : <Whole text={right} kind="add" />}
      </div>
    )
  }
  const isOne = isUnified.value
  return (
    <>
      <div class="sidetools">
        <button type="button" onClick={() => go(1)}>
          Next difference<kbd aria-hidden="true">n</kbd>
        </button>
        <label>
          <input
            type="checkbox"
            checked={isOne}
            onChange={(event) => (isUnified.value = event.currentTarget.checked)}
          />
          one column
        </label>
      </div>
      <div
        class={`side${isOne ? ' unified' : ''}`}
        ref={box}
        tabIndex={0}
        role="region"
        aria-label="Content of both sides"
        onKeyDown={press}
      >
        <h4>{isOne ? `${baseName} → ${ownName}` : baseName}</h4>
        {!isOne && <h4>{ownName}</h4>}
        {folded.slice(0, MOST_LINES).flatMap((each, i) => {
          if ('fold' in each) {
            const open = (): void => void (opened.value = new Set([...opened.value, each.from]))
            return [
              <button key={`f${each.from}`} type="button" class="fold" onClick={open}>
                {plural(each.fold, 'unchanged line')}
              </button>,
            ]
          }
          const [a, b] = each.pair
          const isSame = a.kind === 'same'
          const lines = isOne ? (isSame ? [a] : [a, b].filter(({ kind }) => kind !== 'pad')) : [a, b]
          return lines.map((line, side) => (
            <LineView key={`${i} ${side}`} of={line} isFirst={each.isFirst && side === 0} />
          ))
        })}
      </div>
      {(isCut || folded.length > MOST_LINES) && (
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

function LineView({ of, isFirst }: { of: Line; isFirst: boolean }): JSX.Element {
  const name = of.kind === 'old' ? 'del' : of.kind === 'new' ? 'add' : of.kind === 'pad' ? 'pad' : ''
  return (
    <div class={`ln outside ${name}${isFirst ? ' first' : ''}`}>
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

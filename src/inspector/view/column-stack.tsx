// The picture of one column: its tokens by part, role or tool, what the call before had hatched, with the limit, and a mark where the cache had less
// than the bytes allowed.

import type { JSX } from 'preact'
import type { Figures } from '../../api/index.js'
import type { Send } from '../state/sends.js'
import { isShort, type Billed } from '../words/billed.js'
import { limitHeight, slicesOf, type Limit } from '../words/groups.js'
import { count } from '../words/numbers.js'
import { LIMIT, MISSED, TICK } from '../words/signs.js'
import type { Picture } from './shading.js'

type Props = Readonly<{
  figures: Figures | undefined
  send: Send | undefined
  isOpen: boolean
  /** Pixels per token. */
  scale: number
  picture: Picture
}>

export function Stack({ figures, send, isOpen, scale, picture: { shading, limit } }: Props): JSX.Element {
  const px = (tokens: number): string => `${(tokens * scale).toFixed(1)}px`
  const groups = shading === undefined ? undefined : figures?.groups
  const billed = send?.billed
  return (
    <div class="stack">
      {shading !== undefined && groups !== undefined
        ? slicesOf(shading, groups).map(({ shade, tokens, isSame }) => (
            <i
              key={`${shade}${isSame}`}
              class={`shade-${shade}${isSame ? ' same' : ''}`}
              style={{ height: px(tokens) }}
            />
          ))
        : figures?.runs.map((run, i) => (
            <i key={i} class={`part-${run.part}${run.same ? ' same' : ''}`} style={{ height: px(run.tokens) }} />
          ))}
      {figures?.prefix.broken === true && (
        <span class="tick" title={TICK} style={{ bottom: px(figures.prefix.tokens) }} />
      )}
      {figures !== undefined && limit !== undefined && (
        <span class="limit" style={{ bottom: px(limitHeight(limit, figures)) }} />
      )}
      {billed !== undefined && figures !== undefined && isShort(billed, figures.prefix) && (
        <span
          class="missed"
          title={MISSED}
          style={{ bottom: px(readIn(billed, figures)), height: px(figures.prefix.tokens - readIn(billed, figures)) }}
        />
      )}
      {isOpen && <span class="rim" style={{ height: px(figures?.tokens ?? 0) }} />}
    </div>
  )
}

/** The tokens of a column that its cache had, from the share that was billed. */
function readIn({ read, input }: Billed, { tokens }: Figures): number {
  return (read / Math.max(1, input)) * tokens
}

/** The limit in words: over the dashed line, or with an arrow where the line is above the picture. */
export function LimitWords({ limit: { rule, limit }, isDrawn }: { limit: Limit; isDrawn: boolean }): JSX.Element {
  return (
    <p class="limitwords" title={LIMIT}>
      {rule} {count(limit)}
      {!isDrawn && ' ↑'}
    </p>
  )
}

export function limitIsDrawn(limit: Limit, figures: readonly (Figures | undefined)[], height: number): boolean {
  return figures.some((each) => each !== undefined && limitHeight(limit, each) <= height)
}

/** A limit far above the columns would flatten them; it is drawn where they come near it. */
const NEAR = 1.6

/** The tokens that the height of the track has to hold. */
export function heightOf(highest: number, limit: Limit | undefined, figures: readonly (Figures | undefined)[]): number {
  if (limit === undefined) return highest
  const limits = figures.map((each) => (each === undefined ? 0 : limitHeight(limit, each)))
  const most = Math.max(0, ...limits)
  return most <= highest * NEAR ? Math.max(highest, most) : highest
}

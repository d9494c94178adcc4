// Several snapshots: lanes and changes for a selector with a range, and a list of hits for words.

import type { JSX, RefObject } from 'preact'
import { useRef } from 'preact/hooks'
import type { Block, RangeData } from '../words/lanes.js'
import { plural } from '../words/numbers.js'
import { MomentLink, NodeLink } from './bits.js'
import { Hits } from './hits.js'
import { Lanes } from './lanes.js'
import { Reading } from './reading.js'
import { Loading } from './states.js'
import { useSession } from './use-session.js'

const MOST_BLOCKS = 200

export function RangePane(): JSX.Element {
  const { selection } = useSession()
  const box = useRef<HTMLDivElement>(null)
  const query = selection.query.value
  return (
    <div class="pane" id="range" ref={box} tabIndex={0} role="region" aria-label="Range">
      {query.kind === 'words' ? <Hits words={query.words} /> : <RangeView box={box} />}
    </div>
  )
}

function RangeView({ box }: { box: RefObject<HTMLElement | null> }): JSX.Element {
  const { selection } = useSession()
  const { range: found, progress, reading } = selection.rangeRead
  const range = found.value
  return (
    <div class="range">
      <Reading of={reading} progress={progress.value} what="cycles" />
      {range !== undefined ? (
        <>
          <Lanes range={range} box={box} />
          <Blocks of={range} isWhole={!reading.state.value.isReading} />
        </>
      ) : selection.isBusy.value ? (
        <Loading />
      ) : (
        <p class="node muted">
          This selector names no range of snapshots. One that begins with @history draws how long each node was there.
        </p>
      )}
    </div>
  )
}

function Blocks({ of, isWhole }: { of: RangeData; isWhole: boolean }): JSX.Element {
  const blocks = of.diffs.filter(({ stats }) => stats.added + stats.removed + stats.changed > 0)
  return (
    <div class="blocks">
      <p class="muted">
        Changes, newest first. Mode <code>{of.mode}</code>; a number in a bar is the ttl that is left.
      </p>
      {blocks.slice(0, MOST_BLOCKS).map((block) => (
        <BlockView key={`${block.from.cycle} ${block.to.cycle}`} of={block} />
      ))}
      {blocks.length === 0 && isWhole && <p>Nothing that is selected changed.</p>}
      {blocks.length > MOST_BLOCKS && <p class="muted">and {plural(blocks.length - MOST_BLOCKS, 'older change')}</p>}
    </div>
  )
}

function BlockView({ of }: { of: Block }): JSX.Element {
  return (
    <div class="blk">
      <span>
        <MomentLink at={`c${of.from.cycle}`} /> <span class="muted">from @c{of.to.cycle}</span>
      </span>
      <span>
        {of.added_ids.map((id) => (
          <code key={`+${id}`} class="c-add">
            + <NodeLink id={id} />
          </code>
        ))}
        {of.removed_ids.map((id) => (
          <code key={`-${id}`} class="c-del">
            − <NodeLink id={id} />
          </code>
        ))}
        {of.changed.map((change) => (
          <code key={`~${change.id}`} class="c-chg">
            ~ <NodeLink id={change.id} />{' '}
            <span class="muted outside">
              {change.fields.map((field) => fieldWords(field, change.delta?.[field])).join(', ')}
            </span>
          </code>
        ))}
      </span>
    </div>
  )
}

/** A range lists newer before older; readers expect the reverse. */
function fieldWords(field: string, delta: { from: unknown; to: unknown } | undefined): string {
  if (delta === undefined) return field
  const words = (value: unknown): string => (JSON.stringify(value) ?? '').slice(0, 60)
  return `${field} ${words(delta.to)} → ${words(delta.from)}`
}

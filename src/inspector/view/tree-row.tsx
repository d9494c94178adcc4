// One row of the tree: mark, twisty, zone bar, offset, role, one line of content, badges, tokens.

import type { JSX } from 'preact'
import type { TreeRow } from '../../api/index.js'
import { wordsPattern } from '../../core/index.js'
import { markClass, markName, markSign } from '../words/causes.js'
import { count, plural } from '../words/numbers.js'
import { positionWords, segmentWords } from '../words/signs.js'
import { useActions } from './actions.js'
import { Badges, CauseBadge, whoOf } from './bits.js'
import { redactedWords } from './changes.js'
import { Marked } from './marked.js'
import { StandInBadges } from './stand-ins.js'
import { narrowNow } from './use-narrow.js'
import { useSession } from './use-session.js'

type Props = Readonly<{ row: TreeRow; top: number; isChosen: boolean }>

export function Row({ row, top, isChosen }: Props): JSX.Element {
  const { place, go, tree, selection, shared } = useSession()
  const { pick } = useActions()
  const matches = selection.matches.value
  const isMatch = [row.id, ...(row.holders ?? [])].some((id) => matches?.has(id))
  // Beyond the first matches a row may match without being known to.
  const isCut = (selection.count.value ?? 0) > (matches?.size ?? 0)
  const kind = row.kind === 'region' ? 'reg' : row.kind === 'seg' ? 'seg' : 'leaf'
  const classes = ['trow', kind, markClass(row.mark), isMatch ? 'match' : matches === undefined || isCut ? '' : 'dim']
  const isLeaving = shared.leaving.value.has(row.id) && row.mark !== '-'
  const inset = (row.level - 1) * 16
  const choose = (event: MouseEvent): void => {
    const onTwisty = (event.target as HTMLElement).classList.contains('tw')
    const isSame = place.value.node === row.id
    const opens = row.isOpen !== undefined && kind === 'seg' && (onTwisty || isSame || narrowNow())
    if (opens) tree.toggle(row.id, row.isOpen !== true)
    // On a narrow page a segment opens in place; the sheet would cover its rows.
    if (opens && narrowNow()) go({ node: row.id })
    else pick(row.id, false)
  }
  return (
    <div
      class={classes.filter((each) => each !== '').join(' ')}
      id={`row-${row.row}`}
      role="treeitem"
      aria-level={row.level}
      aria-posinset={row.index}
      aria-setsize={row.size}
      aria-selected={isChosen}
      {...(row.isOpen === undefined ? {} : { 'aria-expanded': row.isOpen })}
      style={{ top: `${top}px`, '--in': `${inset}px` }}
      onClick={choose}
    >
      <span class="mk">
        <span aria-hidden="true">{markSign(row.mark)}</span>
        {row.mark !== '' && <span class="sr">{markName(row.mark)}</span>}
      </span>
      <span class="main">
        <span class="tw" aria-hidden="true" style={{ marginLeft: kind === 'reg' ? '0' : `${inset}px` }}>
          {row.isOpen === undefined || kind === 'reg' ? '' : row.isOpen ? '▼' : '▶'}
        </span>
        {kind === 'leaf' ? <Leaf row={row} /> : <Holder row={row} />}
      </span>
      <span class="badges">
        {isLeaving && <span class="bd last">leaves at the commit</span>}
        {kind === 'leaf' && <StandInBadges row={row} />}
        {kind === 'leaf' && row.mark !== '-' && <Badges of={row} mostTags={3} />}
        {row.reason !== undefined && whoOf(row) !== 'redacted' && (
          <span class="bd outside" title={redactedWords(row)}>
            redacted: {row.reason}
          </span>
        )}
        {kind === 'seg' && row.isOpen !== true && <Keys of={row} />}
        {row.cause !== undefined &&
          row.cause !== 'created' &&
          row.mark !== '' &&
          kind !== 'reg' &&
          row.cause !== 'sealed' && (
            <CauseBadge cause={row.cause} mark={row.mark} rule={kind === 'seg' ? row.rule : undefined} />
          )}
      </span>
      <span class="tok">{count(row.tokens)}</span>
    </div>
  )
}

function Keys({ of }: { of: TreeRow }): JSX.Element {
  return (
    <>
      {(of.keys ?? []).slice(0, 4).map((key) => (
        <span key={key} class="bd key outside">
          #{key}
        </span>
      ))}
    </>
  )
}

function Holder({ row }: { row: TreeRow }): JSX.Element {
  const isGone = row.mark === '-'
  if (row.kind === 'region') {
    return (
      <>
        <span class="segn" title={segmentWords(row)}>
          {row.nodeType}
        </span>
        <span class="txt">{regionWords(row)}</span>
      </>
    )
  }
  return (
    <>
      <span class={`segn${isGone ? ' c-del' : ''}`} title={segmentWords(row)}>
        {isGone ? 'gone' : row.depth === undefined ? row.id : `d${row.depth}`}
      </span>
      {row.cycle !== undefined && (
        <span class="muted nowrap small">
          {row.run === undefined ? `cycle ${row.cycle}` : `cycles ${row.cycle}–${row.run.to}`}
        </span>
      )}
      {row.isOpen === false && row.children > 0 && (isGone || row.text === '') && (
        <span class="muted nowrap small">{plural(row.children, 'block')}</span>
      )}
      <span class="txt outside">
        {row.isOpen === true || row.run !== undefined ? '' : [row.name, row.text].filter(Boolean).join(' ')}
      </span>
    </>
  )
}

function regionWords({ nodeType, children, text }: TreeRow): string {
  if (text !== '') return text
  if (nodeType === '^sys') return 'system'
  if (nodeType === '^seq') return `${count(children)} segment${children === 1 ? '' : 's'}, oldest first`
  return children > 0 ? 'active head: the open turn' : 'active head, empty: the next turn opens here'
}

function Leaf({ row }: { row: TreeRow }): JSX.Element {
  const who = whoOf(row)
  const isCall = row.says === 'call' || row.says === 'result'
  const isHidden = row.mark === '-' && row.cause === 'redacted'
  return (
    <>
      <span class={`zone part-${row.zone === '' ? 'sys' : row.zone === 'core' ? 'core' : 'ctx'}`} />
      <span class="pos" title={positionWords(row)}>
        {offsetWords(row)}
      </span>
      <span class="who outside">{who}</span>
      {isHidden ? (
        <span class="txt none">covered: open an earlier cycle to read it</span>
      ) : who === 'redacted' ? (
        <span class="txt none outside">{redactedWords(row)}</span>
      ) : (
        <span class={`txt outside${isCall ? ' m' : ''}`}>
          {isCall && row.name !== undefined && <strong>{row.name} </strong>}
          <Said row={row} />
        </span>
      )}
    </>
  )
}

/** Characters of a row that are in sight on most screens. */
const IN_SIGHT = 48

/** The content on one line. Words of a search that are further on are shown with the text around them. */
function Said({ row: { id, text, cut, holders = [] } }: { row: TreeRow }): JSX.Element {
  const { query, hits } = useSession().selection
  const hit = [id, ...holders].map((each) => hits.value.get(each)).find((each) => each !== undefined)
  if (query.value.kind === 'words' && hit !== undefined) {
    const at = text.search(wordsPattern(query.value.words))
    if (at < 0 || at > IN_SIGHT)
      return (
        <span class="hit">
          {hit.before}
          <mark>{hit.match}</mark>
          {hit.after}
        </span>
      )
  }
  return (
    <>
      <Marked text={text} />
      {cut ? '…' : ''}
    </>
  )
}

function offsetWords({ zone, offset, index }: TreeRow): string {
  return zone === 'core' ? `0·${index - 1}` : String(offset).replace('-', '−')
}

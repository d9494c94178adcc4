// The chosen node: its place, reasons, content, life, place in the request, and headers.

import type { JSX } from 'preact'
import * as routes from '../api/routes.js'
import type { JsonObject, JsonValue, NodeAnswer } from '../../api/index.js'
import type { At } from '../state/link.js'
import { useRead } from '../state/reads.js'
import { count, shortTimes, size } from '../words/numbers.js'
import { useActions } from './actions.js'
import { Badges, Linked, MomentLink, nameOf, NodeLink, whoOf } from './bits.js'
import { contentOf, textField } from './changes.js'
import { CopyNode } from './copy-menus.js'
import { Content } from './content.js'
import { Life } from './life.js'
import { StandIn } from './stand-ins.js'
import { Loading } from './states.js'
import { useSession } from './use-session.js'

/** Headers shown elsewhere in the pane. */
const ELSEWHERE: ReadonlySet<string> = new Set(['content', 'children', 'pact:compacted'])

export function NodePane({ id }: { id: string }): JSX.Element {
  const { place, moment, as, edits } = useSession()
  const here = useRead(() => {
    const { context, node } = place.value
    const at = moment.value
    if (node === null || at === null || as.value === null) return null
    return routes.node(context, { node, at, as: as.value }, edits.draft.value)
  })
  const at = place.value.at
  if (here.failure?.kind === 'refused') return <Before key={id} id={id} words={here.failure.message} />
  if (here.value === undefined || at === null) return <Loading />
  const isAbout = here.value.explanation['id'] === id
  return isAbout ? <Known id={id} at={at} answer={here.value} /> : <Loading />
}

/** A node that came and left while one cycle was open is in no snapshot, but the call before may have sent it. */
function Before({ id, words }: { id: string; words: string }): JSX.Element {
  const { place, at, base, other, as, edits } = useSession()
  const read = useRead(() => {
    if (base.value === null || other.value !== null || as.value === null) return null
    return routes.node(place.value.context, { node: id, at: base.value, as: as.value }, edits.draft.value)
  })
  const { value, about, failure } = read
  if (value !== undefined && value.explanation['isThere'] === true && at.value !== null)
    return <Known id={id} at={at.value} answer={value} seenAt={about!.at} />
  return read.isFresh || failure !== undefined ? <Unknown id={id} words={words} /> : <Loading />
}

function Unknown({ id, words }: { id: string; words: string }): JSX.Element {
  return (
    <div class="node">
      <Up />
      <h2 class="outside">{id}</h2>
      <p class="sub">
        <Linked text={words} />
      </p>
    </div>
  )
}

type KnownProps = Readonly<{
  id: string
  at: At
  answer: NodeAnswer
  /** The earlier moment that the answer is about. */
  seenAt?: At
}>

function Known({ id, at, answer, seenAt }: KnownProps): JSX.Element {
  const { copy } = useActions()
  const { node, coordinate, life, place, shownAt } = answer
  const earlier: At | null = seenAt ?? (shownAt === undefined ? null : `c${shownAt}`)
  const isBlock = node !== undefined && 'content' in node
  const name = textField(node, 'data_name')
  const isGone = seenAt !== undefined || answer.explanation['isThere'] === false
  return (
    <div class="node">
      <Up />
      <h2>
        <span class="outside">{id}</span>
        <button type="button" onClick={() => copy(id, 'Copied.')}>
          Copy id
        </button>
        <CopyNode id={id} text={isBlock && answer.cut === undefined ? contentOf(node) : undefined} />
      </h2>
      <p class="sub">
        {isGone ? (
          <>
            <span class="c-del">Not in {nameOf(at)}.</span>
            {earlier !== null && (
              <>
                {' '}
                Shown as in <MomentLink at={earlier} />
              </>
            )}
          </>
        ) : (
          <>
            {coordinate !== undefined && (
              <span
                class="mono"
                title="Its depth, counted from the newest turn, and its place around the conversation there"
              >
                {coordinate}
              </span>
            )}
            {' · '}
            <span class="outside">{whoOf(shape(answer))}</span>
            {name !== undefined && (
              <>
                {' · '}
                <span class="mono outside">{name}</span>
              </>
            )}
          </>
        )}
      </p>
      <NodeBadges node={node} />
      <Why answer={answer} />
      <StandIn id={id} answer={answer} />
      {isBlock && <Content id={id} node={node} at={earlier ?? at} isGone={isGone} cut={answer.cut} />}
      <Life life={life} part={partOfNode(answer)} ttl={numberOf(node, 'ttl')} at={at} />
      {place !== undefined && seenAt === undefined && <InRequest id={id} place={place} />}
      {node !== undefined && <Headers of={node} />}
    </div>
  )
}

function Up(): JSX.Element {
  const { go, column, at } = useSession()
  const cycle = column.value?.cycle ?? ''
  return (
    <p class="up">
      <button type="button" class="link" onClick={() => go({ node: null })}>
        ‹ {at.value === 'working' ? `Cycle ${cycle}, open` : `Cycle ${cycle}`}
      </button>
    </p>
  )
}

function NodeBadges({ node }: { node: JsonObject | undefined }): JSX.Element {
  const key = textField(node, 'key')
  const ttl = numberOf(node, 'ttl')
  const cad = numberOf(node, 'cad')
  const supersedes = textField(node, 'supersedes')
  return (
    <div class="badges">
      <Badges
        of={{
          tags: listOf(node, 'tags'),
          refs: listOf(node, 'refs'),
          ...(key === undefined ? {} : { key }),
          ...(ttl === undefined ? {} : { ttl }),
          ...(cad === undefined ? {} : { cad }),
          ...(node?.['pinned'] === true ? { pinned: true } : {}),
        }}
      />
      {supersedes !== undefined && <span class="bd outside">for {supersedes}</span>}
    </div>
  )
}

function Why({ answer }: { answer: NodeAnswer }): JSX.Element {
  const { explanation, words, pair = [] } = answer
  const sentences = explanation['sentences']
  const lines = Array.isArray(sentences) ? sentences.map(String) : [words]
  const ids = [explanation['id'], explanation['supersedes'], explanation['supersededBy']].filter(isText)
  return (
    <section>
      <h3>Why</h3>
      <ul class="why">
        {lines.map((line) => (
          <li key={line}>
            <Linked text={shortTimes(line)} ids={ids} />
          </li>
        ))}
        {pair.length > 0 && (
          <li>
            The other half of this tool call is{' '}
            {pair.map((id, i) => (
              <span key={id}>
                {i > 0 && ', '}
                <NodeLink id={id} />
              </span>
            ))}
            ; a budget takes both or none.
          </li>
        )}
      </ul>
    </section>
  )
}

function InRequest({ id, place }: { id: string; place: NonNullable<NodeAnswer['place']> }): JSX.Element {
  const { go, tree } = useSession()
  const show = (): void => {
    go({ view: 'request', node: id })
    tree.seek(id)
  }
  return (
    <section>
      <h3>In the request</h3>
      <p>
        Item {count(place.item)}, bytes {count(place.start)} to {count(place.end)}, {size(place.end - place.start)}.{' '}
        <button type="button" class="link" onClick={show}>
          Show
        </button>
      </p>
    </section>
  )
}

function Headers({ of }: { of: JsonObject }): JSX.Element {
  const entries = Object.entries(of).filter(([name, value]) => !ELSEWHERE.has(name) && value !== null)
  return (
    <section>
      <h3>Headers</h3>
      <dl class="dl">
        {entries.map(([name, value]) => (
          <Header key={name} name={name} value={value} />
        ))}
      </dl>
    </section>
  )
}

function Header({ name, value }: { name: string; value: JsonValue }): JSX.Element {
  const isId = name === 'supersedes' || name === 'parent' || name === 'parent_id'
  return (
    <>
      <dt class="outside">{name}</dt>
      <dd>
        {typeof value === 'string' && isId && value !== '' ? (
          <NodeLink id={value} />
        ) : name === 'refs' && Array.isArray(value) ? (
          value.map((id) => <NodeLink key={String(id)} id={String(id)} />)
        ) : (
          <span class="outside">{shortText(typeof value === 'string' ? value : JSON.stringify(value))}</span>
        )}
      </dd>
    </>
  )
}

/** Long header values are cut. */
function shortText(text: string): string {
  return text.length <= 2000 ? text : `${text.slice(0, 2000)}… (${size(text.length)})`
}

function shape({ node, explanation }: NodeAnswer): Parameters<typeof whoOf>[0] {
  const place = explanation['place'] as { zone?: string } | undefined
  const nodeType = textField(node, 'nodeType')
  if (nodeType !== undefined && !nodeType.startsWith('block'))
    return { zone: nodeType === 'seg' ? 'segment' : nodeType }
  return { nodeType, says: textField(node, 'kind'), role: textField(node, 'role'), zone: place?.zone }
}

function partOfNode({ explanation }: NodeAnswer): 'sys' | 'core' | 'ctx' {
  const place = explanation['place'] as { region?: string; zone?: string } | undefined
  if (place?.region === '^sys') return 'sys'
  return place?.zone === 'pre' || place?.zone === 'post' ? 'ctx' : 'core'
}

function numberOf(node: JsonObject | undefined, name: string): number | undefined {
  const value = node?.[name]
  return typeof value === 'number' ? value : undefined
}

function listOf(node: JsonObject | undefined, name: string): readonly string[] {
  const value = node?.[name]
  return Array.isArray(value) ? value.filter(isText) : []
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

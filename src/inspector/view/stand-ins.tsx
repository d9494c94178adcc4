// Nodes whose content is not the whole story: shed results, summaries, stale thoughts, and nodes of a saved draft. Rows have a badge for each;
// the pane says what the node stands for and shows the originals.

import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import * as routes from '../api/routes.js'
import type { JsonObject, NodeAnswer, TreeRow } from '../../api/index.js'
import { useRead } from '../state/reads.js'
import type { Session } from '../state/session.js'
import { count, plural } from '../words/numbers.js'
import { NodeLink } from './bits.js'
import { contentOf, textField } from './changes.js'
import { Loading } from './states.js'
import { useSession } from './use-session.js'

/** The number of originals that are listed at first. */
const LISTED = 50

const DRAFT = 'In a draft that a program has saved; no snapshot holds it before the next commit.'

export function StandInBadges({ row }: { row: TreeRow }): JSX.Element {
  const session = useSession()
  const why = row.mark === '-' ? undefined : session.shared.stale.value.get(row.id)
  return (
    <>
      {row.shed === true && (
        <span class="bd" title="The request has this line in place of the content; the node has the original">
          shed
        </span>
      )}
      {row.standsFor !== undefined && (
        <span class="bd" title="A summary; the node lists the originals">
          stands for {plural(row.standsFor, 'node')}
        </span>
      )}
      {why !== undefined && (
        <span class="bd last" title={why}>
          stale, not sent
        </span>
      )}
      {row.open === true && row.mark !== '-' && isDraft(session, row.id) && (
        <span class="bd" title={DRAFT}>
          draft
        </span>
      )}
    </>
  )
}

/** True if a program has saved edits of the open cycle, and a node of that cycle is not from this page. */
function isDraft({ edits }: Session, id: string): boolean {
  return edits.saved.value.length > 0 && !edits.list.value.some(({ ids }) => ids.includes(id))
}

export function StandIn({ id, answer }: { id: string; answer: NodeAnswer }): JSX.Element {
  const session = useSession()
  const { node, explanation, life } = answer
  const why = session.shared.stale.value.get(id)
  const isThere = explanation['isThere'] === true
  const isUncommitted = isThere && session.at.value === 'working' && life.runs.length === 0
  return (
    <>
      {why !== undefined && (
        <section>
          <h3>Not sent</h3>
          <p class="outside">{why}</p>
        </section>
      )}
      {isUncommitted && isDraft(session, id) && (
        <section>
          <h3>Draft</h3>
          <p>{DRAFT}</p>
        </section>
      )}
      {explanation['shedding'] === 'shed' && (
        <section>
          <h3>Shed</h3>
          <p>The request has a line in place of the content.</p>
          <Original
            key={id}
            id={id}
            earlier={textField(node, 'supersedes')}
            isTool={/^(?:call|result)$/.test(textField(node, 'kind') ?? '')}
          />
        </section>
      )}
      {explanation['standsFor'] !== undefined && node !== undefined && <Originals key={id} of={node} />}
    </>
  )
}

type Listed = Readonly<{ id: string; tokens?: number; of?: string; erased?: true }>

/** The nodes that a summary stands for. */
function Originals({ of }: { of: JsonObject }): JSX.Element {
  const most = useSignal(LISTED)
  const { nodes = [] } = (of['pact:compacted'] ?? {}) as unknown as Readonly<{ nodes?: readonly Listed[] }>
  const own = nodes.filter((each) => each.of === undefined)
  const tokens = own.reduce((sum, each) => sum + (each.tokens ?? 0), 0)
  return (
    <section>
      <h3>
        Stands for <span>{`${plural(own.length, 'node')}, ${plural(tokens, 'token')}`}</span>
      </h3>
      <ol class="originals">
        {own.slice(0, most.value).map(({ id, tokens = 0, erased }) => (
          <li key={id}>
            {erased === true ? <span class="outside">{id}, erased</span> : <Original id={id} earlier={id} />}
            <span class="muted mono">{count(tokens)}</span>
          </li>
        ))}
      </ol>
      {own.length > most.value && (
        <button type="button" class="link" onClick={() => (most.value = own.length)}>
          Show all {count(own.length)}
        </button>
      )}
    </section>
  )
}

type OriginalProps = Readonly<{ id: string; earlier: string | undefined; isTool?: boolean }>

/** An original, one click away. If the newest state does not have it any more, the node in an earlier snapshot may. */
function Original({ id, earlier, isTool = false }: OriginalProps): JSX.Element {
  const { place, moment, edits } = useSession()
  const isWanted = useSignal(false)
  const { value, failure } = useRead(() => {
    const at = moment.value
    return isWanted.value && at !== null ? routes.recall(place.value.context, id, at, edits.draft.value) : null
  })
  return (
    <details class="original" onToggle={(event) => (isWanted.value = event.currentTarget.open)}>
      <summary>{id === earlier ? <span class="mono outside">{id}</span> : 'Show the original'}</summary>
      {failure !== undefined ? (
        <p class="outside">{failure.message}</p>
      ) : value === undefined ? (
        <Loading />
      ) : (
        <div
          class={`content outside${isTool ? '' : ' text'}`}
          tabIndex={0}
          role="region"
          aria-label={`Original of ${id}`}
          dir="auto"
        >
          {contentOf({ content: value.content })}
        </div>
      )}
      {earlier !== undefined && (
        <p>
          In its own time: <NodeLink id={earlier} />
        </p>
      )}
    </details>
  )
}

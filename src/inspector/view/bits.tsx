// Small parts that many panes share: links to nodes and moments, badges, a cause.

import type { ComponentChildren, JSX } from 'preact'
import type { TreeRow } from '../../api/index.js'
import { lensOf, type At } from '../state/link.js'
import { causeWord, type Mark } from '../words/causes.js'
import { Icon } from './icon.js'
import { useActions } from './actions.js'
import { useSession } from './use-session.js'

/** Default node ids; custom ids become links only where an answer marks them as ids. */
const ID = /\b(?:block|seg|cont):\d+-\d+\b/g

export function NodeLink({ id }: { id: string }): JSX.Element {
  const { pick } = useActions()
  return (
    <button type="button" class="link mono outside" onClick={() => pick(id)}>
      {id}
    </button>
  )
}

export function MomentLink({ at, children }: { at: At; children?: ComponentChildren }): JSX.Element {
  const { step } = useSession()
  return (
    <button type="button" class="link mono" onClick={() => step(at)}>
      {children ?? nameOf(at)}
    </button>
  )
}

/** A snapshot by its cycle, a send by its attempt. */
export function nameOf(at: At): string {
  return lensOf(at)
}

/** A sentence in which ids are links. */
export function Linked({ text, ids = [] }: { text: string; ids?: readonly string[] }): JSX.Element {
  const parts: ComponentChildren[] = []
  let from = 0
  for (const [start, id] of places(text, ids)) {
    if (start < from) continue
    parts.push(text.slice(from, start), <NodeLink key={start} id={id} />)
    from = start + id.length
  }
  return (
    <span class="outside">
      {parts}
      {text.slice(from)}
    </span>
  )
}

function places(text: string, ids: readonly string[]): [number, string][] {
  const found: [number, string][] = [...text.matchAll(ID)].map((match) => [match.index, match[0]])
  for (const id of ids) {
    const at = id === '' ? -1 : text.indexOf(id)
    if (at >= 0 && !found.some(([start]) => start === at)) found.push([at, id])
  }
  return found.sort(([a], [b]) => a - b)
}

type Badged = Pick<TreeRow, 'key' | 'tags' | 'ttl' | 'cad' | 'pinned' | 'refs'>

/** Badges; of many tags, some and the number of the others. */
export function Badges({ of, mostTags = Infinity }: { of: Badged; mostTags?: number }): JSX.Element {
  const { key, tags = [], ttl, cad, pinned, refs = [] } = of
  const shown = tags.length > mostTags + 1 ? tags.slice(0, mostTags) : tags
  const others = tags.slice(shown.length)
  return (
    <>
      {key !== undefined && <span class="bd key outside">#{key}</span>}
      {shown.map((tag) => (
        <span key={tag} class="bd tag outside">
          +{tag}
        </span>
      ))}
      {others.length > 0 && (
        <span class="bd tag others" title={others.join(', ')}>
          +{others.length}
        </span>
      )}
      {ttl !== undefined && (
        <span class={`bd${ttl <= 1 ? ' last' : ''}`} title={ttlWords(ttl)}>
          ttl {ttl}
        </span>
      )}
      {cad !== undefined && (
        <span class="bd" title={`Returns every ${cad} cycles`}>
          <Icon name="returned" />
          cad {cad}
        </span>
      )}
      {pinned === true && (
        <span class="bd" title="No budget takes it">
          <Icon name="pin" />
          pin
        </span>
      )}
      {refs.length > 0 && (
        <span class="bd" title={`Refers to ${refs.join(', ')}`}>
          <Icon name="ref" />
          {refs.length}
        </span>
      )}
    </>
  )
}

function ttlWords(ttl: number): string {
  return ttl <= 1 ? 'Leaves at the next commit' : `In ${ttl} snapshots, this one included`
}

/** With the limit that took a node, if there is one: `pruned: maxTokens`. */
export function CauseBadge({
  cause,
  mark,
  rule,
}: {
  cause: string
  mark: Mark
  rule?: string | undefined
}): JSX.Element {
  const colour = mark === '-' ? 'c-del' : mark === '+' ? 'c-add' : 'c-chg'
  return (
    <span class={`bd cause ${colour}`} title={rule}>
      {mark === '-' && cause === 'edited' ? 'taken out' : causeWord(cause)}
      {rule !== undefined && `: ${rule.split(' ')[0]}`}
    </span>
  )
}

/** The display name of a block: its role, or its type. */
export function whoOf(node: {
  nodeType?: string | undefined
  says?: string | undefined
  role?: string | undefined
  zone?: string | undefined
}): string {
  if (node.nodeType !== undefined && /redact/.test(node.nodeType)) return 'redacted'
  if (node.says === 'call' || node.says === 'result') return node.says
  return node.role ?? (node.zone === undefined || node.zone === '' ? 'block' : node.zone)
}

export type ThreadShare = 'sys' | 'core' | 'ctx'

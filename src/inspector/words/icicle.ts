// An icicle of a call's tokens: turns above, their nodes below, in the order of the request. A place and a width are shares of the whole.

import type { Answer } from '../../api/index.js'
import { shadeOf, type Shade, type Shading } from './groups.js'
import { count, percent } from './numbers.js'

export type TokenMap = Answer<'tokenMap'>
type Turn = TokenMap['turns'][number]
type Node = Turn['nodes'][number]

export type Bar = Readonly<{
  id: string
  from: number
  width: number
  /** The words in the bar, if there is room. */
  name: string
  /** All of it: the name, the tokens, the share. */
  label: string
  tokens: number
  shade: Shade
  /** The call before has it in the same place. */
  isSame: boolean
  /** The request leaves it out. */
  isLeftOut: boolean
}>

export type Icicle = Readonly<{ total: number; turns: readonly Bar[]; nodes: readonly Bar[] }>

type Drawn = Readonly<{
  /** The shades of tools or roles. */
  shading: Shading
  /** The tokens that the call before has in the same place. */
  same: number
  /** The nodes of the request; undefined as long as they are not known. */
  sent: ReadonlySet<string> | undefined
}>

export function icicleOf({ total, turns }: TokenMap, { shading, same, sent }: Drawn): Icicle {
  const all = Math.max(1, total)
  const [above, below]: [Bar[], Bar[]] = [[], []]
  let before = 0
  const bar = (id: string, tokens: number, name: string, shade: Shade, isLeftOut = false): Bar => ({
    id,
    from: before / all,
    width: tokens / all,
    name,
    label: `${name}, ${count(tokens)} tokens, ${percent(tokens / all)}${isLeftOut ? ', left out of the request' : ''}`,
    tokens,
    shade,
    isSame: before + tokens <= same,
    isLeftOut,
  })
  for (const turn of turns) {
    above.push(bar(turn.id, turn.tokens, turnName(turn), turn.zone === 'sys' ? 'sys' : 'one'))
    for (const node of turn.nodes) {
      const isLeftOut = sent !== undefined && node.count === undefined && !sent.has(node.id)
      below.push(bar(node.id, node.tokens, nodeName(node), shadeOfNode(shading, node), isLeftOut))
      before += node.tokens
    }
  }
  return { total, turns: above, nodes: below }
}

function turnName({ zone, from, to }: Turn): string {
  if (zone === 'sys') return 'system'
  if (zone === 'open') return 'open'
  return from === to ? `c${from}` : `c${from}–c${to}`
}

function nodeName({ name, key, kind, role, count: many }: Node): string {
  if (many !== undefined) return `${many} nodes`
  if (name !== undefined) return name
  if (key !== undefined) return `#${key}`
  return kind ?? role ?? 'node'
}

function shadeOfNode(shading: Shading, { part, role, name, count: many }: Node): Shade {
  if (part === 'sys') return 'sys'
  if (many !== undefined) return 'four'
  if (shading.by === 'role') return shadeOf(shading, role ?? '')
  return name === undefined ? (part === 'ctx' ? 'rest' : 'sys') : shadeOf(shading, name)
}

/** The largest nodes in words, with their share; neighbours that share a bar count as one. */
export function largestIn({ nodes }: Icicle, most: number): readonly Bar[] {
  return nodes.toSorted((a, b) => b.tokens - a.tokens).slice(0, most)
}

/** The shades of tools by their tokens in one call, where the columns do not show them. */
export function toolsIn({
  turns,
}: TokenMap): readonly Readonly<{ groups: { name: string; tokens: number; repeated: number }[] }>[] {
  const sums = new Map<string, number>()
  for (const { name = '', tokens } of turns.flatMap(({ nodes }) => nodes))
    sums.set(name, (sums.get(name) ?? 0) + tokens)
  return [{ groups: Array.from(sums, ([name, tokens]) => ({ name, tokens, repeated: 0 })) }]
}

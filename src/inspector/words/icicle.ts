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
  /** The shades of the columns; undefined where they are drawn by part, so that roles and tools both have shades of their own. */
  shading: Shading | undefined
  /** The tokens that the call before has in the same place. */
  same: number
  /** The nodes of the request; undefined as long as they are not known. */
  sent: ReadonlySet<string> | undefined
}>

export function icicleOf({ total, turns }: TokenMap, { shading, same, sent }: Drawn): Icicle {
  const all = Math.max(1, total)
  const shadeOfNode = shading === undefined ? mixedShades(turns) : (node: Node): Shade => groupShade(shading, node)
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
    above.push(bar(turn.id, turn.tokens, turnName(turn), turn.zone === 'sys' ? 'grey' : 'blue'))
    for (const node of turn.nodes) {
      const isLeftOut = sent !== undefined && node.count === undefined && !sent.has(node.id)
      below.push(bar(node.id, node.tokens, nodeName(node), shadeOfNode(node), isLeftOut))
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

function groupShade(shading: Shading, { part, role, name, count: many }: Node): Shade {
  if (many !== undefined) return 'pale'
  if (part === 'sys') return 'grey'
  if (shading.by === 'role') return shadeOf(shading, role ?? '')
  return name === undefined ? (part === 'ctx' ? 'purple' : 'grey') : shadeOf(shading, name)
}

/** Blue and pale blue for what is said, green for results of the tool with the most tokens, pale green for those of others. */
function mixedShades(turns: TokenMap['turns']): (node: Node) => Shade {
  const first = largestTool(turns)
  return ({ part, role, kind, name, count: many }) => {
    if (many !== undefined) return 'pale'
    if (part !== 'core') return part === 'sys' ? 'grey' : 'purple'
    if (kind === 'result' || role === 'tool') return name === first ? 'green' : 'mint'
    return role === 'user' && kind !== 'call' ? 'blue' : 'sky'
  }
}

/** The largest nodes in words, with their share; neighbours that share a bar count as one. */
export function largestIn({ nodes }: Icicle, most: number): readonly Bar[] {
  return nodes.toSorted((a, b) => b.tokens - a.tokens).slice(0, most)
}

function largestTool(turns: TokenMap['turns']): string | undefined {
  const sums = new Map<string, number>()
  for (const { name, kind, tokens } of turns.flatMap(({ nodes }) => nodes))
    if (name !== undefined && kind !== 'call') sums.set(name, (sums.get(name) ?? 0) + tokens)
  return [...sums].sort(([, a], [, b]) => b - a)[0]?.[0]
}

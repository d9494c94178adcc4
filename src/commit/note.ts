// The note that pruning leaves if the policy asks for names (D60): one line in a segment of its own at the beginning of history, with the names in
// the calls that left. Every cut writes what follows again anyway, so a note that only cuts change costs no cache.

import {
  className,
  namesOfCall,
  NodeRecord,
  type Dialect,
  type JsonValue,
  type Mint,
  type Stamp,
} from '../core/index.js'
import {
  Branch,
  childrenOf,
  containerRecord,
  coreOf,
  oldestOffset,
  recordOf,
  Sequence,
  standInOf,
  type Draft,
} from '../timeline/index.js'
import type { Limit } from './measure.js'
import type { TokenCounts } from './tokens.js'

/** The kind of the block. */
const KIND = 'pruned'
const BEGIN = '[earlier messages were pruned; their calls named: '
const END = ']'

export type Noting = Readonly<{
  draft: Draft
  mint: Mint
  dialect: Dialect
  /** The most names. */
  most: number
  /** The calls that left, in their order. */
  calls: readonly NodeRecord[]
  limits: readonly Limit[]
  tokens: TokenCounts
}>

/** Writes the note, or writes it again; not if a limit that holds would be passed with it. */
export function leaveNote({ draft, mint, dialect, most, calls, limits, tokens }: Noting): void {
  const old = noteIn(draft)
  const names = new Set(old === undefined ? [] : namesIn(old.content))
  for (const { content = '' } of calls) {
    for (const name of namesOfCall(content)) {
      // Named last, kept longest.
      names.delete(name)
      names.add(name)
    }
  }
  const content = `${BEGIN}${[...names].slice(-most).join(', ')}${END}`
  if (names.size === 0 || old?.content === content) return
  const version = old === undefined ? blockOf(draft, UNNAMED, dialect, content) : new NodeRecord({ ...old, content })
  const more = tokens.ofNode(version, draft) - (old === undefined ? 0 : tokens.ofNode(old, draft))
  if (limits.some((limit) => isPassedWith(limit, draft, more, old === undefined))) return
  if (old === undefined) return makeNote(draft, mint, dialect, content)
  const [stamp] = mint.stamp([{ nodeClass: 'block', nodeType: old.nodeType, age: old }], draft)
  draft.supersede(old, standInOf(draft, old, version, stamp!, 'prune'), 'superseded')
}

/** The note: the one block of the oldest segment. */
function noteIn(draft: Draft): NodeRecord | undefined {
  const oldest = draft.region('^seq').children.at(0)
  const core = oldest instanceof Branch ? coreOf(oldest) : undefined
  const first = core && childrenOf(core).at(0)
  const record = first && recordOf(first)
  return record?.kind === KIND && record.nodeClass === 'block' ? record : undefined
}

function namesIn(content: JsonValue | undefined): readonly string[] {
  if (typeof content !== 'string' || !content.startsWith(BEGIN) || !content.endsWith(END)) return []
  return content.slice(BEGIN.length, -END.length).split(', ')
}

/** A segment with a core and a block, older than all others. */
function makeNote(draft: Draft, mint: Mint, dialect: Dialect, content: string): void {
  const [segType, contType] = [className(dialect, 'seg'), className(dialect, 'cont')]
  const [segStamp, coreStamp, stamp] = mint.stamp(
    [
      { nodeClass: 'seg', nodeType: segType },
      { nodeClass: 'cont', nodeType: contType },
      { nodeClass: 'block', nodeType: className(dialect, 'block') },
    ],
    draft,
  )
  const seq = draft.region('^seq')
  const place = { nodeClass: 'seg', nodeType: segType, parentId: seq.record.id, by: 'prune' } as const
  const segment = containerRecord(draft, segStamp!, { ...place, offset: oldestOffset(draft) })
  const inside = { nodeClass: 'core', nodeType: contType, offset: 0, parentId: segment.id, by: 'prune' } as const
  const core = containerRecord(draft, coreStamp!, inside)
  const block = blockOf(draft, stamp!, dialect, content, core.id)
  draft.insert([seq], new Branch(segment, Sequence.fromSorted([new Branch(core, Sequence.fromSorted([block]))])))
}

function blockOf(draft: Draft, stamp: Stamp, dialect: Dialect, content: string, parentId?: string): NodeRecord {
  const place = { nodeClass: 'block', nodeType: className(dialect, 'block'), offset: 0, parentId, by: 'prune' } as const
  return new NodeRecord({ ...containerRecord(draft, stamp, place), kind: KIND, content, rare: { pinned: true } })
}

/** For a note that is only counted. */
const UNNAMED: Stamp = { id: 'new', createdAtNs: 0n, creationIndex: 0, cycle: 0 }

/** True if a limit holds and would be passed with the note. A new one is a segment, a core and a block. */
function isPassedWith({ rule, limit, actual }: Limit, draft: Draft, more: number, isNew: boolean): boolean {
  const now = actual(draft)
  const then =
    rule === 'maxTokens' || rule === 'maxTokens ^seq'
      ? now + more
      : rule === 'maxNodesPerSegment'
        ? Math.max(now, 2)
        : now + (isNew ? (ADDED[rule] ?? 0) : 0)
  return now <= limit && then > limit
}

const ADDED: Readonly<Record<string, number>> = { maxDepth: 1, maxNodes: 3 }

// The meaning of each sign of the page: tooltips and the page of help use the same sentences.

import type { TreeRow } from '../../api/index.js'

/** A region or a turn in the tree. */
export function segmentWords({ kind, nodeType, depth, mark }: TreeRow): string {
  if (kind === 'region') return REGIONS[nodeType] ?? nodeType
  if (mark === '-') return 'A turn that is no longer there'
  if (depth === undefined) return 'A turn'
  return `d${depth}: depth ${depth}, counted from the newest turn; d0 is the open one`
}

const REGIONS: Readonly<Record<string, string>> = {
  '^sys': 'The system part: it comes first in every request',
  '^seq': 'The sequence: all turns that are committed, oldest first',
  '^ah': 'The active head: the turn that is open; a commit moves it into the sequence',
}

/** The place of a node in its turn. */
export function positionWords({ zone, offset, index }: TreeRow): string {
  if (zone === 'core') return `0·${index - 1}: item ${index} of the conversation of this turn`
  if (zone === '') return `${offset}: its place in the system part`
  const where = offset < 0 ? 'before' : 'after'
  return `${String(offset).replace('-', '−')}: ${ZONES[zone]}; place ${Math.abs(offset)} ${where} the conversation of this turn`
}

const ZONES = { pre: 'pre-context', post: 'post-context', core: 'conversation' } as const

export const TICK =
  'The first byte that differs from the call before: a cache can give what is below the line, and nothing above it'

export const MISSED = 'The cache had less of this call than the bytes allowed, as its provider billed it'
export const LIMIT = 'A token limit of the context: a commit prunes what is above it'

export function chipWords(word: string, isOn: boolean): string {
  return `${isOn ? 'Hides' : 'Shows'} the changes with the cause “${word}”`
}

export function relativeWords(cycle: number, newest: number): string {
  return cycle === newest
    ? 'The newest snapshot'
    : `${newest - cycle} commits before the newest; @c${cycle} means the same tomorrow`
}

/** The words of the page, for its help. */
export const GLOSSARY: readonly (readonly [word: string, meaning: string])[] = [
  ['cycle', 'One commit. Cycle 12 is the twelfth; @c12 is its snapshot, which never changes.'],
  ['@t0, @t-5', 'The newest snapshot, and the one five commits before it.'],
  ['working state', 'The open cycle: what is not committed yet. A commit seals it.'],
  ['attempt', 'A call of a provider. A cycle may have several: 12, ·2, ·3.'],
  ['segment, turn', 'What one commit added to the conversation: d1 is the newest, d9 the ninth from the end.'],
  ['^sys, ^seq, ^ah', 'The system part, the turns, and the active head: the turn that is open.'],
  ['core', 'The conversation of a turn: questions, answers, calls and results. 0·2 is its third item.'],
  ['pre, post', 'Context around a conversation: −1 is just before it, 1 just after it.'],
  ['(d9, 1)', 'A coordinate: depth 9, place 1.'],
  ['#plan, +rag', 'The key of a node, which one node has at a time, and a tag.'],
  ['ttl 2', 'The node is in two more snapshots, this one included.'],
  ['cad 6', 'The node returns every six cycles.'],
  ['pin', 'No budget takes the node.'],
  ['prefix', 'The beginning that two requests share, byte for byte: only that can come from a cache.'],
]

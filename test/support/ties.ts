// Siblings that differ in one key at a time (02 §4.3): offset, then created_at_ns, then creation_index, then id by code point.

import { importSnapshot, type Context, type Dialect } from 'pact-context'

type Key = readonly [id: string, offset: number, ns: number, index: number]

/** In canonical order; each key but the one that decides says the opposite. */
const TIES: readonly Key[] = [
  ['t9', 1, 9, 9],
  ['t8', 2, 5, 8],
  ['t7', 2, 6, 3],
  ['t6', 2, 6, 4],
  ['ta', 2, 6, 5],
  ['tb', 2, 6, 5],
  ['t\uffff', 2, 6, 5],
  ['t\u{10000}', 2, 6, 5],
  ['t1', 2, 7, 0],
  ['t0', 3, 1, 1],
]

export const TIED: readonly string[] = TIES.map(([id]) => id)

/** The ties in `^sys`, in a turn and in the head, each in a file that lists them in another order; contents are ids. */
export function tiedContext(dialect: Dialect): Context {
  const listed = [3, 8, 0, 6, 2, 9, 5, 1, 7, 4].map((i) => TIES[i]!)
  const blocks = (prefix: string): object[] =>
    listed.map(([id, offset, ns, index]) => ({
      id: prefix + id,
      content: prefix + id,
      offset,
      created_at_ns: ns,
      creation_index: index,
    }))
  const regions = [
    { id: 'sys', nodeType: '^sys', children: blocks('s-') },
    { id: 'seq', nodeType: '^seq', children: [{ id: 'turn', offset: 1, children: blocks('q-') }] },
    { id: 'ah', nodeType: '^ah', children: blocks('h-') },
  ]
  return importSnapshot({ cycle: 1, root: { id: 'root', children: regions } }, { dialect })
}

/** The ids of all tied blocks in canonical order. */
export const ALL_TIED: readonly string[] = ['s-', 'q-', 'h-'].flatMap((prefix) => TIED.map((id) => prefix + id))

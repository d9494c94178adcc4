// ctx.system: the explicit capability of D31, which writes at depth < 0.

import { showCallers } from '../errors/index.js'
import type { ContentInput, Node } from '../core/index.js'
import type {
  AddHeader,
  Changes,
  DeleteOptions,
  Edit,
  NodeSpec,
  Position,
  RedactOptions,
  Replacement,
} from '../edit/index.js'

/** Writes at depth < 0: its selectors see `^sys` only. */
export type SystemRegion = Readonly<{
  add(content: ContentInput | undefined, header?: Omit<AddHeader, 'zone'>): Node
  /** Replaces the newest instance of the key in `^sys`, or adds one. */
  put(key: string, content: ContentInput | undefined, header?: Omit<AddHeader, 'zone' | 'key'>): Node
  /** Replaces the newest instance of the key in `^sys`, or adds one; all other instances in `^sys` leave for it. */
  set(key: string, content: ContentInput | undefined, header?: Omit<AddHeader, 'zone' | 'key'>): Node
  /** Into `^sys` or a container in it: `'(d-1, end)'`, `{ depth: -1 }`. */
  insert(spec: NodeSpec, position: Position): Node
  replace(selector: string, spec: Replacement): readonly Node[]
  /** Within `^sys`, or out of it. */
  move(selector: string, position: Position): readonly Node[]
  delete(selector: string, options?: DeleteOptions): readonly Node[]
  update(selector: string, changes: Changes): readonly Node[]
  redact(selector: string, options: RedactOptions): readonly Node[]
}>

/** Applies an edit and gives the node that it made, or all nodes that it touched. */
type Apply = Readonly<{ one: (edit: Edit) => Node; all: (edit: Edit) => readonly Node[] }>

export function systemRegion({ one, all }: Apply): SystemRegion {
  const region = 'system'
  const calls: SystemRegion = {
    add: (content, header) => one({ op: 'add', region, content, header }),
    put: (key, content, header) => one({ op: 'put', region, key, content, header }),
    set: (key, content, header) => one({ op: 'set', region, key, content, header }),
    insert: (spec, position) => one({ op: 'insert', region, spec, position }),
    replace: (selector, spec) => all({ op: 'replace', region, selector, spec }),
    move: (selector, position) => all({ op: 'move', region, selector, position }),
    delete: (selector, options) => all({ op: 'delete', region, selector, options }),
    update: (selector, changes) => all({ op: 'update', region, selector, changes }),
    redact: (selector, options) => all({ op: 'redact', region, selector, options }),
  }
  return Object.freeze(showCallers(calls))
}

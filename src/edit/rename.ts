// An edit with other ids: in its selector, in references, in a position, in the replacements of a redaction. Only fields that will be
// checked are renamed; anything else stays as it is, for the check to refuse.

import { LIMITS, type Dialect } from '../core/index.js'
import { renameIds } from '../selector/index.js'
import type { Edit } from './operation.js'

/** Gives an edit with the ids of other nodes. */
export function renameIn(edit: Edit, ids: ReadonlyMap<string, string>, dialect: Dialect): Edit {
  if (ids.size === 0) return edit
  const renaming = new Renaming(ids)
  const fields = Object.entries(edit).map(([name, value]: [string, unknown]) => {
    if (name === 'selector') return [name, renaming.selector(value, dialect)] as const
    if (name === 'header' || name === 'spec') return [name, renaming.spec(value, LIMITS.depth)] as const
    if (name === 'id') return [name, renaming.id(value)] as const
    if (name === 'results') return [name, renaming.each(value)] as const
    if (name === 'nodes') return [name, renaming.entries(value)] as const
    if (name === 'position') return [name, renaming.position(value)] as const
    return [name, edit.op === 'redact' && name === 'options' ? renaming.replaced(value) : value] as const
  })
  return Object.fromEntries(fields) as Edit
}

type Named = Readonly<Record<string, unknown>>

class Renaming {
  readonly #ids: ReadonlyMap<string, string>
  /** A few shared objects can spell out millions of nodes. */
  readonly #specs = new Map<object, unknown>()

  constructor(ids: ReadonlyMap<string, string>) {
    this.#ids = ids
  }

  selector(value: unknown, dialect: Dialect): unknown {
    return typeof value === 'string' ? renameIds(value, dialect, (id) => this.#ids.get(id) ?? id) : value
  }

  /** A header or a spec, with everything under it. */
  spec(value: unknown, depth: number): unknown {
    if (!isNamed(value) || depth < 1) return value
    const known = this.#specs.get(value)
    if (known !== undefined) return known
    const { refs, children, ...rest } = value
    const renamed: Record<string, unknown> = rest
    // Before the children: a spec may hold itself.
    this.#specs.set(value, renamed)
    if (refs !== undefined)
      renamed['refs'] = isListOf(refs, LIMITS.items) ? Array.from(refs, (id) => this.id(id)) : refs
    if (children !== undefined) {
      const isRead = isListOf(children, LIMITS.nodes)
      renamed['children'] = isRead ? Array.from(children, (child) => this.spec(child, depth - 1)) : children
    }
    return renamed
  }

  position(value: unknown): unknown {
    return isNamed(value) ? withId(value, 'parent', (id) => this.id(id)) : value
  }

  /** The options of a redaction as data. */
  replaced(value: unknown): unknown {
    if (!isNamed(value) || value['replaced'] === undefined) return value
    const { replaced, ...rest } = value
    if (!isListOf(replaced, LIMITS.nodes)) return value
    return { ...rest, replaced: this.each(replaced) }
  }

  /** A list of objects with an id. */
  each(value: unknown): unknown {
    if (!isListOf(value, LIMITS.nodes)) return value
    return Array.from(value, (each) => (isNamed(each) ? withId(each, 'id', (id) => this.id(id)) : each))
  }

  /** The nodes of a compaction or of an expansion. */
  entries(value: unknown): unknown {
    if (!isListOf(value, LIMITS.nodes)) return value
    const rename = (id: unknown): unknown => this.id(id)
    return Array.from(value, (each) => {
      if (!isNamed(each)) return each
      const named = withId(withId(each, 'id', rename), 'of', rename)
      const { node } = named
      return isNamed(node) ? { ...named, node: withId(node, 'id', rename) } : named
    })
  }

  id(id: unknown): unknown {
    return typeof id === 'string' ? (this.#ids.get(id) ?? id) : id
  }
}

function withId(value: Named, name: string, rename: (id: unknown) => unknown): Named {
  const copy = { ...value }
  return copy[name] === undefined ? copy : { ...copy, [name]: rename(copy[name]) }
}

function isNamed(value: unknown): value is Named {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isListOf(value: unknown, most: number): value is readonly unknown[] {
  return Array.isArray(value) && value.length <= most
}

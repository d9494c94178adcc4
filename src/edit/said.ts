// The arguments of a call as data (see operation.ts): plain headers as they were given, and all other values as they were checked and
// copied. The data is written on request, which for most edits never comes.

import { className, type Dialect, type JsonValue, type Template } from '../core/index.js'
import { withJsonForm } from '../codec/index.js'
import type { Overlay } from './header.js'
import type { ParsedPosition, Position } from './position.js'

/** A frozen part of an operation, without names that have no value. */
export type Data = Readonly<Record<string, unknown>>

/** The parts of a checked spec that are recorded. */
export type Taken = Pick<Template | Overlay, 'content' | 'rare' | 'children'>

/** Puts fields together. */
export function dataOf(fields: Data): Data {
  return Object.freeze(
    withJsonForm(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))),
  )
}

/** The data, or undefined if it would be empty. */
export function someOf(fields: Data): Data | undefined {
  const data = dataOf(fields)
  return Object.keys(data).length === 0 ? undefined : data
}

/** The content of a new node and its header, which are two arguments of most calls. */
export function contentAndHeader(given: object, taken: Taken, dialect: Dialect, decided: readonly string[]): Data {
  const { content, ...header } = specData(given, taken, dialect)
  return { content, header: someOf({ ...header, ...Object.fromEntries(decided.map((name) => [name, undefined])) }) }
}

/** A spec, with its content in it. */
export function specData(given: object, taken: Taken, dialect: Dialect): Data {
  const said = Object.entries(given).map(([name, value]: [string, unknown]) => {
    const isPlain = typeof value !== 'object' || value === null
    return [name, isPlain ? value : takenAs(name, taken, dialect)] as const
  })
  return dataOf(Object.fromEntries(said))
}

function takenAs(name: string, { content, rare, children }: Taken, dialect: Dialect): unknown {
  switch (name) {
    case 'content':
      return content
    case 'children':
      return childData(children ?? [], dialect)
    case 'tags':
    case 'refs':
    case 'provenance':
      return rare?.[name]
    default:
      return rare?.attributes?.get(name)
  }
}

function childData(children: readonly Template[], dialect: Dialect): readonly Data[] {
  return Object.freeze(children.map((child) => templateData(child, dialect)))
}

function templateData(template: Template, dialect: Dialect): Data {
  const { nodeClass, nodeType, offset, ttl, priority, role, kind, content, rare, children } = template
  const { attributes = NO_ATTRIBUTES, ...headers } = rare ?? {}
  return dataOf({
    content,
    role,
    kind,
    nodeType: nodeType === className(dialect, nodeClass) ? undefined : nodeType,
    offset,
    ttl: ttl ?? undefined,
    priority: priority === 0 ? undefined : priority,
    ...headers,
    ...Object.fromEntries(attributes),
    children: nodeClass === 'block' ? undefined : childData(children, dialect),
  })
}

const NO_ATTRIBUTES: ReadonlyMap<string, JsonValue> = new Map()

/** A position: its text, or the fields of its object. */
export function positionData(given: unknown, parsed: ParsedPosition): Position {
  if (parsed.kind === 'coordinate') return given as string
  const { kind: _kind, ...place } = parsed
  return dataOf(place) as Position
}

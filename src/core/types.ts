// The two editions' names for the same things, the class that every type belongs to (D1, D14), and the names of trees that calls read (D5).

/** The edition whose language and names a context uses. */
export type Dialect = '1.0' | '0.1'

/** A top-level part of the tree, in the order it is rendered. */
export type Region = '^sys' | '^seq' | '^ah'

/** The class of a node, whatever its nodeType is. A core is the container at offset 0 of a segment or of `^ah`. */
export type NodeClass = 'root' | 'region' | 'seg' | 'core' | 'cont' | 'block'

/** The side of the core on which a child of a segment or of the active head is. */
export type Zone = 'pre' | 'core' | 'post'

export const REGIONS: readonly Region[] = ['^sys', '^seq', '^ah']

/** The classes that the editions have names for. */
export type NamedClass = 'seg' | 'cont' | 'block'

const CLASS_NAMES: Readonly<Record<Dialect, Readonly<Record<NamedClass, string>>>> = {
  '1.0': { seg: 'seg', cont: 'cont', block: 'block' },
  '0.1': { seg: 'mt', cont: 'mc', block: 'cb' },
}

const NAMED_CLASSES: ReadonlyMap<string, NamedClass> = new Map([
  ['seg', 'seg'],
  ['mt', 'seg'],
  ['cont', 'cont'],
  ['mc', 'cont'],
  ['block', 'block'],
  ['cb', 'block'],
])

/** Gives an edition's own name of a class. */
export function className(dialect: Dialect, nodeClass: NamedClass): string {
  return CLASS_NAMES[dialect][nodeClass]
}

/** Gives the class that a nodeType names, or undefined for a user type without such a prefix (D14). */
export function classOfType(nodeType: string): NamedClass | undefined {
  const colon = nodeType.indexOf(':')
  return NAMED_CLASSES.get(colon < 0 ? nodeType : nodeType.slice(0, colon))
}

export function isRegion(name: string): name is Region {
  return (REGIONS as readonly string[]).includes(name)
}

/** Gives the side of the core for an offset (02 §4.1). */
export function zoneOfOffset(offset: number): Zone {
  return offset < 0 ? 'pre' : offset > 0 ? 'post' : 'core'
}

/** `@t0` is the latest snapshot, `@t-1` the one before, `@c12` that of cycle 12; `attempt:12-0` is the tree that an attempt sent. */
export type Lens = '@t0' | `@t-${number}` | `@c${number}` | AttemptId | 'working' | 'preview'

/** The id of an attempt: its cycle, and its number in that cycle from 0. It is a lens, too. */
export type AttemptId = `attempt:${string}`

/** True if a lens names the tree of an attempt; the argument may be anything, since it comes from callers. */
export function isSentLens(lens: unknown): lens is AttemptId {
  return typeof lens === 'string' && lens.startsWith('attempt:')
}

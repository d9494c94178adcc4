// A small language for the shapes of the clients' own types. `fields<T>` asks the compiler that a table names every key of
// the client's type `T`, optional where it is optional there, so that a new version of a client that adds a key does not
// compile until the judges know it.

import { isKeyed } from './violations.js'

export type Fault = Readonly<{ fault: 'shape' | 'kind' | 'unknown-key'; path: string; text: string }>
export type Shape = (value: unknown, path: string) => readonly Fault[]

type Optional = Readonly<{ optional: Shape }>
type Fields<T> = { readonly [K in keyof T]-?: Partial<Pick<T, K>> extends Pick<T, K> ? Optional : Shape }

export const anything: Shape = () => []
export const text = typed('string')
export const flag = typed('boolean')
export const number = typed('number')
export const object: Shape = (value, path) => (isKeyed(value) ? [] : wrong(path, 'is an object'))

export function optional(shape: Shape): Optional {
  return { optional: shape }
}

export function nullable(shape: Shape): Shape {
  return (value, path) => (value === null ? [] : shape(value, path))
}

export function oneOf(...literals: readonly (string | boolean)[]): Shape {
  return (value, path) =>
    literals.some((literal) => literal === value) ? [] : wrong(path, `is one of ${literals.join(', ')}`)
}

export function listOf(shape: Shape): Shape {
  return (value, path) => {
    if (!Array.isArray(value)) return wrong(path, 'is a list')
    // By index, since a hole in a list is no element for flatMap.
    return Array.from({ length: value.length }, (_, at) => shape(value[at], `${path}[${at}]`)).flat()
  }
}

export function textOr(other: Shape): Shape {
  return (value, path) => (typeof value === 'string' ? [] : other(value, path))
}

/** The first shape whose faults are none, else the faults of the last. */
export function either(...shapes: readonly Shape[]): Shape {
  return (value, path) => {
    const found = shapes.map((shape) => shape(value, path))
    return found.find((faults) => faults.length === 0) ?? found.at(-1) ?? []
  }
}

/** One shape per kind, by the value of `tag`. */
export function byKind(tag: string, kinds: Readonly<Record<string, Shape>>): Shape {
  return (value, path) => {
    if (!isKeyed(value)) return wrong(path, 'is an object')
    const kind = value[tag]
    const shape = typeof kind === 'string' && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
    if (shape !== undefined) return shape(value, path)
    return [{ fault: 'kind', path: `${path}.${tag}`, text: `${tag} ${JSON.stringify(kind)} is not one of these` }]
  }
}

/** `spelled` gives the table's name of a key, where a provider reads more than one spelling. */
export function fields<T>(shapes: Fields<T>, spelled: (key: string) => string = (key) => key): Shape {
  const table = new Map(Object.entries<Shape | Optional>(shapes))
  const needed = [...table].filter(([, shape]) => typeof shape === 'function').map(([key]) => key)
  return (value, path) => {
    if (!isKeyed(value)) return wrong(path, 'is an object')
    // A key whose value is undefined is not on the wire; its presence is a fault of JSON, reported elsewhere.
    const keys = Object.keys(value).filter((key) => value[key] !== undefined)
    const names = new Set(keys.map(spelled))
    const absent = needed.filter((key) => !names.has(key)).flatMap((key) => wrong(`${path}.${key}`, 'is there'))
    const twice = names.size < keys.length ? wrong(path, 'has each key in one spelling') : []
    const given = keys.flatMap((key): readonly Fault[] => {
      const shape = table.get(spelled(key))
      const at = `${path}.${key}`
      if (shape === undefined) return [{ fault: 'unknown-key', path: at, text: `the key ${key} is not known` }]
      return typeof shape === 'function' ? shape(value[key], at) : shape.optional(value[key], at)
    })
    return [...absent, ...twice, ...given]
  }
}

/** Values that JSON cannot write, or writes otherwise than they are: undefined, bigints, NaN, dates, class instances, holes, cycles. */
export function notJson(
  value: unknown,
  path: string,
  foreign: (value: object, path: string) => boolean = () => false,
  above: ReadonlySet<object> = new Set(),
): readonly string[] {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return []
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [path]
  if (typeof value !== 'object' || above.has(value)) return [path]
  if (foreign(value, path)) return []
  const within = new Set(above).add(value)
  if (Array.isArray(value)) {
    return Array.from({ length: value.length }, (_, at) => notJson(value[at], `${path}[${at}]`, foreign, within)).flat()
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return [path]
  return Object.entries(value).flatMap(([key, part]) => notJson(part, `${path}.${key}`, foreign, within))
}

function typed(type: 'string' | 'boolean' | 'number'): Shape {
  // oxlint-disable-next-line valid-typeof -- the parameter is one of three literals
  return (value, path) => (typeof value === type ? [] : wrong(path, `is a ${type}`))
}

function wrong(path: string, expected: string): readonly Fault[] {
  return [{ fault: 'shape', path, text: `it ${expected}` }]
}

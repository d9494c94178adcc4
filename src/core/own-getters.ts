// Objects as other code sees them.
//
// Functions that compare, spread, clone or list an object read only its own enumerable properties. Getters of a class are not among them,
// so two objects that differ only there would count as equal. These helpers put the getters on the object itself.

export type OwnGetter = readonly [name: string, getter: () => unknown]

/** The getters of a prototype, to be made own properties of an object, worked out when looked at. */
export function ownGetters(prototype: object, names: readonly string[]): readonly OwnGetter[] {
  return names.map((name) => {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name)!
    return [name, Reflect.get(descriptor, 'get') as () => unknown] as const
  })
}

/** Makes getters own properties of an object that is frozen next. */
export function addOwn<T extends object>(object: T, getters: readonly OwnGetter[]): T {
  for (const [name, getter] of getters) defineGetter(object, name, getter)
  return object
}

/** Makes an enumerable property of a getter. */
export function defineGetter(object: object, name: string, get: () => unknown): void {
  Object.defineProperty(object, name, { get, enumerable: true, configurable: true })
}

export const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never

/** The inspect function itself, which Node passes along. */
export type Inspect = (value: unknown, options: object) => string

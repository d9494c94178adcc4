// What compares, spreads, clones or lists an object looks at its own enumerable properties and at nothing else. Getters of
// a class are not among them: two objects that differ only there would count as equal. They are put there too.

/** Descriptors that make these getters of a prototype own properties of an object, worked out when looked at. */
export function ownGetters(
  prototype: object,
  names: readonly string[],
): readonly (readonly [string, PropertyDescriptor])[] {
  return names.map((name) => {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name)
    return [name, { ...descriptor, enumerable: true }] as const
  })
}

/** One after another, since that costs half of what defining them together does. */
export function addOwn<T extends object>(object: T, getters: ReturnType<typeof ownGetters>): T {
  for (const [name, getter] of getters) Object.defineProperty(object, name, getter)
  return object
}

// Sets of ids by a name they have in common; made when first needed, since most cycles need none.

export type IdsByKey = Map<string, Set<string>>

export function addTo(ids: IdsByKey, key: string, id: string): void {
  const known = ids.get(key)
  if (known === undefined) ids.set(key, new Set([id]))
  else known.add(id)
}

export function copyOf(ids: IdsByKey | undefined): IdsByKey | undefined {
  return ids && new Map(Array.from(ids, ([key, known]) => [key, new Set(known)]))
}

/** By hand, which takes two thirds of what the constructor of maps does. */
export function copyOfMap<K, V>(map: ReadonlyMap<K, V>): Map<K, V> {
  const copy = new Map<K, V>()
  for (const [key, value] of map) copy.set(key, value)
  return copy
}

// Sets of ids by key, created on demand.

export type IdsByKey = Map<string, Set<string>>

export function addTo(ids: IdsByKey, key: string, id: string): void {
  const known = ids.get(key)
  if (known === undefined) ids.set(key, new Set([id]))
  else known.add(id)
}

export function copyOf(ids: IdsByKey | undefined): IdsByKey | undefined {
  return ids && new Map(Array.from(ids, ([key, known]) => [key, new Set(known)]))
}

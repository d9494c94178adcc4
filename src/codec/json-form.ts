// JSON.stringify refuses bigints, and what we hand out may hold some (D33). Whatever holds one itself gets a toJSON that
// writes it as a number, as nodes do; it is not listed among the properties, so that the value prints, compares and is
// copied as if it had none. Exact digits are in the canonical bytes.

/** Gives the object back, safe for JSON.stringify as far as its own values go; call it before freezing. */
export function withJsonForm<T extends object>(holder: T): T {
  const values: readonly unknown[] = Array.isArray(holder) ? holder : Object.values(holder)
  // Data may have a toJSON of its own, which is then a name like any other.
  if (!values.some((value) => typeof value === 'bigint') || Object.hasOwn(holder, 'toJSON')) return holder
  return Object.defineProperty(holder, 'toJSON', { value: toJSON })
}

function toJSON(this: object): unknown {
  if (Array.isArray(this)) return this.map(numberFor)
  return Object.fromEntries(Object.entries(this).map(([name, value]) => [name, numberFor(value)]))
}

function numberFor(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}

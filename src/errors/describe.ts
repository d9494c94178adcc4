// A caller's value in a message: short, and safe for values that String() would choke on.

/** A caller's text in a message, without quotes: an id, a lens. */
export function short(text: string): string {
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text
}

const MOST = 120

/** Names a value the way a message can quote it. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'symbol') return 'a symbol'
  if (typeof value === 'object' && value !== null) return isList(value) ? 'a list' : 'an object'
  return short(String(value))
}

function isList(value: object): boolean {
  try {
    return Array.isArray(value)
  } catch {
    // A proxy that was revoked.
    return false
  }
}

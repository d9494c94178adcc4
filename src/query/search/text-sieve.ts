// Small numbers that tell of a text what it cannot equal or contain.

/** A sieve that lets everything through. */
export const EVERYTHING = -1

/** How much of a long text is read for its hash. */
const HASHED = 64

/** Equal texts have equal hashes; never 0. */
export function hashOf(text: string): number {
  let hash = text.length
  const end = Math.min(text.length, HASHED)
  for (let i = 0; i < end; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x0100_0193)
  hash ^= hash >>> 15
  return hash === 0 ? 1 : hash
}

/** One of 32 bits for every three characters in a row: a text has all bits of those it contains. */
export function sieveOf(text: string): number {
  let sieve = 0
  for (let i = 2; i < text.length && sieve !== EVERYTHING; i++) {
    sieve |= 1 << (threeOf(text.charCodeAt(i - 2), text.charCodeAt(i - 1), text.charCodeAt(i)) & 31)
  }
  return sieve
}

/** A hash of three characters. */
export function threeOf(a: number, b: number, c: number): number {
  const mixed = Math.imul((a << 16) ^ (b << 8) ^ c, 0x9e37_79b1)
  return mixed ^ (mixed >>> 15)
}
